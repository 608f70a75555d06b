"""Reading the figures in a table's cells: "1,234.5", "12 %", "€ 3.2 m", "−4 °C"."""

import re
import unicodedata

_NUMBER = re.compile(r"[-−–+]?\d[\d.,'\u00a0\u202f ]*\d|[-−–+]?\d")
_LONGEST_UNIT = 8  # characters around a number that is still a figure


def is_amount(text: str) -> bool:
    """Whether ``text`` is one number, with a unit at most."""
    return amount(text) is not None


def amount(text: str) -> float | None:
    """The number in ``text``; None where it is not one number with a short unit. Both 1,234.5 and 1.234,5 are understood."""
    plain = "".join(_digit(each) for each in text.strip())
    found = _NUMBER.findall(plain)
    if len(found) != 1 or len(plain) - len(found[0]) > _LONGEST_UNIT:
        return None
    digits = re.sub(r"[\s'\u00a0\u202f]", "", found[0]).replace("−", "-").replace("–", "-").replace("+", "")
    return float(_pointed(digits))


def _digit(character: str) -> str:
    """Digits of other scripts as 0 to 9."""
    return str(unicodedata.decimal(character)) if character.isdecimal() and not character.isascii() else character


def _pointed(digits: str) -> str:
    """With a point for the decimals, whichever of point and comma that is here: the last one, unless it groups thousands."""
    marks = [each for each in digits if each in ".,"]
    if not marks:
        return digits
    last = marks[-1]
    tail = len(digits) - digits.rindex(last) - 1
    groups = marks.count(last) > 1 or (len(set(marks)) == 1 and tail == 3 and not digits.lstrip("-").startswith("0"))
    whole = digits.replace("," if last == "." else ".", "")
    return whole.replace(last, "") if groups else whole.replace(last, ".")
