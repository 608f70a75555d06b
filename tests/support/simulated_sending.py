"""Dispatchers by a clock that is told: the real claims, limits and outcomes, without a thread,
a network or a wait.
"""

import heapq
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from support import plain_sql
from support.outbox import DRIVER, NOON, RING, Partner, record

from svc.base.clock import SECOND
from svc.domain.webhooks.claiming import Claimed
from svc.domain.webhooks.outbox import Attempt
from svc.store import claims
from svc.work.delivery import requests_in_flight
from svc.work.delivery.dispatcher import Dispatcher
from svc.work.delivery.requests_in_flight import RequestsInFlight

TIMEOUT = 15 * SECOND


class World:
    """Dispatchers whose requests take their time by a clock that is told.

    ``took``: how long an endpoint takes for a delivery, in ms, and optionally the status that it
    answers with; TIMEOUT or more: it does not answer.
    """

    def __init__(
        self,
        monkeypatch,
        took: Callable[[Claimed], int | tuple[int, int]],
        drivers: Sequence[claims.Driver] = (DRIVER,),
    ):
        self.now, self._took, self._number, self._plan, self._planned = NOON, took, 0, [], set()
        self.sent: Counter[str] = Counter()  # by the driver's boot
        self.in_flight: Counter[str] = Counter()  # by subscription
        self.most_in_flight: Counter[str] = Counter()
        monkeypatch.setattr(Dispatcher, "_commit", lambda _: None)
        self.dispatchers = [self._dispatcher(driver) for driver in drivers]

    def _dispatcher(self, driver: claims.Driver) -> Dispatcher:
        dispatcher = Dispatcher(driver, None, RING, workers=32, clock=lambda: self.now)
        dispatcher._pool.shutdown()
        dispatcher._pool = self
        dispatcher._flights = RequestsInFlight(32, lambda: self.now / 1000)
        return dispatcher

    def at(self, when: int, what: Callable[..., Any], *given: Any) -> None:
        self._number += 1
        heapq.heappush(self._plan, (when, self._number, what, given))

    def submit(self, sending, one: Claimed) -> None:
        dispatcher = sending.__self__
        self.sent[dispatcher._driver.boot] += 1
        self.in_flight[one.subscription_id] += 1
        self.most_in_flight[one.subscription_id] = max(
            self.in_flight[one.subscription_id], self.most_in_flight[one.subscription_id]
        )
        took = self._took(one)
        milliseconds, status = took if isinstance(took, tuple) else (took, 200)
        if milliseconds >= TIMEOUT:
            self.at(self.now + TIMEOUT, self._end, dispatcher, one, self.now, None, "timed out")
        else:
            error = None if status < 300 else f"answered with status {status}"
            self.at(self.now + milliseconds, self._end, dispatcher, one, self.now, status, error)

    def _end(
        self,
        dispatcher: Dispatcher,
        one: Claimed,
        began: int,
        status: int | None,
        error: str | None,
    ) -> None:
        self.in_flight[one.subscription_id] -= 1
        outcome = Attempt(one.id, one.token, began, self.now, status, error, 1.0)
        dispatcher._flights.end(one, status is not None, status, error is None)
        dispatcher._exchange([outcome])

    def event(self, partner: Partner) -> None:
        """Record an event of a new production of ``partner``, and wake the senders."""
        record(partner.produce(), now=self.now)
        self.dispatch()

    def events(self, partner: Partner, every: int, number: int, since: int = NOON) -> None:
        """Plan ``number`` events of ``partner``, one in ``every`` ms."""
        for each in range(number):
            self.at(since + each * every, self.event, partner)

    def dispatch(self) -> None:
        """Wake all of them; another one is the first each time."""
        self.dispatchers.append(self.dispatchers.pop(0))
        for dispatcher in self.dispatchers:
            dispatcher.dispatch()

    def until(self, end: int) -> None:
        for second in range(self.now, end, SECOND):
            self.at(second, self.dispatch)
        while self._plan and self._plan[0][0] <= end:
            self.now, _, what, given = heapq.heappop(self._plan)
            what(*given)
            soon = self.now + int(requests_in_flight.YOUNG * SECOND)
            if (
                any(dispatcher._soon for dispatcher in self.dispatchers)
                and soon not in self._planned
            ):
                self._planned.add(soon)
                self.at(soon, self.dispatch)

    def lateness(self, subscription_id: str) -> list[int]:
        """Return, for each event of a subscription in order, the ms until its first attempt;
        until now where there was none.
        """
        sql = """
            SELECT coalesce((SELECT min(attempted_at) FROM attempts WHERE delivery_id = d.id),
                            :now) - created_at AS late
            FROM deliveries d WHERE subscription_id = :subscription AND claim_token IS NULL
            ORDER BY created_at, id
        """
        return [
            row["late"]
            for row in plain_sql.rows(sql, {"now": self.now, "subscription": subscription_id})
        ]
