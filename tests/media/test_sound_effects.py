"""Sound effects: their sound, how far they are under the speech,
and that they are heard as something enters.
"""

from dataclasses import replace

import numpy as np
import pytest
from small_programme import (
    ENGLISH,
    LANDSCAPE,
    PORTRAIT,
    brief_of,
    finish,
    ignore,
    prepare,
    scene,
    timeline_of,
    voice,
)
from support.sampling import sampled

from svc.base import settings
from svc.media import audio
from svc.media.brand_kit import BrandKit
from svc.media.checks import run as checks
from svc.media.drawing.looks import LOOKS
from svc.media.model import Point, QualityFindings, Scene, Script, VideoBrief, Visual, load
from svc.media.motion.casts import SECONDS
from svc.media.music import effects, mixing
from svc.media.music.effects import TICK, WHOOSH, Effect
from svc.media.music.moods import MOODS, OF_LOOK
from svc.media.proof import provenance
from svc.media.resources import Resources
from svc.media.slides import framings
from svc.media.video import entrance_sounds, render
from svc.media.video.storyboard import Motion, plan_changes
from svc.work.step_process.config import StepConfig

RATE = audio.SAMPLE_RATE
LEAST = 24.0  # dB under the speech
KINDS = [(kind, variant) for kind in (WHOOSH, TICK) for variant in range(3)]
TIMELINE = timeline_of()


def decibels(level: float) -> float:
    return 20 * np.log10(level)


def narration(level: float = 1.0) -> np.ndarray:
    return (voice(TIMELINE) * level).astype(np.int16)


def heard(
    speech: np.ndarray, tmp_path, *wanted: Effect, intro: int = 0, outro: int = 0
) -> np.ndarray:
    """Return what ``wanted`` adds to the bed of a programme, full scale 1."""
    with_them, without = tmp_path / "with.wav", tmp_path / "without.wav"
    mixing.mix_music(MOODS["bright"], speech, with_them, intro, outro, wanted)
    mixing.mix_music(MOODS["bright"], speech, without, intro, outro)
    beds = [
        audio.open_stored(mixing.find_bed_file(path))[:].astype(float)
        for path in (with_them, without)
    ]
    return (beds[0] - beds[1]) / 32768


def told(
    script: Script, look: str, *, shape=LANDSCAPE, folder=None, **changes
) -> tuple[Effect, ...]:
    """Return the effects of a script in a look."""
    plan = render._Plan(
        brief_of(script, look=look, **changes), script, timeline_of(script), shape, folder
    )
    return plan.effects()


def scripted(*scenes) -> Script:
    return Script("Test", "en", (ENGLISH.scenes[0], *scenes, ENGLISH.scenes[-1]))


@pytest.mark.parametrize(("kind", "variant"), KINDS)
def test_an_effect_is_faded_has_its_level_and_leaves_the_consonants_to_the_voice(kind, variant):
    sound = effects.make_effect_sound(kind, variant)
    assert effects.measure_loudest_level(sound) == pytest.approx(1.0, abs=1e-4)
    assert abs(sound[0]) < 1e-3 and abs(sound[-1]) < 1e-3
    assert np.abs(np.diff(sound)).max() < 0.7  # of an amplitude of several: no click
    power, hertz = np.abs(np.fft.rfft(sound)) ** 2, np.fft.rfftfreq(len(sound), 1 / RATE)
    assert power[hertz > 2000].sum() < 1e-4 * power.sum()
    assert power[hertz < 80].sum() < 0.01 * power.sum()


def test_no_two_variants_are_alike_and_each_is_the_same_every_time():
    first = [effects.make_effect_sound(*each).copy() for each in KINDS]
    effects.make_effect_sound.cache_clear()
    assert all(
        np.array_equal(sound, effects.make_effect_sound(*each))
        for sound, each in zip(first, KINDS, strict=True)
    )
    assert len({sound.tobytes() for sound in first}) == len(KINDS)


