"""Joining the pieces of each figure and of each abbreviation that is written with spaces."""

import re

from svc.media.languages import Numbers, read_words
from svc.media.text import (
    abbreviations,
    codes,
    dates,
    numbers,
    numerals,
    reading,
    sequences,
    times_of_day,
)
from svc.media.text.figures import counted, money, quantities, ranges, spans, sums
from svc.media.text.numerals import OPENERS, PAUSES, SPACE, STOPS

_BEFORE_FIGURES = OPENERS.replace("(", "")  # those that are no part of a telephone number
_MOST_PIECES = 6  # of a figure: the groups of a telephone number
_MOST_BEFORE = 4  # words that show what a letter behind a number is short for
_DASHES = ("–", "—", "-", "−")

_NOUN = re.compile(rf"(?!sur\b|per\b)[^\W\d_]{{2,}}[{STOPS})»”]*")

Piece = tuple[str, bool]  # text between spaces, and whether it is stressed


def join_figures(pieces: list[Piece], language: str, longest: int) -> list[Piece]:
    """Return ``pieces`` with SPACE within each figure and abbreviation,
    of at most ``longest`` characters.
    """
    result: list[Piece] = []
    index = 0
    words = [piece for piece, _ in pieces]
    while index < len(pieces):
        if codes.is_in_account(words, index):  # whose groups are no telephone number
            result.append(pieces[index])
            index += 1
            continue
        following = words[index : index + _MOST_PIECES]
        whole = abbreviations.count_joined(following, language) or sequences.count_phone_groups(
            following, language
        )
        if whole and result and sequences.is_country_code(result[-1][0]):
            result[-1] = _join_pieces([result[-1], *pieces[index : index + whole]])
        elif whole:
            result.append(_join_pieces(pieces[index : index + whole]))
        elif result and (
            whole := _count_continuing(result[-_MOST_BEFORE:], following, language, longest)
        ):
            result[-1] = _join_pieces([result[-1], *pieces[index : index + whole]])
        else:
            result.append(pieces[index])
        index += whole or 1
    return result


def _join_pieces(pieces: list[Piece]) -> Piece:
    return SPACE.join(piece for piece, _ in pieces), any(stressed for _, stressed in pieces)


def _count_continuing(
    before: list[Piece], following: list[str], language: str, longest: int
) -> int:
    """Return how many of the ``following`` pieces belong to the figure that the last one
    of ``before``, a few pieces, begins.
    """
    word, begun = before[-2][0] if len(before) > 1 else "", before[-1][0]
    # most pieces
    if (
        len(following) > 1
        and following[0] == read_words(language, Numbers).to
        and (
            (begun.endswith(".") and abbreviations.is_day_or_month(begun, language))
            or spans.begins_span(begun, language)
        )
    ):
        span = SPACE.join((begun, *following[:2]))
        if spans.read_span(span.rstrip(PAUSES), language) is not None:
            return 2
    if following[0] == ":" and sequences.is_phone_word(begun):  # Tél. :
        return 1
    if following[0] not in _DASHES and not any(map(str.isnumeric, begun + following[0])):
        return 0
    begun = numbers.split_elided(begun, language)[1]  # d'1 km
    elided = read_words(language, Numbers).elided_before_one
    is_one = begun == "1" and word.lower() in elided and is_counted_noun(following[0], language)
    if is_one or sums.is_multiple_of(begun, following):
        return 1
    is_name = _names_figure(before, language)
    if not is_name and counted.joins_noun(begun, following[0].rstrip(STOPS), language):
        return 1
    unit, beside = following[0], " ".join(following[1:4])  # "and 3 ounces"
    earlier = " ".join(piece for piece, _ in before)
    if quantities.is_common_word(begun, unit, beside, language) or quantities.is_other_after(
        earlier, unit.rstrip(STOPS), language
    ):
        return 0
    if count := _count_rate(begun, following, language) or money.count_name(
        begun, following, language
    ):
        return count
    if count := _count_taken(word, begun.lstrip(OPENERS), following, language, longest):
        return count
    if money.is_currency(begun, language) and (
        _is_of_day(begun, following, language)
        or money.is_name(begun, following[0].rstrip(STOPS), word, language)
    ):
        return 0
    is_short = len(begun) + len(following[0]) < longest
    return int(is_short and _is_one_figure(begun, following[0], language, word))


def _names_figure(before: list[Piece], language: str) -> bool:
    """Return whether the number that ends ``before`` names one of several, by the word in front of
    it, and is not counted by that: ``al giorno 1 ora``."""
    words = ["", *(piece for piece, _ in before[:-1])]
    is_name = numerals.names_number(words[-1].lower().strip("("), language)
    return is_name and not numerals.counts_by_period(words, language)


def _is_of_day(sign: str, following: list[str], language: str) -> bool:
    """Return whether a sign of money is a day of the week, by the number behind it: ``Fr.`` of
    ``Fr. 12. Mai``, ``Fr 8–12 Uhr``, but not of ``Fr. 12.50``."""
    if sign.rstrip(".").lower() not in abbreviations.list_days(numerals.base_language(language)):
        return False
    number, after = following[0].rstrip(PAUSES), (*following[1:], "")[0]
    is_ordinal = number.endswith(".") and (after != "" or number.count(".") > 1)
    is_hour = times_of_day.is_time_word(after.rstrip(STOPS), language)
    return is_ordinal or is_hour or re.search(r"\d[-–—:]\d|\d\.\d\d?\.", number) is not None


