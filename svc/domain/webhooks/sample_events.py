"""Test events: a ping, or a sample of any event type, sent once to one subscription."""

from typing import Any

from svc.base import clock, ids, states
from svc.base.errors import RateLimitExceeded, SubscriptionNotActive
from svc.domain.caller import Caller
from svc.domain.webhooks import outbox, subscriptions
from svc.store.database import db
from svc.store.models.webhooks import Subscription
from svc.store.queries import Prepared, slot

INTERVAL = clock.MINUTE  # between two of a subscription
_PLATFORM = {"platform": "Watch"}
_FILE = {"deliverableId": ids.NIL, "platform": "Watch"}
COUNTS = {
    "refused": 1,
    "waiting": 0,
    "queued": 0,
    "producing": 0,
    "awaitingApproval": 0,
    "distributing": 0,
    "published": 38,
    "failed": 0,
    "cancelled": 1,
    "removed": 0,
    "pending": 0,
}
DATA: dict[str, dict[str, Any]] = {  # by the event type under which it is sent
    "production.queued": {"status": "Queued", "expiresAt": None},
    "production.step.complete": {
        "status": "Producing",
        "stepsComplete": 3,
        "currentStep": "Video rendered",
    },
    "production.awaiting_approval": {"status": "AwaitingApproval", "stepsComplete": 7},
    "production.distributing": {
        "status": "Distributing",
        "platforms": [{**_PLATFORM, "status": "Publishing"}],
    },
    "production.published": {
        "status": "Published",
        "platforms": [{**_PLATFORM, "status": "Published", "platformPostId": "m3Kq81xZ"}],
    },
    "production.failed": {
        "status": "Failed",
        "errorCode": "EXPIRED",
        "errorMessage": "The production was not released in time.",
    },
    "production.cancelled": {"status": "Cancelled"},
    "deliverable.ready": {
        "status": "AwaitingApproval",
        "deliverables": [
            {**_FILE, "type": "Video", "format": "mp4"},
            {**_FILE, "type": "Captions", "format": "vtt"},
        ],
    },
    states.BATCH_EVENT: {"batchId": ids.NIL, "counts": COUNTS},
    states.SCRIPT_EVENT: {
        "status": "Producing",
        "holdReason": states.SCRIPT_REVIEW,
        "version": 1,
        "scenes": 5,
    },
    states.USAGE_EVENT: {
        "limit": "accountBudget",
        "ownerId": ids.NIL,
        "percent": 80,
        "used": 80.5,
        "most": 100.0,
        "period": "2026-11",
    },
    states.PING_EVENT: {
        "type": states.PING_EVENT,
        "message": "This is a test delivery. Your endpoint is reachable and its webhook is active.",
    },
}
_SEND = Prepared(
    Subscription.update(last_ping_at=slot("now")).where(
        Subscription.id == slot("id"),
        subscriptions.IS_OWNED,
        Subscription.status == "Active",
        Subscription.last_ping_at.is_null() | (Subscription.last_ping_at <= slot("before")),
    )
)


def send(
    caller: Caller,
    subscription_id: str,
    now: int,
    correlation_id: str | None = None,
    event_type: str = states.PING_EVENT,
) -> dict[str, Any]:
    """Queue one test event, which is delivered once and without retries, even while the
    subscription is paused.

    ``correlation_id``: of the causing request, for the event; None: a new one.

    Raises:
        NotFound: There is none that the caller may see.
        SubscriptionNotActive: It is not Active.
        RateLimitExceeded: The last test event was under a minute ago.
    """
    with db.transaction():
        is_sent = _SEND.execute(
            **subscriptions.owner_slots(caller), id=subscription_id, now=now, before=now - INTERVAL
        )
        subscription = subscriptions.find(caller, subscription_id)
        if subscription["status"] != "Active":
            raise SubscriptionNotActive()
        if not is_sent:
            wait = clock.seconds_until((subscription["last_ping_at"] or now) + INTERVAL, now)
            raise RateLimitExceeded(
                f"A webhook can be pinged once a minute; try again in {wait} s.", retry_after=wait
            )
        event = _event(
            states.PING_EVENT if event_type == "webhook.ping" else event_type,
            now,
            correlation_id or ids.new(now),
        )
        [event_id] = outbox.enqueue([subscription], event, now)
    return {"subscriptionId": subscription_id, "eventId": event_id, "eventType": event["eventType"]}


def _event(event_type: str, now: int, correlation_id: str) -> dict[str, Any]:
    return {
        "eventType": event_type,
        "productionId": ids.NIL,
        "accountId": ids.NIL,
        "timestamp": clock.text(now),
        "sequenceNumber": 0,
        "correlationId": correlation_id,
        "truncated": False,
        "data": DATA[event_type],
    }
