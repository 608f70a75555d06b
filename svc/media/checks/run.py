"""The quality gates: every deliverable is opened again and measured before it is delivered."""

import wave
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from svc.media.checks import av_sync
from svc.media.checks import captions as caption_checks
from svc.media.checks import film as film_checks
from svc.media.checks import text as text_checks
from svc.media.checks.film import Film
from svc.media.checks.film_timeline import scene_spans
from svc.media.checks.probe import probe
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
from svc.media.video import described_video
from svc.media.video.mp4 import read_wav

CAPTION_FILES = ("captions.srt", "captions.vtt")
_AT_ONCE = 3  # files


def run(brief: VideoBrief, folder: Path, progress) -> None:
    """Measure all files in ``folder`` and write ``findings.json``.

    Raises MediaError (QUALITY_GATE_FAILED) if a gate failed.
    """
    findings: list[GateFinding] = []
    films, narration = _films(brief, folder), _narration(folder / "narration.wav")
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for number, results in enumerate(pool.map(lambda film: _film_findings(film, folder, narration), films), 1):
            findings += results
            progress(0.9 * number / len(films))
    script, duration = load(Script, folder / "script.json"), _seconds(folder / "narration.wav")
    for name in CAPTION_FILES:
        findings += caption_checks.findings(folder / name, script, duration)
    for rendition in brief.renditions:
        findings += _text_findings(rendition, folder)
    save(GateFindings(tuple(findings)), folder / "findings.json")
    _require_all(findings)
    progress(1.0)


def describe(finding: GateFinding) -> str:
    """Return a finding as a sentence; for a failure with its position and its distance from the limit."""
    text = f"{finding.check} of {finding.subject}: measured {finding.measured}, limit {finding.limit}"
    if finding.passed:
        return text
    return text + (f", off by {finding.excess}" if finding.excess else "") + (f", at {finding.where}" if finding.where else "")


def _films(brief: VideoBrief, folder: Path) -> list[Film]:
    timeline = load(Timeline, folder / "timeline.json")
    described = scene_spans(timeline, load(Descriptions, folder / "descriptions.json"))
    films = [Film(f"{rendition.name}.mp4", rendition, scene_spans(timeline)) for rendition in brief.renditions]
    return [*films, Film(described_video.NAME, brief.renditions[0], described)]


def _film_findings(film: Film, folder: Path, narration: np.ndarray) -> list[GateFinding]:
    result = probe(folder / film.name)
    decoding = film_checks.decoding_finding(film, result)
    if not result.frames:
        return [decoding]  # there is nothing else to measure
    return [decoding, *film_checks.findings(film, result, av_sync.measure_lags(result, narration, film.scenes))]


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


def _narration(wav: Path) -> np.ndarray:
    with wave.open(str(wav), "rb") as file:
        rate = file.getframerate()
    return av_sync.downsample(read_wav(wav), rate)


def _seconds(wav: Path) -> float:
    with wave.open(str(wav), "rb") as file:
        return file.getnframes() / file.getframerate()
