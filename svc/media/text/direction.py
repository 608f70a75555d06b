"""The order of a line that mixes scripts written from left to right and from right to left.

The Unicode Bidirectional Algorithm (UAX #9) for a line without explicit formatting, which
:func:`svc.media.text.tokens.clean` removes: weak types (W1 to W7), brackets (N0), neutral types
(N1, N2), levels (I1, I2) and reordering (L2).
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from svc.media.voice import GLUE

_CACHED = 8192  # words and lines
LEFT_TO_RIGHT, RIGHT_TO_LEFT = "\u200e", "\u200f"  # invisible marks
_STRONG = ("L", "R", "AL")
_NEUTRAL = ("B", "S", "WS", "ON")
_JOINTS = ("&", "+", "×", "/")  # which go on with a name at the start of a line
# The pairs of BidiBrackets.txt, as far as briefs have them.
_BRACKETS = dict(zip("([{⟨「『（【《〈［｛", ")]}⟩」』）】》〉］｝", strict=True))


@dataclass(frozen=True)
class Run:
    """A part of a word, or the space before it, that is written in one direction. ``word``: its
    index; ``at``: where the part stands among all of the line in the order of reading; ``level``:
    odd if it is written from right to left."""

    word: int
    at: int
    text: str
    level: int
    is_space: bool = False

    @property
    def leftwards(self) -> bool:
        """Whether it is written from right to left."""
        return self.level % 2 == 1


def order_runs(words: Sequence[str], right_to_left: bool) -> tuple[Run, ...]:
    """Return the runs of a line from its left to its right, with the spaces between words.
    ``right_to_left``: of the line; it decides where a mark stands that ends it."""
    return _split_into_runs(tuple(words), right_to_left)


def is_ordered_left(words: Sequence[str], right_to_left: bool) -> bool:
    """Return whether a text of its own, such as a name, is ordered from right to left: as its
    letters are, if all of them have one direction, or else as the frame's language is
    (``right_to_left``)."""
    strong = [reads_left(word) for word in words if _has_letters(word)]
    return all(strong) if strong and (all(strong) or not any(strong)) else right_to_left


def mark_direction(line: str, right_to_left: bool) -> str:
    """Return ``line`` with a mark in front of it where its first letter would give it another
    direction than its text has.
    """
    first = next((reads_left(word) for word in line.split() if _has_letters(word)), False)
    if first == right_to_left or not any(map(_has_letters, line.split())):
        return line
    return f"{RIGHT_TO_LEFT if right_to_left else LEFT_TO_RIGHT}{line}"


@lru_cache(maxsize=_CACHED)
def reads_left(word: str) -> bool:
    """Return whether the first letter of ``word`` belongs to a script that is written from
    right to left.
    """
    return next(
        (kind != "L" for kind in map(unicodedata.bidirectional, word) if kind in _STRONG), False
    )


@lru_cache(maxsize=_CACHED)
def _has_letters(word: str) -> bool:
    return any(unicodedata.bidirectional(character) in _STRONG for character in word)


@lru_cache(maxsize=_CACHED)
def _split_into_runs(words: tuple[str, ...], right_to_left: bool) -> tuple[Run, ...]:
    characters = list(_list_characters(words))
    goes_on = words[:1] and words[0].removeprefix(GLUE) in _JOINTS
    levels = _find_levels(
        [character for _, character, _ in characters], int(right_to_left), "L" if goes_on else ""
    )
    parts: list[Run] = []
    marked = zip(characters, levels, strict=True)
    for (word, is_space, level), group in groupby(
        marked, key=lambda item: (item[0][0], item[0][2], item[1])
    ):
        text = "".join(character for (_, character, _), _ in group)
        parts.append(Run(word, len(parts), text, level, is_space))
    firsts = {part.word: part.at for part in reversed(parts) if not part.is_space}
    whole = [
        replace(part, text=GLUE + part.text)
        if not part.is_space and firsts[part.word] == part.at and words[part.word].startswith(GLUE)
        else part
        for part in parts
    ]
    return tuple(_reorder(whole))


def _list_characters(words: tuple[str, ...]) -> Iterator[tuple[int, str, bool]]:
    """Yield the word, the character, and whether it is the space before the word."""
    for index, word in enumerate(words):
        if index and not word.startswith(GLUE):
            yield index, " ", True
        yield from ((index, character, False) for character in word.removeprefix(GLUE))


def _reorder(parts: list[Run]) -> list[Run]:
    """Return ``parts`` from left to right: rule L2."""
    for level in range(max((part.level for part in parts), default=0), 0, -1):
        result: list[Run] = []
        for turns, group in groupby(parts, key=lambda part: part.level >= level):
            turned = list(group)
            result += turned[::-1] if turns else turned
        parts = result
    return parts


def _find_levels(characters: list[str], base: int, before: str) -> list[int]:
    """Return the level of each character of a line whose own is ``base`` (0 or 1). ``before``: the
    direction of the line before it, if that goes on."""
    own = "R" if base else "L"
    kinds = _resolve_weak_types(characters, own)
    _pair_brackets(characters, kinds, own)
    _resolve_neutrals(kinds, own, before or own)
    if base:
        return [1 if kind == "R" else 2 for kind in kinds]
    return [{"L": 0, "R": 1}.get(kind, 2) for kind in kinds]


def _resolve_weak_types(characters: list[str], own: str) -> list[str]:
    """Return the types after rules W1 to W7; marks and joiners have that of their letter."""
    kinds: list[str] = []
    for character in characters:
        kind = unicodedata.bidirectional(character) or "L"
        kinds.append((kinds[-1] if kinds else own) if kind in ("NSM", "BN") else kind)
    strong = own
    for at, kind in enumerate(kinds):
        strong = kind if kind in _STRONG else strong
        if kind == "EN" and strong == "AL":
            kinds[at] = "AN"
    kinds = ["R" if kind == "AL" else kind for kind in kinds]
    for at in range(1, len(kinds) - 1):
        before, kind, after = kinds[at - 1 : at + 2]
        if before == after and (
            (kind == "ES" and before == "EN") or (kind == "CS" and before in ("EN", "AN"))
        ):
            kinds[at] = before
    for at, kind in enumerate(kinds):  # W5: "5 %" and "$5"
        if kind == "ET":
            end = next(
                (later for later in range(at, len(kinds)) if kinds[later] != "ET"), len(kinds)
            )
            beside = (at and kinds[at - 1] == "EN") or (end < len(kinds) and kinds[end] == "EN")
            kinds[at] = "EN" if beside else "ON"
    strong = own
    for at, kind in enumerate(kinds):
        strong = kind if kind in ("L", "R") else strong
        if kind in ("ES", "CS"):
            kinds[at] = "ON"
        elif kind == "EN" and strong == "L":
            kinds[at] = "L"
    return kinds


def _pair_brackets(characters: list[str], kinds: list[str], own: str) -> None:
    """Give both brackets of a pair one direction: that of the line if it is within them,
    or else that before them (N0).
    """
    for first, last in sorted(_list_pairs(characters, kinds)):
        inside = {_find_direction_beside(kind) for kind in kinds[first + 1 : last]} - {""}
        before = next(
            (side for side in map(_find_direction_beside, reversed(kinds[:first])) if side), own
        )
        if own in inside:
            kinds[first] = kinds[last] = own
        elif inside:
            kinds[first] = kinds[last] = before if before != own else own


def _list_pairs(characters: list[str], kinds: list[str]) -> Iterator[tuple[int, int]]:
    open_ones: list[tuple[str, int]] = []
    for at, character in enumerate(characters):
        if kinds[at] != "ON":
            continue
        if character in _BRACKETS:
            open_ones.append((_BRACKETS[character], at))
        elif (
            place := next(
                (n for n in reversed(range(len(open_ones))) if open_ones[n][0] == character), None
            )
        ) is not None:
            yield open_ones[place][1], at
            del open_ones[place:]


def _resolve_neutrals(kinds: list[str], own: str, before: str) -> None:
    """Give what has no direction that of both its sides, or else that of the line (N1, N2)."""
    at = 0
    while at < len(kinds):
        end = next(
            (later for later in range(at, len(kinds)) if kinds[later] not in _NEUTRAL), len(kinds)
        )
        if end > at:
            sides = (
                _find_direction_beside(kinds[at - 1]) if at else before,
                _find_direction_beside(kinds[end]) if end < len(kinds) else own,
            )
            kinds[at:end] = [sides[0] if sides[0] == sides[1] else own] * (end - at)
        at = end + 1


def _find_direction_beside(kind: str) -> str:
    """Return the direction that a type has for what is beside it:
    figures count as written from right to left.
    """
    return {"L": "L", "R": "R", "EN": "R", "AN": "R"}.get(kind, "")
