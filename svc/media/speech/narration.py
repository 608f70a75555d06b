"""Recording the narration: the script's words as sound, with the time of every word, between intro
and outro.

Scene boundaries lie on whole frames at 30 per second. Before a boundary there are at least ``TAIL``
seconds without speech, in which the pictures may cross-fade, and after it ``LEAD`` seconds.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, TypeVar

import numpy

from svc.base import voices
from svc.media import audio
from svc.media.cache import make_cache_key
from svc.media.captions import captions
from svc.media.clips import clip_choice
from svc.media.clips.clip import Clip
from svc.media.errors import NarrationError, VoiceLost
from svc.media.model import (
    CARDS,
    PhonemeTiming,
    Presenter,
    Scene,
    SceneTiming,
    Script,
    Timeline,
    VideoBrief,
    Word,
    load_script,
    save,
)
from svc.media.resources import Resources
from svc.media.speech import dialogues
from svc.media.speech.dialogues import Turn
from svc.media.speech.espeak import FASTEST, Espeak
from svc.media.speech.word_times import TimedSpeech, Times, time_words
from svc.media.text.pronunciation.pieces import is_unspoken
from svc.media.text.scene_prose import count_heading_words
from svc.media.voice import SpokenPassage

LEAD, TAIL = 0.2, 0.4  # seconds of silence after and before a scene boundary
OPENING, CLOSING = 0.5, 1.0  # seconds of silence at the start and the end of the programme
# The most seconds of speech: a brief's 4,096 characters make five minutes, unless they are all
# digits.
LONGEST_PROGRAMME = 20 * 60
LONGEST_WITH_LONG_NOTES = 40 * 60  # seconds
FRAME = audio.SAMPLE_RATE // 30  # samples
_MAX_PACES = 4  # attempts at a slower pace
# The most seconds of silence in which a caption is read whose words are not spoken: a hash, an
# address.
_LONGEST_PAUSE = 3.0
_WINDOW = 0.02  # seconds whose loudness is compared
_STRETCH = 1.01  # slightly more than needed: cues do not grow quite as much as the sound
# The files of the sound of all scenes, before and after its loudness was measured.
_WHOLE, _LIMITED = "narration.pcm", "limited.pcm"
_SPEAKING = 0.6  # the share of the step's work; the rest is loudness
_VERSION = 3  # of the cached format and of how speech is made: raise it when either changes
Made = TypeVar("Made")


def record_narration(
    brief: VideoBrief, folder: Path, progress, resources: Resources = Resources()
) -> None:
    """Write ``narration.wav`` and ``timeline.json`` from ``script.json``.

    Raises NarrationError: NARRATION_FAILED, NARRATION_TOO_LONG, VOICE_UNKNOWN, LANGUAGE_NOT_SPOKEN.
    """
    _retry_without_lost_voices(lambda: _record_narration(brief, folder, progress, resources))


def _retry_without_lost_voices(make: Callable[[], Made]) -> Made:
    """Return what ``make`` does, from the start again whenever a voice is lost, so that the one in
    its place speaks all of its part."""
    for _ in voices.TITLES:  # a model can be lost once
        with suppress(VoiceLost):
            return make()
    return make()


def _record_narration(brief: VideoBrief, folder: Path, progress, resources: Resources) -> None:
    script = load_script(folder)
    voice = resources.voice or Espeak()
    cast = dialogues.cast_speakers(script, brief.avatar, voice)
    scenes = [dialogues.list_turns(scene, cast, brief.avatar) for scene in script.scenes]
    longest = LONGEST_WITH_LONG_NOTES if brief.is_long else LONGEST_PROGRAMME
    speeches = _speak_once(
        [turn for turns in scenes for turn in turns], script.language, progress, resources, longest
    )
    spoken_by = voices.list_model_names(
        voice.find_model(script.language, presenter)
        for presenter in dialogues.list_presenters(scenes)
    )
    intro, outro = clip_choice.store_choice(brief.brand, folder)
    before, after, whole = _measure_length(intro), _measure_length(outro), folder / _WHOLE
    with whole.open("wb") as file:  # a long narration takes hundreds of megabytes
        timings = _write_scenes(file, script, scenes, speeches, brief.avatar, resources, before)
    try:
        speech = audio.normalise_stored(
            audio.Stored(whole, 0, whole.stat().st_size // 2), folder / _LIMITED
        )
        sounds = [
            clip.read_sound(length) if clip else speech[:0]
            for clip, length in ((intro, before), (outro, after))
        ]
        audio.write_wav(folder / "narration.wav", sounds[0], speech, sounds[1])
    finally:
        for path in (whole, folder / _LIMITED):
            path.unlink(missing_ok=True)
    end, intro_ends, outro_lasts = (
        _convert_to_seconds(each) for each in (before + len(speech) + after, before, after)
    )
    save(
        Timeline(end, audio.SAMPLE_RATE, tuple(timings), spoken_by, intro_ends, outro_lasts),
        folder / "timeline.json",
    )
    progress(1.0)


def _write_scenes(
    file: IO[bytes],
    script: Script,
    scenes: list[list[Turn]],
    speeches: list[TimedSpeech],
    avatar: Presenter,
    resources: Resources,
    at: int,
) -> list[SceneTiming]:
    """Write the scenes' sound to ``file`` and return their times.

    ``scenes``: the turns of each; ``speeches``: of all turns; ``at``: the sample at which the first
    scene begins.
    """
    timings, gains = [], dialogues.measure_gains(scenes, speeches)
    for index, (scene, turns) in enumerate(zip(script.scenes, scenes, strict=True)):
        joined = partial(_join_with_pauses, scene, turns, gains, avatar, script.language)
        lead = OPENING if index == 0 else LEAD
        tail = CLOSING if index == len(script.scenes) - 1 else TAIL
        speech = joined([speeches.pop(0) for _ in turns])
        speech = _slow_down_for_captions(scene, turns, speech, joined, script.language, resources)
        seconds = len(speech.samples) / audio.SAMPLE_RATE
        # the caption of the last row, if it is short, has to stay as well
        row = speech.times[scene.points[-1].first_word][0] if scene.points else 0.0
        tail = max(
            tail, scene.shortest - lead - seconds, captions.find_shortest_tail(seconds - row)
        )
        part = _pad_with_silence(speech.samples, lead, tail)
        timings.append(_make_timing(scene.words, speech, at, at + len(part), lead))
        file.write(part.astype("<i2", copy=False).tobytes())
        at += len(part)
    return timings


def _measure_length(clip: Clip | None) -> int:
    """Return the length of a clip in samples: a whole number of frames."""
    return clip.count_pictures() * FRAME if clip else 0


def speak(
    passages: list[SpokenPassage],
    language: str,
    avatar: Presenter,
    progress=lambda fraction: None,
    resources: Resources = Resources(),
) -> list[tuple[numpy.ndarray, Times]]:
    """Speak ``passages`` and return, for each, its samples and the start and end of each word.
    ``language``: BCP 47.

    The samples are int16 at sound.SAMPLE_RATE, without silence at the ends, at the voice's own
    loudness. Passages that were spoken before come from the cache of ``resources``. Raises
    NarrationError.
    """
    turns = [Turn(avatar, passage) for passage in passages]
    speeches = _retry_without_lost_voices(lambda: _speak_once(turns, language, progress, resources))
    return [(audio.resample(speech.samples, speech.rate), speech.times) for speech in speeches]


def _speak_once(
    turns: list[Turn], language: str, progress, resources: Resources, longest: float | None = None
) -> list[TimedSpeech]:
    """``longest``: seconds of speech; None: LONGEST_PROGRAMME."""
    voice = resources.voice or Espeak()
    identities = {
        presenter: voice.identify_sound(language, presenter)
        for presenter in dialogues.list_presenters([turns])
    }
    names = [_make_cache_name(turn, identities[turn.presenter], language) for turn in turns]
    speeches = [_read_speech(resources.cache.find(name)) for name in names]
    spoken, count = 0, speeches.count(None)
    for presenter in identities:
        missing = [
            at
            for at, turn in enumerate(turns)
            if turn.presenter == presenter and speeches[at] is None
        ]
        utterances = (
            voice.utter([turns[at].passage for at in missing], language, presenter)
            if missing
            else ()
        )
        for at, utterance in zip(missing, utterances, strict=True):
            speeches[at] = speech = time_words(utterance, turns[at].passage, language)
            resources.cache.keep(names[at], _to_bytes(speech))
            _limit_length(speeches, longest or LONGEST_PROGRAMME)
            spoken += 1
            progress(_SPEAKING * spoken / count)
    _limit_length(speeches, longest or LONGEST_PROGRAMME)
    return [speech for speech in speeches if speech is not None]


def _make_cache_name(turn: Turn, identity: list, language: str) -> str:
    """Return the name of a turn's speech in the cache. ``identity``: of its voice."""
    passage = turn.passage
    return make_cache_key(
        "speech", _VERSION, identity, language, passage.words, passage.stressed, passage.ends
    )


