"""The log of deliveries: what the API and the console show of them, their search, the report of
what was missed of a production, redelivery, replay and pruning.
"""

import functools
import json
from dataclasses import dataclass
from typing import Any, TypedDict

from svc.base import clock, ids
from svc.base.errors import InvalidDateFormat, NotFound, ReplayInProgress, SubscriptionNotActive
from svc.domain import dates_ahead, lanes
from svc.domain.access.idempotency import NOT_KEPT, FirstAnswer
from svc.domain.caller import Caller
from svc.domain.paging import Page, page_by_key, page_newest_first
from svc.domain.tables.webhooks import Delivery, Subscription
from svc.domain.webhooks import attempts as delivery_attempts
from svc.domain.webhooks import outbox, subscriptions
from svc.store import wake
from svc.store.database import Row, db
from svc.store.expressions import JOIN, elements, fn, indexed, position_of, rows_of_each
from svc.store.models import webhooks as models
from svc.store.models.partners import Partner
from svc.store.models.productions import Production
from svc.store.queries import Prepared, Select, slot

_MISSED = ("Failed", "Skipped")
_UNDELIVERED = ("Failed", "Parked", "Skipped")  # the condition of the index deliveries_missed
_DELIVERY, _ATTEMPT = models.Delivery, models.Attempt
_OF_SUBSCRIPTION = _DELIVERY.subscription_id == slot("subscription_id")
_PAGE = Prepared(
    page_newest_first(
        _DELIVERY.select().where(
            _OF_SUBSCRIPTION,
            slot("status").cast("text").is_null() | (_DELIVERY.status == slot("status")),
        ),
        _DELIVERY.created_at,
        _DELIVERY.id,
    ),
    Delivery,
)
_FIND = Prepared(_DELIVERY.select().where(_DELIVERY.id == slot("id"), _OF_SUBSCRIPTION), Delivery)
_ended_at = fn.coalesce(_DELIVERY.finished_at, _DELIVERY.created_at)
# Selects by id, which is in the order of age and of the table, so that no extra index is needed.
_FINISHED = Prepared(
    _DELIVERY.select(_DELIVERY.id)
    .where(
        _DELIVERY.id > slot("after"),
        _DELIVERY.id < slot("until"),
        _DELIVERY.status.in_(("Succeeded", "Failed", "Skipped")),
        _DELIVERY.claim_token.is_null(),
        (_ended_at < slot("before")) | (_ended_at > slot("latest")),
    )
    .order_by(_DELIVERY.id)
    .limit(slot("batch"))
)
_REMOVE = (
    Prepared(_ATTEMPT.delete().where(_ATTEMPT.delivery_id.in_(elements(slot("ids"))))),
    Prepared(_DELIVERY.delete().where(_DELIVERY.id.in_(elements(slot("ids"))))),
)
_FRESH_ROUND: dict[str, Any] = {
    "status": "Pending",
    "failures": 0,
    "first_failed_at": None,
    "second_failed_at": None,
    "interruptions": 0,
    "finished_at": None,
}
_REDELIVER = Prepared(
    _DELIVERY.update(**_FRESH_ROUND, lane=lanes.SLOW, holds=0, next_attempt_at=slot("now")).where(
        _DELIVERY.id == slot("id"), _DELIVERY.status != "Pending"
    )
)
# An open replay that includes delivered events. A delivery that awaits a retry no longer counts as
# part of it.
_REPLAYING = Prepared(
    _DELIVERY.select(_DELIVERY.id)
    .where(_OF_SUBSCRIPTION, _DELIVERY.lane == lanes.REPLAYS, _DELIVERY.status == "Pending")
    .limit(1)
)
_REPORTED = {  # the list of the report for each status
    "Succeeded": "succeeded",
    "Pending": "pending",
    "Failed": "failed",
    "Parked": "parked",
    "Skipped": "skipped",
}
_OF_PRODUCTION = Prepared(
    _DELIVERY.select(
        _DELIVERY.subscription_id, _DELIVERY.sequence, _DELIVERY.status, _DELIVERY.created_at
    )
    .where(_DELIVERY.production_id == slot("production_id"))
    .order_by(_DELIVERY.sequence)
)


def _replay_of(lane: int, *statuses: str) -> Prepared[Row]:
    return Prepared(
        _DELIVERY.update(**_FRESH_ROUND, lane=lane, holds=1, next_attempt_at=None).where(
            _OF_SUBSCRIPTION,
            _DELIVERY.created_at.between(slot("since"), slot("until")),
            _DELIVERY.sequence > 0,
            _DELIVERY.status.in_(statuses),
            slot("production_id").cast("text").is_null()
            | (_DELIVERY.production_id == slot("production_id")),
        )
    )


_REPLAY = _replay_of(lanes.REPLAYS, "Failed", "Skipped", "Succeeded")
_REPLAY_MISSED = _replay_of(lanes.SLOW, *_MISSED)


