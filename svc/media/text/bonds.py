"""Words that belong to the next one: no line ends between them that can hold both.

A day belongs to its month, a figure to its unit, a house number to its street, an initial or a
title to the name, an abbreviation or a section sign to its number, a sign of a currency to its
amount, and both sides of a firm's "&" to each other. More loosely, a preposition or an article
belongs to a figure, and the first word of a place's name to the rest. What months, units, titles
and prepositions are called is in the files of the languages, and in CLDR.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from enum import IntEnum
from functools import cache, lru_cache
from itertools import accumulate, pairwise, product

from babel.dates import format_date, get_date_format, get_day_names, get_month_names
from babel.numbers import get_currency_name
from babel.units import format_unit

from svc.media.languages import (
    Abbreviations,
    Articles,
    Dates,
    Everywhere,
    Grammar,
    Lines,
    Money,
    Numbers,
    Times,
    Units,
    merge_words,
    read_words,
)
from svc.media.text import abbreviations, months
from svc.media.text.names import ARTICLES, NO_NAMES, Names, are_of_a_name
from svc.media.text.numerals import (
    CLOSERS,
    OPENERS,
    PAUSES,
    STOPS,
    base_language,
    find_locale,
    names_number,
    spell_cardinal,
)
from svc.media.text.units import CURRENCIES, TIME_ZONES, UNITS
from svc.media.voice import GLUE

try:
    import rjieba
except ImportError:  # it is of requirements-voices.txt, as is the font that Chinese is drawn in
    _cut_words: Callable[[str], list[str]] | None = None
else:
    _cut_words = rjieba.cut

_NO_BREAK = "\u00a0"
_INITIAL = re.compile(r"\(?[^\W\d_]\.")
_DOTTED_DAY = re.compile(r"\d{1,2}\.")
# 14, 1er, 12th, 22-én
_DAY = re.compile(r"(?:0?[1-9]|[12]\d|3[01])(?:[^\W\d_]{1,2}|-[^\W\d_]{1,3}|[º°ª])?")
_DAYS = re.compile(r"\d{1,2}\.?[-–]\d{1,2}\.?")  # 12–23 december
_MONTH_FIRST = re.compile("M+ *d")  # CLDR's pattern of a day of a month
_LONGEST_LINK = 3  # letters of a word between a day and its month, or two figures: 14 de junio
_LINK = re.compile(rf"[^\W\d_]{{1,{_LONGEST_LINK}}}")
_END_OF_RANGE = re.compile(r"(?:\d{1,2}:\d\d|\d{1,3}\.?)(?!\d)")
_COLONS = (":", "：")
_HOUR_SIGN = "h"
_HOUR, _HOUR_WITH_SIGN = re.compile(r"\W?\d{1,2}"), re.compile(rf"\W?\d{{1,2}}({_HOUR_SIGN})")
_MINUTES = re.compile(rf"[0-5]\d[{re.escape(CLOSERS + STOPS)}]*")
_VERSION = re.compile(rf"(\d{{1,4}}(?:\.\d+)*)[{re.escape(CLOSERS + STOPS)}]*")
_WORDS_OF_A_LETTER = frozenset("aeiouywzàèéóавикосуя")  # of some language
_COUNT = re.compile(r"\d+(?:[.,]\d+)*[.,;]")  # a figure that is all that is said
# An amount, also a scaled one; a range; or a time of day.
_AMOUNT = re.compile(rf"\W?\d+(?:[.,:]\d+)*(?:[-–]\d+(?:[.,:]\d+)*)?(?:{_NO_BREAK}[^\W\d_]+\.?)?")
_ABBREVIATION, _SECTION = re.compile(r"\(?[^\W\d_]{1,4}\."), re.compile(r"\(?§{1,2}")
_NUMBER_SIGN = re.compile(r"\(?(?:[Nn]\.?[º°]\.?|№)")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_PART_OF_YEAR = re.compile(r"\(?(?:[QHTS][1-4]|[1-4][QHTS])")
# A sign between two figures, or a letter and its value: 110 × 85, n = 401.
_TIMES, _EQUALS, _VARIABLE = ("×", "x", "х"), ("=", "<", ">", "≤", "≥", "≈"), 2
_ROMAN = re.compile(r"II{1,2}|IV|VI{0,3}|IX|X{1,2}(?:I{1,3}|IV|VI{0,3}|IX)?")
_COUNTERS = re.compile(
    "[元圆圓円块塊年月日天点點时時分秒个個人岁歳次度米件册冊本回万萬亿億倍层層%％]"
)
_SPELT_OUT = range(2, 13)  # numbers that are written in words
_NO_WORDS = frozenset[str]()
_OF_KIND = re.compile(r"(?<=[^\W\d_])\([A-Za-z]{1,2}\)$")
# A minute of a match, with those that are added.
_ADDED_MINUTE = re.compile(r"\d{1,3}\.?\+\d{1,2}[.'’′]?")
_MINUTE_OF_SCORER = re.compile(r"\(\d{1,3}\.?(?:\+\d{1,2})?[.'’′]*\)[.,;]?")
_SHORT_COUNTED = re.compile(r"[^\W\d_]\.")
_HOUSE = re.compile(rf"\d{{1,3}}[a-z]?[{re.escape(CLOSERS + STOPS)}]*")
_LEAST_OF_A_STREET = 4  # letters
_HOURS = re.compile(r"\d{1,2}(?:[.:h]\d\d)?[-–]\d{1,2}")  # 9-17, 8.00–18.30
_LONGEST_IN_BRACKETS, _LONGEST_LIST_IN_BRACKETS = 10, 36  # characters
_LONGEST_QUOTED = 24  # characters of a name or a word in quotation marks, which stay on one line
# The marks that open a quotation, and those that close it; a keyboard's may pair with another.
_QUOTATIONS = {
    "“": "”\"", "„": "“”\"", "«": "»\"", "»": "«\"", "\"": "\"“”»", "‘": "’", "‚": "‘",
}  # fmt: skip
_AMPERSAND, _PLUS = "&", "+"
_MARKS = re.compile(r"[:;!?»)\]}”’]+")  # which begin no line
# The languages whose words of one letter end no line.
_WITHOUT_HANGING_LETTERS = frozenset(("cs", "pl", "sk"))
DASHES = ("–", "—", "-")  # as a word: they end a line, and begin none
SEPARATORS = (*DASHES, "/", "|", "·", "•")  # so do these, as words
_BEFORE_FIGURES = re.compile(rf"[{re.escape(OPENERS + ''.join(CURRENCIES))}+−±~≈<>#-]*(?=\d)")
_MONTH_OF_SIGNS, _DAY_OF_SIGNS = re.compile(r"\d月$"), re.compile(r"\d{1,2}[日号號]")
# Both verbs of a Japanese one, which is cut where it is long: お詫び申し|上げます.
_FIRST_OF_VERB = re.compile(r"[\u4e00-\u9fff][いきぎしちにびみりえけげせてねべめれ]$")
_SECOND_OF_VERB = re.compile(
    r"上[げが]|下[げがさ]|込[まみむめん]|出[さしすせ]|続け|始め|合[いうえわっ]|付[きけ]|切[らりれっ]"
    r"|直[さしす]|終[えわ]|致[しす]|頂[きく]|入[られり]|替え|換え|過ぎ"
)
_LONGEST_OF_SIGNS = 4  # signs of a Chinese word that no line tears
_KOREAN_MONTH, _KOREAN_DAY = re.compile(r"\d{1,2}월"), re.compile(r"\d{1,2}일")
_ENDING_OF_A_DAY = 2  # letters that a weekday may have besides: "lördagen"
# Small words of family names of several countries, which no list of CLDR has.
_NOBILIARY = frozenset(
    (
        *("de", "da", "do", "dos", "das", "di", "del", "della", "la", "le"),
        *("van", "der", "den", "ten", "ter", "von", "zu", "zur", "af", "av"),
    )
)
_ANY_DAY = date(2000, 5, 1)
_NAMED_UNITS = (
    *(f"length-{each}" for each in ("millimeter", "centimeter", "meter", "kilometer", "mile")),
    *("length-foot", "length-inch", "mass-gram", "mass-kilogram", "mass-tonne", "mass-pound"),
    *("volume-milliliter", "volume-liter", "area-square-meter", "area-hectare", "area-acre"),
    *("temperature-celsius", "concentr-percent", "energy-kilowatt-hour", "power-watt"),
    *(f"duration-{each}" for each in ("second", "minute", "hour", "day", "week", "month", "year")),
)
_NAMED_IN_TWO = ("area-square-meter", "mass-tonne", "temperature-celsius")  # "square metres"
_NAMED_CURRENCIES = (
    *("EUR", "USD", "GBP", "CHF", "PLN", "SEK", "NOK", "DKK"),
    *("CZK", "HUF", "UAH", "RUB", "INR", "CNY", "JPY", "BRL"),
    *("RON", "BGN", "TRY", "ILS", "KRW", "JOD", "SAR", "EGP", "AED"),
)
_WORDS_OF_A_CURRENCY = 2  # "US dollars"; a longer name has small words in it
_LONGEST_ENDING, _LEAST_OF_A_STEM = 3, 4  # letters
_NUMBERS = (1, 2, 5, 1.5)  # which stand for each form of a noun
_SPELT_OTHERWISE = {"en": ("en-GB",)}  # texts for everybody have "metres", too


class Bond(IntEnum):
    """How firmly a word belongs to the next one: of several bonds, the least firm is torn first."""

    NONE = 0
    LOOSE = 1  # a preposition or an article before a figure, within the name of a place or another
    YEAR = 2  # of a date, where that is too long for a line
    TIGHT = 3
    SIGN = 4  # before the "&" of a firm, which begins no line


@lru_cache(maxsize=8192)
def find_bonds(
    words: tuple[str, ...], language: str = "", names: Names = NO_NAMES
) -> tuple[Bond, ...]:
    """Return for each of ``words`` how firmly it belongs to the next one, on whose line it stays.

    ``language``: a BCP 47 code; without one, only what is written alike in all languages is known.
    ``names``: those of the brief.
    """
    bare = ("", *(word.removeprefix(GLUE) for word in words), "", "", "")
    within = frozenset((*_list_dates(bare[1:-3], language), *_list_titled(bare[1:-3], language)))
    years = frozenset(_list_years(bare[1:-3], language))
    torn = frozenset(_list_torn_words(words, language))
    return tuple(
        (Bond.TIGHT if at in torn or _counts_signs(words[at], following) else Bond.NONE)
        if following.startswith(GLUE)
        else (Bond.YEAR if at in years else _find_bond(bare[at : at + 5], language))
        or (Bond.LOOSE if at in within or are_of_a_name(words[at], following, names) else Bond.NONE)
        for at, following in enumerate(words[1:])
    ) + (Bond.NONE,) * bool(words)


def _list_dates(words: Sequence[str], language: str) -> Iterator[int]:
    """Yield the places of words within a date, but for the last one: from its weekday, or from the
    first day of a range, up to the month: ``jueves 22 de mayo``, ``entre 3 e 21 de novembro``,
    ``3. Nov.``"""
    if not language:
        return
    said = [_fold(word.rstrip(f"{CLOSERS}{PAUSES}")) for word in words]
    for at, day in enumerate(said):
        if not _is_day_of_date(day) or words[at][-1:] in PAUSES.replace(".", ""):
            continue
        month = _find_month(said, at, language)
        if month is None:
            continue
        yield from range(at, month)
        first = _find_first_day(said, at, language)
        yield from range(first, at)
        before = first - 1
        if before > 0 and _LINK.fullmatch(words[before]) and leads_on(said[before], language):
            before -= 1
        if before >= 0 and words[before][-1:].isalpha() and _names_weekday(said[before], language):
            yield from range(before, first)


def _fold(word: str) -> str:
    """Return ``word`` in small letters, whose Greek accents stay on their letters."""
    return unicodedata.normalize("NFC", word.casefold())


def _list_years(words: Sequence[str], language: str) -> Iterator[int]:
    """Yield the places of words between a month with its day and the year, but for the last one:
    ``27 lutego 2026``, ``mayo de 2026``, ``January 5, 2027``, ``2026. május``."""
    if not language:
        return
    said = [_fold(word.rstrip(f"{CLOSERS}{PAUSES}")) for word in words]
    for at, word in enumerate(said):
        if _YEAR.fullmatch(word.partition(_NO_BREAK)[0].rstrip(".")) is None:
            continue
        month = at - 1 - (at > 1 and _is_link_to_year(said[at - 1], language))
        if month > 0 and _ends_date(words, said, month, language):
            yield from range(month, at)
        elif _is_year_first(language) and words[at][-1:] not in PAUSES:
            following = [_is_any_month(each, language) for each in said[at + 1 : at + 3]]
            yield from range(at, at + 1 + following.index(True)) if any(following) else ()


def _is_link_to_year(word: str, language: str) -> bool:
    """Return whether ``word`` stands between a month and its year: ``de``, ``năm``."""
    is_known = word in list_leads(language) or bool(_list_month_nouns(language))
    return _LINK.fullmatch(word) is not None and is_known


def _ends_date(words: Sequence[str], said: Sequence[str], month: int, language: str) -> bool:
    """Return whether the word at ``month`` ends a day and its month: ``5 mayo``, ``January 5,``."""
    before = said[month - 1]
    if said[month].isdecimal() and before in _list_month_nouns(language):
        return True
    if _is_any_month(said[month], language) and words[month][-1:].isalpha():
        is_linked = month > 1 and _LINK.fullmatch(before) is not None
        day = month - 1 - is_linked
        return _is_day_of_date(said[day]) and words[day][-1:] not in PAUSES
    is_day = _is_month_first(language) and _is_day(said[month])
    return is_day and months.is_month(before, language) and words[month - 1][-1:].isalpha()


@cache
def _is_year_first(language: str) -> bool:
    pattern = get_date_format("long", find_locale(base_language(language))).pattern
    return pattern.startswith("y")


def _is_day_of_date(word: str) -> bool:
    return _is_day(word) or _DOTTED_DAY.fullmatch(word) is not None


def _find_month(said: Sequence[str], day: int, language: str) -> int | None:
    """Return the place of the month after the ``day``; None if it has none."""
    after = [*said[day + 1 : day + 3], "", ""]
    if _is_any_month(after[0], language):
        return day + 1 + (after[0] in _list_month_nouns(language) and after[1].isdecimal())
    is_linked = _LINK.fullmatch(after[0]) is not None and _is_any_month(after[1], language)
    return day + 2 if is_linked else None


def _is_any_month(word: str, language: str) -> bool:
    name = word.removesuffix(".")
    prefix = _find_month_prefix(language)
    return len(name) > 1 and (
        months.is_month(name.removeprefix(prefix), language)
        or name in _list_short_months(language)
        or name in _list_month_nouns(language)
    )


@cache
def _list_short_months(language: str) -> frozenset[str]:
    """Return CLDR's short names of months, without those that are small words as well."""
    locale = find_locale(base_language(language))
    names = get_month_names("abbreviated", "format", locale).values()
    short = (name.casefold().rstrip(".") for name in names)
    small = list_leads(language) | read_words(language, Grammar).joins
    return frozenset(name for name in short if name.isalpha()) - small


