"""Dialogues: each speaker has a voice of their own, and captions, mouth and disclosures follow."""

import json
from dataclasses import replace
from functools import lru_cache
from types import SimpleNamespace

import numpy
import pytest
from media.conftest import brief_of, recorded

from svc.base import voices
from svc.media import deliverables
from svc.media.cache import Cache
from svc.media.captions import description, transcript
from svc.media.figure import mouth
from svc.media.model import Descriptions, Presenter, Pronunciation, Script, save
from svc.media.proof import provenance
from svc.media.resources import Resources
from svc.media.script import from_brief
from svc.media.speech import dialogues, narration
from svc.media.speech.espeak import Espeak
from svc.media.speech.piper import Piper
from svc.media.speech.trained.voice import Trained
from svc.media.speech.word_times import TimedSpeech
from svc.media.text.pronunciation import lexicon
from svc.media.voice import Utterance

TALK = (
    "Anna: Where have you been all day?\nBen: At the harbour.\nAnna: And the boat?\n"
    "Ben: Gone. It left at six."
)
RATE, ADA = 48_000, Presenter("Ada", "f3")
ALL, BUILT_IN = frozenset(voices.TITLES), frozenset({voices.HIBARI, voices.JOE})
WORD, SILENCE = 0.3, 0.1  # seconds of a word and after it


class Tones:
    """A voice that says each word as a tone: 400 Hz for the presenter,
    and another one for each further speaker.
    """

    follows_pace = True
    hertz = {"": 400.0, "low": 160.0, "high": 900.0}
    loud = {"": 0.1, "low": 0.4, "high": 0.1}

    def __init__(self, further=("low", "high")):
        self.further, self.spoken = further, []

    def find_model(self, language, avatar):
        return f"Tones, voice {avatar.speaker or 'usual'}"

    def identify_sound(self, language, avatar):
        return ["tones", avatar.speaker, avatar.words_per_minute]

    def find_other_voices(self, language, avatar):
        return [replace(avatar, speaker=name) for name in self.further]

    def utter(self, passages, language, avatar):
        for passage in passages:
            self.spoken.append((avatar.speaker, avatar.words_per_minute, passage.text))
            word = round(WORD * RATE * 165 / avatar.words_per_minute)
            tone = (
                numpy.sin(2 * numpy.pi * self.hertz[avatar.speaker] * numpy.arange(word) / RATE)
                * self.loud[avatar.speaker]
            )
            sound = numpy.pad(numpy.int16(tone * 32767), (0, round(SILENCE * RATE)))
            starts = tuple((index, index * len(sound)) for index in range(len(passage.words)))
            yield Utterance(
                numpy.tile(sound, len(starts)),
                RATE,
                starts,
                tuple(("a", start) for _, start in starts),
            )


@lru_cache
def script_of(notes: str = TALK, **changes) -> Script:
    brief = brief_of(**{"metadata_md": notes, "title": "The boat", "topic": "The boat"} | changes)
    return lexicon.apply_lexicon(from_brief.write_script(brief), brief.lexicon)


def record(folder, voice, notes=TALK, cache=None, **changes) -> SimpleNamespace:
    """Record a brief with ``voice``."""
    save(script_of(notes, **changes), folder / "script.json")
    brief, resources = brief_of(metadata_md=notes, **changes), Resources(cache or Cache(), voice)
    narration.record_narration(brief, folder, lambda fraction: None, resources)
    return recorded(brief, folder)


@pytest.fixture(scope="module")
def talk(tmp_path_factory) -> SimpleNamespace:
    """TALK, recorded once with Tones; read it, but do not change what is in its folder."""
    return record(tmp_path_factory.mktemp("talk"), Tones())


def talk_of(script: Script):
    return next(
        (index, scene) for index, scene in enumerate(script.scenes) if scene.layout == "dialogue"
    )


