"""Changes of a webhook subscription: another endpoint, other event types, a pause."""

import json
from collections.abc import Callable
from typing import Any

from svc.domain.caller import Caller
from svc.domain.webhooks import endpoint_health, outbox, subscriptions
from svc.store import database, wake

# What is counted about the endpoint begins anew with another one.
_CHANGE = f"""
    UPDATE subscriptions SET event_types = :types, endpoint_url = :url,
        failure_count = CASE WHEN endpoint_url = :url THEN failure_count ELSE 0 END,
        failing_since = CASE WHEN endpoint_url = :url OR status = 'Failed' THEN failing_since END,
        troubled = CASE WHEN endpoint_url = :url THEN troubled ELSE 0 END
    WHERE id = :id AND {subscriptions.MINE}
"""
_PAUSE = f"UPDATE subscriptions SET paused_at = :now WHERE id = :id AND {subscriptions.MINE} AND paused_at IS NULL"
_RESUME = f"UPDATE subscriptions SET paused_at = NULL WHERE id = :id AND {subscriptions.MINE} AND paused_at IS NOT NULL"


def change(
    caller: Caller,
    subscription_id: str,
    *,
    endpoint_url: str | None,
    event_types: list[str] | None,
    now: int,
    check_url: Callable[[str], None],
) -> dict[str, Any]:
    """Change endpoint and event types, of which None stays as it is, and return the subscription.

    Deliveries that wait are sent to the new endpoint; those that are already queued are sent whatever their type. A suspended
    subscription stays suspended until it is reinstated. ``check_url`` raises HttpsRequired or InvalidEndpointUrl. NotFound,
    InvalidRequest, InvalidEventType.
    """
    types = None if event_types is None else subscriptions.known_types(event_types)
    if endpoint_url is not None:
        check_url(endpoint_url)  # resolves the name, so before the transaction
    with database.write():
        before = subscriptions.find(caller, subscription_id)
        url = before["endpoint_url"] if endpoint_url is None else endpoint_url
        kept = before["event_types"] if types is None else json.dumps(types)
        database.execute(_CHANGE, subscriptions.whose(caller) | {"id": subscription_id, "url": url, "types": kept})
        if url != before["endpoint_url"] and before["status"] == "Active":
            endpoint_health.settled(subscription_id, now)
        return subscriptions.get(caller, subscription_id)


def pause(caller: Caller, subscription_id: str, now: int) -> dict[str, Any]:
    """Let deliveries wait until :func:`resume`, and return the subscription; attempts that are under way end. NotFound."""
    with database.write():
        if database.execute(_PAUSE, subscriptions.whose(caller) | {"id": subscription_id, "now": now}):
            outbox.park(subscription_id)
        return subscriptions.get(caller, subscription_id)


def resume(caller: Caller, subscription_id: str, now: int) -> dict[str, Any]:
    """Send the deliveries that waited, in order, and return the subscription; a suspended one stays suspended. NotFound."""
    with database.write():
        resumed = database.execute(_RESUME, subscriptions.whose(caller) | {"id": subscription_id})
        subscription = subscriptions.find(caller, subscription_id)
        if resumed and subscription["status"] == "Active":
            outbox.release_parked(subscription_id, now)
            wake.on_commit()
        return subscriptions.view(subscription)
