"""From one day of the week or month to another in words: ``Mon–Fri``, ``Jan.–März``."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import repeat
from typing import Literal

from babel.dates import get_day_names, get_month_names

from svc.media.languages import Dates, Numbers, Times, add_other_script, read_words
from svc.media.text.figures import labels
from svc.media.text.numerals import (
    CLOSERS,
    OPENERS,
    PAUSES,
    SPACE,
    STOPS,
    base_language,
    find_locale,
)

# The name of a day, with the vowels of Indian scripts, which are marks and no letters, and with the
# number that some have: T2.
_NAME = r"([^\s\d.,;:/–—-]+\d?)\.?"
_SPAN = re.compile(rf"{_NAME}{SPACE}?[-–—]{SPACE}?{_NAME}")
_DAY_OF_MONTH = re.compile(r"\(?\d{1,2}/\d{1,2}\b")
# The hours after a day: 9:00, 9–17, 9h, 10 बजे.
_CLOCK = re.compile(
    rf"\(?\d{{1,2}}(?:[:.]\d\d|{SPACE}?[-–—]{SPACE}?\d{{1,2}}|{SPACE}?(?:h|बजे|val))"
)
# A span from one hour to another.
_HOURS = re.compile(rf"\d{{1,2}}(?:[:.]\d\d)?{SPACE}?[-–—]{SPACE}?\d")
# Short days with a sign between each two: Mo+Do, Mon/Wed/Fri.
_JOINED = re.compile(r"[^\W\d_]{2,4}\.?(?:[+/&][^\W\d_]{2,4}\.?)+")
_SHORTEST = 2  # letters
_LIST_PATTERNS = ("standard", "or")  # CLDR's: "{0} and {1}", "{0} or {1}"
_LONGEST = 30  # characters
_WIDTHS: tuple[Literal["abbreviated", "wide"], ...] = ("abbreviated", "wide")


def read_span(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return two names with the word between them, in the forms that it requires; None: they are
    no two days or months. Where those are not known, they are two names with a pause.
    ``before``, ``after``: the words beside them; Roman numerals are days before hours only."""
    numbers = read_words(language, Numbers)
    if numbers.to and text.count(f"{SPACE}{numbers.to}{SPACE}") == 1:  # seg. a sex.
        text = text.replace(f"{SPACE}{numbers.to}{SPACE}", "–")
    match = _SPAN.fullmatch(text) if len(text) <= _LONGEST else None
    to = f" {numbers.to}" if numbers.uninflected_after_to else ","
    if match is None:
        return None
    dates = read_words(language, Dates)
    days = get_day_names("wide", "format", find_locale(base_language(language)))
    numbers_of = {name: number for number, name in days.items()}  # 0: Monday
    for names in _names(base_language(language)):
        if match[1] in names and match[2] in names:
            first, last = names[match[1]], names[match[2]]
            if re.fullmatch("[IV]+", match[1]) and "II" in dates.days_in_spans:
                if not _CLOCK.match(after):
                    return None
            elif len(match[1]) == 1 and not _may_be_days(first, last, numbers_of):
                return None
            if dates.days_from and first in numbers_of:
                start = dates.days_from[numbers_of[first]].removeprefix(f"{before.lower()} ")
                return f"{start} {dates.days_to[numbers_of[last]]}"
            return f"{first}{to} {last}"
    return None


def _may_be_days(first: str, last: str, numbers_of: Mapping[str, int]) -> bool:
    """Return whether two letters are days in their order, and no sizes: L–V, but S–L."""
    return numbers_of.get(first, 0) < numbers_of.get(last, 1)


def ends_with_day(text: str, language: str) -> bool:
    """Return whether ``text`` is a day of the week, or short for it, or goes to one: ``pn.–pt.``"""
    days = _names(base_language(language))[0]
    name = re.split("[-–—]", text)[-1].strip(f"{SPACE}{PAUSES}.")
    return name in days or name.lower().removesuffix("s") in map(str.lower, days.values())


def begins_span(text: str, language: str) -> bool:
    """Return whether ``text`` is short for a day or a month, after which "to" may follow."""
    days, months = _names(base_language(language))
    name = text.rstrip(".")
    return (name in days and days[name] != name) or (name in months and months[name] != name)


def read_short_day(text: str, language: str, before: str, after: str) -> str | None:
    """Return the day that a short name before hours stands for, ``Σάβ 10:00``, ``sub. 9–13``, or
    after those of another: ``sab 9–13, dom chiuso``; None: it is none, or a common word as well."""
    full, name = _names(base_language(language))[0], text.rstrip(".")
    if len(name) < _SHORTEST or full.get(name, name) == name or re.fullmatch("[IV]+", name):
        return None
    is_listed = before.endswith((",", ";")) and _CLOCK.match(before) is not None
    follows = after.strip(PAUSES).rstrip(".")  # Mo, Do 8–9 Uhr
    is_first = (
        not before.endswith(tuple(STOPS))
        and full.get(follows, follows) != follows
        and name != follows
    )
    is_first = is_first and not labels.is_sentence_start(name, language)
    if not (is_listed or is_first or _CLOCK.match(after)):
        return None
    is_word = name.lower() in read_words(language, Dates).days_like_words
    is_sure = is_listed and text.endswith(".")
    if is_word and not is_sure and not (name[:1].isupper() and (is_listed or _HOURS.match(after))):
        return None
    return full[name]


