"""Visuals for blocks of Markdown (quotation, figure, table, chart, image, code, formula), with the words spoken meanwhile."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from math import ceil

from babel import Locale

from svc.media.maths import reading
from svc.media.model import VideoBrief, Visual
from svc.media.pictures import emoji
from svc.media.script import quotations, scene_split
from svc.media.script.markdown import Block
from svc.media.script.scene_split import ScriptPart
from svc.media.text import tokens as words
from svc.media.text.amounts import LONG_UNIT, amount
from svc.media.text.numerals import base_language
from svc.media.text.pronunciation.pieces import even_bounds

MOST_ROWS = 6  # of a table on one screen
MOST_BARS = 8
MOST_SIDES = 4  # rows of a comparison
MOST_COLUMNS = 5
_LONGEST_CELL = 64  # characters
_LONGEST_FIGURE = 14
_STRETCH = 1.3  # of the longest scene's length, because a quotation is not split
MOST_LINES = 12  # of code on one screen
_LONGEST_LINE = 60  # characters of code in one line of the screen
_TAB = 4
_FIRST_YEAR, _LAST_YEAR = 1000, 2100
_NAMED_BY_FIGURES = re.compile(  # what a column's figures are, if they are names
    r"years?|zip(?: code)?|post ?codes?|(?:tele)?phones?|tel\.?|rooms?|jahr|plz|telefon|raum|zimmer|année|salle|téléphone|año|"
    r"teléfono|sala|anno|ano|telefono|telefone|jaar|år|rok|год|рік",
    re.IGNORECASE,
)
_DASH = re.compile(r"[-–—―−]+")
_STOPS = dict.fromkeys(("ar", "fa", "ur"), "،؛") | dict.fromkeys(("ja", "zh"), "、；")  # comma and semicolon; others: ",;"


def visual_parts(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    """Return the spoken parts of ``block``, each with its visual; None if it is better read as ordinary text."""
    build = _BUILDERS.get(block.kind)
    return build(block, brief) if build else None


def _quote(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    """Return the parts of a quotation, beside its picture if it has one; both as ordinary scenes if it is too long."""
    quoted = _quoted(block, brief)
    if quoted or not block.pictures:
        return quoted
    limit = scene_split.longest_scene(brief.avatar)
    alt, address = block.pictures[0]
    return [*scene_split.split_sentences(block.text, brief.language, limit), *_image(Block("image", alt, address), brief)]


def _quoted(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    text, source = quotations.split(block.text)
    source = words.clean(source)
    if len(source) > _LONGEST_CELL:
        return None
    shown = words.unbroken(quotations.unmarked(words.clean(text)), brief.language)
    alt, address = block.pictures[0] if block.pictures else ("", "")
    file = _file(address, brief)
    alt = words.clean(alt) if file else ""
    spoken = _spoken_parts(text, brief, Visual("quote", shown, source, file=file, alt=alt))
    if spoken is None:
        return None
    return spoken + ([ScriptPart(tuple(words.tokens(source, brief.language)), sight=spoken[0].sight)] if source else [])


def _figure(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    """Return the parts of a paragraph that begins with a figure in bold: "**71 %** of the Earth is covered by water."."""
    figure = words.clean(block.note)
    if len(figure) > _LONGEST_FIGURE or amount(figure) is None:
        return None
    rest = words.clean(block.text).removeprefix(figure).lstrip(" ,:;–—-")
    shown = Visual("number", figure, words.unbroken(rest, brief.language))
    return _spoken_parts(block.text, brief, shown) if rest else None


def _image(block: Block, brief: VideoBrief) -> list[ScriptPart]:
    """Return the parts of an image, which is an upload of the account; nothing if the account has none of that name.

    Addresses are never fetched.
    """
    file = _file(block.note, brief)
    if not file:
        return []
    visual, limit = Visual("image", words.clean(block.text), file=file), scene_split.longest_scene(brief.avatar)
    sentences = scene_split.split_sentences(block.text, brief.language, limit) or [ScriptPart(())]
    while len(sentences) > 1 and scene_split.total_length(sentences) > limit * _STRETCH:
        sentences.pop()  # a description may be longer than a picture should stay
    return [replace(part, sight=visual) for part in sentences]


def _file(address: str, brief: VideoBrief) -> str:
    name = address.removeprefix("asset:").removeprefix("./")
    return next((upload.file for upload in brief.uploads if upload.name == name), "")


def _pictures(block: Block, brief: VideoBrief) -> list[ScriptPart]:
    """Return one part for each of some pictures that are compared; a scene for each if one is missing or has no words."""
    heads, limit = [words.clean(cell) for cell in block.rows[0]], scene_split.longest_scene(brief.avatar)
    names = [": ".join(filter(None, (head, words.clean(alt)))) for head, (alt, _) in zip(heads, block.pictures, strict=True)]
    files = tuple(_file(address, brief) for _, address in block.pictures)
    visual = Visual("pictures", columns=tuple(heads), files=files)
    parts = [ScriptPart(tuple(words.tokens(name, brief.language)), name, visual) for name in names]
    if all(files) and all(part.tokens for part in parts) and scene_split.total_length(parts) <= limit * _STRETCH:
        return parts
    alone = [part for alt, address in block.pictures for part in _image(Block("image", alt, address), brief)]
    return [*_points(tuple(heads), [], brief), *alone]


def _code(block: Block, brief: VideoBrief) -> list[ScriptPart]:
    """Return one part without words for each screen of code."""
    written = emoji.boxed(block.text.expandtabs(_TAB)).split("\n")
    lines = [piece for line in written for piece in _pieces(" ".join(map(words.clean, line.split(" "))).rstrip())]
    total = sum(map(_height, lines))
    share, height = ceil(total / max(1, ceil(total / MOST_LINES))), 0
    screens: list[list[str]] = [[]]
    for line in lines:
        if screens[-1] and (height >= share or height + _height(line) > MOST_LINES):
            screens.append([])
            height = 0
        screens[-1].append(line)
        height += _height(line)
    note = words.shorten(words.clean(block.note), _LONGEST_FIGURE)
    return [ScriptPart((), sight=Visual("code", "\n".join(screen), note)) for screen in screens if any(screen)]


def _formula(block: Block, brief: VideoBrief) -> list[ScriptPart]:
    """Return the parts of a formula, which is read aloud."""
    return [ScriptPart(tuple(reading.tokens(block.text, brief.language)), sight=Visual("formula", block.text))]


def _pieces(line: str) -> list[str]:
    """Return a line of code, in several pieces if it is longer than a screen: between words, if one ends near."""
    most = MOST_LINES * _LONGEST_LINE
    if len(line) <= most:
        return [line]
    end = max((at for at in range(most - _LONGEST_LINE, most) if not line[at].isalnum()), default=most - 1) + 1
    return [line[:end], *_pieces(line[end:])]


def _height(line: str) -> int:
    """Return how many lines of the screen a line of code takes."""
    return max(1, ceil(len(line) / _LONGEST_LINE))


def _spoken_parts(text: str, brief: VideoBrief, visual: Visual) -> list[ScriptPart] | None:
    limit = scene_split.longest_scene(brief.avatar)
    sentences = scene_split.split_sentences(text, brief.language, limit)
    if not sentences or scene_split.total_length(sentences) > limit * _STRETCH:
        return None
    return [replace(part, sight=visual) for part in sentences]


def _table(block: Block, brief: VideoBrief) -> list[ScriptPart]:
    """Return the parts of as many scenes as the rows need, each with the headings; points if the table fits no picture."""
    cleaned = [tuple(words.clean(cell) for cell in row) for row in block.rows]
    (columns, *rows), wide = cleaned, len(cleaned[0])
    rows = [row for row in rows if any(row)]
    longest = max((len(cell) for row in cleaned for cell in row), default=0)
    if not rows or wide < 2 or longest > _LONGEST_CELL or not all(row[0] for row in rows):
        return _points(columns, rows, brief)
    if wide > MOST_COLUMNS:
        return [part for narrow in _narrower(cleaned) for part in _table(replace(block, rows=narrow), brief)]
    kind, most = _kind(columns, rows, brief.language)
    spoken = [_row_tokens(kind, columns, row, number, brief.language) for number, row in enumerate(rows)]
    if not all(spoken):
        return _points(columns, rows, brief)
    length = scene_split.total_length([ScriptPart(tuple(tokens)) for tokens in spoken]) / scene_split.longest_scene(
        brief.avatar
    )
    scenes = 1 if kind in ("bars", "line") else max(ceil(len(rows) / most), ceil(length / _STRETCH))
    parts = []
    for first, end in even_bounds(len(rows), scenes):
        visual = _visual(kind, columns, rows[first:end])
        parts += [ScriptPart(tuple(spoken[at]), rows[at][0], visual) for at in range(first, end)]
    return parts


def _points(columns: tuple[str, ...], rows: list[tuple[str, ...]], brief: VideoBrief) -> list[ScriptPart]:
    """Return each row as a list item, its cells named by their columns, or as sentences if it is too long for one.

    A single column's heading is a sentence before the list; without rows the headings are a sentence; a long one is said once.
    """
    limit = scene_split.longest_scene(brief.avatar)
    if len(columns) < 2 or not rows:
        parts = scene_split.split_sentences(_listed(columns, brief.language), brief.language, limit)
        return parts + [part for row in rows for part in _row_parts(row[0], row[0], row[0], brief)]
    parts = []
    for number, row in enumerate(rows):
        named = [
            f"{column}: {cell or '–'}" if column and (number == 0 or len(column) <= _LONGEST_CELL) else cell
            for column, cell in zip(columns, row, strict=True)
        ]
        shown = [text for text, cell in zip(named, row, strict=True) if cell or number == 0]
        spoken = [text for text, cell in zip(named, row, strict=True) if cell and not _DASH.fullmatch(cell)]
        whole = shown if number == 0 else spoken  # the name of a column that is empty in every row is said once
        shown_row, spoken_row, whole_row = (_listed(texts, brief.language) for texts in (shown, spoken, whole))
        parts += _row_parts(shown_row, spoken_row, whole_row, brief)
    return parts


def _row_parts(shown: str, spoken: str, whole: str, brief: VideoBrief) -> list[ScriptPart]:
    """Return a list item; or ``whole`` as sentences, if it is too long for one."""
    tokens = words.tokens(spoken, brief.language)
    if tokens and len(shown) <= scene_split.LONGEST_POINT:
        return [ScriptPart(tuple(tokens), shown)]
    return scene_split.split_sentences(whole, brief.language, scene_split.longest_scene(brief.avatar))


def _narrower(rows: list[tuple[str, ...]]) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Yield tables of fewer columns, as many in each as possible, each with the first column."""
    others = len(rows[0]) - 1
    count = ceil(others / (MOST_COLUMNS - 1))
    for first, end in even_bounds(others, count):
        yield tuple((row[0], *row[first + 1 : end + 1]) for row in rows)


