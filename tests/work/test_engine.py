"""The engine at work in this process, with real children: it drives, it is woken, it cancels,
it gives back.
"""

import functools
import json
import os
import threading
import time
from pathlib import Path

import pytest
from apscheduler.schedulers.background import BackgroundScheduler
from support import plain_sql
from support.cast import body, refused
from support.stage import DRIVER

from svc.api.resources import productions as productions_resource
from svc.base import clock as wall_clock
from svc.domain.lifecycle import render_queue
from svc.media import deliverables
from svc.media import model as programme
from svc.store import wake
from svc.store.database import db
from svc.work import brief_builder
from svc.work.engine import Engine
from svc.work.outages import Outages
from svc.work.pipeline import Pipeline
from svc.work.step_process import runner as step_runner
from svc.work.step_process.outcomes import Completed, Failed
from tests.support.processes import processes_with

SLOW = "---\nsandbox:\n  slowStep: {}\n  slowSeconds: {}\n---\n"
# to narrate
LONG = "\n\n".join(
    f"## Part {number}\n\n" + "The sea rises and falls twice a day. " * 12 for number in range(8)
)


def until(what, seconds=60.0):
    """Wait for the engine's threads, which no clock of ours drives;
    ``seconds``: a guard against waiting for ever.
    """
    deadline = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < deadline, "the engine did not get there"
        time.sleep(0.01)
    return found


@pytest.fixture
def clock():
    return wall_clock.now


@pytest.fixture
def engine(app, monkeypatch):
    # a cancellation is answered when the work has ended, however busy the machine is
    monkeypatch.setattr(productions_resource, "_CANCEL_SECONDS", 60.0)
    service = app.extensions["svc"]
    engine = Engine(service.settings, service.storage, service.ring)
    engine.start()
    until(lambda: plain_sql.row("SELECT 1 FROM meta WHERE name = 'heartbeat'"))
    yield engine
    engine.stop()


def running(production):
    sql = "SELECT 1 FROM production_steps WHERE production_id = ? AND status = 'Running'"
    return lambda: plain_sql.row(sql, (production,))


@pytest.fixture
def endless(monkeypatch):
    """The topic of a production whose first step does not end by itself."""
    monkeypatch.setattr(step_runner, "_CHILD", (str(Path(__file__).with_name("hostile_step.py")),))
    return "wait 80000"


@pytest.fixture
def engine_without_ticks(app, monkeypatch):
    """An engine that looks for work only when it is woken; it has begun to wait for that."""
    waits, wait = threading.Event(), wake.Alarm.wait
    monkeypatch.setattr(
        BackgroundScheduler,
        "start",
        functools.partialmethod(BackgroundScheduler.start, paused=True),
    )
    monkeypatch.setattr(
        wake.Alarm, "wait", lambda alarm, seconds: waits.set() or wait(alarm, seconds)
    )
    service = app.extensions["svc"]
    engine = Engine(service.settings, service.storage, service.ring)
    engine.start()
    assert waits.wait(60)
    yield engine
    engine.stop()


def test_a_trigger_wakes_the_engine(engine_without_ticks, partner, endless):
    production = body(partner.trigger(topic=endless))["productionId"]
    until(running(production))


def test_a_cancel_kills_running_work_and_removes_its_files(
    engine, partner, app, endless, monkeypatch
):
    # a renewal would notice it only a second later
    monkeypatch.setattr("svc.work.step_process.running._RENEW_EVERY", 10**9)
    production = body(partner.trigger(topic=endless))["productionId"]
    until(lambda: processes_with(production))
    folder = app.extensions["svc"].settings.work_dir / production
    assert (folder / "brief.json").exists()
    answer = partner.delete(f"/v1/productions/{production}")
    assert (answer.status_code, body(answer)["status"]) == (200, "Cancelled")
    assert processes_with(production) == [] and not folder.exists()
    assert {
        each["status"] for each in body(partner.get(f"/v1/productions/{production}"))["steps"]
    } == {"Cancelled"}