def pitch(samples) -> float:
    """The strongest frequency in Hz."""
    padded = numpy.fft.rfft(samples * numpy.hanning(len(samples)), 1 << 17)
    return float(numpy.argmax(numpy.abs(padded))) * RATE / (1 << 17)


def level(samples) -> float:
    return 20 * float(numpy.log10(numpy.sqrt((samples.astype(float) ** 2).mean())))


def heard(folder, word):
    samples = numpy.frombuffer((folder / "narration.wav").read_bytes()[44:], "<i2")
    return samples[round((word.start + 0.02) * RATE) : round((word.end - 0.04) * RATE)]


def test_each_speaker_is_heard_in_their_own_voice_at_the_times_of_their_words(talk):
    script, timeline = talk.script, talk.timeline
    index, scene = talk_of(script)
    timing = timeline.scenes[index]
    assert tuple(word.text for word in timing.words) == scene.words
    for point in scene.points:
        for word in timing.words[point.first_word : point.last_word + 1]:
            assert pitch(heard(talk.folder, word)) == pytest.approx(
                400 if point.label == "Anna" else 160, abs=5
            )
    others = [
        word
        for number, word in enumerate(timeline.scenes)
        if number != index
        for word in word.words
    ]
    assert {round(pitch(heard(talk.folder, word)), -1) for word in others} == {400}


def test_the_times_of_joined_turns_are_exact_to_the_sample():
    turns = [
        dialogues.Turn(ADA, None),
        dialogues.Turn(replace(ADA, voice="m1"), None),
        dialogues.Turn(ADA, None),
    ]
    parts = [
        TimedSpeech(numpy.full(n, n, numpy.int16), RATE, ((0.001, n / RATE),), ((0.001, "a"),))
        for n in (480, 960, 481)
    ]
    whole, pause = dialogues.join_turns(turns, parts, {}, ADA), round(dialogues.PAUSE * RATE)
    starts = [0, 480 + pause, 480 + pause + 960 + pause]
    assert len(whole.samples) == starts[-1] + 481 and whole.rate == RATE
    assert [round(start * RATE) for start, _ in whole.times] == [48 + start for start in starts]
    assert [round(end * RATE) for _, end in whole.times] == [480, starts[1] + 960, starts[2] + 481]
    assert [whole.samples[start] for start in starts] == [480, 960, 481] and whole.samples[
        starts[1] - 1
    ] == 0
    assert whole.others == ((whole.times[1][0], whole.times[1][1]),) and [
        start for start, _ in whole.sounds
    ] == [start for start, _ in whole.times]


def test_all_voices_are_equally_loud(talk):
    script, timeline = talk.script, talk.timeline
    index, scene = talk_of(script)
    words = timeline.scenes[index].words
    levels = [level(heard(talk.folder, words[point.last_word])) for point in scene.points]
    said_before = level(heard(talk.folder, timeline.scenes[0].words[0]))
    assert max(levels) - min(levels) < 3 and levels[0] == pytest.approx(said_before, abs=0.5)


def test_the_mouth_is_shut_while_another_than_the_presenter_speaks(talk):
    index, scene = talk_of(talk.script)
    timing = talk.timeline.scenes[index]
    assert len(timing.others) == 2
    for shapes in (
        mouth.find_mouth_shapes(timing, 30),
        mouth.find_mouth_shapes(replace(timing, sounds=()), 30),
    ):
        for point in scene.points:
            frames = range(
                round(timing.words[point.first_word].start * 30) + 2,
                round(timing.words[point.last_word].end * 30) - 2,
            )
            seen = {
                next((shape for first, shape in reversed(shapes) if first <= frame), mouth.SHUT)
                for frame in frames
            }
            assert (seen == {mouth.SHUT}) == (point.label == "Ben")


