"""Piper's voices: the real library with a real ONNX model, which hums a tone for each sound instead
of speaking.

What a trained voice sounds like is not judged here: none may be fetched where the tests run.
"""

import json
from dataclasses import replace

import numpy
import pytest

from svc.media.errors import NarrationError
from svc.media.model import Presenter
from svc.media.resources import Resources
from svc.media.speech import narration, piper
from svc.media.speech.piper import Piper
from svc.media.speech.trained.voice import Trained
from svc.media.voice import SpokenPassage

ADA = Presenter("Ada")
TEA = SpokenPassage(("Tea", "is", "made", "of", "twenty-one", "leaves.", "We", "wait."))
RATE, HOP, HOPS = 22_050, 256, 4  # samples a second; samples; hops that each sound id lasts: 46 ms


@pytest.fixture
def make_voice(tmp_path):
    """Put a voice's configuration into the folder, and a file that stands for its model."""
    folder = tmp_path / "voices"
    folder.mkdir()

    def make(name, code="en_US", **more):
        (folder / f"{name}.onnx").write_bytes(b"no model")
        config = {
            "language": {"code": code},
            "espeak": {"voice": "en-us"},
            "num_speakers": 1,
            **more,
        }
        (folder / f"{name}.onnx.json").write_text(json.dumps(config))
        return folder

    return make


def test_the_first_voice_of_a_language_speaks_it_and_its_region_comes_first(make_voice):
    for name, code in (
        ("amy", "en_US"),
        ("ben", "en_US"),
        ("cori", "en_GB"),
        ("thorsten", "de_DE"),
    ):
        folder = make_voice(name, code)
    voices = Piper(folder)
    assert [voices.find_model(code, ADA) for code in ("en", "en-GB", "de", "fr")] == [
        "amy",
        "cori",
        "thorsten",
        "",
    ]
    assert voices.find_model("en", Presenter("Ada", speaker="ben")) == "ben"
    assert voices.find_model("de", Presenter("Ada", speaker="ben")) == "thorsten"


def test_a_language_without_a_voice_is_espeaks(make_voice):
    resources = Resources(voice=Piper(make_voice("amy")))
    spoken, built_in = (
        narration.speak([TEA], "fr", ADA, resources=used) for used in (resources, Resources())
    )
    assert numpy.array_equal(spoken[0][0], built_in[0][0]) and spoken[0][1] == built_in[0][1]


def test_a_trained_voice_speaks_the_languages_without_a_voice_for_a_presenter_with_one_of_pipers(
    make_voice,
):
    voice, ben = Piper(make_voice("ben"), Trained()), Presenter("Ada", "f3", speaker="ben")
    plain = replace(ben, speaker="")
    assert voice.find_model("fr", ben) == voice.find_model("fr", plain) and voice.identify_sound(
        "fr", ben
    ) == voice.identify_sound("fr", plain)
    assert list(voice.utter([], "fr", ben)) == []
    assert voice.identify_sound("fr", replace(ben, speaker="joe")) == Trained().identify_sound(
        "fr", replace(ben, speaker="joe")
    )


@pytest.mark.parametrize("config", ["", "[]", "{}", '{"language": 5}', '{"espeak": {}}'])
def test_a_voice_without_its_configuration_is_a_clear_error(make_voice, config):
    folder = make_voice("amy")
    (folder / "amy.onnx.json").write_text(config)
    with pytest.raises(NarrationError, match="amy has no readable configuration") as refused:
        Piper(folder)
    assert refused.value.code == "VOICE_UNKNOWN"


def test_a_voice_without_piper_says_what_is_missing(make_voice, monkeypatch):
    def version(name):
        raise piper.PackageNotFoundError(name)

    monkeypatch.setattr(piper, "version", version)
    with pytest.raises(NarrationError, match="install piper-tts"):
        narration.speak([TEA], "en", ADA, resources=Resources(voice=Piper(make_voice("amy"))))


@pytest.mark.parametrize(
    ("starts", "events"),
    [
        ([0, 10, 20, 30], ((0, 0), (1, 10), (2, 30))),
        ([0, 10, 20], None),  # two words drawn together
        (None, None),
    ],
)
def test_times_are_believed_where_every_word_has_one(starts, events):
    assert piper._match_events(starts, SpokenPassage(("Tea", "five kilometers", "away."))) == events


