"""The request budget: one counter per partner over a rolling minute, and one per UTC day; exact, shared, persistent.

The instants of a partner's last counted requests stand in a ring in the memory that all serving processes share, so that the
last request is given to one caller only, and none costs a transaction. The request history has the same instants: from it
the ring is filled when the first request after a start comes.
"""

from dataclasses import dataclass

from svc.base import clock
from svc.base.errors import RateLimitExceeded
from svc.domain.caller import Caller
from svc.domain.tiers import TIERS, Tier
from svc.store import database

WINDOW = clock.MINUTE
_SKEW = 1000  # ms by which two threads may see their requests come in the other order; more, and the clock was set back

_DAY, _TODAY, _ENTERED, _LEFT, _RING = range(5)  # integers of a place: a UTC day, its count; of the ring: ends, beginning
_CAPACITY = max(tier.requests_per_minute for tier in TIERS.values())

_LAST = "SELECT at FROM requests WHERE partner_id = ? AND at > ? AND counted = 1 ORDER BY at DESC LIMIT ?"
_COUNTED = "SELECT counted FROM usage_days WHERE partner_id = ? AND day = ?"


@dataclass(frozen=True, slots=True)
class Budget:
    """The number of the request, whether it was counted, and what the rate headers say. ``resets_at``: Unix seconds."""

    request: int
    counted: bool
    limit: int
    remaining: int
    resets_at: int
    refusal: RateLimitExceeded | None = None


def spend(caller: Caller, now: int, *, counts: bool = True) -> Budget:
    """Number a request and count it, or refuse it: ``refusal`` then says why and how long to wait.

    ``counts``: False for what is outside the shared budget (pings, inactive partners).
    """
    tier = TIERS[caller.tier]
    memory = database.shared()
    place = memory.place(caller.partner_id)
    if place is None or place[_DAY] > now // clock.DAY:  # the clock was set back over midnight
        place = _fill(caller.partner_id, now)
    with memory.turn():
        request = memory.next_request()
        _roll(place, now)
        refusal = _refusal(place, tier, now) if counts else None
        counted = counts and refusal is None
        if counted:
            _enter(place, now)
        used, oldest = place[_ENTERED] - place[_LEFT], _entry(place, place[_LEFT])
    resets_at = -(-((oldest if used else now) + WINDOW) // 1000)
    return Budget(request, counted, tier.requests_per_minute, max(0, tier.requests_per_minute - used), resets_at, refusal)


def _fill(partner_id: str, now: int) -> memoryview:
    """The place of a partner whose first request this is since the service was started, or anew from the database."""

    def fill(place: memoryview) -> None:
        last = [row["at"] for row in database.rows(_LAST, (partner_id, now - WINDOW, _CAPACITY))]
        place[_ENTERED], place[_LEFT] = len(last), 0
        for number, at in enumerate(reversed(last)):
            place[_RING + number] = at
        place[_DAY] = now // clock.DAY
        today = database.row(_COUNTED, (partner_id, clock.day(now)))
        place[_TODAY] = today["counted"] if today else 0

    with database.turn(), database.shared().turn():
        place = database.shared().take_place(partner_id, fill)
        if place[_DAY] > now // clock.DAY:
            fill(place)
        return place


def _entry(place: memoryview, number: int) -> int:
    return place[_RING + number % _CAPACITY]


def _roll(place: memoryview, now: int) -> None:
    """Let go what has left the minute, and the day if it is over."""
    if place[_ENTERED] and _entry(place, place[_ENTERED] - 1) > now + _SKEW:
        for number in range(place[_LEFT], place[_ENTERED]):  # the clock was set back: nobody waits for it to catch up
            place[_RING + number % _CAPACITY] = min(_entry(place, number), now)
    while place[_LEFT] < place[_ENTERED] and _entry(place, place[_LEFT]) <= now - WINDOW:
        place[_LEFT] += 1
    if place[_DAY] != now // clock.DAY:
        place[_DAY], place[_TODAY] = now // clock.DAY, 0


def _enter(place: memoryview, now: int) -> None:
    newest = _entry(place, place[_ENTERED] - 1) if place[_ENTERED] else now
    place[_RING + place[_ENTERED] % _CAPACITY] = max(newest, now)  # the ring is in order of time
    place[_ENTERED] += 1
    place[_TODAY] += 1


def _refusal(place: memoryview, tier: Tier, now: int) -> RateLimitExceeded | None:
    if place[_ENTERED] - place[_LEFT] >= tier.requests_per_minute:
        # A place is free when the request that fills the last one leaves the window; after a change to a smaller
        # tier there may be more in it than the limit.
        frees = _entry(place, place[_ENTERED] - tier.requests_per_minute) + WINDOW
        return RateLimitExceeded(
            f"The limit of {tier.requests_per_minute} requests a minute is reached; wait for retryAfterSeconds.",
            retry_after=clock.seconds_until(frees, now),
        )
    if tier.requests_per_day is not None and place[_TODAY] >= tier.requests_per_day:
        return RateLimitExceeded(
            f"The limit of {tier.requests_per_day:,} requests a day is reached; it is renewed at midnight UTC.",
            retry_after=clock.seconds_until(clock.next_midnight(now), now),
        )
    return None