def test_a_scenario_fails_a_production_at_a_step(engine, partner):
    notes = "---\nsandbox:\n  failAt: script\n  failCode: RENDER_FAILED\n---\n"
    production = body(partner.trigger(metadataMD=notes))["productionId"]
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Failed'"))
    found = body(partner.get(f"/v1/productions/{production}"))
    assert (found["errorCode"], found["failedStep"]) == ("RENDER_FAILED", "script")


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_rule_that_matches_the_finished_script_fails_the_production(app, partner, clock):
    # The rule comes after the trigger, which would have read the figure aloud.
    production = body(partner.trigger(metadataMD="It has 18 doors."))["productionId"]
    other = body(partner.trigger(metadataMD="It has 19 doors."))["productionId"]
    with db.transaction():
        plain_sql.execute(
            "INSERT INTO sensitivity_rules VALUES ('r', 'operator', NULL, 'eighteen doors', 0, 0)"
        )
    service = app.extensions["svc"]
    driven = Engine(service.settings, service.storage, service.ring)
    driven.start()
    try:
        until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Failed'"))
        until(
            lambda: plain_sql.row(
                "SELECT 1 FROM productions WHERE id = ? AND steps_complete > 0", (other,)
            )
        )
    finally:
        driven.stop()
    found = body(partner.get(f"/v1/productions/{production}"))
    assert (found["errorCode"], found["failedStep"]) == ("SENSITIVITY_RULE_SUPPRESSED", "script")
    assert "eighteen" not in found["errorMessage"]
    events = body(partner.get(f"/v1/productions/{production}/events"))["data"]
    assert [each["eventType"] for each in events] == ["production.queued", "production.failed"]
    assert (
        plain_sql.row("SELECT settled FROM ledger WHERE production_id = ?", (production,))[0] == 0
    )
    assert body(partner.get(f"/v1/productions/{other}"))["status"] == "Producing"
    refused(partner.delete(f"/v1/productions/{production}"), 409, "ALREADY_TERMINAL")


@pytest.mark.slow
def test_only_one_engine_drives_and_the_next_takes_over(engine, partner, app, endless):
    service = app.extensions["svc"]
    second = Engine(service.settings, service.storage, service.ring)
    second.start()
    production = body(partner.trigger(topic=endless))["productionId"]
    until(running(production))
    boot = plain_sql.row("SELECT claim_boot FROM productions")[0]
    engine.stop()
    until(lambda: plain_sql.row("SELECT claim_boot FROM productions")[0] not in (None, boot))
    second.stop()
    assert plain_sql.row("SELECT claim_token FROM productions")[0] is None  # given back


def test_a_stop_kills_running_work_and_gives_it_back(engine, partner, endless):
    production = body(partner.trigger(topic=endless))["productionId"]
    until(lambda: processes_with(production))
    engine.stop()
    token, status = plain_sql.row("SELECT claim_token, status FROM productions")
    assert token is None and status in ("Queued", "Producing")
    assert processes_with(production) == []


def test_a_slow_scenario_waits_by_time_and_holds_no_worker(engine, partner):
    slow = body(partner.trigger(metadataMD=SLOW.format("script", 600)))["productionId"]
    until(running(slow))
    production = body(partner.trigger(metadataMD="---\nsandbox:\n  failAt: script\n---\n"))[
        "productionId"
    ]
    until(
        lambda: plain_sql.row(
            "SELECT 1 FROM productions WHERE status = 'Failed' AND id = ?", (production,)
        )
    )
    assert plain_sql.row("SELECT claim_token, status FROM productions WHERE id = ?", (slow,))[
        :
    ] == (None, "Queued")
    answer = partner.delete(f"/v1/productions/{slow}")  # while it waits
    assert body(answer)["status"] == "Cancelled"
    assert body(partner.get(f"/v1/productions/{slow}"))["steps"][0]["status"] == "Cancelled"


@pytest.fixture
def pipeline(app):
    """The pipeline alone, and its clock, which stands still: a list of the moment."""
    service, moment = app.extensions["svc"], [wall_clock.now()]
    outages = Outages(wall_clock.now, threading.Event())
    made = Pipeline(DRIVER, service.settings, service.storage, lambda: moment[0], outages)
    yield made, moment
    made.stop()


def test_a_slow_scenario_goes_on_when_its_time_has_passed(pipeline, partner):
    pipeline, moment = pipeline
    notes = "---\nsandbox:\n  slowStep: script\n  slowSeconds: 600\n  failAt: script\n---\n"
    partner.trigger(metadataMD=notes)
    moment[0] = due = wall_clock.now()
    due += 600_000
    pipeline.claim_steps()
    until(
        lambda: plain_sql.row(
            "SELECT 1 FROM productions WHERE not_before = ? AND claim_token IS NULL", (due,)
        )
    )
    moment[0] = due - 1
    pipeline.claim_steps()  # it returns after it has claimed what it can
    assert plain_sql.row("SELECT claim_token, status FROM productions")[:] == (None, "Queued")
    moment[0] = due
    pipeline.claim_steps()
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Failed'"))


