"""The gates of a film: that it decodes, looks, sounds and lasts as it should, and that nothing in it is stuck or missing."""

import math
from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from svc.media.composition import size_of
from svc.media.probing import Probe
from svc.media.programme import Finding, Rendition
from svc.media.running import Passage, clock, place
from svc.media.synchrony import Lag

DURATION_TOLERANCE = 0.5  # seconds
LOUDNESS_TOLERANCE = 1.0  # LU
TRUE_PEAK = -1.0  # dBTP
OFFSET = 0.040  # seconds that sound and picture may be apart (EBU R 37: 40 ms early, 60 ms late)
START = 0.001  # seconds after zero at which a stream may start
SPOKEN_SILENCE = 0.5  # seconds of silence, at one place, in which words should be heard
LONGEST_SILENCE = 2.0  # seconds that are silent on purpose: what lies between two scenes is 0.6
_BOUNDARY = 0.4  # seconds before a scene's start in which its crossfade changes the picture


@dataclass(frozen=True)
class Film:
    """An mp4 and what it should be."""

    name: str
    rendition: Rendition
    scenes: tuple[Passage, ...]

    @property
    def duration(self) -> float:
        """Seconds."""
        return self.scenes[-1].end


def decoding(film: Film, found: Probe) -> Finding:
    measured = f"{found.frames} of {found.frames_promised} frames" + (f", then: {found.error}" if found.error else "")
    passed = not found.error and 0 < found.frames == found.frames_promised
    where = "" if passed else f"after {clock(found.picture_seconds)}"
    return Finding("decoding", film.name, measured, "every frame, without an error", passed, where)


def measured(film: Film, found: Probe, lags: tuple[Lag, ...]) -> list[Finding]:
    """All but :func:`decoding`. ``lags``: what :func:`svc.media.synchrony.lags` heard."""
    return [
        _format(film, found), *_durations(film, found), _length(film), _starts(film, found), _offset(film, lags),
        *_loudness(film, found), _silence(film, found), _black(film, found), _frozen(film, found),
    ]  # fmt: skip


def _format(film: Film, found: Probe) -> Finding:
    width, height = size_of(film.rendition)
    wanted = f"h264 and aac, {width}×{height}, yuv420p, {film.rendition.frame_rate} frames a second"
    measured = (
        f"{found.video_codec} and {found.audio_codec}, {found.width}×{found.height}, {found.pixel_format}, "
        f"{found.frame_rate} frames a second"
    )
    return Finding("format", film.name, measured, wanted, measured == wanted)


def _durations(film: Film, found: Probe) -> list[Finding]:
    limit = f"{film.duration:.2f} s ± {DURATION_TOLERANCE} s"
    return [
        Finding(
            check, film.name, f"{seconds:.2f} s", limit, abs(seconds - film.duration) <= DURATION_TOLERANCE,
            excess=f"{seconds - film.duration:+.2f} s",
        )
        for check, seconds in (("picture duration", found.picture_seconds), ("sound duration", found.sound_seconds))
    ]  # fmt: skip


def _length(film: Film) -> Finding:
    most = film.rendition.longest
    over = film.duration - most
    return Finding("length", film.name, f"{film.duration:.1f} s", f"at most {most} s", over <= 0, excess=f"{over:.1f} s")


def _starts(film: Film, found: Probe) -> Finding:
    worst = max(found.picture_start, found.sound_start, key=abs)
    measured = f"picture at {found.picture_start * 1000:.1f} ms, sound at {found.sound_start * 1000:.1f} ms"
    limit = f"both within {START * 1000:.0f} ms of zero"
    return Finding("start", film.name, measured, limit, abs(worst) <= START, "00:00.00", f"{worst * 1000:+.1f} ms")


def _offset(film: Film, lags: tuple[Lag, ...]) -> Finding:
    limit = f"at most {OFFSET * 1000:.0f} ms apart"
    lost = next((lag for lag in lags if lag.offset is None), None)
    if lost:
        what = "the narration is not heard" if lost.sound is None else "no scene begins"
        return Finding("A/V offset", film.name, what, limit, False, place(lost.at, film.scenes), "more than could be measured")
    worst = max(lags, key=lambda lag: abs(lag.offset or 0.0))
    apart = (worst.offset or 0.0) * 1000
    measured = "sound and picture together" if abs(apart) < 0.05 else f"sound {abs(apart):.1f} ms {_side(apart)}"
    return Finding(
        "A/V offset", film.name, measured, limit, abs(worst.offset or 0.0) <= OFFSET, place(worst.at, film.scenes),
        f"{abs(apart) - OFFSET * 1000:.1f} ms",
    )  # fmt: skip


