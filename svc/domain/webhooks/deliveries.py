"""The delivery log of the partner API: listing, redelivery, replay and pruning."""

import json
from typing import Any

from svc.base import clock, ids
from svc.base.errors import InvalidDateFormat, NotFound, ReplayInProgress, SubscriptionNotActive
from svc.domain.access.idempotency import NOT_KEPT, FirstAnswer
from svc.domain.caller import Caller
from svc.domain.paging import Page, newest_first
from svc.domain.tables.webhooks import Delivery
from svc.domain.webhooks import attempts as delivery_attempts
from svc.domain.webhooks import lanes, outbox, subscriptions
from svc.store import wake
from svc.store.database import Row, db
from svc.store.expressions import elements, fn
from svc.store.models import webhooks as models
from svc.store.queries import Prepared, slot

_DELIVERY, _ATTEMPT = models.Delivery, models.Attempt
_OF_SUBSCRIPTION = _DELIVERY.subscription_id == slot("subscription_id")
_PAGE = Prepared(
    newest_first(
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
# Selects by id, which is in the order of age and of the table, so that no extra index is needed.
_FINISHED = Prepared(
    _DELIVERY.select(_DELIVERY.id)
    .where(
        _DELIVERY.id > slot("after"),
        _DELIVERY.id < slot("until"),
        _DELIVERY.status.in_(("Succeeded", "Failed", "Skipped")),
        _DELIVERY.claim_token.is_null(),
        fn.coalesce(_DELIVERY.finished_at, _DELIVERY.created_at) < slot("before"),
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
_REPLAY_MISSED = _replay_of(lanes.SLOW, "Failed", "Skipped")


def page(caller: Caller, subscription_id: str, status: str | None, page: Page) -> dict[str, Any]:
    """Return a page of a subscription's deliveries, newest first, with attempts.

    ``status``: of states.DELIVERY_STATES.
    """
    subscriptions.find(caller, subscription_id)
    deliveries = _PAGE.rows(subscription_id=subscription_id, status=status, **page.params)
    return page.envelope(deliveries, view)


def redeliver(
    caller: Caller, subscription_id: str, delivery_id: str, now: int, first: FirstAnswer = NOT_KEPT
) -> dict[str, Any]:
    """Send one delivery again, at once and with the same eventId; a pending one is left unchanged.

    ``first``: stores the answer for the Idempotency-Key. Raises NotFound, SubscriptionNotActive.
    """
    with first.transaction() as keep:
        _needs_active(caller, subscription_id)
        _REDELIVER.execute(id=_find(subscription_id, delivery_id)["id"], now=now)
        wake.wake_on_commit()
        return keep(view(_find(subscription_id, delivery_id)))


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
    with first.transaction() as keep:
        _needs_active(caller, subscription_id)
        if not missed and _REPLAYING.row(subscription_id=subscription_id):
            raise ReplayInProgress()
        queued = (_REPLAY_MISSED if missed else _REPLAY).execute(
            subscription_id=subscription_id, since=since, until=until, production_id=production_id
        )
        outbox.make_first_in_line_due(subscription_id, now)
        wake.wake_on_commit()
        return keep({"queued": queued})


def prune(before: int, batch: int = 500) -> int:
    """Remove deliveries that ended before ``before`` (milliseconds), with their attempts; return
    their number.

    Pending and Parked ones stay. ``batch``: rows in one transaction, so that other writers do not
    wait long.
    """
    removed, after = 0, ""
    while True:
        with db.transaction(durable=False):
            found = _FINISHED.rows(
                after=after, until=ids.lowest_at(before), before=before, batch=batch
            )
            delivery_ids = [row["id"] for row in found]
            for statement in _REMOVE:
                statement.execute(ids=json.dumps(delivery_ids))
        if not delivery_ids:
            return removed
        removed, after = removed + len(delivery_ids), delivery_ids[-1]


def view(delivery: Delivery) -> dict[str, Any]:
    """Return a delivery as in the API."""
    return {
        "deliveryId": delivery["id"],
        "eventId": delivery["event_id"],
        "eventType": delivery["event_type"],
        "productionId": delivery["production_id"],
        "sequenceNumber": delivery["sequence"],
        "status": delivery["status"],
        "attempts": delivery_attempts.list_attempts(delivery["id"]),
        "nextAttemptAt": clock.text(delivery["next_attempt_at"]),
        "createdAt": clock.text(delivery["created_at"]),
    }


def find(caller: Caller, subscription_id: str, delivery_id: str) -> Delivery:
    """Return the row of a delivery.

    NotFound: there is none, or the key may not see its subscription.
    """
    subscriptions.find(caller, subscription_id)
    return _find(subscription_id, delivery_id)


def _find(subscription_id: str, delivery_id: str) -> Delivery:
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
