"""Recording the audio description: what each scene shows, spoken, and written as WebVTT."""

from pathlib import Path

import numpy

from svc.media import captions, described_video, files, sound, words
from svc.media.kit import Kit
from svc.media.narration import speak
from svc.media.programme import DescriptionCue, Descriptions, Script, Timeline, VideoBrief, load, save
from svc.media.voice import SpokenPassage

PAUSE = 0.15  # seconds of silence before and after each description
_RECORDING = 0.5  # of the step's work; the rest is the video


def record(brief: VideoBrief, folder: Path, progress, kit: Kit = Kit()) -> None:
    """Make ``descriptions.json``, ``descriptions.vtt``, a ``description-{scene}.wav`` for each described scene, and then the
    described video. Raises NarrationError."""
    record_voice(brief, folder, lambda fraction: progress(_RECORDING * fraction), kit)
    described_video.make(brief, folder, lambda fraction: progress(_RECORDING + (1 - _RECORDING) * fraction))


def record_voice(brief: VideoBrief, folder: Path, progress, kit: Kit = Kit()) -> None:
    """Everything that :func:`record` makes, but the video. A scene may have no description; a wav is as long as its cue."""
    script, timeline = load(Script, folder / "script.json"), load(Timeline, folder / "timeline.json")
    said = [(index, tokens) for index, tokens in enumerate(_tokens(script)) if tokens]
    passages = [SpokenPassage(tuple(token.spoken for token in tokens)) for _, tokens in said]
    spoken = speak(passages, script.language, brief.avatar, progress, kit)
    recorded = _levelled([samples for samples, _ in spoken])
    cues = []
    for (scene, _), samples in zip(said, recorded, strict=True):
        sound.write_wav(folder / f"description-{scene}.wav", samples)
        seconds = len(samples) / sound.SAMPLE_RATE
        cues.append(DescriptionCue(scene, script.scenes[scene].description, timeline.scenes[scene].start, seconds))
    save(Descriptions(tuple(cues)), folder / "descriptions.json")
    shown = [(cue.at, timeline.scenes[cue.scene].end, [cue.text]) for cue in cues]
    files.write_text(folder / "descriptions.vtt", captions.webvtt(shown))
    progress(1.0)


def _tokens(script: Script):
    return [words.tokens(scene.description, script.language) for scene in script.scenes]


def _levelled(recordings: list[numpy.ndarray]) -> list[numpy.ndarray]:
    """All at the loudness of the narration, measured together, each between two pauses."""
    if not recordings:
        return []
    pause = round(PAUSE * sound.SAMPLE_RATE)
    padded = [numpy.pad(samples, pause) for samples in recordings]
    cuts = numpy.cumsum([len(samples) for samples in padded])[:-1]
    return numpy.split(sound.normalise(numpy.concatenate(padded)), cuts)
