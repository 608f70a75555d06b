"""Composed scenes: the heading and one clause in large type over the sky, and up to five pictures
at several depths.

The first picture is the largest. A scene without pictures is one of type, with balls in the brand's
colours.
"""

import re
from dataclasses import dataclass, replace

from svc.media.artwork import collection
from svc.media.colour import WHITE, compute_luminance, mix, to_hex
from svc.media.drawing import sprites, typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box, FrameLayout
from svc.media.drawing.palette import Surface
from svc.media.drawing.sprites import Sprite
from svc.media.drawing.typesetting import TextBlock
from svc.media.model import Scene
from svc.media.pictures import illustration
from svc.media.slides import headings, hosting, key_phrases, small_print
from svc.media.slides.counting import count_up
from svc.media.slides.framings import (
    CLAUSE,
    FIGURE,
    HEADING,
    PICTURES,
    TYPE,
    Framing,
    begins_anew,
    find_words_without_captions,
    is_without_captions,
    list_framings,
    list_pictures_of,
    match_pieces_to_words,
)

MOST = 5  # pictures of one scene
# The share of the content's width for text beside pictures, and of its height for text above them.
_WIDTH, _TEXT = 0.54, 0.42
_LEADING = 1.1
_BEYOND = 0.1  # of its size: by how much the letters of a text may be taller than its lines
_ALONE = 1.42  # times the title's size, without pictures
_LEAST_WHOLE = 0.8  # times the title's size, in which a long word is still set whole
TITLE = "title"  # the part of a scene that a title is
_LARGEST_TYPE = 1.9  # times the title's size, where it has the frame: it is set as large as it fits
_FREE = 1.3  # times the title's size, above pictures that have the captions' place
_FIGURE, _FIGURE_ALONE = 1.9, 2.9  # times the title's size: a figure beside pictures, and alone
_TITLE = 1.08  # times that size: a title
_SHADOW = 0.05  # of its size: how far a picture's shadow goes below its foot
# Where the feet of the first picture are at the lowest in a wide frame, in shares of the height.
_GROUND = 0.8
# Balls in the corner of the ground, clear of content and captions: across and down in shares of the
# frame, their size in 1/1080 of the short side. A tall frame has room below its captions.
_BALLS = {
    "wide": ((0.972, 0.975, 142), (0.9, 0.955, 66)),
    "tall": ((0.85, 0.975, 264), (0.6, 0.945, 104)),
    "square": ((0.995, 0.985, 104), (0.005, 0.975, 60)),
}
_CLEAR = 14  # in 1/1080 of the short side: between text and a ball below it
_TALL = 1.5  # height by width, from which platforms cover what is below the captions
_BRIGHT = 0.12  # luminance of a ball in the brand's colour, at least
_FLIES = re.compile(  # names of pictures that look right in the air
    r"\b(sun|moon|star|cloud|rain|rainbow|snow|snowflake|lightning|voltage|balloon|airplane|"
    r"helicopter|rocket|satellite|comet|bird|butterfly|honeybee|bee|dove|eagle|owl|duck|parrot|"
    r"bat|droplet|sparkles|heart|bulb|bell|envelope|speech|thought|note|notes|leaf|kite|parachute|"
    r"fire|bubbles|magnifying|mark|wings|megaphone|loudspeaker|key|clock|watch|flying|saucer|"
    r"planet|globe)\b"
)
# Compositions of large type that is alone, in turn, so that no two in a row look alike: as it is,
# beside a bar, and centred below a rule. Sizes in 1/1080 of the short side: the bar's width and its
# distance, the rule's length, width and distance.
TURNS = 3
_PLAIN, _BESIDE_BAR, _BELOW_RULE = range(TURNS)
_BAR, _RULE = (16, 44), (132, 14, 46)
_CHIP = (26, 11)  # around the text of the heading, in 1/1080 of the short side


@dataclass(frozen=True)
class _Slot:
    """A place for a picture: the middle and the foot in shares of their box,
    the size in shares of the largest one's.
    """

    x: float
    foot: float
    size: float
    depth: float
    floats: bool = False


