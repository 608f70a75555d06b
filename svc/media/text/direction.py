"""The order of words on a line that mixes scripts written from left to right and from right to left."""

import unicodedata
from functools import lru_cache

_CACHED = 8192  # words
_MARKS = ".,:;!?…،؛؟"  # that end a sentence or a clause
_JOINTS = ("&", "+", "×", "/")  # they belong to what follows, also at the start of a line


def visual_order(words, right_to_left: bool) -> list[int]:
    """Return the indices of ``words`` from the left of a line to its right.

    Adjacent words against the line's direction (an English name in Arabic) keep their own order: the word-level part of the
    Unicode Bidirectional Algorithm (UAX #9, rule L2).
    """
    if not right_to_left:
        return _reordered(words, against=True)
    return _reordered(words, against=False)[::-1]


def displayed(words, right_to_left: bool) -> list[str]:
    """Return ``words``, not reordered, with the marks at the end of a run against the direction of a line from right to left
    before its first word: ".Harbour & Sons", where the sentence ends at the left (UAX #9, rule N2)."""
    shown = list(words)
    if not right_to_left:
        return shown
    turns, start = _turning(words, against=False), 0
    for index, turned in enumerate(turns):
        if not turned:
            start = index + 1
        elif index + 1 == len(turns) or not turns[index + 1]:
            bare = shown[index].rstrip(_MARKS)
            marks = shown[index][len(bare) :]
            if bare:
                shown[index] = bare
                shown[start] = marks + shown[start]
    return shown


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
        joined = turns[index - 1] if index else words[index].strip(_MARKS) in _JOINTS
        turns.append(bool(joined and following) if turn is None else turn)
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
