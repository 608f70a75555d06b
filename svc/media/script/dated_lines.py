"""Days with a dot that begin a line (``14. November: Heimspiel``): Markdown takes them for numbers
of a list, which are shown and not said, so that the day would be lost.
"""

import re
from functools import cache

from babel.dates import get_date_format

from svc.media.text.months import is_month
from svc.media.text.numerals import find_locale

_DOTTED = re.compile(r"(?<!\w)d\.")  # CLDR's pattern of a day with a dot
# The marks before a day that begins a line: quotations, bullets, boxes to tick.
_LINE = re.compile(
    r"(?P<marks>[ \t]*(?:>[ \t]*)*(?P<bullet>(?:[-*+][ \t]+)(?:\[[ xX]\][ \t]+)?)?)"
    r"(?P<day>0?[1-9]|[12]\d|3[01])\.(?P<rest>[ \t\u00a0]+(?P<month>[^\W\d_]+\.?).*)"
)
_FENCE = re.compile(r"[ \t]*(?:>[ \t]*)*(`{3,}|~{3,})")


def mark_dated_lines(source: str, language: str) -> str:
    """Return Markdown in which days that begin a line are text, and lines of a list of them points;
    the same in languages whose days have no dot.
    """
    if not _has_dotted_days(language):
        return source
    lines, fence = source.split("\n"), ""
    dated: dict[int, re.Match[str]] = {}
    for at, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and (match := _LINE.fullmatch(line)) and is_month(match["month"], language):
            dated[at] = match
    for at, match in dated.items():
        beside = [at - 1, at + 1, *(at + way for way in (-2, 2) if _is_empty(lines, at + way // 2))]
        is_point = (
            any(other in dated and _is_same_list(match, dated[other]) for other in beside)
            and not match["bullet"]
        )
        bullet = "- " if is_point else ""
        lines[at] = f"{match['marks']}{bullet}{match['day']}\\.{match['rest']}"
    return "\n".join(lines)


def _is_same_list(match: re.Match[str], other: re.Match[str]) -> bool:
    return not other["bullet"] and match["marks"] == other["marks"]


def _is_empty(lines: list[str], at: int) -> bool:
    return 0 <= at < len(lines) and not lines[at].strip()


@cache
def _has_dotted_days(language: str) -> bool:
    pattern = str(get_date_format("long", find_locale(language)).pattern)
    return _DOTTED.search(pattern) is not None
