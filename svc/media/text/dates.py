"""Dates, days and years in words."""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache

from babel.dates import format_date, format_skeleton, get_month_names
from babel.units import format_unit

from svc.base.text.countries import find_country, strip_country
from svc.media.languages import (
    Dates,
    Everywhere,
    Numbers,
    Roman,
    Times,
    Units,
    merge_words,
    read_words,
)
from svc.media.text import abbreviations, months, times_of_day
from svc.media.text.figures import centuries, labels, nouns
from svc.media.text.figures.counted import find_article
from svc.media.text.numerals import (
    OPENERS,
    PAUSES,
    SPACE,
    STOPS,
    base_language,
    find_locale,
    spell_cardinal,
    spell_number,
    spell_ordinal,
)

_DAY_SLASH_MONTH = re.compile(r"(\d\d?)/(\d\d?)")
_PADDED = re.compile(r"(?:0?[1-9]|[12]\d|3[01])/0[1-9]")
_MEASURED = (
    "duration-hour", "duration-day", "duration-month", "duration-year", "volume-liter",
    "mass-kilogram", "length-meter", "length-kilometer",
)  # fmt: skip
_PARTS = frozenset(("1/2", "1/3", "2/3", "1/4", "3/4"))
_ISO_DATE = re.compile(r"(\d{4})([-/])(\d\d)\2(\d\d)")
_OWN_DATE = re.compile(r"(\d{4})([-/])(\d\d?)\2(\d\d?)")
_MOST_DAYS = 31
_DAY_AND_MONTH = re.compile(rf"(\d\d?)\.{SPACE}?(\d\d?)\.")  # 24.11. in German
# One end of two, of which both have their last dot, or whose month has two digits.
_END_OF_PAIR = re.compile(rf"(\d\d?)\.{SPACE}?(\d\d?)(\.?)([{STOPS})»”]*)")
_MAY = 5
_PADDED_DAY_AND_MONTH = re.compile(r"(0[1-9]|[12]\d|3[01])\.(0[1-9]|1[0-2])")
_DAY_OF_MONTH, _FIGURES = "MMMMd", "Md"  # CLDR's names of the patterns
_DOTTED_AT_END = re.compile(rf"(?<![\d.,])\d\d?\.{SPACE}?\d\d?\.$")
_DATE = re.compile(
    rf"(\d\d?)([./-]|\.{SPACE})(\d\d?)\2(\d{{4}})\.?|(\d\d?)\.(\d\d?)\.(\d\d)|"
    r"(\d\d?)/(\d\d?)/([2-3]\d)"
)
# 2026.11.24. in Hungarian
_YEAR_FIRST = re.compile(rf"(\d{{4}})\.{SPACE}?(\d\d?)\.{SPACE}?(\d\d?)\.?")
_PADDED_DATE = re.compile(r"\d\d\.\d\d\.\d\d")
_OF_THE_YEAR = re.compile(r"\W[гр]\.$")  # ends CLDR's long form in Russian and Ukrainian
_A_YEAR = re.compile(r"\d{4}(?:[-–]\d{2,4})?")
_IN = ("в", "во", "у", "на")
_DOTTED = re.compile(r"\d{1,3}\.")
_CASES = ("dative", "instrumental")  # that a word before a day of a month takes
_TO_DAYS = ("по", "на")  # Russian: up to a day, and for it
_WITHIN = frozenset(("v", "ve", "u", "w", "we", "i"))  # prepositions before no day: in
RANGE = "–"  # instead of the word before a day that is one end of a range
_LONGEST_ORDINAL = 3  # digits
_DAY_COMES_FIRST = ("bg", "mk", "pl", "ru", "uk")
_FRONT = re.compile("[eéöőüű][^aáoóuúeéöőüűií]*ik$")  # of a Hungarian ordinal: negyedike
_GERMAN_ADJECTIVE = re.compile(r"[a-zäöüß]{3,}e([rsmn]?)")
# Prepositions with their article, after which a date may stand before a verb: am 3. wurde.
_BEFORE_GERMAN_DATIVE = frozenset(
    ("am", "im", "vom", "zum", "beim", "zur", "den", "dem", "des", "ab", "seit", "bis")
)
_HOUSES = ("sz.", "szám")  # after the number of a house in Hungarian, which is no ordinal
_MONTHS = 12
_DIGITS_OF_YEAR = 4
_LEAP_YEAR = 2000  # of a date without a year, so that 29 February is one


