"""The gates of a video: decoding, format, durations, sync, loudness, silence, and black or frozen pictures."""

import math
from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from svc.media.checks.av_sync import Lag
from svc.media.checks.film_timeline import SceneSpan, describe_position, format_clock
from svc.media.checks.probe import ProbeResult
from svc.media.drawing.frame_layout import frame_size
from svc.media.model import GateFinding, Rendition

DURATION_TOLERANCE = 0.5  # seconds
LOUDNESS_TOLERANCE = 1.0  # LU
TRUE_PEAK = -1.0  # dBTP
OFFSET = 0.040  # seconds between sound and picture (EBU R 37: 40 ms early, 60 ms late)
START = 0.001  # seconds after zero at which a stream may start
SPOKEN_SILENCE = 0.5  # seconds of silence in one place during words
LONGEST_SILENCE = 2.0  # seconds of intended silence; between two scenes there are 0.6
_BOUNDARY = 0.4  # seconds before a scene's start during which its crossfade changes the picture


@dataclass(frozen=True)
class Film:
    """An mp4 and its expected properties."""

    name: str
    rendition: Rendition
    scenes: tuple[SceneSpan, ...]

    @property
    def duration(self) -> float:
        """Seconds."""
        return self.scenes[-1].end


def decoding_finding(film: Film, result: ProbeResult) -> GateFinding:
    """Return whether every frame decodes without an error."""
    measured = f"{result.frames} of {result.frames_promised} frames" + (f", then: {result.error}" if result.error else "")
    passed = not result.error and 0 < result.frames == result.frames_promised
    where = "" if passed else f"after {format_clock(result.picture_seconds)}"
    return GateFinding("decoding", film.name, measured, "every frame, without an error", passed, where)


def findings(film: Film, result: ProbeResult, lags: tuple[Lag, ...]) -> list[GateFinding]:
    """Return all findings except :func:`decoding_finding`. ``lags``: from :func:`svc.media.checks.av_sync.measure_lags`."""
    return [
        _format(film, result), *_durations(film, result), _length(film), _starts(film, result), _offset(film, lags),
        *_loudness(film, result), _silence(film, result), _black(film, result), _frozen(film, result),
    ]  # fmt: skip


def _format(film: Film, result: ProbeResult) -> GateFinding:
    width, height = frame_size(film.rendition)
    expected = f"h264 and aac, {width}×{height}, yuv420p, {film.rendition.frame_rate} frames a second"
    measured = (
        f"{result.video_codec} and {result.audio_codec}, {result.width}×{result.height}, {result.pixel_format}, "
        f"{result.frame_rate} frames a second"
    )
    return GateFinding("format", film.name, measured, expected, measured == expected)


def _durations(film: Film, result: ProbeResult) -> list[GateFinding]:
    limit = f"{film.duration:.2f} s ± {DURATION_TOLERANCE} s"
    return [
        GateFinding(
            check, film.name, f"{seconds:.2f} s", limit, abs(seconds - film.duration) <= DURATION_TOLERANCE,
            excess=f"{seconds - film.duration:+.2f} s",
        )
        for check, seconds in (("picture duration", result.picture_seconds), ("sound duration", result.sound_seconds))
    ]  # fmt: skip


def _length(film: Film) -> GateFinding:
    most = film.rendition.longest
    over = film.duration - most
    return GateFinding("length", film.name, f"{film.duration:.1f} s", f"at most {most} s", over <= 0, excess=f"{over:.1f} s")


def _starts(film: Film, result: ProbeResult) -> GateFinding:
    worst = max(result.picture_start, result.sound_start, key=abs)
    measured = f"picture at {result.picture_start * 1000:.1f} ms, sound at {result.sound_start * 1000:.1f} ms"
    limit = f"both within {START * 1000:.0f} ms of zero"
    return GateFinding("start", film.name, measured, limit, abs(worst) <= START, "00:00.00", f"{worst * 1000:+.1f} ms")


def _offset(film: Film, lags: tuple[Lag, ...]) -> GateFinding:
    limit = f"at most {OFFSET * 1000:.0f} ms apart"
    lost = next((lag for lag in lags if lag.offset is None), None)
    if lost:
        measured = "the narration is not heard" if lost.sound is None else "no scene begins"
        where = describe_position(lost.at, film.scenes)
        return GateFinding("A/V offset", film.name, measured, limit, False, where, "more than could be measured")
    worst = max(lags, key=lambda lag: abs(lag.offset or 0.0))
    apart = (worst.offset or 0.0) * 1000
    measured = "sound and picture together" if abs(apart) < 0.05 else f"sound {abs(apart):.1f} ms {_side(apart)}"
    return GateFinding(
        "A/V offset", film.name, measured, limit, abs(worst.offset or 0.0) <= OFFSET, describe_position(worst.at, film.scenes),
        f"{abs(apart) - OFFSET * 1000:.1f} ms",
    )  # fmt: skip


