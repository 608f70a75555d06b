"""The claiming of due deliveries, by lane and by subscription, for one attempt each."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from svc.base import clock, ids
from svc.domain.webhooks import lanes
from svc.store import claims, database

LEASE = clock.MINUTE  # longer than a whole exchange (15 s) and the wait for its commit
_LAST = "~"  # after every identifier

# The condition of the index deliveries_due: neither claimed nor waiting for an earlier delivery.
_READY = "status = 'Pending' AND claim_token IS NULL AND next_attempt_at IS NOT NULL"
_LANES_READY = f"""
    SELECT asked.lane FROM ({lanes.ROWS}) AS asked
    WHERE EXISTS (SELECT 1 FROM deliveries AS d WHERE d.lane = asked.lane AND {_READY})
"""
_NEXT = f"SELECT MIN(subscription_id) FROM deliveries WHERE lane = :lane AND {_READY} AND subscription_id"
# A skip scan of the index, subscription by subscription, so that the backlog of one is not read to reach the next. The first
# ids of each are a list, which both databases read before the rows; PostgreSQL would look for a subquery's ids in all rows.
_DUE = f"""
    WITH RECURSIVE waiting (id) AS (
        SELECT ({_NEXT} > :after)
        UNION ALL SELECT ({_NEXT} > waiting.id) FROM waiting WHERE waiting.id < :until
    )
    SELECT d.id, d.subscription_id, d.event_id, s.endpoint_url, s.secret_version, d.body, d.interruptions > 0,
        d.production_id = '{ids.NIL}', d.failures, s.secret_generation,
        CASE WHEN s.overlap_until > :now THEN (
            SELECT json_group_array(json_array(secret_version, generation, ends_at)) FROM rolled_secrets
            WHERE subscription_id = s.id AND ends_at > :now
        ) END
    FROM waiting CROSS JOIN subscriptions s ON s.id = waiting.id CROSS JOIN json_each((
        SELECT CAST(json_group_array(id) AS TEXT) FROM (
            SELECT id FROM deliveries
            WHERE lane = :lane AND {_READY} AND subscription_id = waiting.id AND next_attempt_at <= :now
            ORDER BY next_attempt_at LIMIT :share
        ) AS first
    )) AS due CROSS JOIN deliveries d ON d.id = due.value
    WHERE waiting.id <= :until AND waiting.id NOT IN (SELECT value FROM json_each(:full)){{yields}}
    LIMIT :limit
"""
# Deliveries in these lanes wait while a retry of the same subscription is due: retries have fixed times.
_YIELDS = f"""
      AND NOT EXISTS (SELECT 1 FROM deliveries AS retry WHERE retry.lane = {lanes.RETRIES}
                      AND {_READY.replace("status", "retry.status")} AND retry.subscription_id = waiting.id
                      AND retry.next_attempt_at <= :now)
"""
_DUE_IN = {lane: _DUE.format(yields=_YIELDS if lane in (lanes.ASIDE, lanes.REPLAYS) else "") for lane in lanes.ALL}
_CLAIM = """
    UPDATE deliveries SET claim_token = ?, claim_boot = ?, claim_until = ? WHERE id IN (SELECT value FROM json_each(?))
"""
_ELSEWHERE = """
    SELECT subscription_id, count(*) AS number, count(CASE WHEN failures < 2 THEN 1 END) AS openings FROM deliveries
    WHERE claim_token IS NOT NULL AND claim_boot <> ? GROUP BY subscription_id
"""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A delivery that this process has claimed: its content and its destination."""

    token: str
    lane: int
    id: str
    subscription_id: str
    event_id: str
    endpoint_url: str
    secret_version: int
    body: bytes
    possible_duplicate: bool
    is_ping: bool
    failures: int  # attempts of this round that have failed
    secret_generation: int = 0
    older_secrets: str | None = None  # JSON list of [version, generation, end], of those that also sign


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The requests that other senders have in flight, by subscription. ``openings``: those in their first two attempts."""

    all: Counter[str] = field(default_factory=Counter)
    openings: Counter[str] = field(default_factory=Counter)


def elsewhere(driver: claims.Driver) -> Elsewhere:
    """Return what the senders of other machines have in flight; without other machines nothing, and without a query."""
    if not driver.place:
        return Elsewhere()
    rows = database.rows(_ELSEWHERE, (driver.boot,))
    return Elsewhere(
        Counter({row["subscription_id"]: row["number"] for row in rows}),
        Counter({row["subscription_id"]: row["openings"] for row in rows if row["openings"]}),
    )


def lanes_ready() -> list[int]:
    """Return the lanes in which :func:`claim` may find deliveries, in order; a cheap query without a lock."""
    return [row["lane"] for row in database.rows(_LANES_READY)]


def claim(
    driver: claims.Driver, now: int, lane: int, room: int, share: int, left: dict[str, int] | None = None, after: str = ""
) -> list[Claimed]:
    """Claim at most ``room`` due deliveries of a lane, subscription by subscription, beginning after the id ``after``.

    ``share``: the limit for each subscription; ``left``: other limits for some of them, by id.
    """
    left = dict(left or {})
    most = min(room, max([share, *left.values()]))
    params = {
        "lane": lane,
        "now": now,
        "share": most,
        "full": json.dumps([key for key, number in left.items() if number <= 0]),
        # Some of the rows of a subscription with a lower limit are not used.
        "limit": room + sum(most - number for number in left.values() if 0 < number < most),
    }
    claimed: list[Claimed] = []
    token = claims.new_token()
    with database.write(durable=False):  # if a power failure undoes the claim, the delivery is sent again
        for bounds in ({"after": after, "until": _LAST}, {"after": "", "until": after}):
            for row in database.rows(_DUE_IN[lane], params | bounds) if len(claimed) < room else ():
                rest = left.get(row["subscription_id"], share)
                if len(claimed) < room and rest > 0:
                    left[row["subscription_id"]] = rest - 1
                    claimed.append(Claimed(token, lane, *row))
        database.execute(_CLAIM, (token, driver.boot, now + LEASE, json.dumps([delivery.id for delivery in claimed])))
    return claimed


def release(unsent: Iterable[Claimed]) -> None:
    """Release claims whose attempt never began; nothing is recorded and no retry is used."""
    sql = f"UPDATE deliveries SET {claims.FREED} WHERE id = ? AND claim_token = ?"
    with database.write():
        database.execute_many(sql, [(delivery.id, delivery.token) for delivery in unsent])
