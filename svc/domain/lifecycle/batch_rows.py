"""The rows of batches and their items, and how the API represents them."""

from typing import Any, TypedDict

from svc.base import clock, states
from svc.base.errors import NotFound, ServiceError
from svc.domain.paging import Page, page_newest_first
from svc.domain.tables.productions import Production
from svc.store.expressions import JOIN, SQL, Case, fn
from svc.store.models import briefing as models
from svc.store.models import productions
from svc.store.models.partners import Account
from svc.store.queries import Prepared, slot, slots


class Batch(TypedDict):
    """A row of ``batches``."""

    id: str
    partner_id: str
    account_id: str
    mode: str
    idempotency_key: str | None
    digest: bytes
    size: int
    correlation_id: str
    created_at: int
    handled_at: int | None
    cancelled_at: int | None
    finished_at: int | None
    under_way: str | None
    under_way_for: str | None
    completions: int


class AddressedBatch(Batch):
    """A batch with what decides who may address it."""

    environment: str
    creator: str | None


class Item(TypedDict):
    """A row of ``batch_items`` with the status of its production; None: it waits, was refused,
    or was removed.
    """

    position: int
    external_id: str | None
    production_id: str | None
    error_code: str | None
    error_message: str | None
    stopped: int
    brief: str | None
    status: str | None
    topic: str | None


