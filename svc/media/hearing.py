"""Hearing an utterance: where its speech begins and ends, and when each of its words is said."""

from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy

from svc.media import alignment, sound
from svc.media.errors import NarrationError
from svc.media.espeak import Espeak
from svc.media.programme import Presenter
from svc.media.voice import SpokenPassage, Utterance

_HUSH = 250  # of 32768: under it espeak-ng is between words
_NOISE = 0.015  # of the loudest: under it other voices are, which are not silent between words
_BREATH = 0.02  # seconds kept around a word whose silence is cut off
_MOST_UNLIKE = 3.0  # times as long as espeak-ng says it, or as short: something else was said

Times = tuple[tuple[float, float], ...]  # start and end of each word, seconds from the start of its sound


@dataclass(frozen=True)
class TimedSpeech:
    """A passage without silence at its ends: int16 at ``rate`` Hz, and when its words are said."""

    samples: numpy.ndarray
    rate: int
    times: Times
    sounds: tuple[tuple[float, str], ...] = ()  # when each phoneme (in IPA) begins, where the voice tells it


def time_words(utterance: Utterance, passage: SpokenPassage, language: str) -> TimedSpeech:
    """``utterance`` with a time for every word of ``passage``. NarrationError: there is nothing to be heard, or not that."""
    level = numpy.abs(utterance.samples.astype(numpy.int32))
    hush = _HUSH if utterance.words is not None else max(_HUSH, _NOISE * level.max(initial=0))
    heard = numpy.flatnonzero(level > hush)
    if len(heard) == 0:
        raise NarrationError(f"The voice gave no sound for “{passage.text[:40]}”.")
    breath = round(_BREATH * utterance.rate)
    first, end = max(0, int(heard[0]) - breath), min(len(utterance.samples), int(heard[-1]) + breath)
    words = _aligned(utterance, passage, language, first, end) if utterance.words is None else utterance.words
    starts = _starts(words, passage.words, first, end)
    times = tuple(
        ((start - first) / utterance.rate, (_hushed(heard, start, following, breath) - first) / utterance.rate)
        for start, following in zip(starts, [*starts[1:], end], strict=True)
    )
    sounds = tuple(((sample - first) / utterance.rate, phoneme) for phoneme, sample in utterance.sounds)
    return TimedSpeech(utterance.samples[first:end], utterance.rate, times, sounds)


def _aligned(utterance: Utterance, passage: SpokenPassage, language: str, first: int, end: int) -> list[tuple[int, int]]:
    """The words' starts, from how espeak-ng says the same words."""
    (spoken,) = Espeak().utter([SpokenPassage(passage.words)], language, Presenter(""))
    reference = time_words(spoken, passage, language)
    ratio = (end - first) / utterance.rate / (len(reference.samples) / reference.rate)
    if not 1 / _MOST_UNLIKE <= ratio <= _MOST_UNLIKE:
        raise NarrationError(f"The voice took {ratio:.1f} times as long as it should for “{passage.text[:40]}”.")
    known, other = (
        sound.resample(samples, rate, alignment.RATE)
        for samples, rate in ((reference.samples, reference.rate), (utterance.samples[first:end], utterance.rate))
    )
    found = alignment.warp(known, other, [start for start, _ in reference.times])
    return [(word, first + round(at * utterance.rate)) for word, at in enumerate(found)]


def _starts(events, words, first: int, end: int) -> list[int]:
    """The sample at which each word starts, rising. A word without an event of its own (a sign that the voice passes over,
    two words that it draws together) gets a share of the time of the words before it, by length."""
    known: dict[int, int] = {0: first}
    for word, sample in events:
        if word not in known and sample >= max(known.values()):
            known[word] = min(max(sample, first), end)
    anchors = [*sorted(known.items()), (len(words), end)]
    starts: list[int] = []
    for (word, sample), (next_word, next_sample) in pairwise(anchors):
        lengths = list(accumulate((len(words[index]) for index in range(word, next_word)), initial=0))
        starts += [sample + (next_sample - sample) * length // lengths[-1] for length in lengths[:-1]]
    return starts


def _hushed(heard: numpy.ndarray, start: int, following: int, breath: int) -> int:
    """Where the word that starts at ``start`` is over: its last sound before the next word."""
    last = int(numpy.searchsorted(heard, following)) - 1
    if last < 0 or heard[last] < start:
        return following
    return min(following, int(heard[last]) + breath)
