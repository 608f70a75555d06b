"""A process that slept while a newer release migrated the database: it takes no more work, gives
back what it has, and ends with a sentence.
"""

import shutil
import threading
from dataclasses import replace

import pytest
from support import plain_sql
from support.stage import DRIVER

from svc.base import clock as wall_clock
from svc.base.errors import StartRefused
from svc.domain.lifecycle import losses, render_queue
from svc.domain.monitoring import workers
from svc.store import newer_schema
from svc.store.database import db
from svc.store.engine.schema import VERSION
from svc.store.newer_schema import ProgramOld
from svc.work.engine import Engine
from svc.work.worker import Worker
from tests.support.elsewhere import Elsewhere
from tests.work.test_finished_files import until
from tests.work.test_worker import endless

SAID = f"was migrated for programs of schema {VERSION + 1} or newer"


@pytest.fixture
def clock():
    return wall_clock.now


@pytest.fixture
def shared(app, tmp_path, monkeypatch):
    """This data directory is one of several, and signs of life come often."""
    monkeypatch.setattr(db, "place", lambda: "here:")
    monkeypatch.setattr("svc.work.machines.presence.BEAT_SECONDS", 0.02)
    monkeypatch.setattr("svc.work.worker._LOOK_SECONDS", 0.02)
    monkeypatch.setattr("svc.work.step_process.runner.run_step", endless)
    app.extensions["svc"].storage.files = Elsewhere(tmp_path / "bucket")
    return app.extensions["svc"]


def migrate(oldest: int = VERSION + 1) -> None:
    """Record what a newer release would, whose migrations do not only add."""
    with db.transaction():
        plain_sql.execute("DELETE FROM meta WHERE name = 'oldest_program'")
        plain_sql.execute(
            "INSERT INTO meta (name, value) VALUES ('oldest_program', ?)", (str(oldest),)
        )


def claims() -> list[tuple]:
    return [tuple(row) for row in plain_sql.rows("SELECT claim_token, status FROM productions")]


def alerts() -> list[str]:
    return [
        row[0] for row in plain_sql.rows("SELECT message FROM alerts WHERE name = 'ProgramOld'")
    ]


@pytest.mark.parametrize("oldest", [21, VERSION])
def test_a_migration_that_only_adds_hinders_nobody(app, partner, clock, oldest):
    partner.trigger()
    migrate(oldest)
    assert newer_schema.find_problem() is None and render_queue.claim_next(DRIVER, clock())


def test_no_step_is_claimed_on_a_schema_that_is_too_new(app, partner, clock):
    """Not even by the first statement after the sleep: others might fail."""
    partner.trigger()
    migrate()
    with pytest.raises(ProgramOld, match=SAID):
        render_queue.claim_next(DRIVER, clock())
    assert claims() == [(None, "Queued")]


def test_a_worker_gives_its_step_back_and_ends_with_a_sentence(shared, partner, tmp_path):
    folder = tmp_path / "second"
    folder.mkdir()
    shutil.copy(shared.settings.secret, folder)
    partner.trigger()
    working = Worker(replace(shared.settings, data_dir=folder), 1, storage=shared.storage)
    ended: list[BaseException] = []

    def run():
        try:
            working.run()
        except BaseException as end:
            ended.append(end)

    thread = threading.Thread(target=run)
    thread.start()
    until(lambda: plain_sql.row("SELECT 1 FROM production_steps WHERE status = 'Running'"))
    migrate()
    thread.join(60)
    assert not thread.is_alive()
    [end] = ended
    assert isinstance(end, StartRefused) and "This worker ends." in str(end) and SAID in str(end)
    assert claims() == [(None, "Queued")] and workers.list_processes() == []
    assert plain_sql.one("SELECT losses FROM production_steps")[0] == 0
    [message] = alerts()
    assert "takes no more work" in message and SAID in message


def test_a_server_stops_its_engine_and_says_so(shared, partner, app, caplog):
    partner.trigger()
    engine = Engine(shared.settings, shared.storage, shared.ring)
    engine.start()
    try:
        until(lambda: plain_sql.row("SELECT 1 FROM production_steps WHERE status = 'Running'"))
        migrate()
        engine._thread.join(60)
        assert not engine._thread.is_alive()
        assert claims() == [(None, "Queued")] and workers.list_processes() == []
        assert len(alerts()) == 1 and "takes no more work" in caplog.text
        shared.probe._known_until = 0.0  # asked anew
        answer = app.test_client().get("/readyz")
        assert answer.status_code == 503 and SAID in answer.json["problems"]["database"]
    finally:
        engine.stop()


def test_a_server_does_not_begin_to_work_on_a_schema_that_is_too_new(shared, partner):
    partner.trigger()
    migrate()
    engine = Engine(shared.settings, shared.storage, shared.ring)
    engine.start()
    engine._thread.join(60)
    assert not engine._thread.is_alive() and claims() == [(None, "Queued")]
    engine.stop()


def test_what_an_old_program_had_is_counted_by_the_new_one(app, partner, clock):
    """If it could not even give its step back: that is the loss of a process as any other."""
    partner.trigger()
    render_queue.claim_next(DRIVER, clock())
    migrate()
    assert losses.release_claims_of(DRIVER.boot, clock()) == 1
    assert plain_sql.one("SELECT losses FROM production_steps")[0] == 1
