"""The dispatcher from an event that was committed to an outcome that is: signed, in order,
and never in the way of others.
"""

import base64
import errno
import hashlib
import hmac
import ipaddress
import json
import queue
import threading
from contextlib import contextmanager

import pytest
import standardwebhooks
from support import outbox_fixtures, plain_sql
from support.outbox import DRIVER, NOON, RING, claim, record, states
from support.receivers import OK, answering, read_request, receiving

from svc.adapters.http import Outcome, Sender
from svc.base import clock
from svc.base.crypto.signing import KeyRing
from svc.domain.paging import Page
from svc.domain.retry_schedule import OWN_FAILURE_DELAY
from svc.domain.webhooks import attempts as delivery_attempts
from svc.domain.webhooks import claiming, deliveries, outbox, subscriptions
from svc.store import claims
from svc.store.database import db
from svc.work.delivery import requests_in_flight
from svc.work.delivery.dispatcher import Dispatcher

LOOPBACK = [ipaddress.ip_network("127.0.0.0/8")]

partner = outbox_fixtures.partner


@pytest.fixture
def dispatch():
    """Dispatchers that are stopped at the end: ``dispatch(sender=…)``."""
    made = []

    def make(sender=None, **given):
        made.append(Dispatcher(DRIVER, sender or Sender(LOOPBACK, seconds=2), RING, **given))
        return made[-1]

    yield make
    for each in made:
        each.stop()


@contextmanager
def failing_once():
    """A receiver that answers 500 to the first request, the requests that it got,
    and an event for the second one.
    """
    got, twice = [], threading.Event()

    def handle(connection, stopping):
        while request := read_request(connection):
            got.append(request)
            connection.sendall(
                b"HTTP/1.1 500 Error\r\nContent-Length: 0\r\n\r\n" if len(got) == 1 else OK
            )
            if len(got) == 2:
                twice.set()

    with receiving(handle) as receiver:
        yield receiver, got, twice


class Held:
    """A sender whose answers a test gives by hand."""

    def __init__(self):
        self.asked: queue.Queue = queue.Queue()
        self.open = threading.Event()

    def post(self, url, body, headers):
        self.asked.put((url, json.loads(body), headers))
        self.open.wait(60)
        return Outcome(200, None, 1.0)

    def close(self):
        pass


def in_flight() -> int:
    """How many deliveries are claimed; a turn has claimed what it can when it returns."""
    return plain_sql.row("SELECT count(*) FROM deliveries WHERE claim_token IS NOT NULL")[0]


def settled(dispatcher):
    """Stop, which waits until everything in flight is committed."""
    dispatcher.stop()


def test_both_signatures_hold_for_the_specification_and_for_the_public_package(partner, dispatch):
    got = []
    with receiving(answering(got=got)) as receiver:
        secret = partner.subscribe(endpoint_url=receiver.url())["signingSecret"]
        record(partner.produce(), now=clock.now())
        dispatcher = dispatch()
        dispatcher.dispatch()
        settled(dispatcher)
    [(headers, body)] = got
    key = base64.urlsafe_b64decode(secret + "=" * (-len(secret) % 4))
    assert (
        headers["x-service-signature"]
        == "sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest()
    )
    standardwebhooks.Webhook(base64.b64encode(key).decode()).verify(body, headers)
    assert headers["webhook-id"] == json.loads(body)["eventId"]
    assert headers["content-type"] == "application/json"
    assert "x-service-possible-duplicate" not in headers
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        standardwebhooks.Webhook(base64.b64encode(key).decode()).verify(body + b" ", headers)


def test_an_attempt_keeps_where_it_was_sent_although_the_endpoint_changed_meanwhile(
    partner, dispatch
):
    asked, go_on = threading.Event(), threading.Event()

    def handle(connection, stopping):
        while read_request(connection):
            asked.set()
            assert go_on.wait(60)
            connection.sendall(OK)

    with receiving(handle) as receiver:
        partner.subscribe(endpoint_url=receiver.url())
        record(partner.produce(), now=clock.now())
        dispatcher = dispatch()
        dispatcher.dispatch()
        assert asked.wait(60)
        with db.transaction():
            plain_sql.execute("UPDATE subscriptions SET endpoint_url = 'https://example.com/new'")
        go_on.set()
        settled(dispatcher)
    assert [row[0] for row in plain_sql.rows("SELECT endpoint_url FROM attempts")] == [
        receiver.url()
    ]


