"""The quality gates: every deliverable is opened again and measured before it is delivered."""

import shutil
import wave
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np

from svc.base.deliverable_kinds import CAPTION_FORMATS, DESCRIBED
from svc.base.text import languages
from svc.media import audio
from svc.media.audio import Samples
from svc.media.captions import captions, limits, stored_translations, timed_translations
from svc.media.checks import av_sync, documents, music, pictures, speech, stills
from svc.media.checks import captions as caption_checks
from svc.media.checks import clips as clip_checks
from svc.media.checks import film as film_checks
from svc.media.checks import script as script_checks
from svc.media.checks import text as text_checks
from svc.media.checks.clips import ClipPictures, PlacedClip
from svc.media.checks.film_timeline import Film, find_scene_spans
from svc.media.checks.frame_stats import FrameObserver
from svc.media.checks.probe import ProbeResult, probe_copy, probe_film
from svc.media.checks.scene_pictures import Panel, ScenePictures
from svc.media.clips import clip_choice, in_scenes
from svc.media.clips.in_scenes import MovingVisuals
from svc.media.deliverables import name_captions_file
from svc.media.drawing import looks
from svc.media.drawing.frame_layout import Box, FrameLayout, find_frame_size, lay_out
from svc.media.errors import MediaError
from svc.media.model import (
    Descriptions,
    Lettering,
    QualityFinding,
    QualityFindings,
    Rendition,
    Script,
    Timeline,
    VideoBrief,
    load,
    load_script,
    load_timeline,
    save,
)
from svc.media.pictures.shown import script_as_shown
from svc.media.slides import framings
from svc.media.video import key_pictures, lower_third
from svc.media.video.mp4 import find_iso_639_2

CAPTION_FILES = tuple(f"captions.{suffix}" for suffix in CAPTION_FORMATS)
_AT_ONCE = 3  # files
# The folder of decoded sounds while they are compared: they take megabytes a minute.
_SOUNDS = "sounds"


@dataclass(frozen=True)
class _Production:
    """What the files of a production must agree with."""

    brief: VideoBrief
    folder: Path
    script: Script
    timeline: Timeline
    descriptions: Descriptions
    narration: Samples  # at ANALYSIS_RATE

    @classmethod
    def read(cls, brief: VideoBrief, folder: Path) -> "_Production":
        return cls(
            brief,
            folder,
            load_script(folder),
            load_timeline(folder),
            load(Descriptions, folder / "descriptions.json"),
            _load_recording(folder / "narration.wav", folder),
        )

    def films(self) -> list[Film]:
        """Return the videos, the described one last."""
        films = [
            self._make_film(f"{rendition.name}.mp4", rendition, None)
            for rendition in self.brief.renditions
        ]
        return [
            *films,
            self._make_film(DESCRIBED, self.brief.renditions[0], self.descriptions),
        ]

    def panel(self, film: Film) -> Panel | None:
        """Return where and when the film shows the lower third; None if it has none."""
        rate = film.rendition.frame_rate
        shown = self.brief.brand.lower_third and self.brief.avatar.is_shown
        window = lower_third.find_shown_window(self.timeline, rate) if shown else None
        if window is None:
            return None
        later = round(film.scenes[window.scene].later * rate)
        path = self.folder / f"lettering-{film.rendition.name}.json"
        texts = load(Lettering, path).texts if path.is_file() else ()
        return Panel(
            window.middle + later,
            tuple(text.box for text in texts if text.part == lower_third.PART),
        )

    def clips(self, film: Film) -> tuple[PlacedClip, ...]:
        """Return where the film shows intro and outro."""
        return clip_checks.place_clips(
            film, clip_choice.read_choice(self.folder), self.timeline.closes
        )

    def moving(self, film: Film) -> tuple[PlacedClip, ...]:
        """Return where clips and pictures move within the scenes of the film."""
        shown = self._load_moving_visuals(film)
        moves = in_scenes.find_moves(self.script, self.folder)
        return clip_checks.find_moving_parts(
            film, shown, moves, self.folder, looks.find_look(self.brief.look).transition_seconds
        )

    def casts(self, film: Film) -> dict[int, Box]:
        """Return where the pictures of composed scenes move, by the scene's index."""
        return {cast.scene: cast.box for cast in self._load_moving_visuals(film).casts}

    def _load_moving_visuals(self, film: Film) -> MovingVisuals:
        path = self.folder / in_scenes.name_record_file(film.rendition.name)
        return load(MovingVisuals, path) if path.is_file() else MovingVisuals()

    def _list_framed_words(self) -> tuple[list[frozenset[int]], list[frozenset[int]]]:
        """Return for each scene the words that its picture shows, and no caption, and those with
        which it is framed anew.
        """
        is_composed = looks.find_look(self.brief.look).is_composed
        scenes = script_as_shown(self.brief, self.script).scenes if is_composed else ()
        return (
            [framings.find_words_without_captions(scene) for scene in scenes],
            [framings.find_words_at_cuts(scene) for scene in scenes],
        )

    def _make_film(
        self, name: str, rendition: Rendition, descriptions: Descriptions | None
    ) -> Film:
        spans = find_scene_spans(self.timeline, descriptions, self.script.scenes)
        lines = measure_layout(self.brief, rendition).caption_lines
        cues = captions.split_burned_cues(
            self.brief, self.script, self.timeline, lines, *self._list_framed_words()
        )
        starts = [cue.start + spans[cue.scene].later for cue in cues]
        captioned = {
            (cue.scene, word) for cue in cues for word in range(cue.first_word, cue.last_word + 1)
        }
        words = [
            [moment for word, moment in enumerate(span.words) if (at, word) in captioned]
            for at, span in enumerate(spans)
        ]
        moments = pictures.list_caption_moments(starts, words, self.brief.caption_style != "plain")
        language = find_iso_639_2(self.brief.language)
        clips = (self.timeline.intro, self.timeline.outro)
        return Film(name, rendition, spans, language, moments, *clips)


