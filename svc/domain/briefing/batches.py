"""Batches: many briefs in one request, each through every gate, all or none of them or one by one."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from svc.base import clock, ids, states
from svc.base.errors import (
    BatchCancelling,
    BatchNotCancelled,
    BatchRefused,
    ConcurrencyLimitReached,
    IdempotencyKeyReused,
    InvalidRequest,
    NotFound,
    RateLimitExceeded,
    ServiceError,
)
from svc.domain import rows
from svc.domain.access import idempotency
from svc.domain.briefing import batch_rows, script_review
from svc.domain.briefing.batch_rows import Batch
from svc.domain.caller import Caller
from svc.domain.productions import briefs, gates, lifecycle, productions
from svc.domain.productions.briefs import Brief
from svc.domain.productions.gates import Screening
from svc.domain.tables.partners import Account
from svc.domain.translation import translations
from svc.domain.usage.model_costs import Prices
from svc.domain.webhooks import outbox, subscriptions
from svc.store import database, wake

MOST_ITEMS = 1000
MOST_A_MINUTE = 5000  # items of an account's batches, as a batch is one request whatever it contains
MOST_A_DAY = 100_000  # likewise
MOST_KEPT = 1000  # batches of an account: older ones that have finished are removed, their productions stay
PIECE = 20  # items that a request, or one step of the engine, cancels or resumes
ATOMIC, EACH = "atomic", "each"
CANCEL, RESUME = "cancel", "resume"  # what may be under way

_INSERT = """
    INSERT INTO batches (id, partner_id, account_id, mode, idempotency_key, digest, size, correlation_id, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_BY_KEY = "SELECT * FROM batches WHERE partner_id = ? AND idempotency_key = ?"
_FREE_KEY = "UPDATE batches SET idempotency_key = NULL WHERE partner_id = ? AND idempotency_key = ?"
_LATELY = "SELECT coalesce(sum(size), 0) FROM batches WHERE account_id = ? AND created_at > ?"
_FINISH = """
    UPDATE batches SET finished_at = ?, completions = completions + 1 WHERE id = ? AND finished_at IS NULL RETURNING completions
"""
_RESUMED = "UPDATE batches SET cancelled_at = NULL, finished_at = NULL WHERE id = ?"
_UNDER_WAY = "SELECT * FROM batches WHERE under_way IS NOT NULL ORDER BY id LIMIT 20"
_RETRIED = "UPDATE productions SET retry_of = ? WHERE id = ?"
_ENDED = f"""
    SELECT * FROM batches b WHERE finished_at IS NULL AND handled_at IS NOT NULL AND under_way IS NULL AND NOT EXISTS (
        SELECT 1 FROM batch_items i JOIN productions p ON p.id = i.production_id
        WHERE i.batch_id = b.id AND p.status NOT IN {tuple(sorted(states.TERMINAL))}
    ) AND NOT EXISTS (
        SELECT 1 FROM batch_items w WHERE w.batch_id = b.id AND w.brief IS NOT NULL AND w.stopped = 0
    ) ORDER BY id LIMIT 50
"""
_OVER = """
    SELECT id FROM (SELECT id, created_at, finished_at FROM batches WHERE account_id = :account
                    ORDER BY created_at DESC, id DESC LIMIT 1000000 OFFSET :most - 1) AS older
    WHERE finished_at IS NOT NULL AND created_at < :before LIMIT :batch
"""
_OLD = "SELECT id FROM batches WHERE created_at < :before AND finished_at IS NOT NULL ORDER BY created_at, id LIMIT :batch"
_REMOVE = (
    "DELETE FROM batch_items WHERE batch_id IN (SELECT value FROM json_each(:ids))",
    "DELETE FROM batches WHERE id IN (SELECT value FROM json_each(:ids))",
)
_PRUNED = 100  # batches in one transaction


@dataclass(frozen=True)
class Order:
    """What is asked for: briefs of one account, and how they are triggered."""

    account: Account
    mode: str
    briefs: Sequence[Brief]
    ttl_hours: int | None  # None: no API call triggers it
    prices: Prices
    correlation_id: str
    key: str | None = None

    def each(self, batch_id: str = "") -> list[tuple[int, Brief]]:
        """Return the briefs in one language each, with the place of the brief in the order that each is of."""
        return [
            (place, one)
            for place, brief in enumerate(self.briefs)
            for one in brief.in_each_language(ids.named("group", f"{batch_id} {place}"))
        ]

    @property
    def stored_key(self) -> str | None:
        """The Idempotency-Key in the namespace of the account's environment."""
        return idempotency.within(self.account["environment"], self.account["creator"], self.key)

    @property
    def size(self) -> int:
        """The number of briefs, each counted once for each of its languages."""
        return sum(len(brief.languages) for brief in self.briefs)

    @property
    def digest(self) -> bytes:
        """Return the SHA-256 of mode, account and briefs: equal digests mean equal orders."""
        whole = hashlib.sha256(self.mode.encode())
        for brief in self.briefs:
            whole.update(brief.digest(self.account["id"]))
        return whole.digest()


def trigger(order: Order, now: int) -> tuple[Batch, bool]:
    """Trigger the briefs of an order; return its batch, and whether it is that of an earlier request with the same key.

    A repetition of a request that was interrupted continues with the briefs that are missing. InvalidRequest: there is none, or
    there are more than :data:`MOST_ITEMS`. BatchRefused: mode ``atomic``, and a brief would be refused. IdempotencyKeyReused.
    """
    if not 1 <= (size := order.size) <= MOST_ITEMS:
        message = f"A batch has 1 to {MOST_ITEMS:,} items, each counted once for each of its languages; this one has {size:,}."
        raise InvalidRequest(message, fields={"items": [message]})
    with idempotency.in_progress(order.account["partner_id"], order.stored_key and f"batch {order.stored_key}"):
        return _trigger_all(order, now) if order.mode == ATOMIC else _trigger_each(order, now)


def _trigger_all(order: Order, now: int) -> tuple[Batch, bool]:
    if earlier := _earlier(order, now):
        return earlier, True
    _check_pace(order, now)  # before the briefs are screened, which is most of the work
    _check_size(order)
    screenings = [_screened(order, brief) for _, brief in order.each()]
    refused: dict[str, list[str]] = {}
    with database.write():
        batch, is_new = _begin(order, now)
        if not is_new:
            return batch, True
        for position, ((place, brief), screening) in enumerate(zip(order.each(batch["id"]), screenings, strict=True)):
            try:
                _trigger_one(order, batch, position, brief, screening, now)
            except ServiceError as refusal:
                refused[f"items[{place}]"] = [f"{refusal.code}: {refusal.message}"]
        if refused:
            raise BatchRefused(fields=refused)
        batch_rows.handled(batch["id"], now)
    return batch_rows.one(batch["id"]), False


def _trigger_each(order: Order, now: int) -> tuple[Batch, bool]:
    with database.write():
        batch, is_new = _begin(order, now)
    if not is_new and batch["handled_at"] is not None:
        return batch, True
    present = batch_rows.positions(batch["id"])
    for position, (_, brief) in enumerate(order.each(batch["id"])):
        if position in present:
            continue
        try:
            screening = _screened(order, brief)
            with database.write():
                _trigger_one(order, batch, position, brief, screening, now)
        except ServiceError as refusal:
            if refusal.status >= 500:
                raise  # the same request, repeated, continues here
            with database.write():
                if isinstance(refusal, ConcurrencyLimitReached) and refusal.waiting_helps:
                    kept = {"brief": asdict(brief), "by_api": order.ttl_hours is not None}
                    batch_rows.add_waiting(batch["id"], position, brief.external_id, json.dumps(kept))
                else:
                    batch_rows.add_refused(batch["id"], position, brief.external_id, refusal)
    with database.write():
        batch_rows.handled(batch["id"], now)
    return batch_rows.one(batch["id"]), not is_new


def _begin(order: Order, now: int) -> tuple[Batch, bool]:
    """Return the batch of the order, and whether it is new. Inside write(). RateLimitExceeded: too many briefs in a minute."""
    if earlier := _earlier(order, now):
        return earlier, False
    _check_pace(order, now)
    _remove(_OVER, {"account": order.account["id"], "before": now - idempotency.LIFETIME, "most": MOST_KEPT, "batch": 2})
    partner_id, batch_id = order.account["partner_id"], ids.new(now)
    database.execute(_FREE_KEY, (partner_id, order.stored_key))  # that of a batch of long ago
    database.execute(_INSERT, (
        batch_id, partner_id, order.account["id"], order.mode, order.stored_key, order.digest, order.size,
        order.correlation_id, now,
    ))  # fmt: skip
    return batch_rows.one(batch_id), True


def _earlier(order: Order, now: int) -> Batch | None:
    """Return the batch of an earlier request with the same key; None: there is none. IdempotencyKeyReused."""
    found = rows.first(Batch, _BY_KEY, (order.account["partner_id"], order.stored_key)) if order.key else None
    if found is None or found["created_at"] <= now - idempotency.LIFETIME:
        return None
    if found["digest"] != order.digest:
        raise IdempotencyKeyReused()
    return found


def _check_pace(order: Order, now: int) -> None:
    """RateLimitExceeded: the account would have more than :data:`MOST_A_MINUTE` items in a minute, or `MOST_A_DAY` in a day."""
    if database.one(_LATELY, (order.account["id"], now - clock.MINUTE))[0] + order.size > MOST_A_MINUTE:
        message = f"The batches of an account may have {MOST_A_MINUTE:,} items in a minute; send this one again later."
        raise RateLimitExceeded(message, retry_after=60)
    if database.one(_LATELY, (order.account["id"], now - clock.DAY))[0] + order.size > MOST_A_DAY:
        message = f"The batches of an account may have {MOST_A_DAY:,} items in 24 hours; send this one again later."
        raise RateLimitExceeded(message, retry_after=clock.HOUR // clock.SECOND)


def _check_size(order: Order) -> None:
    """BatchRefused: an atomic order is larger than a ceiling of concurrent productions, so that it never passes."""
    try:
        gates.concurrency_of_size(briefs.account_for(order.briefs[0], order.account["id"]), order.size)
    except ConcurrencyLimitReached as refusal:
        message = f"{refusal.message} Send the batch in parts, or with the mode {EACH}, whose rows wait for their places."
        raise BatchRefused(message, fields={"items": [f"{refusal.code}: {message}"]}) from None


def _screened(order: Order, brief: Brief) -> list[Screening]:
    return productions.screen(order.account["id"], brief, order.prices)


def _trigger_one(order: Order, batch: Batch, position: int, brief: Brief, screening: list[Screening], now: int) -> None:
    """Trigger one brief, unless another request has taken its place. Inside write()."""
    if not batch_rows.take(batch["id"], position, brief.external_id):
        return
    triggered = productions.trigger(
        order.account, brief, now, correlation_id=order.correlation_id, ttl_hours=order.ttl_hours, prices=order.prices,
        screenings=screening,
    )  # fmt: skip
    batch_rows.set_production(batch["id"], position, triggered.production_id)


def find(caller: Caller, batch_id: str) -> Batch:
    """Return a batch. NotFound: there is none that the key may address."""
    found = batch_rows.addressed(batch_id)
    if found is None or not caller.reaches(found["account_id"], found["partner_id"], found["environment"], found["creator"]):
        raise NotFound("There is no such batch among those that this key may address.")
    return found


def cancel(batch: Batch, now: int, correlation_id: str) -> int:
    """Begin to cancel every production of a batch that has not ended; return how many there are.

    The engine goes on with what is more than a piece.
    """
    with database.write():
        sql = """UPDATE batches SET cancelled_at = coalesce(cancelled_at, :now), under_way = 'cancel', under_way_for = :request
                 WHERE id = :id"""
        database.execute(sql, {"id": batch["id"], "now": now, "request": correlation_id})
        batch_rows.stop_waiting(batch["id"])
        number = batch_rows.number_open(batch["id"])
        _cancel_piece(batch["id"], correlation_id, now)
        wake.on_commit()
    return number


def _cancel_piece(batch_id: str, correlation_id: str | None, now: int) -> None:
    """Request the cancel of the next productions of a batch. Inside write()."""
    for production_id in batch_rows.open_productions(batch_id, PIECE):
        if lifecycle.request_cancel(production_id, now, correlation_id):
            batch_rows.stop(batch_id, production_id)
    if not batch_rows.number_open(batch_id):
        _settle(batch_id, CANCEL)


def resume(batch: Batch, now: int, correlation_id: str, ttl_hours: int, prices: Prices) -> None:
    """Trigger the productions again that the cancellation of their batch cancelled, each as a new one in its place.

    Each goes on from the script that it had, with what reviewers changed of it and their approval. What was cancelled by itself
    or rejected stays so. A piece of them is triggered here, and the first error of a gate is raised; the engine goes on with
    the rest, where the first error is entered at the item. An error ends it, and what was resumed before stays: the same call,
    repeated, goes on. ``ttl_hours``: of those that an API call triggered. BatchCancelling: its cancellation is not complete.
    BatchNotCancelled.
    """
    was_cancelled = batch["cancelled_at"] is not None or bool(batch_rows.stopped(batch["id"], 1))
    if not was_cancelled and not batch_rows.is_resumed(batch["id"]):  # a call that is repeated after all is done finds nothing
        raise BatchNotCancelled()
    if batch_rows.one(batch["id"])["under_way"] == CANCEL or batch_rows.is_cancelling(batch["id"]):
        raise BatchCancelling()
    with database.write():
        if batch_rows.wait_again(batch["id"]):
            database.execute(_RESUMED, (batch["id"],))
    if _resume_piece(batch, now, correlation_id, ttl_hours, prices):
        with database.write():
            sql = "UPDATE batches SET under_way = 'resume', under_way_for = ? WHERE id = ? AND under_way IS NULL"
            database.execute(sql, (correlation_id, batch["id"]))
            wake.on_commit()


def _resume_piece(batch: Batch, now: int, correlation_id: str, ttl_hours: int, prices: Prices) -> bool:
    """Trigger the next stopped productions of a batch again; return whether there are more.

    The first error of a gate is raised, and entered at its item.
    """
    for position, row in batch_rows.stopped(batch["id"], PIECE):
        account = rows.one(Account, "SELECT * FROM accounts WHERE id = ?", (row["account_id"],))
        brief = briefs.again(row, translations.awaited_from(row["id"]))
        try:
            screening = productions.screen(account["id"], brief, prices)
            with database.write():
                if batch_rows.one(batch["id"])["under_way"] == CANCEL:
                    return False  # it was cancelled again meanwhile
                if not batch_rows.clear(batch["id"], position, row["id"]):
                    continue  # another request was faster
                triggered = productions.trigger(
                    account, brief, now, correlation_id=correlation_id, ttl_hours=ttl_hours if row["api_triggered"] else None,
                    prices=prices, screenings=screening,
                )  # fmt: skip
                batch_rows.set_production(batch["id"], position, triggered.production_id)
                database.execute(_RETRIED, (row["id"], triggered.production_id))
                script_review.take_over(row["id"], triggered.production_id)
                database.execute(_RESUMED, (batch["id"],))
        except ServiceError as refusal:
            if refusal.status < 500:
                with database.write():
                    batch_rows.not_resumed(batch["id"], position, refusal)
                    _settle(batch["id"], RESUME)
            raise
    return bool(batch_rows.stopped(batch["id"], 1))


def carry_on(now: int, ttl_hours: int, prices: Prices) -> bool:
    """Go on with a piece of each batch that is being cancelled or resumed; return whether there is more to do.

    The engine calls it. It may end between any two statements: what was done is not found again, and the rest is.
    """
    under_way = rows.every(Batch, _UNDER_WAY)
    for batch in under_way:
        if batch["under_way"] == CANCEL:
            with database.write():
                _cancel_piece(batch["id"], batch["under_way_for"], now)
                wake.on_commit()
            continue
        correlation_id = batch["under_way_for"] or batch["correlation_id"]
        try:
            has_more = _resume_piece(batch, now, correlation_id, ttl_hours, prices)
        except ServiceError as refusal:
            if refusal.status >= 500:
                raise
            continue  # it is entered at its item
        if not has_more:
            with database.write():
                _settle(batch["id"], RESUME)
    return bool(under_way)


def trigger_waiting(now: int, ttl_hours: int, prices: Prices) -> None:
    """Trigger the items that wait for a place, as far as there are places: those of the oldest batch first.

    The engine calls it. An item that another gate refuses by now is entered with its refusal, and the next one takes the place.
    """
    full: set[str] = set()  # accounts
    for batch in batch_rows.waiting():
        if batch["account_id"] not in full and not _trigger_waiting(batch, now, ttl_hours, prices):
            full.add(batch["account_id"])


def _trigger_waiting(batch: Batch, now: int, ttl_hours: int, prices: Prices) -> bool:
    """Trigger a piece of the items of a batch that wait; return whether there may be places left."""
    account = rows.one(Account, "SELECT * FROM accounts WHERE id = ?", (batch["account_id"],))
    for _ in range(PIECE):
        if (found := batch_rows.next_waiting(batch["id"])) is None:
            return True
        position, kept = found[0], json.loads(found[1])
        brief = briefs.read(kept["brief"])
        try:
            gates.concurrency(briefs.account_for(brief, account["id"]))  # before it is screened, which is most of the work
            screening = productions.screen(account["id"], brief, prices)
            with database.write():
                if batch_rows.place(batch["id"], position):
                    triggered = productions.trigger(
                        account, brief, now, correlation_id=batch["correlation_id"], prices=prices, screenings=screening,
                        ttl_hours=ttl_hours if kept["by_api"] else None,
                    )  # fmt: skip
                    batch_rows.set_production(batch["id"], position, triggered.production_id)
        except ServiceError as refusal:
            if refusal.status >= 500:
                raise
            if isinstance(refusal, ConcurrencyLimitReached) and refusal.waiting_helps:
                return False
            with database.write():
                batch_rows.refuse_waiting(batch["id"], position, refusal)
    return True


def _settle(batch_id: str, what: str) -> None:
    """Record that nothing is left to go on with. Inside write()."""
    sql = "UPDATE batches SET under_way = NULL, under_way_for = NULL WHERE id = ? AND under_way = ?"
    database.execute(sql, (batch_id, what))


def finish_ended(now: int) -> None:
    """Finish the batches whose productions have all ended; their subscribers hear of it."""
    for batch in rows.every(Batch, _ENDED):
        with database.write():
            if ended := database.rows(_FINISH, (now, batch["id"])):
                _tell(batch, ended[0]["completions"], now)


def prune(before: int) -> None:
    """Remove batches that were triggered before ``before`` (ms) and have finished; their productions stay."""
    while True:
        with database.write(durable=False):
            if _remove(_OLD, {"before": before, "batch": _PRUNED}) < _PRUNED:
                return


def _remove(which: str, params: dict[str, Any]) -> int:
    batch_ids = [row["id"] for row in database.rows(which, params)]
    for sql in _REMOVE if batch_ids else ():
        database.execute(sql, {"ids": json.dumps(batch_ids)})
    return len(batch_ids)


def _tell(batch: Batch, completions: int, now: int) -> None:
    matches = subscriptions.matching(batch["partner_id"], batch["account_id"], states.BATCH_EVENT)
    if not matches:
        return
    outbox.queue(matches, {
        "eventType": states.BATCH_EVENT, "productionId": batch["id"], "accountId": batch["account_id"],
        "timestamp": clock.text(now), "sequenceNumber": completions, "correlationId": batch["correlation_id"],
        "truncated": False, "data": {"batchId": batch["id"], "counts": batch_rows.counts(batch)},
    }, now)  # fmt: skip
    wake.on_commit()
