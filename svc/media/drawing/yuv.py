"""Pictures in the encoder's format: BT.709 limited range, 4:2:0."""

import threading
from typing import Any

import av
import numpy as np
from av.video.reformatter import ColorRange, Colorspace, VideoReformatter

SCALES = (1, 2, 2)  # how many pixels a sample of Y, U and V is wide and high
_MOST_CONVERTERS = 16  # sizes of pictures, in each thread
_MIXED_AT_ONCE = 1 << 15  # samples: what is calculated with stays in the processor's cache
_thread = threading.local()


class Picture:
    """The three planes of one frame, which can be replaced in part."""

    def __init__(self, width: int, height: int, samples: np.ndarray):
        """``width`` and ``height``: even.

        ``samples``: the planes Y, U and V in sequence, flat, uint8.
        """
        self.width, self.height, self.samples = width, height, samples

    @classmethod
    def from_rgb(cls, rgb: np.ndarray) -> "Picture":
        """Convert an RGB array of shape ``(height, width, 3)``, uint8."""
        height, width = rgb.shape[:2]
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(rgb), format="rgb24")
        converted = _converter(width, height).reformat(
            frame,
            format="yuv420p",
            src_color_range=ColorRange.JPEG,
            dst_color_range=ColorRange.MPEG,
            dst_colorspace=Colorspace.ITU709,
        )
        return cls(width, height, converted.to_ndarray().reshape(-1))

    def copy(self) -> "Picture":
        """Return a copy that can be changed on its own."""
        return Picture(self.width, self.height, self.samples.copy())

    def crop(self, left: int, top: int, right: int, bottom: int) -> "Picture":
        """Return a copy of a part of this picture; the edges are even."""
        parts = (
            plane[top // scale : bottom // scale, left // scale : right // scale].reshape(-1)
            for plane, scale in zip(self.planes(), SCALES, strict=True)
        )
        return Picture(right - left, bottom - top, np.concatenate(list(parts)))

    def paste(self, other: "Picture", left: int, top: int) -> None:
        """Paste ``other`` onto this picture at ``left`` and ``top``, both even."""
        for mine, theirs, scale in zip(self.planes(), other.planes(), SCALES, strict=True):
            height, width = theirs.shape
            mine[top // scale : top // scale + height, left // scale : left // scale + width] = (
                theirs
            )

    def blend(self, other: "Picture", share: float) -> "Picture":
        """Return this picture mixed with ``share`` (0.0 to 1.0) of ``other``,
        which has the same size.
        """
        return Picture(self.width, self.height, mix(self.samples, other.samples, share))

    def wipe(self, other: "Picture", share: float, right_to_left: bool = False) -> "Picture":
        """Return this picture with the first ``share`` of the width replaced by ``other``, from the
        side where reading begins."""
        wiped, edge = self.copy(), round(self.width * share / 2) * 2
        for mine, theirs, scale in zip(wiped.planes(), other.planes(), SCALES, strict=True):
            columns = (
                slice((self.width - edge) // scale, None)
                if right_to_left
                else slice(0, edge // scale)
            )
            mine[:, columns] = theirs[:, columns]
        return wiped

    def to_frame(self) -> av.VideoFrame:
        """Return a frame for the encoder, which shares the samples:
        do not change them while it is in use.
        """
        rows = self.samples.reshape(self.height * 3 // 2, self.width)
        if self.height % 4:  # sharing them, PyAV would read the colours from the wrong rows
            return av.VideoFrame.from_ndarray(rows, format="yuv420p")
        return av.VideoFrame.from_numpy_buffer(rows, format="yuv420p")

    def planes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return views of Y, U and V, each of shape ``(height, width)`` of its own."""
        luma, chroma = self.width * self.height, self.width * self.height // 4
        half = (self.height // 2, self.width // 2)
        return (
            self.samples[:luma].reshape(self.height, self.width),
            self.samples[luma : luma + chroma].reshape(half),
            self.samples[luma + chroma :].reshape(half),
        )


def _converter(width: int, height: int) -> VideoReformatter:
    """Return this thread's converter of pictures of one size:
    making one takes longer than to convert a small picture.
    """
    converters: dict[tuple[int, int], VideoReformatter] = _thread.__dict__.setdefault(
        "converters", {}
    )
    if (width, height) not in converters:
        if len(converters) >= _MOST_CONVERTERS:
            converters.clear()
        converters[width, height] = VideoReformatter()
    return converters[width, height]


def read_planes(frame: av.VideoFrame) -> list[np.ndarray]:
    """Return the three planes of a 4:2:0 frame, uint8, without copying them."""
    planes = []
    for number, plane in enumerate(frame.planes[:3]):
        buffer: Any = plane  # a buffer, which its types do not say
        scale = 2 if number else 1
        rows = np.frombuffer(buffer, np.uint8).reshape(-1, plane.line_size)
        planes.append(rows[: frame.height // scale, : frame.width // scale])
    return planes


def mix(first: np.ndarray, second: np.ndarray, share: float) -> np.ndarray:
    """Return ``first`` mixed with ``share`` (0.0 to 1.0) of ``second``; both have one shape,
    and values from 0 to 255.
    """
    part = round(share * 256)
    if part in (0, 256):
        return (second if part else first).astype(np.uint8)
    mixed = np.empty(first.shape, np.uint8)
    rows = max(1, _MIXED_AT_ONCE // max(1, first[:1].size))
    sums, added = (np.empty((rows, *first.shape[1:]), np.uint16) for _ in range(2))
    for start in range(0, len(first), rows):
        block = slice(start, min(start + rows, len(first)))
        total, other = sums[: block.stop - start], added[: block.stop - start]
        np.multiply(first[block], 256 - part, out=total, dtype=np.uint16, casting="unsafe")
        np.multiply(second[block], part, out=other, dtype=np.uint16, casting="unsafe")
        total += other
        total += 128
        total >>= 8
        mixed[block] = total
    return mixed