def ends_with_dotted_date(text: str, language: str) -> bool:
    """Return whether ``text`` ends with a day and a month in figures, whose last dot is theirs:
    ``ab 1.10.`` in German."""
    return _DOTTED_AT_END.search(text) is not None and _has_dotted_dates(base_language(language))


@cache
def _has_dotted_dates(language: str) -> bool:
    return find_locale(language).datetime_skeletons[_FIGURES].pattern.endswith(".")


def is_dotted_ordinal(text: str, language: str, before: str, after: str) -> bool:
    """Return whether the dot after a number marks an ordinal, as in ``3.

    Mai``, and so does not end a sentence.
    """
    if base_language(language) == "de" and _DAY_AND_MONTH.fullmatch(text):
        return read_date(text, language, before, "") is not None and not labels.is_sentence_start(
            after, language
        )
    known = read_words(language, Dates)
    if (known.day_and_month or _is_swiss(language)) and _DAY_AND_MONTH.fullmatch(text):
        goes_on = after[:1].islower() or after[:1].isdecimal()
        return goes_on and read_date(text, language, before, after) is not None
    if known.ordinals_by_dot_unread and not known.ordinals_by_dot and _DOTTED.fullmatch(text):
        return (
            _inflect(int(text[:-1]), language, before, _find_counted(after, language)) is not None
        )
    if not known.ordinals_by_dot or not (
        _DOTTED.fullmatch(text)
        or _is_hungarian_year(text, language, after)
        or _is_number_of_street(text, language, after)
    ):
        return False
    if after[:1].islower() or months.is_month(after, language):
        return True
    if base_language(language) != "de":
        return known.counted is not None and known.counted.match(after) is not None
    return after[:1].isupper() and _counts_in_german(before, after)


def is_counted_by_dot(number: str, language: str) -> bool:
    """Return whether a number with a dot before a small letter is an ordinal, and ends no sentence:
    ``3. edycja``, ``2024. godine``."""
    dates = read_words(language, Dates)
    if len(number.removesuffix(".")) > _LONGEST_ORDINAL:
        return dates.years_by_dot
    return dates.ordinals_by_dot or dates.ordinals_by_dot_unread


def _is_hungarian_year(text: str, language: str, after: str) -> bool:
    return (
        base_language(language) == "hu"
        and re.fullmatch(r"\d{4}\.", text) is not None
        and months.is_month(after, language)
    )


def _is_number_of_street(text: str, language: str, after: str) -> bool:
    """Return whether ``text`` is a number of four digits that counts what follows, as streets are
    counted in Turkish: ``1453. Sok.``"""
    known = read_words(language, Dates)
    is_counted = known.counted is not None and known.counted.match(after) is not None
    is_year = len(text) == _DIGITS_OF_YEAR + 1 and text[:-1].isdecimal()
    return base_language(language) != "de" and is_counted and is_year and text[-1] == "."


def _counts_in_german(before: str, after: str) -> bool:
    """Return whether a German noun is counted by the number with a dot before it: ``im 19.

    Jahrhundert``.
    """
    german = read_words("de", Dates)
    counted = german.counted is not None and german.counted.match(after) is not None
    return before.lower() in german.articles or counted


def is_spaced(first: str, following: list[str], language: str) -> bool:
    """Return whether three pieces are a date with spaces: ``13. 2. 2027``."""
    text = SPACE.join((first, *following)).rstrip(",;:!?)")
    return (
        read_words(language, Dates).ordinals_by_dot
        and bool(_DATE.fullmatch(text))
        and read_date(text, language, "", "") is not None
    )


