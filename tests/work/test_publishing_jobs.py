"""Publications that servers on one PostgreSQL carry out as jobs of the queue: whatever happens to a
job or to its server, a post is made once.
"""

import os
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack
from dataclasses import replace

import pytest
from support import places, plain_sql
from support.connected import US, add, move, publication, status_of
from support.places import PATIENCE
from support.receivers import LOOPBACK

from svc.adapters import addresses
from svc.adapters.transfers import Transfers
from svc.base import clock as wall_clock
from svc.domain.overview import queue_jobs
from svc.domain.productions import publication_queues, publications
from svc.domain.productions.publication_queues import AT_PLACES, HERE
from svc.platforms.connected import Posted, Tools
from svc.store import claims
from svc.store.database import db
from svc.store.engine.jobs import Periodic, Service
from svc.store.postgres import jobs
from svc.work.engine import Engine
from svc.work.outages import Outages
from svc.work.publishing.posting import Stopped
from svc.work.publishing.publisher import Publisher
from tests.support.documents import ROOT
from tests.work.test_finished_files import until

pytest_plugins = ("tests.support.connected",)


class Now:
    """The time, which no test moves."""

    def __call__(self) -> int:
        return wall_clock.now()

    def tick(self, _seconds: float) -> int:
        return wall_clock.now()


@pytest.fixture
def clock():
    return Now()


@pytest.fixture(autouse=True)
def only_with_a_queue(app, monkeypatch):
    if db.list_jobs() is None:
        pytest.skip("one process alone has no jobs")
    # a database that was started a moment ago counts as one that has run for long
    monkeypatch.setattr(jobs, "_STARTED", "SELECT false AS just, %(seconds)s")
    # what is carried out is carried out for a job
    monkeypatch.setattr(
        Publisher, "claim_publications", lambda publisher: pytest.fail("a server looked itself")
    )


class Server:
    """The publishing of a server. ``ahead``: milliseconds of its clock."""

    def __init__(self, service, boot: str, grace: float = 0.0):
        self.ahead, stopping = 0, threading.Event()
        tools = Tools(Transfers(LOOPBACK), LOOPBACK, addresses.look_up, self.now)
        self.publisher = Publisher(
            claims.Driver(boot, boot.partition(":")[0]),
            service.storage,
            self.now,
            Outages(self.now, stopping),
            service.ring,
            tools,
            grace=grace,
        )
        self._jobs = db.jobs(
            [Periodic("look_after", self.publisher.look_after, 1)],
            [
                Service("publishing", [HERE], self.publisher.publish_one, 2),
                Service("places", [AT_PLACES], self.publisher.publish_one_at_place, 6),
            ],
            lambda: publication_queues.count_ready(self.now()),
        )

    def now(self) -> int:
        return wall_clock.now() + self.ahead

    def __enter__(self) -> "Server":
        self._jobs.__enter__()
        return self

    def __exit__(self, *ended: object) -> None:
        self.publisher.begin_to_stop()
        self._jobs.__exit__(*ended)
        self.publisher.stop()


@pytest.fixture
def serve(service):
    with ExitStack() as running:
        yield lambda boot, **more: running.enter_context(Server(service, boot, **more))


def of_publishing(*statuses: str) -> list[dict]:
    return [
        job
        for job in db.list_jobs()
        if job["queue"] in (HERE, AT_PLACES) and (not statuses or job["status"] in statuses)
    ]


def is_published(production: str) -> bool:
    return status_of(production) == "Published"


def posted(relay) -> int:
    """How often the place was asked to publish."""
    return relay.calls.count("publish")


def test_a_commit_tells_of_what_it_makes_due_and_each_publication_of_the_next(
    connected, partner, released
):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
        released()
    assert sorted(job["queue"] for job in of_publishing("todo")) == [HERE, AT_PLACES]
    driver, now = claims.Driver.start(), wall_clock.now()
    assert publication_queues.count_ready(now) == {HERE: 2, AT_PLACES: 1}
    assert publications.claim_next(driver, now)
    assert len(of_publishing("todo")) == 4  # one for the other platform, and one for the place
    assert publications.claim_next(driver, now) and publications.claim_next(
        driver, now, at_places=True
    )
    assert len(of_publishing("todo")) == 5  # nothing is due but the place, which is then taken
    assert not +publication_queues.count_ready(now)


