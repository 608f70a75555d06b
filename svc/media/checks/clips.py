"""The gates of clips: their pictures in the film are those of their files,
and the sound of intro and outro is heard.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import av
import numpy as np

from svc.media import audio
from svc.media.audio import Samples
from svc.media.checks import likeness
from svc.media.checks.film_timeline import Film, format_clock
from svc.media.checks.frame_stats import ANALYSIS_RATE
from svc.media.checks.likeness import Likeness
from svc.media.checks.pictures import ANOTHER as ANOTHER_PICTURE
from svc.media.checks.pictures import ANOTHER_COLOUR, is_another
from svc.media.checks.quality_gates import Measurement, measure_subject, quality_gate
from svc.media.clips.clip import Clip
from svc.media.clips.clip_choice import INTRO, OUTRO
from svc.media.clips.fitting import Fitting
from svc.media.clips.in_scenes import PART_NAME, Moves, MovingVisuals
from svc.media.clips.player import open_player
from svc.media.drawing import yuv
from svc.media.drawing.frame_layout import Box, find_frame_size
from svc.media.drawing.yuv import Picture
from svc.media.errors import MediaError
from svc.media.model import QualityFinding
from svc.media.video.key_pictures import KeyPicture

LIKENESS = 0.85  # structural similarity to the clip's picture
ODD = 0.04  # the share of the picture that may have another brightness or colour
# The least correlation of an excerpt with the clip's sound: AAC leaves less of noise than of a
# voice.
SIMILARITY = 0.7
LEVEL = 3.0  # dB by which an excerpt may differ
ANOTHER, ANOTHER_LEVEL = 0.3, 10.0  # from here on, an excerpt is certainly not the clip's sound
_EVERY = 5  # frames: the distance of the pictures that are compared
_EXCERPT = 0.4  # seconds of sound that are compared at a time
_SEARCH = 0.02  # seconds by which the sound may be early or late, as av_sync measures it
# The quietest sound that is compared: a share of the clip's level, and a level of 16-bit samples.
# What is quieter may be lost.
_AUDIBLE, _SILENT = 0.1, 30.0


@dataclass(frozen=True)
class PlacedClip:
    """A clip in a film: from frame ``first`` on, for ``frames`` frames; ``at`` and ``recorded``:
    seconds at which it begins in the film and in the narration, ``seconds``: how long it lasts.
    ``box``: where it is shown, in pixels; None: it fills the frame, as far as its shape allows.
    ``scene``: the index of the scene in which it moves, and ``numbers``: of its player's picture in
    each frame."""

    clip: Clip
    first: int
    frames: int
    at: float
    recorded: float
    seconds: float
    box: Box | None = None
    scene: int | None = None
    numbers: tuple[int, ...] = ()


def place_clips(
    film: Film, clips: tuple[Clip | None, Clip | None], closes: float
) -> tuple[PlacedClip, ...]:
    """Return where intro and outro are in ``film``.

    ``closes``: when the narration's last scene ends.
    """
    rate, (intro, outro) = film.rendition.frame_rate, clips
    placed = []
    if intro:
        placed.append(PlacedClip(intro, 0, round(film.intro * rate), 0.0, 0.0, film.intro))
    if outro:
        end = film.scenes[-1].end
        first = round(end * rate)
        placed.append(
            PlacedClip(outro, first, round(film.duration * rate) - first, end, closes, film.outro)
        )
    return tuple(placed)


def find_moving_parts(
    film: Film, shown: MovingVisuals, moves: Moves, folder: Path, fade: float
) -> tuple[PlacedClip, ...]:
    """Return where something moves within scenes of ``film``, each until the transition to the next
    one, which takes ``fade`` seconds."""
    rate, last, placed = film.rendition.frame_rate, len(film.scenes) - 1, []
    for each in shown.visuals:
        scene = film.scenes[each.scene]
        first = round(scene.runs * rate)
        seconds = scene.end - scene.runs - (fade if each.scene < last else 0.0)
        frames = max(1, math.floor(seconds * rate) - 1)
        clip = Clip(PART_NAME, folder / each.file, "")
        numbers = tuple(
            moves.find_picture(each.scene, frame, round((scene.end - scene.runs) * rate), rate)
            for frame in range(frames)
        )
        placed.append(
            PlacedClip(
                clip, first, frames, scene.runs, scene.runs, seconds, each.box, each.scene, numbers
            )
        )
    return tuple(placed)


@dataclass
class _Comparison:
    """Compares one clip with the film while it is decoded.

    ``worst``: the frame of each measure, and the likeness there.
    """

    where: PlacedClip
    pictures: Iterator[tuple[int, Picture]]
    waiting: tuple[int, Picture] | None = None
    structure: tuple[int, float] | None = None
    odd: tuple[int, float] | None = None
    error: str = ""
    compared: int = 0

    def add(self, frame: int, similarity: Likeness) -> None:
        self.compared += 1
        if self.structure is None or similarity.structure < self.structure[1]:
            self.structure = frame, similarity.structure
        if self.odd is None or similarity.odd > self.odd[1]:
            self.odd = frame, similarity.odd


@dataclass
class ClipPictures:
    """Compares the clips of one film with their files, while the film is decoded."""

    film: Film
    clips: tuple[PlacedClip, ...]
    _open: list[_Comparison] = field(default_factory=list)
    _done: list[_Comparison] = field(default_factory=list)

    def __post_init__(self) -> None:
        for clip in self.clips:
            comparison = _Comparison(clip, _sample_clip(clip, self.film))
            self._open.append(comparison)
            self._done.append(comparison)
            self._advance_clip(comparison)

    def compare_frame(self, end: int, frame: av.VideoFrame) -> None:
        """Compare ``frame``, which is shown until the frame number ``end``,
        with what the clips show until then.
        """
        for comparison in self._open:
            small: KeyPicture | None = None
            while comparison.waiting and comparison.where.first + comparison.waiting[0] < end:
                number, picture = comparison.waiting
                small = small or _read_key_picture(frame, comparison.where.box)
                self._compare_frame(comparison, number, small, picture)
                self._advance_clip(comparison)

    def take(self, other: "ClipPictures") -> None:
        """Take what was found in a film with the same pictures."""
        self._done = other._done

    def measure_clips(self, place: str) -> list[Measurement]:
        """Return a measurement for each clip of a place."""
        compared = (each for each in self._done if each.where.clip.place == place)
        return [self._measure_likeness(comparison) for comparison in compared]

    def _compare_frame(
        self, comparison: _Comparison, number: int, small: KeyPicture, meant: Picture
    ) -> None:
        try:
            drawn = KeyPicture.from_planes(*meant.planes())
            nothing = likeness.mask_blocks(meant.height, meant.width, ())
            comparison.add(number, likeness.compare_pictures(small, drawn, nothing))
        except ValueError as error:
            comparison.error = str(error)

    def _advance_clip(self, comparison: _Comparison) -> None:
        try:
            comparison.waiting = next(comparison.pictures, None)
        except MediaError as error:
            comparison.waiting, comparison.error = None, error.message

    def _measure_likeness(self, comparison: _Comparison) -> Measurement:
        check = comparison.where.clip.place
        limit = f"structure at least {LIKENESS} of 1, at most {ODD * 100:.0f} % of another colour"
        expected = len(range(0, comparison.where.frames, _EVERY))
        if (
            comparison.error
            or comparison.compared < expected
            or not (comparison.structure and comparison.odd)
        ):
            measured = f"{comparison.compared} of {expected} pictures were compared"
            measured += f": {comparison.error}" if comparison.error else ""
            at = comparison.where.at
            return Measurement(measured, limit, False, format_clock(at), certain=False, at=at)
        (structure_at, structure), (odd_at, odd) = comparison.structure, comparison.odd
        measured = (
            f"structure at least {structure:.2f}, at most {odd * 100:.1f} % of another colour"
        )
        at = (odd_at if odd > ODD else structure_at) / self.film.rendition.frame_rate
        excess = f"{max(0.0, LIKENESS - structure):.2f}, {max(0.0, odd - ODD) * 100:.1f} %"
        where = f"{format_clock(comparison.where.at + at)}, {check}"
        passed = structure >= LIKENESS and odd <= ODD
        return Measurement(
            measured,
            limit,
            passed,
            where,
            excess,
            certain=is_another(structure, odd),
            at=comparison.where.at + at,
        )


def _read_key_picture(frame: av.VideoFrame, box: Box | None) -> KeyPicture:
    """Return what a frame shows in ``box``, or as a whole."""
    left, top, right, bottom = box or (0, 0, frame.width, frame.height)
    planes = zip(yuv.read_planes(frame), yuv.SCALES, strict=True)
    parts = [
        plane[top // scale : bottom // scale, left // scale : right // scale]
        for plane, scale in planes
    ]
    return KeyPicture.from_planes(*parts)


def _sample_clip(where: PlacedClip, film: Film) -> Iterator[tuple[int, Picture]]:
    """Yield every fifth picture of a clip as the film must show it, with its number."""
    if where.box:
        yield from _play_clip(where, where.box)
        return
    fitting = Fitting(where.clip.find_size(), find_frame_size(film.rendition))
    for number, frame in enumerate(
        where.clip.read_pictures(where.frames, film.rendition.frame_rate)
    ):
        if number % _EVERY == 0:
            yield number, fitting.fit_picture(frame)


def _play_clip(where: PlacedClip, box: Box) -> Iterator[tuple[int, Picture]]:
    player = open_player(where.clip.file, box[2] - box[0], box[3] - box[1])
    for frame in range(0, where.frames, _EVERY):
        yield frame, player.picture(where.numbers[frame])


@dataclass(frozen=True)
class FilmClips:
    """The clips of a film. ``shown``: what was compared while it was decoded. ``sound`` and
    ``narration``: at ANALYSIS_RATE."""

    CHECKED: ClassVar[str] = "mp4 with clips or moving pictures"
    film: Film
    shown: ClipPictures
    sound: Samples
    narration: Samples

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.film.name

    def measure_sound(self, place: str) -> list[Measurement]:
        """Compare what is heard with the sound of each clip of a place."""
        gain = 10 ** ((self.film.rendition.loudness - audio.TARGET) / 20)
        clips = (clip for clip in self.shown.clips if clip.clip.place == place)
        return [
            _measure_sound(*_compare_excerpts(self.sound, self.narration, each, gain))
            for each in clips
        ]


def list_findings(
    film: Film, shown: ClipPictures, sound: Samples, narration: Samples
) -> list[QualityFinding]:
    """Return the findings for the clips of a film, as :class:`FilmClips` takes it."""
    return measure_subject(FilmClips(film, shown, sound, narration))


_HOW, _HOW_SOUND = "by every fifth picture of the file", f"by its own, every {_EXCERPT} s"
_WARNING = f"SSIM {LIKENESS}, {ODD * 100:.0f} % of another colour; all compared"
_FAILURE = f"SSIM {ANOTHER_PICTURE}, {ANOTHER_COLOUR * 100:.0f} % of another colour"
_SOUND_WARNING = f"correlation {SIMILARITY}, ± {LEVEL:.0f} dB"
_SOUND_FAILURE = f"{ANOTHER}, ± {ANOTHER_LEVEL:.0f} dB"


@quality_gate("intro", of=FilmClips, how=_HOW, warning=_WARNING, failure=_FAILURE)
def check_intro(clips: FilmClips) -> list[Measurement]:
    """Compare what is shown with the intro."""
    return clips.shown.measure_clips(INTRO)


@quality_gate("outro", of=FilmClips, how=_HOW, warning=_WARNING, failure=_FAILURE)
def check_outro(clips: FilmClips) -> list[Measurement]:
    """Compare what is shown with the outro."""
    return clips.shown.measure_clips(OUTRO)


@quality_gate(PART_NAME, of=FilmClips, how=_HOW, warning=_WARNING, failure=_FAILURE)
def check_moving_pictures(clips: FilmClips) -> list[Measurement]:
    """Compare what moves within scenes with the files of the account."""
    return clips.shown.measure_clips(PART_NAME)


@quality_gate(
    "intro sound", of=FilmClips, how=_HOW_SOUND, warning=_SOUND_WARNING, failure=_SOUND_FAILURE
)
def check_intro_sound(clips: FilmClips) -> list[Measurement]:
    """Compare what is heard with the intro's sound."""
    return clips.measure_sound(INTRO)


