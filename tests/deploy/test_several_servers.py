"""Three real servers with a data directory each, which share a real PostgreSQL: limits are exact,
and all of them send.
"""

import json
import os
import signal
import threading
import time
import uuid
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field

import psycopg
import pytest
import requests
from support.outbox import Partner, record
from support.postgres_server import PostgresServer
from support.receivers import OK, read_request, receiving

from svc.base import clock
from svc.cli.installation import seed
from svc.domain.tiers import TIERS
from svc.store import database
from svc.store.database import db
from tests.deploy.conftest import brief
from tests.deploy.test_on_postgres import Stage
from tests.store import buckets
from tests.work.test_recovery import until

pytestmark = [pytest.mark.slow, pytest.mark.judges]

THREADS, LEFT = 50, 3
PARTNERS, PRODUCTIONS, EVENTS = 30, 4, 4  # of a burst
# Asked are 15 seconds from the kill of a sender to the arrival of what it had; a machine that runs
# other tests may stall.
ARRIVED = 30.0


_INTERRUPTED = (
    "SELECT d.event_id FROM attempts t JOIN deliveries d ON d.id = t.delivery_id "
    "WHERE t.error LIKE 'interrupted%%'"
)

_ATTEMPTS = "SELECT id, delivery_id, status_code, error FROM attempts ORDER BY id"


class Servers(Stage):
    """The servers, and this process as one more that shares their database."""

    def __init__(self, postgres, bucket, folder):
        super().__init__(
            postgres,
            folder,
            3,
            SVC_RENDER_WORKERS="0",
            SVC_STORAGE_URL="s3://media/three",
            **bucket,
        )
        database.open_database(folder / "here" / "service.db", self.address)

    def enrol(self, tier: str) -> dict:
        return seed.make_partner(tier, clock.now())

    def change(self, sql: str, *parameters) -> None:
        with psycopg.connect(self.address) as connection:
            connection.execute(sql, parameters)

    def at_once(self, key: str, method: str, path: str, body=None, **headers: str) -> Counter:
        """Ask all servers by fifty threads, as simultaneously as they can;
        the status and error code of the answers.
        """
        together = threading.Barrier(THREADS)

        def ask(number: int) -> tuple[int, str]:
            together.wait(30)
            answer = self.ask_one(number, key, method, path, body, **headers)
            # half of a server's threads are this partner's: asked again
            while "being handled or waited for" in answer.text:
                answer = self.ask_one(number, key, method, path, body, **headers)
            return answer.status_code, answer.json()["error"] if answer.status_code >= 400 else ""

        with ThreadPoolExecutor(THREADS) as pool:
            return Counter(pool.map(ask, range(THREADS)))

    def ask_one(
        self, number: int, key: str, method: str, path: str, body=None, **headers: str
    ) -> requests.Response:
        address = self.servers[number % len(self.servers)].address
        return requests.request(
            method, address + path, json=body, headers={"X-API-Key": key, **headers}, timeout=60
        )

    def roles(self) -> list[str]:
        """The roles of all servers that have given a sign of life, also of killed ones."""
        return sorted(role for (role,) in self.ask("SELECT role FROM workers"))

    def driver(self) -> tuple[str, int]:
        """The name and the process id of the server that gave the latest sign of life."""
        return self.ask(
            "SELECT id, pid FROM workers WHERE role = 'driver' ORDER BY seen_at DESC LIMIT 1"
        )[0]


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    with PostgresServer() as postgres, buckets.serving("media") as bucket, ExitStack() as running:
        stage = Servers(postgres, bucket, tmp_path_factory.mktemp("three"))
        running.callback(db.close)
        for server in stage.servers:
            running.enter_context(server)
        until(lambda: stage.roles() == ["driver"] * 3, "three at work")
        yield stage
        logs = [server.log.read_text() for server in stage.servers]
    assert not any("Traceback" in log for log in logs), logs


def taken(answers: Counter, status: int, code: str) -> int:
    """The number of answers that are no refusal; each of the others has that status and code."""
    number = sum(many for (answered, _), many in answers.items() if answered < 300)
    assert answers[status, code] == THREADS - number, answers
    return number


def triggered(seeded: dict, account: str = "sandboxAccountId") -> tuple[str, dict]:
    return f"/v1/accounts/{seeded[account]}/productions", brief(seeded)


