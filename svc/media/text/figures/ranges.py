"""Ranges in words: ``5–10 %``, ``$5–$10``, ``½–1``, ``10:30–11:00``."""

import re
from dataclasses import replace
from decimal import Decimal

from babel.numbers import get_decimal_symbol

from svc.media.languages import (
    Addresses,
    Dates,
    Everywhere,
    Numbers,
    Times,
    merge_words,
    read_words,
)
from svc.media.text import cases, dates, months, ordinals, sequences, times_of_day
from svc.media.text.figures import counted, joined, labels, money, quantities, spans
from svc.media.text.numerals import (
    DIGITS,
    PAUSES,
    SIGN,
    SPACE,
    base_language,
    find_locale,
    parse_number,
    sign_in_words,
    spell_cardinal,
    spell_number,
    spell_ordinal,
)

_DASH = re.compile(rf"(?<!^){SPACE}?[-–—]{SPACE}?")
_SPACED = re.compile(f"{SPACE}([-–—]){SPACE}")
_NUMBERS = re.compile(f"({SIGN})({DIGITS})[-–—]([-−]?)({DIGITS})(?:{SPACE}?({quantities.UNIT}))?")
# A Boeing 747-400, if the second is less; ISO 8859-2.
_MODEL = re.compile(r"\d{3}-\d{3}|[3-9]\d{3}-\d\d?")
# A sign of a currency in front of or after a number.
_WITH_CURRENCY = re.compile(rf"(?:^|\W)(?:{money.CURRENCY})|\d(?:{money.CURRENCY})(?!\w)")
_HOUR = re.compile(r"[01]?\d|2[0-4]")
_VERSES = re.compile(r"([1-9]\d{0,2}):([1-9]\d{0,2})(?:[-–]([1-9]\d{0,2}))?")
_DAY_AND_MONTH = r"((?:0[1-9]|[12]\d|3[01])\.(?:0[1-9]|1[0-2]))"
_PADDED_DAYS = re.compile(f"{_DAY_AND_MONTH}[-–—]{_DAY_AND_MONTH}")
_QUARTER = re.compile(r"([01]?\d|2[0-3]):(?:00|15|30|45)")
_HOUR_WITH_H = re.compile(r"(?:[01]?\d|2[0-3])h")
_TIMES_BY_COLON = re.compile(r"\d\d?:\d\d-\d\d?(?::\d\d)?")
# Hungarian numbers with such vowels
_BACK = re.compile("(?:nullá|három|hat|nyolc|húsz|harminc|száz)$")
_HAS_ENDING = ("ór", "közö")  # Hungarian hour, which has the ending, and between, which has its own
_HOUR_WITH_ENDING = "órái"  # until an hour
_HOUR_WORD = re.compile(rf"{SPACE}?[^\W\d]\S*$")
_FRACTION = re.compile(rf"\d{{0,2}}{SPACE}?[½⅓⅔¼¾⅛⅜⅝⅞]|(?:\d\d?{SPACE})?[1-9]\d?/(?:[234568]|16)")
_THOUSANDS = ("k", "K")  # at the end of a range, where they are no name: 5–10k
_WIDEST = 5  # times its beginning is the end of a range with spaces that has no unit
_DOTTED = re.compile(r"[1-9]\d?\.")
_LAST_UNIT, _CURRENCY = re.compile(rf"\d{SPACE}?({quantities.UNIT})$"), re.compile(money.CURRENCY)
# A quarter of an hour: other minutes are sooner the second half of a telephone number, 0800-1234.
_UNDIVIDED_QUARTER = r"(?:[01]\d|2[0-3])(?:00|15|30|45)"
_UNDIVIDED_HOURS = re.compile(rf"({_UNDIVIDED_QUARTER})[-–—]({_UNDIVIDED_QUARTER})")
_LONGEST_RANGE = 40  # characters of one with scales and currencies
# The most digits of a number at the beginning of a range: longer ones with a hyphen are a sequence.
_LONGEST = 4
_LONGEST_SCORE = 2  # digits
_SEVERAL = 5  # of a currency, whose name is that of any amount after "to"


