"""The presenter's body and head: neck, clothes, ears, brows, nose, beard,
glasses and the marks of age.
"""

from svc.media.colour import BLACK, WHITE, Colour, compute_luminance, mix
from svc.media.figure.pen import Pen

OUTFITS = ("jumper", "shirt", "blazer", "hoodie")
_BUST, _WAIST = 214, 304  # y at which a bust, and a half body end
_CLOSED = 240  # y at which a blazer is buttoned
_FRAME: Colour = (40, 36, 44)  # of glasses


def draw_body(pen: Pen, skin: Colour, clothes: Colour, outfit: str) -> None:
    """Draw shoulders, neck and collar of a bust."""
    pen.shape(
        (10, 214),
        ((12, 172), (40, 163), (78, 154)),
        ((90, 151), (110, 151), (122, 154)),
        ((160, 163), (188, 172), (190, 214)),
        fill=clothes,
    )
    _draw_neckline(pen, skin, clothes, outfit, _BUST)


def draw_half_body(pen: Pen, skin: Colour, clothes: Colour, outfit: str) -> None:
    """Draw the body down to the waist, without its arms."""
    edge = mix(clothes, BLACK, 0.25)
    pen.shape(
        (20, 196),
        ((20, 174), (44, 163), (78, 154)),
        ((90, 151), (110, 151), (122, 154)),
        ((156, 163), (180, 174), (180, 196)),
        ((174, 230), (156, 250), (152, _WAIST)),
        ((130, _WAIST + 4), (70, _WAIST + 4), (48, _WAIST)),
        ((44, 250), (26, 230), (20, 196)),
        fill=clothes,
    )
    if outfit == "hoodie":
        pen.stroke((64, 296), ((70, 262), (130, 262), (136, 296)), fill=edge, width=2)
    _draw_neckline(pen, skin, clothes, outfit, _WAIST)
    if outfit == "shirt":
        for y in (196, 222, 248):
            pen.ellipse(100, y, 2, 2, edge)
    if outfit == "blazer":
        pen.stroke((100, _CLOSED), ((100, 260), (101, 276), (102, _WAIST)), fill=edge, width=2)
        pen.ellipse(106, _CLOSED + 12, 3, 3, edge)


def _draw_neckline(pen: Pen, skin: Colour, clothes: Colour, outfit: str, foot: float) -> None:
    """Draw the neck with what is worn around it. ``foot``: where the drawing ends."""
    light, dark = mix(clothes, WHITE, 0.16), mix(clothes, BLACK, 0.25)
    front = foot if outfit == "shirt" else min(foot, _CLOSED)
    half = 8 if foot == _BUST or outfit == "shirt" else 1
    if outfit == "hoodie":
        pen.shape(
            (60, 160),
            ((70, 140), (130, 140), (140, 160)),
            ((128, 190), (72, 190), (60, 160)),
            fill=dark,
        )
    if outfit in ("jumper", "hoodie"):
        pen.shape(
            (74, 152),
            ((82, 172), (118, 172), (126, 152)),
            ((124, 186), (76, 186), (74, 152)),
            fill=light,
        )
    if outfit in ("shirt", "blazer"):
        pen.polygon(
            [(76, 152), (124, 152), (100 + half, front), (100 - half, front)],
            WHITE if outfit == "blazer" else light,
        )
    neck = mix(skin, (120, 50, 40), 0.2)
    pen.shape(
        (83, 120),
        ((83, 140), (84, 148), (77, 153)),
        ((86, 171), (114, 171), (123, 153)),
        ((116, 148), (117, 140), (117, 120)),
        fill=neck,
    )
    if outfit in ("shirt", "blazer"):
        _draw_collar(pen, light if outfit == "shirt" else WHITE, dark, outfit, (half, front))


def _draw_collar(
    pen: Pen, collar: Colour, dark: Colour, outfit: str, front: tuple[float, float]
) -> None:
    """``front``: how far from the middle the lapels of a blazer end, and where."""
    for side in (-1, 1):
        points = [
            (100 + side * 25, 150),
            (100 + side * 31, 160),
            (100 + side * 15, 181),
            (100, 168),
        ]
        pen.polygon(points, mix(collar, BLACK, 0.06))
        if outfit == "blazer":
            pen.polygon(
                [
                    (100 + side * 27, 155),
                    (100 + side * 46, 163),
                    (100 + side * 34, 188),
                    (100 + side * front[0], front[1]),
                ],
                dark,
            )