def is_spaced_day(before: str, first: str, second: str, language: str) -> bool:
    """Return whether two pieces after the word ``before`` are a day and a month with a space
    between, and no year: ``od 24. 12.``"""
    text = SPACE.join((first, second)).rstrip(f"{PAUSES})")
    known, word = read_words(language, Dates), before.lower()
    is_name = word in _list_names() or not known.ordinals_by_dot
    is_led = before != RANGE and _leads_to_day(before, language)
    if is_name or not (is_led or (before.islower() and before[-1:].isalpha())):
        return False
    return (
        _DAY_AND_MONTH.fullmatch(text) is not None
        and read_date(text, language, before, "") is not None
    )


def read_date(text: str, language: str, before: str, after: str, case: str = "") -> str | None:
    """Return a date in words. The day comes first, except with slashes in US English; a month
    above twelve shows that the order is the other one. ``case``: of one end of two in Finnish."""
    if own := _read_own_date(text, language):
        return own
    parsed = parse_date(text, language, before, after)
    return parsed and _spell_date(parsed, language, before, after, case)


def _spell_date(
    parsed: tuple[int, int, int, str], language: str, before: str, after: str, case: str = ""
) -> str | None:
    """Return a year, a month and a day in CLDR's form in words; None: there is no such day."""
    year, month, day, form = parsed
    case = case or next(_list_cases_before(after, language), "")
    try:
        locale = find_locale(language)
        # CLDR has the day and the month in this form: 31. prosince, 31 grudnia.
        long_form = (
            format_skeleton(form, date(year, month, day), locale=locale)
            if form == _DAY_OF_MONTH
            else format_date(date(year, month, day), form, locale)
        )
    except ValueError:
        return None
    pieces = [piece.rstrip(",") for piece in _OF_THE_YEAR.sub("", long_form).split()]
    pieces[-1] = re.sub(r"(?<=\d)\.$", "", pieces[-1])  # november 24.
    name = get_month_names("wide", "format", locale)[month]
    pieces = [
        _inflect_month(month, before, language) if piece == name else piece for piece in pieces
    ]
    said = [_join_date_piece(pieces, index, language, before) for index in range(len(pieces))]
    if case and base_language(language) == "fi":  # ensimmäisestä toukokuuta alkaen
        said[0] = spell_ordinal(day, "fi", case=case)
    if base_language(language) == "de" and before[-1:] in ("", ":"):
        said[0] = f"{spell_ordinal(day, 'de')}r"  # Erster Februar
    words = " ".join(said)
    named = after.rstrip(",;:!?)") in read_words(language, Dates).year_cases  # 25.12.2026 г.
    return words.removesuffix(f" {read_words(language, Dates).of_year}") if named else words


def _list_cases_before(after: str, language: str) -> Iterator[str]:
    """Yield the case that the word ``after`` a number takes, if any: Finnish ``alkaen``."""
    known = read_words(base_language(language), Numbers).governs_before
    word = after.rstrip(STOPS).lower()
    return (case for case, words in known.items() if word in words.split())


def _inflect_month(month: int, before: str, language: str) -> str:
    """Return the name of a month in a date of digits, in the case that the word before it takes,
    where CLDR has the nominative only: Latvian ``no 1.05.``, Serbian ``1.5.``."""
    forms, numbers = read_words(language, Dates).months, read_words(language, Numbers)
    governing = (case for case, words in numbers.governs.items() if before.lower() in words.split())
    listed = forms.get(next(governing, "date")) or forms.get("date")
    return (
        listed[month - 1]
        if listed
        else get_month_names("wide", "format", find_locale(language))[month]
    )