def _join_with_pauses(
    scene: Scene,
    turns: list[Turn],
    gains: dict[Presenter, float],
    avatar: Presenter,
    language: str,
    speeches: Sequence[TimedSpeech],
) -> TimedSpeech:
    """Return the speech of a scene, with the pauses that its captions need: these decide where
    captions end, and so how fast they are.
    """
    joined = dialogues.join_turns(turns, speeches, gains=gains, avatar=avatar)
    return _pause_at_unspoken(scene, _pause_after_heading(scene, joined), language)


def _slow_down_for_captions(
    scene: Scene,
    turns: list[Turn],
    speech: TimedSpeech,
    joined: Callable[[Sequence[TimedSpeech]], TimedSpeech],
    language: str,
    resources: Resources,
) -> TimedSpeech:
    """Return ``speech``, slowed down if its captions would be too fast to read. ``joined``: makes
    it of its turns.

    A voice of this machine speaks the scene again at a slower pace. Other voices may charge for
    that or ignore the pace, so their sound is stretched.
    """
    pace = turns[0].presenter.words_per_minute
    for _ in range(_MAX_PACES if resources.voice is None or resources.voice.follows_pace else 0):
        ratio = _measure_speed_ratio(scene, speech, language)
        if ratio <= 1.0:
            return speech
        pace = int(min(pace, FASTEST) / ratio) - 1
        slower = [
            replace(turn, presenter=replace(turn.presenter, words_per_minute=pace))
            for turn in turns
        ]
        speech = joined(_speak_once(slower, language, lambda fraction: None, resources))
    factor = min(_measure_speed_ratio(scene, speech, language) * _STRETCH, audio.LONGEST_STRETCH)
    return speech if factor <= _STRETCH else _stretch_speech(speech, factor)


