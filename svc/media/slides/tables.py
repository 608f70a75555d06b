"""Tables and comparisons: every row is visible, and the one being spoken stands out."""

from dataclasses import replace

from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface
from svc.media.drawing.typesetting import Typeface
from svc.media.model import Scene
from svc.media.slides import headings
from svc.media.text.amounts import is_amount

_MIN_COLUMN = 0.16  # of the table's width


def table(canvas: Canvas, scene: Scene, stage: int) -> None:
    """Draw column headings, a rule and the rows; ``stage``: the row being spoken, or -1. Columns of figures are end-aligned."""
    plan, sight = canvas.plan, scene.sight
    left, _, right, bottom = plan.content
    top, gap, pad = headings.heading(canvas, scene, 0.3), plan.px(10), plan.px(24)
    face = canvas.text_face(plan.sizes.body, canvas.look.body_weight, 1.2)
    head = canvas.text_face(max(plan.sizes.least, plan.sizes.label), 650, 1.2)
    tall = min((bottom - top - plan.px(76)) // max(1, len(sight.rows)) - gap, plan.px(132))
    widths = _widths(scene, right - left - 2 * pad, face, head, pad)
    face = _fitting(sight.rows, widths, tall - plan.px(12), face, plan.sizes.least)
    head = _fitting([sight.columns], widths, plan.px(54), head, plan.sizes.least)
    _cells(canvas, sight.columns, (left + pad, top, right - pad, top + plan.px(54)), widths, head, canvas.palette.bright, scene)
    y = top + plan.px(62)
    canvas.rule((left, y, right, y + plan.px(3)), canvas.palette.solid)
    y += gap + plan.px(3)
    for number, row in enumerate(sight.rows):
        surface = _surface(canvas, number, stage)
        canvas.draw_panel((left, y, right, y + tall), plan.px(min(canvas.look.corner, 18)), surface)
        if canvas.look.rows == "rules":
            canvas.rule((left, y + tall + gap // 2, right, y + tall + gap // 2 + plan.px(2)), canvas.palette.faint)
            _mark(canvas, (left, y, right, y + tall), number == stage)
        _cells(canvas, row, (left + pad, y, right - pad, y + tall), widths, face, surface.ink, scene)
        y += tall + gap


def comparison(canvas: Canvas, scene: Scene, stage: int) -> None:
    """Draw two columns of cards under their headings; cards not yet spoken stay empty."""
    plan, palette, sight = canvas.plan, canvas.palette, scene.sight
    left, _, right, bottom = plan.content
    top, gap = headings.heading(canvas, scene, 0.3), plan.px(16)
    half = (right - left - gap) // 2
    sides = [(left, left + half), (right - half, right)]
    head = plan.px(84)
    tall = min((bottom - top - head - gap * len(sight.rows)) // max(1, len(sight.rows)), plan.px(190))
    face = canvas.text_face(plan.sizes.body, canvas.look.body_weight, 1.2)
    face = _fitting(sight.rows, [half - plan.px(56)] * 2, tall - plan.px(20), face, plan.sizes.least)
    for side, (x, end) in enumerate(sides[::-1] if canvas.right_to_left else sides):
        title = canvas.heading_face(round(plan.sizes.heading * 0.72), canvas.look.heading_weight, 1.16)
        _card(canvas, (x, top, end, top + head), sight.columns[side], title, palette.fields[side])
        for number, row in enumerate(sight.rows):
            y = top + head + gap + number * (tall + gap)
            surface = _surface(canvas, number, stage)
            surface = surface if surface.opacity else Surface(palette.ink, 0.1 if number == stage else 0.04, surface.ink)
            _card(canvas, (x, y, end, y + tall), row[side] if number <= stage else "", face, surface)


def _card(canvas: Canvas, box: Box, text: str, face: Typeface, surface: Surface) -> None:
    canvas.draw_panel(box, canvas.plan.px(canvas.look.corner), surface)
    pad, tall = canvas.plan.px(28), box[3] - box[1]
    block = typesetting.fit(text, box[2] - box[0] - 2 * pad, tall, face, canvas.plan.sizes.least, balanced=True)
    top = box[1] + (tall - block.height) // 2
    canvas.block(block, (box[0] + pad, top, box[2] - pad, box[3]), surface.ink, part="point")


def _surface(canvas: Canvas, number: int, stage: int) -> Surface:
    palette = canvas.palette
    return palette.now if number == stage else palette.past if number < stage else palette.ahead


def _mark(canvas: Canvas, box: Box, current: bool) -> None:
    if current:
        left, right = canvas.start_edge(box, canvas.plan.px(6))
        canvas.rule((left, box[1] + canvas.plan.px(8), right, box[3] - canvas.plan.px(8)), canvas.palette.solid)


def _widths(scene: Scene, room: int, face: Typeface, head: Typeface, pad: int) -> list[int]:
    """Return column widths by their widest cells, scaled to ``room``, each with a minimum."""
    rows, count = [scene.sight.columns, *scene.sight.rows], len(scene.sight.columns)
    widths = []
    for column in range(count):
        widest = max(typesetting.line_width(row[column].split(), head if row is rows[0] else face) for row in rows)
        widths.append(max(widest + pad, room * _MIN_COLUMN))
    scale = room / sum(widths)
    return [int(width * scale) for width in widths]


def _fitting(rows, widths: list[int], tall: int, face: Typeface, least: int) -> Typeface:
    """Return ``face`` in the size at which every cell fits."""
    cells = [(cell, width) for row in rows for cell, width in zip(row, widths, strict=True)]
    smallest = max(least, headings.minimum_size(face))
    sizes = (typesetting.fit(cell, max(1, round(width * 0.94)), tall, face, smallest).face.size for cell, width in cells)
    return replace(face, size=min(sizes, default=face.size))


def _cells(canvas: Canvas, row, box: Box, widths: list[int], face: Typeface, ink, scene: Scene) -> None:
    x = box[0]
    order = list(enumerate(row))
    for column, cell in order[::-1] if canvas.right_to_left else order:
        block = typesetting.fit(cell, round(widths[column] * 0.94), box[3] - box[1], face, face.size)
        top = box[1] + (box[3] - box[1] - block.height) // 2
        align = "end" if column and _is_numeric(scene, column) else "start"
        inset = round(widths[column] * 0.06) if align == "end" and not canvas.right_to_left else 0
        canvas.block(block, (x + inset, top, x + widths[column], box[3]), ink, align, "point")
        x += widths[column]


def _is_numeric(scene: Scene, column: int) -> bool:
    return all(is_amount(row[column]) for row in scene.sight.rows if row[column])
