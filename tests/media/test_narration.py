"""The narration, judged by measurements of its sound."""

import itertools
import subprocess
import sys
import wave
from dataclasses import replace

import numpy
import pytest

from svc.media import audio
from svc.media.captions import captions, limits
from svc.media.errors import NarrationError, VoiceLost
from svc.media.model import Presenter
from svc.media.resources import Resources
from svc.media.script import step as script_step
from svc.media.speech import espeak, narration, word_times
from svc.media.text.pronunciation.pieces import is_unspoken
from svc.media.voice import SpokenPassage, Utterance

WORDS = ["Every,", "word,", "stands,", "between,", "two,", "pauses,", "here,", "alone."]
PASSAGE = SpokenPassage(tuple(WORDS))


def heard(path) -> numpy.ndarray:
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 48000)
        return numpy.frombuffer(file.readframes(file.getnframes()), "<i2")


def power_of_two(length: int) -> int:
    """At least ``length``; other lengths take the transform many times longer."""
    return 1 << (length - 1).bit_length()


def k_weighted(samples: numpy.ndarray) -> numpy.ndarray:
    """ITU-R BS.1770-4, annex 1: the two filters at 48 kHz, by their response to each frequency."""
    length = power_of_two(2 * len(samples))
    z = numpy.exp(-2j * numpy.pi * numpy.fft.rfftfreq(length))
    shelf = 1.53512485958697 - 2.69169618940638 * z + 1.19839281085285 * z**2
    shelf /= 1 - 1.69065929318241 * z + 0.73248077421585 * z**2
    high = (1 - 2 * z + z**2) / (1 - 1.99004745483398 * z + 0.99007225036621 * z**2)
    return numpy.fft.irfft(numpy.fft.rfft(samples / 32768, length) * shelf * high)[: len(samples)]


def loudness(samples: numpy.ndarray) -> float:
    """Integrated loudness in LUFS, by BS.1770-4's two gates; written for this test,
    apart from the engine's meter.
    """
    power = numpy.concatenate([[0], numpy.cumsum(k_weighted(samples) ** 2)])
    starts = numpy.arange(0, len(samples) - 19200 + 1, 4800)
    blocks = (power[starts + 19200] - power[starts]) / 19200
    blocks = blocks[-0.691 + 10 * numpy.log10(blocks + 1e-12) > -70]
    gate = 10 * numpy.log10(blocks.mean()) - 10
    return float(-0.691 + 10 * numpy.log10(blocks[10 * numpy.log10(blocks) > gate].mean()))


def true_peak(samples: numpy.ndarray) -> float:
    """dBTP, by reading between the samples four times."""
    length = power_of_two(len(samples))
    between = 4 * numpy.fft.irfft(numpy.fft.rfft(samples / 32768, length), 4 * length)
    return float(20 * numpy.log10(numpy.abs(between).max()))


@pytest.mark.slow
def test_the_narration_is_as_loud_as_platforms_ask(programme):
    samples = heard(programme.folder / "narration.wav")
    assert loudness(samples) == pytest.approx(-14, abs=1)
    assert true_peak(samples) <= -1


def test_the_engines_meter_agrees_with_ours(programme):
    samples = heard(programme.folder / "narration.wav")[: 10 * 48_000]
    assert audio.measure(samples).integrated == pytest.approx(loudness(samples), abs=0.1)


def test_the_timeline_is_as_long_as_the_sound(programme):
    samples = heard(programme.folder / "narration.wav")
    assert programme.timeline.duration == pytest.approx(len(samples) / 48000, abs=1e-6)
    assert programme.timeline.scenes[-1].end == programme.timeline.duration


def test_scenes_follow_each_other_on_whole_frames(programme):
    scenes = programme.timeline.scenes
    assert scenes[0].start == 0
    for one, other in itertools.pairwise(scenes):
        assert one.end == other.start
        assert one.end * 30 == pytest.approx(round(one.end * 30), abs=1e-3)


def test_there_is_silence_around_a_scenes_boundary(programme):
    samples = numpy.abs(heard(programme.folder / "narration.wav").astype(int))
    for scene in programme.timeline.scenes[:-1]:
        quiet = samples[round((scene.end - 0.38) * 48000) : round((scene.end + 0.18) * 48000)]
        assert quiet.max() < 400


