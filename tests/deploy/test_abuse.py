"""Abuse through nginx, as the deployment has it: crowds of idle clients, floods of headers,
paths and lines with a purpose.
"""

import json
import re
import resource
import selectors
import shutil
import socket
import ssl
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from support.front import HOST, Gunicorn, Nginx, running

from tests.deploy.conftest import brief

pytestmark = [pytest.mark.slow, pytest.mark.judges]

IDLE = 10_000  # issue 7: "10,000 idle connections (behind nginx)"
# by when nginx has ended them: its client_header_timeout, its keepalive_timeout, and some
IDLE_SECONDS = 20
NASTY = "x\r\n2026-11-21T00:00:00.000Z critical svc: hacked\x1b[31m\x7f\x9b2J\u2028\u202e"
SECRETS = (b"SQLite format 3", b"root:x:0:0", b"def create_app")
UPS = (
    b"../",
    b"..%2f",
    b"%2e%2e/",
    b"%2e%2e%2f",
    b"%252e%252e%252f",
    b"..\\",
    b"..%5c",
    b"..;/",
    b"%c0%ae%c0%ae/",
    b"....//",
)
TARGETS = (b"service.db", b"secret", b"etc/passwd", b"app.py")


@pytest.fixture(scope="module")
def folder():
    """A folder that nginx's own user may enter, unlike those of pytest."""
    if shutil.which("nginx") is None:
        pytest.skip("no nginx here")
    made = Path(tempfile.mkdtemp(prefix="abuse."))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def service(folder):
    settings = {
        "SVC_TRUSTED_PROXIES": "1",
        "SVC_MEDIA_REDIRECT": "/_media/",
        "SVC_LOG_FORMAT": "json",
        "SVC_ENGINE": "off",
    }
    with running(Gunicorn(folder / "data", f"https://{HOST}", **settings)) as gunicorn:
        yield gunicorn


@pytest.fixture(scope="module")
def seeded(service, enrol):
    return enrol(service.data_dir)


@pytest.fixture(scope="module")
def front(folder, service):
    with Nginx(folder / "nginx", f"127.0.0.1:{service.port}", service.data_dir) as running:
        yield running


@contextmanager
def room_for(files: int):
    """This process may have so many files open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = max(soft, files)
    assert hard == resource.RLIM_INFINITY or hard >= wanted, (
        f"this machine allows {hard} open files, and {files} are needed"
    )
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def until_ended(idle: list[socket.socket]) -> list[socket.socket]:
    """Wait until the other side has ended these connections;
    those that it has not after IDLE_SECONDS.
    """
    deadline = time.monotonic() + IDLE_SECONDS
    with selectors.DefaultSelector() as reading:
        for each in idle:
            reading.register(each, selectors.EVENT_READ)
        while (left := len(reading.get_map())) and time.monotonic() < deadline:
            for key, _ in reading.select(1.0):
                if is_over(key.fileobj):
                    reading.unregister(key.fileobj)
        return [key.fileobj for key in reading.get_map().values()] if left else []


def is_over(connection: socket.socket) -> bool:
    try:
        return not connection.recv(4096)
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


def test_ten_thousand_idle_connections_keep_nobody_waiting_and_are_ended(front, seeded):
    """Each request on a new connection of its own; half of the idle have had an answer before,
    the others say nothing.
    """
    greeting = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    idle, waited = [], []
    with room_for(IDLE + 500):
        try:
            for number in range(IDLE):
                idle.append(socket.create_connection(("127.0.0.1", front.http_port), timeout=10))
                if number % 2:
                    idle[-1].sendall(greeting)
            for each in idle[1::2]:
                assert each.recv(4096).startswith(b"HTTP/1.1 301 ")
            for each in idle:
                each.setblocking(False)
            for _ in range(30):
                waited.append(seconds_of_a_request(front, seeded))
            assert not any(map(is_over, idle)), "they were not idle, but ended"
            assert max(waited) < 1.0, waited
            assert until_ended(idle) == []
        finally:
            for each in idle:
                each.close()
    front.wait_until(lambda: descriptors_of_workers(front) < 100)


def seconds_of_a_request(front: Nginx, seeded: dict) -> float:
    begun = time.monotonic()
    with requests.Session() as session:
        session.trust_env, session.verify = False, str(front.authority.file)
        answer = session.get(
            f"{front.address}/v1/languages", headers={"X-API-Key": seeded["testKey"]}, timeout=30
        )
        assert answer.status_code == 200, answer.text
    return time.monotonic() - begun


def descriptors_of_workers(front: Nginx) -> int:
    """How many files and sockets nginx's busiest worker has open."""
    children = (
        Path(f"/proc/{front.process.pid}/task/{front.process.pid}/children").read_text().split()
    )
    return max(len(list(Path(f"/proc/{each}/fd").iterdir())) for each in children)


