"""The quality gates: every deliverable is opened again and measured before it is delivered."""

import wave
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from svc.base.text import languages
from svc.media.brand import lower_third
from svc.media.captions import captions
from svc.media.checks import av_sync, documents, music, pictures, speech
from svc.media.checks import captions as caption_checks
from svc.media.checks import film as film_checks
from svc.media.checks import text as text_checks
from svc.media.checks.film_timeline import Film, scene_spans
from svc.media.checks.probe import ProbeResult, probe, probe_copy
from svc.media.checks.scene_pictures import Panel, ScenePictures
from svc.media.drawing import looks
from svc.media.drawing.frame_layout import FrameLayout, frame_size, lay_out
from svc.media.errors import MediaError
from svc.media.model import (
    Descriptions,
    GateFinding,
    GateFindings,
    Lettering,
    Rendition,
    Script,
    Timeline,
    VideoBrief,
    load,
    save,
)
from svc.media.script import completeness
from svc.media.video import described_video, key_pictures
from svc.media.video.mp4 import iso_639_2, read_wav

CAPTION_FILES = ("captions.srt", "captions.vtt")
_AT_ONCE = 3  # files


@dataclass(frozen=True)
class _Production:
    """What the files of a production must agree with."""

    brief: VideoBrief
    folder: Path
    script: Script
    timeline: Timeline
    descriptions: Descriptions
    narration: np.ndarray  # at ANALYSIS_RATE

    @classmethod
    def read(cls, brief: VideoBrief, folder: Path) -> "_Production":
        return cls(
            brief,
            folder,
            load(Script, folder / "script.json"),
            load(Timeline, folder / "timeline.json"),
            load(Descriptions, folder / "descriptions.json"),
            _recording(folder / "narration.wav"),
        )

    def films(self) -> list[Film]:
        """Return the videos, the described one last."""
        films = [self._film(f"{rendition.name}.mp4", rendition, None) for rendition in self.brief.renditions]
        return [*films, self._film(described_video.NAME, self.brief.renditions[0], self.descriptions)]

    def layout(self, rendition: Rendition) -> FrameLayout:
        """Return where captions and presenter are."""
        language = languages.find(self.brief.language)
        right_to_left = language is not None and language.direction == "rtl"
        figure = self.brief.avatar.is_shown
        return lay_out(*frame_size(rendition), right_to_left, looks.find(self.brief.look), rendition.safe, figure)

    def panel(self, film: Film) -> Panel | None:
        """Return where and when the film shows the lower third; None if it has none."""
        rate = film.rendition.frame_rate
        shown = self.brief.brand.lower_third and self.brief.avatar.is_shown
        window = lower_third.window(self.timeline, rate) if shown else None
        if window is None:
            return None
        later = round(film.scenes[window.scene].later * rate)
        path = self.folder / f"lettering-{film.rendition.name}.json"
        texts = load(Lettering, path).texts if path.is_file() else ()
        return Panel(window.middle + later, tuple(text.box for text in texts if text.part == lower_third.PART))

    def _film(self, name: str, rendition: Rendition, descriptions: Descriptions | None) -> Film:
        spans = scene_spans(self.timeline, descriptions, [scene.shortest for scene in self.script.scenes])
        burnt = captions.burnt(self.brief, self.script, self.timeline, self.layout(rendition).caption_lines)
        starts = [cue.start + spans[cue.scene].later for cue in burnt]
        moments = pictures.caption_moments(starts, spans, self.brief.caption_style != "plain")
        return Film(name, rendition, spans, iso_639_2(self.brief.language), moments)


@dataclass(frozen=True)
class _Measures:
    """What was found in one video. ``result``: with the speech alone as its sound; ``shown``: its pictures, compared."""

    findings: list[GateFinding]
    result: ProbeResult
    shown: ScenePictures


