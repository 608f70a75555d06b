"""The rows of batches and their items, and how the API represents them."""

from typing import Any, TypedDict

from svc.base import clock, states
from svc.base.errors import ServiceError
from svc.domain import rows
from svc.domain.paging import Page
from svc.domain.tables.productions import Production
from svc.store import database


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
    """A row of ``batch_items`` with the status of its production; None: it waits, was refused, or was removed."""

    position: int
    external_id: str | None
    production_id: str | None
    error_code: str | None
    error_message: str | None
    stopped: int
    brief: str | None
    status: str | None


CONCURRENCY_LIMIT = "ConcurrencyLimit"  # why an item waits, as productions have it in holdReason
_ADDRESSED = "SELECT b.*, a.environment, a.creator FROM batches b JOIN accounts a ON a.id = b.account_id WHERE b.id = ?"
_PAGE = """
    SELECT * FROM batches WHERE account_id = :account AND (created_at, id) < (:created, :id)
    ORDER BY created_at DESC, id DESC LIMIT :limit
"""
_ITEMS = """
    SELECT i.*, p.status FROM batch_items i LEFT JOIN productions p ON p.id = i.production_id
    WHERE i.batch_id = :batch AND i.position > :after ORDER BY i.position LIMIT :limit
"""
_COUNTS = """
    SELECT coalesce(p.status, CASE WHEN i.brief IS NOT NULL AND i.stopped = 0 THEN 'Waiting'
                                   WHEN i.brief IS NOT NULL THEN 'Cancelled'
                                   WHEN i.error_code IS NULL THEN 'Removed' ELSE 'Refused' END) AS status, count(*) AS number
    FROM batch_items i LEFT JOIN productions p ON p.id = i.production_id WHERE i.batch_id = ? GROUP BY 1
"""
_OPEN = f"""
    FROM batch_items i JOIN productions p ON p.id = i.production_id
    WHERE i.batch_id = ? AND p.status NOT IN {tuple(sorted(states.TERMINAL))} AND p.cancel_token IS NULL
"""
_CANCELLING = """
    SELECT 1 FROM batch_items i JOIN productions p ON p.id = i.production_id
    WHERE i.batch_id = ? AND p.cancel_token IS NOT NULL LIMIT 1
"""
_STOPPED = f"""
    SELECT i.position, p.id FROM batch_items i JOIN productions p ON p.id = i.production_id
    WHERE i.batch_id = ? AND i.stopped = 1 AND p.status = '{states.CANCELLED}'
      AND NOT EXISTS (SELECT 1 FROM productions r WHERE r.retry_of = p.id)
    ORDER BY i.position LIMIT ?
"""
_RESUMED = """
    SELECT 1 FROM batch_items i JOIN productions p ON p.id = i.production_id WHERE i.batch_id = ? AND p.retry_of IS NOT NULL
    LIMIT 1
"""
_TAKE = "INSERT INTO batch_items (batch_id, position, external_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_REFUSE = """
    INSERT INTO batch_items (batch_id, position, external_id, error_code, error_message) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
"""
_WAIT = """
    INSERT INTO batch_items (batch_id, position, external_id, brief) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
"""
_WAITING = """
    SELECT * FROM batches b WHERE under_way IS NULL AND EXISTS (
        SELECT 1 FROM batch_items i WHERE i.batch_id = b.id AND i.brief IS NOT NULL AND i.stopped = 0
    ) ORDER BY id
"""
_NEXT_WAITING = """
    SELECT position, brief FROM batch_items WHERE batch_id = ? AND brief IS NOT NULL AND stopped = 0 ORDER BY position LIMIT 1
"""
_PLACE = """
    UPDATE batch_items SET brief = NULL WHERE batch_id = ? AND position = ? AND brief IS NOT NULL AND stopped = 0
"""
_REFUSE_WAITING = """
    UPDATE batch_items SET brief = NULL, error_code = ?, error_message = ?
    WHERE batch_id = ? AND position = ? AND brief IS NOT NULL AND stopped = 0
"""
COUNTED = (
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


def one(batch_id: str) -> Batch:
    return rows.one(Batch, "SELECT * FROM batches WHERE id = ?", (batch_id,))


def addressed(batch_id: str) -> AddressedBatch | None:
    """Return a batch with its account's environment and creator; None: there is none."""
    return rows.first(AddressedBatch, _ADDRESSED, (batch_id,))


def take(batch_id: str, position: int, external_id: str | None) -> bool:
    """Enter an item, and return whether it was not there yet. Inside write()."""
    return bool(database.execute(_TAKE, (batch_id, position, external_id)))


def set_production(batch_id: str, position: int, production_id: str) -> None:
    sql = "UPDATE batch_items SET production_id = ? WHERE batch_id = ? AND position = ?"
    database.execute(sql, (production_id, batch_id, position))


def add_refused(batch_id: str, position: int, external_id: str | None, refusal: ServiceError) -> None:
    """Enter an item that was refused. Inside write()."""
    database.execute(_REFUSE, (batch_id, position, external_id, refusal.code, refusal.message))


def add_waiting(batch_id: str, position: int, external_id: str | None, brief: str) -> None:
    """Enter an item that waits for a place, with its ``brief``. Inside write()."""
    database.execute(_WAIT, (batch_id, position, external_id, brief))


def waiting() -> list[Batch]:
    """Return the batches with items that wait for a place, the oldest first."""
    return rows.every(Batch, _WAITING)


def next_waiting(batch_id: str) -> tuple[int, str] | None:
    """Return the position and the brief of the first item that waits for a place; None: there is none."""
    found = database.row(_NEXT_WAITING, (batch_id,))
    return (found["position"], found["brief"]) if found else None