def read_range(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return a range of numbers, quantities, amounts, fractions or times of day in words;
    None: it is none.
    """
    if _MODEL.fullmatch(text) and before.lower() in merge_words(Everywhere).makers:
        return " ".join(spell_number(part, language) for part in text.split("-"))
    words = _read(text, language, before, after)
    opens = read_words(language, Times).opens
    if words and opens and before.lower() == opens:
        words = words.removeprefix(f"{opens} ")
    return (
        _make_adjective(words, text, language)
        if words and counted.is_adjective(before, after, language)
        else words
    )


def may_be_undivided_hours(text: str) -> bool:
    """Return whether ``text`` may be two times of day without a sign between hour and minutes,
    ``0700–1530``: both are quarters of an hour, and one begins with a zero."""
    match = _UNDIVIDED_HOURS.fullmatch(text)
    return match is not None and "0" in (match[1][0], match[2][0])


def read_undivided_hours(text: str, language: str, before: str, after: str) -> str | None:
    """Return two times of day without a sign between hour and minutes, ``0700–1530 Uhr``, in words;
    None: they may be something else."""
    hours, *word = _SPACED.sub(r"\1", text).split(SPACE)
    calling = read_words(language, Addresses).calling
    is_called = sequences.is_phone_word(before) or before.lower() in calling
    if len(word) > 1 or is_called or not may_be_undivided_hours(hours):
        return None
    first, last = re.split("[-–—]", hours)
    ends = [
        times_of_day.spell_undivided_time(time, language, "", "")
        for time in (first, SPACE.join((last, *word)))
    ]
    if ends[0] is None or ends[1] is None:
        return None
    return f"{ends[0]} {_find_word_for_to(language)} {ends[1]}"


def read_verses(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return a chapter and a verse, or verses, of a book of scripture in words, ``2:15–20`` of
    ``Luke 2:15–20``; None: no such book stands before them, or it is a time of day, ``8:30–17``."""
    match = _VERSES.fullmatch(text)
    if match is None or not labels.is_book(before, language):
        return None
    chapter, verse, last = match.groups()
    if last and int(verse) >= int(last):
        return None
    said = spell_number(verse, language, alone=False)
    if last:
        said = read_range(f"{verse}–{last}", language) or f"{said} {last}"
    return f"{spell_number(chapter, language, alone=False)} {said}"


def _make_adjective(words: str, text: str, language: str) -> str:
    """Return the words of a range in front of a noun, which has its unit in
    the singular: ``a five to ten kilometer walk``.
    """
    unit, currency = _LAST_UNIT.search(text), _CURRENCY.search(text)
    several, one = "", ""
    if currency:
        several, one = (
            money.name_currency(currency[0], Decimal(number), language) for number in (2, 1)
        )
    elif unit:
        two, one = (
            quantities.spell_quantity("2", unit[1], language) or "",
            quantities.name_unit(unit[1], language) or "",
        )
        several = two.split()[-1] if two else ""
    ends = several and one and words.rstrip().endswith(several)
    return words.rstrip().removesuffix(several) + one.strip() if ends else words


def _read(text: str, language: str, before: str, after: str) -> str | None:
    text = _SPACED.sub(r"\1", text)
    if (days := _split_padded_days(text, language)) and (ends := _read_dates(*days, language, "")):
        opens = "" if before else read_words(language, Numbers).opens
        return f"{opens} {ends[0]} {_find_word_for_to(language)} {ends[1]}"
    if match := _NUMBERS.fullmatch(text):
        times = read_words(language, Times)
        is_hour = match[5] in {*times.after_minutes, *times.hour_words}
        is_hours = is_hour and "." in match[2] + match[4]  # 9.00–18.00 ч.
        is_bare = not (match[1] or match[3]) and (not match[5] or is_hours)
        if is_bare and (said := _read_dotted_times(match[2], match[4], language, before, after)):
            return said
        if is_bare and (hours := _read_hours(match[2], match[4], language, before, after)):
            return hours
        return _read_number_range(match, language, before, after)
    dashes = list(_DASH.finditer(text))
    if len(dashes) != 1:  # 21-ва–22-ра
        dashes = [dash for dash in dashes if dash[0] in "–—"]
    if len(dashes) != 1:
        return None
    first, last = text[: dashes[0].start()], text[dashes[0].end() :]
    if said := (
        _read_dotted_ordinals(first, last, language, before, after)
        or _read_whole_amounts(first, last, language, before)
        or _read_times_in_cases(first, last, language, before, after)
    ):
        return said
    for read in (
        _read_dates,
        _read_decades,
        _read_ordinals,
        _read_amounts,
        _read_quantities,
        _read_fractions,
        _read_times,
    ):
        if first and last and (pair := read(first, last, language, after)) is not None:
            # два три миллиона, where "to" would inflect the second
            inflects = read is _read_amounts and bool(read_words(language, Numbers).to_case)
            to = "" if inflects else _find_word_for_to(language, after)
            return f"{pair[0]} {to} {pair[1]}"
    return None


def is_range_with_spaces(first: str, dash: str, last: str, language: str, before: str) -> bool:
    """Return whether pieces around a dash are a range: ``10:30 – 11:00``, ``10 - 12 %``.

    ``before``: the word in front of them; a name such as ``Day 1`` ends before the dash.
    """
    if read_range(f"{first}{dash}{last}", language) is None:
        return False
    if _split_padded_days(f"{first}{dash}{last}", language):
        return True
    if (
        ":" in first
        or may_be_undivided_hours(f"{first}-{last}")
        or _WITH_CURRENCY.search(first + last)
        or times_of_day.read_time(last, language, "", "") is not None
    ):
        return True
    if _rises_with_unit(first, last, language):  # 19.5% - 23.5%
        return True
    numbers = _NUMBERS.fullmatch(f"{first}{dash}{last}")
    is_name = before[:1].isupper() and before[-1:] not in PAUSES
    if numbers is None or numbers[3] or (is_name and not months.is_month(before, language)):
        return False
    start, end = parse_number(numbers[2], language), parse_number(numbers[4], language)
    return (
        start is not None
        and end is not None
        and start < end
        and (bool(numbers[5]) or end <= _WIDEST * start)
    )


def _rises_with_unit(first: str, last: str, language: str) -> bool:
    """Return whether two quantities have the same unit, and the second is the larger one."""
    one, other = quantities.QUANTITY.fullmatch(first), quantities.QUANTITY.fullmatch(last)
    if one is None or other is None or one[3] != other[3] or other[1]:
        return False
    start, end = parse_number(one[2], language), parse_number(other[2], language)
    return start is not None and end is not None and start < end


def are_ordinals(first: str, last: str, language: str, before: str, after: str) -> bool:
    """Return whether two numbers with dots around a dash with spaces are ordinals: ``3. – 5.
    den``."""
    goes_on = after[:1].islower() or months.is_month(after, language)
    last = f"{last.removesuffix('.')}."
    if base_language(language) == "de":  # 3. – 5. Mai
        return months.is_month(after, language) and all(map(_DOTTED.fullmatch, (first, last)))
    return goes_on and _read_dotted_ordinals(first, last, language, before, after) is not None


def is_scaled(text: str, language: str) -> bool:
    """Return whether pieces of text with SPACE between them are a range of amounts
    with scales: ``5 Mio. €–10 Mio. €``.
    """
    if len(text) > _LONGEST_RANGE or len(_DASH.findall(text)) != 1:
        return False
    scaled = [
        money.parse(part.replace(".", ""), language) for part in _DASH.split(text.rstrip(",;:!?)"))
    ]
    return all(each is not None and each.scale and each.currency for each in scaled)


def _find_word_for_to(language: str, after: str = "") -> str:
    """Return the word between both ends of a range; ``after``: the word behind it."""
    numbers = read_words(language, Numbers)
    return numbers.joins_before.get(after.rstrip(f"{PAUSES}.)"), numbers.to)


def _read_number_range(match: re.Match[str], language: str, before: str, after: str) -> str | None:
    sign, first, other_sign, last, unit = match.groups()
    if first.isdecimal() and len(first) > _LONGEST:
        return None
    are_whole = first.isdecimal() and last.isdecimal() and not other_sign
    era = after.lower().replace(SPACE, "").strip("),;:")
    is_before = era in merge_words(Everywhere).eras  # years fall
    # 2026-118; a score, for which not every language says "to"
    falls = are_whole and not _may_rise(first, last, language)
    falls = falls or (are_whole and before.lower() in merge_words(Everywhere).laws)
    if not unit and not is_before and (falls or (_MODEL.fullmatch(match[0]) and first > last)):
        return f"{spell_number(first, language)} {spell_number(last, language)}"
    years = [dates.read_year(part, language, before, after) for part in (first, last)]
    if all(years) and not (sign or other_sign or unit):  # в 2020–2024 годах
        return " ".join(map(str, years))
    are_plain = all(part.replace(SPACE, "").isdecimal() for part in (first, last))
    if are_plain and not (sign or other_sign):
        name = quantities.find_cldr_name(unit, language) if unit else ""
        if name is not None and (
            said := cases.spell_range(first, last, name, before, after, language)
        ):
            return said
    if unit and not (sign or other_sign):
        start = quantities.spell_count(first, language)
        to = _find_word_for_to(language, after)
        return quantities.join_counts([start], to, last, unit, language)
    end = quantities.spell_quantity(last, unit, language) if unit else spell_number(last, language)
    to = _find_word_for_to(language, after)
    start = quantities.spell_count(first, language) if unit else spell_number(first, language)
    signs = sign_in_words(sign, language), sign_in_words(other_sign, language)
    return end and f"{signs[0]} {start} {to} {signs[1]} {end}"


def _may_rise(first: str, last: str, language: str) -> bool:
    """Return whether the word of a range may stand between two whole numbers: where it means that
    it goes up, ``от 5 до 10``, ``3 ila 5``, a score has none, but the end of years has: 2026-27."""
    numbers = read_words(language, Numbers)
    if int(first) < int(last):
        return True
    if numbers.to_of_scores:
        return int(first) == int(last) or len(last) <= _LONGEST_SCORE
    return not numbers.to_case and len(first) == _LONGEST and len(last) == _LONGEST_SCORE


def _read_dates(first: str, last: str, language: str, after: str) -> tuple[str, str] | None:
    """Return both days of a date whose first has neither month nor year, ``14.–18.06.2027`` in
    German, or two days with their months: ``1.5.–31.8.``"""
    last_dot = last if last.endswith(".") else f"{last}."
    if dates.is_day_and_month(first, language) and dates.is_day_and_month(last_dot, language):
        opens = _find_word_for_to(language) if base_language(language) == "de" else dates.RANGE
        numbers = read_words(language, Numbers)
        in_cases = (numbers.from_case, numbers.to_case) if not numbers.opens else ("", "")
        ends = (
            dates.read_date(part, language, opens, after, case)
            for part, case in zip((first, last_dot), in_cases, strict=True)
        )
        start, end = (said and said[:1].lower() + said[1:] for said in ends)
        return (start, end) if start and end else None
    end = (
        dates.read_date(last, language, _find_word_for_to(language), after)
        if base_language(language) == "de" and _DOTTED.fullmatch(first)
        else None
    )
    return (f"{spell_ordinal(int(first[:-1]), 'de')}n", end) if end else None


def _split_padded_days(text: str, language: str) -> tuple[str, str] | None:
    """Return both ends of a range of days and months without a last dot, each with one, of which
    one can be no time of day: ``24.12–31.12``; None: it is none."""
    match = _PADDED_DAYS.fullmatch(text)
    if match is None or all(map(times_of_day.may_be_dotted_time, match.groups())):
        return None
    return f"{match[1]}.", f"{match[2]}."


def _read_decades(first: str, last: str, language: str, after: str) -> tuple[str, str] | None:
    start, end = (sequences.read_decade(part, language, "", "") for part in (first, last))
    return (start, end) if start and end else None


def _read_dotted_ordinals(
    first: str, last: str, language: str, before: str, after: str
) -> str | None:
    """Return two ordinals with dots in the form that what they count requires: ``v 19.–20.
    století``; None: they are none, or the language's file has no such form."""
    first = first if first.endswith(".") else f"{first}."  # 1–4. osztály
    if base_language(language) == "de" or not all(map(_DOTTED.fullmatch, (first, last))):
        return None
    known = read_words(language, Numbers)
    if base_language(language) == "fi" and months.is_month(after, language):
        return " ".join(  # kolmannesta viidenteen toukokuuta
            spell_ordinal(int(part[:-1]), "fi", case=case)
            for part, case in ((first, known.from_case), (last, known.to_case))
        )
    said = [dates.read_day(part, language, before, after) for part in (first, last)]
    if None in said:
        return None
    goes_on = after[:1].islower() or months.is_month(after, language)
    if any(map(str.isdecimal, "".join(map(str, said)))) and not goes_on:
        return None
    # pierwszy trzeci, as after "to" they would have to stand in another case
    to = "" if known.to_case and read_words(language, Dates).ordinals_by_dot_unread else known.to
    return f" {to} ".join(map(str, said))


def _read_ordinals(first: str, last: str, language: str, after: str) -> tuple[str, str] | None:
    if base_language(language) == "de" and _DOTTED.fullmatch(first) and _DOTTED.fullmatch(last):
        return f"{spell_ordinal(int(first[:-1]), 'de')}n", f"{spell_ordinal(int(last[:-1]), 'de')}n"
    start, end = (
        ordinals.read_ordinal(part, language, "", "") or joined.read_joined(part, language)
        for part in (first, last)
    )
    return (start, end) if start and end else None


def _read_amounts(first: str, last: str, language: str, after: str) -> tuple[str, str] | None:
    """Return both amounts, with their currency only once if it is the same:
    ``$5–$10``, ``€5–10 million``, ``3bn–5bn``.
    """
    one, other = money.parse(first, language), money.parse(last, language)
    if one is None or other is None or other.sign:
        return None
    one, other = _share_currency(one, other)
    if not one.currency and not _are_scaled(first, last, language):
        return None
    with_cents = any(
        "." in f"{money.parse_digits(each.digits, language) or 0:f}" and not each.scale
        for each in (one, other)
    )
    once = one.currency == other.currency and not (with_cents and one.currency and not other.scale)
    start, end = (
        money.spell_count(one, language) if once else money.spell_amount(one, language),
        money.spell_amount(other, language),
    )
    if once and start and end and one.currency:
        name = money.name_currency(one.currency, Decimal(2), language)
        opens, _, closes = name.partition("{0}")
        if closes or name.endswith("{0}"):  # shilingi 500 hadi 1000 za Kenya
            if other.scale and not one.scale:  # shilingi milioni 5 hadi 10
                start = money.spell_count(replace(one, scale=other.scale), language)
                other = replace(other, scale="")
            start, end = f"{opens}{start}", f"{money.spell_count(other, language)}{closes}"
    # cinq millions à dix millions d’euros
    start = start and start.removesuffix(" de").removesuffix(" di")
    return (f"{sign_in_words(one.sign, language)} {start}", end) if start and end else None


def _read_whole_amounts(first: str, last: str, language: str, before: str) -> str | None:
    """Return two whole amounts of the same currency in the cases that "to" requires: ``od stu do
    stu pięćdziesięciu złotych``; None: they are none, or the language has no such cases."""
    if not read_words(language, Numbers).to_case:
        return None
    one, other = money.parse(first, language), money.parse(last, language)
    if one is None or other is None or one.scale or other.scale or one.sign or other.sign:
        return None
    one, other = _share_currency(one, other)
    if not one.currency or one.currency != other.currency:
        return None
    said = cases.spell_range(one.digits, other.digits, "", before, "", language)
    return said and f"{said} {money.name_currency(one.currency, Decimal(_SEVERAL), language)}"


def _are_scaled(first: str, last: str, language: str) -> bool:
    """Return whether two numbers without a currency are a range of scaled
    ones: ``3bn–5bn``, ``3–5bn``.
    """
    is_number = (
        parse_number(first, language) is not None or money.read_amount(first, language) is not None
    )
    return is_number and (
        money.read_amount(last, language) is not None or last.endswith(_THOUSANDS)
    )


def _share_currency(one: money.Amount, other: money.Amount) -> tuple[money.Amount, money.Amount]:
    """Return two amounts of which one may have left its currency to the other."""
    if money.is_specified(one.currency, other.currency):  # $5–$10 CAD
        return replace(one, currency=other.currency), other
    currency = one.currency or other.currency
    return replace(one, currency=currency), replace(other, currency=other.currency or currency)


def _read_quantities(first: str, last: str, language: str, after: str) -> tuple[str, str] | None:
    """Return both quantities, with their unit only once if it is the same: ``5%–10%``."""
    one, other = quantities.QUANTITY.fullmatch(first), quantities.QUANTITY.fullmatch(last)
    if one is None or other is None:
        return None
    start, end = quantities.read_quantity(first, language), quantities.read_quantity(last, language)
    if one[3] == other[3] and not one[1]:
        start = quantities.spell_count(one[2], language)
    return (start, end) if start and end else None


def _read_fractions(first: str, last: str, language: str, after: str) -> tuple[str, str] | None:
    """Return both ends if one is a fraction and the other is one, too, or a number: ``½–1``."""
    ends = [
        sequences.read_fraction(part, language, "", "") if _FRACTION.fullmatch(part) else None
        for part in (first, last)
    ]
    if not any(ends):
        return None
    start, end = (
        said or (quantities.spell_count(part, language) if part.isdecimal() else "")
        for said, part in zip(ends, (first, last), strict=True)
    )
    return (start, end) if start and end else None


def _read_times(first: str, last: str, language: str, after: str) -> tuple[str, str] | None:
    """Return both times of day; the first may leave its word to the
    second: ``9–10 am``, ``10.30–11.00 Uhr``.
    """
    end = times_of_day.read_time(last, language, _find_word_for_to(language), after)
    if end is None and _is_to_whole_hour(first, last):  # 8:30–17
        end = times_of_day.read_time(f"{last}:00", language, _find_word_for_to(language), after)
    if end is None:
        return None
    start = times_of_day.read_time(first, language, _find_word_for_to(language), "") or _read_hour(
        first, language
    )
    if start is None and _HOUR_WITH_H.fullmatch(first):  # 8h–17h30
        start = times_of_day.read_time(f"{first}00", language, "", "")
    if start is None and (word := _HOUR_WORD.search(last)):
        start = times_of_day.read_time(first + word[0], language, "", "")
    opens = read_words(language, Times).opens
    return (f"{opens} {start}".strip(), end) if start else None


def _is_to_whole_hour(first: str, last: str) -> bool:
    """Return whether a time of a quarter of an hour leads to a later hour, and a chapter to no
    verse: ``3:16–17``."""
    time, hour = _QUARTER.fullmatch(first), _HOUR.fullmatch(last)
    return time is not None and hour is not None and int(time[1]) < int(last)


def _read_hours(first: str, last: str, language: str, before: str, after: str) -> str | None:
    """Return two hours after a day, where they are ordinals, or "from" is another word than between
    numbers: Polish ``sob. 10–14``, Russian ``сб 10–14``; or where endings say so, after a day, a
    word for opening or before "until an hour": Hungarian ``K 8–17``, ``8–17 óráig``."""
    times = read_words(language, Times)
    if not (_HOUR.fullmatch(first) and _HOUR.fullmatch(last) and int(first) < int(last)):
        return None
    of_day = spans.ends_with_day(before, language)
    if base_language(language) == "hu":
        is_opening = of_day or before.lower().rstrip(PAUSES) in times.before
        if after.startswith(_HOUR_WITH_ENDING):
            return add_from(first, language) + f" {spell_cardinal(int(last), language)}"
        is_opening = is_opening and after not in read_words(language, Numbers).joins_before
        return spell_from_to(first, last, language) if is_opening and after[:1] != "ó" else None
    if not (times.hour_ending or times.opens) or not of_day:
        return None
    pair = _read_times(f"{first}:00", f"{last}:00", language, "")
    return pair and f"{pair[0]} {_find_word_for_to(language)} {pair[1]}"


def add_from(digits: str, language: str) -> str:
    """Return a Hungarian number with the ending for "from": ``nyolctól``."""
    return _add_from(spell_cardinal(int(digits), language))


def _add_from(words: str) -> str:
    words = f"{words[:-1]}á" if words.endswith("a") else words  # nullától
    return f"{words}{'tól' if _BACK.search(words) else 'től'}"


def spell_from_to(first: str, last: str, language: str) -> str:
    """Return two Hungarian numbers with the endings for "from" and "to": *nyolctól tizenhétig*."""
    end = spell_cardinal(int(last), language)
    return f"{add_from(first, language)} {end}ig"


def _read_dotted_times(first: str, last: str, language: str, before: str, after: str) -> str | None:
    """Return two times of day with dots, ``9.30–16.00``, of which after a word for a time one may
    be an hour: ``kl. 10–17.30``; None: they may be something else."""
    is_named = before.lower() in read_words(language, Times).before
    is_of_day = spans.ends_with_day(before, language)
    is_dotted = "." in first + last and not times_of_day.is_measure(after)
    has_comma = get_decimal_symbol(find_locale(language)) == ","
    said, digits = [], []
    for part in (first, last):
        hour, _, minutes = part.partition(".")
        if not minutes and is_dotted and _HOUR.fullmatch(hour) and (is_named or has_comma):
            time = times_of_day.read_time(f"{hour}:00", language, before, "")
        elif is_of_day and not has_comma and times_of_day.may_be_dotted_time(part):
            time = times_of_day.read_time(f"{hour}:{minutes}", language, "", after)
        else:
            time = times_of_day.read_dotted_time(part, language, after, quarters=not is_named)
        if time is None:
            return None
        said.append(time)
        digits.append([number for number in (hour, minutes) if number.strip("0")])
    if base_language(language) == "hu" and not after.startswith(_HAS_ENDING):
        return f"{_add_from(said[0])} {said[1]}ig"
    numbers = read_words(language, Numbers)
    if read_words(language, Times).opens:  # с девяти до восемнадцати
        start, end = (
            part.replace(".", ":") if "." in part else f"{part}:00" for part in (first, last)
        )
        pair = _read_times(start, end, language, after)
        return pair and f"{pair[0]} {_find_word_for_to(language)} {pair[1]}"
    if numbers.opens or not (numbers.from_case and numbers.to_case):
        return f" {_find_word_for_to(language, after)} ".join(said)
    return " ".join(  # yhdeksästä kolmestakymmenestä kuuteentoista
        cases.count_in_words(number.lstrip("0"), cases.Form(case), language) or number
        for case, parts in zip((numbers.from_case, numbers.to_case), digits, strict=True)
        for number in parts or ["0"]
    )


def _read_times_in_cases(
    first: str, last: str, language: str, before: str, after: str
) -> str | None:
    """Return two times of day in the cases that say from when and to when where no word does:
    Finnish ``8:30–17``; None: they are none, or a word says it."""
    is_pair = _TIMES_BY_COLON.fullmatch(f"{first}-{last}") is not None
    if not is_pair or _find_word_for_to(language):
        return None
    ends = [end.replace(":", ".") for end in (first, last)]
    return _read_dotted_times(ends[0], ends[1], language, before, after)


def _read_hour(text: str, language: str) -> str | None:
    """Return an hour without a word in words."""
    if not _HOUR.fullmatch(text):
        return None
    one = read_words(language, Times).one_oclock if int(text) == 1 else ""
    return one or spell_cardinal(int(text), language)
