"""The end of batches: in the transaction that ends the last item, with the event that tells of
it.
"""

from contextlib import suppress

from svc.base import clock, states
from svc.domain.lifecycle import batch_rows
from svc.domain.lifecycle.batch_rows import Batch
from svc.domain.webhooks import event_types, outbox, subscriptions
from svc.store import wake
from svc.store.database import MOMENT, Busy, db
from svc.store.expressions import JOIN, fn, indexed
from svc.store.models import briefing as models
from svc.store.models.productions import Production
from svc.store.queries import Prepared, slot

_BATCH, _ITEM = models.Batch, models.BatchItem
_FINISH = Prepared(
    _BATCH.update(finished_at=slot("now"), completions=_BATCH.completions + 1)
    .where(_BATCH.id == slot("id"), _BATCH.finished_at.is_null())
    .returning(_BATCH.completions)
)
_LAST_OPEN = (
    _ITEM.select(_ITEM.position)
    .join(Production, JOIN.CROSS)
    .where(
        _ITEM.batch_id == _BATCH.id,
        Production.id == _ITEM.production_id,
        Production.status.not_in(tuple(sorted(states.TERMINAL_STATES))),
    )
    .order_by(_ITEM.position.desc())
    .limit(1)
)
_ENDED = (
    _BATCH.select()
    .where(
        _BATCH.finished_at.is_null(),
        _BATCH.handled_at.is_null(False),
        _BATCH.under_way.is_null(),
        # First, and by its index, which says so at once: what follows reads items, and those that
        # wait have their briefs in them.
        ~fn.EXISTS(
            _ITEM.select(_ITEM.position)
            .from_(indexed(_ITEM, "batch_items_waiting"))
            .where(_ITEM.batch_id == _BATCH.id, batch_rows.IS_WAITING)
        ),
        # The last ones are usually the last to end. EXISTS would have no order.
        fn.coalesce(_LAST_OPEN, -1) == -1,
    )
    .order_by(_BATCH.id)
    .limit(50)
)
_ENDED_OF_ALL = Prepared(_ENDED, Batch)
_ENDED_ONE = Prepared(_ENDED.where(_BATCH.id == slot("id")), Batch)
# An account may have many that are open, and one whose first item is the last to end is read whole.
_ENDED_WITH = Prepared(
    _ENDED.where(
        _BATCH.id.in_(
            _ITEM.select(_ITEM.batch_id).where(
                _ITEM.production_id == slot("production_id"),
                _ITEM.production_id.is_null(False),  # as the index has it
            )
        )
    ),
    Batch,
)


def finish_with(production_id: str, now: int) -> None:
    """Finish the batch of a production, if all of its items have ended; its subscribers hear of it.

    Inside a transaction of its partner, after the change that ended the production.
    """
    for batch in _ENDED_WITH.rows(production_id=production_id):
        _finish_batch(batch, now)


def finish_if_ended(batch_id: str, now: int) -> None:
    """Finish a batch, if all of its items have ended; its subscribers hear of it.

    Inside a transaction of its partner, after the change that may have ended the last item.
    """
    for batch in _ENDED_ONE.rows(id=batch_id):
        _finish_batch(batch, now)


def finish_ended(now: int) -> None:
    """Finish the batches of all that have ended and are still open, such as those whose last items
    two machines ended at the same moment, or an earlier release beside this one.
    """
    for batch in _ENDED_OF_ALL.rows():
        with suppress(Busy), db.transaction(partner=batch["partner_id"], moment=MOMENT):
            _finish_batch(batch, now)


def _finish_batch(batch: Batch, now: int) -> None:
    if ended := _FINISH.rows(id=batch["id"], now=now):
        _record_event(batch, ended[0]["completions"], now)


def _record_event(batch: Batch, completions: int, now: int) -> None:
    matches = subscriptions.find_matching(
        batch["partner_id"], batch["account_id"], event_types.BATCH_COMPLETED.name
    )
    if not matches:
        return
    data: event_types.BatchCompleted = {
        "batchId": batch["id"],
        "counts": batch_rows.count_items(batch),
    }
    outbox.enqueue(
        matches,
        {
            "eventType": event_types.BATCH_COMPLETED.name,
            "productionId": batch["id"],
            "accountId": batch["account_id"],
            "timestamp": clock.format_time(now),
            "sequenceNumber": completions,
            "correlationId": batch["correlation_id"],
            "truncated": False,
            "data": data,
        },
        now,
    )
    wake.wake_on_commit()
