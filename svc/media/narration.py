"""Recording the narration: the script's words as sound, and the time of every one of them.

Scene boundaries lie on whole frames at 30 a second. Before one lie at least ``TAIL`` seconds without speech, in which the
pictures may cross-fade, and after one ``LEAD`` seconds.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy

from svc.media import captions, sound
from svc.media.cache import key
from svc.media.errors import NarrationError
from svc.media.espeak import FASTEST, Espeak
from svc.media.hearing import Speech, Times, timed
from svc.media.kit import Kit
from svc.media.programme import Avatar, Brief, Scene, SceneTiming, Script, Sound, Timeline, Word, load, save
from svc.media.voice import Passage

LEAD, TAIL = 0.2, 0.4  # seconds of silence after and before a scene's boundary
OPENING, CLOSING = 0.5, 1.0  # seconds of silence at the two ends of the programme
LONGEST = 20 * 60  # seconds of speech; a brief's 4,096 characters make five minutes, unless they are all digits
FRAME = sound.SAMPLE_RATE // 30  # samples
_MOST_PACES = 4  # tries
_STRETCH = 1.01  # more than is needed: cues do not grow quite as the sound does
_SPEAKING = 0.6  # of the step's work; the rest is loudness
_VERSION = 2  # of how speech is made and kept: raise it when either changes


def record(brief: Brief, folder: Path, progress, kit: Kit = Kit()) -> None:
    """Make ``narration.wav`` and ``timeline.json`` from ``script.json``. Raises NarrationError: NARRATION_FAILED,
    NARRATION_TOO_LONG, VOICE_UNKNOWN, LANGUAGE_NOT_SPOKEN."""
    script = load(Script, folder / "script.json")
    spoken = spoken_of([_passage(scene) for scene in script.scenes], script.language, brief.avatar, progress, kit)
    parts, scenes, at = [], [], 0
    for index, scene in enumerate(script.scenes):
        lead = OPENING if index == 0 else LEAD
        tail = CLOSING if index == len(script.scenes) - 1 else TAIL
        speech = _readable(scene, spoken.pop(0), script.language, brief.avatar, kit)
        part = _placed(speech.samples, lead, tail)
        scenes.append(_timing(scene.words, speech, at, at + len(part), lead))
        parts.append(part)
        at += len(part)
    whole = numpy.concatenate(parts)
    parts.clear()  # a long narration is a hundred megabytes
    sound.write_wav(folder / "narration.wav", sound.normalised(whole))
    voice = kit.voice.model(script.language, brief.avatar) if kit.voice else ""
    save(Timeline(_seconds(at), sound.SAMPLE_RATE, tuple(scenes), voice), folder / "timeline.json")
    progress(1.0)


def speak(
    passages: list[Passage], language: str, avatar: Avatar, progress=lambda fraction: None, kit: Kit = Kit()
) -> list[tuple[numpy.ndarray, Times]]:
    """Speak ``passages``: of each its samples (at sound.SAMPLE_RATE, int16, no silence at the ends, loudness as the voice gives
    it) and the start and end of each word. What was spoken before comes from the kit's cache. ``language``: BCP 47.
    Raises NarrationError."""
    spoken = spoken_of(passages, language, avatar, progress, kit)
    return [(speech.samples, speech.times) for speech in spoken]


def spoken_of(passages: list[Passage], language: str, avatar: Avatar, progress, kit: Kit) -> list[Speech]:
    """As :func:`speak`, each with the instants of its phonemes too."""
    voice = kit.voice or Espeak()
    identity = voice.identity(language, avatar)
    names = [key("speech", _VERSION, identity, language, passage.words, passage.stressed) for passage in passages]
    found = [_unpacked(kit.cache.find(name)) for name in names]
    missing = [index for index, speech in enumerate(found) if speech is None]
    for done, (index, utterance) in enumerate(
        zip(missing, voice.utter([passages[index] for index in missing], language, avatar), strict=True), 1
    ):
        found[index] = spoken = timed(utterance, passages[index], language)
        kit.cache.keep(names[index], _packed(spoken))
        _require_an_end(found)
        progress(_SPEAKING * done / len(missing))
    _require_an_end(found)
    return [
        replace(speech, samples=sound.resample(speech.samples, speech.rate), rate=sound.SAMPLE_RATE)
        for speech in found if speech is not None
    ]  # fmt: skip


def _readable(scene: Scene, speech: Speech, language: str, avatar: Avatar, kit: Kit) -> Speech:
    """``speech``, or the same scene as much slower as its captions need to be read in time: spoken again, but for a voice that
    may charge for it or not keep the pace; what that leaves is stretched."""
    pace = avatar.words_per_minute
    for _ in range(_MOST_PACES if kit.voice is None else 0):
        haste = _haste(scene, speech)
        if haste <= 1.0:
            return speech
        pace = int(min(pace, FASTEST) / haste) - 1
        slower = replace(avatar, words_per_minute=pace)
        [speech] = spoken_of([_passage(scene)], language, slower, lambda fraction: None, kit)
    haste = min(_haste(scene, speech) * _STRETCH, sound.LONGEST_STRETCH)
    if haste <= _STRETCH:
        return speech
    times = tuple((start * haste, end * haste) for start, end in speech.times)
    sounds = tuple((start * haste, phoneme) for start, phoneme in speech.sounds)
    return Speech(sound.stretched(speech.samples, haste), speech.rate, times, sounds)


def _haste(scene: Scene, speech: Speech) -> float:
    return captions.haste(scene, _timing(scene.words, speech, 0, len(_placed(speech.samples, LEAD, TAIL)), LEAD))


def _passage(scene: Scene) -> Passage:
    return Passage(scene.spoken, scene.stressed)


def _require_an_end(found: list[Speech | None]) -> None:
    if sum(len(speech.samples) / speech.rate for speech in found if speech) > LONGEST:
        raise NarrationError(f"The narration is longer than {LONGEST // 60} minutes.", "NARRATION_TOO_LONG")


def _packed(speech: Speech) -> bytes:
    head = json.dumps({"rate": speech.rate, "times": speech.times, "sounds": speech.sounds}).encode()
    return head + b"\n" + speech.samples.astype("<i2").tobytes()


def _unpacked(content: bytes | None) -> Speech | None:
    if content is None:
        return None
    head, _, samples = content.partition(b"\n")
    known = json.loads(head)
    times, sounds = (tuple(map(tuple, known[name])) for name in ("times", "sounds"))
    return Speech(numpy.frombuffer(samples, "<i2").astype(numpy.int16), known["rate"], times, sounds)


def _placed(samples: numpy.ndarray, lead: float, tail: float) -> numpy.ndarray:
    """``samples`` between silences, on a whole number of frames."""
    before, after = round(lead * sound.SAMPLE_RATE), round(tail * sound.SAMPLE_RATE)
    after += -(before + len(samples) + after) % FRAME
    return numpy.pad(samples, (before, after))


def _timing(words, speech: Speech, start: int, end: int, lead: float) -> SceneTiming:
    at = start / sound.SAMPLE_RATE + lead
    timed = zip(words, speech.times, strict=True)
    return SceneTiming(
        _seconds(start),
        _seconds(end),
        tuple(Word(word, round(at + first, 6), round(at + last, 6)) for word, (first, last) in timed),
        tuple(Sound(phoneme, round(at + first, 6)) for first, phoneme in speech.sounds),
    )


def _seconds(samples: int) -> float:
    return round(samples / sound.SAMPLE_RATE, 6)