def read_day_of_pair(words: Sequence[str], index: int, language: str) -> tuple[str, bool] | None:
    """Return a day and its month in words, of two between which words lead from one to the other,
    ``с 01.05 по 31.08``, ``od 1.5. do 31.8.``, and whether it ends a sentence; None: the word at
    ``index`` is none."""
    end = _END_OF_PAIR.fullmatch(words[index])
    if end is None or not _is_in_pair(words, index, language):
        return None
    day, month, dot, marks = end.groups()
    before = words[index - 1].lstrip(OPENERS) if index else ""
    after = (*words[index + 1 : index + 2], "")[0]
    form = "d. MMMM" if base_language(language) == "de" else _DAY_OF_MONTH
    said = _spell_date((_LEAP_YEAR, int(month), int(day), form), language, before, "")
    goes_on = after[:1].islower() or after[:1].isdecimal()
    ends = (bool(dot) and not marks and not goes_on) or bool(set(marks) & set(".!?…"))
    return (f"{said}{'.' * (ends and not marks)}{marks}", ends) if said else None


def _is_in_pair(words: Sequence[str], index: int, language: str) -> bool:
    """Return whether the word at ``index`` is one of two days with their months."""
    form = read_words(language, Dates).pairs
    if form is None:
        return False
    for gap in (2, 3):
        for first in (index, index - gap):
            last = first + gap
            if not 0 <= first < last < len(words):
                continue
            days = [_END_OF_PAIR.fullmatch(words[end]) for end in (first, last)]
            before = words[first - 1].lower().lstrip(OPENERS) if first else ""
            leads = form.fullmatch(" ".join((before, *words[first + 1 : last])))
            after = (*words[last + 1 : last + 2], "")[0]
            if leads and _are_days(days[0], days[1], leads.lastindex is not None):
                return not times_of_day.is_measure(after)
    return False


def _are_days(first: re.Match[str] | None, last: re.Match[str] | None, is_sure: bool) -> bool:
    """Return whether two numbers with dots are days and months, and no decimals or times of day, of
    which those with minutes that are no month are none. ``is_sure``: no times have these words."""
    if first is None or last is None or first[4]:
        return False
    if not all(
        1 <= int(end[1]) <= _MOST_DAYS and 1 <= int(end[2]) <= _MONTHS for end in (first, last)
    ):
        return False
    if first[3] and last[3]:
        return True
    if not all(len(end[2]) == len("05") for end in (first, last)):
        return False
    may_be_times = all(
        times_of_day.may_be_dotted_time(f"{end[1]}.{end[2]}") for end in (first, last)
    )
    # 10.05 is seldom a time from which, or to which, something is open
    return is_sure or not may_be_times or _MAY in (int(first[2]), int(last[2]))


def _read_own_date(text: str, language: str) -> str | None:
    """Return a date of the language's own calendar in words, ``1405/06/12`` of the Iranian one;
    None: ``text`` is none."""
    known, match = read_words(language, Dates), _OWN_DATE.fullmatch(text)
    if match is None or known.own_years is None or not known.own_years.fullmatch(match[1]):
        return None
    month, day = int(match[3]), int(match[4])
    if not (1 <= month <= len(known.own_months) and 1 <= day <= _MOST_DAYS):
        return None
    said = [spell_cardinal(number, language) for number in (day, int(match[1]))]
    return f"{said[0]} {known.own_months[month - 1]} {said[1]}"


