"""A receiver of webhooks in a process of its own: answers at once, keeps connections, and notes
when each delivery came.

What is posted to ``/silent…`` is never answered, and what is posted to ``/after-10…`` after ten
seconds. Its standard input's end ends it; then it prints one line for each delivery: its
``webhook-id`` and the moment of its first byte, by the clock that all processes of a machine share.
"""

import heapq
import re
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_SLOW = re.compile(rb"POST /after-(\d+)")
_ID = re.compile(rb"\r\nwebhook-id: *(\S+)", re.IGNORECASE)


class Sink:
    """The running process, as others see it."""

    def __init__(self):
        command = [sys.executable, "-m", "tests.bench.sink"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.port = int(self._process.stdout.readline())

    def url(self, path: str = "/hook", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def stop(self) -> dict[str, float]:
        """End it; when the first byte of each delivery came, by ``webhook-id``:
        that of its first attempt.
        """
        said = self._process.communicate(timeout=30)[0] if self._process.returncode is None else ""
        came: dict[str, float] = {}
        for line in said.splitlines():
            name, at = line.split()
            came.setdefault(name, float(at))
        return came


@contextmanager
def receiving() -> Iterator[Sink]:
    """A sink that is ended with the block, if it was not before."""
    sink = Sink()
    try:
        yield sink
    finally:
        sink.stop()


class _Connection:
    def __init__(self, wire: socket.socket):
        self._wire, self._received, self._since = wire, b"", 0.0

    def read(self, came: list[tuple[bytes, float]]) -> bool:
        """Read what has come and answer a request that is whole;
        False when the sender has closed.
        """
        at = time.monotonic()
        try:
            piece = self._wire.recv(65536)
        except OSError:
            return False
        self._since = self._since or at
        self._received += piece
        head, found, body = self._received.partition(b"\r\n\r\n")
        if found and len(body) >= int(_LENGTH.search(head)[1]):
            self._answer(head, came)
        return bool(piece)

    def _answer(self, head: bytes, came: list[tuple[bytes, float]]) -> None:
        if named := _ID.search(head):
            came.append((named[1], self._since))
        self._received, self._since = b"", 0.0
        if slow := _SLOW.match(head):
            heapq.heappush(_later, (time.monotonic() + int(slow[1]), id(self), self))
        elif not head.startswith(b"POST /silent"):
            self.send()

    def send(self) -> None:
        with suppress(OSError):  # the sender has given up
            self._wire.sendall(_ANSWER)


# a heap of those that are answered later: when, and an id to tell them apart
_later: list[tuple[float, int, _Connection]] = []


def main() -> None:
    came: list[tuple[bytes, float]] = []
    with (
        selectors.DefaultSelector() as ready,
        socket.create_server(("0.0.0.0", 0), backlog=1024) as listening,
    ):
        ready.register(listening, selectors.EVENT_READ)
        ready.register(sys.stdin, selectors.EVENT_READ)
        print(listening.getsockname()[1], flush=True)
        while _serve(ready, listening, came):
            pass
    sys.stdout.write("".join(f"{name.decode()} {at}\n" for name, at in came))


def _serve(ready: selectors.BaseSelector, listening: socket.socket, came: list) -> bool:
    """Serve whatever is ready; False once the standard input has ended."""
    for key, _ in ready.select(max(0.0, _later[0][0] - time.monotonic()) if _later else None):
        if key.fileobj is sys.stdin:
            return False
        if key.fileobj is listening:
            wire, _ = listening.accept()
            wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            ready.register(wire, selectors.EVENT_READ, _Connection(wire))
        elif not key.data.read(came):
            ready.unregister(key.fileobj)
            key.fileobj.close()
    while _later and _later[0][0] <= time.monotonic():
        heapq.heappop(_later)[2].send()
    return True


if __name__ == "__main__":
    main()
