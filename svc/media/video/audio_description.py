"""Recording the audio description: what each scene shows, spoken, and written as WebVTT."""

from pathlib import Path

import numpy

from svc.base import atomic_file
from svc.base.deliverable_kinds import DESCRIPTIONS
from svc.media import audio
from svc.media.captions import captions
from svc.media.model import (
    DescriptionCue,
    Descriptions,
    Script,
    VideoBrief,
    load_script,
    load_timeline,
    save,
)
from svc.media.resources import Resources
from svc.media.speech.narration import speak
from svc.media.text import tokens as words
from svc.media.text.pronunciation import lexicon
from svc.media.video import described_video
from svc.media.voice import SpokenPassage

PAUSE = 0.15  # seconds of silence before and after each description
_RECORDING = 0.5  # the share of the step's work; the rest is the video


def record_descriptions(
    brief: VideoBrief, folder: Path, progress, resources: Resources = Resources()
) -> None:
    """Write ``descriptions.json``, ``descriptions.vtt``, a ``description-{scene}.wav`` for each
    described scene, and the described video. Raises NarrationError."""
    record_voice(brief, folder, lambda fraction: progress(_RECORDING * fraction), resources)
    described_video.make_described_video(
        brief, folder, lambda fraction: progress(_RECORDING + (1 - _RECORDING) * fraction)
    )


def record_voice(
    brief: VideoBrief, folder: Path, progress, resources: Resources = Resources()
) -> None:
    """Write the files of :func:`record_descriptions` without the video. A scene may have no
    description; a WAV file is as long as its cue."""
    script = load_script(folder)
    timeline = load_timeline(folder)
    described = [(index, tokens) for index, tokens in enumerate(_list_tokens(script)) if tokens]
    passages = [
        SpokenPassage(_list_spoken_words(tokens, brief), (), _list_sentence_ends(tokens))
        for _, tokens in described
    ]
    recordings = [
        samples
        for samples, _ in speak(passages, script.language, brief.avatar, progress, resources)
    ]
    cues = []
    for (scene, _), samples in zip(described, _normalise_together(recordings), strict=True):
        audio.write_wav(folder / f"description-{scene}.wav", samples)
        seconds = len(samples) / audio.SAMPLE_RATE
        cues.append(
            DescriptionCue(
                scene, script.scenes[scene].description, timeline.scenes[scene].start, seconds
            )
        )
    save(Descriptions(tuple(cues)), folder / "descriptions.json")
    rows = [(cue.at, timeline.scenes[cue.scene].end, [cue.text]) for cue in cues]
    atomic_file.write_text(folder / DESCRIPTIONS, captions.format_webvtt(rows))
    progress(1.0)


def _list_spoken_words(tokens: list[words.Token], brief: VideoBrief) -> tuple[str, ...]:
    written, said = [token.written for token in tokens], [token.spoken for token in tokens]
    return lexicon.replace_words(written, said, brief.lexicon, brief.read_in)


def _list_tokens(script: Script):
    return [words.tokenize_text(scene.description, script.read_in) for scene in script.scenes]


def _list_sentence_ends(tokens: list[words.Token]) -> tuple[int, ...]:
    return tuple(index for index, token in enumerate(tokens) if token.ends)


def _normalise_together(recordings: list[numpy.ndarray]) -> list[numpy.ndarray]:
    """Return the recordings at the loudness of the narration, measured over all of them, each
    padded with a pause on both sides."""
    if not recordings:
        return []
    pause = round(PAUSE * audio.SAMPLE_RATE)
    padded = [numpy.pad(samples, pause) for samples in recordings]
    cuts = numpy.cumsum([len(samples) for samples in padded])[:-1]
    return numpy.split(audio.normalise(numpy.concatenate(padded)), cuts)
