"""Drawing the presenter: a friendly figure in the avatar's colours, which speaks, blinks,
breathes and moves its head.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from PIL import Image, ImageDraw

from svc.media.colour import BLACK, WHITE, Colour, mix, parse_colour
from svc.media.figure import body, expression, hair
from svc.media.figure.mouth import SHUT
from svc.media.figure.pen import OVERSAMPLING, SPAN, Pen
from svc.media.model import Presenter

_INK = (27, 18, 43)
_UPPER = (True, True, False, False)  # corners that are round
_GREY: Colour = (206, 206, 208)
_NECK = (100.0, 150.0)  # about which the head turns
# How far, in units, body and head rise in a breath, and the head moves in a nod and in a sway.
_LIFT, _RISE, _DIP, _SHIFT = 0.25, 0.35, 1.1, 0.5
_TURN = math.radians(0.45)  # of the head in a sway
_ROOM = 6  # units around a part of the face, for a head that is turned

Box = tuple[int, int, int, int]
# An area, what it shows, and its picture with its place.
FacePart = tuple[Box, tuple[int, ...], tuple[Image.Image, int, int]]


@dataclass(frozen=True)
class Pose:
    """Where body and head are, in small steps; all 0: upright."""

    breath: int = 0  # 0 to 4: drawn in
    sway: int = 0  # -3 to 3: to the left or right
    nod: int = 0  # 0 to 4: down

    def measure_drop(self, size: int) -> int:
        """Return how much lower the head is, in pixels of a figure of ``size``."""
        return round((self.nod * _DIP - self.breath * _RISE) * size / SPAN)

    def measure_lift(self, size: int) -> int:
        """Return how much higher the body is, likewise."""
        return round(self.breath * _LIFT * size / SPAN)


@dataclass(frozen=True)
class Face:
    """The moving parts of a figure.

    The mouth is half way from ``before`` to ``mouth``; a negative ``before`` is the same.
    """

    mouth: int = SHUT  # a shape of svc.media.figure.mouth
    lids: int = expression.OPENED
    before: int = -1
    pose: Pose = Pose()
    cheeks: int = expression.SMILING


STILL = Face()


@dataclass(frozen=True)
class _Layers:
    """The parts of a figure that move on their own, from back to front; all of one size."""

    ground: Image.Image
    back: Image.Image  # moves with the head
    body: Image.Image
    front: Image.Image
    areas: dict[Box, Image.Image]  # of the front, not reduced: where eyes and mouth are drawn


def draw_portrait(
    avatar: Presenter, accent: Colour, size: int, face: Face = STILL, frame: str = "circle"
) -> Image.Image:
    """Return the bust as an RGBA image of ``size`` × ``size`` pixels, transparent outside its
    ``frame``.

    ``frame``: "circle", "rounded" or "square".
    """
    drawn = _draw_posed(avatar, accent, size, frame, face.pose).copy()
    for _, _, (part, left, top) in draw_moving_parts(avatar, accent, size, face):
        drawn.alpha_composite(part, (left, top))
    return drawn


def draw_moving_parts(avatar: Presenter, accent: Colour, size: int, face: Face) -> list[FacePart]:
    """Return eyes and mouth of a figure of ``size``: their area, what they show, and the picture
    with its place.
    """
    before, pose = face.mouth if face.before < 0 else face.before, face.pose
    shown: tuple[tuple[Box, tuple[int, ...]], ...] = (
        (expression.EYES, (face.lids, face.cheeks)),
        (expression.LIPS, (face.mouth, before, face.cheeks)),
    )
    parts: list[FacePart] = []
    for area, state in shown:
        part = _part(avatar, accent, size, area, state, pose.sway)
        left, top = _corner(area, size, pose.sway)
        parts.append((area, state, (part, left, top + pose.measure_drop(size))))
    return parts


def outfit_of(avatar: Presenter) -> str:
    """Return what an avatar wears; a jumper if it is unknown."""
    return avatar.outfit if avatar.outfit in body.OUTFITS else "jumper"


def make_still_face(is_calm: bool) -> Face:
    """Return the face of somebody who says nothing: with a smile, unless it is calm."""
    return Face(cheeks=expression.CALM) if is_calm else STILL


def draw_badge(accent: Colour, size: int, frame: str) -> Image.Image:
    """Return what is behind the presenter, in its ``frame``, as RGBA."""
    pen = Pen(size * OVERSAMPLING)
    _draw_ground(pen, accent)
    return _crop_to_frame(pen.image.reduce(OVERSAMPLING).convert("RGB"), accent, frame)


def frame_picture(picture: Image.Image, accent: Colour, frame: str) -> Image.Image:
    """Return an uploaded square ``picture`` in ``frame``."""
    return _crop_to_frame(picture.convert("RGB"), accent, frame)


@lru_cache(maxsize=32)
def _draw_posed(
    avatar: Presenter, accent: Colour, size: int, frame: str, pose: Pose
) -> Image.Image:
    """Return the figure in ``pose`` and in its frame, without eyes and mouth."""
    layers = _draw_layers(avatar, accent, size)
    back, front = draw_heads(avatar, accent, size, pose.sway)
    drawn = layers.ground.copy()
    _paste_lowered(drawn, back, pose.measure_drop(size))
    _paste_lowered(drawn, layers.body, -pose.measure_lift(size))
    _paste_lowered(drawn, front, pose.measure_drop(size))
    return _crop_to_frame(drawn.convert("RGB"), accent, frame)


def _paste_lowered(drawn: Image.Image, layer: Image.Image, down: int) -> None:
    """Draw ``layer`` so many pixels lower, or higher."""
    drawn.alpha_composite(layer, (0, max(0, down)), (0, max(0, -down)))


@lru_cache(maxsize=32)
def draw_heads(
    avatar: Presenter, accent: Colour, size: int, sway: int
) -> tuple[Image.Image, Image.Image]:
    """Draw what moves with the head, behind and before the body, turned by ``sway``."""
    layers, whole = _draw_layers(avatar, accent, size), (0, 0, size, size)
    back, front = (
        _turn_with_head(layer, size, sway, whole, (0, 0)) for layer in (layers.back, layers.front)
    )
    return back, front


def _turn_with_head(
    picture: Image.Image, size: int, sway: int, box: Box, origin: tuple[int, int]
) -> Image.Image:
    """Return ``box`` of a figure of ``size`` pixels with ``picture``, whose place is ``origin``,
    turned as the head is.
    """
    if sway == 0:
        return picture
    scale, cos, sin = size / SPAN, math.cos(sway * _TURN), math.sin(sway * _TURN)
    x, y = (_NECK[0] + sway * _SHIFT) * scale, _NECK[1] * scale  # of the neck, in pixels
    left, top = box[0] - x, box[1] - y
    data: Any = (
        cos,
        sin,
        cos * left + sin * top + _NECK[0] * scale - origin[0],
        -sin,
        cos,
        -sin * left + cos * top + _NECK[1] * scale - origin[1],
    )
    return picture.transform(
        (box[2] - box[0], box[3] - box[1]), Image.Transform.AFFINE, data, Image.Resampling.BILINEAR
    )


def _corner(area: Box, size: int, sway: int) -> tuple[int, int]:
    """Return where a part of the face begins: with room around it if the head is turned."""
    left, top, _, _ = _edges(area, size)
    room = round(_ROOM * size / SPAN) if sway else 0
    return left - room, top - room


def _edges(area: Box, size: int) -> Box:
    left, top, right, bottom = (round(edge * size / SPAN) for edge in area)
    return left, top, right, bottom


@lru_cache(maxsize=512)
def _part(
    avatar: Presenter, accent: Colour, size: int, area: Box, state: tuple[int, ...], sway: int
) -> Image.Image:
    """Return a part of the face, ``area``, as RGBA: the eyes with their lids,
    or the mouth between two shapes.
    """
    left, top, right, bottom = _edges(area, size)
    if sway:
        x, y = _corner(area, size, sway)
        still = _part(avatar, accent, size, area, state, 0)
        return _turn_with_head(
            still, size, sway, (x, y, right + left - x, bottom + top - y), (left, top)
        )
    bare = _draw_layers(avatar, accent, size).areas[area].copy()
    pen, skin = Pen(size * OVERSAMPLING, bare, (left, top)), parse_colour(avatar.skin)
    if area == expression.EYES:
        expression.draw_eyes(pen, skin, *state)
    else:
        expression.draw_mouth(pen, skin, *state)
    return pen.image.reduce(OVERSAMPLING)


@lru_cache(maxsize=4)  # small and as a host, in two shapes
def _draw_layers(avatar: Presenter, accent: Colour, size: int) -> _Layers:
    """Draw everything but eyes and mouth."""
    skin, clothes = parse_colour(avatar.skin), parse_colour(avatar.clothes)
    strands = (
        mix(parse_colour(avatar.hair), _GREY, 0.62)
        if avatar.age == "older"
        else parse_colour(avatar.hair)
    )
    style = avatar.hair_style if avatar.hair_style in hair.HAIR_STYLES else "short"
    strands = parse_colour(avatar.hair) if style == "scarf" else strands
    light = Pen(size * OVERSAMPLING)
    _draw_ground(light, accent)
    ground = light.image.reduce(OVERSAMPLING)
    behind = Pen(size * OVERSAMPLING)
    hair.draw_behind(behind, style, strands)
    back = behind.image.reduce(OVERSAMPLING)
    bust = Pen(size * OVERSAMPLING)
    body.draw_body(bust, skin, clothes, outfit_of(avatar))
    below = bust.image.reduce(OVERSAMPLING)
    front = Pen(size * OVERSAMPLING)
    body.draw_head(front, skin, style not in hair.COVERED_EARS)
    body.draw_beard(front, avatar.beard, skin, strands)
    body.draw_face(front, skin, strands, avatar.age)
    hair.draw_before(front, style, strands)
    body.draw_glasses(front, avatar.glasses, strands)
    areas = {
        area: _crop_large(front.image, _edges(area, size))
        for area in (expression.EYES, expression.LIPS)
    }
    return _Layers(ground, back, below, front.image.reduce(OVERSAMPLING), areas)


def _crop_large(image: Image.Image, box: Box) -> Image.Image:
    """Return ``box``, in pixels of the small picture, of one that is not reduced yet."""
    left, top, right, bottom = (edge * OVERSAMPLING for edge in box)
    return image.crop((left, top, right, bottom))


def _draw_ground(pen: Pen, accent: Colour) -> None:
    """Draw a soft light behind the head, in the brand's colour."""
    far, near = mix(accent, BLACK, 0.58), mix(accent, WHITE, 0.12)
    rings = 120
    pen.image.paste(far, (0, 0, *pen.image.size))
    for ring in range(rings):
        radius = 160 * (1 - ring / rings)
        pen.ellipse(100, 84, radius, radius, mix(far, near, math.sin(ring / rings * math.pi / 2)))