def draw_head(pen: Pen, skin: Colour, ears: bool) -> None:
    """Draw the head, with ears unless hair or a scarf covers them."""
    ear = mix(skin, (150, 60, 50), 0.14)
    for side in (-1, 1) if ears else ():
        pen.ellipse(100 + side * 43, 95, 8, 11, ear)
    pen.shape(
        (100, 42),
        ((128, 42), (143, 62), (143, 88)),
        ((143, 116), (124, 142), (100, 142)),
        ((76, 142), (57, 116), (57, 88)),
        ((57, 62), (72, 42), (100, 42)),
        fill=skin,
    )


def draw_face(pen: Pen, skin: Colour, hair: Colour, age: str) -> None:
    """Draw cheeks, brows and nose; eyes and mouth are svc.media.figure.expression's."""
    blush = mix(skin, (224, 92, 88), {"older": 0.12, "young": 0.3}.get(age, 0.22))
    brow = mix(hair, mix(skin, BLACK, 0.6), 0.35)
    for side in (-1, 1):
        pen.ellipse(100 + side * 27, 110, 9, 6.5, blush)
        eye = 100 + side * 18.5
        curve = ((eye - side * 3, 78.6), (eye + side * 4, 78.6), (eye + side * 9, 82.6))
        pen.stroke((eye - side * 8, 82), curve, fill=brow, width=2.4 if age == "young" else 3)
        if age == "older":
            _draw_lines(pen, side, mix(skin, (110, 50, 40), 0.3))
    nose = mix(skin, (140, 60, 50), 0.34)
    pen.stroke((96, 108), ((98, 111), (102, 111), (104, 108)), fill=nose, width=2.4)


def _draw_lines(pen: Pen, side: int, colour: Colour) -> None:
    """Draw the lines of an older face: at the corner of an eye, beside the mouth,
    on the forehead.
    """
    for rise in (-3, 1):
        corner = (100 + side * 33, 92 + rise / 2)
        pen.stroke(
            corner,
            (corner, (100 + side * 36, 92 + rise), (100 + side * 38, 91 + rise * 1.6)),
            fill=colour,
            width=1.1,
        )
    pen.stroke(
        (100 + side * 15, 109),
        ((100 + side * 20, 113), (100 + side * 22, 118), (100 + side * 22, 122)),
        fill=colour,
        width=1.2,
    )
    pen.stroke(
        (100, 69),
        ((100 + side * 8, 68), (100 + side * 12, 68.5), (100 + side * 16, 70)),
        fill=colour,
        width=1.2,
    )


def draw_beard(pen: Pen, beard: str, skin: Colour, hair: Colour) -> None:
    """Draw a beard around the mouth, which stays free."""
    if beard not in ("short", "full"):
        return
    colour, chin = (mix(skin, hair, 0.42), 142.5) if beard == "short" else (hair, 150)
    pen.shape(
        (57, 92),
        ((58, 120), (74, chin), (100, chin)),
        ((126, chin), (142, 120), (143, 92)),
        ((139, 106), (132, 112), (122, 113)),
        ((112, 112), (106, 114), (100, 114)),
        ((94, 114), (88, 112), (78, 113)),
        ((68, 112), (61, 106), (57, 92)),
        fill=colour,
    )
    pen.shape(
        (82, 122),
        ((86, 116), (94, 117), (100, 117)),
        ((106, 117), (114, 116), (118, 122)),
        ((116, 139), (84, 139), (82, 122)),
        fill=skin,
    )


def draw_glasses(pen: Pen, glasses: str, hair: Colour) -> None:
    """Draw the frame of glasses; the eyes are drawn within it."""
    if glasses not in ("round", "square"):
        return
    colour = _FRAME if compute_luminance(hair) < 0.35 else mix(_FRAME, hair, 0.3)
    for side in (-1, 1):
        x = 100 + side * 18.5
        if glasses == "round":
            pen.ring(x, 93, 13.5, 12.5, colour, 1.8)
        else:
            for first, second in (
                ((-13, -9), (13, -9)),
                ((13, -9), (12, 10)),
                ((12, 10), (-12, 10)),
                ((-12, 10), (-13, -9)),
            ):
                start, end = (x + first[0], 93 + first[1]), (x + second[0], 93 + second[1])
                pen.stroke(start, (start, end, end), fill=colour, width=1.8)
        start, end = (x + side * 13.5, 91), (100 + side * 43, 89)
        pen.stroke(start, (start, end, end), fill=colour, width=1.6)
    pen.stroke((95, 91), ((98, 89.4), (102, 89.4), (105, 91)), fill=colour, width=1.8)
