"""The dispatcher: claims due deliveries, signs and sends them in a thread pool,
and commits the outcomes in batches.
"""

import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from svc.adapters.http import Outcome, Sender
from svc.base import clock as wall_clock
from svc.base import outage, traces
from svc.base.crypto.signing import KeyRing
from svc.domain import lanes
from svc.domain.webhooks import attempts as delivery_attempts
from svc.domain.webhooks import claiming, outbox
from svc.domain.webhooks.claiming import Claimed, Elsewhere
from svc.domain.webhooks.outbox import Attempt
from svc.store import claims
from svc.store.database import MOMENT, Busy, db
from svc.work.delivery.requests_in_flight import YOUNG, RequestsInFlight

log = logging.getLogger("svc.delivery")

WEBHOOKS = "webhooks"  # the queue of jobs that tell a server of what a worker has committed
_BATCH = 256  # outcomes in one transaction
# Partners whose outcomes are in one transaction, where each has a turn of its own. A process that
# hangs in it holds them up for a moment.
_TOGETHER = 16
_RETRY_SECONDS = 1.0
_LOOK = False  # in the queue of outcomes: requests a turn
_Ended = Attempt | Claimed  # the latter: nothing was sent, by a failure of our own


class Dispatcher:
    """Sends due deliveries.

    ``workers``: the number of concurrent requests, apart from those waiting for a slow endpoint.
    """

    def __init__(
        self,
        driver: claims.Driver,
        sender: Sender,
        ring: KeyRing,
        workers: int = 16,
        clock: Callable[[], int] = wall_clock.now,
    ):
        self._driver, self._sender, self._ring, self._clock = driver, sender, ring, clock
        self._flights = RequestsInFlight(workers)
        self._after = dict.fromkeys(lanes.ALL, "")  # by lane: the subscription that was served last
        # whether more is due than was claimed, and there will be room in a moment
        self._soon = False
        self._pool = ThreadPoolExecutor(self._flights.most, thread_name_prefix="webhook")
        self._ended: queue.SimpleQueue[_Ended | bool | None] = queue.SimpleQueue()
        self._turning = threading.Lock()
        self._again = threading.Event()
        self._stopping = threading.Event()
        self._committer = threading.Thread(
            target=self._commit, name="webhook-outcomes", daemon=True
        )
        self._committer.start()

    def dispatch(self) -> None:
        """Claim due deliveries and pass them to free workers; returns without waiting for them."""
        self._again.set()
        # The holder of the lock repeats its turn, so that a caller that finds it locked does not
        # have to wait.
        while self._again.is_set() and self._turning.acquire(blocking=False):
            try:
                self._again.clear()
                self._claim_due()
            finally:
                self._turning.release()

    def stop(self) -> None:
        """Stop claiming, wait for the requests in flight (at most the sender's deadline),
        and commit their outcomes.
        """
        self._stopping.set()
        with self._turning:
            pass  # the last turn has ended
        self._pool.shutdown(wait=True)
        self._ended.put(None)
        self._committer.join()
        self._sender.close()

    def _claim_due(self) -> None:
        if self._stopping.is_set():
            return
        if claiming.find_ready_lanes():
            self._exchange([])
            if self._soon:
                # wakes the committer, which otherwise waits for outcomes only, for the next turn
                self._ended.put(_LOOK)

    def _exchange(self, ended: list[_Ended]) -> None:
        """Commit outcomes and claim the next deliveries, in one transaction; where many machines
        share the database, the outcomes before, in the turns of their partners.

        A claimed delivery is sent as soon as its event is safely on the disk, so that no event is
        sent that a power failure undoes; the claim itself is synced meanwhile. A power failure in
        those few milliseconds loses the claim, and the delivery is sent again without being marked
        as a duplicate; the end of a process loses no claim.
        """
        claimed: list[Claimed] = []
        if db.place():
            ended = self._record_by_partner(ended)
        try:
            with db.transaction(partner=claiming.TURN):
                now = self._clock()
                self._record(ended, now)
                if not self._stopping.is_set():
                    self._claim(now, claimed)
                db.on_durable(lambda: self._launch(claimed))
        except BaseException:
            for delivery in claimed:
                self._flights.end(delivery, None)
            raise

    def _record_by_partner(self, ended: list[_Ended]) -> list[_Ended]:
        """Commit the outcomes of some partners in each transaction, and return none.

        A partner that has another transaction under way is waited for when all others are done. If
        it is held up, its outcomes come again with the next ones.
        """
        by_partner: dict[str, list[_Ended]] = {}
        # Each once: one that came again may also be in a batch that is repeated after a failure.
        for each in {id(each): each for each in ended}.values():
            by_partner.setdefault(each.partner_id, []).append(each)
        partners = list(by_partner)
        for first in range(0, len(partners), _TOGETHER):
            with db.transaction_of_free(partners[first : first + _TOGETHER]) as free:
                theirs = [each for key, some in by_partner.items() if key in free for each in some]
                self._record(theirs, self._clock())
            for key in free:
                del by_partner[key]
        moment = None if self._stopping.is_set() else MOMENT  # nothing comes after the last ones
        for partner_id, some in by_partner.items():
            try:
                with db.transaction(partner=partner_id, moment=moment):
                    self._record(some, self._clock())
            except Busy:
                for each in some:
                    self._ended.put(each)
        return []

    def _record(self, ended: list[_Ended], now: int) -> None:
        # An outcome may have waited here while the clock was set back: what it makes due is not
        # due in the future.
        if outcomes := [
            replace(outcome, ended_at=min(outcome.ended_at, now))
            for outcome in ended
            if isinstance(outcome, Attempt)
        ]:
            outbox.record_outcomes(outcomes)
        if unsent := [each for each in ended if isinstance(each, Claimed)]:
            claiming.postpone(unsent, now)

    def _launch(self, claimed: list[Claimed]) -> None:
        for position, delivery in enumerate(claimed):
            try:
                self._pool.submit(self._send, delivery)
            except RuntimeError:  # the interpreter is ending without a call of stop()
                self._stopping.set()
                return claiming.release(claimed[position:])
        return None

    def _claim(self, now: int, claimed: list[Claimed]) -> None:
        """Claim from every lane as many deliveries as there is room for; add them to ``claimed``
        and count them at once.

        Subscriptions are served in a circle, so that under load none waits for ever.
        """
        self._soon = False
        ready = claiming.find_ready_lanes()
        elsewhere = claiming.count_in_flight_elsewhere(self._driver) if ready else Elsewhere()
        for lane in ready:
            room = self._flights.count_room(lane)
            limits = self._flights.compute_limits(lane, elsewhere)
            batch = (
                claiming.claim(self._driver, now, lane, room, limits, self._after[lane])
                if room
                else []
            )
            self._after[lane] = batch[-1].subscription_id if batch else ""
            self._soon = self._soon or (len(batch) >= room and self._flights.has_room_soon(lane))
            for delivery in batch:
                self._flights.begin(delivery, elsewhere)
            claimed += batch

    def _send(self, claimed: Claimed) -> None:
        began = self._clock()
        try:
            headers = delivery_attempts.make_request_headers(self._ring, claimed, began)
        except Exception as failure:
            return self._postpone(claimed, failure)
        try:
            send = self._sender.examine if claimed.is_ping else self._sender.post
            with traces.span("webhook", subscription=claimed.subscription_id, delivery=claimed.id):
                outcome = send(claimed.endpoint_url, claimed.body, headers)
        except Exception as failure:
            if outage.recognise(failure) is not None:
                return self._postpone(claimed, failure)
            log.exception("delivery %s could not be attempted", claimed.id)
            outcome = Outcome(None, "the attempt failed because of an internal error", 0.0)
        ended = self._clock()
        self._flights.end(
            claimed, outcome.status_code is not None, outcome.status_code, outcome.error is None
        )
        self._ended.put(
            Attempt(
                claimed.id,
                claimed.token,
                began,
                ended,
                outcome.status_code,
                outcome.error,
                outcome.duration_ms,
                outcome.answer,
                outcome.findings,
                claimed.endpoint_url,
                claimed.partner_id,
            )
        )
        return None

    def _postpone(self, claimed: Claimed, failure: Exception) -> None:
        """Put a delivery back of which nothing was sent, by a failure of our own."""
        _complain(failure, f"delivery {claimed.id} is put back, as nothing could be sent")
        self._flights.end(claimed, None)
        self._ended.put(claimed)

    def _commit(self) -> None:
        """Run the committer's thread: outcomes that arrive during one commit form
        the next batch.
        """
        going = True
        while going:
            batch = self._wait_for_outcomes()
            going = None not in batch  # None is the last item
            if ended := [item for item in batch if isinstance(item, _Ended)]:
                self._settle(ended)
            # a caller found the lock taken in the meantime, or the wait timed out
            if self._again.is_set() or not batch:
                self._try_to_dispatch()

    def _wait_for_outcomes(self) -> list[_Ended | bool | None]:
        """Wait for outcomes and return them; return none after a moment if more is due and there is
        room for it.
        """
        try:
            first = self._ended.get(timeout=YOUNG if self._soon else None)
        except queue.Empty:
            self._soon = False  # the next turn sets it again, unless it fails
            return []
        return [first, *(self._ended.get() for _ in range(min(self._ended.qsize(), _BATCH)))]

    def _try_to_dispatch(self) -> None:
        try:
            self.dispatch()
        except Exception as failure:
            _complain(failure, "a turn failed; the next tick tries again")

    def _settle(self, batch: list[_Ended]) -> None:
        """Commit outcomes, and retry until that succeeds: a full disk may get space again."""
        while True:
            try:
                with self._turning:
                    return self._exchange(batch)
            except Exception as failure:
                _complain(failure, f"{len(batch)} outcomes could not be committed yet")
                if self._stopping.wait(_RETRY_SECONDS):
                    return None  # the next boot finds the claims and records them as interrupted


def _complain(failure: Exception, message: str) -> None:
    """Log a failure; with a traceback unless it is an outage, such as a full disk."""
    if outage.recognise(failure) is None:
        log.exception("%s", message)
    else:
        log.warning("%s: %s", message, failure)
