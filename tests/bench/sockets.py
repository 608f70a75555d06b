"""The load generator where there is no wrk: one thread, keep-alive connections,
one request in flight on each.
"""

import itertools
import selectors
import socket
import sys
import time
from pathlib import Path

from tests.bench import load


class Connection:
    """One connection; a request is in flight on it from :meth:`ask` until :meth:`answered`
    says its status.
    """

    def __init__(self, port: int):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, request: bytes) -> None:
        self._received, self.since = b"", time.perf_counter()
        self.socket.sendall(request)

    def answered(self) -> int | None:
        """Read what has come; the status once the answer is whole."""
        more = self.socket.recv(65536)
        if not more:
            raise ConnectionError("the server closed the connection")
        self._received += more
        head, found, body = self._received.partition(b"\r\n\r\n")
        if not found:
            return None
        status = int(head[9:12])
        _, _, length = head.lower().partition(b"content-length: ")
        return status if status == 304 or len(body) >= int(length.split(b"\r\n")[0]) else None


def main(port: int, file: Path, connections: int, seconds: float) -> None:
    requests, took, refused, in_flight = itertools.cycle(load.read(file)), [], 0, connections
    stop_at = time.perf_counter() + seconds
    with selectors.DefaultSelector() as ready:
        for each in [Connection(port) for _ in range(connections)]:
            ready.register(each.socket, selectors.EVENT_READ, each)
            each.ask(next(requests))
        while in_flight:
            for key, _ in ready.select():
                status = key.data.answered()
                if status is None:
                    continue
                now = time.perf_counter()
                took.append(now - key.data.since)
                refused += status >= 400
                if now < stop_at:
                    key.data.ask(next(requests))
                else:
                    in_flight -= 1
    took.sort()
    print(
        "RESULT",
        len(took),
        refused,
        0,
        *(f"{took[int(len(took) * part)] * 1000:.3f}" for part in (0.5, 0.99)),
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
