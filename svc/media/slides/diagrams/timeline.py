"""The timeline: points with their dates or times along a rail,
which fills up as they are spoken.
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
from svc.media.slides import headings, paging
from svc.media.text import moments
from svc.media.text.moments import Entry

_LARGEST, _STEP = 1.22, 0.95  # of the body size: the largest type; from one tried size to the next
# The smallest type before the points are on several pages, in 1/1080 of the short side: in a tall
# and in a wide picture.
_LEAST_STACKED, _LEAST = 44, 36
_BESIDE = 0.3  # of the width: a wider date stands above what happened
_SPREAD = 1.6  # how much higher than necessary a row becomes to fill the picture
# The spaces in 1/1080 of the short side: within a row, between two rows, and beside its text.
_PAD, _GAP, _INSET = 26, 16, 30
# The sizes in 1/1080 of the short side: the room for the rail, its thickness, and the diameters of
# a dot and of the dot that is spoken of.
_RAIL, _LINE, _DOT, _NOW = 72, 6, 20, 34
_VISIBLE, _READABLE = 3.0, 4.9  # contrast of the rail, and of the dates (WCAG 2.2)
_UNLIMITED = 1 << 20  # pixels: a text is measured whole


def find_entries(scene: Scene, language: str) -> tuple[Entry, ...]:
    """Return the timeline that a plain list or a table of two columns is; empty if it is none."""
    if scene.sight.traits.is_table:
        return moments.find_entries_of_table(scene.sight.rows, language)
    if scene.sight.kind or any(point.label or point.level for point in scene.points):
        return ()
    return moments.find_entries([point.text for point in scene.points], language)


def draw(canvas: Canvas, scene: Scene, shown: Sequence[Entry], stage: int) -> None:
    """Draw the heading and the timeline ``shown``; ``stage``: the entry being spoken, or -1."""
    left, _, right, bottom = canvas.plan.content
    top = headings.draw_heading(canvas, scene, 0.34)
    top = _draw_columns(canvas, scene, top)
    gap = canvas.plan.px(_GAP)
    rows, pages = _fit_rows(canvas, shown, right - left, bottom - top, gap)
    page = paging.find_current_page(pages, stage)
    heights = paging.spread_heights(
        [rows[number].height for number in page], bottom - top, gap, _SPREAD
    )
    top += (bottom - top - sum(heights) - gap * (len(page) - 1)) // 2
    for number, height in zip(page, heights, strict=True):
        ends = (number == 0, number == len(rows) - 1)
        _draw_row(canvas, rows[number], (left, top, right, top + height), number - stage, ends)
        top += height + gap


def _draw_columns(canvas: Canvas, scene: Scene, top: int) -> int:
    """Draw the headings of a table's columns and return the top of what follows."""
    titles = [title for title in scene.sight.columns if title]
    if not titles:
        return top
    left, _, right, bottom = canvas.plan.content
    face = canvas.make_text_face(canvas.plan.sizes.label, 650)
    block = typesetting.fit_text(
        " · ".join(titles), right - left, face.line_height, face, canvas.plan.sizes.least
    )
    canvas.draw_block(
        block, (left, top, right, bottom), canvas.palette.spoken, canvas.look.align, "column"
    )
    return top + block.height + canvas.plan.px(_GAP)


@dataclass(frozen=True)
class _Row:
    """An entry as it is set.

    ``date``: the width of the dates' column in pixels; 0: the date stands above the text.
    """

    when: TextBlock
    what: TextBlock
    date: int
    height: int


def _fit_rows(
    canvas: Canvas, shown: Sequence[Entry], width: int, height: int, gap: int
) -> tuple[list[_Row], list[range]]:
    """Return the rows in the largest size in which they fit, and their pages."""
    plan = canvas.plan
    least = max(plan.sizes.least, plan.px(_LEAST_STACKED if plan.stacked else _LEAST))
    smallest = _set_rows(canvas, shown, width, height, least)
    pages = paging.split_pages([row.height for row in smallest], height, gap)
    size = plan.sizes.body * _LARGEST
    while size > least:
        rows = _set_rows(canvas, shown, width, _UNLIMITED, round(size))
        if all(
            paging.sum_heights([row.height for row in rows], page, gap) <= height for page in pages
        ):
            return rows, pages
        size *= _STEP
    return smallest, pages


