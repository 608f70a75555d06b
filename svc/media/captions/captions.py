"""Splitting the spoken words into caption cues, for the picture and as SubRip and WebVTT files.

They keep the limits of svc.media.captions.limits, last one to six seconds, and break at the ends of
sentences and phrases.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

from svc.base import atomic_file
from svc.base.deliverable_kinds import CAPTION_FORMATS
from svc.base.text.languages import find_language, is_right_to_left, is_unspaced
from svc.base.text.timecodes import format_cue_time
from svc.media.captions import limits
from svc.media.captions.limits import GAP_IN_FILES
from svc.media.model import (
    Scene,
    SceneTiming,
    Script,
    Timeline,
    VideoBrief,
    load_script,
    load_timeline,
)
from svc.media.text import bonds, columns, direction, line_breaks, long_words, names, tokens
from svc.media.text.bonds import Bond

SHORTEST_CUE = 1.0  # seconds that a viewer needs to notice a cue and read it
# The shortest cue in seconds: 5/6, and a margin. Shorter ones are joined with their neighbours
# wherever they fit.
LEAST_CUE = 0.84
LONGEST_CUE = 6.0  # seconds after which a cue looks stuck
STILL_CUE = 3.7  # seconds of a cue in a picture in which nothing else moves
_MARGIN = 0.002  # seconds: protects a cue of exactly sufficient length against rounding
CROSSFADE = 0.335  # seconds without captions before a scene's end: ten frames, plus rounding
# WebVTT: at the top, as captions are burned in below
CLEAR_OF_BURNED = "line:3% position:50% size:90% align:center"
MOST_WORDS = 60  # per cue: a bound for the search that two lines of ordinary words never reach

_CLAUSE_ENDS = tuple(",;:،؛—–)、，；：）」』")
# The costs of a cue, of a break within a clause, and of a break after a clause.
_CUE, _CUT, _CLAUSE = 1.0, 2.0, 0.5
# The cost of a break after a short word: an article or a preposition belongs to what follows.
_ORPHANED = 1.5
_SHORT = 3  # letters
# The cost of a cue under LEAST_CUE, and of each second that it lacks: more than any break or
# sentence end that it avoids.
_TOO_SHORT = 60.0
_ROUNDING = 1e-6  # seconds
_WITHIN_WORD = 6.0  # the cost of a break within a long word
# The cost of a break within what belongs together, by the bond.
_IN_BONDS = {
    Bond.NONE: 0.0,
    Bond.LOOSE: 3.0,
    Bond.YEAR: 5.0,
    Bond.TIGHT: _WITHIN_WORD,
    Bond.SIGN: _WITHIN_WORD,
}
_STILL = 60.0  # the cost of each second after STILL_CUE
_TOO_FAST = 8.0  # the cost of each second of reading time that is missing
_UNREADABLE = 12.0  # the cost of a cue that is too fast at all
_UNEVEN = 3.0  # the cost of a line that is empty while the other is full
_WITHIN_ADDRESS = 100.0  # the cost of a break within one
_UNSHOWABLE = 100.0  # the cost of a cue that the next one replaces before it is visible
_ACROSS_CUT = 30.0  # the cost of a cue that stays while its scene is framed anew
# The costs of a sentence end within a cue: of one with a full stop, and of one before a row or
# after a heading. The next two are what each costs more within a line.
_MIXED, _RUN_ON = 1.5, 6.0
_MIXED_IN_LINE, _RUN_ON_IN_LINE = 2.0, 6.5
# The cost of the first words of a sentence in the cue of the one before, or of its last ones in
# that of the next, and the share of a line up to which they look torn off.
_TORN, _TORN_OFF = 4.0, 0.6
_WIDE_STOPS = ("。", "！", "？", "।")  # which end nothing but sentences
_STOPS = (".", "!", "?", "…", "।", "؟", "۔", ":", "。", "！", "？", "：")


@dataclass(frozen=True)
class Cue:
    """One caption.

    Word indices are those of ``Scene.words``; ``lines`` holds the indices of each line.
    """

    scene: int
    first_word: int
    last_word: int  # inclusive
    start: float  # seconds from the start of the programme
    end: float
    lines: tuple[tuple[int, ...], ...]


def split_cues(
    script: Script,
    timeline: Timeline,
    line_length: int | None = None,
    lines: int = 2,
    still: bool = False,
    in_type: Sequence[frozenset[int]] = (),
    cuts: Sequence[frozenset[int]] = (),
) -> tuple[Cue, ...]:
    """Return the captions of the whole programme, in order; none spans two scenes.

    ``line_length``: characters; None: those of a caption file. A single longer word gets a line of
    its own. ``still``: nothing else moves. ``in_type``: for each scene, the words that its picture
    shows in large type as they are said, which no caption repeats. ``cuts``: likewise, the words
    with which it is framed anew; a caption ends there, unless it would be too short to be read.
    """
    result: list[Cue] = []
    are_burnt = bool(line_length)
    line_length = line_length or (limits.WIDE_LINE if _is_wide(script.language) else limits.LINE)
    known = names.find_names(
        (sentence for scene in script.scenes for sentence in _list_sentences(scene)),
        script.language,
    )
    for index, (scene, timing) in enumerate(zip(script.scenes, timeline.scenes, strict=True)):
        words = (
            long_words.shorten_for_pictures(scene.words)
            if are_burnt
            else long_words.split_for_files(scene.words, script.language)
        )
        shown = in_type[index] if in_type else frozenset()
        framed_anew = cuts[index] if cuts else frozenset()
        language = script.language
        bound = bonds.find_bonds(words, language, known)
        splitter = _CueSplitter(
            scene, timing, words, bound, language, line_length, lines, still, shown, framed_anew
        )
        spans = splitter.spans()
        for number, (first, last) in enumerate(spans):
            if first in shown:
                continue
            following = (
                timing.words[spans[number + 1][0]].start if number + 1 < len(spans) else None
            )
            length = _count_characters(splitter.read, first, last)
            end = _find_end(
                timing, first, last, following, length / find_reading_speed(script.language)
            )
            broken = splitter.break_lines(first, last)
            result.append(Cue(index, first, last, timing.words[first].start, end, broken))
    return tuple(result)


def split_burned_cues(
    brief: VideoBrief,
    script: Script,
    timeline: Timeline,
    caption_lines: tuple[int, int],
    in_type: Sequence[frozenset[int]] = (),
    cuts: Sequence[frozenset[int]] = (),
) -> tuple[Cue, ...]:
    """Return the captions in the picture: they change more often if neither their words nor the
    presenter move.

    ``caption_lines``: characters of a line, and lines. ``in_type``, ``cuts``: as in
    :func:`split_cues`.
    """
    moves = brief.caption_style != "plain" or (brief.avatar.is_shown and brief.avatar.moving)
    return split_cues(script, timeline, *caption_lines, still=not moves, in_type=in_type, cuts=cuts)


def write_captions(folder: Path) -> None:
    """Write ``captions.srt`` and the like from ``script.json`` and ``timeline.json``."""
    script = load_script(folder)
    timeline = load_timeline(folder)
    write_files(script, timeline, *(folder / f"captions.{suffix}" for suffix in CAPTION_FORMATS))


def write_files(script: Script, timeline: Timeline, *paths: Path) -> None:
    """Write the captions of ``script`` to each of ``paths``, in the format of its suffix."""
    shown = [
        (cue.start, cue.end, _set_direction(list_cue_lines(script, cue), script.language))
        for cue in split_cues(script, timeline)
    ]
    for path in paths:
        atomic_file.write_text(path, _FORMATS[path.suffix](shown))


def _set_direction(lines: list[str], language: str) -> list[str]:
    """Return ``lines`` in the direction of the language: players take that of the first letter, and
    would put the full stop of a line that begins with a name in another script on the wrong side.
    Lines that are all in another script, such as an English sentence, have its direction.
    """
    words = " ".join(lines).split()
    ordered_left = direction.is_ordered_left(words, is_right_to_left(language))
    return [direction.mark_direction(line, ordered_left) for line in lines]


def find_reading_speed(language: str) -> int:
    """Return how many characters a second can be read in ``language`` (BCP 47),
    counted as by tokens.measure_display_length.
    """
    return limits.WIDE_READING_SPEED if _is_wide(language) else limits.READING_SPEED


def find_letter_width(language: str) -> int:
    """Return as how many characters a letter of ``language`` counts."""
    return 2 if _is_wide(language) else 1


def measure_speed_ratio(scene: Scene, timing: SceneTiming, language: str) -> float:
    """Return the fastest reading speed in ``scene`` relative to that of the language;
    up to 1.0 it is readable.
    """
    needed = _compute_reading_times(scene, timing, language)
    return max((seconds / max(cue.end - cue.start, 0.01) for cue, seconds in needed), default=0.0)


def list_hurried(scene: Scene, timing: SceneTiming, language: str) -> list[tuple[range, float]]:
    """Return the words of each caption of ``scene`` that is too fast to read, by their indices,
    and the seconds that it lacks.
    """
    return [
        (range(cue.first_word, cue.last_word + 1), seconds - (cue.end - cue.start))
        for cue, seconds in _compute_reading_times(scene, timing, language)
        if seconds > cue.end - cue.start
    ]


def _compute_reading_times(
    scene: Scene, timing: SceneTiming, language: str
) -> list[tuple[Cue, float]]:
    """Return the captions of ``scene`` and how many seconds one needs to read each."""
    scene_cues = split_cues(Script("", language, (scene,)), Timeline(timing.end, 0, (timing,)))
    read, speed = long_words.shorten_for_pictures(scene.words), find_reading_speed(language)
    return [
        (cue, _count_characters(read, cue.first_word, cue.last_word) / speed) for cue in scene_cues
    ]


def list_cue_lines(script: Script, cue: Cue) -> list[str]:
    """Return the text of each line of ``cue`` of a caption file.

    GLUE, which is invisible, stands where a long word goes on.
    """
    texts = long_words.split_for_files(script.scenes[cue.scene].words, script.language)
    lines = [[texts[index] for index in line if texts[index] != tokens.GLUE] for line in cue.lines]
    if is_unspaced(script.language):
        return [tokens.join_words(line) for line in lines if line]
    return [" ".join(line).replace(f" {tokens.GLUE}", tokens.GLUE) for line in lines if line]


def find_shortest_pause(speech: float) -> float:
    """Return the silence (seconds) that a heading needs after ``speech`` (seconds) to be a caption
    of its own for LEAST_CUE.
    """
    return LEAST_CUE + GAP_IN_FILES + _MARGIN - speech


def find_shortest_tail(speech: float) -> float:
    """Return the silence (seconds) that a scene needs after ``speech`` (seconds) for one caption to
    stay for LEAST_CUE.
    """
    return LEAST_CUE + _MARGIN - speech + CROSSFADE


def format_subrip(shown: list[tuple[float, float, list[str]]]) -> str:
    """Return SubRip text of ``(start, end, lines)``.

    The format has no escapes, so characters of its markup are replaced.
    """
    blocks = []
    for number, (start, end, lines) in enumerate(shown, 1):
        text = "\n".join(lines).replace("-->", "→").replace("<", "‹").replace(">", "›")
        blocks.append(
            f"{number}\n{format_cue_time(start, ',')} --> {format_cue_time(end, ',')}\n{text}\n"
        )
    return "\n".join(blocks)


def format_webvtt(shown: list[tuple[float, float, list[str]]], settings: str = "") -> str:
    """Return WebVTT text of ``(start, end, lines)`` (W3C WebVTT, section 4, "Syntax").
    ``settings``: the settings of every cue."""
    settings, blocks = f" {settings}" if settings else "", ["WEBVTT\n"]
    for number, (start, end, lines) in enumerate(shown, 1):
        text = "\n".join(lines).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        times = f"{format_cue_time(start)} --> {format_cue_time(end)}"
        blocks.append(f"{number}\n{times}{settings}\n{text}\n")
    return "\n".join(blocks)


# What writes a file, by its suffix: a format of svc.base.deliverable_kinds.
_FORMATS: dict[str, Callable[[list[tuple[float, float, list[str]]]], str]] = {
    ".srt": format_subrip,
    ".vtt": partial(format_webvtt, settings=CLEAR_OF_BURNED),
}


class _CueSplitter:
    """Finds the cheapest split of one scene into cues, by dynamic programming over the words."""

    def __init__(
        self,
        scene: Scene,
        timing: SceneTiming,
        words: tuple[str, ...],
        bound: tuple[Bond, ...],
        language: str,
        line_length: int,
        lines: int,
        still: bool,
        in_type: frozenset[int],
        cuts: frozenset[int],
    ):
        """``words``: those of the scene as they are shown; ``bound``: how firmly each belongs to
        the next one.
        """
        self._begins = {
            word for word in range(1, len(words)) if (word in in_type) != (word - 1 in in_type)
        }
        self._cuts = cuts
        self.words, self.timing = words, timing
        self._bound, self._language = bound, language
        # Nobody reads more of an address than its host.
        self.read = long_words.shorten_for_pictures(scene.words)
        self._speed, self._is_unspaced = find_reading_speed(language), is_unspaced(language)
        self.ends = frozenset(scene.sentence_ends) | {len(scene.words) - 1}
        # a row of a table, a point of a list, a line of a verse, a turn of a dialogue
        self._rows = frozenset(point.first_word for point in scene.points)
        self._mixed = [self._price_mixing(index) for index in range(len(self.words))]
        self.line_length, self.lines, self.still = line_length, lines, still

    def spans(self) -> list[tuple[int, int]]:
        """Return the ``(first, last)`` word of each cue, both inclusive."""
        count = len(self.words)
        cost, start_of = [0.0] + [float("inf")] * count, [0] * (count + 1)
        for first in range(count):
            for last in range(first, min(count, first + MOST_WORDS)):
                if last > first and (last in self._begins or not self._fits_cue(first, last)):
                    break
                total = cost[first] + self._compute_cost(first, last)
                if total < cost[last + 1]:
                    cost[last + 1], start_of[last + 1] = total, first
        return _walk_back(start_of)

    def break_lines(self, first: int, last: int) -> tuple[tuple[int, ...], ...]:
        """Return the words first to last on the fewest lines. Two lines are balanced, and broken
        before a row or after a sentence or a phrase; a row has a line of its own wherever it fits.
        """
        fewest = _fill_lines(self.words, first, last, self.line_length)
        ends = self._list_ends(first, last)
        has_rows = any(self._mixed[end] == _RUN_ON for end in ends)
        if self.lines < 2 or len(fewest) > 2 or (len(fewest) == 1 and not has_rows):
            return fewest
        at = self._find_break(first, last, ends)
        if at is None and len(fewest) == 1:
            return fewest
        at = fewest[0][-1] if at is None else at
        return tuple(range(first, at + 1)), tuple(range(at + 1, last + 1))

    def _list_ends(self, first: int, last: int) -> list[int]:
        return [at for at in range(first, last) if self._mixed[at]]

    def _find_break(self, first: int, last: int, ends: list[int]) -> int | None:
        """Return the word after which the words first to last are best broken into two lines; None
        if one of them would always be too long. ``ends``: of sentences within."""
        breaks = (at for at in range(first, last) if self._can_break(first, at, last))
        return min(
            breaks, key=lambda at: self._compute_line_cost(first, at, last, ends), default=None
        )

    def _can_break(self, first: int, at: int, last: int) -> bool:
        """Return whether both lines fit if they are broken after the word ``at``."""
        one, other = _count_columns(self.words, first, at), _count_columns(self.words, at + 1, last)
        return max(one, other) <= self.line_length

    def _compute_line_cost(self, first: int, at: int, last: int, ends: list[int]) -> float:
        one, other = _count_columns(self.words, first, at), _count_columns(self.words, at + 1, last)
        cost = _UNEVEN * abs(one - other) / self.line_length + self._price_lines(ends, at)
        if at in ends:
            return cost
        return cost + self._compute_phrase_cost(at) / 1.5

    def _price_lines(self, ends: list[int], at: int | None) -> float:
        """Return what the ``ends`` of sentences cost that are not ``at`` a break of lines."""
        costs = {_RUN_ON: _RUN_ON_IN_LINE, _MIXED: _MIXED_IN_LINE}
        return sum(costs[self._mixed[end]] for end in ends if end != at)

    def _price_mixed_lines(self, first: int, last: int) -> float:
        """Return what the ends of sentences within a cue cost, on the lines that it would have."""
        ends = self._list_ends(first, last)
        if not ends:
            return 0.0
        mixed = sum(self._mixed[end] for end in ends)
        has_rows = any(self._mixed[end] == _RUN_ON for end in ends)
        if not has_rows and _count_columns(self.words, first, last) <= self.line_length:
            return mixed  # a short exclamation may share a line
        breaks = (at for at in ends if self.lines > 1 and self._can_break(first, at, last))
        in_lines = [self._price_lines(ends, at) for at in breaks]
        return mixed + min(in_lines, default=self._price_lines(ends, None))

    def _fits_cue(self, first: int, last: int) -> bool:
        return len(_fill_lines(self.words, first, last, self.line_length)) <= self.lines

    def _compute_cost(self, first: int, last: int) -> float:
        spoken = self.timing.words
        until = (
            spoken[last + 1].start - GAP_IN_FILES
            if last + 1 < len(spoken)
            else self.timing.end - CROSSFADE
        )
        seconds = max(until, spoken[last].end) - spoken[first].start
        length = _count_characters(self.read, first, last)
        cost = _CUE + self._break_cost(last) + self._price_mixed_lines(first, last)
        cost += self._price_tearing(first, last) + self._price_bonds(first, last)
        cost += _ACROSS_CUT * sum(first < cut <= last for cut in self._cuts)
        missing = LEAST_CUE - (until - spoken[first].start)
        cost += 4 * max(0.0, SHORTEST_CUE - seconds) + (
            _TOO_SHORT * (1 + missing) if missing > _ROUNDING else 0.0
        )
        cost += max(0.0, seconds - LONGEST_CUE) + (
            _STILL * max(0.0, seconds - STILL_CUE) if self.still else 0.0
        )
        cost += _UNSHOWABLE if until - spoken[first].start < GAP_IN_FILES else 0.0
        missing = length / self._speed - seconds
        return cost + (
            _TOO_FAST * missing + _UNREADABLE * (missing > _MARGIN) if missing > 0 else 0.0
        )

    def _price_mixing(self, index: int) -> float:
        if index not in self.ends:
            return 0.0
        is_stopped = self.words[index].rstrip("\"'”’»)]」』）").endswith(_STOPS)
        return _MIXED if is_stopped and index + 1 not in self._rows else _RUN_ON

    def _price_tearing(self, first: int, last: int) -> float:
        """Return the cost of a sentence's first words in the cue of a heading, or of a row, that is
        too short to be one alone, and of its last ones in that of the next row: they look torn off,
        the less the more they are.
        """
        ends = self._list_ends(first, last)
        if not ends:
            return 0.0
        cost = 0.0
        if not (last in self.ends or self.words[last].endswith(_CLAUSE_ENDS)):
            cost += self._price_torn_off(ends[-1] + 1, last)
        if first and not (first - 1 in self.ends or self.words[first - 1].endswith(_CLAUSE_ENDS)):
            cost += self._price_torn_off(first, ends[0])
        return cost

    def _price_bonds(self, first: int, last: int) -> float:
        """Return the cost of a cue on two lines that can be broken only between words that belong
        together.
        """
        is_short = _count_columns(self.words, first, last) <= self.line_length
        if self.lines < 2 or is_short or not any(self._bound[first:last]):
            return 0.0
        breaks = [at for at in range(first, last) if self._can_break(first, at, last)]
        return _IN_BONDS[min((self._bound[at] for at in breaks), default=Bond.NONE)]

    def _price_torn_off(self, first: int, last: int) -> float:
        share = _count_columns(self.words, first, last) / self.line_length
        return _TORN * max(0.0, 1 - share / _TORN_OFF)

    def _break_cost(self, last: int) -> float:
        if last + 1 < len(self.read) and self.read[last + 1] == tokens.GLUE:
            return _WITHIN_ADDRESS
        is_glued = last + 1 < len(self.words) and tokens.is_glued(self.words[last + 1])
        if is_glued and not self._is_unspaced:
            return _WITHIN_WORD
        return 0.0 if last in self.ends else self._compute_phrase_cost(last)

    def _compute_phrase_cost(self, at: int) -> float:
        """Return the cost of a break after the word ``at``."""
        word, following = self.words[at], self.words[at + 1]
        if self._bound[at] >= Bond.TIGHT:
            return _CUT + _IN_BONDS[self._bound[at]]
        if line_breaks.is_joined(word, following):
            return _WITHIN_WORD
        if word.endswith(_WIDE_STOPS):
            return 0.0
        if word.endswith(_CLAUSE_ENDS):
            return _CLAUSE
        is_short = len(word) <= _SHORT and word.isalpha()
        is_orphaned = is_short or line_breaks.leads_to_next(word, self._language)
        return _CUT + max(_IN_BONDS[self._bound[at]], _ORPHANED if is_orphaned else 0.0)


def _list_sentences(scene: Scene) -> list[tuple[str, ...]]:
    starts = (0, *(end + 1 for end in sorted(scene.sentence_ends)), len(scene.words))
    return [scene.words[first:last] for first, last in pairwise(starts) if first < last]


def _walk_back(start_of: list[int]) -> list[tuple[int, int]]:
    spans, end = [], len(start_of) - 1
    while end > 0:
        spans.append((start_of[end], end - 1))
        end = start_of[end]
    return spans[::-1]


def _fill_lines(texts, first: int, last: int, line_length: int) -> tuple[tuple[int, ...], ...]:
    """Return the words first to last on the fewest lines, each filled as far as possible."""
    lines: list[list[int]] = []
    width = line_length
    for index in range(first, last + 1):
        width += (not tokens.is_glued(texts[index])) + columns.count_columns(texts[index])
        if width > line_length or not lines:
            lines.append([])
            width = columns.count_columns(texts[index])
        lines[-1].append(index)
    return tuple(tuple(line) for line in lines)


def _count_characters(texts, first: int, last: int) -> int:
    """Return the number of characters to be read of the words first to last, with the spaces
    between them.
    """
    return sum(map(columns.measure_display_length, texts[first : last + 1])) + _count_spaces(
        texts, first, last
    )


def _count_columns(texts, first: int, last: int) -> int:
    """Return the columns of a line with the words first to last."""
    return sum(map(columns.count_columns, texts[first : last + 1])) + _count_spaces(
        texts, first, last
    )


def _count_spaces(texts, first: int, last: int) -> int:
    return sum(not tokens.is_glued(word) for word in texts[first + 1 : last + 1])


def _is_wide(language: str) -> bool:
    listed = find_language(language)
    return listed is not None and listed.is_wide


def _find_end(
    timing: SceneTiming, first: int, last: int, following: float | None, seconds: float
) -> float:
    """Return the end of a cue: long enough to read it, which takes ``seconds``,
    but before the next cue or the crossfade.
    """
    spoken = timing.words[first : last + 1]
    ideal = max(spoken[-1].end, spoken[0].start + max(SHORTEST_CUE, seconds + _MARGIN))
    if following is not None:
        return max(min(ideal, following - GAP_IN_FILES), spoken[0].start + GAP_IN_FILES)
    return max(min(ideal, timing.end - CROSSFADE), spoken[-1].end)
