"""Cutting what is to be said into scenes of a length that a viewer follows: five to twelve seconds each."""

from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from svc.media import words
from svc.media.programme import NO_VISUAL, Presenter, Visual

MOST_POINTS = 5  # on one screen
LONGEST_POINT = 120  # characters that fit a screen as a list item; a longer one is prose
_CHARACTERS_A_WORD = 6.9  # with the space after it; 165 words a minute are 19 characters a second without pauses
_LONGEST, _SHORTEST = 10.0, 5.0  # seconds of speech; the pauses around a scene come on top
_STRETCH = 1.2  # how much longer a scene may be, where that saves one
_CLAUSE_ENDS = (",", ";", ":", "،", "؛")


@dataclass(frozen=True)
class ScriptPart:
    """Words that stay together in a scene: a sentence, or a point."""

    tokens: tuple[words.Token, ...]
    point: str = ""  # as shown; empty for prose
    sight: Visual = NO_VISUAL  # what is seen meanwhile; parts of one scene have the same

    @property
    def length(self) -> int:
        return sum(len(token.written) + 1 for token in self.tokens)


def longest_scene(avatar: Presenter) -> int:
    """Characters that the avatar speaks in the longest scene: about 190 at 165 words a minute."""
    return max(60, round(avatar.words_per_minute / 60 * _CHARACTERS_A_WORD * _LONGEST))


def split_sentences(text: str, language: str, limit: int) -> list[ScriptPart]:
    """Cut at sentence ends; a sentence longer than ``limit`` is cut into even pieces, after a comma where one is near."""
    parts, sentence = [], []
    for token in words.tokens(text, language):
        sentence.append(token)
        if token.ends:
            parts += _pieces(sentence, limit)
            sentence = []
    return parts


def group_into_scenes(parts: list[ScriptPart], limit: int) -> list[list[ScriptPart]]:
    """Parts that share a scene: lists and prose apart, except that a short sentence leads into the list it introduces, and
    that prose too short for a scene of its own stays with what it follows."""
    scenes: list[list[ScriptPart]] = []
    for run in _runs(parts):
        if run[0].point or run[0].sight.kind:
            count = 1 if run[0].sight.kind else max(ceil(len(run) / MOST_POINTS), ceil(total_length(run) / limit))
            groups = _even(run, count)
            if scenes and not _shows(scenes[-1]) and total_length(scenes[-1] + groups[0]) <= limit:
                groups[0] = scenes.pop() + groups[0]
            scenes += groups
        else:
            scenes += _by_length(run, limit)
            if len(scenes) > 1 and _is_tiny(scenes[-1], limit) and total_length(scenes[-2] + scenes[-1]) <= limit * _STRETCH:
                last = scenes.pop()
                scenes[-1] = scenes[-1] + last
    return scenes


def total_length(parts: list[ScriptPart]) -> int:
    """Characters."""
    return sum(part.length for part in parts)


def _shows(parts: list[ScriptPart]) -> bool:
    """Whether there is a list, or something else to see."""
    return any(part.point or part.sight.kind for part in parts)


def _is_tiny(parts: list[ScriptPart], limit: int) -> bool:
    return total_length(parts) < limit * _SHORTEST / _LONGEST


def _pieces(sentence: list[words.Token], limit: int) -> list[ScriptPart]:
    whole = ScriptPart(tuple(sentence)).length
    share = whole / ceil(whole / limit)
    pieces, piece, filled = [], [], 0.0
    for token in sentence:
        piece.append(token)
        filled += (len(token.written) + 1) / share
        if filled >= 1 or (filled > 0.7 and token.written.endswith(_CLAUSE_ENDS)):
            pieces.append(ScriptPart(tuple(piece)))
            piece, filled = [], 0.0
    return [*pieces, ScriptPart(tuple(piece))] if piece else pieces


def _runs(parts: list[ScriptPart]) -> list[list[ScriptPart]]:
    runs: list[list[ScriptPart]] = []
    for part in parts:
        if runs and bool(runs[-1][0].point) == bool(part.point) and runs[-1][0].sight is part.sight:
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs


def _even(parts: list[ScriptPart], count: int) -> list[list[ScriptPart]]:
    """Cut into ``count`` groups of nearly the same number."""
    bounds = [round(index * len(parts) / count) for index in range(count + 1)]
    return [parts[first:last] for first, last in pairwise(bounds) if first < last]


def _by_length(parts: list[ScriptPart], limit: int) -> list[list[ScriptPart]]:
    """Cut into as few scenes as the length asks for, as even as can be, so that none is left with two words."""
    count = ceil(total_length(parts) / limit)
    while max(map(total_length, made := _shares(parts, count))) > limit * _STRETCH and count < len(parts):
        count += 1
    return made


def _shares(parts: list[ScriptPart], count: int) -> list[list[ScriptPart]]:
    """Each part in the share of the whole length in which its middle lies."""
    made: list[list[ScriptPart]] = [[] for _ in range(count)]
    total, at = total_length(parts), 0.0
    for part in parts:
        made[min(count - 1, int((at + part.length / 2) / total * count))].append(part)
        at += part.length
    return [share for share in made if share]
