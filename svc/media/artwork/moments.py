"""Pictures of a moment: the leaf of a calendar with its day, and a clock with its hands. They are
drawn from what is said, so that they are never wrong where the moment is known.

Names: ``calendar:23``, ``clock:1930``.
"""

import math
import re
from collections.abc import Callable

import numpy as np
from PIL import Image, ImageDraw

from svc.media import fonts
from svc.media.colour import BLACK, WHITE, Colour, mix, parse_colour

_NAME = re.compile(r"(calendar):([1-9]|[12]\d|3[01])|(clock):([01]\d|2[0-3])([0-5]\d)")
_OVERSAMPLING = 4  # pictures are drawn this many times larger, then reduced, for smooth edges
_LARGEST = 1600  # pixels of a side that is drawn
# What follows is in hundredths of the picture's side.
_SHEET, _PAGES, _HEAD, _CORNER = (12, 15, 88, 90), 5, 22, 9
_RINGS, _RING = (31, 69), (5, 6, 24)  # where they are, and their width, head and foot
_DIGITS = 46
_RIM, _FACE, _DOT = 45, 36, 5  # radii
_TICK, _QUARTER = (29, 33, 2), (27, 33, 4)  # from and to the middle, and the width
_HOUR_HAND, _MINUTE_HAND = (19, 6), (28, 4)  # length and width
_INK: Colour = (36, 42, 64)
_PAPER: Colour = (228, 232, 241)
_STEEL: Colour = (150, 158, 176)
_HOURS, _MINUTES = 12, 60


def is_moment(name: str) -> bool:
    """Return whether ``name`` is that of a picture of a moment."""
    return _NAME.fullmatch(name) is not None


def draw_moment(name: str, size: int, colour: str) -> Image.Image:
    """Return the picture called ``name`` as RGBA of ``size`` × ``size`` pixels. ``colour``: of the
    head of a leaf and the rim of a clock, "#rrggbb". Raise KeyError for an unknown name."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise KeyError(name)
    times = max(1, min(_OVERSAMPLING, _LARGEST // max(1, size)))
    side = size * times
    image, accent = Image.new("RGBA", (side, side)), parse_colour(colour)
    if match[1]:
        _draw_calendar(image, match[2], accent)
    else:
        _draw_clock(image, int(match[4]), int(match[5]), accent)
    return image.reduce(times) if times > 1 else image


def _draw_calendar(image: Image.Image, day: str, accent: Colour) -> None:
    left, top, right, foot = _SHEET
    for down in (_PAGES, _PAGES / 2):  # the pages below
        shade = mix(_STEEL, WHITE, 0.25 if down == _PAGES else 0.5)
        _fill(image, _rounded((left, top + down, right, foot + down), _CORNER), shade, shade)
    _fill(image, _rounded(_SHEET, _CORNER), WHITE, _PAPER)
    band = (left, top, right, top + _HEAD)

    def draw_head(pen: ImageDraw.ImageDraw, unit: float) -> None:
        _rounded(_SHEET, _CORNER)(pen, unit)
        pen.rectangle((0, band[3] * unit, 100 * unit, 100 * unit), fill=0)

    _fill(image, draw_head, mix(accent, WHITE, 0.18), mix(accent, BLACK, 0.12))
    for x in _RINGS:
        width, head, low = _RING
        box = (x - width / 2, head, x + width / 2, low)
        _fill(image, _rounded(box, width / 2), mix(_STEEL, WHITE, 0.7), mix(_STEEL, BLACK, 0.2))
    unit = image.width / 100
    font = fonts.load(round(_DIGITS * unit), 700, day)
    middle = ((left + right) / 2 * unit, (band[3] + foot) / 2 * unit)
    ImageDraw.Draw(image).text(middle, day, _INK, font, anchor="mm")


def _draw_clock(image: Image.Image, hour: int, minutes: int, accent: Colour) -> None:
    _fill(image, _disc(_RIM), mix(accent, WHITE, 0.35), mix(accent, BLACK, 0.3))
    _fill(image, _disc(_FACE + 2), mix(accent, BLACK, 0.35), mix(accent, BLACK, 0.1))
    _fill(image, _disc(_FACE), WHITE, _PAPER)
    for number in range(_HOURS):
        near, far, width = _TICK if number % 3 else _QUARTER
        _fill(image, _hand(number / _HOURS, near, far, width), _STEEL, _STEEL)
    turn = minutes / _MINUTES
    for share, (length, width) in (
        ((hour % _HOURS + turn) / _HOURS, _HOUR_HAND),
        (turn, _MINUTE_HAND),
    ):
        _fill(image, _hand(share, 0, length, width), _INK, _INK)
    _fill(image, _disc(_DOT), mix(accent, WHITE, 0.2), accent)


_Shape = Callable[[ImageDraw.ImageDraw, float], None]


def _fill(image: Image.Image, shape: _Shape, above: Colour, below: Colour) -> None:
    """Fill what ``shape`` draws into a mask with a colour that goes from ``above`` at the head of
    the picture to ``below`` at its foot."""
    mask = Image.new("L", image.size)
    shape(ImageDraw.Draw(mask), image.width / 100)
    rows = np.linspace(0, 1, image.height, dtype=np.float32)[:, None]
    tones = np.asarray(above, np.float32) * (1 - rows) + np.asarray(below, np.float32) * rows
    paint = np.broadcast_to(tones[:, None, :], (image.height, image.width, 3)).astype(np.uint8)
    image.paste(Image.fromarray(paint), (0, 0), mask)


def _rounded(box: tuple[float, float, float, float], radius: float) -> _Shape:
    def draw(pen: ImageDraw.ImageDraw, unit: float) -> None:
        left, top, right, foot = (edge * unit for edge in box)
        pen.rounded_rectangle((left, top, right, foot), radius * unit, fill=255)

    return draw


def _disc(radius: float) -> _Shape:
    return _rounded((50 - radius, 50 - radius, 50 + radius, 50 + radius), radius)


def _hand(turn: float, near: float, far: float, width: float) -> _Shape:
    """Return what draws a line at ``turn`` of the way round, from ``near`` to ``far`` from the
    middle, with round ends."""
    across, down = math.sin(math.tau * turn), -math.cos(math.tau * turn)

    def draw(pen: ImageDraw.ImageDraw, unit: float) -> None:
        ends = [((50 + across * reach) * unit, (50 + down * reach) * unit) for reach in (near, far)]
        pen.line([point for end in ends for point in end], fill=255, width=round(width * unit))
        for x, y in ends:
            half = width * unit / 2
            pen.ellipse((x - half, y - half, x + half, y + half), fill=255)

    return draw