def test_one_turn_is_enough_for_a_whole_production_in_order(partner, dispatch):
    got, done = [], threading.Event()

    def handle(connection, stopping):
        while request := read_request(connection):
            got.append(json.loads(request[1])["sequenceNumber"])
            connection.sendall(OK)
            if len(got) == 20:
                done.set()

    with receiving(handle) as receiver:
        subscription = partner.subscribe(endpoint_url=receiver.url())
        record(partner.produce(), 20, now=clock.now())
        dispatcher = dispatch()
        dispatcher.dispatch()
        assert done.wait(60)
        settled(dispatcher)
    assert got == list(range(1, 21))
    assert states(subscription) == [(number, "Succeeded") for number in range(1, 21)]


@pytest.mark.sqlite("counts the fsyncs of the file")
def test_each_delivery_of_a_production_waits_for_the_disk_once(partner, dispatch, monkeypatch):
    waits, sender = [], Held()
    sender.open.set()
    partner.subscribe()
    record(partner.produce(), 5)
    really = db._sync.wait
    monkeypatch.setattr(db._sync, "wait", lambda promised: waits.append(1) or really(promised))
    dispatcher = dispatch(sender, clock=lambda: NOON)
    dispatcher.dispatch()
    assert [sender.asked.get(timeout=60)[1]["sequenceNumber"] for _ in range(5)] == [1, 2, 3, 4, 5]
    settled(dispatcher)
    # the first claim; then each outcome together with the claim that follows it
    assert len(waits) == 6


def test_an_event_that_finds_the_turn_taken_goes_out_without_waiting_for_a_tick(
    partner, dispatch, monkeypatch
):
    launch, productions = Dispatcher._launch, [partner.produce(), partner.produce()]

    def meanwhile(self, taken):
        launch(self, taken)
        if productions and threading.current_thread().name == "webhook-outcomes":
            other = threading.Thread(target=lambda: (record(productions.pop()), self.dispatch()))
            other.start()
            other.join(60)

    monkeypatch.setattr(Dispatcher, "_launch", meanwhile)
    sender = Held()
    sender.open.set()
    partner.subscribe()
    record(productions.pop())
    dispatch(sender, clock=lambda: NOON).dispatch()
    assert len({sender.asked.get(timeout=60)[1]["productionId"] for _ in range(2)}) == 2


def test_a_failed_attempt_is_tried_again_at_once_with_the_same_bytes(partner, dispatch):
    with failing_once() as (receiver, got, twice):
        subscription = partner.subscribe(endpoint_url=receiver.url())
        record(partner.produce(), now=clock.now())
        dispatcher = dispatch()
        dispatcher.dispatch()
        assert twice.wait(60)
        settled(dispatcher)
    assert got[0][1] == got[1][1]
    assert got[0][0]["webhook-id"] == got[1][0]["webhook-id"]
    assert states(subscription) == [(1, "Succeeded")]
    assert plain_sql.row("SELECT COUNT(*) FROM attempts")[0] == 2


def test_after_a_crash_in_mid_flight_the_next_attempt_says_that_it_may_be_a_duplicate(
    partner, dispatch
):
    sender = Held()
    partner.subscribe()
    record(partner.produce())
    claim(NOON, driver=claims.Driver("an earlier boot"))
    with db.transaction():
        outbox.recover(DRIVER, NOON)
    dispatch(sender, clock=lambda: NOON).dispatch()
    assert sender.asked.get(timeout=60)[2]["X-SERVICE-Possible-Duplicate"] == "true"
    sender.open.set()


def test_one_subscription_never_gets_more_than_half_of_the_workers(partner, dispatch):
    sender, dispatcher = Held(), None
    greedy = partner.subscribe(endpoint_url="https://greedy.example.com/")
    for _ in range(9):
        record(partner.produce())
    dispatcher = dispatch(sender, workers=4, clock=lambda: NOON)
    dispatcher.dispatch()
    assert {sender.asked.get(timeout=60)[0] for _ in range(2)} == {greedy["endpointUrl"]}
    partner.subscribe(endpoint_url="https://modest.example.com/")
    record(partner.produce())
    dispatcher.dispatch()
    assert sender.asked.get(timeout=60)[0] == "https://modest.example.com/"
    assert in_flight() == 3
    sender.open.set()