def hum(path, durations: bool) -> None:
    """A model with Piper's inputs and outputs: each sound gives HOPS hops of a tone of its own,
    longer by the length scale.
    """
    onnx = pytest.importorskip("onnx")
    from piper.phoneme_ids import DEFAULT_PHONEME_ID_MAP

    make, kinds, tensor = (
        onnx.helper.make_node,
        onnx.TensorProto,
        onnx.helper.make_tensor_value_info,
    )
    symbols = 256
    pitch = (2 * numpy.pi * (150 + 7 * numpy.arange(symbols)) / RATE).astype(numpy.float32)
    constants = {
        "pitch": pitch,
        "one": numpy.array([1], numpy.int64),
        "zero": numpy.array(0, numpy.float32),
        "step": numpy.array(1, numpy.float32),
        "hops": numpy.array(HOPS, numpy.float32),
        "hop": numpy.array(HOP, numpy.float32),
        "quiet": numpy.array(0.5, numpy.float32),
        "flat": numpy.array([1, 1, -1], numpy.int64),
        "nought": numpy.array([0], numpy.int64),
        "two": numpy.array([2], numpy.int64),
        "row": numpy.array([1, -1], numpy.int64),
    }
    nodes = [
        make("Slice", ["scales", "one", "two"], ["length_scale"]),
        make("Squeeze", ["length_scale"], ["length"]),
        make("Mul", ["hops", "length"], ["wished"]),
        make("Round", ["wished"], ["lasts"]),
        make("Mul", ["lasts", "hop"], ["samples"]),
        make("Range", ["zero", "samples", "step"], ["moments"]),
        make("Gather", ["pitch", "input"], ["pitches"]),
        make("Unsqueeze", ["pitches", "two"], ["column"]),
        make("Mul", ["column", "moments"], ["phases"]),
        make("Sin", ["phases"], ["tones"]),
        make("Mul", ["tones", "quiet"], ["softer"]),
        make("Reshape", ["softer", "flat"], ["output"]),
    ]
    outputs = [tensor("output", kinds.FLOAT, [1, 1, None])]
    if durations:
        nodes += [
            make("Shape", ["input"], ["shape"]),
            make("Expand", ["lasts", "shape"], ["w_ceil"]),
        ]
        outputs.append(tensor("w_ceil", kinds.FLOAT, [1, None]))
    inputs = [
        tensor(name, kinds.INT64, shape)
        for name, shape in (("input", [1, None]), ("input_lengths", [1]))
    ]
    inputs.append(tensor("scales", kinds.FLOAT, [3]))
    graph = onnx.helper.make_graph(
        nodes,
        "hum",
        inputs,
        outputs,
        [onnx.numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9
    )
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    config = {
        "audio": {"sample_rate": RATE},
        "espeak": {"voice": "en-us"},
        "language": {"code": "en_US"},
        "num_symbols": symbols,
        "num_speakers": 1,
        "inference": {"noise_scale": 0, "length_scale": 1, "noise_w": 0},
        "hop_length": HOP,
        "phoneme_id_map": {name: list(ids) for name, ids in DEFAULT_PHONEME_ID_MAP.items()},
    }
    path.with_name(path.name + ".json").write_text(json.dumps(config))


@pytest.fixture
def humming(tmp_path):
    pytest.importorskip("piper")

    def make(durations=True):
        folder = tmp_path / ("timed" if durations else "untimed")
        folder.mkdir(exist_ok=True)
        hum(folder / "hum.onnx", durations)
        return Piper(folder)

    return make


@pytest.mark.slow
def test_the_models_own_times_are_the_words(humming):
    """Each sound lasts as long as every other, so a word's time is the number of its sounds."""
    (utterance,) = humming().utter([TEA], "en", ADA)
    assert utterance.rate == RATE and [word for word, _ in utterance.words] == list(
        range(len(TEA.words))
    )
    one = HOP * HOPS
    assert all(sample % one == 0 for _, sample in utterance.words)
    ((samples, times),) = narration.speak([TEA], "en", ADA, resources=Resources(voice=humming()))
    lengths = dict(zip(TEA.words, [end - start for start, end in times], strict=True))
    assert lengths["twenty-one"] > lengths["made"] > lengths["is"] > 0.05
    assert len(samples) / 48_000 == pytest.approx(len(utterance.samples) / RATE, abs=0.2)


@pytest.mark.slow
def test_a_presenters_pace_makes_sounds_longer(humming):
    plain, slow = (
        next(humming().utter([TEA], "en", avatar))
        for avatar in (ADA, Presenter("Ada", words_per_minute=110))
    )
    assert len(slow.samples) == pytest.approx(1.5 * len(plain.samples), rel=0.01)


@pytest.mark.slow
def test_a_model_without_times_has_its_words_found(humming):
    (utterance,) = humming(durations=False).utter([TEA], "en", ADA)
    assert utterance.words is None
    ((_, times),) = narration.speak(
        [TEA], "en", ADA, resources=Resources(voice=humming(durations=False))
    )
    starts = [start for start, _ in times]
    assert len(times) == len(TEA.words) and starts == sorted(starts)


@pytest.mark.slow
def test_a_model_that_is_none_is_a_clear_error(make_voice):
    pytest.importorskip("piper")
    with pytest.raises(NarrationError, match="Piper's voice stopped"):
        narration.speak(
            [TEA],
            "en",
            ADA,
            resources=Resources(voice=Piper(make_voice("amy", audio={"sample_rate": RATE}))),
        )


@pytest.mark.slow
def test_sounds_in_brackets_are_words_like_others(humming):
    (utterance,) = humming().utter([SpokenPassage(("Tea", "[[t", "i:]]", "now."))], "en", ADA)
    assert len(utterance.samples) > 0
