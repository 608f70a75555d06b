"""The outbox of webhook deliveries, from the queueing of an event to the commit of its outcome.

Within a subscription and a production first attempts go in sequence: a delivery waits (Pending,
``next_attempt_at`` NULL) while an earlier one with ``holds`` is pending. What ends a hold makes the
next one due in the same transaction.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from svc.base import ids
from svc.base.text import json_text
from svc.domain import lanes, partner_status, retry_schedule
from svc.domain.monitoring import metrics
from svc.domain.tables.webhooks import MatchingSubscription
from svc.domain.usage import counters as usage_counters
from svc.domain.webhooks import endpoint_health
from svc.domain.webhooks.claiming import LEASE
from svc.store import claims, wake
from svc.store.database import Row, db
from svc.store.expressions import Case, JsonLists, elements, fn, greatest
from svc.store.models.webhooks import Attempt as AttemptRow
from svc.store.models.webhooks import Delivery, Subscription
from svc.store.queries import Prepared, slot, slots

_GIVEN_UP = {"status": "Failed", "next_attempt_at": None}
# By the status of the subscription, or of a partner that is Closed: the first status of a delivery.
_FIRST_STATUS = {
    "Active": "Pending",
    "Paused": "Parked",
    "Failed": "Skipped",
    partner_status.CLOSED: "Skipped",
}
INTERRUPTED = (
    "interrupted: our process ended before the outcome was known; your endpoint may have "
    "received it"
)

_EARLIER, _FIRST = Delivery.alias("earlier"), Delivery.alias("first")


def _is_held_back(subscription_id: Any, production_id: Any, sequence: Any) -> Any:
    """Return the condition that an earlier delivery of the line has to be sent before this one."""
    return fn.EXISTS(
        _EARLIER.select(_EARLIER.id).where(
            _EARLIER.subscription_id == subscription_id,
            _EARLIER.production_id == production_id,
            _EARLIER.status == "Pending",
            _EARLIER.holds == 1,
            _EARLIER.sequence < sequence,
        )
    )


_IS_HELD_BACK = _is_held_back(Delivery.subscription_id, Delivery.production_id, Delivery.sequence)
_KEPT = ("subscription_id", "production_id", "sequence")
_INSERT = Prepared(
    Delivery.insert(
        **slots(
            "id", "partner_id", "event_id", "event_type", "body", "status", "holds", "lane", *_KEPT
        ),
        next_attempt_at=Case(
            None,
            [
                (
                    (slot("status") == "Pending") & ~_is_held_back(*map(slot, _KEPT)),
                    slot("now").cast("bigint"),
                )
            ],
        ),
        created_at=slot("now"),
    )
)
# One statement ends many deliveries: after each statement sqlite3 has to wait for the interpreter
# lock, which the sending threads keep busy.
_LINES = JsonLists(slot("lines"), "line")  # subscription, production
_TURN = Delivery.update(next_attempt_at=slot("now"))
_FIRST_IN_LINES = Prepared(
    _TURN.where(
        Delivery.id.in_(
            _LINES.select(
                _FIRST.select(_FIRST.id)
                .where(
                    _FIRST.subscription_id == _LINES.text(0),
                    _FIRST.production_id == _LINES.text(1),
                    _FIRST.status == "Pending",
                    _FIRST.holds == 1,
                    _FIRST.next_attempt_at.is_null(),
                )
                .order_by(_FIRST.sequence)
                .limit(1)
            )
        ),
        ~_IS_HELD_BACK,
    )
)
_EVERY_FIRST_IN_LINE = Prepared(
    _TURN.where(
        Delivery.subscription_id == slot("subscription"),
        Delivery.status == "Pending",
        Delivery.next_attempt_at.is_null(),
        ~_IS_HELD_BACK,
    )
)
_SETTLED = (
    "status",
    "holds",
    "failures",
    "first_failed_at",
    "second_failed_at",
    "interruptions",
    "lane",
    "next_attempt_at",
    "finished_at",
)
_SETTLE = Prepared(
    Delivery.update(**slots(*_SETTLED), **claims.UNCLAIMED).where(Delivery.id == slot("id"))
)
_ENDED = JsonLists(slot("ended"), "ended")  # delivery, time
_SUCCEED = Prepared(
    Delivery.update(
        status="Succeeded", next_attempt_at=None, finished_at=_ENDED.integer(1), **claims.UNCLAIMED
    )
    .from_(_ENDED)
    .where(Delivery.id == _ENDED.text(0))
)


def _subscription_column(column: Any, name: str) -> Any:
    """Return what the subscription of a delivery has, as a column."""
    return (
        Subscription.select(column).where(Subscription.id == Delivery.subscription_id).alias(name)
    )


_HELD = Delivery.select(
    Delivery.id,
    Delivery.subscription_id,
    Delivery.partner_id,
    Delivery.production_id,
    Delivery.event_type,
    *(getattr(Delivery, name) for name in _SETTLED),
    Delivery.claim_token,
    Delivery.claim_until,
    Delivery.created_at,
    _subscription_column(Subscription.failing_since.is_null(False), "was_failing"),
    _subscription_column(Subscription.creator, "creator"),
    _subscription_column(Subscription.endpoint_url, "endpoint_url"),
)
_HELD_OF = Prepared(_HELD.where(Delivery.id.in_(elements(slot("ids")))))
_AS_IT_IS = Prepared(_HELD.where(Delivery.id == slot("id")))
_IS_CLAIMED = Delivery.claim_token.is_null(False)
_LOST = Prepared(
    _HELD.where(
        _IS_CLAIMED, claims.is_of_earlier_boots(Delivery) | (Delivery.claim_until <= slot("now"))
    )
)
_OF_PROCESS = Prepared(_HELD.where(_IS_CLAIMED, Delivery.claim_boot == slot("boot")))
_LOGGED = JsonLists(slot("attempts"), "logged")
_ATTEMPTS = Prepared(
    AttemptRow.insert_from(
        _LOGGED.select(
            _LOGGED.text(0),
            _LOGGED.integer(1),
            _LOGGED.integer(2),
            _LOGGED.text(3),
            _LOGGED.number(4),
            _LOGGED.integer(5),
            _LOGGED.text(6),
            _LOGGED.text(7),
            _LOGGED.text(8),
        ),
        [
            AttemptRow.delivery_id,
            AttemptRow.attempted_at,
            AttemptRow.status_code,
            AttemptRow.error,
            AttemptRow.duration_ms,
            AttemptRow.possible_duplicate,
            AttemptRow.answer,
            AttemptRow.findings,
            AttemptRow.endpoint_url,
        ],
    )
)
_OF_SUBSCRIPTION = Delivery.subscription_id == slot("subscription")
_PARK = Prepared(
    Delivery.update(status="Parked", next_attempt_at=None).where(
        _OF_SUBSCRIPTION, Delivery.status == "Pending", Delivery.production_id != ids.NIL
    )
)
_RELEASE_PARKED = Prepared(
    Delivery.update(
        status="Pending",
        holds=1,
        failures=0,
        first_failed_at=None,
        second_failed_at=None,
        interruptions=0,
        lane=greatest(Delivery.lane, lanes.SLOW),
        next_attempt_at=None,
    ).where(_OF_SUBSCRIPTION, Delivery.status == "Parked")
)


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of one attempt; the fields from ``status_code`` on are
    those of svc.adapters.http.Outcome.
    """

    delivery_id: str
    token: str
    attempted_at: int
    ended_at: int
    status_code: int | None
    error: str | None
    duration_ms: float | None
    answer: dict[str, Any] | None = None
    findings: dict[str, Any] | None = None
    endpoint_url: str | None = None  # where it was sent
    partner_id: str = ""  # whose it is


