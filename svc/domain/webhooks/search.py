"""The search in a subscription's deliveries by state, production and time, newest first, with the last attempt."""

from typing import Any

from svc.base import states
from svc.base.errors import NotFound
from svc.domain import rows
from svc.domain.paging import Page
from svc.domain.tables.webhooks import Delivery
from svc.store import database
from svc.store.sql import by_index

_SHOWN = """
    SELECT d.id, d.event_id, d.event_type, d.production_id, d.sequence, d.status, d.created_at, d.next_attempt_at,
           d.finished_at, (SELECT count(*) FROM attempts WHERE delivery_id = d.id) AS attempts,
           t.status_code, t.error, t.duration_ms, t.attempted_at
    FROM deliveries d {how} LEFT JOIN attempts t ON t.id = (SELECT max(id) FROM attempts WHERE delivery_id = d.id)
    WHERE d.subscription_id = :subscription AND d.created_at >= :since AND d.created_at <= :until
      AND (d.created_at, d.id) < (:created, :id) AND {which} ORDER BY d.created_at DESC, d.id DESC LIMIT :limit
"""
# Without the hints the planner scans the whole log in order, although few rows are pending or of one production.
_HOW = {"Pending": by_index("deliveries_pending"), "production": by_index("deliveries_by_production")}
_MISSED = ("Failed", "Parked", "Skipped")
_WHICH: dict[str | None, str] = {
    None: "TRUE",
    "Pending": "d.status = 'Pending'",
    "Succeeded": "d.status = 'Succeeded'",
    # Includes the condition of the index deliveries_missed.
    **{status: f"d.status = '{status}' AND d.status IN {_MISSED}" for status in _MISSED},
}
_OF_PRODUCTION = "d.production_id = :production AND (:status IS NULL OR d.status = :status)"
_ONE = """
    SELECT d.*, p.title FROM deliveries d LEFT JOIN productions p ON p.id = d.production_id
    WHERE d.id = ? AND d.subscription_id = ?
"""


class TitledDelivery(Delivery):
    """A delivery with its production's title; None: of a test event."""

    title: str | None


def page(
    subscription_id: str,
    page: Page,
    *,
    status: str | None = None,
    production_id: str | None = None,
    since: int | None = None,
    until: int | None = None,
) -> dict[str, Any]:
    """Return a page of a subscription's deliveries. The caller checks that the viewer may see the subscription."""
    values = {
        "subscription": subscription_id,
        "status": status,
        "production": production_id,
        "since": since or 0,
        "until": 2**47 if until is None else until,
        **page.params,
    }
    status = status if status in states.DELIVERY_STATES else None
    condition = _OF_PRODUCTION if production_id else _WHICH[status]
    sql = _SHOWN.format(which=condition, how=_HOW.get("production" if production_id else status or "", ""))
    return page.envelope(database.rows(sql, values), lambda row: row)


def find(subscription_id: str, delivery_id: str) -> TitledDelivery:
    """Return one delivery with its production's title. NotFound: the subscription has no such delivery."""
    row = rows.first(TitledDelivery, _ONE, (delivery_id, subscription_id))
    if row is None:
        raise NotFound("This subscription has no such delivery.")
    return row
