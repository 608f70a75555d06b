"""The log of deliveries: what a partner sees of it, the two ways to have something sent again, and its pruning."""

import json
from typing import Any

from svc.base import clock, ids
from svc.base.errors import InvalidDateFormat, NotFound, ReplayInProgress, SubscriptionNotActive
from svc.domain import rows
from svc.domain.access.idempotency import NOT_KEPT, FirstAnswer
from svc.domain.caller import Caller
from svc.domain.paging import Page
from svc.domain.tables import Delivery
from svc.domain.webhooks import attempts as delivery_attempts
from svc.domain.webhooks import lanes, outbox, subscriptions
from svc.store import database, wake

_PAGE = """
    SELECT * FROM deliveries
    WHERE subscription_id = :subscription AND (created_at, id) < (:created, :id) AND (:status IS NULL OR status = :status)
    ORDER BY created_at DESC, id DESC LIMIT :limit
"""
# By age of their identifiers, which are in the order of the table: no index of its own is needed.
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
# A replay of what has arrived, too. A retry is no part of it any more: it is not queued again while it waits for its time.
_REPLAYING = f"SELECT 1 FROM deliveries WHERE subscription_id = ? AND lane = {lanes.REPLAYS} AND status = 'Pending' LIMIT 1"
_REPLAY = (
    _FRESH_ROUND
    + f"""lane = iif(:missed, {lanes.ASIDE}, {lanes.REPLAYS}), holds = 1, next_attempt_at = NULL
    WHERE subscription_id = :subscription AND created_at BETWEEN :since AND :until AND sequence > 0
      AND (status IN ('Failed', 'Skipped') OR (status = 'Succeeded' AND NOT :missed))
      AND (:production IS NULL OR production_id = :production)
"""
)


def page(caller: Caller, subscription_id: str, status: str | None, page: Page) -> dict[str, Any]:
    """The deliveries of a subscription, newest first, each with its attempts. ``status``: one of states.DELIVERY_STATES."""
    subscriptions.find(caller, subscription_id)
    found = rows.every(Delivery, _PAGE, {
        "subscription": subscription_id, "status": status, **page.params,
    })  # fmt: skip
    return page.envelope(found, view)


def redeliver(
    caller: Caller, subscription_id: str, delivery_id: str, now: int, first: FirstAnswer = NOT_KEPT
) -> dict[str, Any]:
    """Send one delivery again, at once and with the same eventId; one that is queued anyway stays as it is.

    ``first``: where the answer is kept. NotFound, SubscriptionNotActive.
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
    """Send again every finished or skipped delivery of the events of a window, in order, with the same eventIds: how many.

    ``production_id``: of this production alone; ``missed``: only what did not arrive; ``first``: where the answer is kept.
    What is queued anyway is not queued again, and what has arrived is sent again by one replay of a subscription at a time: so
    nobody has more sent than one window holds, however often it is asked for.

    NotFound, SubscriptionNotActive, ReplayInProgress, InvalidDateFormat: the window ends before it begins.
    """
    until = now if until is None else until
    if since > until:
        message = "`from` must not be after `to`, which is now unless you send it."
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
    """Remove what was finished or skipped before an instant, with its body and its attempts: how many deliveries.

    What is Pending or Parked stays, however old. ``batch``: rows in one transaction, so that nobody waits long.
    """
    removed, asked = 0, {"after": "", "until": ids.earliest(before), "before": before, "batch": batch}
    while True:
        with database.write(durable=False):
            found = [row["id"] for row in database.rows(_FINISHED, asked)]
            for sql in _REMOVE:
                database.execute(sql, (json.dumps(found),))
        if not found:
            return removed
        removed, asked["after"] = removed + len(found), found[-1]


def view(delivery: Delivery) -> dict[str, Any]:
    """A delivery as the API shows it."""
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
    """The row of a delivery of a subscription that the key may see. NotFound otherwise."""
    subscriptions.find(caller, subscription_id)
    return _find(subscription_id, delivery_id)


def _find(subscription_id: str, delivery_id: str) -> Delivery:
    sql = "SELECT * FROM deliveries WHERE id = ? AND subscription_id = ?"
    found = rows.first(Delivery, sql, (delivery_id, subscription_id))
    if found is None:
        raise NotFound("This subscription has no such delivery; GET its /deliveries for those that it has.")
    return found


def _needs_active(caller: Caller, subscription_id: str) -> None:
    if subscriptions.find(caller, subscription_id)["status"] != "Active":
        raise SubscriptionNotActive("Only an Active subscription can be sent anything; reinstate it first.")
