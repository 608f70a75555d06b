"""The tools of the torture with a hostile partner: whose processor time its attacks take, and what
readers note of the others.
"""

import os
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

import pytest

from tests.torture.attacks import AttackProcess
from tests.torture.load import Partner
from tests.torture.readers import Reader, ReadersProcess


@contextmanager
def answering(status_of: dict[str, int]):
    """A server; gives its address, the requests that it had, and an event: it had seven."""
    asked, enough = [], Event()

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked.append((self.headers["X-API-Key"], self.path))
            if len(asked) >= 7:
                enough.set()
            self.send_response(status_of.get(self.path, 200))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked, enough
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.skipif(sys.platform != "linux", reason="there is no such policy elsewhere")
def test_attackers_give_way_to_those_that_answer():
    attack = AttackProcess("http://127.0.0.1:9", Partner(0, {}), 1, {}, ())
    attack.start()
    process = attack._process.pid
    policy, nice = os.sched_getscheduler(process), os.getpriority(os.PRIO_PROCESS, process)
    sent = attack.stop()
    assert policy == os.SCHED_BATCH and nice >= 10
    assert (sent.answers.total(), sent.rate) == (0, 0)


def test_readers_ask_by_turns_and_tell_what_is_strange():
    with answering({"/b": 500, "/c": 429}) as (address, asked, enough):
        readers = [Reader({"X-API-Key": each}, ["/a", "/b", "/c"]) for each in ("one", "two")]
        with ReadersProcess(address, readers, 0.01) as reading:
            assert enough.wait(60)
            reading.stop()
    of_one = [path for key, path in asked if key == "one"]
    assert of_one == (["/a", "/b", "/c"] * len(of_one))[: len(of_one)]
    assert {key for key, _ in asked} == {"one", "two"}
    assert len(reading.list_seconds(0, float("inf"))) == len(asked)
    assert reading.list_seconds(0, 0) == []
    assert {each.split(": ")[0] for each in reading.strange} == {"GET /b"}
