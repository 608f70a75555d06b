"""Statistics of a video's frames as they are decoded: changes and black in the picture,
silence in the sound.
"""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

from svc.media.audio import Samples, Stored
from svc.media.drawing.frame_layout import Box
from svc.media.video.key_pictures import BLOCK, count_pixels_in_one

Interval = tuple[float, float]  # start and end, in seconds from the start of the video
FrameObserver = Callable[[int, av.VideoFrame], None]

# Hz of the sound to keep: a frame of 24, 25, 30 or 60 a second is a whole number of samples
ANALYSIS_RATE = 12_000
SHORTEST_SILENCE = 0.5  # seconds; less is a pause in speech
SILENCE = -50.0  # dBFS, root mean square; a narration at -14 LUFS is some 35 dB louder
_BATCH = 64  # frames that are measured together, to call numpy less often
_STEPS = 120  # samples at ANALYSIS_RATE per level measurement: ten milliseconds
# The mean absolute difference of luma in one block that can be seen; encoding a picture again
# changes it by 3.
VISIBLE = 5.0
# The luma (16 to 235) that counts as dark, and the share of the picture that must be lighter.
_BLACK, _LIT = 40, 0.001


class VisibleChanges:
    """The numbers of the frames that visibly differ from the last one that did,
    within a part of the picture.
    """

    def __init__(self, rows: slice = slice(None), columns: slice = slice(None)):
        """``rows`` and ``columns``: pixels of the small picture."""
        self.frames: list[int] = []
        self._window = rows, columns
        self._reference: np.ndarray | None = None

    def add(self, number: int, luma: np.ndarray) -> None:
        """``luma``: the small picture, ``(rows * BLOCK, columns * BLOCK)``, int16."""
        part = _pad_to_blocks(luma[self._window])
        if (
            self._reference is not None
            and _measure_largest_difference(part, self._reference) < VISIBLE
        ):
            return
        self.frames.append(number)
        self._reference = part


def _pad_to_blocks(luma: np.ndarray) -> np.ndarray:
    """Return ``luma`` with as many rows and columns of zeros as make it whole blocks."""
    height, width = luma.shape
    return (
        np.pad(luma, ((0, -height % BLOCK), (0, -width % BLOCK)))
        if height % BLOCK or width % BLOCK
        else luma
    )