CONCURRENCY_LIMIT = "ConcurrencyLimit"  # why an item waits, as productions have it in holdReason
_BATCH, _ITEM, _PRODUCTION = models.Batch, models.BatchItem, productions.Production
_FIND = Prepared(_BATCH.select().where(_BATCH.id == slot("id")), Batch)
_ADDRESSED = Prepared(
    _BATCH.select(_BATCH, Account.environment, Account.creator)
    .join(Account, on=Account.id == _BATCH.account_id)
    .where(_BATCH.id == slot("id")),
    AddressedBatch,
)
_PAGE = Prepared(
    page_newest_first(
        _BATCH.select().where(_BATCH.account_id == slot("account_id")), _BATCH.created_at, _BATCH.id
    ),
    Batch,
)
_HANDLED = Prepared(
    _BATCH.update(handled_at=fn.coalesce(_BATCH.handled_at, slot("now"))).where(
        _BATCH.id == slot("id")
    )
)
_OF_BATCH = _ITEM.batch_id == slot("batch_id")
_THIS_ITEM = _OF_BATCH & (_ITEM.position == slot("position"))
_ITEMS = Prepared(
    _ITEM.select(
        _ITEM.position,
        _ITEM.external_id,
        _ITEM.production_id,
        _ITEM.error_code,
        _ITEM.error_message,
        _ITEM.stopped,
        _ITEM.brief,
        _PRODUCTION.status,
        # An item has its own only as long as it has no production.
        fn.coalesce(_PRODUCTION.topic, _ITEM.topic).alias("topic"),
    )
    .join(_PRODUCTION, JOIN.LEFT_OUTER, on=_PRODUCTION.id == _ITEM.production_id)
    .where(_OF_BATCH, _ITEM.position > slot("after"))
    .order_by(_ITEM.position)
    .limit(slot("limit")),
    Item,
)
_HAS_BRIEF = _ITEM.brief.is_null(False)
IS_WAITING = _HAS_BRIEF & (_ITEM.stopped == 0)  # for a place; as the partial index has it
_WITHOUT_PRODUCTION = Case(
    None,
    [
        (IS_WAITING, "Waiting"),
        (_HAS_BRIEF, states.CANCELLED),
        (_ITEM.error_code.is_null(), "Removed"),
    ],
    "Refused",
)
_OUTCOME = fn.coalesce(_PRODUCTION.status, _WITHOUT_PRODUCTION)
_COUNTS = Prepared(
    _ITEM.select(_OUTCOME.alias("status"), fn.count(_ITEM.position).alias("number"))
    .join(_PRODUCTION, JOIN.LEFT_OUTER, on=_PRODUCTION.id == _ITEM.production_id)
    .where(_OF_BATCH)
    .group_by(SQL("1"))
)
_POSITIONS = Prepared(_ITEM.select(_ITEM.position).where(_OF_BATCH))
_WITH_PRODUCTION = (
    _ITEM.select(_ITEM.position, _ITEM.production_id)
    .join(_PRODUCTION, on=_PRODUCTION.id == _ITEM.production_id)
    .where(_OF_BATCH)
    .order_by(_ITEM.position)
)
_IS_OPEN = (
    _PRODUCTION.status.not_in(tuple(sorted(states.TERMINAL_STATES)))
    & _PRODUCTION.cancel_token.is_null()
)
_OPEN = Prepared(_WITH_PRODUCTION.where(_IS_OPEN).limit(slot("most")))
_NUMBER_OPEN = Prepared(
    _ITEM.select(fn.count(_ITEM.position))
    .join(_PRODUCTION, on=_PRODUCTION.id == _ITEM.production_id)
    .where(_OF_BATCH, _IS_OPEN)
)
_CANCELLING = Prepared(_WITH_PRODUCTION.where(_PRODUCTION.cancel_token.is_null(False)).limit(1))
_RESUMED = Prepared(_WITH_PRODUCTION.where(_PRODUCTION.retry_of.is_null(False)).limit(1))
_RETRY = _PRODUCTION.alias("retry")
_STOPPED = Prepared(
    _WITH_PRODUCTION.where(
        _ITEM.stopped == 1,
        _PRODUCTION.status == states.CANCELLED,
        ~fn.EXISTS(_RETRY.select(_RETRY.id).where(_RETRY.retry_of == _PRODUCTION.id)),
    ).limit(slot("most"))
)
_FIND_PRODUCTION = Prepared(_PRODUCTION.select().where(_PRODUCTION.id == slot("id")), Production)
_TAKE = Prepared(_ITEM.insert(slots("batch_id", "position", "external_id")).on_conflict("nothing"))
_REFUSE = Prepared(
    _ITEM.insert(
        slots("batch_id", "position", "external_id", "error_code", "error_message", "topic")
    ).on_conflict("nothing")
)
_WAIT = Prepared(
    _ITEM.insert(slots("batch_id", "position", "external_id", "brief", "topic")).on_conflict(
        "nothing"
    )
)
_WAITING = Prepared(
    _BATCH.select()
    .where(
        _BATCH.under_way.is_null(), _BATCH.id.in_(_ITEM.select(_ITEM.batch_id).where(IS_WAITING))
    )
    .order_by(_BATCH.id),
    Batch,
)
_NEXT_WAITING = Prepared(
    _ITEM.select(_ITEM.position, _ITEM.brief)
    .where(_OF_BATCH, IS_WAITING)
    .order_by(_ITEM.position)
    .limit(1)
)
_PLACE = Prepared(_ITEM.update(brief=None).where(_THIS_ITEM, IS_WAITING))
_REFUSE_WAITING = Prepared(
    _ITEM.update(
        brief=None, error_code=slot("error_code"), error_message=slot("error_message")
    ).where(_THIS_ITEM, IS_WAITING)
)
_STOP_WAITING = Prepared(_ITEM.update(stopped=1).where(_OF_BATCH, _HAS_BRIEF))
_WAIT_AGAIN = Prepared(_ITEM.update(stopped=0).where(_OF_BATCH, _HAS_BRIEF, _ITEM.stopped == 1))
_SET_PRODUCTION = Prepared(_ITEM.update(slots("production_id") | {"topic": None}).where(_THIS_ITEM))
_STOP = Prepared(
    _ITEM.update(stopped=1).where(_OF_BATCH, _ITEM.production_id == slot("production_id"))
)
_CLEAR = Prepared(
    _ITEM.update(production_id=None, error_code=None, error_message=None, stopped=0).where(
        _THIS_ITEM,
        _ITEM.production_id == slot("production_id"),
        fn.EXISTS(_PRODUCTION.select(SQL("1")).where(_PRODUCTION.id == slot("production_id"))),
    )
)
_NOT_RESUMED = Prepared(_ITEM.update(slots("error_code", "error_message")).where(_THIS_ITEM))
COUNTED_STATES = (
    "refused",
    "waiting",
    "queued",
    "producing",
    "awaitingApproval",
    "distributing",
    "published",
    "failed",
    "cancelled",
    "removed",
)


