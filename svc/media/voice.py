"""The interface of a voice: passages in, utterances out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy

from svc.media.model import Presenter

# The sign that begins a word that follows the one before it without a space, as in Japanese
# (svc.media.text.line_breaks).
GLUE = "\u2060"
_AFTER_WIDE_MARKS = re.compile("(?<=[、。，！？]) ")
_LONGEST_STRESS = 6  # words; a longer run, such as a whole sentence in bold type, is not stressed


@dataclass(frozen=True)
class SpokenPassage:
    """A text. ``words``: as spoken (one may sound like several); ``stressed``: indices; ``ends``:
    indices of the words that end a sentence."""

    words: tuple[str, ...]
    stressed: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()  # empty: the signs of the words tell

    @property
    def text(self) -> str:
        """The words, with spaces between them where they are written so."""
        return _AFTER_WIDE_MARKS.sub(
            "", " ".join(self.words).replace(f" {GLUE}", "").replace(GLUE, "")
        )

    def find_stressed_runs(self) -> list[range]:
        """Return the runs of stressed words that are short enough to be heard as stress."""
        runs: list[range] = []
        for index in sorted(self.stressed):
            if runs and runs[-1].stop == index:
                runs[-1] = range(runs[-1].start, index + 1)
            else:
                runs.append(range(index, index + 1))
        return [run for run in runs if len(run) <= _LONGEST_STRESS]


@dataclass(frozen=True)
class Utterance:
    """``samples``: int16, mono, at ``rate`` Hz. ``words``: (word index, sample) for each word whose
    start the voice reports, in order; None if it reports no starts."""

    samples: numpy.ndarray
    rate: int
    words: tuple[tuple[int, int], ...] | None
    # By sound: the phoneme in IPA, and its sample; empty where the voice reports none.
    sounds: tuple[tuple[str, int], ...] = ()


class Voice(Protocol):
    """A voice speaks passages.

    The built-in one is espeak-ng's; others are trained ones, Piper's and a speech endpoint's.
    """

    follows_pace: bool  # whether a passage can be spoken again, at no charge, at another pace

    def find_model(self, language: str, avatar: Presenter) -> str:
        """Return the name of the trained model that speaks; empty if none does."""

    def identify_sound(self, language: str, avatar: Presenter) -> list:
        """Return what the sound of a passage depends on besides the passage, as JSON values. Raises
        NarrationError as :meth:`utter`."""

    def find_other_voices(self, language: str, avatar: Presenter) -> list[Presenter]:
        """Return ``avatar`` with other voices of ``language``, for the further speakers of a
        dialogue: the most easily distinguished one first. Empty: there is no other.
        """

    def utter(
        self, passages: list[SpokenPassage], language: str, avatar: Presenter
    ) -> Iterator[Utterance]:
        """Speak ``passages`` in order. ``language``: BCP 47.

        Raises NarrationError: LANGUAGE_NOT_SPOKEN, VOICE_UNKNOWN, NARRATION_FAILED.
        """
