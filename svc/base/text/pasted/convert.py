"""Turns what people paste from documents, mails and word processors into Markdown."""

import re
from collections.abc import Iterator
from itertools import takewhile

from svc.base.text.pasted.lists import (
    count_the_same,
    keep_own_numbers,
    list_facts,
    list_fields,
    mark_items,
    sign_reasons,
)
from svc.base.text.pasted.marks import (
    BULLETS,
    COLON_AND_TAB,
    FENCE,
    HEADING,
    MARK,
    NUMBER,
    NUMBERS,
    QUOTED,
    SENTENCE_ENDS,
    SIGN,
    UNDERLINE,
    close_fence,
    is_in_order,
    is_whole,
    match_field,
)
from svc.base.text.pasted.questions import set_questions, set_quiz
from svc.base.text.pasted.titles import part_numbered_titles, set_titles
from svc.base.text.pasted.verse import continues_poem, is_verse, keep_breaks, keep_breaks_of_poem

# The latter in Japanese; ●○○ and ■□□ are a number.
_BULLET = re.compile(r"^ {0,3}(?:[•◦▪‣●∙·▸►➤][ \t\u00a0]+|[・●■◆][ \u3000]*)(?=[^\s・●■◆○□◇])")
# Below a title of reStructuredText and of plain text; `~` would begin code, and others would be
# text.
_RULER = re.compile(r"([~^\"+*=])\1{3,}[ \t]*")
_DELIMITERS = re.compile(r"[ \t|:-]+")
# A heading with a sign that begins points, too: ■ 手順
_SQUARE = re.compile(r" {0,3}(?P<sign>[■◆▼])[ \u3000]*(?P<words>[^\s■◆▼□◇].{0,39})")
_BRACKETED = re.compile(r" {0,3}(?P<sign>【)(?P<words>[^【】]{1,40})】\s*")
_LIST_MARK = re.compile(r"^ {0,3}([-*+])[ \t]")
_POINT = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_DAY = re.compile(r" {0,3}(?:[2-9]|[1-3]\d)\. [^\W\d_]")
_LINE_BLOCK = re.compile(r" {0,3}\| ([^|]+)")  # of Pandoc: lines of verse after bars


def as_markdown(text: str) -> str:
    """Return ``text`` with the marks of Markdown that its author left out; fenced code and marked
    text stay.

    Reasons with ``+`` and ``-`` in one list get signs that tell them apart, and a number with which
    one point of several begins stays its text.

    Lines of bullets (``•``, ``–``, ``✅``), letters, ``1/`` and ``1️⃣`` become lists, as do
    paragraphs of one line with ``✅`` or ``1️⃣``, lines with tabs or bars tables, lines of a label
    and its value lists, and the short lines of an address or of questions and answers paragraphs.
    Lines with a ruler below them become headings.
    """
    return "\n".join(_convert_lines(text.split("\n")))


def _convert_lines(lines: list[str]) -> Iterator[str]:
    lines = part_numbered_titles(set_quiz(lines))
    set_questions(lines)
    lines = set_titles(lines)
    closing: re.Pattern[str] | None = None
    run: list[str] = []
    bullet = ""  # of the list that these are or became
    stanza: list[str] = []  # the same, if they are of a poem
    apart: tuple[re.Pattern[str], int] | None = None  # how points with empty lines between begin
    for number in range(len(lines)):
        if closing is None:
            _set_ruler(lines, number)
            _set_label(lines, number)
        line = lines[number]
        if not (closing or line.strip()):
            apart = _find_points_apart(run, lines[number + 1 : number + 3], apart)
            if apart is not None:
                continue
        opening = None if closing else FENCE.match(line)
        if closing or opening or not line.strip():
            converted = _begin_list(run, _convert_run(run, stanza), bullet)
            if run:
                bullet = next(iter(_LIST_MARK.findall(converted[-1])), "")
            if run or opening:
                stays = is_verse(run) or continues_poem(run, stanza)
                stanza = run if stays and converted == keep_breaks(run) else []
            yield from converted
            run, apart = [], None
            yield line
        else:
            run.append(line)
        if opening:
            closing = close_fence(opening)
        elif closing and closing.fullmatch(line):
            closing = None
    yield from _begin_list(run, _convert_run(run, stanza), bullet)


def _begin_list(run: list[str], lines: list[str], bullet: str) -> list[str]:
    """Return ``lines`` with another bullet than the list above them if they are a list that ``run``
    became. Markdown would make one list of both: what introduces that one would introduce these."""
    other = "*" if bullet == "-" else "-"
    is_list = lines != run and all(line.startswith("- ") for line in lines)
    if not is_list or bullet not in ("-", "*"):
        return lines
    return [f"{other}{line[1:]}" for line in lines]


def _set_ruler(lines: list[str], number: int) -> None:
    """Give a title that begins at this line the ruler of Markdown below it, and none above it."""
    if not any(map(_RULER.fullmatch, lines[number + 1 : number + 3])):
        return
    has_two = bool(_RULER.fullmatch(lines[number]))
    title, below, after = (*lines[number + has_two : number + has_two + 3], "", "", "")[:3]
    is_apart = (number == 0 or not lines[number - 1].strip()) and not after.strip()
    if not is_apart or not title.strip() or title[0].isspace() or _RULER.fullmatch(title):
        return
    if not _RULER.fullmatch(below) or len(below.rstrip()) < len(title.rstrip()):
        return
    if has_two and lines[number].rstrip() != below.rstrip():
        return
    if has_two:
        lines[number] = ""
    if below[0] != "=":
        lines[number + has_two + 1] = "-" * len(below)


