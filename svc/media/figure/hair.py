"""The presenter's hair, behind and before the head, or a scarf around it."""

import math

from svc.media.colour import BLACK, WHITE, Colour, mix
from svc.media.figure.pen import Pen

HAIR_STYLES = ("short", "long", "bun", "bob", "ponytail", "curly", "bald", "scarf")
COVERED_EARS = frozenset(("long", "bob", "scarf"))


def draw_behind(pen: Pen, style: str, hair: Colour) -> None:
    """Draw what is behind neck and head."""
    shade = mix(hair, BLACK, 0.22)
    if style == "bun":
        pen.ellipse(100, 27, 19, 17, shade)
        pen.ellipse(98, 25, 16, 14, hair)
    if style == "long":
        pen.shape(
            (100, 30),
            ((150, 28), (158, 76), (154, 112)),
            ((152, 134), (158, 150), (164, 158)),
            ((140, 172), (60, 172), (36, 158)),
            ((42, 150), (48, 134), (46, 112)),
            ((42, 76), (50, 28), (100, 30)),
            fill=shade,
        )
    if style == "bob":
        pen.shape(
            (100, 30),
            ((152, 28), (160, 80), (154, 128)),
            ((140, 140), (60, 140), (46, 128)),
            ((40, 80), (48, 28), (100, 30)),
            fill=shade,
        )
    if style == "ponytail":
        pen.shape(
            (128, 46),
            ((168, 46), (172, 110), (158, 146)),
            ((150, 120), (150, 80), (128, 60)),
            fill=shade,
        )
    if style == "curly":
        _draw_curls(pen, range(150, 391, 20), (52, 50), 15, shade)
    if style == "scarf":
        pen.shape(
            (100, 24),
            ((156, 24), (162, 90), (150, 132)),
            ((160, 150), (168, 168), (160, 176)),
            ((120, 190), (80, 190), (40, 176)),
            ((32, 168), (40, 150), (50, 132)),
            ((38, 90), (44, 24), (100, 24)),
            fill=shade,
        )


def draw_before(pen: Pen, style: str, hair: Colour) -> None:
    """Draw what is on the head."""
    light = mix(hair, WHITE, 0.12)
    if style == "short":
        pen.shape(
            (54, 92),
            ((48, 58), (62, 30), (98, 28)),
            ((120, 24), (152, 40), (147, 92)),
            ((142, 86), (142, 76), (137, 68)),
            ((124, 66), (104, 62), (92, 52)),
            ((86, 62), (74, 66), (64, 68)),
            ((59, 76), (60, 86), (54, 92)),
            fill=hair,
        )
        pen.stroke((92, 50), ((104, 40), (122, 40), (134, 52)), fill=light, width=2.2)
    if style in ("long", "bob"):
        pen.shape(
            (106, 34),
            ((146, 34), (152, 74), (150, 116)),
            ((147, 104), (141, 92), (138, 80)),
            ((128, 72), (114, 60), (108, 48)),
            ((98, 66), (76, 76), (62, 80)),
            ((58, 94), (53, 104), (50, 116)),
            ((44, 70), (58, 34), (106, 34)),
            fill=hair,
        )
        pen.stroke((110, 46), ((122, 54), (134, 66), (141, 80)), fill=light, width=2.2)
    if style in ("bun", "ponytail"):
        pen.shape(
            (54, 90),
            ((48, 54), (70, 34), (100, 34)),
            ((130, 34), (152, 54), (146, 90)),
            ((143, 80), (138, 68), (126, 58)),
            ((112, 50), (88, 50), (74, 58)),
            ((62, 68), (57, 80), (54, 90)),
            fill=hair,
        )
        pen.stroke((80, 46), ((92, 40), (108, 40), (120, 46)), fill=light, width=2.2)
    if style == "curly":
        _draw_curls(pen, range(184, 357, 17), (41, 46), 12, hair)
        _draw_curls(pen, range(200, 341, 20), (27, 36), 11, light)
    if style == "scarf":
        _draw_scarf(pen, hair, light)


def _draw_curls(
    pen: Pen, degrees: range, radii: tuple[int, int], size: float, fill: Colour
) -> None:
    """Draw curls on an arc around the head; 270 degrees are its top."""
    for angle in degrees:
        x = 100 + radii[0] * math.cos(math.radians(angle))
        y = 88 + radii[1] * math.sin(math.radians(angle))
        pen.ellipse(x, y, size, size, fill)


def _draw_scarf(pen: Pen, cloth: Colour, light: Colour) -> None:
    """Draw cloth around the face, from the forehead to the chin."""
    for side in (-1, 1):
        pen.shape(
            (100, 26),
            ((100 + side * 40, 26), (100 + side * 56, 48), (100 + side * 52, 100)),
            ((100 + side * 50, 140), (100 + side * 40, 178), (100, 180)),
            ((100, 160), (100, 150), (100, 143)),
            ((100 + side * 26, 142), (100 + side * 42, 114), (100 + side * 41, 88)),
            ((100 + side * 40, 66), (100 + side * 26, 54), (100, 54)),
            ((100, 44), (100, 36), (100, 26)),
            fill=cloth,
        )
    pen.stroke((62, 60), ((72, 44), (86, 40), (100, 40)), fill=light, width=2)
    pen.stroke((132, 138), ((124, 148), (114, 153), (104, 154)), fill=light, width=2)
