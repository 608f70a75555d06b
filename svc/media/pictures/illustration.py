"""Illustrations: a picture of the collection on a shape in the account's colours,
in the style of each look.
"""

import math
import zlib

import numpy as np
from PIL import Image, ImageDraw

from svc.media.artwork import collection, rims
from svc.media.artwork import draw as pictures
from svc.media.colour import BLACK, WHITE, Colour, compute_contrast, mix, to_hex
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface
from svc.media.pictures import plinths

_OVERSAMPLING = 3  # masks are drawn this many times larger, then reduced, for smooth edges
_SHARE, _SHARE_OF_PANEL = 0.66, 0.72  # of the shape's side or the panel's height, for the picture
# The picture's share of the content's width in a wide frame, and of its height in a tall one.
_BESIDE, _ABOVE = 0.43, 0.53
_WIDE = 1.25  # times its height, from which a box is a wide one
_VISIBLE = 3.0  # contrast of a country's shape with what is behind it (WCAG 2.2, 1.4.11)
_MIDDLE = 0.25  # of a picture's side: how far around its middle its ground is looked at
_CORNERS = 180  # of the polygon that a blob is drawn as


def can_draw(name: str) -> bool:
    """Return whether there is a picture called ``name``."""
    return bool(name) and collection.has_picture(name)


def split_content(canvas: Canvas, name: str, scale: float = 1.0) -> tuple[Box, Box | None]:
    """Return the part of the content box for text, and that for picture ``name``; None if there is
    no such picture.

    ``scale``: of the picture's usual share.
    """
    return (
        split_in_halves(canvas, scale) if can_draw(name) and scale else (canvas.plan.content, None)
    )


def split_in_halves(canvas: Canvas, scale: float = 1.0) -> tuple[Box, Box]:
    """Return the part of the content box for text, and that for a picture:
    beside the text in a wide frame, else above it.
    """
    return split_box(canvas, canvas.plan.content, scale)


