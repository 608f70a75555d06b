"""The driver's look at the other machines: frees the work of processes that give no sign of life."""

import logging
import time
from collections.abc import Callable

from svc.domain.monitoring import workers
from svc.domain.monitoring.workers import LEASE_SECONDS
from svc.domain.productions import progress
from svc.domain.tables.productions import Worker

log = logging.getLogger("svc.machines")

_GAP_SECONDS = 3.0  # between two looks after which nothing is concluded from the former ones


class Watch:
    """Whether a process lives is seen by changes of its sign of life, by one steady clock: the others' clocks may be wrong."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic):
        self._seconds = seconds
        self._changed: dict[str, tuple[int, float]] = {}  # by process: its last sign, and when that was first seen
        self._looked = float("-inf")
        self._lost: set[str] = set()

    def turn(self) -> int:
        """Look at all processes; return how many steps those that live run at the same time."""
        now = self._seconds()
        if now - self._looked > _GAP_SECONDS:  # this process slept, or the database was away: so may the signs have been
            self._changed.clear()
        self._looked = now
        present = workers.known()
        self._lost &= {row["id"] for row in present}
        return sum(row["steps"] for row in present if self._lives(row, now))

    def _lives(self, row: Worker, now: float) -> bool:
        sign, since = self._changed.get(row["id"], (None, now))
        if sign != row["seen_at"]:
            self._changed[row["id"]] = row["seen_at"], now
            if sign is not None:
                self._lost.discard(row["id"])
        elif now - since > LEASE_SECONDS and row["id"] not in self._lost:
            self._lost.add(row["id"])
            freed = progress.lose(row["id"])
            log.warning("process %d of %s gives no sign of life; %d of its steps are free", row["pid"], row["hostname"], freed)
        return row["id"] not in self._lost
