"""The dispatcher: claims due deliveries, has them signed and sent by many threads, and commits their outcomes in batches."""

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from svc.adapters.http import Outcome, Sender
from svc.base import clock as wall_clock
from svc.base import outage, traces
from svc.base.crypto.signing import KeyRing
from svc.domain.webhooks import attempts as delivery_attempts
from svc.domain.webhooks import claiming, lanes, outbox
from svc.domain.webhooks.claiming import Claimed
from svc.domain.webhooks.outbox import Attempt
from svc.store import claims, database
from svc.work.flights import YOUNG, Flights

log = logging.getLogger("svc.delivery")

_BATCH = 256  # outcomes in one transaction
_RECOVERY_SECONDS = 10.0
_RETRY_SECONDS = 1.0
_LOOK = False  # among outcomes: none of them, but a reason to look


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
        self._flights = Flights(workers)
        self._after = dict.fromkeys(lanes.ALL, "")  # by lane: the subscription that was served last
        self._soon = False  # whether more is due than could be claimed, and there is room for it in a moment
        self._pool = ThreadPoolExecutor(self._flights.most, thread_name_prefix="webhook")
        self._ended: queue.SimpleQueue[Attempt | bool | None] = queue.SimpleQueue()
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
        if claiming.lanes_ready():
            self._exchange([])
            if self._soon:
                self._ended.put(_LOOK)  # the committer, which may wait for nothing but outcomes, has the next turn

    def _exchange(self, ended: list[Attempt]) -> None:
        """Commit outcomes and claim what takes their place, in one transaction.

        What is claimed is sent as soon as its event is surely on the disk: what a power failure undoes must not have been
        sent. The disk is waited for meanwhile. A power failure just then forgets the claim, and what was sent in those few
        milliseconds is sent again without being marked; the end of a process forgets none.
        """
        taken: list[Claimed] = []
        try:
            with database.write():
                if ended:
                    outbox.settle(ended)
                if not self._stopping.is_set():
                    self._claim(self._clock(), taken)
                database.tell(lambda: self._launch(taken))
        except BaseException:
            for each in taken:
                self._flights.end(each, None)
            raise

    def _launch(self, taken: list[Claimed]) -> None:
        for position, each in enumerate(taken):
            try:
                self._pool.submit(self._send, each)
            except RuntimeError:  # the interpreter is ending, and nobody has called stop()
                self._stopping.set()
                return claiming.release(taken[position:])
        return None

    def _claim(self, now: int, taken: list[Claimed]) -> None:
        """Claim of every lane what there is room for; it is added to ``taken`` and counted at once.

        Subscriptions have their turn in a circle, so that under load none waits for ever.
        """
        self._soon = False
        for lane in claiming.lanes_ready():
            room = self._flights.room(lane)
            share, left = self._flights.share(lane), self._flights.left(lane)
            claimed = claiming.claim(self._driver, now, lane, room, share, left, self._after[lane]) if room else []
            self._after[lane] = claimed[-1].subscription_id if claimed else ""
            self._soon = self._soon or (len(claimed) >= room and self._flights.crowded(lane))
            for each in claimed:
                self._flights.begin(each)
            taken += claimed

    def _recover(self, now: int) -> None:
        """A lease that has run out: its thread died, or hung for four times its deadline."""
        self._recover_at = time.monotonic() + _RECOVERY_SECONDS
        with database.write():
            outbox.recover(self._driver, now)

    def _send(self, claimed: Claimed) -> None:
        began = self._clock()
        try:
            send = self._sender.examine if claimed.is_ping else self._sender.post
            with traces.span("webhook", subscription=claimed.subscription_id, delivery=claimed.id):
                outcome = send(
                    claimed.endpoint_url, claimed.body, delivery_attempts.request_headers(self._ring, claimed, began)
                )
        except Exception:
            log.exception("delivery %s could not be attempted", claimed.id)
            outcome = Outcome(None, "the attempt failed on our side", 0.0)
        ended = self._clock()
        self._flights.end(claimed, outcome.status_code is not None)
        self._ended.put(Attempt(
            claimed.id, claimed.token, began, ended, outcome.status_code, outcome.error, outcome.duration_ms,
            outcome.answer, outcome.findings,
        ))  # fmt: skip

    def _commit(self) -> None:
        """The committer's thread: what ends while one batch is being committed is the next batch."""
        going = True
        while going:
            batch = self._batch()
            going = None not in batch  # which comes last of all
            if ended := [each for each in batch if isinstance(each, Attempt)]:
                self._settle(ended)
            if self._again.is_set() or not batch:  # somebody found the turn taken meanwhile, or a moment has passed
                self._try_turn()

    def _batch(self) -> list[Attempt | bool | None]:
        """What has ended, as soon as anything has; nothing where more is due and a moment has made room for it."""
        try:
            first = self._ended.get(timeout=YOUNG if self._soon else None)
        except queue.Empty:
            self._soon = False  # the turn that follows says anew, unless it fails
            return []
        return [first, *(self._ended.get() for _ in range(min(self._ended.qsize(), _BATCH)))]

    def _try_turn(self) -> None:
        try:
            self.turn()
        except Exception as failure:
            _complain(failure, "a turn stumbled; the next tick tries again")

    def _settle(self, batch: list[Attempt]) -> None:
        """Commit outcomes, however often that takes: they are true, and a full disk may get room again."""
        while True:
            try:
                with self._turning:
                    return self._exchange(batch)
            except Exception as failure:
                _complain(failure, f"{len(batch)} outcomes could not be committed yet")
                if self._stopping.wait(_RETRY_SECONDS):
                    return None  # the next boot finds the claims and records them as interrupted


def _complain(failure: Exception, what: str) -> None:
    """A line of the log; a traceback only where it is a mistake, and not a full disk."""
    if outage.recognise(failure) is None:
        log.exception("%s", what)
    else:
        log.warning("%s: %s", what, failure)
