"""The request budget: one counter per partner over a rolling minute, and one per UTC day; exact, shared, persistent.

A counted row of the request history *is* the budget: refusing and counting happen in one immediate transaction, so
that however many processes serve, the last request is given to one caller only, and a restart forgets nothing.
"""

from dataclasses import dataclass

from svc.base import clock, ids
from svc.base.errors import RateLimitExceeded
from svc.domain.callers import Caller
from svc.domain.tiers import TIERS
from svc.store import database

WINDOW = clock.MINUTE

_WINDOW = "SELECT count(*), min(at) FROM requests WHERE partner_id = ? AND counted = 1 AND at > ?"
_NTH_NEWEST = "SELECT at FROM requests WHERE partner_id = ? AND counted = 1 ORDER BY at DESC LIMIT 1 OFFSET ?"
_TODAY = "SELECT counted FROM request_days WHERE partner_id = ? AND day = ?"
_COUNT_TODAY = """
    INSERT INTO request_days (partner_id, day, counted) VALUES (?, ?, 1)
    ON CONFLICT (partner_id, day) DO UPDATE SET counted = counted + 1
"""
_INSERT = """
    INSERT INTO requests (request_id, partner_id, at, counted, method, path, key_prefix, correlation_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_USED = "UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at <= ?)"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the history says of a request before it is answered."""

    method: str
    path: str
    correlation_id: str


@dataclass(frozen=True, slots=True)
class Budget:
    """The row of the request in the history, and what the rate headers say. ``resets_at``: Unix seconds."""

    request: int
    at: int
    limit: int
    remaining: int
    resets_at: int
    refusal: RateLimitExceeded | None = None


_last_used: dict[str, int] = {}  # key id to when this process last wrote its last use: at most once a minute


def spend(caller: Caller, asked: Asked, now: int, *, counts: bool = True) -> Budget:
    """Enter the request in the history and count it, or refuse it: ``refusal`` then says why and how long to wait.

    ``counts``: False for what is outside the shared budget (pings, inactive partners).
    """
    tier = TIERS[caller.tier]
    with database.write(durable=False):
        connection = database.database.connection()
        used, oldest = connection.execute(_WINDOW, (caller.partner_id, now - WINDOW)).fetchone()
        refusal = _refusal(caller, tier, used, now) if counts else None
        counted = int(counts and refusal is None)
        if counted:
            connection.execute(_COUNT_TODAY, (caller.partner_id, clock.day(now)))
            used, oldest = used + 1, oldest if oldest is not None else now
        request = connection.execute(
            _INSERT,
            (ids.new(now), caller.partner_id, now, counted, asked.method, asked.path, caller.key_prefix, asked.correlation_id),
        ).lastrowid
        if now - _last_used.get(caller.key_id, 0) >= clock.MINUTE:
            connection.execute(_USED, (now, caller.key_id, now - clock.MINUTE))
            _last_used[caller.key_id] = now
    resets_at = -(-((oldest if oldest is not None else now) + WINDOW) // 1000)
    return Budget(request, now, tier.requests_per_minute, max(0, tier.requests_per_minute - used), resets_at, refusal)


def _refusal(caller: Caller, tier, used: int, now: int) -> RateLimitExceeded | None:
    if used >= tier.requests_per_minute:
        # A place is free when the request that fills the last one leaves the window; after a change to a smaller
        # tier there may be more in it than the limit.
        frees = database.row(_NTH_NEWEST, (caller.partner_id, tier.requests_per_minute - 1))["at"] + WINDOW
        return RateLimitExceeded(
            f"The limit of {tier.requests_per_minute} requests a minute is reached; wait for retryAfterSeconds.",
            retry_after=clock.seconds_until(frees, now),
        )
    if tier.requests_per_day is None:
        return None
    today = database.row(_TODAY, (caller.partner_id, clock.day(now)))
    if today and today["counted"] >= tier.requests_per_day:
        return RateLimitExceeded(
            f"The limit of {tier.requests_per_day:,} requests a day is reached; it is renewed at midnight UTC.",
            retry_after=clock.seconds_until(clock.next_midnight(now), now),
        )
    return None
