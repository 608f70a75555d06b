"""The trained voices: which one speaks, what becomes of one that cannot, and how they sound."""

import json
import subprocess
import sys

import numpy
import pytest
from support import hearing
from support.onsets import offsets
from support.patience import PATIENCE
from support.sentences import SENTENCES

from svc.base import settings, voices
from svc.base.processes import entry_points
from svc.base.processes.entry_points import SPEAKING, Process
from svc.media import audio, deliverables
from svc.media import model as programme
from svc.media.errors import NarrationError, VoiceLost
from svc.media.model import Presenter, Timeline
from svc.media.proof import provenance
from svc.media.resources import Resources
from svc.media.speech import narration
from svc.media.speech.trained import phonemes, process, reading, weights
from svc.media.speech.trained import voice as trained
from svc.media.speech.trained.voice import Trained
from svc.media.text import tokens
from svc.media.voice import SpokenPassage
from svc.work.step_process import runner as step_runner
from svc.work.step_process.config import StepConfig
from svc.work.step_process.context import build_resources
from svc.work.step_process.outcomes import Completed

ADA, KOFI = Presenter("Ada", "f3"), Presenter("Kofi", "m3")
BUILT_IN, ALL = frozenset({voices.HIBARI, voices.JOE}), frozenset(voices.TITLES)
TEA = SpokenPassage(("Tea", "is", "made", "of", "leaves.", "We", "wait."), (), (4, 6))
UNUSABLE = 'import sys; sys.stdin.read(); print(\'{"unusable": "changed"}\')'

CUT = """
import sys
sys.stdin.read()
print('{"ready": true}')
print('{"bytes": 9000, "rate": 24000, "words": [], "sounds": []}')
print("and no more")
"""

HANGING = """
import sys, time
from svc.media.speech.trained import models, process

class Hanging:
    rate, longest = 24_000, 400
    def speak(self, phonemes, speed):
        time.sleep(600)

process._LONGEST_SECONDS = 1
models.load = lambda name, style: Hanging()
sys.exit(process.main())
"""


def passage(text: str) -> SpokenPassage:
    read = tokens.tokenize_text(text, "en")
    return SpokenPassage(
        tuple(token.spoken for token in read),
        (),
        tuple(at for at, token in enumerate(read) if token.ends),
    )


def chosen(
    language: str, speaker: str = "", lower: bool = False, models: frozenset[str] = BUILT_IN
) -> str | None:
    voice = voices.choose_voice(language, speaker, lower, models)
    return voice.name if voice else None


def test_english_has_a_trained_voice_of_each_register_without_anything_besides():
    assert [chosen("en"), chosen("en", lower=True), chosen("en-GB")] == ["heart", "joe", "heart"]
    assert chosen("fr") is None


def test_installed_voices_speak_the_languages_that_the_built_in_ones_do_not():
    assert [
        chosen(code, models=ALL)
        for code in ("en", "en-GB", "es-419", "fr", "it", "pt-BR", "hi", "de")
    ] == ["heart", "bf_emma", "ef_dora", "ff_siwis", "if_sara", "pf_dora", "hf_beta", None]
    assert [chosen(code, lower=True, models=ALL) for code in ("es", "en-GB", "pt")] == [
        "em_alex",
        "bm_daniel",
        "pm_alex",
    ]


def test_japanese_and_both_ways_to_write_mandarin_have_voices_of_each_register():
    codes = ("ja", "zh", "zh-TW")
    assert [chosen(code, models=ALL) for code in codes] == ["jf_alpha", "zf_xiaobei", "zf_xiaobei"]
    lower = [chosen(code, lower=True, models=ALL) for code in codes]
    assert lower == ["jm_kumo", "zm_yunxi", "zm_yunxi"] and chosen("ko", models=ALL) is None
    readers = [
        trained._choose_reader(voices.VOICES[name], code)
        for name, code in (("jf_alpha", "ja"), ("zm_yunxi", "zh-TW"), ("ff_siwis", "fr"))
    ]
    assert readers == ["japanese", "mandarin", ""]


def test_a_language_that_nothing_here_reads_is_not_spoken(monkeypatch):
    monkeypatch.setattr(weights, "is_installed", lambda model: True)
    monkeypatch.setattr(weights, "can_read", lambda language: language != "ja")
    with pytest.raises(NarrationError) as refused:
        Trained().identify_sound("ja", Presenter("Ada", speaker="jf_alpha"))
    assert refused.value.code == "LANGUAGE_NOT_SPOKEN"
    assert Trained().identify_sound("zh", ADA)[2] == "zf_xiaobei"


