"""Measuring whether sound and picture of a video are in sync:
where each scene's sound and its first keyframe really are.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from svc.media import audio
from svc.media.audio import Samples
from svc.media.checks.film_timeline import SceneSpan
from svc.media.checks.frame_stats import ANALYSIS_RATE
from svc.media.checks.probe import ProbeResult

_SEARCH_RANGE = 0.5  # seconds to either side
_EXCERPT = 4.0  # seconds of a scene that are compared
_MIN_CORRELATION = 0.5  # AAC leaves more than 0.95 of a voice
_BLOCK = 60 * 48_000  # samples that are read at a time
_SCENES = 5  # spread over the film: a drift shows, too


@dataclass(frozen=True)
class Lag:
    """How late (seconds; negative is early) the sound and the picture of the scene at ``at`` are;
    None: not found.
    """

    at: float
    sound: float | None
    picture: float | None

    @property
    def offset(self) -> float | None:
        """How much later the sound is than the picture, in seconds."""
        return None if self.sound is None or self.picture is None else self.sound - self.picture


def downsample(narration: Samples, rate: int) -> Iterator[np.ndarray]:
    """Yield ``narration`` (int16, mono, at ``rate``) at the rate at which a ProbeResult keeps
    sound, as int16, in parts.
    """
    step = max(1, rate // ANALYSIS_RATE)
    count, block = len(narration) // step, _BLOCK // step * step
    for at in range(0, count * step, block):
        part = narration[at : min(at + block, count * step)]
        yield np.rint(part.reshape(-1, step).mean(axis=1, dtype=np.float32)).astype(np.int16)


def measure_lags(
    probe_result: ProbeResult, narration: Samples, scenes: tuple[SceneSpan, ...]
) -> tuple[Lag, ...]:
    """Return the lags of a few scenes, including the first and the last.

    ``narration``: the programme's, from :func:`downsample`.
    """
    scenes = tuple(scene for scene in scenes if scene.words)  # code may be shown in silence
    count = min(_SCENES, len(scenes))
    sample = [
        scenes[round(index * (len(scenes) - 1) / max(1, count - 1))] for index in range(count)
    ]
    return tuple(
        Lag(
            scene.runs,
            _measure_delay(probe_result, narration, scene),
            _measure_lateness(probe_result, scene),
        )
        for scene in sample
    )


def _measure_lateness(probe_result: ProbeResult, scene: SceneSpan) -> float | None:
    if not probe_result.keyframes or not probe_result.frame_rate:
        return None
    rate = float(probe_result.frame_rate)
    nearest = min(probe_result.keyframes, key=lambda frame: abs(frame - scene.runs * rate))
    late = nearest / rate - scene.runs
    return late if abs(late) <= _SEARCH_RANGE else None


def _measure_delay(probe_result: ProbeResult, narration: Samples, scene: SceneSpan) -> float | None:
    """Return the delay of the scene's sound, at the peak of the normalised cross-correlation."""
    first = round((scene.runs - scene.later) * ANALYSIS_RATE)
    excerpt = narration[
        first : first + round(min(_EXCERPT, scene.end - scene.runs) * ANALYSIS_RATE)
    ].astype(np.float64)
    margin = round(_SEARCH_RANGE * ANALYSIS_RATE)
    start, length = round(scene.runs * ANALYSIS_RATE) - margin, len(excerpt) + 2 * margin
    searched = audio.cut_within_silence(probe_result.sound, start, length).astype(np.float64)
    if not excerpt.any():
        return None
    size = 1 << (len(searched) + len(excerpt)).bit_length()
    product = np.fft.irfft(np.fft.rfft(searched, size) * np.conj(np.fft.rfft(excerpt, size)), size)
    product = product[: len(searched) - len(excerpt) + 1]
    power = np.cumsum(np.concatenate([[0.0], searched**2]))
    energy = power[len(excerpt) :][: len(product)] - power[: len(product)]
    correlation = product / np.sqrt(np.maximum(energy, 1.0) * np.sum(excerpt**2))
    best = int(np.argmax(correlation))
    return (best - margin) / ANALYSIS_RATE if correlation[best] >= _MIN_CORRELATION else None
