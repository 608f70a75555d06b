"""Batches: many briefs in one request, each through every gate,
all or none of them or one by one.
"""

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
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
from svc.domain import dates_ahead
from svc.domain.access import idempotency
from svc.domain.caller import Caller
from svc.domain.lifecycle import batch_endings, batch_rows, briefs, gates, lifecycle, script_review
from svc.domain.lifecycle.batch_rows import Batch
from svc.domain.lifecycle.briefs import Brief
from svc.domain.lifecycle.gates import Screening
from svc.domain.partners import accounts
from svc.domain.productions import productions
from svc.domain.tables.partners import Account
from svc.domain.translation import translations
from svc.domain.usage.model_costs import Prices
from svc.store import wake
from svc.store.database import MOMENT, Busy, Row, db
from svc.store.expressions import JOIN, elements, fn
from svc.store.models import briefing as models
from svc.store.models.partners import Account as AccountRow
from svc.store.models.productions import Production
from svc.store.queries import Prepared, slot, slots

MOST_ITEMS = 1000
# The most items of an account's batches in a minute: a batch is one request, whatever it contains.
MOST_A_MINUTE = 5000
MOST_A_DAY = 100_000  # items of an account's batches
# The most batches of an account. Older ones that have finished are removed; their productions stay.
MOST_KEPT = 1000
ITEMS_IN_ONE_PIECE = 20  # items that a request, or one step of the engine, cancels or resumes
ATOMIC, EACH = "atomic", "each"
CANCEL, RESUME = "cancel", "resume"  # what may be under way

