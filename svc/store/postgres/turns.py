"""Which transactions of this process may take a connection to wait for a turn.

One that waits for a partner, or for a writer, that hangs keeps its connection meanwhile. So some
connections are left to what takes no turn, such as signs of life and reads, and transactions of
one turn have half of the others at most, as no owner has more than half of the threads
(svc.base.threads).
"""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

_LEFT = 4  # one of so many connections is left to what takes no turn


class Turns:
    """The turns that transactions of this process have or wait for. Thread-safe."""

    def __init__(self, connections: int):
        """``connections``: how many the process has at most."""
        self._most = max(1, connections - max(1, connections // _LEFT))
        self._most_of_one = max(1, self._most // 2)
        self._turns: Counter[str] = Counter()
        self._changed = threading.Condition()

    @contextmanager
    def admit(self, turn: str, seconds: float) -> Iterator[None]:
        """Run the block, which takes a connection and waits for a turn, as soon as there is room.

        LockNotAvailable: there was none for so many seconds.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._has_room(turn), seconds):
                raise psycopg.errors.LockNotAvailable(
                    f"{self._turns.total()} transactions of this process wait for turns that "
                    f"others have, {self._turns[turn]} of them for this one: those that hang are "
                    "ended by PostgreSQL after five seconds"
                )
            self._turns[turn] += 1
        try:
            yield
        finally:
            with self._changed:
                self._turns -= Counter((turn,))
                self._changed.notify_all()

    def _has_room(self, turn: str) -> bool:
        return self._turns.total() < self._most and self._turns[turn] < self._most_of_one