def test_captions_that_are_too_fast_slow_all_speakers_down_alike(tmp_path):
    voice, long = Tones(), "incomprehensibilities notwithstanding institutionalisation"
    record(
        tmp_path,
        voice,
        f"Anna: {long}?\nBen: {long}.\nAnna: {long}!",
        avatar=replace(ADA, words_per_minute=400),
    )
    turns = [(pace, speaker) for speaker, pace, text in voice.spoken if long in text]
    paces = dict.fromkeys(pace for pace, _ in turns)
    assert len(paces) > 1 and all(
        sorted(who for pace, who in turns if pace == each) == ["", "", "low"] for each in paces
    )


def test_a_corrected_turn_is_all_that_is_spoken_again(tmp_path):
    cache = Cache(tmp_path / "cache")
    record(tmp_path, Tones(), cache=cache)
    record(tmp_path, again := Tones(), TALK.replace("harbour", "quay"), cache=cache)
    assert [(speaker, text) for speaker, _, text in again.spoken] == [("low", "Ben: At the quay.")]


def test_a_dialogue_in_one_voice_is_spoken_as_one_passage(tmp_path):
    made = record(tmp_path, voice := Tones(further=()))
    index, scene = talk_of(made.script)
    assert ("", 165, " ".join(scene.spoken)) in voice.spoken and made.timeline.scenes[
        index
    ].others == ()
    assert made.timeline.voice == "Tones, voice usual"


def test_lexicon_and_emphasis_stay_with_their_words():
    script = script_of(
        TALK.replace("the harbour", "the **harbour**"), lexicon=(Pronunciation("Ben", "Benn"),)
    )
    _, scene = talk_of(script)
    turns = dialogues.list_turns(scene, dialogues.cast_speakers(script, ADA, Tones()), ADA)
    second = turns[1].passage
    assert [turn.presenter.speaker for turn in turns] == ["", "low", "", "low"] and second.words[
        0
    ].startswith("Benn")
    assert [second.words[index] for index in second.stressed] == ["harbour."]
    assert [second.words[index] for index in second.ends] == ["harbour."]
    assert sum((turn.passage.words for turn in turns), ()) == scene.spoken


def test_voices_follow_the_order_of_appearance_through_the_whole_film():
    talk = "\n".join(
        f"{name}: Number {number} is here now."
        for number, name in enumerate(("Cy", "Al", "Di", "Cy", "Al", "Di", "CY", "Al"))
    )
    script = script_of(f"## One\n\n{talk}\n\n## Two\n\nDi: Where is Al?\nAl: Here.\nDi: Good.")
    cast = dialogues.cast_speakers(script, ADA, Tones())
    assert {name: presenter.speaker for name, presenter in cast.items()} == {
        "cy": "",
        "al": "low",
        "di": "high",
    }
    assert dialogues.cast_speakers(script, ADA, Tones(further=("low",)))["di"] == ADA
    assert dialogues.cast_speakers(script, replace(ADA, name="Di"), Tones())["di"].speaker == ""
    assert (
        dialogues.cast_speakers(script_of("Prose, and nothing else than prose."), ADA, Tones())
        == {}
    )


@pytest.mark.parametrize(("silent", "speakers"), [(-1, ["", "low", ""]), (0, ["low", "", "low"])])
def test_a_turn_of_signs_alone_belongs_to_the_one_beside_it(silent, speakers):
    script = script_of()
    _, scene = talk_of(script)
    point, spoken = scene.points[silent], list(scene.spoken)
    spoken[point.first_word : point.last_word + 1] = ["…"] * (
        point.last_word + 1 - point.first_word
    )
    turns = dialogues.list_turns(
        replace(scene, spoken=tuple(spoken)), dialogues.cast_speakers(script, ADA, Tones()), ADA
    )
    assert [turn.presenter.speaker for turn in turns] == speakers and turns[silent].passage.words[
        silent
    ] == "…"


