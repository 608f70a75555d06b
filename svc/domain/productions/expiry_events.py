"""Tells partners of productions that expire soon, because nobody has reviewed their script or
translated their brief. Those that are closed can do neither, and are told of nothing.
"""

from contextlib import suppress

from svc.base import clock, states
from svc.domain import partner_status
from svc.domain.lifecycle.lifecycle import AWAITED
from svc.domain.productions import release_reminders
from svc.domain.tables.productions import Production
from svc.domain.webhooks import event_types, events
from svc.store.database import MOMENT, Busy, db
from svc.store.expressions import fn
from svc.store.models import productions as models
from svc.store.models.partners import Partner
from svc.store.models.webhooks import Event
from svc.store.queries import Prepared, slot

_MOST = 100  # that one call tells of
_PRODUCTION = models.Production
_TOLD, _BEGUN = Event.alias("told"), Event.alias("begun")
_OF_PRODUCTION = (_TOLD.production_id == _PRODUCTION.id) & (
    _TOLD.sequence > event_types.FURTHER_NUMBERS
)
# Each review begins with an event of its own; a translation is awaited before all of them.
_LATEST_REVIEW = _BEGUN.select(
    fn.coalesce(fn.max(_BEGUN.sequence), event_types.FURTHER_NUMBERS)
).where(
    _BEGUN.production_id == _PRODUCTION.id,
    _BEGUN.sequence > event_types.FURTHER_NUMBERS,
    _BEGUN.event_type == event_types.SCRIPT_READY.name,
)
_IS_TOLD = fn.EXISTS(
    _TOLD.select(_TOLD.sequence).where(
        _OF_PRODUCTION,
        _TOLD.event_type == event_types.PRODUCTION_EXPIRING.name,
        _TOLD.sequence > _LATEST_REVIEW,
    )
)
_DUE = _PRODUCTION.select().where(
    # as the condition of the index, so that SQLite uses it
    _PRODUCTION.status.in_(("Queued", "Producing", "AwaitingApproval")),
    _PRODUCTION.expires_at > slot("now"),
    _PRODUCTION.expires_at <= slot("until"),
    _PRODUCTION.cancel_token.is_null(),
    ((_PRODUCTION.status == states.PRODUCING) & (_PRODUCTION.review == AWAITED))
    | ((_PRODUCTION.status == states.QUEUED) & (_PRODUCTION.translation == AWAITED)),
    ~_IS_TOLD,
    ~fn.EXISTS(
        Partner.select(Partner.id).where(
            Partner.id == _PRODUCTION.partner_id, Partner.status == partner_status.CLOSED
        )
    ),
)
_LIST = Prepared(_DUE.order_by(_PRODUCTION.expires_at).limit(_MOST), Production)
_STILL = Prepared(_DUE.where(_PRODUCTION.id == slot("id")), Production)


def record_events(now: int, ttl_hours: int) -> int:
    """Tell of each production that expires soon and awaits its review or its translation, once for
    each of them, and return how many there were. Those of a partner whose transactions are held up
    are told of later.

    Args:
        ttl_hours: For how long a production may wait.
    """
    until, recorded = now + release_reminders.compute_ahead(ttl_hours), 0
    for row in _LIST.rows(now=now, until=until):
        with suppress(Busy), db.transaction(partner=row["partner_id"], moment=MOMENT):
            # it may have been approved, translated or cancelled meanwhile
            if still := _STILL.row(now=now, until=until, id=row["id"]):
                _record_event(still, now)
                recorded += 1
    return recorded


def _record_event(row: Production, now: int) -> None:
    data: event_types.ProductionExpiring = {
        "status": row["status"],
        "holdReason": (
            states.TRANSLATION if row["status"] == states.QUEUED else states.SCRIPT_REVIEW
        ),
        "expiresAt": clock.format_time(row["expires_at"]) or "",  # the query asks for one
    }
    events.record(row, event_types.PRODUCTION_EXPIRING, data, now)
