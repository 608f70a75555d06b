"""The process of the trained voices: reads a job as JSON, writes for each passage a line of JSON
followed by its samples.

A process of its own keeps the memory of the model, and the libraries that run
it, out of every other process. It fetches nothing: all that it reads is installed.
"""

import json
import os
import signal
import sys
from typing import NoReturn

import numpy

from svc.base import voices
from svc.media.speech.trained import joining, models, reading, weights

_LONGEST_SECONDS = 90  # to load a model, or to speak what it takes at a time, on a slow machine


def main() -> int:
    """Speak the passages of the job on standard input: first a line
    ``{"ready": true}``, or ``{"unusable": reason}``.
    """
    signal.alarm(_LONGEST_SECONDS)  # ends a process that hangs, also while it loads or ends
    job = json.load(sys.stdin)
    try:
        model = models.load(job["model"], job["style"])
        reader = _find_reader(job["reader"])
    except weights.Unusable as error:
        _write_message({"unusable": error.reason})
        return 0
    _write_message({"ready": True})
    for sentences in job["passages"]:
        signal.alarm(0)  # each copy has its own
        # A model may draw random numbers, which depend on those before: a process that has drawn
        # none speaks each passage.
        if (copy := os.fork()) == 0:
            _speak(sentences, job, model, reader)
        if os.waitpid(copy, 0)[1] != 0:
            signal.alarm(_LONGEST_SECONDS)
            return 1
    signal.alarm(_LONGEST_SECONDS)
    return 0


class _Bounded:
    """A model, each of whose sounds is bounded in time."""

    def __init__(self, model: models.Model):
        self._model, self.rate, self.longest = model, model.rate, model.longest

    def speak(self, phonemes: str, speed: float) -> models.Sound:
        signal.alarm(_LONGEST_SECONDS)
        return self._model.speak(phonemes, speed)


def _find_reader(name: str) -> reading.Reader | None:
    """Return the reader of a name of svc.media.speech.trained.voice; None if it is empty.

    Raises weights.Unusable: what it needs cannot be loaded.
    """
    try:
        if name == "japanese":
            from svc.media.speech.trained.japanese import Japanese

            return Japanese()
        if name == "mandarin":
            from svc.media.speech.trained.mandarin import Mandarin

            return Mandarin()
    except (ImportError, OSError, RuntimeError) as error:
        raise weights.Unusable(voices.BROKEN) from error
    return reading.English(british=name == "british") if name else None


def _speak(
    sentences: list[list[str]], job: dict, model: models.Model, reader: reading.Reader | None
) -> NoReturn:
    """Speak a passage and end this copy of the process at once: the libraries' threads are not in
    it, and an ordinary end would wait for them for ever."""
    status = 1
    try:
        signal.alarm(_LONGEST_SECONDS)
        pieces = [
            reader.read_phonemes(sentence) if reader else _read(sentence, job["model"])
            for sentence in sentences
        ]
        passage = joining.speak(
            _Bounded(model), [reading.end_sentence(sentence) for sentence in pieces], job["speed"]
        )
        signal.alarm(_LONGEST_SECONDS)
        head = {
            "rate": model.rate,
            "bytes": passage.samples.nbytes,
            "words": passage.words,
            "sounds": passage.sounds,
        }
        _write_message(head, passage.samples)
        status = 0
    finally:
        os._exit(status)


def _read(pieces: list[str], model: str) -> list[str]:
    read = reading.to_kokoro_alphabet if model == voices.KOKORO else reading.to_piper_alphabet
    return [read(piece) for piece in pieces]


def _write_message(head: dict, samples: numpy.ndarray | None = None) -> None:
    sys.stdout.buffer.write(
        json.dumps(head).encode()
        + b"\n"
        + (b"" if samples is None else samples.astype("<i2").tobytes())
    )
    sys.stdout.buffer.flush()