def test_a_point_without_a_speaker_is_the_presenters():
    script = script_of()
    _, scene = talk_of(script)
    edited = replace(
        scene, points=(scene.points[0], replace(scene.points[1], label=""), *scene.points[2:])
    )
    turns = dialogues.list_turns(edited, dialogues.cast_speakers(script, ADA, Tones()), ADA)
    assert [turn.presenter.speaker for turn in turns] == ["", "low"]


def test_all_voices_are_named_wherever_a_voice_is(talk, tmp_path):
    script, timeline = talk.script, talk.timeline
    names = "Tones, voices usual, low"
    assert timeline.voice == names and voices.has_several_voices(names)
    assert (
        next(
            each for each in provenance.list_origins(script, timeline) if each.part == "voice"
        ).maker
        == names
    )
    assert f"({names})" in description.describe_rendition(
        script, timeline, talk.brief.renditions[0]
    )
    save(timeline, tmp_path / "timeline.json")
    save(Descriptions(()), tmp_path / "descriptions.json")
    assert {
        file.voice for file in deliverables.list_deliverables(talk.brief, tmp_path) if file.duration
    } == {names}


def test_the_transcript_names_who_speaks_also_in_the_second_part_of_a_long_turn(tmp_path):
    long = (
        "The sea rises towards the moon, and falls away again, twice a day, wherever you are "
        "on the coast. "
    ) * 3
    made = record(tmp_path, Tones(), f"Anna: Why is that?\nBen: {long}\nAnna: Oh.")
    transcript.write_transcript(made.brief, tmp_path)
    lines = [
        line
        for line in (tmp_path / "transcript.txt").read_text().splitlines()
        if line.startswith("•")
    ]
    assert len(lines) > 3 and {line.split(":")[0] for line in lines} == {"• Anna", "• Ben"}
    assert not any("Ben: Ben:" in line for line in lines)


def named(first: str, language: str, models=ALL) -> list[str]:
    return [
        voice.name for voice in voices.choose_other_voices(voices.VOICES[first], language, models)
    ]


def test_further_speakers_have_other_people_of_the_other_register_first():
    assert named("heart", "en", BUILT_IN) == ["joe"] and named("joe", "en", BUILT_IN) == ["heart"]
    assert named("bf_emma", "en-GB")[:3] == ["bm_daniel", "heart", "bm_george"]
    assert named("em_alex", "es") == ["ef_dora"] and named("ff_siwis", "fr") == []
    assert named("pf_dora", "pt-BR") == ["pm_alex", "pm_santa"]


def test_nobody_speaks_beside_their_own_copy():
    assert "af_heart" not in named("heart", "en") and "heart" not in named("af_heart", "en")


def test_a_voice_that_every_machine_has_comes_before_one_that_some_have():
    assert named("heart", "en-GB")[:2] == ["joe", "bf_emma"] and named(
        "heart", "en-GB", BUILT_IN
    ) == ["joe"]


def test_a_machine_without_a_model_gives_the_further_speakers_what_it_has(monkeypatch):
    monkeypatch.setattr(
        "svc.media.speech.trained.weights.is_installed", lambda model: model in BUILT_IN
    )
    assert [other.speaker for other in Trained().find_other_voices("en", ADA)] == ["joe"]
    assert [
        other.speaker
        for other in Trained().find_other_voices("en", Presenter("Emma", "f2", speaker="bf_emma"))
    ] == ["joe"]
    assert [other.voice for other in Trained().find_other_voices("de", ADA)] == [
        other.voice for other in Espeak().find_other_voices("de", ADA)
    ]


def test_the_first_speaker_keeps_their_voice_when_anothers_is_lost(monkeypatch):
    monkeypatch.setattr(
        "svc.media.speech.trained.weights.is_installed", lambda model: model in BUILT_IN
    )
    voice = Trained()
    voice._record_loss("joe", voices.STOPPED)
    assert (
        voice.find_model("en", ADA) == "hibari 0.2.1, voice heart"
        and voice.find_other_voices("en", ADA) == []
    )


