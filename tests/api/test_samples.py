"""The code samples of the documentation do what they say, as they stand, against a real server."""

import base64
import hashlib
import hmac
import json
import os
import subprocess
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests
from support import plain_sql
from support.cast import Clock
from support.stage import complete_steps, make

from svc.base import clock, settings
from svc.cli.demo.demo_server import Server, find_free_port
from svc.cli.installation import seed
from svc.store import database
from svc.store.database import db

pytestmark = pytest.mark.slow

SAMPLES = Path(__file__).parents[2] / "svc" / "base" / "samples"
COMMANDS = {".sh": ["sh"], ".py": [sys.executable], ".mjs": ["node"]}
SUFFIXES = [".sh", ".py", ".mjs"]
PATIENCE = 60  # seconds
SECRET = bytes(range(32))
BODY = json.dumps(
    {"eventType": "production.queued", "productionId": "p", "sequenceNumber": 1}
).encode()


def start(name: str, *arguments: str, **environment: str) -> subprocess.Popen:
    """A sample as a process of its own."""
    path = SAMPLES / name
    command = [*COMMANDS[path.suffix], str(path), *arguments]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=os.environ | environment, text=True, **pipes)


@pytest.fixture
def server(tmp_path):
    """A server without an engine, on a database that this process can reach too;
    ``keys``: of one partner for each sample.
    """
    with Server(tmp_path, 0, SVC_ENGINE="off") as running:
        database.open_database(settings.read({}, data_dir=tmp_path).database)
        running.keys = [seed.make_partner("Standard", clock.now())["testKey"] for _ in SUFFIXES]
        yield running
        db.close()


def test_the_trigger_samples_follow_a_production_until_its_files_are_there(server):
    running = [
        start(f"trigger{suffix}", BASE=server.address, KEY=key)
        for suffix, key in zip(SUFFIXES, server.keys)
    ]
    deadline = time.monotonic() + PATIENCE
    while (
        len(plain_sql.rows("SELECT 1 FROM productions")) < len(running)
        and time.monotonic() < deadline
    ):
        time.sleep(0.05)
    for _ in running:
        complete_steps(Clock(clock.now()), made=[make()])
    for each in running:
        said, complaint = each.communicate(timeout=PATIENCE)
        assert each.returncode == 0, complaint
        assert "AwaitingApproval 100%" in said
        assert f"Transcript txt {server.address}/files/" in said


def test_a_trigger_sample_says_why_it_was_refused(server):
    for suffix in SUFFIXES:
        said = start(f"trigger{suffix}", BASE=server.address, KEY="svc_test_" + "a" * 43)
        assert "UNAUTHORIZED" in said.communicate(timeout=PATIENCE)[1] and said.returncode != 0


class Forgetful(BaseHTTPRequestHandler):
    """A service whose first answer to a trigger is lost on the way."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path.endswith("/deliverables"):
            return self.answer({"data": []})
        if path.startswith("/v1/productions/"):
            return self.answer(
                self.server.production | {"status": "Published", "progressPercent": 100}
            )
        code = {"/v1/languages": "en", "/v1/countries": "US"}.get(path)
        entry = {
            "accountId": "a",
            "avatars": [{"avatarId": "v"}],
            "code": code,
            "languageId": "l",
            "countryId": "c",
        }
        return self.answer({"data": [entry]})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.keys.append(self.headers["Idempotency-Key"])
        if len(self.server.keys) == 1:
            self.connection.shutdown(2)
            self.close_connection = True
            return None
        return self.answer(self.server.production)

    def answer(self, found: dict) -> None:
        content = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_) -> None:
        pass


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_trigger_sample_sends_again_what_was_not_answered_with_the_same_uuid(suffix):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Forgetful)
    server.keys, server.production = (
        [],
        {"productionId": "p", "status": "Queued", "progressPercent": 0, "pollAfterSeconds": 0},
    )
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        sample = start(
            f"trigger{suffix}", BASE=f"http://127.0.0.1:{server.server_port}", KEY="svc_test_x"
        )
        _, complaint = sample.communicate(timeout=PATIENCE)
    finally:
        server.shutdown()
        server.server_close()
    assert sample.returncode == 0, complaint
    first, second = server.keys
    assert first == second == str(uuid.UUID(first))


def signature(body: bytes) -> str:
    return "sha256=" + hmac.new(SECRET, body, hashlib.sha256).hexdigest()


def encoded() -> str:
    return base64.urlsafe_b64encode(SECRET).rstrip(b"=").decode()


@pytest.mark.parametrize("suffix", [".py", ".mjs"])
def test_a_verification_sample_believes_what_is_signed_and_nothing_else(suffix):
    port = find_free_port(0)
    receiver = start(f"verify{suffix}", SIGNING_SECRET=encoded(), PORT=str(port))
    try:
        answers = [
            post(port, BODY, headers)
            for headers in (
                {"X-SERVICE-Signature": signature(BODY)},
                {"X-SERVICE-Signature": signature(BODY)},
                {"X-SERVICE-Signature": signature(BODY + b" ")},
                {"X-SERVICE-Signature": "sha256="},
                {},
            )
        ]
    finally:
        receiver.terminate()
        said = receiver.communicate(timeout=PATIENCE)[0]
    assert answers == [204, 204, 401, 401, 401]
    assert said.splitlines() == ["production.queued p 1"]  # the repetition is taken once


def post(port: int, body: bytes, headers: dict[str, str]) -> int:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with requests.post(
                f"http://127.0.0.1:{port}/", data=body, headers=headers, timeout=60
            ) as answer:
                return answer.status_code
        except requests.ConnectionError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


@pytest.mark.parametrize(
    ("header", "status"), [(signature(BODY), 0), (signature(b"{}"), 1), ("", 1)]
)
def test_the_shell_sample_verifies_one_body(header, status):
    sample = start("verify.sh", header, SIGNING_SECRET=encoded())
    _, complaint = sample.communicate(BODY.decode(), timeout=PATIENCE)
    assert sample.returncode == status, complaint