def test_a_short_last_row_stays_long_enough_for_a_caption(make_programme):
    """Without some silence after it, the row before has to share a line."""
    made = make_programme(metadata_md="# Fixed\n\n- Crash at start\n- Slow\n- So\n")
    scene, timing = next(
        pair
        for pair in zip(made.script.scenes, made.timeline.scenes, strict=True)
        if pair[0].layout == "points"
    )
    last = timing.words[scene.points[-1].first_word]
    assert last.end - last.start < captions.LEAST_CUE - (narration.TAIL - captions.CROSSFADE)
    assert timing.end - captions.CROSSFADE - last.start >= captions.LEAST_CUE


def test_a_short_heading_is_followed_by_enough_silence_for_its_caption(make_programme):
    """Without it, the caption of "Go" had to share the first words of the next sentence."""
    made = make_programme(metadata_md="# Go\n\n- The boat lies on the mud of the harbour\n- Wait\n")
    number = next(
        at for at, scene in enumerate(made.script.scenes) if scene.words[:2] == ("Go", "The")
    )
    timing = made.timeline.scenes[number]
    heading, following = timing.words[:2]
    assert heading.end - heading.start < captions.LEAST_CUE
    assert following.start - heading.start >= captions.LEAST_CUE + limits.GAP_IN_FILES
    samples = numpy.abs(heard(made.folder / "narration.wav").astype(int))
    quiet = samples[round((heading.end + 0.1) * 48000) : round((following.start - 0.1) * 48000)]
    assert len(quiet) and quiet.max() < 400
    (first, second) = [
        made.script.scenes[number].words[cue.first_word : cue.last_word + 1]
        for cue in captions.split_cues(made.script, made.timeline, 22, 2)
        if cue.scene == number
    ][:2]
    assert first == ("Go",) and second[0] == "The"


def test_each_word_has_its_time_in_order(programme):
    for scene, timing in zip(programme.script.scenes, programme.timeline.scenes, strict=True):
        assert tuple(word.text for word in timing.words) == scene.words
        times = [moment for word in timing.words for moment in (word.start, word.end)]
        assert times == sorted(times)
        assert timing.start < times[0] and times[-1] < timing.end


def test_words_start_with_their_sound():
    ((samples, times),) = narration.speak([PASSAGE], "en", Presenter("Ada"))
    loud = numpy.flatnonzero(numpy.abs(samples.astype(int)) > 500)
    onsets = [
        loud[0],
        *(after for before, after in itertools.pairwise(loud) if after - before > 0.1 * 48000),
    ]
    errors = [min(abs(onset / 48000 - start) for onset in onsets) for start, _ in times]
    assert numpy.median(errors) < 0.04 and max(errors) < 0.1


def test_a_word_that_the_voice_passes_over_has_a_time_too():
    ((_, times),) = narration.speak(
        [SpokenPassage(("Tea", "\u00b7\u00b7\u00b7", "is", "good."))], "en", Presenter("Ada")
    )
    starts = [start for start, _ in times]
    assert len(set(starts)) == 4 and starts == sorted(starts)


@pytest.mark.slow
def test_the_same_script_gives_the_same_bytes(programme, tmp_path, make_brief, unwatched):
    (tmp_path / "script.json").write_bytes((programme.folder / "script.json").read_bytes())
    narration.record_narration(make_brief(), tmp_path, unwatched)
    for name in ("narration.wav", "timeline.json"):
        assert (tmp_path / name).read_bytes() == (programme.folder / name).read_bytes()


def test_a_stressed_word_is_longer_and_louder_than_its_plain_self():
    words = ("This", "is", "really", "good", "tea", "today.")
    plain, stressed = (
        narration.speak([SpokenPassage(words, which)], "en", Presenter("Ada"))[0]
        for which in ((), (2,))
    )
    lengths = [[end - start for start, end in times] for _, times in (plain, stressed)]
    assert lengths[1][2] > 1.1 * lengths[0][2]
    peaks = [
        numpy.abs(
            samples[round(times[2][0] * 48000) : round(times[2][1] * 48000)].astype(int)
        ).max()
        for samples, times in (plain, stressed)
    ]
    assert peaks[1] > 1.05 * peaks[0]
    assert lengths[1][4] == pytest.approx(lengths[0][4], abs=0.02)  # the rest is as it was