@cache
def _list_month_nouns(language: str) -> frozenset[str]:
    """Return the noun before the numbers of months, where they have no names: ``tháng``."""
    names = get_month_names("wide", "format", find_locale(base_language(language))).values()
    nouns = {name.casefold().split()[0] for name in names}
    return frozenset(nouns) if len(nouns) == 1 else _NO_WORDS


@cache
def _find_month_prefix(language: str) -> str:
    """Return the letters that CLDR joins to a month in a date: the Hebrew "in"; mostly none."""
    pattern = get_date_format("long", find_locale(base_language(language))).pattern
    prefix = re.search(r"([^\W\d_A-Za-z]+)M{3,}", pattern)
    return prefix[1] if prefix else ""


def _find_first_day(said: Sequence[str], day: int, language: str) -> int:
    """Return the place of the first day of a range that ends with the ``day``; ``day`` itself if
    there is none: ``entre el 3 y el 21``."""
    leads, known = list_leads(language), read_words(language, Grammar)
    joint = day - 1
    if joint > 1 and said[joint] in leads and not said[joint - 1][-1:].isdecimal():
        joint -= 1
    if joint < 1 or not _is_day_of_date(said[joint - 1]):
        return day
    is_short = _LINK.fullmatch(said[joint]) is not None and said[joint] in leads
    pairs = read_words(language, Times).pairs.values()
    joints = {read_words(language, Numbers).to, *DASHES, *known.joins, *pairs}
    return joint - 1 if is_short or said[joint] in joints else day