# The first is the largest; each list is for so many pictures. Sizes are in shares of the first
# one's.
_BESIDE = {
    1: (_Slot(0.54, 0.96, 1.0, 0.35),),
    2: (_Slot(0.62, 0.93, 1.0, 0.3), _Slot(0.13, 1.0, 0.56, 0.8)),
    3: (
        _Slot(0.6, 0.93, 1.0, 0.3),
        _Slot(0.12, 1.0, 0.54, 0.8),
        _Slot(0.98, 0.2, 0.36, -0.6, True),
    ),
    4: (
        _Slot(0.58, 0.91, 1.0, 0.3),
        _Slot(0.1, 1.0, 0.52, 0.8),
        _Slot(0.97, 0.2, 0.34, -0.6, True),
        _Slot(1.0, 1.0, 0.44, 0.95),
    ),
    5: (
        _Slot(0.57, 0.9, 1.0, 0.3),
        _Slot(0.12, 0.98, 0.5, 0.8),
        _Slot(0.97, 0.2, 0.32, -0.6, True),
        _Slot(1.0, 1.0, 0.44, 0.95),
        _Slot(0.1, 0.16, 0.28, -0.4, True),
    ),
}
_BELOW = {
    1: (_Slot(0.5, 0.96, 1.0, 0.35),),
    2: (_Slot(0.58, 0.92, 1.0, 0.3), _Slot(0.17, 1.0, 0.55, 0.8)),
    3: (
        _Slot(0.52, 0.92, 1.0, 0.3),
        _Slot(0.13, 1.0, 0.5, 0.8),
        _Slot(0.9, 0.32, 0.34, -0.6, True),
    ),
    4: (
        _Slot(0.5, 0.91, 1.0, 0.3),
        _Slot(0.12, 1.0, 0.48, 0.8),
        _Slot(0.9, 0.3, 0.32, -0.6, True),
        _Slot(0.88, 1.0, 0.42, 0.95),
    ),
    5: (
        _Slot(0.5, 0.9, 1.0, 0.3),
        _Slot(0.12, 1.0, 0.46, 0.8),
        _Slot(0.9, 0.28, 0.3, -0.6, True),
        _Slot(0.88, 1.0, 0.42, 0.95),
        _Slot(0.08, 0.42, 0.26, -0.4, True),
    ),
}


_ACROSS = {  # in a wide frame without text
    1: (_Slot(0.5, 0.96, 1.0, 0.35),),
    2: (_Slot(0.42, 0.93, 1.0, 0.3), _Slot(0.7, 1.0, 0.56, 0.8)),
    3: (
        _Slot(0.47, 0.93, 1.0, 0.3),
        _Slot(0.21, 1.0, 0.54, 0.8),
        _Slot(0.74, 0.36, 0.36, -0.6, True),
    ),
    4: (
        _Slot(0.47, 0.91, 1.0, 0.3),
        _Slot(0.2, 1.0, 0.52, 0.8),
        _Slot(0.79, 0.34, 0.34, -0.6, True),
        _Slot(0.73, 1.0, 0.44, 0.95),
    ),
    5: (
        _Slot(0.48, 0.9, 1.0, 0.3),
        _Slot(0.2, 0.98, 0.5, 0.8),
        _Slot(0.8, 0.34, 0.32, -0.6, True),
        _Slot(0.74, 1.0, 0.44, 0.95),
        _Slot(0.17, 0.34, 0.28, -0.4, True),
    ),
}


def is_composed(canvas: Canvas) -> bool:
    """Return whether the look composes its scenes."""
    return bool(canvas.palette.sky)


def list_picture_names(scene: Scene) -> list[str]:
    """Return the names of the scene's pictures, the main one first, each once."""
    known = (
        name for name in (scene.illustration, *scene.companions) if illustration.can_draw(name)
    )
    return list(dict.fromkeys(known))[:MOST]


def draw_title(canvas: Canvas, scene: Scene, text: str, kicker: bool = True) -> None:
    """Draw ``text`` as a title in the largest type, and place the scene's pictures.

    ``kicker``: its heading stands above the text.
    """
    shown = list_picture_names(scene)
    is_beside = bool(shown or canvas.host)
    room = _find_text_box(canvas, is_beside)
    heading = _set_kicker(canvas, scene, text, room[2] - room[0]) if kicker else None
    above = _measure_kicker(canvas, heading)
    block = _set_text(
        canvas,
        text,
        (room[0], room[1] + above, *room[2:]),
        _find_type_size(canvas, is_beside, TITLE),
    )
    start = _find_text_top(canvas, room, above + block.height, is_beside)
    if heading:
        _draw_chip(canvas, heading, start, (room[0], room[2]))
    canvas.draw_block(
        block, (room[0], start + above, room[2], room[3]), canvas.palette.ink, "start", TITLE
    )
    if is_beside:
        canvas.sprites += _place_pictures(canvas, shown, start + above + block.height)


