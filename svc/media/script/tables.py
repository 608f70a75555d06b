"""Tables: whether one is shown as a table, as bars, as a line or as two sides, or is said as
points; and how its rows are said.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import pairwise
from math import ceil

from babel import Locale
from babel.numbers import format_decimal

from svc.base.text.countries import strip_country
from svc.base.text.languages import find_language
from svc.media.languages import Everywhere, Sentences, merge_words, read_words
from svc.media.model import VideoBrief, Visual
from svc.media.script import scene_split, table_columns
from svc.media.script.blocks import Block
from svc.media.script.scene_split import STRETCH_OF_VISUAL, ScriptPart
from svc.media.text import numerals, signs
from svc.media.text import tokens as words
from svc.media.text.amounts import LONG_UNIT, parse_amount
from svc.media.text.pronunciation.pieces import divide_evenly
from svc.media.visual_kinds import VISUAL_KINDS

MOST_ROWS = 6  # of a table on one screen
MOST_BARS, MOST_OF_LINE = 8, 13  # rows of a chart: of a line, a year of months and one
_LEAST_BAR = 0.04  # of the longest bar: the longest of a row, or of a column, that can be compared
MOST_SIDES = 4  # rows of a comparison
MOST_COLUMNS = 5
_LONGEST_CELL = 64  # characters
_LONGEST_SHORT_NAME = 2  # letters of a quarter, a half or a fiscal year: Q3, H1, FY26
_FIRST_YEAR, _LAST_YEAR = 1000, 2100
_DASH = re.compile(r"[-–—―−]+")
_LONG_NUMBER = re.compile(r"(?<![\d.,'])[1-9][0-9]{4,8}(?![\d.,'])")


def build_table(block: Block, brief: VideoBrief) -> list[ScriptPart]:
    """Return the parts of as many scenes as the rows need, each with the headings;
    points if the table fits no picture.
    """
    cleaned = [tuple(words.clean(cell) for cell in row) for row in block.rows]
    (columns, *rows), wide = cleaned, len(cleaned[0])
    rows = [row for row in rows if any(row)]
    longest = max((len(cell) for row in cleaned for cell in row), default=0)
    if not rows or wide < 2 or longest > _LONGEST_CELL or not all(row[0] for row in rows):
        return make_points(columns, rows, brief)
    if wide > MOST_COLUMNS:
        return [
            part
            for narrow in _narrow_tables(cleaned)
            for part in build_table(replace(block, rows=narrow), brief)
        ]
    kind, most = _choose_kind(columns, rows, brief.read_in)
    read = {
        words.clean(cell): cell
        for row in block.rows
        for cell in row
        if words.is_read_otherwise(cell)
    }
    scores = table_columns.find_scores(rows)
    read |= {
        cell: words.mark_as_read(said)
        for cell in scores
        if (said := list(table_columns.speak_score(cell, brief.read_in)))
    }
    spoken = [
        _tokenize_row(kind, columns, row, number, brief.read_in, read, scores)
        for number, row in enumerate(rows)
    ]
    if not all(spoken):
        return make_points(columns, rows, brief)
    length = scene_split.measure_length(
        [ScriptPart(tuple(tokens)) for tokens in spoken]
    ) / scene_split.find_longest_scene(brief.avatar)
    is_chart = VISUAL_KINDS[kind].is_chart
    scenes = 1 if is_chart else max(ceil(len(rows) / most), ceil(length / STRETCH_OF_VISUAL))
    parts = []
    for first, end in divide_evenly(len(rows), scenes):
        visual = _build_visual(kind, columns, rows[first:end], brief.read_in)
        parts += [ScriptPart(tuple(spoken[at]), rows[at][0], visual) for at in range(first, end)]
    return parts


def make_points(
    columns: tuple[str, ...], rows: list[tuple[str, ...]], brief: VideoBrief
) -> list[ScriptPart]:
    """Return each row as a list item, its cells named by their columns, or as sentences if it is
    too long for one.

    A single column's heading is a sentence before the list; without rows the headings are a
    sentence; a long one is said once.
    """
    limit = scene_split.find_longest_scene(brief.avatar)
    if len(columns) < 2 or not rows:
        parts = scene_split.split_sentences(
            _join_list(columns, brief.read_in), brief.read_in, limit
        )
        return parts + [
            part for row in rows for part in _build_row_parts(row[0], row[0], row[0], brief)
        ]
    parts = []
    for number, row in enumerate(rows):
        named = [
            f"{column}: {cell or '–'}"
            if column and (number == 0 or len(column) <= _LONGEST_CELL)
            else cell
            for column, cell in zip(columns, row, strict=True)
        ]
        shown = [text for text, cell in zip(named, row, strict=True) if cell or number == 0]
        spoken = [
            text
            for text, cell in zip(named, row, strict=True)
            if cell and not _DASH.fullmatch(cell)
        ]
        # the name of a column that is empty in every row is said once
        whole = shown if number == 0 else spoken
        shown_row, spoken_row, whole_row = (
            _join_list(texts, brief.read_in) for texts in (shown, spoken, whole)
        )
        parts += _build_row_parts(shown_row, spoken_row, whole_row, brief)
    return parts


def _build_row_parts(shown: str, spoken: str, whole: str, brief: VideoBrief) -> list[ScriptPart]:
    """Return a list item; or ``whole`` as sentences, if it is too long for one."""
    tokens = words.tokenize_text(spoken, brief.read_in)
    if tokens and len(shown) <= scene_split.LONGEST_POINT:
        return [ScriptPart(tuple(tokens), shown)]
    return scene_split.split_sentences(
        whole, brief.read_in, scene_split.find_longest_scene(brief.avatar)
    )


def _narrow_tables(rows: list[tuple[str, ...]]) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Yield tables of fewer columns, as many in each as possible, each with the column that names
    the rows."""
    naming = table_columns.find_naming_column(rows[1:])
    others = [at for at in range(len(rows[0])) if at != naming]
    count = ceil(len(others) / (MOST_COLUMNS - 1))
    for first, end in divide_evenly(len(others), count):
        shown = sorted((naming, *others[first:end]))
        yield tuple(tuple(row[at] for at in shown) for row in rows)


