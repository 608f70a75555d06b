"""Where sound begins after a pause, and how far the starts of words are from it."""

from itertools import pairwise

import numpy

from svc.media import audio

WINDOW = audio.SAMPLE_RATE // 200  # samples: 5 ms
# of the loudest window: what is silence; seconds of it: more than the closure of a “k” or a “t”
QUIET, PAUSE = 0.015, 0.15


def onsets(samples: numpy.ndarray) -> numpy.ndarray:
    """The seconds at which sound begins after a pause."""
    loud = _loud(samples)
    after_pause = numpy.flatnonzero(numpy.diff(loud) * WINDOW > PAUSE * audio.SAMPLE_RATE) + 1
    return loud[numpy.concatenate([[0], after_pause])] * WINDOW / audio.SAMPLE_RATE


def offsets(samples: numpy.ndarray, times) -> numpy.ndarray:
    """The seconds between each onset and the start of the word nearest to it,
    or the other way round where words are fewer.
    """
    heard, starts = onsets(samples), numpy.array([start for start, _ in times])
    return numpy.array([numpy.abs(starts - onset).min() for onset in heard])


def pauses(samples: numpy.ndarray, shortest: float) -> list[tuple[float, float]]:
    """Where the sound pauses for at least ``shortest`` seconds:
    start and end of each pause, in seconds.
    """
    loud = _loud(samples)
    gaps = [(first + 1, second) for first, second in pairwise(loud.tolist()) if second - first > 1]
    seconds = [
        (first * WINDOW / audio.SAMPLE_RATE, end * WINDOW / audio.SAMPLE_RATE)
        for first, end in gaps
    ]
    return [(first, end) for first, end in seconds if end - first >= shortest]


def _loud(samples: numpy.ndarray) -> numpy.ndarray:
    """The indices of the windows that are not silent."""
    windows = samples[: len(samples) // WINDOW * WINDOW].astype(float).reshape(-1, WINDOW)
    level = numpy.sqrt(numpy.mean(windows**2, axis=1))
    return numpy.flatnonzero(level > QUIET * level.max())