def test_a_whoosh_is_loudest_when_its_picture_comes(tmp_path):
    at = TIMELINE.scenes[2].start
    power = np.convolve(
        heard(narration(), tmp_path, Effect(WHOOSH, at)) ** 2, np.ones(RATE // 20), "same"
    )
    assert np.argmax(power) / RATE == pytest.approx(at, abs=0.08)


@pytest.mark.parametrize("level", sampled([1.0, 0.5, 0.1, 0.03], 3))
def test_each_effect_is_24_db_under_the_speech_around_it_however_quiet_that_is(level, tmp_path):
    speech, words = (
        narration(level),
        [word for scene in TIMELINE.scenes for word in scene.words][::3],
    )
    wanted = [Effect((WHOOSH, TICK)[number % 2], word.start) for number, word in enumerate(words)]
    added = heard(speech, tmp_path, *wanted)
    for effect in wanted:
        part = slice(max(0, round((effect.at - 0.21) * RATE)), round((effect.at + 0.26) * RATE))
        around = (
            speech[max(0, part.start - RATE // 5) : part.stop + RATE // 5].astype(float) / 32768
        )
        power = (around[: len(around) // 480 * 480].reshape(-1, 480) ** 2).mean(axis=1)
        loud = np.sqrt(power[power > 1e-5].mean())
        assert LEAST <= decibels(loud / effects.measure_loudest_level(added[part])) <= LEAST + 8


def test_in_a_pause_an_effect_is_24_db_under_the_loudness_of_the_programme(tmp_path):
    silence = np.zeros(10 * RATE, np.int16)
    for kind in (WHOOSH, TICK):
        added = heard(silence, tmp_path, Effect(kind, 5.0))
        assert audio.TARGET - decibels(effects.measure_loudest_level(added)) == pytest.approx(
            effects.UNDER, abs=0.1
        )


def test_a_last_word_that_fades_makes_no_effect_quieter_in_the_pause_after_it(tmp_path):
    speech = np.zeros(6 * RATE, np.int16)
    speech[2 * RATE : 2 * RATE + RATE // 2] = 400 * np.sin(np.arange(RATE // 2) / 40)
    alone = heard(speech, tmp_path, Effect(TICK, 2.6))
    beside = heard(speech, tmp_path, Effect(TICK, 2.4))
    assert audio.TARGET - decibels(effects.measure_loudest_level(alone)) == pytest.approx(
        effects.UNDER, abs=0.1
    )
    assert decibels(effects.measure_loudest_level(beside)) == pytest.approx(
        decibels(400 / 32768 / 2**0.5) - effects.UNDER, abs=1.5
    )


def test_effects_are_heard_nowhere_else_and_change_no_loudness(tmp_path):
    speech, wanted = narration(), [Effect(WHOOSH, 1.0), Effect(TICK, 2.0), Effect(WHOOSH, 3.5)]
    added = heard(speech, tmp_path, *wanted)
    near = np.zeros(len(added), bool)
    for effect in wanted:
        near[round((effect.at - 0.25) * RATE) : round((effect.at + 0.3) * RATE)] = True
    assert np.abs(added[~near]).max() <= 1.5 / 32768  # which rounding may add
    assert len(np.flatnonzero(np.diff(near.astype(int)) == 1)) == 3
    loudness = [
        audio.measure(audio.open_stored(tmp_path / name)[:]) for name in ("with.wav", "without.wav")
    ]
    assert loudness[0].integrated == pytest.approx(loudness[1].integrated, abs=0.1)
    assert loudness[0].true_peak <= audio.CEILING + 0.4


def test_an_effect_at_the_edge_of_a_block_is_whole(tmp_path):
    silence, at = np.zeros(25 * RATE, np.int16), 10.0  # where one block of the mix ends
    added = heard(silence, tmp_path, Effect(WHOOSH, at))
    sound = effects.make_effect_sound(WHOOSH, 0) * 10 ** ((audio.TARGET - effects.UNDER) / 20)
    first = round(at * RATE) - round(0.46 * 0.45 * RATE)
    assert np.abs(added[first : first + len(sound)] - sound).max() < 2 / 32768


def test_under_intro_and_outro_there_are_no_effects_and_the_first_one_waits_for_the_intros_end(
    tmp_path,
):
    clip = np.full(RATE, 900, np.int16)
    speech = np.concatenate([clip, narration(), clip])
    end = len(speech) / RATE
    added = heard(
        speech,
        tmp_path,
        Effect(TICK, 0.5),
        Effect(WHOOSH, 1.05),
        Effect(TICK, end - 0.5),
        intro=RATE,
        outro=RATE,
    )
    assert not added[:RATE].any() and not added[-RATE:].any()
    assert effects.measure_loudest_level(added[RATE : RATE + RATE // 2]) > 0
    assert not heard(speech, tmp_path, Effect(TICK, 0.5), intro=RATE, outro=RATE).any()


def test_rows_tick_when_they_are_spoken_and_sentences_do_not():
    timeline, found = timeline_of(), told(ENGLISH, "short")
    rows = [timeline.scenes[1].words[point.first_word].start for point in ENGLISH.scenes[1].points]
    assert [effect.kind for effect in found] == [TICK, TICK]
    assert [effect.at for effect in found] == pytest.approx(rows, abs=1 / 60)


def test_turns_of_a_dialogue_tick():
    turns = scene(
        "dialogue",
        "Talk",
        "Ada: Is it hot? Ben: It is.",
        ("Is it hot?", 0, 3, "Ada"),
        ("It is.", 4, 6, "Ben"),
    )
    script = scripted(replace(turns, sight=Visual("dialogue")))
    assert [effect.kind for effect in told(script, "short")] == [TICK, TICK]
    # the balls of title and close are silent
    assert [effect.kind for effect in told(script, "scenes")] == [TICK, TICK]


@pytest.mark.parametrize("kind", ["number", "quote", "alert"])
def test_a_figure_comes_with_a_whoosh_in_the_middle_of_the_transition(kind):
    script = scripted(
        replace(
            scene(kind, "Less", "It costs ninety percent less"), sight=Visual(kind, "90 %", "less")
        )
    )
    [effect] = told(script, "short")
    start = timeline_of(script).scenes[1].start
    assert effect.kind == WHOOSH and start - LOOKS["short"].transition_seconds < effect.at < start


def test_an_illustration_comes_with_a_whoosh_and_without_a_transition_as_its_scene_begins():
    prose = replace(
        scene("prose", "Tea", "Tea takes time."), key_phrase="Tea takes time", illustration="teapot"
    )
    script, timeline = scripted(prose), timeline_of(scripted(prose))
    assert [effect.kind for effect in told(script, "short")] == [WHOOSH]
    assert told(script, "short", full_text=True) == ()  # which shows no picture
    changes = list(
        plan_changes(
            script, timeline, (), 30, Motion(fade=0.0, words=False, face=False, drift=False)
        )
    )
    assert entrance_sounds.list_effects(changes, script, 30) == (
        Effect(WHOOSH, timeline.scenes[1].start),
    )


def framed(words: str, **changes) -> Scene:
    """Return a scene whose first sentence is its clause."""
    ends = tuple(at for at, word in enumerate(words.split()) if word.endswith("."))
    written = replace(
        scene("prose", "Port", words, ends=ends), key_phrase="It runs on electricity alone"
    )
    return replace(written, **changes)


def in_scene(script: Script, shape=LANDSCAPE) -> list[float]:
    """Return when the second scene of ``script`` has a whoosh."""
    timing = timeline_of(script).scenes[1]
    effects_of_it = [
        each
        for each in told(script, "scenes", shape=shape)
        if timing.start - 0.4 <= each.at < timing.end
    ]
    assert {each.kind for each in effects_of_it} <= {WHOOSH}
    return [each.at for each in effects_of_it]


FRAMED = (
    "It runs on electricity alone. Every ship plugs in at the quay while it is unloaded by the "
    "cranes. Nobody in the harbour needs diesel any more, neither by day nor by night. "
    "They hear the gulls again in the streets behind it."
)
PICTURED = framed(FRAMED, illustration="ship", companions=("factory", "sun"))


def begins(script: Script) -> list[tuple[str, float]]:
    """Return what each framing of the second scene is, and when its first word is said."""
    words = timeline_of(script).scenes[1].words
    return [
        (framing.kind, words[framing.first].start)
        for framing in framings.list_framings(script.scenes[1])
    ]


@pytest.mark.parametrize("shape", [LANDSCAPE, PORTRAIT], ids=lambda shape: shape.name)
def test_pictures_of_a_composed_scene_whoosh_as_they_spring_up_and_not_as_they_change_places(shape):
    script = scripted(PICTURED)
    kinds = begins(script)
    assert [kind for kind, _ in kinds] == ["clause", "pictures", "type", "pictures", "type"]
    # those for which there is no room beside the presenter, who hosts the first framing, come then
    starts = [kinds[number][1] for number in (0, 1, 3)]
    assert in_scene(script, shape) == pytest.approx(starts, abs=SECONDS)


def test_a_figure_that_a_framing_brings_whooshes_and_words_in_large_type_do_not():
    script = scripted(framed(FRAMED.replace("needs diesel", "burns the 71 % of diesel")))
    kinds = begins(script)
    assert [kind for kind, _ in kinds] == ["clause", "type", "figure", "type", "type"]
    assert in_scene(script) == pytest.approx([kinds[2][1]], abs=SECONDS)


def test_no_two_effects_are_nearer_than_two_fifths_of_a_second():
    words = " ".join(f"w{number}" for number in range(12))
    rows = [Point(f"w{number}", number, number, "1.") for number in range(12)]
    script = scripted(replace(scene("points", "Fast", words), points=tuple(rows)))
    timeline = timeline_of(script)
    begins = timeline.scenes[1].start
    quick = [
        replace(word, start=begins + (word.start - begins) / 4) for word in timeline.scenes[1].words
    ]
    first, _, last = timeline.scenes
    timeline = replace(
        timeline, scenes=(first, replace(timeline.scenes[1], words=tuple(quick)), last)
    )
    found = entrance_sounds.list_effects(
        plan_changes(script, timeline, (), 30, Motion(face=False)), script, 30
    )
    gaps = np.diff([effect.at for effect in found])
    assert len(gaps) and gaps.min() >= 0.4


def test_effects_wait_for_descriptions_that_stop_the_programme():
    wanted = (Effect(WHOOSH, 1.9), Effect(WHOOSH, 2.0), Effect(TICK, 5.0))
    later = effects.delay_effects(wanted, [(0.0, 1.5), (2.0, 2.5), (6.0, 9.0)])
    assert [effect.at for effect in later] == [3.4, 6.0, 9.0]
    assert effects.delay_effects(wanted, []) == wanted


def test_effects_are_kept_for_later_steps_until_a_rendering_has_none(tmp_path):
    wanted = (Effect(TICK, 1.0), Effect(WHOOSH, 2.5))
    assert effects.read_effects(tmp_path) == ()
    assert effects.store_effects(wanted, tmp_path) == effects.read_effects(tmp_path) == wanted
    assert effects.store_effects((), tmp_path) == effects.read_effects(tmp_path) == () and not list(
        tmp_path.iterdir()
    )


@pytest.mark.parametrize("look", LOOKS)
def test_two_looks_have_effects_and_no_music_means_none(look):
    brief = brief_of(look=look, music=OF_LOOK)
    assert mixing.wants_effects(brief) == (look in ("scenes", "short"))
    assert mixing.wants_effects(replace(brief, music="calm")) == (look in ("scenes", "short"))
    assert not mixing.wants_effects(replace(brief, music="none"))
    assert not mixing.wants_effects(
        replace(brief, music="none", brand=BrandKit(track="own.m4a", track_licence="CC BY 4.0"))
    )


@pytest.mark.parametrize(
    ("music", "resources", "heard"),
    [
        (OF_LOOK, Resources(), 2),
        ("calm", Resources(), 2),
        ("none", Resources(), 0),
        (OF_LOOK, Resources(effects=False), 0),
    ],
)
def test_a_rendering_has_effects_unless_operator_or_account_do_without(
    music, resources, heard, tmp_path, monkeypatch
):
    mixed = []
    monkeypatch.setattr(
        mixing, "mix_music", lambda *given, effects: mixed.append(effects) or given[1]
    )
    monkeypatch.setattr(render, "_render_rendition", lambda *given: None)
    brief = prepare(tmp_path, look="short", music=music)
    render.render(brief, tmp_path, ignore, resources)
    assert [len(each) for each in mixed] == [heard] and mixed[0] == effects.read_effects(tmp_path)


def test_the_operator_switches_effects_off_for_every_step():
    assert StepConfig.from_settings(settings.read({})).prepare_for_step("video").effects
    assert (
        not StepConfig.from_settings(settings.read({"SVC_SOUND_EFFECTS": "off"}))
        .prepare_for_step("video")
        .effects
    )


def test_the_origin_of_the_music_names_its_effects():
    script = Script("Tea", "en", ())

    def maker(*given: str) -> str:
        origins = provenance.list_origins(script, TIMELINE, *given, has_effects=True)
        return next(origin.maker for origin in origins if origin.part == "music")

    assert maker("bright") == "bright and sound effects, generated by this service"
    assert maker("", "CC0") == (
        "a track that the account provided, licence: CC0; sound effects generated by this service"
    )


def passed(brief: VideoBrief, folder) -> bool:
    checks.run_checks(brief, folder, ignore)
    return all(
        finding.passed for finding in load(QualityFindings, folder / "findings.json").findings
    )


@pytest.mark.parametrize("loudness", sampled([-14.0, -16.0, -23.0], 3))
def test_effects_are_as_far_under_the_speech_at_the_loudness_of_each_platform(loudness, tmp_path):
    added = heard(narration(), tmp_path, Effect(TICK, 2.0))
    mixes = [
        audio.attenuate(audio.open_stored(tmp_path / name)[:], loudness)
        for name in ("with.wav", "without.wav")
    ]
    quieter = (mixes[0].astype(float) - mixes[1]) / 32768
    assert decibels(
        effects.measure_loudest_level(quieter) / effects.measure_loudest_level(added)
    ) == pytest.approx(loudness - audio.TARGET, abs=0.2)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_film_with_effects_passes_every_gate(tmp_path):
    brief = finish(
        tmp_path, look="short", music=OF_LOOK, renditions=(replace(LANDSCAPE, loudness=-16.0),)
    )
    assert len(effects.read_effects(tmp_path)) == 2 and passed(brief, tmp_path)