def test_no_job_calls_for_more_of_a_partner_than_may_run(connected, partner, released):
    """A connection is for one at a time, and a partner has two at once."""
    with places.relay() as relay:
        for name in ("One", "Two", "Three"):
            add(connected, partner, relay.counterpart, name)
        released()
        released()
    driver, now = claims.Driver.start(), wall_clock.now()
    for left in (2, 1, 0):
        assert publication_queues.count_ready(now)[AT_PLACES] == left
        assert bool(publications.claim_next(driver, now, at_places=True)) == (left > 0)


def test_a_claim_that_was_overtaken_leaves_one_at_a_time_to_a_connection(
    connected, partner, released, monkeypatch
):
    """Another server claims one at the same connection between the choice and the turn."""
    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
        first, _ = released(), released()
    postpone = (
        "UPDATE publications SET next_attempt_at = next_attempt_at + ? "
        "WHERE production_id = ? AND connection_id IS NOT NULL"
    )

    def move(milliseconds: int) -> None:
        with db.transaction():
            plain_sql.execute(postpone, (milliseconds, first))

    find_next, others = publication_queues.find_next, []

    def find_and_be_overtaken(*given, **more):
        chosen = find_next(*given, **more)
        if not others:
            others.append(None)
            move(-3_600_000)
            others.append(publications.claim_next(there, wall_clock.now(), at_places=True))
        return chosen

    move(3_600_000)
    here, there = claims.Driver.start(), claims.Driver.start()
    monkeypatch.setattr(publication_queues, "find_next", find_and_be_overtaken)
    assert publications.claim_next(here, wall_clock.now(), at_places=True) is None
    assert others[1].production_id == first


def test_two_servers_at_once_make_each_post_once(connected, partner, released, serve):
    with places.relay() as relay:
        for name in ("One", "Two", "Three"):
            add(connected, partner, relay.counterpart, name)
        serve("first:1"), serve("second:1")
        productions = [released() for _ in range(3)]
        until(lambda: all(map(is_published, productions)))
        assert posted(relay) == len(relay.posts) == 9
    until(lambda: not of_publishing())


def test_an_engine_publishes_by_jobs(app, service, connected, partner, released):
    given = replace(service.settings, webhook_allow_cidrs=tuple(LOOPBACK), render_workers=0)
    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
        production = released()
        engine = Engine(given, service.storage, service.ring)
        engine.start()
        try:
            until(lambda: is_published(production))
        finally:
            engine.stop()
        assert posted(relay) == 1


def test_jobs_that_come_twice_or_late_make_no_second_post(connected, partner, released, serve):
    may_answer, asked = threading.Event(), threading.Event()
    with places.relay(lambda: (asked.set(), may_answer.wait(PATIENCE))) as relay:
        add(connected, partner, relay.counterpart)
        serve("first:1"), serve("second:1")
        production = released()
        assert asked.wait(PATIENCE)
        call(10)
        assert last_at_work()  # the others found nothing
        assert queue_jobs.count_by_queue()[0] == (AT_PLACES, 0, 1, 0, 0)
        may_answer.set()
        until(lambda: is_published(production))
        call(10)
        until(lambda: not of_publishing())
        assert posted(relay) == 1
    assert publication(production, "Hook")["attempts"] == 1


def last_at_work() -> int:
    """The job that is left when all others have ended."""
    until(lambda: [job["status"] for job in of_publishing()] == ["doing"])
    return of_publishing()[0]["id"]


def call(times: int) -> None:
    """Defer jobs for which there is nothing to do."""
    for _ in range(times):
        with db.transaction():
            db.announce(lambda: AT_PLACES)
            db.announce(lambda: HERE)


