"""How productions end before they are published, and what every end does: status, step and publication rows, ledger, event."""

from typing import Any

from svc.base import states
from svc.domain import events, ledger, usage
from svc.store import database, wake


def fail(production_id: str, expected: tuple[str, ...], code: str, message: str, now: int) -> bool:
    """Move a production from one of the ``expected`` states to ``Failed`` with its event; whether it was in one of them."""
    with database.write():
        moved = finish(production_id, states.FAILED, expected, now, error_code=code, error_message=message)
        if moved is None:
            return False
        _close_publications(production_id, "Withdrawn")
        ledger.settle(production_id, _cost_of_unfinished(moved))
        data = {"status": states.FAILED, "errorCode": code, "errorMessage": message}
        events.record(moved, "production.failed", data, now)
    return True


def finish_cancel(production_id: str, now: int) -> bool:
    """Complete a claimed cancel, once its work is stopped and its files are gone; whether it was still open."""
    with database.write():
        moved = finish(production_id, states.CANCELLED, states.OPEN, now)
        if moved is None:
            return False
        database.execute(
            "UPDATE production_steps SET status = 'Cancelled' WHERE production_id = ? AND status = 'Running'",
            (production_id,),
        )
        _close_publications(production_id, "Withdrawn")
        ledger.settle(production_id, _cost_of_unfinished(moved))
        data, cause = {"status": states.CANCELLED}, moved["cancel_correlation_id"]
        events.record(moved, "production.cancelled", data, now, correlation_id=cause)
    return True


def expire(now: int) -> int:
    """Fail what was not distributed by its ``expiresAt``; how many."""
    due = database.rows(
        "SELECT id FROM productions WHERE expires_at <= ? AND status IN ('Queued', 'Producing', 'AwaitingApproval') "
        "AND released_at IS NULL LIMIT 100",
        (now,),
    )
    expected = (states.QUEUED, states.PRODUCING, states.AWAITING_APPROVAL)
    message = "The production was not released before its expiresAt."
    return sum(fail(each["id"], expected, "EXPIRED", message, now) for each in due)


def finish(production_id: str, to: str, expected: tuple[str, ...], now: int, **columns: Any) -> database.Row | None:
    """Move a production to a terminal state and count it; its row, or None if it was in none of the ``expected`` states.

    Inside write(). A production that is being cancelled can only become ``Cancelled``. ``columns``: what else is set.
    """
    marks = ", ".join("?" * len(expected))
    extra = "".join(f", {name} = ?" for name in columns)
    moved = database.execute(
        f"""UPDATE productions SET status = ?, finished_at = ?, updated_at = max(?, updated_at + 1),
                claim_token = NULL, claim_boot = NULL,
                claim_until = NULL, cancel_token = NULL{extra}
            WHERE id = ? AND status IN ({marks}) AND cancel_token IS {"NOT NULL" if to == states.CANCELLED else "NULL"}""",
        (to, now, now, *columns.values(), production_id, *expected),
    )
    wake.on_commit()
    if not moved:
        return None
    row = database.one("SELECT * FROM productions WHERE id = ?", (production_id,))
    usage.count_finished(row, now)
    return row


def _cost_of_unfinished(row: database.Row) -> int:
    """A production that ended early has cost its share of the steps that it completed; models are charged in full."""
    return int(ledger.price(row["id"]) * row["steps_complete"] // row["steps_total"])


def _close_publications(production_id: str, status: str) -> None:
    database.execute(
        "UPDATE publications SET status = ?, claim_token = NULL, claim_boot = NULL, claim_until = NULL, "
        "next_attempt_at = NULL WHERE production_id = ? AND status IN ('Pending', 'Publishing')",
        (status, production_id),
    )
