"""Large, faint discs on the ground, which drift slowly: where nothing else moves, the picture is
still alive.

They never reduce the contrast of a text: on a dark ground they are darker, on a light one lighter.
"""

from functools import lru_cache

import numpy as np

from svc.media.colour import Colour, compute_luminance

DISC_POSITIONS = 72  # places on the way round; the discs are back where they began after the last
_DEPTH = 7  # of 255: how much darker or lighter a disc is than the ground
_ORBIT = 34  # the radius of the way round, in 1/1080 of the short side
# By disc: its centre in shares of width and height, its radius in short sides, where on the orbit
# it begins (turns), and its direction.
_DISCS = (
    (0.10, 0.16, 0.36, 0.00, 1),
    (0.86, 0.30, 0.46, 0.35, -1),
    (0.44, 0.72, 0.40, 0.60, 1),
    (0.98, 0.92, 0.34, 0.80, 1),
    (0.02, 0.90, 0.30, 0.15, -1),
)


def shade_ground(ground: np.ndarray, base: Colour) -> np.ndarray:
    """Return ``ground``, an RGB array of shape ``(height, width, 3)``, as it is under a disc;
    ``base``: its main colour.
    """
    if compute_luminance(base) > 0.3:
        return np.minimum(ground, np.uint8(255 - _DEPTH)) + np.uint8(_DEPTH)
    return np.maximum(ground, np.uint8(_DEPTH)) - np.uint8(_DEPTH)


def draw_discs(ground: np.ndarray, base: Colour) -> np.ndarray:
    """Return ``ground`` with the discs where they are while nothing drifts."""
    height, width = ground.shape[:2]
    return np.where(draw_disc_mask(width, height, 0)[..., None], shade_ground(ground, base), ground)


@lru_cache(maxsize=4)
def draw_disc_mask(width: int, height: int, step: int) -> np.ndarray:
    """Return where there is a disc after ``step`` of ``DISC_POSITIONS``: booleans of shape
    ``(height, width)``, which are shared: do not change them."""
    mask, short = np.zeros((height, width), bool), min(width, height)
    for across, down, radius, start, direction in _DISCS:
        angle = 2 * np.pi * (start + direction * step / DISC_POSITIONS)
        orbit = _ORBIT * short / 1080
        x, y = (
            round(across * width + orbit * np.cos(angle)),
            round(down * height + orbit * np.sin(angle)),
        )
        _stamp(mask, _disc(round(radius * short)), x, y)
    return mask


@lru_cache(maxsize=16)
def _disc(radius: int) -> np.ndarray:
    y, x = np.ogrid[-radius : radius + 1, -radius : radius + 1]
    return x * x + y * y <= radius * radius


def _stamp(mask: np.ndarray, disc: np.ndarray, x: int, y: int) -> None:
    """Add ``disc``, centred on x, y, to ``mask``."""
    height, width = mask.shape
    left, top = x - disc.shape[1] // 2, y - disc.shape[0] // 2
    first, last = max(0, top), min(height, top + disc.shape[0])
    start, end = max(0, left), min(width, left + disc.shape[1])
    if first < last and start < end:
        mask[first:last, start:end] |= disc[first - top : last - top, start - left : end - left]
