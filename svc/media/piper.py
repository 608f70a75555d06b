"""Piper's voices, where the operator has put some: neural speech on this machine, in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import accumulate
from pathlib import Path

import numpy

from svc.base import heartbeat, pipes
from svc.media.errors import NarrationError
from svc.media.espeak import Espeak
from svc.media.programme import Avatar
from svc.media.voice import Passage, Utterance

_SPEAKING = Path(__file__).with_name("piper_speaking.py")
_NORMAL = 165  # words a minute: an avatar's pace at which a model speaks as it was trained
_SLOWEST, _FASTEST = 2.0, 0.5  # of the length of a sound
_THREADS = "2"
_LONGEST_SECONDS = 600.0  # that a passage takes on a slow machine


@dataclass(frozen=True)
class _Model:
    path: Path
    config: Path
    language: str  # "en_GB"
    speakers: dict[str, int]


class Piper:
    """The models of a folder, each an ``.onnx`` file with its ``.onnx.json``; a language without one is left to espeak-ng.

    Of several for a language the first by name speaks, one of the very region before others; a presenter's ``speaker`` may
    name another one, or a speaker within a model."""

    def __init__(self, folder: Path):
        self._models = [_read(path) for path in sorted(folder.glob("*.onnx"))]
        self._otherwise = Espeak()

    def model(self, language: str, avatar: Avatar) -> str:
        found = self._find(language, avatar)
        return found.path.stem if found else ""

    def identity(self, language: str, avatar: Avatar) -> list:
        found = self._find(language, avatar)
        if found is None:
            return self._otherwise.identity(language, avatar)
        stat = found.path.stat()
        file = [found.path.name, stat.st_size, stat.st_mtime_ns]
        return ["piper", _version(), *file, found.speakers.get(avatar.speaker), _length_scale(avatar)]

    def utter(self, passages: list[Passage], language: str, avatar: Avatar) -> Iterator[Utterance]:
        found = self._find(language, avatar)
        if found is None:
            yield from self._otherwise.utter(passages, language, avatar)
            return
        job = {
            "model": str(found.path.absolute()),
            "config": str(found.config.absolute()),
            "speaker": found.speakers.get(avatar.speaker),
            "length_scale": _length_scale(avatar),
            "texts": [passage.text for passage in passages],
        }
        environment = {"PATH": os.defpath, "PYTHONUTF8": "1", "OMP_NUM_THREADS": _THREADS}
        with subprocess.Popen(
            [sys.executable, "-I", str(_SPEAKING)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=os.sep,
        ) as process:  # fmt: skip
            try:
                with suppress(BrokenPipeError):  # it ended already; what it said of that is read below
                    pipes.end(process.stdin).write(json.dumps(job).encode())
                    pipes.end(process.stdin).close()
                for passage in passages:
                    yield _heard(process, passage)
            finally:
                process.kill()

    def _find(self, language: str, avatar: Avatar) -> _Model | None:
        wanted, _, region = language.replace("-", "_").partition("_")
        own = [model for model in self._models if model.language.partition("_")[0] == wanted]
        named = [model for model in own if avatar.speaker and avatar.speaker in (model.path.stem, *model.speakers)]
        exact = [model for model in own if model.language.partition("_")[2] == region]
        return next(iter(named or exact or own), None)


def _read(path: Path) -> _Model:
    """NarrationError: there is no configuration beside the model that says its language."""
    config = next((each for each in (path.with_name(path.name + ".json"), path.with_suffix(".json")) if each.is_file()), None)
    try:
        if config is None:
            raise FileNotFoundError
        known = json.loads(config.read_text("utf-8"))
        code = known.get("language", {}).get("code") or known["espeak"]["voice"].replace("-", "_")
        first, _, region = code.partition("_")
        return _Model(path, config, f"{first}_{region.upper()}".rstrip("_"), dict(known.get("speaker_id_map") or {}))
    except (AttributeError, OSError, ValueError, LookupError, TypeError):
        sentence = f"The voice {path.stem} has no configuration that can be read beside it."
        raise NarrationError(sentence, "VOICE_UNKNOWN") from None


def _heard(process: subprocess.Popen[bytes], passage: Passage) -> Utterance:
    with heartbeat.waiting(_LONGEST_SECONDS):
        line = pipes.end(process.stdout).readline()
    if not line.endswith(b"\n"):
        reason = pipes.end(process.stderr).read().decode(errors="replace").strip().splitlines() or ["it ended without a word"]
        raise NarrationError(f"Piper's voice stopped: {reason[-1][:200]}.")
    head = json.loads(line)
    samples = numpy.frombuffer(pipes.end(process.stdout).read(head["bytes"]), dtype="<i2").astype(numpy.int16)
    return Utterance(samples, head["rate"], _events(head["words"], passage))


def _events(starts: list[int] | None, passage: Passage) -> tuple[tuple[int, int], ...] | None:
    """The start of each of the passage's words, if the voice made out as many as there are between spaces. It draws some
    together; then their times are found as those of a voice that reports none."""
    counts = [len(word.split()) for word in passage.words]
    if starts is None or len(starts) != sum(counts):
        return None
    firsts = list(accumulate(counts, initial=0))[:-1]
    return tuple((word, starts[first]) for word, first in enumerate(firsts))


def _length_scale(avatar: Avatar) -> float:
    return round(min(max(_NORMAL / avatar.words_per_minute, _FASTEST), _SLOWEST), 3)


def _version() -> str:
    try:
        return version("piper-tts")
    except PackageNotFoundError:
        raise NarrationError(
            "A voice of Piper's is there, but not Piper: the operator should install piper-tts.", "VOICE_UNKNOWN"
        ) from None