def _tokenize_row(
    kind: str, columns, row, number: int, language: str, read: dict[str, str], scores: Set[str]
) -> list[words.Token]:
    """Return the words of a row; a row of signs alone is spoken by the names of its columns, so
    that its scene stays.

    ``read``: cells with formulas as they were read, and ``scores`` that could be times.
    """
    text = _speak_row(kind, columns, row, number, language, scores)
    for cell in (cell for cell in (*columns, *row) if cell in read):
        text = text.replace(cell, read[cell], 1)
    spoken = words.tokenize_text(text, language)
    named = (f"{column} {cell}" for column, cell in zip(columns, row, strict=True))
    return spoken or words.tokenize_text(_join_list(named, language), language)


def _choose_kind(columns, rows, language: str) -> tuple[str, int]:
    """Return the best visual for a table, and how many of its rows fit one picture."""
    figures = [[_parse_figure(cell, language) for cell in row[1:]] for row in rows]
    numeric = all(figure is not None for row in figures for figure in row)
    numeric = numeric and not any(
        _is_a_name(*column) for column in list(zip(columns, *rows, strict=True))[1:]
    )
    units = {_find_unit(cell) for row in rows for cell in row[1:]}
    if (
        numeric
        and len(rows) >= 2
        and len(columns) <= 4
        and len(units) == 1
        and ("" not in units or _count_alike(columns[1:], language))
    ):
        values = [[abs(figure or 0.0) for figure in row] for row in figures]
        is_line = (
            2 < len(rows) <= MOST_OF_LINE
            and len(columns) <= 3
            and _is_sequence([row[0] for row in rows], language)
        )
        if is_line and _are_alike(list(zip(*values, strict=True))):
            return "line", MOST_OF_LINE
        if (
            not is_line
            and len(rows) <= MOST_BARS
            and (len(columns) == 2 or _are_alike([*values, *zip(*values, strict=True)]))
        ):
            return "bars", MOST_BARS
    if (
        len(columns) == 2
        and all(columns)
        and not any(parse_amount(cell) is not None for row in rows for cell in row)
        and table_columns.are_sides(rows)
    ):
        return "comparison", MOST_SIDES
    return "table", MOST_ROWS


def _count_alike(headings: Sequence[str], language: str) -> bool:
    """Return whether columns of bare numbers count things of one kind, or one after the other."""
    in_time = _is_sequence(list(headings), language)
    return in_time or table_columns.are_of_one_kind(headings, language)


def _are_alike(groups: Sequence[Sequence[float]]) -> bool:
    """Return whether the sizes of each group can be compared with those of the others on one scale:
    people, objects and members of towns cannot.
    """
    largest = [size for group in groups if (size := max(group))]
    return not largest or min(largest) >= _LEAST_BAR * max(largest)


def _build_visual(kind: str, columns, rows, language: str) -> Visual:
    shown = rows if VISUAL_KINDS[kind].is_chart else ()
    values = tuple(
        tuple(amount for cell in row[1:] if (amount := _parse_figure(cell, language)) is not None)
        for row in shown
    )
    if shown:
        rows = [(row[0], *(_group_digits(cell, language) for cell in row[1:])) for row in rows]
    return Visual(kind, columns=tuple(columns), rows=tuple(rows), values=values)


def _parse_figure(cell: str, language: str) -> float | None:
    """Return the number of a cell, as it is read aloud in the country of ``language``."""
    return parse_amount(cell, LONG_UNIT, _find_decimal_comma(language))


