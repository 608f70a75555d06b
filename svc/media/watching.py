"""Watching a film as it is decoded: where its picture changes or is black, and where its sound is silent."""

from fractions import Fraction
from typing import Any

import av
import numpy as np

Stretch = tuple[float, float]  # from, to: seconds from the start of the film

EAR_RATE = 8_000  # Hz of the sound that is kept
SHORTEST_SILENCE = 0.5  # seconds; less is a pause in speech
SILENCE = -50.0  # dBFS, root mean square; a narration at -14 LUFS is some 35 dB louder
_AT_ONCE = 64  # frames that are measured together: numpy is called less often
_STEPS = 80  # kept samples a measurement of the level: ten milliseconds
_EVERY_ROW = 4  # one of so many rows is compared: what can be seen is larger
_BLACK, _LIT = 40, 0.001  # luma (16 to 235) that is dark, and the share of the picture that must be lighter


class Eye:
    """Compares each frame with the one before."""

    def __init__(self, frame_rate: Fraction):
        self._rate, self._count, self._start = frame_rate, 0, 0.0
        self._last, self._dark = b"", False
        self._keyframes: list[int] = []
        self._changes: list[int] = []
        self._blacks: list[int] = []

    def see(self, frame: av.VideoFrame) -> None:
        if self._count == 0:
            self._start = frame.time or 0.0
        plane: Any = frame.planes[0]  # a buffer, which its types do not say
        luma = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)[: frame.height : _EVERY_ROW, : frame.width]
        seen = luma.tobytes()
        if seen != self._last:
            self._changes.append(self._count)
            self._last, self._dark = seen, bool(np.count_nonzero(luma > _BLACK) < _LIT * luma.size)
        if self._dark:
            self._blacks.append(self._count)
        if frame.key_frame:
            self._keyframes.append(self._count)
        self._count += 1

    def told(self) -> dict:
        """What a Probe says of the picture."""
        return {
            "frames": self._count, "picture_start": self._start, "keyframes": tuple(self._keyframes),
            "changes": tuple(self._changes), "black": stretches(self._blacks, self._rate),
        }  # fmt: skip


class Ear:
    """Measures the level of one channel's sound."""

    def __init__(self, rate: int):
        self._rate, self._count, self._start = rate, 0, 0.0
        self._step = max(1, rate // EAR_RATE)
        self._window = self._step * _STEPS
        self._waiting: list[np.ndarray] = []
        self._levels: list[np.ndarray] = []
        self._kept: list[np.ndarray] = []

    def hear(self, frame: av.AudioFrame) -> None:
        if self._count == 0:
            self._start = frame.time or 0.0
        self._count += frame.samples
        samples = frame.to_ndarray()[0]
        self._waiting.append(samples if samples.dtype.kind == "f" else samples.astype(np.float32) / 32768)
        if len(self._waiting) >= _AT_ONCE:
            self._measure()

    def _measure(self) -> None:
        """What is left over, less than a window, waits for the next frames."""
        heard = np.concatenate([*self._waiting, np.zeros(0, np.float32)])
        whole = len(heard) // self._window * self._window
        now, self._waiting = heard[:whole], [heard[whole:]]
        self._levels.append(np.mean(now.reshape(-1, self._window) ** 2, axis=1))
        self._kept.append((now.reshape(-1, self._step).mean(axis=1) * 32767).astype(np.int16))

    def told(self) -> dict:
        """What a Probe says of the sound."""
        self._measure()
        levels = np.concatenate(self._levels)
        quiet = np.flatnonzero(levels < 10 ** (SILENCE / 10))
        silent = stretches(quiet.tolist(), Fraction(self._rate, self._window))
        return {
            "sound_seconds": self._count / self._rate, "sound_start": self._start,
            "silent": tuple(each for each in silent if each[1] - each[0] >= SHORTEST_SILENCE),
            "sound": np.concatenate(self._kept),
        }  # fmt: skip


def stretches(numbers: list[int], rate) -> tuple[Stretch, ...]:
    """Runs of consecutive ``numbers``, of which there are ``rate`` a second, in seconds."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number:
            runs[-1][1] = number + 1
        else:
            runs.append([number, number + 1])
    return tuple((float(first / rate), float(end / rate)) for first, end in runs)
