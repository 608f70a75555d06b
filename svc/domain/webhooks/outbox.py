"""The outbox of webhook deliveries, from the queueing of an event to the commit of its outcome.

Within a subscription and a production first attempts go in sequence: a delivery waits (Pending, ``next_attempt_at`` NULL) while
an earlier one with ``holds`` is pending. What ends a hold makes the next one due in the same transaction.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from svc.base import clock, ids
from svc.base.text import json_text
from svc.domain.monitoring import metrics
from svc.domain.tables.webhooks import MatchingSubscription
from svc.domain.usage import counters as usage_counters
from svc.domain.webhooks import endpoint_health, lanes
from svc.domain.webhooks.claiming import LEASE
from svc.store import claims, database, wake

# When to retry, by the number of failures so far: the failure it counts from, and the delay after it (DECISIONS.md §7).
# A fourth failure is final.
RETRIES = {1: ("first_failed_at", 0), 2: ("first_failed_at", 60 * clock.SECOND), 3: ("second_failed_at", 300 * clock.SECOND)}
FREE_INTERRUPTIONS = 3  # interrupted attempts that use no retry
_GIVEN_UP = {"status": "Failed", "next_attempt_at": None}
_FIRST_STATUS = {"Active": "Pending", "Paused": "Parked", "Failed": "Skipped"}  # by that of the subscription
INTERRUPTED = "interrupted: our process ended before the outcome was known; your endpoint may have received it"

_EARLIER = """
    SELECT 1 FROM deliveries AS earlier
    WHERE earlier.subscription_id = {of}subscription_id AND earlier.production_id = {of}production_id
      AND earlier.status = 'Pending' AND earlier.holds = 1 AND earlier.sequence < {of}sequence
"""
_INSERT = f"""
    INSERT INTO deliveries (id, subscription_id, partner_id, event_id, event_type, production_id, sequence, body, status,
                            holds, lane, next_attempt_at, created_at)
    VALUES (:id, :subscription_id, :partner_id, :event_id, :event_type, :production_id, :sequence, :body, :status,
            :holds, :lane, CASE WHEN :status = 'Pending' AND NOT EXISTS ({_EARLIER.format(of=":")}) THEN :now END, :now)
"""
# One statement ends many deliveries: after each statement sqlite3 has to wait for the interpreter lock, which the sending
# threads keep busy.
_FIRST_IN_LINES = f"""
    UPDATE deliveries SET next_attempt_at = :now
    WHERE id IN (SELECT (SELECT id FROM deliveries
                         WHERE subscription_id = line.value ->> 0 AND production_id = line.value ->> 1
                           AND status = 'Pending' AND holds = 1 AND next_attempt_at IS NULL ORDER BY sequence LIMIT 1)
                 FROM json_each(:lines) AS line)
      AND NOT EXISTS ({_EARLIER.format(of="deliveries.")})
"""
_EVERY_FIRST_IN_LINE = f"""
    UPDATE deliveries SET next_attempt_at = :now
    WHERE subscription_id = :subscription AND status = 'Pending' AND next_attempt_at IS NULL
      AND NOT EXISTS ({_EARLIER.format(of="deliveries.")})
"""
_SETTLE = f"""
    UPDATE deliveries SET status = :status, holds = :holds, failures = :failures, first_failed_at = :first_failed_at,
        second_failed_at = :second_failed_at, interruptions = :interruptions, lane = :lane,
        next_attempt_at = :next_attempt_at, finished_at = :finished_at, {claims.FREED}
    WHERE id = :id
"""
_SUCCEED = f"""
    UPDATE deliveries SET status = 'Succeeded', next_attempt_at = NULL,
        finished_at = CAST(ended.value ->> 1 AS BIGINT), {claims.FREED}
    FROM json_each(?) AS ended WHERE deliveries.id = ended.value ->> 0
"""
_HELD = """
    SELECT id, subscription_id, partner_id, production_id, event_type, status, holds, failures, first_failed_at,
        second_failed_at, interruptions, lane, next_attempt_at, finished_at, claim_token, claim_until, created_at,
        (SELECT failing_since IS NOT NULL FROM subscriptions WHERE id = subscription_id) AS was_failing,
        (SELECT creator FROM subscriptions WHERE id = subscription_id) AS creator,
        (SELECT endpoint_url FROM subscriptions WHERE id = subscription_id) AS endpoint_url
    FROM deliveries
"""
_ATTEMPTS = """
    INSERT INTO attempts (delivery_id, attempted_at, status_code, error, duration_ms, possible_duplicate, answer, findings,
        endpoint_url)
    SELECT value ->> 0, CAST(value ->> 1 AS BIGINT), CAST(value ->> 2 AS BIGINT), value ->> 3,
        CAST(value ->> 4 AS DOUBLE PRECISION), CAST(value ->> 5 AS BIGINT), value ->> 6, value ->> 7,
        value ->> 8
    FROM json_each(?)
