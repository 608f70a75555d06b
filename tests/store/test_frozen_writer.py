"""A machine that hangs while it holds the turn of all writers: signs of life, renewals and sums of
the others go on.
"""

import psycopg
import pytest
from support import plain_sql, stage
from support.cast import body

from svc.domain.monitoring import alerts, metrics, workers
from svc.domain.monitoring.workers import Process
from svc.domain.productions import progress, publications
from svc.domain.publishing import figures
from svc.store.claims import Driver
from svc.store.database import db
from svc.store.postgres import engine, migrating
from svc.work.delivery.dispatcher import WEBHOOKS
from svc.work.engine import Engine
from svc.work.machines.presence import Presence
from svc.work.worker import Worker


@pytest.fixture(autouse=True)
def only_on_postgres(app):
    if db.list_jobs() is None:
        pytest.skip("SQLite's one machine has one writer")


@pytest.fixture
def freeze(app):
    """Let another one take the turn, and do nothing with it."""
    with psycopg.connect(db._address) as holder:
        statement = f"SELECT pg_advisory_xact_lock({migrating.WRITERS})"
        yield lambda: holder.execute(statement)


def test_a_writer_that_hangs_holds_up_others(freeze, monkeypatch):
    freeze()
    # Only now, and here: other threads of the service hold locks for more than that elsewhere.
    monkeypatch.setattr(engine, "_PATIENCE", 0.001)
    with pytest.raises(db.Error), db.transaction():
        pass


@pytest.fixture
def freeze_changed(app):
    """Let another one take the turn, change a production, and hang before it commits."""
    with psycopg.connect(db._address) as holder:

        def change(production_id: str) -> None:
            holder.execute(f"SELECT pg_advisory_xact_lock({migrating.WRITERS})")
            sql = "UPDATE productions SET updated_at = updated_at + 1 WHERE id = %s"
            assert holder.execute(sql, (production_id,)).rowcount == 1

        yield change


def test_what_another_one_has_changed_holds_up_no_renewal(
    freeze_changed, partner, clock, monkeypatch
):
    """The read caches of all count changes of productions; each commit does so by itself."""
    changed = body(partner.trigger())["productionId"]
    claim = stage.claim(clock)
    progress.start_step(claim, clock())
    partner.trigger()
    other = next(
        row[0] for row in plain_sql.rows("SELECT id FROM productions") if row[0] != changed
    )
    freeze_changed(other)
    monkeypatch.setattr(engine, "_PATIENCE", 0.1)
    progress.renew(claim, clock.tick(10), 0.5)
    assert plain_sql.row("SELECT step_fraction FROM productions WHERE id = ?", (changed,))[0] == 0.5


def test_leases_of_steps_are_renewed(freeze, partner, clock):
    partner.trigger()
    claim = stage.claim(clock)
    progress.start_step(claim, clock())
    freeze()
    progress.renew(claim, clock.tick(10), 0.5)
    [fraction] = plain_sql.row("SELECT step_fraction FROM productions")
    assert fraction == 0.5


def test_leases_of_publications_are_renewed(freeze, partner, clock):
    partner.trigger()
    stage.complete_steps(clock)
    claim = publications.claim_next(stage.DRIVER, clock())
    freeze()
    assert publications.renew_leases([claim], clock() + 60_000) == []
    sql = "SELECT claim_until FROM publications WHERE claim_token IS NOT NULL"
    assert plain_sql.row(sql)[0] == clock() + 60_000


def test_signs_of_life_are_given_and_taken_back(freeze, app, clock):
    freeze()
    process = Process("there:1", "there", 1, "1.0.0", [], clock())
    workers.record_heartbeat(process, "worker", 1, clock())
    assert [row["id"] for row in workers.list_processes()] == ["there:1"]
    workers.remove_process("there:1")
    service = app.extensions["svc"]
    idle = Engine(service.settings, service.storage, service.ring, clock)
    idle._record_heartbeat()
    assert plain_sql.row("SELECT value FROM meta WHERE name = 'heartbeat'")[0] == str(clock())


def test_the_thread_that_gives_signs_of_life_waits_for_no_turn(freeze, app, clock):
    presence = Presence(clock, ring=app.extensions["svc"].ring)
    freeze()
    presence.start(Driver("there:2", "there:"), "worker", 1)
    assert [row["id"] for row in workers.list_processes()] == ["there:2"]
    presence.stop()
    assert workers.list_processes() == []


def test_a_worker_wakes_the_servers_for_its_webhooks(freeze, app):
    freeze()
    Worker._tell_servers(None)
    assert [each["queue"] for each in db.list_jobs()] == [WEBHOOKS]


def test_sums_are_added(freeze):
    sql = "SELECT coalesce(sum(value), 0) FROM counters WHERE name = 'leases_recovered'"
    metrics.flush()  # what earlier tests of this process have left
    before = plain_sql.row(sql)[0]
    freeze()
    metrics.increment("leases_recovered", number=3)
    metrics.flush()
    assert plain_sql.row(sql)[0] == before + 3


def test_alerts_are_raised_once(freeze, clock):
    freeze()
    for _ in range(2):
        alerts.raise_once("EngineFault", "critical", "It failed.", clock())
    alerts.raise_once("EngineFault", "critical", "It failed.", clock.tick(6 * 3600))
    assert plain_sql.row("SELECT count(*) FROM alerts")[0] == 2


def test_figures_of_places_are_recorded_and_put_off(freeze, partner, clock):
    partner.trigger()
    stage.complete_steps(clock)
    stage.publish_all(clock)
    with db.transaction():
        plain_sql.execute("UPDATE publications SET figures_due = 1, connection_id = NULL")
    first, second, *_ = figures.list_due(clock(), 10)
    freeze()
    figures.record_figures(first, {"views": 3}, clock())
    figures.postpone(second, clock())
    sql = "SELECT figures FROM publications WHERE figures_due > 1 ORDER BY figures"
    assert [row[0] for row in plain_sql.rows(sql)] == ['{"views": 3}', None]


def test_a_key_is_verified_for_the_first_time(freeze, partner):
    freeze()
    assert body(partner.get("/v1/partners/verify"))["apiKey"] == partner.key
