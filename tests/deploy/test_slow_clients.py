"""Clients that are slow on purpose: directly at gunicorn they cost others a bounded time,
behind nginx none.
"""

import select
import selectors
import shutil
import socket
import ssl
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from support.front import HOST, Gunicorn, Nginx, running

pytestmark = pytest.mark.slow

THREADS = 8
REQUEST = b"GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n"
LINGERING = REQUEST % (b"/healthz", b"Connection: close\r\n")
BODY = (
    b"POST /v1/webhooks HTTP/1.1\r\nHost: localhost\r\nX-API-Key: %s\r\n"
    b"Content-Type: application/json\r\n"
)
BODY += b"Content-Length: 60000\r\n\r\n{"
# more than the kernel keeps for a client that does not read
MANY_ANSWERS = REQUEST % (b"/openapi.json", b"") * 100


@pytest.fixture(scope="module")
def folder():
    """A folder that nginx's own user may enter, unlike those of pytest."""
    made = Path(tempfile.mkdtemp(prefix="slow."))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def service(folder):
    """One worker with eight threads, as ``serve`` has them."""
    gunicorn = Gunicorn(folder / "data", workers=1, SVC_ENGINE="off", SVC_TRUSTED_PROXIES="1")
    gunicorn.command[-1:-1] = ["--worker-class", "tests.deploy.impatient.Worker"]
    with running(gunicorn):
        yield gunicorn


@contextmanager
def clients(port: int, number: int, sends: bytes) -> Iterator[list[socket.socket]]:
    """So many connections, each of which has sent something, as far as it is taken,
    and does nothing more.
    """
    opened = []
    try:
        for _ in range(number):
            each = socket.socket()
            opened.append(each)
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            each.connect(("127.0.0.1", port))
            each.setblocking(False)
            if sends:
                each.send(sends)
        if sends:
            wait_until_busy(opened)
        yield opened
    finally:
        for each in opened:
            each.close()


def wait_until_busy(opened: list[socket.socket]) -> None:
    """Every thread has answered one of them."""
    waiting = set(opened)
    while len(opened) - len(waiting) < THREADS:
        answered, _, _ = select.select(waiting, (), (), 30)
        assert answered
        waiting -= set(answered)


def request(address: str, **more) -> None:
    with requests.Session() as session:
        session.trust_env = False
        assert session.get(f"{address}/healthz", timeout=60, **more).status_code == 200


def seconds_of_a_request(address: str, **more) -> float:
    begun = time.monotonic()
    request(address, **more)
    return time.monotonic() - begun


def test_others_are_answered_directly_at_gunicorn_beside_clients_that_say_nothing(service):
    with clients(service.port, 8 * THREADS, b"") as silent:
        request(service.address)
        ended, _, _ = select.select(silent, (), (), 0)
        assert ended == [], "the answer came when silent clients were given up"


def test_others_are_answered_directly_at_gunicorn_beside_clients_that_do_not_close(service):
    with clients(service.port, 2 * THREADS, LINGERING):
        assert seconds_of_a_request(service.address) < 8.0


def test_clients_that_do_not_read_their_answers_are_ended(service):
    [worker] = service.workers()
    opened = Path(f"/proc/{worker}/fd")
    before = len(list(opened.iterdir()))
    with clients(service.port, THREADS, MANY_ANSWERS):
        service.wait_until(lambda: len(list(opened.iterdir())) <= before)
        assert seconds_of_a_request(service.address) < 1.0
    assert "Traceback" not in service.said()