def _measure_largest_difference(luma: np.ndarray, other: np.ndarray) -> float:
    """Return the largest mean absolute difference in one block."""
    height, width = luma.shape
    if not luma.size:
        return 0.0
    # 8 * 255 fit
    columns = (
        np.abs(luma - other).reshape(height // BLOCK, BLOCK, width).sum(axis=1, dtype=np.int16)
    )
    return (
        float(
            columns.reshape(height // BLOCK, width // BLOCK, BLOCK)
            .sum(axis=2, dtype=np.int16)
            .max()
        )
        / BLOCK**2
    )


class PictureStats:
    """Compares each frame with those before it. Frames that repeat the one before are left out."""

    def __init__(
        self, frame_rate: Fraction, captions: Box | None = None, look: FrameObserver | None = None
    ):
        """``captions``: where the captions are, in pixels.

        ``look``: called with each frame and the number of the next.
        """
        self._rate, self._captions, self._look = frame_rate, captions, look
        self._last: av.VideoFrame | None = None
        self._dark_since: int | None = None
        self._keyframes: list[int] = []
        self._blacks: list[Interval] = []
        self._changes, self._caption_changes = VisibleChanges(), VisibleChanges()

    def add(self, number: int, frame: av.VideoFrame) -> None:
        """Add the frame that is shown from the frame number ``number`` on."""
        if self._last is None:
            self._caption_changes = self._watch_captions(frame)
        elif self._look:
            self._look(number, self._last)
        self._last = frame
        plane: Any = frame.planes[0]  # a buffer, which its types do not say
        step = count_pixels_in_one(frame.height, frame.width)
        luma = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)[
            : frame.height : step, : frame.width : step
        ]
        luma = luma[: len(luma) // BLOCK * BLOCK, : luma.shape[1] // BLOCK * BLOCK].astype(np.int16)
        for changes in (self._changes, self._caption_changes):
            changes.add(number, luma)
        self._note_black(number, bool(np.count_nonzero(luma > _BLACK) < _LIT * luma.size))
        if frame.key_frame:
            self._keyframes.append(number)

    def _watch_captions(self, frame: av.VideoFrame) -> VisibleChanges:
        """Return what watches the captions' place, to its last row:
        a second line's underline is there.
        """
        if self._captions is None:
            return VisibleChanges()
        step = count_pixels_in_one(frame.height, frame.width)
        left, top, right, bottom = self._captions
        columns, rows = (
            slice(-(-first // step), last // step) for first, last in ((left, right), (top, bottom))
        )
        return VisibleChanges(rows, columns)

    def _note_black(self, number: int, dark: bool) -> None:
        if dark and self._dark_since is None:
            self._dark_since = number
        elif not dark and self._dark_since is not None:
            self._blacks.append((float(self._dark_since / self._rate), float(number / self._rate)))
            self._dark_since = None

    def summarise(self, count: int) -> dict:
        """Return the fields of a ProbeResult that describe the picture.

        ``count``: frames, with the repeated ones.
        """
        if self._last is not None and self._look:
            self._look(count, self._last)
        self._note_black(count, False)
        return {
            "frames": count,
            "keyframes": tuple(self._keyframes),
            "changes": tuple(self._changes.frames),
            "caption_changes": tuple(self._caption_changes.frames),
            "black": tuple(self._blacks),
        }


class SoundStats:
    """Measures the level of one channel's sound."""

    def __init__(self, rate: int, path: Path | None = None):
        """``path``: of a file for the sound, which takes megabytes a minute;
        None: it is kept in memory.
        """
        self._rate, self._count, self._start = rate, 0, 0.0
        self._path = path
        if path:
            path.write_bytes(b"")
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
        plane: Any = frame.planes[0]  # a buffer, which its types do not say
        floats = frame.format.name == "fltp"  # as AAC is decoded: read in place
        samples = (
            np.frombuffer(plane, np.float32)[: frame.samples] if floats else frame.to_ndarray()[0]
        )
        self._waiting.append(
            samples if samples.dtype.kind == "f" else samples.astype(np.float32) / 32768
        )
        if len(self._waiting) >= _BATCH:
            self._measure_sound()

    def _measure_sound(self) -> None:
        """Measure the waiting samples; less than a window stays for the next frames."""
        samples = np.concatenate([*self._waiting, np.zeros(0, np.float32)])
        end = len(samples) // self._window * self._window
        windows, self._waiting = samples[:end], [samples[end:]]
        self._levels.append(np.mean(windows.reshape(-1, self._window) ** 2, axis=1))
        small = (windows.reshape(-1, self._step).mean(axis=1) * 32767).astype(np.int16)
        if self._path:
            with self._path.open("ab") as file:
                file.write(small.astype("<i2", copy=False).tobytes())
        else:
            self._kept.append(small)

    def summarise(self) -> dict:
        """Return the fields of a ProbeResult that describe the sound."""
        self._measure_sound()
        silent = find_silences(np.concatenate(self._levels), Fraction(self._rate, self._window))
        return {
            "sound_seconds": self._count / self._rate,
            "sound_start": self._start,
            "silent": silent,
            "sound": self._read_sound(),
        }

    def _read_sound(self) -> Samples:
        return (
            Stored(self._path, 0, self._path.stat().st_size // 2)
            if self._path
            else np.concatenate(self._kept)
        )


def find_silences(levels: np.ndarray, rate: Fraction) -> tuple[Interval, ...]:
    """Return where a sound is silent for SHORTEST_SILENCE or longer.

    ``levels``: mean squares, ``rate`` a second.
    """
    quiet = np.flatnonzero(levels < 10 ** (SILENCE / 10))
    return tuple(
        (start, end)
        for start, end in find_intervals(quiet.tolist(), rate)
        if end - start >= SHORTEST_SILENCE
    )


def find_intervals(numbers: list[int], rate) -> tuple[Interval, ...]:
    """Return runs of consecutive ``numbers`` as intervals in seconds;
    there are ``rate`` numbers per second.
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number:
            runs[-1][1] = number + 1
        else:
            runs.append([number, number + 1])
    return tuple((float(first / rate), float(end / rate)) for first, end in runs)