def place(batch_id: str, position: int) -> bool:
    """Take an item that waits out of the queue, and return whether it still waited. Inside write()."""
    return bool(database.execute(_PLACE, (batch_id, position)))


def refuse_waiting(batch_id: str, position: int, refusal: ServiceError) -> None:
    """Enter why an item that waited was refused. Inside write()."""
    database.execute(_REFUSE_WAITING, (refusal.code, refusal.message, batch_id, position))


def stop_waiting(batch_id: str) -> None:
    """Let no item of a cancelled batch wait any more. Inside write()."""
    database.execute("UPDATE batch_items SET stopped = 1 WHERE batch_id = ? AND brief IS NOT NULL", (batch_id,))


def wait_again(batch_id: str) -> bool:
    """Let the items wait that waited when their batch was cancelled; return whether there were any. Inside write()."""
    sql = "UPDATE batch_items SET stopped = 0 WHERE batch_id = ? AND brief IS NOT NULL AND stopped = 1"
    return bool(database.execute(sql, (batch_id,)))


def handled(batch_id: str, now: int) -> None:
    """Record that every item was accepted or refused. Inside write()."""
    database.execute("UPDATE batches SET handled_at = coalesce(handled_at, ?) WHERE id = ?", (now, batch_id))


def positions(batch_id: str) -> set[int]:
    """Return the positions of the items that are there."""
    return {row["position"] for row in database.rows("SELECT position FROM batch_items WHERE batch_id = ?", (batch_id,))}


def open_productions(batch_id: str, most: int) -> list[str]:
    """Return the ids of the first productions of a batch that have not ended and are not being cancelled."""
    found = database.rows(f"SELECT i.production_id {_OPEN} ORDER BY i.position LIMIT ?", (batch_id, most))
    return [row["production_id"] for row in found]


def number_open(batch_id: str) -> int:
    """Return how many productions of a batch have not ended and are not being cancelled."""
    number: int = database.one(f"SELECT count(*) {_OPEN}", (batch_id,))[0]
    return number


def is_cancelling(batch_id: str) -> bool:
    """Return whether a production of a batch is being cancelled."""
    return database.row(_CANCELLING, (batch_id,)) is not None


def stop(batch_id: str, production_id: str) -> None:
    """Record that the cancellation of the batch cancels a production, which can then be resumed. Inside write()."""
    sql = "UPDATE batch_items SET stopped = 1 WHERE batch_id = ? AND production_id = ?"
    database.execute(sql, (batch_id, production_id))


def is_resumed(batch_id: str) -> bool:
    """Return whether a production of a batch is one that was triggered again."""
    return database.row(_RESUMED, (batch_id,)) is not None


def stopped(batch_id: str, most: int) -> list[tuple[int, Production]]:
    """Return the first productions that the batch's cancellation cancelled and nobody triggered again, with their places."""
    found = database.rows(_STOPPED, (batch_id, most))
    return [(row["position"], rows.one(Production, "SELECT * FROM productions WHERE id = ?", (row["id"],))) for row in found]


def clear(batch_id: str, position: int, production_id: str) -> bool:
    """Take a production out of its item; return False if the item has another one. Inside write()."""
    sql = """
        UPDATE batch_items SET production_id = NULL, error_code = NULL, error_message = NULL, stopped = 0
        WHERE batch_id = ? AND position = ? AND production_id = ?
    """
    return bool(database.execute(sql, (batch_id, position, production_id)))


def not_resumed(batch_id: str, position: int, refusal: ServiceError) -> None:
    """Enter why a cancelled production was not triggered again. Inside write()."""
    sql = "UPDATE batch_items SET error_code = ?, error_message = ? WHERE batch_id = ? AND position = ?"
    database.execute(sql, (refusal.code, refusal.message, batch_id, position))


def page(account_id: str, page: Page) -> dict[str, Any]:
    """Return a page of an account's batches, newest first."""
    return page.envelope(rows.every(Batch, _PAGE, {"account": account_id, **page.params}), view)


def items(batch: Batch, page: Page) -> dict[str, Any]:
    """Return a page of a batch's items, in their order."""
    after = -1 if page.is_first else page.after[0]
    listed = rows.every(Item, _ITEMS, {"batch": batch["id"], "after": after, "limit": page.limit + 1})
    return page.envelope(listed, _item, key=lambda row: (row["position"], batch["id"]))


def view(batch: Batch) -> dict[str, Any]:
    """Return a batch as the API represents it."""
    return {
        "batchId": batch["id"],
        "accountId": batch["account_id"],
        "mode": batch["mode"],
        "status": "Finished" if batch["finished_at"] else "Open",
        "size": batch["size"],
        "counts": counts(batch),
        "createdAt": clock.text(batch["created_at"]),
        "cancelRequestedAt": clock.text(batch["cancelled_at"]),
        "finishedAt": clock.text(batch["finished_at"]),
    }


def counts(batch: Batch) -> dict[str, int]:
    """Return how many items of a batch are in each state, and how many have not been handled yet."""
    found = {row["status"]: row["number"] for row in database.rows(_COUNTS, (batch["id"],))}
    named = {name: found.get(f"{name[0].upper()}{name[1:]}", 0) for name in COUNTED}
    return {**named, "pending": batch["size"] - sum(found.values())}


def _item(row: Item) -> dict[str, Any]:
    error = {"error": row["error_code"], "message": row["error_message"]} if row["error_code"] else None
    waits = row["brief"] is not None and not row["stopped"]
    cancelled = states.CANCELLED if row["brief"] is not None and row["stopped"] else None
    return {
        "position": row["position"],
        "externalId": row["external_id"],
        "productionId": row["production_id"],
        "status": row["status"] or cancelled,
        "holdReason": CONCURRENCY_LIMIT if waits else None,
        "refusal": error,
    }
