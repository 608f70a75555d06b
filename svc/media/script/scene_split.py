"""Splitting the script into scenes of a length that a viewer can follow:
five to twelve seconds each.
"""

from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import ceil

from svc.base.text.languages import is_unspaced
from svc.media.model import NO_VISUAL, Presenter, Visual
from svc.media.text import long_words
from svc.media.text import tokens as words
from svc.media.text.grammar import phrase_ends
from svc.media.text.pronunciation.pieces import divide_evenly

MOST_POINTS = 5  # on one screen
LONGEST_POINT = 120  # characters of a list item that fits a screen; a longer one is read as prose
# The characters of a word, including a space: 165 words per minute are 19 characters per second
# without pauses.
_CHARACTERS_PER_WORD = 6.9
_LONGEST, _SHORTEST = 10.0, 5.0  # seconds of speech, without the pauses around a scene
# The most seconds of a text that leads into a list or a visual without a colon. A longer one says
# something of its own, which is shown while it is said.
_LONGEST_LEAD = 3.0
# How much longer than the longest scene one with a visual may be, which is not split.
STRETCH_OF_VISUAL = 1.3
_STRETCH = 1.2  # how much longer a scene may be to save another one
_FINEST = 64  # scenes, up to which each number of them is tried
# What each piece of a sentence costs, and what it costs by the square of how much shorter or longer
# than the others it is; phrase_ends has what its end costs.
_PIECE, _UNEVEN = 0.2, 2.0
_WORDS_OF_TITLE, _LONGEST_TITLE = 6, 45  # and characters, of a line above a paragraph
_COLONS = (":", "：")
_QUESTIONS = ("?", "？", "؟")


@dataclass(frozen=True)
class ScriptPart:
    """Words that stay together in a scene: a sentence or a list item.

    Without words: a visual that has none, such as code.
    """

    tokens: tuple[words.Token, ...]
    point: str = ""  # as shown; empty for prose
    sight: Visual = NO_VISUAL  # what is shown meanwhile; parts of one scene share it
    label: str = ""  # of a list item, as in model.Point
    level: int = 0  # of a list item, as in model.Point
    icon: str = ""  # of a list item, as in model.Point
    is_first: bool = False  # of a list item, as in blocks.Block
    introduces: bool = False  # whether it says what the list or the table after it is of

    @property
    def length(self) -> int:
        """Characters, with a space after each word; a wide sign, which takes as long to say,
        counts as three.
        """
        return sum(measure_token(token) for token in self.tokens)


def measure_token(token: words.Token) -> int:
    """Return the characters of a word and the space after it, by the time that they take to say."""
    written = long_words.shorten_for_pictures((token.written,))[0]
    return (
        len(written.removeprefix(words.GLUE))
        + 2 * words.count_wide_signs(written)
        + (not words.is_glued(written))
    )


def find_longest_scene(avatar: Presenter) -> int:
    """Return how many characters the presenter speaks in the longest scene:
    about 190 at 165 words per minute.
    """
    return max(60, round(avatar.words_per_minute / 60 * _CHARACTERS_PER_WORD * _LONGEST))


def split_sentences(text: str, language: str, limit: int) -> list[ScriptPart]:
    """Split at sentence ends; a sentence longer than ``limit`` is split into even pieces,
    after a comma or before a phrase.
    """
    parts, sentence = [], []
    for token in words.tokenize_text(text, language):
        sentence.append(token)
        if token.ends:
            parts += _split_sentence(sentence, limit, is_unspaced(language))
            sentence = []
    return parts