def _names_weekday(word: str, language: str) -> bool:
    """Return whether ``word`` is a weekday, also with another ending: ``lördagen``, ``середу``."""
    return any(
        word == name
        or (
            len(name) > _LONGEST_ENDING
            and word.startswith(name[:-1])
            and len(word) <= len(name) + _ENDING_OF_A_DAY
        )
        for name in _list_weekdays(language)
    )


def _list_titled(words: Sequence[str], language: str) -> Iterator[int]:
    """Yield the places of the words of a name with a title, but for the last one: a title in full,
    the first name, and small words of names: ``Dr Helen Okafor``, ``mevr. Anna de Vries``."""
    particles = _list_small_words_of_names()
    for at, (word, name) in enumerate(pairwise(words)):
        if _is_before_name(word, name, language):
            yield at
        elif _INITIAL.fullmatch(word) or not (name and _is_named(word, name, language)):
            continue
        place = at + 1
        if place + 1 == len(words) or not name[-1].isalpha():
            continue
        if _is_before_name(name, words[place + 1], language):
            continue  # "Frau Dr. Berger" goes on with its own
        after = place + 1
        while after < len(words) - 1 and words[after] in particles:
            after += 1
        if words[after][:1].isupper():
            yield from range(place, after)


def _is_before_name(word: str, name: str, language: str) -> bool:
    """Return whether ``word`` is a title in full, in small letters or without its dot, before a
    capital: ``Cllr Rudge``, ``doña Inés``, ``mevr. De Vries``."""
    title = word.lstrip(OPENERS)
    if not (language and name[:1].isupper() and title) or title[-1] in PAUSES.replace(".", ""):
        return False
    known = read_words(language, Grammar).titles | read_words(language, Everywhere).titles
    if title.casefold() in known or title.casefold().removesuffix(".") in known:
        return True
    # without a dot, "Pr" and "Me" are titles, and "me" is none
    return title[0].isupper() and len(title) > 1 and title.lower() in _list_own_titles(language)


