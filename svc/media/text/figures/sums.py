"""Arithmetic in words: ``5 - 3 =``, ``4 x 6``, ``2x``."""

import re
from decimal import Decimal

from svc.media.languages import Everywhere, Formulas, Numbers, read_words
from svc.media.text import cases, signs
from svc.media.text.figures import money, quantities
from svc.media.text.numerals import (
    DIGITS,
    PAUSES,
    SPACE,
    agree,
    base_language,
    find_locale,
    parse_number,
    spell_number,
)

_NUMBER = re.compile(rf"[-−]?{DIGITS}")
_DIFFERENCE = re.compile(rf"([-−]?)({DIGITS}){SPACE}[-–−]{SPACE}({DIGITS})")
TIMES = "x×х"  # between sides or after a number of times; the last is a Cyrillic letter
_MULTIPLE = re.compile(rf"({DIGITS}){SPACE}?([{TIMES}])")
# How often something is, or how many there are of it: 2 x täglich, 3 x/jour, 2 x Pizza.
_LONGEST_COUNT = 2  # digits
_TIMES_OF = re.compile(rf"[{TIMES}](?: (?:[^\W\d_]{{2,}}\S*|[вvwà]$)|/[^\W\d_]+\S*)")
SIDES = rf"{DIGITS}(?:[{TIMES}]{DIGITS}){{1,2}}"
_MEASURED_SIDES = re.compile(rf"({SIDES}){SPACE}?({quantities.UNIT})")
_MEASURED = re.compile(rf"{DIGITS}{SPACE}?[cdkm]?m")
_FEET = re.compile(r"\d{1,2}['’′]\d{1,2}[\"″”]?,?")
_OF_SIDES = ("length", "area", "graphics")  # what may have sides, and is not taken several times
_MOST = 1000  # times, as they are written with an x
_EQUATION = re.compile(rf"({DIGITS})(?:([+−×÷*-])({DIGITS}))?=([-−]?)({DIGITS})")
_SUM = re.compile(r"\d{1,3}(?:\+\d{1,3}){1,2}")  # rooms: 3+1
_STANDS_FOR = {"*": "×", "-": "−"}
_SPACED = re.compile(rf"(?<=\d){SPACE}([{TIMES}]){SPACE}(?=\d)", re.IGNORECASE)
_SEVERAL_AMOUNTS = re.compile(rf"({DIGITS})[{TIMES}]([^{TIMES}]+)")
_MULTIPLES = re.compile(rf"({DIGITS})[{TIMES}]?[-–—]({DIGITS})[{TIMES}]")
_SEVERAL = Decimal(10)
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
    if match[2] == "х" and (said := _read_as_ending(match[1], before, after, language)):
        return said
    return _count_times(match[1], number, before, language)


