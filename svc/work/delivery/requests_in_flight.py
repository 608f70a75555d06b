"""Requests in flight, counted by lane and by subscription, and the limits on further ones.

A request that only waits for its answer costs little, so after a moment it no longer counts as
work; a separate limit bounds their number. An endpoint that does not answer has many requests in
flight: every attempt takes the whole 15 seconds, and its retries can only be sent on time if they
overlap.

The opening of a delivery, its first attempt and the immediate retry, may use a third of the limit
of one endpoint. The two later retries take as long again, however the openings were spread; so
there is room for retries when they are due, and only first attempts ever wait. An endpoint that
answers gets as many as it takes (svc.work.delivery.endpoint_capacity), within a third of what is
free. One partner, however many endpoints it has, holds at most half of those that may wait.

The limits of one endpoint hold for all senders together, those of lanes and of partners for each.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile

from svc.domain import lanes
from svc.domain.webhooks.claiming import Claimed, Elsewhere, Limits
from svc.work.delivery.endpoint_capacity import FEW, EndpointCapacity

YOUNG = 0.1  # seconds; a request that takes longer only waits for its answer
# The most first attempts, beyond the workers, that may wait for endpoints that answered until now.
WAITING_FIRST = 256
WAITING = 600  # all other attempts that may wait
# The most first attempts and immediate retries among them, so that later retries have room.
_WAITING_OPENINGS = 2 * WAITING // 3
# The most openings of one endpoint that does not answer: 100 first attempts in the 30 s that an
# opening takes.
MOST_OPENINGS = 100
MOST_OF_ONE = 3 * MOST_OPENINGS
SILENT_AFTER = 3  # attempts in a row without any answer
_REMEMBERED = 4096  # silent endpoints
_REST = -1  # all lanes other than FIRST
_BUSY = (429, 503)  # statuses
_NOTHING = Elsewhere()


@dataclass(slots=True)  # not frozen: that would cost more than the counting itself
class _Flight:
    subscription_id: str
    kind: int
    lane: int
    partner_id: str
    opens: bool
    began: float
    crowd: int  # openings in flight to its endpoint when it began, with itself, by all senders


class RequestsInFlight:
    """Counts requests in flight; thread-safe.

    ``workers``: how many may work at once, apart from those that only wait.
    """

    def __init__(self, workers: int, steady: Callable[[], float] = time.monotonic):
        quarter = max(1, workers // 4)
        self._slots = {lane: workers if lane == lanes.FIRST else quarter for lane in lanes.ALL}
        self._steady = steady
        self._shares = {
            lane: max(1, workers // 2) if lane == lanes.FIRST else quarter for lane in lanes.ALL
        }
        self._first_most = workers + WAITING_FIRST
        self._flights: dict[str, _Flight] = {}
        self._number = {lanes.FIRST: 0, _REST: 0}
        self._waiting_openings = 0  # those of _REST
        self._of_partner: dict[int, Counter[str]] = {lanes.FIRST: Counter(), _REST: Counter()}
        self._openings_of_partner: Counter[str] = Counter()  # those of _REST
        self._of_one: Counter[str] = Counter()  # by subscription, as the next two
        self._openings: Counter[str] = Counter()
        self._unanswered: Counter[str] = Counter()  # attempts in a row without an answer
        self._capacity = EndpointCapacity(MOST_OPENINGS)
        self._lock = threading.Lock()

    @property
    def most(self) -> int:
        """The maximum number of requests in flight."""
        return self._first_most + WAITING

    def begin(self, claimed: Claimed, elsewhere: Elsewhere = _NOTHING) -> None:
        """Count a request that is about to begin.

        ``elsewhere``: what other senders have in flight.
        """
        key, opens = claimed.subscription_id, claimed.failures < 2
        with self._lock:
            crowd = self._openings[key] + elsewhere.openings[key] + opens
            flight = _Flight(
                key,
                _find_kind(claimed.lane),
                claimed.lane,
                claimed.partner_id,
                opens,
                self._steady(),
                crowd,
            )
            self._flights[claimed.id] = flight
            self._count(flight, 1)
            self._capacity.forget_other_endpoint(key, claimed.endpoint_url)

    def end(
        self,
        claimed: Claimed,
        answered: bool | None,
        status: int | None = None,
        accepted: bool | None = None,
    ) -> None:
        """Remove a request that has ended.

        ``answered``: whether there was an answer, of any ``status``; None: it never began.
        ``accepted``: whether the delivery succeeded; None: as ``answered``.
        """
        key = claimed.subscription_id
        with self._lock:
            if (flight := self._flights.pop(claimed.id, None)) is not None:
                if answered is not None:
                    succeeded = answered if accepted is None else accepted
                    self._learn(flight, claimed.endpoint_url, succeeded, status in _BUSY)
                self._count(flight, -1)
            if answered:
                self._unanswered.pop(key, None)
            elif answered is False and (
                len(self._unanswered) < _REMEMBERED or key in self._unanswered
            ):
                self._unanswered[key] += 1

    def _learn(self, flight: _Flight, endpoint_url: str, succeeded: bool, is_busy: bool) -> None:
        key, now = flight.subscription_id, self._steady()
        if not succeeded:
            self._capacity.record_failure(key, flight.began, now, is_busy)
        elif now - flight.began > YOUNG or self._capacity.has_learned(key):
            # a quick endpoint never needs more than it gets
            start = self._shares[flight.lane]
            self._capacity.record_success(key, endpoint_url, flight.crowd, flight.began, now, start)

    def count_room(self, lane: int) -> int:
        """Return how many more requests of a lane may be sent."""
        with self._lock:
            return max(0, min(self._slots[lane] - len(self._list_young(lane)), self._free(lane)))

    def has_room_soon(self, lane: int) -> bool:
        """Return whether a lane will have room in a moment,
        when the requests that have just begun only wait.
        """
        with self._lock:
            return self._free(lane) > 0

    def compute_limits(self, lane: int, elsewhere: Elsewhere = _NOTHING) -> Limits:
        """Return how many more requests of a lane may begin, by subscription, and by partner.

        ``elsewhere``: what other senders have in flight.
        """
        with self._lock:
            young = Counter(flight.partner_id for flight in self._list_young(lane))
            at_once = max(1, self._slots[lane] // 2)
            left_at_once = {key: at_once - number for key, number in young.items()}
            left = self._count_left(lane, elsewhere)
            return Limits(
                self._shares[lane], left, *self._count_left_of_partners(lane), at_once, left_at_once
            )

    def _count_left(self, lane: int, elsewhere: Elsewhere) -> dict[str, int]:
        """Return the remaining number in a lane by subscription,
        for those with requests in flight or without answers.
        """
        share = self._shares[lane]
        if lane == lanes.RETRIES:
            numbers = _add_counts(self._of_one, elsewhere.all)
            return {
                key: MOST_OF_ONE - number
                for key, number in numbers.items()
                if number > MOST_OF_ONE - share
            }
        openings = _add_counts(self._openings, elsewhere.openings)
        # The more endpoints are slow or do not answer, the lower the limit of each, so that a part
        # stays free for the next.
        most = max(FEW, min(MOST_OPENINGS, self._free(lane) // 3))
        left = {
            key: min(most, self._capacity.find_limit(key, share)) - number
            for key, number in openings.items()
        }
        if lane != lanes.FIRST:
            silent = {key for key, number in self._unanswered.items() if number >= SILENT_AFTER}
            left |= {key: most - openings.get(key, 0) for key in silent}
        return left

    def _count_left_of_partners(self, lane: int) -> tuple[int, dict[str, int]]:
        """Return the limit in a lane for each partner without requests in flight,
        and the remaining number of the others.
        """
        kind = _find_kind(lane)
        numbers = self._of_partner[kind]
        if lane == lanes.FIRST:
            most = self._first_most // 2
            return most, {key: most - number for key, number in numbers.items()}
        most = WAITING // 2
        left = {key: most - number for key, number in numbers.items()}
        if lane == lanes.RETRIES:
            return most, left
        most_openings = _WAITING_OPENINGS // 2
        for key, number in self._openings_of_partner.items():
            left[key] = min(left[key], most_openings - number)
        return most_openings, left

    def _count(self, flight: _Flight, change: int) -> None:
        self._number[flight.kind] += change
        counted = [
            (self._of_one, flight.subscription_id),
            (self._of_partner[flight.kind], flight.partner_id),
        ]
        if flight.opens:
            counted.append((self._openings, flight.subscription_id))
        if flight.opens and flight.kind == _REST:
            self._waiting_openings += change
            counted.append((self._openings_of_partner, flight.partner_id))
        for counter, key in counted:
            counter[key] += change
            if not counter[key]:
                del counter[key]

    def _list_young(self, lane: int) -> list[_Flight]:
        since = self._steady() - YOUNG
        latest = takewhile(lambda flight: flight.began > since, reversed(self._flights.values()))
        return [flight for flight in latest if flight.lane == lane]

    def _free(self, lane: int) -> int:
        """Return how many more requests of a lane may wait."""
        if lane == lanes.FIRST:
            return self._first_most - self._number[lanes.FIRST]
        free = WAITING - self._number[_REST]
        return (
            free if lane == lanes.RETRIES else min(free, _WAITING_OPENINGS - self._waiting_openings)
        )


def _add_counts(here: Counter[str], elsewhere: Counter[str]) -> Counter[str]:
    return here + elsewhere if elsewhere else here


def _find_kind(lane: int) -> int:
    return lanes.FIRST if lane == lanes.FIRST else _REST