@cache
def _list_own_titles(language: str) -> frozenset[str]:
    """Return short titles that are no other words of ``language`` without their dot."""
    likely = read_words(language, Everywhere).titles_like_words
    return read_words(language, Abbreviations).titles - likely - _list_particles()


@cache
def _list_small_words_of_names() -> frozenset[str]:
    known = merge_words(Everywhere).within_names - merge_words(Grammar).joins
    return known | _NOBILIARY


def _list_torn_words(words: Sequence[str], language: str) -> Iterator[int]:
    """Yield the places of the pieces of Chinese text that a line should not end with, as the rest
    of a short word follows, by jieba's dictionary, or the day of a month: 通货|膨胀, 3月|12日."""
    if base_language(language) not in ("zh", "ja"):
        return
    ends, ends_of_words, length = list[int](), dict[int, str](), 0
    for word in words:
        length += len(word.removeprefix(GLUE))
        ends.append(length)
    text = "".join(word.removeprefix(GLUE) for word in words)
    if base_language(language) == "zh" and _cut_words:
        pieces = _cut_words(text)
        ends_of_words = dict(zip(accumulate(map(len, pieces)), pieces, strict=True))
    for at, end in enumerate(ends[:-1]):
        word_end = next((each for each in ends_of_words if each >= end), end)
        is_torn = word_end > end and len(ends_of_words[word_end]) <= _LONGEST_OF_SIGNS
        is_torn = is_torn or (
            _FIRST_OF_VERB.search(words[at]) is not None
            and _SECOND_OF_VERB.match(text[end:]) is not None
        )
        if is_torn or (_MONTH_OF_SIGNS.search(words[at]) and _DAY_OF_SIGNS.match(text[end:])):
            yield at


def _counts_signs(word: str, following: str) -> bool:
    """Return whether a figure and what it counts are pieces of a text without spaces: 16289|元."""
    return word[-1].isdecimal() and _COUNTERS.match(following.removeprefix(GLUE)) is not None


def bind(text: str, language: str = "") -> str:
    """Return ``text`` with no-break spaces after words that belong firmly to the next one."""
    words = tuple(text.split(" "))
    return "".join(
        word + (_NO_BREAK if bond >= Bond.TIGHT else " ")
        for word, bond in zip(words, find_bonds(words, language), strict=True)
    ).removesuffix(" ")


def _find_bond(around: Sequence[str], language: str) -> Bond:
    """Return how firmly the second of five words belongs to the third."""
    before, word, following, after, last = around
    if not word or not following:
        return Bond.NONE
    if _MARKS.fullmatch(following):  # of French: Lampe : elle arrive !
        return Bond.TIGHT
    if following[0] == _AMPERSAND or (following == _PLUS and _joins_names(word, after)):
        return Bond.SIGN
    if _is_tight(before, word, following, after, last, language) or _is_bound_letter(
        word, following, language
    ):
        return Bond.TIGHT
    is_loose = (
        _leads_to_figure(word, following, after, language)
        or _joins_figures(before, word, following, language)
        or _leads_to_year(word, following, after, language)
        or (counts_in_words(word, following, language) and _is_unit(following, language))
        or _is_shortened(word, following)
        or _has_roman_number(word, following)
        or _goes_before_colon(word, following, language)
        or _begins_place(word, following)
        or _has_version(word, following)
        or _has_letter(word, following, after)
        or _has_hours(word, following, language)
        or _is_in_short_brackets(word, following, after)
        or _scores(word, following)
        or _counts_shortened(word, following, after)
        or _is_range_about(before, word, following, after, last, language)
        or _is_firm(word, following, after)
    )
    return Bond.LOOSE if is_loose else Bond.NONE


def find_short_brackets(words: Sequence[str]) -> frozenset[int]:
    """Return the places of the words in brackets that a line can hold, but for the last one of
    each: ``(paspoort, ID-kaart of rijbewijs)``."""
    within, first = set[int](), None
    for at, word in enumerate(words):
        bare = word.removeprefix(GLUE)
        opened, closed = (max(bare.rfind(sign) for sign in signs) for signs in ("(（", ")）"))
        if first is not None and closed > opened:
            length = sum(len(each) + 1 for each in words[first : at + 1])
            within |= set(range(first, at)) if length <= _LONGEST_LIST_IN_BRACKETS else set()
            first = None
        elif opened > closed:
            first = at
    return frozenset(within)


