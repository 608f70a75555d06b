"""Timing words by the sound alone: pauses are matched with punctuation, and between them words
share the time by their letters.

For languages that espeak-ng reads too badly for an alignment.
"""

import re
import unicodedata
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy

from svc.media.errors import NarrationError
from svc.media.voice import GLUE

_PAUSE = 0.1  # seconds of silence that may stand for punctuation
_SENTENCE, _CLAUSE = 3.0, 1.5  # the costs of punctuation without a pause
_SPURIOUS, _LONG_PAUSE = 2.0, 0.35  # the cost of a pause of so many seconds without punctuation
# By how many seconds, and by which share of its time, a stretch of words may be off at no great
# cost.
_ROOM, _SPREAD = 0.12, 0.15
_FASTEST, _SLOWEST = 0.04, 0.5  # seconds for one mora
_SENTENCE_ENDS, _CLAUSE_ENDS = tuple("。！？.!?…"), tuple("、，,;:；：—")
_CLOSERS = "」』）】》”’\"')]"
# The small signs that are one mora together with the sign before them.
_SMALL = re.compile("[ぁぃぅぇぉゃゅょゎァィゥェォャュョヮ]")
_KANA = re.compile("[ぁ-ゖァ-ヺー]")
_HAN, _DIGIT, _LATIN, _THAI = 1.9, 2.0, 0.55, 0.75  # morae of a sign, on the average


class _Break(NamedTuple):
    """A place where two words meet at punctuation. ``weight``: morae before it."""

    word: int  # that begins there
    weight: float
    cost: float  # of no pause there


class _Gap(NamedTuple):
    """A pause. ``at``: samples of sound before it; ``start``, ``end``: its samples."""

    at: int
    start: int
    end: int


def count_morae(word: str) -> float:
    """Return about how many morae, short syllables of the same length,
    a written word takes to say.
    """
    total = 0.0
    for sign in word.removeprefix(GLUE):
        kind = unicodedata.category(sign)
        if _KANA.match(sign):
            total += 0.0 if _SMALL.match(sign) else 1.0
        elif kind[0] == "L":
            name = unicodedata.name(sign, "")
            total += (
                _HAN
                if name.startswith("CJK") or sign == "々"
                else _THAI
                if name.startswith("THAI")
                else _LATIN
            )
        elif kind == "Nd":
            total += _DIGIT
    return max(total, 0.3)


def find_word_starts(
    words: tuple[str, ...], audible: numpy.ndarray, rate: int
) -> list[tuple[int, int]]:
    """Return (word, sample) for the start of each word. ``audible``: the samples that are not
    silent.

    Raises NarrationError if the sound cannot be that of the words.
    """
    weights = [0.0, *accumulate(map(count_morae, words))]
    gaps = _find_gaps(audible, rate)
    spoken = int(audible[-1]) - int(audible[0]) + 1 - sum(gap.end - gap.start for gap in gaps)
    pace = spoken / rate / weights[-1]
    if not _FASTEST <= pace <= _SLOWEST:
        text = "".join(words).replace(GLUE, "")[:40]
        raise NarrationError(f"The voice spoke {pace:.2f} seconds for each syllable of “{text}”.")
    breaks = _find_breaks(words, weights)
    anchors = [
        (0, 0),
        *(
            (breaks[one].word, gaps[other].at)
            for one, other in _match_breaks(breaks, gaps, weights[-1], spoken, rate)
        ),
    ]
    result: list[tuple[int, int]] = []
    for (word, at), (next_word, next_at) in pairwise([*anchors, (len(words), spoken)]):
        share = (next_at - at) / (weights[next_word] - weights[word])
        result += [
            (
                index,
                _find_moment(at + (weights[index] - weights[word]) * share, gaps, int(audible[0])),
            )
            for index in range(word, next_word)
        ]
    return result


def _find_gaps(audible: numpy.ndarray, rate: int) -> list[_Gap]:
    gaps: list[_Gap] = []
    silent = 0
    for index in numpy.flatnonzero(numpy.diff(audible) >= _PAUSE * rate):
        start, end = int(audible[index]) + 1, int(audible[index + 1])
        gaps.append(_Gap(start - int(audible[0]) - silent, start, end))
        silent += end - start
    return gaps


def _find_breaks(words: tuple[str, ...], weights: list[float]) -> list[_Break]:
    breaks = []
    for index, word in enumerate(words[:-1]):
        bare = word.rstrip(_CLOSERS)
        if bare.endswith(_SENTENCE_ENDS):
            breaks.append(_Break(index + 1, weights[index + 1], _SENTENCE))
        elif bare.endswith(_CLAUSE_ENDS) or (
            GLUE in "".join(words) and not words[index + 1].startswith(GLUE)
        ):
            breaks.append(_Break(index + 1, weights[index + 1], _CLAUSE))
    return breaks


def _match_breaks(
    breaks: list[_Break], gaps: list[_Gap], weight: float, spoken: int, rate: int
) -> list[tuple[int, int]]:
    """Return the pairs of break and gap that belong together: the cheapest,
    by dynamic programming over both in order.
    """
    missing = [0.0, *accumulate(each.cost for each in breaks)]
    spurious = [
        0.0,
        *accumulate(
            _SPURIOUS * min(1.0, (gap.end - gap.start) / rate / _LONG_PAUSE) for gap in gaps
        ),
    ]
    nodes = [
        (-1, -1),
        *((one, other) for one in range(len(breaks)) for other in range(len(gaps))),
        (len(breaks), len(gaps)),
    ]
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]] = {nodes[0]: (0.0, nodes[0])}
    for node in nodes[1:]:
        one, other = node
        to_weight, to_at = (
            (breaks[one].weight, gaps[other].at) if one < len(breaks) else (weight, spoken)
        )
        choices = []
        for before, (cost, _) in best.items():
            if before[0] < one and before[1] < other:
                from_weight, from_at = (
                    (breaks[before[0]].weight, gaps[before[1]].at) if before[0] >= 0 else (0.0, 0)
                )
                expected = (to_weight - from_weight) * spoken / weight
                error = (to_at - from_at - expected) / (_ROOM * rate + _SPREAD * expected)
                skipped = (
                    missing[one]
                    - missing[before[0] + 1]
                    + spurious[other]
                    - spurious[before[1] + 1]
                )
                choices.append((cost + error**2 + skipped, before))
        best[node] = min(choices)
    path, node = [], best[nodes[-1]][1]
    while node != nodes[0]:
        path.append(node)
        node = best[node][1]
    return path[::-1]


def _find_moment(at: float, gaps: list[_Gap], first: int) -> int:
    """Return the sample at which ``at`` samples of sound have been heard: after a pause,
    if one is there.
    """
    silent = sum(gap.end - gap.start for gap in gaps if gap.at <= at)
    return first + round(at) + silent
