"""Numbers and units in the case that the words around them require: ``до пяти минут``,
``od trzech do pięciu dni``.

``cases.json`` has what CLDR knows of them and babel leaves out: the cases of units, and the words
of Polish and Finnish numbers. Which word takes which case is in the files of the languages.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from babel.numbers import format_decimal, get_decimal_symbol
from babel.units import format_unit

from svc.media.languages import Abbreviations, Everywhere, Numbers, Roman, merge_words, read_words
from svc.media.text.numerals import (
    OPENERS,
    PAUSES,
    base_language,
    counts_by_period,
    find_locale,
    names_number,
    parse_number,
    spell_cardinal,
    spell_cardinal_in_case,
)

# The languages whose fractions take the genitive.
_OF_PARTS = ("cs", "hr", "lt", "lv", "pl", "ru", "sk", "sl", "sr", "uk")
_LONGEST_COUNTED = 12  # digits of a number that is inflected
_MOST_PLACES = 2  # decimals that have names in a case
_YEAR = re.compile(r"(?:1[1-9]|20)\d\d")
_ORDINAL = re.compile(r"\d{1,3}\.")
_SHORTEST_NOUN = 3  # letters
_MOST_JOINED = 16  # words of ordinals before one noun
_WORDS_OF_A_PAIR = 2  # before its second number
_FORMS_WITHOUT_DUAL = 3


@dataclass(frozen=True)
class Form:
    """How a number is inflected. ``case``: empty for the nominative."""

    case: str = ""
    gender: str = "masculine"


PLAIN = Form()


def find_form(
    digits: str, before: str, after: str, language: str, *, is_counted: bool = False
) -> Form:
    """Return how a number is inflected between the word ``before`` it and what it counts,
    which may be the word ``after`` it. ``is_counted``: it counts something else, and is no year."""
    words = read_words(base_language(language), Numbers)
    word = before.lower().lstrip(OPENERS)
    noun = after.rstrip(f"{PAUSES}.…)»”\"'").lower()
    if not (words.governs or words.case_by_noun or words.gender_by_noun):
        return PLAIN
    if _parse_whole(digits, language) is None:
        case = "" if names_number(word, language) else _find_case(word, "", digits, language)
        return Form(case) if case in words.decimals_in_cases else PLAIN
    for case, governing in words.governs_before.items():
        if noun in governing.split():
            return Form(case)
    is_noun = len(noun) >= _SHORTEST_NOUN and noun.isalpha() and after[:1].islower()
    if not is_noun or noun in _read_uncounted_units():
        noun = ""
    if names_number(word, language) or (not noun and not is_counted and _YEAR.fullmatch(digits)):
        return PLAIN
    case = _find_case(word, noun, digits, language)
    return Form(case, _find_gender(digits, case, noun, language))


def find_word_before(words: Sequence[str], index: int, language: str) -> str:
    """Return the word before the figure at ``index``, in full where the one before that inflects
    it, ``o godz.``; or before the figure to which "and" joins it: ``между 5 и 10 км``; empty after
    a period by which something is counted: ``pro Tag 1 Tablette``."""
    before = words[index - 1] if index else ""
    if words[index][:1].isdecimal() and counts_by_period(
        words[max(index - 2, 0) : index], language
    ):
        return ""
    joins = read_words(base_language(language), Numbers).joins
    if index and _ORDINAL.fullmatch(words[index]):
        joiners = joins.union(read_words(base_language(language), Roman).joiners)
        start = _find_first_ordinal(words, index, joiners)
        if start < index:
            return words[start - 1] if start else ""
    if index > 1 and before in joins and words[index - 2][:1].isdecimal():
        return words[index - 3] if index > _WORDS_OF_A_PAIR else ""
    if index > 1 and before.endswith("."):
        known = read_words(base_language(language), Abbreviations).after_a_word
        return known.get(f"{words[index - 2]} {before}".lower(), before)
    return before


def _find_first_ordinal(words: Sequence[str], index: int, joins: frozenset[str]) -> int:
    """Return the index of the first of several ordinals with dots that "and", "to" or commas join,
    of which the one at ``index`` is one: ``in der 1., 2. und 3. Klasse``, ``1. bis 4. Klasse``."""
    start = index
    while start and index - start < _MOST_JOINED:
        if _ORDINAL.fullmatch(words[start - 1].removesuffix(",")) and words[start - 1][-1] == ",":
            start -= 1
        elif start > 1 and words[start - 1] in joins and _ORDINAL.fullmatch(words[start - 2]):
            start -= 2
        else:
            break
    return start


def spell_range(
    first: str, last: str, unit: str, before: str, after: str, language: str
) -> str | None:
    """Return two whole numbers and what lies between them in words, in the cases that the language
    has for them; None: it has none. ``unit``: CLDR's name, or empty."""
    words = read_words(base_language(language), Numbers)
    if not (words.to_case or words.governs) or (_YEAR.fullmatch(first) and _YEAR.fullmatch(last)):
        return None
    form, end = (
        find_form(last, before, "" if unit else after, language),
        _parse_whole(last, language),
    )
    if end is None or _parse_whole(first, language) is None:
        return None

    def count(digits: str, case: str) -> str:
        case = _find_case_of_number(digits, case, language)
        return _inflect_number(
            int(parse_number(digits, language) or 0), Form(case, gender), language
        )

    def with_unit(case: str) -> str:
        case = _find_case_of_number(last, case, language)
        return (unit and spell_quantity(last, unit, case, language)) or (
            f"{count(last, case)} {_name_unit(unit, end, language) if unit else ''}"
        )

    gender = _load_cases(language).get("units", {}).get(unit, {}).get("gender", form.gender)
    if form.case and (words.from_case or not words.to_case):
        is_opened = before.lower() == words.opens  # no 5–10 min, beside около 5–10 минут
        to = words.to if is_opened or not words.to_case else ""
        return f"{count(first, form.case)} {to} {with_unit(form.case)}"
    is_few = find_locale(language).plural_form(end) in ("one", "few")
    if not words.to_case:
        return None
    if is_few and not unit and not form.case and _is_counted(after):  # 2–3 минуты
        gender = find_form("2", before, after, language).gender
        return f"{count(first, '')} {count(last, '')}"
    if words.from_case and not words.opens:  # Finnish: the unit stays as it is
        name = _name_unit(unit, end, language) if unit else ""
        return f"{count(first, words.from_case)} {count(last, words.to_case)} {name}"
    start = count(first, words.from_case or form.case)
    return f"{words.opens} {start} {words.to} {with_unit(words.to_case)}"


