"""The gates of a caption file: it covers all words, appears as they are spoken,
and a viewer can read it in time.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import ClassVar

from svc.base.text.languages import find_language
from svc.media.audio import Samples
from svc.media.captions import limits
from svc.media.captions import parse as subtitles
from svc.media.captions.parse import Subtitle
from svc.media.checks.film_timeline import format_clock
from svc.media.checks.quality_gates import (
    Measurement,
    Measurements,
    measure_subject,
    quality_gate,
)
from svc.media.checks.speech import find_onset, measure_level
from svc.media.model import QualityFinding, Script, Timeline, Word
from svc.media.text import addresses, columns, long_words, tokens

LATEST = 0.5  # seconds after the end of the programme
OFFSET = 0.15  # seconds between a cue and its first word
ANOTHER = 0.8  # seconds: cues that are so far from their words are certainly wrong
_PAUSE = 0.25  # seconds without a word, after which a sound's beginning can be told
_ROUNDING = 0.0011  # seconds: times in the files are whole milliseconds
# On a line (JIS X 4051); "%c" is a sign of a program.
_NEVER_FIRST = re.compile(
    "[、。，．；：？！」』）】》〉ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々％…]|%(?![a-zA-Z%])"
)
_LED_BY_ELLIPSIS = re.compile(r"…{1,2}\w")


def list_findings(
    path: Path,
    script: Script,
    timeline: Timeline,
    sound: Samples | None,
    duration: float,
    fastest: float | None = None,
) -> list[QualityFinding]:
    """Return the findings for a caption file.

    ``sound``: a decoded film's, from its ProbeResult; None: it is in another language.
    ``duration``: seconds of the programme. ``fastest``: characters a second; None: as a viewer can
    read while listening.
    """
    file = CaptionFile(path)
    if unreadable := measure_subject(file):
        return unreadable
    language = find_language(script.language)
    is_wide, is_unspaced = (language.is_wide, language.is_unspaced) if language else (False, False)
    script, timeline = _convert_to_file_words(script, timeline)
    fastest = fastest or (limits.WIDE_READING_SPEED if is_wide else limits.READING_SPEED)
    cues = subtitles.read_cues(path)
    return measure_subject(
        Captions(path.name, cues, script, timeline, sound, duration, fastest, is_wide, is_unspaced)
    )


@dataclass(frozen=True)
class CaptionFile:
    """A file of captions, which perhaps cannot be read."""

    CHECKED: ClassVar[str] = "SRT and VTT"
    path: Path

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.path.name


@dataclass(frozen=True)
class Captions:
    """The captions of the file ``name``, beside what they must say and when. ``script`` and
    ``timeline``: with the words that caption files show. ``sound``, ``duration``: as in
    :func:`list_findings`. ``fastest``: characters a second."""

    CHECKED: ClassVar[str] = "SRT and VTT"
    name: str
    cues: list[Subtitle]
    script: Script
    timeline: Timeline
    sound: Samples | None
    duration: float
    fastest: float
    is_wide: bool  # its signs count twice
    is_unspaced: bool

    def pair_with_words(self) -> list[tuple[Subtitle, Word, float]]:
        """Return each cue with its first word, and when the word before that ends."""
        spoken = [word for scene in self.timeline.scenes for word in scene.words]
        word_at = dict(
            zip(_count_before(word.text for word in spoken), range(len(spoken)), strict=False)
        )
        # Words are found by their letters: not all have spaces.
        firsts = [word_at.get(place) for place in _count_before(cue.text for cue in self.cues)]
        return [
            (cue, spoken[first], spoken[first - 1].end if first else 0.0)
            for cue, first in zip(self.cues, firsts, strict=False)
            if first is not None
        ]


@quality_gate("captions", of=CaptionFile, failure="can be read")
def check_readable(file: CaptionFile) -> Measurements:
    """Check that the file can be read; there is no finding if it can."""
    try:
        subtitles.read_cues(file.path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return Measurement(f"unreadable: {reason}", "a file that can be read", False)
    return ()


def _convert_to_file_words(script: Script, timeline: Timeline) -> tuple[Script, Timeline]:
    """Return both with the words that caption files show, one for one."""
    shown = [long_words.split_for_files(scene.words, script.language) for scene in script.scenes]
    timed = (
        replace(
            scene,
            words=tuple(
                replace(word, text=text) for word, text in zip(scene.words, words, strict=True)
            ),
        )
        for scene, words in zip(timeline.scenes, shown, strict=True)
    )
    scenes = (
        replace(scene, words=words) for scene, words in zip(script.scenes, shown, strict=True)
    )
    return replace(script, scenes=tuple(scenes)), replace(timeline, scenes=tuple(timed))


@quality_gate("scenes in captions", of=Captions, failure="every word of the script, in order")
def check_coverage(captions: Captions) -> Measurement:
    """Check that every scene's words are there, in order."""
    script = captions.script
    read = _join_without_spaces if captions.is_unspaced else _join_with_spaces
    text, at = read(cue.text for cue in captions.cues), 0
    missing: list[int] = []
    for number, scene in enumerate(script.scenes, 1):
        words_of_scene = read(scene.words)
        position = text.find(words_of_scene, at)
        if position < 0:
            missing.append(number)
        else:
            at = position + len(words_of_scene.rstrip())
    total = len(script.scenes)
    lost = sum(len(script.scenes[number - 1].words) for number in missing)
    where = f"scene {', '.join(map(str, missing[:5]))}" if missing else ""
    measured = f"{total - len(missing)} of {total}"
    excess = f"{len(missing)} scenes with {lost} words"
    return Measurement(measured, f"{total} of {total}", not missing, where, excess)


