"""The claiming of due deliveries, by lane and by subscription, for one attempt each."""

import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from svc.base import clock, ids
from svc.domain import lanes
from svc.domain.lanes import LANES
from svc.domain.retry_schedule import OWN_FAILURE_DELAY
from svc.store import claims
from svc.store.database import Row, db
from svc.store.expressions import (
    JOIN,
    SQL,
    Case,
    JsonTexts,
    elements,
    fn,
    json_list,
    json_list_of_rows,
)
from svc.store.models.webhooks import Delivery, RolledSecret, Subscription
from svc.store.queries import Prepared, Select, slot

LEASE = clock.MINUTE  # longer than a whole exchange (15 s) and the wait for its commit
# In place of a partner, for db.transaction: what others have in flight is counted before more is
# claimed, and belongs to all partners. What a claim finds locked by a partner it leaves alone, so
# that it waits for none of them.
TURN = "claims of webhooks"

_EACH, _FURTHER, _FIRST, _RETRY = (
    Delivery.alias(name) for name in ("each", "further", "first", "retry")
)


def _is_ready(delivery: Any) -> Any:
    """Return the condition of the index deliveries_due: it is not claimed,
    and waits for no other.
    """
    return (
        (delivery.status == "Pending")
        & delivery.claim_token.is_null()
        & delivery.next_attempt_at.is_null(False)
    )


def _next_query(delivery: Any, after: Any) -> Select:
    """Return the query of the next subscription with deliveries that are ready in a lane."""
    query: Select = delivery.select(fn.min(delivery.subscription_id))
    return query.where(
        delivery.lane == slot("lane"), _is_ready(delivery), delivery.subscription_id > after
    )


def _due_query(lane: int) -> Prepared[Row]:
    """Return the query of due deliveries of a lane, subscription by subscription.

    It is a skip scan of the index, so that the backlog of one subscription is not read to reach
    the next. The first ids of each are a list, which both databases read before the rows;
    PostgreSQL would look for a subquery's ids in all rows.
    """
    begun = _next_query(_EACH, slot("after")).cte("waiting", recursive=True, columns=("id",))
    waiting = begun.union_all(
        begun.select(_next_query(_FURTHER, begun.c.id)).where(begun.c.id < slot("until"))
    )
    due = _list_first_due(waiting)
    older = RolledSecret.select(
        json_list_of_rows(
            json_list(RolledSecret.secret_version, RolledSecret.generation, RolledSecret.ends_at)
        )
    ).where(RolledSecret.subscription_id == Subscription.id, RolledSecret.ends_at > slot("now"))
    query = (
        waiting.select(
            Delivery.id,
            Delivery.subscription_id,
            Delivery.event_id,
            Subscription.endpoint_url,
            Subscription.secret_version,
            Delivery.body,
            (Delivery.interruptions > 0).alias("possible_duplicate"),
            (Delivery.production_id == ids.NIL).alias("is_ping"),
            Delivery.failures,
            Subscription.secret_generation,
            Case(None, [(Subscription.overlap_until > slot("now"), older)]).alias("older_secrets"),
            Subscription.partner_id,
        )
        .join(Subscription, JOIN.CROSS)
        .join(due, JOIN.CROSS)
        .join(Delivery, JOIN.CROSS)
        .where(
            Subscription.id == waiting.c.id,
            Delivery.id == due.c.value,
            waiting.c.id <= slot("until"),
            waiting.c.id.not_in(elements(slot("full"))),
            Subscription.partner_id.not_in(elements(slot("full_partners"))),
        )
        .limit(slot("limit"))
        .with_cte(waiting)
    )
    if lane in (lanes.SLOW, lanes.REPLAYS):  # these wait while a retry is due: it has a fixed time
        query = query.where(~_has_due_retry(waiting))
    return Prepared(query)


