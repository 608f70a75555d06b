"""Ducking: how loud the bed is at each moment, from where there is speech."""

from collections.abc import Iterable

import numpy as np

from svc.media import audio

GAINS_PER_SECOND = 100  # gains a second
# The level from which a sound is speech, for between passages is silence: dBFS, root mean square of
# a hundredth of a second.
SPEECH_LEVEL = -50.0
# The step in dB from the speech's loudness to the bed's, under speech and in pauses. WCAG 2.2,
# success criterion 1.4.7, asks for 20 under speech, in which low notes count more than in loudness.
UNDER, BETWEEN = -22.5, -15.0
# The seconds in which the bed gives way before speech, and returns after it.
_ATTACK, _RELEASE = 0.4, 1.0
_PAUSE = 1.5  # seconds; in a shorter one the bed stays down, as it would pump
_FADE_IN, _FADE_OUT = 0.8, 1.2  # seconds, at the ends of the programme


def find_speech(blocks: Iterable[np.ndarray]) -> np.ndarray:
    """Return for each hundredth of a second whether there is speech. ``blocks``: int16, each a
    whole number of them except the last."""
    window, speech = audio.SAMPLE_RATE // GAINS_PER_SECOND, [np.zeros(0, bool)]
    for block in blocks:
        padded = np.pad(block, (0, -len(block) % window)).astype(np.float32).reshape(-1, window)
        speech.append(np.mean(padded**2, axis=1) > (32768 * 10 ** (SPEECH_LEVEL / 20)) ** 2)
    return np.concatenate(speech)


def duck_gains(speech: np.ndarray) -> np.ndarray:
    """Return the gain of the bed (1.0: at the speech's loudness) for each
    value of :func:`find_speech`.
    """
    count = len(speech)
    if not count:
        return np.zeros(0)
    moments, places = np.arange(count), np.flatnonzero(speech)
    if len(places):
        after = places[np.minimum(np.searchsorted(places, moments), len(places) - 1)]
        before = places[np.maximum(np.searchsorted(places, moments, side="right") - 1, 0)]
        until = np.where(after >= moments, after - moments, count) / GAINS_PER_SECOND
        since = np.where(before <= moments, moments - before, count) / GAINS_PER_SECOND
        short = until + since <= _PAUSE
        down = np.where(
            short,
            1.0,
            np.maximum(_fade_by_distance(until / _ATTACK), _fade_by_distance(since / _RELEASE)),
        )
    else:
        down = np.zeros(count)
    decibels = BETWEEN + (UNDER - BETWEEN) * down
    fade_in = moments / GAINS_PER_SECOND / _FADE_IN
    fade_out = (count - 1 - moments) / GAINS_PER_SECOND / _FADE_OUT
    edges = (1 - _fade_by_distance(fade_in)) * (1 - _fade_by_distance(fade_out))
    return 10 ** (decibels / 20) * edges


def _fade_by_distance(distance: np.ndarray) -> np.ndarray:
    """Return 1 at distance 0, falling as a raised cosine to 0 at distance 1 and beyond."""
    return 0.5 + 0.5 * np.cos(np.pi * np.minimum(distance, 1.0))
