"""Synthesis of a bed from its score, one block after the other: the memory it takes does not depend
on its length.

Notes are sums of a few sine waves, with no energy where a voice has its consonants. Every note
fades in and out, and its tail sounds on under the next chord: a bed has no seams, and each sample
is the same on every run.
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from svc.media.music.moods import Mood
from svc.media.music.score import Chord, compose

_CHUNK = 256  # samples: see _make_sine
# By partial of a sustained note: the multiple of its frequency, and its amplitude.
_PAD = ((1, 1.0), (2, 0.28), (3, 0.1))
_PLUCK = ((1, 1.0), (2, 0.35), (4, 0.08))
_BASS = 1.3  # times the amplitude of the others
_DETUNED = 0.0017  # share of the frequency by which a second voice of each sustained note differs
_SWELL, _RELEASE = 1.2, 1.8  # seconds in which a chord fades in, and out after its end
_STRIKE = 0.012  # seconds in which a plucked note reaches its amplitude
_HIGHER = 12  # semitones from the chord to its arpeggio
_ROLL = 0.09  # seconds between the notes of the last chord
_LAST_RING = 5.0  # seconds


def synthesise_blocks(mood: Mood, seconds: float, rate: int) -> Iterator[np.ndarray]:
    """Yield the bed (float32, full scale 1) in parts of one chord's length;
    together ``round(seconds * rate)`` samples.
    """
    tail, at = np.zeros(0, np.float32), 0
    chords, total = compose(mood, seconds), round(seconds * rate)
    for chord in chords:
        end = total if chord is chords[-1] else round(chord.end * rate)
        sound = _make_chord(mood, chord.notes, round(chord.end - chord.start, 3), rate).copy()
        for start, note, ring in _play_melody(mood, chord):
            _add_note(sound, round(start * rate), mood.pluck * _make_pluck(note, ring, rate))
        sound = _sum_sounds(sound, tail)
        length = end - at
        sound, tail = sound[:length], sound[length:]
        yield np.pad(sound, (0, length - len(sound)))
        at = end


def _play_melody(mood: Mood, chord: Chord) -> Iterator[tuple[float, int, float]]:
    """Yield the seconds after the chord's start, the MIDI number and the ring (seconds) of
    each plucked note.
    """
    if not chord.steps:
        yield from (
            (number * _ROLL, note + _HIGHER, _LAST_RING)
            for number, note in enumerate(chord.notes[1:])
        )
        return
    between = (chord.end - chord.start) / len(chord.steps)
    for number, step in enumerate(chord.steps):
        if step >= 0:
            yield number * between, chord.notes[step] + _HIGHER, mood.ring


@lru_cache(maxsize=12)
def _make_chord(mood: Mood, notes: tuple[int, ...], seconds: float, rate: int) -> np.ndarray:
    """Return a sustained chord that swells, holds until ``seconds``, and fades away after that."""
    count = round((seconds + _RELEASE) * rate)
    sound = np.zeros(count, np.float32)
    for number, note in enumerate(notes):
        weight = mood.pad * (_BASS if number == 0 else 1.0)
        for multiple, share in _PAD:
            for offset in (-_DETUNED / 2, _DETUNED / 2):
                sound += np.float32(weight * share / 2) * _make_sine(
                    _compute_frequency(note) * multiple * (1 + offset), count, rate
                )
    swell, release = (
        min(count, round(length * rate)) for length in (min(_SWELL, seconds), _RELEASE)
    )
    sound[:swell] *= _make_rise(swell)
    sound[count - release :] *= _make_rise(release)[::-1]
    sound.setflags(write=False)
    return sound


@lru_cache(maxsize=32)
def _make_pluck(note: int, ring: float, rate: int) -> np.ndarray:
    """Return a note that is struck once; its higher partials fade faster."""
    count = round(ring * rate)
    seconds = np.arange(count, dtype=np.float32) / rate
    sound = np.zeros(count, np.float32)
    for multiple, share in _PLUCK:
        decay = np.exp(np.float32(-6.9 / ring * multiple**0.5) * seconds)
        sound += (
            np.float32(share) * decay * _make_sine(_compute_frequency(note) * multiple, count, rate)
        )
    strike = round(_STRIKE * rate)
    sound[:strike] *= _make_rise(strike)
    sound[-strike:] *= _make_rise(strike)[::-1]
    sound.setflags(write=False)
    return sound


def _make_sine(frequency: float, count: int, rate: int) -> np.ndarray:
    """Return ``count`` samples of a sine wave. sin(a + b) is computed from the sines and cosines of
    few a and b.
    """
    step = 2 * np.pi * frequency / rate
    coarse = step * _CHUNK * np.arange(-(-count // _CHUNK))[:, None]
    fine = step * np.arange(_CHUNK)[None, :]
    parts = (np.sin(coarse), np.cos(fine), np.cos(coarse), np.sin(fine))
    first, second, third, fourth = (part.astype(np.float32) for part in parts)
    return (first * second + third * fourth).reshape(-1)[:count]


def _compute_frequency(note: int) -> float:
    """Return the frequency in Hz of a MIDI note, in equal temperament with A at 440 Hz."""
    return 440.0 * 2 ** ((note - 69) / 12)


def _make_rise(count: int) -> np.ndarray:
    """Return half a period of a raised cosine, from 0 to 1."""
    return (0.5 - 0.5 * np.cos(np.pi * (np.arange(count) + 0.5) / max(1, count))).astype(np.float32)


def _add_note(sound: np.ndarray, at: int, note: np.ndarray) -> None:
    end = min(len(sound), at + len(note))
    sound[at:end] += note[: end - at]


def _sum_sounds(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    longer, shorter = (first, second) if len(first) >= len(second) else (second, first)
    total = longer.copy()
    total[: len(shorter)] += shorter
    return total