@pytest.mark.parametrize("size", [70_000, 24 << 20])
def test_whoever_is_refused_in_the_middle_of_a_large_body_gets_the_answer(service, size):
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as client:
        client.sendall(BODY.replace(b"60000", b"%d" % size) % b"any")
        client.sendall(bytes(size))  # a connection that is reset at once ends in the middle of this
        answer = b"".join(iter(lambda: client.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 413 ") and b"PAYLOAD_TOO_LARGE" in answer
    # a proxy that kept the connection would lose the next request on it
    assert b"\r\nConnection: close\r\n" in answer


def test_a_worker_that_is_told_to_end_does_not_wait_for_clients_that_say_nothing(folder):
    stopping = Gunicorn(folder / "stopping" / "data", workers=1, SVC_ENGINE="off")
    stopping.start()
    with clients(stopping.port, 5, b""):
        seconds_of_a_request(stopping.address)  # it has taken those before
        begun = time.monotonic()
        assert stopping.end() == 0
    assert time.monotonic() - begun < 6


@pytest.fixture(scope="module")
def body(service, enrol) -> bytes:
    """The beginning of a request whose body the service would read."""
    return BODY % enrol(service.data_dir)["testKey"].encode()


@pytest.fixture
def front(folder, service):
    if shutil.which("nginx") is None:
        pytest.skip("no nginx here")
    with Nginx(folder / "nginx", f"127.0.0.1:{service.port}", service.data_dir) as running:
        yield running


class Slow:
    """A client of nginx: what it sends at first, and what it adds each second."""

    def __init__(
        self, name: str, front: Nginx, begins: bytes, drips: bytes, within: float, tls: bool = True
    ):
        self.name, self.drips, self.within = name, drips, within
        self.socket = socket.create_connection(("127.0.0.1", front.https_port))
        if tls:
            context = ssl.create_default_context(cafile=str(front.authority.file))
            self.socket = context.wrap_socket(self.socket, server_hostname=HOST)
        self.begun = time.monotonic()
        self.socket.sendall(begins)
        self.socket.setblocking(False)

    def drip(self) -> None:
        try:
            self.socket.send(self.drips)
        except OSError:
            pass  # it is closed, as the reader will see


def ended(slow: list[Slow], meanwhile: Callable[[], None]) -> dict[str, float]:
    """After how many seconds each connection was ended by the other side.

    Once a second ``meanwhile`` is called.
    """
    took, begun = {}, time.monotonic()
    with selectors.DefaultSelector() as reading:
        for each in slow:
            reading.register(each.socket, selectors.EVENT_READ, each)
        while reading.get_map() and time.monotonic() - begun < 40:
            for key, _ in reading.select(1.0):
                if _is_over(key.fileobj):
                    took[key.data.name] = time.monotonic() - key.data.begun
                    reading.unregister(key.fileobj)
            for key in reading.get_map().values():
                if key.data.drips:
                    key.data.drip()
            meanwhile()
    return took


def _is_over(connection: socket.socket) -> bool:
    try:
        return not connection.recv(65536)
    except (ssl.SSLWantReadError, BlockingIOError):
        return False
    except OSError:
        return True


@pytest.mark.judges
def test_nginx_ends_slow_requests_in_bounded_time_and_the_service_never_hears_of_them(front, body):
    slow = [
        Slow("no handshake", front, b"", b"", 12, tls=False),
        Slow("no request", front, b"", b"", 12),
        Slow("dripping header", front, b"GET /healthz HTTP/1.1\r\nX-A: ", b"y", 12),
        Slow("body that stops", front, body, b"", 17),
    ] + [Slow(f"one of many, {number}", front, body, b"", 17) for number in range(4 * THREADS)]
    waited = []
    took = ended(
        slow,
        lambda: waited.append(
            seconds_of_a_request(front.address, verify=str(front.authority.file))
        ),
    )
    assert {
        each.name for each in slow if each.name not in took or took[each.name] > each.within
    } == set(), took
    assert len(waited) > 10 and max(waited) < 1.0
    for each in slow:
        each.socket.close()


@pytest.mark.judges
def test_a_dripping_body_stays_with_nginx(front, body):
    """Nobody says how slowly a body may come as long as it comes,
    and it costs the service nothing.
    """
    drip = [Slow(f"body {number}", front, body, b" ", 0) for number in range(4 * THREADS)]
    for _ in range(3):
        for each in drip:
            each.drip()
        assert seconds_of_a_request(front.address, verify=str(front.authority.file)) < 1.0
    for each in drip:
        each.socket.close()
