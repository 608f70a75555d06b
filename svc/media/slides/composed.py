"""Composed scenes: the heading and one clause in large type over the sky, and up to five pictures at several depths.

The first picture is the largest. A scene without pictures is one of type, with balls in the brand's colours.
"""

import re
from dataclasses import dataclass, replace

from svc.media.drawing import sprites, typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.colour import WHITE, luminance, mix, to_hex
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface
from svc.media.drawing.sprites import Sprite
from svc.media.drawing.typesetting import TextBlock, Typeface
from svc.media.model import Scene
from svc.media.pictures import collection, illustration
from svc.media.slides import headings

MOST = 5  # pictures of one scene
_WIDTH, _TEXT = 0.54, 0.42  # of the content's width, for text beside pictures; of its height, for text above them
_LEADING = 1.1
_ALONE = 1.42  # times the title's size, without pictures
_SHADOW = 0.05  # of its size: how far a picture's shadow goes below its foot
_GROUND = 0.8  # of the height: where the feet of the first picture are in a wide frame, at the lowest
_BALLS = ((0.955, -10, 150, 0.5), (0.865, -3, 74, 0.9))  # across, below the content, their size, and their depth
_AROUND = 60  # in 1/1080 of the short side: how far from a ball there is no text
_BRIGHT = 0.12  # luminance of a ball in the brand's colour, at least
_FLIES = re.compile(  # names of pictures that look right in the air
    r"\b(sun|moon|star|cloud|rain|rainbow|snow|snowflake|lightning|voltage|balloon|airplane|helicopter|rocket|satellite|comet|bird|"
    r"butterfly|honeybee|bee|dove|eagle|owl|duck|parrot|bat|droplet|sparkles|heart|bulb|bell|envelope|speech|thought|note|notes|"
    r"leaf|kite|parachute|fire|bubbles|magnifying|mark|wings|megaphone|loudspeaker|key|clock|watch|flying|saucer|planet|globe)\b"
)
_CHIP = (26, 11)  # around the text of the heading, in 1/1080 of the short side


@dataclass(frozen=True)
class _Slot:
    """A place for a picture: the middle and the foot in shares of their box, the size in shares of the largest one's."""

    x: float
    foot: float
    size: float
    depth: float
    floats: bool = False


_BESIDE_ONE = (_Slot(0.06, 1.0, 0.2, 0.8), _Slot(1.0, 0.99, 0.13, 0.95))  # the balls beside a single picture
# The first is the largest; each list is for so many pictures. Sizes are in shares of the first one's.
_BESIDE = {
    1: (_Slot(0.54, 0.96, 1.0, 0.35),),
    2: (_Slot(0.62, 0.93, 1.0, 0.3), _Slot(0.13, 1.0, 0.56, 0.8)),
    3: (_Slot(0.6, 0.93, 1.0, 0.3), _Slot(0.12, 1.0, 0.54, 0.8), _Slot(0.98, 0.2, 0.36, -0.6, True)),
    4: (
        _Slot(0.58, 0.91, 1.0, 0.3), _Slot(0.1, 1.0, 0.52, 0.8), _Slot(0.97, 0.2, 0.34, -0.6, True),
        _Slot(1.0, 1.0, 0.44, 0.95),
    ),
    5: (
        _Slot(0.57, 0.9, 1.0, 0.3), _Slot(0.12, 0.98, 0.5, 0.8), _Slot(0.97, 0.2, 0.32, -0.6, True),
        _Slot(1.0, 1.0, 0.44, 0.95), _Slot(0.1, 0.16, 0.28, -0.4, True),
    ),
}  # fmt: skip
_BELOW = {
    1: (_Slot(0.5, 0.96, 1.0, 0.35),),
    2: (_Slot(0.58, 0.92, 1.0, 0.3), _Slot(0.17, 1.0, 0.55, 0.8)),
    3: (_Slot(0.52, 0.92, 1.0, 0.3), _Slot(0.13, 1.0, 0.5, 0.8), _Slot(0.9, 0.32, 0.34, -0.6, True)),
    4: (
        _Slot(0.5, 0.91, 1.0, 0.3), _Slot(0.12, 1.0, 0.48, 0.8), _Slot(0.9, 0.3, 0.32, -0.6, True),
        _Slot(0.88, 1.0, 0.42, 0.95),
    ),
    5: (
        _Slot(0.5, 0.9, 1.0, 0.3), _Slot(0.12, 1.0, 0.46, 0.8), _Slot(0.9, 0.28, 0.3, -0.6, True),
        _Slot(0.88, 1.0, 0.42, 0.95), _Slot(0.08, 0.42, 0.26, -0.4, True),
    ),
}  # fmt: skip