def find_short_quotations(words: Sequence[str]) -> frozenset[int]:
    """Return the places of the words of quotations that a line can hold, but for the last one of
    each: “Beatles, The”."""
    within, first, closers = set[int](), None, ""
    for at, word in enumerate(words):
        bare = word.removeprefix(GLUE).lstrip("([")
        if first is None and bare[:1] in _QUOTATIONS:
            first, closers = at, _QUOTATIONS[bare[:1]]
            bare = bare[1:]
        if first is not None and any(mark in bare for mark in closers):
            length = sum(len(each) + 1 for each in words[first : at + 1])
            within |= set(range(first, at)) if length <= _LONGEST_QUOTED else set()
            first = None
    return frozenset(within)


def _is_range_about(
    before: str, word: str, following: str, after: str, last: str, language: str
) -> bool:
    """Return whether a range goes on to a figure that is not exact: ``8:00 bis ca. 14:00``."""
    start, joint, about, end = (
        (word, following, after, last)
        if following in _list_joints(language)
        else (before, word, following, after)
    )
    is_about = about.casefold() in list_leads(language) or _ABBREVIATION.fullmatch(about)
    is_range = joint in _list_joints(language) and all(map(_END_OF_RANGE.match, (start, end)))
    return is_range and bool(is_about) and start[-1:].isalnum()


@cache
def _list_joints(language: str) -> frozenset[str]:
    """Return the words between the two figures of a range."""
    pairs = read_words(language, Times).pairs.values()
    return frozenset((read_words(language, Numbers).to, *pairs)) - {""}


def _has_hours(word: str, following: str, language: str) -> bool:
    """Return whether the hours of a weekday follow it: ``za 9-17``, ``Sa. 10–13``."""
    if not language or _HOURS.match(following) is None:
        return False
    name = word.lstrip(OPENERS).casefold()
    return name in _list_weekdays(language) or name.rstrip(".") in _list_short_days(language)


def _is_in_short_brackets(word: str, following: str, after: str) -> bool:
    """Return whether a figure and what it counts are all that brackets hold, ``(2 maç)``, perhaps
    after a word: ``(SWL 2.5 t)``."""
    if word[:1] not in ("(", "["):
        return False
    texts = [following] if word[1:].isdecimal() else [following, f"{following} {after}"]
    if not word[1:].isdecimal() and not following[:1].isdecimal():
        return False
    ends = (text.rstrip(STOPS + PAUSES) for text in texts)
    return any(len(end) <= _LONGEST_IN_BRACKETS and end[-1:] in (")", "]") for end in ends)


def _scores(word: str, following: str) -> bool:
    """Return whether the minute of a match follows who scored in it: ``Lindqvist (90.+2)``."""
    is_name = word[:1].isupper() and word[-1:].isalpha()
    return is_name and _MINUTE_OF_SCORER.fullmatch(following) is not None


def _counts_shortened(word: str, following: str, after: str) -> bool:
    """Return whether a letter with a dot, or a word that is short, is what a figure counts: ``96
    S.``, and no initial of a name after it."""
    if not word[-1:].isdecimal() or _YEAR.fullmatch(word):
        return False
    if following.lower() in merge_words(Everywhere).counted:
        return True
    is_letter = _SHORT_COUNTED.fullmatch(following.rstrip(f"{CLOSERS}{PAUSES}")) is not None
    return is_letter and not (following[0].isupper() and after[:1].isupper())


def _is_bound_letter(word: str, following: str, language: str) -> bool:
    """Return whether ``word`` is of a single letter and ends no line of ``language``, as Polish,
    Czech and Slovak typesetters have it: "w domu", "s maslem". Before a figure it is bound more
    loosely than that to its unit.
    """
    letter = word.lstrip(OPENERS)  # a capital one may be a name: "grupa A"
    is_known = base_language(language) in _WITHOUT_HANGING_LETTERS
    is_hanging = is_known and letter in read_words(language, Lines).rarely_end_with
    return is_hanging and len(letter) == 1 and _BEFORE_FIGURES.match(following) is None


def _joins_names(word: str, other: str) -> bool:
    """Return whether a sign between two words joins names, and is no sum."""
    return word[-1:].isalpha() and other[:1].isalpha()


def _is_firm(name: str, joint: str, kin: str) -> bool:
    """Return whether three words name a firm without a sign: ``Brown and Sons``."""
    return (
        name[:1].isupper()
        and joint in merge_words(Grammar).joins
        and kin[:1].isupper()
        and kin.rstrip(f"{CLOSERS}{STOPS}").lower() in merge_words(Everywhere).firm_kin
    )


def _leads_to_figure(word: str, following: str, after: str, language: str) -> bool:
    """Return whether a preposition or an article stands before a figure, before another one
    that does, or before a month with a figure: ``um 11``, ``a las 11:30``, ``in May 2028``."""
    leads = list_leads(language)
    if word.lstrip(OPENERS).lower() not in leads:
        return False
    is_before_month = bool(language) and months.is_month(following, language)
    figure = after if is_before_month or following.lower() in leads else following
    return _BEFORE_FIGURES.match(figure) is not None


@cache
def list_leads(language: str) -> frozenset[str]:
    """Return the words that belong to a figure after them, prepositions and articles, in small
    letters."""
    grammar, times = read_words(language, Grammar), read_words(language, Times)
    numbers, dates_of = read_words(language, Numbers), read_words(language, Dates)
    governing = " ".join((*numbers.governs.values(), *times.pairs)).split()
    leads = ARTICLES.union(
        grammar.prepositions,
        grammar.opens,  # the prepositions that may begin a clause
        grammar.belongs,
        grammar.definite,
        grammar.articles,
        grammar.quantities,
        grammar.demonstratives,
        read_words(language, Articles).indefinite,
        read_words(language, Units).before_alone,
        dates_of.before,
        dates_of.articles,
        times.before,
        times.before_hours,
        numbers.before,
        governing,
    )
    return leads - grammar.joins  # a line rather begins with "and"


