"""Whom alerts reach: each address by itself, whatever becomes of the others."""

import json
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from support import plain_sql
from support.serving import serving

from svc.base import outage
from svc.domain.access import auth_failures
from svc.domain.monitoring import alerts
from svc.store.database import db
from svc.work import alert_sending
from svc.work.alert_sending import AlertSender
from svc.work.outages import Outages

PAGER, DEAD, CHAT = "pagerduty://pager", "json://dead", "json://chat"


@pytest.fixture
def chat():
    """A service that alerts are posted to as JSON: its address for Apprise, and what it got."""
    got = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        with serving(server):
            yield f"json://127.0.0.1:{server.server_port}/", got


@pytest.mark.slow
def test_an_alert_reaches_the_operators_addresses_once(app, clock, chat):
    address, got = chat
    with db.transaction():
        alerts.raise_alert(
            "WebhookDeliveryFailed", "warning", "3 deliveries in a row failed", clock()
        )
    for _ in range(2):
        AlertSender((address,), clock).send_alerts()
    assert [(each["title"], each["message"]) for each in got] == [
        ("WARNING: WebhookDeliveryFailed", "3 deliveries in a row failed")
    ]


@pytest.mark.slow
def test_an_alert_that_could_not_be_sent_is_sent_later(app, clock, chat):
    address, got = chat
    for _ in range(auth_failures.BURST):
        auth_failures.record_failure("192.0.2.7", clock())
    AlertSender(("json://127.0.0.1:1/",), clock).send_alerts()
    assert plain_sql.row("SELECT notified_at FROM alerts")[0] is None
    AlertSender((address,), clock).send_alerts()
    assert len(got) == 1 and "192.0.2.7" in got[0]["message"]


class Wire:
    """What each address took.

    ``refuses``: which alerts an address does not take; None: it is dead.
    """

    def __init__(self, refuses):
        self.took, self.tried, self.refuses = defaultdict(list), defaultdict(int), refuses

    def send(self, urls: tuple[str, ...], title: str, body: str) -> bool:
        [url] = urls
        self.tried[url] += 1
        refused = self.refuses.get(url, ())
        if refused is None or body in refused:
            return False
        self.took[url].append(body)
        return True


def raised(clock, *messages: str) -> None:
    with db.transaction():
        for message in messages:
            alerts.raise_alert("StepCrashed", "warning", message, clock())


def test_a_dead_address_holds_up_none_of_the_others_and_repeats_nothing(app, clock):
    raised(clock, "one", "two")
    wire = Wire({DEAD: None})
    sender = AlertSender((PAGER, DEAD, CHAT), clock, wire.send)
    for turn in range(6):
        raised(clock, f"later {turn}")
        sender.send_alerts()
    expected = ["one", "two", *(f"later {turn}" for turn in range(5)), "later 5"]
    told = {
        url: [body for body in bodies if "Address" not in body] for url, bodies in wire.took.items()
    }
    assert told == {PAGER: expected, CHAT: expected}
    assert wire.tried[DEAD] == 6  # once a turn
    assert {row[0] for row in plain_sql.rows("SELECT notified_at FROM alerts")} == {None}


def test_what_each_address_took_is_remembered_beyond_a_restart(app, clock):
    raised(clock, "one", "two")
    wire = Wire({DEAD: None})
    AlertSender((PAGER, DEAD), clock, wire.send).send_alerts()
    wire.refuses = {}
    AlertSender((PAGER, DEAD), clock, wire.send).send_alerts()
    assert dict(wire.took) == {PAGER: ["one", "two"], DEAD: ["one", "two"]}
    assert {row[0] for row in plain_sql.rows("SELECT notified_at FROM alerts")} == {clock()}