def parse_date(
    text: str, language: str, before: str, after: str
) -> tuple[int, int, int, str] | None:
    """Return the year, the month, the day and CLDR's form of a date; None: ``text`` is none."""
    if match := _ISO_DATE.fullmatch(text):
        return int(match[1]), int(match[3]), int(match[4]), "long"
    if match := _DATE.fullmatch(text):
        return _read_day_first(match, language, before, after)
    base = base_language(language)
    if base == "hu" and (match := _YEAR_FIRST.fullmatch(text)):
        return int(match[1]), int(match[2]), int(match[3]), "long"
    if base == "de" and (match := _DAY_AND_MONTH.fullmatch(text)):
        if before.lower() in _list_names():  # Python 3.10.
            return None
        return _LEAP_YEAR, int(match[2]), int(match[1]), "d. MMMM"
    if _is_swiss(language) and (match := _DAY_AND_MONTH.fullmatch(text)):
        day, month = int(match[1]), int(match[2])
        is_day = 1 <= month <= _MONTHS and 1 <= day <= _MOST_DAYS
        is_led = before[-1:].isalpha() and before.lower() not in _list_names()
        if is_day and is_led:  # le 19.1. à Genève
            return _LEAP_YEAR, month, day, _DAY_OF_MONTH
    if day_and_month := _parse_day_and_month(text, language, before, after):
        return _LEAP_YEAR, *day_and_month, _DAY_OF_MONTH
    if text in _PARTS and after.strip(PAUSES + STOPS).lower() in _list_measured(language):
        return None  # 1/2 giờ
    if (match := _DAY_SLASH_MONTH.fullmatch(text)) and _is_day(text, language, before):
        day, month = int(match[1]), int(match[2])
        is_month_first = _puts_month_first(language) and day <= _MONTHS
        day, month = (month, day) if is_month_first else (day, month)
        return _LEAP_YEAR, month, day, read_words(language, Dates).day_form
    return None


def _parse_day_and_month(
    text: str, language: str, before: str, after: str
) -> tuple[int, int] | None:
    """Return the month and the day that two numbers with dots are where decimals have a comma:
    ``31.12.``; without the last dot only what no time of day can be, ``31.12``."""
    if not read_words(language, Dates).day_and_month:
        return None
    match = _DAY_AND_MONTH.fullmatch(text) or _PADDED_DAY_AND_MONTH.fullmatch(text)
    word = before.lower()
    if match is None or word in _list_names():
        return None
    may_be_time = times_of_day.may_be_dotted_time(text.removesuffix("."))
    is_time = may_be_time and (not text.endswith(".") or word in read_words(language, Times).before)
    if is_time or (not text.endswith(".") and not before.islower()):
        return None
    # 1.2. is a section as well
    is_led = _leads_to_day(before, language) or any(_list_cases_before(after, language))
    if len(match[1]) == len(match[2]) == 1 and not is_led and SPACE not in text:
        return None
    day, month = int(match[1]), int(match[2])
    return (month, day) if 1 <= month <= _MONTHS and 1 <= day <= _MOST_DAYS else None


@cache
def _list_measured(language: str) -> frozenset[str]:
    """Return the names of units of which parts are given: half an hour, a quarter of a litre."""
    locale = find_locale(base_language(language))
    named = (
        format_unit(count, each, "long", locale=locale) for each in _MEASURED for count in (1, 2)
    )
    names = {name.strip(f"12 {SPACE}").lower() for name in named}
    return frozenset(names | read_words(base_language(language), Units).periods.keys())


@cache
def _list_names() -> frozenset[str]:
    """Return words before numbers that are no dates: "version", "chapter"."""
    everywhere = merge_words(Everywhere)
    return everywhere.versions | everywhere.programs | everywhere.number_names


def _leads_to_day(before: str, language: str) -> bool:
    """Return whether a day may follow the word ``before``: a preposition, "and", or a day of the
    week."""
    numbers = read_words(base_language(language), Numbers)
    governing = {word for words in numbers.governs.values() for word in words.split()}
    word = before.lower().rstrip(STOPS)
    if not read_words(language, Dates).ordinals_by_dot or word in _WITHIN:
        return before == RANGE  # which is 01.02. there; v 3.3., a version
    days = abbreviations.list_days(base_language(language))
    names = {*days, *map(str.lower, days.values())}
    return before == RANGE or word in numbers.before | numbers.joins | governing | names


def is_padded_day(text: str) -> bool:
    """Return whether ``text`` is a day and a month with two digits each: ``31.08``."""
    return _PADDED_DAY_AND_MONTH.fullmatch(text) is not None


def is_day_and_month(text: str, language: str) -> bool:
    """Return whether ``text`` looks like a day and a month with dots: ``1.5.``"""
    is_known = read_words(language, Dates).day_and_month or base_language(language) == "de"
    return is_known and _DAY_AND_MONTH.fullmatch(text) is not None


