"""Dialogues: each turn in a bubble under the name of who speaks, the speakers on both sides;
later turns are muted.
"""

from dataclasses import dataclass

from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface
from svc.media.drawing.typesetting import TextBlock
from svc.media.model import Scene
from svc.media.slides import headings, paging

_STEP, _UNLIMITED = 0.95, 1 << 20  # from one tried size to the next; pixels
_LARGEST, _LEAST = 1.2, 0.85  # of the body size
_WIDTH = 0.8  # of the content: the widest bubble
# The spaces in 1/1080 of the short side: within a bubble, between two bubbles, and below a name.
_PAD, _GAP, _NAME = 24, 22, 8


@dataclass(frozen=True)
class _Bubble:
    name: TextBlock
    text: TextBlock
    height: int
    place: int  # of its speaker among all: 0, 1, …


def draw(canvas: Canvas, scene: Scene, stage: int) -> None:
    """Draw heading and turns; ``stage``: the turn being spoken, or -1."""
    left, _, right, bottom = canvas.plan.content
    top, gap = headings.draw_heading(canvas, scene, 0.3), canvas.plan.px(_GAP)
    bubbles, pages = _fit_bubbles(canvas, scene, right - left, bottom - top, gap)
    page = paging.find_current_page(pages, stage)
    y = top + max(
        0,
        (bottom - top - paging.sum_heights([bubble.height for bubble in bubbles], page, gap)) // 2,
    )
    for number in page:
        _draw_bubble(
            canvas, bubbles[number], (left, y, right, y + bubbles[number].height), number - stage
        )
        y += bubbles[number].height + gap


def _fit_bubbles(
    canvas: Canvas, scene: Scene, width: int, height: int, gap: int
) -> tuple[list[_Bubble], list[range]]:
    """Return the bubbles in the largest size in which they fit their pages, and the pages."""
    sizes = canvas.plan.sizes
    least, size = max(sizes.least, round(sizes.body * _LEAST)), sizes.body * _LARGEST
    smallest = _lay_out_bubbles(canvas, scene, width, least)
    pages = paging.split_pages([bubble.height for bubble in smallest], height, gap)
    while size > least:
        tried = _lay_out_bubbles(canvas, scene, width, round(size))
        if all(
            paging.sum_heights([bubble.height for bubble in tried], page, gap) <= height
            for page in pages
        ):
            return tried, pages
        size *= _STEP
    return smallest, pages


def _lay_out_bubbles(canvas: Canvas, scene: Scene, width: int, size: int) -> list[_Bubble]:
    plan = canvas.plan
    face = canvas.make_text_face(size, canvas.look.body_weight, 1.24)
    small = canvas.make_text_face(max(plan.sizes.least, round(size * 0.7)), 700, 1.2)
    # A long dialogue has several scenes, in which each speaker keeps side and colour.
    speakers = list(
        dict.fromkeys(
            name.casefold()
            for name in (*scene.sight.columns, *(point.label for point in scene.points))
        )
    )
    room = round(width * _WIDTH) - 2 * plan.px(_PAD)
    bubbles = []
    for point in scene.points:
        name = typesetting.fit_text(point.label, room, small.line_height, small, plan.sizes.least)
        text = typesetting.fit_text(point.text, room, _UNLIMITED, face, size, balanced=True)
        height = name.height + plan.px(_NAME) + text.height + 2 * plan.px(_PAD)
        bubbles.append(_Bubble(name, text, height, speakers.index(point.label.casefold())))
    return bubbles


def _draw_bubble(canvas: Canvas, bubble: _Bubble, box: Box, ahead: int) -> None:
    """Draw one turn. ``ahead``: 0 for the one being spoken, positive for later ones."""
    plan, palette = canvas.plan, canvas.palette
    pad = plan.px(_PAD)
    wide = round(max(bubble.text.width, bubble.name.width)) + 2 * pad + 1
    at_start = bubble.place % 2 == 0
    left = box[0] if at_start != canvas.right_to_left else box[2] - wide
    surface = _choose_surface(canvas, bubble.place, ahead)
    panel = (left, box[1] + bubble.name.height + plan.px(_NAME), left + wide, box[3])
    canvas.draw_panel(panel, plan.px(min(36, canvas.look.corner + 12)), surface)
    align = "start" if at_start else "end"
    ink = palette.bright if ahead <= 0 else palette.waiting_on_ground
    canvas.draw_block(
        bubble.name, (left + pad, box[1], left + wide - pad, panel[1]), ink, align, "name"
    )
    top = panel[1] + (panel[3] - panel[1] - bubble.text.height) // 2
    canvas.draw_block(
        bubble.text, (left + pad, top, left + wide - pad, box[3]), surface.ink, part="point"
    )


def _choose_surface(canvas: Canvas, place: int, ahead: int) -> Surface:
    """Return the ground of a turn: in the brand's colour for the first speaker,
    pale for the others.
    """
    palette = canvas.palette
    if ahead > 0:
        return palette.ahead if palette.sky else Surface(palette.ink, 0.05, palette.waiting)
    if place == 0:
        return Surface(palette.solid, 1.0, palette.on_solid)
    if palette.sky:  # whose lights would be seen through a pale ground
        return palette.panel if ahead == 0 else palette.past
    return Surface(palette.ink, 0.14 if ahead == 0 else 0.09, palette.ink)
