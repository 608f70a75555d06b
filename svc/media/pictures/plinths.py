"""What a picture stands on in the looks with one kind of plinth for every box: a poster's field,
a sticker, a lit tile.
"""

import numpy as np
from PIL import Image

from svc.media.artwork import collection
from svc.media.colour import WHITE, mix
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface

_SHARE_OF_TILE = 0.62


def _draw_poster(canvas: Canvas, box: Box, name: str) -> float:
    """Draw a field in the brand's colour with a pale disc, as on a Swiss poster."""
    left, top, right, bottom = box
    canvas.draw_rule(box, canvas.palette.lights[0])
    reach = round(min(right - left, bottom - top) * 0.42)
    x, y = (left + right) // 2, (top + bottom) // 2
    pale = mix(canvas.palette.solid, WHITE, 0.84)
    canvas.draw_panel(
        (x - reach, y - reach, x + reach, y + reach), reach, Surface(pale, 1.0, WHITE)
    )
    return 0.54


def _draw_sticker(canvas: Canvas, box: Box, name: str) -> float:
    """Draw an outlined disc before a field of dots in a companion colour."""
    left, top, right, bottom = box
    px, second = canvas.plan.px, canvas.palette.lights[1]
    side = min(right - left, bottom - top)
    edge = canvas.palette.panel.edge or canvas.palette.ink
    foot = px(10)
    field = (left, top, right - foot, bottom - foot)
    canvas.draw_panel(field, px(40), Surface(second, 1.0, WHITE, edge=edge, shadow=edge))
    _draw_dots(canvas, field, px(22), mix(second, WHITE, 0.34))
    reach, x, y = round(side * 0.38), (field[0] + field[2]) // 2, (field[1] + field[3]) // 2
    disc = (x - reach, y - reach, x + reach, y + reach)
    canvas.draw_panel(
        disc,
        reach,
        Surface(mix(canvas.palette.solid, WHITE, 0.86), 1.0, WHITE, edge=edge, shadow=edge),
    )
    return 0.52


def _draw_dots(canvas: Canvas, box: Box, inset: int, colour) -> None:
    radius, step = canvas.plan.px(7), canvas.plan.px(44)
    for number, y in enumerate(range(box[1] + inset + radius, box[3] - inset, step)):
        for x in range(box[0] + inset + radius + (number % 2) * step // 2, box[2] - inset, step):
            canvas.draw_panel(
                (x - radius, y - radius, x + radius, y + radius),
                radius,
                Surface(colour, 1.0, WHITE),
            )


def _draw_tile(canvas: Canvas, box: Box, name: str) -> float:
    """Draw a large rounded tile that is lit from the middle, as a product's photograph is; a
    country in the brand's colour is not seen before a light of that colour."""
    left, top, right, bottom = box
    palette, dark = canvas.palette, max(canvas.palette.ground) < 128
    far = palette.lights[0] if dark else WHITE
    near = mix(palette.solid, WHITE, 0.35 if dark else 0.82)
    canvas.draw_panel(box, canvas.plan.px(56), Surface(far, 1.0, WHITE))
    if dark and collection.is_country(name):
        return _SHARE_OF_TILE
    reach = min(right - left, bottom - top) // 2 - canvas.plan.px(24)
    x, y = (left + right) // 2, (top + bottom) // 2
    down, across = np.ogrid[-reach:reach, -reach:reach]
    light = np.clip(1 - np.sqrt(down * down + across * across) / max(1, reach), 0, 1)
    mask = Image.fromarray(
        (light * light * (3 - 2 * light) * (200 if dark else 255)).astype(np.uint8)
    )
    canvas.image.paste(near, (x - reach, y - reach), mask)
    return _SHARE_OF_TILE


# By Look.ground: the function that draws the plinth and returns the picture's share.
PLINTHS = {"poster": _draw_poster, "confetti": _draw_sticker, "studio": _draw_tile}