def is_counted_noun(piece: str, language: str) -> bool:
    """Return whether ``piece`` may be what one is counted of, and is no unit or short word."""
    is_unit = quantities.is_unit(piece.rstrip(f"{STOPS})»”"), language)
    return _NOUN.fullmatch(piece) is not None and not is_unit


def _begins_area(rate: str, following: list[str]) -> bool:
    """Return whether a unit with a space in it begins at the end of a rate: ``12 €/sq`` and
    ``ft``."""
    unit = SPACE.join((rate.rpartition("/")[2].rstrip("."), following[0].rstrip(STOPS)))
    return "/" in rate and unit in quantities.SPACED_UNITS


def _count_taken(before: str, begun: str, following: list[str], language: str, longest: int) -> int:
    """Return how many of the ``following`` pieces belong to the figure ``begun``, if their first is
    a dash or a scale, or if it is a date or a product with spaces: ``10:30 – 11:00``,
    ``9 am - 5 pm``, ``2,5 Mrd. €``, ``13. 2. 2027``. ``before``: the word in front of it."""
    if dates.is_spaced(begun, following[:2], language) or sums.are_sides(
        begun, following[:2], language
    ):
        return 2
    counts = money.counts_things(
        following[0], following[1] if len(following) > 1 else "", language
    ) and money.is_number(begun)
    if counts or dates.is_spaced_day(before, begun, following[0], language):
        return 1
    if money.is_number(begun) and (
        SPACE.join(following[:2]).rstrip(".,;:!?)") in quantities.SPACED_UNITS
    ):
        return 2
    if quantities.read_feet(SPACE.join((begun, *following[:2])).rstrip(".,;:!?)"), language):
        return 2
    for count in range(len(following), 1, -1):
        if _is_spaced_range(SPACE.join([begun, *following[:count]]), language, longest):
            return count
    for count in range(len(following[:3]), 1, -1):
        figure = SPACE.join(following[:count])
        if len(begun) + len(figure) >= longest:
            continue
        second, rest = SPACE.join(following[1:count]), following[count:]
        if following[0] in _DASHES and _is_span(
            before, begun, following[0], second, rest, language
        ):
            return count
        if money.is_short_scale(following[0], language) and numbers.is_one_figure(
            begun, figure, language
        ):
            return count
    return 0


def _count_rate(begun: str, following: list[str], language: str) -> int:
    """Return how many pieces are a slash and what a quantity is for, ``50 € / month``, or the end
    of that, ``12 €/sq ft``; 0: none."""
    if _begins_area(begun, following):
        return 1
    is_counted = not begun[-1:].isdigit() or not begun[:1].isdigit()  # 50 €, $50
    if following[0][:1] != "/" or not is_counted:
        return 0
    count = 1 if len(following[0]) > 1 else 2
    period = "".join(following[:count])[1:].rstrip(f"{STOPS})")
    rate = f"{begun}/{period}"
    is_rate = period.isalpha() and (
        numbers.read_rate(rate, language) or numbers.read_figure(rate, language)
    )
    return count if is_rate else 0


def _is_spaced_range(text: str, language: str, longest: int) -> bool:
    """Return whether pieces are a range whose ends have spaces: ``5 Mio. €–10 Mio. €``, ``9 a. m.–6
    p. m.``"""
    hours = text.rstrip(f"{PAUSES})")
    return ranges.is_scaled(text, language) or (
        len(hours) < longest and times_of_day.is_hours_of_halves(hours, language)
    )


def _is_span(
    before: str, first: str, dash: str, second: str, following: list[str], language: str
) -> bool:
    """Return whether pieces around a dash are a range, a difference beside its result,
    or days or months.
    """
    after = following[0] if following else ""
    ended = second.rstrip(f"{reading.CLOSERS}{PAUSES}.…")
    if all(dates.is_day_and_month(part, language) for part in (first, f"{ended}.")):
        return True  # 1.5. – 31.8.
    if second.endswith(".") and ranges.are_ordinals(first, second, language, before, after):
        return True
    if sums.is_difference(before, first, dash, ended, after):
        return True
    is_sum = {before, after} & {*sums.RESULTS, *_DASHES} or second.endswith("?")
    is_range = not is_sum and ranges.is_range_with_spaces(first, dash, ended, language, before)
    is_listed = bool({before, after} & {*_DASHES})  # T2 – T4 – T6
    return is_range or (
        not is_listed and spans.read_span(f"{first}{dash}{ended}", language) is not None
    )


def _is_one_figure(first: str, second: str, language: str, before: str) -> bool:
    """Return whether two pieces are one figure, which may stand in
    brackets: ``($5 million)``, ``(555) 123-4567``.
    """
    bare = first.lstrip(_BEFORE_FIGURES)
    if not bare:
        return False
    if numbers.is_one_figure(bare, second, language, before):
        return True
    return bare[0] == "(" and numbers.is_one_figure(bare.lstrip("("), second, language)
