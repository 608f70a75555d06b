"""Dialogues: which voice speaks which words of a scene, and the sound of its turns as one."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import accumulate, cycle, groupby

import numpy

from svc.media import audio
from svc.media.errors import NarrationError
from svc.media.model import Presenter, Scene, Script
from svc.media.speech.word_times import TimedSpeech
from svc.media.voice import SpokenPassage, Voice

KIND = "dialogue"  # of the visual of a scene whose points are turns
PAUSE = 0.3  # seconds between two turns
_MEASURED = 30.0  # seconds of each voice whose loudness is measured

Cast = dict[str, Presenter]  # by the name of a speaker, in lower case


@dataclass(frozen=True)
class Turn:
    """Words of a scene that one voice speaks without a break."""

    presenter: Presenter
    passage: SpokenPassage


def cast_speakers(script: Script, avatar: Presenter, voice: Voice) -> Cast:
    """Return the presenter for each speaker of the dialogues in ``script``; empty if there are not
    several.

    The first speaker has the voice of ``avatar``, unless another one has its name, too: then that
    one. The others have other voices in the order in which they appear; where there are fewer
    voices than speakers, the voices come round again.
    """
    scenes = (scene for scene in script.scenes if scene.layout == KIND)
    names = list(
        dict.fromkeys(
            point.label.casefold() for scene in scenes for point in scene.points if point.label
        )
    )
    if len(names) < 2:
        return {}
    names.sort(key=lambda name: name != avatar.name.casefold())
    return dict(
        zip(names, cycle([avatar, *voice.find_other_voices(script.language, avatar)]), strict=False)
    )


def list_turns(scene: Scene, cast: Cast, avatar: Presenter) -> list[Turn]:
    """Return the turns of a scene, at least one; ``avatar`` speaks everything that is not a turn of
    a dialogue, such as a heading.
    """
    presenters = [avatar] * len(scene.spoken)
    for point in scene.points if scene.layout == KIND else ():
        for index in range(point.first_word, point.last_word + 1):
            presenters[index] = cast.get(point.label.casefold(), avatar)
    begun: list[tuple[int, Presenter]] = []  # the first word of each turn, and who speaks it
    for presenter, run in groupby(range(len(presenters)), presenters.__getitem__):
        indices = list(run)
        if any(map(str.isalnum, "".join(scene.spoken[index] for index in indices))):
            # signs alone have no sound: another turn includes them
            begun.append((indices[0] if begun else 0, presenter))
    begun = begun or [(0, avatar)]
    ends = [*(first for first, _ in begun[1:]), len(presenters)]
    return [
        Turn(presenter, _cut_passage(scene, first, end))
        for (first, presenter), end in zip(begun, ends, strict=True)
    ]


def _cut_passage(scene: Scene, first: int, end: int) -> SpokenPassage:
    """Return the words of a scene from ``first`` to before ``end``."""
    stressed, ends = (
        tuple(index - first for index in indices if first <= index < end)
        for indices in (scene.stressed, scene.sentence_ends)
    )
    return SpokenPassage(scene.spoken[first:end], stressed, ends)


def list_presenters(scenes: Sequence[list[Turn]]) -> list[Presenter]:
    """Return the presenters of all turns, each once, in the order in which they speak."""
    return list(dict.fromkeys(turn.presenter for each in scenes for turn in each))


def measure_gains(
    scenes: Sequence[list[Turn]], speeches: Sequence[TimedSpeech]
) -> dict[Presenter, float]:
    """Return by how many decibels each voice is turned down, so that all are equally loud when the
    narration is mastered.

    ``speeches``: of all turns of ``scenes``, in order. Empty where no scene has several voices.
    """
    heard: dict[Presenter, list[numpy.ndarray]] = {}
    spoken = iter(speeches)
    for scene in scenes:
        for turn in scene:
            speech, parts = next(spoken), heard.setdefault(turn.presenter, [])
            if len(scene) > 1 and sum(map(len, parts)) < _MEASURED * audio.SAMPLE_RATE:
                parts.append(audio.resample(speech.samples, speech.rate))
    needed = {}
    for presenter, parts in heard.items():
        with suppress(NarrationError):  # too short to be measured
            needed.update(
                {presenter: audio.find_needed_gain(numpy.concatenate(parts))} if parts else {}
            )
    return {presenter: max(needed.values()) - gain for presenter, gain in needed.items()}


def join_turns(
    turns: list[Turn],
    speeches: Sequence[TimedSpeech],
    gains: dict[Presenter, float],
    avatar: Presenter,
) -> TimedSpeech:
    """Return the turns of a scene as one speech at audio.SAMPLE_RATE,
    with a pause between two of them.
    """
    parts = [
        _lower_level(speech, gains.get(turn.presenter, 0.0))
        for turn, speech in zip(turns, speeches, strict=True)
    ]
    if len(parts) == 1:
        return parts[0]
    pause = numpy.zeros(round(PAUSE * audio.SAMPLE_RATE), numpy.int16)
    starts = accumulate((len(part.samples) + len(pause) for part in parts[:-1]), initial=0)
    moved = [
        _shift_times(part, start / audio.SAMPLE_RATE)
        for part, start in zip(parts, starts, strict=True)
    ]
    samples = [block for part in parts for block in (part.samples, pause)][:-1]
    spans = zip(turns, moved, strict=True)
    return TimedSpeech(
        numpy.concatenate(samples),
        audio.SAMPLE_RATE,
        tuple(time for part in moved for time in part.times),
        tuple(sound for part in moved for sound in part.sounds),
        tuple(
            (part.times[0][0], part.times[-1][1])
            for turn, part in spans
            if turn.presenter != avatar
        ),
    )


def _lower_level(speech: TimedSpeech, decibels: float) -> TimedSpeech:
    samples = audio.resample(speech.samples, speech.rate)
    return replace(speech, samples=audio.lower_by(samples, decibels), rate=audio.SAMPLE_RATE)


def _shift_times(speech: TimedSpeech, seconds: float) -> TimedSpeech:
    """Return ``speech`` with its times from the start of the scene,
    in which it begins after ``seconds``.
    """
    times = tuple((start + seconds, end + seconds) for start, end in speech.times)
    return replace(
        speech,
        times=times,
        sounds=tuple((start + seconds, phoneme) for start, phoneme in speech.sounds),
    )
