"""A server beside others on one database: it does its own work, and its share of that of all."""

import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest
from support import plain_sql
from support.cast import NOON, body
from support.outbox import Partner, record
from support.receivers import LOOPBACK, answering, receiving

from svc.base import clock as wall_clock
from svc.domain.briefing import batches
from svc.domain.monitoring import workers
from svc.store import claims
from svc.store.database import db
from svc.store.engine.jobs import format_cron
from svc.work.engine import Engine
from svc.work.machines import same_time
from svc.work.pipeline import Pipeline
from tests.work.test_finished_files import until


@pytest.fixture
def clock():
    return wall_clock.now


@pytest.fixture
def shared(monkeypatch):
    """This data directory is one of several."""
    monkeypatch.setattr(db, "place", lambda: "here:")


@pytest.fixture
def make_engine(app, shared):
    """A server that may send to this machine."""
    service = app.extensions["svc"]
    given = replace(service.settings, webhook_allow_cidrs=tuple(LOOPBACK))
    return lambda: Engine(given, service.storage, service.ring)


@pytest.fixture
def engine(make_engine):
    engine = make_engine()
    engine.start()
    until(workers.list_processes)
    yield engine
    engine.stop()


@pytest.mark.parametrize("seconds", [60, -60])
def test_a_server_with_another_time_than_the_databases_begins_when_it_is_right(
    make_engine, monkeypatch, caplog, seconds
):
    monkeypatch.setattr("svc.work.engine.AGAIN_SECONDS", 0.02)
    # The time may not move between the looks at both clocks.
    monkeypatch.setattr(
        same_time, "clock", SimpleNamespace(now=lambda: NOON, SECOND=wall_clock.SECOND)
    )
    monkeypatch.setattr(db, "clock", lambda: NOON - 1000 * seconds)
    engine = make_engine()
    engine.start()
    try:
        until(lambda: "The clocks of this machine and of PostgreSQL differ" in caplog.text)
        assert f"is {abs(seconds)} s" in caplog.text
        assert (
            "ahead of" if seconds > 0 else "behind"
        ) in caplog.text and workers.list_processes() == []
        monkeypatch.setattr(db, "clock", lambda: NOON - 5000)
        until(workers.list_processes)
    finally:
        engine.stop()


def tell(receiver) -> None:
    """Commit an event for a receiver."""
    told = Partner()
    told.subscribe(endpoint_url=receiver.url())
    record(told.produce(), now=wall_clock.now())


def test_it_sends_at_once_and_runs_steps(engine, partner):
    got = []
    with receiving(answering(got=got)) as receiver:
        production = body(partner.trigger())["productionId"]
        tell(receiver)
        until(lambda: plain_sql.row("SELECT 1 FROM deliveries WHERE status = 'Succeeded'"))
        sql = "SELECT 1 FROM production_steps WHERE production_id = ? AND status <> 'Pending'"
        until(lambda: plain_sql.row(sql, (production,)))
    assert len(got) == 1 and [row["role"] for row in workers.list_processes()] == ["driver"]


def test_what_one_does_for_all_is_done_while_any_of_them_lives(make_engine, monkeypatch):
    """On PostgreSQL by a job of the queue, which no other server takes here."""
    done = threading.Event()
    monkeypatch.setattr(batches, "trigger_waiting", lambda *_: done.set())
    engine = make_engine()
    engine.start()
    try:
        assert done.wait(60)
    finally:
        engine.stop()


def test_the_steps_that_others_have_ended_meanwhile_are_dropped(engine, monkeypatch):
    """Any of them finishes a cancel; the one that runs the step hears of it by its claim."""
    looked = threading.Event()
    monkeypatch.setattr(Pipeline, "drop_lost", lambda pipeline: looked.set())
    assert looked.wait(60)


def test_every_tick_for_all_has_a_time_in_the_queue(engine):
    ticks = [tick for tick in engine._ticks() if tick.for_all]
    assert len(ticks) == len({tick.name for tick in ticks}) > 8
    assert all(format_cron(tick.seconds) for tick in ticks)


@pytest.mark.parametrize(
    "seconds, times",
    [
        (1, "* * * * * *"),
        (20, "* * * * * */20"),
        (60, "* * * * *"),
        (600, "*/10 * * * *"),
        (3600, "0 * * * *"),
        (7200, "0 */2 * * *"),
        (86_400, "0 0 * * *"),
    ],
)
def test_a_number_of_seconds_is_a_time_of_cron(seconds, times):
    assert format_cron(seconds) == times


@pytest.mark.parametrize("seconds", [0, 7, 61, 5400, 172_800])
def test_a_number_of_seconds_that_cron_cannot_say_is_refused(seconds):
    with pytest.raises(ValueError, match="no time of cron"):
        format_cron(seconds)


def test_at_its_start_it_takes_back_what_its_own_directory_had(make_engine):
    got = []
    with receiving(answering(got=got)) as receiver:
        tell(receiver)
        with db.transaction():
            sql = (
                "UPDATE deliveries SET claim_token = 't', claim_boot = 'here:1-before', "
                "claim_until = ?"
            )
            plain_sql.execute(sql, (wall_clock.now() + 60_000,))
        engine = make_engine()
        engine.start()
        try:
            until(lambda: plain_sql.row("SELECT 1 FROM deliveries WHERE status = 'Succeeded'"))
        finally:
            engine.stop()
    [(headers, _)] = got
    assert headers["x-service-possible-duplicate"] == "true"
    assert (
        workers.list_processes() == [] and claims.Driver.start_at("here:").boot != "here:1-before"
    )


def test_it_takes_back_deliveries_whose_lease_has_ended(engine):
    got = []
    with receiving(answering(got=got)) as receiver:
        with db.transaction():
            tell(receiver)
            sql = (
                "UPDATE deliveries SET claim_token = 't', claim_boot = 'there:1-hangs', "
                "claim_until = ?"
            )
            plain_sql.execute(sql, (wall_clock.now() - 1,))
        engine._expire()
        until(lambda: plain_sql.row("SELECT 1 FROM deliveries WHERE status = 'Succeeded'"))
    assert [headers["x-service-possible-duplicate"] for headers, _ in got] == ["true"]