def is_composed(canvas: Canvas) -> bool:
    """Return whether the look composes its scenes."""
    return bool(canvas.palette.sky)


def names(scene: Scene) -> list[str]:
    """Return the names of the scene's pictures, the main one first, each once."""
    known = (name for name in (scene.illustration, *scene.companions) if illustration.can_draw(name))
    return list(dict.fromkeys(known))[:MOST]


def draw(canvas: Canvas, scene: Scene, text: str, part: str = "text", kicker: bool = True) -> None:
    """Draw ``text`` in large type, and place the scene's pictures. ``kicker``: its heading stands above the text."""
    shown = names(scene)
    left, top, right, bottom = canvas.plan.content
    wide, tall = right - left, bottom - top
    room = canvas.plan.content
    if shown and canvas.plan.stacked:
        room = (left, top, right, top + round(tall * _TEXT))
    elif shown:
        width = round(wide * _WIDTH)
        room = (right - width, top, right, bottom) if canvas.right_to_left else (left, top, left + width, bottom)
    heading = _kicker(canvas, scene, text, room[2] - room[0]) if kicker else None
    foot = _type(canvas, heading, text, room, part, bool(shown))
    if shown:
        canvas.sprites += _placed(canvas, shown, foot)
    else:
        add_balls(canvas)


