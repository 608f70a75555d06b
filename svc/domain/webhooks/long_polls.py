"""Requests that wait for events: woken by commits, and never so many that other requests find no thread."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from svc.store import database

Found = TypeVar("Found")
_LOOK_EVERY = 0.1  # seconds between looks at the shared memory, where commits of other processes show


class Room:
    """The places of this process for requests that wait; each of them occupies a thread meanwhile."""

    def __init__(self, most: int = 3, most_of_partner: int = 2):
        self._most, self._most_of_partner = most, most_of_partner
        self._waiting: Counter[str] = Counter()  # by partner
        self._told = threading.Condition()
        self._closed = False

    def fit(self, threads: int) -> None:
        """Leave more than half of so many threads to other requests."""
        self._most = (threads - 1) // 2

    def close(self) -> None:
        """Let nobody wait any more: the process is ending. Safe in a signal handler, which may interrupt anything."""
        self._closed = True

    def wake(self) -> None:
        """Events of this process have been committed."""
        if self._waiting:
            with self._told:
                self._told.notify_all()

    def wait(self, partner_id: str, seconds: float, look: Callable[[], Found | None]) -> tuple[Found | None, bool]:
        """What ``look`` finds, asked again after every commit of events until it finds something or the time is over; and
        whether there was a place to wait in. Without one it is asked once."""
        deadline = time.monotonic() + seconds
        with self._place(partner_id) as has_place:
            while True:
                version = database.shared().events_version()
                found = look()
                if found is not None or not has_place or self._closed or time.monotonic() >= deadline:
                    return found, has_place
                self._sleep(version, deadline)

    @contextmanager
    def _place(self, partner_id: str) -> Iterator[bool]:
        with self._told:
            has_place = self._waiting.total() < self._most and self._waiting[partner_id] < self._most_of_partner
            self._waiting[partner_id] += has_place
        try:
            yield has_place
        finally:
            with self._told:
                self._waiting[partner_id] -= has_place
                if not self._waiting[partner_id]:
                    del self._waiting[partner_id]

    def _sleep(self, version: int, deadline: float) -> None:
        with self._told:
            while database.shared().events_version() == version and not self._closed:
                left = deadline - time.monotonic()
                if left <= 0:
                    return
                self._told.wait(min(left, _LOOK_EVERY))


room = Room()


def wake() -> None:
    """Tell every process that events have been committed."""
    database.shared().events_changed()
    room.wake()