def _row_tokens(kind: str, columns, row, number: int, language: str) -> list[words.Token]:
    """Return the words of a row; a row of signs alone is spoken by the names of its columns, so that its scene stays."""
    spoken = words.tokens(_spoken_row(kind, columns, row, number, language), language)
    named = (f"{column} {cell}" for column, cell in zip(columns, row, strict=True))
    return spoken or words.tokens(_listed(named, language), language)


def _kind(columns, rows, language: str) -> tuple[str, int]:
    """Return the best visual for a table, and how many of its rows fit one picture."""
    figures = [[amount(cell, LONG_UNIT) for cell in row[1:]] for row in rows]
    numeric = all(figure is not None for row in figures for figure in row)
    numeric = numeric and not any(_is_a_name(*column) for column in list(zip(columns, *rows, strict=True))[1:])
    units = {_unit(cell) for row in rows for cell in row[1:]}
    if numeric and 2 <= len(rows) <= MOST_BARS and len(columns) <= 4 and len(units) == 1:
        is_line = len(rows) > 2 and len(columns) <= 3 and _is_sequence([row[0] for row in rows], language)
        return ("line" if is_line else "bars"), MOST_BARS
    if len(columns) == 2 and all(columns) and not any(amount(cell) is not None for row in rows for cell in row):
        return "comparison", MOST_SIDES
    return "table", MOST_ROWS