def test_a_step_gives_way_to_a_live_production_and_is_run_again(
    app, pipeline, partner, stranger, monkeypatch
):
    """Its worker is free at once, no attempt is counted, and what it made is kept."""
    pipeline, moment = pipeline
    begun, may_end = [], threading.Event()

    def run_step(name, folder, _timeout, heard, *_given):
        begun.append(folder.name)
        (folder / "rendered").write_text("a scene")
        while not may_end.is_set():
            heard(0.5)
            time.sleep(0.01)
        return Failed("CREDENTIALS_FAILED", "The film could not be signed.")

    monkeypatch.setattr(step_runner, "run_step", run_step)
    hostile = body(partner.trigger())["productionId"]
    moment[0] = wall_clock.now()
    pipeline.claim_steps()
    until(lambda: begun == [hostile])
    live = body(stranger.live().trigger())["productionId"]
    moment[0] = wall_clock.now()
    pipeline.make_room()
    assert begun == [hostile]  # it has not waited long enough
    moment[0] += render_queue.PATIENCE
    pipeline.make_room()
    until(lambda: begun == [hostile, live])
    step = "SELECT attempts FROM production_steps WHERE production_id = ? AND position = 0"
    assert plain_sql.row(step, (hostile,))[0] == 0
    assert (app.extensions["svc"].settings.work_dir / hostile / "rendered").exists()
    may_end.set()
    until(lambda: begun == [hostile, live, hostile])


def test_the_engine_looks_for_a_step_that_is_to_give_way(
    engine, partner, stranger, endless, monkeypatch
):
    monkeypatch.setattr(render_queue, "PATIENCE", 0)
    hostile = body(partner.trigger(topic=endless))["productionId"]
    until(running(hostile))
    live = body(stranger.live().trigger(topic=endless))["productionId"]
    until(running(live))
    until(lambda: processes_with(live) and not processes_with(hostile))


def test_a_turn_while_the_engine_stops_submits_nothing(engine, partner, monkeypatch):
    """The pool was shut down between the look at the flag and the submission: a traceback,
    and a claim left behind.
    """
    pipeline = engine._pipeline
    claimed, go_on = threading.Event(), threading.Event()
    claim_next = render_queue.claim_next

    def slowly(*given):
        claim = claim_next(*given)
        if claim:
            claimed.set()
            go_on.wait(60)
        return claim

    monkeypatch.setattr(render_queue, "claim_next", slowly)
    failures = []
    monkeypatch.setattr("svc.work.outages.log.exception", lambda *said: failures.append(said))
    partner.trigger(metadataMD=LONG)
    assert claimed.wait(60)
    turn = pipeline._workers._turn = WatchedLock(pipeline._workers._turn)
    stopping = threading.Thread(target=pipeline.stop)
    stopping.start()
    # stop() has got as far as it gets
    until(lambda: turn.is_awaited.is_set() or not stopping.is_alive())
    go_on.set()
    stopping.join(60)
    engine.stop()
    assert failures == []
    assert plain_sql.row("SELECT claim_token FROM productions")[0] is None


class WatchedLock:
    """A lock that says when somebody has to wait for it."""

    def __init__(self, lock):
        self._lock, self.is_awaited = lock, threading.Event()

    def __enter__(self):
        if not self._lock.acquire(blocking=False):
            self.is_awaited.set()
            self._lock.acquire()

    def __exit__(self, *_):
        self._lock.release()


def test_an_account_without_a_platform_fails_clearly(engine, partner):
    with db.transaction():
        plain_sql.execute("DELETE FROM connected_platforms")
    production = body(partner.trigger())["productionId"]
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Failed'"))
    assert (
        body(partner.get(f"/v1/productions/{production}"))["errorCode"] == "NO_CONNECTED_PLATFORM"
    )


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_flaky_platform_and_many_deliverables(engine, partner):
    notes = "---\nsandbox:\n  flakyPlatform: Watch\n  deliverables: 101\n---\n"
    production = body(partner.trigger(topic="Tides", metadataMD=notes))["productionId"]
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Published'"), 240)
    found = {
        each["eventType"]: each
        for each in body(partner.get(f"/v1/productions/{production}/events"))["data"]
    }
    assert found["deliverable.ready"]["truncated"] is True
    assert len(body(partner.get(f"/v1/productions/{production}/deliverables"))["data"]) == 101
    assert plain_sql.row("SELECT max(attempts) FROM publications")[0] == 2


