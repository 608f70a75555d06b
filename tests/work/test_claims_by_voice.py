"""A production whose voice or language is not on every machine: the machine that has it works,
without a voice any does.
"""

import json
from dataclasses import replace

import pytest
from support import plain_sql
from support.cast import body
from support.stage import complete_steps

from svc.base import ids, voices
from svc.base.settings import Settings
from svc.base.text import languages
from svc.domain.lifecycle import render_queue
from svc.domain.monitoring import workers
from svc.domain.monitoring.workers import Process
from svc.media.speech.trained import weights
from svc.store.claims import Driver
from svc.store.database import db
from svc.work.machines import abilities, further_languages

ES = ids.derive_id("language", "es")
EVERYWHERE = render_queue.STEP_NAMES
JA = ids.derive_id("language", "ja")
WITHOUT = render_queue.ALL_ABILITIES.difference(voices.OPTIONAL)
HERE = Driver("here:1-first")


def sign(clock, *, can_run=render_queue.ALL_ABILITIES, steps=2, boot="there:1-first"):
    workers.record_heartbeat(
        Process(boot, "there", 1, "1.0.0", sorted(can_run), clock()), "worker", steps, clock()
    )


def claimed(clock, can_run=WITHOUT) -> str | None:
    """The production that a process here claims, and gives back."""
    claim = render_queue.claim_next(HERE, clock(), 4, can_run=can_run)
    if claim is not None:
        render_queue.release_claim(claim)
    return claim and claim.production_id


@pytest.fixture
def spanish(partner, clock):
    """A production in Spanish whose script is written."""
    made = body(partner.trigger(languageId=ES))["productionId"]
    render_queue.release_claim(complete_steps(clock, 1))
    return made


@pytest.mark.parametrize(
    ("code", "appearance", "model"),
    [
        ("es", {}, "kokoro"),
        ("es", {"voice": "m1"}, "kokoro"),
        ("hi", {}, "kokoro"),
        ("en-GB", {}, "kokoro"),
        ("en", {"speaker": "af_bella"}, "kokoro"),
        ("en", {}, None),
        ("en", {"voice": "m3"}, None),
        ("de", {}, None),
        ("en", {"speaker": "own"}, None),
    ],
)
def test_a_production_remembers_the_model_that_speaks_it_best(partner, code, appearance, model):
    with db.transaction():
        plain_sql.execute("UPDATE avatars SET appearance = ?", (json.dumps(appearance),))
    made = body(partner.trigger(languageId=ids.derive_id("language", code)))["productionId"]
    assert (
        plain_sql.one("SELECT voice_model FROM productions WHERE id = ?", (made,))["voice_model"]
        == model
    )


def test_the_speaking_steps_wait_for_a_living_process_that_has_the_voice(spanish, clock):
    sign(clock)
    assert claimed(clock) is None and claimed(clock, render_queue.ALL_ABILITIES) == spanish


@pytest.mark.parametrize(
    "other",
    [
        {"can_run": WITHOUT},
        {"steps": 0},
        {"can_run": frozenset({"kokoro", "video"})},
        {"can_run": frozenset({"script"})},
    ],
)
def test_where_no_process_could_speak_better_any_may(spanish, clock, other):
    assert claimed(clock) == spanish
    sign(clock, **other)
    assert claimed(clock) == spanish


def test_when_the_process_that_has_the_voice_dies_the_others_go_on(spanish, clock):
    sign(clock)
    clock.tick(9)
    assert claimed(clock) is None
    clock.tick(2)
    assert claimed(clock) == spanish


def test_when_it_takes_leave_the_others_go_on_at_once(spanish, clock):
    sign(clock)
    workers.remove_process("there:1-first")
    assert claimed(clock) == spanish


def test_other_steps_and_other_productions_do_not_wait(spanish, partner, clock):
    english = body(partner.trigger())["productionId"]
    sign(clock)
    assert claimed(clock) == english  # behind the one that waits
    with db.transaction():
        plain_sql.execute("UPDATE productions SET steps_complete = 2 WHERE id = ?", (spanish,))
    assert claimed(clock) == spanish  # its pictures can be made anywhere


