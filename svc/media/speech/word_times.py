"""Timing an utterance: where its speech begins and ends, and when each of its words is spoken."""

from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy

from svc.base.text.languages import find_language
from svc.media import audio
from svc.media.errors import NarrationError
from svc.media.model import Presenter
from svc.media.speech import alignment, sound_times
from svc.media.speech.espeak import Espeak
from svc.media.voice import SpokenPassage, Utterance

_SILENCE_LEVEL = 250  # of 32768: espeak-ng's level between words is lower
_NOISE_LEVEL = 0.015  # of the maximum: the level of other voices between words is lower
_MARGIN = 0.02  # seconds to keep around a word when silence is cut off
# The seconds of silence before a word, and of its sound before the start that the voice reports.
_PAUSE, _LATE = 0.15, 0.12
# The largest ratio of the durations of a voice and of espeak-ng, either way. Beyond it, the voice
# spoke another text.
_MAX_RATIO = 3.0

# The start and end of each word, in seconds from the start of the passage.
Times = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class TimedSpeech:
    """A passage without silence at its ends: int16 at ``rate`` Hz, and the times of its words."""

    samples: numpy.ndarray
    rate: int
    times: Times
    # By sound: its start, and the phoneme in IPA; empty where the voice reports none.
    sounds: tuple[tuple[float, str], ...] = ()
    others: Times = ()  # start and end of each turn that another voice than the presenter's speaks


def time_words(utterance: Utterance, passage: SpokenPassage, language: str) -> TimedSpeech:
    """Return ``utterance`` with a time for every word of ``passage``.

    Raises NarrationError if it is silent or is not a recording of the passage.
    """
    level = numpy.abs(utterance.samples.astype(numpy.int32))
    reported = utterance.words is not None
    silence = (
        _SILENCE_LEVEL if reported else max(_SILENCE_LEVEL, _NOISE_LEVEL * level.max(initial=0))
    )
    audible = numpy.flatnonzero(level > silence)
    if len(audible) == 0:
        raise NarrationError(f"The voice produced no sound for “{passage.text[:40]}”.")
    margin = round(_MARGIN * utterance.rate)
    first = max(0, int(audible[0]) - margin)
    end = min(len(utterance.samples), int(audible[-1]) + margin)
    words = (
        utterance.words
        if reported
        else _find_word_times(utterance, passage, language, audible, (first, end))
    )
    starts = _move_to_onsets(
        _read_starts(words, passage.words, first, end), audible, utterance.rate
    )
    times = tuple(
        (
            (start - first) / utterance.rate,
            (_find_word_end(audible, start, following, margin) - first) / utterance.rate,
        )
        for start, following in zip(starts, [*starts[1:], end], strict=True)
    )
    sounds = tuple(
        ((sample - first) / utterance.rate, phoneme) for phoneme, sample in utterance.sounds
    )
    return TimedSpeech(utterance.samples[first:end], utterance.rate, times, sounds)


def _find_word_times(
    utterance: Utterance,
    passage: SpokenPassage,
    language: str,
    audible: numpy.ndarray,
    span: tuple[int, int],
) -> list[tuple[int, int]]:
    """Return the words' starts in a language that espeak-ng speaks by its recording,
    in another by the sound alone.
    """
    listed = find_language(language)
    if listed is not None and not listed.voice:
        return sound_times.find_word_starts(passage.words, audible, utterance.rate)
    return _align_words(utterance, passage, language, *span)


def _align_words(
    utterance: Utterance, passage: SpokenPassage, language: str, first: int, end: int
) -> list[tuple[int, int]]:
    """Return the words' starts, by aligning the utterance with espeak-ng's recording of
    the same words.
    """
    (espeak_utterance,) = Espeak(for_alignment=True).utter(
        [SpokenPassage(passage.words)], language, Presenter("")
    )
    reference = time_words(espeak_utterance, passage, language)
    ratio = (end - first) / utterance.rate / (len(reference.samples) / reference.rate)
    if not 1 / _MAX_RATIO <= ratio <= _MAX_RATIO:
        raise NarrationError(
            f"The voice took {ratio:.1f} times as long as it should for “{passage.text[:40]}”."
        )
    known, other = (
        audio.resample(samples, rate, alignment.RATE)
        for samples, rate in (
            (reference.samples, reference.rate),
            (utterance.samples[first:end], utterance.rate),
        )
    )
    starts = alignment.align_times(known, other, [start for start, _ in reference.times])
    return [(word, first + round(start * utterance.rate)) for word, start in enumerate(starts)]


def _read_starts(events, words, first: int, end: int) -> list[int]:
    """Return the sample at which each word starts, rising.

    A word without an event of its own (a sign that the voice skips, two words that it joins) gets a
    share of the time of the words before it, by length.
    """
    known: dict[int, int] = {0: first}
    for word, sample in events:
        if word not in known and sample >= max(known.values()):
            known[word] = min(max(sample, first), end)
    anchors = [*sorted(known.items()), (len(words), end)]
    starts: list[int] = []
    for (word, sample), (next_word, next_sample) in pairwise(anchors):
        lengths = list(
            accumulate((len(words[index]) for index in range(word, next_word)), initial=0)
        )
        starts += [
            sample + (next_sample - sample) * length // lengths[-1] for length in lengths[:-1]
        ]
    return starts


def _move_to_onsets(starts: list[int], audible: numpy.ndarray, rate: int) -> list[int]:
    """Return ``starts``, of which those shortly after the end of a pause are moved to it:
    there the word's sound begins.
    """
    after_pauses = audible[1:][numpy.diff(audible) >= _PAUSE * rate]
    before = numpy.searchsorted(after_pauses, starts, side="right") - 1
    moved = [
        int(after_pauses[index])
        if index >= 0 and start - after_pauses[index] <= _LATE * rate
        else start
        for start, index in zip(starts, before, strict=True)
    ]
    return numpy.maximum.accumulate(moved).tolist()


def _find_word_end(audible: numpy.ndarray, start: int, following: int, margin: int) -> int:
    """Return the end of the word that starts at ``start``: its last audible sample before
    the next word.
    """
    last = int(numpy.searchsorted(audible, following)) - 1
    if last < 0 or audible[last] < start:
        return following
    return min(following, int(audible[last]) + margin)