def leads_on(word: str, language: str) -> bool:
    """Return whether a line should rather not end with ``word``, in small letters: a preposition,
    an article, or an "and"."""
    return word in list_leads(language) or word in read_words(language, Grammar).joins


def _joins_figures(before: str, word: str, following: str, language: str) -> bool:
    """Return whether an "and" stands between two figures: ``entre 1958 et 1989``."""
    is_join = word in read_words(language, Grammar).joins
    return is_join and before[-1:].isdecimal() and _BEFORE_FIGURES.match(following) is not None


def _leads_to_year(word: str, following: str, after: str, language: str) -> bool:
    """Return whether a year follows the word that it belongs to: ``byggdes 1787``. A number of four
    figures is none before what it counts, nor after a sign; a month may end a line before it."""
    is_alone = not following[-1:].isdecimal() or not after[:1].isalpha() or is_particle(after)
    is_year = _YEAR.fullmatch(following.rstrip(f"{CLOSERS}{STOPS}")) is not None
    is_month = bool(language) and months.is_month(word, language)
    return is_year and is_alone and word[-1:].isalpha() and not is_month


def is_year_alone(word: str, following: str) -> bool:
    """Return whether ``word`` is a year that belongs to nothing after it: ``1787 av``."""
    return _YEAR.fullmatch(word) is not None and is_particle(following)


def is_particle(word: str) -> bool:
    """Return whether ``word`` is a preposition, an auxiliary verb or an "and" in some language."""
    return word.lower() in _list_particles()


@cache
def _list_particles() -> frozenset[str]:
    known = merge_words(Grammar)
    phrases = known.prepositions | known.fronts | known.opens | known.belongs
    return phrases | known.auxiliaries | known.joins | merge_words(Lines).rarely_end_with


def counts_in_words(word: str, following: str, language: str) -> bool:
    """Return whether a small number in words stands before what it counts, where a line should
    rather not end: ``sei metri``."""
    is_counted = following[:1].isalpha() and not is_particle(following)
    return is_counted and word.lstrip(OPENERS).lower() in _list_number_words(language)


@cache
def _list_number_words(language: str) -> frozenset[str]:
    if not language:
        return _NO_WORDS
    known = (spell_cardinal(number, language) for number in _SPELT_OUT)
    return frozenset(word for word in known if word.isalpha())


def _has_roman_number(word: str, following: str) -> bool:
    """Return whether a Roman number says which one of several of a name is meant: ``Pedro V``."""
    number = following.rstrip(f"{CLOSERS}{STOPS}")
    is_name = word.isalpha() and word[0].isupper() and not word.isupper()
    return is_name and _ROMAN.fullmatch(number) is not None


def _is_shortened(word: str, following: str) -> bool:
    """Return whether ``word`` is short for one that belongs to the next: ``Av. João de Deus``,
    ``excl. VAT``."""
    short, known = word.lstrip(OPENERS), merge_words(Everywhere)
    is_street = short.lower() in abbreviations.list_street_words()
    is_before_name = is_street and following[:1].isupper()
    is_of_price = short.lower() in known.of_a_price and following[:1].isalpha()
    return short.endswith(".") and (is_before_name or is_of_price)


def _goes_before_colon(word: str, following: str, language: str) -> bool:
    """Return whether a preposition with a colon ends what ``word`` is of: ``pray for:``."""
    bare = following.rstrip("".join(_COLONS))
    known = read_words(language, Grammar)
    return bare != following and word[-1:].isalpha() and bare in known.prepositions | known.fronts


def _begins_place(word: str, following: str) -> bool:
    """Return whether two words begin the name of a place: ``San Martín``, ``New York``."""
    name = word.lstrip(OPENERS)
    is_name = name[:1].isupper() and following[:1].isupper()
    return is_name and name.capitalize() in merge_words(Everywhere).place_starts


def _has_version(word: str, following: str) -> bool:
    """Return whether a number says which one of a product's: "macOS 13", "Ubuntu 22.04"."""
    name = word.lstrip(OPENERS)
    is_named = name.isalpha() and name != name.lower()
    is_spelt_so = is_named and not name[0].isupper()
    number = _VERSION.fullmatch(following)
    return number is not None and (is_spelt_so or (is_named and "." in number[1]))


def _has_letter(word: str, following: str, after: str) -> bool:
    """Return whether a letter says which one of several is meant: "hall B", "Team A". In titles,
    and where a sentence begins, a word of one letter may have a capital."""
    letter = following.rstrip(f"{CLOSERS}{STOPS}")
    is_letter = len(letter) == 1 and letter.isupper() and not following.endswith(".")
    is_named = word[-1].isalpha() and word.lstrip(OPENERS).lower() not in merge_words(Grammar).joins
    is_closed = letter != following or not after
    is_word = letter.lower() in _WORDS_OF_A_LETTER and not is_closed and not after[:1].islower()
    return is_letter and is_named and not is_word and (letter != "I" or is_closed)


def _is_tight(before: str, word: str, following: str, after: str, last: str, language: str) -> bool:
    """Return whether the second of five words belongs firmly to the third."""
    return (
        word[-1] == _AMPERSAND
        or (word == _PLUS and _joins_names(before, following))
        or _is_firm(before, word, following)
        or _is_named(word, following, language)
        or _is_numbered(word, following, after, last, language)
        or _is_measured(before, word, following, after, language)
        or _has_minutes(before, word, following, language)
        or _is_range(before, word, following, after, language)
        or _is_sided(before, word, following, after)
        or _is_dated(before, word, following, after, last, language)
        or _joins_days(before, word, following, after, last, language)
        or (
            # What is counted, before a colon, stays with its count, unless a month or a unit
            # follows that.
            word.endswith(_COLONS)
            and _COUNT.fullmatch(following) is not None
            and not _find_bond((word, following, after, last, ""), language)
        )
    )


