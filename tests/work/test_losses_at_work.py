"""What a process does when steps fail outside their own process: it counts the loss, gives back
what an outage of its own held up, and stops taking steps when it is sick.
"""

import shutil
import threading
from dataclasses import replace

import pytest
from support import plain_sql
from support.cast import body

from svc.base import clock as wall_clock
from svc.domain import retry_schedule
from svc.domain.lifecycle import endings, render_queue
from svc.domain.monitoring import workers
from svc.domain.productions import progress
from svc.store.claims import Driver
from svc.store.database import db
from svc.work import brief_builder
from svc.work.health import FAILURES_ALLOWED
from svc.work.outages import Outages
from svc.work.pipeline import Pipeline
from svc.work.step_process import runner as step_runner
from svc.work.step_process.outcomes import Completed, Crashed, Failed, TimedOut
from svc.work.step_process.running import Run
from tests.support.left_files import leave_files


@pytest.fixture
def start(app, clock, tmp_path, monkeypatch):
    """Make the pipeline of a process with a data directory of its own: ``start(name)``."""
    monkeypatch.setattr("svc.work.pipeline.AGAIN_SECONDS", 0.0)
    monkeypatch.setattr(step_runner, "run_step", leave_files)
    service, started = app.extensions["svc"], []

    def make(name="first", can_run=render_queue.ALL_ABILITIES):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "secret").write_bytes(service.settings.secret.read_bytes())
        settings = replace(service.settings, data_dir=folder, render_workers=1)
        outages = Outages(clock, threading.Event())
        made = Pipeline(Driver(f"{name}:1"), settings, service.storage, clock, outages, can_run)
        made.health._steady = lambda: clock() / wall_clock.SECOND
        started.append(made)
        return made

    yield make
    for each in started:
        each.stop()


@pytest.fixture
def pipeline(start):
    return start()


def spoil(pipeline) -> None:
    """Let the work folder be unusable: a file stands in its place."""
    folder = pipeline._settings.work_dir
    shutil.rmtree(folder, ignore_errors=True)
    folder.write_text("")


def mend(pipeline) -> None:
    pipeline._settings.work_dir.unlink()


def break_outside(monkeypatch) -> None:
    """Let every step fail before its process begins, by a mistake of ours."""

    def fail(_):
        raise RuntimeError("it broke")

    monkeypatch.setattr(brief_builder, "settle_brief", fail)


def trigger(partner, number: int = 1) -> list[str]:
    return [body(partner.trigger())["productionId"] for _ in range(number)]


def look(pipeline, clock, seconds: float = 3600.0) -> None:
    """Let time pass, and look at the health of the process."""
    clock.tick(seconds)
    pipeline.look_at_health()


def counted() -> int:
    return plain_sql.one("SELECT coalesce(sum(losses), 0) FROM production_steps")[0]


def productions() -> list[tuple]:
    sql = "SELECT status, error_code, claim_token FROM productions ORDER BY id"
    return [tuple(row) for row in plain_sql.rows(sql)]


def faults() -> list[tuple]:
    sql = "SELECT message FROM alerts WHERE name = 'EngineFault'"
    return [tuple(row) for row in plain_sql.rows(sql)]


def sick_alerts() -> list[tuple]:
    sql = "SELECT message, closed_at FROM alerts WHERE name = 'WorkerSick' ORDER BY id"
    return [tuple(row) for row in plain_sql.rows(sql)]


def test_a_failure_outside_the_step_is_counted_and_the_last_one_ends_the_production(
    pipeline, partner, clock, monkeypatch
):
    """It left the step leased for half a minute each time, for ever."""
    trigger(partner)
    with monkeypatch.context() as patch:
        break_outside(patch)
        for number, delay in enumerate(retry_schedule.LOSS_DELAYS, 1):
            pipeline.run_one()
            assert (counted(), productions()) == (number, [("Queued", None, None)])
            pipeline.run_one()  # it waits
            clock.tick(delay / wall_clock.SECOND)
        pipeline.run_one()
    assert productions() == [("Failed", "STEP_ABANDONED", None)]
    assert pipeline.health.sickness is None  # one production alone says nothing of the process


