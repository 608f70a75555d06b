"""The process of the trained voices: reads a job as JSON, writes for each passage a line of JSON followed by its samples.

A process of its own keeps the memory of the model, and the libraries that run
it, out of every other process. It fetches nothing: all that it reads is installed.
"""

import json
import os
import sys

import numpy

from svc.base import voices
from svc.media.speech.trained import joining, models, reading, weights


def main() -> int:
    """Speak the passages of the job on standard input: first a line ``{"ready": true}``, or ``{"unusable": reason}``."""
    job = json.load(sys.stdin)
    try:
        model = models.load(job["model"], job["style"])
        english = reading.English(job["british"]) if job["english"] else None
    except weights.Unusable as error:
        _tell({"unusable": error.reason})
        return 0
    _tell({"ready": True})
    for sentences in job["passages"]:
        # A model may draw random numbers, which depend on those before: a process that has drawn none speaks each passage.
        if (copy := os.fork()) == 0:
            pieces = [english.pieces(sentence) if english else _read(sentence, job["model"]) for sentence in sentences]
            passage = joining.speak(model, [reading.ended(sentence) for sentence in pieces], job["speed"])
            head = {"rate": model.rate, "bytes": passage.samples.nbytes, "words": passage.words, "sounds": passage.sounds}
            _tell(head, passage.samples)
            os._exit(0)
        if os.waitpid(copy, 0)[1] != 0:
            return 1
    return 0


def _read(pieces: list[str], model: str) -> list[str]:
    read = reading.for_kokoro if model == voices.KOKORO else reading.for_piper
    return [read(piece) for piece in pieces]


def _tell(head: dict, samples: numpy.ndarray | None = None) -> None:
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + (b"" if samples is None else samples.astype("<i2").tobytes()))
    sys.stdout.buffer.flush()