def _is_named(word: str, following: str, language: str) -> bool:
    """Return whether an initial or a title stands before a name: ``A. Khan``, ``Herr Yıldız``."""
    first = following.lstrip(OPENERS)[:1]
    if not first.isalpha() or first.islower():
        return False
    if _INITIAL.fullmatch(word) and first.isupper():
        return True
    bare = word.lstrip(OPENERS)
    title = bare.removesuffix(".")
    if title in merge_words(Everywhere).person_titles:
        return True
    return title != bare and not title.islower() and title.lower() in _list_titles(language)


@cache
def _list_titles(language: str) -> frozenset[str]:
    return merge_words(Everywhere).titles | read_words(language, Abbreviations).titles


def _is_numbered(word: str, following: str, after: str, last: str, language: str) -> bool:
    """Return whether a number says which one is meant: ``Abs. 2``, ``§ 555d``, ``page 12``,
    ``Lindenstraße 17``."""
    if not following[:1].isdecimal():
        return False
    name = word.lstrip(OPENERS)
    if (
        _NUMBER_SIGN.fullmatch(word)
        or _SECTION.fullmatch(word)
        or _ABBREVIATION.fullmatch(word)
        or name in CURRENCIES
    ):
        return True
    everywhere = merge_words(Everywhere)
    if names_number(name.lower(), language):
        return True
    is_name = name.isalpha() and len(name) >= _LEAST_OF_A_STREET and name[:1].isupper()
    ends = tuple(read_words(language, Abbreviations).street_end)
    is_street = bool(ends) and len(name) > _LEAST_OF_A_STREET and name.lower().endswith(ends)
    if not (is_name or is_street) or not _HOUSE.fullmatch(following):
        return False
    if after in DASHES and last[:1].isdecimal() and not is_street:
        return False  # the first figure of a range: Open 9 – 17
    is_counted = following[-1].isalnum() and after[:1].isalpha()
    return is_street or not is_counted or after.lower() in everywhere.not_counted


def _is_measured(before: str, word: str, following: str, after: str, language: str) -> bool:
    """Return whether a unit, a currency, the word for an hour, or one for a thousand and more
    follows its figure: ``40 cm``, ``9 Uhr``, ``1.3 billion km``."""
    if _AMOUNT.fullmatch(word):
        scales = read_words(language, Money).scales
        return _is_unit(following, language) or (
            following.isalpha()
            and (following in scales or (_is_scale(following) and _is_unit(after, language)))
        )
    return (
        _is_scale(word) and _AMOUNT.fullmatch(before) is not None and _is_unit(following, language)
    )


def _has_minutes(before: str, word: str, following: str, language: str) -> bool:
    """Return whether minutes follow an hour and its word: ``8 h 15``, ``8 Uhr 15``."""
    hour, _, joined = word.partition(_NO_BREAK)
    figure, noun = (hour, joined) if joined else (before, word)
    is_hour = _HOUR.fullmatch(figure) is not None
    if not joined and (alone := _HOUR_WITH_SIGN.fullmatch(word)):
        is_hour, noun = True, alone[1]
    known = (_HOUR_SIGN, *read_words(language, Times).hour_words)
    return is_hour and noun in known and _MINUTES.fullmatch(following) is not None


def _is_scale(word: str) -> bool:
    """Return whether a word between a figure and a unit may be one for a thousand and more, and is
    none such as "per"."""
    return word.isalpha() and len(word) > _LONGEST_LINK


def _is_unit(word: str, language: str) -> bool:
    of_kind = _OF_KIND.sub("", word.rstrip(STOPS))  # dB(A)
    bare, times = of_kind.rstrip(f"{CLOSERS}{STOPS}"), read_words(language, Times)
    dotted = word.rstrip(f"{CLOSERS}{PAUSES}")  # p.m.,
    return (
        bare in _list_units(language)
        or _is_inflected_unit(bare, language)
        or any(each in times.hour_words or each in times.after_minutes for each in (bare, dotted))
    )


def _is_inflected_unit(word: str, language: str) -> bool:
    """Return whether ``word`` is a unit's name with another ending: ``Kilometern``."""
    stems = (word[:end] for end in range(len(word) - _LONGEST_ENDING, len(word)))
    units = _list_units(language)
    return any(len(stem) >= _LEAST_OF_A_STEM and stem in units for stem in stems)


def _is_range(before: str, word: str, following: str, after: str, language: str) -> bool:
    """Return whether "to" or a dash stands between two short figures: ``7 bis 15``, ``7 – 15``. If
    the first has a unit of its own, a line may end after that: ``10 a.m. | to 2 p.m.``"""
    joints = (read_words(language, Numbers).to, *DASHES)
    joint, start, end = (
        (following, word, after) if following in joints else (word, before, following)
    )
    if joint not in joints or start.endswith(tuple(PAUSES)):
        return False
    has_unit = _NO_BREAK in start and joint not in DASHES
    return not has_unit and all(map(_END_OF_RANGE.match, (start, end)))


def _joins_days(
    before: str, word: str, following: str, after: str, last: str, language: str
) -> bool:
    """Return whether an "and" stands between two days of a month: ``les 5 et 6 janvier``."""
    joins = read_words(language, Grammar).joins if language else _NO_WORDS
    start, joint, end, month = (
        (word, following, after, last) if following in joins else (before, word, following, after)
    )
    days = joint in joins and _is_day_of_date(start) and _is_day_of_date(end)
    return days and months.is_month(month.rstrip(f"{CLOSERS}{STOPS}"), language)


