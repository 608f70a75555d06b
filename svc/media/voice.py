"""The voice: espeak-ng, in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import espeakng_loader
import numpy

from svc.base.languages import find
from svc.media import speaking
from svc.media.errors import NarrationError
from svc.media.programme import Avatar

SLOWEST, FASTEST = 80, 450  # words a minute, espeak-ng's range
_ENVIRONMENT = {"PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}  # the same for every job, so that the bytes are too


@dataclass(frozen=True)
class Utterance:
    """``samples``: int16, mono, at ``rate`` Hz. ``words``: for each word event, its place in the text (characters, from 0) and
    in the samples."""

    samples: numpy.ndarray
    rate: int
    words: tuple[tuple[int, int], ...]


def utter(texts: list[str], language: str, avatar: Avatar) -> Iterator[Utterance]:
    """Speak ``texts`` in order; the same job gives the same bytes. ``language``: BCP 47. No markup is understood.

    Raises NarrationError: LANGUAGE_NOT_SPOKEN, VOICE_UNKNOWN, NARRATION_FAILED."""
    data = Path(espeakng_loader.get_data_path())
    job = {
        "library": espeakng_loader.get_library_path(),
        "data": str(data),
        "voice": _voice_name(data, language, avatar.voice),
        "words_per_minute": min(max(avatar.words_per_minute, SLOWEST), FASTEST),
        "pitch": min(max(avatar.pitch, 0), 99),
        "texts": texts,
    }
    with subprocess.Popen(
        [sys.executable, "-I", "-S", speaking.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_ENVIRONMENT,
        cwd=os.sep,
    ) as process:
        try:
            with suppress(BrokenPipeError):  # it ended already; what it said of that is read below
                process.stdin.write(json.dumps(job).encode())
                process.stdin.close()
            for _ in texts:
                yield _heard(process)
        finally:
            process.kill()


def _heard(process: subprocess.Popen) -> Utterance:
    line = process.stdout.readline()
    if not line.endswith(b"\n"):
        reason = process.stderr.read().decode(errors="replace").strip().splitlines()
        raise NarrationError(f"The voice stopped: {reason[-1] if reason else 'it ended without a word'}.")
    head = json.loads(line)
    samples = numpy.frombuffer(process.stdout.read(head["bytes"]), dtype=numpy.int16)
    return Utterance(samples, head["rate"], tuple((place, sample) for place, sample in head["words"]))


def _voice_name(data: Path, language: str, variant: str) -> str:
    """An unknown variant would be passed over in silence, so its file is looked for first."""
    listed = find(language)
    if listed is None:
        raise NarrationError(f"The narration does not speak the language {language!r}.", "LANGUAGE_NOT_SPOKEN")
    if not (data / "lang" / listed.voice).is_file():
        raise NarrationError(f"There is no voice for the language {listed.code!r}.", "VOICE_UNKNOWN")
    if variant and variant not in {each.name for each in (data / "voices" / "!v").iterdir()}:
        raise NarrationError(f"There is no voice called {variant!r}.", "VOICE_UNKNOWN")
    return f"{listed.voice}+{variant}" if variant else listed.voice