def list_page(
    caller: Caller, subscription_id: str, status: str | None, page: Page
) -> dict[str, Any]:
    """Return a page of a subscription's deliveries, newest first, with attempts.

    ``status``: of states.DELIVERY_STATES.
    """
    subscriptions.find(caller, subscription_id)
    deliveries = _PAGE.rows(subscription_id=subscription_id, status=status, **page.params)
    return page.make_envelope(deliveries, represent)


def report_production(caller: Caller, production_id: str, page: Page) -> dict[str, Any]:
    """Return a page of visible subscriptions that have deliveries of a production, newest first:
    what each got and missed, and the API call that resends what it missed.

    The caller checks that the key may address the production. Pruned deliveries are not included.
    """
    deliveries: dict[str, list[Row]] = {}
    for row in _OF_PRODUCTION.rows(production_id=production_id):
        deliveries.setdefault(row["subscription_id"], []).append(row)
    receivers = subscriptions.find_among(caller, list(deliveries), page)
    return page.make_envelope(
        receivers, lambda row: _view_report(row, production_id, deliveries[row["id"]])
    )


def _view_report(
    subscription: Subscription, production_id: str, deliveries: list[Row]
) -> dict[str, Any]:
    lists = {
        name: [row["sequence"] for row in deliveries if row["status"] == status]
        for status, name in _REPORTED.items()
    }
    return {
        "subscriptionId": subscription["id"],
        "endpointUrl": subscription["endpoint_url"],
        "status": subscription["status"],
        **lists,
        "firstGap": min(lists["failed"] + lists["parked"] + lists["skipped"], default=None),
        "fill": _describe_fill(
            subscription,
            production_id,
            [row for row in deliveries if row["status"] in _UNDELIVERED],
        ),
    }


def _describe_fill(
    subscription: Subscription, production_id: str, gaps: list[Row]
) -> dict[str, Any] | None:
    """Return the API call that closes the gaps; None: there are none.

    A failed subscription must be reinstated first, a paused one resumed.
    """
    path = f"/v1/webhooks/{subscription['id']}"
    missed = [row["created_at"] for row in gaps if row["status"] in _MISSED]
    if gaps and subscription["status"] == "Failed":
        return {"method": "POST", "path": f"{path}/reinstate", "body": None}
    if gaps and subscription["paused_at"] is not None:
        return {"method": "POST", "path": f"{path}/resume", "body": None}
    if not missed:
        return None
    window = {"from": clock.format_time(min(missed)), "to": clock.format_time(max(missed))}
    return {
        "method": "POST",
        "path": f"{path}/replay",
        "body": {**window, "productionId": production_id, "missed": True},
    }


def redeliver(
    caller: Caller, subscription_id: str, delivery_id: str, now: int, first: FirstAnswer = NOT_KEPT
) -> dict[str, Any]:
    """Send one delivery again, at once and with the same eventId; a pending one is left unchanged.

    ``first``: stores the answer for the Idempotency-Key. Raises NotFound, SubscriptionNotActive.
    """
    with first.transaction(caller.partner_id) as keep:
        _needs_active(caller, subscription_id)
        _REDELIVER.execute(id=_find_delivery(subscription_id, delivery_id)["id"], now=now)
        wake.wake_on_commit()
        return keep(represent(_find_delivery(subscription_id, delivery_id)))


def replay(
    caller: Caller,
    subscription_id: str,
    since: int,
    until: int | None,
    now: int,
    *,
    production_id: str | None = None,
    missed: bool = False,
    first: FirstAnswer = NOT_KEPT,
) -> dict[str, Any]:
    """Send every finished or skipped delivery of a time window again, in order, with the same
    eventIds; return the number.

    Pending deliveries are not queued again, and a subscription has at most one replay of delivered
    events at a time, so repeated requests cannot multiply the deliveries.

    Args:
        production_id: Only deliveries of this production.
        missed: Only deliveries that did not succeed.
        first: Stores the answer for the Idempotency-Key.

    Raises:
        NotFound: There is none that the caller may see.
        SubscriptionNotActive: It is not Active.
        ReplayInProgress: A replay is going on already.
        InvalidDateFormat: The window ends before it begins.
    """
    until = now if until is None else until
    if since > until:
        message = "`from` must not be after `to`, which defaults to now."
        raise InvalidDateFormat(message, fields={"from": [message]})
    with first.transaction(caller.partner_id) as keep:
        _needs_active(caller, subscription_id)
        if not missed and _REPLAYING.row(subscription_id=subscription_id):
            raise ReplayInProgress()
        queued = (_REPLAY_MISSED if missed else _REPLAY).execute(
            subscription_id=subscription_id, since=since, until=until, production_id=production_id
        )
        outbox.make_first_in_line_due(subscription_id, now)
        wake.wake_on_commit()
        return keep({"queued": queued})