def _join_with_spaces(texts: Iterable[str]) -> str:
    """Return the words of ``texts``, the pieces of a long one too, each between spaces:
    a scene may begin within a word.
    """
    return f" {' '.join(word for text in texts for word in subtitles.split_words(text))} "


def _join_without_spaces(texts: Iterable[str]) -> str:
    """Return the signs of ``texts`` in a language in which spaces say nothing."""
    return "".join(
        "".join(subtitles.split_words(text)).replace(subtitles.GLUE, "") for text in texts
    )


@quality_gate(
    "caption timing", of=Captions, failure="no overlap, and none after the end of the programme"
)
def check_timing(captions: Captions) -> Measurement:
    """Check that no cue overlaps the one before, is empty, or ends after the programme."""
    cues, latest = captions.cues, captions.duration + LATEST
    bad = [cue for cue in cues if cue.end <= cue.start or cue.end > latest]
    bad += [following for cue, following in pairwise(cues) if following.start < cue.end]
    where = _describe_place(bad[0], cues) if bad else ""
    measured = f"{len(bad)} cues overlap or lie outside"
    return Measurement(measured, "none", not bad, where, f"{len(bad)} cues")


@quality_gate("caption gap", of=Captions, warning="2 frames")
def check_gap(captions: Captions) -> Measurement:
    """Check that a viewer sees one cue replace another."""
    cues = captions.cues
    gaps = [(following.start - cue.end, following) for cue, following in pairwise(cues)]
    least, after = min(gaps, key=lambda gap: gap[0], default=(limits.GAP, cues[0]))
    measured, limit = f"{least * 1000:.0f} ms", f"at least {limits.GAP * 1000:.0f} ms: 2 frames"
    passed = least >= limits.GAP - _ROUNDING
    excess = f"{(limits.GAP - least) * 1000:.0f} ms too short"
    return _make_reading_measurement(measured, limit, passed, (after, cues), excess)


@quality_gate(
    "reading speed",
    of=Captions,
    warning=(
        f"{limits.READING_SPEED:.0f} characters a second "
        f"({limits.TRANSLATED_READING_SPEED:.0f} in further languages); "
        f"{limits.WIDE_READING_SPEED:.0f} of Chinese, Japanese and Korean, whose signs count twice"
    ),
)
def check_reading_speed(captions: Captions) -> Measurement:
    """Check that a viewer can read each cue while it is shown."""
    cues, most = captions.cues, captions.fastest
    between = "" if captions.is_unspaced else " "
    texts = [subtitles.collapse_spaces(between.join(cue.lines)) for cue in cues]
    lengths = (
        tokens.measure_display_length(" ".join(map(addresses.shorten_to_host, text.split(" "))))
        for text in texts
    )
    speeds = [
        (length / max(cue.end - cue.start, 0.001), cue)
        for length, cue in zip(lengths, cues, strict=True)
    ]
    fastest, cue = max(speeds, key=lambda speed: speed[0])
    limit, passed = f"at most {most:.0f} characters a second", fastest < most + 0.05
    measured, excess = f"{fastest:.1f} characters a second", f"{fastest - most:.1f} too fast"
    return _make_reading_measurement(measured, limit, passed, (cue, cues), excess)


@quality_gate("caption lines", of=Captions, warning=f"{limits.MOST_LINES}")
def check_lines(captions: Captions) -> Measurement:
    """Check that captions cover little of the picture."""
    cues = captions.cues
    cue = max(cues, key=lambda cue: len(cue.lines))
    count = len(cue.lines)
    limit, over = f"at most {limits.MOST_LINES}", count - limits.MOST_LINES
    return _make_reading_measurement(f"{count}", limit, over <= 0, (cue, cues), f"{over} too many")


@quality_gate(
    "caption line",
    of=Captions,
    warning=f"{limits.LINE} characters; {limits.WIDE_LINE} of Chinese, Japanese and Korean",
)
def check_line_length(captions: Captions) -> Measurement:
    """Check that each line fits into the width of players."""
    cues, most = captions.cues, limits.WIDE_LINE if captions.is_wide else limits.LINE
    longest, cue = max(
        ((columns.count_columns(line), cue) for cue in cues for line in cue.lines),
        key=lambda line: line[0],
    )
    measured, limit, over = f"{longest} characters", f"at most {most}", longest - most
    return _make_reading_measurement(measured, limit, over <= 0, (cue, cues), f"{over} too long")


