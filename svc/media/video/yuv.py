"""Pictures in the encoder's format: BT.709 limited range, 4:2:0."""

import av
import numpy as np
from av.video.reformatter import ColorRange, Colorspace


class Picture:
    """The three planes of one frame, which can be replaced in part."""

    def __init__(self, width: int, height: int, samples: np.ndarray):
        """``width`` and ``height``: even. ``samples``: the planes Y, U and V in sequence, flat, uint8."""
        self.width, self.height, self.samples = width, height, samples

    @classmethod
    def from_rgb(cls, rgb: np.ndarray) -> "Picture":
        """Convert an RGB array of shape ``(height, width, 3)``, uint8."""
        height, width = rgb.shape[:2]
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(rgb), format="rgb24")
        converted = frame.reformat(
            format="yuv420p",
            src_color_range=ColorRange.JPEG,
            dst_color_range=ColorRange.MPEG,
            dst_colorspace=Colorspace.ITU709,
        )
        return cls(width, height, converted.to_ndarray().reshape(-1))

    def copy(self) -> "Picture":
        """Return a copy that can be changed on its own."""
        return Picture(self.width, self.height, self.samples.copy())

    def paste(self, other: "Picture", left: int, top: int) -> None:
        """Paste ``other`` onto this picture at ``left`` and ``top``, both even."""
        scales = (1, 2, 2)
        for mine, theirs, scale in zip(self._planes(), other._planes(), scales, strict=True):
            height, width = theirs.shape
            mine[top // scale : top // scale + height, left // scale : left // scale + width] = theirs

    def blend(self, other: "Picture", share: float) -> "Picture":
        """Return this picture mixed with ``share`` (0.0 to 1.0) of ``other``, which has the same size."""
        part = round(share * 256)
        mixed = self.samples.astype(np.uint16) * (256 - part)
        mixed += other.samples.astype(np.uint16) * part
        mixed += 128
        return Picture(self.width, self.height, (mixed >> 8).astype(np.uint8))

    def wipe(self, other: "Picture", share: float, right_to_left: bool = False) -> "Picture":
        """Return this picture with the first ``share`` of the width replaced by ``other``, from the side where reading
        begins."""
        wiped, edge = self.copy(), round(self.width * share / 2) * 2
        for mine, theirs, scale in zip(wiped._planes(), other._planes(), (1, 2, 2), strict=True):
            columns = slice((self.width - edge) // scale, None) if right_to_left else slice(0, edge // scale)
            mine[:, columns] = theirs[:, columns]
        return wiped

    def frame(self) -> av.VideoFrame:
        """Return a frame for the encoder, with a copy of the samples."""
        return av.VideoFrame.from_ndarray(self.samples.reshape(self.height * 3 // 2, self.width), format="yuv420p")

    def _planes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        luma, chroma = self.width * self.height, self.width * self.height // 4
        half = (self.height // 2, self.width // 2)
        return (
            self.samples[:luma].reshape(self.height, self.width),
            self.samples[luma : luma + chroma].reshape(half),
            self.samples[luma + chroma :].reshape(half),
        )
