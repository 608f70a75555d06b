"""The gates of a video's file and sound: decoding, format, durations, sync,
loudness and silence.
"""

import math

from svc.media.checks.av_sync import Lag
from svc.media.checks.film_timeline import Film, format_clock, position_text
from svc.media.checks.probe import ProbeResult
from svc.media.drawing.frame_layout import frame_size
from svc.media.model import QualityFinding

DURATION_TOLERANCE = 0.5  # seconds
LOUDNESS_TOLERANCE = 1.0  # LU
WRONG_LOUDNESS = 3.0  # LU: from here on it is certainly wrong
TRUE_PEAK = -1.0  # dBTP
CLIPPED = 0.0  # dBTP: what is over it is certainly distorted
OFFSET = 0.040  # seconds between sound and picture (EBU R 37: 40 ms early, 60 ms late)
START = 0.001  # seconds after zero at which a stream may start
SPOKEN_SILENCE = 0.5  # seconds of silence in one place during words
LONGEST_SILENCE = 2.0  # seconds of intended silence; between two scenes there are 0.6


def decoding_finding(film: Film, result: ProbeResult) -> QualityFinding:
    """Return whether every frame decodes without an error."""
    measured = f"{result.frames} of {result.frames_promised} frames" + (
        f", then: {result.error}" if result.error else ""
    )
    passed = not result.error and 0 < result.frames == result.frames_promised
    where = "" if passed else f"after {format_clock(result.picture_seconds)}"
    return QualityFinding(
        "decoding", film.name, measured, "every frame, without an error", passed, where
    )


def findings(film: Film, result: ProbeResult, lags: tuple[Lag, ...]) -> list[QualityFinding]:
    """Return the findings for format, times and sound, except :func:`decoding_finding`. ``lags``:
    from :func:`svc.media.checks.av_sync.measure_lags`."""
    return [
        _format(film, result),
        *_durations(film, result),
        _length(film),
        _starts(film, result),
        _offset(film, lags),
        *_loudness(film, result),
        _silence(film, result),
        _languages(film, result),
    ]


def _format(film: Film, result: ProbeResult) -> QualityFinding:
    width, height = frame_size(film.rendition)
    expected = (
        f"h264 and aac, {width}×{height}, yuv420p, {film.rendition.frame_rate} frames a second"
    )
    measured = (
        f"{result.video_codec} and {result.audio_codec}, {result.width}×{result.height}, "
        f"{result.pixel_format}, {result.frame_rate} frames a second"
    )
    return QualityFinding("format", film.name, measured, expected, measured == expected)


def _languages(film: Film, result: ProbeResult) -> QualityFinding:
    measured = " and ".join(result.languages)
    expected = f"{film.language} and {film.language}"
    return QualityFinding(
        "language tags", film.name, measured or "none", expected, measured == expected
    )


def _durations(film: Film, result: ProbeResult) -> list[QualityFinding]:
    limit = f"{film.duration:.2f} s ± {DURATION_TOLERANCE} s"
    return [
        QualityFinding(
            check,
            film.name,
            f"{seconds:.2f} s",
            limit,
            abs(seconds - film.duration) <= DURATION_TOLERANCE,
            excess=f"{seconds - film.duration:+.2f} s",
        )
        for check, seconds in (
            ("picture duration", result.picture_seconds),
            ("sound duration", result.sound_seconds),
        )
    ]


def _length(film: Film) -> QualityFinding:
    most = film.rendition.longest
    over = film.duration - most
    return QualityFinding(
        "length",
        film.name,
        f"{film.duration:.1f} s",
        f"at most {most} s",
        over <= 0,
        excess=f"{over:.1f} s",
    )


def _starts(film: Film, result: ProbeResult) -> QualityFinding:
    worst = max(result.picture_start, result.sound_start, key=abs)
    measured = (
        f"picture at {result.picture_start * 1000:.1f} ms, sound at "
        f"{result.sound_start * 1000:.1f} ms"
    )
    limit = f"both within {START * 1000:.0f} ms of zero"
    return QualityFinding(
        "start",
        film.name,
        measured,
        limit,
        abs(worst) <= START,
        "00:00.00",
        f"{worst * 1000:+.1f} ms",
    )


