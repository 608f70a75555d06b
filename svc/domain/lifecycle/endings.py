"""The terminal transitions of productions, with their effects: step and publication rows, ledger,
usage counters, event.
"""

from contextlib import suppress
from typing import Any

from svc.base import states
from svc.domain import file_removal
from svc.domain.lifecycle import (
    batch_endings,
    deliverables,
    lifecycle,
    script_review,
    settled_briefs,
)
from svc.domain.lifecycle.lifecycle import NO_CLAIM, Cause
from svc.domain.tables.productions import Production
from svc.domain.usage import counters as usage_counters
from svc.domain.usage import ledger
from svc.domain.webhooks import event_types, events
from svc.domain.webhooks.event_types import Data, EventType
from svc.store import claims, wake
from svc.store.database import MOMENT, Busy, db
from svc.store.models import productions as models
from svc.store.models.publishing import Publication
from svc.store.queries import Prepared, slot

_PRODUCTION, _STEP = models.Production, models.ProductionStep
_FIND = Prepared(_PRODUCTION.select().where(_PRODUCTION.id == slot("id")), Production)
_CANCELLING = Prepared(
    _PRODUCTION.select(_PRODUCTION.id)
    .where(_PRODUCTION.cancel_token.is_null(False))
    .order_by(_PRODUCTION.cancel_requested_at)
    .limit(100)
)
_EXPIRED = Prepared(
    _PRODUCTION.select(_PRODUCTION.id)
    .where(
        _PRODUCTION.expires_at <= slot("now"),
        _PRODUCTION.status.in_(("Queued", "Producing", "AwaitingApproval")),
        _PRODUCTION.released_at.is_null(),
    )
    .limit(100)
)
_CANCEL_STEP = Prepared(
    _STEP.update(status="Cancelled").where(
        _STEP.production_id == slot("production_id"), _STEP.status.in_(("Pending", "Running"))
    )
)
_WITHDRAW_PUBLICATIONS = Prepared(
    Publication.update(status="Withdrawn", next_attempt_at=None, **claims.UNCLAIMED).where(
        Publication.production_id == slot("production_id"),
        Publication.status.in_(("Pending", "Publishing")),
    )
)


def fail_production(
    production_id: str,
    cause: Cause,
    code: str,
    message: str,
    now: int,
    *,
    token: str = NO_CLAIM,
    failed_step: str | None = None,
    moment: float | None = None,
) -> bool:
    """Make the transition of ``cause`` to ``Failed``, with its event, and return whether it was
    allowed. Busy: see ``moment``.

    Args:
        token: Of the claim, if a step failed.
        failed_step: The name of that step.
        moment: The seconds to wait for the partner's turn; None: as long as for any lock.
    """
    with db.transaction(partner=lifecycle.find_partner(production_id), moment=moment):
        columns = {"error_code": code, "error_message": message, "failed_step": failed_step}
        moved = end_production(production_id, cause, now, token, **columns)
        if moved is None:
            return False
        if not deliverables.has_files(production_id):  # such as those of the revision before
            file_removal.forget_productions([production_id], now)
        _WITHDRAW_PUBLICATIONS.execute(production_id=production_id)
        ledger.settle(production_id, _cost_of_unfinished(moved))
        failed: event_types.ProductionFailed = {
            "status": states.FAILED,
            "errorCode": code,
            "errorMessage": message,
        }
        record_end(moved, event_types.PRODUCTION_FAILED, failed, now)
    return True


def list_cancelling() -> list[str]:
    """Return the ids of at most 100 productions whose cancel is requested,
    the oldest request first.
    """
    return [row["id"] for row in _CANCELLING.rows()]


def finish_cancel(production_id: str, now: int) -> bool:
    """Complete a requested cancel, after its step was stopped; return whether it was still open.

    The rows of its files go with it, and svc.domain.file_removal then has the files.
    """
    with db.transaction(partner=lifecycle.find_partner(production_id)):
        moved = end_production(production_id, Cause.CANCELLED, now)
        if moved is None:
            return False
        _CANCEL_STEP.execute(production_id=production_id)
        file_removal.forget_productions([production_id], now)
        _WITHDRAW_PUBLICATIONS.execute(production_id=production_id)
        ledger.settle(production_id, _cost_of_unfinished(moved))
        cancelled: event_types.ProductionCancelled = {"status": states.CANCELLED}
        cause = moved["cancel_correlation_id"]
        record_end(moved, event_types.PRODUCTION_CANCELLED, cancelled, now, cause)
    return True


def expire_unreleased(now: int) -> int:
    """Fail productions that were not released by their ``expiresAt``, at most 100,
    and return their number. Those of a partner whose transactions are held up are left for later.
    """
    message, failed = "The production was not released before its expiresAt.", 0
    for row in _EXPIRED.rows(now=now):
        with suppress(Busy):
            failed += fail_production(
                row["id"], Cause.EXPIRED, "EXPIRED", message, now, moment=MOMENT
            )
    return failed


def end_production(
    production_id: str, cause: Cause, now: int, token: str = NO_CLAIM, **columns: Any
) -> Production | None:
    """Make the transition of ``cause`` to a terminal status and count it; return the row, or None
    if it is not allowed.

    Inside a transaction. ``columns``: other columns to set.
    """
    moved = lifecycle.move(production_id, cause, now, token, **columns)
    wake.wake_on_commit()
    if not moved:
        return None
    row = _FIND.one(id=production_id)
    script_review.forget_written_script(production_id)
    settled_briefs.forget_settings(production_id)
    usage_counters.count_finished(row, now)
    return row


def record_end(
    moved: Production,
    event_type: EventType[Data],
    data: Data,
    now: int,
    correlation_id: str | None = None,
) -> None:
    """Record the event of an end, and finish the batch of which the production was the last to end.

    Inside its transaction. ``correlation_id``: of the causing request; None: the production's.
    """
    events.record(moved, event_type, data, now, correlation_id=correlation_id)
    batch_endings.finish_with(moved["id"], now)


def _cost_of_unfinished(row: Production) -> int:
    """Return what a production that ended early costs: its price by completed steps,
    and all model charges.
    """
    return int(ledger.find_price(row["id"]) * row["steps_complete"] // row["steps_total"])