def _read_day_first(
    match: re.Match[str], language: str, before: str, after: str
) -> tuple[int, int, int, str] | None:
    """Return the parts of a date in digits whose year comes last."""
    if match[7] and not _may_be_short_date(match[0], language, before, after):
        return None
    day, month = int(match[1] or match[5] or match[8]), int(match[3] or match[6] or match[9])
    year = int(match[4] or f"20{match[7] or match[10]}")
    if _puts_month_first(language) and (match[2] == "/" or match[10]):
        day, month = month, day
    if month > _MONTHS >= day:
        day, month = month, day
    return year, month, day, "long"


@cache
def _puts_month_first(language: str) -> bool:
    """Return whether months stand before days in dates with slashes: in English of most countries
    they do not, and in ``en-GB`` nowhere."""
    plain, country = strip_country(language), find_country(language)
    if country is None or not country.is_home:
        return plain == "en"
    return country.is_month_first and plain != "en-GB"


def _may_be_short_date(text: str, language: str, before: str, after: str) -> bool:
    """Return whether three numbers between dots are a date with two digits of its year, and not a
    version or a section: ``am 1.2.26``."""
    if not read_words(language, Dates).ordinals_by_dot and not _is_swiss(language):
        return False
    word = before.lower()
    if word in _list_names():
        return False
    if _PADDED_DATE.fullmatch(text):
        return True
    is_recent = text[-2:-1] in ("2", "3")
    beside = before.islower() or before[-1:] in (",", ";", ":") or not (before or after)
    return is_recent and beside


def _is_swiss(language: str) -> bool:
    """Return whether a text is for Switzerland, where dates have dots in each language."""
    country = find_country(language)
    return country is not None and country.is_home and country.code == "CH"


def _is_day(text: str, language: str, before: str) -> bool:
    """Return whether two numbers around a slash are a day and a month: ``04/01``,
    or ``4/1`` after a word for it.
    """
    days = abbreviations.list_days(base_language(language))
    if text not in _PARTS and before.lower().strip(".,") in {*days, *map(str.lower, days.values())}:
        return True
    words = read_words(language, Dates)
    is_late = int(text.partition("/")[0]) > _MONTHS and text != "24/7"
    return (
        before.lower() in words.before
        or (is_late and before.lower() in words.near)
        or (bool(words.before) and _PADDED.fullmatch(text) is not None)
    )


def _join_date_piece(pieces: list[str], index: int, language: str, before: str) -> str:
    piece = pieces[index]
    if piece.isdecimal() and int(piece) > 31:
        of_year = read_words(language, Dates).of_year
        year = of_year and read_year(piece, language, "", of_year)
        return f"{year} {of_year}" if year else spell_number(piece, language)
    around = (
        pieces[index - 1] if index else before,
        pieces[index + 1] if index + 1 < len(pieces) else "",
    )
    number = piece if piece.isdecimal() else ""
    return read_day(piece, language, *around) or (
        spell_cardinal(int(number), language) if number else piece
    )


def read_year(text: str, language: str, before: str, after: str) -> str | None:
    """Return a year as an ordinal before the Russian word for year."""
    words = read_words(language, Dates)
    noun, year = after.rstrip(f"{PAUSES})"), text.removesuffix(".")
    is_year = year.isdecimal() and len(year) == _DIGITS_OF_YEAR
    if is_year and (said := centuries.inflect_ordinal(int(year), language, before, noun)):
        return said
    case = words.year_cases.get(after.rstrip(",;:!?"))
    if in_full := _read_year_in_locative(before, after, language):
        case = words.year_cases[in_full]
    if not case and after.lower() in words.year_pairs.get(before.lower(), "").split():
        case = words.year_cases[words.of_year]
    if case and base_language(language) == "uk" and text.isdecimal() and len(text) == 4:
        return centuries.spell_ukrainian_ordinal(int(text), case)
    if case and base_language(language) == "pl" and text.isdecimal() and len(text) == 4:
        is_locative = case == "ego" and before.lower() in read_words("pl", Roman).locative
        return centuries.polish(int(text), "ym" if is_locative else case)
    if case == "p" and before.lower() in read_words(language, Numbers).governs["dative"].split():
        case = "d"
    return (
        spell_ordinal(int(text), language, case=case, gender="m")
        if case and text.isdecimal() and len(text) == 4
        else None
    )


