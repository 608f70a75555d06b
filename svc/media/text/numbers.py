"""Reading figures aloud: numbers, amounts, quantities, dates and times in the words that a speaker
of the language uses.
"""

import re
import unicodedata
from decimal import Decimal
from functools import cache

from babel.numbers import get_decimal_symbol

from svc.media.languages import (
    Abbreviations,
    Addresses,
    Dates,
    Everywhere,
    Money,
    Numbers,
    Sentences,
    Times,
    Units,
    merge_words,
    read_words,
)
from svc.media.text import abbreviations, cases, dates, ordinals, sequences, times_of_day
from svc.media.text.figures import counted, joined, money, nouns, pairs, quantities, ranges, sums
from svc.media.text.numerals import (
    CLOSERS,
    DIGITS,
    OPENERS,
    PAUSES,
    SIGN,
    SPACE,
    STOPS,
    agree,
    base_language,
    find_locale,
    groups_by_spaces,
    is_number_of,
    sign_in_words,
    spell_cardinal,
    spell_number,
)

_LONGEST = 60  # characters
_VOWELS = "aáeéiíoóöőuúüű"
_NUMBER = re.compile(f"({SIGN})({DIGITS})")
_RANGE = re.compile(r"(\d{1,4})[-–](\d{1,4})")
_KEEPING = ("ig", "ért")  # Hungarian endings before which a number stays as it is: tizenhétig
_NOT_LENGTHENING = frozenset(("i", "kor", "ként"))
_SECTION = re.compile(r"\d{1,2}\.\d{1,2}")
_VERSION = re.compile(r"\d{1,4}\.\d{1,2}")
_MARKS = f"{OPENERS}{CLOSERS}{STOPS}"
_PROGRAM = re.compile(r"[^\W\d_]*[^\W\d_A-Z][A-Z]\w*|[A-Z][a-z]\w*(?:\.\w+)?")  # FastAPI, Node.js
_WHOLE = re.compile(r"\d+(?:[-–]\d+)?")
_GROUPS = re.compile(rf"{SIGN}[1-9]\d{{0,2}}(?:{SPACE}\d{{3}})*")
# The second end of a range may have thousands apart where the first has: 5 800–6 500.
_GROUPED_RANGE = re.compile(
    rf"{SIGN}[1-9]\d{{0,2}}(?:{SPACE}\d{{3}})+{SPACE}?[-–—]{SPACE}?[1-9]\d{{0,2}}(?:{SPACE}\d{{3}})*"
)
_COUNTED = re.compile(f"[±≈~<>≤≥]?{SIGN}{DIGITS}(?:{SPACE}?[-–—]{SPACE}?[-−]?{DIGITS})?")
_FRACTION = re.compile(quantities.FRACTION)
_SIDES = re.compile(sums.SIDES)
_COUNTED_PER = re.compile(rf"{SIGN}{DIGITS}{SPACE}(?:{quantities.UNIT})/\d+")  # 5.3 l/100 km
_MEASURE = f"(?:{quantities.UNIT}|{money.CURRENCY})"
_COUNTED_FROM = re.compile(f"{SIGN}{DIGITS}{SPACE}{_MEASURE}[-–—]{DIGITS}")  # 5 €–10 €
_TO_COUNTED = re.compile(f"{_MEASURE}[-–—]{DIGITS}")
_HAS_CURRENCY = re.compile(money.CURRENCY)
_YEAR = re.compile(r"(?:\d\d?\.\d\d?\.)?(?:1\d|20)\d\d")
_ELIDED = re.compile(r"([^\W\d_]{1,5}['’])(\d.*)")
_WITH_LETTERS = re.compile(r"(\d[\d:]*)([^\W\d]+)")
_PART_AND_HOUR = re.compile(r"([^\W\d_]+)[-–—](\d[^\s–—-]*)")
# 50 € / month
_APART_FROM_PERIOD = re.compile(rf"(?<=[^{SPACE}]){SPACE}?/{SPACE}?(?=[^\W\d])")
_HALF = r"(?i:[ap]\.?m\.?)"
_HOUR = r"\d\d?(?:[:.]\d\d)?"
_HOURS = re.compile(rf"{_HOUR}(?:(?:{SPACE}?{_HALF})?{SPACE}?[-–—]{SPACE}?{_HOUR})?")
_PART_OF = re.compile(r"((?i:early|mid|late|pre|post))-(\d\w+)")  # mid-18th, late-1990s
_TO_HOUR = re.compile(rf"{_HALF}[-–—]{_HOUR}")  # 9 a.m.–5 p.m.
# € 5–€ 10
_FROM_AMOUNT = re.compile(f"{SIGN}(?:{money.CURRENCY}){SPACE}?{DIGITS}[-–—](?:{money.CURRENCY})")