def _find_decimal_comma(language: str) -> str:
    """Return the comma where the country writes decimals with it, and thousands with a point: the
    other way round, both are read as thousands."""
    return numerals.find_own_decimal_sign(language).replace(".", "")


def _group_digits(cell: str, language: str) -> str:
    """Return the figure of a chart with the separators of ``language`` if it has five digits or
    more, and none."""
    return _LONG_NUMBER.sub(
        lambda digits: format_decimal(
            int(digits[0]), locale=Locale.parse(strip_country(language), sep="-")
        ),
        cell,
    )


def _join_list(texts: Iterable[str], language: str, stop: int = 0) -> str:
    """Return ``texts`` with commas of the language between them, or semicolons (``stop`` 1), and
    spaces, at which captions may break."""
    return f"{read_words(language, Sentences).separators[stop]} ".join(filter(None, texts))


def _speak_row(
    kind: str, columns, row, number: int, language: str, scores: Set[str] = frozenset()
) -> str:
    """Return a row's text. Figures, scores and ticks are named by their column if there are
    several; the sides of a comparison only in the first row. A dash is not spoken: beside the name
    of its column it would sound like a yes."""
    if kind == "comparison":
        named = [f"{column}: {cell}" for column, cell in zip(columns, row, strict=True) if cell]
        return _join_list(named if number == 0 else row, language, 1)
    several = len(row) > 2
    cells = [
        f"{_say_heading(column, language)} {_say_sign(cell, language)}"
        if several and column and (cell in scores or _needs_name(cell))
        else cell
        for column, cell in zip(columns[1:], row[1:], strict=True)
        if cell and not _DASH.fullmatch(cell)
    ]
    return _join_list([row[0], *cells], language)


def _say_heading(column: str, language: str) -> str:
    """Return what a column is called as it is said before a figure: no sentence ends after an
    abbreviation, "Pts."."""
    said = words.tokenize_text(f"{column} 1", language)[:-1]
    if not column.endswith(".") or not said or not said[-1].ends:
        return column
    last = said.pop()
    return words.mark_as_read([*said, replace(last, spoken=last.spoken.rstrip("."), ends=False)])


def _say_sign(cell: str, language: str) -> str:
    """Return a cell as it is said; a tick or a cross by its name also in a language that is spoken
    as it is written, or a plan would have what it has not."""
    listed, name = find_language(language), signs.name_sign(cell, language)
    if listed is None or not listed.is_further or not name:
        return cell
    pause = read_words(language, Sentences).separators[0]
    return words.mark_as_read([words.Token(cell, name + pause)])


def _needs_name(cell: str) -> bool:
    return parse_amount(cell) is not None or not any(character.isalnum() for character in cell)


def _is_a_name(heading: str, *cells: str) -> bool:
    """Return whether the figures of a column name something (a year, a room, a telephone),
    so that their sizes mean nothing.
    """
    names = "|".join(merge_words(Everywhere).figure_columns)
    if re.fullmatch(names, heading.strip(), re.IGNORECASE):
        return True
    return all(
        cell.isdecimal() and len(cell) == 4 and _FIRST_YEAR <= int(cell) <= _LAST_YEAR
        for cell in cells
    )


def _find_unit(cell: str) -> str:
    return re.sub(r"[\d\s.,'+–−-]+", "", cell).casefold()


def _is_sequence(labels: list[str], language: str) -> bool:
    """Return whether the labels follow one another in time: rising numbers,
    or months without a gap.
    """
    dates = [tuple(int(digits) for digits in re.findall(r"\d+", label)) for label in labels]
    counted = {"".join(filter(str.isalpha, label.casefold())) for label in labels}
    are_years = all(
        any(_FIRST_YEAR <= number <= _LAST_YEAR for number in numbers) for numbers in dates
    )
    if len(counted) == 1 and _is_a_place(*counted) and not are_years:
        return False
    if all(dates) and len({len(date) for date in dates}) == 1:
        return any(
            all(a < b for a, b in pairwise(order))
            for order in (dates, [date[::-1] for date in dates])
        )
    months = Locale.parse(strip_country(language), sep="-").months["format"]
    numbers = {
        name.casefold().rstrip("."): at
        for width in ("wide", "abbreviated")
        for at, name in months[width].items()
    }
    order = [numbers.get(label.casefold().rstrip(".")) for label in labels]
    known = [number for number in order if number is not None]
    return len(known) == len(order) and all(
        first % 12 + 1 == second for first, second in pairwise(known)
    )


def _is_a_place(name: str) -> bool:
    """Return whether a number after ``name`` counts no time: "Ward 3", but not "Week 3" or "Q3"."""
    return len(name) > _LONGEST_SHORT_NAME and name not in merge_words(Everywhere).stages