def test_espeak_speaks_for_everybody_when_the_presenters_voice_is_lost():
    voice = Trained()
    voice._record_loss("heart", voices.STOPPED)
    everybody = [ADA, *voice.find_other_voices("en", ADA)]
    assert len(everybody) > 3 and {voice.find_model("en", each) for each in everybody} == {""}
    assert len({json.dumps(voice.identify_sound("en", each)) for each in everybody}) == len(
        everybody
    )


@pytest.mark.parametrize("variant", ["", "f3", "f1", "m1", "m3", "m8"])
def test_espeaks_further_voices_are_of_the_other_register_first(variant):
    avatar = Presenter("Ada", variant, 90)
    further = Espeak().find_other_voices("en", avatar)
    assert [other.voice[0] for other in further[:3]] == list(
        "mfm" if variant.startswith("f") else "fmf"
    )
    assert variant not in {other.voice for other in further} and {
        other.pitch for other in further
    } == {50}
    assert (
        len({str(Espeak().identify_sound("en", each)) for each in [avatar, *further]})
        == len(further) + 1
    )


def test_pipers_further_voices_are_its_other_models_and_their_speakers(tmp_path):
    for name, code, speakers in (
        ("amy", "en_US", {}),
        ("ben", "en_US", {}),
        ("many", "en_GB", {"p1": 0, "p2": 1}),
    ):
        (tmp_path / f"{name}.onnx").write_bytes(b"no model")
        config = {"language": {"code": code}, "speaker_id_map": speakers}
        (tmp_path / f"{name}.onnx.json").write_text(json.dumps(config))
    voice = Piper(tmp_path)
    assert [other.speaker for other in voice.find_other_voices("en", ADA)] == ["ben", "p1", "p2"]
    assert [other.speaker for other in voice.find_other_voices("en-GB", ADA)] == [
        "p2",
        "amy",
        "ben",
    ]
    assert [
        other.speaker for other in voice.find_other_voices("en-GB", replace(ADA, speaker="p2"))
    ] == [
        "p1",
        "amy",
        "ben",
    ]
    assert (
        voices.list_model_names(
            voice.find_model("en-GB", replace(ADA, speaker=name)) for name in ("p1", "p2")
        )
        == "many, voices p1, p2"
    )
    assert [other.voice for other in voice.find_other_voices("fr", ADA)] == [
        other.voice for other in Espeak().find_other_voices("fr", ADA)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "voice"), [("en", Trained()), ("en", None), ("de", Trained())]
)
def test_two_speakers_of_this_machine_are_told_apart_by_their_pitch(tmp_path, language, voice):
    made = record(tmp_path, voice, language=language)
    index, scene = talk_of(made.script)
    words = made.timeline.scenes[index].words
    heights: dict[str, list[float]] = {"Anna": [], "Ben": []}
    for point in scene.points:
        for word in words[point.first_word : point.last_word + 1]:
            heights[point.label] += fundamentals(heard(made.folder, word))
    high, low = (float(numpy.median(heights[name])) for name in ("Anna", "Ben"))
    assert high > 160 and low < 130


def fundamentals(samples) -> list[float]:
    """The fundamental frequency in Hz of each 40 ms that has one, by autocorrelation."""
    found, length, loud = (
        [],
        RATE // 25,
        numpy.sqrt((samples.astype(float) ** 2).mean()) if len(samples) else 0,
    )
    for at in range(0, len(samples) - length, length // 2):
        part = samples[at : at + length] - samples[at : at + length].mean()
        power = numpy.abs(numpy.fft.rfft(part * numpy.hanning(length), 4 * length)) ** 2
        alike = numpy.fft.irfft(power)[: RATE // 60]
        best = RATE // 400 + int(numpy.argmax(alike[RATE // 400 :]))
        if numpy.sqrt((part**2).mean()) > loud / 2 and alike[best] > 0.4 * alike[0]:
            found.append(RATE / best)
    return found