def test_a_process_reports_what_it_has(monkeypatch, tmp_path):
    settings = Settings(data_dir=tmp_path)
    monkeypatch.setattr(weights, "can_read", lambda language: language not in ("ja", "zh", "zh-TW"))
    monkeypatch.setattr(weights, "is_installed", lambda model: False)
    assert abilities.list_abilities(settings) == render_queue.STEP_NAMES
    assert abilities.list_abilities(settings, frozenset({"video"})) == {"video"}
    monkeypatch.setattr(weights, "is_installed", lambda model: True)
    assert abilities.list_abilities(settings) == EVERYWHERE | {"kokoro"}
    there = replace(settings, speech_languages=("ja", "th"))
    assert abilities.list_abilities(there, frozenset({"video"})) == {"video", "kokoro", "ja", "th"}


def test_a_process_speaks_what_its_voices_read_and_its_fonts_draw(monkeypatch, tmp_path):
    settings = Settings(data_dir=tmp_path)
    monkeypatch.setattr(weights, "can_read", lambda language: True)
    monkeypatch.setattr(
        further_languages, "list_without_letters", lambda settings, codes: ["zh-TW"]
    )
    monkeypatch.setattr(weights, "is_installed", lambda model: model == voices.KOKORO)
    assert abilities.list_abilities(settings) == EVERYWHERE | {"kokoro", "ja", "zh"}
    monkeypatch.setattr(weights, "is_installed", lambda model: model != voices.KOKORO)
    assert abilities.list_abilities(settings) == EVERYWHERE


@pytest.mark.parametrize("changes", [{"voice": "espeak-ng"}, {"speech_url": "http://127.0.0.1/v1"}])
def test_where_another_voice_speaks_by_choice_nothing_is_lacking(monkeypatch, tmp_path, changes):
    monkeypatch.setattr(weights, "is_installed", lambda model: False)
    assert abilities.list_abilities(
        replace(Settings(data_dir=tmp_path), **changes)
    ) == EVERYWHERE | {"kokoro"}


@pytest.fixture
def japanese(partner):
    """A production in a language that only a speech endpoint speaks."""
    languages.offer_languages(("ja",))
    yield body(partner.trigger(languageId=JA))["productionId"]
    languages.offer_languages(())


@pytest.mark.parametrize("complete", range(7))
def test_every_step_of_a_further_language_waits_for_a_process_that_speaks_it(
    japanese, clock, complete
):
    """Also those that do not speak: they need its font."""
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET steps_complete = ? WHERE id = ?", (complete, japanese)
        )
    for can_run in (EVERYWHERE, WITHOUT - {"ja"}, EVERYWHERE | {"th", "kokoro"}, frozenset({"ja"})):
        assert claimed(clock, can_run) is None
    assert claimed(clock, EVERYWHERE | {"ja"}) == japanese


def test_a_language_is_waited_for_also_while_nobody_speaks_it(japanese, clock):
    """Another process would fail the production."""
    sign(clock, can_run=EVERYWHERE)
    clock.tick(100_000)
    assert claimed(clock, EVERYWHERE) is None and claimed(clock, EVERYWHERE | {"ja"}) == japanese


def test_a_production_that_waits_for_its_language_holds_up_no_other_one(japanese, partner, clock):
    clock.tick(1)
    english = body(partner.trigger())["productionId"]
    assert (
        claimed(clock, EVERYWHERE) == english
        and claimed(clock, render_queue.ALL_ABILITIES) == japanese
    )


def test_a_production_in_a_further_language_waits_for_the_language_alone(japanese):
    """Also where a voice that is installed on its own speaks it: never for a process that has
    both.
    """
    assert any(voice.speaks("ja") for voice in voices.VOICES.values())
    row = plain_sql.one("SELECT voice_model FROM productions WHERE id = ?", (japanese,))
    assert row["voice_model"] is None


def test_people_see_which_languages_a_process_lacks_that_others_speak(clock, partner):
    sign(clock, can_run=EVERYWHERE | {"kokoro"})
    assert workers.list_with_steps(clock())[0]["lacks"] == []
    sign(clock, can_run=render_queue.ALL_ABILITIES - {"th"}, boot="there:2")
    assert {row["id"]: row["lacks"] for row in workers.list_with_steps(clock())} == {
        "there:1-first": ["he", "ja", "ko", "zh", "zh-TW"],
        "there:2": [],
    }


def test_people_see_what_a_process_lacks(clock, partner):
    sign(clock, can_run=WITHOUT)
    assert workers.list_with_steps(clock())[0]["lacks"] == ["Kokoro-82M 1.0 (int8)"]