def _list_first_due(waiting: Any) -> JsonTexts:
    """Return the list of the first due deliveries of each waiting subscription."""
    first = (
        _FIRST.select(_FIRST.id)
        .where(
            _FIRST.lane == slot("lane"),
            _is_ready(_FIRST),
            _FIRST.subscription_id == waiting.c.id,
            _FIRST.next_attempt_at <= slot("now"),
        )
        .order_by(_FIRST.next_attempt_at)
        .limit(slot("share"))
        .alias("ids")
    )
    return JsonTexts(Delivery.select(json_list_of_rows(first.c.id)).from_(first), "due")


def _has_due_retry(waiting: Any) -> Any:
    """Return the condition that a retry of a waiting subscription is due."""
    return fn.EXISTS(
        _RETRY.select(_RETRY.id).where(
            _RETRY.lane == lanes.RETRIES,
            _is_ready(_RETRY),
            _RETRY.subscription_id == waiting.c.id,
            _RETRY.next_attempt_at <= slot("now"),
        )
    )


_DUE = {lane: _due_query(lane) for lane in lanes.ALL}
_LANES_READY = Prepared(
    LANES.select(LANES.c.lane)
    .where(fn.EXISTS(_EACH.select(_EACH.id).where(_EACH.lane == LANES.c.lane, _is_ready(_EACH))))
    .with_cte(LANES)
)
_CLAIM = Prepared(
    Delivery.update(
        claim_token=slot("token"), claim_boot=slot("boot"), claim_until=slot("until")
    ).where(Delivery.id.in_(elements(slot("ids"))))
)
_LOCK = Prepared(  # with PostgreSQL: those that are still ready, and that nobody changes now
    Delivery.select(Delivery.id)
    .where(Delivery.id.in_(elements(slot("ids"))), _is_ready(Delivery))
    .for_update(skip_locked=True)
)
_ELSEWHERE = Prepared(
    Delivery.select(
        Delivery.subscription_id,
        fn.count(SQL("*")).alias("number"),
        fn.count(Case(None, [(Delivery.failures < 2, 1)])).alias("openings"),
    )
    .where(Delivery.claim_token.is_null(False), Delivery.claim_boot != slot("boot"))
    .group_by(Delivery.subscription_id)
)
# A delivery that was parked meanwhile stays so.
_POSTPONE = Prepared(
    Delivery.update(
        claims.UNCLAIMED
        | {
            "next_attempt_at": Case(
                None, [(Delivery.status == "Pending", slot("at").cast("bigint"))]
            )
        }
    ).where(Delivery.id == slot("id"), Delivery.claim_token == slot("token"))
)
_RELEASE = Prepared(
    Delivery.update(claims.UNCLAIMED).where(
        Delivery.id == slot("id"), Delivery.claim_token == slot("token")
    )
)


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
    # JSON list of [version, generation, end], of those that also sign
    older_secrets: str | None = None
    partner_id: str = ""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The requests that other senders have in flight, by subscription.

    ``openings``: those in their first two attempts.
    """

    all: Counter[str] = field(default_factory=Counter)
    openings: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Limits:
    """How many deliveries of a lane may be claimed: ``share`` for each subscription, ``left`` for
    some of them, by id.

    ``of_partner`` and ``left_of_partners``: likewise for all subscriptions of a partner together.
    ``at_once`` and ``left_at_once``: how many a partner gets before the others, as long as others
    have some that are due.
    """

    share: int
    left: dict[str, int] = field(default_factory=dict)
    of_partner: int = sys.maxsize
    left_of_partners: dict[str, int] = field(default_factory=dict)
    at_once: int = sys.maxsize
    left_at_once: dict[str, int] = field(default_factory=dict)


def count_in_flight_elsewhere(driver: claims.Driver) -> Elsewhere:
    """Return how many requests the senders of other machines have in flight.

    Without other machines there are none, and no query is run.
    """
    if not driver.place:
        return Elsewhere()
    rows = _ELSEWHERE.rows(boot=driver.boot)
    return Elsewhere(
        Counter({row["subscription_id"]: row["number"] for row in rows}),
        Counter({row["subscription_id"]: row["openings"] for row in rows if row["openings"]}),
    )


def find_ready_lanes() -> list[int]:
    """Return the lanes in which :func:`claim` may find deliveries, in order;
    a cheap query without a lock.
    """
    return [row["lane"] for row in _LANES_READY.rows()]


def claim(
    driver: claims.Driver, now: int, lane: int, room: int, limits: Limits, after: str = ""
) -> list[Claimed]:
    """Claim at most ``room`` due deliveries of a lane, subscription by subscription,
    beginning after the id ``after``.
    """
    token = claims.make_token()
    turn = _Turn(room, limits)
    around = ({"after": after, "until": ids.LAST}, {"after": "", "until": after})
    # If a power failure undoes the claim, the delivery is sent again.
    with db.transaction(durable=False, partner=TURN):
        held: dict[str, Claimed] = {}
        while turn.goes_on():
            for bounds in around:
                if turn.room() > 0:
                    for row in _DUE[lane].rows(**turn.params(), **bounds, lane=lane, now=now):
                        turn.offer(Claimed(token, lane, *row))
            taken = _lock({delivery.id: delivery for delivery in turn.take()})
            ids_of_taken = json.dumps(list(taken))
            _CLAIM.execute(token=token, boot=driver.boot, until=now + LEASE, ids=ids_of_taken)
            held |= taken
    return list(held.values())


def _lock(chosen: dict[str, Claimed]) -> dict[str, Claimed]:
    """Return the deliveries that can be claimed: with SQLite all, as nobody else writes."""
    if not db.place() or not chosen:
        return chosen
    locked = {row["id"] for row in _LOCK.rows(ids=json.dumps(list(chosen)))}
    return {key: delivery for key, delivery in chosen.items() if key in locked}


class _Turn:
    """The choice among due deliveries, in rounds: whenever a partner is full,
    its deliveries may have hidden others.
    """

    def __init__(self, room: int, limits: Limits):
        self.claimed: list[Claimed] = []
        self._most, self._limits = room, limits
        self._left, self._of_partners = dict(limits.left), dict(limits.left_of_partners)
        # None: nobody else wants the room that is left
        self._at_once: dict[str, int] | None = dict(limits.left_at_once)
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
        full = {
            key
            for numbers in (self._of_partners, self._at_once or {})
            for key, number in numbers.items()
            if number <= 0
        }
        return {
            "share": most,
            "full": json.dumps([key for key, number in self._left.items() if number <= 0]),
            "full_partners": json.dumps(list(full)),
            # Some of the rows of a subscription with a lower limit are not used.
            "limit": self.room()
            + sum(most - number for number in self._left.values() if 0 < number < most),
        }

    def offer(self, delivery: Claimed) -> None:
        """Choose a delivery unless its subscription or its partner has reached a limit,
        or there is no room.
        """
        key, partner = delivery.subscription_id, delivery.partner_id
        rest = self._left.get(key, self._limits.share)
        rest_of_partner = self._of_partners.get(partner, self._limits.of_partner)
        at_once = (
            sys.maxsize
            if self._at_once is None
            else self._at_once.get(partner, self._limits.at_once)
        )
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


def postpone(unsent: Iterable[Claimed], now: int) -> None:
    """Release claims whose attempt could not be made, by a failure of our own; nothing is recorded
    and no retry is used. They are due again a little later, here or elsewhere.
    """
    with db.transaction():
        _POSTPONE.execute_many(
            {"id": each.id, "token": each.token, "at": now + OWN_FAILURE_DELAY} for each in unsent
        )


def release(unsent: Iterable[Claimed]) -> None:
    """Release claims whose attempt never began; nothing is recorded and no retry is used."""
    with db.transaction():
        _RELEASE.execute_many({"id": delivery.id, "token": delivery.token} for delivery in unsent)