_BATCH, _ITEM = models.Batch, models.BatchItem
_THIS_ONE = _BATCH.id == slot("id")
_ADD = Prepared(
    _BATCH.insert(
        slots(
            "id",
            "partner_id",
            "account_id",
            "mode",
            "idempotency_key",
            "digest",
            "size",
            "correlation_id",
            "created_at",
        )
    )
)
_OF_KEY = (_BATCH.partner_id == slot("partner_id")) & (_BATCH.idempotency_key == slot("key"))
_BY_KEY = Prepared(_BATCH.select().where(_OF_KEY), Batch)
_FREE_KEY = Prepared(_BATCH.update(idempotency_key=None).where(_OF_KEY))
_LATELY = Prepared(
    _BATCH.select(fn.coalesce(fn.sum(_BATCH.size), 0)).where(
        _BATCH.account_id == slot("account_id"),
        _BATCH.created_at > slot("since"),
        _BATCH.created_at <= slot("latest"),
    )
)
_CANCEL = Prepared(
    _BATCH.update(
        cancelled_at=fn.coalesce(_BATCH.cancelled_at, slot("now")),
        under_way=CANCEL,
        under_way_for=slot("request"),
    ).where(_THIS_ONE)
)
_RESUME = Prepared(
    _BATCH.update(under_way=RESUME, under_way_for=slot("request")).where(
        _THIS_ONE, _BATCH.under_way.is_null()
    )
)
_RESUMED = Prepared(_BATCH.update(cancelled_at=None, finished_at=None).where(_THIS_ONE))
_SETTLE = Prepared(
    _BATCH.update(under_way=None, under_way_for=None).where(
        _THIS_ONE, _BATCH.under_way == slot("what")
    )
)
_UNDER_WAY = Prepared(
    _BATCH.select().where(_BATCH.under_way.is_null(False)).order_by(_BATCH.id).limit(20), Batch
)
_RETRIED = Prepared(Production.update(retry_of=slot("before")).where(Production.id == slot("id")))
_OLDER = (
    _BATCH.select(_BATCH.id, _BATCH.created_at, _BATCH.finished_at)
    .where(_BATCH.account_id == slot("account"))
    .order_by(_BATCH.created_at.desc(), _BATCH.id.desc())
    .limit(1_000_000)
    .offset(slot("kept"))
    .alias("older")
)
_OVER = Prepared(
    _BATCH.select(_OLDER.c.id)
    .from_(_OLDER)
    .where(_OLDER.c.finished_at.is_null(False), _OLDER.c.created_at < slot("before"))
    .limit(slot("batch"))
)
# One whose request was interrupted and never repeated has no end of its own.
_IS_LEFT = (
    _BATCH.finished_at.is_null()
    & _BATCH.handled_at.is_null()
    & ~fn.EXISTS(
        _ITEM.select(_ITEM.position)
        .join(Production, JOIN.LEFT_OUTER, on=Production.id == _ITEM.production_id)
        .where(
            _ITEM.batch_id == _BATCH.id,
            batch_rows.IS_WAITING | Production.status.in_(states.OPEN_STATES),
        )
    )
)
_OLD_OF_ANY = (
    _BATCH.select(_BATCH.id)
    .where(
        _BATCH.created_at > slot("after"),
        _BATCH.created_at < slot("until"),
        (_BATCH.finished_at < slot("before")) | (_BATCH.finished_at > slot("latest")) | _IS_LEFT,
    )
    .order_by(_BATCH.created_at, _BATCH.id)
    .limit(slot("batch"))
)
_OLD = Prepared(_OLD_OF_ANY)
_OLD_OF_ACCOUNT = Prepared(_OLD_OF_ANY.where(_BATCH.account_id == slot("account")))
_SANDBOXES = Prepared(AccountRow.select(AccountRow.id).where(AccountRow.environment == "sandbox"))
_REMOVE = (
    Prepared(_ITEM.delete().where(_ITEM.batch_id.in_(elements(slot("ids"))))),
    Prepared(_BATCH.delete().where(_BATCH.id.in_(elements(slot("ids"))))),
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
    sent: bytes = b""  # the SHA-256 of the request, if the briefs were made of it

    def list_briefs(self, batch_id: str = "") -> list[tuple[int, Brief]]:
        """Return the briefs in one language each, with the place of the brief in the order that
        each is of.
        """
        return [
            (place, one)
            for place, brief in enumerate(self.briefs)
            for one in brief.split_by_language(ids.derive_id("group", f"{batch_id} {place}"))
        ]

    @property
    def stored_key(self) -> str | None:
        """The Idempotency-Key in the namespace of the account's environment."""
        return idempotency.make_stored_key(
            self.account["environment"], self.account["creator"], self.key
        )

    @property
    def size(self) -> int:
        """The number of briefs, each counted once for each of its languages."""
        return sum(len(brief.languages) for brief in self.briefs)

    @property
    def digest(self) -> bytes:
        """Return the SHA-256 of mode, account and briefs, after that of the request: equal digests
        mean equal orders.
        """
        whole = hashlib.sha256(self.mode.encode())
        for brief in self.briefs:
            whole.update(brief.digest(self.account["id"]))
        return self.sent + whole.digest()

    def is_of(self, digest: bytes) -> bool:
        """Return whether a stored digest is of this order: earlier releases kept that of mode,
        account and briefs alone.
        """
        return digest in (self.digest, self.digest.removeprefix(self.sent))


def find_triggered(account: Account, key: str | None, sent: bytes, now: int) -> Batch | None:
    """Return the batch of an earlier request with the same ``key`` whose SHA-256 was ``sent``, if
    all of its briefs were handled; None: there is none.

    What the briefs are made of, such as a template, may have been changed since.
    """
    stored_key = idempotency.make_stored_key(account["environment"], account["creator"], key)
    batch = stored_key and _BY_KEY.row(partner_id=account["partner_id"], key=stored_key)
    if not batch or batch["created_at"] <= now - idempotency.LIFETIME:
        return None
    is_same = batch["handled_at"] is not None and bytes(batch["digest"]).startswith(sent)
    return batch if is_same else None


def trigger(order: Order, now: int) -> tuple[Batch, bool]:
    """Trigger the briefs of an order; return its batch, and whether it is that of an earlier
    request with the same key.

    A repetition of a request that was interrupted continues with the briefs that are missing.

    Raises:
        InvalidRequest: There is none, or there are more than :data:`MOST_ITEMS`.
        BatchRefused: The mode is ``atomic``, and a brief would be refused.
        IdempotencyKeyReused: The key was sent with another request.
    """
    if not 1 <= (size := order.size) <= MOST_ITEMS:
        message = (
            f"A batch has 1 to {MOST_ITEMS:,} items, each counted once for each of its languages; "
            f"this one has {size:,}."
        )
        raise InvalidRequest(message, fields={"items": [message]})
    with idempotency.lock_key(
        order.account["partner_id"], order.stored_key and f"batch {order.stored_key}"
    ):
        return _trigger_all(order, now) if order.mode == ATOMIC else _trigger_each(order, now)


def _trigger_all(order: Order, now: int) -> tuple[Batch, bool]:
    if earlier := _find_earlier(order, now):
        return earlier, True
    _check_pace(order, now)  # before the briefs are screened, which is most of the work
    _check_size(order)
    screenings = [_screen_brief(order, brief) for _, brief in order.list_briefs()]
    refused: dict[str, list[str]] = {}
    with db.transaction(partner=order.account["partner_id"]):
        batch, is_new = _begin_batch(order, now)
        if not is_new:
            return batch, True
        for position, ((place, brief), screening) in enumerate(
            zip(order.list_briefs(batch["id"]), screenings, strict=True)
        ):
            try:
                _trigger_one(order, batch, position, brief, screening, now)
            except ServiceError as refusal:
                refused[f"items[{place}]"] = [f"{refusal.code}: {refusal.message}"]
        if refused:
            raise BatchRefused(fields=refused)
        batch_rows.record_handled(batch["id"], now)
    return batch_rows.load_batch(batch["id"]), False


def _trigger_each(order: Order, now: int) -> tuple[Batch, bool]:
    with db.transaction(partner=order.account["partner_id"]):
        batch, is_new = _begin_batch(order, now)
    if not is_new and batch["handled_at"] is not None:
        return batch, True
    present = batch_rows.list_positions(batch["id"])
    for position, (_, brief) in enumerate(order.list_briefs(batch["id"])):
        if position in present:
            continue
        try:
            screening = _screen_brief(order, brief)
            with db.transaction(partner=order.account["partner_id"]):
                _trigger_one(order, batch, position, brief, screening, now)
        except ServiceError as refusal:
            if refusal.status >= 500:
                raise  # the same request, repeated, continues here
            with db.transaction(partner=order.account["partner_id"]):
                if isinstance(refusal, ConcurrencyLimitReached) and refusal.waiting_helps:
                    waiting_brief = {"brief": asdict(brief), "by_api": order.ttl_hours is not None}
                    batch_rows.add_waiting(
                        batch["id"],
                        position,
                        brief.external_id,
                        brief.topic,
                        json.dumps(waiting_brief),
                    )
                else:
                    batch_rows.add_refused(
                        batch["id"], position, brief.external_id, brief.topic, refusal
                    )
    with db.transaction(partner=order.account["partner_id"]):
        batch_rows.record_handled(batch["id"], now)
        batch_endings.finish_if_ended(batch["id"], now)  # all may have been refused
    return batch_rows.load_batch(batch["id"]), not is_new


def _begin_batch(order: Order, now: int) -> tuple[Batch, bool]:
    """Return the batch of the order, and whether it is new.

    Inside a transaction. RateLimitExceeded: too many briefs in a minute.
    """
    if earlier := _find_earlier(order, now):
        return earlier, False
    _check_pace(order, now)
    _remove_batches(
        _OVER,
        account=order.account["id"],
        before=now - idempotency.LIFETIME,
        kept=MOST_KEPT - 1,
        batch=2,
    )
    partner_id, batch_id = order.account["partner_id"], ids.make_id(now)
    _FREE_KEY.execute(partner_id=partner_id, key=order.stored_key)  # that of a batch of long ago
    _ADD.execute(
        id=batch_id,
        partner_id=partner_id,
        account_id=order.account["id"],
        mode=order.mode,
        idempotency_key=order.stored_key,
        digest=order.digest,
        size=order.size,
        correlation_id=order.correlation_id,
        created_at=now,
    )
    return batch_rows.load_batch(batch_id), True


def _find_earlier(order: Order, now: int) -> Batch | None:
    """Return the batch of an earlier request with the same key; None: there is none.

    IdempotencyKeyReused.
    """
    batch = (
        _BY_KEY.row(partner_id=order.account["partner_id"], key=order.stored_key)
        if order.key
        else None
    )
    if batch is None or batch["created_at"] <= now - idempotency.LIFETIME:
        return None
    if not order.is_of(bytes(batch["digest"])):
        raise IdempotencyKeyReused()
    return batch


def _check_pace(order: Order, now: int) -> None:
    """RateLimitExceeded: the account would have more than :data:`MOST_A_MINUTE` items in a minute,
    or `MOST_A_DAY` in a day.
    """
    of_account = {"account_id": order.account["id"], "latest": now + clock.SKEW}
    if _LATELY.value(**of_account, since=now - clock.MINUTE) + order.size > MOST_A_MINUTE:
        message = (
            f"The batches of an account may have {MOST_A_MINUTE:,} items in a minute; send this "
            "one again later."
        )
        raise RateLimitExceeded(message, retry_after=60)
    if _LATELY.value(**of_account, since=now - clock.DAY) + order.size > MOST_A_DAY:
        message = (
            f"The batches of an account may have {MOST_A_DAY:,} items in 24 hours; send this one "
            "again later."
        )
        raise RateLimitExceeded(message, retry_after=clock.HOUR // clock.SECOND)


def _check_size(order: Order) -> None:
    """BatchRefused: an atomic order is larger than a ceiling of concurrent productions,
    so that it never passes.
    """
    try:
        gates.check_concurrency_of_batch(
            briefs.find_account(order.briefs[0], order.account["id"]), order.size
        )
    except ConcurrencyLimitReached as refusal:
        message = (
            f"{refusal.message} Send the batch in parts, or with the mode {EACH}, whose rows wait "
            "for their places."
        )
        raise BatchRefused(message, fields={"items": [f"{refusal.code}: {message}"]}) from None


def _screen_brief(order: Order, brief: Brief) -> list[Screening]:
    return productions.screen_before_trigger(order.account["id"], brief, order.prices)


def _trigger_one(
    order: Order, batch: Batch, position: int, brief: Brief, screening: list[Screening], now: int
) -> None:
    """Trigger one brief, unless another request has taken its place. Inside a transaction."""
    if not batch_rows.enter_item(batch["id"], position, brief.external_id):
        return
    triggered = productions.trigger(
        order.account,
        brief,
        now,
        correlation_id=order.correlation_id,
        ttl_hours=order.ttl_hours,
        prices=order.prices,
        screenings=screening,
    )
    batch_rows.set_production(batch["id"], position, triggered.production_id)


def find(caller: Caller, batch_id: str) -> Batch:
    """Return a batch. NotFound: there is none that the key may address."""
    batch = batch_rows.find_addressed_batch(batch_id)
    if batch is None or not caller.reaches(
        batch["account_id"], batch["partner_id"], batch["environment"], batch["creator"]
    ):
        raise NotFound("There is no such batch among those that this key may address.")
    return batch


def cancel(batch: Batch, now: int, correlation_id: str) -> int:
    """Begin to cancel every production of a batch that has not ended; return how many there are.

    The engine goes on with what is more than a piece.
    """
    with db.transaction(partner=batch["partner_id"]):
        _CANCEL.execute(id=batch["id"], now=now, request=correlation_id)
        batch_rows.stop_waiting(batch["id"])
        number = batch_rows.count_open_productions(batch["id"])
        _cancel_piece(batch, correlation_id, now)
        wake.wake_on_commit()
    return number


def _cancel_piece(batch: Batch, correlation_id: str | None, now: int) -> None:
    """Request the cancel of the next productions of a batch. Inside a transaction."""
    for production_id in batch_rows.list_open_productions(batch["id"], ITEMS_IN_ONE_PIECE):
        if lifecycle.request_cancel(production_id, now, correlation_id):
            batch_rows.mark_stopped(batch["id"], production_id)
    if not batch_rows.count_open_productions(batch["id"]):
        _settle_batch(batch, CANCEL, now)


def resume(batch: Batch, now: int, correlation_id: str, ttl_hours: int, prices: Prices) -> None:
    """Trigger the productions again that the cancellation of their batch cancelled, each as a new
    one in its place.

    Each goes on from the script that it had, with what reviewers changed of it and their approval.
    What was cancelled by itself or rejected stays so. A piece of them is triggered here, and the
    first error of a gate is raised; the engine goes on with the rest, where the first error is
    entered at the item. An error ends it, and what was resumed before stays: the same call,
    repeated, goes on. ``ttl_hours``: of those that an API call triggered. BatchCancelling: its
    cancellation is not complete. BatchNotCancelled.
    """
    was_cancelled = batch["cancelled_at"] is not None or bool(
        batch_rows.list_stopped(batch["id"], 1)
    )
    # a call that is repeated after all is done finds nothing
    if not was_cancelled and not batch_rows.is_resumed(batch["id"]):
        raise BatchNotCancelled()
    if batch_rows.load_batch(batch["id"])["under_way"] == CANCEL or batch_rows.is_cancelling(
        batch["id"]
    ):
        raise BatchCancelling()
    with db.transaction(partner=batch["partner_id"]):
        if batch_rows.requeue_items(batch["id"]):
            _RESUMED.execute(id=batch["id"])
        # What is triggered first may end before the next one is: the batch has not ended then.
        _RESUME.execute(id=batch["id"], request=correlation_id)
    has_more = False
    try:
        has_more = _resume_piece(batch, now, correlation_id, ttl_hours, prices)
    finally:
        with db.transaction(partner=batch["partner_id"]):
            if has_more:
                # again, as the error of another request may have ended that meanwhile
                _RESUME.execute(id=batch["id"], request=correlation_id)
                wake.wake_on_commit()
            else:
                _settle_batch(batch, RESUME, now)


def _resume_piece(
    batch: Batch,
    now: int,
    correlation_id: str,
    ttl_hours: int,
    prices: Prices,
    moment: float | None = None,
) -> bool:
    """Trigger the next stopped productions of a batch again; return whether there are more.

    The first error of a gate is raised, and entered at its item. Busy: see ``db.transaction``.
    """
    for position, row in batch_rows.list_stopped(batch["id"], ITEMS_IN_ONE_PIECE):
        account = accounts.load_account(row["account_id"])
        brief = briefs.rebuild_brief(row, translations.find_awaited_source(row["id"]))
        try:
            screening = productions.screen_before_trigger(account["id"], brief, prices)
            with db.transaction(partner=batch["partner_id"], moment=moment):
                if batch_rows.load_batch(batch["id"])["under_way"] == CANCEL:
                    return False  # it was cancelled again meanwhile
                if not batch_rows.clear_item(batch["id"], position, row["id"]):
                    continue  # another request was faster
                triggered = productions.trigger(
                    account,
                    brief,
                    now,
                    correlation_id=correlation_id,
                    ttl_hours=ttl_hours if row["api_triggered"] else None,
                    prices=prices,
                    screenings=screening,
                )
                batch_rows.set_production(batch["id"], position, triggered.production_id)
                _RETRIED.execute(id=triggered.production_id, before=row["id"])
                script_review.take_over_script(row["id"], triggered.production_id)
                _RESUMED.execute(id=batch["id"])
        except ServiceError as refusal:
            if refusal.status < 500:
                with db.transaction(partner=batch["partner_id"], moment=moment):
                    batch_rows.record_not_resumed(batch["id"], position, refusal)
                    _settle_batch(batch, RESUME, now)
            raise
    return bool(batch_rows.list_stopped(batch["id"], 1))


def continue_batches(now: int, ttl_hours: int, prices: Prices) -> bool:
    """Go on with a piece of each batch that is being cancelled or resumed; return whether there is
    more to do.

    The engine calls it. It may end between any two statements: what was done is not found again,
    and the rest is.
    """
    has_more = False
    for batch in _UNDER_WAY.rows():
        with suppress(Busy):  # it is gone on with later, and the others now
            _continue_batch(batch, now, ttl_hours, prices)
            has_more = True
    return has_more


def _continue_batch(batch: Batch, now: int, ttl_hours: int, prices: Prices) -> None:
    """Go on with a piece of a batch. Busy: its partner's transactions are held up."""
    if batch["under_way"] == CANCEL:
        with db.transaction(partner=batch["partner_id"], moment=MOMENT):
            _cancel_piece(batch, batch["under_way_for"], now)
            wake.wake_on_commit()
        return
    correlation_id = batch["under_way_for"] or batch["correlation_id"]
    try:
        has_more = _resume_piece(batch, now, correlation_id, ttl_hours, prices, MOMENT)
    except ServiceError as refusal:
        if refusal.status >= 500:
            raise
        return  # it is entered at its item
    if not has_more:
        with db.transaction(partner=batch["partner_id"], moment=MOMENT):
            _settle_batch(batch, RESUME, now)


def trigger_waiting(now: int, ttl_hours: int, prices: Prices) -> None:
    """Trigger items that wait for a place, as many as there are places, those of the oldest batch
    first.

    The engine calls it. An item that another gate refuses by now is entered with its refusal, and
    the next one takes the place.
    """
    full: set[str] = set()  # accounts
    for batch in batch_rows.list_waiting():
        if batch["account_id"] in full:
            continue
        with suppress(Busy):
            if not _trigger_waiting(batch, now, ttl_hours, prices):
                full.add(batch["account_id"])


def _trigger_waiting(batch: Batch, now: int, ttl_hours: int, prices: Prices) -> bool:
    """Trigger a piece of the items of a batch that wait; return whether there may
    be places left.
    """
    account = accounts.load_account(batch["account_id"])
    for _ in range(ITEMS_IN_ONE_PIECE):
        if (item := batch_rows.find_next_waiting(batch["id"])) is None:
            return True
        position, waiting_brief = item[0], json.loads(item[1])
        brief = briefs.read(waiting_brief["brief"])
        try:
            # The ceilings are checked before the brief is screened, which is most of the work.
            gates.check_concurrency(briefs.find_account(brief, account["id"]))
            screening = productions.screen_before_trigger(account["id"], brief, prices)
            with db.transaction(partner=batch["partner_id"], moment=MOMENT):
                if batch_rows.take_from_queue(batch["id"], position):
                    triggered = productions.trigger(
                        account,
                        brief,
                        now,
                        correlation_id=batch["correlation_id"],
                        prices=prices,
                        screenings=screening,
                        ttl_hours=ttl_hours if waiting_brief["by_api"] else None,
                    )
                    batch_rows.set_production(batch["id"], position, triggered.production_id)
        except ServiceError as refusal:
            if refusal.status >= 500:
                raise
            if isinstance(refusal, ConcurrencyLimitReached) and refusal.waiting_helps:
                return False
            with db.transaction(partner=batch["partner_id"], moment=MOMENT):
                batch_rows.refuse_waiting(batch["id"], position, refusal)
                batch_endings.finish_if_ended(batch["id"], now)
    return True


def _settle_batch(batch: Batch, what: str, now: int) -> None:
    """Record that nothing is left to go on with: all of it may have ended meanwhile.

    Inside a transaction.
    """
    _SETTLE.execute(id=batch["id"], what=what)
    batch_endings.finish_if_ended(batch["id"], now)


def prune(before: int, latest: int = dates_ahead.NEVER, *, sandboxes: bool = False) -> None:
    """Remove batches that finished before ``before`` or after ``latest`` (ms), and those that were
    triggered then and interrupted; their productions stay.

    ``sandboxes``: only those of sandbox accounts.
    """
    accounts_of = [{"account": row["id"]} for row in _SANDBOXES.rows()] if sandboxes else [{}]
    for account in accounts_of:
        which = _OLD_OF_ACCOUNT if account else _OLD
        for after, until in ((-1, before), (latest, dates_ahead.NEVER)):
            values = {"after": after, "until": until, "before": before, "latest": latest, **account}
            # Usually there is none, and no transaction is needed.
            while after < until and which.rows(**values, batch=1):
                with db.transaction(durable=False):
                    _remove_batches(which, **values, batch=_PRUNED)


def _remove_batches(which: Prepared[Row], **values: Any) -> int:
    batch_ids = [row["id"] for row in which.rows(**values)]
    for statement in _REMOVE if batch_ids else ():
        statement.execute(ids=json.dumps(batch_ids))
    return len(batch_ids)