@quality_gate(
    "outro sound", of=FilmClips, how=_HOW_SOUND, warning=_SOUND_WARNING, failure=_SOUND_FAILURE
)
def check_outro_sound(clips: FilmClips) -> list[Measurement]:
    """Compare what is heard with the outro's sound."""
    return clips.measure_sound(OUTRO)


def _measure_sound(worst: tuple[float, float], level: tuple[float, float]) -> Measurement:
    limit = f"at least {SIMILARITY} like the clip, ± {LEVEL:.0f} dB"
    measured = f"at least {worst[1]:.2f} like the clip, {level[1]:+.1f} dB at most"
    passed = worst[1] >= SIMILARITY and abs(level[1]) <= LEVEL
    at = worst[0] if worst[1] < SIMILARITY else level[0]
    excess = f"{max(0.0, SIMILARITY - worst[1]):.2f}, {max(0.0, abs(level[1]) - LEVEL):.1f} dB"
    certain = worst[1] < ANOTHER or abs(level[1]) > ANOTHER_LEVEL
    return Measurement(measured, limit, passed, format_clock(at), excess, certain=certain, at=at)


def _compare_excerpts(
    sound: Samples, narration: Samples, where: PlacedClip, gain: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return time and value of the least correlation, and of the level (dB) that differs most."""
    first, begins = round(where.recorded * ANALYSIS_RATE), round(where.at * ANALYSIS_RATE)
    meant = (
        narration[first : first + round(where.seconds * ANALYSIS_RATE)].astype(np.float64) * gain
    )
    heard = _align_sound(sound, begins, meant)
    length = round(_EXCERPT * ANALYSIS_RATE)
    audible = max(_AUDIBLE * float(np.sqrt(np.mean(meant**2))), _SILENT) if len(meant) else _SILENT
    worst, level = (where.at, 1.0), (where.at, 0.0)
    for at in range(0, max(1, len(meant) - length + 1), length):
        one, other = heard[at : at + length], meant[at : at + length]
        loud, expected = float(np.sqrt(np.mean(one**2))), float(np.sqrt(np.mean(other**2)))
        if max(loud, expected) < audible:
            continue
        similarity = float(np.mean(one * other)) / max(loud * expected, 1e-9)
        differs = 20 * float(np.log10(max(loud, 1.0) / max(expected, 1.0)))
        worst = min(worst, (where.at + at / ANALYSIS_RATE, similarity), key=lambda row: row[1])
        level = max(level, (where.at + at / ANALYSIS_RATE, differs), key=lambda row: abs(row[1]))
    return worst, level


def _align_sound(sound: Samples, begins: int, meant: np.ndarray) -> np.ndarray:
    """Return what is heard in place of ``meant``, as it fits best within _SEARCH."""
    margin = round(_SEARCH * ANALYSIS_RATE)
    start = begins - margin
    part = sound[max(0, start) : begins + len(meant) + margin].astype(np.float64)
    before = max(0, -start)
    around = np.pad(part, (before, max(0, len(meant) + 2 * margin - before - len(part))))
    if not meant.any():
        return around[margin : margin + len(meant)]
    size = 1 << (len(around) + len(meant)).bit_length()
    product = np.fft.irfft(np.fft.rfft(around, size) * np.conj(np.fft.rfft(meant, size)), size)
    best = int(np.argmax(product[: 2 * margin + 1]))
    return around[best : best + len(meant)]
