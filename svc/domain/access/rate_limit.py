"""The rate limit: per partner, over a rolling minute and per UTC day; exact, shared by all
processes, persistent.

The times of a partner's last counted requests are in a ring buffer in shared memory, so that
processes cannot exceed the limit together and a request costs no transaction. The first request
after a start fills the ring from the request history, which has the same times.
"""

from dataclasses import dataclass

from svc.base import clock
from svc.base.errors import RateLimitExceeded
from svc.domain.caller import Caller
from svc.domain.tiers import TIERS, Tier
from svc.store.database import db
from svc.store.models.usage import Request, UsageDay
from svc.store.queries import Prepared
from svc.store.queries import slot as value

WINDOW = clock.MINUTE
# By how many milliseconds requests of different threads may be out of order. More means that the
# clock was set back.
_SKEW = 1000

# The integers of a slot: the UTC day, its count, the ring's head, its tail and its entries.
_DAY, _TODAY, _ENTERED, _LEFT, _RING = range(5)
_CAPACITY = max(tier.requests_per_minute for tier in TIERS.values())

_LAST = Prepared(
    Request.select(Request.at)
    .where(
        Request.partner_id == value("partner_id"), Request.at > value("since"), Request.counted == 1
    )
    .order_by(Request.at.desc())
    .limit(_CAPACITY)
)
_COUNTED = Prepared(
    UsageDay.select(UsageDay.counted).where(
        UsageDay.partner_id == value("partner_id"), UsageDay.day == value("day")
    )
)


@dataclass(frozen=True, slots=True)
class Budget:
    """The number of a request, whether it was counted, and the values of the rate headers.

    ``resets_at``: Unix seconds.
    """

    request: int
    counted: bool
    limit: int
    remaining: int
    resets_at: int
    refusal: RateLimitExceeded | None = None


def count_request(caller: Caller, now: int, *, counts: bool) -> Budget:
    """Number a request and count it, or refuse it: ``refusal`` then has the reason and the time to
    wait.

    ``counts``: False for requests outside the limit (pings, inactive partners).
    """
    tier = TIERS[caller.tier]
    memory = db.shared()
    slot = memory.find_counters(caller.partner_id)
    if slot is None or slot[_DAY] > now // clock.DAY:  # the clock was set back over midnight
        slot = _fill_slot(caller.partner_id, now)
    with memory.lock():
        request = memory.number_request()
        _roll_window(slot, now)
        refusal = _make_refusal(slot, tier, now) if counts else None
        counted = counts and refusal is None
        if counted:
            _enter_request(slot, now)
        used, oldest = slot[_ENTERED] - slot[_LEFT], _read_entry(slot, slot[_LEFT])
    remaining = max(0, tier.requests_per_minute - used)
    resets_at = -(-((oldest if used else now) + WINDOW) // 1000)
    # that of the day: no request is left before its end, whatever the minute has
    if refusal is not None and remaining:
        remaining, resets_at = 0, clock.find_next_midnight(now) // 1000
    return Budget(request, counted, tier.requests_per_minute, remaining, resets_at, refusal)


def _fill_slot(partner_id: str, now: int) -> memoryview:
    """Return the slot of a partner after filling it from the database: at its first request,
    or if the clock was set back.
    """

    def fill(slot: memoryview) -> None:
        last = [row["at"] for row in _LAST.rows(partner_id=partner_id, since=now - WINDOW)]
        slot[_ENTERED], slot[_LEFT] = len(last), 0
        for number, at in enumerate(reversed(last)):
            slot[_RING + number] = at
        slot[_DAY] = now // clock.DAY
        slot[_TODAY] = _COUNTED.value(partner_id=partner_id, day=clock.format_day(now)) or 0

    with db.snapshot(), db.shared().lock():
        slot = db.shared().take_counters(partner_id, fill)
        if slot[_DAY] > now // clock.DAY:
            fill(slot)
        return slot


def _read_entry(slot: memoryview, number: int) -> int:
    return slot[_RING + number % _CAPACITY]


def _roll_window(slot: memoryview, now: int) -> None:
    """Remove entries older than a minute, and reset the daily count on a new day."""
    if slot[_ENTERED] and _read_entry(slot, slot[_ENTERED] - 1) > now + _SKEW:
        # the clock was set back: callers must not wait for it to catch up
        for number in range(slot[_LEFT], slot[_ENTERED]):
            slot[_RING + number % _CAPACITY] = min(_read_entry(slot, number), now)
    while slot[_LEFT] < slot[_ENTERED] and _read_entry(slot, slot[_LEFT]) <= now - WINDOW:
        slot[_LEFT] += 1
    if slot[_DAY] != now // clock.DAY:
        slot[_DAY], slot[_TODAY] = now // clock.DAY, 0


def _enter_request(slot: memoryview, now: int) -> None:
    newest = _read_entry(slot, slot[_ENTERED] - 1) if slot[_ENTERED] else now
    slot[_RING + slot[_ENTERED] % _CAPACITY] = max(newest, now)  # entries are sorted by time
    slot[_ENTERED] += 1
    slot[_TODAY] += 1


def _make_refusal(slot: memoryview, tier: Tier, now: int) -> RateLimitExceeded | None:
    if slot[_ENTERED] - slot[_LEFT] >= tier.requests_per_minute:
        # The next request is allowed when the limit-th newest one leaves the window; after a change
        # to a smaller tier the window may hold more requests than the limit.
        frees = _read_entry(slot, slot[_ENTERED] - tier.requests_per_minute) + WINDOW
        return RateLimitExceeded(
            (
                f"The limit of {tier.requests_per_minute} requests a minute is reached; wait for "
                "retryAfterSeconds."
            ),
            retry_after=clock.count_seconds_until(frees, now),
        )
    if tier.requests_per_day is not None and slot[_TODAY] >= tier.requests_per_day:
        return RateLimitExceeded(
            (
                f"The limit of {tier.requests_per_day:,} requests a day is reached; it resets at "
                "midnight UTC."
            ),
            retry_after=clock.count_seconds_until(clock.find_next_midnight(now), now),
        )
    return None
