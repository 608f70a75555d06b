"""What the columns of a table are to one another: whether their figures can be compared, which of
them names the rows, and which has scores.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from svc.media.languages import Numbers, read_words
from svc.media.meaning import encoder
from svc.media.text import tokens as words
from svc.media.text.amounts import is_amount
from svc.media.text.numerals import spell_cardinal

# The least likeness of what two columns are called from which on their bare numbers are of one
# kind. Of 47 pairs, 15 of 23 of one kind were above it ("boys" and "girls", "bikes" and "cars"),
# and 3 of 24 others ("points" and "matches", "farmers" and "varieties").
_LEAST_LIKENESS = 0.5
_BRACKETED = re.compile(r"[(\[]([^)\]]+)[)\]]\s*$")  # Import (t)
_COUNTED = re.compile(r"\d+|\b[^\W\d_]\b")  # what tells one of several from the others: Group B
_RANK = re.compile(r"(\d{1,3})\.?")
_SCORE, _TIME = re.compile(r"(\d{1,3})\s?:\s?(\d{1,3})"), re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d")
_DIGIT = re.compile(r"\d")
_SHORTER = 2  # times as short as the others are the names of what these say


def are_of_one_kind(headings: Sequence[str], language: str) -> bool:
    """Return whether the bare numbers of columns with ``headings`` count things of one kind, so
    that one scale shows them: boys and girls, 2025 and 2026, but not matches, goals and points.

    A unit in brackets, or a word that all of them have, says so; of others their meaning does, if
    the language is known.
    """
    named = [words.clean(heading).casefold() for heading in headings]
    if len(named) < 2 or not all(named):
        return True
    units = {match[1] if (match := _BRACKETED.search(name)) else "" for name in named}
    if len(units) == 1 and "" not in units:
        return True
    if len({_COUNTED.sub("", name) for name in named}) == 1:
        return True
    if set.intersection(*(set(re.findall(r"\w{3,}", name)) for name in named)):
        return True
    if not encoder.knows_language(language):
        return False
    vectors = encoder.encode_texts(named)
    return all(float(one @ other) >= _LEAST_LIKENESS for one, other in combinations(vectors, 2))


def are_sides(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether two columns of text stand against each other, such as tea and coffee: none of
    them names what the other one says, "Salary" beside its sentence, "Election" beside its date.
    """
    first, second = zip(*rows, strict=True)
    are_dated = [all(map(_DIGIT.search, column)) for column in (first, second)]
    if any(are_dated) and not all(are_dated):
        return False
    return _SHORTER * sum(map(len, first)) > sum(map(len, second))


def find_naming_column(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of the column that names ``rows``: the first, or the second of a table
    whose first one is the rank of each row: 1, 2, 2, 4."""
    matches = [_RANK.fullmatch(row[0]) for row in rows]
    ranks = [int(match[1]) for match in matches if match]
    if len(ranks) < max(2, len(rows)) or ranks[0] != 1:
        return 0
    is_rising = all(0 <= after - before <= len(rows) for before, after in pairwise(ranks))
    is_named = not any(is_amount(row[1]) or not row[1] for row in rows)
    return int(is_rising and ranks[-1] > 1 and is_named)


def find_scores(rows: Sequence[Sequence[str]]) -> frozenset[str]:
    """Return the cells that are scores, and no times of day: all of a column of pairs of numbers,
    some of which no clock shows: 31:12 and 20:17."""
    scores = set[str]()
    for column in list(zip(*rows, strict=True))[1:]:
        filled = [cell for cell in column if any(map(str.isalnum, cell))]
        if filled and all(map(_SCORE.fullmatch, filled)) and not all(map(_TIME.fullmatch, filled)):
            scores.update(filled)
    return frozenset(scores)


def speak_score(cell: str, language: str) -> Iterator[words.Token]:
    """Yield the words of a score as a pair of numbers, as which it would not be read where it could
    be a time of day; none in a language without a word between them."""
    match, ratio = _SCORE.fullmatch(cell), read_words(language, Numbers).ratio
    if match and ratio and _TIME.fullmatch(cell):
        first, second = (spell_cardinal(int(number), language) for number in match.groups())
        yield words.Token(cell, f"{first} {ratio} {second}")
