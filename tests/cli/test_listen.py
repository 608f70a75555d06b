"""``listen``: it follows a server wherever it is, forwards events signed,
and leaves nothing behind when it is killed.
"""

import contextlib
import http.client
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import requests
from rich.console import Console

from svc.base import clock, settings
from svc.base.crypto import signing
from svc.base.errors import CommandError
from svc.base.processes.ending import Ending
from svc.cli import signals
from svc.cli.demo import listen as listening
from svc.cli.demo.client import Client, Unreachable
from svc.cli.demo.demo_server import Server
from svc.cli.demo.event_relay import Follower
from svc.cli.demo.receiver import Receiver
from svc.cli.installation import seed
from svc.serving import worker
from svc.store import database
from svc.store.database import db

APP = Path(__file__).parents[2] / "app.py"
PATIENCE = 90  # seconds
SECRET = bytes(range(32))
EVENT = {
    "eventType": "production.queued",
    "productionId": "p",
    "sequenceNumber": 1,
    "data": {"status": "Queued"},
}


class Feed:
    """A client whose answers are told beforehand; an exception is raised."""

    def __init__(self, *answers):
        self.answers, self.questions = list(answers), []
        self.ended = Ending()

    def get(self, path: str, **question):
        self.questions.append(question)
        answer = self.answers.pop(0)
        if not self.answers:
            self.ended.set()
        if isinstance(answer, Exception):
            raise answer
        return answer


def part(*events: dict, cursor: str, again: int = 0) -> dict:
    return {"data": list(events), "hasMore": False, "nextCursor": cursor, "pollAfterSeconds": again}


def followed(feed: Feed) -> list:
    came: list = []
    follower = Follower(feed, SECRET, came.append, feed.ended)
    follower.begin()
    follower.follow(came.append)
    return came


def test_it_begins_at_the_end_of_the_feed_and_goes_on_where_it_was():
    feed = Feed(part(cursor="a"), part(EVENT, cursor="b"), part(cursor="c"))
    assert [each.event["productionId"] for each in followed(feed)] == ["p"]
    assert [each["cursor"] for each in feed.questions] == ["latest", "a", "b"]


def test_an_event_is_signed_as_a_webhook_is_and_has_one_id_however_often_it_is_read():
    feed = Feed(part(cursor="a"), part(EVENT, EVENT, cursor="b"), part(cursor="c"))
    first, second = followed(feed)
    assert first.event["eventId"] == second.event["eventId"] == first.headers["webhook-id"]
    assert first.headers["x-service-signature"] == signing.make_service_signature(
        SECRET, first.body
    )
    stamp = int(first.headers["webhook-timestamp"])
    assert first.headers["webhook-signature"] == signing.make_standard_signature(
        SECRET, first.event["eventId"], stamp, first.body
    )
    assert json.loads(first.body) == {"eventId": first.event["eventId"], **EVENT}


def test_a_server_that_is_gone_for_a_while_is_asked_again_from_the_same_place(monkeypatch):
    monkeypatch.setattr("svc.cli.demo.event_relay._AGAIN", (0.001,))
    feed = Feed(part(cursor="a"), Unreachable("gone"), Unreachable("gone"), part(EVENT, cursor="b"))
    said = followed(feed)
    assert [str(each).partition(";")[0] for each in said[:2]] == ["gone", "gone"]
    assert [each["cursor"] for each in feed.questions] == ["latest", "a", "a", "a"]


def test_a_key_that_is_refused_ends_it():
    with pytest.raises(CommandError, match="UNAUTHORIZED"):
        followed(Feed(part(cursor="a"), CommandError("401 UNAUTHORIZED"), part(cursor="b")))