def test_the_last_requests_of_a_minute_are_exact(servers):
    seeded = servers.enrol("Free")
    began = time.monotonic()
    for number in range(TIERS["Free"].requests_per_minute - LEFT):
        assert servers.ask_one(number, seeded["testKey"], "GET", "/v1/languages").status_code == 200
    answers = servers.at_once(seeded["testKey"], "GET", "/v1/languages")
    assert time.monotonic() - began < 60, "the minute was over before the test was"
    assert taken(answers, 429, "RATE_LIMIT_EXCEEDED") == LEFT


def test_the_last_places_of_concurrent_productions_are_exact(servers):
    seeded = servers.enrol("Enterprise")
    servers.change(
        "UPDATE accounts SET concurrency_ceiling = %s WHERE id = %s",
        LEFT,
        seeded["sandboxAccountId"],
    )
    answers = servers.at_once(seeded["testKey"], "POST", *triggered(seeded))
    assert taken(answers, 409, "CONCURRENCY_LIMIT_REACHED") == LEFT


def test_the_last_productions_of_a_day_are_exact(servers):
    seeded = servers.enrol("Standard")
    assert TIERS["Standard"].requests_per_minute > THREADS
    day, quota = clock.format_day(clock.now()), TIERS["Standard"].daily_productions_per_account
    sql = "INSERT INTO production_days (account_id, day, triggered) VALUES (%s, %s, %s)"
    servers.change(sql, seeded["sandboxAccountId"], day, quota - LEFT)
    answers = servers.at_once(seeded["testKey"], "POST", *triggered(seeded))
    assert taken(answers, 429, "RATE_LIMIT_EXCEEDED") == LEFT


def test_the_hundredth_subscription_is_the_last(servers):
    seeded = servers.enrol("Enterprise")
    given = {"endpointUrl": "https://127.0.0.1/hooks", "eventTypes": ["production.queued"]}
    first = servers.ask_one(0, seeded["testKey"], "POST", "/v1/webhooks", given).json()[
        "subscriptionId"
    ]
    [(names,)] = servers.ask(
        "SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute "
        "WHERE attrelid = 'subscriptions'::regclass "
        "AND attnum > 0 AND NOT attisdropped AND attname <> 'id' AND attidentity = ''"
    )
    for _ in range(99 - LEFT):
        copied = (
            f"INSERT INTO subscriptions (id, {names}) SELECT %s, {names} FROM subscriptions "
            "WHERE id = %s"
        )
        servers.change(copied, str(uuid.uuid4()), first)
    answers = servers.at_once(seeded["testKey"], "POST", "/v1/webhooks", given)
    assert taken(answers, 409, "SUBSCRIPTION_LIMIT_REACHED") == LEFT


def test_one_key_of_idempotency_makes_one_production(servers):
    seeded = servers.enrol("Enterprise")
    answers = servers.at_once(
        seeded["testKey"], "POST", *triggered(seeded), **{"Idempotency-Key": str(uuid.uuid4())}
    )
    assert {status for status, _ in answers} <= {202, 409}
    sql = "SELECT count(*) FROM productions WHERE account_id = %s"
    assert servers.ask(sql, seeded["sandboxAccountId"]) == [(1,)]


def test_the_last_of_a_budget_is_spent_exactly(servers):
    seeded = servers.enrol("Enterprise")
    path, asked = triggered(seeded, "liveAccountId")
    assert servers.ask_one(0, seeded["liveKey"], "POST", path, asked).status_code == 202
    account = seeded["liveAccountId"]
    [(cost,)] = servers.ask("SELECT amount FROM spend_months WHERE owner_id = %s", account)
    assert cost > 0
    servers.change(
        "UPDATE accounts SET monthly_ceiling = %s WHERE id = %s",
        cost * (1 + LEFT) + cost - 1,
        account,
    )
    answers = servers.at_once(seeded["liveKey"], "POST", path, asked)
    assert taken(answers, 409, "BUDGET_GATE_1_FAILED") == LEFT
    assert servers.ask("SELECT amount FROM spend_months WHERE owner_id = %s", account) == [
        (cost * (1 + LEFT),)
    ]


