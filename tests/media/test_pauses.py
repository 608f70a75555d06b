"""The pauses of a programme: as long as what they part asks for,
and without clicks at their edges.
"""

from collections import defaultdict

import numpy
import pytest
from support.onsets import pauses

from svc.base import voices
from svc.media import audio
from svc.media import model as programme
from svc.media.model import Presenter, Script, Timeline
from svc.media.resources import Resources
from svc.media.script import step as script_step
from svc.media.speech import narration
from svc.media.speech.trained.voice import Trained
from svc.media.video import mp4

NOTES = """Tea is made of leaves, water, and time. Most of it grows in Asia. The summers are warm \
there.

After a day, the leaves are ready. They are dried, rolled, and sold.
"""
SHORTEST = 0.08  # seconds: more than the closure of a “k” or a “t”
NEAR = 0.1  # seconds between the end of a pause and the start of the word after it
LIMITS = {"comma": (0.1, 0.45), "sentence": (0.4, 0.65), "scene": (0.55, 1.0)}  # seconds


@pytest.fixture(params=["heart", "joe"])
def spoken(request, make_brief, tmp_path, unwatched):
    """The sound and the timeline of two paragraphs, spoken by a trained voice and mastered."""
    brief = make_brief(metadata_md=NOTES, avatar=Presenter("Ada", speaker=request.param))
    lost: list[tuple[str, str]] = []
    script_step.write_step(brief, tmp_path, unwatched)
    narration.record_narration(
        brief, tmp_path, unwatched, Resources(voice=Trained(lost=lambda *what: lost.append(what)))
    )
    timeline = programme.load(Timeline, tmp_path / "timeline.json")
    assert lost == [] and timeline.voice == voices.VOICES[request.param].title
    return (
        mp4.read_wav(tmp_path / "narration.wav"),
        timeline,
        programme.load(Script, tmp_path / "script.json"),
    )


@pytest.mark.slow
def test_a_pause_grows_from_comma_to_sentence_to_scene_and_has_no_clicks(spoken):
    samples, timeline, script = spoken
    heard = pauses(samples, SHORTEST)
    steps = numpy.abs(numpy.diff(samples.astype(int)))
    lengths: dict[str, list[float]] = defaultdict(list)
    for start, kind in joints(timeline, script):
        first, end = min(heard, key=lambda pause: abs(pause[1] - start))
        assert abs(end - start) <= NEAR, (kind, start)
        lengths[kind].append(end - first)
        inside = steps[round(first * audio.SAMPLE_RATE) : round(end * audio.SAMPLE_RATE) - 1]
        assert inside.max() < 0.1 * steps.max()  # a click is a step as large as those of speech
    print({kind: [round(each, 2) for each in found] for kind, found in lengths.items()})
    for kind, (shortest, longest) in LIMITS.items():
        assert len(lengths[kind]) >= 2
        assert shortest <= min(lengths[kind]) and max(lengths[kind]) <= longest, kind
    assert (
        max(lengths["comma"])
        < min(lengths["sentence"])
        <= max(lengths["sentence"])
        < min(lengths["scene"])
    )


def joints(timeline: Timeline, script: Script) -> list[tuple[float, str]]:
    """The start of each word after a comma, a sentence or a scene, and which of them it is.

    A voice may do without a pause where an “and” already parts the last item of a list from the
    others.
    """
    found = [(scene.words[0].start, "scene") for scene in timeline.scenes[1:]]
    for scene, timing in zip(script.scenes, timeline.scenes, strict=True):
        for index, word in enumerate(scene.spoken[:-1]):
            kind = (
                "sentence"
                if index in scene.sentence_ends
                else "comma"
                if word.endswith(",") and scene.spoken[index + 1] != "and"
                else ""
            )
            found += [(timing.words[index + 1].start, kind)] if kind else []
    return found
