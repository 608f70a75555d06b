"""The delivery log of the partner API: listing, redelivery, replay and pruning."""

import json
from typing import Any

from svc.base import clock, ids
from svc.base.errors import InvalidDateFormat, NotFound, ReplayInProgress, SubscriptionNotActive
from svc.domain import rows
from svc.domain.access.idempotency import NOT_KEPT, FirstAnswer
from svc.domain.caller import Caller
from svc.domain.paging import Page
from svc.domain.tables.webhooks import Delivery
from svc.domain.webhooks import attempts as delivery_attempts
from svc.domain.webhooks import lanes, outbox, subscriptions
from svc.store import database, wake

_PAGE = """
    SELECT * FROM deliveries
    WHERE subscription_id = :subscription AND (created_at, id) < (:created, :id) AND (:status IS NULL OR status = :status)
    ORDER BY created_at DESC, id DESC LIMIT :limit
"""
# Selects by id, which is in the order of age and of the table, so that no extra index is needed.
_FINISHED = """
    SELECT id FROM deliveries
    WHERE id > :after AND id < :until AND status IN ('Succeeded', 'Failed', 'Skipped') AND claim_token IS NULL
      AND coalesce(finished_at, created_at) < :before
    ORDER BY id LIMIT :batch
"""
_FRESH_ROUND = """
    UPDATE deliveries SET status = 'Pending', failures = 0, first_failed_at = NULL, second_failed_at = NULL,
        interruptions = 0, finished_at = NULL,
"""
_REMOVE = (
    "DELETE FROM attempts WHERE delivery_id IN (SELECT value FROM json_each(?))",
    "DELETE FROM deliveries WHERE id IN (SELECT value FROM json_each(?))",
)
_REDELIVER = _FRESH_ROUND + f"lane = {lanes.ASIDE}, holds = 0, next_attempt_at = :now WHERE id = :id AND status <> 'Pending'"
# An open replay that includes delivered events. A delivery that awaits a retry no longer counts as part of it.
_REPLAYING = f"SELECT 1 FROM deliveries WHERE subscription_id = ? AND lane = {lanes.REPLAYS} AND status = 'Pending' LIMIT 1"
_REPLAY = (
    _FRESH_ROUND
    + f"""lane = CASE :missed WHEN 1 THEN {lanes.ASIDE} ELSE {lanes.REPLAYS} END, holds = 1, next_attempt_at = NULL
    WHERE subscription_id = :subscription AND created_at BETWEEN :since AND :until AND sequence > 0
      AND (status IN ('Failed', 'Skipped') OR (status = 'Succeeded' AND :missed = 0))
      AND (:production IS NULL OR production_id = :production)
"""
)


def page(caller: Caller, subscription_id: str, status: str | None, page: Page) -> dict[str, Any]:
    """Return a page of a subscription's deliveries, newest first, with attempts. ``status``: of states.DELIVERY_STATES."""
    subscriptions.find(caller, subscription_id)
    deliveries = rows.every(Delivery, _PAGE, {
        "subscription": subscription_id, "status": status, **page.params,
    })  # fmt: skip
    return page.envelope(deliveries, view)


def redeliver(
    caller: Caller, subscription_id: str, delivery_id: str, now: int, first: FirstAnswer = NOT_KEPT
) -> dict[str, Any]:
    """Send one delivery again, at once and with the same eventId; a pending one is left unchanged.

    ``first``: stores the answer for the Idempotency-Key. Raises NotFound, SubscriptionNotActive.
    """
    with first.transaction() as keep:
        _needs_active(caller, subscription_id)
        database.execute(_REDELIVER, {"id": _find(subscription_id, delivery_id)["id"], "now": now})
        wake.on_commit()
        return keep(view(_find(subscription_id, delivery_id)))


def replay(
    caller: Caller, subscription_id: str, since: int, until: int | None, now: int, *,
    production_id: str | None = None, missed: bool = False, first: FirstAnswer = NOT_KEPT,
) -> dict[str, Any]:  # fmt: skip
    """Send every finished or skipped delivery of a time window again, in order, with the same eventIds; return the number.

    Pending deliveries are not queued again, and a subscription has at most one replay of delivered events at a time, so
    repeated requests cannot multiply the deliveries.

    Args:
        production_id: Only deliveries of this production.
        missed: Only deliveries that did not succeed.
        first: Stores the answer for the Idempotency-Key.

    Raises NotFound, SubscriptionNotActive, ReplayInProgress, and InvalidDateFormat if the window ends before it begins.
    """
    until = now if until is None else until
    if since > until:
        message = "`from` must not be after `to`, which defaults to now."
        raise InvalidDateFormat(message, fields={"from": [message]})
    with first.transaction() as keep:
        _needs_active(caller, subscription_id)
        if not missed and database.row(_REPLAYING, (subscription_id,)):
            raise ReplayInProgress()
        queued = database.execute(_REPLAY, {
            "subscription": subscription_id, "since": since, "until": until, "production": production_id, "missed": missed,
        })  # fmt: skip
        outbox.give_turns(subscription_id, now)
        wake.on_commit()
        return keep({"queued": queued})


def prune(before: int, batch: int = 500) -> int:
    """Remove deliveries that ended before ``before`` (milliseconds), with their attempts; return their number.

    Pending and Parked ones stay. ``batch``: rows in one transaction, so that other writers do not wait long.
    """
    removed, params = 0, {"after": "", "until": ids.earliest(before), "before": before, "batch": batch}
    while True:
        with database.write(durable=False):
            delivery_ids = [row["id"] for row in database.rows(_FINISHED, params)]
            for sql in _REMOVE:
                database.execute(sql, (json.dumps(delivery_ids),))
        if not delivery_ids:
            return removed
        removed, params["after"] = removed + len(delivery_ids), delivery_ids[-1]


def view(delivery: Delivery) -> dict[str, Any]:
    """Return a delivery as in the API."""
    return {
        "deliveryId": delivery["id"],
        "eventId": delivery["event_id"],
        "eventType": delivery["event_type"],
        "productionId": delivery["production_id"],
        "sequenceNumber": delivery["sequence"],
        "status": delivery["status"],
        "attempts": delivery_attempts.attempts(delivery["id"]),
        "nextAttemptAt": clock.text(delivery["next_attempt_at"]),
        "createdAt": clock.text(delivery["created_at"]),
    }


def find(caller: Caller, subscription_id: str, delivery_id: str) -> Delivery:
    """Return the row of a delivery. NotFound: there is none, or the key may not see its subscription."""
    subscriptions.find(caller, subscription_id)
    return _find(subscription_id, delivery_id)


def _find(subscription_id: str, delivery_id: str) -> Delivery:
    sql = "SELECT * FROM deliveries WHERE id = ? AND subscription_id = ?"
    delivery = rows.first(Delivery, sql, (delivery_id, subscription_id))
    if delivery is None:
        raise NotFound("This subscription has no such delivery; GET /v1/webhooks/{id}/deliveries lists its deliveries.")
    return delivery


def _needs_active(caller: Caller, subscription_id: str) -> None:
    subscription = subscriptions.find(caller, subscription_id)
    if subscription["status"] != "Active":
        raise SubscriptionNotActive("Deliveries are sent only to an Active subscription; reinstate it first.")
    if subscription["paused_at"] is not None:
        raise SubscriptionNotActive("The subscription is paused; resume it first.")
