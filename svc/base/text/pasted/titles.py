"""Titles in pasted text: few words above a paragraph, with a number or in capitals."""

import re
from itertools import groupby

from svc.base.text.pasted.marks import (
    ADDRESS,
    COUNTED,
    FENCE,
    GOING_ON,
    HEADING,
    LETTER,
    LONGEST_TITLE,
    MARK,
    NARROW,
    PRICED,
    SENTENCE_ENDS,
    SLACK,
    WRAPPED,
    find_first_word,
    is_whole_beside_money,
)
from svc.base.text.pasted.posters import has_room, leans, may_end_title
from svc.base.text.pasted.questions import answers, is_question
from svc.base.text.pasted.verse import is_verse

# The title of a section with its number, and the fewest titles that show that they are some.
_NUMBERED_TITLE = re.compile(r"(?P<number>\d{1,2})[.)] +(?P<title>\S.{0,80})")
_FEWEST_TITLES = 2
_FEWEST_CAPITALS = 5


def part_numbered_titles(lines: list[str]) -> list[str]:
    """Return ``lines`` with an empty one below each title of a section with its number (``3.
    Finance``), if the text of each begins right below it and they count on from 1. Markdown would
    take each text for a part of a point of one list."""
    widest = max(map(len, lines), default=0)
    titles = {
        at: int(match["number"])
        for at, (before, line, following) in enumerate(
            zip(["", *lines], lines, [*lines[1:], ""], strict=False)
        )
        if not before.strip()
        and (match := _NUMBERED_TITLE.fullmatch(line))
        and is_section(match["title"].strip(), following)
        and has_room(line, following, widest)
    }
    is_in_order = list(titles.values()) == list(range(1, len(titles) + 1))
    if len(titles) < _FEWEST_TITLES or not is_in_order or any(map(FENCE.match, lines)):
        return lines
    return [
        part for at, line in enumerate(lines) for part in ([line, ""] if at in titles else [line])
    ]


def is_section(title: str, following: str) -> bool:
    """Return whether a line stands above the first line of its section: it ends no sentence, and
    needs nothing after it."""
    return (
        0 < len(title) < NARROW
        and not (title[0].islower() or title.endswith((*SENTENCE_ENDS, *GOING_ON)))
        and not leans(title)
        and is_whole_beside_money(title)
        and bool(following.strip())
        and not following[0].isspace()
        and (not following[0].islower() or LETTER.match(following) is not None)
        and not _NUMBERED_TITLE.fullmatch(following)
    )


def set_titles(lines: list[str]) -> list[str]:
    """Return ``lines`` with the titles of paragraphs in bold, each with an empty line below it, if
    there are several: a few words right above a sentence, as is_title tells, or a question.

    Where lines have marks of headings, the others are none. Two titles alone show too little of how
    far the second one goes: they stay if another paragraph comes after its own.
    """
    if any(map(FENCE.match, lines)) or any(map(HEADING.match, lines)):
        return lines
    runs: list[tuple[int, list[str]]] = []
    for is_filled, group in groupby(enumerate(lines), key=lambda each: bool(each[1].strip())):
        numbered = list(group)
        if is_filled:
            runs.append((numbered[0][0], [line for _, line in numbered]))
    titles = [
        first
        for first, run in runs
        if len(run) > 1 and (_is_plain_title(run) or (is_question(run[0]) and answers(run[1])))
    ]
    asked = [first for first, run in runs if run[0].startswith("**") and run[0].endswith("?**")]
    is_last = bool(titles) and runs[-1][0] in (titles[-1], *asked)
    count = len(titles) + len(asked)
    if count < _FEWEST_TITLES or (count == _FEWEST_TITLES and not is_last):
        return lines
    at_titles = set(titles)
    return [
        part
        for at, line in enumerate(lines)
        for part in ([f"**{line.strip()}**", ""] if at in at_titles else [line])
    ]


def _is_plain_title(run: list[str]) -> bool:
    """Return whether the first line of a paragraph is its title, and all are text without marks."""
    title = run[0].strip()
    return (
        is_title(run)
        and all(map(is_whole_beside_money, run))
        and not any(map(MARK.match, run))
        and not any(sign in title for sign in (":", "：", "*", "|", "\t"))
        and not (PRICED.search(title) or COUNTED.match(title) or ADDRESS.search(title))
        and not (is_verse(run) or is_verse(run[1:]))
    )


def is_title(run: list[str]) -> bool:
    """Return whether the first line stands above a paragraph: a few words that end no sentence, so
    far from the width of the lines below that they were not wrapped there."""
    line, following = run[0].strip(), run[1].strip()
    width = len(line) + len(find_first_word(following)) + SLACK
    last = line.split()[-1] if line else ""
    return (
        len(line) < NARROW
        and len(line.split()) <= LONGEST_TITLE
        and (line[0].isupper() or line[0].isdecimal())
        and (last[0].isupper() or last[0].isdecimal() or may_end_title(last))
        and not line.endswith((*SENTENCE_ENDS, *GOING_ON))
        and not (line.isupper() and leans(line.lower()))
        and width < max(map(len, run[1:]))
        and (following[0].isupper() or following[0].isdecimal())
        and run[-1].rstrip(' *_"”’»)').endswith(SENTENCE_ENDS)
    )


def is_in_capitals(run: list[str]) -> bool:
    """Return whether the first line is a title in capitals above others that are not: ``SUMMER
    FAIR``, ``All are welcome``."""
    line, following = run[0].strip(), run[1].strip()
    return (
        len(line) < WRAPPED
        and line.isupper()
        and sum(map(str.isalpha, line)) >= _FEWEST_CAPITALS
        and not line.endswith((*SENTENCE_ENDS, *GOING_ON))
        and not following.isupper()
        and (following[0].isupper() or following[0].isdecimal())
        and not (leans(line.lower()) or PRICED.search(line))
    )
