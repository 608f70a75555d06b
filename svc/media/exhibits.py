"""What a block of Markdown lets be seen besides text (quotation, figure, table, chart, image), and how it is said."""

import re
from itertools import pairwise
from math import ceil

from babel import Locale

from svc.media import cutting, words
from svc.media.amounts import amount
from svc.media.cutting import Part
from svc.media.markdown import Block
from svc.media.programme import Brief, Sight

MOST_ROWS = 6  # of a table on one screen
MOST_BARS = 8
MOST_SIDES = 4  # rows of a comparison
MOST_COLUMNS = 5
_LONGEST_CELL = 64  # characters
_LONGEST_FIGURE = 14
_STRETCH = 1.3  # of the longest scene's length: a quotation is not cut
_DASHES = ("—", "–", "--", "―", "-")


def parts(block: Block, brief: Brief) -> list[Part] | None:
    """The parts in which ``block`` is said, each with what is seen meanwhile; None: it is better read as ordinary text."""
    made = _MADE.get(block.kind)
    return made(block, brief) if made else None


def _quote(block: Block, brief: Brief) -> list[Part] | None:
    *lines, last = [line for line in block.text.split("\n") if line.strip()] or [""]
    who = last.strip().lstrip("".join(_DASHES)).strip() if lines and last.strip().startswith(_DASHES) else ""
    text = " ".join(lines if who else [*lines, last])
    who = words.shortened(words.clean(who), _LONGEST_CELL)
    said = _said(text, brief, Sight("quote", words.clean(text).strip("\"“”«»„"), who))
    if said is None:
        return None
    return said + ([Part(tuple(words.tokens(who, brief.language)), sight=said[0].sight)] if who else [])


def _figure(block: Block, brief: Brief) -> list[Part] | None:
    """A paragraph that begins with a figure in bold: "**71 %** of the Earth is covered by water."."""
    figure = words.clean(block.note)
    if len(figure) > _LONGEST_FIGURE or amount(figure) is None:
        return None
    rest = words.clean(block.text).removeprefix(figure).lstrip(" ,:;–—-")
    return _said(block.text, brief, Sight("number", figure, rest)) if rest else None


def _image(block: Block, brief: Brief) -> list[Part] | None:
    """An upload of the account by its name; whatever else the address is, it is not fetched: the description stands for it."""
    name = block.note.removeprefix("asset:").removeprefix("./")
    file = next((upload.file for upload in brief.uploads if upload.name == name), "")
    return _said(block.text, brief, Sight("image", words.clean(block.text), file=file))


def _said(text: str, brief: Brief, sight: Sight) -> list[Part] | None:
    limit = cutting.longest(brief.avatar)
    said = cutting.sentences(text, brief.language, limit)
    if not said or cutting.length(said) > limit * _STRETCH:
        return None
    return [Part(part.tokens, sight=sight) for part in said]


def _table(block: Block, brief: Brief) -> list[Part] | None:
    """As many scenes as its rows need, each with the headings; points where it is too wide, or says too much, for a picture."""
    cleaned = [tuple(words.clean(cell) for cell in row) for row in block.rows]
    (columns, *rows), wide = cleaned, len(cleaned[0])
    rows = [row for row in rows if any(row)]
    longest = max((len(cell) for row in cleaned for cell in row), default=0)
    if not rows:
        return []
    if not 2 <= wide <= MOST_COLUMNS or longest > _LONGEST_CELL or not all(row[0] for row in rows):
        return _points(rows, brief)
    kind, most = _kind(columns, rows, brief.language)
    spoken = [words.tokens(_spoken(kind, columns, row, number), brief.language) for number, row in enumerate(rows)]
    if not all(spoken):
        return _points(rows, brief)
    length = cutting.length([Part(tuple(each)) for each in spoken]) / cutting.longest(brief.avatar)
    scenes = 1 if kind in ("bars", "line") else max(ceil(len(rows) / most), ceil(length / _STRETCH))
    bounds = [round(index * len(rows) / scenes) for index in range(scenes + 1)]
    made = []
    for first, end in pairwise(bounds):
        sight = _sight(kind, columns, rows[first:end])
        made += [Part(tuple(spoken[at]), rows[at][0], sight) for at in range(first, end)]
    return made


def _points(rows, brief: Brief) -> list[Part]:
    """Each row a list item, or a sentence where that is too long for one."""
    made = []
    for row in rows:
        text = ", ".join(filter(None, row))
        said = words.tokens(text, brief.language)
        if said and len(text) <= cutting.LONGEST_POINT:
            made.append(Part(tuple(said), text))
        elif said:
            made += cutting.sentences(text, brief.language, cutting.longest(brief.avatar))
    return made


def _kind(columns, rows, language: str) -> tuple[str, int]:
    """What shows a table best, and how many of its rows fit one picture."""
    figures = [[amount(cell) for cell in row[1:]] for row in rows]
    numeric = all(each is not None for row in figures for each in row)
    units = {_unit(cell) for row in rows for cell in row[1:]}
    if numeric and 2 <= len(rows) <= MOST_BARS and len(columns) <= 4 and len(units) == 1:
        is_line = len(rows) > 2 and len(columns) <= 3 and _runs_on([row[0] for row in rows], language)
        return ("line" if is_line else "bars"), MOST_BARS
    if len(columns) == 2 and all(columns) and not any(amount(cell) is not None for row in rows for cell in row):
        return "comparison", MOST_SIDES
    return "table", MOST_ROWS


def _sight(kind: str, columns, rows) -> Sight:
    shown = rows if kind in ("bars", "line") else ()
    values = tuple(tuple(found for cell in row[1:] if (found := amount(cell)) is not None) for row in shown)
    return Sight(kind, columns=tuple(columns), rows=tuple(rows), values=values)


def _spoken(kind: str, columns, row, number: int) -> str:
    """Figures are named by their column where there are several; the sides of a comparison once."""
    if kind == "comparison":
        named = [f"{column}: {cell}" for column, cell in zip(columns, row, strict=True) if cell]
        return "; ".join(named if number == 0 else filter(None, row))
    several = len(row) > 2
    cells = [
        f"{column} {cell}" if several and column and amount(cell) is not None else cell
        for column, cell in zip(columns[1:], row[1:], strict=True)
    ]
    return ", ".join(filter(None, [row[0], *cells]))


def _unit(cell: str) -> str:
    return re.sub(r"[\d\s.,'+–−-]+", "", cell).casefold()


def _runs_on(labels: list[str], language: str) -> bool:
    """Whether the rows follow one another in time: rising numbers, or months."""
    numbers = [tuple(int(each) for each in re.findall(r"\d+", label)) for label in labels]
    if all(numbers) and len({len(each) for each in numbers}) == 1:
        return any(all(a < b for a, b in pairwise(order)) for order in (numbers, [each[::-1] for each in numbers]))
    months = Locale.parse(language, sep="-").months["format"]
    known = {name.casefold().rstrip(".") for width in ("wide", "abbreviated") for name in months[width].values()}
    return all(label.casefold().rstrip(".") in known for label in labels)


_MADE = {"quote": _quote, "figure": _figure, "image": _image, "table": _table}