def group_into_scenes(parts: list[ScriptPart], limit: int) -> list[list[ScriptPart]]:
    """Return the parts of each scene. Lists and prose are kept apart, with two exceptions: a text
    of a few words or a sentence that ends with a colon leads into what it introduces, and prose too
    short for a scene of its own joins the prose before it.

    A visual without words takes the sentence or the list item before it, if that one has no visual.
    """
    scenes: list[list[ScriptPart]] = []
    lead: list[ScriptPart] = []  # what introduces the next list
    for run in _split_into_runs(parts):
        if run[-1].introduces:
            lead = [run.pop()]
        if not run:
            continue
        if run[0].point or run[0].sight.kind:
            count = (
                1
                if run[0].sight.kind
                else max(ceil(len(run) / MOST_POINTS), ceil(measure_length(lead + run) / limit))
            )
            groups = _split_evenly(run, _avoid_lone_points(lead + run, count, len(run), limit))
            groups[0] = lead + groups[0]
            if not run[0].tokens and not lead:
                groups[0] = _take_lead(scenes) + groups[0]
            elif (
                scenes
                and not _has_visual(scenes[-1])
                and measure_length(scenes[-1]) < limit * _LONGEST_LEAD / _LONGEST
                and measure_length(scenes[-1] + groups[0]) <= limit
            ):
                groups[0] = scenes.pop() + groups[0]
            elif (
                scenes
                and leads_in(scenes[-1][-1])
                and scenes[-1][-1].length + measure_length(groups[0]) <= limit
            ):
                groups[0] = _take_lead(scenes) + groups[0]
            scenes, lead = scenes + groups, []
        else:
            scenes += _split_by_length(run, limit)
            if (
                len(scenes) > 1
                and _is_tiny(scenes, limit)
                and measure_length(scenes[-2] + scenes[-1]) <= limit * _STRETCH
            ):
                last = scenes.pop()
                scenes[-1] = scenes[-1] + last
    return scenes


def _avoid_lone_points(parts: list[ScriptPart], count: int, points: int, limit: int) -> int:
    """Return on how many screens a list of ``points`` is shown that ``count`` would be enough for:
    on fewer, if one of those had a single point and the others can hold it."""
    fewer = points // 2
    if not 1 < count <= points or fewer >= count:
        return count
    can_hold = ceil(points / max(1, fewer)) <= MOST_POINTS
    is_short = measure_length(parts) <= max(1, fewer) * limit * STRETCH_OF_VISUAL
    return max(1, fewer) if can_hold and is_short else count


def _take_lead(scenes: list[list[ScriptPart]]) -> list[ScriptPart]:
    """Remove the last part of the last scene and return it; nothing if that scene has a visual."""
    if not scenes or scenes[-1][-1].sight.kind:
        return []
    lead = scenes[-1].pop()
    if not scenes[-1]:
        scenes.pop()
    return [lead]


def leads_in(part: ScriptPart) -> bool:
    """Return whether a part is a sentence that says what follows: one that ends with a colon, or a
    few words above a list."""
    return part.introduces or (
        not part.point
        and not part.sight.kind
        and bool(part.tokens)
        and part.tokens[-1].written.endswith(_COLONS)
    )


def measure_length(parts: list[ScriptPart]) -> int:
    """Return the length of ``parts`` in characters."""
    return sum(part.length for part in parts)


def _has_visual(parts: list[ScriptPart]) -> bool:
    """Return whether the parts include a list item or a visual."""
    return any(part.point or part.sight.kind for part in parts)


def _is_tiny(scenes: list[list[ScriptPart]], limit: int) -> bool:
    """Return whether the last scene is too short to stand alone; after a list or a visual,
    only half as long a one is, and a quarter after a quotation, whose source did not say it.
    """
    is_quoted = scenes[-2][-1].sight.kind == "quote"
    share = 4 if is_quoted else 2 if _has_visual(scenes[-2]) else 1
    return measure_length(scenes[-1]) < limit * _SHORTEST / _LONGEST / share


