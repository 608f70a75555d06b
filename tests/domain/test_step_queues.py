"""The queues of jobs that tell of steps: each job goes to processes that can run such a step."""

import pytest
from support import plain_sql
from support.cast import body
from support.stage import DRIVER, complete_steps

from svc.base import ids, voices
from svc.base.steps import STEPS
from svc.domain.lifecycle import render_queue, step_queues
from svc.domain.monitoring import workers
from svc.domain.monitoring.workers import Process
from svc.domain.productions import progress, publication_queues
from svc.store.database import db

ES = ids.derive_id("language", "es")
WITHOUT = render_queue.ALL_ABILITIES.difference(voices.OPTIONAL)
SCRIPT, NARRATION = "steps.script", "steps.narration"


def sign(clock, can_run=render_queue.ALL_ABILITIES, boot="there:1"):
    process = Process(boot, "there", 1, "1.0.0", sorted(can_run), clock())
    workers.record_heartbeat(process, "worker", 1, clock())


def speak_japanese(production: str) -> None:
    with db.transaction():
        sql = "UPDATE productions SET language_id = ? WHERE id = ?"
        plain_sql.execute(sql, (ids.derive_id("language", "ja"), production))


@pytest.fixture
def told(monkeypatch) -> list[str | None]:
    """The queues in which commits defer jobs."""
    told = []
    monkeypatch.setattr(db, "announce", lambda queue: told.append(queue()))
    return told


def test_a_trigger_and_each_step_tell_of_the_next_one(partner, clock, told):
    partner.trigger()
    assert told == [SCRIPT]
    for _ in STEPS:
        progress.hand_on(complete_steps(clock, 1), clock(), 5.0)
    # the last one makes publications due: on the servers' own platforms, and none at a place
    publications = [publication_queues.HERE, None]
    assert told == [f"steps.{name}" for name, _ in STEPS] + [*publications, None]


def test_nothing_is_told_of_a_production_that_a_scenario_holds(partner, told):
    partner.trigger(metadataMD="---\nsandbox:\n  holdIn: Queued\n---\n")
    assert told == []


def test_a_process_serves_the_queues_of_what_it_can_run(app):
    everything = step_queues.list_queues(render_queue.ALL_ABILITIES)
    assert everything[0] == SCRIPT and "steps.script.ja" in everything
    assert len(set(everything)) == len(everything)
    assert {"steps.narration.kokoro", "steps.description.kokoro"} <= set(everything)
    assert "steps.video.kokoro" not in everything  # a video needs no voice
    assert step_queues.list_queues(frozenset({"video"})) == ["steps.video"]
    assert step_queues.list_queues(frozenset({"script", "ja"})) == [SCRIPT, "steps.script.ja"]
    assert not any("kokoro" in queue for queue in step_queues.list_queues(WITHOUT))


def test_what_a_voice_speaks_best_goes_to_a_process_that_has_it_while_one_lives(partner, clock):
    production = body(partner.trigger(languageId=ES))["productionId"]
    sign(clock)
    assert step_queues.find_queue(production, clock()) == SCRIPT  # which nobody speaks
    render_queue.release_claim(complete_steps(clock, 1))
    assert step_queues.find_queue(production, clock()) == "steps.narration.kokoro"
    assert step_queues.count_ready(clock()) == {"steps.narration.kokoro": 1}
    clock.tick(11)
    assert step_queues.find_queue(production, clock()) == NARRATION
    assert step_queues.count_ready(clock()) == {NARRATION: 1}
    sign(clock, WITHOUT, "there:2")
    assert step_queues.count_ready(clock()) == {NARRATION: 1}


def test_a_further_language_goes_to_a_process_that_speaks_it(partner, clock):
    production = body(partner.trigger())["productionId"]
    speak_japanese(production)
    assert step_queues.find_queue(production, clock()) == "steps.script.ja"
    assert step_queues.count_ready(clock()) == {"steps.script.ja": 1}


@pytest.mark.parametrize("japanese", [False, True])
@pytest.mark.parametrize(
    "can_run", [render_queue.ALL_ABILITIES, WITHOUT, render_queue.STEP_NAMES, {"video"}]
)
def test_who_serves_the_queue_of_a_step_may_run_it(partner, clock, can_run, japanese):
    """The two rules on what a process is able to run, of jobs and of claims, say the same."""
    production = body(partner.trigger())["productionId"]
    if japanese:
        speak_japanese(production)
    [queue] = step_queues.count_ready(clock())
    may_run = render_queue.claim_next(DRIVER, clock(), can_run=frozenset(can_run)) is not None
    assert may_run == (queue in step_queues.list_queues(frozenset(can_run)))


def test_how_many_are_ready_is_counted_by_queue(partner, clock):
    assert step_queues.count_ready(clock()) == {}
    for _ in range(3):
        partner.trigger()
    assert step_queues.count_ready(clock()) == {SCRIPT: 3}
    render_queue.claim_next(DRIVER, clock())
    assert step_queues.count_ready(clock()) == {SCRIPT: 2}
