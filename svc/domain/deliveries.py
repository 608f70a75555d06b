"""Deliveries: the outbox of webhooks, from an event that is queued to an outcome that is committed.

Within a subscription and a production first attempts go in sequence. A delivery that has an earlier holding one before it
waits (Pending, ``next_attempt_at`` NULL); whatever ends the holding gives the first in line its turn, in the same transaction.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from svc.base import clock, compact, ids, states
from svc.domain import endpoints, lanes, metrics, usage
from svc.store import claims, database, wake

LEASE = clock.MINUTE  # longer than a whole exchange (15 s) and the wait for its commit
# When to try again, by the number of failures so far: which failure it counts from, and how long after it
# (DECISIONS.md §7). A fourth failure is final.
RETRIES = {1: ("first_failed_at", 0), 2: ("first_failed_at", 60 * clock.SECOND), 3: ("second_failed_at", 300 * clock.SECOND)}
FREE_INTERRUPTIONS = 3  # interrupted attempts that spend no retry
_GIVEN_UP = {"status": "Failed", "next_attempt_at": None}
_LAST = "~"  # after every identifier
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
# What ends many deliveries is one statement and not one for each: after every one, sqlite3 has to wait for the interpreter,
# which the threads that send keep busy.
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
# What is in the index deliveries_due: neither what is claimed nor what waits in line.
_READY = "status = 'Pending' AND claim_token IS NULL AND next_attempt_at IS NOT NULL"
_LANES_READY = f"""
    SELECT asked.lane FROM ({lanes.ROWS}) AS asked
    WHERE EXISTS (SELECT 1 FROM deliveries AS d WHERE d.lane = asked.lane AND {_READY})
"""
_NEXT = f"SELECT MIN(subscription_id) FROM deliveries WHERE lane = :lane AND {_READY} AND subscription_id"
# The index is skipped through, one subscription after the other, so that no backlog of one is read to reach the next.
_DUE = f"""
    WITH RECURSIVE waiting (id) AS (
        SELECT ({_NEXT} > :after)
        UNION ALL SELECT ({_NEXT} > waiting.id) FROM waiting WHERE waiting.id < :until
    )
    SELECT d.id, d.subscription_id, d.event_id, s.endpoint_url, s.secret_version, d.body, d.interruptions > 0,
        d.event_type = '{states.PING_EVENT}', d.failures, s.secret_generation,
        CASE WHEN s.overlap_until > :now THEN (
            SELECT json_group_array(json_array(secret_version, generation, ends_at)) FROM rolled_secrets
            WHERE subscription_id = s.id AND ends_at > :now
        ) END
    FROM waiting CROSS JOIN subscriptions s ON s.id = waiting.id CROSS JOIN deliveries d ON d.id IN (
        SELECT id FROM deliveries
        WHERE lane = :lane AND {_READY} AND subscription_id = waiting.id AND next_attempt_at <= :now
        ORDER BY next_attempt_at LIMIT :share
    )
    WHERE waiting.id <= :until AND waiting.id NOT IN (SELECT value FROM json_each(:full)){{yields}}
    LIMIT :limit
"""
# What stands aside waits while a retry of the same subscription is due: retries have times to keep.
_YIELDS = f"""
      AND NOT EXISTS (SELECT 1 FROM deliveries AS retry WHERE retry.lane = {lanes.RETRIES}
                      AND {_READY.replace("status", "retry.status")} AND retry.subscription_id = waiting.id
                      AND retry.next_attempt_at <= :now)
"""
_DUE_IN = {lane: _DUE.format(yields=_YIELDS if lane in (lanes.ASIDE, lanes.REPLAYS) else "") for lane in lanes.ALL}
_CLAIM = """
    UPDATE deliveries SET claim_token = ?, claim_boot = ?, claim_until = ? WHERE id IN (SELECT value FROM json_each(?))
"""
_FREED = "claim_token = NULL, claim_boot = NULL, claim_until = NULL"
_SETTLE = f"""
    UPDATE deliveries SET status = :status, holds = :holds, failures = :failures, first_failed_at = :first_failed_at,
        second_failed_at = :second_failed_at, interruptions = :interruptions, lane = :lane,
        next_attempt_at = :next_attempt_at, finished_at = :finished_at, {_FREED}
    WHERE id = :id
"""
_SUCCEED = f"""
    UPDATE deliveries SET status = 'Succeeded', next_attempt_at = NULL, finished_at = ended.value ->> 1, {_FREED}
    FROM json_each(?) AS ended WHERE deliveries.id = ended.value ->> 0
"""
_HELD = """
    SELECT id, subscription_id, partner_id, production_id, event_type, status, holds, failures, first_failed_at,
        second_failed_at, interruptions, lane, next_attempt_at, finished_at, claim_token, claim_until, created_at,
        (SELECT failing_since IS NOT NULL FROM subscriptions WHERE id = subscription_id) AS was_failing
    FROM deliveries
"""
_ATTEMPTS = """
    INSERT INTO attempts (delivery_id, attempted_at, status_code, error, duration_ms, possible_duplicate, answer, findings)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7
    FROM json_each(?)