def prune(before: int, batch: int = 500, latest: int = dates_ahead.NEVER) -> int:
    """Remove deliveries that ended before ``before`` or after ``latest`` (milliseconds), with their
    attempts; return their number.

    Pending and Parked ones stay. ``batch``: rows in one transaction, so that other writers do not
    wait long.
    """
    ages = {"before": before, "latest": latest, "batch": batch}
    removed = _prune_between("", ids.make_lowest_id(before), ages)
    if latest != dates_ahead.NEVER:
        removed += _prune_between(ids.make_lowest_id(latest), ids.LAST, ages)
    return removed


def _prune_between(after: str, until: str, ages: dict[str, int]) -> int:
    """Remove what is old of the deliveries with identifiers between two; return their number."""
    removed = 0
    while True:
        with db.transaction(durable=False):
            rows = _FINISHED.rows(after=after, until=until, **ages)
            delivery_ids = [row["id"] for row in rows]
            for statement in _REMOVE:
                statement.execute(ids=json.dumps(delivery_ids))
        if not delivery_ids:
            return removed
        removed, after = removed + len(delivery_ids), delivery_ids[-1]


def represent(delivery: Delivery) -> dict[str, Any]:
    """Return a delivery as in the API."""
    return {
        "deliveryId": delivery["id"],
        "eventId": delivery["event_id"],
        "eventType": delivery["event_type"],
        "productionId": delivery["production_id"],
        "sequenceNumber": delivery["sequence"],
        "status": delivery["status"],
        "attempts": delivery_attempts.list_attempts(delivery["id"]),
        "nextAttemptAt": clock.format_time(delivery["next_attempt_at"]),
        "createdAt": clock.format_time(delivery["created_at"]),
    }


def find(caller: Caller, subscription_id: str, delivery_id: str) -> Delivery:
    """Return the row of a delivery.

    NotFound: there is none, or the key may not see its subscription.
    """
    subscriptions.find(caller, subscription_id)
    return _find_delivery(subscription_id, delivery_id)


def _find_delivery(subscription_id: str, delivery_id: str) -> Delivery:
    delivery = _FIND.row(id=delivery_id, subscription_id=subscription_id)
    if delivery is None:
        raise NotFound(
            "This webhook has no such delivery; GET /v1/webhooks/{id}/deliveries lists its "
            "deliveries."
        )
    return delivery


def _needs_active(caller: Caller, subscription_id: str) -> None:
    subscription = subscriptions.find(caller, subscription_id)
    if subscription["status"] != "Active":
        raise SubscriptionNotActive(
            "Deliveries are sent only to an Active webhook; reinstate it first."
        )
    if subscription["paused_at"] is not None:
        raise SubscriptionNotActive("The webhook is paused; resume it first.")


class TitledDelivery(Delivery):
    """A delivery with its production's title; None: of a test event."""

    title: str | None


_TITLED = Prepared(
    models.Delivery.select(models.Delivery, Production.title)
    .join(Production, JOIN.LEFT_OUTER, on=Production.id == models.Delivery.production_id)
    .where(
        models.Delivery.id == slot("id"),
        models.Delivery.subscription_id == slot("subscription_id"),
    ),
    TitledDelivery,
)


class ListedDelivery(TypedDict):
    """A delivery in a list, with the title of its production, its endpoint and its last attempt,
    whose columns are None where there was none.
    """

    id: str
    subscription_id: str
    event_type: str
    production_id: str
    title: str | None
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


def search(criteria: Search, page: Page) -> dict[str, Any]:
    """Return a page of :class:`ListedDelivery`.

    The caller checks that the viewer may see what is searched.
    """
    filters = {
        "partner_id": criteria.partner_id,
        "subscription_id": criteria.subscription_id,
        "endpoint": criteria.endpoint.lower() if criteria.endpoint else None,
        "event_type": criteria.event_type,
        "production_id": criteria.production_id,
    }
    values = {name: value for name, value in filters.items() if value is not None}
    since, until = criteria.since or 0, 2**47 if criteria.until is None else criteria.until
    query = _search_query(
        *values, standing=criteria.standing, status=criteria.status, oldest_first=page.ascending
    )
    if _is_of_all(tuple(values), criteria.standing, criteria.status):
        place = int(page.params["created"])
        first, last = (
            (max(since, place), until) if page.ascending else (since, min(until, place, 2**47))
        )
        values |= {"low": ids.make_lowest_id(first), "high": ids.make_lowest_id(last + 1)}
    return page.make_envelope(
        query.rows(**values, since=since, until=until, **page.params), lambda row: row
    )


