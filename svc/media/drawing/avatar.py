"""Drawing the presenter: a friendly face in the avatar's colours, with a speaking mouth and blinking eyes."""

import math
from dataclasses import dataclass
from functools import lru_cache, partial

from PIL import Image, ImageDraw

from svc.media.drawing.colour import BLACK, WHITE, Colour, luminance, mix, parse
from svc.media.drawing.mouth import BITE, OPEN, PARTED, ROUND, SHUT, WIDE
from svc.media.model import Presenter

HAIR_STYLES = ("short", "long", "bun")
_OVERSAMPLING = 4  # drawn this many times larger, then reduced, for smooth edges
_SPAN = 200.0  # the drawing's own units across the circle
_INK: Colour = (38, 28, 32)  # eyes; softer than black
_LIPS: Colour = (168, 74, 74)
_THROAT: Colour = (112, 38, 44)
_TEETH: Colour = (250, 246, 242)
_EYES, _LIPS_AREA = (74, 85, 126, 101), (80, 114, 120, 142)  # left, top, right, bottom of the moving parts

Point = tuple[float, float]


@dataclass(frozen=True)
class Face:
    """The moving parts of a face."""

    mouth: int = SHUT  # a shape of svc.media.drawing.mouth
    blinks: bool = False


STILL = Face()


@lru_cache(maxsize=64)
def portrait(avatar: Presenter, accent: Colour, size: int, face: Face = STILL, frame: str = "circle") -> Image.Image:
    """Return the bust as an RGBA image of ``size`` × ``size`` pixels, transparent outside its ``frame``.

    ``frame``: "circle", "rounded" or "square". The image is shared: do not draw on it.
    """
    drawn = _still(avatar, accent, size, frame).copy()
    large = _bust(avatar, accent, size)
    for part, draw in ((_EYES, partial(_eyes, blinks=face.blinks)), (_LIPS_AREA, partial(_mouth, mouth=face.mouth))):
        left, top, right, bottom = (round(edge * size / _SPAN) for edge in part)
        area = large.crop((left * _OVERSAMPLING, top * _OVERSAMPLING, right * _OVERSAMPLING, bottom * _OVERSAMPLING))
        pen = _Pen(size * _OVERSAMPLING, area, (left, top))
        draw(pen, skin=parse(avatar.skin))
        drawn.paste(pen.image.reduce(_OVERSAMPLING), (left, top))
    return drawn


def framed(picture: Image.Image, accent: Colour, frame: str) -> Image.Image:
    """Return an uploaded square ``picture`` in ``frame``."""
    size = picture.width
    large = picture.convert("RGB").resize((size * _OVERSAMPLING, size * _OVERSAMPLING), Image.Resampling.NEAREST)
    return _framed(large, accent, frame)


@lru_cache(maxsize=8)
def _still(avatar: Presenter, accent: Colour, size: int, frame: str) -> Image.Image:
    return _framed(_bust(avatar, accent, size).copy(), accent, frame)


@lru_cache(maxsize=4)
def _bust(avatar: Presenter, accent: Colour, size: int) -> Image.Image:
    """Draw everything that does not move, ``_OVERSAMPLING`` times larger."""
    pen = _Pen(size * _OVERSAMPLING)
    skin, hair, clothes = parse(avatar.skin), parse(avatar.hair), parse(avatar.clothes)
    style = avatar.hair_style if avatar.hair_style in HAIR_STYLES else "short"
    _ground(pen, accent)
    _hair_behind(pen, style, hair)
    _body(pen, skin, clothes)
    _head(pen, style, skin)
    _face(pen, skin, hair)
    _hair_before(pen, style, hair)
    return pen.image


class _Pen:
    """Draws shapes in the drawing's own units (0 to 200, y downwards) on a large canvas, or on a part of one."""

    def __init__(self, pixels: int, part: Image.Image | None = None, origin: tuple[int, int] = (0, 0)):
        """``part``: the part of the canvas that begins at ``origin`` (pixels of the small picture)."""
        self.scale = pixels / _SPAN
        self.image = part or Image.new("RGB", (pixels, pixels))
        self.draw = ImageDraw.Draw(self.image)
        self._left, self._top = (edge * _OVERSAMPLING for edge in origin)

    def ellipse(self, x: float, y: float, across: float, down: float, fill: Colour) -> None:
        """Draw an ellipse centred on x, y with half axes ``across`` and ``down``."""
        self.draw.ellipse([*self._place(x - across, y - down), *self._place(x + across, y + down)], fill=fill)

    def shape(self, start: Point, *curves: tuple[Point, Point, Point], fill: Colour) -> None:
        """Fill a closed outline of cubic Bézier curves, each given by two handles and an end point."""
        self.draw.polygon([self._place(x, y) for x, y in _outline(start, curves)], fill=fill)

    def stroke(self, start: Point, *curves: tuple[Point, Point, Point], fill: Colour, width: float) -> None:
        """Draw a line with round ends along cubic Bézier curves."""
        for x, y in _outline(start, curves, steps=60):
            self.ellipse(x, y, width / 2, width / 2, fill)

    def _place(self, x: float, y: float) -> Point:
        return x * self.scale - self._left, y * self.scale - self._top


def _outline(start: Point, curves, steps: int = 40) -> list[Point]:
    points, last = [start], start
    for first, second, end in curves:
        for step in range(1, steps + 1):
            points.append(_bezier(last, first, second, end, step / steps))
        last = end
    return points


def _bezier(a: Point, b: Point, c: Point, d: Point, t: float) -> Point:
    u = 1 - t
    weights = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
    x, y = (sum(w * p[axis] for w, p in zip(weights, (a, b, c, d), strict=True)) for axis in (0, 1))
    return x, y