def read_multiples(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return from how many times to how many something is: ``2–3x``, ``5x-10x``; None: ``text`` is
    nothing of the kind."""
    match, numbers = _MULTIPLES.fullmatch(text), read_words(language, Numbers)
    end = parse_number(match[2], language) if match else None
    if match is None or end is None:
        return None
    last = read_multiple(f"{match[2]}x", language, before, after)
    first = read_multiple(f"{match[1]}x", language, before, numbers.to or "x")  # also 1x
    if first is None or last is None:
        return None
    form = _form_of_times(end, before, language)
    to = numbers.to
    if numbers.to_case and not numbers.governs_several:
        said = cases.spell_range(match[1], match[2], "", before, form, language)
        if said and numbers.opens in said.split()[:1]:
            form = _form_of_times(_SEVERAL, before, language)  # от двух до пяти раз
        if said:
            return f"{said} {form}"
        to = ""  # полтора два раза
    first = agree(first, "", language)
    if numbers.times_in_cases and first.split()[-1] == last.split()[-1]:
        form = last.split()[-1]
    # dvakrát až třikrát, as times are an ending there
    return f"{first.removesuffix(form).rstrip()} {to} {last}"


def _read_as_ending(digits: str, before: str, after: str, language: str) -> str | None:
    """Return a number whose х is the ending that the genitive and the locative of two, three and
    four have in Russian and Ukrainian: ``из 2х частей``, ``3х разовое``; None: it says how many
    times."""
    ends = read_words(base_language(language), Numbers).ends_in_x
    if ends is None:
        return None
    is_governed = cases.find_form(digits, before, after, language).case in ("genitive", "locative")
    if not ends.search(digits if is_governed else f"{digits} {after.lower()}"):
        return None
    return cases.count_in_words(digits, cases.Form("genitive"), language)


def _count_times(digits: str, number: Decimal, before: str, language: str) -> str:
    """Return how many times something is in words: ``dvakrát``, ``de trei ori``."""
    numbers = read_words(language, Numbers)
    form = _form_of_times(number, before, language)
    count = spell_number(digits, language)
    if cases.find_form(digits, before, "", language, is_counted=True).case == "genitive":
        in_genitive = cases.count_in_words(digits, cases.Form("genitive"), language)
        if in_genitive and form.isalpha():  # до десяти раз
            return f"{in_genitive} {_form_of_times(_SEVERAL, before, language)}"
    if said := _count_times_in_case(digits, number, before, language):
        return said
    said = numbers.times.get(f"{number.normalize():f}") or (
        form.format(count) if "{0}" in form else f"{count} {form}".replace(" -", "")
    )
    return said.removeprefix(f"{before.lower()} ")  # de 2x


def _count_times_in_case(digits: str, number: Decimal, before: str, language: str) -> str | None:
    """Return how many times something is in the case that the word before takes: ``līdz desmit
    reizēm``; None: the language has no words for it."""
    known = read_words(language, Numbers).times_in_cases
    written = f"{number.normalize():f}"
    is_named = any(written in names for names in known.values())
    # Of decimals, one and a half stand in the singular.
    whole = digits if written.isdecimal() else "1" if is_named else "2"
    case = cases.find_form(whole, before, "", language, is_counted=True).case
    if case not in known:
        return None
    plural = find_locale(language).plural_form(number)
    count = cases.count_in_words(digits, cases.Form(case), language)
    return known[case].get(written) or (
        f"{count or spell_number(digits, language)} {known[case].get(plural, known[case]['other'])}"
    )


def _form_of_times(number: Decimal, before: str, language: str) -> str:
    numbers = read_words(language, Numbers)
    return numbers.times_after.get(before.lower()) or numbers.times.get(
        find_locale(language).plural_form(number), numbers.times["other"]
    )


def read_sides(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return the sides of something in words, or a quantity or an amount that is there several
    times: ``3x4 m``, ``2×500 ml``, ``2x100 €``; None: ``text`` is none."""
    several = _SEVERAL_AMOUNTS.fullmatch(text)
    amount = several and money.parse(several[2], language)
    if several and amount and amount.currency:
        times = read_multiple(f"{several[1]}x", language)
        said = money.read_amount(several[2], language)
        return times and said and f"{times} {said}"
    match, by = _MEASURED_SIDES.fullmatch(text), read_words(language, Numbers).by
    if match is None or not by or not quantities.is_unit(match[2], language):
        return None
    *first, last = re.split(f"[{TIMES}]", match[1])
    quantity = quantities.read_quantity(f"{last}{SPACE}{match[2]}", language)
    if quantities.find_measured_quantity(f"{last}{match[2]}") not in _OF_SIDES:
        times = read_multiple(f"{first[0]}x", language) if len(first) == 1 else None
        return times and quantity and f"{times} {quantity}"
    sides = [spell_number(side, language, alone=False) for side in first]
    said = quantity and quantities.join_counts(sides, by, last, match[2], language)
    return said and said.replace(" -", "")


def is_multiple_of(first: str, following: list[str]) -> bool:
    """Return whether the piece after the number ``first`` is an ``x`` that says how many times, by
    the word behind it: ``2 x täglich``."""
    is_count = first.isdecimal() and len(first) <= _LONGEST_COUNT
    return is_count and _TIMES_OF.match(" ".join(following[:2])) is not None


def are_sides(first: str, following: list[str], language: str) -> bool:
    """Return whether pieces of text are two numbers with an ``x`` between them, for which the first
    gets an ending, or the name of their unit stands in front: Hungarian ``3 x 4``, Swahili."""
    by = read_words(language, Numbers).by
    is_one = by.startswith("-") or quantities.puts_units_first(language)
    text = close_up(SPACE.join((first, *following)).rstrip(f"{PAUSES}.)"))
    return is_one and re.fullmatch(SIDES, text) is not None


def close_up(text: str) -> str:
    """Return a figure without the spaces around its ``x``."""
    return _SPACED.sub(lambda sign: sign[1].lower(), text)


def join_sides(sides: list[str], language: str) -> str:
    """Return sides in words with the word between them: ``drie bij vier``, ``háromszor négy``."""
    return f" {read_words(language, Numbers).by} ".join(sides).replace(" -", "")


_NUMBER_AND_NOUN = re.compile(r"\d+-[^\W\d_]{4,}")


def find_words_for_x(sign: str, language: str, before: str, after: str) -> str:
    """Return what is said for an ``x`` between two numbers, which are sides unless the unit of
    the second is none of length; empty if ``sign`` is none."""
    by = read_words(language, Numbers).by
    is_measured = _MEASURED.fullmatch(before) and not by.startswith("-")  # 20 cm x 30 cm
    is_number = _NUMBER.fullmatch(before) or is_measured
    are_feet = _FEET.fullmatch(before) and _FEET.match(after)  # 15'2" × 12'10"
    are_sides = are_feet or (is_measured and _MEASURED.match(after))
    if are_sides and sign.lower() in TIMES:
        return by.removeprefix("-") or signs.name_sign("×", language)
    if sign.lower() not in ("x", "х") or not (is_number and re.match(r"\d", after)):
        return ""
    amount = money.parse(after.rstrip(f"{PAUSES}."), language)
    is_amount = amount is not None and bool(amount.currency)
    is_counted = _NUMBER_AND_NOUN.match(after) is not None  # 3 x 57-seater
    counts = (
        is_amount or is_counted or quantities.find_measured_quantity(after) not in ("", *_OF_SIDES)
    )
    return (not counts and by.removeprefix("-")) or signs.name_sign("×", language)