def raw(front: Nginx, request: bytes) -> tuple[int, bytes, bytes]:
    """One request as it stands, by TLS: the status, the head and the body of its answer."""
    context = ssl.create_default_context(cafile=str(front.authority.file))
    with socket.create_connection(("127.0.0.1", front.https_port), timeout=20) as plain:
        with context.wrap_socket(plain, server_hostname=HOST) as connection:
            connection.sendall(request)
            received = b""
            while more := connection.recv(65536):
                received += more
    head, _, content = received.partition(b"\r\n\r\n")
    return int(head.split()[1]), head, content


def request(path: bytes, *headers: bytes) -> bytes:
    lines = (b"GET " + path + b" HTTP/1.1", b"Host: localhost", b"Connection: close", *headers)
    return b"\r\n".join(lines) + b"\r\n\r\n"


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (b"/v1/languages", [b"X-%d: y" % number for number in range(500)]),
        (b"/v1/languages", [b"X-%d: y" % number for number in range(3_500)]),
        (b"/v1/languages", [b"X-A: " + b"y" * 12_000]),
        (
            b"/v1/languages",
            [b"Cookie: " + b"; ".join(b"c%d=%s" % (number, b"v" * 20) for number in range(450))],
        ),
        (b"/v1/languages", [b"Cookie: c%d=v" % number for number in range(300)]),
        (b"/v1/languages?" + b"a=b&" * 2_500, []),
        (b"/" + b"a" * 10_000, []),
        (b"/v1/languages", [b"X-A: a\x00b"]),
    ],
    ids=[
        "500 headers",
        "3,500 headers",
        "a huge one",
        "huge cookies",
        "300 cookies",
        "a huge query",
        "a huge path",
        "a null",
    ],
)
def test_a_flood_in_one_request_is_refused_in_the_envelope(front, path, headers):
    status, head, content = raw(front, request(path, *headers))
    envelope = json.loads(content)
    assert (status, envelope["error"]) == (400, "INVALID_REQUEST"), envelope
    assert f"x-correlation-id: {envelope['correlationId']}".encode() in head.lower()


@pytest.mark.parametrize(
    "prefix",
    [
        b"/files/",
        b"/_media/",
        b"/watch/",
        b"/static/",
        b"/console/avatars/samples/",
        b"/docs/",
        b"/",
    ],
)
def test_no_path_leads_to_a_file_that_is_not_for_everybody(front, service, prefix):
    secrets = (*SECRETS, (service.data_dir / "secret").read_bytes()[-40:].strip())
    paths = [up * depth + target for up in UPS for depth in (1, 6) for target in TARGETS]
    paths += [
        b"/etc/passwd",
        b"%2fetc%2fpasswd",
        b"secret%00.png",
        b"..%00/secret",
        b"file:///etc/passwd",
        b"C:%5cx",
        b"~root",
    ]
    for path in paths:
        status, _, content = raw(front, request(prefix + path))
        assert status in (301, 302, 303, 308, 400, 403, 404), (path, status, content[:200])
        assert not any(each in content for each in secrets), path


def test_nothing_that_is_sent_gets_into_a_log_as_a_line_or_a_control(front, service, seeded):
    raw_nasty = NASTY.encode("utf-8").replace(b"\r\n", b"\r").replace(b"\r", b"\x0b")
    encoded = "".join(f"%{each:02x}" for each in NASTY.encode("utf-8")).encode()
    for name in (b"User-Agent", b"X-Correlation-Id", b"Referer", b"X-API-Key", b"X-Forwarded-For"):
        raw(front, request(b"/v1/" + encoded + b"?a=" + encoded, name + b": " + raw_nasty))
        raw(front, request(b"/files/" + encoded, name + b": " + raw_nasty))
    with requests.Session() as session:
        session.trust_env = False
        session.headers["X-API-Key"] = seeded["testKey"]
        triggered = session.post(
            f"{service.address}/v1/accounts/{seeded['sandboxAccountId']}/productions",
            timeout=20,
            json=brief(seeded, topic=re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", NASTY)),
        )
        assert triggered.status_code == 202, triggered.text
    # past nginx, what is no HTTP
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as connection:
        connection.sendall(b"GET /\x1b[31m\x9b2J\x85 HTTP/9.9\x1b[0m\r\nA\x1b: b\r\n\r\n")
        connection.recv(65536)
    said = service.log.read_text("utf-8").split("\n")
    assert said.pop() == "" and said
    for line in said:
        assert line.isprintable() and json.loads(line)["logger"], line
        assert not line.startswith("2026-11-21T00:00:00")