def add_balls(canvas: Canvas) -> None:
    """Place two balls in the brand's colours on the ground where the frame ends, if no text is there."""
    plan = canvas.plan
    far = plan.px(_AROUND)
    for turn, (share, down, size, depth) in enumerate(_BALLS):
        x, foot, side = _side(canvas, share), plan.content[3] + round(down * plan.unit), plan.px(size)
        box = (x - side // 2 - far, foot - side - far // 4, x + side // 2 + far, foot)
        if not any(_overlap(box, text.box) for text in canvas.lettering):
            canvas.sprites.append(Sprite(sprites.BALL, x, foot, side, depth, turn=turn, colour=_ball(canvas, turn)))


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _ball(canvas: Canvas, number: int) -> str:
    """Return the colour of a ball: the brand's as it is, unless that is the sky, or a light's, brighter."""
    own = canvas.palette.fields[0].colour
    if number == 0 and luminance(own) > _BRIGHT:
        return to_hex(own)
    return to_hex(mix(canvas.palette.sky[number], WHITE, 0.4))


def _type(canvas: Canvas, kicker: TextBlock | None, text: str, room: Box, part: str, pictures: bool) -> int:
    """Draw kicker and text, and return the y below them. ``pictures``: there are some beside or below."""
    plan, (left, top, right, bottom) = canvas.plan, room
    above = kicker.height + plan.px(_CHIP[1] * 2 + 26) if kicker else 0
    size = plan.sizes.title * (1.0 if pictures else _ALONE) * (1.08 if part == "title" else 1.0)
    face = canvas.heading_face(round(size), canvas.look.title_weight, _LEADING)
    face = _whole(text, right - left, face)
    block = typesetting.fit_display(text, right - left, bottom - top - above, face, min(face.size, plan.sizes.label))
    free = bottom - top - above - block.height
    if not pictures:
        start = top + max(0, round(free * 0.42))
    elif plan.stacked:
        start = top
    else:
        start = top + max(0, min(round(free * 0.4), plan.px(120)))
    if kicker:
        _chip(canvas, kicker, start, (left, right))
        start += above
    canvas.block(block, (left, start, right, bottom), canvas.palette.ink, "start", part)
    return start + block.height


def _whole(text: str, width: int, face: Typeface) -> Typeface:
    """Return ``face`` in the size in which the longest word is not broken, if that is at least half as large."""
    widest = max((typesetting.word_width(piece, face) for piece in typesetting.pieces(text)), default=0)
    share = width / max(1, widest)
    return replace(face, size=int(face.size * share)) if 0.5 <= share < 1 else face


def _kicker(canvas: Canvas, scene: Scene, text: str, width: int) -> TextBlock | None:
    """Return the scene's heading in small type; None if there is none, or the text repeats it."""
    heading = scene.heading.strip()
    if not heading or heading.strip(" .,:;!?").casefold() == text.strip(" .,:;!?").casefold():
        return None
    face = canvas.text_face(round(canvas.plan.sizes.label * 1.06), 680, 1.2)
    block = typesetting.fit(headings.numbered(scene), width - 2 * canvas.plan.px(_CHIP[0]), face.line_height, face, face.size)
    if not headings.is_cut(block, headings.numbered(scene)):
        return block
    return typesetting.fit(
        headings.numbered(scene), width - 2 * canvas.plan.px(_CHIP[0]), 2 * face.line_height, face, canvas.plan.sizes.least
    )


def _chip(canvas: Canvas, block: TextBlock, top: int, edges: tuple[int, int]) -> None:
    """Draw the heading on a field of the brand's colour as it is."""
    plan, field = canvas.plan, canvas.palette.fields[0]
    across, down = (plan.px(each) for each in _CHIP)
    left, right = canvas.start_edge((*edges[:1], top, edges[1], top), round(block.width) + 2 * across)
    foot = top + block.height + 2 * down
    radius = min((block.face.line_height + 2 * down) // 2, (foot - top) // 2)
    canvas.draw_panel((left, top, right, foot), radius, Surface(field.colour, 1.0, field.ink))
    canvas.block(block, (left + across, top + down, right - across, foot), field.ink, "start", "heading")


def _placed(canvas: Canvas, shown: list[str], foot: int) -> list[Sprite]:
    """Return the pictures at their places, those at the back first."""
    plan, (left, top, right, bottom) = canvas.plan, canvas.plan.content
    if plan.stacked:
        edge = plan.px(36)
        box = (edge, foot + plan.px(30), plan.width - edge, bottom)
        main = min(plan.px(sprites.LARGEST), box[3] - box[1], round((box[2] - box[0]) * 0.64))
        slots = _BELOW[len(shown)]
    else:
        start = left + round((right - left) * (_WIDTH + 0.04))
        box = (start, top, min(plan.width, right + plan.px(20)), min(bottom, round(plan.height * _GROUND)))
        main = min(plan.px(sprites.LARGEST), round((box[3] - box[1]) * 0.9), round((box[2] - box[0]) * 0.8))
        slots = _BESIDE[len(shown)]
    placed = []
    balls = [(sprites.BALL, slot) for slot in _BESIDE_ONE] if len(shown) == 1 else []
    for turn, (name, slot) in enumerate([*_in_slots(shown, slots), *balls]):
        size = max(8, round(main * slot.size))
        x = round(box[0] + (box[2] - box[0]) * slot.x)
        x = min(max(x, size // 2 - size // 8), plan.width - size // 2 + size // 8)
        y = round(box[1] + (box[3] - box[1]) * slot.foot)
        y = max(y, box[1] + size) if slot.floats else y
        y = min(y, bottom - round(size * _SHADOW))
        colour = _ball(canvas, turn - 1) if name == sprites.BALL else _outline(canvas, name)
        mirrored = plan.width - x if canvas.right_to_left else x
        placed.append(Sprite(name, mirrored, y, size, slot.depth, slot.floats, turn, colour))
    return sorted(placed, key=lambda sprite: (not sprite.floats and sprite.turn > 0, sprite.foot))


def _in_slots(shown: list[str], slots: tuple[_Slot, ...]) -> list[tuple[str, _Slot]]:
    """Return the pictures in their order, each with its slot: what flies floats, as far as there are such pictures."""
    chosen = {shown[0]: slots[0]}
    for slot in sorted(slots[1:], key=lambda slot: not slot.floats):
        left = [name for name in shown if name not in chosen]
        fitting = [name for name in left if bool(_FLIES.search(name)) == slot.floats]
        chosen[(fitting or left)[0]] = slot
    return [(name, chosen[name]) for name in shown]


def _outline(canvas: Canvas, name: str) -> str:
    """Return the colour of a country's shape; other pictures have their own."""
    return to_hex(canvas.palette.solid) if collection.takes_colour(name) else "#000000"


def _side(canvas: Canvas, share: float) -> int:
    return round(canvas.plan.width * (1 - share if canvas.right_to_left else share))