def _ground(pen: _Pen, accent: Colour) -> None:
    """Draw a soft light behind the head, in the brand's colour."""
    far, near = mix(accent, BLACK, 0.58), mix(accent, WHITE, 0.12)
    rings = 120
    for ring in range(rings):
        radius = 160 * (1 - ring / rings)
        pen.ellipse(100, 84, radius, radius, mix(far, near, math.sin(ring / rings * math.pi / 2)))


def _hair_behind(pen: _Pen, style: str, hair: Colour) -> None:
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


def _body(pen: _Pen, skin: Colour, clothes: Colour) -> None:
    pen.shape(
        (10, 214),
        ((12, 172), (40, 163), (78, 154)),
        ((90, 151), (110, 151), (122, 154)),
        ((160, 163), (188, 172), (190, 214)),
        fill=clothes,
    )
    lapel = mix(clothes, WHITE, 0.16)
    pen.shape((74, 152), ((82, 172), (118, 172), (126, 152)), ((124, 186), (76, 186), (74, 152)), fill=lapel)
    neck = mix(skin, (120, 50, 40), 0.2)
    pen.shape(
        (83, 120),
        ((83, 140), (84, 148), (77, 153)),
        ((86, 171), (114, 171), (123, 153)),
        ((116, 148), (117, 140), (117, 120)),
        fill=neck,
    )


def _head(pen: _Pen, style: str, skin: Colour) -> None:
    ear = mix(skin, (150, 60, 50), 0.14)
    for side in () if style == "long" else (-1, 1):
        pen.ellipse(100 + side * 43, 95, 8, 11, ear)
    pen.shape(
        (100, 42),
        ((128, 42), (143, 62), (143, 88)),
        ((143, 116), (124, 142), (100, 142)),
        ((76, 142), (57, 116), (57, 88)),
        ((57, 62), (72, 42), (100, 42)),
        fill=skin,
    )


def _face(pen: _Pen, skin: Colour, hair: Colour) -> None:
    blush = mix(skin, (224, 92, 88), 0.22)
    brow = mix(hair, mix(skin, BLACK, 0.6), 0.35)
    for side in (-1, 1):
        pen.ellipse(100 + side * 27, 110, 9, 6.5, blush)
        eye = 100 + side * 18.5
        pen.stroke(
            (eye - side * 8, 82), ((eye - side * 3, 78.6), (eye + side * 4, 78.6), (eye + side * 9, 82.6)), fill=brow, width=3
        )
    nose = mix(skin, (140, 60, 50), 0.34)
    pen.stroke((96, 108), ((98, 111), (102, 111), (104, 108)), fill=nose, width=2.4)


def _eyes(pen: _Pen, skin: Colour, blinks: bool) -> None:
    for eye in (81.5, 118.5):
        if blinks:
            lid = mix(skin, _INK, 0.75)
            pen.stroke((eye - 5.4, 93.6), ((eye - 2.4, 96.4), (eye + 2.4, 96.4), (eye + 5.4, 93.6)), fill=lid, width=2.4)
        else:
            pen.ellipse(eye, 93, 4.6, 5.4, _INK)
            pen.ellipse(eye + 1.5, 91, 1.5, 1.6, WHITE)


def _mouth(pen: _Pen, skin: Colour, mouth: int) -> None:
    lips = mix(_LIPS, skin, 0.12) if luminance(skin) > 0.25 else mix(skin, (70, 12, 24), 0.6)
    if mouth == SHUT:
        pen.stroke((88, 121), ((94, 127.5), (106, 127.5), (112, 121)), fill=lips, width=3)
    elif mouth == ROUND:
        pen.ellipse(100, 125, 7.6, 8.2, lips)
        pen.ellipse(100, 125, 4.8, 5.6, _THROAT)
    elif mouth == BITE:
        pen.stroke((89, 124), ((95, 128.5), (105, 128.5), (111, 124)), fill=lips, width=3.4)
        pen.shape((92, 121), ((97, 122), (103, 122), (108, 121)), ((106, 126), (94, 126), (92, 121)), fill=_TEETH)
    else:
        half, depth = {PARTED: (12.5, 130.5), OPEN: (13, 138), WIDE: (16.5, 130)}[mouth]
        _open_mouth(pen, half, depth, 120, 3, _THROAT)
        _open_mouth(pen, half - 4, 125, 121, 2, _TEETH)


def _open_mouth(pen: _Pen, half: float, depth: float, top: float, inset: float, fill: Colour) -> None:
    """Draw a mouth shape, ``half`` of its width to either side, from ``top`` down to ``depth``."""
    left, right = 100 - half, 100 + half
    upper = ((95, top + 2), (105, top + 2), (right, top))
    pen.shape((left, top), upper, ((right - inset, depth), (left + inset, depth), (left, top)), fill=fill)


def _hair_before(pen: _Pen, style: str, hair: Colour) -> None:
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
    if style == "long":
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
    if style == "bun":
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


def _framed(image: Image.Image, accent: Colour, frame: str) -> Image.Image:
    """Crop to the frame, add a thin ring around a circle, and reduce."""
    large = image.width
    mask = Image.new("L", image.size, 255 if frame == "square" else 0)
    outline = [0, 0, large - 1, large - 1]
    if frame == "circle":
        ImageDraw.Draw(mask).ellipse(outline, fill=255)
        ImageDraw.Draw(image).ellipse(outline, outline=mix(accent, WHITE, 0.55), width=max(1, round(large * 0.012)))
    if frame == "rounded":
        ImageDraw.Draw(mask).rounded_rectangle(outline, large * 0.24, fill=255)
    image.putalpha(mask)
    return image.reduce(_OVERSAMPLING)
