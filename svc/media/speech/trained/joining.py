"""Joining the sentences of a passage: pauses between them without clicks,
and the times of words in the whole.
"""

from dataclasses import dataclass, field
from itertools import accumulate
from typing import Protocol

import numpy

from svc.media.speech.trained.models import Sound
from svc.media.speech.trained.reading import PAUSES, is_mark, to_ipa

_AFTER_SENTENCE, _AFTER_PART = 0.42, 0.12  # seconds of silence at a pace of 1
# How many seconds a sentence fades, and how many are kept before its audible part; after it, twice
# as many are.
_FADE, _MARGIN = 0.015, 0.02
_WINDOW = 0.005  # seconds, in which loudness is measured
_GAP_LEVEL = 0.02  # of the loudest window: what is silence
_GAP = 0.04  # seconds of silence that part two words
_NEAR, _NEAR_AFTER_PAUSE = 0.06, 0.3  # seconds between the predicted start of a word and its sound
_FULL_SCALE = 32_767


class Model(Protocol):
    """A model as in svc.media.speech.trained.models."""

    rate: int  # Hz
    longest: int  # phonemes at a time

    def speak(self, phonemes: str, speed: float) -> Sound:
        """Return the sound of phonemes in the model's alphabet."""


@dataclass
class Passage:
    """``samples``: int16.

    ``words``: (index, sample) of each word that has a sound. ``sounds``: (phoneme in IPA, sample).
    """

    samples: numpy.ndarray
    words: list[tuple[int, int]] = field(default_factory=list)
    sounds: list[tuple[str, int]] = field(default_factory=list)


def speak(model: Model, sentences: list[list[str]], speed: float) -> Passage:
    """Speak a passage.

    ``sentences``: the phonemes of each word of each sentence, in the model's alphabet.
    """
    blocks: list[numpy.ndarray] = []
    passage, at, first = Passage(numpy.zeros(0, numpy.int16)), 0, 0
    for sentence in sentences:
        parts = _split_sentence(sentence, model.longest)
        for part in parts:
            pause = _AFTER_SENTENCE if part is parts[-1] else _AFTER_PART
            samples = (
                _speak_part(model, part, speed, passage, first, at)
                if "".join(part).strip()
                else None
            )
            first += len(part)
            if samples is not None:
                blocks += [samples, numpy.zeros(round(pause / speed * model.rate), numpy.float32)]
                at += len(blocks[-1]) + len(blocks[-2])
    joined = numpy.concatenate(blocks) if blocks else numpy.zeros(0, numpy.float32)
    passage.samples = numpy.rint(numpy.clip(joined, -1, 1) * _FULL_SCALE).astype(numpy.int16)
    return passage


def _split_sentence(pieces: list[str], longest: int) -> list[list[str]]:
    """Divide a sentence that is too long for the model, after a sign if there is one."""
    if sum(map(len, pieces)) <= longest:
        return [pieces]
    lengths = list(accumulate(map(len, pieces)))
    fitting = [index + 1 for index, length in enumerate(lengths) if length <= longest] or [1]
    signs = [index for index in fitting if pieces[index - 1].rstrip()[-1:] in tuple(",;:—")]
    cut = signs[-1] if signs else fitting[-1]
    return (
        [pieces[:cut], *_split_sentence(pieces[cut:], longest)] if cut < len(pieces) else [pieces]
    )


def _speak_part(
    model: Model, pieces: list[str], speed: float, passage: Passage, first: int, at: int
):
    """Return the samples of a part without the silence at its ends, and add its words and sounds to
    ``passage``.

    ``first``: the index of its first word; ``at``: the sample at which it begins.
    """
    phonemes = "".join(pieces)
    sound = model.speak(phonemes[: model.longest], speed)
    samples = sound.samples - sound.samples.mean()
    loud = _find_loud_windows(samples, model.rate)
    if len(loud) == 0:
        return None
    window, margin = round(_WINDOW * model.rate), round(_MARGIN * model.rate)
    begin = max(0, int(loud[0]) * window - margin)
    end = min(len(samples), int(loud[-1] + 1) * window + 2 * margin)
    starts = _list_word_starts(pieces, sound, model.rate)
    passage.words += [(first + index, at + max(0, start - begin)) for index, start in starts]
    for character, start in zip(phonemes, sound.starts, strict=False):
        if not is_mark(character):
            passage.sounds.append((to_ipa(character), at + max(0, start - begin)))
    return _fade_ends(samples[begin:end], round(_FADE * model.rate))


def _list_word_starts(pieces: list[str], sound: Sound, rate: int) -> list[tuple[int, int]]:
    """Return the index and the first sample of each word that has a sound, in order.

    The model counts the silence before a word to the sign, to the space or to the word itself:
    where sound begins again close to the start of a word, the word begins there.
    """
    places = [0, *accumulate(map(len, pieces))]
    voiced = [
        index
        for index, piece in enumerate(pieces)
        if piece.strip() and places[index] < len(sound.starts)
    ]
    predicted = numpy.array([sound.starts[places[index]] for index in voiced])
    starts = predicted.copy()
    first, *others = _find_onsets(sound.samples, rate)
    starts[0] = first
    for onset in others:
        nearest = int(numpy.abs(predicted - onset).argmin())
        after_pause = pieces[voiced[nearest - 1]].rstrip()[-1:] in tuple(PAUSES)
        is_near = (
            abs(predicted[nearest] - onset) <= (_NEAR_AFTER_PAUSE if after_pause else _NEAR) * rate
        )
        is_nearest = starts[nearest] == predicted[nearest] or abs(predicted[nearest] - onset) < abs(
            predicted[nearest] - starts[nearest]
        )
        if nearest > 0 and is_near and is_nearest:
            starts[nearest] = onset
    return list(zip(voiced, numpy.maximum.accumulate(starts).tolist(), strict=True))


def _find_onsets(samples: numpy.ndarray, rate: int) -> list[int]:
    """Return the samples at which sound begins after a silence."""
    loud = _find_loud_windows(samples, rate)
    after = numpy.diff(loud, prepend=-(10**6)) * _WINDOW > _GAP
    return [int(start) * round(_WINDOW * rate) for start in loud[after]]


def _find_loud_windows(samples: numpy.ndarray, rate: int) -> numpy.ndarray:
    """Return the indices of the windows that are not silent."""
    step = round(_WINDOW * rate)
    windows = samples[: len(samples) // step * step].reshape(-1, step)
    level = numpy.sqrt((windows**2).mean(1))
    return numpy.flatnonzero(level > _GAP_LEVEL * level.max(initial=0))


def _fade_ends(samples: numpy.ndarray, length: int) -> numpy.ndarray:
    slope = numpy.linspace(0, 1, length, dtype=numpy.float32)[: len(samples)]
    faded = samples.copy()
    faded[: len(slope)] *= slope
    faded[len(faded) - len(slope) :] *= slope[::-1]
    return faded
