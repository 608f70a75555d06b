"""Numbers with a unit in words: ``5 km``, ``−3 °C``, ``5.3 l/100 km``."""

import re
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from functools import cache

from babel.numbers import format_decimal
from babel.units import UnknownUnitError, format_compound_unit, format_unit

from svc.media.languages import Numbers, Times, Units, read_words, read_words_by_language
from svc.media.text import cases, sequences, units
from svc.media.text.figures import counted
from svc.media.text.numerals import (
    DIGITS,
    PAUSES,
    SIGN,
    SPACE,
    base_language,
    elide_of,
    find_locale,
    parse_number,
    sign_in_words,
    spell_number,
)

_ALL_UNITS = {
    *units.UNITS,
    *(unit for each in read_words_by_language(Units).values() for unit in (*each.own, *each.named)),
}
UNIT = "|".join(sorted(map(re.escape, _ALL_UNITS), key=len, reverse=True))
HALVES = ("½", "1/2")
FRACTION = rf"(?:(?:\d{{1,3}}{SPACE}?)?[½⅓⅔¼¾⅛⅜⅝⅞]|(?:\d{{1,3}}{SPACE})?[1-9]\d?/[1-9]\d?)"
_DURATION = re.compile(r"(\d{1,2})h([0-5]\d)(['’′]|min|m)?")  # 3h30', 1h45min
_WITH_HALF = re.compile(rf"([1-9]\d{{0,2}})(?:{SPACE}?½|{SPACE}1/2)")
_OF_FRACTION = re.compile(f"({FRACTION}){SPACE}?({UNIT})")
SPACED_UNITS = frozenset(unit for unit in _ALL_UNITS if SPACE in unit)  # fl oz
QUANTITY = re.compile(f"({SIGN})({DIGITS}){SPACE}?({UNIT})")
_PERCENT_FIRST = re.compile(f"[%٪]{SPACE}?({SIGN})({DIGITS})(?:[-–]({DIGITS}))?")
_FEET = re.compile(rf"(\d{{1,3}}){SPACE}?ft{SPACE}(\d{{1,2}}){SPACE}in")
_RATE = re.compile(rf"({SIGN})({DIGITS}){SPACE}?({UNIT})/(?:(\d{{1,4}}){SPACE}?)?({UNIT})")
# A unit for each of another, which may follow a number: mg/l, l/100 (km).
PER_UNIT = re.compile(rf"(?:{UNIT})/(?:{UNIT}|\d{{1,4}}(?:{SPACE}?{UNIT})?)")
_COORDINATE = re.compile(f"({DIGITS})°([NESW])|(\\d{{2,3}})([CF])")
_DIRECTIONS = {"N": "north", "E": "east", "S": "south", "W": "west"}
# The least number before C or F that is a temperature, as in 180C, and the words that may stand
# before it: seat 14C is none.
_COOLEST, _BEFORE_HEAT = 100, ("", "at", "to", "about", "around", "of", "until", "a", "the")
_HYPHENATED = re.compile(rf"({DIGITS})-({UNIT})(-[^\W\d_].*)?")
_PRESSURES = re.compile(rf"(\d{{2,3}})/(\d{{2,3}}){SPACE}?mmHg")
_LONGEST_UNIT = 3  # letters
_PLURALS = {  # by how many forms a name has: CLDR's names of them
    1: ("other",),
    2: ("one", "other"),
    3: ("zero", "one", "other"),
    4: ("one", "few", "many", "other"),
    5: ("one", "two", "few", "many", "other"),
}
_SAME_KIND = frozenset(("mg/kg", "g/kg", "µg/kg", "mg/g", "ml/l", "mL/L"))  # and no choice
_WITHOUT_WORDS = ("%", "٪", "‰")  # CLDR has only the sign, which the voice can read