def test_an_alert_that_an_address_never_takes_holds_up_no_other_alert(app, clock):
    raised(clock, "poison", "two")
    wire = Wire({PAGER: ["poison"]})
    sender = AlertSender((PAGER,), clock, wire.send)
    for turn in range(3):
        raised(clock, f"later {turn}")
        sender.send_alerts()
    assert wire.took[PAGER] == ["two", "later 0", "later 1", "later 2"]


def test_more_alerts_than_one_turn_reads_reach_the_living_although_another_is_dead(app, clock):
    raised(clock, *(f"number {each}" for each in range(120)))
    wire = Wire({DEAD: None})
    sender = AlertSender((DEAD, PAGER), clock, wire.send)
    for _ in range(3):
        sender.send_alerts()
    assert len(wire.took[PAGER]) == 120


def test_an_address_that_does_not_take_alerts_is_an_alert_for_the_others_once(app, clock):
    raised(clock, "one")
    wire = Wire({DEAD: None})
    sender = AlertSender((PAGER, DEAD), clock, wire.send)
    for _ in range(20):
        sender.send_alerts()
    named = plain_sql.rows("SELECT message FROM alerts WHERE name = ?", (alert_sending.NOT_SENT,))
    assert (
        len(named) == 1
        and "number 2 of SVC_ALERT_URLS (json://" in named[0][0]
        and "dead" not in named[0][0]
    )
    assert wire.took[PAGER] == ["one", named[0][0]]


def test_a_second_address_that_takes_nothing_is_named_too(app, clock):
    raised(clock, "one")
    wire = Wire({DEAD: None, f"{DEAD}2": None})
    sender = AlertSender((PAGER, DEAD, f"{DEAD}2"), clock, wire.send)
    for _ in range(20):
        sender.send_alerts()
    named = plain_sql.rows("SELECT message FROM alerts WHERE name = ?", (alert_sending.NOT_SENT,))
    assert sorted(message.split()[2] for (message,) in named) == ["2", "3"]


def test_an_address_given_twice_is_told_once(app, clock):
    raised(clock, "one")
    wire = Wire({})
    sender = AlertSender((PAGER, PAGER), clock, wire.send)
    sender.send_alerts()
    assert wire.took[PAGER] == ["one"] and list(sender._urls) == [PAGER]


def test_alerts_of_yesterday_are_not_sent_any_more(app, clock):
    raised(clock, "one")
    clock.tick(86400)
    wire = Wire({})
    AlertSender((PAGER,), clock, wire.send).send_alerts()
    assert not wire.took


def test_the_mark_of_an_address_holds_nothing_of_it(app, clock):
    secret = "json://me:hunter2@example.com"
    raised(clock, "one")
    AlertSender((secret,), clock, Wire({}).send).send_alerts()
    [told] = plain_sql.row("SELECT told FROM alerts")
    assert told == alert_sending.fingerprint_address(secret) and len(told) == 8


def test_an_outage_reaches_each_address_once_and_the_one_that_failed_later(clock):
    outages = Outages(clock, threading.Event())
    outages.record(outage.DISK_FULL, "no room")
    wire = Wire({DEAD: None})
    sender = AlertSender((PAGER, DEAD), clock, wire.send)
    sender.send_outages(outages)
    wire.refuses = {}
    for _ in range(2):
        sender.send_outages(outages)
    assert dict(wire.took) == {PAGER: [outage.DISK_FULL.mend], DEAD: [outage.DISK_FULL.mend]}


def test_the_engines_next_start_waits_for_no_dead_address(clock):
    asked, answers = threading.Event(), threading.Event()

    def send(*_):
        asked.set()
        return not answers.wait(60)

    outages = Outages(clock, threading.Event())
    outages.record(outage.DISK_FULL, "no room")
    sender = AlertSender((DEAD,), clock, send)
    sender.send_outages_beside(outages)  # returns although the address does not answer
    assert asked.wait(60)
    first = sender._beside
    sender.send_outages_beside(outages)
    assert sender._beside is first
    answers.set()
    first.join(60)
