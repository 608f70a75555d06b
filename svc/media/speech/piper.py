"""Piper's voices, if the operator has installed any: neural speech on this machine,
in a process of its own.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from itertools import accumulate
from pathlib import Path

import numpy

from svc.base import voices
from svc.base.processes import entry_points, heartbeat, pipes
from svc.base.processes.entry_points import Process
from svc.media.errors import NarrationError
from svc.media.model import Presenter
from svc.media.speech import voice_process
from svc.media.speech.espeak import Espeak
from svc.media.voice import SpokenPassage, Utterance, Voice

_NORMAL = 165  # words per minute: the pace at which a model speaks as it was trained
_SLOWEST, _FASTEST = 2.0, 0.5  # length scales: relative to the trained length of a sound
_THREADS = "2"
_LONGEST_SECONDS = 600.0  # for one passage on a slow machine


@dataclass(frozen=True)
class _Model:
    path: Path
    config: Path
    language: str  # "en_GB"
    speakers: dict[str, int]


class Piper:
    """The models of a folder, each an ``.onnx`` file with its ``.onnx.json``. ``fallback``
    (espeak-ng by default) speaks the languages without a model, and for a presenter that names a
    voice of svc.base.voices.

    Among several models for a language the first by name speaks, but one for the exact region is
    preferred; a presenter's ``speaker`` may name another model, or a speaker within a model.
    """

    follows_pace = False

    def __init__(self, folder: Path, fallback: Voice | None = None):
        self._models = [_read_configuration(path) for path in sorted(folder.glob("*.onnx"))]
        self._fallback = fallback or Espeak()

    def find_model(self, language: str, avatar: Presenter) -> str:
        model = self._find_model(language, avatar)
        if model is None:
            return self._fallback.find_model(language, _make_fallback_presenter(avatar))
        return model.path.stem + (
            f", voice {avatar.speaker}" if avatar.speaker in model.speakers else ""
        )

    def identify_sound(self, language: str, avatar: Presenter) -> list:
        model = self._find_model(language, avatar)
        if model is None:
            return self._fallback.identify_sound(language, _make_fallback_presenter(avatar))
        stat = model.path.stat()
        file = [model.path.name, stat.st_size, stat.st_mtime_ns]
        return [
            "piper",
            _find_version(),
            *file,
            model.speakers.get(avatar.speaker),
            _compute_length_scale(avatar),
        ]

    def find_other_voices(self, language: str, avatar: Presenter) -> list[Presenter]:
        first = self._find_model(language, avatar)
        if first is None:
            return self._fallback.find_other_voices(language, _make_fallback_presenter(avatar))
        models = sorted(
            self._list_models(language), key=lambda model: model.language != first.language
        )
        named = [
            replace(avatar, speaker=name)
            for model in models
            for name in model.speakers or [model.path.stem]
        ]
        by_voice = {_describe_speaker(first, avatar): avatar}
        for other in named:
            by_voice.setdefault(
                _describe_speaker(self._find_model(language, other) or first, other), other
            )
        return list(by_voice.values())[1:]

    def utter(
        self, passages: list[SpokenPassage], language: str, avatar: Presenter
    ) -> Iterator[Utterance]:
        model = self._find_model(language, avatar)
        if model is None:
            yield from self._fallback.utter(passages, language, _make_fallback_presenter(avatar))
            return
        job = {
            "model": str(model.path.absolute()),
            "config": str(model.config.absolute()),
            "speaker": model.speakers.get(avatar.speaker),
            "length_scale": _compute_length_scale(avatar),
            "texts": [passage.text for passage in passages],
        }
        environment = {"PATH": os.defpath, "PYTHONUTF8": "1", "OMP_NUM_THREADS": _THREADS}
        command = [sys.executable, "-I", entry_points.find_file(Process.PIPER)]
        with voice_process.run_voice(command, environment, job) as process:
            for passage in passages:
                yield _read_utterance(process, passage)

    def _find_model(self, language: str, avatar: Presenter) -> _Model | None:
        if avatar.speaker in voices.VOICES and self._list_speakers().isdisjoint({avatar.speaker}):
            return None
        models, region = self._list_models(language), language.replace("-", "_").partition("_")[2]
        named = [
            model
            for model in models
            if avatar.speaker and avatar.speaker in (model.path.stem, *model.speakers)
        ]
        regional = [model for model in models if model.language.partition("_")[2] == region]
        return next(iter(named or regional or models), None)

    def _list_models(self, language: str) -> list[_Model]:
        base = language.replace("-", "_").partition("_")[0]
        return [model for model in self._models if model.language.partition("_")[0] == base]

    def _list_speakers(self) -> set[str]:
        return {name for model in self._models for name in (model.path.stem, *model.speakers)}


def _describe_speaker(model: _Model, avatar: Presenter) -> tuple[str, int]:
    """Return what tells a presenter's voice from others: the model,
    and the number of the speaker in it.
    """
    return model.path.name, model.speakers.get(avatar.speaker, 0)


def _make_fallback_presenter(avatar: Presenter) -> Presenter:
    """Return the presenter for the fallback, which does not know the names of Piper's voices."""
    return avatar if avatar.speaker in voices.VOICES else replace(avatar, speaker="")


