"""The music bed: its score, its sound, how it gives way to speech,
and the gates that tell it from the speech.
"""

import dataclasses
import hashlib
import itertools
import tracemalloc

import numpy as np
import pytest
from small_programme import LANDSCAPE, brief_of, finish, ignore, timeline_of, voice
from support.sampling import sampled

from svc.base import deliverable_kinds
from svc.media import audio
from svc.media.brand_kit import BrandKit
from svc.media.checks import music as gate
from svc.media.checks import run as checks
from svc.media.checks import speech
from svc.media.checks.film_timeline import Film, find_scene_spans
from svc.media.checks.probe import ProbeResult
from svc.media.drawing.looks import LOOKS
from svc.media.errors import MediaError
from svc.media.model import QualityFindings, Script, load
from svc.media.music import ducking, mixing, score, synthesis
from svc.media.music.moods import MOODS, OF_LOOK, VARIANTS, Mood, choose_variant, vary_mood
from svc.media.music.track import Track
from svc.media.proof import provenance
from svc.media.video import mp4, render

RATE = audio.SAMPLE_RATE
TIMELINE = timeline_of()


def bed(mood: str, seconds: float, variant: int = 0) -> np.ndarray:
    return np.concatenate(
        list(synthesis.synthesise_blocks(vary_mood(MOODS[mood], variant), seconds, RATE))
    )


def of_brief(mood: str) -> Mood:
    """The variant of a mood that the production of ``brief_of()`` has."""
    return vary_mood(MOODS[mood], choose_variant(brief_of().production_id))


def spans():
    return find_scene_spans(TIMELINE, None)


@pytest.fixture(scope="module")
def narration():
    return voice(TIMELINE)


@pytest.fixture
def mixed(narration, tmp_path):
    """The programme's sound with a bed, as its folder keeps it, and a film of it."""
    mood = mixing.store_choice(brief_of(music="calm"), tmp_path)
    sound = mixing.mix_music(mood, narration, tmp_path / mixing.PROGRAMME)
    return tmp_path, np.array(sound), Film("landscape.mp4", LANDSCAPE, spans(), "eng", ())


def decoded(sound: np.ndarray) -> ProbeResult:
    return ProbeResult(sound=sound.astype(np.float32).reshape(-1, 4).mean(axis=1).astype(np.int16))


def judged(mixed, narration, sound) -> dict[str, bool]:
    """Return whether the gates of the speech and the music pass ``sound``."""
    folder, _, film = mixed
    result, findings = gate.separate_speech(film, decoded(sound), folder, folder / "speech")
    meant = narration.reshape(-1, 4).mean(axis=1)
    measures = speech.measure_speech(result.sound, speech.list_passages(film.scenes, meant, {}))
    return {
        finding.check: finding.passed
        for finding in [*speech.list_findings(film, measures), *findings]
    }


@pytest.mark.parametrize("mood", MOODS.values(), ids=MOODS)
@pytest.mark.parametrize("seconds", [1.0, 7.9, 20.0, 61.7])
def test_a_bed_ends_at_home_on_a_beat_with_the_programme(mood, seconds):
    chords = score.compose(mood, seconds)
    assert (chords[0].start, chords[-1].end) == (0.0, seconds)
    assert chords[-1].notes == mood.home
    assert all(
        first.end == pytest.approx(second.start)
        for first, second in zip(chords, chords[1:], strict=False)
    )
    if len(chords) > 2:
        assert chords[-2].notes == mood.approach
        beat = (chords[0].end - chords[0].start) / mood.chord_beats
        assert (seconds / beat) == pytest.approx(round(seconds / beat))
        assert abs(60 / beat / mood.tempo - 1) <= 0.5 / (seconds / beat) + 1e-6


# The lowest and the highest variant are among them.
@pytest.mark.parametrize(
    "name, variant", sampled(itertools.product(MOODS, (0, 2, VARIANTS - 1)), 12)
)
def test_a_bed_has_its_level_and_leaves_the_consonants_to_the_voice(name, variant):
    sound = bed(name, 42.0, variant)
    assert len(sound) == 42 * RATE
    assert np.abs(sound).max() < 0.7
    assert audio.measure((sound * 32767).astype(np.int16)).integrated == pytest.approx(
        MOODS[name].level, abs=0.5
    )
    power = np.abs(np.fft.rfft(sound)) ** 2
    assert power[np.fft.rfftfreq(len(sound), 1 / RATE) > 2000].sum() < 0.002 * power.sum()


