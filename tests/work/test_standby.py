"""A server that stands by: it sends webhooks as the one that drives does, and does nothing else."""

import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest
from support import plain_sql
from support.cast import NOON, body
from support.outbox import Partner, record
from support.receivers import LOOPBACK, answering, read_request, receiving

from svc.base import clock as wall_clock
from svc.domain.monitoring import workers
from svc.store import claims, database
from svc.work.engine import Engine
from svc.work.machines import same_time
from tests.work.test_finished_files import until


class Other:
    """The leadership of a server beside another one that drives, until a test says otherwise."""

    place = "here:"

    def __init__(self):
        self.drives, self.silent = threading.Event(), []

    def take(self, name="", silent=()):
        self.silent = list(silent)
        return self.drives.is_set()

    def holds(self):
        return self.drives.is_set()

    def release(self):
        pass


@pytest.fixture
def clock():
    return wall_clock.now


@pytest.fixture
def other(monkeypatch):
    leadership = Other()
    monkeypatch.setattr(database, "leadership", lambda: leadership)
    return leadership


@pytest.fixture
def make_engine(app, other):
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
    monkeypatch.setattr(database, "clock", lambda: NOON - 1000 * seconds)
    engine = make_engine()
    engine.start()
    try:
        until(lambda: "The clocks of this machine and of PostgreSQL differ" in caplog.text)
        assert f"is {abs(seconds)} s" in caplog.text
        assert (
            "ahead of" if seconds > 0 else "behind"
        ) in caplog.text and workers.list_processes() == []
        monkeypatch.setattr(database, "clock", lambda: NOON - 5000)
        until(workers.list_processes)
    finally:
        engine.stop()


def tell(receiver) -> None:
    """Commit an event for a receiver."""
    told = Partner()
    told.subscribe(endpoint_url=receiver.url())
    record(told.produce(), now=wall_clock.now())


def roles() -> list[str]:
    return [row["role"] for row in workers.list_processes()]


def test_it_sends_at_once_and_runs_no_step(engine, partner):
    got = []
    with receiving(answering(got=got)) as receiver:
        production = body(partner.trigger())["productionId"]
        tell(receiver)
        until(lambda: plain_sql.row("SELECT 1 FROM deliveries WHERE status = 'Succeeded'"))
    assert len(got) == 1 and roles() == ["standby"]
    assert plain_sql.row("SELECT status, claim_token FROM productions WHERE id = ?", (production,))[
        :
    ] == ("Queued", None)
    assert plain_sql.row("SELECT 1 FROM meta WHERE name = 'heartbeat'") is None


@pytest.mark.slow
def test_what_it_is_sending_when_it_takes_over_arrives_once(engine, other):
    asked, go_on, got = threading.Event(), threading.Event(), []

    def handle(connection, stopping):
        while request := read_request(connection):
            got.append(request)
            asked.set()
            go_on.wait(10)
            connection.sendall(b"HTTP/1.1 204 Taken\r\n\r\n")

    with receiving(handle) as receiver:
        tell(receiver)
        assert asked.wait(10)
        other.drives.set()
        until(lambda: plain_sql.row("SELECT 1 FROM meta WHERE name = 'heartbeat'"))
        assert roles() == ["driver"]
        go_on.set()
        until(lambda: plain_sql.row("SELECT 1 FROM deliveries WHERE status = 'Succeeded'"))
        other.drives.clear()
        until(lambda: roles() == ["standby"])
    assert len(got) == 1
    assert plain_sql.one("SELECT count(*) FROM attempts")[0] == 1


@pytest.mark.slow
def test_it_names_servers_that_are_silent_when_it_tries_to_drive(engine, other, monkeypatch):
    monkeypatch.setattr("svc.work.machines.watch.LEASE_SECONDS", 1.5)
    gone = workers.Process("there:1-gone", "there", 1, "1.0.0", [], 0)
    workers.record_heartbeat(gone, "driver", 0, 0)
    until(lambda: "there:1-gone" in other.silent)


def test_at_its_start_it_takes_back_what_its_own_directory_had(make_engine):
    got = []
    with receiving(answering(got=got)) as receiver:
        tell(receiver)
        with database.write():
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
    assert workers.list_processes() == [] and claims.Driver.at("here:").boot != "here:1-before"


def test_the_one_that_drives_takes_back_deliveries_whose_lease_has_ended(engine, other):
    got = []
    other.drives.set()
    until(lambda: roles() == ["driver"])
    with receiving(answering(got=got)) as receiver:
        with database.write():
            tell(receiver)
            sql = (
                "UPDATE deliveries SET claim_token = 't', claim_boot = 'there:1-hangs', "
                "claim_until = ?"
            )
            plain_sql.execute(sql, (wall_clock.now() - 1,))
        engine._expire()
        until(lambda: plain_sql.row("SELECT 1 FROM deliveries WHERE status = 'Succeeded'"))
    assert [headers["x-service-possible-duplicate"] for headers, _ in got] == ["true"]