"""
_LOST = _HELD + f"WHERE claim_token IS NOT NULL AND (({claims.OF_EARLIER_BOOTS}) OR claim_until <= :now)"
_OF_PROCESS = _HELD + "WHERE claim_token IS NOT NULL AND claim_boot = ?"
_PARK = """
    UPDATE deliveries SET status = 'Parked', next_attempt_at = NULL
    WHERE subscription_id = ? AND status = 'Pending' AND production_id <> ?
"""
_RELEASE_PARKED = f"""
    UPDATE deliveries SET status = 'Pending', holds = 1, failures = 0, first_failed_at = NULL, second_failed_at = NULL,
        interruptions = 0, lane = max(lane, {lanes.ASIDE}), next_attempt_at = NULL
    WHERE subscription_id = ? AND status = 'Parked'
"""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of one attempt; the fields from ``status_code`` on are those of svc.adapters.http.Outcome."""

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


def queue(subscriptions: Sequence[MatchingSubscription], envelope: dict[str, Any], now: int) -> list[str]:
    """Queue an event for each of ``subscriptions`` and return the event ids. Inside write().

    ``envelope``: of the event, without eventId; its bytes do not change after this. For a paused subscription the delivery is
    Parked until it is resumed; for a suspended one it is Skipped: it is recorded and can be replayed.
    """
    rest = json_text.text(envelope)[1:]
    event_ids = [ids.new(now) for _ in subscriptions]
    database.execute_many(_INSERT, [
        {
            "id": ids.new(now), "subscription_id": row["id"], "partner_id": row["partner_id"], "event_id": event_id,
            "event_type": envelope["eventType"], "production_id": envelope["productionId"],
            "sequence": envelope["sequenceNumber"], "body": f'{{"eventId":"{event_id}",{rest}'.encode(),
            "status": _FIRST_STATUS[row["status"]],
            "holds": envelope["productionId"] != ids.NIL, "lane": lanes.ASIDE if row["troubled"] else lanes.FIRST, "now": now,
        }
        for row, event_id in zip(subscriptions, event_ids, strict=True)
    ])  # fmt: skip
    wake.on_commit()
    return event_ids


