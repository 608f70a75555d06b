"""The day and the time of day that a sentence names, where there is no doubt which they are: what
stands beside another number, as in "3 or 4 May" and "10 to 12 am", is left out, and so is a day
that a street or an event is called by.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from itertools import islice

from babel.dates import get_month_names

from svc.media.languages import Grammar, Lines, Pictures, Times, read_words
from svc.media.text import dates, moments, months, times_of_day
from svc.media.text.figures import spans
from svc.media.text.numerals import (
    CLOSERS,
    OPENERS,
    PAUSES,
    SPACE,
    STOPS,
    base_language,
    find_locale,
)

_LEAP_YEAR = 2000  # so that 29 February is a day
_DAY = re.compile(r"(\d{1,2})(?:\.|st|nd|rd|th|er|º|ª|-?[^\W\d]{1,3})?")
_WITHIN_DATES = frozenset(("of", "de", "del", "d'", "di", "da"))  # 23 de mayo
_CJK_DAY = re.compile(r"\W*(\d{4}年)?(\d{1,2})月(\d{1,2})日\D*")
_NUMBER = re.compile(r"\W*\d{1,2}(?:st|nd|rd|th|er|º|ª)?\W*")
_YEAR = re.compile(r"(?:1\d|2[0-6])\d\d")  # in Thailand it is 2569
_YEAR_BEFORE = re.compile(_YEAR.pattern + r"(?:\.|-?[^\W\d]{1,2})?")  # 2026. május 5.
_CJK_DAYS = re.compile(r"(\d{1,2})日")
_HOURS_WITH_H = re.compile(r"\d[\d.:]*[\s\u00a0\u202f]?h", re.IGNORECASE)  # also as long as that
_CLOCK = re.compile(rf"(\d{{1,2}})(?:[:.h]([0-5]\d))?(?:{SPACE}?([^\W\d].*))?", re.DOTALL)
_BRACKET_AND_STOP = re.compile(r"[)\]][.…,;:!?]+$")  # (dim. 16h).
_LATE = re.compile(r"p\.?\s?m", re.IGNORECASE)
_EARLY = re.compile(r"a\.?\s?m", re.IGNORECASE)
_CAPITAL_MONTHS = ("de", "en")  # "march" and "august" are other words
_AROUND = 2  # words on each side in which no other number may stand
_LONGEST = 4  # words of a date after its day: 21 de diciembre de 2020
_LEADING = 3  # words of a date before its day, and of a street before its name
_NOON, _MIDNIGHT, _MONTHS = 12, 24, 12
# From this hour on, with minutes of a timetable, two numbers with a colon beside a day are no
# ratio, no score and no verse; and hours with an "h" are no length.
_SURE_HOUR, _STEP = 13, 5


@dataclass(frozen=True)
class Day:
    """A day as a text names it."""

    month: int
    day: int
    has_year: bool


def find_day(words: Sequence[str], language: str) -> Day | None:
    """Return the only day that a sentence of ``words`` names; None: it names none, or several."""
    if len(set(_CJK_DAYS.findall(" ".join(words)))) > 1:  # 5月5日から9日に変更
        return None
    days = list(_list_days(words, language))
    # closed on 5 and 6 January, open again on 8 January: the last is not the only one
    if any(_is_one_of_several(words, at, language, skips_days=True) for at, _ in days):
        return None
    return days[0][1] if len({(day.month, day.day) for _, day in days}) == 1 else None


def find_time(words: Sequence[str], language: str) -> tuple[int, int] | None:
    """Return the only time of day that a sentence of ``words`` names, hour and minutes; None: it
    names none, or several, or what may be something else.
    """
    has_day = find_day(words, language) is not None
    times = dict(_list_times(words, language, has_day))
    [time, is_sure], *others = [*times.items(), (None, False)]
    return time if is_sure and len(others) == 1 else None


def _list_days(words: Sequence[str], language: str) -> Iterator[tuple[int, Day]]:
    """Yield each day that is named, and which word names it."""
    for at in range(len(words)):
        found = _read_figures(words, at, language) or _read_beside_month(words, at, language)
        if found:
            with suppress(ValueError):
                date(_LEAP_YEAR, found.month, found.day)
                yield at, found


def _read_figures(words: Sequence[str], at: int, language: str) -> Day | None:
    """Return the day of a date in figures, such as 23.8. in German."""
    if match := _CJK_DAY.fullmatch(words[at]):
        return Day(int(match[2]), int(match[3]), bool(match[1]))
    text = words[at].strip(OPENERS + CLOSERS).rstrip(PAUSES)
    before, after = _find_neighbours(words, at)
    for form in dict.fromkeys((text, text.rstrip("."))):
        if parsed := dates.parse_date(form, language, before, after):
            year, month, day, _ = parsed
            is_either = base_language(language) == "en" and "/" in form and day != month
            if is_either and max(month, day) <= _MONTHS:  # 5/6 is in May, or in June
                return None
            return Day(month, day, year != _LEAP_YEAR)
    return None


def _read_beside_month(words: Sequence[str], at: int, language: str) -> Day | None:
    """Return the day of a number before its month, or where a language has it so after it."""
    text = words[at].strip(OPENERS + CLOSERS).rstrip(PAUSES)
    match = _DAY.fullmatch(text) or _DAY.fullmatch(text.rstrip("."))
    if match is None:
        return None
    following = [word for word in words[at + 1 : at + 3] if word.lower() not in _WITHIN_DATES]
    is_apart = words[at].endswith(tuple(PAUSES))
    has_year = any(
        _YEAR.match(_to_latin_digits(word)) for word in words[at + 1 : at + 1 + _LONGEST]
    ) or any(
        _YEAR_BEFORE.fullmatch(_to_latin_digits(word)) for word in words[max(0, at - _LEADING) : at]
    )
    if following and not is_apart and (month := _find_month(following[0], language)):
        last = words.index(following[0], at + 1)
        is_name = _is_part_of_name(words, at, last, last, language)
        return None if is_name else Day(month, int(match[1]), has_year)
    if at and months.precedes_day(words[at - 1], language) and _ends_date(words, at, language):
        month = _find_month(words[at - 1], language)
        is_name = _is_part_of_name(words, at - 1, at, at - 1, language)
        return Day(month, int(match[1]), has_year) if month and not is_name else None
    return None


def _to_latin_digits(word: str) -> str:
    return "".join(str(unicodedata.decimal(sign, sign)) for sign in word)


def _is_part_of_name(
    words: Sequence[str], first: int, last: int, month: int, language: str
) -> bool:
    """Return whether the day of the words ``first`` to ``last`` is the name of a street or an
    event: the words around it say so, or ``month`` has a capital that months do not have.
    """
    name = words[month].lstrip(OPENERS)
    usual = get_month_names("wide", "format", find_locale(base_language(language)))[1]
    if name[:1].isupper() and usual[:1].islower() and not name.isupper() and month:
        return True
    pattern = read_words(language, Pictures).named_by_day
    # without what closes the date
    end = words[last].rstrip(CLOSERS + PAUSES)
    if not end.rstrip(STOPS).isdecimal():  # március 15. tér
        end = end.rstrip(STOPS)
    day = "#" + words[last][len(end) :]
    before, after = words[max(0, first - _LEADING) : first], words[last + 1 : last + 3]
    return pattern is not None and pattern.search(" ".join((*before, day, *after))) is not None


def _ends_date(words: Sequence[str], at: int, language: str) -> bool:
    """Return whether a number after a month is its day: nothing that it may count comes after it,
    as in "In May 23 children came".
    """
    if base_language(language) != "en":
        return not words[at][-1].isdecimal()  # május 23-án, but "im Mai 23 Kinder"
    after = words[at + 1].strip(OPENERS) if at + 1 < len(words) else ""
    is_last = not after or words[at][-1] in STOPS + CLOSERS or not words[at].isdecimal()
    return (
        is_last or _YEAR.match(after) is not None or after in ("at", "from", "until", "and", "to")
    )


def _find_month(word: str, language: str) -> int | None:
    text = word.strip(OPENERS + CLOSERS)
    has_capital = base_language(language) not in _CAPITAL_MONTHS or text[:1].isupper()
    if not (has_capital and months.is_month(text, language)):
        return None
    return moments.find_month(text.rstrip(STOPS), base_language(language))


def _list_times(
    words: Sequence[str], language: str, has_day: bool
) -> Iterator[tuple[tuple[int, int], bool]]:
    """Yield hour and minutes of what may be a time of day, and whether it surely is one.
    ``has_day``: whether the sentence names a day.
    """
    times = read_words(language, Times)
    leads = times.before | times.before_hours | times.until
    for at, word in enumerate(words):
        text = _BRACKET_AND_STOP.sub("", word.strip(OPENERS + CLOSERS)).rstrip(PAUSES)
        before, after = _find_neighbours(words, at)
        known = (
            form
            for form in dict.fromkeys((text, text.rstrip(".")))
            if times_of_day.read_time(form, language, before, after) is not None
        )
        match = _CLOCK.fullmatch(next(known, ""))
        if match is None or _is_one_of_several(words, at, language, times.day_parts):
            continue
        hour, minutes, unit = int(match[1]), int(match[2] or 0), match[3] or ""
        half, is_led = unit or after, before.lower() in leads
        is_at = before.lower() in times.at
        is_sure = is_led or bool(unit) or after.rstrip(STOPS).lower() in times.day_parts
        is_late = hour >= _SURE_HOUR and bool(match[2]) and minutes % _STEP == 0
        if _HOURS_WITH_H.match(match[0]):  # à 9 h, and not: il faut 9 h, à 9 h de Paris
            is_sure = (is_led or is_at or is_late) and not _is_of_way(words, at, times)
        # and not: mix it at 1:20
        is_sure = is_sure or (is_late and has_day)
        is_sure = is_sure or (is_at and (is_late or has_day or match[0].startswith("0")))
        # also two words before: Viertel vor 8 Uhr
        is_sure = (
            is_sure and not {word.lower() for word in words[max(0, at - 2) : at]} & times.parts
        )
        if _LATE.match(half) and hour < _NOON:
            hour += _NOON
        elif _EARLY.match(half) and hour == _NOON:
            hour = 0
        if hour < _MIDNIGHT:
            yield (hour, minutes), is_sure


def _is_of_way(words: Sequence[str], at: int, times: Times) -> bool:
    """Return whether hours are as long as the way is: à 2 h de Paris, but not: 2 h de la tarde."""
    following = [word.lower().strip(STOPS) for word in words[at + 1 : at + 1 + _LONGEST]]
    is_of = following and re.split("(?<=['’])", following[0])[0] in _WITHIN_DATES | {"d’"}
    return bool(is_of) and not times.day_parts & {re.split("['’]", word)[-1] for word in following}


def _is_short_day(words: Sequence[str], at: int, language: str) -> bool:
    """Return whether a word is a day of the week beside a number: ``sam. 8``."""
    has_number = at + 1 < len(words) and _NUMBER.fullmatch(words[at + 1]) is not None
    return has_number and spans.ends_with_day(words[at].strip(OPENERS), language)


def _find_neighbours(words: Sequence[str], at: int) -> tuple[str, str]:
    before = words[at - 1].strip(OPENERS) if at else ""
    return before, words[at + 1].lstrip(OPENERS) if at + 1 < len(words) else ""


def _is_one_of_several(
    words: Sequence[str],
    at: int,
    language: str,
    unsaid: Collection[str] = (),
    skips_days: bool = False,
) -> bool:
    """Return whether another number stands near one, with which it may be a range or a row.
    ``unsaid``: words between them that do not count, and no article does: "le 15 et le 30 juin",
    nor with ``skips_days`` a day of the week: "ven. 7, sam. 8 et dim. 9 mars".
    """
    articles = read_words(language, Lines).rarely_end_with
    joins = read_words(language, Grammar).joins

    def is_counted(place: int) -> bool:
        word = words[place].strip(OPENERS + CLOSERS + PAUSES + STOPS).lower()
        joined = place and words[place - 1].lower() in joins
        is_day = skips_days and any(
            _is_short_day(words, each, language)
            for each in (place, *([place + 1] if word in joins else []))
        )
        return word not in unsaid and not is_day and not (joined and word in articles)

    before = (words[place] for place in range(at - 1, -1, -1) if is_counted(place))
    after = (words[place] for place in range(at + 1, len(words)) if is_counted(place))
    near = [*islice(before, _AROUND), *islice(after, _AROUND)]
    return any(map(_NUMBER.fullmatch, near))
