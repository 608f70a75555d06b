"""Deliveries: the outbox of webhooks, from an event that is queued to an outcome that is committed.

Within a subscription and a production first attempts go in sequence. A delivery that has an earlier holding one before it
waits (Pending, ``next_attempt_at`` NULL); whatever ends the holding gives the first in line its turn, in the same transaction.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from svc.base import clock, ids, states
from svc.domain import endpoints
from svc.store import claims, database, wake

LEASE = clock.MINUTE  # longer than a whole exchange (15 s) and the wait for its commit
# When to try again, by the number of failures so far: which failure it counts from, and how long after it
# (DECISIONS.md §7). A fourth failure is final.
RETRIES = {1: ("first_failed_at", 0), 2: ("first_failed_at", 60 * clock.SECOND), 3: ("second_failed_at", 300 * clock.SECOND)}
FREE_INTERRUPTIONS = 3  # interrupted attempts that spend no retry
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
_FIRST_IN_LINE = f"""
    UPDATE deliveries SET next_attempt_at = :now
    WHERE id = (SELECT id FROM deliveries
                WHERE subscription_id = :subscription AND production_id = :production
                  AND status = 'Pending' AND holds = 1 AND next_attempt_at IS NULL ORDER BY sequence LIMIT 1)
      AND NOT EXISTS ({_EARLIER.format(of="deliveries.")})
"""
_EVERY_FIRST_IN_LINE = f"""
    UPDATE deliveries SET next_attempt_at = :now
    WHERE subscription_id = :subscription AND status = 'Pending' AND next_attempt_at IS NULL
      AND NOT EXISTS ({_EARLIER.format(of="deliveries.")})
"""
# A claimed row is not in this index, nor one that waits in line, so that the query reads only what it may take.
_DUE = """
    SELECT d.id, d.subscription_id, d.event_id, d.body, d.interruptions, s.endpoint_url, s.secret_version
    FROM deliveries d CROSS JOIN subscriptions s ON s.id = d.subscription_id
    WHERE d.lane = :lane AND d.status = 'Pending' AND d.claim_token IS NULL AND d.next_attempt_at <= :now
      AND d.subscription_id NOT IN (SELECT value FROM json_each(:full))
    ORDER BY d.next_attempt_at LIMIT :limit
"""
_IN_FLIGHT = """
    SELECT subscription_id, COUNT(*) FROM deliveries INDEXED BY deliveries_claimed
    WHERE claim_token IS NOT NULL GROUP BY subscription_id
"""
_CLAIM = "UPDATE deliveries SET claim_token = ?, claim_boot = ?, claim_until = ? WHERE id = ?"
_FREED = "claim_token = NULL, claim_boot = NULL, claim_until = NULL"
_SETTLE = f"""
    UPDATE deliveries SET status = :status, holds = :holds, failures = :failures, first_failed_at = :first_failed_at,
        second_failed_at = :second_failed_at, interruptions = :interruptions, lane = :lane,
        next_attempt_at = :next_attempt_at, finished_at = :finished_at, {_FREED}
    WHERE id = :id
"""
_HELD = "SELECT * FROM deliveries WHERE id = ? AND claim_token = ?"
_ATTEMPT = "INSERT INTO attempts (delivery_id, attempted_at, status_code, error, duration_ms) VALUES (?, ?, ?, ?, ?)"
_LOST = "SELECT * FROM deliveries WHERE claim_token IS NOT NULL AND (claim_boot IS NOT ? OR claim_until <= ?)"
_RELEASE_PARKED = """
    UPDATE deliveries SET status = 'Pending', holds = 1, failures = 0, first_failed_at = NULL, second_failed_at = NULL,
        interruptions = 0, next_attempt_at = NULL
    WHERE subscription_id = ? AND status = 'Parked'
"""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A delivery that this process holds: what is sent, and where to."""

    id: str
    token: str
    lane: int
    subscription_id: str
    event_id: str
    endpoint_url: str
    secret_version: int
    body: bytes
    possible_duplicate: bool


