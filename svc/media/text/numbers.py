"""Reading figures aloud: numbers, amounts, quantities, dates and times in the words that a speaker of the language uses."""

import re
import unicodedata
from contextlib import suppress
from decimal import Decimal, InvalidOperation

from babel.numbers import format_decimal, get_currency_name
from babel.units import UnknownUnitError, format_unit

from svc.media.text import dates, sequences, vocabulary
from svc.media.text.numerals import (
    DIGITS,
    PAUSES,
    SIGN,
    SPACE,
    base_language,
    cardinal,
    groups_by_spaces,
    locale,
    number_in_words,
    parse_number,
    sign_in_words,
)

_LONGEST = 60  # characters
_CURRENCY = "|".join(sorted(map(re.escape, vocabulary.CURRENCIES), key=len, reverse=True))
_UNIT = "|".join(sorted(map(re.escape, vocabulary.UNITS), key=len, reverse=True))
_NUMBER = re.compile(f"({SIGN})({DIGITS})")
_QUANTITY = re.compile(f"({SIGN})({DIGITS}){SPACE}?({_UNIT})")
_AMOUNT_AFTER = re.compile(f"({_CURRENCY}){SPACE}?({DIGITS})(?:{SPACE}?([^\\W\\d]+)\\.?)?")
_AMOUNT_BEFORE = re.compile(f"({DIGITS}){SPACE}?({_CURRENCY})")
_RANGE = re.compile(f"({DIGITS})[-–—]({DIGITS})(?:{SPACE}?({_UNIT}|{_CURRENCY}))?")
_MODEL = re.compile(r"\d{3}-\d{3}")  # a Boeing 747-400, if the second is less
_GROUPS = re.compile(rf"{SIGN}[1-9]\d{{0,2}}(?:{SPACE}\d{{3}})*")
_COUNTED = re.compile(f"{SIGN}{DIGITS}(?:[-–—]{DIGITS})?")
_WITHOUT_WORDS = ("%", "٪", "‰")  # CLDR has only the sign, which the voice can read


