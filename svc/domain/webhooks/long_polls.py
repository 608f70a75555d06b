"""Long polls: requests that wait for events, woken by commits,
and limited so that other requests find a thread.
"""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from svc.base import threads
from svc.store.database import db

Found = TypeVar("Found")
_LOOK_EVERY = 0.1  # seconds between checks of the shared memory for commits of other processes


class WaitingRoom:
    """Where requests of this process wait.

    Each occupies a thread, which svc.base.threads grants.
    """

    def __init__(self) -> None:
        self._told = threading.Condition()
        self._sleeping = 0  # requests that wait to be woken
        self._closed = False

    def close(self) -> None:
        """End all waiting, because the process is ending. Safe in a signal handler."""
        self._closed = True

    def wake(self) -> None:
        """Wake waiting requests after a commit of events in this process."""
        # set before they look whether events have been committed, so that none is missed
        if self._sleeping:
            with self._told:
                self._told.notify_all()

    def wait(
        self, partner_id: str, seconds: float, look: Callable[[], Found | None]
    ) -> tuple[Found | None, bool]:
        """Call ``look`` after every commit of events until it returns a result or the time is over.

        Return its last result, and whether there was a thread to wait in; without one ``look`` is
        called once.
        """
        deadline = time.monotonic() + seconds
        with threads.thread_shares.admit_wait(partner_id) as may_wait:
            while True:
                version = db.shared().read_events_version()
                result = look()
                if (
                    result is not None
                    or not may_wait
                    or self._closed
                    or time.monotonic() >= deadline
                ):
                    return result, may_wait
                self._sleep(version, deadline)

    def _sleep(self, version: int, deadline: float) -> None:
        with self._told:
            self._sleeping += 1
            try:
                while db.shared().read_events_version() == version and not self._closed:
                    left = deadline - time.monotonic()
                    if left <= 0:
                        return
                    self._told.wait(min(left, _LOOK_EVERY))
            finally:
                self._sleeping -= 1


room = WaitingRoom()


def wake() -> None:
    """Notify every process that events have been committed."""
    db.shared().record_events()
    room.wake()