def _set_label(lines: list[str], number: int) -> None:
    """Set a heading in bold that a square or brackets mark, if it has a text or a list below it and
    is not itself a point of one."""
    match = _SQUARE.fullmatch(lines[number]) or _BRACKETED.fullmatch(lines[number])
    if match is None or match["words"].rstrip().endswith(SENTENCE_ENDS):
        return
    above = next((lines[at] for at in range(number - 1, -1, -1) if lines[at].strip()), "")
    below = next((lines[at] for at in range(number + 1, len(lines)) if lines[at].strip()), "")
    signs = {line.lstrip()[:1] for line in (above, below)}
    is_point = number and all(
        map(_BULLET.match, (lines[number - 1], *lines[number + 1 : number + 2]))
    )
    if below and match["sign"] not in signs and not is_point and is_whole(match["words"]):
        lines[number] = f"**{match['words'].strip()}**"


def _find_points_apart(
    run: list[str], following: list[str], known: tuple[re.Pattern[str], int] | None
) -> tuple[re.Pattern[str], int] | None:
    """Return how lines begin, and their number with the next one, if each begins with a sign or a
    number in a box, and another one follows, as posts have them, with an empty line between each
    two; None if they are no such points. ``known``: the same of the lines that were examined
    before, which are not examined again."""
    if not (run and following) or "".join(following[1:2]).strip():
        return None
    for pattern in (known[0],) if known else (SIGN, *NUMBERS):
        examined = known[1] if known else 0
        fresh = [*run[examined:], following[0]]
        matches = [pattern.match(line) for line in fresh]
        is_list = all(matches) and is_in_order(matches, examined)
        if is_list and (known or pattern is not NUMBER or not count_the_same(fresh)):
            return pattern, len(run) + 1
    return None


def _convert_run(run: list[str], stanza: list[str]) -> list[str]:
    """Return lines without an empty one among them as Markdown. ``stanza``: the lines
    before, if they are of a poem.
    """
    if headings := list(takewhile(HEADING.match, run[:-1])):
        return [*headings, *_convert_run(run[len(headings) :], [])]
    if len(run) > 1 and all(map(_LINE_BLOCK.fullmatch, run)):
        return keep_breaks([_LINE_BLOCK.sub(r"\1", line) for line in run])
    if run and all(map(QUOTED.match, run)):
        return keep_breaks_of_poem(run)
    if len(run) == 1 and (facts := list_facts(run[0])):
        return facts
    run = [_BULLET.sub("- ", line) for line in run]
    run = keep_own_numbers(sign_reasons(run))
    for pattern in (*BULLETS, *NUMBERS):
        run = mark_items(run, pattern)
    if (table := _convert_table(run)) is not None:
        return table
    if continues_poem(run, stanza):
        return keep_breaks(run)
    first_mark = next(
        (at for at, line in enumerate(run) if MARK.match(line) and not (at and _is_day(line))),
        len(run),
    )
    if first_mark < len(run) and UNDERLINE.fullmatch(run[first_mark]):
        return run
    return [*list_fields(run[:first_mark]), *_end_points(run[first_mark:])]


def _end_points(lines: list[str]) -> list[str]:
    """Return ``lines`` with an empty one above a label that ends several points, and is no part of
    the last one: ``Answer: b``."""
    *points, last = lines or [""]
    is_below = sum(map(bool, map(_POINT.match, points))) > 1 and match_field(last)
    return [*points, "", last] if is_below else lines


def _is_day(line: str) -> bool:
    """Return whether a line within a paragraph begins with a number that begins no list there, as
    Markdown lets only 1 begin one: ``12. Oktober``."""
    return _DAY.match(line) is not None


def _convert_table(run: list[str]) -> list[str] | None:
    """Return lines with equal numbers of tabs or bars as a table, if figures stand below headings
    without one; None if they are no table.
    """
    if len(run) < 2 or _DELIMITERS.fullmatch(run[1]) or all(map(COLON_AND_TAB.search, run)):
        return None
    parts = re.split(r" \| |\t|\n", "\n".join(run).replace("$", ""))
    if any(MARK.match(line) and line[0] != "$" for line in run) or not all(map(is_whole, parts)):
        return None
    head_has_figures, *rows_have_figures = (any(map(str.isdecimal, line)) for line in run)
    if head_has_figures or not all(rows_have_figures):
        return None
    for separator in ("\t", " | "):
        columns = {line.count(separator) for line in run}
        if len(columns) == 1 and columns != {0}:
            cells = [
                [cell.strip().replace("|", "\\|") for cell in line.split(separator)] for line in run
            ]
            rows = [f"| {' | '.join(row)} |" for row in cells]
            return [rows[0], "|" + "---|" * len(cells[0]), *rows[1:]]
    return None