@pytest.mark.parametrize("name", ["japanese", "mandarin"])
def test_a_reader_that_cannot_be_loaded_makes_the_voice_unusable(monkeypatch, name):
    monkeypatch.setitem(sys.modules, f"svc.media.speech.trained.{name}", None)
    with pytest.raises(weights.Unusable) as unusable:
        process._find_reader(name)
    assert unusable.value.reason == voices.BROKEN


def test_a_named_voice_speaks_its_language_and_one_of_its_register_the_others():
    assert chosen("en", "am_michael", models=ALL) == "am_michael"
    assert chosen("it", "joe", models=ALL) == "im_nicola"
    assert chosen("en", "am_michael") == "joe"


def test_an_unknown_voice_is_a_clear_error():
    with pytest.raises(
        NarrationError, match="no voice called 'bob'; there are: bf_emma"
    ) as refused:
        Trained().identify_sound("en", Presenter("Ada", speaker="bob"))
    assert refused.value.code == "VOICE_UNKNOWN"


def test_cached_speech_is_another_for_each_voice_and_pace():
    kept = [
        Trained().identify_sound("en", avatar)
        for avatar in (ADA, KOFI, Presenter("Ada", words_per_minute=140))
    ]
    assert len({str(each) for each in kept}) == 3


def test_a_model_that_is_not_the_tested_one_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(weights, "_find_folder", lambda package: tmp_path)
    with pytest.raises(weights.Unusable) as missing:
        weights.add_durations_output(voices.HIBARI)
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "hibari.onnx").write_bytes(b"another model")
    with pytest.raises(weights.Unusable) as changed:
        weights.add_durations_output(voices.HIBARI)
    assert (missing.value.reason, changed.value.reason) == (voices.MISSING, voices.CHANGED)


def test_every_style_of_kokoro_is_the_tested_one():
    styles = [voice.name for voice in voices.VOICES.values() if voice.model == voices.KOKORO]
    assert {len(weights.load_style(name)) for name in styles} == {256 * 256 * 2}


def test_espeak_speaks_all_of_a_programme_whose_voice_cannot_be_loaded(tmp_path, monkeypatch):
    (tmp_path / "broken.py").write_text(UNUSABLE)
    file = entry_points.find_file
    monkeypatch.setattr(
        entry_points,
        "find_file",
        lambda process: str(tmp_path / "broken.py") if "trained" in process else file(process),
    )
    lost: list[tuple[str, str]] = []
    voice = Trained(lost=lambda *what: lost.append(what))
    instead, built_in = (
        narration.speak([TEA], "en", ADA, resources=used)
        for used in (Resources(voice=voice), Resources())
    )
    assert numpy.array_equal(instead[0][0], built_in[0][0])
    assert lost == [("heart", "changed")] and voice.find_model("en", ADA) == ""


def test_a_voice_that_stops_is_lost(tmp_path, monkeypatch):
    (tmp_path / "mute.py").write_text("")
    file = entry_points.find_file
    monkeypatch.setattr(
        entry_points,
        "find_file",
        lambda process: str(tmp_path / "mute.py") if "trained" in process else file(process),
    )
    with pytest.raises(VoiceLost, match="The voice heart stopped while it spoke"):
        list(Trained().utter([TEA], "en", ADA))


def test_a_voice_that_stops_within_a_passage_is_lost(tmp_path, monkeypatch):
    (tmp_path / "stops.py").write_text(CUT)
    monkeypatch.setattr(entry_points, "find_file", lambda process: str(tmp_path / "stops.py"))
    with pytest.raises(VoiceLost, match="The voice heart stopped while it spoke"):
        list(Trained().utter([TEA], "en", ADA))


@pytest.mark.parametrize("sign", ["10⁻⁶", "10:00²", "¹⁄₂", "⑴", "30²:00"])
def test_a_sign_that_english_cannot_read_as_a_figure_does_not_cost_the_sentence(english, sign):
    pieces = english.read_phonemes(["It", "is", sign, "now."])
    assert len(pieces) == 4 and all(piece.strip() for piece in pieces)