def read_quantity(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return a number with its sign and its unit in words; None: ``text`` is nothing
    of the kind.
    """
    if percentage := _PERCENT_FIRST.fullmatch(text):  # %20 in Turkish
        words = spell_quantity(percentage[2], "%", language)
        last = spell_number(percentage[3], language, alone=False) if percentage[3] else ""
        to = read_words(language, Numbers).to if last else ""
        return words and f"{sign_in_words(percentage[1], language)} {words} {to} {last}"
    match = QUANTITY.fullmatch(text)
    if match is None:
        return None
    differs = match[3] == "%" and before.lower() in read_words(language, Numbers).differs_by
    form = cases.find_form(match[2], "" if differs else before, "", language, is_counted=True)
    words = spell_quantity(match[2], match[3], language, form.case)
    if (
        counted.is_adjective(before, after, language)
        and (one := name_unit(match[3], language)) is not None
        and one.strip()
    ):
        words = f"{spell_count(match[2], language)} {one}"
    words = words and counted.decline_one(words, before, language)
    return words and f"{sign_in_words(match[1], language)} {words}"


def puts_units_first(language: str) -> bool:
    """Return whether the name of a unit stands before its number: ``sentimita 30``."""
    return any(forms[0].endswith(" {0}") for forms in read_words(language, Units).named.values())


def read_in_case(text: str, case: str, ending: str, language: str) -> str | None:
    """Return a whole number, with or without a unit, in a Finnish case, whose ``ending`` the unit
    gets: ``viiden kilometrin``; None: ``text`` is nothing of the kind."""
    digits, unit = text, ""
    if match := QUANTITY.fullmatch(text):
        digits, unit = match[2], find_cldr_name(match[3], language) or ""
        if match[1] or not unit:
            return None
    count_in_case = cases.count_in_words(digits, cases.Form(case), language)
    if count_in_case is None or not unit:
        return count_in_case
    genitive = (cases.spell_quantity(digits, unit, "genitive", language) or "").split()
    stem = " ".join(genitive[1:]).removesuffix("n")
    name = stem + (ending[1:] if stem.endswith(ending[0]) and len(ending) > 1 else ending)
    return f"{count_in_case} {name}" if stem else None


def read_hyphenated(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return a quantity that a hyphen joins to its noun: ``5-km run``, ``10-kg-Sack``; None:
    ``text`` is none, or no words are known for it."""
    match = _HYPHENATED.fullmatch(text) if read_words(language, Units).hyphenates else None
    one = name_unit(match[2], language) if match else None
    if match is None or one is None or not one.strip():
        return None
    if base_language(language) != "en":
        one = (
            (spell_quantity(match[1], match[2], language) or one)
            .removeprefix(" ")
            .split(" ", 1)[-1]
            if match[1] != "1"
            else one
        )
    return f"{spell_count(match[1], language)} {one} {(match[3] or '').removeprefix('-')}"


def read_blood_pressure(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return two pressures with their unit in words: ``120/80 mmHg``; None: ``text`` is none."""
    match, over = _PRESSURES.fullmatch(text), read_words(language, Numbers).over
    last = (
        (spell_quantity(match[2], "mmHg", language) or "").replace("-kwikdruk", " kwik")
        if match and over
        else None
    )
    return (
        f"{spell_number(match[1], language, alone=False)} {over} {last}" if match and last else None
    )


def read_per_unit(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return a quantity for one or several of another unit: ``5 mg/l``, ``5.3 l/100 km``;
    None: ``text`` is none.
    """
    match = _RATE.fullmatch(text)
    number = parse_number(match[2], language) if match else None
    if match is None or number is None:
        return None
    unit, other = find_cldr_name(match[3], language), find_cldr_name(match[5], language)
    if not is_unit(match[3], language) or not is_unit(match[5], language):
        return None
    # CLDR's compound says millimoles for moles
    if unit is None or other is None or match[3] == "mol":
        return _speak_two_parts(match, language)
    with suppress(UnknownUnitError, InvalidOperation):
        rate = format_compound_unit(
            number, unit, int(match[4] or 1), other, "long", "0.########", find_locale(language)
        )
        figure = format_decimal(number, "0.########", find_locale(language))
        if rate and "/" not in rate and rate.startswith(figure):
            said = rate.removeprefix(figure)
            if one_part := cases.name_after_decimals(match[2], unit, language):
                several = format_unit(number, unit, "long", "0.########", find_locale(language))
                said = said.replace(several.removeprefix(figure).strip(), one_part, 1)
            if match[4]:
                said = said.replace(match[4], spell_number(match[4], language, alone=False))
            return f"{sign_in_words(match[1], language)} {spell_count(match[2], language)} {said}"
    return _speak_two_parts(match, language)


def _speak_two_parts(match: re.Match[str], language: str) -> str | None:
    """Return a quantity for one of another unit, each with its own name;
    None if a word is missing.
    """
    words, one = read_words(language, Units), name_unit(match[5], language)
    quantity = spell_quantity(match[2], match[3], language)
    known = words.per and one and quantity and not match[4] and words.counts_per
    return f"{sign_in_words(match[1], language)} {quantity} {words.per} {one}" if known else None


def read_feet(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return feet and inches in English words: ``6 ft 2 in``; None: ``text`` is none."""
    match = _FEET.fullmatch(text) if base_language(language) == "en" else None
    if match is None:
        return None
    return f"{spell_quantity(match[1], 'ft', language)} {spell_quantity(match[2], '″', language)}"


def read_unit_alone(text: str, language: str) -> str | None:
    """Return one unit for another without a number in words, as a column of a table has it:
    ``mol/L``; None: ``text`` is none, or may be a choice of two, such as ``kg/lb``."""
    unit, _, other = text.partition("/")
    per, units_of = read_words(language, Units).per, (unit, other)
    kinds = {units.UNITS.get(each, "").partition("-")[0] for each in units_of}
    is_choice = len(kinds) == 1 and text not in _SAME_KIND
    if is_choice or not per or all(len(each) == 1 for each in units_of):
        return None
    several = spell_quantity("2", unit, language) if is_unit(unit, language) else None
    one = name_unit(other, language)
    if several is None or one is None or not one.strip():
        return None
    two = spell_number("2", language, alone=False)
    return " ".join(f"{several.strip().removeprefix(two)} {per} {one}".split())


def read_part(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return a fraction of a unit, or more than one with a fraction: ``½ l``, ``1½ kg``;
    None: ``text`` is none.
    """
    match = _OF_FRACTION.fullmatch(text)
    name = find_cldr_name(match[2], language) if match else None
    noun = (cases.name_of_part(name, language) or "") if name else ""
    if match and read_words(language, Numbers).half_of:
        noun = (name_unit(match[2], language) or "").strip()
    part = sequences.read_fraction(match[1], language, before, noun) if match else None
    if match is None or part is None:
        return None
    several = match[1][0].isdecimal() and "/" not in match[1].split(SPACE)[0]
    if several and (whole := find_whole_with_half(match[1])):
        half_after = read_words(language, Numbers).half_after
        said = read_quantity(f"{whole}{match[2]}", language) if half_after else None
        one = (read_quantity(f"1{match[2]}", language) or "").split()[:1] if said else []
        if said:
            return f"{said} {half_after[one != [] and is_feminine_one(one[0])]}"
    if forms := read_words(language, Units).named.get(match[2]):
        if several and "{0}" in forms[-1]:
            return forms[-1].format(part)  # lita 2 na nusu, but nusu lita
        return f"{part} {forms[-1 if several else 0].format('').strip()}"
    if name is None:
        return None
    with suppress(UnknownUnitError):
        is_several = several and not read_words(language, Numbers).half_in_singular
        noun = format_unit(2 if is_several else 1, name, "long", "0", find_locale(language)).strip(
            f"12 {SPACE}"
        )
        if name in noun:  # CLDR has no words for it
            return None
        of = "" if several or match[1] in HALVES else read_words(language, Numbers).of_parts
        return elide_of(f"{part} {of} {cases.name_of_part(name, language) or noun}", language)
    return None


def find_whole_with_half(text: str) -> str:
    """Return the whole number of one with a half, ``1`` of ``1½``; empty: it has none."""
    match = _WITH_HALF.fullmatch(text)
    return match[1] if match else ""


def is_feminine_one(word: str) -> bool:
    """Return whether a word for one has the gender of a feminine noun."""
    return word.lower() in ("une", "una", "uma", "o")


def read_coordinate(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return a latitude or a longitude in English words, ``51.5°N``,
    or the heat of an oven: ``180C``.
    """
    match = _COORDINATE.fullmatch(text) if base_language(language) == "en" else None
    if match and match[3]:
        if int(match[3]) < _COOLEST or before.lower() not in _BEFORE_HEAT:
            return None
        return spell_quantity(match[3], f"°{match[4]}", language)
    degrees = spell_quantity(match[1], "°", language) if match else None
    return f"{degrees} {_DIRECTIONS[match[2]]}" if match and degrees else None


def read_duration(text: str, language: str, before: str, after: str) -> str | None:
    """Return hours and minutes as a length of time: ``3h30'``, and ``1h45`` where no time of day is
    written so; None: ``text`` is none."""
    match = _DURATION.fullmatch(text)
    if match is None or (not match[3] and read_words(language, Times).hours_with_h):
        return None
    parts = [spell_quantity(match[1], "h", language)]
    if int(match[2]):
        parts.append(spell_quantity(match[2].lstrip("0"), "min", language))
    return " ".join(part for part in parts if part) if all(parts) else None


def spell_quantity(digits: str, unit: str, language: str, case: str = "") -> str | None:
    """Return a number with its unit, in the plural form that the number requires;
    None if it has no value. ``case``: empty for the nominative."""
    number = parse_number(digits, language)
    if number is None:
        return None
    if forms := read_words(language, Units).named.get(unit):
        form = _form(forms, number, language)
        one = (
            counted.find_article(form.split()[0], base_language(language)) if digits == "1" else ""
        )
        figure = one or spell_count(digits, language)
        return form.format(figure) if "{0}" in form else f"{figure} {form}"
    name = find_cldr_name(unit, language)
    if name is None:
        return None
    if inflected := cases.spell_quantity(digits, name, case, language):
        return inflected
    is_whole = number == number.to_integral_value()
    count = "" if is_whole else cases.count_in_words(digits, cases.Form(case), language) or ""
    if one := cases.name_after_decimals(digits, name, language):
        return f"{count or spell_count(digits, language)} {one}"
    # the latter: too many digits for CLDR's rules of plural forms
    with suppress(UnknownUnitError, InvalidOperation):
        quantity = format_unit(number, name, "long", "0.########", find_locale(language))
        figure = format_decimal(number, "0.########", find_locale(language))
        if name not in quantity and figure in quantity and not quantity.endswith(_WITHOUT_WORDS):
            one = (
                counted.find_article(
                    quantity.replace(figure, "").split()[0], base_language(language)
                )
                if number == 1
                else None
            )
            said = one or count or spell_count(digits, language)
            return quantity.replace(figure, f" {said} ", 1)
    return f"{spell_number(digits, language, alone=False)} {unit}"


def join_counts(firsts: list[str], joiner: str, last: str, unit: str, language: str) -> str | None:
    """Return the words of several numbers, the last of which stands with its unit, of which the
    name may come first: Swahili ``asilimia 10 hadi 15``; None if it has no value."""
    said, count = spell_quantity(last, unit, language), spell_count(last, language)
    if said is None:
        return None
    name, space, number = said.strip().partition(f" {count}")
    if not space or number[:1].isalnum():
        name, number = "", f" {said}"
    return f"{name} {f' {joiner} '.join([*firsts, (count if name else '') + number])}".strip()


def _form(forms: tuple[str, ...], number: Decimal, language: str) -> str:
    """Return the form of the name of a unit that ``number`` requires."""
    plural = find_locale(language).plural_form(number)
    names = _PLURALS[len(forms)]
    named = dict(zip(names, forms, strict=True))
    return named.get(plural, named["other"])


def spell_count(digits: str, language: str) -> str:
    """Return a number in words as it stands before a unit."""
    one = read_words(language, Numbers).one_with_unit
    return (
        one
        if one and parse_number(digits, language) == 1
        else spell_number(digits, language, alone=False)
    )


def name_unit(unit: str, language: str) -> str | None:
    """Return the name of one of ``unit``, without a number; None if it has none."""
    if forms := read_words(language, Units).named.get(unit):
        return _form(forms, Decimal(1), language).replace("{0}", "").strip()
    if (name := find_cldr_name(unit, language)) is not None:
        with suppress(UnknownUnitError):
            return format_unit(1, name, "long", "0", find_locale(language)).replace("1", "")
    return None


def has_few(language: str) -> bool:
    """Return whether a few of something have another form than many."""
    return "few" in find_locale(language).plural_form.tags


def name_several(unit: str, language: str) -> str | None:
    """Return the name of several of ``unit``, as after five, without a number; None if it has
    none."""
    said, five = spell_quantity("5", unit, language), spell_count("5", language)
    parts = " ".join((said or "").split()).partition(f"{five} ")
    return parts[2] or None


def find_measured_quantity(text: str) -> str:
    """Return what a number or a fraction with a unit measures, such as ``mass`` or ``duration``;
    empty: it is none.
    """
    text = text.rstrip(f"{PAUSES}.")
    match = QUANTITY.fullmatch(text)
    unit = match[3] if match else (part[2] if (part := _OF_FRACTION.fullmatch(text)) else "")
    return units.UNITS.get(unit, "").partition("-")[0]


def is_per_period(text: str, language: str) -> bool:
    """Return whether ``text`` is a unit per hour, day, week, month or year: ``h/week``,
    or per another word: ``g/slice``.
    """
    unit, _, period = text.partition("/")
    is_counted = period in list_periods(language) or is_thing(period, language)
    return is_counted and is_unit(unit.rstrip("."), language)


def is_thing(word: str, language: str) -> bool:
    """Return whether a quantity may be given for one of ``word``,
    which is too long for a unit: ``240 kcal/slice``.
    """
    return word.isalpha() and len(word) > _LONGEST_UNIT and read_words(language, Units).counts_per


@cache
def list_periods(language: str) -> frozenset[str]:
    """Return what stands for an hour, a day, a week, a month or a year; where a count per one has
    another word, only what is short for them."""
    words = read_words(language, Units)
    short = frozenset(words.periods)
    if not words.counts_per:
        return short
    return short | {
        format_unit(1, f"duration-{name}", "long", "0", find_locale(language)).strip(f"1 {SPACE}")
        for name in ("hour", "day", "week", "month", "year")
    }


def leave_out_unsaid(words: str, language: str) -> str:
    """Return a quantity in words without what nobody says of its unit: two metric tons."""
    unsaid = read_words(language, Units).unsaid
    return " ".join((unsaid.sub("", words) if unsaid else words).split())


def is_common_word(number: str, unit: str, after: str, language: str) -> bool:
    """Return whether ``unit`` after a ``number`` is a common word of the language there, and no
    unit: Spanish ``2020 ha sido``, Czech ``2 s námi``."""
    form = read_words(language, Units).as_words.get(unit)
    return form is not None and form.search(f"{number} {unit} {after}") is not None


def is_other_after(before: str, unit: str, language: str) -> bool:
    """Return whether a ``unit`` is short for something else after the words ``before`` it, the last
    of which is its number: ``حتى 11 م``."""
    form = read_words(language, Units).as_words_after.get(unit)
    return form is not None and form.search(before) is not None


def is_unit(text: str, language: str) -> bool:
    """Return whether ``text`` is a unit as it is written in ``language``."""
    return find_cldr_name(text, language) is not None or text in read_words(language, Units).named


def puts_percent_first(language: str) -> bool:
    """Return whether the percent sign stands before its number: ``%20``."""
    return str(find_locale(language).percent_formats[None].pattern).startswith("%")


def find_cldr_name(unit: str, language: str) -> str | None:
    """Return CLDR's name of a unit as it is written in ``language``; None: it is none there."""
    return units.UNITS.get(unit) or read_words(language, Units).own.get(unit)
