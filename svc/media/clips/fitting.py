"""Fitting a clip's picture into a film's frame: it fills the frame where the shapes are similar,
and is otherwise shown whole on a blurred copy of itself.
"""

import av
import numpy as np
from av.video.reformatter import Interpolation, VideoReformatter
from PIL import Image, ImageFilter

from svc.media.drawing.yuv import SCALES, Picture, read_planes

_MOST_LOST = 0.15  # share of the clip's picture that may be cut off where it fills the frame
_COARSE = 30  # pixels of the frame for one of the ground's, before it is enlarged
_BLUR = 1.6  # pixels of the small ground
_LIGHT, _COLOUR = 0.4, 0.35  # of the ground: shares of luma and of chroma that are left
_SHARES = (_LIGHT, _COLOUR, _COLOUR)
_DARKEST = 16  # luma: black


class Fitting:
    """Fits pictures of one size into frames of another."""

    def __init__(self, clip: tuple[int, int], frame: tuple[int, int]):
        """``clip`` and ``frame``: width and height in pixels, even."""
        (wide, high), (width, height) = clip, frame
        self._width, self._height = frame
        fill, inside = max(width / wide, height / high), min(width / wide, height / high)
        lost = 1 - inside / fill
        self.fills = lost <= _MOST_LOST
        scale = fill if self.fills else inside
        self._scaled = _round_to_even(wide * scale), _round_to_even(high * scale)
        self._reformatter, self._ground_maker = VideoReformatter(), VideoReformatter()

    def fit_picture(self, frame: av.VideoFrame) -> Picture:
        """Return the frame's picture for ``frame`` of the clip (4:2:0)."""
        width, height = self._scaled
        whole = scale_frame(self._reformatter, frame, width, height)
        if self.fills:
            left = _find_centred_start(width, self._width)
            top = _find_centred_start(height, self._height)
            return whole.crop(left, top, left + self._width, top + self._height)
        ground = self._make_ground(frame)
        ground.paste(
            whole,
            _find_centred_start(self._width, width),
            _find_centred_start(self._height, height),
        )
        return ground

    def _make_ground(self, frame: av.VideoFrame) -> Picture:
        """Return the picture's middle, which fills the frame, blurred and darkened."""
        part = _make_picture(frame)
        scale = min(part.width / self._width, part.height / self._height)
        width = _round_to_even(self._width * scale, part.width)
        height = _round_to_even(self._height * scale, part.height)
        left, top = _find_centred_start(part.width, width), _find_centred_start(part.height, height)
        middle = part.crop(left, top, left + width, top + height).to_frame()
        coarse = _round_to_even(self._width / _COARSE), _round_to_even(self._height / _COARSE)
        small = _make_picture(
            _resize_frame(VideoReformatter(), middle, *coarse, Interpolation.AREA)
        )
        for plane, scale, zero, share in zip(
            small.planes(), SCALES, (_DARKEST, 128, 128), _SHARES, strict=True
        ):
            blurred = np.asarray(
                Image.fromarray(plane).filter(ImageFilter.GaussianBlur(_BLUR / scale)), np.float32
            )
            plane[:] = np.rint((np.maximum(blurred, _DARKEST) - zero) * share + zero)
        enlarged = _resize_frame(
            self._ground_maker, small.to_frame(), self._width, self._height, Interpolation.BICUBIC
        )
        return _make_picture(enlarged)


def scale_frame(maker: VideoReformatter, frame: av.VideoFrame, width: int, height: int) -> Picture:
    """Return a picture of a clip in another size (even)."""
    return _make_picture(_resize_frame(maker, frame, width, height, Interpolation.BICUBIC))


def _resize_frame(
    maker: VideoReformatter, frame: av.VideoFrame, width: int, height: int, how: Interpolation
) -> av.VideoFrame:
    return maker.reformat(frame, width, height, "yuv420p", interpolation=how)


def _make_picture(frame: av.VideoFrame) -> Picture:
    samples = np.concatenate([plane.reshape(-1) for plane in read_planes(frame)])
    return Picture(frame.width, frame.height, samples)


def _round_to_even(pixels: float, most: int | None = None) -> int:
    rounded = max(2, round(pixels / 2) * 2)
    return min(rounded, most) if most is not None else rounded


def _find_centred_start(whole: int, part: int) -> int:
    """Return where a part begins that lies in the middle of the whole: an even number."""
    return (whole - part) // 4 * 2
