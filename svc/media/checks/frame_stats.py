"""Statistics of a video's frames as they are decoded: changes and black in the picture, silence in the sound."""

from fractions import Fraction
from typing import Any

import av
import numpy as np

Interval = tuple[float, float]  # start and end, in seconds from the start of the video

ANALYSIS_RATE = 8_000  # Hz of the sound to keep
SHORTEST_SILENCE = 0.5  # seconds; less is a pause in speech
SILENCE = -50.0  # dBFS, root mean square; a narration at -14 LUFS is some 35 dB louder
_BATCH = 64  # frames that are measured together, to call numpy less often
_STEPS = 80  # samples at ANALYSIS_RATE per level measurement: ten milliseconds
_ROW_STEP = 4  # every fourth row is compared: visible changes are larger
_BLACK, _LIT = 40, 0.001  # luma (16 to 235) that counts as dark, and the share of the picture that must be lighter


class PictureStats:
    """Compares each frame with the one before it."""

    def __init__(self, frame_rate: Fraction):
        self._rate, self._count, self._start = frame_rate, 0, 0.0
        self._last, self._dark = b"", False
        self._keyframes: list[int] = []
        self._changes: list[int] = []
        self._blacks: list[int] = []

    def add(self, frame: av.VideoFrame) -> None:
        """Compare ``frame`` with the one before it."""
        if self._count == 0:
            self._start = frame.time or 0.0
        plane: Any = frame.planes[0]  # a buffer, which its types do not say
        luma = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)[: frame.height : _ROW_STEP, : frame.width]
        content = luma.tobytes()
        if content != self._last:
            self._changes.append(self._count)
            self._last, self._dark = content, bool(np.count_nonzero(luma > _BLACK) < _LIT * luma.size)
        if self._dark:
            self._blacks.append(self._count)
        if frame.key_frame:
            self._keyframes.append(self._count)
        self._count += 1

    def results(self) -> dict:
        """Return the fields of a ProbeResult that describe the picture."""
        return {
            "frames": self._count,
            "picture_start": self._start,
            "keyframes": tuple(self._keyframes),
            "changes": tuple(self._changes),
            "black": intervals(self._blacks, self._rate),
        }


class SoundStats:
    """Measures the level of one channel's sound."""

    def __init__(self, rate: int):
        self._rate, self._count, self._start = rate, 0, 0.0
        self._step = max(1, rate // ANALYSIS_RATE)
        self._window = self._step * _STEPS
        self._waiting: list[np.ndarray] = []
        self._levels: list[np.ndarray] = []
        self._kept: list[np.ndarray] = []

    def add(self, frame: av.AudioFrame) -> None:
        """Add the first channel of ``frame``."""
        if self._count == 0:
            self._start = frame.time or 0.0
        self._count += frame.samples
        samples = frame.to_ndarray()[0]
        self._waiting.append(samples if samples.dtype.kind == "f" else samples.astype(np.float32) / 32768)
        if len(self._waiting) >= _BATCH:
            self._measure()

    def _measure(self) -> None:
        """Measure the waiting samples; less than a window stays for the next frames."""
        samples = np.concatenate([*self._waiting, np.zeros(0, np.float32)])
        end = len(samples) // self._window * self._window
        windows, self._waiting = samples[:end], [samples[end:]]
        self._levels.append(np.mean(windows.reshape(-1, self._window) ** 2, axis=1))
        self._kept.append((windows.reshape(-1, self._step).mean(axis=1) * 32767).astype(np.int16))

    def results(self) -> dict:
        """Return the fields of a ProbeResult that describe the sound."""
        self._measure()
        levels = np.concatenate(self._levels)
        quiet = np.flatnonzero(levels < 10 ** (SILENCE / 10))
        silent = intervals(quiet.tolist(), Fraction(self._rate, self._window))
        return {
            "sound_seconds": self._count / self._rate,
            "sound_start": self._start,
            "silent": tuple((start, end) for start, end in silent if end - start >= SHORTEST_SILENCE),
            "sound": np.concatenate(self._kept),
        }


def intervals(numbers: list[int], rate) -> tuple[Interval, ...]:
    """Return runs of consecutive ``numbers`` as intervals in seconds; there are ``rate`` numbers per second."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number:
            runs[-1][1] = number + 1
        else:
            runs.append([number, number + 1])
    return tuple((float(first / rate), float(end / rate)) for first, end in runs)