def read_year_word(words: Sequence[str], index: int, language: str) -> str | None:
    """Return a short word for a year in full, in the case that it has after a year and the word
    before that: ``году`` of ``в 1999 г.``; None: it is no such word."""
    if index < 2 or not _A_YEAR.fullmatch(words[index - 1]):
        return None
    said = _read_year_in_locative(words[index - 2], words[index], language)
    return said and said + "".join(mark for mark in words[index] if mark in PAUSES)


def _read_year_in_locative(before: str, after: str, language: str) -> str | None:
    if before.lower() not in (*_IN, "к", "ко"):  # году in both cases
        return None
    return read_words(language, Dates).year_locatives.get(after.rstrip(f"{PAUSES})"))


def spell_day(number: str, language: str, before: str, month: str) -> str:
    """Return a day before its month, as one of two, in words."""
    if base_language(language) == "en":
        return spell_ordinal(int(number), language)
    return read_day(number, language, before, month) or spell_cardinal(int(number), language)


def read_day(text: str, language: str, before: str, after: str) -> str | None:
    """Return the day of a month as spoken in a date, and in some languages any ordinal
    with a dot.
    """
    name = base_language(language)
    if is_dotted_ordinal(text, language, before, after):
        if name == "de":
            return spell_ordinal(int(text[:-1]), "de") + _decline_in_german(before, after)
        if name == "et" and (said := _inflect_in_estonian(int(text[:-1]), after)):
            return said
        if name == "hu" and after in _HOUSES:
            return spell_cardinal(int(text[:-1]), name)
        if name == "hu" and after.startswith("nap"):  # május harmadik napján
            return spell_ordinal(int(text[:-1]), name)
        if name == "hu" and (
            len(text) > _LONGEST_ORDINAL + 1 or months.precedes_day(before, language)
        ):
            return spell_hungarian_day(text.removesuffix("."))
        if said := _inflect(int(text[:-1]), language, before, _find_counted(after, language)):
            return said
        in_words = read_words(language, Dates).ordinals_in_words and (
            text != "0." or not read_words(language, Numbers).ordinals  # which begin with the first
        )
        return spell_ordinal(int(text[:-1]), name) if in_words else text
    # ulica 3 Maja 15
    beside_month = months.is_month(after, language) or (
        name not in _DAY_COMES_FIRST and months.precedes_day(before, language)
    )
    if not text.isdecimal() or not 1 <= int(text) <= 31 or not beside_month:
        return None
    if months.is_month(after, language) and (
        said := _read_day_in_case(int(text), name, before.lower())
    ):
        return said
    if months.is_month(after, language) and months.is_nominative(after, language):
        return _read_day_alone(int(text), name) or _read_day(int(text), name, True)
    return _read_day(int(text), name, months.is_month(after, language))


def _inflect_in_estonian(number: int, after: str) -> str | None:
    """Return an ordinal in the case of a month, or of a noun of the language's file, after it:
    ``3. mail``, ``2. korrusel``; None: it is none of these, or in the nominative."""
    noun = after.rstrip(f"{PAUSES}.…)»”").lower()
    counted = months.list_months("et") | read_words("et", Dates).inflected.keys() - {"day"}
    # oktoobril, peatükis
    stems = (re.sub("er$|(?<=k)k$", "", each) for each in counted - {noun})
    is_known = noun not in counted and any(noun.startswith(stem) for stem in stems)
    return centuries.inflect_estonian(number, noun) if is_known else None


