"""Cutting what is to be said into scenes of a length that a viewer follows: five to twelve seconds each."""

from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from svc.media import words
from svc.media.programme import NO_SIGHT, Avatar, Sight

MOST_POINTS = 5  # on one screen
LONGEST_POINT = 120  # characters that fit a screen as a list item; a longer one is prose
_CHARACTERS_A_WORD = 6.9  # with the space after it; 165 words a minute are 19 characters a second without pauses
_LONGEST, _SHORTEST = 10.0, 5.0  # seconds of speech; the pauses around a scene come on top
_STRETCH = 1.2  # how much longer a scene may be, where that saves one
_CLAUSE_ENDS = (",", ";", ":", "،", "؛")


@dataclass(frozen=True)
class Part:
    """Words that stay together in a scene: a sentence, or a point."""

    tokens: tuple[words.Token, ...]
    point: str = ""  # as shown; empty for prose
    sight: Sight = NO_SIGHT  # what is seen meanwhile; parts of one scene have the same

    @property
    def length(self) -> int:
        return sum(len(token.written) + 1 for token in self.tokens)


def longest(avatar: Avatar) -> int:
    """Characters that the avatar speaks in the longest scene: about 190 at 165 words a minute."""
    return max(60, round(avatar.words_per_minute / 60 * _CHARACTERS_A_WORD * _LONGEST))


def sentences(text: str, language: str, limit: int) -> list[Part]:
    """Cut at sentence ends; a sentence longer than ``limit`` is cut into even pieces, after a comma where one is near."""
    parts, sentence = [], []
    for token in words.tokens(text, language):
        sentence.append(token)
        if token.ends:
            parts += _pieces(sentence, limit)
            sentence = []
    return parts


def groups(parts: list[Part], limit: int) -> list[list[Part]]:
    """Parts that share a scene: lists and prose apart, except that a short sentence leads into the list it introduces, and
    that prose too short for a scene of its own stays with what it follows."""
    made: list[list[Part]] = []
    for run in _runs(parts):
        if run[0].point or run[0].sight.kind:
            pieces = [run] if run[0].sight.kind else _even(run, max(ceil(len(run) / MOST_POINTS), ceil(length(run) / limit)))
            if made and not _shows(made[-1]) and length(made[-1]) + length(pieces[0]) <= limit:
                pieces[0] = made.pop() + pieces[0]
            made += pieces
        else:
            made += _by_length(run, limit)
            if len(made) > 1 and _is_tiny(made[-1], limit) and length(made[-2]) + length(made[-1]) <= limit * _STRETCH:
                last = made.pop()
                made[-1] = made[-1] + last
    return made


def length(parts: list[Part]) -> int:
    """Characters."""
    return sum(part.length for part in parts)


def _shows(parts: list[Part]) -> bool:
    """Whether there is a list, or something else to see."""
    return any(part.point or part.sight.kind for part in parts)


def _is_tiny(parts: list[Part], limit: int) -> bool:
    return length(parts) < limit * _SHORTEST / _LONGEST


def _pieces(sentence: list[words.Token], limit: int) -> list[Part]:
    whole = Part(tuple(sentence)).length
    share = whole / ceil(whole / limit)
    pieces, piece, filled = [], [], 0.0
    for token in sentence:
        piece.append(token)
        filled += (len(token.written) + 1) / share
        if filled >= 1 or (filled > 0.7 and token.written.endswith(_CLAUSE_ENDS)):
            pieces.append(Part(tuple(piece)))
            piece, filled = [], 0.0
    return [*pieces, Part(tuple(piece))] if piece else pieces


def _runs(parts: list[Part]) -> list[list[Part]]:
    runs: list[list[Part]] = []
    for part in parts:
        if runs and bool(runs[-1][0].point) == bool(part.point) and runs[-1][0].sight is part.sight:
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs


def _even(parts: list[Part], count: int) -> list[list[Part]]:
    """Cut into ``count`` groups of nearly the same number."""
    bounds = [round(index * len(parts) / count) for index in range(count + 1)]
    return [parts[first:last] for first, last in pairwise(bounds) if first < last]


def _by_length(parts: list[Part], limit: int) -> list[list[Part]]:
    """Cut into as few scenes as the length asks for, as even as can be, so that none is left with two words."""
    count = ceil(length(parts) / limit)
    while max(map(length, made := _shares(parts, count))) > limit * _STRETCH and count < len(parts):
        count += 1
    return made


def _shares(parts: list[Part], count: int) -> list[list[Part]]:
    """Each part in the share of the whole length in which its middle lies."""
    made: list[list[Part]] = [[] for _ in range(count)]
    total, at = length(parts), 0.0
    for part in parts:
        made[min(count - 1, int((at + part.length / 2) / total * count))].append(part)
        at += part.length
    return [share for share in made if share]
