"""The search in the deliveries of one subscription, of a partner or of all, by time,
with the last attempt.
"""

import functools
from dataclasses import dataclass
from typing import Any, TypedDict

from svc.base import ids
from svc.base.errors import NotFound
from svc.domain.paging import Page, by_key
from svc.domain.tables.webhooks import Delivery
from svc.domain.webhooks import subscriptions
from svc.store.expressions import JOIN, fn, indexed, position_of, rows_of_each
from svc.store.models import webhooks as models
from svc.store.models.partners import Partner
from svc.store.models.productions import Production
from svc.store.queries import Prepared, Select, slot

_MISSED = ("Failed", "Parked", "Skipped")


class TitledDelivery(Delivery):
    """A delivery with its production's title; None: of a test event."""

    title: str | None


_ONE = Prepared(
    models.Delivery.select(models.Delivery, Production.title)
    .join(Production, JOIN.LEFT_OUTER, on=Production.id == models.Delivery.production_id)
    .where(
        models.Delivery.id == slot("id"),
        models.Delivery.subscription_id == slot("subscription_id"),
    ),
    TitledDelivery,
)


class ListedDelivery(TypedDict):
    """A delivery in a list, with its endpoint and its last attempt,
    whose columns are None where there was none.
    """

    id: str
    subscription_id: str
    event_type: str
    production_id: str
    sequence: int
    status: str
    created_at: int
    next_attempt_at: int | None
    endpoint_url: str
    partner_id: str
    partner_name: str
    attempts: int
    status_code: int | None
    error: str | None
    duration_ms: float | None


@dataclass(frozen=True)
class Search:
    """The criteria of a search; None: any. ``partner_id`` None: all partners, for operators only.

    Without ``subscription_id``, deliveries of deleted subscriptions are left out, as these have no
    page.
    """

    partner_id: str | None = None
    subscription_id: str | None = None
    endpoint: str | None = None  # a part of its address
    standing: str | None = None  # of the subscription: of subscriptions.STANDING_CONDITIONS
    status: str | None = None  # of states.DELIVERY_STATES
    event_type: str | None = None
    production_id: str | None = None
    since: int | None = None
    until: int | None = None


def page(search: Search, page: Page) -> dict[str, Any]:
    """Return a page of :class:`ListedDelivery`.

    The caller checks that the viewer may see what is searched.
    """
    given = {
        "partner_id": search.partner_id,
        "subscription_id": search.subscription_id,
        "endpoint": search.endpoint.lower() if search.endpoint else None,
        "event_type": search.event_type,
        "production_id": search.production_id,
    }
    values = {name: value for name, value in given.items() if value is not None}
    since, until = search.since or 0, 2**47 if search.until is None else search.until
    query = _page_query(
        *values, standing=search.standing, status=search.status, oldest_first=page.ascending
    )
    if _is_of_all(tuple(values), search.standing, search.status):
        place = int(page.params["created"])
        first, last = (
            (max(since, place), until) if page.ascending else (since, min(until, place, 2**47))
        )
        values |= {"low": ids.lowest_at(first), "high": ids.lowest_at(last + 1)}
    return page.envelope(
        query.rows(**values, since=since, until=until, **page.params), lambda row: row
    )


def find(subscription_id: str, delivery_id: str) -> TitledDelivery:
    """Return one delivery with its production's title.

    NotFound: the subscription has no such delivery.
    """
    row = _ONE.row(id=delivery_id, subscription_id=subscription_id)
    if row is None:
        raise NotFound("This webhook has no such delivery.")
    return row


def _is_of_all(names: tuple[str, ...], standing: str | None, status: str | None) -> bool:
    """Return whether nothing but a time limits a search."""
    return not names and standing is None and status is None


