"""Converts tables that are drawn with signs, as in reStructuredText and Pandoc, to tables of
Markdown.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

MOST_CELLS = 4000  # of one table; short rows are padded, so 4,096 characters could make 65,000
_MOST_COLUMNS = 100
_FEWEST_OF_EDGE = 3  # signs of an edge between some of the columns; fewer are a text
_EDGE = re.compile(r"\+(?:[-=:]+\+)+[ \t]*")  # +-----+=====+
_CUT_EDGE = re.compile(r"\+[-=+]*")  # at the end of a text that was cut
_BORDER = re.compile(r"={2,}(?:[ ]+={2,})+[ \t]*")  # =====  =====
_SPAN = re.compile(r"-+(?:[ ]+-+)*[ \t]*")  # below a heading of several columns
_LONGEST = 400  # lines of a simple table, whose end is looked for
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def as_markdown(text: str) -> str:
    """Return ``text`` with its grid tables and simple tables as tables of Markdown.

    A table of a single column is a frame: its lines become a paragraph. Fenced code stays.
    """
    if not any(sign in text for sign in ("+-", "+=", "== ")):
        return text
    return "\n".join(_convert_lines(text.split("\n")))


def format_table(rows: Sequence[Sequence[str]], has_head: bool) -> list[str]:
    """Return rows of cells as the lines of a table; one row without headings, one column, or
    a table that would be too large, as paragraphs."""
    columns = max(map(len, rows), default=0)
    is_one = columns < 2 or (len(rows) == 1 and not has_head)
    if is_one or columns * (len(rows) + 1) > MOST_CELLS:
        cells = [cell for row in rows for cell in row if cell]
        return [line for cell in cells for line in ("", cell)] + [""]
    full_rows = [[*row, *[""] * (columns - len(row))] for row in rows]
    head, body = (full_rows[0], full_rows[1:]) if has_head else ([""] * columns, full_rows)
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in (head, *body)]
    lines = [f"| {' | '.join(row)} |" for row in escaped]
    return ["", lines[0], "|" + "---|" * columns, *lines[1:], ""]


def _convert_lines(lines: list[str]) -> Iterator[str]:
    at, fence = 0, ""
    while at < len(lines):
        line = lines[at]
        if mark := _FENCE.match(line):
            is_end = fence and mark[1].startswith(fence) and not line.strip("`~ \t")
            fence = "" if is_end else fence or mark[1]
        end = at
        if not fence and _EDGE.fullmatch(line):
            end = _end_of_grid(lines, at)
            is_table = end > at + 2 and line.count("+") <= _MOST_COLUMNS
            yield from _convert_grid(lines[at:end]) if is_table else lines[at:end]
        elif not fence and _BORDER.fullmatch(line) and (end := _end_of_simple(lines, at)) > at:
            yield from _convert_simple(lines[at:end])
        if end == at:
            yield line
        at = max(end, at + 1)


def _end_of_grid(lines: list[str], start: int) -> int:
    end = start
    while end < len(lines) and lines[end].startswith(("|", "+")):
        end += 1
    return end


def _convert_grid(lines: list[str]) -> list[str]:
    """Return a grid table as Markdown. Cells that span columns are those of the first of them."""
    edges = [line for line in lines if _EDGE.fullmatch(line)]
    bounds = sorted({place for line in edges for place, sign in enumerate(line) if sign == "+"})
    rows: list[list[str]] = []
    cells: list[list[str]] = [[] for _ in bounds[1:]]
    heads = 0
    for line in [*lines[1:], "+"]:
        if not _EDGE.fullmatch(line) and not _CUT_EDGE.fullmatch(line):
            _add(cells, line, bounds)
            continue
        if any(cells):
            rows.append([" ".join(parts) for parts in cells])
        cells = [[] for _ in bounds[1:]]
        heads = heads or ("=" in line and len(rows))
    rows, heads = _join_heads(rows, heads)
    while rows and len(rows[0]) > 1 and not any(row[-1] for row in rows):  # an edge drawn wrong
        rows = [row[:-1] for row in rows]
    return format_table(rows, heads > 0)


def _join_heads(rows: list[list[str]], heads: int) -> tuple[list[list[str]], int]:
    """Return the rows with each column's headings joined, and the number of rows of headings."""
    if heads < 2:
        return rows, heads
    head = [" ".join(filter(None, parts)) for parts in zip(*rows[:heads], strict=True)]
    return [head, *rows[heads:]], 1


def _add(cells: list[list[str]], line: str, bounds: list[int]) -> None:
    """Add a line of text to its cells."""
    places = [place for place in bounds if line[place : place + 1] in ("|", "+")]
    line = line.rstrip()
    if not places or places[-1] < len(line) - 1:  # the edge is drawn too short
        places.append(len(line) - line.endswith("|"))
    for place, following in pairwise(places):
        text = line[place + 1 : following].strip()
        if text and (len(text) < _FEWEST_OF_EDGE or not set(text) <= set("-=+")):
            cells[min(bounds.index(place), len(cells) - 1)].append(text)


def _end_of_simple(lines: list[str], start: int) -> int:
    """Return where a simple table ends that begins at ``start``; ``start`` if it is none."""
    border = lines[start].rstrip()
    limit = min(len(lines), start + _LONGEST)
    borders = [at for at in range(start + 1, limit) if lines[at].rstrip() == border][:2]
    if not borders or borders[0] == start + 1 or len(border.split()) > _MOST_COLUMNS:
        return start
    is_end = len(borders) == 1 or not "".join(lines[borders[0] + 1 : borders[0] + 2]).strip()
    return (borders[0] if is_end else borders[1]) + 1


def _convert_simple(lines: list[str]) -> list[str]:
    """Return a simple table as Markdown; a line whose first cell is empty goes on with
    the one above.
    """
    border = lines[0].rstrip()
    starts = [match.start() for match in re.finditer("=+", border)]
    ends = [*starts[1:], None]
    rows: list[list[str]] = []
    heads = 0
    for line in lines[1:-1]:
        if line.rstrip() == border:
            heads = len(rows)
        elif line.strip() and not _SPAN.fullmatch(line):
            cells = [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]
            if cells[0] or not rows or len(rows) == heads > 0:
                rows.append([cell.removeprefix("\\").strip() for cell in cells])
            else:
                rows[-1] = [
                    " ".join(filter(None, cell_lines))
                    for cell_lines in zip(rows[-1], cells, strict=True)
                ]
    rows, heads = _join_heads(rows, heads)
    return format_table(rows, heads > 0)
