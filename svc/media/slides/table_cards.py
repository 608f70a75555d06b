"""A table's rows as cards: the first cell as a title, each other cell with the heading
of its column.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box, FrameLayout
from svc.media.drawing.palette import Surface
from svc.media.drawing.typesetting import TextBlock
from svc.media.model import Scene
from svc.media.slides import paging

_STEP, _UNLIMITED = 0.95, 1 << 20  # from one tried size to the next; pixels
_WIDTH_OF_CELL = 6.5  # times its type size, at least, where cells stand beside each other
# Of the body size: the largest type, and the smallest that does not need several pages.
_LARGEST, _LEAST = 1.4, 0.72


@dataclass(frozen=True)
class _Card:
    name: TextBlock  # the heading of the first column
    title: TextBlock
    cells: tuple[tuple[TextBlock, TextBlock], ...]  # heading and cell
    columns: int  # of cells
    height: int


def draw(canvas: Canvas, parts: Sequence[Scene], stage: int, box: Box) -> None:
    """Draw as many cards as are legible in ``box``, on the page with row ``stage`` of the first of
    ``parts``, the scenes of one table, whose cards are in type of one size.
    """
    left, top, right, bottom = box
    gap = canvas.plan.px(18)
    room = (right - left, bottom - top, gap)
    size = min(_fit_cards(canvas, part, *room)[0] for part in parts)
    _, cards, pages = _fit_cards(canvas, parts[0], *room, most=size)
    rows = paging.find_current_page(pages, stage)
    free = bottom - top - sum(cards[row].height for row in rows) - gap * (len(rows) - 1)
    more = max(0, min(free // len(rows), canvas.plan.px(80)))
    top += max(0, (free - more * len(rows)) // 2)
    for number in rows:
        tall = min(cards[number].height + more, bottom - top)
        _draw_card(canvas, cards[number], (left, top, right, top + tall), number - stage)
        top += tall + gap


def _fit_cards(
    canvas: Canvas, scene: Scene, width: int, height: int, gap: int, most: int | None = None
) -> tuple[int, list[_Card], list[range]]:
    """Return the largest size, up to ``most``, in which the cards fit their pages, the cards, and
    the pages.
    """
    plan = canvas.plan
    size = round(plan.sizes.body * _LARGEST) if most is None else most
    least = min(size, max(plan.sizes.least, round(plan.sizes.body * _LEAST)))
    small, cards = _arrange_small(canvas, scene, width, height, least)
    pages = paging.split_pages([card.height for card in cards], height, gap)
    tried_size = float(size)
    while round(tried_size) > least:
        tried = [
            _make_card(canvas, scene, row, width, round(tried_size)) for row in scene.sight.rows
        ]
        if all(
            paging.sum_heights([card.height for card in tried], rows, gap) <= height
            for rows in pages
        ):
            return round(tried_size), tried, pages
        tried_size *= _STEP
    return small, cards, pages


def _arrange_small(
    canvas: Canvas, scene: Scene, width: int, height: int, least: int
) -> tuple[int, list[_Card]]:
    """Return the largest size from ``least`` down in which each card is no higher than a picture,
    and the cards.
    """
    size = least
    while True:
        cards = [_make_card(canvas, scene, row, width, size) for row in scene.sight.rows]
        if size <= canvas.plan.sizes.least or max(card.height for card in cards) <= height:
            return size, cards
        size = max(canvas.plan.sizes.least, int(size * _STEP))


def _make_card(canvas: Canvas, scene: Scene, row, width: int, size: int) -> _Card:
    plan, look = canvas.plan, canvas.look
    inner = width - 2 * plan.px(32)
    named = [
        (name, cell) for name, cell in zip(scene.sight.columns[1:], row[1:], strict=True) if cell
    ]
    columns = max(1, min(len(named), int(inner / max(1, size * _WIDTH_OF_CELL))))
    room = (inner - plan.px(28) * (columns - 1)) // columns
    small = canvas.make_text_face(max(_find_least_label(plan), round(size * 0.68)), 600, 1.2)
    face = canvas.make_text_face(size, look.body_weight, 1.2)
    title = canvas.make_text_face(round(size * 1.08), 700, 1.2)
    cells = tuple(
        (_fit_block(name, room, small), _fit_block(cell, room, face)) for name, cell in named
    )
    heading = _fit_block(row[0], inner, title)
    lines = [cells[first : first + columns] for first in range(0, len(cells), columns)]
    name = _fit_block(scene.sight.columns[0], inner, small)
    height = (
        name.height
        + heading.height
        + sum(_measure_line(line) + plan.px(14) for line in lines)
        + plan.px(36)
    )
    return _Card(name, heading, cells, columns, height)


def _find_least_label(plan: FrameLayout) -> int:
    """Return the smallest type size of the heading of a column: a tall frame is seen on a phone."""
    return plan.sizes.small if plan.stacked else plan.sizes.least


def _fit_block(text: str, width: int, face) -> TextBlock:
    return typesetting.fit_text(text, width, _UNLIMITED, face, face.size, balanced=True)


def _measure_line(line) -> int:
    return max((name.height + cell.height for name, cell in line), default=0)


def _draw_card(canvas: Canvas, card: _Card, box: Box, ahead: int) -> None:
    plan, palette = canvas.plan, canvas.palette
    surface = palette.now if ahead == 0 else palette.past if ahead < 0 else palette.ahead
    if not surface.opacity:
        surface = Surface(palette.ink, 0.08 if ahead == 0 else 0.03, surface.ink)
    canvas.draw_panel(box, plan.px(canvas.look.corner), surface)
    pad, gap = plan.px(32), plan.px(28)
    left, right = box[0] + pad, box[2] - pad
    y = box[1] + max(plan.px(18), (box[3] - box[1] - card.height) // 2 + plan.px(18))
    canvas.draw_block(card.name, (left, y, right, box[3]), surface.ink, part="name")
    canvas.draw_block(
        card.title, (left, y + card.name.height, right, box[3]), surface.ink, part="point"
    )
    y += card.name.height + card.title.height + plan.px(14)
    width = (right - left - gap * (card.columns - 1)) // card.columns
    for first in range(0, len(card.cells), card.columns):
        line = card.cells[first : first + card.columns]
        tallest = max(name.height for name, _ in line)
        for place, (name, cell) in enumerate(line):
            at = (
                right - (place + 1) * width - place * gap
                if canvas.right_to_left
                else left + place * (width + gap)
            )
            canvas.draw_block(name, (at, y, at + width, box[3]), surface.ink, part="name")
            canvas.draw_block(
                cell, (at, y + tallest, at + width, box[3]), surface.ink, part="point"
            )
        y += _measure_line(line) + plan.px(14)
