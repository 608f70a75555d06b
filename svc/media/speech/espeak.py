"""The built-in voice: espeak-ng, in a process of its own."""

import json
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from xml.sax.saxutils import escape

import espeakng_loader
import numpy

from svc.base.processes import entry_points, pipes
from svc.base.processes.entry_points import Process
from svc.base.text.languages import find_language
from svc.media.errors import NarrationError
from svc.media.model import Presenter
from svc.media.speech import voice_process
from svc.media.voice import GLUE, SpokenPassage, Utterance

SLOWEST, FASTEST = 80, 450  # words per minute, espeak-ng's range
# The variants of high and of low voices that are easily told from one another.
_HIGHER, _LOWER = ("f3", "f1", "f5", "f2"), ("m1", "m3", "m7", "m4")
# The environment is the same for every job, so that the bytes are too.
_ENVIRONMENT = {"PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}


class Espeak:
    """The espeak-ng voice. Each passage is spoken in a fresh process state, so that the same input
    always gives the same bytes."""

    follows_pace = True

    def __init__(self, for_alignment: bool = False):
        """``for_alignment``: a recording of it is only compared with another voice's,
        so that it may read badly.
        """
        self._for_alignment = for_alignment

    def find_model(self, language: str, avatar: Presenter) -> str:
        return ""

    def identify_sound(self, language: str, avatar: Presenter) -> list:
        return [
            "espeak-ng",
            version("espeakng-loader"),
            *self._list_settings(language, avatar).values(),
        ]

    def find_other_voices(self, language: str, avatar: Presenter) -> list[Presenter]:
        first, second = (_LOWER, _HIGHER) if avatar.voice.startswith("f") else (_HIGHER, _LOWER)
        pairs = zip(first, (variant for variant in second if variant != avatar.voice), strict=False)
        return [
            replace(avatar, voice=variant, pitch=Presenter.pitch)
            for pair in pairs
            for variant in pair
        ]

    def utter(
        self, passages: list[SpokenPassage], language: str, avatar: Presenter
    ) -> Iterator[Utterance]:
        if not passages:
            return
        marked = [_make_markup(passage) for passage in passages]
        job = {
            "library": espeakng_loader.get_library_path(),
            "data": espeakng_loader.get_data_path(),
            **self._list_settings(language, avatar),
            "texts": [
                (text, bool(passage.find_stressed_runs()))
                for passage, (text, _) in zip(passages, marked, strict=True)
            ],
        }
        command = [sys.executable, "-I", "-S", entry_points.find_file(Process.ESPEAK)]
        with voice_process.run_voice(command, _ENVIRONMENT, job) as process:
            for _, places in marked:
                yield _read_utterance(process, places)

    def _list_settings(self, language: str, avatar: Presenter) -> dict:
        listed = find_language(language)
        if listed is not None and listed.is_further and not self._for_alignment:
            raise NarrationError(
                f"No voice of this machine speaks the language {listed.code!r}.",
                "LANGUAGE_NOT_SPOKEN",
            )
        return {
            "voice": _find_voice_name(
                Path(espeakng_loader.get_data_path()), language, avatar.voice
            ),
            "words_per_minute": min(max(avatar.words_per_minute, SLOWEST), FASTEST),
            "pitch": min(max(avatar.pitch, 0), 99),
        }


def _make_markup(passage: SpokenPassage) -> tuple[str, list[int]]:
    """Return the text for the voice, as SSML if a word is stressed,
    and the position of each word in it.
    """
    runs = passage.find_stressed_runs()
    opens, closes = {run.start for run in runs}, {run.stop - 1 for run in runs}
    text, places = "", []
    for index, word in enumerate(passage.words):
        text += (" " if index else "") + ("<emphasis>" if index in opens else "")
        places.append(len(text))
        word = word.removeprefix(GLUE)
        text += (escape(word) if runs else word) + ("</emphasis>" if index in closes else "")
    return text, places


def _read_utterance(process: subprocess.Popen[bytes], places: list[int]) -> Utterance:
    line = pipes.end_of_pipe(process.stdout).readline()
    if not line.endswith(b"\n"):
        raise NarrationError(f"The voice stopped: {voice_process.read_reason(process)}.")
    head = json.loads(line)
    samples = numpy.frombuffer(
        pipes.end_of_pipe(process.stdout).read(head["bytes"]), dtype=numpy.int16
    )
    events = ((max(0, bisect_right(places, place) - 1), sample) for place, sample in head["words"])
    sounds = tuple((phoneme, sample) for phoneme, sample in head["sounds"])
    return Utterance(samples, head["rate"], tuple(events), sounds)


def _find_voice_name(data: Path, language: str, variant: str) -> str:
    """Return espeak-ng's voice name; espeak-ng silently ignores an unknown variant, so the
    variant's file is checked first.

    Raises NarrationError.
    """
    listed = find_language(language)
    if listed is None or not listed.voice:
        raise NarrationError(
            f"The narration does not speak the language {language!r}.", "LANGUAGE_NOT_SPOKEN"
        )
    if not (data / "lang" / listed.voice).is_file():
        raise NarrationError(
            f"There is no voice for the language {listed.code!r}.", "VOICE_UNKNOWN"
        )
    if variant and variant not in {file.name for file in (data / "voices" / "!v").iterdir()}:
        raise NarrationError(f"There is no voice called {variant!r}.", "VOICE_UNKNOWN")
    return f"{listed.voice}+{variant}" if variant else listed.voice
