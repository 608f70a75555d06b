"""Arithmetic in words: ``5 - 3 =``, ``4 x 6``, ``2x``."""

import re
from decimal import Decimal

from svc.media.languages import Everywhere, Formulas, Numbers, read_words
from svc.media.text import signs
from svc.media.text.figures import quantities
from svc.media.text.numerals import (
    DIGITS,
    SPACE,
    base_language,
    find_locale,
    parse_number,
    spell_number,
)

_NUMBER = re.compile(rf"[-−]?{DIGITS}")
_DIFFERENCE = re.compile(rf"([-−]?)({DIGITS}){SPACE}[-–−]{SPACE}({DIGITS})")
_MULTIPLE = re.compile(rf"({DIGITS})[x×]")
SIDES = rf"{DIGITS}(?:[x×]{DIGITS}){{1,2}}"
_MEASURED_SIDES = re.compile(rf"({SIDES}){SPACE}?({quantities.UNIT})")
_OF_SIDES = ("length", "area", "graphics")  # what may have sides, and is not taken several times
_MOST = 1000  # times, as they are written with an x
_EQUATION = re.compile(rf"({DIGITS})(?:([+−×÷*-])({DIGITS}))?=([-−]?)({DIGITS})")
_SUM = re.compile(r"\d{1,3}(?:\+\d{1,3}){1,2}")  # rooms: 3+1
_STANDS_FOR = {"*": "×", "-": "−"}
RESULTS = ("=", "≈")
_OPERATORS = ("+", "-", "−", "–", "^", *RESULTS)  # beside them, 2x has an unknown


def read_difference(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return a difference beside its result in words: ``5 - 3`` before or after ``=``;
    None: ``text`` is none.
    """
    match = _DIFFERENCE.fullmatch(text) if after in RESULTS or before in RESULTS else None
    if match is None:
        return None
    minus = read_words(language, Numbers).minus or "−"
    sign = f"{minus} " if match[1] else ""
    return f"{sign}{spell_number(match[2], language)} {minus} {spell_number(match[3], language)}"


def is_difference(before: str, first: str, sign: str, second: str, after: str) -> bool:
    """Return whether pieces of text between spaces are a difference beside its result: ``5``,
    ``-``, ``3``, ``=``.
    """
    return (after in RESULTS or before in RESULTS) and _DIFFERENCE.fullmatch(
        SPACE.join((first, sign, second))
    ) is not None


def read_equation(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return an equation without spaces in words: ``2+2=4``; None: ``text`` is none."""
    match = _EQUATION.fullmatch(text)
    equals = find_word_between("=", language)
    if match is None or not equals:
        return None
    first, sign, second, minus, result = match.groups()
    parts = [spell_number(first, language, alone=False)]
    if sign:
        parts += [
            find_word_between(_STANDS_FOR.get(sign, sign), language) or sign,
            spell_number(second, language, alone=False),
        ]
    negative = read_words(language, Numbers).minus if minus else ""
    return " ".join((*parts, equals, negative, spell_number(result, language, alone=False)))


def read_sum(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return two or three numbers with a plus between them in words: ``3+1``; None: ``text`` is
    nothing of the kind."""
    plus = find_word_between("+", language) if _SUM.fullmatch(text) else ""
    if not plus:
        return None
    return f" {plus} ".join(
        spell_number(number, language, alone=False) for number in text.split("+")
    )


def find_word_between(sign: str, language: str) -> str:
    """Return what is said for ``=``, ``+`` or another sign between two numbers; empty: nothing
    is known."""
    numbers = read_words(language, Numbers)
    own = {
        "=": read_words(language, Formulas).said.get("=", ""),
        "+": numbers.plus,
        "−": numbers.minus,
    }
    return own[sign] if sign in own else signs.name_sign(sign, language)


def read_multiple(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return how many times something is: ``2x``, ``1.5×``; None: ``text`` is nothing of the kind,
    or part of an equation.
    """
    match = _MULTIPLE.fullmatch(text)
    numbers = read_words(language, Numbers)
    number = parse_number(match[1], language) if match else None
    if (
        match is None
        or not numbers.times
        or number is None
        or {before[-1:], after[:1]} & {*_OPERATORS}
    ):
        return None
    if after.lower() in read_words(base_language(language), Everywhere).after_unknowns:
        return None
    if not 0 < number <= _MOST:  # 0x begins a number to the base of sixteen
        return None
    if number == 1 and not (match[1] in numbers.times and after[:1].islower()):  # zoom 1x
        return None
    return _count_times(match[1], number, before, language)


def _count_times(digits: str, number: Decimal, before: str, language: str) -> str:
    """Return how many times something is in words: ``dvakrát``, ``de trei ori``."""
    numbers = read_words(language, Numbers)
    form = numbers.times_after.get(before.lower()) or numbers.times.get(
        find_locale(language).plural_form(number), numbers.times["other"]
    )
    count = spell_number(digits, language)
    said = numbers.times.get(digits) or (
        form.format(count) if "{0}" in form else f"{count} {form}".replace(" -", "")
    )
    return said.removeprefix(f"{before.lower()} ")  # de 2x


def read_sides(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return the sides of something in words, or a quantity that is there several times:
    ``3x4 m``, ``2×500 ml``; None: ``text`` is neither."""
    match, by = _MEASURED_SIDES.fullmatch(text), read_words(language, Numbers).by
    if match is None or not by or not quantities.is_unit(match[2], language):
        return None
    *first, last = re.split("[x×]", match[1])
    quantity = quantities.read_quantity(f"{last}{SPACE}{match[2]}", language)
    if quantities.find_measured_quantity(f"{last}{match[2]}") not in _OF_SIDES:
        times = read_multiple(f"{first[0]}x", language) if len(first) == 1 else None
        return times and quantity and f"{times} {quantity}"
    sides = [spell_number(side, language, alone=False) for side in first]
    return quantity and join_sides([*sides, quantity], language)


def join_sides(sides: list[str], language: str) -> str:
    """Return sides in words with the word between them: ``drie bij vier``, ``háromszor négy``."""
    return f" {read_words(language, Numbers).by} ".join(sides).replace(" -", "")


def find_words_for_x(sign: str, language: str, before: str, after: str) -> str:
    """Return what is said for an ``x`` between two numbers, which are sides unless the unit of
    the second is none of length; empty if ``sign`` is none."""
    if sign not in ("x", "X") or not (_NUMBER.fullmatch(before) and re.match(r"\d", after)):
        return ""
    counts = quantities.find_measured_quantity(after) not in ("", *_OF_SIDES)
    by = read_words(language, Numbers).by.removeprefix("-")
    return (not counts and by) or signs.name_sign("×", language)
