"""Visuals for blocks of Markdown (quotation, figure, table, chart, image, code, formula),
with the words spoken meanwhile.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import pairwise
from math import ceil

from babel import Locale
from babel.numbers import format_decimal

from svc.base.text import alerts
from svc.base.text.languages import find_language
from svc.base.text.picture_names import read_picture_name
from svc.media.artwork import emoji
from svc.media.languages import Everywhere, Sentences, merge_words, read_words
from svc.media.maths import reading
from svc.media.model import VideoBrief, Visual
from svc.media.script import phrases, quotations, scene_split, table_columns
from svc.media.script.blocks import Block
from svc.media.script.scene_split import ScriptPart
from svc.media.text import addresses, codes, signs
from svc.media.text import tokens as words
from svc.media.text.amounts import LONG_UNIT, parse_amount
from svc.media.text.pronunciation.pieces import divide_evenly
from svc.media.text.tokens import STRESS, UNSTRESS
from svc.media.visual_kinds import VISUAL_KINDS

MOST_ROWS = 6  # of a table on one screen
MOST_BARS, MOST_OF_LINE = 8, 13  # rows of a chart: of a line, a year of months and one
_LEAST_BAR = 0.04  # of the longest bar: the longest of a row, or of a column, that can be compared
MOST_SIDES = 4  # rows of a comparison
MOST_COLUMNS = 5
_LONGEST_CELL = 64  # characters
_LONGEST_FIGURE = 14
_STRETCH = 1.3  # of the longest scene's length, because a quotation is not split
MOST_LINES = 12  # of code on one screen
MOST_LINES_OF_VERSE = 8
MOST_TURNS, LONGEST_TURN = 4, 120  # of a dialogue on one screen; characters
MOST_CONTACTS = 6
_ENDS = (".", "!", "?", "…", "。", "！", "？", "।", "؟")
_LONGEST_LINE = 60  # characters of code in one line of the screen
_TAB = 4
_LONGEST_SHORT_NAME = 2  # letters of a quarter, a half or a fiscal year: Q3, H1, FY26
_FIRST_YEAR, _LAST_YEAR = 1000, 2100
_DASH = re.compile(r"[-–—―−]+")
_LONG_NUMBER = re.compile(r"(?<![\d.,'])[1-9][0-9]{4,8}(?![\d.,'])")


def make_visual_parts(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    """Return the spoken parts of ``block``, each with its visual;
    None if it is better read as ordinary text.
    """
    build = _BUILDERS.get(block.kind)
    parts = build(block, brief) if build else None
    return _build_prose(block, brief) if parts is None and block.kind == "figure" else parts


def _quote(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    """Return the parts of a quotation, beside its picture if it has one; both as ordinary scenes if
    it is too long. One that begins with a title in bold is an alert, as GitHub once had it:
    ``> **Note** …``."""
    tone, text = _split_title(block.text, brief.language)
    if block.keeps_lines and not block.pictures:
        return _build_verse(block, brief)
    if tone and not block.pictures:
        return _build_alert(Block("alert", " ".join(text.split()), tone=tone), brief)
    quoted = _make_quote_parts(block, brief)
    if quoted or not block.pictures:
        return quoted
    limit = scene_split.find_longest_scene(brief.avatar)
    alt, address = block.pictures[0]
    return [
        *scene_split.split_sentences(block.text, brief.language, limit),
        *_build_image(Block("image", alt, address), brief),
    ]


def _make_quote_parts(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    text, source = quotations.split_source(block.text)
    source = words.clean(source)
    if len(source) > _LONGEST_CELL:
        return None
    shown = words.bind_figures(quotations.strip_quotes(words.clean(text)), brief.language)
    alt, address = block.pictures[0] if block.pictures else ("", "")
    file = _find_file(address, brief)
    alt = words.clean(alt) if file else ""
    spoken = _build_spoken_parts(text, brief, Visual("quote", shown, source, file=file, alt=alt))
    if spoken is None:
        return None
    return spoken + (
        [ScriptPart(tuple(words.tokenize_text(source, brief.language)), sight=spoken[0].sight)]
        if source
        else []
    )


def _build_figure(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    """Return the parts of a paragraph that begins with a figure in bold:
    "**71 %** of the Earth is covered by water.".
    """
    figure = words.clean(block.note)
    if len(figure) > _LONGEST_FIGURE or parse_amount(figure) is None:
        return None
    if codes.is_code(words.clean(block.text).split(), 0):
        return None
    rest = words.clean(block.text).removeprefix(figure).lstrip(" ,:;–—-")
    shown = Visual("number", figure, words.bind_figures(rest, brief.language))
    return _build_spoken_parts(block.text, brief, shown) if rest else None


def _build_image(block: Block, brief: VideoBrief) -> list[ScriptPart]:
    """Return the parts of an image, which is an upload of the account; nothing if the account has
    none of that name.

    Addresses are never fetched.
    """
    file = _find_file(block.note, brief)
    if not file:
        return []
    visual, limit = (
        Visual("image", words.clean(block.text), file=file),
        scene_split.find_longest_scene(brief.avatar),
    )
    sentences = scene_split.split_sentences(block.text, brief.language, limit) or [ScriptPart(())]
    while len(sentences) > 1 and scene_split.measure_length(sentences) > limit * _STRETCH:
        sentences.pop()  # a description may be longer than a picture should stay
    return [replace(part, sight=visual) for part in sentences]


def _find_file(address: str, brief: VideoBrief) -> str:
    name = read_picture_name(address)
    return next((upload.file for upload in brief.uploads if upload.name == name), "")


def _build_pictures(block: Block, brief: VideoBrief) -> list[ScriptPart]:
    """Return one part for each of some pictures that are compared;
    a scene for each if one is missing or has no words.
    """
    heads, limit = (
        [words.clean(cell) for cell in block.rows[0]],
        scene_split.find_longest_scene(brief.avatar),
    )
    names = [
        ": ".join(filter(None, (head, words.clean(alt))))
        for head, (alt, _) in zip(heads, block.pictures, strict=True)
    ]
    files = tuple(_find_file(address, brief) for _, address in block.pictures)
    visual = Visual("pictures", columns=tuple(heads), files=files)
    parts = [
        ScriptPart(tuple(words.tokenize_text(name, brief.language)), name, visual) for name in names
    ]
    if (
        all(files)
        and all(part.tokens for part in parts)
        and scene_split.measure_length(parts) <= limit * _STRETCH
    ):
        return parts
    alone = [
        part
        for alt, address in block.pictures
        for part in _build_image(Block("image", alt, address), brief)
    ]
    return [*_make_points(tuple(heads), [], brief), *alone]


def _build_code(block: Block, brief: VideoBrief) -> list[ScriptPart]:
    """Return one part without words for each screen of code."""
    written = emoji.replace_unknown(block.text.expandtabs(_TAB)).split("\n")
    lines = [
        piece
        for line in written
        for piece in _split_code_line(" ".join(map(words.clean, line.split(" "))).rstrip())
    ]
    total = sum(map(_count_screen_lines, lines))
    share, height = ceil(total / max(1, ceil(total / MOST_LINES))), 0
    screens: list[list[str]] = [[]]
    for line in lines:
        if screens[-1] and (height >= share or height + _count_screen_lines(line) > MOST_LINES):
            screens.append([])
            height = 0
        screens[-1].append(line)
        height += _count_screen_lines(line)
    note = words.shorten(words.clean(block.note), _LONGEST_FIGURE)
    return [
        ScriptPart((), sight=Visual("code", "\n".join(screen), note))
        for screen in screens
        if any(screen)
    ]


def _build_formula(block: Block, brief: VideoBrief) -> list[ScriptPart]:
    """Return the parts of a formula, which is read aloud."""
    return [
        ScriptPart(
            tuple(reading.read_formula(block.text, brief.language)),
            sight=Visual("formula", block.text),
        )
    ]


def _split_code_line(line: str) -> list[str]:
    """Return a line of code, in several pieces if it is longer than a screen: between words,
    if one ends near.
    """
    most = MOST_LINES * _LONGEST_LINE
    if len(line) <= most:
        return [line]
    end = (
        max(
            (at for at in range(most - _LONGEST_LINE, most) if not line[at].isalnum()),
            default=most - 1,
        )
        + 1
    )
    return [line[:end], *_split_code_line(line[end:])]


def _count_screen_lines(line: str) -> int:
    """Return how many lines of the screen a line of code takes."""
    return max(1, ceil(len(line) / _LONGEST_LINE))


def _build_spoken_parts(text: str, brief: VideoBrief, visual: Visual) -> list[ScriptPart] | None:
    limit = scene_split.find_longest_scene(brief.avatar)
    sentences = scene_split.split_sentences(text, brief.language, limit)
    if not sentences or scene_split.measure_length(sentences) > limit * _STRETCH:
        return None
    return [replace(part, sight=visual) for part in sentences]


def _build_table(block: Block, brief: VideoBrief) -> list[ScriptPart]:
    """Return the parts of as many scenes as the rows need, each with the headings;
    points if the table fits no picture.
    """
    cleaned = [tuple(words.clean(cell) for cell in row) for row in block.rows]
    (columns, *rows), wide = cleaned, len(cleaned[0])
    rows = [row for row in rows if any(row)]
    longest = max((len(cell) for row in cleaned for cell in row), default=0)
    if not rows or wide < 2 or longest > _LONGEST_CELL or not all(row[0] for row in rows):
        return _make_points(columns, rows, brief)
    if wide > MOST_COLUMNS:
        return [
            part
            for narrow in _narrow_tables(cleaned)
            for part in _build_table(replace(block, rows=narrow), brief)
        ]
    kind, most = _choose_kind(columns, rows, brief.language)
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
        if (said := list(table_columns.speak_score(cell, brief.language)))
    }
    spoken = [
        _tokenize_row(kind, columns, row, number, brief.language, read, scores)
        for number, row in enumerate(rows)
    ]
    if not all(spoken):
        return _make_points(columns, rows, brief)
    length = scene_split.measure_length(
        [ScriptPart(tuple(tokens)) for tokens in spoken]
    ) / scene_split.find_longest_scene(brief.avatar)
    is_chart = VISUAL_KINDS[kind].is_chart
    scenes = 1 if is_chart else max(ceil(len(rows) / most), ceil(length / _STRETCH))
    parts = []
    for first, end in divide_evenly(len(rows), scenes):
        visual = _build_visual(kind, columns, rows[first:end], brief.language)
        parts += [ScriptPart(tuple(spoken[at]), rows[at][0], visual) for at in range(first, end)]
    return parts


def _make_points(
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
            _join_list(columns, brief.language), brief.language, limit
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
            _join_list(texts, brief.language) for texts in (shown, spoken, whole)
        )
        parts += _build_row_parts(shown_row, spoken_row, whole_row, brief)
    return parts


def _build_row_parts(shown: str, spoken: str, whole: str, brief: VideoBrief) -> list[ScriptPart]:
    """Return a list item; or ``whole`` as sentences, if it is too long for one."""
    tokens = words.tokenize_text(spoken, brief.language)
    if tokens and len(shown) <= scene_split.LONGEST_POINT:
        return [ScriptPart(tuple(tokens), shown)]
    return scene_split.split_sentences(
        whole, brief.language, scene_split.find_longest_scene(brief.avatar)
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
    figures = [[parse_amount(cell, LONG_UNIT) for cell in row[1:]] for row in rows]
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
        tuple(amount for cell in row[1:] if (amount := parse_amount(cell, LONG_UNIT)) is not None)
        for row in shown
    )
    if shown:
        rows = [(row[0], *(_group_digits(cell, language) for cell in row[1:])) for row in rows]
    return Visual(kind, columns=tuple(columns), rows=tuple(rows), values=values)


def _group_digits(cell: str, language: str) -> str:
    """Return the figure of a chart with the separators of ``language`` if it has five digits or
    more, and none."""
    return _LONG_NUMBER.sub(
        lambda digits: format_decimal(int(digits[0]), locale=Locale.parse(language, sep="-")), cell
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
    months = Locale.parse(language, sep="-").months["format"]
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


def _build_prose(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    """Return the parts of a paragraph that is about one formula, which is set while it is spoken;
    or those of an alert without marks, which begins with a title in bold: ``**Warning:** Hot.``"""
    if block.formula:
        return _build_spoken_parts(block.text, brief, Visual("formula", block.formula))
    tone, text = _split_title(block.text, brief.language)
    return _build_alert(Block("alert", text, tone=tone), brief) if tone else None


def _split_title(text: str, language: str) -> tuple[str, str]:
    """Return the kind of the alert whose title ``text`` begins with, and what follows;
    an empty kind if it is none.
    """
    for kind in alerts.KINDS:
        title = re.escape(phrases.find_alert_title(kind, language))
        titled = re.fullmatch(
            rf"(?:⚠\ufe0f?\s*)?{STRESS}{title}\s?(?:[:!.]?{UNSTRESS}|{UNSTRESS}[:!.])[:!.]?\s*(.+)",
            text,
            re.S | re.I,
        )
        if titled and title:
            return kind, titled[1]
    warned = re.fullmatch(r"(?:⚠\ufe0f?\s*)+(.+)", text, re.DOTALL)
    return (alerts.WARNING, warned[1]) if warned else ("", text)


def _build_alert(block: Block, brief: VideoBrief) -> list[ScriptPart]:
    """Return the parts of an alert: as many cards as its sentences need, each with its title,
    which is said once.
    """
    limit, title = (
        scene_split.find_longest_scene(brief.avatar),
        words.clean(block.note) or phrases.find_alert_title(block.tone, brief.language),
    )
    sentences = scene_split.split_sentences(block.text, brief.language, limit)
    said = tuple(words.tokenize_text(block.note or title, brief.language))
    parts: list[ScriptPart] = []
    for chunk in _divide_evenly(sentences, limit, len(sentences)) or [[]]:
        shown = words.bind_figures(
            words.join_words(token.written for part in chunk for token in part.tokens),
            brief.language,
        )
        visual = Visual("alert", shown, title, tone=block.tone)
        lead = [ScriptPart(said, sight=visual)] if said and not parts else []
        parts += [*lead, *(replace(part, sight=visual) for part in chunk)]
    return [part for part in parts if part.tokens]


def _divide_evenly(parts: list[ScriptPart], limit: int, most: int) -> list[list[ScriptPart]]:
    """Return the parts in as few and as even groups as their length and their number allow."""
    count = max(
        ceil(scene_split.measure_length(parts) / (limit * _STRETCH)),
        ceil(len(parts) / max(1, most)),
    )
    return (
        [parts[first:end] for first, end in divide_evenly(len(parts), count) if first < end]
        if parts
        else []
    )


def _make_list_parts(
    kind: str, points: list[ScriptPart], most: int, brief: VideoBrief, **fields
) -> list[ScriptPart]:
    """Return ``points`` in as many scenes of a ``kind`` as they need, at most ``most`` in each."""
    result = []
    for chunk in _divide_evenly(points, scene_split.find_longest_scene(brief.avatar), most):
        visual = Visual(kind, **fields)
        result += [replace(part, sight=visual) for part in chunk]
    return result


def _build_verse(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    """Return the lines of a verse, or of an address: each stays a line, and the voice pauses at its
    end. The source of a verse is said after it."""
    lines, source = block.text.split("\n"), ""
    if len(lines) > 1 and lines[-1].startswith(quotations.DASHES):
        source = words.clean(lines.pop().lstrip("".join(quotations.DASHES)))
    points = [
        _build_verse_line(line, at == len(lines) - 1, brief.language)
        for at, line in enumerate(lines)
    ]
    spoken = [point for point in points if point.tokens]
    if len(spoken) < len(points):
        return None
    parts = _make_list_parts("verse", spoken, MOST_LINES_OF_VERSE, brief, note=source)
    last = replace(
        parts[-1], tokens=(*parts[-1].tokens, *words.tokenize_text(source, brief.language))
    )
    return [*parts[:-1], last]


def _build_verse_line(line: str, is_last: bool, language: str) -> ScriptPart:
    tokens = words.tokenize_text(line, language)
    text = words.clean(line)
    if tokens and not is_last and not text.endswith(_ENDS) and tokens[-1].ends:
        tokens[-1] = replace(tokens[-1], spoken=f"{tokens[-1].spoken.rstrip('.')},", ends=False)
    return ScriptPart(tuple(tokens), words.bind_figures(text, language))


def _build_dialogue(block: Block, brief: VideoBrief) -> list[ScriptPart]:
    """Return the turns of a dialogue; a long one is several,
    of which only the first says who speaks.
    """
    points = []
    for who, said in block.rows:
        name, turns = words.clean(who), [said]
        if words.measure_display_length(words.clean(said)) > LONGEST_TURN:
            sentences = scene_split.split_sentences(said, brief.language, LONGEST_TURN)
            turns = [words.join_words(token.written for token in part.tokens) for part in sentences]
        for at, text in enumerate(turns):
            spoken = words.tokenize_text(text if at else f"{who}: {text}", brief.language)
            points.append(
                ScriptPart(
                    tuple(spoken), words.bind_figures(words.clean(text), brief.language), label=name
                )
            )
    points = [point for point in points if point.tokens]
    return _make_list_parts(
        "dialogue",
        points,
        MOST_TURNS,
        brief,
        columns=tuple(dict.fromkeys(point.label for point in points)),
    )


def _build_contact(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    rows = [(text, icon, words.tokenize_text(text, brief.language)) for text, icon in block.rows]
    shown = (" ".join(map(addresses.drop_scheme, text.split(" "))) for text, _, _ in rows)
    points = [
        ScriptPart(tuple(tokens), words.bind_figures(text, brief.language), icon=icon)
        for text, (_, icon, tokens) in zip(shown, rows, strict=True)
    ]
    return (
        _make_list_parts("contact", points, MOST_CONTACTS, brief, note=block.note)
        if all(row[2] for row in rows)
        else None
    )


def _build_flow(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    """Return the nodes of a flowchart as points, each said after how it is reached."""
    steps = [(words.clean(label), words.clean(text)) for label, text in block.rows]
    points = [
        ScriptPart(
            tuple(words.tokenize_text(f"{label}: {text}" if label else text, brief.language)),
            text,
            label=label,
        )
        for label, text in steps
    ]
    visual = Visual("flow", block.text)
    return (
        [replace(point, sight=visual) for point in points]
        if all(point.tokens for point in points)
        else _build_code(block, brief)
    )


_BUILDERS = {
    "quote": _quote,
    "figure": _build_figure,
    "image": _build_image,
    "table": _build_table,
    "code": _build_code,
    "formula": _build_formula,
    "pictures": _build_pictures,
    "prose": _build_prose,
    "alert": _build_alert,
    "lines": _build_verse,
    "dialogue": _build_dialogue,
    "contact": _build_contact,
    "flow": _build_flow,
}
