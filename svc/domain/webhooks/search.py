"""The search in a subscription's deliveries by state, production and time, newest first, with the last attempt."""

import functools
from typing import Any

from svc.base import states
from svc.base.errors import NotFound
from svc.domain.paging import Page, newest_first
from svc.domain.tables.webhooks import Delivery
from svc.store import database
from svc.store.expressions import JOIN, SQL, fn, indexed
from svc.store.models import webhooks as models
from svc.store.models.productions import Production
from svc.store.queries import Prepared, slot

_DELIVERY, _ATTEMPT = models.Delivery, models.Attempt
_OTHER = _ATTEMPT.alias("other")
_ATTEMPTS = _OTHER.delivery_id == _DELIVERY.id
_LAST = _ATTEMPT.id == _OTHER.select(fn.max(_OTHER.id)).where(_ATTEMPTS)
_OF_SUBSCRIPTION = _DELIVERY.subscription_id == slot("subscription_id")
# Without the hints the planner scans the whole log in order, although few rows are pending or of one production.
_HINTS = {"Pending": "deliveries_pending", "production": "deliveries_by_production"}
_MISSED = ("Failed", "Parked", "Skipped")  # the condition of the index deliveries_missed


class TitledDelivery(Delivery):
    """A delivery with its production's title; None: of a test event."""

    title: str | None


_ONE = Prepared(
    _DELIVERY.select(_DELIVERY, Production.title)
    .join(Production, JOIN.LEFT_OUTER, on=Production.id == _DELIVERY.production_id)
    .where(_DELIVERY.id == slot("id"), _OF_SUBSCRIPTION),
    TitledDelivery,
)


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
    status = status if status in states.DELIVERY_STATES else None
    of_production = {} if production_id is None else {"production_id": production_id}
    deliveries = _page_query(status, bool(of_production)).rows(
        **page.params, **of_production, subscription_id=subscription_id, since=since or 0,
        until=2**47 if until is None else until,
    )  # fmt: skip
    return page.envelope(deliveries, lambda row: row)


@functools.cache
def _page_query(status: str | None, is_of_production: bool) -> Prepared[database.Row]:
    """Return the query of a page of deliveries in a state; None: in any."""
    hint = _HINTS.get("production" if is_of_production else status or "")
    d, number = _DELIVERY, _OTHER.select(fn.count(SQL("1"))).where(_ATTEMPTS)
    query = d.select(
        d.id, d.event_id, d.event_type, d.production_id, d.sequence, d.status, d.created_at, d.next_attempt_at,
        d.finished_at, number.alias("attempts"), _ATTEMPT.status_code, _ATTEMPT.error, _ATTEMPT.duration_ms,
        _ATTEMPT.attempted_at,
    )  # fmt: skip
    query = (query.from_(indexed(d, hint)) if hint else query).join(_ATTEMPT, JOIN.LEFT_OUTER, on=_LAST)
    query = query.where(_OF_SUBSCRIPTION, d.created_at >= slot("since"), d.created_at <= slot("until"))
    if is_of_production:
        query = query.where(d.production_id == slot("production_id"))
    if status is not None:
        query = query.where(d.status == status)
    if status in _MISSED and not is_of_production:
        query = query.where(d.status.in_(_MISSED))
    return Prepared(newest_first(query, d.created_at, d.id))


def find(subscription_id: str, delivery_id: str) -> TitledDelivery:
    """Return one delivery with its production's title. NotFound: the subscription has no such delivery."""
    row = _ONE.row(id=delivery_id, subscription_id=subscription_id)
    if row is None:
        raise NotFound("This subscription has no such delivery.")
    return row
