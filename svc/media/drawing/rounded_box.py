"""Masks of boxes with round, smooth corners.

The corners of a radius are drawn once: to draw each mask anew takes 3 % of the time of a film of
charts.
"""

from functools import lru_cache

from PIL import Image, ImageDraw

_OVERSAMPLING = 4  # masks are drawn this many times larger, then reduced, for smooth edges
_CACHED_BOXES = 128


def draw_mask(width: int, height: int, radius: int, level: int = 255) -> Image.Image:
    """Return an ``L`` image of ``width`` × ``height`` pixels: ``level`` (0 to 255) within the box,
    0 outside its corners.

    ``radius``: of the corners, in pixels; corners that would meet are drawn as they meet.
    """
    side = 2 * radius + 2  # of the smallest box whose corners do not meet
    small = _draw_small(min(width, side), min(height, side), radius, level)
    mask = Image.new("L", (width, height), level)
    for left, right, x in _split(small.width, width):
        for top, bottom, y in _split(small.height, height):
            mask.paste(small.crop((left, top, right, bottom)), (x, y))
    return mask


def _split(small: int, large: int) -> tuple[tuple[int, int, int], ...]:
    """Return both ends of ``small`` pixels, each as start, end and its place in ``large``."""
    middle = small // 2
    return (0, middle, 0), (middle, small, large - small + middle)


@lru_cache(maxsize=_CACHED_BOXES)
def _draw_small(width: int, height: int, radius: int, level: int) -> Image.Image:
    large = Image.new("L", (width * _OVERSAMPLING, height * _OVERSAMPLING))
    ImageDraw.Draw(large).rounded_rectangle(
        [0, 0, large.width - 1, large.height - 1], radius * _OVERSAMPLING, fill=level
    )
    return large.reduce(_OVERSAMPLING)