"""
_LOST = _HELD + "WHERE claim_token IS NOT NULL AND (claim_boot IS NOT ? OR claim_until <= ?)"
_RELEASE_PARKED = f"""
    UPDATE deliveries SET status = 'Pending', holds = 1, failures = 0, first_failed_at = NULL, second_failed_at = NULL,
        interruptions = 0, lane = max(lane, {lanes.ASIDE}), next_attempt_at = NULL
    WHERE subscription_id = ? AND status = 'Parked'
"""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A delivery that this process holds: what is sent, and where to."""

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
    older_secrets: str | None = None  # JSON of [version, generation, end], of those that sign besides


@dataclass(frozen=True, slots=True)
class Attempt:
    """How one exchange went, and when: the rest is as an outcome of svc.adapters.http has it."""

    delivery_id: str
    token: str
    attempted_at: int
    ended_at: int
    status_code: int | None
    error: str | None
    duration_ms: float | None
    answer: dict | None = None
    findings: dict | None = None


def queue(subscriptions: list, envelope: dict, now: int) -> list[str]:
    """Queue an event, given as its envelope without eventId, for each of ``subscriptions``; their event ids. Inside write().

    The bytes are frozen here. For a subscription that is suspended the delivery is Skipped: recorded, and open to replay.
    """
    rest = compact.text(envelope)[1:]
    event_ids = [ids.new(now) for _ in subscriptions]
    database.execute_many(_INSERT, [
        {
            "id": ids.new(now), "subscription_id": each["id"], "partner_id": each["partner_id"], "event_id": event_id,
            "event_type": envelope["eventType"], "production_id": envelope["productionId"],
            "sequence": envelope["sequenceNumber"], "body": f'{{"eventId":"{event_id}",{rest}'.encode(),
            "status": "Pending" if each["status"] == "Active" else "Skipped",
            "holds": envelope["productionId"] != ids.NIL, "lane": lanes.ASIDE if each["troubled"] else lanes.FIRST, "now": now,
        }
        for each, event_id in zip(subscriptions, event_ids, strict=True)
    ])  # fmt: skip
    wake.on_commit()
    return event_ids


def lanes_ready() -> list[int]:
    """The lanes in which :func:`claim` may find something, in their order; a cheap question that takes no lock."""
    return [row["lane"] for row in database.rows(_LANES_READY)]


def claim(
    driver: claims.Driver, now: int, lane: int, room: int, share: int, left: dict[str, int] | None = None, after: str = ""
) -> list[Claimed]:
    """Claim at most ``room`` due deliveries of a lane: of each subscription in turn, those after ``after`` first.

    ``share``: at most so many of one subscription; ``left``: how many instead, of those for which that is known.
    """
    left = dict(left or {})
    most = min(room, max([share, *left.values()]))
    asked = {
        "lane": lane, "now": now, "share": most,
        "full": json.dumps([each for each, number in left.items() if number <= 0]),
        # Of a subscription that may have fewer than the others, not all that is found fits.
        "limit": room + sum(most - number for number in left.values() if 0 < number < most),
    }  # fmt: skip
    token, taken = claims.new_token(), []
    with database.write(durable=False):  # a claim that a power failure forgets is a delivery that is sent again
        for bounds in ({"after": after, "until": _LAST}, {"after": "", "until": after}):
            for row in database.rows(_DUE_IN[lane], asked | bounds) if len(taken) < room else ():
                rest = left.get(row["subscription_id"], share)
                if len(taken) < room and rest > 0:
                    left[row["subscription_id"]] = rest - 1
                    taken.append(Claimed(token, lane, *row))
        database.execute(_CLAIM, (token, driver.boot, now + LEASE, json.dumps([each.id for each in taken])))
    return taken


def release(unsent: Iterable[Claimed]) -> None:
    """Give claims back whose sending never began: nothing is recorded and nothing is spent."""
    sql = f"UPDATE deliveries SET {_FREED} WHERE id = ? AND claim_token = ?"
    with database.write():
        database.execute_many(sql, [(each.id, each.token) for each in unsent])


def settle(attempts: list[Attempt]) -> None:
    """Commit how exchanges went, all in one transaction. What came too late, after its claim was lost, is discarded."""
    ids_asked = json.dumps([each.delivery_id for each in attempts])
    with database.write():
        found = database.rows(_HELD + "WHERE id IN (SELECT value FROM json_each(?))", (ids_asked,))
        held = {(row["id"], row["claim_token"]): row for row in found}
        ended = [(held[each.delivery_id, each.token], each) for each in attempts if (each.delivery_id, each.token) in held]
        _log((row, each.attempted_at, each.status_code, each.error, each.duration_ms, (each.answer, each.findings))
             for row, each in ended)  # fmt: skip
        _succeed([(row, each) for row, each in ended if each.error is None])
        for row, each in ended:
            if each.error is not None:
                _fail(_as_it_is(row), each.ended_at)
        database.after_commit(partial(metrics.attempted, [
            (each.error is None, each.duration_ms, None if _is_ping(row) else each.ended_at - row["created_at"])
            for row, each in ended
        ]))  # fmt: skip