def read_figure(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return how ``text`` is spoken if it is a figure, else None. ``before`` and ``after``: the neighbouring pieces of text.

    ``text``: without the punctuation around it, with SPACE for spaces within it. ``language``: BCP 47.
    """
    if len(text) > _LONGEST or not any(character.isnumeric() for character in text):
        return None
    plain = "".join(str(unicodedata.decimal(character)) if character.isdecimal() else character for character in text)
    for read in _READERS:
        words = read(plain, language, before, after)
        if words is not None:
            return " ".join(words.split())
    return None


def read_rate(text: str, language: str) -> str | None:
    """Return how an amount per something is spoken: ``$12/mo``, ``€/kWh``, ``$5/user/month``; None: it is none."""
    head, *rest = text.split("/")
    if not rest or len(text) > _LONGEST or not all(part[:1].isalnum() and part not in vocabulary.CURRENCIES for part in rest):
        return None
    if head in vocabulary.CURRENCIES:
        amount: str | None = _currency(head, Decimal(2), language)
    else:
        amount = _amount(head, language, "", "")
    per = vocabulary.PER.get(base_language(language), "")
    return amount and " ".join(" ".join((amount, *(f"{per} {_one(part, language)}" for part in rest))).split())


def _one(unit: str, language: str) -> str:
    """Return the name of what an amount is paid for: one gigabyte, one month, or a word as it is written."""
    if (period := vocabulary.PERIODS.get(base_language(language), {}).get(unit)) is not None:
        return period
    if unit in vocabulary.UNITS:
        with suppress(UnknownUnitError):
            return format_unit(1, vocabulary.UNITS[unit], "long", "0", locale(language)).replace("1", "")
    return read_figure(unit, language) or unit


def is_one_figure(first: str, second: str, language: str) -> bool:
    """Return whether two pieces of text around a space are one figure: ``1 000``, ``5 km``, ``€ 5``, ``14:30 Uhr``."""
    core = second.rstrip(f".…)\"'”»{PAUSES}")
    if sequences.continues_phone(first, core):
        return True
    if re.fullmatch(r"\d{1,4}", first) and re.fullmatch(r"[1-9]\d?/[1-9]\d?|[½⅓⅔¼¾⅛⅜⅝⅞]", core):
        return True
    if not first[-1:].isdecimal():
        return first in vocabulary.CURRENCIES and second[:1].isdecimal()
    if _GROUPS.fullmatch(first) and groups_by_spaces(language) and re.match(r"\d{3}(?!\d)", second):
        return True
    if _COUNTED.fullmatch(first) and (core in vocabulary.UNITS or core in vocabulary.CURRENCIES):
        return True
    if re.fullmatch(r"\d\d?(?:[:.]\d\d)?", first) and (
        dates.is_time_word(core, language) or dates.is_time_word(second, language)
    ):
        return True
    scaled = core.lower() in vocabulary.SCALES.get(base_language(language), {})
    return scaled and re.fullmatch(f"(?:{_CURRENCY}){SPACE}?{DIGITS}", first) is not None


def _number(text: str, language: str, before: str, after: str) -> str | None:
    match = _NUMBER.fullmatch(text)
    return match and f"{sign_in_words(match[1], language)} {number_in_words(match[2], language)}"


def _range(text: str, language: str, before: str, after: str) -> str | None:
    match = _RANGE.fullmatch(text)
    if not match or (match[1].isdecimal() and len(match[1]) > 4):
        return None
    if not match[3] and _MODEL.fullmatch(text) and match[1] > match[2]:
        return f"{number_in_words(match[1], language)} {number_in_words(match[2], language)}"
    last = _counted(match[2], match[3], language) if match[3] else number_in_words(match[2], language)
    first = number_in_words(match[1], language, alone=not match[3])
    return last and f"{first} {vocabulary.TO.get(base_language(language), '')} {last}"


def _quantity(text: str, language: str, before: str, after: str) -> str | None:
    match = _QUANTITY.fullmatch(text)
    if match is None:
        return None
    words = _counted(match[2], match[3], language)
    return words and f"{sign_in_words(match[1], language)} {words}"


def _counted(digits: str, unit: str, language: str) -> str | None:
    """Return a number with its unit, in the plural form that the number requires."""
    number = parse_number(digits, language)
    if number is None:
        return None
    if unit in vocabulary.CURRENCIES:
        return _money(digits, unit, language)
    name = vocabulary.UNITS[unit]
    with suppress(UnknownUnitError, InvalidOperation):  # the latter: too many digits for CLDR's rules of plural forms
        quantity = format_unit(number, name, "long", "0.########", locale(language))
        figure = format_decimal(number, "0.########", locale(language))
        if name not in quantity and figure in quantity and not quantity.endswith(_WITHOUT_WORDS):
            return quantity.replace(figure, f" {_count(digits, number, language)} ", 1)
    return f"{number_in_words(digits, language, alone=False)} {unit}"


def _count(digits: str, number: Decimal, language: str) -> str:
    one = vocabulary.ONE_WITH_A_UNIT.get(base_language(language))
    return one if one and number == 1 else number_in_words(digits, language, alone=False)


def _amount(text: str, language: str, before: str, after: str) -> str | None:
    if match := _AMOUNT_BEFORE.fullmatch(text):
        return _money(match[1], match[2], language)
    match = _AMOUNT_AFTER.fullmatch(text)
    if not match:
        return None
    scale = vocabulary.SCALES.get(base_language(language), {}).get((match[3] or "").lower(), "")
    return None if match[3] and not scale else _money(match[2], match[1], language, scale)


def _money(digits: str, sign: str, language: str, scale: str = "") -> str | None:
    number = parse_number(digits, language)
    if number is None:
        return None
    units, _, cents = str(number).partition(".")
    if scale or len(cents) > 2:
        words = f"{number_in_words(digits, language, alone=False)} {scale} {_currency(sign, Decimal(2), language)}"
        return words.replace(" de euros", " d’euros") if base_language(language) == "fr" else words
    tail = cardinal(int(cents.ljust(2, "0")), language) if cents.strip("0") else ""
    return f"{_count(units, Decimal(units), language)} {_currency(sign, Decimal(units), language)} {tail}"


def _currency(sign: str, count: Decimal, language: str) -> str:
    forms = vocabulary.CURRENCY.get(sign, {}).get(base_language(language))
    if forms:
        return forms[0] if count == 1 else forms[1]
    return get_currency_name(vocabulary.CURRENCIES[sign], count=count, locale=locale(language))


_READERS = (
    dates.read_date, sequences.read_phone, dates.read_time, sequences.read_decade, sequences.read_fraction, sequences.read_code,
    _amount, _range, _quantity, dates.read_ordinal, dates.read_day, dates.read_year, _number,
)  # fmt: skip