@dataclass(frozen=True, slots=True)
class Attempt:
    """How one exchange went. ``error``: in words for the partner, None when the endpoint answered 2xx in time."""

    delivery_id: str
    token: str
    attempted_at: int
    ended_at: int
    status_code: int | None
    error: str | None
    duration_ms: float | None


def queue(subscriptions: list, envelope: dict, now: int) -> list[str]:
    """Queue an event, given as its envelope without eventId, for each of ``subscriptions``; their event ids. Inside write().

    The bytes are frozen here. For a subscription that is suspended the delivery is Skipped: recorded, and open to replay.
    """
    rest = json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))[1:]
    event_ids = [ids.new(now) for _ in subscriptions]
    database.execute_many(_INSERT, [
        {
            "id": ids.new(now), "subscription_id": each["id"], "partner_id": each["partner_id"], "event_id": event_id,
            "event_type": envelope["eventType"], "production_id": envelope["productionId"],
            "sequence": envelope["sequenceNumber"], "body": f'{{"eventId":"{event_id}",{rest}'.encode(),
            "status": "Pending" if each["status"] == "Active" else "Skipped",
            "holds": envelope["productionId"] != ids.NIL, "lane": each["troubled"], "now": now,
        }
        for each, event_id in zip(subscriptions, event_ids, strict=True)
    ])  # fmt: skip
    wake.on_commit()
    return event_ids


def anything_due(now: int) -> bool:
    """Whether :func:`claim` may find something; a cheap question that takes no lock."""
    sql = """SELECT 1 FROM deliveries WHERE lane = ? AND status = 'Pending' AND claim_token IS NULL
             AND next_attempt_at <= ? LIMIT 1"""
    return any(database.row(sql, (lane, now)) for lane in (0, 1))


def claim(
    driver: claims.Driver, now: int, room: tuple[int, int], share: tuple[int, int], resting: Iterable[str] = ()
) -> list[Claimed]:
    """Claim due deliveries. ``room``: at most so many of lane 0 and of lane 1; ``share``: at most so many in flight of
    one subscription, counting both lanes; ``resting``: subscriptions of which none is claimed now."""
    with database.write(durable=False):  # a claim that a power failure forgets is a delivery that is sent again
        flying = Counter(dict(database.rows(_IN_FLIGHT)))
        for each in resting:
            flying[each] = max(share)
        taken = [each for lane in (0, 1) for each in _claim_lane(lane, now, room[lane], share[lane], flying)]
        until = now + LEASE
        database.execute_many(_CLAIM, [(each.token, driver.boot, until, each.id) for each in taken])
    return taken


def _claim_lane(lane: int, now: int, room: int, share: int, flying: Counter) -> list[Claimed]:
    token, taken, ids_taken = claims.new_token(), [], set()
    while room > len(taken):
        full = json.dumps([subscription for subscription, count in flying.items() if count >= share])
        due = database.rows(_DUE, {"lane": lane, "now": now, "full": full, "limit": room})
        fresh = 0
        for row in due:
            if row["id"] in ids_taken or flying[row["subscription_id"]] >= share or len(taken) == room:
                continue
            flying[row["subscription_id"]] += 1
            ids_taken.add(row["id"])
            taken.append(_claimed(row, token, lane))
            fresh += 1
        if not fresh or len(due) < room:
            break
    return taken


def _claimed(row, token: str, lane: int) -> Claimed:
    return Claimed(
        row["id"], token, lane, row["subscription_id"], row["event_id"], row["endpoint_url"], row["secret_version"],
        row["body"], row["interruptions"] > 0,
    )  # fmt: skip


def release(unsent: Iterable[Claimed]) -> None:
    """Give claims back whose sending never began: nothing is recorded and nothing is spent."""
    sql = f"UPDATE deliveries SET {_FREED} WHERE id = ? AND claim_token = ?"
    with database.write():
        database.execute_many(sql, [(each.id, each.token) for each in unsent])