def _crop_to_frame(image: Image.Image, accent: Colour, frame: str) -> Image.Image:
    """Crop to the frame, and add a thin ring around a circle or an arch."""
    mask, ring = _masks(image.width, frame)
    if ring is not None:
        image.paste(_INK if frame == "arch" else mix(accent, WHITE, 0.55), (0, 0), ring)
    image.putalpha(mask)
    return image


@lru_cache(maxsize=8)
def _masks(size: int, frame: str) -> tuple[Image.Image, Image.Image | None]:
    """Return the shape of a frame, and the ring around a circle or an arch."""
    large = size * OVERSAMPLING
    mask = Image.new("L", (large, large), 255 if frame == "square" else 0)
    ring = None
    outline = [0, 0, large - 1, large - 1]
    if frame == "circle":
        ImageDraw.Draw(mask).ellipse(outline, fill=255)
        ring = Image.new("L", (large, large))
        ImageDraw.Draw(ring).ellipse(outline, outline=255, width=max(1, round(large * 0.012)))
        ring = ring.reduce(OVERSAMPLING)
    if frame == "arch":  # a half-circle on a box
        ImageDraw.Draw(mask).rounded_rectangle(outline, large / 2, fill=255, corners=_UPPER)
        ring, thick = mask.copy(), max(1, round(large * 0.014))
        inner = [thick, thick, large - 1 - thick, large - 1 - thick]
        ImageDraw.Draw(ring).rounded_rectangle(inner, large / 2 - thick, fill=0, corners=_UPPER)
        ring = ring.reduce(OVERSAMPLING)
    if frame == "rounded":
        ImageDraw.Draw(mask).rounded_rectangle(outline, large * 0.24, fill=255)
    return mask.reduce(OVERSAMPLING), ring
