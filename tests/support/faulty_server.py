"""A server on 127.0.0.1 that answers wrongly on purpose: ``http://127.0.0.1:PORT/FAULT/…`` has the
fault of that name.
"""

import gzip
import json
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

RESET = struct.pack("ii", 1, 0)  # SO_LINGER: closing sends RST
GUARD = 60  # seconds until a test that hangs is ended


@dataclass(frozen=True)
class Fault:
    """What is sent for a request, and how the connection ends: ``close``, ``reset``,
    or ``hold`` until the test is over.
    """

    sent: bytes
    end: str = "close"


def http(status: object, body: bytes = b"", *headers: str, length: int | None = None) -> bytes:
    """Return an answer; ``length``: what it says of its own."""
    size = len(body) if length is None else length
    lines = [
        f"HTTP/1.1 {status} Word",
        "Content-Type: application/json",
        f"Content-Length: {size}",
        *headers,
    ]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1") + body


def says(value: object, status: int = 200, *headers: str) -> bytes:
    """Return an answer with a JSON value."""
    return http(status, json.dumps(value).encode(), *headers)


def text(kind: str, body: bytes, status: int = 200) -> bytes:
    """Return an answer of another media type."""
    return http(status, body).replace(b"application/json", kind.encode())


_ENTRY = {"productionId": "p1", "status": "Producing", "counts": {}, "batchId": "b1"}
FAULTS: dict[str, Fault] = {
    # bodies that are cut, or damaged
    "cut-json": Fault(http(200, b'{"data": [{"productionId": ')),
    "cut-body": Fault(http(200, b'{"data": [', length=5000)),
    "cut-body-reset": Fault(http(200, b'{"data": [', length=5000), "reset"),
    "cut-refusal": Fault(http(409, b'{"error": "CONF', length=5000)),
    "cut-chunk": Fault(
        http(200).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked") + b"ff\r\n{"
    ),
    "bad-chunk": Fault(
        http(200).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked") + b"xyz\r\n{}\r\n"
    ),
    "cut-head": Fault(b"HTTP/1.1 200 OK\r\nContent-Ty"),
    "nothing": Fault(b""),
    "reset": Fault(b"", "reset"),
    "no-http": Fault(b"SSH-2.0-OpenSSH_9.6\r\n"),
    "no-status": Fault(b"HTTP/1.1 two OK\r\n\r\n"),
    "long-head": Fault(http(200, b"{}", "X-Long: " + "a" * 200_000)),
    "two-lengths": Fault(http(200, b"{}", "Content-Length: 99")),
    "wrong-gzip": Fault(http(200, b'{"data": []}', "Content-Encoding: gzip")),
    "cut-gzip": Fault(
        http(200, gzip.compress(b'{"data": []}' * 99)[:40], "Content-Encoding: gzip")
    ),
    "wrong-gzip-refusal": Fault(http(502, b"<h1>Bad gateway</h1>", "Content-Encoding: gzip")),
    "wrong-deflate": Fault(http(200, b'{"data": []}', "Content-Encoding: deflate")),
    "unknown-encoding": Fault(http(200, b"\x00\x01\x02", "Content-Encoding: zstd")),
    "no-utf-8": Fault(http(200, b'{"data": "\xff\xfe"}')),
    "deep-json": Fault(http(200, b"[" * 200_000)),
    "deep-refusal": Fault(http(400, b'{"error":' * 100_000)),
    "binary": Fault(http(200, bytes(range(256)))),
    # what proxies answer
    "html-200": Fault(text("text/html", b"<html><title>Sign in</title></html>")),
    "html-as-json": Fault(http(200, b"<html></html>")),
    "html-502": Fault(text("text/html", b"<h1>Bad\x00 gateway</h1>", 502)),
    "text-200": Fault(text("text/plain", b"ok")),
    "empty-200": Fault(http(200)),
    "redirect-away": Fault(http(302, b"", "Location: http://127.0.0.1:9/elsewhere")),
    "redirect-to-itself": Fault(http(307, b"", "Location: /redirect-to-itself/")),
    "redirect-nowhere": Fault(http(301, b"", "Location: http://[oops")),
    # other types than the API's
    "list": Fault(says([])),
    "string": Fault(says("hello")),
    "number": Fault(says(5)),
    "null": Fault(says(None)),
    "object": Fault(says({})),
    "data-number": Fault(says({"data": 5, "hasMore": True})),
    "data-object": Fault(says({"data": {}, "hasMore": False})),
    "data-of-numbers": Fault(says({"data": [5, None], "hasMore": False})),
    "data-of-objects": Fault(
        says({"data": [{}], "hasMore": False, "nextCursor": "1", "pollAfterSeconds": 0})
    ),
    "no-next-cursor": Fault(says({"data": [], "hasMore": True})),
    "texts-for-numbers": Fault(
        says(
            {
                **_ENTRY,
                "data": [{"sequenceNumber": "x"}],
                "nextCursor": "1",
                "pollAfterSeconds": "0",
            }
        )
    ),
    "numbers-for-texts": Fault(
        says({"productionId": 1, "status": 2, "content": 3, "nextCursor": 4, "data": []})
    ),
    "no-base64": Fault(says({**_ENTRY, "content": "%%%"})),
    "no-address": Fault(
        says(
            {
                "data": [
                    {
                        "deliverableId": "d",
                        "type": "V",
                        "format": "f",
                        "sasUrl": "nowhere",
                        "sizeBytes": 1,
                        "sha256": "x",
                    }
                ]
            }
        )
    ),
    # refusals of other types
    "refusal-list": Fault(says([1], 400)),
    "refusal-of-numbers": Fault(
        says({"error": 1, "message": 2, "fields": 3, "correlationId": 4}, 409)
    ),
    "refusal-fields-text": Fault(
        says({"error": "E", "message": "M.", "fields": {"topic": "Too long."}}, 422)
    ),
    "refusal-fields-numbers": Fault(
        says({"error": "E", "message": "M.", "fields": {"topic": [1, None]}}, 400)
    ),
    "refusal-wait-text": Fault(
        says({"error": "E", "retryAfterSeconds": "soon"}, 429, "Retry-After: soon")
    ),
    "refusal-wait-negative": Fault(says({"error": "E", "retryAfterSeconds": -1}, 429)),
    "refusal-wait-flag": Fault(says({"error": "E", "retryAfterSeconds": True}, 403)),
    "refusal-wait-endless": Fault(http(503, b'{"error": "E", "retryAfterSeconds": 1e999}')),
    "refusal-wait-huge": Fault(
        http(503, b'{"error": "E", "retryAfterSeconds": 1' + b"0" * 400 + b"}")
    ),
    "refusal-wait-digits": Fault(http(503, b"", "Retry-After: " + "9" * 400)),
    "refusal-wait-date": Fault(http(429, b"", "Retry-After: Wed, 21 Oct 2999 07:28:00 GMT")),
    "refusal-wait-no-date": Fault(http(429, b"", "Retry-After: Wed, 99 Oct 99999 07:28:00 GMT")),
    "odd-header": Fault(says({"error": "E", "message": "M."}, 404, "X-Correlation-Id: \xff\xfe")),
    # bytes that come slowly: the rest of the answer comes when the client has gone
    "slow-head": Fault(b"", "hold"),
    "slow-status": Fault(b"HTTP/1.1 200", "hold"),
    "slow-body": Fault(http(200, b'{"data": [', length=5000), "hold"),
    "slow-refusal": Fault(http(400, b'{"error"', length=5000), "hold"),
}
# Whole answers that are objects, of which the client itself reads nothing: they are the caller's to
# read.
OBJECTS = (
    "object",
    "data-number",
    "data-object",
    "data-of-numbers",
    "data-of-objects",
    "no-next-cursor",
    "texts-for-numbers",
    "numbers-for-texts",
    "no-base64",
    "no-address",
)
SLOW = tuple(name for name, fault in FAULTS.items() if fault.end == "hold")


def status_fault(name: str) -> Fault:
    """Return the fault of ``status-503`` and so on: this status, and an empty body."""
    return Fault(http(name.removeprefix("status-")))


class FaultyServer:
    """Answers until the ``with`` block ends; ``requests`` has the number of those that came
    for each fault.
    """

    def __init__(self, more: dict[str, Callable[[str], Fault]] | None = None):
        self.requests: dict[str, int] = {}
        self._more = more or {}
        self._ended = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=128)
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def address(self, fault: str) -> str:
        return f"{self.origin}/{fault}"

    def __enter__(self) -> "FaultyServer":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._socket.close()
        with socket.socket() as wake:  # ends accept()
            wake.connect_ex(("127.0.0.1", 9))

    def _serve(self) -> None:
        while not self._ended.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            try:
                head = self._request(connection)
                name = head.split(" ", 2)[1].split("/", 2)[1] if head else ""
                self.requests[name] = self.requests.get(name, 0) + 1
                fault = (
                    self._more[name](head)
                    if name in self._more
                    else FAULTS.get(name) or status_fault(name)
                )
                connection.sendall(fault.sent)
                if fault.end == "hold":
                    self._ended.wait(GUARD)
                if fault.end == "reset":
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                elif fault.end == "close":
                    connection.shutdown(socket.SHUT_WR)
                    # until the client has closed: no RST overtakes what was sent
                    while connection.recv(65536):
                        pass
            except OSError:
                pass  # the client has gone

    def _request(self, connection: socket.socket) -> str:
        """Read a request with its body, and return its head."""
        received = b""
        while b"\r\n\r\n" not in received:
            piece = connection.recv(65536)
            if not piece:
                return ""
            received += piece
        head, _, body = received.partition(b"\r\n\r\n")
        sizes = [
            line.split(b":")[1]
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length:")
        ]
        left = (int(sizes[0]) if sizes else 0) - len(body)
        while left > 0:
            left -= len(connection.recv(65536)) or left
        return head.decode("latin-1")
