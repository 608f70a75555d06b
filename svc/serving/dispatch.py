"""Decides which connection gets a thread next, so that one caller's requests queue without holding
more than its share.
"""

import re
import socket
from collections import Counter, deque
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from svc.base import threads

_Conn = TypeVar("_Conn", bound=Hashable)
_LARGEST_HEAD = 16 * 1024  # bytes that are looked at
_SIGNS = (  # by what a request says whose it is
    re.compile(rb"\r\nx-api-key:[ \t]*([A-Za-z0-9_-]+)", re.IGNORECASE),
    re.compile(rb"\r\ncookie:[^\r]*?\bsession=([^;\r]+)", re.IGNORECASE),
)


def sign_of(connection: socket.socket, ahead: bytes = b"") -> str | None:
    """Return the sign of whose request has arrived, without reading it; None: it says nothing yet,
    or it is encrypted.

    ``ahead``: what of the request was read already, with the end of the one before. Never waits:
    the event loop calls it.
    """
    head = ahead + _peek_bytes(connection)
    sign = next((match for each in _SIGNS if (match := each.search(head))), None)
    return None if sign is None else threads.sign_of_secret(sign[1])


def _peek_bytes(connection: socket.socket) -> bytes:
    timeout = connection.gettimeout()
    try:
        # With a timeout, Python waits until something arrives, although the system is told not to.
        if timeout:
            connection.setblocking(False)
        return connection.recv(_LARGEST_HEAD, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except (OSError, ValueError):  # nothing is there; TLS allows no look
        return b""
    finally:
        if timeout and connection.fileno() >= 0:
            connection.settimeout(timeout)


class Turns(Generic[_Conn]):
    """The connections of known callers that are in threads, and those that wait for one.

    For one thread: the event loop's.
    """

    def __init__(self, share: Callable[[str], int], most: Callable[[], int]):
        """``share``: how many threads an owner may hold now; ``most``: how many one may that others
        need not be protected from.
        """
        self._share, self._most = share, most
        self._owners: dict[_Conn, str] = {}  # of those in threads
        self._running: Counter[str] = Counter()
        self._waiting: dict[str, deque[tuple[_Conn, float]]] = {}

    def __len__(self) -> int:
        """Return how many wait."""
        return sum(map(len, self._waiting.values()))

    def admit(self, conn: _Conn, owner: str | None, now: float) -> bool:
        """Return whether a connection gets a thread now; otherwise it waits.

        ``owner``: None: unknown, it gets one.
        """
        if owner is None:
            return True
        if self._running[owner] >= self._share(owner):
            self._waiting.setdefault(owner, deque()).append((conn, now))
            return False
        self._begin(conn, owner)
        return True

    def free_thread(self, conn: _Conn) -> _Conn | None:
        """Record that a connection's thread is free; return the one of the same owner that gets it,
        if one waits.
        """
        owner = self._owners.pop(conn, None)
        if owner is None:
            return None
        self._running[owner] -= 1
        if not self._running[owner]:
            del self._running[owner]
        if owner not in self._waiting or self._running[owner] >= self._share(owner):
            return None  # late ones were let in meanwhile, or its requests are being refused
        return self._admit_next(owner)

    def admit_ready(self) -> list[_Conn]:
        """Return the connections that get a thread now, as their owner's share has grown."""
        let_in: list[_Conn] = []
        for owner in list(self._waiting):
            while owner in self._waiting and self._running[owner] < self._share(owner):
                let_in.append(self._admit_next(owner))
        return let_in

    def admit_late(self, before: float) -> list[_Conn]:
        """Return the connections that have waited since before then; each gets a thread,
        in which it is refused.

        Those of an owner whose share is smaller now go on waiting, but for one: a hundred at once
        would be what others are protected from.
        """
        let_in: list[_Conn] = []
        for owner in list(self._waiting):
            while owner in self._waiting and self._waiting[owner][0][1] <= before:
                share = self._share(owner)
                if share < self._most() and self._running[owner] >= max(1, share):
                    break
                let_in.append(self._admit_next(owner))
        return let_in

    def _admit_next(self, owner: str) -> _Conn:
        """Give a thread to the connection of this owner that has waited longest."""
        connections = self._waiting[owner]
        conn, _ = connections.popleft()
        if not connections:
            del self._waiting[owner]
        self._begin(conn, owner)
        return conn

    def _begin(self, conn: _Conn, owner: str) -> None:
        self._owners[conn] = owner
        self._running[owner] += 1
