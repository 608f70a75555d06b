"""A process that is told to end: its steps may end within SVC_DRAIN_SECONDS, none is begun,
and what is left is given back.
"""

import shutil
import threading
from dataclasses import replace

import pytest
from support import plain_sql
from support.cast import body

from svc.api.resources import productions as productions_resource
from svc.base import clock as wall_clock
from svc.domain.lifecycle import endings, losses
from svc.domain.monitoring import workers
from svc.store.claims import LostClaim
from svc.store.database import db
from svc.work import pipeline
from svc.work.engine import Engine
from svc.work.step_process import runner
from svc.work.step_process.outcomes import Completed
from svc.work.step_process.running import Stopping
from svc.work.worker import Worker
from tests.support.elsewhere import Elsewhere
from tests.work.test_finished_files import until

DRAIN = 3600
STATE = "SELECT claim_token, status, steps_complete FROM productions ORDER BY status"
STEPS = "SELECT name, status, attempts FROM production_steps ORDER BY position"


class Steps:
    """The child process of steps: each lasts until it may end; ``ended_by``: what ended it."""

    def __init__(self):
        self.begun, self.may_end = threading.Semaphore(0), threading.Event()
        self.ended_by: type[BaseException] | None = None

    def __call__(self, name, folder, _seconds, heard, *_given):
        self.begun.release()
        try:
            while not self.may_end.wait(0.01):
                heard(0.5)
        except BaseException as failure:
            self.ended_by = type(failure)
            raise
        return Completed()


class Steady:
    """The clock of the drain, which stands."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock():
    return wall_clock.now


@pytest.fixture
def steps(monkeypatch):
    steps = Steps()
    monkeypatch.setattr("svc.work.step_process.runner.run_step", steps)
    return steps


@pytest.fixture
def steady():
    return Steady()


class Process:
    """A worker or server in a thread."""

    def __init__(self, working: Worker, thread: threading.Thread):
        self.working, self.thread = working, thread

    def has_ended(self) -> bool:
        self.thread.join(60)
        return not self.thread.is_alive()


@pytest.fixture
def worker(app, tmp_path, monkeypatch, steps, steady):
    """A worker that runs one step at a time."""
    # seconds until it sees what another worker of this process has done, of which nothing tells it
    monkeypatch.setattr("svc.work.worker._LOOK_SECONDS", 0.05)
    service = app.extensions["svc"]
    service.storage.files = Elsewhere(tmp_path / "bucket")
    folder = tmp_path / "second"
    folder.mkdir()
    shutil.copy(service.settings.secret, folder)
    given = replace(service.settings, data_dir=folder, drain_seconds=DRAIN)
    working = Worker(given, 1, storage=service.storage, steady=steady)
    process = Process(working, threading.Thread(target=working.run))
    process.thread.start()
    until(lambda: working._drain.is_enabled)
    yield process
    for _ in range(2):
        working.begin_to_stop()
    assert process.has_ended()


@pytest.fixture
def server(app, steps, steady, monkeypatch):
    monkeypatch.setattr(productions_resource, "_CANCEL_SECONDS", 60.0)
    service = app.extensions["svc"]
    given = replace(service.settings, drain_seconds=DRAIN)
    engine = Engine(given, service.storage, service.ring, steady=steady)
    engine.start()
    until(lambda: engine._drain.is_enabled)  # one that still begins ends at once
    yield Process(engine, engine._thread)
    engine.stop()


@pytest.fixture(params=["worker", "server"])
def process(request):
    return request.getfixturevalue(request.param)


def runs(steps: Steps, partner) -> str:
    """Trigger a production, whose first step runs from now on."""
    production = body(partner.trigger())["productionId"]
    assert steps.begun.acquire(timeout=60)
    until(lambda: plain_sql.row("SELECT 1 FROM production_steps WHERE status = 'Running'"))
    return production


def test_a_running_step_ends_and_none_is_begun(process, steps, partner):
    runs(steps, partner)
    partner.trigger()
    process.working.begin_to_stop()
    until(lambda: process.working._drain._until is not None)
    assert process.thread.is_alive()
    steps.may_end.set()
    assert process.has_ended() and not steps.begun.acquire(blocking=False)
    assert sorted(tuple(row) for row in plain_sql.rows(STATE)) == [
        (None, "Producing", 1),
        (None, "Queued", 0),
    ]


def test_a_step_that_takes_longer_is_given_back_and_counts_as_no_attempt(
    process, steps, partner, steady
):
    runs(steps, partner)
    process.working.begin_to_stop()
    until(lambda: process.working._drain._until is not None)
    assert process.thread.is_alive()
    steady.seconds += DRAIN
    assert process.has_ended() and steps.ended_by is Stopping
    assert [tuple(row) for row in plain_sql.rows(STATE)] == [(None, "Queued", 0)]
    assert tuple(plain_sql.rows(STEPS)[0])[2] == 0


def test_a_process_that_runs_nothing_ends_at_once(process, partner):
    until(lambda: process.working._drain.is_enabled)
    process.working.begin_to_stop()
    assert process.has_ended()


def test_a_worker_that_is_told_twice_gives_its_step_back_at_once(worker, steps, partner):
    runs(steps, partner)
    worker.working.begin_to_stop()
    worker.working.begin_to_stop()
    assert worker.has_ended() and steps.ended_by is Stopping


def test_a_cancel_ends_a_step_that_may_still_end(server, steps, partner):
    production = runs(steps, partner)
    server.working.begin_to_stop()
    answer = partner.delete(f"/v1/productions/{production}")
    assert (answer.status_code, body(answer)["status"]) == (200, "Cancelled")
    assert server.has_ended() and steps.ended_by is LostClaim


def test_a_cancel_elsewhere_ends_a_step_that_may_still_end(worker, steps, partner, monkeypatch):
    # it is told, and does not ask
    monkeypatch.setattr("svc.work.step_process.running._RENEW_EVERY", 3_600_000)
    production = runs(steps, partner)
    worker.working.begin_to_stop()
    partner.delete(f"/v1/productions/{production}")
    assert worker.has_ended() and steps.ended_by is LostClaim
    assert endings.finish_cancel(production, wall_clock.now())


def test_looks_for_cancels_add_up_to_less_than_a_second(app):
    """A cancel waits for a look of the machine that runs the step, and for the step to hear of it:
    of a worker, and of a server."""
    engine = app.extensions["engine"]
    engine._is_shared = True
    [look] = [tick.seconds for tick in engine._ticks() if tick.name == "drop_lost"]
    assert max(look, pipeline.DROP_SECONDS) + runner._HEARD_EVERY < 1


def test_a_lease_that_is_lost_meanwhile_leaves_the_step_to_others(worker, steps, partner):
    runs(steps, partner)
    worker.working.begin_to_stop()
    until(lambda: worker.working._drain._until is not None)
    [boot] = plain_sql.row("SELECT claim_boot FROM productions")
    assert losses.release_claims_of(boot, wall_clock.now()) == 1
    assert worker.has_ended() and steps.ended_by is LostClaim
    assert [tuple(row) for row in plain_sql.rows(STATE)] == [(None, "Queued", 0)]


def test_signs_of_life_go_on_as_long_as_the_step(app, worker, steps, partner, monkeypatch):
    if not db.place():
        pytest.skip("one process alone gives none")
    runs(steps, partner)
    worker.working.begin_to_stop()
    with db.transaction():
        plain_sql.execute("UPDATE workers SET seen_at = 0")
    until(lambda: workers.list_processes()[0]["seen_at"])
    steps.may_end.set()
    assert worker.has_ended() and workers.list_processes() == []
