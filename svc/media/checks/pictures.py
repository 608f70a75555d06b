"""The gates of a film's pictures: they are those that were drawn, they move,
and the captions change with the words.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from svc.media.checks import scene_pictures
from svc.media.checks.film_timeline import Film, format_clock, format_position
from svc.media.checks.probe import ProbeResult
from svc.media.checks.quality_gates import (
    Measurement,
    Measurements,
    measure_subject,
    quality_gate,
)
from svc.media.checks.scene_pictures import ScenePictures
from svc.media.model import QualityFinding

LIKENESS = 0.85  # structural similarity to the drawn picture; encoding alone leaves more than 0.97
ODD = 0.02  # the share of the picture that may have another brightness or colour
# A picture is another one where it is less alike (SSIM), or where more of it is in another colour.
ANOTHER, ANOTHER_COLOUR = 0.5, 0.25
_ODD_PANEL = 0.25  # of the lower third: blocks at its edge show more than the panel
LONGEST_STILL = 4.0  # seconds without a visible change while words are spoken
MISSED = 0.8  # seconds during which words are spoken and the captions do not follow
_BOUNDARY = 0.4  # seconds before a scene's start during which its crossfade changes the picture
# How many seconds before and after the start of a cue or a word its caption may change.
_EARLY, _LATE = 0.1, 0.3


@dataclass(frozen=True)
class FilmPictures:
    """The pictures of a film. ``shown``: what was compared while it was decoded."""

    CHECKED: ClassVar[str] = "every mp4"
    film: Film
    result: ProbeResult
    shown: ScenePictures

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.film.name


def list_findings(film: Film, result: ProbeResult, shown: ScenePictures) -> list[QualityFinding]:
    """Return the findings for the pictures.

    ``shown``: what was compared while the film was decoded.
    """
    return measure_subject(FilmPictures(film, result, shown))


@quality_gate(
    "scene pictures",
    of=FilmPictures,
    how="by the drawn ones, without captions and presenter",
    warning=(
        f"SSIM {LIKENESS} where there is detail, {ODD * 100:.0f} % of another colour; all compared"
    ),
    failure=f"SSIM {ANOTHER}, {ANOTHER_COLOUR * 100:.0f} % of another colour",
)
def check_scene_pictures(pictures: FilmPictures) -> Measurement:
    """Compare each scene's picture with its drawing."""
    film, likenesses, error = pictures.film, pictures.shown.results, pictures.shown.error
    limit = f"structure at least {LIKENESS} of 1, at most {ODD * 100:.0f} % of another colour"
    unseen = [index for index in range(len(film.scenes)) if index not in likenesses]
    if unseen:
        measured = f"scene {unseen[0] + 1} was not compared" + (f": {error}" if error else "")
        at = scene_pictures.end_of_speech(film.scenes[unseen[0]])
        return Measurement(
            measured, limit, False, _describe_place(film, unseen[0]), certain=False, at=at
        )
    structure = min(likenesses, key=lambda index: likenesses[index].structure)
    odd = max(likenesses, key=lambda index: likenesses[index].odd)
    least, most = likenesses[structure].structure, likenesses[odd].odd
    measured = f"structure at least {least:.2f}, at most {most * 100:.1f} % of another colour"
    passed = least >= LIKENESS and most <= ODD
    worst = odd if most > ODD else structure
    excess = f"{max(0.0, LIKENESS - least):.2f}, {max(0.0, most - ODD) * 100:.1f} %"
    return Measurement(
        measured,
        limit,
        passed,
        _describe_place(film, worst),
        excess,
        certain=is_another(least, most),
        at=scene_pictures.end_of_speech(film.scenes[worst]),
    )


def is_another(structure: float, odd: float) -> bool:
    """Return whether a picture is certainly not the one that was meant, rather than caught in a
    transition or coarsely encoded."""
    return structure < ANOTHER or odd > ANOTHER_COLOUR


@quality_gate(
    "lower third",
    of=FilmPictures,
    how="by its drawing, where its texts are",
    warning=f"{_ODD_PANEL * 100:.0f} % of another colour; compared",
)
def check_lower_third(pictures: FilmPictures) -> Measurements:
    """Compare the lower third with its drawing, where its texts are."""
    shown = pictures.shown
    if not shown.wants_panel:
        return ()
    limit = f"at most {_ODD_PANEL * 100:.0f} % of another colour"
    if shown.panel is None:
        measured = "not compared" + (f": {shown.error}" if shown.error else "")
        return Measurement(measured, limit, False, certain=False, at=shown.panel_at)
    odd = shown.panel.odd
    excess = f"{max(0.0, odd - _ODD_PANEL) * 100:.1f} %"
    measured = f"{odd * 100:.1f} % of another colour"
    where, at = "where its texts are", shown.panel_at
    return Measurement(measured, limit, odd <= _ODD_PANEL, where, excess, certain=False, at=at)


def _describe_place(film: Film, scene: int) -> str:
    return f"{format_clock(film.scenes[scene].end)}, scene {scene + 1}"


@quality_gate("black picture", of=FilmPictures, failure="none")
def check_black_picture(pictures: FilmPictures) -> Measurement:
    """Find black pictures; those of a clip are compared with it."""
    film, result = pictures.film, pictures.result
    black = [
        (start, end - start - film.count_seconds_in_clips(start, end))
        for start, end in result.black
    ]
    black = [
        (start, seconds) for start, seconds in black if seconds > 0.5 / float(result.frame_rate)
    ]
    total = sum(seconds for _, seconds in black)
    where = format_position(black[0][0], film.scenes) if black else ""
    return Measurement(f"{total:.2f} s", "none", not black, where, f"{total:.2f} s")