def test_a_sign_that_cannot_be_read_in_any_form_is_left_out(english, monkeypatch):
    def read(words: list[str]) -> list[str]:
        return [word and str(int(word)) for word in words]

    monkeypatch.setattr(english, "_split_pieces", read)
    assert english.read_phonemes(["10", "½", "⑴"]) == ["10", "", ""]


@pytest.fixture(scope="module")
def english() -> reading.English:
    return reading.English(british=False)


@pytest.mark.slow
def test_a_passage_that_cannot_be_spoken_ends_the_process():
    ended = subprocess.run(
        [sys.executable, "-P", entry_points.find_file(Process.TRAINED_VOICES), SPEAKING],
        timeout=60,
        capture_output=True,
        input=job(voices.HIBARI, speed="fast"),
        env={"PYTHONPATH": str(entry_points.ROOT), "PYTHONUTF8": "1"},
    )
    assert (ended.returncode, ended.stdout) == (1, b'{"ready": true}\n')


@pytest.mark.slow
def test_a_model_that_hangs_is_ended():
    ended = subprocess.run(
        [sys.executable, "-c", HANGING],
        timeout=60,
        capture_output=True,
        input=job(voices.JOE, speed=1.0),
        cwd=entry_points.ROOT,
    )
    assert (ended.returncode, ended.stdout) == (1, b'{"ready": true}\n')


def job(model: str, speed: object) -> bytes:
    """Return a job of the voices' process: one passage of one sentence."""
    passages = [[["tiː "]]]
    given = {
        "model": model,
        "style": "",
        "reader": "",
        "speed": speed,
        "passages": passages,
    }
    return json.dumps(given).encode()


def test_sentences_end_where_the_script_ends_them():
    dotted = SpokenPassage(("The", "U.S.", "market", "grows", "We", "wait"), (), (3, 5))
    assert trained.split_sentences(dotted) == [["The", "U.S.", "market", "grows"], ["We", "wait"]]
    assert trained.split_sentences(SpokenPassage(("Why?”", "Because."))) == [
        ["Why?”"],
        ["Because."],
    ]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "en",
            "One of the boats, I am told.",
            ["wˈʌn ", "ʌv", "ðə ", "bˈo^ʊts, ", "a^ɪ", "ɐm ", "tˈo^ʊld. "],
        ),
        ("es", "¿Verdad, Juan?", ["beɾðˈad, ", "xwˈan? "]),
        ("hi", "नमस्ते दुनिया।", ["nəmˈʌsteː ", "dˈʊnɪjˌaː. "]),
    ],
)
def test_each_word_has_its_phonemes(language, text, expected):
    assert phonemes.phonemize([tuple(text.split())], language) == [expected]


def test_the_operator_may_do_without_trained_voices():
    chosen_by = {
        name: StepConfig.from_settings(settings.read({"SVC_VOICE": name})).prepare_for_step(
            "narration"
        )
        for name in ("trained", "espeak-ng")
    }
    built = {name: build_resources(config, ignore, ignore) for name, config in chosen_by.items()}
    assert isinstance(built["trained"].voice, Trained) and built["espeak-ng"].voice is None
    assert StepConfig.from_settings(settings.read({})).trained


def ignore(*what) -> None:
    """What is told to nobody."""


def test_a_trained_voice_is_disclosed():
    timeline = Timeline(1.0, 48_000, (), voices.VOICES["heart"].title)
    origins = provenance.list_origins(programme.Script("Tea", "en", ()), timeline)
    assert provenance.Origin("voice", "hibari 0.2.1, voice heart", True) in origins
    assert "rainedAlgorithmicMedia" in provenance.find_source_type(origins)


def test_what_is_heard_names_its_trained_voice(make_brief, tmp_path):
    programme.save(Timeline(1.0, 48_000, (), "heart"), tmp_path / "timeline.json")
    programme.save(programme.Descriptions(()), tmp_path / "descriptions.json")
    named = {
        (file.path, file.voice)
        for file in deliverables.list_deliverables(make_brief(), tmp_path)
        if file.voice
    }
    assert named == {
        ("landscape.mp4", "heart"),
        ("portrait.mp4", "heart"),
        ("described.mp4", "heart"),
    }


