"""The order of words on a line that mixes scripts written from left to right and from right to left."""

import unicodedata
from functools import lru_cache

_CACHED = 8192  # words


def visual_order(words, right_to_left: bool) -> list[int]:
    """Return the indices of ``words`` from the left of a line to its right.

    Adjacent words against the line's direction (an English name in Arabic) keep their own order: the word-level part of the
    Unicode Bidirectional Algorithm (UAX #9, rule L2).
    """
    if not right_to_left:
        return _reordered(words, against=True)
    return _reordered(words, against=False)[::-1]


def is_ordered_left(words, right_to_left: bool) -> bool:
    """Return whether a text of its own, such as a name, is ordered from right to left: not if all of its letters are of scripts
    that are written from left to right, although the frame's language is not (``right_to_left``)."""
    strong = [reads_left(word) for word in words if _strong(word)]
    return right_to_left and (any(strong) or not strong)


def _reordered(words, against: bool) -> list[int]:
    """Return the logical order with each run of words in the other direction reversed."""
    order, run = [], []
    for index, turns in enumerate(_turning(words, against)):
        if turns:
            run.append(index)
            continue
        order += run[::-1]
        run = []
        order.append(index)
    return order + run[::-1]


def _turning(words, against: bool) -> list[bool]:
    """Return which words run against the line, including signs and numbers between two such words (UAX #9, rule N1)."""
    strong = [reads_left(word) == against if _strong(word) else None for word in words]
    turns: list[bool] = []
    for index, turn in enumerate(strong):
        following = next((later for later in strong[index + 1 :] if later is not None), False)
        turns.append(bool(index and turns[index - 1] and following) if turn is None else turn)
    return turns


@lru_cache(maxsize=_CACHED)
def _strong(word: str) -> bool:
    return any(unicodedata.bidirectional(character) in ("L", "R", "AL") for character in word)


@lru_cache(maxsize=_CACHED)
def reads_left(word: str) -> bool:
    """Return whether the first letter of ``word`` belongs to a script that is written from right to left."""
    for character in word:
        direction = unicodedata.bidirectional(character)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False