def find_with_title(subscription_id: str, delivery_id: str) -> TitledDelivery:
    """Return one delivery with its production's title.

    NotFound: the subscription has no such delivery.
    """
    row = _TITLED.row(id=delivery_id, subscription_id=subscription_id)
    if row is None:
        raise NotFound("This webhook has no such delivery.")
    return row


def _is_of_all(names: tuple[str, ...], standing: str | None, status: str | None) -> bool:
    """Return whether nothing but a time limits a search."""
    return not names and standing is None and status is None


@functools.cache
def _search_query(
    *names: str, standing: str | None, status: str | None, oldest_first: bool = False
) -> Prepared[ListedDelivery]:
    """Return the query of a page with these values given.

    ``standing`` and ``status`` are constants of partial indexes.
    """
    delivery, attempt = models.Delivery.alias("d"), models.Attempt.alias("t")
    of_delivery = models.Attempt.delivery_id == delivery.id
    matching = _ids_query(names, standing, status, oldest_first).cte("found", columns=("id",))
    moments = (delivery.created_at, delivery.id)
    query = (
        delivery.select(
            delivery.id,
            delivery.subscription_id,
            delivery.event_type,
            delivery.production_id,
            Production.title,
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
        .join(matching, on=matching.c.id == delivery.id)
        .join(models.Subscription, on=models.Subscription.id == delivery.subscription_id)
        .join(Partner, on=Partner.id == models.Subscription.partner_id)
        .join(Production, JOIN.LEFT_OUTER, on=Production.id == delivery.production_id)
        .join(
            attempt,
            JOIN.LEFT_OUTER,
            on=attempt.id == models.Attempt.select(fn.max(models.Attempt.id)).where(of_delivery),
        )
        .order_by(*(each.asc() if oldest_first else each.desc() for each in moments))
        .with_cte(matching)
    )
    return Prepared(query, ListedDelivery)


def _list_webhook_conditions(
    subscription: Any, names: tuple[str, ...], standing: str | None
) -> list[Any]:
    """Return the conditions of the webhooks whose deliveries are looked for."""
    if "subscription_id" in names:  # also one that was deleted
        whose = [subscription.id == slot("subscription_id")]
    else:
        whose = [subscription.deleted_at.is_null()]
    if "partner_id" in names:
        whose.append(subscription.partner_id == slot("partner_id"))
    if "endpoint" in names:
        whose.append(position_of(slot("endpoint"), fn.lower(subscription.endpoint_url)) > 0)
    if standing is not None:
        whose.append(subscriptions.STANDING_CONDITIONS[standing])
    return whose


def _list_delivery_conditions(
    delivery: Any, names: tuple[str, ...], status: str | None
) -> list[Any]:
    """Return the conditions of the deliveries themselves, but for their production."""
    which = [delivery.created_at >= slot("since"), delivery.created_at <= slot("until")]
    if status is not None:
        which.append(delivery.status == status)
    if status in _UNDELIVERED:
        which.append(delivery.status.in_(_UNDELIVERED))
    if "event_type" in names:
        which.append(delivery.event_type == slot("event_type"))
    return which


def _ids_query(
    names: tuple[str, ...], standing: str | None, status: str | None, oldest_first: bool
) -> Select:
    """Return the query of the ids of a page."""
    subscription, delivery = models.Subscription, models.Delivery.alias("x")
    whose = _list_webhook_conditions(subscription, names, standing)
    which = _list_delivery_conditions(delivery, names, status)
    is_its = subscription.id == delivery.subscription_id
    if "production_id" in names:  # has few deliveries
        of_production = indexed(delivery, "deliveries_by_production")
        which.append(delivery.production_id == slot("production_id"))
        query = delivery.select(delivery.id).from_(of_production).join(subscription, on=is_its)
        return page_by_key(
            query.where(*whose, *which), delivery.created_at, delivery.id, oldest_first
        )
    if _is_of_all(names, standing, status):  # ids begin with the time of creation
        which += [delivery.id >= slot("low"), delivery.id < slot("high")]
        query = delivery.select(delivery.id).join(subscription, on=is_its).where(*whose, *which)
        query = page_by_key(query, delivery.created_at, delivery.id, oldest_first)
        return query.order_by(delivery.id.asc() if oldest_first else delivery.id.desc())
    # Reads at most a page of each subscription, by its index. Without the hint the planner scans
    # the whole log of a subscription in order, although few deliveries are pending.
    source = indexed(delivery, "deliveries_pending") if status == "Pending" else delivery
    first_ones = page_by_key(
        delivery.select(delivery.id).from_(source).where(is_its, *which),
        delivery.created_at,
        delivery.id,
        oldest_first,
    )
    each = models.Delivery.alias("each")
    joined_rows, are_first = rows_of_each(subscription, first_ones, each)
    matching = subscription.select(each.id).from_(joined_rows).where(*whose, are_first)
    return matching.order_by(each.id.asc() if oldest_first else each.id.desc()).limit(slot("limit"))