def enqueue(
    subscriptions: Sequence[MatchingSubscription], envelope: dict[str, Any], now: int
) -> list[str]:
    """Queue an event for each of ``subscriptions`` and return the event ids. Inside a transaction.

    ``envelope``: of the event, without eventId; its bytes do not change after this. For a paused
    subscription the delivery is Parked until it is resumed; for a suspended one, and for those of a
    closed partner, it is Skipped: it is recorded and can be replayed.
    """
    rest = json_text.text(envelope)[1:]
    event_ids = [ids.make_id(now) for _ in subscriptions]
    _INSERT.execute_many(
        {
            "id": ids.make_id(now),
            "subscription_id": row["id"],
            "partner_id": row["partner_id"],
            "event_id": event_id,
            "event_type": envelope["eventType"],
            "production_id": envelope["productionId"],
            "sequence": envelope["sequenceNumber"],
            "body": f'{{"eventId":"{event_id}",{rest}'.encode(),
            "status": _FIRST_STATUS[row["status"]],
            "holds": envelope["productionId"] != ids.NIL,
            "lane": lanes.SLOW if row["troubled"] else lanes.FIRST,
            "now": now,
        }
        for row, event_id in zip(subscriptions, event_ids, strict=True)
    )
    wake.wake_on_commit()
    return event_ids