def _visual(kind: str, columns, rows) -> Visual:
    shown = rows if kind in ("bars", "line") else ()
    values = tuple(tuple(found for cell in row[1:] if (found := amount(cell, LONG_UNIT)) is not None) for row in shown)
    return Visual(kind, columns=tuple(columns), rows=tuple(rows), values=values)


def _listed(texts: Iterable[str], language: str, stop: int = 0) -> str:
    """Return ``texts`` with commas of the language between them, or semicolons (``stop`` 1), and spaces, at which captions may
    break."""
    return f"{_STOPS.get(base_language(language), ',;')[stop]} ".join(filter(None, texts))


def _spoken_row(kind: str, columns, row, number: int, language: str) -> str:
    """Return a row's text. Figures and ticks are named by their column if there are several; the sides of a comparison only
    in the first row. A dash is not spoken: beside the name of its column it would sound like a yes."""
    if kind == "comparison":
        named = [f"{column}: {cell}" for column, cell in zip(columns, row, strict=True) if cell]
        return _listed(named if number == 0 else row, language, 1)
    several = len(row) > 2
    cells = [
        f"{column} {cell}" if several and column and _needs_name(cell) else cell
        for column, cell in zip(columns[1:], row[1:], strict=True)
        if cell and not _DASH.fullmatch(cell)
    ]
    return _listed([row[0], *cells], language)


