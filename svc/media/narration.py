"""Recording the narration: the script's words as sound, and the time of every one of them.

Scene boundaries lie on whole frames at 30 a second. Before one lie at least ``TAIL`` seconds without speech, in which the
pictures may cross-fade, and after one ``LEAD`` seconds.
"""

from bisect import bisect_right
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path

import numpy

from svc.media import captions, sound
from svc.media.errors import NarrationError
from svc.media.programme import Avatar, Brief, Scene, SceneTiming, Script, Timeline, Word, load, save
from svc.media.voice import FASTEST, SLOWEST, Utterance, utter

LEAD, TAIL = 0.2, 0.4  # seconds of silence after and before a scene's boundary
OPENING, CLOSING = 0.5, 1.0  # seconds of silence at the two ends of the programme
LONGEST = 20 * 60  # seconds of speech; a brief's 4,096 characters make five minutes, unless they are all digits
FRAME = sound.SAMPLE_RATE // 30  # samples
_MOST_PACES = 4  # tries
_SPEAKING = 0.6  # of the step's work; the rest is loudness
_HUSH = 250  # of 32768: under it espeak-ng is between words
_BREATH = 0.02  # seconds kept around a word whose silence is cut off

Times = tuple[tuple[float, float], ...]  # start and end of each word, seconds from the start of its sound


def record(brief: Brief, folder: Path, progress) -> None:
    """Make ``narration.wav`` and ``timeline.json`` from ``script.json``. Raises NarrationError: NARRATION_FAILED,
    NARRATION_TOO_LONG, VOICE_UNKNOWN, LANGUAGE_NOT_SPOKEN."""
    script = load(Script, folder / "script.json")
    spoken = speak([scene.spoken for scene in script.scenes], script.language, brief.avatar, progress)
    parts, scenes, at = [], [], 0
    for index, (scene, (samples, times)) in enumerate(zip(script.scenes, spoken, strict=True)):
        lead = OPENING if index == 0 else LEAD
        tail = CLOSING if index == len(script.scenes) - 1 else TAIL
        samples, times = _readable(scene, (samples, times), script.language, brief.avatar)
        part = _placed(samples, lead, tail)
        scenes.append(_timing(scene.words, times, at, at + len(part), lead))
        parts.append(part)
        at += len(part)
    sound.write_wav(folder / "narration.wav", sound.normalised(numpy.concatenate(parts)))
    save(Timeline(_seconds(at), sound.SAMPLE_RATE, tuple(scenes)), folder / "timeline.json")
    progress(1.0)


def speak(texts, language: str, avatar: Avatar, progress=lambda fraction: None) -> list[tuple[numpy.ndarray, Times]]:
    """Speak each of ``texts`` (a sequence of words), in order: its samples (at sound.SAMPLE_RATE, int16, no silence at the
    ends, loudness as the voice gives it) and the start and end of each word. ``language``: BCP 47. Raises NarrationError."""
    spoken = []
    for words, utterance in zip(texts, utter([" ".join(words) for words in texts], language, avatar), strict=True):
        spoken.append(_timed(utterance, words))
        if sum(len(samples) for samples, _ in spoken) > LONGEST * sound.SAMPLE_RATE:
            raise NarrationError(f"The narration is longer than {LONGEST // 60} minutes.", "NARRATION_TOO_LONG")
        progress(_SPEAKING * len(spoken) / len(texts))
    return spoken


def _readable(scene: Scene, spoken: tuple[numpy.ndarray, Times], language: str, avatar: Avatar) -> tuple[numpy.ndarray, Times]:
    """``spoken``, or the same scene spoken as much slower as its captions need to be read in time."""
    pace = min(max(avatar.words_per_minute, SLOWEST), FASTEST)
    for _ in range(_MOST_PACES):
        samples, times = spoken
        haste = captions.haste(scene, _timing(scene.words, times, 0, len(_placed(samples, LEAD, TAIL)), LEAD))
        if haste <= 1.0 or pace == SLOWEST:
            break
        pace = max(SLOWEST, int(pace / haste) - 1)
        [spoken] = speak([scene.spoken], language, replace(avatar, words_per_minute=pace))
    return spoken


def _timed(utterance: Utterance, words) -> tuple[numpy.ndarray, Times]:
    heard = numpy.flatnonzero(numpy.abs(utterance.samples.astype(numpy.int32)) > _HUSH)
    if len(heard) == 0:
        raise NarrationError(f"The voice gave no sound for “{' '.join(words)[:40]}”.")
    breath = round(_BREATH * utterance.rate)
    first, end = max(0, heard[0] - breath), min(len(utterance.samples), heard[-1] + breath)
    starts = _starts(utterance, words, first, end)
    times = tuple(
        ((start - first) / utterance.rate, (_hushed(heard, start, following, breath) - first) / utterance.rate)
        for start, following in zip(starts, [*starts[1:], end], strict=True)
    )
    return sound.resample(utterance.samples[first:end], utterance.rate), times


def _starts(utterance: Utterance, words, first: int, end: int) -> list[int]:
    """The sample at which each word starts, rising. A word without an event of its own (a sign that the voice passes over,
    two words that it draws together) gets a share of the time of the words before it, by length."""
    positions = list(accumulate((len(word) + 1 for word in words), initial=0))[:-1]
    known: dict[int, int] = {0: first}
    for position, sample in utterance.words:
        word = bisect_right(positions, position) - 1
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


def _placed(samples: numpy.ndarray, lead: float, tail: float) -> numpy.ndarray:
    """``samples`` between silences, on a whole number of frames."""
    before, after = round(lead * sound.SAMPLE_RATE), round(tail * sound.SAMPLE_RATE)
    after += -(before + len(samples) + after) % FRAME
    return numpy.pad(samples, (before, after))


def _timing(words, times: Times, start: int, end: int, lead: float) -> SceneTiming:
    at = start / sound.SAMPLE_RATE + lead
    timed = (Word(word, round(at + first, 4), round(at + last, 4)) for word, (first, last) in zip(words, times, strict=True))
    return SceneTiming(_seconds(start), _seconds(end), tuple(timed))


def _seconds(samples: int) -> float:
    return round(samples / sound.SAMPLE_RATE, 6)