def _is_sided(before: str, word: str, following: str, after: str) -> bool:
    """Return whether a sign stands between the sides of something, ``110 × 85``, or between a
    letter and its value, ``n = 401``; or a part of a year before the year, ``Q3 2027``."""
    if _PART_OF_YEAR.fullmatch(word):
        return _YEAR.match(following) is not None
    start, sign, end = (
        (word, following, after) if following in (*_TIMES, *_EQUALS) else (before, word, following)
    )
    if not (start and sign and _BEFORE_FIGURES.match(end)):
        return False
    is_letter = start.lstrip(OPENERS).isalpha() and len(start.lstrip(OPENERS)) <= _VARIABLE
    is_figure = _BEFORE_FIGURES.match(start) is not None and start[-1] not in PAUSES
    return (sign in _TIMES and is_figure) or (sign in _EQUALS and (is_letter or is_figure))


@cache
def _list_units(language: str) -> frozenset[str]:
    own, named = read_words(language, Units).own, read_words(language, Units).named
    names = _list_names_of_units(language)
    return frozenset((*UNITS, *CURRENCIES, *TIME_ZONES, *own, *named, *names))


def _list_names_of_units(language: str) -> Iterator[str]:
    """Yield what common units are called after a figure, in each number: "metre", "metres"."""
    base = base_language(language)
    for code in (base, *_SPELT_OTHERWISE.get(base, ())) if language else ():
        for unit, number in product(_NAMED_UNITS, _NUMBERS):
            written = format_unit(number, unit, "long", locale=find_locale(code)).split()
            is_known = written[0][:1].isdecimal() and written[-1] != unit
            named = 2 if unit in _NAMED_IN_TWO else 1  # words at most
            if is_known and 1 < len(written) <= 1 + named:
                yield written[1]
        for currency, number in product(_NAMED_CURRENCIES, _NUMBERS):
            called = get_currency_name(currency, number, find_locale(code)).split()
            if len(called) <= _WORDS_OF_A_CURRENCY:  # the last one or, in small letters, the first
                yield from {called[-1], *filter(_is_small, called)}


def _is_small(word: str) -> bool:
    return word == word.lower()


def _is_dated(before: str, word: str, following: str, after: str, last: str, language: str) -> bool:
    """Return whether a day and its month, in either order, would be torn, or a weekday and its day
    without a month."""
    is_ordinal = _DOTTED_DAY.fullmatch(word) or _ADDED_MINUTE.fullmatch(word)
    if is_ordinal and following[:1].isalpha():
        return not following.endswith(_COLONS)
    if not language:
        return False
    if _KOREAN_MONTH.fullmatch(word) and _KOREAN_DAY.match(following):
        return True
    if _is_before_its_noun(word, following, language):
        return True
    month, other = (each.rstrip(f"{CLOSERS}{STOPS}") for each in (following, after))
    if _is_weekday(word, language) and _is_day(month):
        return not months.is_month(other, language) and not (
            _LINK.fullmatch(other) and months.is_month(last.rstrip(f"{CLOSERS}{STOPS}"), language)
        )
    if _is_day(word) or _DAYS.fullmatch(word):
        if months.is_month(month, language):
            return True
        return _LINK.fullmatch(following) is not None and months.is_month(other, language)
    if _is_day(before) and _LINK.fullmatch(word):
        return months.is_month(month, language)
    is_month = _is_month_first(language) and months.is_month(word, language)
    return is_month and _is_day(month) and (word[:1].isupper() or not _has_capitals(language))


def _is_before_its_noun(word: str, following: str, language: str) -> bool:
    """Return whether the noun follows that CLDR has after a year, or after a day: ``2025 р.``,
    ``22 d.``"""
    noun, number = following.rstrip(f"{CLOSERS}{STOPS}"), word.removesuffix(".")
    sign = "y" if _YEAR.fullmatch(number) else "d" if _is_day(number) else ""
    return bool(sign) and noun in _list_nouns_after(sign, language)


@cache
def _list_nouns_after(sign: str, language: str) -> frozenset[str]:
    """Return what CLDR writes after the year (``y``) or the day (``d``) of a date, and what is
    short for "year" in the file of the language: the Polish ``r.``"""
    locale = find_locale(base_language(language))
    pattern = get_date_format("long", locale).pattern
    written = (format_unit(number, "duration-year", locale=locale) for number in _NUMBERS)
    years = {text.split()[-1] for text in written} if sign == "y" else _NO_WORDS
    spoken = read_words(language, Abbreviations).spoken
    short = {each.removesuffix(".") for each, full in spoken.items() if full in years}
    after = re.findall(rf"{sign}+\.?\s'(\w+)'(?!\sM)", pattern)  # and not "d 'de' MMMM"
    return frozenset((*short, *after)) - list_leads(language)


def _is_weekday(word: str, language: str) -> bool:
    return word.lstrip(OPENERS).casefold() in _list_weekdays(language)


@cache
def _list_weekdays(language: str) -> frozenset[str]:
    locale = find_locale(base_language(language))
    inflected = get_day_names("wide", "format", locale).values()
    names = (*inflected, *get_day_names("wide", "stand-alone", locale).values())
    return frozenset(name.casefold() for name in names)


@cache
def _list_short_days(language: str) -> frozenset[str]:
    locale = find_locale(base_language(language))
    return frozenset(
        name.casefold().rstrip(".")
        for width in ("abbreviated", "short")
        for name in get_day_names(width, "format", locale).values()
    )


def _is_day(word: str) -> bool:
    return _DAY.fullmatch(word.lstrip(OPENERS)) is not None


@cache
def _has_capitals(language: str) -> bool:
    """Return whether months are written with a capital, which tells May from "may"."""
    return format_date(_ANY_DAY, "MMMM", find_locale(base_language(language))).istitle()


@cache
def _is_month_first(language: str) -> bool:
    pattern = find_locale(base_language(language)).datetime_skeletons["MMMMd"]
    return _MONTH_FIRST.match(str(pattern)) is not None
