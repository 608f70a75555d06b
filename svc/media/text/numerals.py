"""Numbers as words: the value of digits in a language, and how they are spoken.

A voice reads plain digits by itself; this is left to it in languages that num2words does not
support.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import cache

from babel import Locale
from babel.numbers import get_decimal_symbol, get_group_symbol
from num2words import num2words

from svc.base.text import countries
from svc.media.languages import (
    Addresses,
    Agendas,
    Everywhere,
    Numbers,
    Roman,
    merge_words,
    read_words,
)

_ELIDING = ("ca", "fr")
SPACE = "\u00a0"  # joins the parts of a figure that is written with spaces
DIGITS = rf"\d+(?:[.,'’٫٬{SPACE}]\d+)*"
SIGN = r"[-−–+]?"
OPENERS = "\"'“„‘«([{¿¡"  # marks that may stand before a word or a figure
CLOSERS = "\"'”’»)]}*」』）】》"
PAUSES = ",;:!?،؛؟、；"  # marks that may follow a word or a figure, besides full stops
STOPS = f"{PAUSES}.…"
_CLDR_NAMES = {"pt": "pt-PT"}  # CLDR's pt is Brazil's
_MOST_DIGITS = 15  # a longer number is a sequence, spoken digit by digit
_MOST_COMPOSED = 10**12  # a number of more is left to the voice where our own words are used
_YEARS = range(1100, 2100)
_YEARS_OF_HUNDREDS = range(1100, 2000)


def extract_stops(text: str) -> str:
    """Return the full stops and pauses among the marks of ``text``."""
    return "".join(mark for mark in text if mark in STOPS)


def base_language(language: str) -> str:
    """Return the part of a BCP 47 code before the region."""
    return language.partition("-")[0]


def elide_of(words: str, language: str) -> str:
    """Return words in which "of" loses its vowel before another: ``trois millions d’euros``,
    ``un quart d’heure``."""
    elides = base_language(language) in _ELIDING
    return re.sub(r"\bde (?=[aeiouhéèêî])", "d’", words) if elides else words


@cache
def find_locale(language: str) -> Locale:
    """Return the CLDR locale of a language, whatever its country: what is read of it does not
    depend on that (:func:`find_decimal_sign` does), and each takes megabytes."""
    plain = countries.strip_country(language)
    return (
        find_locale(plain)
        if plain != language
        else Locale.parse(_CLDR_NAMES.get(plain, plain), sep="-")
    )


@cache
def find_decimal_sign(language: str) -> str:
    """Return the sign before decimals in a language: where its countries differ, its country's."""
    return find_own_decimal_sign(language) or str(get_decimal_symbol(find_locale(language)))


def find_own_decimal_sign(language: str) -> str:
    """Return the sign before decimals in the country of a language whose countries differ; empty:
    the country is not known, or its language has one sign everywhere."""
    country = countries.find_country(language)
    differs = country is not None and read_words(language, Numbers).decimal_by_sign
    return country.decimal_sign if country and differs else ""


@cache
def groups_by_spaces(language: str) -> bool:
    """Return whether thousands may be separated by spaces: ``1 000``."""
    return (
        get_group_symbol(find_locale(language)).isspace()
        or read_words(language, Numbers).groups_by_spaces
    )


def names_number(word: str, language: str) -> bool:
    """Return whether a number after ``word``, in small letters, names one of several, and counts
    nothing: "part", "room"."""
    names = merge_words(Everywhere).number_names | _list_own_names(base_language(language))
    return word in names | read_words(base_language(language), Roman).kinds


def counts_by_period(words: Sequence[str], language: str) -> bool:
    """Return whether a number after ``words`` counts something by a period, ``pro Tag 1 Tablette``,
    which it does not name."""
    form = read_words(base_language(language), Numbers).counts_by
    return form is not None and form.fullmatch(" ".join(words[-2:])) is not None


def is_number_of(word: str, language: str) -> bool:
    """Return whether a number after ``word``, in small letters, is never a count of what follows:
    the name before it is one of the language itself, and no day or week, ``2 horas por día``."""
    stages = read_words(base_language(language), Everywhere).stages
    return word in _list_own_names(base_language(language)) - stages


