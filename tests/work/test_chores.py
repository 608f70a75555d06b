"""What is done by the clock, and whom alerts reach."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from svc.base import settings
from svc.domain import alerts, security
from svc.store import database
from svc.work import chores


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
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"json://127.0.0.1:{server.server_port}/", got
        server.shutdown()
        thread.join()


def test_an_alert_reaches_the_operators_addresses_once(app, clock, chat):
    address, got = chat
    with database.write():
        alerts.raise_alert("WebhookDeliveryFailed", "warning", "3 deliveries in a row failed", clock())
    for _ in range(2):
        chores.tell_people((address,), clock())
    assert [(each["title"], each["message"]) for each in got] == [
        ("WARNING: WebhookDeliveryFailed", "3 deliveries in a row failed")
    ]


def test_an_alert_that_could_not_be_sent_is_sent_later(app, clock, chat):
    address, got = chat
    for _ in range(security.BURST):
        security.failed("192.0.2.7", clock())
    chores.tell_people(("json://127.0.0.1:1/",), clock())
    assert database.row("SELECT notified_at FROM alerts")[0] is None
    chores.tell_people((address,), clock())
    assert len(got) == 1 and "192.0.2.7" in got[0]["message"]


def test_pruning_keeps_what_is_young(app, partner, clock):
    partner.get("/v1/languages")
    clock.tick(30 * 86400 + 1)
    partner.get("/v1/languages")
    app.extensions["svc"].recorder.flush()
    chores.close_day(clock(), settings.read({"SVC_HISTORY_DAYS": "30"}), None)
    assert database.row("SELECT count(*) FROM requests")[0] == 1
    assert database.row("SELECT count(*) FROM usage_days")[0] == 2