def record_outcomes(attempts: list[Attempt]) -> None:
    """Commit the outcomes of attempts in one transaction, whose caller holds the turns of their
    partners where many machines share the database.

    Outcomes whose claim was lost are discarded.
    """
    delivery_ids = json.dumps([result.delivery_id for result in attempts])
    with db.transaction():
        rows = _HELD_OF.rows(ids=delivery_ids)
        held = {(row["id"], row["claim_token"]): row for row in rows}
        ended = [
            (held[result.delivery_id, result.token], result)
            for result in attempts
            if (result.delivery_id, result.token) in held
        ]
        _insert_attempts(
            (
                row,
                result.attempted_at,
                result.status_code,
                result.error,
                result.duration_ms,
                (result.answer, result.findings),
                result.endpoint_url,
            )
            for row, result in ended
        )
        succeeded = [(row, result) for row, result in ended if result.error is None]
        _record_success(succeeded)
        given_up = [
            (row, result)
            for row, result in ended
            if result.error is not None and _record_failure(_as_it_is(row), result.ended_at)
        ]
        # They are counted in one go, as those of several partners are counted in the order of their
        # keys.
        usage_counters.count_deliveries(
            (row["partner_id"], row["creator"], result.error is None, result.ended_at)
            for row, result in (*succeeded, *given_up)
            if not _is_ping(row)
        )
        db.after_commit(
            partial(
                metrics.count_attempts,
                [
                    (
                        result.error is None,
                        result.duration_ms,
                        None if _is_ping(row) else result.ended_at - row["created_at"],
                    )
                    for row, result in ended
                ],
            )
        )


def _insert_attempts(attempts: Iterable[tuple[Any, ...]]) -> None:
    """Insert attempts: delivery row, time, status, error, milliseconds, (answer, findings), URL."""
    logged = [
        (
            row["id"],
            *outcome,
            int(row["interruptions"] > 0),
            *(value if value is None else json.dumps(value) for value in answer),
            url,
        )
        for row, *outcome, answer, url in attempts
    ]
    _ATTEMPTS.execute(attempts=json.dumps(logged))


def _record_success(ended: list[tuple[Row, Attempt]]) -> None:
    if not ended:
        return
    _SUCCEED.execute(ended=json.dumps([(row["id"], result.ended_at) for row, result in ended]))
    lines = [(row["subscription_id"], row["production_id"]) for row, _ in ended if row["holds"]]
    _make_next_in_line_due(lines, max(result.ended_at for _, result in ended))
    for ping in (False, True):
        answers = [
            (row["subscription_id"], result.attempted_at, result.ended_at)
            for row, result in ended
            if _is_ping(row) is ping
        ]
        endpoint_health.record_successes(answers, ping)
    if recovered := {row["subscription_id"] for row, _ in ended if row["was_failing"]}:
        endpoint_health.close_alerts_of_recovered(
            recovered, max(result.ended_at for _, result in ended)
        )


def _as_it_is(delivery: Row) -> Row:
    """Return the row, read again: an earlier failure in this transaction may have
    suspended its subscription.
    """
    return _AS_IT_IS.one(id=delivery["id"])


