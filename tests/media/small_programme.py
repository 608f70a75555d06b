"""A programme of eight seconds with a tone for a voice: enough for every step after the narration,
in small pictures.
"""

import dataclasses
from math import ceil

import numpy as np

from svc.media import audio
from svc.media.captions import captions, description, transcript
from svc.media.model import (
    DescriptionCue,
    Descriptions,
    Point,
    Presenter,
    Rendition,
    Scene,
    SceneTiming,
    Script,
    Timeline,
    VideoBrief,
    Word,
    load,
    save,
)
from svc.media.video import described_video, render

LANDSCAPE, PORTRAIT = Rendition("landscape", 320, 180), Rendition("portrait", 180, 320)
WORD, GAP, LEAD, TAIL = 0.4, 0.06, 0.2, 0.4  # seconds


def scene(
    layout: str, heading: str, text: str, *points: tuple, ends: tuple[int, ...] = ()
) -> Scene:
    words = tuple(text.split())
    return Scene(
        layout,
        heading,
        tuple(Point(*point) for point in points),
        words,
        words,
        f"The picture shows {heading}.",
        ends,
    )


ENGLISH = Script(
    "Tea in four seconds",
    "en",
    (
        scene("title", "Tea in four seconds", "Tea in four seconds"),
        scene(
            "points",
            "Two steps",
            "Boil the water Pour it slowly",
            ("Boil the water", 0, 2, "1."),
            ("Pour it slowly", 3, 5, "2."),
        ),
        scene("prose", "Waiting", "Waiting It takes time. Be calm.", ends=(0, 3, 5)),
        scene("close", "Enjoy", "Enjoy"),
    ),
)


def brief_of(
    script: Script = ENGLISH, renditions=(LANDSCAPE, PORTRAIT), accent: str = "#ff7a3d", **changes
) -> VideoBrief:
    brief = VideoBrief(
        production_id="p",
        title=script.title,
        topic=script.title,
        language=script.language,
        country="US",
        metadata_md="",
        avatar=Presenter("Ada"),
        renditions=tuple(renditions),
        account_name="Roasters & Sons",
        accent=accent,
    )
    return dataclasses.replace(brief, **changes)


def timeline_of(script: Script = ENGLISH) -> Timeline:
    """Return scenes on whole frames, as the narration makes them."""
    scenes, at = [], 0.0
    for scene in script.scenes:
        start, at, words = at, at + LEAD, []
        for word in scene.words:
            words.append(Word(word, round(at, 3), round(at + WORD, 3)))
            at += WORD + GAP
        tail = max(TAIL, captions.find_shortest_tail(words[-1].end - words[0].start))
        at = round(ceil((at + tail) * 30) / 30, 6)
        scenes.append(SceneTiming(start, at, tuple(words)))
    return Timeline(at, audio.SAMPLE_RATE, tuple(scenes))


def voice(timeline: Timeline) -> np.ndarray:
    """Return a rising tone for each word, at the loudness of a narration."""
    samples = np.zeros(round(timeline.duration * audio.SAMPLE_RATE))
    for number, word in enumerate(word for scene in timeline.scenes for word in scene.words):
        first, last = round(word.start * audio.SAMPLE_RATE), round(word.end * audio.SAMPLE_RATE)
        seconds = np.arange(last - first) / audio.SAMPLE_RATE
        samples[first:last] = (
            9000 * np.sin(2 * np.pi * (200 + 17 * number) * seconds) * np.hanning(last - first)
        )
    return audio.normalise(samples.astype(np.int16))


def prepare(folder, script: Script = ENGLISH, **changes) -> VideoBrief:
    """Write the files of the steps before the video into ``folder``, and the captions."""
    timeline, brief = timeline_of(script), brief_of(script, **changes)
    save(script, folder / "script.json")
    save(timeline, folder / "timeline.json")
    audio.write_wav(folder / "narration.wav", voice(timeline))
    captions.write_captions(folder)
    transcript.write_transcript(brief, folder)
    description.write_descriptions(brief, folder)
    return brief


def describe(
    folder, timeline: Timeline, scenes=(0, 1, 2, 3), seconds: float = 0.55
) -> Descriptions:
    """Write a lower, rising tone for each described scene."""
    at = np.arange(round(seconds * audio.SAMPLE_RATE)) / audio.SAMPLE_RATE
    tone = np.sin(2 * np.pi * (130 + 200 * at) * at) * 9000 * np.hanning(len(at))
    for scene in scenes:
        audio.write_wav(folder / f"description-{scene}.wav", audio.normalise(tone.astype(np.int16)))
    texts = load(Script, folder / "script.json").scenes
    cues = (
        DescriptionCue(scene, texts[scene].description, timeline.scenes[scene].start, seconds)
        for scene in scenes
    )
    descriptions = Descriptions(tuple(cues))
    save(descriptions, folder / "descriptions.json")
    rows = [(cue.at, timeline.scenes[cue.scene].end, [cue.text]) for cue in descriptions.cues]
    (folder / "descriptions.vtt").write_text(captions.format_webvtt(rows))
    return descriptions


def finish(folder, **changes) -> VideoBrief:
    """Everything that the checks measure."""
    brief = prepare(folder, **changes)
    render.render(brief, folder, ignore)
    describe(folder, timeline_of())
    described_video.make_described_video(brief, folder, ignore)
    return brief


def ignore(fraction: float) -> None:
    """Progress that nobody watches."""