def _read_day_in_case(day: int, name: str, before: str) -> str | None:
    """Return a day before its month in the case that the word ``before`` it takes: ``к третьему
    мая``, ``przed trzecim maja``; None: it is that of a date."""
    if name == "ru" and before in _TO_DAYS:
        return spell_ordinal(day, "ru", case="n", gender="n")
    governs = read_words(name, Numbers).governs
    case = next((case for case in _CASES if before in governs.get(case, "").split()), "")
    match name if case else "":
        case "ru":
            return spell_ordinal(day, "ru", case=case[0], gender="n")
        case "uk":
            return centuries.spell_ukrainian_ordinal(day, {"dative": "ому"}.get(case, "им"))
        case "pl":
            return centuries.polish(day, {"dative": "emu"}.get(case, "ym"))
    return None


def _read_day_alone(day: int, name: str) -> str | None:
    """Return a day before a month in the nominative: ``1 maj to święto``."""
    match name:
        case "pl":
            return centuries.polish(day, "y")
        case "uk":
            return centuries.spell_ukrainian_ordinal(day, "е")
        case "ru":
            return spell_ordinal(day, "ru", case="n", gender="n")
    return None


def _find_counted(after: str, language: str) -> str:
    if months.is_month(after, language):
        known = read_words(language, Dates).inflected
        return "month" if "month" in known and months.is_nominative(after, language) else "day"
    return after.rstrip(",;:!?).")


def _inflect(number: int, language: str, before: str, counted: str) -> str | None:
    """Return an ordinal in the form of what it counts, or of the adjective before that; None: it is
    not known."""
    said = centuries.inflect_ordinal(number, language, before, counted)
    return said or centuries.inflect_like_adjective(number, language, counted)


def spell_hungarian_day(digits: str) -> str:
    """Return a day after a month, or a year before one: ``harmadika``, ``kétezer-huszonhat``."""
    if len(digits) > _LONGEST_ORDINAL:
        return spell_cardinal(int(digits), "hu")
    if digits == "1":
        return "elseje"
    words = spell_ordinal(int(digits), "hu")
    return words + ("e" if _FRONT.search(words) else "a")


def _decline_in_german(before: str, after: str) -> str:
    """Return what a German ordinal has after its "e" between the word ``before`` it and what it
    counts, or an adjective, which has the same ending: ``zweiter wichtiger Tag``."""
    noun, article = after.rstrip(".,;:!?)"), before.lower()
    adjective = _GERMAN_ADJECTIVE.fullmatch(noun)
    if (
        adjective
        and article not in _BEFORE_GERMAN_DATIVE
        and noun not in nouns.list_small_words("de")
    ):
        return adjective[1]
    if article in ("ab", "seit") and months.is_month(noun, "de"):
        return "m"
    if article in ("der", "die", "das"):
        # In "der ersten Klasse" no masculine nominative stands.
        is_dative = article == "der" and noun[:1].isupper() and find_article(noun, "de") == "eine"
        return "n" if is_dative else ""
    if before[-1:].isalnum():
        return "n"
    return next(
        (
            ending
            for ending, counted in read_words("de", Dates).strong_endings.items()
            if noun in counted.split()
        ),
        "n",
    )


def _read_day(day: int, name: str, month_follows: bool) -> str | None:
    match name:
        case "en":
            return (
                f"the {spell_ordinal(day, 'en')} of" if month_follows else spell_ordinal(day, "en")
            )
        case "fr" | "it" if day == 1:
            return "premier" if name == "fr" else "primo"
        case "ru":
            return spell_ordinal(day, "ru", case="g", gender="n")
        case "uk":
            return centuries.spell_ukrainian_ordinal(day, "ого")
        case "bg" | "mk":
            return spell_ordinal(day, name)
        case "sv" if month_follows:
            return spell_ordinal(day, "sv")
        case "hu" if not month_follows:
            return spell_hungarian_day(str(day))
        case "ro" if day == 1:
            return "întâi"
        case "pl":
            return centuries.polish(day, "ego")
    return None