@pytest.mark.parametrize("name", sampled(MOODS, 3))
def test_a_bed_has_no_clicks_at_its_seams_and_is_the_same_each_time(name):
    sound, chords = bed(name, 42.0), score.compose(MOODS[name], 42.0)
    bend = np.abs(np.diff(sound, 2))
    usual = np.quantile(bend, 0.999)
    for chord in chords[1:]:
        at = round(chord.start * RATE)
        assert bend[at - 5 : at + 5].max() <= 1.5 * usual
    assert bend.max() <= 6 * usual
    synthesis._make_chord.cache_clear()
    assert hashlib.sha256(bed(name, 42.0)).digest() == hashlib.sha256(sound).digest()


def test_the_bed_gives_way_before_speech_returns_in_a_pause_and_is_silent_at_the_ends():
    speaking = np.zeros(20 * ducking.GAINS_PER_SECOND, bool)
    speaking[300:800] = speaking[900:1000] = speaking[1500:1600] = True
    decibels = 20 * np.log10(np.maximum(ducking.duck_gains(speaking), 1e-6))
    # not up in the second between two sentences
    assert np.all(decibels[300:1000] == pytest.approx(ducking.UNDER))
    assert decibels[1250] == pytest.approx(ducking.BETWEEN)
    assert decibels[0] < -60 and decibels[-1] < -100
    assert np.abs(np.diff(decibels[20:-200])).max() < 1.0  # dB in a hundredth of a second


def test_a_programme_without_speech_has_the_level_of_a_pause():
    assert ducking.duck_gains(np.zeros(1000, bool))[500] == pytest.approx(
        10 ** (ducking.BETWEEN / 20)
    )
    assert len(ducking.duck_gains(np.zeros(0, bool))) == 0


def test_the_mix_is_mastered_and_the_bed_lies_16_db_under_the_speech(mixed, narration):
    folder, sound, film = mixed
    loudness = audio.measure(sound)
    assert len(sound) == len(narration)
    assert loudness.integrated == pytest.approx(audio.TARGET, abs=0.5)
    assert loudness.true_peak <= audio.CEILING + 0.4
    _, [finding] = gate.separate_speech(film, decoded(sound), folder, folder / "speech")
    assert finding.passed and float(finding.measured.split()[0]) >= gate.UNDER + 1
    assert np.abs(sound[-10:]).max() <= 1


