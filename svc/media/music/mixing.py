"""Mixing a programme's speech with bed and sound effects: the bed ducked, the sum limited,
written block by block.
"""

import wave
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from svc.base import atomic_file
from svc.base.processes import heartbeat
from svc.media import audio
from svc.media.audio import Samples
from svc.media.drawing import looks
from svc.media.model import VideoBrief, load, save
from svc.media.music import ducking, moods, synthesis, track
from svc.media.music import effects as sound_effects
from svc.media.music.effects import Effect, PlacedEffect
from svc.media.music.moods import MOODS, NONE, OF_LOOK, Mood
from svc.media.music.track import Track

PROGRAMME, DESCRIBED = "programme.wav", "described.wav"  # the mixes
_CHOICE = "music.json"
# The peak that the mix may have, of a full scale of 1: less than the ceiling, as no peaks between
# samples are seen.
_ROOM = 10 ** ((audio.CEILING - 0.2) / 20)
_WINDOW = audio.SAMPLE_RATE // ducking.GAINS_PER_SECOND  # samples
_BLOCK = 10 * audio.SAMPLE_RATE
Bed = Mood | Track
_AHEAD = 2  # windows in which the limiter gives way before a peak, and recovers after it
_SLOPE = np.array((0.25, 0.5, 0.25))  # by which its gain is smoothed


@dataclass(frozen=True)
class Choice:
    """The bed of a production, as the video step stored it:
    the account's setting may change before a later step.
    """

    mood: str = ""
    track: str = ""  # the file of the account's own track; empty: the bed is that of the mood
    licence: str = ""  # of the track
    variant: int = 0  # of the mood


def store_choice(brief: VideoBrief, folder: Path) -> Bed | None:
    """Return the bed that ``brief`` wants, and store it for :func:`read_choice`; None: no music. A
    track that was removed since gives way to the mood."""
    mood = looks.find_look(brief.look).bed if brief.music == OF_LOOK else brief.music
    choice = Choice(mood, variant=moods.choose_variant(brief.production_id))
    if brief.brand.track and (folder / brief.brand.track).is_file():
        choice = Choice("", brief.brand.track, brief.brand.track_licence)
    bed = _open_bed(choice, folder)
    if bed is None:
        (folder / _CHOICE).unlink(missing_ok=True)
    else:
        save(choice, folder / _CHOICE)
    return bed


def wants_effects(brief: VideoBrief) -> bool:
    """Return whether the look has sound effects at entrances,
    and the account does not want its videos without music.
    """
    return looks.find_look(brief.look).effects and brief.music != NONE


def read_choice(folder: Path) -> Bed | None:
    """Return the bed of the production in ``folder``; None: no music."""
    path = folder / _CHOICE
    return _open_bed(load(Choice, path), folder) if path.exists() else None


def _open_bed(choice: Choice, folder: Path) -> Bed | None:
    if choice.track:
        return Track(folder / choice.track, choice.licence)
    return moods.vary_mood(MOODS[choice.mood], choice.variant) if choice.mood in MOODS else None


def find_bed_file(mix: Path) -> Path:
    """Return where the bed of ``mix`` is kept with its effects, as heard in it: the gates take it
    away to hear the speech alone."""
    return mix.with_name(f"{mix.stem}-bed.wav")


def mix_music(
    bed: Bed | None,
    sound: Samples,
    path: Path,
    intro: int = 0,
    outro: int = 0,
    effects: Iterable[Effect] = (),
) -> Samples:
    """Write ``sound`` (int16, at audio.TARGET) with a bed to ``path``, and the bed alone to its
    :func:`find_bed_file`.

    ``intro`` and ``outro``: how many samples of clips there are before and after the speech, under
    which there is no bed. ``effects``: of the programme; there are none without a bed.

    Return the mix, which is read from the file as far as it is used, or without a bed ``sound``.
    The samples of the mix stay under audio.CEILING, and its loudness within 0.3 LU of the speech's.
    """
    if bed is None:
        return sound
    speech = audio.cut(sound, intro, len(sound) - outro)
    gains = ducking.duck_gains(ducking.find_speech(_split_speech(speech))) * 10 ** (
        (audio.TARGET - bed.level) / 20
    )
    placed = tuple(sound_effects.place_effects(effects, speech, intro))
    limits = _compute_limits(
        peak for block in _sum_blocks(bed, speech, gains, placed) for peak in block.peaks()
    )
    with _wav(path) as mixed, _wav(find_bed_file(path)) as alone:
        _write_alone(mixed, alone, sound[:intro])
        for block in _sum_blocks(bed, speech, gains, placed):
            limit = _interpolate_windows(limits, block.first, len(block.bed))
            count = len(speech) - block.first * _WINDOW
            mixed.writeframes(
                _convert_to_int16((block.speech + block.bed) * limit)[:count].tobytes()
            )
            alone.writeframes(_convert_to_int16(block.bed * limit)[:count].tobytes())
            heartbeat.send_heartbeat()
        _write_alone(mixed, alone, sound[len(sound) - outro :])
    return audio.open_stored(path)