def read_figure(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return how ``text`` is spoken if it is a figure, else None. ``before`` and ``after``: the
    neighbouring pieces of text.

    ``text``: without the punctuation around it, with SPACE for spaces within it. ``language``: BCP
    47.
    """
    if len(text) > _LONGEST or not any(character.isnumeric() for character in text):
        return None
    if (several := _read_alternatives(text, language)) is not None:
        return several
    plain = money.drop_zero_cents(_to_digits(sums.close_up(text)), after, language)
    if base_language(language) == "en" and (part := _PART_OF.fullmatch(plain)):
        said = read_figure(part[2], language)
        return said and f"{part[1]}-{said}"
    if plain[:2] in ("+%", "-%", "−%") and (words := read_figure(plain[1:], language)) is not None:
        return f"{sign_in_words(plain[0], language)} {words}"
    if plain[-1] == "+" and (words := read_figure(plain[:-1], language, before)) is not None:
        return f"{words} {read_words(language, Numbers).plus}".strip()
    has_endings = read_words(language, Numbers).ending_marks != ""
    if has_endings and (word := joined.read_joined(plain, language, before, after)) is not None:
        return word
    if match := _match_ending(plain, language):
        return _read_with_ending(match[1], match[2], language, before)
    for read in _READERS:
        words = read(plain, language, before, after)
        if words is not None:
            said = quantities.leave_out_unsaid(words, language)
            if read in _OF_DIGITS:
                return said
            is_name = is_number_of(before.lower().strip("("), language)
            said = agree(said, "" if is_name else after, language)
            noun = read_words(language, Numbers).counts_after.get(before.lower())
            return agree(said, noun, language) if noun and _WHOLE.fullmatch(plain) else said
    return None


def _read_with_short_word(text: str, language: str, before: str, after: str) -> str | None:
    """Return a figure and what is short for a part of the day or an era behind it, without a space,
    in words: ``9ص``, ``1446هـ``; None: it has none."""
    match = _WITH_LETTERS.fullmatch(text)
    said = match and abbreviations.find_after_number(match[1], match[2], language)
    if not match or not said:
        return None
    is_unit = quantities.is_unit(match[2], language)
    if is_unit and not quantities.is_other_after(f"{before} {match[1]}", match[2], language):
        return None
    return f"{read_figure(match[1], language, before, match[2])} {said}"


def close_rate(text: str) -> str:
    """Return a rate without the spaces around its slash: ``50 € / month``."""
    return _APART_FROM_PERIOD.sub("/", text) if SPACE in text else text


def _to_digits(text: str) -> str:
    """Return ``text`` with digits of other scripts as European ones: ``۱۲``."""
    if text.isascii():
        return text
    return "".join(
        str(unicodedata.decimal(character)) if character.isdecimal() else character
        for character in text
    )


def _match_ending(text: str, language: str) -> re.Match[str] | None:
    """Return the two parts of a figure with an ending, ``2026'da`` or ``5 km-re``; None: it has
    none."""
    pattern = _compile_ending_pattern(language)
    match = pattern and pattern.fullmatch(text)
    return match if match and ordinals.read_ordinal(text, language, "", "") is None else None


@cache
def _compile_ending_pattern(language: str) -> re.Pattern[str] | None:
    marks = read_words(language, Numbers).ending_marks
    return re.compile(rf"(.*\d[^\d{marks}]{{0,8}})[{marks}]([^\W\d_]{{1,9}})") if marks else None


def _read_with_ending(text: str, ending: str, language: str, before: str) -> str | None:
    words = read_words(language, Numbers)
    if (amount := money.read_with_ending(text, ending, language)) is not None:
        return amount
    if case := words.endings.get(ending):
        said = quantities.read_in_case(text, case, ending, language)
    else:
        said = (
            _spell_day_in_numbers(text, language)
            or _spell_without_place(text, ending, language)
            or read_figure(text, language, before)
        )
        if base_language(language) == "hu" and ending == "ig" and (ends := _RANGE.fullmatch(text)):
            return ranges.spell_from_to(ends[1], ends[2], language)
        changed = words.before_vowels if ending[0] in _VOWELS else words.before_consonants
        if ending in _KEEPING:
            changed = {}
        for end, other in changed.items() if said else ():
            if said is not None and said.endswith(end):
                said = said.removesuffix(end) + other
        if said and base_language(language) == "hu":
            if said.endswith(ending) and ending == "ig":  # of two times: nyolctól tizenhétig
                return said
            said = _lengthen(said, ending)
        said = said and said + ending
    return said


def _lengthen(words: str, ending: str) -> str:
    """Return Hungarian words as they stand before an ending, which lengthens their last vowel, or
    brings it along: ``elsejé`` of *elsejétől*, ``harmadik`` of *harmadikára*."""
    if words[-1] not in "ae" or ending in _NOT_LENGTHENING:
        return words
    return words[:-1] + ("" if ending[0] in "áé" else {"a": "á", "e": "é"}[words[-1]])


def _spell_day_in_numbers(text: str, language: str) -> str | None:
    """Return a day and a month, or an hour and its minutes, as two numbers, to which an ending is
    fitted: Turkish ``31.12'ye``, *on ikiye*, ``18.00'e``, Hungarian ``9.30-kor``; None: it is
    none."""
    is_time = base_language(language) in ("hu", "tr") and times_of_day.may_be_dotted_time(text)
    if not is_time and not (
        read_words(language, Dates).day_and_month and dates.is_padded_day(text)
    ):
        return None
    first, last = map(int, text.split("."))
    return " ".join(spell_cardinal(part, language) for part in (first, last)[: 1 + bool(last)])


def _spell_without_place(text: str, ending: str, language: str) -> str | None:
    """Return a number with decimals, whose place is left out as the ``ending`` is none of it:
    ``1,5`` of ``1,5-ös``; None: it has none, or its place is said."""
    words = read_words(language, Numbers)
    whole, _, decimals = text.partition(",")
    if not (whole.isdecimal() and decimals.isdecimal()) or not words.place_endings:
        return None
    if len(decimals) > len(words.decimal_places):
        return None
    form = words.place_endings.get(words.decimal_places[len(decimals) - 1])
    if form is None or form.fullmatch(ending):
        return None
    rest = decimals.lstrip("0")
    zeros = "0" * (len(decimals) - len(rest))
    said = [spell_cardinal(int(part), language) for part in (*zeros, rest) if part]
    return " ".join([spell_cardinal(int(whole), language), words.decimal, *said])


def _read_alternatives(text: str, language: str) -> str | None:
    """Return quantities that slashes part, which are the same in other units: ``180 g/6 oz``;
    None: ``text`` is none.
    """
    parts = text.split("/")
    if (
        len(parts) not in (2, 3)
        or len({quantities.find_measured_quantity(part) for part in parts}) != 1
    ):
        return None
    reads = (quantities.read_quantity, quantities.read_part, quantities.read_coordinate)
    said = [
        next((words for read in reads if (words := read(part, language))), None) for part in parts
    ]
    return ", ".join(" ".join(each.split()) for each in said if each) if all(said) else None


def split_elided(text: str, language: str) -> tuple[str, str]:
    """Return the article with an apostrophe before a figure, and the figure: ``dell'8``; the
    article is empty if there is none."""
    match = _ELIDED.fullmatch(text) if read_words(language, Sentences).elides else None
    return (match[1], match[2]) if match else ("", text)


def read_elided(text: str, language: str, after: str) -> str | None:
    """Return a figure with its elided article in words, ``dell'otto``, of which 1 may have a form
    of its own, Italian ``all'una``; None: ``text`` is none."""
    article, figure = split_elided(text, language)
    if not article:
        return None
    beside = f"{text.lower().replace('’', chr(39))} {after.rstrip(PAUSES)}".rstrip()
    listed = read_words(language, Numbers).elided_one
    one = next((one for one, form in listed.items() if form and form.fullmatch(beside)), None)
    if one and " " in one:  # la una, which no article is elided before
        return one
    return article + (one or read_figure(figure, language, article, after) or figure)


def read_part_and_hour(text: str, language: str, after: str) -> str | None:
    """Return a part of the day and the hour that a dash joins to it in words: ``pagi–6`` of
    ``9 pagi–6 petang``; None: ``text`` is none."""
    match, to = _PART_AND_HOUR.fullmatch(text), read_words(language, Numbers).to
    if match is None or not to or match[1].lower() not in read_words(language, Times).day_parts:
        return None
    said = read_figure(match[2], language, "", after) or match[2]
    return f"{match[1]} {to} {said}"


def read_rate(text: str, language: str) -> str | None:
    """Return how an amount per something is spoken: ``$12/mo``, ``€/kWh``, ``$5/user/month``, or
    another count per period: ``Std./Woche``; None: it is neither."""
    head, *rest = text.split("/")
    if (
        not rest
        or len(text) > _LONGEST
        or not all(part[:1].isalnum() and not money.is_currency(part, language) for part in rest)
    ):
        return None
    if money.is_currency(head, language):
        amount: str | None = money.name_currency(head, Decimal(2), language)
    else:
        amount = (
            money.read_amount(head.rstrip("."), language)
            or (ranges.read_range(head, language) if _HAS_CURRENCY.search(head) else None)
            or _read_rate(head, rest, language)
        )
    if amount is None:
        return quantities.read_unit_alone(text, language)
    amount = agree(amount, "", language)
    for part in rest:
        template = read_words(language, Units).per_thing
        amount = (
            template.format(amount, _name_unit(part, language))
            if template and part not in read_words(language, Units).per_period
            else f"{amount} {_speak_per(part, language)}"
        )
    return " ".join(amount.split())


def _speak_per(unit: str, language: str) -> str:
    words = read_words(language, Units)
    return words.per_period.get(unit) or f"{words.per} {_name_unit(unit, language)}"


def _read_rate(head: str, rest: list[str], language: str) -> str | None:
    """Return what is counted per hour, day, week, month or year, or a quantity per anything,
    in words; None: it is neither.
    """
    words = read_words(language, Units)
    is_known = (
        (rest[0] in words.periods or rest[0] in words.per_period)
        and head.removesuffix(".").isalpha()
        and not quantities.is_unit(head, language)
    )
    if len(rest) > 1 or not head[:1].isalnum() or not (words.counts_per or is_known):
        return None
    quantity = (
        quantities.read_quantity(head, language) if quantities.is_thing(rest[0], language) else None
    )
    if quantity or not (is_known or rest[0] in quantities.list_periods(language)):
        return quantity
    return (
        abbreviations.expand_abbreviation(head, language, "", "")
        or read_figure(head.rstrip("."), language)
        or head
    )


def read_unit_after(unit: str, language: str, before: str) -> str | None:
    """Return a unit without a number in words after "per", or the article of another language that
    says it: ``3 € le kg``; None: it is none."""
    words = read_words(language, Units)
    if len(unit) == 1 or not quantities.is_unit(unit, language):
        return None
    is_raised = unit.endswith(("²", "³")) and not quantities.has_few(language)
    # 12.4 million m³, Fläche in m²
    is_of_several = is_raised or money.ends_with_any_scale(before, language)
    if before.lower() not in {words.per, *words.before_alone} - {""}:
        return quantities.name_several(unit, language) if is_of_several else None
    name = words.periods.get(unit) or quantities.name_unit(unit, language) or ""
    return " ".join(name.split()) or None


def _name_unit(unit: str, language: str) -> str:
    """Return the name of what an amount is paid for: one gigabyte, one month,
    or a word as it is written.
    """
    if (period := read_words(language, Units).periods.get(unit)) is not None:
        return period
    unit = unit.replace(f".{SPACE}", SPACE)  # sq. ft
    return quantities.name_unit(unit, language) or read_figure(unit, language) or unit


def is_one_figure(first: str, second: str, language: str, before: str = "") -> bool:
    """Return whether two pieces of text around a space are one figure: ``1 000``, ``5 km``,
    ``€ 5``, ``14:30 Uhr``.

    ``before``: the word in front of them.
    """
    first, second = _to_digits(first), _to_digits(second)
    first, core = money.strip_cents(first), second.rstrip(f".…)\"'”»{PAUSES}")
    core = _strip_ending(core, language)
    if re.fullmatch(r"\d{1,4}", first) and re.fullmatch(r"[1-9]\d?/[1-9]\d?|[½⅓⅔¼¾⅛⅜⅝⅞]", core):
        return True
    if (_FRACTION.fullmatch(first) or core == "mmHg") and quantities.is_unit(core, language):
        return True
    if (
        sequences.continues_phone(first, core, before)
        or pairs.continues_scale(first, core, language)
        or money.joins_sign(first, core, language)
        or money.takes_name(first, core, language)
        or money.takes_code(first, core)
    ):
        return True
    if not first[-1:].isdecimal():
        if first.endswith(money.THOUSAND):  # $5 mil, and millones
            return money.takes_scale(first, core, language)
        return second[:1].isdecimal() and _is_before_number(first, language)
    if _is_grouped(first, language) and re.match(r"\d{3}(?!\d)", second):
        return True
    if _is_measure(first, core, language) and (
        _COUNTED.fullmatch(first)
        or _COUNTED_FROM.fullmatch(first)
        or _COUNTED_PER.fullmatch(first)
        or _SIDES.fullmatch(sums.close_up(first))
    ):
        return True
    if _NUMBER.fullmatch(first) and _TO_COUNTED.fullmatch(core):
        return True
    if times_of_day.follows_minutes(core, language) and ":" in first and _HOURS.fullmatch(first):
        return True
    is_time_word = (
        times_of_day.is_time_word(core, language)
        or times_of_day.is_time_word(second, language)
        or _TO_HOUR.fullmatch(core)
    )
    if is_time_word and (
        _HOURS.fullmatch(first)
        or times_of_day.may_be_undivided_time(first)
        or ranges.may_be_undivided_hours(first)
    ):
        return True
    return money.takes_scale(first, core, language) or money.takes_scaled_currency(
        first, core, language
    )


def _is_grouped(text: str, language: str) -> bool:
    """Return whether ``text`` is a number, or a range, after which three digits go on: ``1``, or
    ``€1`` of ``€1 500``."""
    if _GROUPED_RANGE.fullmatch(text):
        return True
    number = money.strip_sign(text, language)
    return _GROUPS.fullmatch(number) is not None and groups_by_spaces(language)


def _strip_ending(text: str, language: str) -> str:
    """Return a unit without the ending that a mark adds: ``km`` of ``km:n``."""
    marks = read_words(language, Numbers).ending_marks
    unit, _, ending = re.sub(f"[{marks}]", "\n", text).partition("\n") if marks else (text, "", "")
    return (
        unit
        if ending.isalpha()
        and ending.islower()
        and (quantities.is_unit(unit, language) or money.is_currency(unit, language))
        else text
    )


def _is_before_number(text: str, language: str) -> bool:
    """Return whether ``text`` is a sign that stands before a number: ``€``, Turkish ``%``."""
    if text in ("%", "٪"):
        return quantities.puts_percent_first(language)
    is_sign = money.is_currency(text.lstrip("-−–+"), language)
    return is_sign or _FROM_AMOUNT.fullmatch(text) is not None


def _is_measure(number: str, text: str, language: str) -> bool:
    """Return whether ``text`` after ``number`` is a unit, a currency or a rate."""
    if "/" in text and text in read_words(language, Abbreviations).spoken:  # Dutch t/m
        return False
    if text.rstrip(".") == "г" and _YEAR.fullmatch(number):  # 2026 г., which is года
        return False
    return (
        quantities.is_unit(text, language)
        or money.is_currency(text.partition("/")[0].rstrip("."), language)
        or text.partition("/")[0].rstrip(".") in read_words(language, Money).cent_signs
        or quantities.PER_UNIT.fullmatch(text) is not None
        or quantities.is_per_period(text, language)
    )


def _read_version(text: str, language: str, before: str, after: str) -> str | None:
    """Return the numbers of a section or a version with the word for their dots: ``Kapitel 3.2``;
    None: ``text`` is none."""
    named = merge_words(Everywhere).number_names | merge_words(Everywhere).before_a_number
    full = read_words(base_language(language), Abbreviations).before_a_number.get(
        before.lower(), ""
    )
    names = {before.lower(), before.lower().rstrip("."), full.lower()}
    is_section = _SECTION.fullmatch(text) and names & named
    if not (is_section or _is_version(text, language, before, after)):
        return None
    dot = read_words(language, Addresses).dot
    return f" {dot} ".join(spell_number(part, language) for part in text.split("."))


def _is_version(digits: str, language: str, before: str, after: str) -> bool:
    """Return whether two numbers around a dot are a version: beside a word for one, or after a name
    where decimals have a comma, ``React 18.3``."""
    if not _VERSION.fullmatch(digits):
        return False
    words = merge_words(Everywhere)
    if {word.lower().strip(_MARKS) for word in (before, after)} & words.versions:
        return True
    if get_decimal_symbol(find_locale(language)) != ",":
        return False
    name = before.lstrip(OPENERS)
    # Mit 4.5 at the beginning of a sentence
    is_named = _PROGRAM.fullmatch(name) and not nouns.is_small_word(name.lower(), language)
    return bool(is_named) or name.lower() in words.programs


def _read_unmarked_ordinal(text: str, language: str, before: str, after: str) -> str | None:
    """Return a number, or two, before a noun that they do not count, as ordinals: ``5 класс``,
    ``3–5 klasė``; None: there is none."""
    ending = ordinals.find_unmarked_ending(text, language, after)
    if not ending or (before in (".", "№") or _YEAR.fullmatch(text)):
        return None
    said = []
    for number in re.split("[-–]", text):
        written = f"{number}-{ending}"
        word = joined.read_joined(written, language, before, "") or ordinals.read_ordinal(
            written, language, before, ""
        )
        said.append(word or "")
    return " ".join(said) if all(said) else None


def _number(text: str, language: str, before: str, after: str) -> str | None:
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    form = cases.find_form(match[2], before, after, language)
    words = cases.count_in_words(match[2], form, language) or spell_number(match[2], language)
    return f"{sign_in_words(match[1], language)} {words}"


# What reads digits that count nothing.
_OF_DIGITS = (sequences.read_phone, sequences.read_code, _read_version, _read_with_short_word)
_READERS = (
    _read_with_short_word, _read_unmarked_ordinal, ranges.read_verses,
    sums.read_difference, sums.read_equation, quantities.read_feet, quantities.read_blood_pressure,
    dates.read_date, times_of_day.read_undivided_time, ranges.read_undivided_hours,
    sequences.read_phone,
    quantities.read_duration, times_of_day.read_time, pairs.read_pair,
    sums.read_multiple, sums.read_multiples, sums.read_sides,
    sums.read_sum, sequences.read_decade, sequences.read_fraction, sequences.read_compound,
    joined.read_joined, sequences.read_fiscal_year, sequences.read_code, money.read_amount,
    money.read_compound, ranges.read_range, ordinals.read_ordinal, quantities.read_quantity,
    quantities.read_hyphenated, quantities.read_per_unit, quantities.read_part,
    quantities.read_coordinate, counted.read_stars, dates.read_day, counted.read_one,
    dates.read_year, pairs.read_law, _read_version, _number,
)  # fmt: skip