def test_failures_at_three_productions_make_the_process_sick(pipeline, partner, clock, monkeypatch):
    trigger(partner, FAILURES_ALLOWED + 1)
    break_outside(monkeypatch)
    for _ in range(FAILURES_ALLOWED):
        clock.tick(1)
        pipeline.run_one()
    assert pipeline.health.sickness == "RuntimeError: it broke" and counted() == FAILURES_ALLOWED
    pipeline.claim_steps()
    assert [token for *_, token in productions()] == [None] * (FAILURES_ALLOWED + 1)


def test_an_unusable_work_folder_uses_up_no_loss_and_leaves_the_step_to_others(
    start, partner, clock
):
    """Such a worker took each production in milliseconds, and kept it for half a minute."""
    [production] = trigger(partner)
    bad, good = start("bad"), start("good")
    spoil(bad)
    for number in range(1, FAILURES_ALLOWED + 1):
        assert bad.health.sickness is None
        bad.run_one()
        assert (counted(), productions()) == (0, [("Queued", None, None)]), number
    assert "folder" in bad.health.sickness
    bad.claim_steps()
    assert productions()[0][2] is None
    good.run_one()
    assert plain_sql.one("SELECT steps_complete FROM productions")[0] == 1
    look(bad, clock)
    assert bad.health.sickness  # its folder is still unusable
    mend(bad)
    look(bad, clock)
    bad.run_one()
    assert plain_sql.one("SELECT steps_complete FROM productions")[0] == 2
    assert production and bad.health.is_proven


def test_the_operator_is_told_of_a_sick_process_once_until_it_works_again(pipeline, partner, clock):
    trigger(partner)
    spoil(pipeline)
    for _ in range(FAILURES_ALLOWED):
        pipeline.run_one()
    for _ in range(3):
        look(pipeline, clock)
    [(message, closed)] = sick_alerts()
    assert closed is None and "three times in a row" in message and "folder" in message
    mend(pipeline)
    look(pipeline, clock)
    assert sick_alerts()[0][1] is None  # it is on trial
    spoil(pipeline)
    pipeline.run_one()
    look(pipeline, clock, 1)
    assert pipeline.health.sickness and len(sick_alerts()) == 1
    mend(pipeline)
    look(pipeline, clock)
    pipeline.run_one()
    look(pipeline, clock)
    assert sick_alerts()[0][1] == clock() and pipeline.health.is_proven


def test_an_alert_that_could_not_be_entered_is_tried_again(pipeline, partner, clock, monkeypatch):
    trigger(partner)
    spoil(pipeline)
    for _ in range(FAILURES_ALLOWED):
        pipeline.run_one()

    def refuse(*_):
        raise db.Error("away")

    with monkeypatch.context() as away:
        away.setattr(workers, "alert_sick", refuse)
        with pytest.raises(db.Error):
            pipeline.look_at_health()
    pipeline.look_at_health()
    assert len(sick_alerts()) == 1


def test_a_sick_process_keeps_its_place_in_the_queue_idle_until_it_is_to_stop(pipeline, partner):
    """Jobs that it took and did nothing for would be lost to others."""
    [production] = trigger(partner)
    for number in range(FAILURES_ALLOWED):
        pipeline.health.record_failure(f"{number}", "it broke")
    ended = threading.Event()
    thread = threading.Thread(target=lambda: (pipeline.run_one(), ended.set()))
    thread.start()
    assert not ended.wait(0.05) and thread.is_alive()
    pipeline.begin_to_stop()
    assert ended.wait(60) and production
    assert productions() == [("Queued", None, None)] and counted() == 0


def test_crashes_at_three_productions_make_sick_and_results_of_steps_do_not(
    pipeline, partner, clock, monkeypatch
):
    outcomes = [Crashed("9")] * 2 + [TimedOut("slow"), Failed("SCRIPT_EMPTY", "no words")]
    outcomes += [Crashed("9")] * FAILURES_ALLOWED
    trigger(partner, len(outcomes))
    monkeypatch.setattr(step_runner, "run_step", lambda *_: outcomes.pop(0))
    with db.transaction():  # in their order, each once
        plain_sql.execute("UPDATE productions SET not_before = ?", (clock() - 10**9,))
    for left in range(len(outcomes), 0, -1):
        assert pipeline.health.sickness is None, left
        pipeline.run_one()
        with db.transaction():
            plain_sql.execute(
                "UPDATE productions SET not_before = ? WHERE not_before > ?",
                (clock() + 10**9, clock() - 10**9),
            )
    assert pipeline.health.sickness == "9" and counted() == 0


