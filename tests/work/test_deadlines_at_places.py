"""Places that hang: what limits count is what runs, a lost lease ends the exchange,
and other partners' publications go on.
"""

import math
import threading

import pytest
from support import places, plain_sql, sftp_servers
from support.connected import US, add, claim_until, move, publication, publish, wait_until
from support.places import PATIENCE
from support.receivers import LOOPBACK, OK, read_request, receiving
from support.stage import DRIVER

from svc.adapters import addresses, sftp
from svc.adapters.deadline import Deadline
from svc.adapters.transfers import Transfers
from svc.domain.productions import publications
from svc.domain.publishing import actions
from svc.platforms.connected import Tools
from svc.store.database import db
from svc.work.outages import Outages
from svc.work.publishing import counting, posting
from svc.work.publishing.connections import Connections
from svc.work.publishing.publisher import Publisher
from svc.work.publishing.running import Running

pytest_plugins = ("tests.support.connected",)


class Monotonic:
    """A monotonic clock that moves when told to."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Hanging:
    """A place that drips its answer until the other side closes.

    ``closed``: one more for each connection that ended.
    """

    def __init__(self):
        self.asked, self.closed = threading.Semaphore(0), threading.Semaphore(0)

    def __call__(self, connection, stopping):
        read_request(connection)
        self.asked.release()
        try:
            while not stopping.wait(0.005):
                connection.sendall(b"H")
        finally:
            self.closed.release()


@pytest.fixture
def monotonic():
    return Monotonic()


@pytest.fixture
def running(monotonic):
    return Running(600.0, monotonic)


@pytest.fixture
def publisher(service, clock, running):
    """The publisher as the engine runs it, with a clock that the test moves; at its end,
    it waits for no place.
    """
    tools = Tools(Transfers(LOOPBACK), LOOPBACK, addresses.look_up, clock)
    outages = Outages(clock, threading.Event())
    made = Publisher(
        DRIVER, service.storage, clock, outages, service.ring, tools, running, grace=0.0
    )
    yield made
    made.stop()


@pytest.fixture
def hanging(connected, partner, released):
    """A production whose one place hangs, and that place."""
    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
    handler = Hanging()
    with receiving(handler) as receiver:
        move("Hook", receiver.url())
        yield released(), handler


def test_an_sftp_server_that_drips_leaves_room_for_other_partners_even_after_its_lease(
    connected, person, partner, publisher, released, clock, monotonic, monkeypatch
):
    """Six connections of one partner, each to a server that sends its banner byte by byte: once,
    they took all six workers.
    """
    monkeypatch.setattr(sftp, "_SECONDS", math.inf)
    monkeypatch.setattr(Connections, "_try_connection", lambda self, draft: draft)
    with receiving(sftp_servers.banner) as there, places.relay() as relay:
        values = {"host": "127.0.0.1", "port": str(there.port), "user": "ada", "password": "kettle"}
        for number in range(6):
            add(
                connected,
                partner,
                places.Counterpart("SFTP", values, lambda name: None),
                f"Slow-{number}",
            )
        production = released()
        claim_until(publisher, lambda: there.connections == 2)
        clock.tick(2 * publications.LEASE / 1000)  # the leases have ended; the exchanges have not
        assert publisher._claim_next_at_places() is None

        other = person()
        add(connected, other, relay.counterpart)
        theirs = released(by=other)
        assert publish(publisher, clock, theirs, "Hook") == ["Published"]
        assert there.connections == 2

        monotonic.now += 601
        publisher.claim_publications()
        names = [f"Slow-{number}" for number in range(6)]
        wait_until(lambda: sum(publication(production, name)["attempts"] for name in names) == 2)
        errors = [error for name in names if (error := publication(production, name)["error"])]
    assert len(errors) == 2 and all(
        "could not be reached: timed out after 600" in error for error in errors
    )


def test_a_lease_is_renewed_while_its_exchange_runs(hanging, publisher, clock, monotonic):
    production, place = hanging
    claim_until(publisher, lambda: place.asked.acquire(blocking=False))
    clock.tick(200)
    monotonic.now += 200
    publisher.claim_publications()
    assert publication(production, "Hook")["claim_until"] == clock() + publications.LEASE
    assert not place.closed.acquire(blocking=False)


def test_an_exchange_ends_when_another_worker_has_its_publication(
    hanging, publisher, running, clock, monotonic
):
    production, place = hanging
    claim_until(publisher, lambda: place.asked.acquire(blocking=False))
    take(production)
    monotonic.now += 6
    publisher.claim_publications()
    assert place.closed.acquire(timeout=PATIENCE)
    wait_until(lambda: not running.list_claims())
    row = publication(production, "Hook")
    assert (row["claim_token"], row["attempts"], row["error"]) == ("another's", 0, None)


def take(production: str) -> None:
    """Let another machine take the publication, as after the end of a lease."""
    with db.transaction():
        sql = (
            "UPDATE publications SET claim_token = 'another''s', claim_boot = 'other' "
            "WHERE production_id = ?"
        )
        plain_sql.execute(f"{sql} AND platform = 'Hook'", (production,))


def test_an_exchange_ends_with_its_lease_while_the_database_is_away(
    hanging, publisher, running, monotonic, monkeypatch
):
    """Another machine may reach the database, and take the publication."""
    production, place = hanging
    claim_until(publisher, lambda: place.asked.acquire(blocking=False))

    def away(*_):
        raise OSError("the database is away")

    with monkeypatch.context() as outage:
        outage.setattr(publications, "renew_leases", away)
        for seconds, ended in ((299, False), (2, True)):
            monotonic.now += seconds
            with pytest.raises(OSError, match="away"):
                publisher.claim_publications()
            assert place.closed.acquire(timeout=PATIENCE if ended else 0) == ended
    wait_until(lambda: not running.list_claims())
    assert publication(production, "Hook")["attempts"] == 0


def test_an_exchange_of_a_skipped_publication_goes_on_so_that_its_post_is_withdrawn(
    connected, partner, publisher, released, clock, monotonic
):
    """Nobody else carries it out; and whether a request that is broken off was carried
    out, nobody knows.
    """
    asked, may_answer, requests = threading.Event(), threading.Event(), []

    def handle(connection, stopping):
        requests.append(read_request(connection)[1])
        asked.set()
        may_answer.wait(PATIENCE)
        connection.sendall(OK)

    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
    with receiving(handle) as receiver:
        move("Hook", receiver.url())
        production = released()
        assert publish(publisher, clock, production, "Watch", "WatchVertical") == ["Published"] * 2
        claim_until(publisher, asked.is_set)
        actions.skip(US, production, "Hook", clock())
        monotonic.now += 6
        publisher.claim_publications()
        may_answer.set()
        wait_until(lambda: len(requests) == 2)
    assert b'"type":"publish"' in requests[0] and b'"type":"withdraw"' in requests[1]


def test_a_server_that_stops_gives_back_what_hangs(hanging, publisher):
    production, place = hanging
    claim_until(publisher, lambda: place.asked.acquire(blocking=False))
    publisher.stop()
    row = publication(production, "Hook")
    assert (row["claim_token"], row["attempts"], row["status"]) == (None, 0, "Publishing")


def test_the_partner_with_the_fewest_exchanges_under_way_comes_first(
    connected, person, partner, released, clock
):
    with places.relay() as relay:
        for name in ("One", "Two"):
            add(connected, partner, relay.counterpart, name)
        other = person()
        add(connected, other, relay.counterpart)
    ours = released()
    first = publications.claim_next(DRIVER, clock(), at_places=True)
    theirs = released(by=other)
    with db.transaction():
        plain_sql.execute(
            "UPDATE publications SET next_attempt_at = ? WHERE production_id = ?",
            (clock() - 1, ours),
        )
    assert first.production_id == ours
    assert publications.claim_next(DRIVER, clock(), at_places=True).production_id == theirs
    assert publications.claim_next(DRIVER, clock(), at_places=True).production_id == ours


def test_an_exchange_without_a_lease_counts_once_for_its_partner_and_connection(
    connected, partner, released, clock
):
    """The same claim, with its lease and without it."""
    with places.relay() as relay:
        for name in ("One", "Two", "Three"):
            add(connected, partner, relay.counterpart, name)
    released()
    first = publications.claim_next(DRIVER, clock(), at_places=True)
    clock.tick(publications.LEASE / 1000 + 1)
    second = publications.claim_next(DRIVER, clock(), at_places=True, running=[first])
    assert second.connection_id != first.connection_id
    assert publications.claim_next(DRIVER, clock(), at_places=True, running=[first, second]) is None
    assert publications.claim_next(DRIVER, clock(), at_places=True, running=[first]) is None
    assert publications.claim_next(DRIVER, clock(), at_places=True, running=[second]) is not None


def test_the_size_of_what_is_sent_and_the_limit_of_speed_move_the_end_of_an_attempt(
    connected, partner, released, clock, service
):
    end = Deadline(600, lambda: 0.0)
    with places.bucket() as bucket:
        add(connected, partner, bucket)
        released(content=b"x" * 1_310_720)
        claim = publications.claim_next(DRIVER, clock(), at_places=True)
        tools = Tools(Transfers(LOOPBACK), LOOPBACK, addresses.look_up, clock).with_deadline(end)
        posting.publish(claim, service.storage, service.ring, tools, threading.Event())
    assert end.remaining_seconds() == 610


def test_figures_of_a_place_that_hangs_leave_time_for_those_of_others(monkeypatch, clock):
    """A turn has sixty seconds, each publication ten; what the turn has no time for stays due."""
    now, read, postponed = [0.0], [], []
    due = [
        {"production_id": str(number), "platform": "p", "connection_id": "c"}
        for number in range(20)
    ]

    def hang(each, ring, tools):
        read.append(each["production_id"])
        now[0] += tools.deadline.remaining_seconds()
        raise counting.PublishError("it hangs", True)

    monkeypatch.setattr(counting, "_read_figures", hang)
    monkeypatch.setattr(counting.figures, "list_due", lambda *_: due)
    monkeypatch.setattr(
        counting.figures, "postpone", lambda each, _: postponed.append(each["production_id"])
    )
    monkeypatch.setattr(counting, "Deadline", lambda seconds: Deadline(seconds, lambda: now[0]))
    tools = Tools(
        Transfers([], deadline=Deadline(counting.SECONDS_OF_ALL, lambda: now[0])),
        [],
        addresses.look_up,
        clock,
    )
    assert counting.read_due(None, tools) == 6
    assert read == postponed == [str(number) for number in range(6)]
