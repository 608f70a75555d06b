"""A worker in a directory of its own: it runs steps, stops gently,
and drops what it must not finish.
"""

import logging
import re
import shutil
import threading
from dataclasses import replace

import pytest
from support import plain_sql
from support.cast import body

from svc.base import clock as wall_clock
from svc.base.errors import StartRefused
from svc.domain.lifecycle import endings, render_queue
from svc.work.step_process.outcomes import Completed
from svc.work.worker import Worker, require_shared
from tests.support.elsewhere import Elsewhere
from tests.work.test_finished_files import leave_files, until

DONE = "SELECT steps_complete FROM productions"


@pytest.fixture
def clock():
    return wall_clock.now


@pytest.fixture
def worker(app, tmp_path, monkeypatch):
    """Start a worker: ``worker(name, steps, …)``."""
    service, started = app.extensions["svc"], []
    service.storage.files = Elsewhere(tmp_path / "bucket")
    monkeypatch.setattr("svc.work.step_process.runner.run_step", leave_files)
    # seconds until it sees what another worker of this process has done, of which nothing tells it
    monkeypatch.setattr("svc.work.worker._LOOK_SECONDS", 0.05)

    def start(name="second", steps=1, **more):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        shutil.copy(service.settings.secret, folder)
        working = Worker(
            replace(service.settings, data_dir=folder), steps, storage=service.storage, **more
        )
        working.begun = threading.Event()
        thread = threading.Thread(target=working.run, args=(working.begun.set,))
        thread.start()
        started.append((working, thread))
        return working, thread

    yield start
    for working, thread in started:
        working.begin_to_stop()
        thread.join(60)
        assert not thread.is_alive()


def endless(name, folder, _seconds, heard, *_given):
    """A step that runs until it is stopped."""
    while True:
        heard(0.5)
        threading.Event().wait(0.01)


def test_a_worker_says_that_it_has_started(worker):
    working, _ = worker()
    assert working.begun.wait(60)


def test_a_worker_runs_all_steps_and_says_each_in_a_line(worker, partner, caplog):
    caplog.set_level(logging.INFO, "svc.worker")
    partner.trigger()
    worker()
    lines = "\n".join
    until(
        lambda: lines(record.getMessage() for record in caplog.records).count(" completed in ") == 7
    )
    assert re.search(
        r"step video completed in \d+\.\d+ s",
        lines(record.getMessage() for record in caplog.records),
    )
    assert plain_sql.row("SELECT 1 FROM productions WHERE status = 'AwaitingApproval'")


def test_a_worker_runs_the_steps_that_it_may_and_another_one_the_rest(worker, partner):
    partner.trigger()
    worker(only=frozenset({"script", "video"}))
    until(lambda: plain_sql.row(DONE)[0] == 1)
    other, thread = worker("third", only=frozenset({"narration"}))
    until(lambda: plain_sql.row(DONE)[0] == 3)
    other.begin_to_stop()
    thread.join(60)
    assert plain_sql.row(DONE)[0] == 3


def test_a_worker_that_is_told_to_stop_gives_its_step_back_at_once(worker, partner, monkeypatch):
    monkeypatch.setattr("svc.work.step_process.runner.run_step", endless)
    partner.trigger()
    working, thread = worker()
    until(lambda: plain_sql.row("SELECT 1 FROM production_steps"))
    working.begin_to_stop()
    thread.join(60)
    assert tuple(plain_sql.row("SELECT claim_token, status, steps_complete FROM productions")) == (
        None,
        "Queued",
        0,
    )
    assert tuple(plain_sql.row("SELECT attempts, losses FROM production_steps")) == (0, 0)


def test_a_step_is_killed_when_its_claim_is_lost_and_the_worker_goes_on(
    worker, partner, monkeypatch, caplog
):
    caplog.set_level(logging.INFO, "svc.worker")
    # it is told, and does not ask
    monkeypatch.setattr("svc.work.step_process.running._RENEW_EVERY", 3_600_000)
    monkeypatch.setattr("svc.work.step_process.runner.run_step", endless)
    production = body(partner.trigger())["productionId"]
    worker()
    until(lambda: plain_sql.row("SELECT 1 FROM production_steps"))
    partner.delete(f"/v1/productions/{production}")
    until(lambda: any("run elsewhere" in record.getMessage() for record in caplog.records))
    assert endings.finish_cancel(production, wall_clock.now())
    monkeypatch.setattr("svc.work.step_process.runner.run_step", lambda *_: Completed())
    partner.trigger()
    until(lambda: any("step script completed" in record.getMessage() for record in caplog.records))


def test_a_workers_step_gives_way_to_a_live_production(worker, partner, stranger, monkeypatch):
    monkeypatch.setattr(render_queue, "PATIENCE", 0)
    monkeypatch.setattr("svc.work.step_process.runner.run_step", endless)
    partner.trigger()
    worker()
    until(lambda: plain_sql.row("SELECT 1 FROM production_steps"))
    live = body(stranger.live().trigger())["productionId"]
    begun = "SELECT 1 FROM production_steps WHERE production_id = ? AND status = 'Running'"
    until(lambda: plain_sql.row(begun, (live,)))


def test_two_processes_do_not_work_in_one_directory(worker, partner, app, tmp_path):
    partner.trigger()
    worker()
    until(lambda: plain_sql.row(DONE)[0] == 7)
    service = app.extensions["svc"]
    with pytest.raises(StartRefused, match="SVC_DATA_DIR of its own"):
        Worker(
            replace(service.settings, data_dir=tmp_path / "second"), 1, storage=service.storage
        ).run()


@pytest.mark.parametrize(
    ("address", "lacks"), [("", "SVC_DATABASE_URL"), ("postgresql:///service", "SVC_STORAGE_URL")]
)
def test_what_a_worker_shares_with_servers_must_be_set(app, address, lacks):
    with pytest.raises(StartRefused, match=f"needs {lacks}"):
        require_shared(
            replace(app.extensions["svc"].settings, database_url=address, storage_url="")
        )
