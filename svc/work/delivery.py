"""The dispatcher: claims due deliveries, has them signed and sent by many threads, and commits their outcomes in batches."""

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from svc.adapters.http import Sender
from svc.base import clock as wall_clock
from svc.base import signing
from svc.base.signing import KeyRing
from svc.domain import deliveries
from svc.domain.deliveries import Attempt, Claimed
from svc.store import claims, database

log = logging.getLogger("svc.delivery")

USER_AGENT = "Service-Webhooks/1.0"
_YOUNG = 1.0  # seconds; a sending that takes longer hangs, and no longer counts as one of the workers
_HANGING_ROOM = 7  # for each worker so many threads more, where sendings may hang without keeping others from theirs
_BATCH = 256
_RECOVERY_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class _Flight:
    subscription_id: str
    lane: int
    began: float


class Dispatcher:
    """Sends what is due. ``workers``: how many sendings at once, apart from those that hang at a slow endpoint."""

    def __init__(
        self,
        driver: claims.Driver,
        sender: Sender,
        ring: KeyRing,
        workers: int = 16,
        clock: Callable[[], int] = wall_clock.now,
    ):
        self._driver, self._sender, self._ring, self._clock = driver, sender, ring, clock
        self._workers = workers
        self._most = workers * (1 + _HANGING_ROOM)
        # No subscription gets more than half of the workers, nor retries more than a quarter.
        self._share = (max(1, workers // 2), max(1, workers // 8))
        self._flights: dict[str, _Flight] = {}
        self._pool = ThreadPoolExecutor(self._most, thread_name_prefix="webhook")
        self._ended: queue.SimpleQueue[Attempt | None] = queue.SimpleQueue()
        self._committer = threading.Thread(target=self._commit, name="webhook-outcomes", daemon=True)
        self._turning, self._again = threading.Lock(), threading.Event()
        self._stopping = threading.Event()
        self._recover_at = time.monotonic() + _RECOVERY_SECONDS
        self._committer.start()

    def turn(self) -> None:
        """Claim what is due and hand it to free workers; returns without waiting for them."""
        self._again.set()
        # Whoever holds the turn goes round once more, so that nobody who finds it taken needs to wait.
        while self._again.is_set() and self._turning.acquire(blocking=False):
            try:
                self._again.clear()
                self._turn()
            finally:
                self._turning.release()

    def stop(self, seconds: float = 20.0) -> None:
        """Claim nothing more, wait for what is being sent, at most so long, and commit it.

        What is still in flight then is taken back by the next boot.
        """
        self._stopping.set()
        with self._turning:
            self._pool.shutdown(wait=False)
        until = time.monotonic() + seconds
        while self._flights and time.monotonic() < until:
            self._stopped_flights.wait(until - time.monotonic())
        self._ended.put(None)
        self._committer.join(seconds)
        self._sender.close()

    def _turn(self) -> None:
        if self._stopping.is_set():
            return
        now = self._clock()
        if time.monotonic() >= self._recover_at:
            self._recover(now)
        room, resting = self._room()
        if any(room) and deliveries.anything_due(now):
            for each in deliveries.claim(self._driver, now, room, self._share, resting):
                self._launch(each)

    def _recover(self, now: int) -> None:
        """A lease that has run out: its thread has died, or hung for four times its deadline."""
        self._recover_at = time.monotonic() + _RECOVERY_SECONDS
        with database.write():
            deliveries.recover(self._driver, now)