def settle(attempts: list[Attempt]) -> None:
    """Commit the results of attempts in one transaction. Results whose claim was lost are discarded."""
    delivery_ids = json.dumps([result.delivery_id for result in attempts])
    with database.write():
        rows = database.rows(_HELD + "WHERE id IN (SELECT value FROM json_each(?))", (delivery_ids,))
        held = {(row["id"], row["claim_token"]): row for row in rows}
        ended = [
            (held[result.delivery_id, result.token], result)
            for result in attempts
            if (result.delivery_id, result.token) in held
        ]
        _log(
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
        _succeed([(row, result) for row, result in ended if result.error is None])
        for row, result in ended:
            if result.error is not None:
                _fail(_as_it_is(row), result.ended_at)
        database.after_commit(
            partial(
                metrics.attempted,
                [
                    (result.error is None, result.duration_ms, None if _is_ping(row) else result.ended_at - row["created_at"])
                    for row, result in ended
                ],
            )
        )


def _log(attempts: Iterable[tuple[Any, ...]]) -> None:
    """Insert attempts: delivery row, time, status, error, milliseconds, (answer, findings), URL."""
    logged = [
        (row["id"], *outcome, row["interruptions"] > 0, *(value if value is None else json.dumps(value) for value in kept), url)
        for row, *outcome, kept, url in attempts
    ]
    database.execute(_ATTEMPTS, (json.dumps(logged),))


def _succeed(ended: list[tuple[database.Row, Attempt]]) -> None:
    if not ended:
        return
    database.execute(_SUCCEED, (json.dumps([(row["id"], result.ended_at) for row, result in ended]),))
    lines = [(row["subscription_id"], row["production_id"]) for row, _ in ended if row["holds"]]
    _give_turn(lines, max(result.ended_at for _, result in ended))
    usage_counters.count_deliveries(
        (row["partner_id"], row["creator"], True, result.ended_at) for row, result in ended if not _is_ping(row)
    )
    for ping in (False, True):
        answers = [
            (row["subscription_id"], result.attempted_at, result.ended_at) for row, result in ended if _is_ping(row) is ping
        ]
        endpoint_health.answered(answers, ping)
    if recovered := {row["subscription_id"] for row, _ in ended if row["was_failing"]}:
        endpoint_health.recovered(recovered, max(result.ended_at for _, result in ended))


def _as_it_is(delivery: database.Row) -> database.Row:
    """Return the row, read again: an earlier failure in this transaction may have suspended its subscription."""
    return database.one(_HELD + "WHERE id = ?", (delivery["id"],))


def _fail(delivery: database.Row, now: int) -> None:
    """Record a failed attempt: retry as RETRIES defines, or give up. A Parked delivery stays parked."""
    failures = delivery["failures"] + 1
    endpoint_health.failing(delivery["subscription_id"], now)
    if _is_ping(delivery):
        return _change(delivery, now, failures=failures, **_GIVEN_UP, finished_at=now)
    if delivery["status"] == "Parked":
        return _change(delivery, now)
    endpoint_health.mark_troubled(delivery["subscription_id"])
    times = {"first_failed_at": delivery["first_failed_at"], "second_failed_at": delivery["second_failed_at"]}
    times |= {1: {"first_failed_at": now}, 2: {"second_failed_at": now}}.get(failures, {})
    if failures not in RETRIES:
        _change(delivery, now, failures=failures, **times, **_GIVEN_UP, finished_at=now)
        usage_counters.count_deliveries([(delivery["partner_id"], delivery["creator"], False, now)])
        database.after_commit(partial(metrics.count, "deliveries_given_up"))
        return endpoint_health.failed(delivery["subscription_id"], now)
    counted_from, delay = RETRIES[failures]
    # Later deliveries wait until its second retry, a minute after the first failure, has failed too.
    holds = delivery["holds"] and failures < 3
    next_attempt_at = times[counted_from] + delay
    _change(delivery, now, failures=failures, holds=holds, lane=lanes.RETRIES, next_attempt_at=next_attempt_at, **times)


def _change(delivery: database.Row, now: int, **changes: Any) -> None:
    """Write ``changes``, release the claim, and make the next delivery due if this one no longer holds it back."""
    database.execute(_SETTLE, dict(delivery) | changes)
    if delivery["holds"] and (changes.get("status", "Pending") != "Pending" or not changes.get("holds", 1)):
        _give_turn([(delivery["subscription_id"], delivery["production_id"])], now)


def _give_turn(lines: list[tuple[str, str]], now: int) -> None:
    """Make the first waiting delivery of each line due, unless an earlier one still holds it back.

    A line is the pair of subscription id and production id.
    """
    database.execute(_FIRST_IN_LINES, {"lines": json.dumps(lines), "now": now})


def give_turns(subscription_id: str, now: int) -> None:
    """Make the first waiting delivery of every production due, for one subscription. Inside write()."""
    database.execute(_EVERY_FIRST_IN_LINE, {"subscription": subscription_id, "now": now})


def recover(driver: claims.Driver, now: int) -> int:
    """Take back claims of an earlier boot and expired ones; return their number. Inside write()."""
    return _interrupt(database.rows(_LOST, {"boot": driver.boot, "place": driver.place, "now": now}), now)


def lose(boot: str, now: int) -> int:
    """Take back the claims of a process that gives no sign of life; return their number. Its late results change nothing."""
    with database.write():
        return _interrupt(database.rows(_OF_PROCESS, (boot,)), now)


def _interrupt(lost: list[database.Row], now: int) -> int:
    """Release claims whose process is gone, and return their number.

    It is unknown whether such an attempt reached its endpoint: it is recorded as interrupted and repeated at once, marked as
    a possible duplicate. From the fourth interruption on it counts as a failure, so that it is not repeated for ever.
    """
    for delivery in map(_as_it_is, lost):
        _log([(delivery, delivery["claim_until"] - LEASE, None, INTERRUPTED, None, (None, None), delivery["endpoint_url"])])
        if delivery["interruptions"] >= FREE_INTERRUPTIONS:
            _fail(delivery, now)
        else:
            _change(delivery, now, interruptions=delivery["interruptions"] + 1)
    if lost:
        database.after_commit(partial(metrics.count, "deliveries", "interrupted", number=len(lost)))
        wake.on_commit()
    return len(lost)


def park(subscription_id: str) -> None:
    """Let the deliveries of a subscription wait that are not sent yet, but for test events. Inside write()."""
    database.execute(_PARK, (subscription_id, ids.NIL))


def release_parked(subscription_id: str, now: int) -> None:
    """Queue parked deliveries again after a pause or reinstatement, from the first attempt and in order. Inside write()."""
    database.execute(_RELEASE_PARKED, (subscription_id,))
    give_turns(subscription_id, now)


def _is_ping(delivery: database.Row) -> bool:
    return bool(delivery["production_id"] == ids.NIL)
