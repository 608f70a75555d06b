"""The trained voices: choosing one for a presenter and a language,
and speaking with it in a process of its own.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy

from svc.base import voices
from svc.base.processes import entry_points, heartbeat, pipes
from svc.base.processes.entry_points import Process
from svc.base.voices import NamedVoice
from svc.media.errors import NarrationError, VoiceLost
from svc.media.model import Presenter
from svc.media.speech import voice_process
from svc.media.speech.espeak import Espeak
from svc.media.speech.trained import phonemes, weights
from svc.media.voice import SpokenPassage, Utterance, Voice

_VERSION = 1  # of how a voice's sound is made: raise it when that changes
# The words per minute of a model at a speed of 1, with pauses.
_NATURAL = {voices.HIBARI: 182, voices.JOE: 183, voices.KOKORO: 176}
_SLOWEST, _FASTEST = 0.5, 2.0
_LONGEST_SECONDS = 600.0  # for one passage on a slow machine
_ENDS = ".!?…।؟۔。！？"
_CLOSERS = "\"'”’»)]」』）"


class Trained:
    """The trained voices that are installed. Where none speaks a language, or the one that does
    cannot be loaded, ``fallback`` speaks.

    ``lost``: called with the name of a voice that cannot be loaded and the reason, a key of
    svc.base.voices.REASONS.
    """

    follows_pace = True

    def __init__(
        self,
        fallback: Voice | None = None,
        lost: Callable[[str, str], None] = lambda name, reason: None,
    ):
        self._fallback: Voice = fallback or Espeak()
        self._tell_lost = lost
        self._lost: set[str] = set()  # models
        self._models = frozenset(model for model in voices.TITLES if weights.is_installed(model))

    def find_model(self, language: str, avatar: Presenter) -> str:
        voice = self._find_voice(language, avatar)
        return voice.title if voice else self._fallback.find_model(language, avatar)

    def identify_sound(self, language: str, avatar: Presenter) -> list:
        voice = self._find_voice(language, avatar)
        if voice is None:
            return self._fallback.identify_sound(language, avatar)
        return [
            "trained",
            _VERSION,
            voice.name,
            weights.WEIGHTS[voice.model].sha256,
            _compute_speed(voice, avatar),
        ]

    def find_other_voices(self, language: str, avatar: Presenter) -> list[Presenter]:
        voice, chosen = self._find_voice(language, avatar), self._choose_voice(language, avatar)
        if voice is not None:
            further = voices.choose_other_voices(voice, language, self._models - self._lost)
            return [replace(avatar, speaker=other.name) for other in further]
        # The speaker stays the voice that is lost, so that no trained voice speaks beside the
        # fallback.
        fixed = replace(avatar, speaker=chosen.name) if chosen else avatar
        return self._fallback.find_other_voices(language, fixed)

    def utter(
        self, passages: list[SpokenPassage], language: str, avatar: Presenter
    ) -> Iterator[Utterance]:
        voice = self._find_voice(language, avatar)
        if voice is None:
            yield from self._fallback.utter(passages, language, avatar)
        elif passages:
            yield from self._utter(voice, passages, language, avatar)

    def _find_voice(self, language: str, avatar: Presenter) -> NamedVoice | None:
        """Return the voice that speaks.

        Raises NarrationError: there is no voice of the name that the presenter asks for.
        """
        if avatar.speaker and avatar.speaker not in voices.VOICES:
            known = ", ".join(voices.VOICES)
            raise NarrationError(
                f"There is no voice called {avatar.speaker!r}; there are: {known}.", "VOICE_UNKNOWN"
            )
        chosen = self._choose_voice(language, avatar)
        if chosen is None and language.partition("-")[0] == "en" and not self._lost:
            self._record_loss("heart", voices.MISSING)
        return chosen if chosen and chosen.model not in self._lost else None

    def _choose_voice(self, language: str, avatar: Presenter) -> NamedVoice | None:
        """Return the installed voice that suits the presenter best,
        although its model may be lost.
        """
        if not weights.can_read(language):
            return None
        return voices.choose_voice(
            language, avatar.speaker, avatar.voice.startswith("m"), self._models
        )

    def _utter(
        self, voice: NamedVoice, passages: list[SpokenPassage], language: str, avatar: Presenter
    ) -> Iterator[Utterance]:
        reader = _choose_reader(voice, language)
        split = [split_sentences(passage) for passage in passages]
        job = {
            "model": voice.model,
            "style": voice.name,
            "reader": reader,
            "speed": _compute_speed(voice, avatar),
            "passages": split if reader else _phonemize_passages(split, language),
        }
        file = entry_points.find_file(Process.TRAINED_VOICES)
        command = [sys.executable, "-P", file, entry_points.SPEAKING]
        environment = {
            "PYTHONPATH": str(entry_points.ROOT),
            "PYTHONHASHSEED": "0",
            "PYTHONUTF8": "1",
            "OMP_NUM_THREADS": "1",
        }
        with voice_process.run_voice(command, environment, job, subprocess.DEVNULL) as process:
            if "ready" not in (answer := self._write_line(process, voice)):
                raise self._record_loss(voice.name, answer["unusable"])
            for _ in passages:
                head = self._write_line(process, voice)
                sound = pipes.end_of_pipe(process.stdout).read(head["bytes"])
                if len(sound) != head["bytes"]:
                    raise self._record_loss(voice.name, voices.STOPPED)
                samples = numpy.frombuffer(sound, "<i2").astype(numpy.int16)
                yield Utterance(
                    samples, head["rate"], _make_tuples(head["words"]), _make_tuples(head["sounds"])
                )

    def _write_line(self, process: subprocess.Popen[bytes], voice: NamedVoice) -> dict:
        with heartbeat.expect_silence(_LONGEST_SECONDS):
            line = pipes.end_of_pipe(process.stdout).readline()
        if not line.endswith(b"\n"):
            raise self._record_loss(voice.name, voices.STOPPED)
        answer: dict = json.loads(line)
        return answer

    def _record_loss(self, name: str, reason: str) -> VoiceLost:
        self._lost.add(voices.VOICES[name].model)
        self._tell_lost(name, reason)
        return VoiceLost(f"The voice {name} {voices.REASONS[reason]}.")


def split_sentences(passage: SpokenPassage) -> list[list[str]]:
    """Return the words of each sentence: up to the passage's ends of sentences,
    or else up to each full stop.
    """
    last = len(passage.words) - 1
    ends = set(passage.ends) or {
        index
        for index, word in enumerate(passage.words)
        if word.rstrip(_CLOSERS)[-1:] in tuple(_ENDS)
    }
    split: list[list[str]] = [[]]
    for index, word in enumerate(passage.words):
        split[-1].append(word)
        if index in ends and index < last:
            split.append([])
    return split


def _choose_reader(voice: NamedVoice, language: str) -> str:
    """Return the reader of svc.media.speech.trained.reading that reads the words; empty where
    espeak-ng does.
    """
    base = language.partition("-")[0]
    if base == "en":
        british = "en-GB" in voice.languages
        return "" if voice.model == voices.JOE else "british" if british else "american"
    return {"ja": "japanese", "zh": "mandarin"}.get(base, "")


def _phonemize_passages(passages: list[list[list[str]]], language: str) -> list[list[list[str]]]:
    flat = phonemes.phonemize(
        [tuple(sentence) for split in passages for sentence in split], language
    )
    read = iter(flat)
    return [[next(read) for _ in split] for split in passages]


def _compute_speed(voice: NamedVoice, avatar: Presenter) -> float:
    return round(min(max(avatar.words_per_minute / _NATURAL[voice.model], _SLOWEST), _FASTEST), 3)


def _make_tuples(pairs: list[list]) -> tuple:
    return tuple(tuple(pair) for pair in pairs)