@quality_gate("frozen picture", of=FilmPictures, warning="another picture with every scene")
def check_frozen_picture(pictures: FilmPictures) -> Measurement:
    """Find scenes that begin with the picture of the one before,
    or in which the picture does not change with the words.
    """
    film, result, stale = pictures.film, pictures.result, pictures.shown.stale
    rate = float(result.frame_rate)
    stuck = [
        (scene.start, "is the one before")
        for index, scene in enumerate(film.scenes)
        if index and (index in stale or not _has_changed(result, scene.start, rate))
    ]
    stuck += [
        (scene.runs, "does not move with its words")
        for scene in film.scenes
        if scene.words
        and not _has_change_within(result.changes, scene.runs + 0.5 / rate, scene.end, rate)
    ]
    limit = "a change with every scene and with its words"
    if not stuck:
        return Measurement(f"{len(result.changes)} changes", limit, True)
    at, problem = min(stuck, key=lambda row: row[0])
    measured = (
        f"the picture {problem}"
        if len(stuck) == 1
        else f"the picture {problem}; and {len(stuck) - 1} more like it"
    )
    excess = f"{_measure_stillness(result, at, rate):.2f} s without a change"
    where = format_position(at, film.scenes)
    return Measurement(measured, limit, False, where, excess, certain=False, at=at)


def _has_changed(result: ProbeResult, seconds: float, rate: float) -> bool:
    return _has_change_within(result.changes, seconds - _BOUNDARY, seconds + 1.5 / rate, rate)


def _has_change_within(changes: tuple[int, ...], start: float, end: float, rate: float) -> bool:
    at = bisect_left(changes, math.ceil(start * rate - 1e-6))
    return at < len(changes) and changes[at] < end * rate


def _measure_stillness(result: ProbeResult, seconds: float, rate: float) -> float:
    """Return for how many seconds the picture shown at ``seconds`` stands still."""
    at = bisect_left(result.changes, seconds * rate + 1)
    end = result.changes[at] if at < len(result.changes) else result.frames
    return (end - result.changes[at - 1]) / rate


@quality_gate(
    "still picture", of=FilmPictures, warning=f"a visible change in {LONGEST_STILL:.0f} s"
)
def check_still_picture(pictures: FilmPictures) -> Measurement:
    """Find the longest time without a visible change in which words are spoken; what stands still
    for a description is left out."""
    film, result = pictures.film, pictures.result
    rate = float(result.frame_rate)
    longest, at = 0.0, 0.0
    for first, end in pairwise([*result.changes, result.frames]):
        if (end - first) / rate <= longest:
            continue
        parts = [
            (max(first / rate, scene.runs), min(end / rate, scene.end), scene)
            for scene in film.scenes
        ]
        spoken = any(
            a < word[1] and word[0] < b for a, b, scene in parts if a < b for word in scene.words
        )
        seconds = sum(b - a for a, b, _ in parts if a < b)
        if spoken and seconds > longest:
            longest, at = seconds, first / rate
    limit, over = f"at most {LONGEST_STILL:.0f} s while words are spoken", longest - LONGEST_STILL
    where = format_position(at, film.scenes)
    measured, excess = f"{longest:.2f} s", f"{over:.2f} s"
    return Measurement(measured, limit, over <= 0, where, excess, certain=False, at=at)


@quality_gate(
    "captions in the picture",
    of=FilmPictures,
    warning="a change with every cue, and with the words if they stand out",
    failure="any change",
)
def check_captions_in_the_picture(pictures: FilmPictures) -> Measurement:
    """Find the longest time during which cues or words begin and the captions in the picture
    do not change.
    """
    film, result = pictures.film, pictures.result
    rate = float(result.frame_rate)
    changes = np.array(result.caption_changes) / float(result.frame_rate or 1)
    longest, at, missed_since, followed = 0.0, 0.0, None, 0
    for moment, is_cue in film.caption_changes:
        position = int(np.searchsorted(changes, moment - _EARLY))
        if position < len(changes) and changes[position] <= moment + _LATE:
            missed_since, followed = None, followed + 1
            continue
        missed_since = moment if missed_since is None else missed_since
        missed = max(moment - missed_since, MISSED + 1 / rate if is_cue else 0.0)
        if missed > longest:
            longest, at = missed, missed_since
    measured = f"{longest:.2f} s behind the words"
    limit = f"every cue appears, at most {MISSED} s behind"
    where = format_position(at, film.scenes)
    passed, excess = longest <= MISSED, f"{longest - MISSED:.2f} s"
    certain = not followed  # there are none; single words may look like those before them
    return Measurement(measured, limit, passed, where, excess, certain=certain, at=at)


def list_caption_moments(
    cue_starts: Iterable[float], words: Iterable[Sequence[tuple[float, float]]], highlighted: bool
) -> tuple[tuple[float, bool], ...]:
    """Return when the captions must change, in order: ``(seconds, whether a cue begins)``.

    ``words``: when those of each scene begin and end that captions show. ``highlighted``: they
    change with each of them.
    """
    moments = {round(start, 3): True for start in cue_starts}
    if highlighted:
        for scene in words:
            for start, _ in scene:
                moments.setdefault(round(start, 3), False)
    return tuple(sorted(moments.items()))
