"""What is being sent just now, and how much more may be: counted by lane and by subscription.

A sending that only waits costs next to nothing, so it stops counting as work after a moment; a bound of its own keeps it
from growing without end. An endpoint that does not answer at all is waited for in many sendings at once: every attempt there
takes the whole 15 seconds, and only so are its retries sent when they are due.

The opening of a delivery, its first attempt and the retry that follows at once, may have a third of what one endpoint
is given. The two retries that come later take as long again, in whatever bunches the openings came; so there is room for
them when they are due, and nothing but first attempts ever waits.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile

from svc.domain.webhooks import lanes
from svc.domain.webhooks.claiming import Claimed

YOUNG = 0.1  # seconds; a sending that takes longer only waits
WAITING_FIRST = 256  # beyond the workers so many first attempts may wait for endpoints that answered until now
WAITING = 600  # so many of all others
MOST_OPENINGS = 100  # of one endpoint that does not answer: 100 first attempts in the 30 s that an opening takes
MOST_OF_ONE = 3 * MOST_OPENINGS
SILENT_AFTER = 3  # attempts in a row without any answer
_REMEMBERED = 4096  # silent endpoints
_REST = -1  # every lane but that of first attempts


@dataclass(slots=True)  # not frozen, which costs more than all the rest of counting one
class _Flight:
    subscription_id: str
    kind: int
    lane: int
    opens: bool
    began: float


class Flights:
    """``workers``: how many sendings work at once, apart from those that only wait. Safe to use from many threads."""

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
        """How many there are at most."""
        return self._first_most + WAITING

    def begin(self, claimed: Claimed) -> None:
        """A sending is about to begin."""
        flight = _Flight(claimed.subscription_id, _kind(claimed.lane), claimed.lane, claimed.failures < 2, self._steady())
        with self._lock:
            self._flights[claimed.id] = flight
            self._count(flight, 1)

    def end(self, claimed: Claimed, answered: bool | None) -> None:
        """A sending has ended. ``answered``: whether there was an answer, with whatever status; None: it never began."""
        with self._lock:
            if (flight := self._flights.pop(claimed.id, None)) is not None:
                self._count(flight, -1)
            if answered:
                self._unanswered.pop(claimed.subscription_id, None)
            elif answered is False and (len(self._unanswered) < _REMEMBERED or claimed.subscription_id in self._unanswered):
                self._unanswered[claimed.subscription_id] += 1

    def room(self, lane: int) -> int:
        """How many more of a lane may be sent."""
        with self._lock:
            return max(0, min(self._slots[lane] - self._young(lane), self._free(lane)))

    def crowded(self, lane: int) -> bool:
        """Whether a lane has room again in a moment, once the sendings that have just begun only wait."""
        with self._lock:
            return self._free(lane) > 0

    def share(self, lane: int) -> int:
        """How many of a lane a subscription may have of which :meth:`left` says nothing."""
        return self._usual.get(lane, self._aside)

    def left(self, lane: int) -> dict[str, int]:
        """How many more of a lane a subscription may have, for those that have some or do not answer."""
        with self._lock:
            if lane == lanes.RETRIES:
                full = MOST_OF_ONE - self.share(lane)
                return {each: MOST_OF_ONE - number for each, number in self._of_one.items() if number > full}
            if lane == lanes.FIRST:
                return {each: self.share(lane) - number for each, number in self._openings.items()}
            silent = {each for each, number in self._unanswered.items() if number >= SILENT_AFTER}
            # The more endpoints do not answer, the less each is given: a part always stays free for the next.
            most = max(self._aside, min(MOST_OPENINGS, self._free(lane) // 3))
            known = silent | self._openings.keys()
            return {each: (most if each in silent else self._aside) - self._openings.get(each, 0) for each in known}

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
        """How many more of a lane may wait."""
        return (self._first_most if lane == lanes.FIRST else WAITING) - self._number[_kind(lane)]


def _kind(lane: int) -> int:
    return lanes.FIRST if lane == lanes.FIRST else _REST
