"""What a look draws beside its content: rules, a squiggle under a title,
and flat shapes in the manner of the Memphis group.
"""

import math

from PIL import Image, ImageDraw

from svc.media.colour import Colour
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box, FrameLayout
from svc.media.drawing.palette import Palette

_OVERSAMPLING = 4  # squiggles are drawn this many times larger, then reduced, for smooth edges
_THICK, _THIN = 14, 4  # rules, in 1/1080 of the short side
_CLEAR = 28  # in 1/1080 of the short side: between captions and the shapes under them
_LEAST = 100  # in 1/1080 of the short side: lower zones stay bare
_SHADOW = 14  # in 1/1080 of the short side: of the presenter
_WAVE = 0.55  # of its length: the height of a wave


def draw_rule(canvas: Canvas, box: Box, heavy: bool) -> None:
    """Draw a line in ink across the top of ``box``."""
    left, top, right, _ = box
    canvas.draw_rule(
        (left, top, right, top + canvas.plan.px(_THICK if heavy else _THIN)), canvas.palette.ink
    )


def underline(canvas: Canvas, left: int, top: int, length: int) -> None:
    """Draw a squiggle of about ``length`` pixels in the brand's colour,
    in a line that begins at ``left``.
    """
    draw_squiggle(canvas.image, (left, top), length, canvas.plan.px(9), canvas.palette.solid)


def draw_squiggle(
    image: Image.Image,
    at: tuple[int, int],
    length: int,
    thick: int,
    colour: Colour,
    turn: float = 0.0,
) -> None:
    """Draw a wavy line, ``thick`` pixels wide, with its top left corner ``at``,
    turned by ``turn`` degrees.
    """
    large, period = thick * _OVERSAMPLING, thick * _OVERSAMPLING * 5
    waves = max(2, round(length * _OVERSAMPLING / period * 2) / 2)
    rise = period * _WAVE / 2
    mask = Image.new("L", (round(waves * period + 2 * large), round(rise * 2 + 2 * large)))
    pen = ImageDraw.Draw(mask)
    steps = round(waves * 40)
    path = [
        (large + step / 40 * period, mask.height / 2 - rise * math.sin(step / 20 * math.pi))
        for step in range(steps + 1)
    ]
    for x, y in path:
        pen.ellipse([x - large / 2, y - large / 2, x + large / 2, y + large / 2], fill=255)
    pen.line(path, fill=255, width=large, joint="curve")
    turned = mask.rotate(turn, Image.Resampling.BICUBIC, expand=True) if turn else mask
    small = turned.reduce(_OVERSAMPLING)
    image.paste(colour, at, small)


def scatter_shapes(image: Image.Image, plan: FrameLayout, palette: Palette) -> None:
    """Draw shapes on ``image``, the ground of a frame, and a shadow of the presenter's arch."""
    mirrored = plan.presenter[0] > plan.width // 2
    if plan.stacked:
        for zone, turned in (
            ((0, 0, plan.width, plan.safe[1]), False),
            ((0, plan.safe[3] + plan.px(_CLEAR), plan.width, plan.height), True),
        ):
            if zone[3] - zone[1] >= plan.px(_LEAST):
                _paste(image, zone, _strip(zone, palette), turned)
    else:
        left, right = (
            (plan.presenter[0] - plan.px(40), plan.width)
            if mirrored
            else (0, plan.presenter[2] + plan.px(40))
        )
        zone = (left, 0, right, plan.presenter[1] - plan.px(40))
        if zone[3] >= plan.px(_LEAST):
            _paste(image, zone, _corner(zone, palette), not mirrored)
    _draw_shade(image, plan, palette)


def _paste(image: Image.Image, zone: Box, shapes: Image.Image, mirrored: bool) -> None:
    small = shapes.reduce(_OVERSAMPLING)
    image.paste(small.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if mirrored else small, zone[:2])


def _sheet(zone: Box, palette: Palette) -> tuple[Image.Image, ImageDraw.ImageDraw, int, int]:
    size = ((zone[2] - zone[0]) * _OVERSAMPLING, (zone[3] - zone[1]) * _OVERSAMPLING)
    image = Image.new("RGB", size, palette.ground)
    return image, ImageDraw.Draw(image), *size


def _corner(zone: Box, palette: Palette) -> Image.Image:
    """Return the shapes of an upper right corner: a quarter of a disc in an arc, dots,
    a triangle and a squiggle.
    """
    image, pen, w, h = _sheet(zone, palette)
    first, second = palette.lights
    side = min(w, h)
    _draw_disc(pen, w, 0, 0.66 * side, second)
    _draw_disc(pen, w, 0, 0.46 * side, palette.ground)
    _draw_disc(pen, w, 0, 0.34 * side, palette.fields[0].colour)
    _draw_dots(pen, (0.1 * w, 0.13 * h), 0.036 * side, 5, palette.ink)
    x, y, reach = 0.84 * w, 0.86 * h, 0.15 * side
    pen.polygon(
        [(x - reach, y + 0.7 * reach), (x + reach, y + reach), (x + 0.2 * reach, y - reach)],
        fill=first,
    )
    draw_squiggle(
        image,
        (round(0.1 * w), round(0.6 * h)),
        round(0.5 * w / 4),
        round(0.05 * side / 1.6),
        palette.ink,
        16,
    )
    return image


def _strip(zone: Box, palette: Palette) -> Image.Image:
    """Return the shapes of a strip across a tall picture."""
    image, pen, w, h = _sheet(zone, palette)
    first, second = palette.lights
    side = min(h, w // 3)
    _draw_disc(pen, w, 0, 0.86 * side, second)
    _draw_disc(pen, w, 0, 0.58 * side, palette.ground)
    _draw_disc(pen, w, 0, 0.4 * side, palette.fields[0].colour)
    _draw_dots(pen, (0.06 * w, 0.24 * h), 0.045 * side, 4, palette.ink)
    x, y, reach = 0.6 * w, 0.62 * h, 0.2 * side
    pen.polygon(
        [(x - reach, y + 0.7 * reach), (x + reach, y + reach), (x + 0.2 * reach, y - reach)],
        fill=first,
    )
    draw_squiggle(
        image,
        (round(0.35 * w), round(0.3 * h)),
        round(0.02 * w),
        round(0.045 * side),
        palette.ink,
        -12,
    )
    return image


def _draw_disc(pen: ImageDraw.ImageDraw, x: float, y: float, radius: float, colour) -> None:
    pen.ellipse([x - radius, y - radius, x + radius, y + radius], fill=colour)


def _draw_dots(
    pen: ImageDraw.ImageDraw,
    at: tuple[float, float],
    radius: float,
    columns: int,
    colour,
) -> None:
    for row in range(4):
        for column in range(columns):
            _draw_disc(
                pen, at[0] + column * radius * 4, at[1] + row * radius * 4, radius * 0.62, colour
            )


def _draw_shade(image: Image.Image, plan: FrameLayout, palette: Palette) -> None:
    """Draw the presenter's arch a little lower and to the side, as a flat shadow."""
    left, top, right, _ = plan.presenter
    shift, side = plan.px(_SHADOW // 2 if plan.stacked else _SHADOW), right - left
    mask = Image.new("L", (side * _OVERSAMPLING, side * _OVERSAMPLING))
    large, upper = side * _OVERSAMPLING - 1, (True, True, False, False)
    ImageDraw.Draw(mask).rounded_rectangle([0, 0, large, large], large / 2, fill=255, corners=upper)
    image.paste(palette.lights[0], (left + shift, top + shift), mask.reduce(_OVERSAMPLING))
