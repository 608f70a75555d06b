"""Comparisons: two columns of cards under their headings, which fill the picture;
the pair being spoken stands out.
"""

from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface
from svc.media.drawing.typesetting import Typeface
from svc.media.model import Scene
from svc.media.slides import headings, paging
from svc.media.slides.tables import choose_row_surface

_STEP, _UNLIMITED = 0.95, 1 << 20  # from one tried size to the next; pixels
_LARGEST, _LEAST = 1.15, 0.7  # of the body size
# The space at the sides of a card, and above and below its text, in 1/1080 of the short side.
_PAD, _EDGE = 28, 26


def draw(canvas: Canvas, scene: Scene, stage: int) -> None:
    """Draw both sides; ``stage``: the row being spoken, or -1. Rows not yet spoken are muted."""
    plan, sight = canvas.plan, scene.sight
    left, _, right, bottom = plan.content
    top, gap = headings.draw_heading(canvas, scene, 0.3), plan.px(16)
    half = (right - left - gap) // 2
    sides = [(left, left + half), (right - half, right)]
    sides = sides[::-1] if canvas.right_to_left else sides
    head = _fit_headings(canvas, sight.columns, half)
    below = (
        top
        + head.line_height * max(_count_lines(name, half, canvas, head) for name in sight.columns)
        + plan.px(34)
    )
    for side, (x, end) in enumerate(sides):
        _draw_card(
            canvas,
            (x, top, end, below),
            sight.columns[side],
            head,
            canvas.palette.fields[side],
            "heading",
        )
    face, heights, pages = _fit_rows(canvas, scene, half, bottom - below - gap, gap)
    rows = paging.find_current_page(pages, stage)
    more = max(0, (bottom - below - gap - paging.sum_heights(heights, rows, gap)) // len(rows))
    y = below + gap
    for number in rows:
        tall = heights[number] + min(more, plan.px(150))
        for side, (x, end) in enumerate(sides):
            _draw_card(
                canvas,
                (x, y, end, y + tall),
                sight.rows[number][side],
                face,
                _choose_ground(canvas, number, stage),
                "point",
            )
        y += tall + gap


def _choose_ground(canvas: Canvas, number: int, stage: int) -> Surface:
    row = choose_row_surface(canvas, number, stage)
    return (
        row
        if row.opacity
        else Surface(canvas.palette.ink, 0.1 if number == stage else 0.04, row.ink)
    )


def _measure_room(canvas: Canvas, half: int) -> int:
    return half - 2 * canvas.plan.px(_PAD)


def _count_lines(text: str, half: int, canvas: Canvas, face: Typeface) -> int:
    return max(
        1,
        len(
            typesetting.fit_text(
                text, _measure_room(canvas, half), _UNLIMITED, face, face.size
            ).lines
        ),
    )


def _fit_headings(canvas: Canvas, columns, half: int) -> Typeface:
    """Return the typeface in which both headings take at most two lines."""
    look, size = canvas.look, round(canvas.plan.sizes.heading * 0.72)
    face = canvas.make_heading_face(size, look.heading_weight, 1.16)
    room = 2 * face.line_height
    fitting = (
        typesetting.fit_text(name, _measure_room(canvas, half), room, face, canvas.plan.sizes.least)
        for name in columns
    )
    return canvas.make_heading_face(
        min(block.face.size for block in fitting), look.heading_weight, 1.16
    )


def _fit_rows(
    canvas: Canvas, scene: Scene, half: int, height: int, gap: int
) -> tuple[Typeface, list[int], list[range]]:
    """Return the typeface, each row's height and the pages,
    in the largest size in which the rows fit.
    """
    sizes = canvas.plan.sizes
    least, size = max(sizes.least, round(sizes.body * _LEAST)), sizes.body * _LARGEST
    heights = _measure_heights(canvas, scene, half, least)
    pages = paging.split_pages(heights, height, gap)
    while size > least:
        tried = _measure_heights(canvas, scene, half, round(size))
        if all(paging.sum_heights(tried, rows, gap) <= height for rows in pages):
            return _make_face(canvas, round(size)), tried, pages
        size *= _STEP
    return _make_face(canvas, least), [min(tall, height) for tall in heights], pages


def _measure_heights(canvas: Canvas, scene: Scene, half: int, size: int) -> list[int]:
    face = _make_face(canvas, size)
    return [
        face.line_height * max(_count_lines(cell, half, canvas, face) for cell in row)
        + 2 * canvas.plan.px(_EDGE)
        for row in scene.sight.rows
    ]


def _make_face(canvas: Canvas, size: int) -> Typeface:
    return canvas.make_text_face(size, canvas.look.body_weight, 1.2)


def _draw_card(
    canvas: Canvas, box: Box, text: str, face: Typeface, ground: Surface, part: str
) -> None:
    canvas.draw_panel(box, canvas.plan.px(canvas.look.corner), ground)
    pad, tall = canvas.plan.px(_PAD), box[3] - box[1]
    block = typesetting.fit_text(
        text, box[2] - box[0] - 2 * pad, tall, face, canvas.plan.sizes.least, balanced=True
    )
    top = box[1] + (tall - block.height) // 2
    canvas.draw_block(block, (box[0] + pad, top, box[2] - pad, box[3]), ground.ink, part=part)
