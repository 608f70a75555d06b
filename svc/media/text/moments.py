"""Points that begin with dates or times of day, in their order: what a timeline is made of."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from babel import Locale, UnknownLocaleError

from svc.media.languages import Everywhere, merge_words
from svc.media.text.units import TIME_ZONES

# The fewest points. A single one, which may be the last of a list, is a timeline only with its year
# or hour.
_FEWEST = 2
_LAST_TIME = (24, 59)  # what is later is no time of day, but a place in a recording
_FEWEST_ROUND = 3  # points of one that goes on after midnight, a Sunday or a December
_LONGEST = 200  # characters that are read
_SEPARATOR = r"(?:\s*[:,：،、]\s*|\s*[–—]\s*|\s-\s)"
_YEAR = r"(?P<year>1\d{3}|20\d\d|21\d\d)"
_ERA = r"\s?(?P<era>BCE?|AD|CE|v\. ?Chr\.|n\. ?Chr\.|av\. J\.-C\.|apr\. J\.-C\.|a\. ?C\.|d\. ?C\.)"
_BEFORE = frozenset(("bc", "bce", "v.chr.", "av.j.-c.", "a.c."))
_TO = r"\s?[-–—]\s?"
_HALF = r"\s?(?:[ap]\.?m\.?|uhr|hrs?|h)(?!\w)"
_MINUTES = r"(?::|\s?h\s?|\suhr\s)[0-5]\d(?!\d)"  # 8:30, 8 h 30, 8 Uhr 30
_CLOCK = rf"(?:[01]?\d|2[0-4])(?:{_MINUTES}(?:{_HALF})?|[.][0-5]\d{_HALF}|{_HALF})"
_CLOCK_FIGURES = re.compile(
    r"(\d{1,2})(?:(?:[:.]|\s?h\s?|\suhr\s)([0-5]\d))?\s?(p\.?m|a\.?m)?", re.IGNORECASE
)
_FIGURES = r"(?:[01]?\d|2[0-4])(?:[:.][0-5]\d)?"
_HOURS = rf"{_FIGURES}{_TO}{_FIGURES}\s?(?:[ap]\.?m\.?|uhr)(?!\w)"  # 9.00–9.30 Uhr, 9–10 am
_ZONE = rf"(?:\s(?-i:{'|'.join(sorted(TIME_ZONES, reverse=True))})\b(?:[+-]\d{{1,2}})?)?"
_TIME = re.compile(
    rf"(?P<when>(?:{_CLOCK}(?:{_TO}{_CLOCK})?|{_HOURS}){_ZONE})(?:{_SEPARATOR}|\s+)(?P<what>\S.*)",
    re.IGNORECASE,
)
# A place in a recording: 38:50, 1:02:30.
_RECORDED = re.compile(
    rf"(?P<when>(?:(?P<hours>\d):)?(?P<minutes>\d{{1,2}}):(?P<seconds>[0-5]\d))"
    rf"(?:{_SEPARATOR}|\s+)(?P<what>[^\W\d].*)"
)
_OF = r"(?:de |del |d')?"
_NTH = r"(?:st|nd|rd|th|er|\.|º|ª)?"
_CJK = re.compile(
    r"(?P<when>(?:(?P<year>\d{4})年)?(?:(?P<month>\d{1,2})月)?(?:(?P<day>\d{1,2})日)?)\s*[:：、,"
    r"—–-]?\s*(?P<what>\S.*)"
)
_NAMES = {"wide", "abbreviated"}
_WHOLE = frozenset(("time", "date"))  # kinds that need nothing else
_ROUND = frozenset(("time", "day", "weekday"))  # kinds that begin again


@dataclass(frozen=True)
class Entry:
    """A point of a timeline: when, and what happens."""

    when: str
    what: str


@dataclass(frozen=True)
class _Moment:
    entry: Entry
    kind: str
    order: tuple[int, ...]


def find_entries(texts: Sequence[str], language: str) -> tuple[Entry, ...]:
    """Return the points as a timeline if each begins with a moment of the same kind, in order; else
    nothing.

    ``language``: a BCP 47 code, for the names of months and days.
    """
    moments = [
        moment for text in texts if (moment := _read_moment(text[:_LONGEST], language)) is not None
    ]
    if not moments or len(moments) < len(texts) or len({moment.kind for moment in moments}) > 1:
        return ()
    if len(moments) < _FEWEST:
        return tuple(moment.entry for moment in moments if moment.kind in _WHOLE)
    orders = [moment.order for moment in moments]
    is_recorded = moments[0].kind == "time" and max(orders) > _LAST_TIME
    if is_recorded and len(moments) < _FEWEST_ROUND:
        return ()  # two scores: 26:24, 31:28
    back = sum(second < first for first, second in pairwise(orders))
    again = (
        moments[0].kind in _ROUND
        and len(orders) >= _FEWEST_ROUND
        and back == 1
        and orders[-1] <= orders[0]
    )
    return (
        tuple(moment.entry for moment in moments)
        if len(set(orders)) > 1 and (not back or again)
        else ()
    )


def find_entries_of_table(rows: Sequence[Sequence[str]], language: str) -> tuple[Entry, ...]:
    """Return the rows of a table of two columns as a timeline if the first column has moments in
    order; else nothing.
    """
    if any(len(row) != 2 or not all(row) for row in rows):
        return ()
    entries = find_entries([f"{when}: {what}" for when, what in rows], language)
    whole = all(entry.when == when for entry, (when, _) in zip(entries, rows, strict=False))
    return entries if whole else ()


def find_timed_points(texts: Sequence[str]) -> tuple[Entry, ...]:
    """Return points of which each begins with a time of day, in any order; else nothing."""
    times = [match for text in texts if (match := _TIME.fullmatch(text[:_LONGEST].strip()))]
    return tuple(_read_entry(match) for match in times) if len(times) == len(texts) else ()


def find_timed_rows(rows: Sequence[Sequence[str]]) -> tuple[Entry, ...]:
    """Return the rows of a table of two columns of which the first has times of
    day; else nothing.
    """
    if any(len(row) != 2 or not all(row) for row in rows):
        return ()
    entries = find_timed_points([f"{when}: {what}" for when, what in rows])
    return (
        entries
        if all(entry.when == when for entry, (when, _) in zip(entries, rows, strict=False))
        else ()
    )


def _read_moment(text: str, language: str) -> _Moment | None:
    """Return the moment with which ``text`` begins."""
    recorded, time = _RECORDED.fullmatch(text.strip()), _TIME.fullmatch(text.strip())
    if recorded and (recorded["hours"] or not time):
        hours, minutes = int(recorded["hours"] or 0), int(recorded["minutes"])
        return _Moment(
            _read_entry(recorded), "time", (60 * hours + minutes, int(recorded["seconds"]))
        )
    if time:
        return _Moment(_read_entry(time), "time", _count_minutes(time["when"]))
    for kind, pattern in _compile_patterns(language.partition("-")[0]):
        match = pattern.fullmatch(text.strip())
        if match and match["when"] and (order := _order(kind, match, language)):
            return _Moment(_read_entry(match), order[0], order[1])
    return None


def _read_entry(match: re.Match[str]) -> Entry:
    """Return what a match says; what happens begins with a capital,
    unless its first word is spelt in a way of its own.
    """
    what = match["what"].strip()
    plain = what.split()[0].islower()
    return Entry(match["when"].strip(), what[:1].upper() + what[1:] if plain else what)


def _count_minutes(text: str) -> tuple[int, ...]:
    hours, minutes, half = next(iter(_CLOCK_FIGURES.findall(text)))
    late = 12 if half.lower().startswith("p") else 0
    return (int(hours) % 12 + late if half else int(hours), int(minutes or 0))


def _order(kind: str, match: re.Match[str], language: str) -> tuple[str, tuple[int, ...]] | None:
    """Return the kind of a moment and its place among its like;
    None if it is no moment after all.
    """
    groups = {name: value for name, value in match.groupdict().items() if value}
    if kind in ("weekday", "counted"):
        name = groups["name"].casefold()
        if kind == "weekday":
            return kind, (_names(language.partition("-")[0], "days")[name.rstrip(".")],)
        return f"counted {name}", (int(groups["number"]),)
    month = groups.get("month", "")
    number = (
        int(month)
        if month.isdecimal()
        else _names(language.partition("-")[0], "months").get(month.casefold().rstrip("."), 0)
    )
    number = number or 3 * int(groups.get("quarter", 0))
    day = int(groups.get("day", 0))
    if number > 12 or day > 31:
        return None
    if "year" in groups:
        year = int(groups["year"])
        before = groups.get("era", "").casefold().replace(" ", "") in _BEFORE
        return "date", (-year if before else year, number, day)
    return ("day", (number, day)) if number else None


def find_month(name: str, language: str) -> int | None:
    """Return the number of the month called ``name``, with or without a dot, in ``language``."""
    return _names(language, "months").get(name.casefold().rstrip("."))


@cache
def _compile_patterns(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the patterns of a language's dates with what follows them; groups: when, year, month,
    day, name, number, what.
    """
    month = f"(?P<month>{_make_alternatives('months', language)})\\.?"
    day, year = rf"(?P<day>\d{{1,2}})(?:{_TO}\d{{1,2}})?{_NTH}", _YEAR
    stages = "|".join(map(re.escape, sorted(merge_words(Everywhere).stages)))
    forms = [
        ("date", r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"),
        ("date", r"(?P<day>\d{1,2})[./](?P<month>\d{1,2})[./](?P<year>\d{4})"),
        ("date", rf"{day} {_OF}{month}(?:,? {_OF}{year})?"),
        ("date", rf"{month} {day}(?:,? {year})?"),
        ("date", rf"{month} {_OF}{year}"),
        ("date", month),
        ("date", rf"Q(?P<quarter>[1-4])(?:[ /]{year})?"),
        ("date", rf"{year}(?:s|er)?(?:{_TO}(?:\d{{4}}|\d\d))?"),
        ("date", rf"(?P<year>\d{{1,4}}){_ERA}"),
        ("weekday", f"(?P<name>{_make_alternatives('days', language)})\\.?"),
        ("counted", rf"(?P<name>{stages}) (?P<number>\d{{1,3}})"),
    ]
    spaced = ((kind, form.replace(" ", r"\s")) for kind, form in forms)
    patterns = [
        (kind, re.compile(rf"(?P<when>{form}){_SEPARATOR}(?P<what>\S.*)", re.IGNORECASE))
        for kind, form in spaced
    ]
    return (*patterns, *([("date", _CJK)] if language in ("ja", "zh") else []))


def _make_alternatives(names: str, language: str) -> str:
    listed = sorted(_names(language, names), key=len, reverse=True)
    return "|".join(map(re.escape, listed)) or "(?!)"


@cache
def _names(language: str, names: str) -> dict[str, int]:
    """Return the names of the months (from 1) or of the days of the week (from 0: Monday),
    without case and dots.
    """
    try:
        locale = Locale.parse(language)
    except (ValueError, UnknownLocaleError):
        return {}
    contexts = getattr(locale, names)
    return {
        name.casefold().rstrip("."): number
        for context in ("format", "stand-alone")
        for width in _NAMES
        for number, name in contexts[context].get(width, {}).items()
    }
