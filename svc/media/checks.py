"""The quality gates: every deliverable is opened again and measured before anybody gets it."""

import wave
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from svc.media import caption_gates, described_video, film_gates, synchrony, text_gates
from svc.media.errors import MediaError
from svc.media.film_gates import Film
from svc.media.mp4 import read_wav
from svc.media.probing import probe
from svc.media.programme import (
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
from svc.media.running import scene_spans

CAPTION_FILES = ("captions.srt", "captions.vtt")
_AT_ONCE = 3  # files


def run(brief: VideoBrief, folder: Path, progress) -> None:
    """Measure all files in ``folder``, write ``findings.json``; raises MediaError (QUALITY_GATE_FAILED) if any gate failed."""
    findings: list[GateFinding] = []
    films, narration = _films(brief, folder), _narration(folder / "narration.wav")
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for number, found in enumerate(pool.map(lambda film: _film_findings(film, folder, narration), films), 1):
            findings += found
            progress(0.9 * number / len(films))
    script, duration = load(Script, folder / "script.json"), _seconds(folder / "narration.wav")
    for name in CAPTION_FILES:
        findings += caption_gates.findings(folder / name, script, duration)
    for rendition in brief.renditions:
        findings += _text_findings(rendition, folder)
    save(GateFindings(tuple(findings)), folder / "findings.json")
    _require_all(findings)
    progress(1.0)


def describe(finding: GateFinding) -> str:
    """A finding as a person reads it; of a failure also where, and how far off."""
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
    found = probe(folder / film.name)
    whole = film_gates.decoding_finding(film, found)
    if not found.frames:
        return [whole]  # nothing else can be said of it
    return [whole, *film_gates.findings(film, found, synchrony.measure_lags(found, narration, film.scenes))]


def _text_findings(rendition: Rendition, folder: Path) -> list[GateFinding]:
    name = f"{rendition.name}.mp4"
    try:
        return text_gates.findings(name, load(Lettering, folder / f"lettering-{rendition.name}.json"))
    except FileNotFoundError:
        return [GateFinding("contrast", name, "no record of what was written", "a record", False)]


def _require_all(findings: list[GateFinding]) -> None:
    failed = [each for each in findings if not each.passed]
    if failed:
        raise MediaError("; ".join(map(describe, failed)), "QUALITY_GATE_FAILED")


def _narration(wav: Path) -> np.ndarray:
    with wave.open(str(wav), "rb") as file:
        rate = file.getframerate()
    return synchrony.downsample(read_wav(wav), rate)


def _seconds(wav: Path) -> float:
    with wave.open(str(wav), "rb") as file:
        return file.getnframes() / file.getframerate()