def _side(apart: float) -> str:
    return "late" if apart > 0 else "early"


def _loudness(film: Film, result: ProbeResult) -> list[GateFinding]:
    target = film.rendition.loudness
    off = result.loudness - target
    peak = "silence" if math.isinf(result.true_peak) else f"{result.true_peak:.1f} dBTP"
    return [
        GateFinding(
            "loudness", film.name, f"{result.loudness:.1f} LUFS", f"{target} LUFS ± {LOUDNESS_TOLERANCE} LU",
            abs(off) <= LOUDNESS_TOLERANCE,
            excess=f"{abs(off) - LOUDNESS_TOLERANCE:.1f} LU too {'loud' if off > 0 else 'quiet'}",
        ),
        GateFinding(
            "true peak", film.name, peak, f"at most {TRUE_PEAK} dBTP", -math.inf < result.true_peak <= TRUE_PEAK,
            excess="no peak at all" if math.isinf(result.true_peak) else f"{result.true_peak - TRUE_PEAK:.1f} dB",
        ),
    ]  # fmt: skip


def _silence(film: Film, result: ProbeResult) -> GateFinding:
    """Find silence during words, or longer than any intended pause."""
    spoken = [word for scene in film.scenes for word in scene.words]
    spoken += [(scene.start, scene.runs) for scene in film.scenes if scene.runs > scene.start]
    limit = f"at most {SPOKEN_SILENCE} s under words, {LONGEST_SILENCE} s anywhere"
    worst, at, excess = 0.0, 0.0, 0.0
    for start, end in result.silent:
        under = sum(max(0.0, min(end, last) - max(start, first)) for first, last in spoken)
        over = max(under - SPOKEN_SILENCE, end - start - LONGEST_SILENCE)
        if over > excess:
            worst, at, excess = end - start, start, over
    longest = max((end - start for start, end in result.silent), default=0.0)
    pause = f"longest pause {longest:.2f} s" if longest else "no pause over 0.5 s"
    measured = f"{worst:.2f} s of silence" if excess else pause
    return GateFinding("silence", film.name, measured, limit, not excess, describe_position(at, film.scenes), f"{excess:.2f} s")


def _black(film: Film, result: ProbeResult) -> GateFinding:
    total = sum(end - start for start, end in result.black)
    where = describe_position(result.black[0][0], film.scenes) if result.black else ""
    return GateFinding("black picture", film.name, f"{total:.2f} s", "none", not result.black, where, f"{total:.2f} s")


def _frozen(film: Film, result: ProbeResult) -> GateFinding:
    """Find scenes that begin without a change of picture, or in which the picture does not change with the words."""
    rate = float(result.frame_rate)
    stuck = [(scene.start, "is the one before") for scene in film.scenes[1:] if not _changed(result, scene.start, rate)]
    stuck += [
        (scene.runs, "does not move with its words")
        for scene in film.scenes
        if scene.words and not _changes_between(result, scene.runs + 0.5 / rate, scene.end, rate)
    ]
    limit = "a change with every scene and with its words"
    if not stuck:
        measured = f"{len(result.changes)} changes, {_stillest(result, rate)}"
        return GateFinding("frozen picture", film.name, measured, limit, True)
    at, problem = min(stuck, key=lambda row: row[0])
    measured = f"the picture {problem}" if len(stuck) == 1 else f"the picture {problem}; and {len(stuck) - 1} more like it"
    excess = f"{_still_at(result, at, rate):.2f} s without a change"
    return GateFinding("frozen picture", film.name, measured, limit, False, describe_position(at, film.scenes), excess)


def _changed(result: ProbeResult, seconds: float, rate: float) -> bool:
    return _changes_between(result, seconds - _BOUNDARY, seconds + 1.5 / rate, rate)


def _changes_between(result: ProbeResult, start: float, end: float, rate: float) -> bool:
    at = bisect_left(result.changes, math.ceil(start * rate - 1e-6))
    return at < len(result.changes) and result.changes[at] < end * rate


def _stillest(result: ProbeResult, rate: float) -> str:
    edges = [*result.changes, result.frames]
    return f"still for {max(np.diff(edges), default=0) / rate:.2f} s at most"


def _still_at(result: ProbeResult, seconds: float, rate: float) -> float:
    """Return for how many seconds the picture shown at ``seconds`` stands still."""
    at = bisect_left(result.changes, seconds * rate + 1)
    end = result.changes[at] if at < len(result.changes) else result.frames
    return (end - result.changes[at - 1]) / rate
