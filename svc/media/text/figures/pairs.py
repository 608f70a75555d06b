"""Two numbers that a sign joins and that are no fraction: ``3:1``,
``4.5/5``, ``2020/21``, ``1920x1080``.
"""

import re

from num2words import num2words

from svc.media.languages import Everywhere, Numbers, merge_words, read_words
from svc.media.text import cases
from svc.media.text.figures import sums
from svc.media.text.numerals import (
    DIGITS,
    SPACE,
    base_language,
    parse_number,
    spell_cardinal,
    spell_number,
)

# A ratio: a time of day was read before. The second number may be that of a scale: 1:25 000.
_RATIO = re.compile(
    rf"(\d{{1,3}}):(\d{{1,3}}(?:[.,'’{SPACE}]?\d{{3}})*)|(1)/(\d{{1,3}}(?:[.,'’{SPACE}]000)+)"
)
_SCALE = re.compile(rf"1[:/]\d{{1,3}}(?:{SPACE}000)*")
# Parts of each kind, or votes, and no time of day: 1:2:3, 12:0:3.
_THREE = re.compile(r"(?:0|[1-9]\d?)(?::(?:0|[1-9]\d?):\d|:\d:(?:0|[1-9]\d?))")
_SEASON = re.compile(r"((?:19|20)\d\d)[/⁄](\d\d)")
_LAW = re.compile(
    r"([1-9]\d{0,5}|\d{1,3}\.\d{3})/([1-9]\d{2,4})|([1-9]\d{1,3})/([1-9]\d{0,3})/([A-ZÎ]{2,3})"
)
_NUMBER_SIGNS = frozenset(("n.", "nr.", "n°", "nº", "n.º", "núm.", "№"))
_YEAR = re.compile(r"(?:19|20)\d\d")
_SHORTEST_LAW = 3  # digits of a number that is no month, and needs no word for a law before it
_RATING = re.compile(rf"({DIGITS})[/⁄](5|6|10|20|100)")
_DIMENSIONS = re.compile(r"[1-9]\d{0,4}(?:[xх]\d{1,5}){1,2}|\d{3,5}×\d{3,5}")  # 3×4 is a product
_IN_HUNDREDS = re.compile(r"[1-9]\d{3}")  # as speakers of English read 1920 and 1080


def read_pair(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return a ratio, a season, a rating or dimensions in words; None: ``text`` is none,
    or no words are known for it.
    """
    numbers = read_words(language, Numbers)
    if match := _SEASON.fullmatch(text):
        is_next = int(match[2]) == (int(match[1]) + 1) % 100
        return (
            f"{spell_number(match[1], language)} {spell_cardinal(int(match[2]), language)}"
            if is_next
            else None
        )
    if (match := _RATIO.fullmatch(text)) and numbers.ratio:
        first, second = (re.sub(r"\D", "", part) for part in match.groups() if part)
        return f"{spell_cardinal(int(first), language)} {_read_second(second, language)}"
    if _THREE.fullmatch(text) and numbers.ratio:
        shares = (spell_cardinal(int(share), language) for share in text.split(":"))
        return f" {numbers.ratio} ".join(shares)
    if (match := _RATING.fullmatch(text)) and numbers.out_of:
        return _read_rating(match[1], match[2], numbers.out_of, language)
    has_ending = numbers.by.startswith("-") and re.fullmatch(sums.SIDES, text)  # háromszor négy
    if numbers.by and (has_ending or _DIMENSIONS.fullmatch(text)):
        parts = re.split(f"[{sums.TIMES}]", text)
        sides = [_read_length(part, base_language(language)) for part in parts]
        return sums.join_sides(sides, language)
    return None


def _read_second(digits: str, language: str) -> str:
    """Return the second number of a ratio after the word for its sign, in the case that the word
    governs: ``до одного``."""
    ratio = read_words(language, Numbers).ratio
    form = cases.find_form(digits, ratio, "", language, is_counted=True)
    said = cases.count_in_words(digits, form, language) or spell_cardinal(int(digits), language)
    return f"{ratio} {said}"


def continues_scale(begun: str, following: str, language: str) -> bool:
    """Return whether the next group of digits belongs to the scale of a map that can be said:
    ``1:25 000``."""
    is_said = bool(read_words(language, Numbers).ratio)
    return is_said and following == "000" and _SCALE.fullmatch(begun) is not None


def read_law(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return the two parts of the number of a law, each as a number: ``2016/679``, ``95/46/EG``,
    and ``104/1992``, of which some languages join the year; None: ``text`` is none."""
    match = _LAW.fullmatch(text)
    if match is None:
        return None
    first, last = (spell_number(part, language) for part in match.groups()[:4] if part)
    if letters := match[5]:
        return f"{first} {last} {letters}"
    is_year = _YEAR.fullmatch(match[2]) and not _YEAR.fullmatch(match[1])
    named = merge_words(Everywhere).laws | _NUMBER_SIGNS
    is_month = len(match[1]) < _SHORTEST_LAW and before.lower() not in named
    of = read_words(language, Numbers).of_year if is_year and not is_month else ""
    return f"{first} {of} {last}" if of else f"{first} {last}"


def _read_rating(digits: str, most: str, joiner: str, language: str) -> str | None:
    """Return a rating with decimals; whole numbers are read as a fraction is."""
    number = parse_number(digits, language)
    if number is None or digits.isdecimal() or number > int(most):
        return None
    return f"{spell_number(digits, language)} {joiner} {spell_cardinal(int(most), language)}"


def _read_length(digits: str, base: str) -> str:
    if not digits.isdecimal():
        return spell_number(digits, base)
    if base == "en" and _IN_HUNDREDS.fullmatch(digits):
        return num2words(int(digits), lang="en", to="year")
    return spell_cardinal(int(digits), base)
