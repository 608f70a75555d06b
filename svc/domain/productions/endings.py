"""How productions end before they are published, and what every end does: step and publication rows, ledger, event."""

from typing import Any

from svc.base import states
from svc.domain.productions import lifecycle
from svc.domain.productions.lifecycle import Cause
from svc.domain.usage import counters as usage_counters
from svc.domain.usage import ledger
from svc.domain.webhooks import events
from svc.store import claims, database, wake


def fail(
    production_id: str, cause: Cause, code: str, message: str, now: int, *, token: str = "", failed_step: str | None = None
) -> bool:
    """Make the transition of ``cause`` to ``Failed``, with its event; False where it is not allowed now.

    ``token``: of the claim, where a step fails; ``failed_step``: its name.
    """
    with database.write():
        columns = {"error_code": code, "error_message": message, "failed_step": failed_step}
        moved = finish(production_id, cause, now, token, **columns)
        if moved is None:
            return False
        _close_publications(production_id, "Withdrawn")
        ledger.settle(production_id, _cost_of_unfinished(moved))
        data = {"status": states.FAILED, "errorCode": code, "errorMessage": message}
        events.record(moved, "production.failed", data, now)
    return True


def cancelling() -> list[str]:
    """The productions whose cancel is requested, those that wait longest first, at most a hundred."""
    sql = "SELECT id FROM productions WHERE cancel_token IS NOT NULL ORDER BY cancel_requested_at LIMIT 100"
    return [row["id"] for row in database.rows(sql)]


def finish_cancel(production_id: str, now: int) -> bool:
    """Complete a claimed cancel, once its work is stopped and its files are gone; whether it was still open."""
    with database.write():
        moved = finish(production_id, Cause.CANCELLED, now)
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
    message = "The production was not released before its expiresAt."
    return sum(fail(each["id"], Cause.EXPIRED, "EXPIRED", message, now) for each in due)


def finish(production_id: str, cause: Cause, now: int, token: str = "", **columns: Any) -> database.Row | None:
    """Make the transition of ``cause`` to a terminal status and count it; the row, or None where it is not allowed now.

    Inside write(). ``columns``: what else is set.
    """
    moved = lifecycle.move(production_id, cause, now, token, **columns)
    wake.on_commit()
    if not moved:
        return None
    row = database.one("SELECT * FROM productions WHERE id = ?", (production_id,))
    usage_counters.count_finished(row, now)
    return row


def _cost_of_unfinished(row: database.Row) -> int:
    """A production that ended early has cost its share of the steps that it completed; models are charged in full."""
    return int(ledger.price(row["id"]) * row["steps_complete"] // row["steps_total"])


def _close_publications(production_id: str, status: str) -> None:
    database.execute(
        f"UPDATE publications SET status = ?, {claims.FREED}, next_attempt_at = NULL "
        "WHERE production_id = ? AND status IN ('Pending', 'Publishing')",
        (status, production_id),
    )
