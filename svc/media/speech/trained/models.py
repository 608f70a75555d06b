"""The models of the trained voices: phonemes in, sound and the start of each phoneme out.

Imported only in their process.
"""

import json
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import hibari.dsp
import numpy
import onnxruntime

from svc.base import voices
from svc.media.speech.trained import weights

_SEED = 1  # any fixed number, so that the same input gives the same bytes
_HOP_OF_DURATIONS = 600  # samples: hibari and Kokoro count phonemes in units of 25 ms
_STYLE_ROWS, _STYLE_WIDTH = 256, 256  # Kokoro: a voice's vector for each number of phonemes


@dataclass(frozen=True)
class Sound:
    """``samples``: float32, full scale 1. ``starts``: the sample at which each character of the
    phonemes begins, and that at which the last one ends."""

    samples: numpy.ndarray
    starts: list[int]


class Hibari:
    """hibari: phonemes to spectra by the model, spectra to sound by its package."""

    rate, longest = 24_000, 400  # Hz; phonemes at a time

    def __init__(self, content: bytes, style: bytes):
        self._session = _open_session(content)
        self._vocabulary = _read_vocabulary()

    def speak(self, phonemes: str, speed: float) -> Sound:
        known, ids = _select_known(phonemes, self._vocabulary)
        inputs = {
            "ids": numpy.array([[0, *ids, 0]], numpy.int64),
            "speed": numpy.array([speed], numpy.float32),
        }
        *spectra, durations = self._session.run(None, inputs)
        samples = hibari.dsp.synth(*(part[0] for part in spectra), numpy.random.default_rng(_SEED))
        return Sound(
            samples,
            _find_starts(known, durations.ravel()[1:-1], durations.ravel()[0]),
        )


class Kokoro:
    """Kokoro-82M. ``style``: the vectors of a voice, as in the folder kokoro/."""

    rate, longest = 24_000, 400

    def __init__(self, content: bytes, style: bytes):
        self._session = _open_session(content)
        self._style = (
            numpy.frombuffer(style, "<f2")
            .astype(numpy.float32)
            .reshape(_STYLE_ROWS, 1, _STYLE_WIDTH)
        )
        self._vocabulary = _read_vocabulary()

    def speak(self, phonemes: str, speed: float) -> Sound:
        known, ids = _select_known(phonemes, self._vocabulary)
        inputs = {
            "tokens": numpy.array([[0, *ids, 0]], numpy.int64),
            "style": self._style[min(len(ids), _STYLE_ROWS - 1)],
            "speed": numpy.array([speed], numpy.float32),
        }
        samples, durations = self._session.run(None, inputs)
        return Sound(
            samples.ravel(),
            _find_starts(known, durations.ravel()[1:-1], durations.ravel()[0]),
        )


class Joe:
    """A voice that was trained with Piper, without Piper's engine (which is under the GPL):
    the model alone.
    """

    rate, longest = 22_050, 400
    _hop = 256  # samples: the unit of its durations
    _noise, _noise_of_durations = 0.333, 0.0

    def __init__(self, content: bytes, style: bytes):
        config = weights.read_joe_configuration()
        self._session = _open_session(content)
        self._ids: dict[str, list[int]] = config["phoneme_id_map"]

    def speak(self, phonemes: str, speed: float) -> Sound:
        composed = [unicodedata.normalize("NFD", character) for character in phonemes]
        known = [[part for part in parts if part in self._ids] for parts in composed]
        [begin], [end], [pad] = self._ids["^"], self._ids["$"], self._ids["_"]
        ids, counts = [begin, pad], []
        for parts in known:
            counts.append(sum(2 for _ in parts))
            ids += [id for part in parts for id in (self._ids[part][0], pad)]
        scales = numpy.array([self._noise, 1 / speed, self._noise_of_durations], numpy.float32)
        inputs = {
            "input": numpy.array([[*ids, end]], numpy.int64),
            "input_lengths": numpy.array([len(ids) + 1]),
            "scales": scales,
        }
        samples, durations = self._session.run(None, inputs)
        ends = numpy.concatenate([[0], numpy.cumsum(durations.ravel())]) * self._hop
        places = 2 + numpy.concatenate([[0], numpy.cumsum(counts)]).astype(int)
        return Sound(samples.ravel(), [int(ends[place]) for place in places])


Model = Hibari | Joe | Kokoro
MODELS: dict[str, Callable[[bytes, bytes], Model]] = {
    voices.HIBARI: Hibari,
    voices.JOE: Joe,
    voices.KOKORO: Kokoro,
}


def load(name: str, style: str) -> Model:
    """Load a model. ``style``: the name of a Kokoro voice. Raises weights.Unusable."""
    content = weights.add_durations_output(name)
    vectors = weights.load_style(style) if name == voices.KOKORO else b""
    try:
        return MODELS[name](content, vectors)
    except (OSError, ValueError, LookupError, RuntimeError) as error:
        # onnxruntime's are RuntimeErrors
        raise weights.Unusable(voices.BROKEN) from error


def _open_session(content: bytes) -> onnxruntime.InferenceSession:
    onnxruntime.set_seed(_SEED)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _read_vocabulary() -> dict[str, int]:
    ids: dict[str, int] = json.loads(
        (Path(hibari.__file__).parent / "assets" / "vocab.json").read_text("utf-8")
    )
    return ids


def _select_known(phonemes: str, vocabulary: dict[str, int]) -> tuple[list[bool], list[int]]:
    known = [character in vocabulary for character in phonemes]
    return known, [vocabulary[character] for character in phonemes if character in vocabulary]


def _find_starts(known: list[bool], durations: numpy.ndarray, before: float) -> list[int]:
    """Return where each character begins; one that the model does not know takes no time."""
    starts, at, lengths = [], float(before), iter(durations)
    for is_known in known:
        starts.append(round(at * _HOP_OF_DURATIONS))
        at += float(next(lengths)) if is_known else 0.0
    return [*starts, round(at * _HOP_OF_DURATIONS)]