def _needs_name(cell: str) -> bool:
    return amount(cell) is not None or not any(character.isalnum() for character in cell)


def _is_a_name(heading: str, *cells: str) -> bool:
    """Return whether the figures of a column name something (a year, a room, a telephone), so that their sizes mean nothing."""
    if _NAMED_BY_FIGURES.fullmatch(heading.strip()):
        return True
    return all(cell.isdecimal() and len(cell) == 4 and _FIRST_YEAR <= int(cell) <= _LAST_YEAR for cell in cells)


def _unit(cell: str) -> str:
    return re.sub(r"[\d\s.,'+–−-]+", "", cell).casefold()


def _is_sequence(labels: list[str], language: str) -> bool:
    """Return whether the labels follow one another in time: rising numbers, or months without a gap."""
    dates = [tuple(int(digits) for digits in re.findall(r"\d+", label)) for label in labels]
    if all(dates) and len({len(date) for date in dates}) == 1:
        return any(all(a < b for a, b in pairwise(order)) for order in (dates, [date[::-1] for date in dates]))
    months = Locale.parse(language, sep="-").months["format"]
    numbers = {name.casefold().rstrip("."): at for width in ("wide", "abbreviated") for at, name in months[width].items()}
    order = [numbers.get(label.casefold().rstrip(".")) for label in labels]
    known = [number for number in order if number is not None]
    return len(known) == len(order) and all(first % 12 + 1 == second for first, second in pairwise(known))


_BUILDERS = {"quote": _quote, "figure": _figure, "image": _image, "table": _table, "code": _code, "formula": _formula}
_BUILDERS["pictures"] = _pictures