def _stretch_speech(speech: TimedSpeech, factor: float) -> TimedSpeech:
    times, others = (
        tuple((start * factor, end * factor) for start, end in spans)
        for spans in (speech.times, speech.others)
    )
    sounds = tuple((start * factor, phoneme) for start, phoneme in speech.sounds)
    return TimedSpeech(audio.stretch(speech.samples, factor), speech.rate, times, sounds, others)


def _pause_after_heading(scene: Scene, speech: TimedSpeech) -> TimedSpeech:
    """Return ``speech`` with as much silence after the heading, or after the words of a button, as
    its caption needs: a shorter one would have to share it with the first words of the next
    sentence, which look torn off there.
    """
    count = count_heading_words(scene)
    if scene.layout in CARDS and scene.sentence_ends:
        count = scene.sentence_ends[0] + 1
    if not 0 < count < len(speech.times):
        return speech
    start, end, following = speech.times[0][0], speech.times[count - 1][1], speech.times[count][0]
    missing = captions.find_shortest_pause(following - start)
    if missing <= 0:
        return speech
    return _insert_silence(speech, round((end + following) / 2 * speech.rate), missing)


def _pause_at_unspoken(scene: Scene, speech: TimedSpeech, language: str) -> TimedSpeech:
    """Return ``speech`` with silence at words that are shown and not spoken, such as a hash, as
    long as the captions that have them need: slower, those beside them would drag.
    """
    unspoken = {at for at, spoken in enumerate(scene.spoken) if is_unspoken(spoken)}
    if not unspoken:
        return speech
    hurried = captions.list_hurried(scene, _time_scene(scene, speech), language)
    for words, missing in reversed(hurried):  # what comes before a pause keeps its time
        last = max(unspoken.intersection(words), default=None)
        if last is not None:
            at = _find_quietest(speech, *speech.times[last])
            speech = _insert_silence(speech, at, min(missing * _STRETCH, _LONGEST_PAUSE))
    return speech