def test_signs_beside_a_stressed_word_are_no_markup():
    words = ("Tea", "&", "<b>", "milk", "<break", "time='9s'/>", "now.")
    ((samples, times),) = narration.speak([SpokenPassage(words, (3,))], "en", Presenter("Ada"))
    assert len(times) == len(words) and len(samples) / 48000 < 8


def test_a_whole_paragraph_in_bold_is_not_stressed():
    assert SpokenPassage(tuple("abcdefghij"), tuple(range(10))).find_stressed_runs() == []
    assert SpokenPassage(tuple("abcdefghij"), (1, 2, 5)).find_stressed_runs() == [
        range(1, 3),
        range(5, 6),
    ]


def test_a_rate_and_a_pitch_are_heard():
    slow, fast = (
        narration.speak([PASSAGE], "en", Presenter("Ada", words_per_minute=rate))[0][0]
        for rate in (120, 240)
    )
    assert len(slow) > 1.4 * len(fast)
    low, high = (
        narration.speak([PASSAGE], "en", Presenter("Ada", pitch=pitch))[0][0] for pitch in (10, 90)
    )
    assert not numpy.array_equal(low, high)


@pytest.mark.slow
@pytest.mark.parametrize(("language", "pace"), [("fr", 165), ("en", 320)])
def test_nobody_speaks_faster_than_captions_can_be_read(make_programme, language, pace):
    recorded = make_programme(language=language, avatar=Presenter("Ada", words_per_minute=pace))
    hastes = [
        captions.measure_speed_ratio(*scene, language)
        for scene in zip(recorded.script.scenes, recorded.timeline.scenes, strict=True)
    ]
    assert 0.6 < max(hastes) <= 1.0


def test_the_pause_after_a_heading_hurries_no_caption(make_programme):
    """It moves the ends of those that follow, which were measured before there was a pause."""
    notes = (
        "## Problème\n\nSuite à des échanges approfondis avec plus de 30 acteurs (agents en DDETS "
        "ou DRIHL, tribunaux administratifs, travailleurs sociaux, produits existants ou connexes) "
        "il apparaît que les équipes sur le terrain peinent à traiter ce contentieux de masse."
    )
    recorded = make_programme(language="fr", metadata_md=notes)
    for scene in zip(recorded.script.scenes, recorded.timeline.scenes, strict=True):
        assert captions.measure_speed_ratio(*scene, "fr") <= 1.0


@pytest.mark.parametrize(
    "notes",
    [
        "The file lies at `01d26a73-3013-3f0a-33a6-7b326d4b6048`. It is kept for a year.",
        "- The first one: 75d4128d803155e7dc12f07c3ced4450032b5042093439cfe39427e58c10deac",
        "See 6u86lUwB7vPx3QcV5aEZ2fh3mMeRaBHx2jbf2DXLnJR== for the report of this spring.",
    ],
)
def test_a_hash_is_read_in_a_pause_and_slows_nobody(make_programme, notes):
    """Its caption takes longer to read than the words beside it to say."""
    recorded = make_programme(metadata_md=notes)
    at = next(
        at for at, scene in enumerate(recorded.script.scenes) if any(map(is_unspoken, scene.spoken))
    )
    scene, timing = recorded.script.scenes[at], recorded.timeline.scenes[at]
    assert captions.measure_speed_ratio(scene, timing, "en") <= 1.0
    said = [
        word
        for word, spoken in zip(timing.words, scene.spoken, strict=True)
        if not is_unspoken(spoken)
    ]
    alone = narration.speak([SpokenPassage(scene.spoken)], "en", recorded.brief.avatar)[0][1]
    there = [word.end - word.start for word in said]
    assert sum(there) < 1.1 * sum(
        end - start
        for (start, end), spoken in zip(alone, scene.spoken, strict=True)
        if not is_unspoken(spoken)
    )


class Leaving(espeak.Espeak):
    """A deeper voice, which is lost when it is to speak a second time."""

    def __init__(self):
        self.asked = 0

    def find_model(self, language, avatar):
        return "deep" if self.asked < 2 else ""

    def utter(self, passages, language, avatar):
        self.asked += 1
        if self.asked == 2:
            raise VoiceLost("It is lost.")
        yield from super().utter(
            passages, language, replace(avatar, pitch=10) if self.asked < 2 else avatar
        )