def test_sendings_that_hang_stop_counting_as_workers_and_their_endpoint_gets_no_more(
    partner, dispatch, monkeypatch
):
    # every sending hangs from its first moment
    monkeypatch.setattr(requests_in_flight, "YOUNG", -1.0)
    sender = Held()
    for number in range(3):
        partner.subscribe(endpoint_url=f"https://slow{number}.example.com/")
    record(partner.produce())
    dispatcher = dispatch(sender, workers=1, clock=lambda: NOON)
    for _ in range(3):
        dispatcher.dispatch()
    assert len({sender.asked.get(timeout=60)[0] for _ in range(3)}) == 3
    record(partner.produce())
    dispatcher.dispatch()
    assert in_flight() == 3
    sender.open.set()


def test_endpoints_that_hang_by_the_dozen_do_not_keep_the_worker_from_the_next(
    partner, dispatch, monkeypatch
):
    monkeypatch.setattr(requests_in_flight, "YOUNG", -1.0)
    sender = Held()
    for number in range(20):
        partner.subscribe(endpoint_url=f"https://slow{number}.example.com/")
    record(partner.produce())
    dispatcher = dispatch(sender, workers=1, clock=lambda: NOON)
    for _ in range(20):
        dispatcher.dispatch()
    assert len({sender.asked.get(timeout=60)[0] for _ in range(20)}) == 20
    sender.open.set()


def test_retries_leave_the_workers_to_first_attempts(partner, dispatch, monkeypatch):
    # on a busy machine too, none of them counts as only waiting
    monkeypatch.setattr(requests_in_flight, "YOUNG", 3600.0)
    sender = Held()
    for number in range(8):
        partner.subscribe(endpoint_url=f"https://dead{number}.example.com/")
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET troubled = 1")
    record(partner.produce())
    healthy = [
        partner.subscribe(endpoint_url=f"https://well{number}.example.com/") for number in range(4)
    ]
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET status = 'Failed' WHERE troubled = 1")
    record(partner.produce())
    dispatch(sender, workers=4, clock=lambda: NOON).dispatch()
    asked = [sender.asked.get(timeout=60)[0] for _ in range(5)]
    assert {each["endpointUrl"] for each in healthy} < set(asked)
    assert in_flight() == 5
    sender.open.set()


def test_one_turn_is_enough_for_many_retries_at_endpoints_that_hang(partner, dispatch):
    sender = Held()
    for number in range(6):
        partner.subscribe(endpoint_url=f"https://dead{number}.example.com/")
    record(partner.produce())
    with db.transaction():
        plain_sql.execute("UPDATE deliveries SET lane = 1, failures = 2")
    dispatch(
        sender, workers=4, clock=lambda: NOON
    ).dispatch()  # which has room for one retry at a time
    assert len({sender.asked.get(timeout=60)[0] for _ in range(6)}) == 6
    sender.open.set()


def test_a_ping_reaches_a_subscription_that_does_not_list_it(partner, dispatch):
    got = []
    with receiving(answering(got=got)) as receiver:
        subscription = partner.subscribe(
            endpoint_url=receiver.url(), event_types=["production.failed"]
        )
        pinged = subscriptions.ping(partner.live, subscription["subscriptionId"], clock.now())
        dispatcher = dispatch()
        dispatcher.dispatch()
        settled(dispatcher)
    assert json.loads(got[0][1])["eventId"] == pinged["eventId"]
    assert states(subscription) == [(0, "Succeeded")]


def test_the_log_of_a_ping_says_what_it_found_out(partner, dispatch):
    with receiving(
        answering(b"HTTP/1.1 202 Accepted\r\nContent-Length: 6\r\n\r\nthanks")
    ) as receiver:
        subscription = partner.subscribe(endpoint_url=receiver.url())
        subscriptions.ping(partner.live, subscription["subscriptionId"], clock.now())
        record(partner.produce(), now=clock.now())
        dispatcher = dispatch()
        dispatcher.dispatch()
        settled(dispatcher)
    found = deliveries.list_page(partner.live, subscription["subscriptionId"], None, Page())["data"]
    [ping], [event] = (
        each["attempts"] for each in sorted(found, key=lambda each: each["sequenceNumber"])
    )
    assert (ping["statusCode"], ping["answer"]["body"], ping["answer"]) == (
        202,
        "thanks",
        event["answer"],
    )
    assert (ping["findings"]["addresses"], ping["findings"]["certificate"]) == (["127.0.0.1"], None)
    assert ping["findings"]["firstByteMs"] > 0 and ping["findings"]["tlsMs"] is None
    assert event["findings"] is None


