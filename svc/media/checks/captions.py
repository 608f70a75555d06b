"""The gates of a caption file: it covers all words, appears as they are spoken,
and a viewer can read it in time.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path

from svc.base.text.languages import find_language
from svc.media.captions import limits
from svc.media.captions import parse as subtitles
from svc.media.captions.parse import Subtitle
from svc.media.checks.film_timeline import format_clock
from svc.media.checks.speech import find_onset, level_of
from svc.media.model import QualityFinding, Script, Timeline
from svc.media.speech.audio import Samples
from svc.media.text import addresses, long_words, tokens

LATEST = 0.5  # seconds after the end of the programme
OFFSET = 0.15  # seconds between a cue and its first word
ANOTHER = 0.8  # seconds: cues that are so far from their words are certainly wrong
_PAUSE = 0.25  # seconds without a word, after which a sound's beginning can be told
_ROUNDING = 0.0011  # seconds: times in the files are whole milliseconds
# On a line (JIS X 4051); "%c" is a sign of a program.
_NEVER_FIRST = re.compile(
    "[、。，．；：？！」』）】》〉ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々％…]|%(?![a-zA-Z%])"
)


def findings(
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
    language = find_language(script.language)
    is_wide, is_unspaced = (language.is_wide, language.is_unspaced) if language else (False, False)
    try:
        cues = subtitles.read_cues(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return [
            QualityFinding(
                "captions", path.name, f"unreadable: {reason}", "a file that can be read", False
            )
        ]
    script, timeline = _as_in_files(script, timeline)
    fastest = fastest or (limits.WIDE_READING_SPEED if is_wide else limits.READING_SPEED)
    return [
        _coverage(path.name, cues, script, _unspaced if is_unspaced else _spaced),
        _timing(path.name, cues, duration),
        _gap(path.name, cues),
        _speed(path.name, cues, fastest, is_unspaced),
        _lines(path.name, cues),
        _length(path.name, cues, limits.WIDE_LINE if is_wide else limits.LINE),
        *([_beginnings(path.name, cues)] if is_unspaced else []),
        _shortest(path.name, cues),
        *_sync(path.name, cues, timeline, sound),
    ]


def _as_in_files(script: Script, timeline: Timeline) -> tuple[Script, Timeline]:
    """Return both with the words that caption files show, one for one."""
    shown = [long_words.for_files(scene.words, script.language) for scene in script.scenes]
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


def _coverage(
    name: str, cues: list[Subtitle], script: Script, read: Callable[[Iterable[str]], str]
) -> QualityFinding:
    """Check that every scene's words are there, in order."""
    text, at = read(cue.text for cue in cues), 0
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
    measured, excess = (
        f"{total - len(missing)} of {total}",
        f"{len(missing)} scenes with {lost} words",
    )
    return QualityFinding(
        "scenes in captions", name, measured, f"{total} of {total}", not missing, where, excess
    )


def _spaced(texts: Iterable[str]) -> str:
    """Return the words of ``texts``, the pieces of a long one too, each between spaces:
    a scene may begin within a word.
    """
    return f" {' '.join(word for text in texts for word in subtitles.words(text))} "


def _unspaced(texts: Iterable[str]) -> str:
    """Return the signs of ``texts`` in a language in which spaces say nothing."""
    return "".join("".join(subtitles.words(text)).replace(subtitles.GLUE, "") for text in texts)


def _timing(name: str, cues: list[Subtitle], duration: float) -> QualityFinding:
    """Check that no cue overlaps the one before, is empty, or ends after the programme."""
    bad = [cue for cue in cues if cue.end <= cue.start or cue.end > duration + LATEST]
    bad += [following for cue, following in pairwise(cues) if following.start < cue.end]
    where = _where(bad[0], cues) if bad else ""
    measured = f"{len(bad)} cues overlap or lie outside"
    return QualityFinding(
        "caption timing", name, measured, "none", not bad, where, f"{len(bad)} cues"
    )


def _gap(name: str, cues: list[Subtitle]) -> QualityFinding:
    gaps = [(following.start - cue.end, following) for cue, following in pairwise(cues)]
    least, after = min(gaps, key=lambda gap: gap[0], default=(limits.GAP, cues[0]))
    measured, limit = f"{least * 1000:.0f} ms", f"at least {limits.GAP * 1000:.0f} ms: 2 frames"
    passed = least >= limits.GAP - _ROUNDING
    excess = f"{(limits.GAP - least) * 1000:.0f} ms too short"
    return _readability("caption gap", name, measured, limit, passed, (after, cues), excess)


def _speed(name: str, cues: list[Subtitle], most: float, is_unspaced: bool) -> QualityFinding:
    texts = [subtitles.shown(("" if is_unspaced else " ").join(cue.lines)) for cue in cues]
    lengths = (
        tokens.display_length(" ".join(map(addresses.shorten_to_host, text.split(" "))))
        for text in texts
    )
    speeds = [
        (length / max(cue.end - cue.start, 0.001), cue)
        for length, cue in zip(lengths, cues, strict=True)
    ]
    fastest, cue = max(speeds, key=lambda speed: speed[0])
    limit, passed = f"at most {most:.0f} characters a second", fastest < most + 0.05
    measured, excess = f"{fastest:.1f} characters a second", f"{fastest - most:.1f} too fast"
    return _readability("reading speed", name, measured, limit, passed, (cue, cues), excess)