@cache
def _list_own_names(base: str) -> frozenset[str]:
    """Return the words of one language before the number of one of several, in small letters: those
    of its file, and what the items of its agendas are called, ``TOP 1``."""
    items = read_words(base, Agendas).items
    called = {item.removesuffix("#").split()[-1] for item in items if item.strip("#").strip()}
    parts = read_words(base, Everywhere).number_names | read_words(base, Roman).parts
    return parts | {name for name in called if name.removesuffix(".").isalpha() and len(name) > 2}


def parse_number(digits: str, language: str) -> Decimal | None:
    """Return the value of ``digits`` as written in ``language``;
    None for a sequence such as a version number.
    """
    decimal_sign = find_decimal_sign(language)
    plain = re.sub(f"[{SPACE}٬'’]", "", digits).replace("٫", decimal_sign)
    group, point = (",", ".") if decimal_sign == "." else (".", ",")
    if re.fullmatch(rf"\d{{1,3}}(?:{re.escape(group)}\d{{3}})+(?:{re.escape(point)}\d+)?", plain):
        return Decimal(plain.replace(group, "").replace(point, "."))
    # 1.234,56 in English, 1,234.56 in German
    if re.fullmatch(rf"\d{{1,3}}(?:{re.escape(point)}\d{{3}})+{re.escape(group)}\d\d?", plain):
        return Decimal(plain.replace(point, "").replace(group, "."))
    # 1.000.000 in English, which no version is
    if re.fullmatch(
        rf"[1-9]\d{{0,2}}(?:{re.escape(point)}\d{{3}})*(?:{re.escape(point)}000){{2}}", plain
    ):
        return Decimal(plain.replace(point, ""))
    both_ways = read_words(
        language, Numbers
    ).groups_both_ways  # 1,500 in Mexico, 1.500 in Argentina
    if both_ways and re.fullmatch(r"[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?", plain):
        return Decimal(plain.replace(".", "").replace(",", "."))
    # 1,23,456, as in India
    if point == "." and re.fullmatch(r"\d\d?(?:,\d\d)+,\d{3}(?:\.\d+)?", plain):
        return Decimal(plain.replace(",", ""))
    if re.fullmatch(r"\d+(?:[.,]\d+)?", plain):
        return Decimal(plain.replace(",", "."))
    return None


def spell_cardinal(number: int, language: str) -> str:
    """Return ``number`` in words, or in digits for the voice to read."""
    code = read_words(language, Numbers).num2words
    if 0 <= number < _MOST_COMPOSED and read_words(language, Numbers).words:
        return _compose_words(number, language)
    if not code or abs(number) >= 10**_MOST_DIGITS:
        return str(number)
    said = num2words(number, lang=code).replace(",", "").replace("\u00ad", "")
    return _respell(said, language)


def _respell(words: str, language: str) -> str:
    """Return the ``words`` of num2words as the language spells them."""
    for pattern, instead in read_words(language, Numbers).respelled.items():
        words = re.sub(pattern, instead, words)
    return words


def _compose_words(number: int, language: str) -> str:
    """Return ``number`` in the words of the language's file."""
    known = read_words(language, Numbers)
    if number == 0:
        return known.words["0"]
    said: list[str] = []
    for scale in sorted(map(int, known.scales), reverse=True):
        count, number = divmod(number, scale)
        alone, *forms = known.scales[str(scale)]
        if count:
            form = dict(zip(("one", "few", "other"), forms, strict=True))
            name = form.get(find_locale(language).plural_form(count), form["other"])
            several = f"{_compose_below_thousand(count, language)} {name}"
            said.append(alone if count == 1 else agree(several, "", language))
    if number:
        last = _compose_below_thousand(number, language)
        is_one_word = str(number) in known.words
        joiner = [known.joins_last] if said and is_one_word and known.joins_last else []
        said += [*joiner, last]
    return " ".join(said)