def _side(apart: float) -> str:
    return "late" if apart > 0 else "early"


def _loudness(film: Film, found: Probe) -> list[Finding]:
    wanted = film.rendition.loudness
    off = found.loudness - wanted
    peak = "silence" if math.isinf(found.true_peak) else f"{found.true_peak:.1f} dBTP"
    return [
        Finding(
            "loudness", film.name, f"{found.loudness:.1f} LUFS", f"{wanted} LUFS ± {LOUDNESS_TOLERANCE} LU",
            abs(off) <= LOUDNESS_TOLERANCE,
            excess=f"{abs(off) - LOUDNESS_TOLERANCE:.1f} LU too {'loud' if off > 0 else 'quiet'}",
        ),
        Finding(
            "true peak", film.name, peak, f"at most {TRUE_PEAK} dBTP", -math.inf < found.true_peak <= TRUE_PEAK,
            excess="no peak at all" if math.isinf(found.true_peak) else f"{found.true_peak - TRUE_PEAK:.1f} dB",
        ),
    ]  # fmt: skip


def _silence(film: Film, found: Probe) -> Finding:
    """Silent while words should be heard, or for longer than any pause."""
    spoken = [word for scene in film.scenes for word in scene.words]
    spoken += [(scene.start, scene.runs) for scene in film.scenes if scene.runs > scene.start]
    limit = f"at most {SPOKEN_SILENCE} s under words, {LONGEST_SILENCE} s anywhere"
    worst, at, excess = 0.0, 0.0, 0.0
    for start, end in found.silent:
        under = sum(max(0.0, min(end, last) - max(start, first)) for first, last in spoken)
        over = max(under - SPOKEN_SILENCE, end - start - LONGEST_SILENCE)
        if over > excess:
            worst, at, excess = end - start, start, over
    longest = max((end - start for start, end in found.silent), default=0.0)
    said = f"{worst:.2f} s of silence" if excess else f"longest pause {longest:.2f} s" if longest else "no pause over 0.5 s"
    return Finding("silence", film.name, said, limit, not excess, place(at, film.scenes), f"{excess:.2f} s")


def _black(film: Film, found: Probe) -> Finding:
    total = sum(end - start for start, end in found.black)
    where = place(found.black[0][0], film.scenes) if found.black else ""
    return Finding("black picture", film.name, f"{total:.2f} s", "none", not found.black, where, f"{total:.2f} s")


def _frozen(film: Film, found: Probe) -> Finding:
    """A still picture is meant within a scene, and nowhere else: it changes with each scene, and with what is said in it."""
    rate = float(found.frame_rate)
    stuck = [(scene.start, "is the one before") for scene in film.scenes[1:] if not _changed(found, scene.start, rate)]
    stuck += [
        (scene.runs, "does not move with its words") for scene in film.scenes
        if scene.words and not _changes_between(found, scene.runs + 0.5 / rate, scene.end, rate)
    ]  # fmt: skip
    limit = "a change with every scene and with its words"
    if not stuck:
        return Finding("frozen picture", film.name, f"{len(found.changes)} changes, {_stillest(found, rate)}", limit, True)
    at, what = min(stuck, key=lambda each: each[0])
    said = f"the picture {what}" if len(stuck) == 1 else f"the picture {what}; and {len(stuck) - 1} more like it"
    excess = f"{_still_at(found, at, rate):.2f} s without a change"
    return Finding("frozen picture", film.name, said, limit, False, place(at, film.scenes), excess)


def _changed(found: Probe, seconds: float, rate: float) -> bool:
    return _changes_between(found, seconds - _BOUNDARY, seconds + 1.5 / rate, rate)


def _changes_between(found: Probe, start: float, end: float, rate: float) -> bool:
    at = bisect_left(found.changes, math.ceil(start * rate - 1e-6))
    return at < len(found.changes) and found.changes[at] < end * rate


def _stillest(found: Probe, rate: float) -> str:
    edges = [*found.changes, found.frames]
    return f"still for {max(np.diff(edges), default=0) / rate:.2f} s at most"


def _still_at(found: Probe, seconds: float, rate: float) -> float:
    """How long the picture stands that is shown at ``seconds``."""
    at = bisect_left(found.changes, seconds * rate + 1)
    end = found.changes[at] if at < len(found.changes) else found.frames
    return (end - found.changes[at - 1]) / rate