def _log(attempts: Iterable[tuple]) -> None:
    """Each: the delivery's row, when, status, error, milliseconds, and what is kept: answer, findings."""
    logged = [
        (row["id"], *outcome, row["interruptions"] > 0, *(each if each is None else json.dumps(each) for each in kept))
        for row, *outcome, kept in attempts
    ]
    database.execute(_ATTEMPTS, (json.dumps(logged),))


def _succeed(ended: list[tuple[database.Row, Attempt]]) -> None:
    if not ended:
        return
    database.execute(_SUCCEED, (json.dumps([(row["id"], each.ended_at) for row, each in ended]),))
    lines = [(row["subscription_id"], row["production_id"]) for row, _ in ended if row["holds"]]
    _give_turn(lines, max(each.ended_at for _, each in ended))
    usage.count_deliveries(((row["partner_id"], True, each.ended_at) for row, each in ended if not _is_ping(row)))
    for ping in (False, True):
        answers = [(row["subscription_id"], each.attempted_at, each.ended_at) for row, each in ended if _is_ping(row) is ping]
        endpoints.answered(answers, ping)
    if recovered := {row["subscription_id"] for row, _ in ended if row["was_failing"]}:
        endpoints.recovered(recovered, max(each.ended_at for _, each in ended))


def _as_it_is(delivery: database.Row) -> database.Row:
    """The row, read again: a failure before it in the same transaction may have suspended its subscription."""
    return database.row(_HELD + "WHERE id = ?", (delivery["id"],))


def _fail(delivery: database.Row, now: int) -> None:
    """An attempt failed: try again as RETRIES says, or give up. A suspended one stays parked, for a round of its own."""
    failures = delivery["failures"] + 1
    endpoints.failing(delivery["subscription_id"], now)
    if _is_ping(delivery):
        return _change(delivery, now, failures=failures, **_GIVEN_UP, finished_at=now)
    if delivery["status"] == "Parked":
        return _change(delivery, now)
    endpoints.stumbled(delivery["subscription_id"])
    failed = {"first_failed_at": delivery["first_failed_at"], "second_failed_at": delivery["second_failed_at"]}
    failed |= {1: {"first_failed_at": now}, 2: {"second_failed_at": now}}.get(failures, {})
    if failures not in RETRIES:
        _change(delivery, now, failures=failures, **failed, **_GIVEN_UP, finished_at=now)
        usage.count_deliveries([(delivery["partner_id"], False, now)])
        database.after_commit(partial(metrics.count, "deliveries_given_up"))
        return endpoints.failed(delivery["subscription_id"], now)
    counted_from, delay = RETRIES[failures]
    # The ones behind it wait until its second retry, a minute after F1, has failed too.
    holds = delivery["holds"] and failures < 3
    next_attempt_at = failed[counted_from] + delay
    _change(delivery, now, failures=failures, holds=holds, lane=lanes.RETRIES, next_attempt_at=next_attempt_at, **failed)


def _change(delivery: database.Row, now: int, **changes) -> None:
    """Write ``changes``, free the claim, and give the next of its production its turn if this one holds it back no more."""
    database.execute(_SETTLE, dict(delivery) | changes)
    if delivery["holds"] and (changes.get("status", "Pending") != "Pending" or not changes.get("holds", 1)):
        _give_turn([(delivery["subscription_id"], delivery["production_id"])], now)


def _give_turn(lines: list[tuple[str, str]], now: int) -> None:
    """Make the first delivery that waits in each line due, unless an earlier one still holds it back.

    A line is all that a subscription (id) gets of a production (id).
    """
    database.execute(_FIRST_IN_LINES, {"lines": json.dumps(lines), "now": now})


def give_turns(subscription_id: str, now: int) -> None:
    """Make the first delivery that waits due for every production of a subscription. Inside write()."""
    database.execute(_EVERY_FIRST_IN_LINE, {"subscription": subscription_id, "now": now})


def recover(driver: claims.Driver, now: int) -> int:
    """Take back the claims of an earlier boot, and those whose lease has run out; how many. Inside write().

    Whether such an attempt reached its endpoint is unknown: it is recorded as interrupted and tried again at once,
    marked as a possible duplicate. The fourth of a round counts as a failure, so that nothing is sent for ever.
    """
    lost = database.rows(_LOST, (driver.boot, now))
    for delivery in map(_as_it_is, lost):
        _log([(delivery, delivery["claim_until"] - LEASE, None, INTERRUPTED, None, (None, None))])
        if delivery["interruptions"] >= FREE_INTERRUPTIONS:
            _fail(delivery, now)
        else:
            _change(delivery, now, interruptions=delivery["interruptions"] + 1)
    if lost:
        database.after_commit(partial(metrics.count, "deliveries", "interrupted", number=len(lost)))
    return len(lost)


def release_parked(subscription_id: str, now: int) -> None:
    """After reinstatement: what was parked is due again, from its first attempt, in order. Inside write()."""
    database.execute(_RELEASE_PARKED, (subscription_id,))
    give_turns(subscription_id, now)


def _is_ping(delivery: database.Row) -> bool:
    return delivery["event_type"] == states.PING_EVENT