def load_batch(batch_id: str) -> Batch:
    """Return a batch. NotFound: it was removed meanwhile, as its time had passed."""
    batch = _FIND.row(id=batch_id)
    if batch is None:
        raise NotFound("The batch was removed meanwhile, as its time had passed.")
    return batch


def find_addressed_batch(batch_id: str) -> AddressedBatch | None:
    """Return a batch with its account's environment and creator; None: there is none."""
    return _ADDRESSED.row(id=batch_id)


def enter_item(batch_id: str, position: int, external_id: str | None) -> bool:
    """Enter an item, and return whether it was not there yet. Inside a transaction."""
    return bool(_TAKE.execute(batch_id=batch_id, position=position, external_id=external_id))


def set_production(batch_id: str, position: int, production_id: str) -> None:
    _SET_PRODUCTION.execute(batch_id=batch_id, position=position, production_id=production_id)


def add_refused(
    batch_id: str, position: int, external_id: str | None, topic: str, refusal: ServiceError
) -> None:
    """Enter an item whose brief was refused. Inside a transaction."""
    _REFUSE.execute(
        batch_id=batch_id,
        position=position,
        external_id=external_id,
        error_code=refusal.code,
        error_message=refusal.message,
        topic=topic,
    )


def add_waiting(
    batch_id: str, position: int, external_id: str | None, topic: str, brief: str
) -> None:
    """Enter an item that waits for a place, with its ``brief``. Inside a transaction."""
    _WAIT.execute(
        batch_id=batch_id, position=position, external_id=external_id, brief=brief, topic=topic
    )


def list_waiting() -> list[Batch]:
    """Return the batches with items that wait for a place, the oldest first."""
    return _WAITING.rows()


def find_next_waiting(batch_id: str) -> tuple[int, str] | None:
    """Return the position and the brief of the first item that waits for a place;
    None: there is none.
    """
    item = _NEXT_WAITING.row(batch_id=batch_id)
    return (item["position"], item["brief"]) if item else None


def take_from_queue(batch_id: str, position: int) -> bool:
    """Take an item that waits out of the queue, and return whether it still waited.

    Inside a transaction.
    """
    return bool(_PLACE.execute(batch_id=batch_id, position=position))


def refuse_waiting(batch_id: str, position: int, refusal: ServiceError) -> None:
    """Enter why an item that waited was refused. Inside a transaction."""
    _REFUSE_WAITING.execute(
        batch_id=batch_id, position=position, error_code=refusal.code, error_message=refusal.message
    )


def stop_waiting(batch_id: str) -> None:
    """Let no item of a cancelled batch wait any more. Inside a transaction."""
    _STOP_WAITING.execute(batch_id=batch_id)


def requeue_items(batch_id: str) -> bool:
    """Let the items wait that waited when their batch was cancelled; return whether there were any.

    Inside a transaction.
    """
    return bool(_WAIT_AGAIN.execute(batch_id=batch_id))


def record_handled(batch_id: str, now: int) -> None:
    """Record that every item was accepted or refused. Inside a transaction."""
    _HANDLED.execute(id=batch_id, now=now)


def list_positions(batch_id: str) -> set[int]:
    """Return the positions of the items that are there."""
    return {row["position"] for row in _POSITIONS.rows(batch_id=batch_id)}


def list_open_productions(batch_id: str, most: int) -> list[str]:
    """Return the ids of the first productions of a batch that have not ended and are
    not being cancelled.
    """
    return [row["production_id"] for row in _OPEN.rows(batch_id=batch_id, most=most)]