def test_the_requests_of_a_delivery_are_shown_as_they_were_sent(partner, dispatch):
    with failing_once() as (receiver, got, twice):
        partner.subscribe(endpoint_url=receiver.url())
        record(partner.produce(), now=clock.now())
        claim(clock.now(), driver=claims.Driver("an earlier boot"))
        with db.transaction():
            outbox.recover(DRIVER, clock.now())
        dispatcher = dispatch()
        dispatcher.dispatch()
        assert twice.wait(60)
        settled(dispatcher)
    interrupted, *shown = delivery_attempts.list_attempts_with_requests(
        RING, plain_sql.row("SELECT * FROM deliveries")
    )
    assert [(each["statusCode"], each["answer"] is None) for each in shown] == [
        (500, False),
        (200, False),
    ]
    for (headers, body), each in zip(got, shown, strict=True):
        request = each["request"]
        assert (request["method"], request["url"], request["body"].encode()) == (
            "POST",
            receiver.url(),
            body,
        )
        assert {
            name.lower(): value for name, value in request["headers"].items()
        }.items() <= headers.items()
        assert request["headers"]["X-SERVICE-Possible-Duplicate"] == "true"
    assert interrupted["error"].startswith("interrupted")
    assert "X-SERVICE-Possible-Duplicate" not in interrupted["request"]["headers"]


def test_a_sender_that_breaks_down_is_a_failed_attempt_and_no_lost_delivery(partner, dispatch):
    class Broken(Held):
        def post(self, url, body, headers):
            raise RuntimeError("a fault of ours")

    subscription = partner.subscribe()
    record(partner.produce())
    dispatcher = dispatch(Broken(), clock=lambda: NOON)
    dispatcher.dispatch()
    settled(dispatcher)
    assert states(subscription) == [(1, "Pending")]
    assert (
        plain_sql.row("SELECT error FROM attempts")["error"]
        == "the attempt failed because of an internal error"
    )


def test_what_cannot_be_signed_uses_no_retry_and_is_sent_later(partner, dispatch):
    """Another server has rolled the secret with a master key that this one does not have."""
    subscription, held = partner.subscribe(), Held()
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET secret_version = 2")
    record(partner.produce(), 2)
    dispatcher = dispatch(held, clock=lambda: NOON)
    dispatcher.dispatch()
    settled(dispatcher)
    assert held.asked.empty()
    assert states(subscription) == [(1, "Pending"), (2, "Pending")]
    rows = plain_sql.rows("SELECT failures, next_attempt_at FROM deliveries ORDER BY sequence")
    assert [tuple(row) for row in rows] == [(0, NOON + OWN_FAILURE_DELAY), (0, None)]
    assert plain_sql.rows("SELECT 1 FROM attempts") == [] and in_flight() == 0

    held.open.set()
    whole = KeyRing({1: b"m" * 32, 2: b"n" * 32})
    other = Dispatcher(DRIVER, held, whole, clock=lambda: NOON + OWN_FAILURE_DELAY)
    other.dispatch()
    first, second = held.asked.get(timeout=60), held.asked.get(timeout=60)
    settled(other)
    assert [sent[1]["sequenceNumber"] for sent in (first, second)] == [1, 2]
    assert states(subscription) == [(1, "Succeeded"), (2, "Succeeded")]


def test_a_server_without_descriptors_blames_no_endpoint(partner, dispatch):
    class OutOfFiles(Held):
        def post(self, url, body, headers):
            raise OSError(errno.EMFILE, "Too many open files")

    subscription = partner.subscribe()
    record(partner.produce())
    dispatcher = dispatch(OutOfFiles(), clock=lambda: NOON)
    dispatcher.dispatch()
    settled(dispatcher)
    assert states(subscription) == [(1, "Pending")]
    assert plain_sql.row("SELECT failures FROM deliveries")[0] == 0


def test_a_delivery_that_is_parked_stays_so_when_it_could_not_be_signed(partner):
    partner.subscribe()
    record(partner.produce())
    claimed = claim(NOON)
    with db.transaction():
        plain_sql.execute("UPDATE deliveries SET status = 'Parked', next_attempt_at = NULL")
    claiming.postpone(claimed, NOON)
    row = plain_sql.row("SELECT status, next_attempt_at, claim_token FROM deliveries")
    assert tuple(row) == ("Parked", None, None)


def test_a_stopped_dispatcher_claims_nothing_and_leaves_no_thread(partner):
    threads = threading.active_count()
    partner.subscribe()
    record(partner.produce())
    dispatcher = Dispatcher(DRIVER, Held(), RING, clock=lambda: NOON)
    dispatcher.stop()
    dispatcher.dispatch()
    assert len(claim(NOON)) == 1
    assert threading.active_count() == threads
