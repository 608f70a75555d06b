"""Long polls: requests that wait for events, woken by commits, and limited so that other requests find a thread."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from svc.store import database

Found = TypeVar("Found")
_LOOK_EVERY = 0.1  # seconds between checks of the shared memory for commits of other processes


class PollSlots:
    """The slots of this process for waiting requests, each of which occupies a thread."""

    def __init__(self, most: int = 3, most_of_partner: int = 2):
        self._most, self._most_of_partner = most, most_of_partner
        self._waiting: Counter[str] = Counter()  # by partner
        self._told = threading.Condition()
        self._closed = False

    def fit(self, threads: int) -> None:
        """Set the limit so that more than half of ``threads`` remain for other requests."""
        self._most = (threads - 1) // 2

    def close(self) -> None:
        """End all waiting, because the process is ending. Safe in a signal handler."""
        self._closed = True

    def wake(self) -> None:
        """Wake waiting requests after a commit of events in this process."""
        if self._waiting:
            with self._told:
                self._told.notify_all()

    def wait(self, partner_id: str, seconds: float, look: Callable[[], Found | None]) -> tuple[Found | None, bool]:
        """Call ``look`` after every commit of events until it returns a result or the time is over.

        Return its last result, and whether there was a free slot; without one ``look`` is called once.
        """
        deadline = time.monotonic() + seconds
        with self._place(partner_id) as has_place:
            while True:
                version = database.shared().events_version()
                result = look()
                if result is not None or not has_place or self._closed or time.monotonic() >= deadline:
                    return result, has_place
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


room = PollSlots()


def wake() -> None:
    """Notify every process that events have been committed."""
    database.shared().events_changed()
    room.wake()