@pytest.fixture
def say():
    """Say passages with a voice, which must not be lost."""

    def say(passages: list[SpokenPassage], name: str, language: str = "en"):
        lost: list[tuple[str, str]] = []
        resources = Resources(voice=Trained(lost=lambda *what: lost.append(what)))
        spoken = narration.speak(
            passages, language, Presenter("", speaker=name), resources=resources
        )
        assert lost == []
        return spoken

    return say


@pytest.mark.slow
@pytest.mark.parametrize("name", ["heart", "joe"])
def test_words_begin_with_their_sound_and_sentences_join_without_clicks(say, name):
    parted = SpokenPassage(
        ("Tea,", "water,", "sugar", "and", "milk.", "Nothing,", "then,", "is", "missing."),
        (),
        (4, 8),
    )
    [(samples, times), (again, _)] = say([parted, parted], name)
    assert numpy.array_equal(samples, again)  # the same text, the same bytes
    assert len(times) == 9 and numpy.percentile(offsets(samples, times), 95) <= 0.1
    starts = [start for start, _ in times]
    pause = samples[round((times[4][1]) * audio.SAMPLE_RATE) : round(starts[5] * audio.SAMPLE_RATE)]
    assert len(pause) > 0.2 * audio.SAMPLE_RATE and starts == sorted(starts)
    assert numpy.abs(numpy.diff(pause.astype(int))).max() < 300


@pytest.mark.slow
def test_the_step_of_a_production_speaks_with_the_voice_of_its_avatar(make_brief, tmp_path):
    brief = make_brief(
        metadata_md="Tea is made of leaves.", avatar=Presenter("Kofi", "m3", speaker="joe")
    )
    programme.save(brief, tmp_path / "brief.json")
    lost: list[str] = []
    for step in ("script", "narration"):
        outcome = step_runner.run_step(
            step,
            tmp_path,
            PATIENCE,
            lambda _: None,
            StepConfig(trained=True).prepare_for_step(step),
            report_lost_voice=lost.append,
        )
        assert isinstance(outcome, Completed)
    timeline = programme.load(Timeline, tmp_path / "timeline.json")
    assert (timeline.voice, lost) == ("Piper en_US-joe-medium", [])
    assert any(scene.sounds for scene in timeline.scenes)


@pytest.mark.judges
@pytest.mark.parametrize("name", ["heart", "joe"])
def test_whisper_understands_the_voice_and_dnsmos_likes_it(say, name):
    spoken = [passage(" ".join(SENTENCES[at : at + 4])) for at in (0, 28)]
    wrong, words, marks = 0, 0, []
    for said, (samples, _) in zip(spoken, say(spoken, name), strict=True):
        sound = hearing.for_judges(samples)
        verdict = hearing.understanding(said.text, sound)
        wrong, words = wrong + verdict.mistakes, words + verdict.words
        marks.append(hearing.quality(sound))
    print(f"{name}: {wrong} of {words} words understood otherwise, DNSMOS {numpy.mean(marks):.2f}")
    # of eight sentences; of sixty: tests/bench/voices.py
    assert wrong / words <= 0.03 and numpy.mean(marks) >= 3.3


@pytest.mark.judges
def test_kokoro_speaks_a_language_that_the_built_in_voices_do_not(say):
    [(samples, times)] = say([SpokenPassage(("Hola,", "buenos", "días."))], "ef_dora", "es")
    assert len(times) == 3 and 0.6 < len(samples) / audio.SAMPLE_RATE < 4
    assert hearing.quality(hearing.for_judges(samples)) > 2.8


@pytest.mark.judges
@pytest.mark.parametrize(
    ("name", "language", "text"),
    [
        ("jf_alpha", "ja", "東京では1,200人が集まりました。何を飲みますか。"),
        ("zf_xiaobei", "zh", "银行行长说，2026年5月2日，产量增长了18%。"),
        ("zm_yunxi", "zh-TW", "這部短片展示了小團隊如何打造更好的產品。"),
    ],
)
def test_kokoro_tells_the_start_of_each_japanese_and_mandarin_word(say, name, language, text):
    words = tuple(token.spoken for token in tokens.tokenize_text(text, language))
    [(samples, times)] = say([SpokenPassage(words)], name, language)
    starts = [start for start, _ in times]
    assert len(times) == len(words) and starts == sorted(set(starts))
    assert 0.08 < len(samples) / audio.SAMPLE_RATE / len(text) < 0.4
