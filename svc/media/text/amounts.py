"""Reading the figures in a table's cells: "1,234.5", "12 %", "€ 3.2 m", "−4 °C", "−€ 500"."""

import re
import unicodedata

# Before a currency, as in −€ 500; a dash with a space is a dash.
_MINUS = re.compile(r"[-–](?=[^\s\d])|−")
_NUMBER = re.compile(r"[-−–+]?\d[\d.,'\u00a0\u202f ]*\d|[-−–+]?\d")
_LONGEST_UNIT = 8  # characters around the number
# The most characters around a figure in a chart, all of whose figures have the same unit: "560
# nghìn tấn", "3.1 million tonnes".
LONG_UNIT = 18


def is_amount(text: str) -> bool:
    """Return whether ``text`` is one number, optionally with a unit."""
    return parse_amount(text) is not None


def parse_amount(
    text: str, longest_unit: int = _LONGEST_UNIT, decimal_sign: str = ""
) -> float | None:
    """Return the number in ``text``, written as 1,234.5 or 1.234,5;
    None unless it is one number with a short unit. ``decimal_sign``: that of its country, which
    parts 1,500 kg into one and a half; a price has no three decimals.
    """
    plain = "".join(_to_latin_digit(character) for character in text.strip())
    numbers = _NUMBER.findall(plain)
    if len(numbers) != 1 or len(plain) - len(numbers[0]) > longest_unit:
        return None
    digits = (
        re.sub(r"[\s'\u00a0\u202f]", "", numbers[0])
        .replace("−", "-")
        .replace("–", "-")
        .replace("+", "")
    )
    number = float(_normalise_separators(digits, "" if _is_price(plain) else decimal_sign))
    is_below_zero = _MINUS.match(plain) and not plain.startswith(numbers[0])
    return -number if is_below_zero else number


def _to_latin_digit(character: str) -> str:
    """Return a decimal digit of any script as 0 to 9, and any other character unchanged."""
    return (
        str(unicodedata.decimal(character))
        if character.isdecimal() and not character.isascii()
        else character
    )


def _is_price(text: str) -> bool:
    return any(unicodedata.category(character) == "Sc" for character in text)


def _normalise_separators(digits: str, decimal_sign: str) -> str:
    """Return ``digits`` with a point as its decimal separator: the last separator,
    unless that one groups thousands.
    """
    separators = [character for character in digits if character in ".,"]
    if not separators:
        return digits
    last = separators[-1]
    tail = len(digits) - digits.rindex(last) - 1
    one_kind = len(set(separators)) == 1
    groups = separators.count(last) > 1 or (
        one_kind and tail == 3 and last != decimal_sign and not digits.lstrip("-").startswith("0")
    )
    ungrouped = digits.replace("," if last == "." else ".", "")
    return ungrouped.replace(last, "") if groups else ungrouped.replace(last, ".")
