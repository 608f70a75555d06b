"""Changes of a webhook subscription: another endpoint, other event types, a pause."""

import json
from collections.abc import Callable
from typing import Any

from svc.domain.caller import Caller
from svc.domain.webhooks import endpoint_health, outbox, subscriptions
from svc.store import wake
from svc.store.database import db
from svc.store.expressions import Case
from svc.store.models.webhooks import Subscription
from svc.store.queries import Prepared, slot

# What is counted about the endpoint begins anew with another one.
_THIS_ONE = (Subscription.id == slot("id")) & subscriptions.IS_OWNED
_SAME_URL = Subscription.endpoint_url == slot("url")
_CHANGE = Prepared(
    Subscription.update(
        event_types=slot("types"),
        endpoint_url=slot("url"),
        failure_count=Case(None, [(_SAME_URL, Subscription.failure_count)], 0),
        failing_since=Case(
            None, [(_SAME_URL | (Subscription.status == "Failed"), Subscription.failing_since)]
        ),
        troubled=Case(None, [(_SAME_URL, Subscription.troubled)], 0),
    ).where(_THIS_ONE)
)
_PAUSE = Prepared(
    Subscription.update(paused_at=slot("now")).where(_THIS_ONE, Subscription.paused_at.is_null())
)
_RESUME = Prepared(
    Subscription.update(paused_at=None).where(_THIS_ONE, Subscription.paused_at.is_null(False))
)


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

    Deliveries that wait are sent to the new endpoint; those that are already queued are sent
    whatever their type. A suspended subscription stays suspended until it is reinstated.
    ``check_url`` raises HttpsRequired or InvalidEndpointUrl.

    Raises:
        NotFound: There is none that the caller may see.
        InvalidRequest: A field is not valid; the error names it.
        InvalidEventType: There is no event type of that name.
    """
    types = None if event_types is None else subscriptions.known_types(event_types)
    if endpoint_url is not None:
        check_url(endpoint_url)  # resolves the name, so before the transaction
    with db.transaction():
        before = subscriptions.find(caller, subscription_id)
        url = before["endpoint_url"] if endpoint_url is None else endpoint_url
        kept = before["event_types"] if types is None else json.dumps(types)
        _CHANGE.execute(
            **subscriptions.owner_slots(caller), id=subscription_id, url=url, types=kept
        )
        if url != before["endpoint_url"] and before["status"] == "Active":
            endpoint_health.close_alerts(subscription_id, now)
        return subscriptions.get(caller, subscription_id)


def pause(caller: Caller, subscription_id: str, now: int) -> dict[str, Any]:
    """Let deliveries wait until :func:`resume`, and return the subscription;
    attempts that are under way end. NotFound.
    """
    with db.transaction():
        if _PAUSE.execute(**subscriptions.owner_slots(caller), id=subscription_id, now=now):
            outbox.park(subscription_id)
        return subscriptions.get(caller, subscription_id)


def resume(caller: Caller, subscription_id: str, now: int) -> dict[str, Any]:
    """Send the deliveries that waited, in order, and return the subscription;
    a suspended one stays suspended. NotFound.
    """
    with db.transaction():
        resumed = _RESUME.execute(**subscriptions.owner_slots(caller), id=subscription_id)
        subscription = subscriptions.find(caller, subscription_id)
        if resumed and subscription["status"] == "Active":
            outbox.release_parked(subscription_id, now)
            wake.wake_on_commit()
        return subscriptions.view(subscription)