def _offset(film: Film, lags: tuple[Lag, ...]) -> QualityFinding:
    limit = f"at most {OFFSET * 1000:.0f} ms apart"
    lost = next((lag for lag in lags if lag.offset is None), None)
    if lost:
        measured = "the narration is not heard" if lost.sound is None else "no scene begins"
        where = position_text(lost.at, film.scenes)
        # or a scene whose words have no sound: the gate of the speech knows
        unknown = "more than could be measured"
        return QualityFinding(
            "A/V offset",
            film.name,
            measured,
            limit,
            False,
            where,
            unknown,
            certain=False,
            at=lost.at,
        )
    worst = max(lags, key=lambda lag: abs(lag.offset or 0.0))
    apart = (worst.offset or 0.0) * 1000
    measured = (
        "sound and picture together"
        if abs(apart) < 0.05
        else f"sound {abs(apart):.1f} ms {_side(apart)}"
    )
    return QualityFinding(
        "A/V offset",
        film.name,
        measured,
        limit,
        abs(worst.offset or 0.0) <= OFFSET,
        position_text(worst.at, film.scenes),
        f"{abs(apart) - OFFSET * 1000:.1f} ms",
    )


def _side(apart: float) -> str:
    return "late" if apart > 0 else "early"


def _loudness(film: Film, result: ProbeResult) -> list[QualityFinding]:
    target = film.rendition.loudness
    off = result.loudness - target
    peak = "silence" if math.isinf(result.true_peak) else f"{result.true_peak:.1f} dBTP"
    return [
        QualityFinding(
            "loudness",
            film.name,
            f"{result.loudness:.1f} LUFS",
            f"{target} LUFS ± {LOUDNESS_TOLERANCE} LU",
            abs(off) <= LOUDNESS_TOLERANCE,
            excess=f"{abs(off) - LOUDNESS_TOLERANCE:.1f} LU too {'loud' if off > 0 else 'quiet'}",
            certain=abs(off) > WRONG_LOUDNESS,
        ),
        QualityFinding(
            "true peak",
            film.name,
            peak,
            f"at most {TRUE_PEAK} dBTP",
            -math.inf < result.true_peak <= TRUE_PEAK,
            excess="no peak at all"
            if math.isinf(result.true_peak)
            else f"{result.true_peak - TRUE_PEAK:.1f} dB",
            certain=math.isinf(result.true_peak) or result.true_peak > CLIPPED,
        ),
    ]


def _silence(film: Film, result: ProbeResult) -> QualityFinding:
    """Find silence during words, or longer than any intended pause; scenes without words are
    silent, as is code that is read on after the last word; the sound of clips is compared with
    theirs."""
    spoken = [word for scene in film.scenes for word in scene.words]
    spoken += [(scene.start, scene.runs) for scene in film.scenes if scene.runs > scene.start]
    silent = [scene.quiet if scene.words else scene.runs for scene in film.scenes]
    limit = f"at most {SPOKEN_SILENCE} s under words, {LONGEST_SILENCE} s anywhere"
    worst, at, excess = 0.0, 0.0, 0.0
    for start, end in result.silent:
        under = sum(max(0.0, min(end, last) - max(start, first)) for first, last in spoken)
        meant = film.in_clips(start, end)
        meant += sum(
            max(0.0, min(end, scene.end) - max(start, quiet))
            for scene, quiet in zip(film.scenes, silent, strict=True)
        )
        over = max(under - SPOKEN_SILENCE, end - start - meant - LONGEST_SILENCE)
        if over > excess:
            worst, at, excess = end - start, start, over
    longest = max((end - start for start, end in result.silent), default=0.0)
    pause = f"longest pause {longest:.2f} s" if longest else "no pause over 0.5 s"
    measured = f"{worst:.2f} s of silence" if excess else pause
    return QualityFinding(
        "silence",
        film.name,
        measured,
        limit,
        not excess,
        position_text(at, film.scenes),
        f"{excess:.2f} s",
    )