def settle(attempts: list[Attempt]) -> None:
    """Commit how exchanges went, all in one transaction. What came too late, after its claim was lost, is discarded."""
    with database.write():
        for each in attempts:
            delivery = database.row(_HELD, (each.delivery_id, each.token))
            if delivery:
                _settle(delivery, each)


def _settle(delivery: database.Row, attempt: Attempt) -> None:
    database.execute(
        _ATTEMPT, (delivery["id"], attempt.attempted_at, attempt.status_code, attempt.error, attempt.duration_ms)
    )
    if attempt.error is None:
        _finish(delivery, "Succeeded", attempt.ended_at)
        if not _is_ping(delivery):
            endpoints.answered(delivery["subscription_id"], attempt.attempted_at, attempt.ended_at)
    else:
        _fail(delivery, attempt.ended_at)


def _finish(delivery: database.Row, status: str, now: int, **changes) -> None:
    _change(delivery, now, status=status, next_attempt_at=None, finished_at=now, **changes)


def _fail(delivery: database.Row, now: int) -> None:
    """An attempt failed: try again as RETRIES says, or give up. A suspended one stays parked, for a round of its own."""
    failures = delivery["failures"] + 1
    if _is_ping(delivery):
        return _finish(delivery, "Failed", now, failures=failures)
    if delivery["status"] == "Parked":
        return _change(delivery, now)
    endpoints.stumbled(delivery["subscription_id"])
    failed = {"first_failed_at": delivery["first_failed_at"], "second_failed_at": delivery["second_failed_at"]}
    failed |= {1: {"first_failed_at": now}, 2: {"second_failed_at": now}}.get(failures, {})
    if failures not in RETRIES:
        _finish(delivery, "Failed", now, failures=failures, **failed)
        return endpoints.failed(delivery["subscription_id"], now)
    counted_from, delay = RETRIES[failures]
    # The ones behind it wait until its second retry, a minute after F1, has failed too.
    holds = delivery["holds"] and failures < 3
    _change(delivery, now, failures=failures, holds=holds, lane=1, next_attempt_at=failed[counted_from] + delay, **failed)


def _change(delivery: database.Row, now: int, **changes) -> None:
    """Write ``changes``, free the claim, and give the next of its production its turn if this one holds it back no more."""
    database.execute(_SETTLE, dict(delivery) | changes)
    if delivery["holds"] and (changes.get("status", "Pending") != "Pending" or not changes.get("holds", 1)):
        give_turn(delivery["subscription_id"], delivery["production_id"], now)


def give_turn(subscription_id: str, production_id: str, now: int) -> None:
    """Make the first delivery that waits in this line due, unless an earlier one still holds it back. Inside write()."""
    database.execute(_FIRST_IN_LINE, {"subscription": subscription_id, "production": production_id, "now": now})


def give_turns(subscription_id: str, now: int) -> None:
    """As :func:`give_turn`, for every production of a subscription."""
    database.execute(_EVERY_FIRST_IN_LINE, {"subscription": subscription_id, "now": now})


def recover(driver: claims.Driver, now: int) -> int:
    """Take back the claims of an earlier boot, and those whose lease has run out; how many. Inside write().

    Whether such an attempt reached its endpoint is unknown: it is recorded as interrupted and tried again at once,
    marked as a possible duplicate. The fourth of a round counts as a failure, so that nothing is sent for ever.
    """
    lost = database.rows(_LOST, (driver.boot, now))
    for delivery in lost:
        database.execute(_ATTEMPT, (delivery["id"], delivery["claim_until"] - LEASE, None, INTERRUPTED, None))
        if delivery["interruptions"] >= FREE_INTERRUPTIONS:
            _fail(delivery, now)
        else:
            _change(delivery, now, interruptions=delivery["interruptions"] + 1)
    return len(lost)


def release_parked(subscription_id: str, now: int) -> None:
    """After reinstatement: what was parked is due again, from its first attempt, in order. Inside write()."""
    database.execute(_RELEASE_PARKED, (subscription_id,))
    give_turns(subscription_id, now)


def _is_ping(delivery: database.Row) -> bool:
    return delivery["event_type"] == states.PING_EVENT
