"""Tables: every row is visible, and the one being spoken stands out.

Many columns or long cells, which would have to be small side by side, become cards: each cell with
its heading. A table that goes on over several scenes is set in the same way in each of them.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby, permutations

from svc.media.colour import Colour
from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface
from svc.media.drawing.typesetting import Typeface
from svc.media.model import Scene
from svc.media.slides import headings, paging, table_cards
from svc.media.text import bonds, line_breaks
from svc.media.text.amounts import is_amount

_STEP = 0.95  # from one tried size to the next
# The shares of the body size below which cards are more legible than columns, in wide and in tall
# frames.
_LEAST, _LEAST_TALL = 0.68, 0.7
_TALL = 1.5  # height by width
_EVEN = 0.88  # of the size: how far type shrinks so that all rows are of one height
_MOST_COLUMNS, _MOST_STACKED = 5, 4  # beside one another in a wide and in a tall picture
_SPREAD = 1.7  # how much higher than necessary a row becomes to fill the picture
_MISSING = ("", "-", "–", "—", "?", "n/a")  # where a figure is not known
_GAP = 10  # in 1/1080 of the short side: between rows
# The space between columns in 1/1080 of the short side, and in tall frames, where they are narrow.
_GUTTER, _NARROW_GUTTER = 44, 30
_MOVED, _MOST_MOVES = 0.02, 60  # of the room: what a column gives to another at a time; how often
_LONGEST_CODE = 10  # characters
_LEAST_PART = 4  # letters before and after a hyphen at which a line may end
_Rows = tuple[tuple[str, ...], ...]  # of a scene's table: cells


def list_parts(scenes: Sequence[Scene]) -> dict[int, tuple[_Rows, ...]]:
    """Return, by the index of each scene with a part of a table, the rows of all its parts: scenes
    one after another with the same headings."""
    rows_by_scene = dict[int, tuple[_Rows, ...]]()
    keyed = groupby(
        enumerate(scenes), key=lambda each: (each[1].layout, each[1].heading, each[1].sight.columns)
    )
    for (layout, _, _), group in keyed:
        parts = list(group)
        if layout == "table" and len(parts) > 1:
            rows = tuple(scene.sight.rows for _, scene in parts)
            rows_by_scene |= {at: rows for at, _ in parts}
    return rows_by_scene


def draw_table(canvas: Canvas, scene: Scene, stage: int) -> None:
    """Draw column headings, a rule and the rows; ``stage``: the row being spoken, or -1.

    Columns of figures are end-aligned.
    """
    plan = canvas.plan
    left, _, right, bottom = plan.content
    top = headings.draw_heading(canvas, scene, 0.3)
    parts = [
        scene,
        *(
            replace(scene, sight=replace(scene.sight, rows=rows))
            for rows in canvas.table_parts
            if rows != scene.sight.rows
        ),
    ]
    grids = _fit_grids(canvas, parts, right - left, bottom - top)
    if not grids:
        table_cards.draw(canvas, parts, stage, (left, top, right, bottom))
        return
    grid = grids[0]
    gap, rows = plan.px(_GAP), paging.find_current_page(grid.pages, stage)
    used = paging.sum_heights(grid.rows, rows, gap)
    free = bottom - top - _measure_head_room(canvas, grid) - used
    # a last part's few rows are as much higher as fills their frame, or it stands in the middle
    more = min(free // len(rows), round(used / len(rows) * (_SPREAD - 1)))
    left_over = free - more * len(rows)
    top += left_over // 2 if left_over >= len(rows) else 0  # full pages begin at one height
    y = _draw_head(canvas, scene, grid, (left, top, right, bottom))
    for number in rows:
        tall = grid.rows[number] + more
        _draw_row(canvas, scene, grid, (left, y, right, y + tall), number, stage)
        y += tall + gap


class _Grid:
    """A table's measures in one type size.

    ``widths``: of the columns without gutters, in pixels.
    """

    def __init__(self, canvas: Canvas, scene: Scene, whole: Scene, width: int, size: int):
        """``whole``: the scene with the rows of all parts of its table, which share columns."""
        plan, sight, self.whole = canvas.plan, scene.sight, whole
        self.face = canvas.make_text_face(size, canvas.look.body_weight, 1.2)
        self.head = canvas.make_text_face(max(plan.sizes.least, round(size * 0.78)), 650, 1.2)
        self.gutter = plan.px(_NARROW_GUTTER if plan.stacked else _GUTTER)
        self.pad = plan.px(24)
        room = width - 2 * self.pad - self.gutter * (len(sight.columns) - 1)
        rows = tuple(sorted(whole.sight.rows))  # each part begins with its own
        self.widths = _find_widths(sight.columns, rows, room, self.face, self.head)
        has_head = any(sight.columns)
        self.head_height = self._measure_tallest([sight.columns], self.head) if has_head else 0
        self.rows = [self._measure_tallest([row], self.face) + plan.px(20) for row in sight.rows]
        self.pages: list[range] = []

    def share_out(self, height: int, gap: int) -> None:
        """Set the pages of ``height`` pixels. Rows are of one height if that adds no page."""
        even = [max(self.rows)] * len(self.rows)
        self.pages = paging.split_pages(self.rows, height, gap)
        if len(pages := paging.split_pages(even, height, gap)) == len(self.pages):
            self.rows, self.pages = even, pages

    def fits(self, scene: Scene) -> bool:
        """Return whether no word has to be broken."""
        rows = [(scene.sight.columns, self.head), *((row, self.face) for row in scene.sight.rows)]
        return all(
            typesetting.measure_line((piece,), face) <= width
            for row, face in rows
            for cell, width in zip(row, self.widths, strict=True)
            for piece in _split_unbroken(cell, face.language)
        )

    def _measure_tallest(self, rows, face: Typeface) -> int:
        blocks = (
            _fit_block(cell, width, face).height
            for row in rows
            for cell, width in zip(row, self.widths, strict=True)
        )
        return max(blocks, default=0)


def _split_unbroken(cell: str, language: str) -> list[str]:
    """Return the parts of ``cell`` that stay on one line: its words, those of a double name alone,
    all of a figure with its unit, or of a short code.
    """
    if is_amount(cell) or _is_code(cell):
        return [cell]
    words = typesetting.split_pieces(bonds.bind(cell, language))
    return [part for word in words for part in _split_at_hyphen(word)]


def _is_code(cell: str) -> bool:
    """Return whether a cell is short and has a figure, as a model has: RM 40-46 S."""
    return len(cell) <= _LONGEST_CODE and any(map(str.isdecimal, cell))


def _split_at_hyphen(word: str) -> list[str]:
    """Return both parts of a long word with a hyphen, such as a double name, or the word."""
    first, hyphen, rest = word.partition(line_breaks.HYPHEN)
    is_long = min(len(first), len(rest)) >= _LEAST_PART
    return [first + hyphen, rest] if is_long and (first + rest).isalpha() else [word]


def _fit_block(cell: str, width: int, face: Typeface):
    text = bonds.bind(cell, face.language)
    whole = cell.replace(" ", "\N{NO-BREAK SPACE}")
    if _is_code(cell) and typesetting.measure_line((whole,), face) <= width:
        text = whole
    return typesetting.fit_text(text, width, 1 << 20, face, face.size, balanced=True)


def _fit_grids(canvas: Canvas, parts: Sequence[Scene], width: int, height: int) -> list[_Grid]:
    """Return the grid of each part of a table in the largest size in which all rows fit, or fit the
    fewest pages; none if columns would be too narrow.
    """
    plan, sight = canvas.plan, parts[0].sight
    if len(sight.columns) > (_MOST_STACKED if plan.stacked else _MOST_COLUMNS):
        return []
    whole = replace(
        parts[0], sight=replace(sight, rows=tuple(row for part in parts for row in part.sight.rows))
    )
    is_tall = plan.height >= _TALL * plan.width
    size = float(plan.sizes.body * 1.1)
    least = max(
        plan.sizes.least,
        round(plan.sizes.body * (_LEAST_TALL if is_tall else _LEAST)),
    )
    best: list[_Grid] = []
    while size >= (
        least if not best or _count_pages(best) > len(parts) else best[0].face.size * _EVEN
    ):
        first = _Grid(canvas, parts[0], whole, width, round(size))
        if first.fits(whole):
            others = (_Grid(canvas, part, whole, width, round(size)) for part in parts[1:])
            grids = [first, *others]
            room = height - _measure_head_room(canvas, first)
            for grid in grids:
                grid.share_out(room, plan.px(_GAP))
            is_better = not best or _count_pages(grids) < _count_pages(best)
            is_one_each = _count_pages(grids) == len(parts)
            if is_one_each and len({row for grid in grids for row in grid.rows}) == 1:
                return grids
            tallest = max(row for grid in grids for row in grid.rows)
            if is_better and (is_one_each or tallest * 2 <= room):
                best = grids
        size *= _STEP
    return best


def _count_pages(grids: Sequence[_Grid]) -> int:
    return sum(len(grid.pages) for grid in grids)


def _measure_head_room(canvas: Canvas, grid: _Grid) -> int:
    if not grid.head_height:
        return 0
    return grid.head_height + canvas.plan.px(10) + canvas.plan.px(3) + canvas.plan.px(12)


def _draw_head(canvas: Canvas, scene: Scene, grid: _Grid, box: Box) -> int:
    """Draw the column headings, if there are any, above a rule, and return the y below it."""
    left, top, right, _ = box
    plan = canvas.plan
    if not grid.head_height:
        return top
    _draw_cells(
        canvas,
        scene.sight.columns,
        (left, top, right, top + grid.head_height),
        grid,
        grid.head,
        canvas.palette.bright,
    )
    y = top + grid.head_height + plan.px(10)
    canvas.draw_rule((left, y, right, y + plan.px(3)), canvas.palette.solid)
    return y + plan.px(3) + plan.px(12)


def _draw_row(canvas: Canvas, scene: Scene, grid: _Grid, box: Box, number: int, stage: int) -> None:
    plan, row = canvas.plan, choose_row_surface(canvas, number, stage)
    canvas.draw_panel(box, plan.px(min(canvas.look.corner, 18)), row)
    if canvas.look.rows == "rules":
        canvas.draw_rule(
            (box[0], box[3] + plan.px(4), box[2], box[3] + plan.px(6)), canvas.palette.faint
        )
        if number == stage:
            left, right = canvas.find_start_edge(box, plan.px(6))
            canvas.draw_rule(
                (left, box[1] + plan.px(8), right, box[3] - plan.px(8)), canvas.palette.solid
            )
    _draw_cells(canvas, scene.sight.rows[number], box, grid, grid.face, row.ink)


def choose_row_surface(canvas: Canvas, number: int, stage: int) -> Surface:
    """Return the surface of row ``number``."""
    palette = canvas.palette
    return palette.now if number == stage else palette.past if number < stage else palette.ahead


@lru_cache(maxsize=128)  # for each stage of each part of a table, in the sizes that are tried
def _find_widths(
    columns: tuple[str, ...], body: _Rows, room: int, face: Typeface, head: Typeface
) -> tuple[int, ...]:
    """Return column widths that add up to ``room``: each at least its longest word, the rest by the
    widest cells, and then so that rows have the fewest lines.
    """
    rows = [columns, *body]
    least, widest = [], []
    for column in range(len(columns)):
        cells = [(row[column], head if row is rows[0] else face) for row in rows]
        least.append(
            max(
                (
                    typesetting.measure_line((word,), used)
                    for cell, used in cells
                    for word in _split_unbroken(cell, used.language)
                ),
                default=0,
            )
            + 1
        )
        widest.append(max(typesetting.measure_line(cell.split(), used) for cell, used in cells) + 1)
    if sum(widest) <= room:
        return tuple(int(width + (room - sum(widest)) / len(widest)) for width in widest)
    if sum(least) >= room:
        return tuple(max(1, int(width * room / sum(least))) for width in least)
    share = (room - sum(least)) / max(1.0, sum(widest) - sum(least))
    widths = [low + (high - low) * share for low, high in zip(least, widest, strict=True)]
    words = [
        [
            [typesetting.measure_word(word, used) for word in _split_unbroken(cell, used.language)]
            for cell in row
        ]
        for row, used in ((row, head if row is rows[0] else face) for row in rows)
    ]
    gap = typesetting.measure_word(" ", face)
    return tuple(map(int, _even_out(widths, least, words, gap, room * _MOVED)))


def _even_out(
    widths: list[float],
    least: Sequence[float],
    cells: Sequence[Sequence[Sequence[float]]],
    gap: float,
    step: float,
) -> list[float]:
    """Return ``widths`` so that the rows of ``cells``, each the widths of its words, have as few
    lines as columns get by giving ``step`` to one another, none of which is narrower than its
    ``least``."""
    best, moved = _count_lines(widths, cells, gap), widths
    for _ in range(_MOST_MOVES):
        tried = [
            [width + step * times * ((at == to) - (at == giver)) for at, width in enumerate(moved)]
            for giver, to in permutations(range(len(moved)), 2)
            for times in (1, 2, 4, 8)
            if moved[giver] - step * times >= least[giver]
        ]
        fewest = min(tried, key=lambda each: _count_lines(each, cells, gap), default=moved)
        if (lines := _count_lines(fewest, cells, gap)) >= best:
            break
        best, moved = lines, fewest
    return moved


def _count_lines(
    widths: Sequence[float], cells: Sequence[Sequence[Sequence[float]]], gap: float
) -> tuple[int, int, int]:
    """Return how many lines the tallest row has, all rows have, and all cells have."""
    lines = [
        [_count_lines_of(words, gap, width) for words, width in zip(row, widths, strict=True)]
        for row in cells
    ]
    tallest = [max(row) for row in lines]
    return max(tallest), sum(tallest), sum(map(sum, lines))


def _count_lines_of(words: Sequence[float], gap: float, width: float) -> int:
    count, used = 1, 0.0
    for word in words:
        if used and used + gap + word > width:
            count, used = count + 1, 0.0
        used += (gap if used else 0.0) + word
    return count


def _draw_cells(canvas: Canvas, row, box: Box, grid: _Grid, face: Typeface, ink: Colour) -> None:
    x = box[0] + grid.pad
    order = list(enumerate(row))
    for column, cell in order[::-1] if canvas.right_to_left else order:
        width = grid.widths[column]
        block = _fit_block(cell, width, face)
        top = box[1] + (box[3] - box[1] - block.height) // 2
        align = "end" if column and _is_numeric(grid.whole, column) else "start"
        canvas.draw_block(block, (x, top, x + width, box[3]), ink, align, "point")
        x += width + grid.gutter


def _is_numeric(scene: Scene, column: int) -> bool:
    """Return whether the cells of ``column`` are figures, some of which may be missing."""
    cells = [row[column] for row in scene.sight.rows if row[column].casefold() not in _MISSING]
    return bool(cells) and all(map(is_amount, cells))
