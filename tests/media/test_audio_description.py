"""The audio description, without its video."""

import dataclasses
import shutil
import wave
from types import SimpleNamespace

import numpy
import pytest
import webvtt

from svc.media import audio
from svc.media.languages import Phrases, read_words_by_language
from svc.media.model import Descriptions, Presenter, Script, Visual, load, save
from svc.media.script.descriptions import describe_scene
from svc.media.video import audio_description

pytestmark = pytest.mark.slow
ADA = Presenter("Ada")


# the phrases of each language that has them
DESCRIBED = {
    code: phrases.descriptions
    for code, phrases in read_words_by_language(Phrases).items()
    if phrases.descriptions
}


@pytest.fixture
def described(programme, tmp_path, unwatched):
    shutil.copytree(programme.folder, tmp_path, dirs_exist_ok=True)
    audio_description.record_voice(programme.brief, tmp_path, unwatched)
    cues = load(Descriptions, tmp_path / "descriptions.json").cues
    return SimpleNamespace(**{**vars(programme), "folder": tmp_path, "cues": cues})


def samples_of(path) -> numpy.ndarray:
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 48000)
        return numpy.frombuffer(file.readframes(file.getnframes()), "<i2")


def test_every_scene_that_shows_something_is_described_at_its_start(described):
    shown = [
        (number, scene) for number, scene in enumerate(described.script.scenes) if scene.description
    ]
    assert [cue.scene for cue in described.cues] == [number for number, _ in shown]
    assert [cue.at for cue in described.cues] == [
        described.timeline.scenes[number].start for number, _ in shown
    ]
    assert [cue.text for cue in described.cues] == [scene.description for _, scene in shown]
    # The end card of this brief has no link.
    assert {scene.layout for scene in described.script.scenes if not scene.description} == {
        "prose",
        "close",
    }


def test_a_chart_is_described_by_its_range():
    rows, values = (
        (("Fundy", "16 m"), ("Severn", "15 m"), ("Ungava", "9 m")),
        ((16.0,), (15.0,), (9.0,)),
    )
    bars = Visual("bars", columns=("Place", "Range"), rows=rows, values=values)
    assert (
        describe_scene("bars", "The range", (), ADA, "en", bars)
        == "Ada, and a bar chart: Ungava, 9 m; Fundy, 16 m."
    )
    line = dataclasses.replace(bars, kind="line")
    assert (
        describe_scene("line", "The range", (), ADA, "de", line)
        == "Ada und ein Liniendiagramm: Fundy, 16 m; Ungava, 9 m."
    )


def test_an_end_card_is_described_by_its_link_alone():
    link = Visual(text="Book a table", note="https://www.a.example/t/")
    assert (
        describe_scene("close", "Tides", (), ADA, "en-GB", link)
        == "The address a.example/t, and a code to scan."
    )
    assert describe_scene("close", "Tides", (), ADA, "fi", link) == "a.example/t."
    assert describe_scene("close", "Tides", (), ADA, "en") == ""
    texts = {describe_scene("close", "", (), ADA, language, link) for language in DESCRIBED}
    assert len(texts) == len(DESCRIBED) and all("a.example/t" in text for text in texts)


def test_a_voice_without_a_figure_is_not_described_as_a_person():
    voice = dataclasses.replace(ADA, figure="none")
    assert describe_scene("points", "Two kinds", (), voice, "en") == "A list."
    assert describe_scene("title", "Tides {name}", (), voice, "fr") == "Le titre : Tides {name}."
    for language, phrases in DESCRIBED.items():
        for layout in phrases:
            text = describe_scene(layout, "Heading", (), voice, language)
            assert "Ada" not in text and (text[:1].isupper() or layout in ("prose", "close"))


def test_descriptions_add_little_to_the_programme(described):
    assert sum(cue.duration for cue in described.cues) < 0.25 * described.timeline.duration


def test_a_recording_is_exactly_as_long_as_its_cue(described):
    for cue in described.cues:
        assert len(samples_of(described.folder / f"description-{cue.scene}.wav")) == round(
            cue.duration * 48000
        )


def test_a_recording_begins_and_ends_in_silence(described):
    for cue in described.cues:
        samples = numpy.abs(
            samples_of(described.folder / f"description-{cue.scene}.wav").astype(int)
        )
        assert (
            samples[: round(0.12 * 48000)].max() < 400
            and samples[-round(0.12 * 48000) :].max() < 400
        )
        assert samples.max() > 4000


def test_the_description_is_as_loud_as_the_narration(described):
    together = numpy.concatenate(
        [samples_of(described.folder / f"description-{cue.scene}.wav") for cue in described.cues]
    )
    assert audio.measure(together).integrated == pytest.approx(-14, abs=1)
    assert audio.measure(together).true_peak <= -1


def test_the_written_description_is_read_by_another_reader(described):
    assert [cue.text for cue in webvtt.read(described.folder / "descriptions.vtt")] == [
        cue.text for cue in described.cues
    ]


def test_a_scene_without_description_has_no_cue(described, unwatched):
    title, second, *others = described.script.scenes
    second, *others = (
        dataclasses.replace(scene, description="A picture.") for scene in (second, *others)
    )
    scenes = (title, dataclasses.replace(second, description=""), *others)
    save(dataclasses.replace(described.script, scenes=scenes), described.folder / "script.json")
    audio_description.record_voice(described.brief, described.folder, unwatched)
    cues = load(Descriptions, described.folder / "descriptions.json").cues
    assert [cue.scene for cue in cues] == [0, *range(2, len(scenes))]


def test_a_programme_that_shows_nothing_has_an_empty_description(described, unwatched):
    save(Script("t", "en", ()), described.folder / "script.json")
    audio_description.record_voice(described.brief, described.folder, unwatched)
    assert load(Descriptions, described.folder / "descriptions.json").cues == ()
    assert (described.folder / "descriptions.vtt").read_text() == "WEBVTT\n"


def test_the_same_script_gives_the_same_bytes(described, unwatched):
    before = (described.folder / "description-0.wav").read_bytes()
    audio_description.record_voice(described.brief, described.folder, unwatched)
    assert (described.folder / "description-0.wav").read_bytes() == before


def test_the_video_is_made_after_the_recording(described, monkeypatch):
    fractions = []
    monkeypatch.setattr(
        audio_description.described_video,
        "make_described_video",
        lambda brief, folder, progress: progress(1.0),
    )
    audio_description.record_descriptions(described.brief, described.folder, fractions.append)
    assert fractions == sorted(fractions) and 0.5 in fractions and fractions[-1] == 1.0
