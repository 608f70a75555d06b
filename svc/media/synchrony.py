"""Whether sound and picture of a film run together: each scene's own sound is looked for, and the keyframe that begins it."""

from dataclasses import dataclass

import numpy as np

from svc.media.probing import ProbeResult
from svc.media.running import SceneSpan
from svc.media.watching import ANALYSIS_RATE

_SEARCHED = 0.5  # seconds to either side
_EXCERPT = 4.0  # seconds of a scene that are compared
_ALIKE = 0.5  # correlation, of 1.0; AAC leaves more than 0.95 of a voice
_SCENES = 5  # spread over the film: a drift shows, too


@dataclass(frozen=True)
class Lag:
    """How late (seconds, early is negative) sound and picture of the scene at ``at`` come; None: not found."""

    at: float
    sound: float | None
    picture: float | None

    @property
    def offset(self) -> float | None:
        """How much later than the picture the sound comes."""
        return None if self.sound is None or self.picture is None else self.sound - self.picture


def downsample(narration: np.ndarray, rate: int) -> np.ndarray:
    """``narration`` (int16, mono, at ``rate``) as a Probe keeps sound."""
    step = max(1, rate // ANALYSIS_RATE)
    whole = len(narration) // step * step
    return narration[:whole].reshape(-1, step).mean(axis=1)


def measure_lags(found: ProbeResult, narration: np.ndarray, scenes: tuple[SceneSpan, ...]) -> tuple[Lag, ...]:
    """Of a few scenes, among them the first and the last. ``narration``: the programme's, of :func:`heard_as`."""
    count = min(_SCENES, len(scenes))
    some = [scenes[round(index * (len(scenes) - 1) / max(1, count - 1))] for index in range(count)]
    return tuple(Lag(scene.runs, _late(found, narration, scene), _picture(found, scene)) for scene in some)


def _picture(found: ProbeResult, scene: SceneSpan) -> float | None:
    if not found.keyframes or not found.frame_rate:
        return None
    rate = float(found.frame_rate)
    nearest = min(found.keyframes, key=lambda frame: abs(frame - scene.runs * rate))
    late = nearest / rate - scene.runs
    return late if abs(late) <= _SEARCHED else None


def _late(found: ProbeResult, narration: np.ndarray, scene: SceneSpan) -> float | None:
    """By the peak of the normalised cross-correlation."""
    first = round((scene.runs - scene.later) * ANALYSIS_RATE)
    excerpt = narration[first : first + round(min(_EXCERPT, scene.end - scene.runs) * ANALYSIS_RATE)].astype(np.float64)
    room = round(_SEARCHED * ANALYSIS_RATE)
    searched = _around(found.sound, round(scene.runs * ANALYSIS_RATE) - room, len(excerpt) + 2 * room)
    if not excerpt.any():
        return None
    size = 1 << (len(searched) + len(excerpt)).bit_length()
    product = np.fft.irfft(np.fft.rfft(searched, size) * np.conj(np.fft.rfft(excerpt, size)), size)
    product = product[: len(searched) - len(excerpt) + 1]
    power = np.cumsum(np.concatenate([[0.0], searched**2]))
    energy = power[len(excerpt) :][: len(product)] - power[: len(product)]
    alike = product / np.sqrt(np.maximum(energy, 1.0) * np.sum(excerpt**2))
    best = int(np.argmax(alike))
    return (best - room) / ANALYSIS_RATE if alike[best] >= _ALIKE else None


def _around(sound: np.ndarray, start: int, length: int) -> np.ndarray:
    """``length`` samples from ``start`` on, which may be before the sound's own start; beyond its ends is silence."""
    part = sound[max(0, start) : start + length].astype(np.float64)
    before = max(0, -start)
    return np.pad(part, (before, max(0, length - before - len(part))))