def draw_framing(canvas: Canvas, scene: Scene, framing: Framing) -> None:
    """Draw one framing of a prose scene.

    Its heading stays at the top.
    """
    shown = list_picture_names(scene)
    names = list_pictures_of(scene, framing)
    shown = [name for name in (*shown[framing.main :], *shown[: framing.main]) if name in names]
    if canvas.host and framing.kind == PICTURES:
        framing = replace(framing, kind=HEADING)
    is_shared = framing.kind in (CLAUSE, HEADING, FIGURE) or bool(scene.small_print)
    beside = shown if is_shared else []
    is_beside = bool(beside or canvas.host)
    captioned = canvas.plan
    is_free_now = _is_free(canvas, scene, [framing])
    is_free = _is_free(canvas, scene, _join_hosted(canvas, scene, framing))
    if is_free:
        canvas.plan = replace(captioned, content=_extend_to_balls(canvas))
    if scene.small_print:
        canvas.plan = small_print.draw(canvas, scene.small_print)
        captioned = _limit_foot(captioned, canvas.plan)
    room = _find_text_box(canvas, is_beside)
    text = "" if framing.kind == PICTURES else framing.text
    text = key_phrases.capitalise(text) if begins_anew(scene, framing) else text
    text = headings.number_heading(scene) if text == scene.heading else text
    heading = _set_kicker(
        canvas,
        scene,
        framing.text if framing.kind == HEADING else "",
        canvas.plan.content[2] - canvas.plan.content[0],
    )
    left, top, right, bottom = room
    if heading:
        _draw_chip(canvas, heading, top, (canvas.plan.content[0], canvas.plan.content[2]))
        top += _measure_kicker(canvas, heading)
    foot = top
    turn = _find_turn(canvas, scene, framing, is_beside)
    align = "centre" if turn == _BELOW_RULE else "start"
    left, top, right, bottom = _make_room_for_accent(canvas, (left, top, right, bottom), turn)
    if text:
        size = _find_type_size(canvas, is_beside, framing.kind)
        if is_free:
            size = max(size, canvas.plan.sizes.title * (_FREE if is_beside else _LARGEST_TYPE))
        block = _set_text(canvas, text, (left, top, right, bottom), size)
        start = _find_text_top(canvas, (left, top, right, bottom), block.height, is_beside)
        box, foot = (left, start, right, bottom), start + block.height
        _draw_accent(canvas, box, block, turn)
        if framing.kind == FIGURE and not framing.words:
            counted, size = count_up(text, canvas.growth), block.face.size
            block = typesetting.fit_text(counted, right - left, bottom - start, block.face, size)
        _draw_text(canvas, scene, framing, block, box, align)
    if is_beside:
        canvas.sprites += _place_beside_text(canvas, beside, foot, captioned, is_free, is_free_now)
    elif framing.kind == PICTURES and shown:
        canvas.sprites += _place_pictures(canvas, shown, foot, alone=True)


def _draw_text(
    canvas: Canvas, scene: Scene, framing: Framing, block: TextBlock, box: Box, align: str
) -> None:
    """Draw the text of a framing: as it is said and as ``align`` has it, if its words are known."""
    palette = canvas.palette
    if framing.words:
        canvas.draw_block_as_said(
            block,
            box,
            palette.ink,
            align,
            "text",
            lambda pieces: match_pieces_to_words(pieces, scene, framing.words),
        )
    elif framing.kind == FIGURE:
        canvas.draw_block(block, box, palette.bright, "start", "number")
    else:
        canvas.draw_block(block, box, palette.ink, align, "text")


def takes_turn(scene: Scene) -> bool:
    """Return whether a framing of ``scene`` may be of type alone, and so of the next composition in
    turn.
    """
    return not scene.small_print and any(each.kind == TYPE for each in list_framings(scene))


def _find_turn(canvas: Canvas, scene: Scene, framing: Framing, is_beside: bool) -> int:
    """Return which composition a framing has: of type alone the next one in turn."""
    if framing.kind != TYPE or is_beside or scene.small_print:
        return _PLAIN
    earlier = (each for each in list_framings(scene) if each.first < framing.first)
    return (canvas.texts_before + sum(each.kind == TYPE for each in earlier)) % TURNS