def test_without_music_the_sound_is_the_narration_itself(narration, tmp_path):
    assert (
        mixing.mix_music(
            mixing.store_choice(brief_of(), tmp_path), narration, tmp_path / mixing.PROGRAMME
        )
        is narration
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("mood", MOODS.values(), ids=MOODS)
def test_two_productions_of_the_same_length_have_different_beds_of_one_mood(tmp_path, mood):
    variants = [vary_mood(mood, variant) for variant in range(VARIANTS)]
    assert len({(each.chords, each.home) for each in variants}) == VARIANTS and variants[0] == mood
    ids = [f"0b8f7d3e-1111-4222-8333-{number:012}" for number in range(200)]
    beds = [
        mixing.store_choice(brief_of(music=mood.name, production_id=production), tmp_path)
        for production in ids
    ]
    assert {each.home for each in beds} == {each.home for each in variants} and len(
        {each.chords for each in beds}
    ) == VARIANTS
    assert (
        mixing.store_choice(brief_of(music=mood.name, production_id=ids[0]), tmp_path)
        == mixing.read_choice(tmp_path)
        == beds[0]
    )


def test_a_variant_keeps_the_intervals_of_its_mood():
    for variant in range(VARIANTS):
        one, mood = vary_mood(MOODS["calm"], variant), MOODS["calm"]
        shift = one.home[0] - mood.home[0]
        assert abs(shift) <= 2 and one.approach == tuple(note + shift for note in mood.approach)
        assert sorted(one.chords) == sorted(
            tuple(note + shift for note in chord) for chord in mood.chords
        )


def test_a_setting_that_changes_between_two_steps_changes_nothing_until_the_video_is_made_again(
    tmp_path,
):
    mixing.store_choice(brief_of(music="bright"), tmp_path)
    assert mixing.read_choice(tmp_path) == of_brief("bright")
    mixing.store_choice(brief_of(music="none"), tmp_path)
    assert mixing.read_choice(tmp_path) is None


def test_each_look_wants_a_bed_or_none_and_a_chosen_one_or_a_track_wins(tmp_path):
    wanted = {
        name: mixing.store_choice(brief_of(look=name, music=OF_LOOK), tmp_path) for name in LOOKS
    }
    assert {name: bed.name for name, bed in wanted.items() if bed} == {
        "short": "bright",
        "playful": "bright",
        "product": "focused",
        "scenes": "bright",
    }
    assert mixing.store_choice(brief_of(look="short", music="calm"), tmp_path) == of_brief("calm")
    assert mixing.store_choice(brief_of(look="short", music="none"), tmp_path) is None
    (tmp_path / "own.m4a").write_bytes(b"tune")
    kit = BrandKit(track="own.m4a", track_licence="CC BY 4.0")
    assert mixing.store_choice(brief_of(look="short", music=OF_LOOK, brand=kit), tmp_path) == Track(
        tmp_path / "own.m4a", "CC BY 4.0"
    )
    (tmp_path / "own.m4a").unlink()
    assert mixing.store_choice(
        brief_of(look="short", music=OF_LOOK, brand=kit), tmp_path
    ) == of_brief("bright")


def test_the_gates_pass_the_mix_and_hear_speech_that_was_muted_over_the_bed(mixed, narration):
    folder, sound, _ = mixed
    assert all(judged(mixed, narration, sound).values())
    middle = TIMELINE.scenes[1].words[2].start
    part = slice(round(middle * RATE), round((middle + 0.4) * RATE))
    # all is muted, or the speech alone
    for left in (0, audio.open_stored(mixing.find_bed_file(folder / mixing.PROGRAMME))[part]):
        muted = sound.copy()
        muted[part] = left
        assert not judged(mixed, narration, muted)["speech level"]
    quiet = sound.copy()
    quiet[part] = quiet[part] * 10 ** (-30 / 20)
    assert not judged(mixed, narration, quiet)["speech level"]


def test_the_gates_refuse_a_bed_that_is_missing_or_another_one_or_too_loud(mixed, narration):
    folder, sound, _ = mixed
    alone = audio.open_stored(mixing.find_bed_file(folder / mixing.PROGRAMME))[:]
    assert not judged(mixed, narration, narration)["other sound"]
    assert not judged(
        mixed, narration, np.clip(narration.astype(int) + alone[::-1], -32768, 32767)
    )["other sound"]
    audio.write_wav(
        mixing.find_bed_file(folder / mixing.PROGRAMME),
        np.clip(alone * 3.0, -32768, 32767).astype(np.int16),
    )
    assert not judged(
        mixed, narration, np.clip(sound.astype(int) + 2 * alone.astype(int), -32768, 32767)
    )["music"]


def test_silence_under_words_is_found_although_the_bed_goes_on(mixed):
    folder, sound, film = mixed
    muted, scene = sound.copy(), TIMELINE.scenes[2]
    part = slice(round(scene.words[0].start * RATE), round(scene.words[3].start * RATE))
    muted[part] = audio.open_stored(mixing.find_bed_file(folder / mixing.PROGRAMME))[part]
    result, _ = gate.separate_speech(film, decoded(muted), folder, folder / "speech")
    assert any(start < scene.words[1].start < end for start, end in result.silent)


def test_the_mix_of_a_long_programme_takes_no_more_memory_than_that_of_a_short_one(tmp_path):
    peaks = []
    for seconds in (30, 150):
        # its notes are kept
        mixing.mix_music(
            MOODS["focused"], np.zeros(seconds * RATE, np.int16), tmp_path / "warm.wav"
        )
        silence = np.zeros(seconds * RATE, np.int16)
        tracemalloc.start()
        mixing.mix_music(MOODS["focused"], silence, tmp_path / "mix.wav")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.2 + 2e6


def test_the_origin_names_the_music_and_that_this_service_made_it():
    script = Script("Tea", "en", ())
    [music] = [
        origin
        for origin in provenance.list_origins(script, TIMELINE, "calm")
        if origin.part == "music"
    ]
    assert "calm" in music.maker and "this service" in music.maker and not music.trained
    assert all(origin.part != "music" for origin in provenance.list_origins(script, TIMELINE))


@pytest.mark.slow
def test_a_film_with_music_passes_the_gates_and_one_with_muted_speech_does_not(tmp_path):
    brief = finish(
        tmp_path, renditions=(dataclasses.replace(LANDSCAPE, loudness=-16.0),), music="bright"
    )
    checks.run_checks(brief, tmp_path, ignore)
    findings = load(QualityFindings, tmp_path / "findings.json").findings
    assert {finding.subject for finding in findings if finding.check == "music"} == {
        "landscape.mp4",
        deliverable_kinds.DESCRIBED,
    }
    sound, first = (
        mp4.read_wav(tmp_path / mixing.PROGRAMME).copy(),
        TIMELINE.scenes[2].words[1].start,
    )
    part = slice(round(first * RATE), round((first + 0.4) * RATE))
    sound[part] = audio.open_stored(mixing.find_bed_file(tmp_path / mixing.PROGRAMME))[part]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mixing, "mix_music", lambda *given, **more: sound)
        render.render(brief, tmp_path, ignore)
    with pytest.raises(MediaError, match="speech level of landscape.mp4"):
        checks.run_checks(brief, tmp_path, ignore)
