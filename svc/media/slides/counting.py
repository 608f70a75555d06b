"""Figures that count up: the text of a figure on its way to the one that was written."""

import math
import re
import unicodedata

from svc.media.text.amounts import LONG_UNIT, parse_amount

_DIGITS = re.compile(r"\d(?:[\d.,'’\u00a0\u202f ]*\d)?")

# Figures beside words that name a time of day and no length: on their way they are none.
_TIME_OF_DAY = re.compile(r"\d\s?(?:[ap]\.?\s?m\b|uhr\b|uur\b|बजे|بجے)", re.IGNORECASE)


def count_up(text: str, growth: float, start: float = 0.0) -> str:
    """Return the figure in ``text`` at ``growth`` (0.0 to 1.0) of its way from ``start``; at 1.0
    exactly ``text``.

    Separators, decimals, unit and the script of the digits stay as written. A text that is no
    figure is returned unchanged, and so is a time of day.
    """
    value = parse_amount(text, LONG_UNIT)
    if growth >= 1 or not value or _TIME_OF_DAY.search(text):
        return text
    share = (start + (value - start) * max(0.0, growth)) / value
    return _DIGITS.sub(lambda match: _scale_number(match[0], max(0.0, share)), text, count=1)


def _scale_number(run: str, share: float) -> str:
    """Return the number ``run`` times ``share``, with as many decimals as it has."""
    digits = [unicodedata.decimal(character) for character in run if character.isdecimal()]
    whole = int("".join(map(str, digits)))
    value = parse_amount(run)
    decimals = round(math.log10(whole / value)) if whole and value else 0
    left = list(f"{round(whole * share):0{decimals + 1}d}")
    zero = next(
        ord(character) - unicodedata.decimal(character)
        for character in run
        if character.isdecimal()
    )
    result: list[str] = []
    for character in reversed(run):
        if not left:
            break
        result.append(chr(zero + int(left.pop())) if character.isdecimal() else character)
    return "".join(reversed([*result, *(chr(zero + int(digit)) for digit in reversed(left))]))