def _split_sentence(
    sentence: list[words.Token], limit: int, may_part_words: bool
) -> list[ScriptPart]:
    """Return a sentence whole if it has at most ``limit`` characters, or else pieces that are as
    even as the ends of its clauses and phrases allow: of at most a little more than so many, unless
    a single word has more.

    ``may_part_words``: in a language without spaces all words but the first follow one another like
    its pieces.
    """
    whole = ScriptPart(tuple(sentence))
    if whole.length <= limit:
        return [whole]
    share = whole.length / ceil(whole.length / limit)
    most = max(_STRETCH, limit / share)
    written = [token.written for token in sentence]
    if may_part_words:
        written = [word.removeprefix(words.GLUE) for word in written]
    filled = [0.0, *accumulate(measure_token(token) / share for token in sentence)]
    count, first = len(sentence), 0
    costs, starts = [0.0], [0]  # of the best pieces up to each word, and where the last one begins
    for stop in range(1, count + 1):
        while filled[stop] - filled[first] > most and first < stop - 1:
            first += 1
        best, start = min(
            (costs[at] + _UNEVEN * (filled[stop] - filled[at] - 1) ** 2, at)
            for at in range(first, stop)
        )
        end = phrase_ends.cost_of_end(written, (), stop - 1) if stop < count else 0.0
        costs.append(best + _PIECE + end)
        starts.append(start)
    pieces: list[ScriptPart] = []
    while count:
        pieces.insert(0, ScriptPart(tuple(sentence[starts[count] : count])))
        count = starts[count]
    return pieces


def _split_into_runs(parts: list[ScriptPart]) -> list[list[ScriptPart]]:
    """Return the parts in runs of prose, of the points of lists and of each visual; a list after
    one that was introduced is a run of its own, as it is not what the other is."""
    runs: list[list[ScriptPart]] = []
    for part in parts:
        is_apart = part.is_first and len(runs) > 1 and leads_in(runs[-2][-1])
        if is_apart:
            runs.append([part])
        elif (
            runs and bool(runs[-1][0].point) == bool(part.point) and runs[-1][0].sight is part.sight
        ):
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs


def _split_evenly(parts: list[ScriptPart], count: int) -> list[list[ScriptPart]]:
    """Split into ``count`` groups of nearly the same number of parts."""
    return [parts[first:last] for first, last in divide_evenly(len(parts), count) if first < last]


def _split_by_length(parts: list[ScriptPart], limit: int) -> list[list[ScriptPart]]:
    """Split into as few and as even scenes as the length allows,
    so that none has only two words.
    """
    lengths = [part.length for part in parts]
    count = ceil(sum(lengths) / limit)
    while True:
        shares = _share_out(lengths, count)
        if (
            count >= len(parts)
            or max(sum(lengths[first:last]) for first, last in shares) <= limit * _STRETCH
        ):
            return _lead_by_questions([parts[first:last] for first, last in shares], limit)
        count += max(1, count // _FINEST)


def _lead_by_questions(scenes: list[list[ScriptPart]], limit: int) -> list[list[ScriptPart]]:
    """Return ``scenes`` in which an emphasised question, or a short line that ends no sentence and
    is the title of what follows, begins that scene, if there is room, rather than ends the one
    before: "**Why?** The handle may come off"."""
    for before, after in pairwise(scenes):
        last = before[-1]
        if (
            len(before) > 1
            and last.tokens
            and (_is_asked_with_stress(last) or _is_title(last))
            and last.length + measure_length(after) <= limit * _STRETCH
        ):
            after.insert(0, before.pop())
    return scenes


def _is_asked_with_stress(part: ScriptPart) -> bool:
    is_stressed = all(token.stressed for token in part.tokens)
    return is_stressed and part.tokens[-1].written.endswith(_QUESTIONS)


def _is_title(part: ScriptPart) -> bool:
    """Return whether a part is a paragraph of a few words without a mark at its end."""
    last = part.tokens[-1]
    return (
        len(part.tokens) <= _WORDS_OF_TITLE
        and part.length <= _LONGEST_TITLE
        and last.ends
        and last.written[-1:].isalnum()
        and part.tokens[0].written[:1].isupper()
    )


def _share_out(lengths: list[int], count: int) -> list[tuple[int, int]]:
    """Put each part into the share of the total length that contains its middle;
    return the bounds of the shares.
    """
    total, at, shares = sum(lengths), 0, []
    for length in lengths:
        shares.append(min(count - 1, int((at + length / 2) / total * count)))
        at += length
    bounds = [
        0,
        *(index for index in range(1, len(shares)) if shares[index] != shares[index - 1]),
        len(shares),
    ]
    return list(pairwise(bounds))