@pytest.mark.slow
def test_a_voice_that_is_lost_while_it_slows_down_speaks_no_part_of_the_programme(
    make_brief, tmp_path, unwatched
):
    brief = make_brief(
        metadata_md="Unforgettable relationships strengthen communities.",
        avatar=Presenter("Ada", "", 50, 450),
    )
    script_step.write_step(brief, tmp_path, unwatched)
    made = []
    for resources in (Resources(voice=(voice := Leaving())), Resources()):
        narration.record_narration(brief, tmp_path, unwatched, resources)
        made.append([(tmp_path / name).read_bytes() for name in ("narration.wav", "timeline.json")])
    assert voice.asked > 2 and made[0] == made[1]


@pytest.mark.parametrize(
    ("variant", "language"), [("nobody", "en"), ("../f1", "en"), ("f1", "ja"), ("f1", "")]
)
def test_an_unknown_voice_is_an_error(variant, language):
    with pytest.raises(NarrationError) as caught:
        narration.speak([SpokenPassage(("Tea",))], language, Presenter("Ada", variant))
    assert caught.value.code == ("VOICE_UNKNOWN" if language == "en" else "LANGUAGE_NOT_SPOKEN")


def test_a_voice_that_cannot_read_its_data_says_so(monkeypatch, tmp_path):
    (tmp_path / "lang/gmw").mkdir(parents=True)
    (tmp_path / "lang/gmw/en-US").touch()
    monkeypatch.setattr(espeak.espeakng_loader, "get_data_path", lambda: str(tmp_path))
    with pytest.raises(NarrationError, match="is not readable"):
        narration.speak([SpokenPassage(("Tea",))], "en", Presenter("Ada"))


def test_a_narration_without_end_is_an_error(monkeypatch):
    monkeypatch.setattr(narration, "LONGEST_PROGRAMME", 1)
    with pytest.raises(NarrationError) as caught:
        narration.speak([PASSAGE, PASSAGE], "en", Presenter("Ada"))
    assert caught.value.code == "NARRATION_TOO_LONG"


def test_silence_is_an_error():
    with pytest.raises(NarrationError, match="no sound"):
        audio.normalise(numpy.zeros(48000, numpy.int16))


def test_a_sound_shorter_than_a_meters_block_is_levelled():
    click = (8000 * numpy.sin(numpy.arange(4800) / 20)).astype(numpy.int16)
    assert numpy.abs(audio.normalise(click)).max() > 0
    assert len(audio.normalise(click)) == 4800


def test_no_home_is_needed(tmp_path):
    passage = "n.SpokenPassage(('Tea',))"
    code = (
        f"from svc.media.speech import narration as n; print(len(n.speak([{passage}], 'en', "
        "n.Presenter('Ada'))))"
    )
    paths = ":".join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "1\n"


@pytest.mark.slow
def test_progress_rises_to_one(make_brief, programme, tmp_path):
    (tmp_path / "script.json").write_bytes((programme.folder / "script.json").read_bytes())
    fractions = []
    narration.record_narration(make_brief(), tmp_path, fractions.append)
    assert (
        fractions == sorted(fractions)
        and fractions[-1] == 1.0
        and len(fractions) > len(programme.script.scenes)
    )


def test_the_voice_reads_its_data_however_long_their_path_is(tmp_path, monkeypatch):
    expected = next(espeak.Espeak().utter([PASSAGE], "en", Presenter("A")))
    deep = tmp_path / ("deep" * 50)
    deep.mkdir()
    (deep / "data").symlink_to(espeak.espeakng_loader.get_data_path())
    monkeypatch.setattr(espeak.espeakng_loader, "get_data_path", lambda: str(deep / "data"))
    assert numpy.array_equal(
        next(espeak.Espeak().utter([PASSAGE], "en", Presenter("A"))).samples, expected.samples
    )


def test_a_word_whose_sound_begins_shortly_before_its_reported_start_begins_with_it():
    """Otherwise the word before it would last through the pause,
    and the gates would find silence under it.
    """
    rate, tone = 1000, [9000] * 400
    samples = numpy.array([*tone, *[0] * 500, *tone], numpy.int16)
    speech = word_times.time_words(
        Utterance(samples, rate, ((0, 0), (1, 950))), SpokenPassage(("one", "two")), "en"
    )
    (_, end), (start, _) = speech.times
    assert (start, end) == pytest.approx((0.9, 0.42), abs=0.002)