@quality_gate(
    "beginnings of caption lines",
    of=Captions,
    how="of languages without spaces",
    warning="none with a closing mark",
)
def check_beginnings(captions: Captions) -> Measurements:
    """Check that no line begins with a sign that belongs to the one before it,
    such as a full stop or a small kana.
    """
    cues = captions.cues
    if not captions.is_unspaced:
        return ()
    wrong = [cue for cue in cues if any(_begins_wrongly(*each) for each in enumerate(cue.lines))]
    measured, excess = f"{len(wrong)} cues begin a line with a closing sign", f"{len(wrong)} cues"
    first = (wrong[0] if wrong else cues[0], cues)
    return _make_reading_measurement(measured, "none", not wrong, first, excess)


def _begins_wrongly(number: int, line: str) -> bool:
    """Return whether a line begins with a sign of the one before it; a sentence may begin with an
    ellipsis, as after what a quotation leaves out.
    """
    is_led = number == 0 and _LED_BY_ELLIPSIS.match(line)
    return bool(_NEVER_FIRST.match(line)) and not is_led


@quality_gate("shortest caption", of=Captions, warning=f"{limits.SHORTEST} s")
def check_shortest(captions: Captions) -> Measurement:
    """Check that no cue is gone before a viewer sees it."""
    cues = captions.cues
    cue = min(cues, key=lambda cue: cue.end - cue.start)
    seconds, limit = cue.end - cue.start, f"at least {limits.SHORTEST} s"
    passed = seconds >= limits.SHORTEST - _ROUNDING
    excess = f"{limits.SHORTEST - seconds:.2f} s too short"
    return _make_reading_measurement(f"{seconds:.2f} s", limit, passed, (cue, cues), excess)


def _make_reading_measurement(
    measured: str, limit: str, passed: bool, worst: tuple[Subtitle, list[Subtitle]], excess: str
) -> Measurement:
    """Return a measurement that is no certain failure: viewers differ, and all words are there."""
    at = worst[0].start
    return Measurement(
        measured, limit, passed, _describe_place(*worst), excess, certain=False, at=at
    )


@quality_gate(
    "captions and words", of=Captions, warning=f"{OFFSET * 1000:.0f} ms", failure=f"{ANOTHER} s"
)
def check_words(captions: Captions) -> Measurement:
    """Compare each cue's start with its first word's."""
    late = [(cue.start - word.start, cue) for cue, word, _ in captions.pair_with_words()]
    worst = max(late, key=lambda row: abs(row[0]), default=None)
    return _make_offset_measurement(
        worst, captions.cues, worst is not None and abs(worst[0]) > ANOTHER
    )


@quality_gate(
    "captions and sound",
    of=Captions,
    how="by the sound's own onset",
    warning=f"{OFFSET * 1000:.0f} ms",
)
def check_sound(captions: Captions) -> Measurements:
    """Compare each cue's start with where a sound begins after a pause."""
    sound = captions.sound
    if sound is None:
        return ()
    after_pause = [
        (cue, word.start, before)
        for cue, word, before in captions.pair_with_words()
        if word.start - before >= _PAUSE
    ]
    level = measure_level(sound)
    begun = [(cue, find_onset(sound, level, at, before)) for cue, at, before in after_pause]
    heard = [(cue.start - moment, cue) for cue, moment in begun if moment is not None]
    return _make_offset_measurement(_find_median(heard), captions.cues)


def _count_before(texts: Iterable[str]) -> list[int]:
    """Return how many characters that are no spaces go before each of ``texts``."""
    return [0, *accumulate(len(_join_without_spaces([text])) for text in texts)][:-1]


def _find_median(rows: list[tuple[float, Subtitle]]) -> tuple[float, Subtitle] | None:
    """Return the row of the median: single sounds begin before their word, with a breath,
    or softly after it.
    """
    return sorted(rows, key=lambda row: row[0])[len(rows) // 2] if rows else None


def _make_offset_measurement(
    row: tuple[float, Subtitle] | None, cues: list[Subtitle], certain: bool = False
) -> Measurement:
    limit = f"at most {OFFSET * 1000:.0f} ms apart"
    if row is None:
        return Measurement("nothing to compare", limit, True)
    late, cue = row
    measured, excess = f"{late * 1000:+.0f} ms", f"{(abs(late) - OFFSET) * 1000:.0f} ms"
    passed = abs(late) <= OFFSET
    return Measurement(
        measured, limit, passed, _describe_place(cue, cues), excess, certain=certain, at=cue.start
    )


def _describe_place(cue: Subtitle, cues: list[Subtitle]) -> str:
    return f"{format_clock(cue.start)}, cue {cues.index(cue) + 1}"
