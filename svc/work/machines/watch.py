"""The driver's look at the other machines: frees the work of processes that give no sign of life."""

import logging
import time
from collections.abc import Callable

from svc.domain.monitoring import workers
from svc.domain.monitoring.workers import LEASE_SECONDS
from svc.domain.productions import progress
from svc.domain.tables.productions import Worker

log = logging.getLogger("svc.machines")

_MOST_SECONDS = 2.0  # of silence that one look counts


class Watch:
    """Whether a process lives is seen by changes of its sign of life, by one steady clock: the others' clocks may be wrong."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic):
        self._seconds, self._looked = seconds, seconds()
        self._silences: dict[str, tuple[int, float]] = {}  # by process: its last sign, and the seconds without another one
        self._lost: set[str] = set()

    def turn(self) -> int:
        """Look at all processes; return how many steps those that live run at the same time."""
        now = self._seconds()
        # While this process slept, or the database was away, nothing could be seen: that is no silence of the others.
        passed, self._looked = min(now - self._looked, _MOST_SECONDS), now
        present = {row["id"]: row for row in workers.known()}
        self._lost &= present.keys()
        self._silences = {name: self._silence(row, passed) for name, row in present.items()}
        return sum(row["steps"] for row in present.values() if self._lives(row))

    def _silence(self, row: Worker, passed: float) -> tuple[int, float]:
        sign, silence = self._silences.get(row["id"], (None, 0.0))
        return row["seen_at"], silence + passed if sign == row["seen_at"] else 0.0

    def _lives(self, row: Worker) -> bool:
        if self._silences[row["id"]][1] <= LEASE_SECONDS:
            self._lost.discard(row["id"])
        elif row["id"] not in self._lost:
            freed = progress.lose(row["id"])
            self._lost.add(row["id"])
            log.warning("process %d of %s gives no sign of life; %d of its steps are free", row["pid"], row["hostname"], freed)
        return row["id"] not in self._lost