def _write_alone(mixed: wave.Wave_write, bed: wave.Wave_write, clip: np.ndarray) -> None:
    """Write the sound of a clip, under which there is no bed."""
    mixed.writeframes(clip.astype("<i2").tobytes())
    bed.writeframes(bytes(2 * len(clip)))


@dataclass(frozen=True)
class _Block:
    """Whole windows from the number ``first`` on: speech, and ducked bed with effects, float32,
    full scale 1.
    """

    first: int
    speech: np.ndarray
    bed: np.ndarray

    def peaks(self) -> np.ndarray:
        """Return the largest sample of the sum in each window."""
        return np.abs(self.speech + self.bed).reshape(-1, _WINDOW).max(axis=1)


def _sum_blocks(
    bed: Bed, speech: Samples, gains: np.ndarray, effects: tuple[PlacedEffect, ...]
) -> Iterator[_Block]:
    music = _split_into_blocks(_read_bed(bed, len(speech) / audio.SAMPLE_RATE))
    for number, (part, sound) in enumerate(zip(_split_speech(speech), music, strict=True)):
        first, spare = number * _BLOCK // _WINDOW, -len(part) % _WINDOW
        sound = np.pad(sound, (0, spare))
        voice = np.pad(part.astype(np.float32) / 32768, (0, spare))
        beneath = sound * _interpolate_windows(gains, first, len(sound))
        sound_effects.add_to_block(effects, beneath, number * _BLOCK)
        yield _Block(first, voice, beneath)


def _read_bed(bed: Bed, seconds: float) -> Iterator[np.ndarray]:
    """Yield the samples of ``bed`` in parts, at its own level."""
    return (
        track.track_blocks(bed, seconds)
        if isinstance(bed, Track)
        else synthesis.synthesise_blocks(bed, seconds, audio.SAMPLE_RATE)
    )


def _split_speech(speech: Samples) -> Iterator[np.ndarray]:
    return (speech[at : at + _BLOCK] for at in range(0, len(speech), _BLOCK))


def _split_into_blocks(blocks: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
    """Yield the samples of ``blocks`` in arrays of _BLOCK samples; the last may be shorter."""
    waiting = np.zeros(0, np.float32)
    for block in blocks:
        waiting = np.concatenate([waiting, block])
        while len(waiting) >= _BLOCK:
            yield waiting[:_BLOCK]
            waiting = waiting[_BLOCK:]
    if len(waiting):
        yield waiting


def _compute_limits(peaks: Iterable[float]) -> np.ndarray:
    """Return the gain of the whole mix for each window, which keeps its peaks under _ROOM
    and changes smoothly.
    """
    needed = np.minimum(1.0, _ROOM / np.maximum(np.fromiter(peaks, np.float32), 1e-6))
    near = np.pad(needed, _AHEAD + 1, mode="edge")
    lowest = sliding_window_view(near, 2 * _AHEAD + 1).min(axis=1)
    return sliding_window_view(lowest, len(_SLOPE)) @ _SLOPE


def _interpolate_windows(values: np.ndarray, first: int, count: int) -> np.ndarray:
    """Return ``count`` samples that go in straight lines through ``values``,
    of which the first is for window ``first``.
    """
    edges = np.pad(values[first : first + count // _WINDOW + 1], (0, 1), mode="edge")[
        : count // _WINDOW + 1
    ]
    ramp = np.arange(_WINDOW, dtype=np.float32) / _WINDOW
    return (edges[:-1, None] + np.diff(edges)[:, None] * ramp).astype(np.float32).reshape(-1)


def _convert_to_int16(sound: np.ndarray) -> np.ndarray:
    return np.rint(sound * 32768).astype("<i2")


@contextmanager
def _wav(path: Path) -> Iterator[wave.Wave_write]:
    with atomic_file.replace(path) as partial, wave.open(str(partial), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(audio.SAMPLE_RATE)
        yield file
