"""The gates of a video's file and sound: decoding, format, durations, sync,
loudness and silence.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from svc.media.checks.av_sync import Lag
from svc.media.checks.film_timeline import Film, format_clock, format_position
from svc.media.checks.frame_stats import Interval
from svc.media.checks.probe import ProbeResult
from svc.media.checks.quality_gates import Measurement, measure_subject, quality_gate
from svc.media.drawing.frame_layout import find_frame_size
from svc.media.model import QualityFinding

DURATION_TOLERANCE = 0.5  # seconds
LOUDNESS_TOLERANCE = 1.0  # LU
WRONG_LOUDNESS = 3.0  # LU: from here on it is certainly wrong
TRUE_PEAK = -1.0  # dBTP
CLIPPED = 0.0  # dBTP: what is over it is certainly distorted
OFFSET = 0.040  # seconds between sound and picture (EBU R 37: 40 ms early, 60 ms late)
START = 0.001  # seconds after zero at which a stream may start
SPOKEN_SILENCE = 0.5  # seconds of silence in one place during words
# The part of a description that may be silent in one place: the pauses between its sentences have
# no times of their own, and last 1.2 s at the slowest pace.
DESCRIBED_SILENCE = 0.5
LONGEST_SILENCE = 2.0  # seconds of intended silence; between two scenes there are 0.6


@dataclass(frozen=True)
class DecodedFilm:
    """The part of a film that could be decoded, which may be all of it."""

    CHECKED: ClassVar[str] = "every mp4"
    film: Film
    result: ProbeResult

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.film.name


@dataclass(frozen=True)
class FilmFile(DecodedFilm):
    """A film of which at least one picture could be decoded. ``result``: with the speech alone as
    its sound; its loudness and true peak are those of the mix. ``lags``: from
    :func:`svc.media.checks.av_sync.measure_lags`."""

    lags: tuple[Lag, ...]


def list_decoding_findings(film: Film, result: ProbeResult) -> list[QualityFinding]:
    """Return the findings for whether the film can be decoded."""
    return measure_subject(DecodedFilm(film, result))


def list_findings(film: Film, result: ProbeResult, lags: tuple[Lag, ...]) -> list[QualityFinding]:
    """Return the findings for format, times and sound, except :func:`list_decoding_findings`."""
    return measure_subject(FilmFile(film, result, lags))


@quality_gate(
    "decoding", of=DecodedFilm, failure="every frame that its index promises, without an error"
)
def check_decoding(file: DecodedFilm) -> Measurement:
    """Check that every frame decodes without an error."""
    result = file.result
    measured = f"{result.frames} of {result.frames_promised} frames" + (
        f", then: {result.error}" if result.error else ""
    )
    passed = not result.error and 0 < result.frames == result.frames_promised
    where = "" if passed else f"after {format_clock(result.picture_seconds)}"
    return Measurement(measured, "every frame, without an error", passed, where)


@quality_gate("format", of=FilmFile, failure="as ordered")
def check_format(file: FilmFile) -> Measurement:
    """Compare codecs, size, pixel format and frame rate with those of the rendition."""
    film, result = file.film, file.result
    width, height = find_frame_size(film.rendition)
    expected = (
        f"h264 and aac, {width}×{height}, yuv420p, {film.rendition.frame_rate} frames a second"
    )
    measured = (
        f"{result.video_codec} and {result.audio_codec}, {result.width}×{result.height}, "
        f"{result.pixel_format}, {result.frame_rate} frames a second"
    )
    return Measurement(measured, expected, measured == expected)


@quality_gate("picture duration", of=FilmFile, failure=f"± {DURATION_TOLERANCE} s")
def check_picture_duration(file: FilmFile) -> Measurement:
    """Compare how long the pictures last with the programme."""
    return _compare_duration(file.result.picture_seconds, file.film.duration)


@quality_gate("sound duration", of=FilmFile, failure=f"± {DURATION_TOLERANCE} s")
def check_sound_duration(file: FilmFile) -> Measurement:
    """Compare how long the sound lasts with the programme."""
    return _compare_duration(file.result.sound_seconds, file.film.duration)


def _compare_duration(seconds: float, expected: float) -> Measurement:
    return Measurement(
        f"{seconds:.2f} s",
        f"{expected:.2f} s ± {DURATION_TOLERANCE} s",
        abs(seconds - expected) <= DURATION_TOLERANCE,
        excess=f"{seconds - expected:+.2f} s",
    )


@quality_gate("length", of=FilmFile, failure="as long as its places take")
def check_length(file: FilmFile) -> Measurement:
    """Check that the film is not longer than its places take."""
    film, most = file.film, file.film.rendition.longest
    over = film.duration - most
    return Measurement(
        f"{film.duration:.1f} s",
        f"at most {most} s",
        over <= 0,
        excess=f"{over:.1f} s",
    )


@quality_gate("start", of=FilmFile, failure=f"both streams within {START * 1000:.0f} ms of zero")
def check_start(file: FilmFile) -> Measurement:
    """Check that picture and sound begin together."""
    result = file.result
    worst = max(result.picture_start, result.sound_start, key=abs)
    measured = (
        f"picture at {result.picture_start * 1000:.1f} ms, sound at "
        f"{result.sound_start * 1000:.1f} ms"
    )
    limit = f"both within {START * 1000:.0f} ms of zero"
    return Measurement(measured, limit, abs(worst) <= START, "00:00.00", f"{worst * 1000:+.1f} ms")


@quality_gate(
    "A/V offset",
    of=FilmFile,
    how="by the narration's own sound and each scene's first picture",
    warning="can be measured",
    failure=f"{OFFSET * 1000:.0f} ms",
)
def check_av_offset(file: FilmFile) -> Measurement:
    """Check that sound and picture are together."""
    film, lags = file.film, file.lags
    limit = f"at most {OFFSET * 1000:.0f} ms apart"
    lost = next((lag for lag in lags if lag.offset is None), None)
    if lost:
        measured = "the narration is not heard" if lost.sound is None else "no scene begins"
        where = format_position(lost.at, film.scenes)
        # It may be a scene whose words have no sound: the gate of the speech knows.
        unknown = "more than could be measured"
        return Measurement(measured, limit, False, where, unknown, certain=False, at=lost.at)
    worst = max(lags, key=lambda lag: abs(lag.offset or 0.0))
    apart = (worst.offset or 0.0) * 1000
    measured = (
        "sound and picture together"
        if abs(apart) < 0.05
        else f"sound {abs(apart):.1f} ms {_describe_offset(apart)}"
    )
    return Measurement(
        measured,
        limit,
        abs(worst.offset or 0.0) <= OFFSET,
        format_position(worst.at, film.scenes),
        f"{abs(apart) - OFFSET * 1000:.1f} ms",
    )


def _describe_offset(apart: float) -> str:
    """Return whether the sound is "late" or "early". ``apart``: positive if it is late."""
    return "late" if apart > 0 else "early"


@quality_gate(
    "loudness",
    of=FilmFile,
    warning=f"−14 LUFS ± {LOUDNESS_TOLERANCE:.0f} LU",
    failure=f"± {WRONG_LOUDNESS:.0f} LU",
)
def check_loudness(file: FilmFile) -> Measurement:
    """Compare the loudness with that of the rendition."""
    target = file.film.rendition.loudness
    off = file.result.loudness - target
    return Measurement(
        f"{file.result.loudness:.1f} LUFS",
        f"{target} LUFS ± {LOUDNESS_TOLERANCE} LU",
        abs(off) <= LOUDNESS_TOLERANCE,
        excess=f"{abs(off) - LOUDNESS_TOLERANCE:.1f} LU too {'loud' if off > 0 else 'quiet'}",
        certain=abs(off) > WRONG_LOUDNESS,
    )


@quality_gate(
    "true peak",
    of=FilmFile,
    warning=f"−{-TRUE_PEAK:.0f} dBTP",
    failure=f"{CLIPPED:.0f} dBTP; not silent",
)
def check_true_peak(file: FilmFile) -> Measurement:
    """Check that the sound has a peak, and none that a player may distort."""
    true_peak = file.result.true_peak
    is_silent = math.isinf(true_peak)
    return Measurement(
        "silence" if is_silent else f"{true_peak:.1f} dBTP",
        f"at most {TRUE_PEAK} dBTP",
        -math.inf < true_peak <= TRUE_PEAK,
        excess="no peak at all" if is_silent else f"{true_peak - TRUE_PEAK:.1f} dB",
        certain=is_silent or true_peak > CLIPPED,
    )


@quality_gate(
    "silence",
    of=FilmFile,
    failure=f"{SPOKEN_SILENCE} s under words, half of a description, "
    f"{LONGEST_SILENCE:.0f} s anywhere",
)
def check_silence(file: FilmFile) -> Measurement:
    """Find silence during words, over half of a description, or longer than any intended pause;
    scenes without words are silent, as is code that is read on after the last word, and words that
    are shown and not spoken; the sound of clips is compared with theirs."""
    film, result = file.film, file.result
    spoken = [word for scene in film.scenes for word in scene.words if word not in scene.unspoken]
    described = [(scene.start, scene.runs) for scene in film.scenes if scene.runs > scene.start]
    quiet = [word for scene in film.scenes for word in scene.unspoken]
    quiet += [(scene.quiet if scene.words else scene.runs, scene.end) for scene in film.scenes]
    limit = f"at most {SPOKEN_SILENCE} s under words, {LONGEST_SILENCE} s anywhere"
    worst, at, excess = 0.0, 0.0, 0.0
    for silence in result.silent:
        start, end = silence
        meant = film.count_seconds_in_clips(start, end)
        meant += sum(_count_common_seconds(silence, each) for each in quiet)
        over = max(
            sum(_count_common_seconds(silence, word) for word in spoken) - SPOKEN_SILENCE,
            end - start - meant - LONGEST_SILENCE,
            *(
                _count_common_seconds(silence, each) - DESCRIBED_SILENCE * (each[1] - each[0])
                for each in described
            ),
        )
        if over > excess:
            worst, at, excess = end - start, start, over
    longest = max((end - start for start, end in result.silent), default=0.0)
    pause = f"longest pause {longest:.2f} s" if longest else "no pause over 0.5 s"
    measured = f"{worst:.2f} s of silence" if excess else pause
    return Measurement(
        measured,
        limit,
        not excess,
        format_position(at, film.scenes),
        f"{excess:.2f} s",
    )


def _count_common_seconds(one: Interval, other: Interval) -> float:
    return max(0.0, min(one[1], other[1]) - max(one[0], other[0]))


@quality_gate("language tags", of=FilmFile, failure="as ordered")
def check_language_tags(file: FilmFile) -> Measurement:
    """Compare the languages that the streams name with that of the film."""
    measured = " and ".join(file.result.languages)
    expected = f"{file.film.language} and {file.film.language}"
    return Measurement(measured or "none", expected, measured == expected)