def _read_configuration(path: Path) -> _Model:
    """Read a model's configuration.

    Raises NarrationError if there is none beside the model that names its language.
    """
    candidates = (path.with_name(path.name + ".json"), path.with_suffix(".json"))
    config = next((file for file in candidates if file.is_file()), None)
    try:
        if config is None:
            raise FileNotFoundError
        settings = json.loads(config.read_text("utf-8"))
        code = settings.get("language", {}).get("code") or settings["espeak"]["voice"].replace(
            "-", "_"
        )
        base, _, region = code.partition("_")
        return _Model(
            path,
            config,
            f"{base}_{region.upper()}".rstrip("_"),
            dict(settings.get("speaker_id_map") or {}),
        )
    except (AttributeError, OSError, ValueError, LookupError, TypeError):
        sentence = f"The voice {path.stem} has no readable configuration beside it."
        raise NarrationError(sentence, "VOICE_UNKNOWN") from None


def _read_utterance(process: subprocess.Popen[bytes], passage: SpokenPassage) -> Utterance:
    with heartbeat.expect_silence(_LONGEST_SECONDS):
        line = pipes.end_of_pipe(process.stdout).readline()
    if not line.endswith(b"\n"):
        reason = voice_process.read_reason(process)
        raise NarrationError(f"Piper's voice stopped: {reason[:200]}.")
    head = json.loads(line)
    samples = numpy.frombuffer(
        pipes.end_of_pipe(process.stdout).read(head["bytes"]), dtype="<i2"
    ).astype(numpy.int16)
    return Utterance(samples, head["rate"], _match_events(head["words"], passage))


def _match_events(
    starts: list[int] | None, passage: SpokenPassage
) -> tuple[tuple[int, int], ...] | None:
    """Return the start of each of the passage's words, if the voice reported as many as there are
    between spaces.

    Otherwise the voice has joined some words; None then lets the times be found as for a voice that
    reports none.
    """
    counts = [len(word.split()) for word in passage.words]
    if starts is None or len(starts) != sum(counts):
        return None
    firsts = list(accumulate(counts, initial=0))[:-1]
    return tuple((word, starts[first]) for word, first in enumerate(firsts))


def _compute_length_scale(avatar: Presenter) -> float:
    return round(min(max(_NORMAL / avatar.words_per_minute, _FASTEST), _SLOWEST), 3)


def _find_version() -> str:
    try:
        return version("piper-tts")
    except PackageNotFoundError:
        raise NarrationError(
            (
                "There is a Piper voice, but Piper is not installed: the operator should install "
                "piper-tts."
            ),
            "VOICE_UNKNOWN",
        ) from None
