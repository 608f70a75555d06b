"""A voice: what is to be said, what is heard, and what every voice must do."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy

from svc.media.programme import Presenter

_LONGEST_STRESS = 6  # words: a whole sentence in bold type is not stressed but set apart


@dataclass(frozen=True)
class SpokenPassage:
    """What is said without a pause of ours: words as they are spoken (one may be several to the ear), and the stressed ones."""

    words: tuple[str, ...]
    stressed: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def stressed_runs(self) -> list[range]:
        """Runs of stressed words that are short enough to be heard as such."""
        runs: list[range] = []
        for index in sorted(self.stressed):
            if runs and runs[-1].stop == index:
                runs[-1] = range(runs[-1].start, index + 1)
            else:
                runs.append(range(index, index + 1))
        return [run for run in runs if len(run) <= _LONGEST_STRESS]


@dataclass(frozen=True)
class Utterance:
    """``samples``: int16, mono, at ``rate`` Hz. ``words``: (word, sample) for each word that the voice reports the start of,
    in order; None where it reports nothing."""

    samples: numpy.ndarray
    rate: int
    words: tuple[tuple[int, int], ...] | None
    sounds: tuple[tuple[str, int], ...] = ()  # (phoneme in IPA, sample) where the voice tells them


class Voice(Protocol):
    """Speaks passages. The built-in one is espeak-ng's; others are Piper's and a speech endpoint's."""

    def model(self, language: str, avatar: Presenter) -> str:
        """The trained model that speaks; empty: none is."""

    def identity(self, language: str, avatar: Presenter) -> list:
        """What the sound of a passage depends on besides the passage, for JSON. Raises NarrationError as :meth:`utter`."""

    def utter(self, passages: list[SpokenPassage], language: str, avatar: Presenter) -> Iterator[Utterance]:
        """Speak ``passages`` in order. ``language``: BCP 47. Raises NarrationError: LANGUAGE_NOT_SPOKEN, VOICE_UNKNOWN,
        NARRATION_FAILED."""