@dataclass(frozen=True)
class _Measures:
    """What was found in one video. ``result``: with the speech alone as its sound; ``shown`` and
    ``clips``: its pictures, compared."""

    findings: list[QualityFinding]
    result: ProbeResult
    shown: ScenePictures
    clips: ClipPictures


def measure_layout(brief: VideoBrief, rendition: Rendition) -> FrameLayout:
    """Return where content, captions and presenter are in the pictures of a rendition."""
    right_to_left = languages.is_right_to_left(brief.language)
    return lay_out(
        *find_frame_size(rendition),
        right_to_left,
        looks.find_look(brief.look),
        rendition.safe,
        brief.avatar.is_shown,
    )


def run_checks(brief: VideoBrief, folder: Path, progress) -> None:
    """Measure all files in ``folder`` and write ``findings.json``, and the pictures of its
    warnings.

    Raises MediaError (QUALITY_GATE_FAILED) if a gate found something that is certainly broken.
    """
    (folder / _SOUNDS).mkdir(exist_ok=True)
    try:
        findings = _find_all(brief, folder, progress)
    finally:
        shutil.rmtree(folder / _SOUNDS)
    save(QualityFindings(tuple(findings)), folder / "findings.json")
    _require_all(findings)
    progress(1.0)


def _find_all(brief: VideoBrief, folder: Path, progress) -> list[QualityFinding]:
    production = _Production.read(brief, folder)
    findings: list[QualityFinding] = []
    films = production.films()
    sound: Samples = np.zeros(0, np.int16)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        first = pool.submit(_measure_film, films[0], production)
        jobs = [
            first,
            *(
                pool.submit(_measure_film, film, production, _choose_original(film, first))
                for film in films[1:]
            ),
        ]
        for number, job in enumerate(jobs, 1):
            measures = job.result()
            findings += measures.findings
            sound = measures.result.sound if number == 1 else sound
            progress(0.9 * number / len(films))
    duration = _measure_seconds(folder / "narration.wav")
    for name in CAPTION_FILES:
        findings += caption_checks.list_findings(
            folder / name, production.script, production.timeline, sound, duration
        )
    findings += _check_translations(production, duration)
    findings += documents.list_findings(
        brief, folder, production.script, production.timeline, production.descriptions
    )
    for rendition in brief.renditions:
        findings += _find_in_texts(rendition, folder, production.script)
    findings += script_checks.list_findings(brief, production.script)
    if any(finding.fails for finding in findings):
        return findings  # nobody will look at pictures of it
    return stills.add_pictures(findings, films, folder)