def split_box(canvas: Canvas, box: Box, scale: float) -> tuple[Box, Box]:
    """Return the part of ``box`` for text, and that for a picture, likewise."""
    left, top, right, bottom = box
    gap = canvas.plan.px(56)
    if canvas.plan.width < canvas.plan.height:
        foot = top + round((bottom - top) * _ABOVE * scale)
        return (left, foot + gap * 2 // 3, right, bottom), (left, top, right, foot)
    side = min(bottom - top, round((right - left) * _BESIDE * scale))
    if canvas.right_to_left:
        return (left + side + gap, top, right, bottom), (left, top, left + side, bottom)
    return (left, top, right - side - gap, bottom), (right - side, top, right, bottom)


def draw_illustration(canvas: Canvas, name: str, box: Box) -> None:
    """Draw picture ``name`` on a shape in the middle of ``box``,
    or on a panel as wide as the box if it is a wide one.
    """
    left, top, right, bottom = box
    side = min(right - left, bottom - top)
    if canvas.look.ground in plinths.PLINTHS:
        place = box if right - left > side * _WIDE else _centre_square(box, side)
        share = plinths.PLINTHS[canvas.look.ground](canvas, place, name)
        _paste(canvas, name, box, round(side * share))
        return
    if right - left > side * _WIDE:
        _draw_field(canvas, box)
        _paste(canvas, name, box, round(side * _SHARE_OF_PANEL))
        return
    _SHAPES[canvas.look.ground](canvas, _centre_square(box, side), name)
    _paste(canvas, name, box, round(side * _SHARE))


def _centre_square(box: Box, side: int) -> Box:
    """Return a square of ``side`` pixels in the middle of ``box``."""
    x, y = (box[0] + box[2] - side) // 2, (box[1] + box[3] - side) // 2
    return x, y, x + side, y + side


def _paste(canvas: Canvas, name: str, box: Box, size: int) -> None:
    colour = _outline(canvas, box, size) if collection.takes_colour(name) else BLACK
    picture = pictures.draw_picture(name, max(1, size), to_hex(colour))
    middle = ((box[0] + box[2] - size) // 2, (box[1] + box[3] - size) // 2)
    rims.paste_with_rim(canvas.image, picture, middle)


def _outline(canvas: Canvas, box: Box, size: int) -> Colour:
    """Return the shade of the brand's colour in which a country is seen on what has been drawn in
    the middle of ``box``.
    """
    x, y, reach = (box[0] + box[2]) // 2, (box[1] + box[3]) // 2, max(1, round(size * _MIDDLE))
    under = np.asarray(canvas.image.crop((x - reach, y - reach, x + reach, y + reach))).reshape(
        -1, 3
    )
    by_light = under[np.argsort(under.sum(axis=1))]
    grounds: list[Colour] = [tuple(map(int, by_light[at])) for at in (0, -1)]  # type: ignore[misc]
    shades = (
        mix(canvas.palette.solid, end, step / 40) for step in range(41) for end in (WHITE, BLACK)
    )
    return next(
        (
            shade
            for shade in shades
            if all(compute_contrast(shade, ground) >= _VISIBLE for ground in grounds)
        ),
        WHITE,
    )


def _draw_field(canvas: Canvas, box: Box) -> None:
    """Draw a pale field with a round light in its middle; in the flat look over the second colour,
    on paper over a line.
    """
    left, top, right, bottom = box
    plan, (outer, inner) = canvas.plan, _choose_tints(canvas)
    foot = {"shapes": plan.px(14), "paper": plan.px(10)}.get(canvas.look.ground, 0)
    radius = plan.px(canvas.look.corner + 14) if canvas.look.corner > 8 else 0
    if foot:
        canvas.draw_panel(box, radius, Surface(outer, 1.0, WHITE))
    canvas.draw_panel((left, top, right, bottom - foot), radius, Surface(inner, 1.0, WHITE))
    reach = (bottom - top - foot) // 2 - plan.px(18)
    x, y = (left + right) // 2, (top + bottom - foot) // 2
    canvas.draw_panel(
        (x - reach, y - reach, x + reach, y + reach),
        reach,
        Surface(mix(inner, WHITE, 0.6), 1.0, WHITE),
    )


def _draw_disc(canvas: Canvas, box: Box, name: str) -> None:
    """Draw a disc inside a ring."""
    side = box[2] - box[0]
    outer, inner = _choose_tints(canvas)
    canvas.draw_panel(box, side // 2, Surface(outer, 0.5, canvas.palette.ink))
    inset = round(side * 0.055)
    canvas.draw_panel(
        (box[0] + inset, box[1] + inset, box[2] - inset, box[3] - inset),
        side // 2 - inset,
        Surface(inner, 1.0, WHITE),
    )


def _draw_blob(canvas: Canvas, box: Box, name: str) -> None:
    """Draw two flat shapes, one behind the other; each picture has its own."""
    outer, inner = _choose_tints(canvas)
    turn = zlib.crc32(name.encode()) % 628 / 100
    canvas.image.paste(outer, box[:2], _draw_blob_mask(box[2] - box[0], turn + 2.0, 0.485))
    canvas.image.paste(inner, box[:2], _draw_blob_mask(box[2] - box[0], turn, 0.45))


def _draw_sheet(canvas: Canvas, box: Box, name: str) -> None:
    """Draw a sharp-edged field with the accent along its foot."""
    outer, inner = _choose_tints(canvas)
    inset = round((box[2] - box[0]) * 0.04)
    field = (box[0] + inset, box[1] + inset, box[2] - inset, box[3] - inset)
    canvas.draw_rule(field, inner)
    canvas.draw_rule((field[0], field[3] - canvas.plan.px(10), field[2], field[3]), outer)


_SHAPES = {"glow": _draw_disc, "horizon": _draw_disc, "shapes": _draw_blob, "paper": _draw_sheet}


def _choose_tints(canvas: Canvas) -> tuple[Colour, Colour]:
    """Return the colours of the outer and the inner shape: the inner one is pale,
    so that any picture is visible on it.
    """
    palette = canvas.palette
    dark = max(palette.ground) < 128
    pale = mix(palette.solid, WHITE, 0.8 if dark else 0.76)
    return palette.lights[1] if canvas.look.ground == "shapes" else palette.solid, pale


def _draw_blob_mask(side: int, turn: float, radius: float) -> Image.Image:
    large = Image.new("L", (side * _OVERSAMPLING, side * _OVERSAMPLING))
    middle, points = large.width / 2, []
    for corner in range(_CORNERS):
        angle = corner / _CORNERS * math.tau
        wave = 1 + 0.045 * math.sin(3 * angle + turn) + 0.025 * math.sin(2 * angle - turn)
        reach = radius / 1.07 * wave * large.width
        points.append((middle + reach * math.cos(angle), middle + reach * math.sin(angle)))
    ImageDraw.Draw(large).polygon(points, fill=255)
    return large.reduce(_OVERSAMPLING)
