"""Cached speech is not spoken again, and equals newly spoken speech."""

import json

import numpy
import pytest

from svc.media.cache import Cache
from svc.media.model import Presenter
from svc.media.resources import Resources
from svc.media.script import step as script_step
from svc.media.speech import espeak, narration
from svc.media.voice import SpokenPassage

pytestmark = pytest.mark.slow

TEXTS = ("How tea is made.", "Water is boiled.", "Then we wait a while.")
FIRST, SECOND, THIRD = (SpokenPassage(tuple(text.split())) for text in TEXTS)
ADA = Presenter("Ada", "f3")


@pytest.fixture
def resources(tmp_path):
    return Resources(Cache(tmp_path / "cache"))


@pytest.fixture
def spoken_texts(monkeypatch):
    """The texts that the voice really spoke."""
    said = []
    utter = espeak.Espeak.utter

    def listening(self, passages, language, avatar):
        said.extend(passage.text for passage in passages)
        return utter(self, passages, language, avatar)

    monkeypatch.setattr(espeak.Espeak, "utter", listening)
    return said


def speak(passages, resources, language="en", avatar=ADA):
    return narration.speak(passages, language, avatar, resources=resources)


def same(one, other) -> bool:
    return all(
        numpy.array_equal(a[0], b[0]) and a[1] == b[1] for a, b in zip(one, other, strict=True)
    )


def test_only_what_changed_is_spoken_again(resources, spoken_texts):
    speak([FIRST, SECOND], resources)
    spoken_texts.clear()
    speak([FIRST, THIRD, SECOND], resources)
    assert spoken_texts == [THIRD.text]


def test_what_is_remembered_is_what_would_be_spoken(resources):
    speak([SECOND, FIRST], resources)
    assert same(
        speak([FIRST, THIRD, SECOND], resources), speak([FIRST, THIRD, SECOND], Resources())
    )


def test_a_passage_sounds_the_same_whatever_was_said_before(resources):
    (alone,) = speak([SECOND], Resources())
    assert same([alone], speak([FIRST, THIRD, SECOND], Resources())[2:])


@pytest.mark.parametrize(
    ("passage", "language", "avatar"),
    [
        (FIRST, "en-GB", ADA),
        (FIRST, "en", Presenter("Ada", "m1")),
        (FIRST, "en", Presenter("Ada", "f3", pitch=70)),
        (FIRST, "en", Presenter("Ada", "f3", words_per_minute=140)),
        (SpokenPassage(FIRST.words, (1,)), "en", ADA),
    ],
)
def test_whatever_changes_the_sound_is_spoken_anew(
    resources, spoken_texts, passage, language, avatar
):
    speak([FIRST], resources)
    spoken_texts.clear()
    speak([passage], resources, language, avatar)
    assert spoken_texts == [FIRST.text]


def test_another_name_of_the_presenter_changes_nothing(resources, spoken_texts):
    speak([FIRST], resources)
    spoken_texts.clear()
    speak([FIRST], resources, avatar=Presenter("Grace", "f3", hair="#000000"))
    assert spoken_texts == []


def test_a_damaged_recording_is_made_anew(resources, tmp_path, spoken_texts):
    expected = speak([FIRST], resources)
    (kept,) = (tmp_path / "cache").iterdir()
    kept.write_bytes(kept.read_bytes()[:-100])
    spoken_texts.clear()
    assert same(speak([FIRST], resources), expected)
    assert spoken_texts == [FIRST.text]


def test_a_corrected_sentence_changes_its_scene_alone(
    make_brief, tmp_path, resources, spoken_texts, unwatched
):
    """The whole step: the second recording equals one without a cache."""
    brief = make_brief()
    recordings = []
    for name, used in (("first", resources), ("second", resources), ("fresh", Resources())):
        folder = tmp_path / name
        folder.mkdir()
        text = (
            brief.metadata_md
            if name == "first"
            else brief.metadata_md.replace("They turn yellow", "They turn brown")
        )
        changed = make_brief(metadata_md=text)
        script_step.write_step(changed, folder, unwatched)
        spoken_texts.clear()
        narration.record_narration(changed, folder, unwatched, used)
        timeline = json.loads((folder / "timeline.json").read_text())
        recordings.append(((folder / "narration.wav").read_bytes(), timeline, list(spoken_texts)))
    assert len(recordings[1][2]) == 1 and "brown" in recordings[1][2][0]
    assert recordings[1][:2] == recordings[2][:2] != recordings[0][:2]
