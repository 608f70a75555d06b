"""The claiming of due deliveries, by lane and by subscription, for one attempt each."""

import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

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
        ) END,
        s.partner_id
    FROM waiting CROSS JOIN subscriptions s ON s.id = waiting.id CROSS JOIN json_each((
        SELECT CAST(json_group_array(id) AS TEXT) FROM (
            SELECT id FROM deliveries
            WHERE lane = :lane AND {_READY} AND subscription_id = waiting.id AND next_attempt_at <= :now
            ORDER BY next_attempt_at LIMIT :share
        ) AS first
    )) AS due CROSS JOIN deliveries d ON d.id = due.value
    WHERE waiting.id <= :until AND waiting.id NOT IN (SELECT value FROM json_each(:full))
      AND s.partner_id NOT IN (SELECT value FROM json_each(:full_partners)){{yields}}
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
    partner_id: str = ""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The requests that other senders have in flight, by subscription. ``openings``: those in their first two attempts."""

    all: Counter[str] = field(default_factory=Counter)
    openings: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Limits:
    """How many deliveries of a lane may be claimed: ``share`` for each subscription, ``left`` for some of them, by id.

    ``of_partner`` and ``left_of_partners``: likewise for all subscriptions of a partner together. ``at_once`` and
    ``left_at_once``: how many a partner gets before the others, as long as others have some that are due.
    """

    share: int
    left: dict[str, int] = field(default_factory=dict)
    of_partner: int = sys.maxsize
    left_of_partners: dict[str, int] = field(default_factory=dict)
    at_once: int = sys.maxsize
    left_at_once: dict[str, int] = field(default_factory=dict)


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


def claim(driver: claims.Driver, now: int, lane: int, room: int, limits: Limits, after: str = "") -> list[Claimed]:
    """Claim at most ``room`` due deliveries of a lane, subscription by subscription, beginning after the id ``after``."""
    token = claims.new_token()
    turn = _Turn(room, limits)
    around = ({"after": after, "until": _LAST}, {"after": "", "until": after})
    with database.write(durable=False):  # if a power failure undoes the claim, the delivery is sent again
        while turn.goes_on():
            for bounds in around:
                if turn.room() > 0:
                    for row in database.rows(_DUE_IN[lane], turn.params() | bounds | {"lane": lane, "now": now}):
                        turn.offer(Claimed(token, lane, *row))
            values = (token, driver.boot, now + LEASE, json.dumps([delivery.id for delivery in turn.take()]))
            database.execute(_CLAIM, values)
    return turn.claimed


class _Turn:
    """The choice among due deliveries, in rounds: whenever a partner is full, its deliveries may have hidden others."""

    def __init__(self, room: int, limits: Limits):
        self.claimed: list[Claimed] = []
        self._most, self._limits = room, limits
        self._left, self._of_partners = dict(limits.left), dict(limits.left_of_partners)
        self._at_once: dict[str, int] | None = dict(limits.left_at_once)  # None: nobody else wants the room that is left
        self._chosen: list[Claimed] = []
        self._hides_others = True

    def room(self) -> int:
        return self._most - len(self.claimed) - len(self._chosen)

    def goes_on(self) -> bool:
        """Return whether there is room, and perhaps more that is due."""
        if not self._hides_others and self._at_once and min(self._at_once.values()) <= 0:
            self._at_once, self._hides_others = None, True
        goes_on, self._hides_others = self._hides_others and self.room() > 0, False
        return goes_on

    def params(self) -> dict[str, Any]:
        """Return what the query of due deliveries has to know of the choice so far."""
        most = min(self.room(), max([self._limits.share, *self._left.values()]))
        full = {key for numbers in (self._of_partners, self._at_once or {}) for key, number in numbers.items() if number <= 0}
        return {
            "share": most,
            "full": json.dumps([key for key, number in self._left.items() if number <= 0]),
            "full_partners": json.dumps(list(full)),
            # Some of the rows of a subscription with a lower limit are not used.
            "limit": self.room() + sum(most - number for number in self._left.values() if 0 < number < most),
        }

    def offer(self, delivery: Claimed) -> None:
        """Choose a delivery unless its subscription or its partner has reached a limit, or there is no room."""
        key, partner = delivery.subscription_id, delivery.partner_id
        rest, rest_of_partner = self._left.get(key, self._limits.share), self._of_partners.get(partner, self._limits.of_partner)
        at_once = sys.maxsize if self._at_once is None else self._at_once.get(partner, self._limits.at_once)
        if min(rest_of_partner, at_once) <= 0:
            self._hides_others = True
        elif rest > 0 and self.room() > 0:
            self._left[key], self._of_partners[partner] = rest - 1, rest_of_partner - 1
            if self._at_once is not None:
                self._at_once[partner] = at_once - 1
            self._chosen.append(delivery)

    def take(self) -> list[Claimed]:
        """Return what was chosen since the last call."""
        chosen, self._chosen = self._chosen, []
        self.claimed += chosen
        return chosen


def release(unsent: Iterable[Claimed]) -> None:
    """Release claims whose attempt never began; nothing is recorded and no retry is used."""
    sql = f"UPDATE deliveries SET {claims.FREED} WHERE id = ? AND claim_token = ?"
    with database.write():
        database.execute_many(sql, [(delivery.id, delivery.token) for delivery in unsent])
