"""Reading figures aloud: numbers, amounts, quantities, dates and times as the words that a speaker of the language says."""

import re
import unicodedata
from contextlib import suppress
from decimal import Decimal

from babel.numbers import format_decimal, get_currency_name
from babel.units import UnknownUnitError, format_unit

from svc.media import instants, vocabulary
from svc.media.numerals import DIGITS, SIGN, SPACE, base, cardinal, groups_by_spaces, locale, said, signed, value

_LONGEST = 60  # characters
_SHORTEST_PHONE = 8  # digits
_CURRENCY = "|".join(sorted(map(re.escape, vocabulary.CURRENCIES), key=len, reverse=True))
_UNIT = "|".join(sorted(map(re.escape, vocabulary.UNITS), key=len, reverse=True))
_NUMBER = re.compile(f"({SIGN})({DIGITS})")
_QUANTITY = re.compile(f"({SIGN})({DIGITS}){SPACE}?({_UNIT})")
_AMOUNT_AFTER = re.compile(f"({_CURRENCY}){SPACE}?({DIGITS})(?:{SPACE}?([^\\W\\d]+)\\.?)?")
_AMOUNT_BEFORE = re.compile(f"({DIGITS}){SPACE}?({_CURRENCY})")
_RANGE = re.compile(f"({DIGITS})[-–—]({DIGITS})(?:{SPACE}?({_UNIT}|{_CURRENCY}))?")
_GROUPS = re.compile(rf"{SIGN}[1-9]\d{{0,2}}(?:{SPACE}\d{{3}})*")
_COUNTED = re.compile(f"{SIGN}{DIGITS}(?:[-–—]{DIGITS})?")
_PHONE = re.compile(rf"\+\d[\d(){SPACE}./-]*")
_WITHOUT_WORDS = ("%", "٪", "‰")  # where CLDR has a sign only, which the voice knows


def read(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """How ``text`` is said, if it is a figure; ``before`` and ``after`` are the pieces of text beside it. None: it is none.

    ``text``: without the punctuation around it, spaces within it as SPACE. ``language``: BCP 47."""
    if len(text) > _LONGEST or not any(each.isdecimal() for each in text):
        return None
    plain = "".join(str(unicodedata.decimal(each)) if each.isdecimal() else each for each in text)
    for reading in _READINGS:
        made = reading(plain, language, before, after)
        if made is not None:
            return " ".join(made.split())
    return None


def belong_together(first: str, second: str, language: str) -> bool:
    """Whether two pieces of text with a space between them are one figure: ``1 000``, ``5 km``, ``€ 5``, ``14:30 Uhr``."""
    core = second.rstrip(".,;:!?…)\"'”»")
    if _PHONE.fullmatch(first) and re.fullmatch(r"\(?\d[\d/-]*\)?", core):
        return True
    if not first[-1:].isdecimal():
        return first in vocabulary.CURRENCIES and second[:1].isdecimal()
    if _GROUPS.fullmatch(first) and groups_by_spaces(language) and re.match(r"\d{3}(?!\d)", second):
        return True
    if _COUNTED.fullmatch(first) and (core in vocabulary.UNITS or core in vocabulary.CURRENCIES):
        return True
    if re.fullmatch(r"\d\d?(?:[:.]\d\d)?", first) and (
        instants.is_time_word(core, language) or instants.is_time_word(second, language)
    ):
        return True
    scaled = core.lower() in vocabulary.SCALES.get(base(language), {})
    return scaled and re.fullmatch(f"(?:{_CURRENCY}){SPACE}?{DIGITS}", first) is not None


def _phone(text: str, language: str, before: str, after: str) -> str | None:
    groups = re.findall(r"\d+", text)
    if not _PHONE.fullmatch(text) or sum(map(len, groups)) < _SHORTEST_PHONE:
        return None
    return "+" + ", ".join(" ".join(cardinal(int(digit), language) for digit in group) for group in groups)


def _number(text: str, language: str, before: str, after: str) -> str | None:
    found = _NUMBER.fullmatch(text)
    return found and f"{signed(found[1], language)} {said(found[2], language)}"


def _range(text: str, language: str, before: str, after: str) -> str | None:
    found = _RANGE.fullmatch(text)
    if not found or (found[1].isdecimal() and len(found[1]) > 4):
        return None
    last = _counted(found[2], found[3], language) if found[3] else said(found[2], language)
    return last and f"{said(found[1], language, alone=not found[3])} {vocabulary.TO.get(base(language), '')} {last}"


def _quantity(text: str, language: str, before: str, after: str) -> str | None:
    found = _QUANTITY.fullmatch(text)
    if found is None:
        return None
    made = _counted(found[2], found[3], language)
    return made and f"{signed(found[1], language)} {made}"


def _counted(digits: str, unit: str, language: str) -> str | None:
    """A number and what it counts, in the plural that the number asks for."""
    number = value(digits, language)
    if number is None:
        return None
    if unit in vocabulary.CURRENCIES:
        return _money(digits, unit, language)
    name = vocabulary.UNITS[unit]
    with suppress(UnknownUnitError):
        made = format_unit(number, name, "long", "0.########", locale(language))
        shown = format_decimal(number, "0.########", locale(language))
        if name not in made and shown in made and not made.endswith(_WITHOUT_WORDS):
            return made.replace(shown, f" {_counting(digits, number, language)} ", 1)
    return f"{said(digits, language, alone=False)} {unit}"


def _counting(digits: str, number: Decimal, language: str) -> str:
    one = vocabulary.ONE_WITH_A_UNIT.get(base(language))
    return one if one and number == 1 else said(digits, language, alone=False)


def _amount(text: str, language: str, before: str, after: str) -> str | None:
    if found := _AMOUNT_BEFORE.fullmatch(text):
        return _money(found[1], found[2], language)
    found = _AMOUNT_AFTER.fullmatch(text)
    if not found:
        return None
    scale = vocabulary.SCALES.get(base(language), {}).get((found[3] or "").lower(), "")
    return None if found[3] and not scale else _money(found[2], found[1], language, scale)


def _money(digits: str, sign: str, language: str, scale: str = "") -> str | None:
    number = value(digits, language)
    if number is None:
        return None
    whole, _, cents = str(number).partition(".")
    if scale or len(cents) > 2:
        made = f"{said(digits, language, alone=False)} {scale} {_currency(sign, Decimal(2), language)}"
        return made.replace(" de euros", " d’euros") if base(language) == "fr" else made
    tail = cardinal(int(cents.ljust(2, "0")), language) if cents.strip("0") else ""
    return f"{_counting(whole, Decimal(whole), language)} {_currency(sign, Decimal(whole), language)} {tail}"


def _currency(sign: str, count: Decimal, language: str) -> str:
    forms = vocabulary.CURRENCY.get(sign, {}).get(base(language))
    if forms:
        return forms[0] if count == 1 else forms[1]
    return get_currency_name(vocabulary.CURRENCIES[sign], count=count, locale=locale(language))


_READINGS = (
    _phone, instants.read_date, instants.read_time, _amount, _range, _quantity, instants.read_ordinal, instants.read_day,
    instants.read_year, _number,
)  # fmt: skip