@dataclass
class Arrivals:
    """A receiver that takes a moment to answer: what came, in order,
    and who had claims meanwhile.
    """

    servers: Servers
    # path, event, sequence, whether marked
    came: list[tuple[str, str, int, bool]] = field(default_factory=list)
    # of path and production
    lines: dict[tuple, list[int]] = field(default_factory=lambda: defaultdict(list))
    senders: set[str] = field(default_factory=set)
    events: int = EVENTS  # of each production

    def handle(self, connection, stopping) -> None:
        while request := read_request(connection):
            headers, body = request
            event = json.loads(body)
            path, sequence = headers["request"].split()[1], event["sequenceNumber"]
            self.came.append(
                (path, event["eventId"], sequence, "x-service-possible-duplicate" in headers)
            )
            self.lines[path, event["productionId"]].append(sequence)
            time.sleep(0.05)  # as an endpoint that works
            connection.sendall(OK)

    def look(self) -> bool:
        """Whether all has arrived and is recorded."""
        sql = "SELECT DISTINCT claim_boot FROM deliveries WHERE claim_token IS NOT NULL"
        self.senders |= {boot for (boot,) in self.servers.ask(sql)}
        return not self.servers.ask("SELECT 1 FROM deliveries WHERE status = 'Pending' LIMIT 1")

    def check(self, marked_only: bool = True) -> Counter:
        """Whether every event arrived, in order per subscription and production; how often each
        did.

        ``marked_only``: whether all duplicates are marked.
        """
        assert len(self.lines) == PARTNERS * PRODUCTIONS
        for line in self.lines.values():
            assert list(dict.fromkeys(line)) == list(range(1, self.events + 1))
        seen: set[str] = set()
        for _, event, _, marked in self.came:
            assert marked or event not in seen or not marked_only, "a duplicate that is not marked"
            seen.add(event)
        assert len(seen) == PARTNERS * PRODUCTIONS * self.events
        return Counter(event for _, event, _, _ in self.came)


def burst(receiver) -> list[dict]:
    """Commit many events of many productions for as many endpoints; return the productions."""
    partners = [Partner() for _ in range(PARTNERS)]
    for number, partner in enumerate(partners):
        partner.subscribe(endpoint_url=receiver.url(f"/{number}"))
    productions = [partner.produce() for partner in partners for _ in range(PRODUCTIONS)]
    with db.transaction():
        for production in productions:
            record(production, EVENTS, now=clock.now())
    return productions


def test_bursts_are_sent_by_all_of_them_in_order_and_each_event_once(servers):
    """Two of them may be quick enough for one burst, so others follow until each has sent."""
    arrivals = Arrivals(servers)

    def look() -> bool:
        if not arrivals.look():
            return False
        if len(arrivals.senders) == len(servers.servers):
            return True
        with db.transaction():
            for production in productions:
                record(production, EVENTS, now=clock.now())
        arrivals.events += EVENTS
        return False

    with receiving(arrivals.handle) as receiver:
        productions = burst(receiver)
        until(look, "the arrival of all, from each of the servers")
    assert set(arrivals.check().values()) == {1}


def test_while_one_of_them_is_asleep_the_others_do_what_is_for_all_and_send(servers):
    arrivals = Arrivals(servers)
    boot, pid = servers.driver()
    with receiving(arrivals.handle) as receiver:
        burst(receiver)
        until(lambda: arrivals.look() or boot in arrivals.senders, "a claim of it")
        os.kill(pid, signal.SIGSTOP)
        slept = time.monotonic()
        try:
            until(arrivals.look, "the arrival of all")
            sql = "SELECT value FROM meta WHERE name = 'heartbeat'"
            beat = servers.ask(sql)
            until(lambda: servers.ask(sql) != beat, "what is done for all")
            assert time.monotonic() - slept < ARRIVED
            recorded = servers.ask(_ATTEMPTS)
        finally:
            os.kill(pid, signal.SIGCONT)
        until(lambda: servers.driver()[0] == boot, "its sign of life")
    # It had requests under way that it may have sent late. They are not marked, and their outcomes
    # changed nothing.
    arrivals.check(marked_only=False)
    assert servers.ask(_ATTEMPTS) == recorded


def test_what_a_killed_server_was_sending_arrives_soon_and_is_marked(servers):
    arrivals = Arrivals(servers)
    boot, pid = servers.driver()
    drives = next(server for server in servers.servers if server._process.pid == os.getpgid(pid))
    with receiving(arrivals.handle) as receiver:
        burst(receiver)
        until(lambda: arrivals.look() or boot in arrivals.senders, "a claim of it")
        drives.kill()
        killed = time.monotonic()
        try:
            until(arrivals.look, "the arrival of all")
            assert time.monotonic() - killed < ARRIVED
        finally:
            drives.start()
    times = arrivals.check()
    interrupted = {event for (event,) in servers.ask(_INTERRUPTED)}
    assert interrupted and {event for event, number in times.items() if number > 1} <= interrupted
    assert len(arrivals.senders) == 3