def _check_translations(production: _Production, duration: float) -> list[QualityFinding]:
    """Compare the captions in further languages with their sentences,
    which the model's answer was checked for.
    """
    findings = []
    for translation in stored_translations.read_translations(production.folder):
        script, timeline = timed_translations.translate_programme(
            production.script, production.timeline, translation
        )
        for suffix in CAPTION_FORMATS:
            path = production.folder / name_captions_file(translation.language, suffix)
            findings += caption_checks.list_findings(
                path, script, timeline, None, duration, limits.TRANSLATED_READING_SPEED
            )
    return findings


def _measure_film(
    film: Film, production: _Production, first: "Future[_Measures] | None" = None
) -> _Measures:
    """Measure one video.

    ``first``: the measures of the one whose pictures it may have, which are not decoded again then.
    """
    plan = measure_layout(production.brief, film.rendition)
    sound = production.folder / _SOUNDS / film.name
    path = production.folder / film.name
    drawn = production.folder / key_pictures.name_file(film.rendition.name)
    ignored, rate = (plan.strip, plan.presenter), film.rendition.frame_rate
    around, within = production.clips(film), production.moving(film)
    moving = {
        clip.scene: clip.box for clip in within if clip.scene is not None and clip.box
    } | production.casts(film)
    shown = ScenePictures(drawn, film.scenes, rate, ignored, production.panel(film), moving)
    clips = ClipPictures(film, (*around, *within))
    try:
        result = probe_copy(path, lambda: first.result().result, sound) if first else None
        if first and result and film.shows_in_time(result.copied):
            shown.take(first.result().shown)
            clips.take(first.result().clips)
        else:
            result = probe_film(
                path,
                plan.strip,
                _observe_with_both(shown.compare_frame, clips.compare_frame),
                sound,
            )
    finally:
        shown.close()
    decoding = film_checks.list_decoding_findings(film, result)
    if not result.frames:
        return _Measures(decoding, result, shown, clips)  # there is nothing else to measure
    result, beneath = music.separate_speech(
        film, result, production.folder, sound.with_suffix(".speech")
    )
    lags = av_sync.measure_lags(result, production.narration, film.scenes)
    spoken = speech.list_passages(
        film.scenes, production.narration, _load_recordings(film, production)
    )
    findings = [
        *decoding,
        *film_checks.list_findings(film, result, lags),
        *speech.list_findings(film, speech.measure_speech(result.sound, spoken)),
        *beneath,
        *pictures.list_findings(film, result, shown),
        *clip_checks.list_findings(film, clips, result.sound, production.narration),
    ]
    return _Measures(findings, result, shown, clips)


def _observe_with_both(first: FrameObserver, second: FrameObserver) -> FrameObserver:
    def look(end: int, frame: av.VideoFrame) -> None:
        first(end, frame)
        second(end, frame)

    return look


def _choose_original(film: Film, first: "Future[_Measures]") -> "Future[_Measures] | None":
    return first if film.name == DESCRIBED else None


def _load_recordings(film: Film, production: _Production) -> dict[int, Samples]:
    if film.name != DESCRIBED:
        return {}
    scenes = [cue.scene for cue in production.descriptions.cues]
    return {
        scene: _load_recording(production.folder / f"description-{scene}.wav", production.folder)
        for scene in scenes
    }


def _find_in_texts(rendition: Rendition, folder: Path, script: Script) -> list[QualityFinding]:
    try:
        lettering = load(Lettering, folder / f"lettering-{rendition.name}.json")
    except FileNotFoundError:
        lettering = None
    return text_checks.list_findings(f"{rendition.name}.mp4", lettering, script)


def _require_all(findings: list[QualityFinding]) -> None:
    failed = [finding.describe() for finding in findings if finding.fails]
    if failed:
        raise MediaError("; ".join(failed), "QUALITY_GATE_FAILED")


def _load_recording(wav: Path, folder: Path) -> Samples:
    """Return a recording at ANALYSIS_RATE, in a file of the production's ``folder``."""
    with wave.open(str(wav), "rb") as file:
        rate = file.getframerate()
    return audio.store_samples(
        av_sync.downsample(audio.open_stored(wav), rate), folder / _SOUNDS / wav.name
    )


def _measure_seconds(wav: Path) -> float:
    with wave.open(str(wav), "rb") as file:
        return file.getnframes() / file.getframerate()