def _is_counted(after: str) -> bool:
    return len(after) >= _SHORTEST_NOUN and after[:1].islower()


def count_in_words(digits: str, form: Form, language: str) -> str | None:
    """Return a whole number, or one with decimals where a case has words for those, in words; None:
    it stands in no other form than its plainest."""
    number = _parse_whole(digits, language)
    if form == PLAIN:
        return None
    if number is None:
        return _count_decimals(digits, form.case, language)
    return _inflect_number(int(number), form, language)


def _count_decimals(digits: str, case: str, language: str) -> str | None:
    """Return a number with one or two decimals in a case: ``двенадцати целых трёх десятых``; None:
    it is none, or the language has no words for it."""
    forms = read_words(base_language(language), Numbers).decimals_in_cases.get(case)
    number = parse_number(digits, language)
    is_decimal = get_decimal_symbol(find_locale(language)) in digits  # and no version or date
    if not forms or number is None or not is_decimal or len(digits) > _LONGEST_COUNTED:
        return None
    whole, _, decimals = f"{number:f}".partition(".")
    places = len(decimals)
    if not 1 <= places <= _MOST_PLACES or not int(decimals):
        return None
    said = []
    for part, pair in ((int(whole), forms[:2]), (int(decimals), forms[2 * places :][:2])):
        is_several = not is_one(Decimal(part), language)
        words = _inflect_number(part, Form(case, "feminine"), language)
        if words == spell_cardinal(0, language):  # whose case is not known
            return None
        said.append(pair[is_several].format(words))
    return " ".join(said)


