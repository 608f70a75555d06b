"""Requests in flight, counted by lane and by subscription, and the limits on further ones.

A request that only waits for its answer costs little, so after a moment it no longer counts as work; a separate limit bounds
their number. An endpoint that does not answer has many requests in flight: every attempt takes the whole 15 seconds, and
its retries can only be sent on time if they overlap.

The opening of a delivery, its first attempt and the immediate retry, may use a third of the limit of one endpoint. The two
later retries take as long again, however the openings were spread; so there is room for retries when they are due, and
only first attempts ever wait. The limits of one endpoint hold for all senders together, those of lanes for each.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile

from svc.domain.webhooks import lanes
from svc.domain.webhooks.claiming import Claimed, Elsewhere

YOUNG = 0.1  # seconds; a request that takes longer only waits for its answer
WAITING_FIRST = 256  # first attempts, beyond the workers, that may wait for endpoints that answered until now
WAITING = 600  # all other attempts that may wait
MOST_OPENINGS = 100  # of one endpoint that does not answer: 100 first attempts in the 30 s that an opening takes
MOST_OF_ONE = 3 * MOST_OPENINGS
SILENT_AFTER = 3  # attempts in a row without any answer
_REMEMBERED = 4096  # silent endpoints
_REST = -1  # all lanes other than FIRST
_NOTHING = Elsewhere()


@dataclass(slots=True)  # not frozen: that would cost more than the counting itself
class _Flight:
    subscription_id: str
    kind: int
    lane: int
    opens: bool
    began: float


class RequestsInFlight:
    """Counts requests in flight; thread-safe. ``workers``: how many may work at once, apart from those that only wait."""

    def __init__(self, workers: int, steady: Callable[[], float] = time.monotonic):
        quarter = max(1, workers // 4)
        self._slots = {lane: workers if lane == lanes.FIRST else quarter for lane in lanes.ALL}
        self._steady = steady
        self._usual = {lanes.FIRST: max(1, workers // 2), lanes.RETRIES: quarter}
        self._aside = max(1, workers // 8)
        self._first_most = workers + WAITING_FIRST
        self._flights: dict[str, _Flight] = {}
        self._number = {lanes.FIRST: 0, _REST: 0}
        self._of_one: Counter[str] = Counter()  # by subscription, as the next two
        self._openings: Counter[str] = Counter()
        self._unanswered: Counter[str] = Counter()  # attempts in a row without an answer
        self._lock = threading.Lock()

    @property
    def most(self) -> int:
        """The maximum number of requests in flight."""
        return self._first_most + WAITING

    def begin(self, claimed: Claimed) -> None:
        """Count a request that is about to begin."""
        flight = _Flight(claimed.subscription_id, _kind(claimed.lane), claimed.lane, claimed.failures < 2, self._steady())
        with self._lock:
            self._flights[claimed.id] = flight
            self._count(flight, 1)

    def end(self, claimed: Claimed, answered: bool | None) -> None:
        """Remove a request that has ended. ``answered``: whether there was an answer, of any status; None: it never began."""
        with self._lock:
            if (flight := self._flights.pop(claimed.id, None)) is not None:
                self._count(flight, -1)
            if answered:
                self._unanswered.pop(claimed.subscription_id, None)
            elif answered is False and (len(self._unanswered) < _REMEMBERED or claimed.subscription_id in self._unanswered):
                self._unanswered[claimed.subscription_id] += 1

    def room(self, lane: int) -> int:
        """Return how many more requests of a lane may be sent."""
        with self._lock:
            return max(0, min(self._slots[lane] - self._young(lane), self._free(lane)))

    def has_room_soon(self, lane: int) -> bool:
        """Return whether a lane will have room in a moment, when the requests that have just begun only wait."""
        with self._lock:
            return self._free(lane) > 0

    def share(self, lane: int) -> int:
        """Return the limit in a lane for subscriptions that :meth:`left` does not name."""
        return self._usual.get(lane, self._aside)

    def left(self, lane: int, elsewhere: Elsewhere = _NOTHING) -> dict[str, int]:
        """Return the remaining number in a lane by subscription, for those with requests in flight or without answers.

        ``elsewhere``: what other senders have in flight.
        """
        with self._lock:
            if lane == lanes.RETRIES:
                full = MOST_OF_ONE - self.share(lane)
                numbers = _sum(self._of_one, elsewhere.all)
                return {key: MOST_OF_ONE - number for key, number in numbers.items() if number > full}
            openings = _sum(self._openings, elsewhere.openings)
            if lane == lanes.FIRST:
                return {key: self.share(lane) - number for key, number in openings.items()}
            silent = {key for key, number in self._unanswered.items() if number >= SILENT_AFTER}
            # The more endpoints do not answer, the lower the limit of each, so that a part always stays free for the next.
            most = max(self._aside, min(MOST_OPENINGS, self._free(lane) // 3))
            known = silent | openings.keys()
            return {key: (most if key in silent else self._aside) - openings.get(key, 0) for key in known}

    def _count(self, flight: _Flight, change: int) -> None:
        self._number[flight.kind] += change
        for counter in (self._of_one, self._openings) if flight.opens else (self._of_one,):
            counter[flight.subscription_id] += change
            if not counter[flight.subscription_id]:
                del counter[flight.subscription_id]

    def _young(self, lane: int) -> int:
        since = self._steady() - YOUNG
        latest = takewhile(lambda flight: flight.began > since, reversed(self._flights.values()))
        return sum(flight.lane == lane for flight in latest)

    def _free(self, lane: int) -> int:
        """Return how many more requests of a lane may wait."""
        return (self._first_most if lane == lanes.FIRST else WAITING) - self._number[_kind(lane)]


def _sum(here: Counter[str], elsewhere: Counter[str]) -> Counter[str]:
    return here + elsewhere if elsewhere else here


def _kind(lane: int) -> int:
    return lanes.FIRST if lane == lanes.FIRST else _REST
