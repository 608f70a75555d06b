"""Aligning two recordings of the same words, to transfer word times that are known in one of them
to the other.

Dynamic time warping after Sakoe and Chiba (1978), on mel-frequency cepstra after Davis and
Mermelstein (1980).
"""

import numpy

RATE = 16_000  # Hz at which both recordings are compared
_HOP, _WINDOW, _POINTS = 0.005, 0.025, 512  # seconds, seconds, of the transform
_BANDS, _CEPSTRA = 40, 13
_LOWEST, _HIGHEST = 60.0, 7600.0  # Hz
# The most cells of the distance matrix, 4 bytes each. Longer recordings are compared in coarser
# steps.
_MAX_CELLS = 16_000_000
# The weight of a step in one recording only. A step in both has weight 2, so that 1 would be
# neutral.
_SINGLE_STEP = 1.5
_FLOOR = 60.0  # dB below the maximum; anything quieter counts as silence


def align_times(known: numpy.ndarray, other: numpy.ndarray, times: list[float]) -> list[float]:
    """Return the times in ``other`` that correspond to ``times`` in ``known``: seconds, rising.

    Both recordings: one dimension, at RATE, beginning and ending with speech.
    """
    hop = max(_HOP, (len(known) * len(other) / RATE**2 / _MAX_CELLS) ** 0.5)
    first, second = _compute_features(known, hop), _compute_features(other, hop)
    path = _find_path(_compute_distances(first, second))
    at_known, at_other = numpy.array(path).T * hop
    steps, firsts = numpy.unique(at_known, return_index=True)
    lasts = numpy.append(firsts[1:], len(at_known)) - 1
    middle = (at_other[firsts] + at_other[lasts]) / 2
    return [float(time) for time in numpy.maximum.accumulate(numpy.interp(times, steps, middle))]


def _compute_features(samples: numpy.ndarray, hop: float) -> numpy.ndarray:
    """Return one row per ``hop`` seconds: cepstra, loudness and their changes,
    with columns of similar weight.
    """
    step, width = round(hop * RATE), round(_WINDOW * RATE)
    padded = numpy.pad(samples.astype(numpy.float32), (width // 2, width))
    frames = numpy.lib.stride_tricks.sliding_window_view(padded, width)[::step][
        : len(samples) // step + 1
    ]
    power = (
        numpy.abs(numpy.fft.rfft(frames * numpy.hanning(width).astype(numpy.float32), _POINTS)) ** 2
    )
    bands = 10 * numpy.log10(power @ _make_filters().T + 1e-3)
    bands = numpy.maximum(bands, bands.max() - _FLOOR)
    cepstra = bands @ _make_cosines().T
    cepstra = (cepstra - cepstra.mean(0)) / (cepstra.std(0) + 1e-6)
    change = numpy.gradient(cepstra, axis=0) * (0.02 / hop)
    return numpy.hstack([cepstra, change / (change.std(0) + 1e-6) * 0.7]).astype(numpy.float32)


def _make_filters() -> numpy.ndarray:
    """Return triangular filters of even width on the mel scale: bands × bins."""
    lowest, highest = (2595 * numpy.log10(1 + hertz / 700) for hertz in (_LOWEST, _HIGHEST))
    mels = numpy.linspace(lowest, highest, _BANDS + 2)
    edges = 700 * (10 ** (mels / 2595) - 1)
    bins = numpy.fft.rfftfreq(_POINTS, 1 / RATE)[None, :]
    low, middle, high = (edges[first : first + _BANDS, None] for first in range(3))
    return numpy.maximum(
        0, numpy.minimum((bins - low) / (middle - low), (high - bins) / (high - middle))
    ).astype(numpy.float32)


def _make_cosines() -> numpy.ndarray:
    rows, columns = numpy.arange(_CEPSTRA)[:, None], numpy.arange(_BANDS)[None, :]
    return numpy.cos(numpy.pi * rows * (columns + 0.5) / _BANDS).astype(numpy.float32)


def _compute_distances(first: numpy.ndarray, second: numpy.ndarray) -> numpy.ndarray:
    squares = (first**2).sum(1)[:, None] + (second**2).sum(1)[None, :] - 2 * first @ second.T
    return numpy.sqrt(numpy.maximum(squares, 0))


def _find_path(costs: numpy.ndarray) -> list[tuple[int, int]]:
    """Return the cheapest path from the first cell to the last by steps right, down and both.

    The costs are computed along the diagonals, in which no cell depends on another.
    """
    rows, columns = costs.shape
    steps = numpy.zeros((rows, columns), numpy.uint8)  # 0: both, 1: down, 2: right
    before = numpy.full(rows + 1, numpy.inf, numpy.float32)
    last = numpy.full(rows + 1, numpy.inf, numpy.float32)
    before[0] = 0  # index: row + 1; the cell before the first one
    for diagonal in range(rows + columns - 1):
        low, high = max(0, diagonal - columns + 1), min(rows, diagonal + 1)
        row = numpy.arange(low, high)
        here = costs[row, diagonal - row]
        single = _SINGLE_STEP * here
        choices = numpy.stack(
            [
                before[low:high] + 2 * here,
                last[low:high] + single,
                last[low + 1 : high + 1] + single,
            ]
        )
        best = choices.argmin(0)
        steps[row, diagonal - row] = best
        following = numpy.full(rows + 1, numpy.inf, numpy.float32)
        following[low + 1 : high + 1] = choices[best, numpy.arange(high - low)]
        before, last = last, following
    return _trace_back(steps)


def _trace_back(steps: numpy.ndarray) -> list[tuple[int, int]]:
    row, column = steps.shape[0] - 1, steps.shape[1] - 1
    path = [(row, column)]
    while row or column:
        step = steps[row, column]
        row, column = row - (step != 2), column - (step != 1)
        row, column = max(row, 0), max(column, 0)
        path.append((int(row), int(column)))
    return path[::-1]