def test_a_scenario_of_the_sandbox_says_nothing_of_the_process(pipeline, partner, monkeypatch):
    partner.trigger(metadataMD="---\nsandbox:\n  failAt: script\n---\n")
    for number in range(FAILURES_ALLOWED - 1):
        pipeline.health.record_failure(f"{number}", "it broke")
    pipeline.run_one()
    assert productions()[0][0] == "Failed"
    pipeline.health.record_failure("another", "it broke")
    assert pipeline.health.sickness


def test_a_failure_at_a_production_that_was_cancelled_meanwhile_is_no_loss(
    pipeline, partner, clock, monkeypatch
):
    [production] = trigger(partner)

    def cancel_and_fail(_):
        partner.delete(f"/v1/productions/{production}")
        raise RuntimeError("it broke")

    monkeypatch.setattr(brief_builder, "settle_brief", cancel_and_fail)
    pipeline.run_one()
    assert counted() == 0 and faults() == []
    assert pipeline.cancel(production, 60) and endings.finish_cancel(production, clock())
    assert productions() == [("Cancelled", None, None)]


def test_an_earlier_run_that_does_not_end_counts_as_a_loss(pipeline, partner, monkeypatch):
    monkeypatch.setattr("svc.work.pipeline._END_SECONDS", 0.0)
    monkeypatch.setattr(Pipeline._end, "__defaults__", (0.0,))
    [production] = trigger(partner)
    hung = Run(progress.Claim(production, "earlier", "", ""))
    pipeline._runs["earlier"] = hung
    pipeline.run_one()
    assert hung.lost.is_set() and counted() == 1 and productions()[0][2] is None
    hung.ended.set()


def test_a_loss_whose_answer_was_lost_counts_once(pipeline, partner, monkeypatch):
    trigger(partner)
    break_outside(monkeypatch)
    answers = [db.Error("the connection is lost")]

    def lasting(call, *args):
        call(*args)
        if answers:
            answers.pop()
            return call(*args)
        return None

    monkeypatch.setattr(pipeline._outages, "retry_until_written", lasting)
    pipeline.run_one()
    assert counted() == 1 and not answers and faults() == []


def test_what_only_a_sick_process_may_run_waits_and_is_told(start, partner, clock):
    """Nothing is left to it: the step is anybody's who may run it."""
    trigger(partner)
    workers.record_heartbeat(
        workers.Process("sick:1", "sick.example", 7, "1", ["script"], clock()),
        "worker",
        2,
        clock(),
        sick="no room",
    )
    clock.tick(40)
    workers.record_heartbeat(
        workers.Process("sick:1", "sick.example", 7, "1", ["script"], clock()),
        "worker",
        2,
        clock(),
        sick="no room",
    )
    workers.alert_if_none_can_run(0, render_queue.ALL_ABILITIES, clock())
    [message] = plain_sql.one("SELECT message FROM alerts WHERE name = 'NoWorker'")
    assert message == (
        "Steps wait (script), and the processes that may run them take no steps (7 on "
        "sick.example). See the alert WorkerSick, or start another worker."
    )
    [row] = workers.list_with_steps(clock())
    assert (row["steps"], row["sick"]) == (0, "no room")
    start("other").run_one()
    assert plain_sql.one("SELECT steps_complete FROM productions")[0] == 1


def test_completed_steps_begin_the_row_of_failures_anew(pipeline, partner, monkeypatch):
    trigger(partner)
    for number in range(FAILURES_ALLOWED - 1):
        pipeline.health.record_failure(f"{number}", "it broke")
    monkeypatch.setattr(step_runner, "run_step", lambda *_: Completed())
    pipeline.run_one()
    pipeline.health.record_failure("another", "it broke")
    assert pipeline.health.sickness is None