def test_ctrl_c_ends_it_even_where_the_exception_is_swallowed_by_a_finalizer():
    class Swallows(Feed):
        def get(self, path: str, **question):
            with contextlib.suppress(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
            return super().get(path, **question)

    before = {
        number: signal.getsignal(number)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    feed = Swallows(part(cursor="a"), part(cursor="b"), part(cursor="c"))
    follower = Follower(feed, SECRET, lambda event: None, ended := Ending())
    signals.end_as_by_ctrl_c(ended)
    try:
        follower.follow(lambda why: None)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert len(feed.questions) == 1


@pytest.mark.parametrize("given", ["", "not base64!", "é"])
def test_a_bad_secret_is_refused(given):
    with pytest.raises(CommandError, match="base64url"):
        listening._decode_secret(given)


def test_a_secret_may_be_given():
    assert listening._decode_secret(signing.encode_base64url(SECRET)) == SECRET
    assert len(listening._decode_secret(None)) == 32


def test_a_live_key_rehearses_nothing():
    listener = listening.Listener(Console(quiet=True), None, 500, 0.0)
    with pytest.raises(CommandError, match="test key"):
        listening._rehearse(listener, "http://127.0.0.1:1", "svc_live_x", 0, Console(quiet=True))


@pytest.fixture
def server(tmp_path):
    """A server without an engine, that may reach this machine; ``seeded``: a partner."""
    with Server(tmp_path, 0, SVC_ENGINE="off") as running:
        database.open_database(settings.read({}, data_dir=tmp_path).database)
        running.seeded = seed.make_partner("Enterprise", clock.now())
        db.close()
        yield running


def start(server: Server, *options: str) -> subprocess.Popen:
    command = [
        sys.executable,
        "-u",
        str(APP),
        "listen",
        "--key",
        server.seeded["testKey"],
        "--url",
        server.address,
        *options,
    ]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )


def trigger(server: Server) -> str:
    brief = {name: server.seeded[name] for name in ("languageId", "countryId", "avatarId")}
    client = Client(server.address, server.seeded["testKey"])
    return client.post(
        f"/v1/accounts/{server.seeded['sandboxAccountId']}/productions", {"topic": "x", **brief}
    )["productionId"]


def subscriptions(server: Server) -> list[dict]:
    return list(Client(server.address, server.seeded["testKey"]).list_all("/v1/webhooks"))


@pytest.mark.slow
def test_events_are_forwarded_signed_and_no_subscription_is_made(server):
    came: queue.Queue = queue.Queue()
    with Receiver(lambda received: came.put(received) or 200) as receiver:
        receiver.trust(signing.encode_base64url(SECRET))
        running = start(
            server, "--forward-to", receiver.url, "--secret", signing.encode_base64url(SECRET)
        )
        try:
            assert "following" in running.stdout.readline()
            production = trigger(server)
            received = came.get(timeout=PATIENCE)
            assert (received.problem, received.event["productionId"]) == (None, production)
            assert subscriptions(server) == []
            # it is told after the receiver has it
            assert any("forwarded (200)" in line for line in running.stdout)
        finally:
            running.send_signal(signal.SIGINT)
            running.communicate(timeout=PATIENCE)
    assert running.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_rehearsal_that_is_killed_leaves_no_subscription(server, number):
    running = start(server, "--answer", "500")
    try:
        assert "listening" in running.stdout.readline()
        assert len(subscriptions(server)) == 1
        os.kill(running.pid, number)
        running.wait(PATIENCE)
        deadline = time.monotonic() + PATIENCE
        while subscriptions(server) and time.monotonic() < deadline:
            # each look counts towards the rate limit of the key, which is the child's too
            time.sleep(1)
        assert subscriptions(server) == []
    finally:
        running.kill()
        running.communicate()


@pytest.mark.slow
def test_polls_that_wait_hold_nobody_up_and_end_with_the_server(server):
    key, other = server.seeded["testKey"], server.seeded["liveKey"]
    path = f"{server.address}/v1/events?cursor=latest&waitSeconds=30"
    answered: list[dict] = []

    def poll(key: str) -> None:
        answered.append(requests.get(path, headers={"X-API-Key": key}, timeout=PATIENCE).json())

    def await_answers(count: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while len(answered) < count and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(answered) == count

    polls = [threading.Thread(target=poll, args=(one,)) for one in [key, other] * 10]
    # one after the other: more than four at once are refused
    for number, each in enumerate(polls, 1):
        each.start()
        await_answers(max(0, number - 2))  # all but the two that wait for this partner
    assert (
        requests.get(
            f"{server.address}/v1/languages", headers={"X-API-Key": key}, timeout=60
        ).status_code
        == 200
    )
    server.stop()  # waits for what is being answered
    for each in polls:
        each.join(PATIENCE)
    assert [each["data"] for each in answered] == [[]] * 20
    assert "Traceback" not in server.log.read_text()


@pytest.mark.slow
def test_a_connection_outlives_a_wait_that_is_longer_than_a_request_may_take_to_arrive(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.auto_open = 0  # it must not be opened again on the quiet
    connection.connect()
    for seconds in (worker.READ_SECONDS + 2, 0):
        path = f"/v1/events?cursor=latest&waitSeconds={seconds:.0f}"
        connection.request("GET", path, headers={"X-API-Key": server.seeded["testKey"]})
        with connection.getresponse() as answer:
            assert json.loads(answer.read())["data"] == []
    connection.close()
