"""Titles of the parts of laws and contracts: ``§ 3 Use``, ``Article 5 — Durée``, ``第3条``; and of
the items of an agenda: ``TOP 4: Verschiedenes``.

What such parts are called, and on which side of their number, is in the files of the languages.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import takewhile

from svc.media.languages import Agendas, Everywhere, read_words
from svc.media.text import months
from svc.media.text import tokens as words

_LONGEST = 60  # characters, wide ones twice
# The number of an item of an agenda, or of several or with a year (3–5, 5/24); and the mark after
# it, which is no point of a number and no hyphen of a word: Item 3.14, Point 3-D.
_ITEM_NUMBER = r"\d{1,2}(?:\.\d{1,2}|[a-z])?(?:[-–—/]\d{1,2})?"
_ITEM_MARK = r"(?:\s?(?P<mark>：|[:.](?!\d)|[–—-](?=\s))|\))\s*"
_MOST = 200  # characters with marks that are not shown
_NUMBER = (
    r"\(?(?:\d{1,4}(?:\.\d{1,2})*(?:[a-z]|er|ère|\.?[ºª°])?|(?-i:[IVXLC]{1,6})|"
    r"[〇一二三四五六七八九十百千]{1,6})\.?\)?"
)
_ITEM = re.compile(r"(?=\d{1,9}\.)(\d+)")  # a number that Markdown takes for that of a list
_AFTER = r"(?:\.|\s*[:–—-]|\s*[:：]|[)])?(?:[\s\u3000]+|(?=[（(【])|$)(?P<title>.*)"
_ENDS = (*".!?…;,:", *"。！？；，、।؟،؛۔")
_ASKED = ("?", "？", "؟")  # of a title, such as TOP 3: Wer zahlt?
_SENTENCE = re.compile(r"[^\W\d_]{3,}[.!?] ")  # within a title: one ends, and another begins
_STOPS = (*".!?…:;", *"。！？：；।؟۔")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_POINT = "- "
_LISTED = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]")  # a line that is a point
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)\s*")


def is_law_title(text: str, language: str) -> bool:
    """Return whether ``text`` is the number of a part of a law, perhaps with its title."""
    return _find_part(text, language) != ""


def is_item_title(text: str, language: str) -> bool:
    """Return whether ``text`` is the number of an item of an agenda and its title."""
    return strip_item(text, language) != text and bool(strip_item(text, language))


def strip_item(title: str, language: str) -> str:
    """Return the ``title`` of an item of an agenda without its number: what "TOP 4" is called says
    nothing of what was discussed. Any other title stays."""
    pattern = _load_item_pattern(language)
    bare = words.clean(title)
    match = pattern.fullmatch(bare) if pattern and len(title) <= _MOST else None
    is_title = match is not None and words.measure_display_length(bare) <= _LONGEST
    is_ended = bare.endswith(_ENDS) and not bare.endswith(_ASKED)
    if match is None or not is_title or is_ended or _SENTENCE.search(match["title"]):
        return title
    first = next((letter for letter in match["title"] if letter.isalpha()), "")
    is_day = match["mark"] == "." and _begins_with_month(match["title"], language)
    return title if is_day or not first or first.islower() else match["title"]


def _begins_with_month(title: str, language: str) -> bool:
    """Return whether a number before ``title`` is that of a day: Punkt 5. Mai."""
    return months.is_month(title.partition(" ")[0], language)


def part_titles(source: str, language: str) -> str:
    """Return Markdown with each title of a part of a law in a paragraph of its own, which is
    otherwise one with the lines below it. A line within a sentence is none. Titles of the same kind
    of part right below one another are the points of a list."""
    lines = _part_items(source.split("\n"), language)
    if _load_pattern(language) is None:
        return "\n".join(lines)
    fence, parted = "", list[str]()
    listed = 0  # lines from here on that are points of a list
    for at, line in enumerate(lines):
        before, after = (parted[-1] if parted else ""), "".join(lines[at + 1 : at + 2])
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        is_parted = not before.strip() or before.rstrip(" *_)").endswith(_STOPS)
        goes_on = after[:1].islower() or _UNDERLINE.fullmatch(after) is not None
        may_be_title = not fence and line[:1].strip() and is_parted and not goes_on
        if (listed or may_be_title) and is_law_title(_strip_line(line), language):
            listed = listed or _count_listed(lines[at:], language)
            title = _ITEM.sub(r"\1\\", line, count=1)
            is_apart = not before.strip() or (listed and before.startswith(_POINT))
            parted += [*([] if is_apart else [""]), f"{_POINT * bool(listed)}{title}"]
            parted += [""] * (listed < 2)
            listed = max(0, listed - 1)
            continue
        parted.append(line)
    return "\n".join(parted)


def _part_items(lines: list[str], language: str) -> list[str]:
    """Return ``lines`` with each title of an item of an agenda (``2. napirendi pont:
    Költségvetés``, ``1er point : Budget``) in a paragraph of its own. Markdown would take a number
    with a dot for a list. Two that have no text between them are the points of one."""
    titles = {
        at
        for at, line in enumerate(lines)
        if line[:1].strip() and is_item_title(_strip_line(line), language)
    }
    parted, fence = list[str](), ""
    above, below = -1, _list_next_lines(lines)  # the last and the next lines with text
    for at, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        before, after = (lines[at - 1] if at else ""), "".join(lines[at + 1 : at + 2])
        is_parted = not before.strip() or before.rstrip(" *_)").endswith(_STOPS)
        is_parted = is_parted or _LISTED.match(before) is not None
        is_title = at in titles and not fence and is_parted and not after[:1].islower()
        if is_title and above not in titles and below[at] not in titles:
            parted += [""] * bool(before.strip())
            parted.append(_ITEM.sub(r"\1\\", line, count=1))
            parted += [""] * bool(after.strip())
        else:
            parted.append(line)
        above = at if line.strip() else above
    return parted


def _list_next_lines(lines: Sequence[str]) -> list[int]:
    """Return for each line the number of the next one with text; -1: there is none."""
    following, result = -1, [-1] * len(lines)
    for at in reversed(range(len(lines))):
        result[at] = following
        following = at if lines[at].strip() else following
    return result


def _count_listed(lines: Sequence[str], language: str) -> int:
    """Return how many of ``lines``, from the first one on, are titles of the same kind of part, one
    right below the other; 0: less than two. One with a text right below it is the title of that."""
    parts = (_find_part(_strip_line(line), language) for line in lines)
    first = next(parts)
    count = 1 + sum(1 for _ in takewhile(lambda part: part == first, parts))
    if "".join(lines[count : count + 1]).strip():
        count -= 1
    return count if count > 1 else 0


def _strip_line(line: str) -> str:
    return line.strip().strip("*_")


def _find_part(text: str, language: str) -> str:
    """Return what the part of a law is called whose title is ``text``, with # for its number; empty
    if it is no such title."""
    pattern = _load_pattern(language)
    if pattern is None or len(text) > _MOST:
        return ""
    bare = words.clean(text)
    match = pattern.fullmatch(bare)
    if match is None or words.measure_display_length(bare) > _LONGEST:
        return ""
    title = match["title"]
    first = next((letter for letter in title if letter.isalpha()), "")
    is_closed = title.rstrip(")）】").endswith(_ENDS)
    if first.islower() or is_closed or _SENTENCE.search(title):
        return ""
    return re.sub(_NUMBER, "#", match["part"])


@cache
def _load_item_pattern(language: str) -> re.Pattern[str] | None:
    """Return the pattern of the title of an item of an agenda; its ``title`` is after the number
    and a mark, as a sentence may begin with "Punkt 4"."""
    forms = read_words(language, Agendas).items
    if not forms:
        return None
    known = "|".join(
        re.escape(form).replace(r"\#", _ITEM_NUMBER).replace("\\ ", r"\s?").replace("'", "['’]")
        for form in forms
    )
    return re.compile(rf"(?:{known}){_ITEM_MARK}(?P<title>.*)", re.IGNORECASE)


@cache
def _load_pattern(language: str) -> re.Pattern[str] | None:
    """Return the pattern of a title: its ``title`` is what stands after the number."""
    forms = read_words(language, Everywhere).law_parts
    if not forms:
        return None
    known = "|".join(
        re.escape(form).replace(r"\#", _NUMBER).replace("\\ ", r"\s?") for form in forms
    )
    return re.compile(rf"(?P<part>{known}){_AFTER}", re.IGNORECASE)