def _make_room_for_accent(canvas: Canvas, box: Box, turn: int) -> Box:
    """Return ``box`` without the place of a bar at its start, or of a rule at its top."""
    left, top, right, bottom = box
    if turn == _BESIDE_BAR:
        inset = sum(map(canvas.plan.px, _BAR))
        return (
            (left, top, right - inset, bottom)
            if canvas.right_to_left
            else (left + inset, top, right, bottom)
        )
    return (left, top + canvas.plan.px(sum(_RULE[1:])), right, bottom) if turn else box


def _draw_accent(canvas: Canvas, box: Box, block: TextBlock, turn: int) -> None:
    """Draw the bar beside a text at the top of ``box``, or the rule above it."""
    left, top, right, _ = box
    colour = Surface(canvas.palette.bright, 1.0, canvas.palette.ink)
    if turn == _BESIDE_BAR:
        wide, away = map(canvas.plan.px, _BAR)
        x = right + away if canvas.right_to_left else left - away - wide
        canvas.draw_panel((x, top, x + wide, top + block.height), wide // 2, colour)
    elif turn == _BELOW_RULE:
        long, thick, away = map(canvas.plan.px, _RULE)
        x, foot = (left + right - long) // 2, top - away
        canvas.draw_panel((x, foot - thick, x + long, foot), thick // 2, colour)


def _place_beside_text(
    canvas: Canvas,
    shown: list[str],
    foot: int,
    captioned: FrameLayout,
    is_free: bool,
    is_free_now: bool,
) -> list[Sprite]:
    """Return the pictures, or the host, below or beside a text that ends at ``foot``.

    In the captions' place they stand as large as there is room, if all framings of a host are free
    of captions (``is_free``), and else lower (``is_free_now``); where they go from there before the
    next caption is as in the layout ``captioned``.
    """
    placed = _place_pictures(canvas, shown, foot)
    if canvas.host and is_free_now and not is_free:
        low = _extend_to_balls(canvas)[3] - canvas.plan.content[3]
        return [replace(each, foot=each.foot + low, then=each) for each in placed]
    if is_free and not canvas.host:
        canvas.plan = captioned
        clear = {each.name: each for each in _place_pictures(canvas, shown, foot)}
        return [replace(each, then=clear[each.name]) for each in placed]
    return placed


def _join_hosted(canvas: Canvas, scene: Scene, framing: Framing) -> list[Framing]:
    """Return the framings in which a host is there, who does not grow from one to the next;
    without a host, ``framing``.
    """
    hosted = list_framings(scene)[: hosting.count_framings(scene)]
    return list(hosted) if canvas.host else [framing]


def _is_free(canvas: Canvas, scene: Scene, shown: list[Framing]) -> bool:
    """Return whether a tall frame has no captions while framings are ``shown``; with small print,
    which stays where it is, in all of the scene.
    """
    whole = list_framings(scene) if scene.small_print else shown
    return canvas.plan.stacked and all(is_without_captions(scene, each) for each in whole)


def take_captions_place(canvas: Canvas, scene: Scene) -> None:
    """Let the content of a tall frame reach down to the balls, if all that is said in ``scene`` is
    shown, and no caption repeats it.
    """
    is_bare = 0 < len(find_words_without_captions(scene)) == len(scene.words)
    if canvas.plan.stacked and is_bare:
        canvas.plan = replace(canvas.plan, content=_extend_to_balls(canvas))


def _limit_foot(plan: FrameLayout, other: FrameLayout) -> FrameLayout:
    """Return ``plan`` with content that ends where that of ``other`` does, if that is higher."""
    left, top, right, bottom = plan.content
    return replace(plan, content=(left, top, right, min(bottom, other.content[3])))


def _extend_to_balls(canvas: Canvas) -> Box:
    """Return the content of a frame without captions: with their place, as far as no ball lies."""
    plan = canvas.plan
    left, top, right, bottom = plan.content
    balls = [
        down * plan.height - plan.px(size) - plan.px(_CLEAR)
        for across, down, size in _BALLS[_shape(canvas)]
    ]
    return left, top, right, max(bottom, round(min(plan.strip[3], *balls)))


def add_balls(canvas: Canvas) -> None:
    """Place two balls in the brand's colours on the ground where the frame ends, in every other
    scenery on its other side.
    """
    plan = canvas.plan
    for turn, (across, down, size) in enumerate(_BALLS[_shape(canvas)]):
        across = 1 - across if canvas.scenery % 2 else across
        x, foot, side = _find_x(canvas, across), round(down * plan.height), plan.px(size)
        canvas.sprites.append(
            Sprite(
                sprites.BALL, x, foot, side, 0.0, turn=turn, colour=_find_ball_colour(canvas, turn)
            )
        )


def _shape(canvas: Canvas) -> str:
    """Return which of the places of balls a frame has."""
    plan = canvas.plan
    if not plan.stacked:
        return "wide"
    return "tall" if plan.height >= _TALL * plan.width else "square"


def _find_ball_colour(canvas: Canvas, number: int) -> str:
    """Return the colour of a ball: the brand's as it is, unless that is the sky,
    or a light's, brighter.
    """
    own = canvas.palette.fields[0].colour
    if number == 0 and compute_luminance(own) > _BRIGHT:
        return to_hex(own)
    return to_hex(mix(canvas.palette.sky[number], WHITE, 0.4))


def draw_hosted_close(canvas: Canvas, scene: Scene) -> None:
    """Draw an end card beside the host."""
    room = _find_text_box(canvas, True)
    whole, canvas.plan = canvas.plan, replace(canvas.plan, content=room)
    headings.draw_close(canvas, scene)
    canvas.plan = whole
    canvas.sprites += _place_pictures(canvas, [], room[3] if whole.stacked else room[1])


def _find_text_box(canvas: Canvas, pictures: bool) -> Box:
    """Return the part of the content for text. ``pictures``: there are some beside or below it."""
    left, top, right, bottom = canvas.plan.content
    if pictures and canvas.plan.stacked:
        return left, top, right, top + round((bottom - top) * _TEXT)
    if pictures:
        width = round((right - left) * _WIDTH)
        return (
            (right - width, top, right, bottom)
            if canvas.right_to_left
            else (left, top, left + width, bottom)
        )
    return canvas.plan.content


def _find_type_size(canvas: Canvas, pictures: bool, kind: str) -> float:
    """Return the size in pixels of large type, beside ``pictures`` or alone. ``kind``: of a
    framing, or TITLE."""
    size = canvas.plan.sizes.title
    if kind == FIGURE:
        return size * (_FIGURE if pictures else _FIGURE_ALONE)
    if kind == TYPE:
        return size * _LARGEST_TYPE
    return size * (1.0 if pictures else _ALONE) * (_TITLE if kind == TITLE else 1.0)


def _set_text(canvas: Canvas, text: str, room: Box, size: float) -> TextBlock:
    """Return ``text`` as it is set in ``room``."""
    width, height = room[2] - room[0], room[3] - room[1]
    face = canvas.make_heading_face(round(size), canvas.look.title_weight, _LEADING)
    height -= round(face.size * _BEYOND)
    return key_phrases.fit_phrase(canvas, text, width, height, face, _LEAST_WHOLE)


def _find_text_top(canvas: Canvas, room: Box, height: int, pictures: bool) -> int:
    """Return the y at which text of ``height`` begins in ``room``."""
    free = room[3] - room[1] - height
    if not pictures:
        return room[1] + max(0, round(free * 0.42))
    return (
        room[1]
        if canvas.plan.stacked
        else room[1] + max(0, min(round(free * 0.4), canvas.plan.px(120)))
    )


def _set_kicker(canvas: Canvas, scene: Scene, text: str, width: int) -> TextBlock | None:
    """Return the scene's heading in small type; None if there is none, or the text repeats it."""
    heading = scene.heading.strip()
    if not heading or heading.strip(" .,:;!?").casefold() == text.strip(" .,:;!?").casefold():
        return None
    face = canvas.make_text_face(round(canvas.plan.sizes.label * 1.06), 680, 1.2)
    block = typesetting.fit_text(
        headings.number_heading(scene),
        width - 2 * canvas.plan.px(_CHIP[0]),
        face.line_height,
        face,
        face.size,
    )
    if not headings.is_cut(block, headings.number_heading(scene)):
        return block
    return typesetting.fit_text(
        headings.number_heading(scene),
        width - 2 * canvas.plan.px(_CHIP[0]),
        2 * face.line_height,
        face,
        canvas.plan.sizes.least,
        balanced=True,
    )


def _measure_kicker(canvas: Canvas, kicker: TextBlock | None) -> int:
    """Return the height of the heading on its field, with the space below it."""
    return kicker.height + canvas.plan.px(_CHIP[1] * 2 + 26) if kicker else 0


def _draw_chip(canvas: Canvas, block: TextBlock, top: int, edges: tuple[int, int]) -> None:
    """Draw the heading on a field of the brand's colour as it is."""
    plan, field = canvas.plan, canvas.palette.fields[0]
    across, down = (plan.px(each) for each in _CHIP)
    left, right = canvas.find_start_edge(
        (*edges[:1], top, edges[1], top), round(block.width) + 2 * across
    )
    foot = top + block.height + 2 * down
    radius = min((block.face.line_height + 2 * down) // 2, (foot - top) // 2)
    canvas.draw_panel((left, top, right, foot), radius, Surface(field.colour, 1.0, field.ink))
    canvas.draw_block(
        block, (left + across, top + down, right - across, foot), field.ink, "start", "heading"
    )


def _place_pictures(
    canvas: Canvas, shown: list[str], foot: int, alone: bool = False
) -> list[Sprite]:
    """Return the pictures at their places below or beside a text that ends at ``foot``, or
    ``alone`` below it; those at the back first."""
    box, largest, slots = _find_picture_places(canvas, len(shown), foot, alone)
    if canvas.host:
        if canvas.right_to_left:
            box = (canvas.plan.width - box[2], box[1], canvas.plan.width - box[0], box[3])
        coloured = [(name, _outline(canvas, name)) for name in shown]
        return hosting.place_host(canvas, canvas.host, coloured, box)
    placed = [
        _make_sprite(canvas, name, slot, turn, box, largest)
        for turn, (name, slot) in enumerate(_assign_slots(shown, slots))
    ]
    return sorted(placed, key=lambda sprite: (not sprite.floats and sprite.turn > 0, sprite.foot))


def _find_picture_places(
    canvas: Canvas, number: int, foot: int, alone: bool
) -> tuple[Box, int, tuple[_Slot, ...]]:
    """Return the box of the pictures, the size of the largest in pixels, and their slots in it."""
    plan, (left, top, right, bottom) = canvas.plan, canvas.plan.content
    if plan.stacked and canvas.host:  # always in the same place
        foot = top + round((bottom - top) * _TEXT)
    if plan.stacked:
        edge = plan.px(36)
        box = (edge, foot + plan.px(30), plan.width - edge, bottom)
        largest = min(plan.px(sprites.LARGEST), box[3] - box[1], round((box[2] - box[0]) * 0.64))
        return box, largest, _BELOW.get(number, ())
    start = left + round((right - left) * (_WIDTH + 0.04))
    box = (
        start,
        top,
        min(plan.width, right + plan.px(20)),
        min(bottom, round(plan.height * _GROUND)),
    )
    largest = min(
        plan.px(sprites.LARGEST), round((box[3] - box[1]) * 0.9), round((box[2] - box[0]) * 0.8)
    )
    if alone:
        box = (left, foot, right, box[3])
        return box, min(largest, box[3] - box[1]), _ACROSS[number]
    return box, largest, _BESIDE.get(number, ())


def _make_sprite(
    canvas: Canvas, name: str, slot: _Slot, turn: int, box: Box, largest: int
) -> Sprite:
    """Return a picture in its slot of ``box``, within the frame."""
    plan, bottom = canvas.plan, canvas.plan.content[3]
    size = max(8, round(largest * slot.size))
    x = round(box[0] + (box[2] - box[0]) * slot.x)
    x = min(max(x, size // 2 - size // 8), plan.width - size // 2 + size // 8)
    y = round(box[1] + (box[3] - box[1]) * slot.foot)
    y = max(y, box[1] + size) if slot.floats else y
    y = min(y, bottom - round(size * _SHADOW))
    mirrored = plan.width - x if canvas.right_to_left else x
    return Sprite(
        name,
        mirrored,
        y,
        size,
        slot.depth,
        slot.floats,
        turn,
        _outline(canvas, name),
        grounds=canvas.palette.grounds,
    )


def _assign_slots(shown: list[str], slots: tuple[_Slot, ...]) -> list[tuple[str, _Slot]]:
    """Return the pictures in their order, each with its slot: what flies floats,
    as far as there are such pictures.
    """
    chosen = {shown[0]: slots[0]}
    for slot in sorted(slots[1:], key=lambda slot: not slot.floats):
        left = [name for name in shown if name not in chosen]
        fitting = [name for name in left if bool(_FLIES.search(name)) == slot.floats]
        chosen[(fitting or left)[0]] = slot
    return [(name, chosen[name]) for name in shown]


def _outline(canvas: Canvas, name: str) -> str:
    """Return the colour of a country's shape; other pictures have their own."""
    return to_hex(canvas.palette.solid) if collection.takes_colour(name) else "#000000"


def _find_x(canvas: Canvas, share: float) -> int:
    return round(canvas.plan.width * (1 - share if canvas.right_to_left else share))