def test_whatever_a_step_says_while_the_disk_is_full_is_the_disks_fault(
    engine, partner, monkeypatch
):
    """A library that was refused room says only that it failed:
    the production was given up for it.
    """
    tries = []

    def fails(name, *_given):
        tries.append(name)
        return Failed("CREDENTIALS_FAILED", "The film could not be signed.")

    monkeypatch.setattr("svc.work.pipeline.AGAIN_SECONDS", 0.05)
    monkeypatch.setattr("svc.work.step_process.runner.run_step", fails)
    monkeypatch.setattr("svc.work.health.has_no_room", lambda _: len(tries) == 1)
    partner.trigger()
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Failed'"))
    assert len(tries) == 2
    assert tuple(plain_sql.row("SELECT attempts, losses FROM production_steps")) == (0, 0)


def _huge(path) -> None:
    with path.open("wb") as file:
        file.truncate(5_000_000_000)


@pytest.mark.parametrize(
    "leave",
    [
        lambda path: None,
        lambda path: path.write_text("{}"),
        lambda path: path.write_text("[" * 100_000),
        lambda path: path.mkdir(exist_ok=True),
        _huge,
        os.mkfifo,
        lambda path: path.symlink_to("/dev/zero"),
    ],
    ids=["nothing", "another shape", "deep", "a folder", "huge", "a pipe", "a link"],
)
def test_what_a_step_that_was_taken_over_leaves_is_a_crash_and_neither_waits_nor_returns_for_ever(
    app, partner, monkeypatch, leave
):
    def done(name, folder, *_given):
        if not (folder / "script.json").is_symlink() and not (folder / "script.json").exists():
            leave(folder / "script.json")
        return Completed()

    monkeypatch.setattr("svc.work.step_process.runner.run_step", done)
    with db.transaction():
        plain_sql.execute(
            "INSERT INTO sensitivity_rules VALUES ('r', 'operator', NULL, 'eighteen doors', 0, 0)"
        )
    service = app.extensions["svc"]
    driven = Engine(service.settings, service.storage, service.ring)
    partner.trigger()
    driven.start()
    try:
        until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Failed'"))
    finally:
        driven.stop()
    assert tuple(plain_sql.row("SELECT error_code, failed_step FROM productions")) == (
        "STEP_CRASHED",
        "script",
    )


def test_a_last_step_that_leaves_no_files_fails_the_production(engine, partner, monkeypatch):
    monkeypatch.setattr("svc.work.step_process.runner.run_step", lambda *_given: Completed())
    partner.trigger()
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Failed'"))
    assert plain_sql.row("SELECT error_code FROM productions")[0] == "STEP_CRASHED"


def test_the_voice_that_a_step_names_is_stored_as_one_clean_line_and_its_text_for_the_platform(
    engine, partner, monkeypatch
):
    def leave_files(_name, folder, *_given):
        programme.save(programme.Script("Tea", "en", ()), folder / "script.json")
        programme.save(programme.Descriptions(()), folder / "descriptions.json")
        told = {
            "duration": 1.0,
            "sample_rate": 1,
            "scenes": [],
            "voice": "hibari\n\x00\ud800 " + "heart " * 99,
        }
        (folder / "timeline.json").write_text(json.dumps(told))
        for file in deliverables.list_deliverables(brief_builder.build_brief(folder.name), folder):
            (folder / file.path).write_bytes(b"x")
        (folder / "description-landscape.txt").write_text("Tea\n\nMade by software.")
        return Completed()

    monkeypatch.setattr("svc.work.step_process.runner.run_step", leave_files)
    partner.trigger()
    found = until(
        lambda: plain_sql.rows(
            "SELECT DISTINCT type, voice FROM deliverables WHERE voice IS NOT NULL ORDER BY type"
        )
    )
    assert [row["type"] for row in found] == ["AudioDescription", "Video"]
    assert all(
        row["voice"].startswith("hibari heart heart") and row["voice"].endswith(" heart…")
        for row in found
    )
    assert max(len(row["voice"]) for row in found) <= 500
    texts = plain_sql.rows("SELECT platform, description FROM publications ORDER BY platform")
    assert [(row["platform"], row["description"]) for row in texts][0] == (
        "Watch",
        "Tea\n\nMade by software.",
    )