def spell_quantity(digits: str, unit: str, case: str, language: str) -> str | None:
    """Return a whole number with its unit in words; None: the nominative will do, or CLDR has no
    such form. ``unit``: CLDR's name."""
    number = _parse_whole(digits, language)
    known = _load_cases(language).get("units", {}).get(unit)
    if number is None or known is None:
        return None
    # an accusative that is not listed is the nominative, but for that of a thousand
    is_listed = case in known
    words = read_words(base_language(language), Numbers)
    keeps_case = is_listed or (case == "accusative" and words.num2words_has_cases)
    form = Form(case if keeps_case else "", known.get("gender", "masculine"))
    if form == PLAIN or not (is_listed or case in ("", "accusative")):
        return None
    # к тысяче километров, ниже нуля градусов
    takes_genitive = is_listed and number % 1000 == 0 and "genitive" in known
    name = (
        name_of_several(known["genitive" if takes_genitive else case], number, language)
        if is_listed
        else _name_unit(unit, number, language)
    )
    return f"{_inflect_number(int(number), form, language)} {name}"


def name_after_decimals(digits: str, unit: str, language: str) -> str | None:
    """Return the name of a unit after a number with decimals, ``3,5 kilometra``; None: CLDR's
    plural is right, or there are none. ``unit``: CLDR's name."""
    case = read_words(base_language(language), Numbers).after_decimals
    names = _load_cases(language).get("units", {}).get(unit, {}).get(case)
    if not names or get_decimal_symbol(find_locale(language)) not in digits:
        return None
    return str(names[0])


def name_of_part(unit: str, language: str) -> str | None:
    """Return the name of a unit after a fraction, Polish *pół litra*; None: it is that of one.
    ``unit``: CLDR's name."""
    base = base_language(language)
    if base == "fi":  # the partitive, which CLDR has as the plural
        return str(format_unit(2, unit, "long", "0", find_locale(base))).strip("2\u00a0 ")
    if base not in _OF_PARTS:
        return None
    names = _load_cases(language).get("units", {}).get(unit, {}).get("genitive")
    return str(names[0]) if names else None


def name_of_several(names: Sequence[str], number: Decimal, language: str) -> str:
    """Return which of the ``names`` of a unit or a currency the ``number`` requires: they are those
    for one and other, for one, few and other, or for one, two, few and other."""
    plurals = ("one", "two", "few") if len(names) > _FORMS_WITHOUT_DUAL else ("one", "few")
    listed = dict(zip(plurals[: len(names) - 1], names, strict=False))
    return listed.get(str(find_locale(language).plural_form(number)), names[-1])


def _name_unit(unit: str, number: Decimal, language: str) -> str:
    figure = format_decimal(number, "0", find_locale(language))
    return format_unit(number, unit, "long", "0", find_locale(language)).replace(figure, "").strip()


def is_one(number: Decimal, language: str) -> bool:
    """Return whether what ``number`` counts stands in the singular: after 1, and in some languages
    after 21."""
    return str(find_locale(language).plural_form(number)) == "one"


def _parse_whole(digits: str, language: str) -> Decimal | None:
    number = parse_number(digits, language) if len(digits) <= _LONGEST_COUNTED else None
    is_whole = number is not None and number == number.to_integral_value()
    is_whole = is_whole and (digits[0] != "0" or digits == "0")
    return number if is_whole else None