def run(brief: VideoBrief, folder: Path, progress) -> None:
    """Measure all files in ``folder`` and write ``findings.json``.

    Raises MediaError (QUALITY_GATE_FAILED) if a gate failed.
    """
    production = _Production.read(brief, folder)
    findings: list[GateFinding] = []
    films, sound = production.films(), np.zeros(0, np.int16)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        first = pool.submit(_measured, films[0], production)
        jobs = [first, *(pool.submit(_measured, film, production, _original(film, first)) for film in films[1:])]
        for number, job in enumerate(jobs, 1):
            measures = job.result()
            findings += measures.findings
            sound = measures.result.sound if number == 1 else sound
            progress(0.9 * number / len(films))
    duration = _seconds(folder / "narration.wav")
    for name in CAPTION_FILES:
        findings += caption_checks.findings(folder / name, production.script, production.timeline, sound, duration)
    findings += documents.findings(brief, folder, production.script, production.timeline, production.descriptions)
    for rendition in brief.renditions:
        findings += _text_findings(rendition, folder)
    findings.append(_completeness(brief, production.script))
    save(GateFindings(tuple(findings)), folder / "findings.json")
    _require_all(findings)
    progress(1.0)


def _completeness(brief: VideoBrief, script: Script) -> GateFinding:
    """Compare the brief's notes with the script: what is neither shown nor spoken, or is said twice."""
    reports = completeness.lost(brief, script)
    measured = f"{len(reports)} differences: {reports[0]}" if reports else "nothing lost"
    return GateFinding("coverage of the notes", "script.json", measured, "nothing lost, nothing said twice", not reports)


def describe(finding: GateFinding) -> str:
    """Return a finding as a sentence; for a failure with its position and its distance from the limit."""
    text = f"{finding.check} of {finding.subject}: measured {finding.measured}, limit {finding.limit}"
    if finding.passed:
        return text
    return text + (f", off by {finding.excess}" if finding.excess else "") + (f", at {finding.where}" if finding.where else "")


def _measured(film: Film, production: _Production, first: "Future[_Measures] | None" = None) -> _Measures:
    """Measure one video. ``first``: the measures of the one whose pictures it may have, which are not decoded again then."""
    layout = production.layout(film.rendition)
    path, drawn = production.folder / film.name, production.folder / key_pictures.file_name(film.rendition.name)
    ignored, rate = (layout.strip, layout.presenter), film.rendition.frame_rate
    shown = ScenePictures(drawn, film.scenes, rate, ignored, production.panel(film))
    try:
        result = probe_copy(path, lambda: first.result().result) if first else None
        if first and result and film.goes_on_as(result.copied):
            shown.take(first.result().shown)
        else:
            result = probe(path, layout.strip, shown.look)
    finally:
        shown.close()
    decoding = film_checks.decoding_finding(film, result)
    if not result.frames:
        return _Measures([decoding], result, shown)  # there is nothing else to measure
    result, beneath = music.apart(film, result, production.folder)
    lags = av_sync.measure_lags(result, production.narration, film.scenes)
    spoken = speech.passages(film.scenes, production.narration, _recordings(film, production))
    findings = [
        decoding,
        *film_checks.findings(film, result, lags),
        *speech.findings(film, speech.measure(result.sound, spoken)),
        *beneath,
        *pictures.findings(film, result, shown),
    ]
    return _Measures(findings, result, shown)


def _original(film: Film, first: "Future[_Measures]") -> "Future[_Measures] | None":
    return first if film.name == described_video.NAME else None


def _recordings(film: Film, production: _Production) -> dict[int, np.ndarray]:
    if film.name != described_video.NAME:
        return {}
    scenes = [cue.scene for cue in production.descriptions.cues]
    return {scene: _recording(production.folder / f"description-{scene}.wav") for scene in scenes}


def _text_findings(rendition: Rendition, folder: Path) -> list[GateFinding]:
    name = f"{rendition.name}.mp4"
    try:
        return text_checks.findings(name, load(Lettering, folder / f"lettering-{rendition.name}.json"))
    except FileNotFoundError:
        return [GateFinding("contrast", name, "no record of what was written", "a record", False)]


def _require_all(findings: list[GateFinding]) -> None:
    failed = [finding for finding in findings if not finding.passed]
    if failed:
        raise MediaError("; ".join(map(describe, failed)), "QUALITY_GATE_FAILED")


def _recording(wav: Path) -> np.ndarray:
    with wave.open(str(wav), "rb") as file:
        rate = file.getframerate()
    return av_sync.downsample(read_wav(wav), rate)


def _seconds(wav: Path) -> float:
    with wave.open(str(wav), "rb") as file:
        return file.getnframes() / file.getframerate()
