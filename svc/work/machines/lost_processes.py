"""Finds processes that give no sign of life any more, on any machine, and frees their work."""

import logging
import time
from collections.abc import Callable

from svc.base import clock as wall_clock
from svc.domain.lifecycle import losses
from svc.domain.monitoring import workers
from svc.domain.productions import publications
from svc.domain.tables.productions import Worker
from svc.domain.webhooks import outbox
from svc.store.database import db
from svc.store.engine.jobs import BEAT_SECONDS, SILENT_SECONDS

log = logging.getLogger("svc.machines")

_MOST_SECONDS = 2.0  # of silence that one look counts
# The last sign, and the seconds without another one, of a process that was not seen before.
_UNSEEN = (-1, 0.0)
# The seconds without a sign of its own after which a process does not count the silence of others.
_BLIND_SECONDS = 1.5 * BEAT_SECONDS


class Watch:
    """Whether a process lives is seen by changes of its sign of life, by one steady clock:
    the others' clocks may be wrong.
    """

    def __init__(
        self,
        seconds: Callable[[], float] = time.monotonic,
        clock: Callable[[], int] = wall_clock.now,
        own: str = "",
    ):
        """``own``: the name of this process."""
        self._seconds, self._looked, self._clock, self._own = seconds, seconds(), clock, own
        # By process: its last sign, and the seconds without another one.
        self._silences: dict[str, tuple[int, float]] = {}
        self._silence_of_own = _UNSEEN
        self._lost: set[str] = set()

    def free_lost_work(self) -> int:
        """Look at all processes, and free the work of lost ones;
        return how many steps the others run at the same time.
        """
        return sum(row["steps"] for row in self.list_workers() if self._is_alive(row))

    def list_workers(self) -> list[Worker]:
        """Look at all processes, and return their rows."""
        now = self._seconds()
        # While this process slept, or the database was away, nothing could be seen: that is no
        # silence of the others.
        passed, self._looked = min(now - self._looked, _MOST_SECONDS), now
        present = {row["id"]: row for row in workers.list_processes()}
        self._lost &= present.keys()
        if (row := present.get(self._own)) is not None:
            self._silence_of_own = self._silence(row, passed, self._silence_of_own)
            if self._silence_of_own[1] > _BLIND_SECONDS:
                passed = 0.0  # some long transaction lets nobody write
        others = {name: row for name, row in present.items() if name != self._own}
        self._silences = {
            name: self._silence(row, passed, self._silences.get(name, _UNSEEN))
            for name, row in others.items()
        }
        return list(present.values())

    @staticmethod
    def _silence(row: Worker, passed: float, before: tuple[int, float]) -> tuple[int, float]:
        sign, silence = before
        return row["seen_at"], silence + passed if sign == row["seen_at"] else 0.0

    def _is_alive(self, row: Worker) -> bool:
        if row["id"] == self._own:
            return True
        if self._silences[row["id"]][1] <= SILENT_SECONDS:
            self._lost.discard(row["id"])
        elif row["id"] not in self._lost:
            freed = self._free(row["id"])
            self._lost.add(row["id"])
            sentence = (
                "process %d of %s gives no sign of life: %d steps, %d deliveries and %d "
                "publications of it are free"
            )
            log.warning(sentence, row["pid"], row["hostname"], *freed)
        return row["id"] not in self._lost

    def _free(self, boot: str) -> tuple[int, int, int]:
        now = self._clock()
        with db.transaction():
            return (
                losses.release_claims_of(boot, now),
                outbox.release_claims_of(boot, now),
                publications.release_claims_of(boot, now),
            )