def _compose_below_thousand(number: int, language: str) -> str:
    known = read_words(language, Numbers)
    tens = number % 100
    parts = (
        [number - tens, tens]
        if str(tens) in known.words
        else [number - tens, tens // 10 * 10, tens % 10]
    )
    *first, last = [known.words[str(part)] for part in parts if part]
    return " ".join([*first, *([known.joins_last] if first and known.joins_last else []), last])


def agree(words: str, after: str, language: str) -> str:
    """Return a number in words in the gender of what it counts, which stands in ``words`` behind it
    or is the word ``after`` them: ``veintiún kilómetros``, ``duas horas``."""
    patterns = _list_agreements(base_language(language))
    # a capital letter begins a name; a script without capitals has none
    is_noun = after[:1].isalpha() and not after[:1].isupper()
    noun = after.rstrip(f"{PAUSES}.…)»”\"'") if patterns and is_noun else ""
    said = f"{words} {noun}" if noun else words
    for pattern, instead in patterns:
        said = pattern.sub(instead, said)
    if not noun:
        return said
    # what is one piece with the noun is left to those that read both
    return said.removesuffix(f" {noun}") if said.endswith(f" {noun}") else words


@cache
def _list_agreements(code: str) -> list[tuple[re.Pattern[str], str]]:
    """Return what is found in numbers with what they count, and the words instead."""
    known, agreements = read_words(code, Numbers), []
    for pattern, instead in known.agrees.items():
        for name, named in known.named_patterns.items():
            pattern = pattern.replace(f"{{{name}}}", named)
        agreements.append((re.compile(rf"\b{pattern}"), instead))
    return agreements


def spell_cardinal_in_case(number: int, language: str, case: str, gender: str) -> str:
    """Return ``number`` in words, in a case and a gender, where num2words knows them. ``case``:
    empty for the nominative."""
    code = read_words(language, Numbers).num2words
    if code == "ru":
        letter = "p" if case == "locative" else (case or "nominative")[0]
        said = num2words(number, lang=code, case=letter, gender=gender[0], animate=False)
        return _respell(said, language)
    return _respell(
        num2words(number, lang=code, case=case or "nominative", gender=gender), language
    )


def spell_ordinal(number: int, language: str, **form: str | bool) -> str:
    """Return ``number`` as an ordinal in words. ``form``: num2words' options for some languages."""
    numbers = read_words(base_language(language), Numbers)
    if 0 < number <= len(numbers.ordinals):
        return numbers.ordinals[number - 1]
    if said := numbers.round_ordinals.get(str(number)):
        return said
    said = num2words(number, lang=numbers.num2words, to="ordinal", **form)
    return _respell(said, language)


def spell_number(digits: str, language: str, *, alone: bool = True) -> str:
    """Return an unsigned number in words.

    ``alone``: no counted thing follows, so that it may be a year.
    """
    number = parse_number(digits, language)
    if number is None:
        dot = read_words(language, Addresses).dot
        return f" {dot} ".join(
            spell_cardinal(int(part), language) for part in re.findall(r"\d+", digits)[:8]
        )
    plain = digits.isdecimal()
    if plain and (len(digits) > _MOST_DIGITS or (len(digits) > 1 and digits[0] == "0")):
        return " ".join(spell_cardinal(int(digit), language) for digit in digits)
    numbers = read_words(base_language(language), Numbers)
    if alone and plain and int(digits) in _YEARS and numbers.years_in_hundreds:
        said = num2words(int(digits), lang=numbers.num2words, to="year")
        return _respell(said, language)
    if alone and plain and numbers.hundreds and int(digits) in _YEARS_OF_HUNDREDS:
        first, rest = divmod(int(digits), 100)
        said = spell_cardinal(rest, language) if rest else ""
        return f"{spell_cardinal(first, language)}{numbers.hundreds}{said}"
    integer, _, decimals = f"{number:f}".partition(".")
    words = spell_cardinal(int(integer), language)
    return f"{words} {_spell_decimals(decimals, language)}" if decimals else words


def sign_in_words(sign: str, language: str) -> str:
    """Return how the sign before a number is spoken."""
    numbers = read_words(language, Numbers)
    return (numbers.plus if sign == "+" else numbers.minus) if sign else ""


def _spell_decimals(digits: str, language: str) -> str:
    numbers = read_words(language, Numbers)
    if len(digits) <= len(numbers.decimal_places):
        place = numbers.decimal_places[len(digits) - 1]
        return f"{numbers.decimal} {spell_cardinal(int(digits), language)} {place}"
    if numbers.decimals_as_a_number and len(digits) <= 2 and digits[0] != "0":
        return f"{numbers.decimal} {spell_cardinal(int(digits), language)}"
    return " ".join([numbers.decimal, *(spell_cardinal(int(digit), language) for digit in digits)])