def _find_case(word: str, noun: str, digits: str, language: str) -> str:
    """Return the case that the form of the ``noun`` shows, or else the ``word`` before takes."""
    words, beside = read_words(base_language(language), Numbers), f"{word} {noun}"
    for case, pattern in words.case_by_noun.items():
        if noun and pattern is not None and pattern.search(beside):
            return case
    case = next((case for case, taking in words.governs.items() if word in taking.split()), "")
    return _find_case_of_number(digits, case, language)


def _find_case_of_number(digits: str, case: str, language: str) -> str:
    """Return the case in which a number stands after a word that takes ``case``: in Latvian the
    dative, if it is of several."""
    of_several = read_words(base_language(language), Numbers).governs_several
    number = _parse_whole(digits, language)
    is_other = case and of_several and number is not None and not is_one(number, language)
    return of_several if is_other else case


def _find_gender(digits: str, case: str, noun: str, language: str) -> str:
    """Return the gender that the ``noun`` shows after one or two, whose words have several."""
    last = _find_agreeing_digit(digits)
    if not noun or last not in ("1", "2"):
        return "masculine"
    words = read_words(base_language(language), Numbers)
    for gender in ("feminine", "neuter"):
        name = f"{'one' if last == '1' else 'two'} {gender}"
        pattern = words.gender_by_noun.get(f"{name} {case}".strip())
        if pattern is None and case == "accusative":  # mostly the nominative
            pattern = words.gender_by_noun.get(name)
        if pattern is not None and pattern.search(noun):
            return gender
    return "masculine"


def _inflect_number(number: int, form: Form, language: str) -> str:
    words = read_words(base_language(language), Numbers)
    # later ones agree with what they count by no more than their case, but in Latvian
    agrees = words.all_agree or _find_agreeing_digit(str(number)) in ("1", "2")
    gender = form.gender if agrees else "masculine"
    if words.num2words_has_cases:
        return spell_cardinal_in_case(number, language, form.case, gender)
    said, one = spell_cardinal(number, language), spell_cardinal(1, language)
    listed = _load_cases(language).get("numbers", {})
    in_cases = {
        case: {**listed.get(case, {}), **words.in_cases.get(case, {})}
        for case in listed.keys() | words.in_cases.keys()
    }
    general = in_cases.get(form.case, {})
    if words.numbers_are_one_word:
        forms = "|".join(sorted(general, key=len, reverse=True)) or "(?!)"
        return re.sub(forms, lambda part: str(general[part[0]]), said)
    general = {**(in_cases.get("oblique", {}) if general else {}), **general}
    if number % 100 > 20 and number % 10:  # Slovak writes as one word what it inflects as two
        parts = [spell_cardinal(part, language) for part in (number - number % 10, number % 10)]
        said = said.replace("".join(parts), " ".join(parts))
    *first, last = said.split()
    special = in_cases.get(f"{form.case} {gender}".strip(), {})
    if first and last == one and not is_one(Decimal(number), language):  # dwudziestu jeden
        special = {}
        general = {word: inflected for word, inflected in general.items() if word != one}
    return " ".join(
        [*(_inflect_word(word, general) for word in first), _inflect_word(last, general | special)]
    )


def _inflect_word(word: str, forms: dict[str, str]) -> str:
    """Return the form of ``word``, which is listed whole or by its ending."""
    if word in forms:
        return forms[word]
    ending = next((end for end in forms if end[0] == "-" and word.endswith(end[1:])), "")
    return word.removesuffix(ending[1:]) + forms[ending] if ending else word


def _find_agreeing_digit(digits: str) -> str:
    """Return the digit by which a number agrees with what it counts; empty after 11 to 19."""
    return digits[-1] if digits[-2:-1] != "1" else ""


@cache
def _read_uncounted_units() -> frozenset[str]:
    return merge_words(Everywhere).not_counted


@cache
def _load_all_cases() -> dict[str, Any]:
    path = Path(__file__).with_name("cases.json")
    listed: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return listed


def _load_cases(language: str) -> dict[str, Any]:
    listed: dict[str, Any] = _load_all_cases().get(base_language(language), {})
    return listed