def read_day(text: str, language: str, before: str, after: str) -> str | None:
    """Return the day that a short name before hours stands for, or a letter and a number beside
    another such, a date or a part of the day: ``T2, T4``, ``chiều T7``; None: there is none, and it
    names something else."""
    if said := _read_joined_days(text, language) or read_short_day(text, language, before, after):
        return said
    known = read_words(language, Dates)
    days = known.days_in_spans
    if text not in days or not any(map(str.isdecimal, "".join(days))):
        return None
    beside = {before.strip(PAUSES), after.strip(PAUSES)}
    is_named = before.lower() in read_words(language, Times).day_parts
    joins = {"&", *"-–—", *read_words(base_language(language), Numbers).joins}
    # T7 & CN, T2 – T4 – T6
    is_joined = text[-1].isdecimal() and (after in joins or before in {*"-–—"})
    if not (is_named or is_joined or beside & days.keys() or _DAY_OF_MONTH.match(after)):
        return None
    return _names(base_language(language))[0][text]


def expand_listed_days(words: Sequence[str], language: str) -> list[str]:
    """Return ``words`` with short names of days that stand in a list in full: ``Mo, Mi und Fr``.

    One name by itself may be another word, as German so and do are. Where all names of a list may
    be, or the language's short names are those of other things, as in Hindi those of the planets,
    the list stays as it is unless hours follow it.
    """
    result = list(words)
    start = 0
    while start < len(words):
        end, days = _follow_list_of_days(words, start, language)
        for index, full in days.items() if len(days) > 1 else ():
            bare = words[index].lstrip(OPENERS)
            head, marks = words[index][: -len(bare) or None], bare[len(_take_name(bare)) :]
            is_last = index + 1 == len(words)
            goes_on = not is_last and (index + 1 < end or not words[index + 1][:1].isupper())
            marks = marks.removeprefix(".") if len(marks) > 1 or goes_on else marks
            result[index] = f"{head if head != words[index] else ''}{full}{marks}"
        start = max(end, start + 1)
    return result


def _follow_list_of_days(
    words: Sequence[str], start: int, language: str
) -> tuple[int, dict[int, str]]:
    """Return where a list of short days that begins at ``start`` ends, and the full name of each by
    its place; none: there is no list."""
    base = base_language(language)
    names, joins = _names(base)[0], _list_joins(base)
    days: dict[int, str] = {}
    index, is_certain = start, False
    while index < len(words):
        bare = words[index].lstrip(OPENERS)
        name = _take_name(bare)
        full = names.get(name, name)
        is_span = read_span(bare.rstrip(PAUSES), language) is not None
        if not is_span and (full == name or len(name) < _SHORTEST or re.fullmatch("[IV]+", name)):
            break
        if not is_span:
            days[index] = full
        is_certain = is_certain or is_span or _is_certain_day(name, full, base)
        index += 1
        if bare.rstrip(".").endswith(","):
            index += words[index : index + 1] != [] and words[index] in joins  # Mo, Mi, und Fr
        elif index < len(words) and words[index] in joins:
            index += 1
        else:
            break
    else:
        index = len(words)
    after = "".join(words[index : index + 1])
    of_hours = after.lower() in read_words(base, Times).before or _CLOCK.match(after) is not None
    return index, days if is_certain or of_hours else {}


def _take_name(word: str) -> str:
    """Return ``word`` without the signs behind it."""
    return word.rstrip(f"{PAUSES}{CLOSERS}{STOPS}")


def _is_certain_day(name: str, full: str, base: str) -> bool:
    """Return whether the short ``name`` of the day ``full`` is no other word of the language."""
    dates = read_words(base, Dates)
    has_capital = name[:1].isupper() or not full[:1].isupper()
    return dates.reads_days and has_capital and name.lower() not in dates.days_like_words


@cache
def _list_joins(base: str) -> frozenset[str]:
    """Return the signs and the words between the last two of several: &, and, or, to."""
    numbers = read_words(base, Numbers)
    patterns = find_locale(base).list_patterns
    between = (patterns[each]["end"] for each in _LIST_PATTERNS if each in patterns)
    words = {each.replace("{0}", "").replace("{1}", "").strip(" ,") for each in between}
    return frozenset({"&", "+", numbers.to, *numbers.joins, *words} - {""})


def _read_joined_days(text: str, language: str) -> str | None:
    """Return short days with signs between them in full: ``Mo+Do``; None: they are none."""
    if not _JOINED.fullmatch(text):
        return None
    full = _names(base_language(language))[0]
    names = [name.rstrip(".") for name in re.split("[+/&]", text)]
    days = [full.get(name, "") for name in names]
    base = base_language(language)
    is_certain = text[:1].isupper() or any(map(_is_certain_day, names, days, repeat(base)))
    return ", ".join(days) if all(days) and is_certain else None


@cache
def _names(base: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the full names of the days and of the months by each name,
    as it is written and with a capital, without dots.
    """
    names = []
    for names_of in (get_day_names, get_month_names):
        full = names_of("wide", "format", find_locale(base))
        written = {
            names_of(width, "format", find_locale(base))[key].rstrip("."): full[key]
            for width in _WIDTHS
            for key in full
        }
        if names_of is get_day_names:
            written |= {
                name: full[key] for name, key in read_words(base, Dates).days_in_spans.items()
            }
        written = add_other_script(written, base)
        names.append(
            {**{name[:1].upper() + name[1:]: whole for name, whole in written.items()}, **written}
        )
    return names[0], names[1]
