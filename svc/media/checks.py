"""The quality gates: every deliverable is opened again and measured before anybody gets it."""

import math
import wave
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from svc.media import described_video, subtitles
from svc.media.composition import size_of
from svc.media.errors import MediaError
from svc.media.probing import Probe, probe
from svc.media.programme import Brief, Descriptions, Finding, Findings, Rendition, Script, load, save

DURATION_TOLERANCE = 0.5  # seconds
LOUDNESS, LOUDNESS_TOLERANCE = -14.0, 1.0  # LUFS, LU
TRUE_PEAK = -1.0  # dBTP
CAPTION_FILES = ("captions.srt", "captions.vtt")
_AT_ONCE = 3  # files


@dataclass(frozen=True)
class _Film:
    """An mp4 and what it should be. ``duration``: seconds."""

    name: str
    rendition: Rendition
    duration: float


def run(brief: Brief, folder: Path, progress) -> None:
    """Measure all files in ``folder``, write ``findings.json``; raises MediaError (QUALITY_GATE_FAILED) if any gate failed."""
    findings: list[Finding] = []
    films = _films(brief, folder)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for number, found in enumerate(pool.map(lambda film: _film_findings(film, folder), films), 1):
            findings += found
            progress(0.9 * number / len(films))
    script, duration = load(Script, folder / "script.json"), _seconds(folder / "narration.wav")
    for name in CAPTION_FILES:
        findings += _caption_findings(folder / name, script, duration)
    save(Findings(tuple(findings)), folder / "findings.json")
    _require_all(findings)
    progress(1.0)


def _films(brief: Brief, folder: Path) -> list[_Film]:
    narration = _seconds(folder / "narration.wav")
    descriptions = sum(cue.duration for cue in load(Descriptions, folder / "descriptions.json").cues)
    films = [_Film(f"{rendition.name}.mp4", rendition, narration) for rendition in brief.renditions]
    return [*films, _Film(described_video.NAME, brief.renditions[0], narration + descriptions)]


def _film_findings(film: _Film, folder: Path) -> list[Finding]:
    found = probe(folder / film.name)
    whole = _decoding(film, found)
    if not found.frames:
        return [whole]  # nothing else can be said of it
    return [whole, _format(film, found), *_durations(film, found), *_sound(film, found)]


def _decoding(film: _Film, found: Probe) -> Finding:
    measured = f"{found.frames} of {found.frames_promised} frames" + (f", then: {found.error}" if found.error else "")
    passed = not found.error and 0 < found.frames == found.frames_promised
    return Finding("decoding", film.name, measured, "every frame, without an error", passed)


def _format(film: _Film, found: Probe) -> Finding:
    width, height = size_of(film.rendition)
    wanted = f"h264 and aac, {width}×{height}, yuv420p, {film.rendition.frame_rate} frames a second"
    measured = (
        f"{found.video_codec} and {found.audio_codec}, {found.width}×{found.height}, {found.pixel_format}, "
        f"{found.frame_rate} frames a second"
    )
    return Finding("format", film.name, measured, wanted, measured == wanted)


def _durations(film: _Film, found: Probe) -> list[Finding]:
    limit = f"{film.duration:.2f} s ± {DURATION_TOLERANCE} s"
    return [
        Finding(check, film.name, f"{seconds:.2f} s", limit, abs(seconds - film.duration) <= DURATION_TOLERANCE)
        for check, seconds in (("picture duration", found.picture_seconds), ("sound duration", found.sound_seconds))
    ]


def _sound(film: _Film, found: Probe) -> list[Finding]:
    loud = abs(found.loudness - LOUDNESS) <= LOUDNESS_TOLERANCE
    peak = "silence" if math.isinf(found.true_peak) else f"{found.true_peak:.1f} dBTP"
    return [
        Finding("loudness", film.name, f"{found.loudness:.1f} LUFS", f"{LOUDNESS} LUFS ± {LOUDNESS_TOLERANCE} LU", loud),
        Finding("true peak", film.name, peak, f"at most {TRUE_PEAK} dBTP", -math.inf < found.true_peak <= TRUE_PEAK),
    ]


def _caption_findings(path: Path, script: Script, duration: float) -> list[Finding]:
    try:
        cues = subtitles.read(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return [Finding("captions", path.name, f"unreadable: {reason}", "a file that can be read", False)]
    return [_coverage(path.name, cues, script), _timing(path.name, cues, duration)]


def _coverage(name: str, cues: list[subtitles.Subtitle], script: Script) -> Finding:
    """Every scene's words, in order."""
    said, at, missing = f" {subtitles.plain(' '.join(cue.text for cue in cues))} ", 0, []
    for number, scene in enumerate(script.scenes, 1):
        wanted = f" {subtitles.plain(' '.join(scene.words))} "  # whole words
        where = said.find(wanted, at)
        if where < 0:
            missing.append(number)
        else:
            at = where + len(wanted) - 1
    total = len(script.scenes)
    measured = f"{total - len(missing)} of {total}"
    if missing:
        measured += f", without scene {', '.join(map(str, missing[:5]))}"
    return Finding("scenes in captions", name, measured, f"{total} of {total}", not missing)


def _timing(name: str, cues: list[subtitles.Subtitle], duration: float) -> Finding:
    """No cue before another has gone, none without length, none after the end."""
    bad = sum(1 for cue in cues if cue.end <= cue.start or cue.end > duration + DURATION_TOLERANCE)
    bad += sum(1 for cue, following in pairwise(cues) if following.start < cue.end)
    return Finding("caption timing", name, f"{bad} cues overlap or lie outside", "none", bad == 0)


def _require_all(findings: list[Finding]) -> None:
    failed = [each for each in findings if not each.passed]
    if failed:
        said = (f"{each.check} of {each.subject}: measured {each.measured}, limit {each.limit}" for each in failed)
        raise MediaError("; ".join(said), "QUALITY_GATE_FAILED")


def _seconds(wav: Path) -> float:
    with wave.open(str(wav), "rb") as file:
        return file.getnframes() / file.getframerate()