@functools.cache
def _page_query(
    *names: str, standing: str | None, status: str | None, oldest_first: bool = False
) -> Prepared[ListedDelivery]:
    """Return the query of a page with these values given.

    ``standing`` and ``status`` are constants of partial indexes.
    """
    delivery, attempt = models.Delivery.alias("d"), models.Attempt.alias("t")
    of_delivery = models.Attempt.delivery_id == delivery.id
    found = _found(names, standing, status, oldest_first).cte("found", columns=("id",))
    moments = (delivery.created_at, delivery.id)
    query = (
        delivery.select(
            delivery.id,
            delivery.subscription_id,
            delivery.event_type,
            delivery.production_id,
            delivery.sequence,
            delivery.status,
            delivery.created_at,
            delivery.next_attempt_at,
            models.Subscription.endpoint_url,
            models.Subscription.partner_id,
            Partner.name.alias("partner_name"),
            models.Attempt.select(fn.count(models.Attempt.id)).where(of_delivery).alias("attempts"),
            attempt.status_code,
            attempt.error,
            attempt.duration_ms,
        )
        .join(found, on=found.c.id == delivery.id)
        .join(models.Subscription, on=models.Subscription.id == delivery.subscription_id)
        .join(Partner, on=Partner.id == models.Subscription.partner_id)
        .join(
            attempt,
            JOIN.LEFT_OUTER,
            on=attempt.id == models.Attempt.select(fn.max(models.Attempt.id)).where(of_delivery),
        )
        .order_by(*(each.asc() if oldest_first else each.desc() for each in moments))
        .with_cte(found)
    )
    return Prepared(query, ListedDelivery)


def _found(
    names: tuple[str, ...], standing: str | None, status: str | None, oldest_first: bool
) -> Select:
    """Return the query of the ids of a page."""
    subscription, delivery = models.Subscription, models.Delivery.alias("x")
    whose = [subscription.deleted_at.is_null()]
    if "subscription_id" in names:
        whose = [subscription.id == slot("subscription_id")]
    if "partner_id" in names:
        whose.append(subscription.partner_id == slot("partner_id"))
    if "endpoint" in names:
        whose.append(position_of(slot("endpoint"), fn.lower(subscription.endpoint_url)) > 0)
    if standing is not None:
        whose.append(subscriptions.STANDING_CONDITIONS[standing])
    which = [delivery.created_at >= slot("since"), delivery.created_at <= slot("until")]
    if status is not None:
        which.append(delivery.status == status)
    if status in _MISSED:
        which.append(delivery.status.in_(_MISSED))  # the condition of the index deliveries_missed
    if "event_type" in names:
        which.append(delivery.event_type == slot("event_type"))
    is_its = subscription.id == delivery.subscription_id
    if "production_id" in names:  # has few deliveries
        of_production = indexed(delivery, "deliveries_by_production")
        which.append(delivery.production_id == slot("production_id"))
        query = delivery.select(delivery.id).from_(of_production).join(subscription, on=is_its)
        return by_key(query.where(*whose, *which), delivery.created_at, delivery.id, oldest_first)
    if _is_of_all(names, standing, status):  # ids begin with the time of creation
        which += [delivery.id >= slot("low"), delivery.id < slot("high")]
        query = delivery.select(delivery.id).join(subscription, on=is_its).where(*whose, *which)
        query = by_key(query, delivery.created_at, delivery.id, oldest_first)
        return query.order_by(delivery.id.asc() if oldest_first else delivery.id.desc())
    # Reads at most a page of each subscription, by its index. Without the hint the planner scans
    # the whole log of a subscription in order, although few deliveries are pending.
    source = indexed(delivery, "deliveries_pending") if status == "Pending" else delivery
    first_ones = by_key(
        delivery.select(delivery.id).from_(source).where(is_its, *which),
        delivery.created_at,
        delivery.id,
        oldest_first,
    )
    each = models.Delivery.alias("each")
    joined_rows, are_first = rows_of_each(subscription, first_ones, each)
    found = subscription.select(each.id).from_(joined_rows).where(*whose, are_first)
    return found.order_by(each.id.asc() if oldest_first else each.id.desc()).limit(slot("limit"))
