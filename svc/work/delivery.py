"""The dispatcher: claims due deliveries, has them signed and sent by many threads, and commits their outcomes in batches."""

import logging
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from svc.adapters.http import Outcome, Sender
from svc.base import clock as wall_clock
from svc.base import traces
from svc.base.signing import KeyRing
from svc.domain import deliveries, exchanges
from svc.domain.deliveries import Attempt, Claimed
from svc.store import claims, database

log = logging.getLogger("svc.delivery")

_YOUNG = 0.1  # seconds; a sending that takes longer only waits, and stops counting as one of the workers
_HANGS = 1.0  # seconds; while a sending takes longer, its endpoint gets no other
_WAITING = 256  # beyond the workers so many may wait, per lane, before they keep others from theirs: a thread each
_BATCH = 256  # outcomes in one transaction
_RECOVERY_SECONDS = 10.0
_RETRY_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class _Flight:
    subscription_id: str
    lane: int
    began: float


class Dispatcher:
    """Sends what is due. ``workers``: how many sendings at once, apart from those that wait for a slow endpoint."""

    def __init__(
        self,
        driver: claims.Driver,
        sender: Sender,
        ring: KeyRing,
        workers: int = 16,
        clock: Callable[[], int] = wall_clock.now,
    ):
        self._driver, self._sender, self._ring, self._clock = driver, sender, ring, clock
        # Retries have slots of their own, so that they never take those of first attempts.
        self._slots = (workers, max(1, workers // 4))
        self._share = (max(1, workers // 2), max(1, workers // 8))
        self._most = workers + _WAITING
        self._after = ["", ""]  # by lane: the subscription that was served last
        self._flights: dict[str, _Flight] = {}
        self._pool = ThreadPoolExecutor(2 * self._most, thread_name_prefix="webhook")
        self._ended: queue.SimpleQueue[Attempt | None] = queue.SimpleQueue()
        self._turning, self._again, self._stopping = threading.Lock(), threading.Event(), threading.Event()
        self._recover_at = time.monotonic() + _RECOVERY_SECONDS
        self._committer = threading.Thread(target=self._commit, name="webhook-outcomes", daemon=True)
        self._committer.start()

    def turn(self) -> None:
        """Claim what is due and hand it to free workers; returns without waiting for them."""
        self._again.set()
        # Whoever holds the turn goes round once more, so that nobody who finds it taken has to wait.
        while self._again.is_set() and self._turning.acquire(blocking=False):
            try:
                self._again.clear()
                self._turn()
            finally:
                self._turning.release()

    def stop(self) -> None:
        """Claim nothing more, wait for what is being sent (the sender's deadline bounds it), and commit it."""
        self._stopping.set()
        with self._turning:
            pass  # the last turn has ended
        self._pool.shutdown(wait=True)
        self._ended.put(None)
        self._committer.join()
        self._sender.close()

    def _turn(self) -> None:
        if self._stopping.is_set():
            return
        if time.monotonic() >= self._recover_at:
            self._recover(self._clock())
        if deliveries.lanes_ready():
            self._exchange([])

    def _exchange(self, ended: list[Attempt]) -> None:
        """Commit outcomes and claim what takes their place, in one transaction.

        What is claimed is sent as soon as its event is surely on the disk: what a power failure undoes must not have been
        sent. The disk is waited for meanwhile. A power failure just then forgets the claim, and what was sent in those few
        milliseconds is sent again without being marked; the end of a process forgets none.
        """
        now, taken = self._clock(), []
        room, flying = self._room()
        with database.write():
            if ended:
                deliveries.settle(ended)
            for lane in () if self._stopping.is_set() else deliveries.lanes_ready():
                taken += self._claim(now, lane, room[lane], flying) if room[lane] else ()
            database.tell(lambda: self._launch(taken))

    def _launch(self, taken: list[Claimed]) -> None:
        for position, each in enumerate(taken):
            self._flights[each.id] = _Flight(each.subscription_id, each.lane, time.monotonic())
            try:
                self._pool.submit(self._send, each)
            except RuntimeError:  # the interpreter is ending, and nobody has called stop()
                self._stopping.set()
                return deliveries.release(taken[position:])
        return None

    def _claim(self, now: int, lane: int, room: int, flying: Counter) -> list[Claimed]:
        """Subscriptions have their turn in a circle, so that under load none waits for ever."""
        taken = deliveries.claim(self._driver, now, lane, room, self._share[lane], flying, self._after[lane])
        self._after[lane] = taken[-1].subscription_id if taken else ""
        return taken

    def _recover(self, now: int) -> None:
        """A lease that has run out: its thread died, or hung for four times its deadline."""
        self._recover_at = time.monotonic() + _RECOVERY_SECONDS
        with database.write():
            deliveries.recover(self._driver, now)

    def _room(self) -> tuple[list[int], Counter]:
        """How many may be claimed of each lane, and how many each subscription has in flight."""
        now = time.monotonic()
        flights = list(self._flights.values())
        flying = Counter(each.subscription_id for each in flights)
        for each in flights:
            if each.began <= now - _HANGS:
                flying[each.subscription_id] += self._slots[0]
        room = []
        for lane, slots in enumerate(self._slots):
            began = [each.began for each in flights if each.lane == lane]
            room.append(max(0, min(slots - sum(each > now - _YOUNG for each in began), self._most - len(began))))
        return room, flying

    def _send(self, claimed: Claimed) -> None:
        began = self._clock()
        try:
            send = self._sender.examine if claimed.is_ping else self._sender.post
            with traces.span("webhook", subscription=claimed.subscription_id, delivery=claimed.id):
                outcome = send(claimed.endpoint_url, claimed.body, exchanges.request_headers(self._ring, claimed, began))
        except Exception:
            log.exception("delivery %s could not be attempted", claimed.id)
            outcome = Outcome(None, "the attempt failed on our side", 0.0)
        ended = self._clock()
        self._flights.pop(claimed.id, None)
        self._ended.put(Attempt(
            claimed.id, claimed.token, began, ended, outcome.status_code, outcome.error, outcome.duration_ms,
            outcome.answer, outcome.findings,
        ))  # fmt: skip

    def _commit(self) -> None:
        """The committer's thread: what ends while one batch is being committed is the next batch."""
        going = True
        while going:
            batch = [self._ended.get(), *(self._ended.get() for _ in range(min(self._ended.qsize(), _BATCH)))]
            going = None not in batch  # which comes last of all
            if ended := [each for each in batch if each]:
                self._settle(ended)
            if self._again.is_set():  # somebody found the turn taken meanwhile
                self._try_turn()

    def _try_turn(self) -> None:
        try:
            self.turn()
        except Exception:
            log.exception("a turn stumbled; the next tick tries again")

    def _settle(self, batch: list[Attempt]) -> None:
        """Commit outcomes, however often that takes: they are true, and a full disk may get room again."""
        while True:
            try:
                with self._turning:
                    return self._exchange(batch)
            except Exception:
                log.exception("%d outcomes could not be committed", len(batch))
                if self._stopping.wait(_RETRY_SECONDS):
                    return None  # the next boot finds the claims and records them as interrupted