def test_an_aborted_job_breaks_the_exchange_off_and_nobody_asks_before_its_request_has_ended(
    connected, partner, released, serve
):
    may_answer, asked = threading.Event(), threading.Event()
    with places.relay(lambda: (asked.set(), may_answer.wait(PATIENCE))) as relay:
        add(connected, partner, relay.counterpart)
        server = serve("first:1")
        production = released()
        assert asked.wait(PATIENCE)
        queue_jobs.abort(US, last_at_work(), wall_clock.now())
        until(lambda: of_publishing("aborted"))
        row, may_ask = (
            publication(production, "Hook"),
            wall_clock.now() + publications.LAST_EXCHANGE,
        )
        assert (row["status"], row["attempts"]) == ("Publishing", 0)
        assert row["claim_token"] and may_ask - 30_000 < row["claim_until"] <= may_ask
        call(2)
        until(lambda: not of_publishing("todo", "doing"))
        assert posted(relay) == 1
        may_answer.set()
        server.ahead = publications.LAST_EXCHANGE
        until(lambda: is_published(production))
        # the second request has the key of the first one
        assert (posted(relay), len(relay.posts)) == (2, 1)
    assert publication(production, "Hook")["attempts"] == 1


def test_an_aborted_upload_is_gone_on_with_at_once(
    connected, partner, released, serve, monkeypatch
):
    """Between two pieces nothing is under way to the place."""
    begun, attempts = threading.Event(), []

    def upload(claim, storage, ring, tools, stopping):
        attempts.append(claim.token)
        if len(attempts) == 1:
            begun.set()
            stopping.wait(PATIENCE)
            raise Stopped
        return Posted("post")

    monkeypatch.setattr("svc.work.publishing.posting.publish", upload)
    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
        serve("first:1", grace=PATIENCE)
        production = released()
        assert begun.wait(PATIENCE)
        queue_jobs.abort(US, last_at_work(), wall_clock.now())
        until(lambda: is_published(production))
    assert len(set(attempts)) == 2 and publication(production, "Hook")["attempts"] == 1


_OTHER = """
import os, sys
from pathlib import Path
from types import SimpleNamespace
sys.path[:0] = [sys.argv[1], sys.argv[1] + "/tests"]
from svc.adapters.storage import Storage
from svc.base import clock, settings
from svc.domain import master_keys
from svc.store import database
from tests.work.test_publishing_jobs import Server
given = settings.read(dict(os.environ))
database.open_database(Path(given.data_dir, "service.db"), given.database_url)
ring = master_keys.open_ring(given.secret, clock.now())
with Server(SimpleNamespace(storage=Storage(given, ring), ring=ring), "gone:1"):
    sys.stdin.read()
"""


@pytest.fixture
def other(service):
    """A server in a process of its own, that can be killed."""
    environment = os.environ | {
        "SVC_DATA_DIR": str(service.settings.data_dir),
        "SVC_DATABASE_URL": db._address,
    }
    command = [sys.executable, "-c", _OTHER, str(ROOT)]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_a_server_that_is_killed_within_an_exchange_leaves_it_to_another_which_finds_its_post(
    connected, partner, released, serve, other
):
    with places.relay(lambda: other.send_signal(signal.SIGKILL)) as relay:
        add(connected, partner, relay.counterpart)
        production = released()
        assert other.wait(PATIENCE) == -signal.SIGKILL
        assert posted(relay) == 1
    with places.relay() as again:
        again.posts |= relay.posts
        move("Hook", again.counterpart.values["url"])
        with db.transaction():
            plain_sql.execute("UPDATE procrastinate_workers SET last_heartbeat = 'epoch'")
        assert AT_PLACES in {job["queue"] for job in of_publishing("stalled")}
        server = serve("second:1")
        # the job is ready again, and finds that the lease holds
        until(lambda: not of_publishing("stalled", "todo", "doing"))
        token = publication(production, "Hook")["claim_token"]
        assert token and posted(again) == 0
        publications.release_claims_of("gone:1", wall_clock.now())
        call(2)
        until(lambda: not of_publishing("todo", "doing"))
        assert publication(production, "Hook")["claim_token"] == token and posted(again) == 0
        server.ahead = publications.LAST_EXCHANGE
        until(lambda: is_published(production))
        assert (posted(again), list(again.posts)) == (1, list(relay.posts))
    row = publication(production, "Hook")
    assert (row["platform_post_id"], row["attempts"]) == ("relay-1", 1)
    sql = "SELECT count(*) FROM events WHERE event_type = 'production.published'"
    assert plain_sql.one(sql)[0] == 1
