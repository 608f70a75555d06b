"""Sound effects: a soft whoosh where a picture or a figure comes in, and a tick for a card, far
under the speech.

They have no melody, and hardly any energy where a voice has its consonants.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from svc.media import audio
from svc.media.audio import Samples
from svc.media.model import load, save
from svc.media.music import ducking

WHOOSH, TICK = "whoosh", "tick"
UNDER = 24.5  # dB from the speech around an effect down to its loudest twentieth of a second
_KEPT = "effects.json"
_LOUDEST = audio.SAMPLE_RATE // 20  # samples in which the level of an effect is measured
# The samples before and after an effect whose speech sets its level.
_AROUND = round(0.2 * audio.SAMPLE_RATE)
_WINDOW = audio.SAMPLE_RATE // ducking.GAINS_PER_SECOND  # samples
_EXACT = 1e-4  # seconds: times are rounded
_VARIANTS = 3  # of each kind, so that none is heard twice in a row
_WHOOSH_SECONDS, _RISES = 0.46, 0.45  # the share of it in which it becomes louder
# The seconds from an effect's beginning to what it is heard with.
_AHEAD = {WHOOSH: _WHOOSH_SECONDS * _RISES, TICK: 0.03}
_LINES = 240  # sine waves of a whoosh
_FROM, _TO = 180.0, 1700.0  # Hz: their frequencies
# Hz: where a whoosh begins, and where it is loudest
_CENTRES = ((300.0, 780.0), (340.0, 860.0), (260.0, 700.0))
_BREADTH = 0.55  # octaves: of the band that is heard at one moment
_TICK_SECONDS, _STRIKE = 0.11, 0.004  # the strike: the seconds in which it reaches its amplitude
_TONES = (820.0, 870.0, 775.0)  # Hz: of the ticks
# By partial of a tick: its frequency as a multiple of the tone's, its amplitude, and the seconds in
# which it falls to a third.
_PARTIALS = ((1.0, 1.0, 0.016), (1.52, 0.4, 0.011), (0.27, 0.8, 0.022))


@dataclass(frozen=True)
class Effect:
    """``at``: when something enters, in seconds from the start of the programme;
    a whoosh is loudest then.
    """

    kind: str
    at: float


@dataclass(frozen=True)
class Effects:
    """The effects of a production in the order of time, as the video step stored them."""

    effects: tuple[Effect, ...] = ()


@dataclass(frozen=True)
class PlacedEffect:
    """``first``: the sample of the speech at which it begins.

    ``gain``: to its samples, whose level is 1.
    """

    kind: str
    first: int
    gain: float
    variant: int

    def make_samples(self) -> np.ndarray:
        """Return its sound (float32, full scale 1)."""
        return np.float32(self.gain) * make_effect_sound(self.kind, self.variant)


def store_effects(effects: Iterable[Effect], folder: Path) -> tuple[Effect, ...]:
    """Store the effects of the production in ``folder`` for :func:`read_effects`, and return
    them.
    """
    stored = tuple(effects)
    if stored:
        save(Effects(stored), folder / _KEPT)
    else:
        (folder / _KEPT).unlink(missing_ok=True)
    return stored


def read_effects(folder: Path) -> tuple[Effect, ...]:
    """Return the effects of the production in ``folder``."""
    path = folder / _KEPT
    return load(Effects, path).effects if path.exists() else ()


def delay_effects(
    effects: Iterable[Effect], stops: Iterable[tuple[float, float]]
) -> tuple[Effect, ...]:
    """Return ``effects`` as they are heard where the programme stops.

    ``stops``: when, and for how many seconds.
    """
    waits = tuple(stops)
    return tuple(
        replace(
            effect,
            at=round(
                effect.at + sum(seconds for at, seconds in waits if at <= effect.at + _EXACT), 6
            ),
        )
        for effect in effects
    )


def place_effects(effects: Iterable[Effect], speech: Samples, start: int) -> Iterator[PlacedEffect]:
    """Yield the effects that end within ``speech``, each UNDER the speech around it, or under
    audio.TARGET where that is less, or where nobody speaks at the same time. ``start``: the sample
    of the programme at which the speech begins."""
    for number, effect in enumerate(effects):
        variant = number % _VARIANTS
        entrance = round(effect.at * audio.SAMPLE_RATE) - start
        length = len(make_effect_sound(effect.kind, variant))
        first = max(0, entrance - round(_AHEAD[effect.kind] * audio.SAMPLE_RATE))
        if entrance >= 0 and first + length <= len(speech):
            level, with_it = 10 ** (audio.TARGET / 20), speech[first : first + length]
            if ducking.find_speech([with_it]).any():
                level = min(
                    level,
                    _measure_loudness(speech[max(0, first - _AROUND) : first + length + _AROUND]),
                )
            yield PlacedEffect(effect.kind, first, level * 10 ** (-UNDER / 20), variant)


def add_to_block(effects: Iterable[PlacedEffect], block: np.ndarray, first: int) -> None:
    """Add effects to a block of sound (float32), which begins at the sample ``first``
    of the speech.
    """
    for effect in effects:
        samples = effect.make_samples()
        begins = max(effect.first, first)
        ends = min(effect.first + len(samples), first + len(block))
        if begins < ends:
            block[begins - first : ends - first] += samples[
                begins - effect.first : ends - effect.first
            ]


def measure_loudest_level(samples: np.ndarray) -> float:
    """Return the root mean square of the loudest twentieth of a second."""
    power = np.cumsum(np.concatenate([[0.0], np.asarray(samples, np.float64) ** 2]))
    window = min(_LOUDEST, len(samples))
    return float(np.sqrt(np.max(power[window:] - power[:-window]) / _LOUDEST))


@lru_cache(maxsize=2 * _VARIANTS)
def make_effect_sound(kind: str, variant: int) -> np.ndarray:
    """Return the samples of an effect (float32), faded in and out, at a
    :func:`measure_loudest_level` of 1.
    """
    samples = _make_whoosh(variant) if kind == WHOOSH else _make_tick(variant)
    samples = (samples / measure_loudest_level(samples)).astype(np.float32)
    samples.setflags(write=False)
    return samples


def _make_whoosh(variant: int) -> np.ndarray:
    """Return noise in a band that rises and falls: sine waves of random frequencies and phases, so
    that there is nothing beyond the band."""
    random = np.random.default_rng(variant)
    seconds = np.arange(round(_WHOOSH_SECONDS * audio.SAMPLE_RATE)) / audio.SAMPLE_RATE
    share = seconds / _WHOOSH_SECONDS
    swell = np.where(share < _RISES, share / _RISES, (1 - share) / (1 - _RISES))
    begins, turns = _CENTRES[variant]
    centre = np.log2(begins) + (np.log2(turns) - np.log2(begins)) * swell
    total = np.zeros(len(seconds))
    for frequency, phase in zip(
        np.geomspace(_FROM, _TO, _LINES), random.uniform(0, 2 * np.pi, _LINES), strict=True
    ):
        frequency *= random.uniform(0.99, 1.01)
        near = np.exp(-(((np.log2(frequency) - centre) / _BREADTH) ** 2) / 2)
        total += near * np.sin(2 * np.pi * frequency * seconds + phase)
    return total * np.sin(np.pi / 2 * swell) ** 2


def _make_tick(variant: int) -> np.ndarray:
    """Return a short, wooden tone with a low one under it."""
    seconds = np.arange(round(_TICK_SECONDS * audio.SAMPLE_RATE)) / audio.SAMPLE_RATE
    total = np.zeros(len(seconds))
    for multiple, amplitude, falls in _PARTIALS:
        total += (
            amplitude
            * np.exp(-seconds / falls)
            * np.sin(2 * np.pi * _TONES[variant] * multiple * seconds)
        )
    strike = np.minimum(1, seconds / _STRIKE)
    release = np.minimum(1, (_TICK_SECONDS - seconds) / (_TICK_SECONDS / 4))
    return total * np.sin(np.pi / 2 * strike) ** 2 * np.sin(np.pi / 2 * release) ** 2


def _measure_loudness(speech: np.ndarray) -> float:
    """Return the root mean square, full scale 1, of the hundredths of a second with speech,
    of which there are some.
    """
    spoken = ducking.find_speech([speech])
    padded = (
        np.pad(speech, (0, -len(speech) % _WINDOW)).astype(np.float64).reshape(-1, _WINDOW)[spoken]
        / 32768
    )
    return float(np.sqrt(np.mean(padded**2)))
