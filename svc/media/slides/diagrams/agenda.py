"""The agenda: what a programme announces, in rows across the frame behind large numbers or a
column of times.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from svc.media.colour import Colour, make_legible, mix
from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface
from svc.media.drawing.typesetting import TextBlock
from svc.media.model import Scene
from svc.media.slides import headings, lists, paging
from svc.media.text import moments
from svc.media.text.moments import Entry

_LARGEST, _STEP = 1.5, 0.95  # of the body size: the largest type; from one tried size to the next
# The smallest type before the points are on several pages, in 1/1080 of the short side: in a tall
# and in a wide picture.
_LEAST_STACKED, _LEAST = 44, 36
_FIGURE = 1.7  # of the size of the text: a number
_BESIDE = 0.3  # of the width: a wider time stands above its text
# The spaces in 1/1080 of the short side: above and below within a row, at its ends, and between
# number and text.
_PAD, _INSET, _GUTTER = 30, 30, 36
_LINE = 2  # in 1/1080 of the short side: the thickness of the lines between rows
_ROW = 300  # in 1/1080 of the short side: the greatest height of a row
_READABLE = 4.9  # contrast of a number (WCAG 2.2)
_UNLIMITED = 1 << 20  # pixels: a text is measured whole


def draw(canvas: Canvas, scene: Scene, stage: int) -> None:
    """Draw the heading and the rows of an agenda; ``stage``: the row being spoken, or -1."""
    left, _, right, bottom = canvas.plan.content
    top = headings.draw_heading(canvas, scene, 0.34)
    rows, pages = _fit_rows(canvas, _list_entries(scene), right - left, bottom - top)
    page = paging.find_current_page(pages, stage)
    heights = _raise_low_rows(
        [rows[number].height for number in page], bottom - top, canvas.plan.px(_ROW)
    )
    for number, height in zip(page, heights, strict=True):
        box = (left, top, right, top + height)
        if number != page[0] and (stage not in (number, number - 1) or canvas.look.rows == "rules"):
            canvas.draw_rule(
                (left, top, right, top + max(1, canvas.plan.px(_LINE))), canvas.palette.faint
            )
        _draw_row(canvas, rows[number], box, number - stage)
        top += height


def _list_entries(scene: Scene) -> list[Entry]:
    """Return for each point its time, or else its number, and what happens."""
    timed = (
        moments.find_timed_rows(scene.sight.rows)
        if scene.sight.kind
        else moments.find_timed_points([point.text for point in scene.points])
    )
    if timed:
        return list(timed)
    return [
        Entry(point.label.rstrip(".)") or str(number), point.text)
        for number, point in enumerate(scene.points, scene.number)
    ]


@dataclass(frozen=True)
class _Row:
    """An entry as it is set.

    ``column``: the width of the numbers or times in pixels; 0: they stand above the text.
    """

    when: TextBlock
    what: TextBlock
    column: int
    height: int


def _fit_rows(
    canvas: Canvas, entries: Sequence[Entry], width: int, height: int
) -> tuple[list[_Row], list[range]]:
    """Return the rows in the largest size in which they fit, and their pages."""
    plan = canvas.plan
    least = max(plan.sizes.least, plan.px(_LEAST_STACKED if plan.stacked else _LEAST))
    smallest = _set_rows(canvas, entries, width, height, least)
    pages = paging.split_pages([row.height for row in smallest], height, 0)
    size = plan.sizes.body * _LARGEST
    while size > least:
        rows = _set_rows(canvas, entries, width, _UNLIMITED, round(size))
        if all(
            paging.sum_heights([row.height for row in rows], page, 0) <= height for page in pages
        ):
            return rows, pages
        size *= _STEP
    return smallest, pages


def _set_rows(
    canvas: Canvas, entries: Sequence[Entry], width: int, height: int, size: int
) -> list[_Row]:
    plan = canvas.plan
    numbered = all(entry.when.isdecimal() for entry in entries)
    figures = canvas.make_heading_face(
        round(size * _FIGURE) if numbered else size, canvas.look.heading_weight, 1.1
    )
    face = canvas.make_text_face(size, canvas.look.body_weight, 1.24)
    widest = max(
        typesetting.measure_line(typesetting.split_pieces(entry.when), figures) for entry in entries
    )
    column = round(widest) + plan.px(8) if widest <= width * _BESIDE else 0
    room = width - 2 * plan.px(_INSET) - (column + plan.px(_GUTTER) if column else 0)
    rows = []
    for entry in entries:
        when = typesetting.fit_text(entry.when, column or room, height // 2, figures, figures.size)
        above = 0 if column else when.height
        what = typesetting.fit_text(
            entry.what, room, height - above - plan.px(_PAD), face, size, balanced=True
        )
        rows.append(_Row(when, what, column, max(above + what.height, when.height) + plan.px(_PAD)))
    return rows


def _raise_low_rows(heights: list[int], height: int, most: int) -> list[int]:
    """Return ``heights`` enlarged to fill ``height``, the lower ones first,
    each to ``most`` if it is lower.
    """
    free = height - sum(heights)
    level = max(heights, default=0)
    raised = [max(each, min(level, most)) for each in heights]
    if sum(raised) > height:
        return [each + free // len(heights) for each in heights]
    more = (height - sum(raised)) // len(raised)
    return [max(each, min(each + more, most)) for each in raised]


def _draw_row(canvas: Canvas, row: _Row, box: Box, ahead: int) -> None:
    """Draw one entry. ``ahead``: 0 for the one being spoken, positive for later ones."""
    plan, palette = canvas.plan, canvas.palette
    inset, gap = plan.px(_INSET), plan.px(4)
    surface = (
        palette.now
        if ahead == 0
        else Surface(
            palette.ground, 0.0, palette.spoken if ahead < 0 else palette.waiting_on_ground
        )
    )
    if ahead == 0:
        panel = (box[0], box[1] + gap, box[2], box[3] - gap)
        canvas.draw_panel(
            panel, min(plan.px(canvas.look.corner), (panel[3] - panel[1]) // 2), surface
        )
    if canvas.look.rows == "rules":
        lists.draw_edge(canvas, box, ahead == 0)
    middle = (box[1] + box[3]) // 2
    inner = (box[0] + inset, box[1], box[2] - inset, box[3])
    start, end = canvas.find_start_edge(inner, row.column or inner[2] - inner[0])
    if row.column:
        before = row.column + plan.px(_GUTTER)
        left, right = canvas.find_start_edge(inner, inner[2] - inner[0] - before, before)
        when, what = middle - row.when.height // 2, middle - row.what.height // 2
    else:
        left, right = inner[0], inner[2]
        when = middle - (row.when.height + row.what.height) // 2
        what = when + row.when.height
    canvas.draw_block(
        row.when,
        (start, when, end, box[3]),
        _choose_figure_ink(canvas, surface, ahead),
        part="number",
    )
    canvas.draw_block(row.what, (left, what, right, box[3]), surface.ink, part="point")


def _choose_figure_ink(canvas: Canvas, surface: Surface, ahead: int) -> Colour:
    """Return the account's colour, muted before its row is spoken;
    on an outlined card the colour of the text.
    """
    if ahead > 0 or surface.edge:
        return surface.ink
    return make_legible(
        canvas.palette.bright,
        mix(canvas.palette.ground, surface.colour, surface.opacity),
        _READABLE,
    )