def _set_rows(
    canvas: Canvas, shown: Sequence[Entry], width: int, height: int, size: int
) -> list[_Row]:
    plan = canvas.plan
    date_face = canvas.make_heading_face(size, 700, 1.2)
    face = canvas.make_text_face(size, canvas.look.body_weight, 1.24)
    widest = max(
        typesetting.measure_line(typesetting.split_pieces(entry.when), date_face) for entry in shown
    )
    date = round(widest) + plan.px(8) if widest <= width * _BESIDE else 0
    room = width - date - plan.px(_RAIL) - 2 * plan.px(_INSET)
    rows = []
    for entry in shown:
        when = typesetting.fit_text(entry.when, date or room, height // 2, date_face, size)
        above = 0 if date else when.height
        what = typesetting.fit_text(
            entry.what, room, height - above - plan.px(_PAD), face, size, balanced=True
        )
        rows.append(_Row(when, what, date, max(above + what.height, when.height) + plan.px(_PAD)))
    return rows


def _draw_row(canvas: Canvas, row: _Row, box: Box, ahead: int, ends: tuple[bool, bool]) -> None:
    """Draw one entry. ``ahead``: 0 for the one being spoken, positive for later ones; ``ends``:
    whether it is the first, the last."""
    plan, palette = canvas.plan, canvas.palette
    surface = palette.now if ahead == 0 else palette.past if ahead < 0 else palette.ahead
    left, right = canvas.find_start_edge(
        box, box[2] - box[0] - row.date - plan.px(_RAIL), row.date + plan.px(_RAIL)
    )
    panel = (left, box[1], right, box[3])
    canvas.draw_panel(panel, min(plan.px(canvas.look.corner), (box[3] - box[1]) // 2), surface)
    _draw_rail(
        canvas,
        (*canvas.find_start_edge(box, plan.px(_RAIL), row.date), box[1], box[3]),
        ahead,
        ends,
    )
    inset = plan.px(_INSET)
    text = (left + inset, box[1], right - inset, box[3])
    middle = (box[1] + box[3]) // 2
    if row.date:
        start, end = canvas.find_start_edge(box, row.date)
        _draw_date(
            canvas,
            row.when,
            (start, middle - row.when.height // 2, end, box[3]),
            Surface(palette.ground, 1.0, surface.ink),
            ahead,
        )
        top = middle - row.what.height // 2
    else:
        top = middle - (row.when.height + row.what.height) // 2
        _draw_date(canvas, row.when, (text[0], top, text[2], box[3]), surface, ahead)
        top += row.when.height
    canvas.draw_block(row.what, (text[0], top, text[2], box[3]), surface.ink, part="point")


def _draw_date(canvas: Canvas, block: TextBlock, box: Box, surface: Surface, ahead: int) -> None:
    """Draw a date in the account's colour, muted until it is spoken."""
    behind = mix(canvas.palette.ground, surface.colour, surface.opacity)
    ink = (
        canvas.palette.waiting_on_ground
        if ahead > 0
        else make_legible(canvas.palette.bright, behind, _READABLE)
    )
    canvas.draw_block(block, box, surface.ink if ahead == 0 and surface.edge else ink, part="point")


def _draw_rail(
    canvas: Canvas, place: tuple[int, int, int, int], ahead: int, ends: tuple[bool, bool]
) -> None:
    """Draw the part of the rail beside one entry, and its dot.

    ``place``: left, right, top, bottom.
    """
    left, right, top, bottom = place
    plan, palette = canvas.plan, canvas.palette
    x, y, gap = (left + right) // 2, (top + bottom) // 2, plan.px(_GAP)
    half = max(1, plan.px(_LINE) // 2)
    filled = make_legible(palette.solid, palette.ground, _VISIBLE)
    empty = palette.faint
    if not ends[0]:
        canvas.draw_rule(
            (x - half, top - gap // 2 - 1, x + half, y), filled if ahead <= 0 else empty
        )
    if not ends[1]:
        canvas.draw_rule(
            (x - half, y, x + half, bottom + gap - gap // 2 + 1), filled if ahead < 0 else empty
        )
    _draw_dot(canvas, (x, y), ahead, filled, empty)


def _draw_dot(
    canvas: Canvas, middle: tuple[int, int], ahead: int, filled: Colour, empty: Colour
) -> None:
    """Draw a disc: in a ring while its entry is spoken, filled afterwards, hollow before."""
    (x, y), plan, ground = middle, canvas.plan, canvas.palette.ground

    def disc(diameter: int, colour: Colour) -> None:
        reach = max(1, diameter // 2)
        canvas.draw_panel(
            (x - reach, y - reach, x + reach, y + reach), reach, Surface(colour, 1.0, ground)
        )

    if ahead == 0:
        disc(plan.px(_NOW), filled)
        disc(plan.px(_NOW - 12), ground)
    elif ahead > 0:
        disc(plan.px(_DOT), empty)
    disc(plan.px(_DOT if ahead < 0 else _DOT - 8), ground if ahead > 0 else filled)