def _record_failure(delivery: Row, now: int) -> bool:
    """Record a failed attempt: retry as svc.domain.retry_schedule has it, or give up. Return
    whether an event was given up, which the caller counts.

    A Parked delivery stays parked.
    """
    failures = delivery["failures"] + 1
    endpoint_health.record_failed_attempt(delivery["subscription_id"], now)
    if _is_ping(delivery):
        _settle_delivery(delivery, now, failures=failures, **_GIVEN_UP, finished_at=now)
        return False
    if delivery["status"] == "Parked":
        _settle_delivery(delivery, now)
        return False
    endpoint_health.mark_troubled(delivery["subscription_id"])
    times = {
        "first_failed_at": delivery["first_failed_at"],
        "second_failed_at": delivery["second_failed_at"],
    }
    times |= {1: {"first_failed_at": now}, 2: {"second_failed_at": now}}.get(failures, {})
    retry = retry_schedule.DELIVERY_RETRIES.get(failures)
    if retry is None:
        _settle_delivery(delivery, now, failures=failures, **times, **_GIVEN_UP, finished_at=now)
        db.after_commit(partial(metrics.increment, "deliveries_given_up"))
        endpoint_health.count_failed_delivery(delivery["subscription_id"], now)
        return True
    holds = delivery["holds"] and failures < retry_schedule.FAILURES_THAT_HOLD
    next_attempt_at = times[retry.counts_from] + retry.delay
    _settle_delivery(
        delivery,
        now,
        failures=failures,
        holds=holds,
        lane=lanes.RETRIES,
        next_attempt_at=next_attempt_at,
        **times,
    )
    return False


def _settle_delivery(delivery: Row, now: int, **changes: Any) -> None:
    """Write ``changes``, release the claim, and make the next delivery due if this one no longer
    holds it back.
    """
    _SETTLE.execute(id=delivery["id"], **{name: delivery[name] for name in _SETTLED} | changes)
    if delivery["holds"] and (
        changes.get("status", "Pending") != "Pending" or not changes.get("holds", 1)
    ):
        _make_next_in_line_due([(delivery["subscription_id"], delivery["production_id"])], now)


def _make_next_in_line_due(lines: list[tuple[str, str]], now: int) -> None:
    """Make the first waiting delivery of each line due, unless an earlier one still holds it back.

    A line is the pair of subscription id and production id.
    """
    _FIRST_IN_LINES.execute(lines=json.dumps(lines), now=now)


def make_first_in_line_due(subscription_id: str, now: int) -> None:
    """Make the first waiting delivery of every production due, for one subscription.

    Inside a transaction.
    """
    _EVERY_FIRST_IN_LINE.execute(subscription=subscription_id, now=now)


def recover(driver: claims.Driver, now: int) -> int:
    """Take back claims of an earlier boot and expired ones; return their number.

    Call it inside a transaction.
    """
    return _interrupt_deliveries(_LOST.rows(boot=driver.boot, place=driver.place, now=now), now)


def release_claims_of(boot: str, now: int) -> int:
    """Take back the claims of a process that gives no sign of life; return their number.

    Its late results change nothing.
    """
    with db.transaction():
        return _interrupt_deliveries(_OF_PROCESS.rows(boot=boot), now)


def _interrupt_deliveries(lost: list[Row], now: int) -> int:
    """Release claims whose process is gone, and return their number.

    It is unknown whether such an attempt reached its endpoint: it is recorded as interrupted and
    repeated at once, marked as a possible duplicate. From the fourth interruption on it counts as a
    failure, so that it is not repeated for ever.
    """
    given_up = []
    for delivery in map(_as_it_is, lost):
        _insert_attempts(
            [
                (
                    delivery,
                    delivery["claim_until"] - LEASE,
                    None,
                    INTERRUPTED,
                    None,
                    (None, None),
                    delivery["endpoint_url"],
                )
            ]
        )
        if delivery["interruptions"] >= retry_schedule.FREE_INTERRUPTIONS:
            if _record_failure(delivery, now):
                given_up.append((delivery["partner_id"], delivery["creator"], False, now))
        else:
            _settle_delivery(delivery, now, interruptions=delivery["interruptions"] + 1)
    usage_counters.count_deliveries(given_up)
    if lost:
        db.after_commit(partial(metrics.increment, "deliveries", "interrupted", number=len(lost)))
        wake.wake_on_commit()
    return len(lost)


def park(subscription_id: str) -> None:
    """Let the deliveries of a subscription wait that are not sent yet, but for test events.

    Inside a transaction.
    """
    _PARK.execute(subscription=subscription_id)


def release_parked(subscription_id: str, now: int) -> None:
    """Queue parked deliveries again after a pause or reinstatement,
    from the first attempt and in order. Inside a transaction.
    """
    _RELEASE_PARKED.execute(subscription=subscription_id)
    make_first_in_line_due(subscription_id, now)


def _is_ping(delivery: Row) -> bool:
    return bool(delivery["production_id"] == ids.NIL)