def count_open_productions(batch_id: str) -> int:
    """Return how many productions of a batch have not ended and are not being cancelled."""
    return int(_NUMBER_OPEN.value(batch_id=batch_id))


def is_cancelling(batch_id: str) -> bool:
    """Return whether a production of a batch is being cancelled."""
    return _CANCELLING.row(batch_id=batch_id) is not None


def mark_stopped(batch_id: str, production_id: str) -> None:
    """Record that the cancellation of the batch cancels a production, which can then be resumed.

    Inside a transaction.
    """
    _STOP.execute(batch_id=batch_id, production_id=production_id)


def is_resumed(batch_id: str) -> bool:
    """Return whether a production of a batch is one that was triggered again."""
    return _RESUMED.row(batch_id=batch_id) is not None


def list_stopped(batch_id: str, most: int) -> list[tuple[int, Production]]:
    """Return the first productions that the batch's cancellation cancelled and nobody triggered
    again, with their places.
    """
    stopped = _STOPPED.rows(batch_id=batch_id, most=most)
    found = ((row["position"], _FIND_PRODUCTION.row(id=row["production_id"])) for row in stopped)
    # Retention may have removed one since.
    return [(position, production) for position, production in found if production is not None]


def clear_item(batch_id: str, position: int, production_id: str) -> bool:
    """Take a production out of its item; return False if the item has another one, or retention
    has removed the production.

    Inside a transaction.
    """
    return bool(_CLEAR.execute(batch_id=batch_id, position=position, production_id=production_id))


def record_not_resumed(batch_id: str, position: int, refusal: ServiceError) -> None:
    """Enter why a cancelled production was not triggered again. Inside a transaction."""
    _NOT_RESUMED.execute(
        batch_id=batch_id, position=position, error_code=refusal.code, error_message=refusal.message
    )


def list_page(account_id: str, page: Page) -> dict[str, Any]:
    """Return a page of an account's batches, newest first."""
    return page.make_envelope(_PAGE.rows(account_id=account_id, **page.params), represent)


def list_items(batch: Batch, page: Page) -> dict[str, Any]:
    """Return a page of a batch's items, in their order."""
    after = -1 if page.is_first else page.after[0]
    listed = _ITEMS.rows(batch_id=batch["id"], after=after, limit=page.limit + 1)
    return page.make_envelope(
        listed, _represent_item, key=lambda row: (row["position"], batch["id"])
    )


def represent(batch: Batch) -> dict[str, Any]:
    """Return a batch as the API represents it."""
    return {
        "batchId": batch["id"],
        "accountId": batch["account_id"],
        "mode": batch["mode"],
        "status": "Finished" if batch["finished_at"] else "Open",
        "size": batch["size"],
        "counts": count_items(batch),
        "createdAt": clock.format_time(batch["created_at"]),
        "cancelRequestedAt": clock.format_time(batch["cancelled_at"]),
        "finishedAt": clock.format_time(batch["finished_at"]),
    }


def count_items(batch: Batch) -> dict[str, int]:
    """Return how many items of a batch are in each state, and how many have not
    been handled yet.
    """
    numbers = {row["status"]: row["number"] for row in _COUNTS.rows(batch_id=batch["id"])}
    named = {name: numbers.get(f"{name[0].upper()}{name[1:]}", 0) for name in COUNTED_STATES}
    return {**named, "pending": batch["size"] - sum(numbers.values())}


def _represent_item(row: Item) -> dict[str, Any]:
    error = (
        {"error": row["error_code"], "message": row["error_message"]} if row["error_code"] else None
    )
    waits = row["brief"] is not None and not row["stopped"]
    cancelled = states.CANCELLED if row["brief"] is not None and row["stopped"] else None
    return {
        "position": row["position"],
        "externalId": row["external_id"],
        "topic": row["topic"],
        "productionId": row["production_id"],
        "status": row["status"] or cancelled,
        "holdReason": CONCURRENCY_LIMIT if waits else None,
        "refusal": error,
    }