def _find_quietest(speech: TimedSpeech, start: float, end: float) -> int:
    """Return the sample in the middle of the quietest moment between two times; their end if they
    are too near.
    """
    length = round(_WINDOW * speech.rate)
    first = round(start * speech.rate)
    count = (min(round(end * speech.rate), len(speech.samples)) - first) // length
    if count < 1:
        return round(end * speech.rate)
    windows = speech.samples[first : first + count * length].reshape(count, length)
    quietest = int(numpy.abs(windows.astype(float)).mean(1).argmin())
    return first + quietest * length + length // 2


def _insert_silence(speech: TimedSpeech, at: int, seconds: float) -> TimedSpeech:
    """Return ``speech`` with silence before the sample ``at``."""
    silence = numpy.zeros(round(seconds * speech.rate), speech.samples.dtype)
    samples = (speech.samples[:at], silence, speech.samples[at:])

    def later(moment: float) -> float:
        return moment + len(silence) / speech.rate * (moment * speech.rate >= at)

    times, others = (
        tuple((later(first), later(last)) for first, last in spans)
        for spans in (speech.times, speech.others)
    )
    sounds = tuple((later(moment), phoneme) for moment, phoneme in speech.sounds)
    return TimedSpeech(numpy.concatenate(samples), speech.rate, times, sounds, others)


def _measure_speed_ratio(scene: Scene, speech: TimedSpeech, language: str) -> float:
    return captions.measure_speed_ratio(scene, _time_scene(scene, speech), language)


def _time_scene(scene: Scene, speech: TimedSpeech) -> SceneTiming:
    """Return the times of ``scene`` as if it were the programme."""
    return _make_timing(
        scene.words, speech, 0, len(_pad_with_silence(speech.samples, LEAD, TAIL)), LEAD
    )


def _limit_length(speeches: list[TimedSpeech | None], longest: float) -> None:
    if sum(len(speech.samples) / speech.rate for speech in speeches if speech) > longest:
        raise NarrationError(
            f"The narration is longer than {longest // 60:.0f} minutes.", "NARRATION_TOO_LONG"
        )


def _to_bytes(speech: TimedSpeech) -> bytes:
    head = json.dumps(
        {"rate": speech.rate, "times": speech.times, "sounds": speech.sounds}
    ).encode()
    return head + b"\n" + speech.samples.astype("<i2").tobytes()


def _read_speech(content: bytes | None) -> TimedSpeech | None:
    if content is None:
        return None
    head, _, samples = content.partition(b"\n")
    fields = json.loads(head)
    times, sounds = (tuple(map(tuple, fields[name])) for name in ("times", "sounds"))
    return TimedSpeech(
        numpy.frombuffer(samples, "<i2").astype(numpy.int16), fields["rate"], times, sounds
    )


def _pad_with_silence(samples: numpy.ndarray, lead: float, tail: float) -> numpy.ndarray:
    """Return ``samples`` between silences, extended to a whole number of frames."""
    before, after = round(lead * audio.SAMPLE_RATE), round(tail * audio.SAMPLE_RATE)
    after += -(before + len(samples) + after) % FRAME
    return numpy.pad(samples, (before, after))


def _make_timing(words, speech: TimedSpeech, start: int, end: int, lead: float) -> SceneTiming:
    at = start / audio.SAMPLE_RATE + lead
    timed_words = zip(words, speech.times, strict=True)
    return SceneTiming(
        _convert_to_seconds(start),
        _convert_to_seconds(end),
        tuple(
            Word(word, round(at + first, 6), round(at + last, 6))
            for word, (first, last) in timed_words
        ),
        tuple(PhonemeTiming(phoneme, round(at + first, 6)) for first, phoneme in speech.sounds),
        tuple((round(at + first, 6), round(at + last, 6)) for first, last in speech.others),
    )


def _convert_to_seconds(samples: int) -> float:
    return round(samples / audio.SAMPLE_RATE, 6)
