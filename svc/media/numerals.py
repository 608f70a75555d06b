"""Numbers as words: what digits mean in a language, and how they are said in it.

A voice reads plain digits itself, and so it does in a language whose words num2words does not know.
"""

import re
from decimal import Decimal
from functools import cache

from babel import Locale
from babel.numbers import get_decimal_symbol, get_group_symbol
from num2words import num2words

from svc.media import vocabulary

SPACE = "\u00a0"  # within a figure that is written with spaces
DIGITS = rf"\d+(?:[.,'’٫٬{SPACE}]\d+)*"
SIGN = r"[-−–+]?"
_BY_OUR_NAME = "en de fr es it pt ca ro nl sv da fi hu lv lt pl cs sk sl ru uk tr id vi ar fa"
_WORDS = {  # our language codes, and num2words' where it was found right; elsewhere the voice reads digits
    **{code: code for code in _BY_OUR_NAME.split()},
    "nb": "no", "pt-BR": "pt_BR",
}  # fmt: skip
_CLDR_NAMES = {"pt": "pt-PT"}  # CLDR's pt is Brazil's
_MOST_DIGITS = 15  # more are no amount but a sequence, said one by one
_YEARS = range(1100, 2100)
_READ_AS_YEARS = frozenset(("en", "de", "nl", "da", "nb"))  # by hundreds: nineteen ninety-nine
_ALSO_GROUP_BY_SPACES = frozenset(("es", "pt", "it", "sl", "de"))  # as ISO 80000-1 has it, beside their dots


def base_language(language: str) -> str:
    """The part of a BCP 47 code before the region."""
    return language.partition("-")[0]


@cache
def locale(language: str) -> Locale:
    """What CLDR knows of a language."""
    return Locale.parse(_CLDR_NAMES.get(language, language), sep="-")


@cache
def groups_by_spaces(language: str) -> bool:
    """Whether thousands may be set apart by spaces: ``1 000``."""
    return get_group_symbol(locale(language)).isspace() or base_language(language) in _ALSO_GROUP_BY_SPACES


def parse_number(digits: str, language: str) -> Decimal | None:
    """The number that is written so in ``language``; None if it is a sequence such as a version."""
    decimal_sign = get_decimal_symbol(locale(language))
    plain = re.sub(f"[{SPACE}٬'’]", "", digits).replace("٫", decimal_sign)
    group, point = (",", ".") if decimal_sign == "." else (".", ",")
    if re.fullmatch(rf"\d{{1,3}}(?:{re.escape(group)}\d{{3}})+(?:{re.escape(point)}\d+)?", plain):
        return Decimal(plain.replace(group, "").replace(point, "."))
    if re.fullmatch(r"\d+(?:[.,]\d+)?", plain):
        return Decimal(plain.replace(",", "."))
    return None


def cardinal(number: int, language: str) -> str:
    """``number`` in words, or in digits for the voice to read."""
    code = _WORDS.get(language) or _WORDS.get(base_language(language))
    if code is None or abs(number) >= 10**_MOST_DIGITS:
        return str(number)
    return num2words(number, lang=code).replace(",", "").replace("\u00ad", "")


def ordinal(number: int, language: str, **form: str) -> str:
    """``number`` as an ordinal, in words. ``form``: as num2words has it for some languages."""
    return num2words(number, lang=_WORDS[base_language(language)], to="ordinal", **form)


def number_in_words(digits: str, language: str, *, alone: bool = True) -> str:
    """A number without sign. ``alone``: nothing that it counts follows, so that it may be a year."""
    number = parse_number(digits, language)
    if number is None:
        dot = vocabulary.DOT.get(base_language(language), "")
        return f" {dot} ".join(cardinal(int(each), language) for each in re.findall(r"\d+", digits)[:8])
    plain = digits.isdecimal()
    if plain and (len(digits) > _MOST_DIGITS or (len(digits) > 1 and digits[0] == "0")):
        return " ".join(cardinal(int(each), language) for each in digits)
    if alone and plain and int(digits) in _YEARS and base_language(language) in _READ_AS_YEARS:
        return num2words(int(digits), lang=_WORDS[base_language(language)], to="year")
    whole, _, decimals = str(number).partition(".")
    first = cardinal(int(whole), language)
    return f"{first} {_decimals(decimals, language)}" if decimals else first


def sign_in_words(sign: str, language: str) -> str:
    """What is said for a sign before a number."""
    return vocabulary.MINUS.get(base_language(language), "") if sign and sign != "+" else ""


def _decimals(digits: str, language: str) -> str:
    point = vocabulary.DECIMAL.get(language) or vocabulary.DECIMAL.get(base_language(language), "")
    if base_language(language) in vocabulary.DECIMALS_AS_A_NUMBER and len(digits) <= 2 and digits[0] != "0":
        return f"{point} {cardinal(int(digits), language)}"
    return " ".join([point, *(cardinal(int(each), language) for each in digits)])
