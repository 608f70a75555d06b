"""The health of partners' endpoints: consecutive failures, alerts, suspension.

Called inside a transaction after deliveries.
"""

import json
from collections.abc import Iterable

from svc.base import clock
from svc.domain import lanes
from svc.domain.monitoring import alerts
from svc.domain.tables.webhooks import Endpoint
from svc.store.database import Connection, Row
from svc.store.expressions import Case, JsonLists, elements
from svc.store.models.webhooks import Delivery, Subscription
from svc.store.queries import Prepared, slot

FAILURES_TO_WARNING = 3  # specification, "Retry and suspension" 2 and 3
FAILURES_TO_SUSPENSION = 10
WARNING, SUSPENDED = "WebhookDeliveryFailed", "WebhookEndpointUnreachable"  # alerts
SLOW_AFTER = 2 * clock.SECOND  # an endpoint whose last answer took longer is moved to the lane SLOW

_ANSWERS = JsonLists(slot("answers"), "answer")  # subscription, time, troubled
_ANSWERED = Prepared(
    Subscription.update(
        failure_count=0,
        failing_since=Case(Subscription.status, [("Failed", Subscription.failing_since)]),
        troubled=_ANSWERS.integer(2),
        last_delivery_at=Case(
            slot("ping").cast("bigint"), [(1, Subscription.last_delivery_at)], _ANSWERS.integer(1)
        ),
    )
    .from_(_ANSWERS)
    .where(Subscription.id == _ANSWERS.text(0))
)
_THIS_ONE = Subscription.id == slot("id")
_MARK_TROUBLED = Prepared(
    Subscription.update(troubled=1).where(_THIS_ONE, Subscription.troubled == 0)
)
_ACTIVE = Prepared(
    Subscription.select(Subscription.id).where(
        Subscription.id.in_(elements(slot("ids"))), Subscription.status == "Active"
    )
)
_FAILING = Prepared(
    Subscription.update(failing_since=slot("now")).where(
        _THIS_ONE, Subscription.failing_since.is_null()
    )
)
_FAILED = Prepared(
    Subscription.update(failure_count=Subscription.failure_count + 1)
    .where(_THIS_ONE, Subscription.deleted_at.is_null(), Subscription.status == "Active")
    .returning(Subscription.partner_id, Subscription.failure_count, Subscription.endpoint_url)
)
_ADDRESSES = Prepared(
    Subscription.select(Subscription.id, Subscription.endpoint_url)
    .where(Subscription.deleted_at.is_null())
    .order_by(Subscription.id)
    .limit(slot("most")),
    Endpoint,
)
_SUSPEND = Prepared(Subscription.update(status="Failed").where(_THIS_ONE))
_WAITING = (Delivery.subscription_id == slot("id")) & (Delivery.status == "Pending")
_PARK = Prepared(Delivery.update(status="Parked", next_attempt_at=None).where(_WAITING))
_STEP_ASIDE = Prepared(
    Delivery.update(lane=lanes.SLOW).where(_WAITING, Delivery.lane == lanes.FIRST)
)


def list_addresses_by(connection: Connection, most: int) -> list[Endpoint]:
    """Return the endpoints of at most ``most`` subscriptions in the database of ``connection``."""
    return _ADDRESSES.rows_by(connection, most=most)


def record_successes(answers: Iterable[tuple[str, int, int]], ping: bool = False) -> None:
    """Record successful deliveries (subscription id, sent at, answered at); the last of each
    subscription counts.

    Any 2xx answer, also to a ping, resets the failure counter
    (specification, "Retry and suspension" 4).
    """
    last = {
        key: (key, now, int(now - attempted_at > SLOW_AFTER)) for key, attempted_at, now in answers
    }
    if last:
        _ANSWERED.execute(answers=json.dumps(list(last.values())), ping=int(ping))


def close_alerts_of_recovered(subscription_ids: set[str], now: int) -> None:
    """Settle the alerts about endpoints that were failing and now succeeded,
    unless they are suspended.
    """
    active = _ACTIVE.rows(ids=json.dumps(list(subscription_ids)))
    alerts.close_recovered((WARNING,), [row["id"] for row in active], now)


def close_alerts(subscription_id: str, now: int) -> None:
    """Settle all alerts about a subscription that was reinstated or deleted."""
    alerts.close_recovered((WARNING, SUSPENDED), [subscription_id], now)


def record_failed_attempt(subscription_id: str, now: int) -> None:
    """Record a failed attempt, also of a ping: the endpoint is shown as failing until
    a delivery succeeds.
    """
    _FAILING.execute(id=subscription_id, now=now)


def mark_troubled(subscription_id: str) -> None:
    """Move first attempts for an endpoint that failed to the lane SLOW, until it succeeds again.

    Moved rows stay there, so that an unstable endpoint does not cause the same rows to be moved
    repeatedly.
    """
    if _MARK_TROUBLED.execute(id=subscription_id):
        _STEP_ASIDE.execute(id=subscription_id)


def count_failed_delivery(subscription_id: str, now: int) -> None:
    """Count a delivery that failed after all retries: the third in a row raises a warning, the
    tenth suspends.

    A deleted subscription is not counted: its queued deliveries still go out
    (specification, "Behaviour rules" 9).
    """
    for row in _FAILED.rows(id=subscription_id):
        if row["failure_count"] == FAILURES_TO_WARNING:
            _raise_alert(WARNING, "warning", subscription_id, row, now)
        if row["failure_count"] == FAILURES_TO_SUSPENSION:
            _suspend_webhook(subscription_id)
            _raise_alert(SUSPENDED, "critical", subscription_id, row, now)


def _suspend_webhook(subscription_id: str) -> None:
    """Suspend a subscription.

    An attempt in flight keeps its claim, so that its outcome is recorded.
    """
    _SUSPEND.execute(id=subscription_id)
    _PARK.execute(id=subscription_id)


def _raise_alert(name: str, severity: str, subscription_id: str, row: Row, now: int) -> None:
    message = (
        f"{row['failure_count']} deliveries in a row failed; the endpoint is {row['endpoint_url']}"
    )
    alerts.raise_alert(name, severity, message, now, row["partner_id"], subscription_id)