def _lines(name: str, cues: list[Subtitle]) -> QualityFinding:
    cue = max(cues, key=lambda cue: len(cue.lines))
    count = len(cue.lines)
    limit, over = f"at most {limits.MOST_LINES}", count - limits.MOST_LINES
    return _readability(
        "caption lines", name, f"{count}", limit, over <= 0, (cue, cues), f"{over} too many"
    )


def _length(name: str, cues: list[Subtitle], most: int) -> QualityFinding:
    longest, cue = max(
        ((tokens.display_length(line), cue) for cue in cues for line in cue.lines),
        key=lambda line: line[0],
    )
    measured, limit, over = f"{longest} characters", f"at most {most}", longest - most
    return _readability(
        "caption line", name, measured, limit, over <= 0, (cue, cues), f"{over} too long"
    )


def _beginnings(name: str, cues: list[Subtitle]) -> QualityFinding:
    """Check that no line begins with a sign that belongs to the one before it,
    such as a full stop or a small kana.
    """
    wrong = [cue for cue in cues if any(map(_NEVER_FIRST.match, cue.lines))]
    measured, excess = f"{len(wrong)} cues begin a line with a closing sign", f"{len(wrong)} cues"
    first = (wrong[0] if wrong else cues[0], cues)
    return _readability(
        "beginnings of caption lines", name, measured, "none", not wrong, first, excess
    )


def _shortest(name: str, cues: list[Subtitle]) -> QualityFinding:
    cue = min(cues, key=lambda cue: cue.end - cue.start)
    seconds, limit = cue.end - cue.start, f"at least {limits.SHORTEST} s"
    passed = seconds >= limits.SHORTEST - _ROUNDING
    excess = f"{limits.SHORTEST - seconds:.2f} s too short"
    return _readability(
        "shortest caption", name, f"{seconds:.2f} s", limit, passed, (cue, cues), excess
    )


def _readability(
    check: str,
    name: str,
    measured: str,
    limit: str,
    passed: bool,
    worst: tuple[Subtitle, list[Subtitle]],
    excess: str,
) -> QualityFinding:
    """Return a finding that is no certain failure: viewers differ, and all words are there."""
    at = worst[0].start
    return QualityFinding(
        check, name, measured, limit, passed, _where(*worst), excess, certain=False, at=at
    )


def _sync(
    name: str, cues: list[Subtitle], timeline: Timeline, sound: Samples | None
) -> list[QualityFinding]:
    """Compare each cue's start with its first word's, and with where a sound begins
    after a pause.
    """
    spoken = [word for scene in timeline.scenes for word in scene.words]
    word_at = dict(zip(_places(word.text for word in spoken), range(len(spoken)), strict=False))
    # by their letters: not all have spaces
    firsts = [word_at.get(place) for place in _places(cue.text for cue in cues)]
    pairs = [
        (cue, spoken[first], spoken[first - 1].end if first else 0.0)
        for cue, first in zip(cues, firsts, strict=False)
        if first is not None
    ]
    late = [(cue.start - word.start, cue) for cue, word, _ in pairs]
    worst = max(late, key=lambda row: abs(row[0]), default=None)
    beside = _offset(
        "captions and words", name, worst, cues, worst is not None and abs(worst[0]) > ANOTHER
    )
    if sound is None:
        return [beside]
    after_pause = [
        (cue, word.start, before) for cue, word, before in pairs if word.start - before >= _PAUSE
    ]
    level = level_of(sound)
    begun = [(cue, find_onset(sound, level, at, before)) for cue, at, before in after_pause]
    heard = [(cue.start - moment, cue) for cue, moment in begun if moment is not None]
    return [beside, _offset("captions and sound", name, _middle(heard), cues)]


def _places(texts: Iterable[str]) -> list[int]:
    """Return how many characters that are no spaces go before each of ``texts``."""
    return [0, *accumulate(len(_unspaced([text])) for text in texts)][:-1]


def _middle(rows: list[tuple[float, Subtitle]]) -> tuple[float, Subtitle] | None:
    """Return the row of the median: single sounds begin before their word, with a breath,
    or softly after it.
    """
    return sorted(rows, key=lambda row: row[0])[len(rows) // 2] if rows else None


def _offset(
    check: str,
    name: str,
    row: tuple[float, Subtitle] | None,
    cues: list[Subtitle],
    certain: bool = False,
) -> QualityFinding:
    limit = f"at most {OFFSET * 1000:.0f} ms apart"
    if row is None:
        return QualityFinding(check, name, "nothing to compare", limit, True)
    late, cue = row
    measured, excess = f"{late * 1000:+.0f} ms", f"{(abs(late) - OFFSET) * 1000:.0f} ms"
    passed = abs(late) <= OFFSET
    return QualityFinding(
        check,
        name,
        measured,
        limit,
        passed,
        _where(cue, cues),
        excess,
        certain=certain,
        at=cue.start,
    )


def _where(cue: Subtitle, cues: list[Subtitle]) -> str:
    return f"{format_clock(cue.start)}, cue {cues.index(cue) + 1}"
