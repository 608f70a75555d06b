"""The health of partners' endpoints: consecutive failures, alerts, suspension. Called inside write() after deliveries."""

import json
from collections.abc import Iterable

from svc.base import clock
from svc.domain import rows as typed_rows
from svc.domain.monitoring import alerts
from svc.domain.tables.webhooks import Endpoint
from svc.domain.webhooks import lanes
from svc.store import database

FAILURES_TO_WARNING = 3  # specification, "Retry and suspension" 2 and 3
FAILURES_TO_SUSPENSION = 10
WARNING, SUSPENDED = "WebhookDeliveryFailed", "WebhookEndpointUnreachable"  # alerts
SLOW = 2 * clock.SECOND  # an endpoint whose last answer took longer is moved to the lane ASIDE

_ANSWERED = """
    UPDATE subscriptions SET failure_count = 0, failing_since = CASE status WHEN 'Failed' THEN failing_since END,
        troubled = CAST(answer.value ->> 2 AS BIGINT),
        last_delivery_at = CASE :ping WHEN 1 THEN last_delivery_at ELSE CAST(answer.value ->> 1 AS BIGINT) END
    FROM json_each(:answers) AS answer WHERE subscriptions.id = answer.value ->> 0
"""
_MARK_TROUBLED = "UPDATE subscriptions SET troubled = 1 WHERE id = ? AND troubled = 0"
_ACTIVE = "SELECT id FROM subscriptions WHERE id IN (SELECT value FROM json_each(?)) AND status = 'Active'"
_FAILING = "UPDATE subscriptions SET failing_since = ? WHERE id = ? AND failing_since IS NULL"
_FAILED = """
    UPDATE subscriptions SET failure_count = failure_count + 1
    WHERE id = ? AND deleted_at IS NULL AND status = 'Active' RETURNING partner_id, failure_count, endpoint_url
"""
_PARK = "UPDATE deliveries SET status = 'Parked', next_attempt_at = NULL WHERE subscription_id = ? AND status = 'Pending'"
_STEP_ASIDE = f"""
    UPDATE deliveries SET lane = {lanes.ASIDE} WHERE subscription_id = ? AND status = 'Pending' AND lane = {lanes.FIRST}
"""


def addresses_by(connection: database.Connection, most: int) -> list[Endpoint]:
    """Return the endpoints of at most ``most`` subscriptions in the database of ``connection``."""
    sql = "SELECT id, endpoint_url FROM subscriptions WHERE deleted_at IS NULL ORDER BY id LIMIT ?"
    return typed_rows.every_by(connection, Endpoint, sql, (most,))


def answered(answers: Iterable[tuple[str, int, int]], ping: bool = False) -> None:
    """Record successful deliveries (subscription id, sent at, answered at); the last of each subscription counts.

    Any 2xx answer, also to a ping, resets the failure counter (specification, "Retry and suspension" 4).
    """
    last = {key: (key, now, int(now - attempted_at > SLOW)) for key, attempted_at, now in answers}
    if last:
        database.execute(_ANSWERED, {"answers": json.dumps(list(last.values())), "ping": ping})


def recovered(subscription_ids: set[str], now: int) -> None:
    """Settle the alerts about endpoints that were failing and now succeeded, unless they are suspended."""
    rows = database.rows(_ACTIVE, (json.dumps(list(subscription_ids)),))
    alerts.settle((WARNING,), [row["id"] for row in rows], now)


def settled(subscription_id: str, now: int) -> None:
    """Settle all alerts about a subscription that was reinstated or deleted."""
    alerts.settle((WARNING, SUSPENDED), [subscription_id], now)


def failing(subscription_id: str, now: int) -> None:
    """Record a failed attempt, also of a ping: the endpoint is shown as failing until a delivery succeeds."""
    database.execute(_FAILING, (now, subscription_id))


def mark_troubled(subscription_id: str) -> None:
    """Move first attempts for an endpoint that failed to the lane ASIDE, until it succeeds again.

    Moved rows stay there, so that an unstable endpoint does not cause the same rows to be moved repeatedly.
    """
    if database.execute(_MARK_TROUBLED, (subscription_id,)):
        database.execute(_STEP_ASIDE, (subscription_id,))


def failed(subscription_id: str, now: int) -> None:
    """Count a delivery that failed after all retries: the third in a row raises a warning, the tenth suspends.

    A deleted subscription is not counted: its queued deliveries still go out (specification, "Behaviour rules" 9).
    """
    rows = database.rows(_FAILED, (subscription_id,))
    for row in rows:
        if row["failure_count"] == FAILURES_TO_WARNING:
            _alert(WARNING, "warning", subscription_id, row, now)
        if row["failure_count"] == FAILURES_TO_SUSPENSION:
            _suspend(subscription_id)
            _alert(SUSPENDED, "critical", subscription_id, row, now)


def _suspend(subscription_id: str) -> None:
    """Suspend a subscription. An attempt in flight keeps its claim, so that its outcome is recorded."""
    database.execute("UPDATE subscriptions SET status = 'Failed' WHERE id = ?", (subscription_id,))
    database.execute(_PARK, (subscription_id,))


def _alert(name: str, severity: str, subscription_id: str, row: database.Row, now: int) -> None:
    message = f"{row['failure_count']} deliveries in a row failed; the endpoint is {row['endpoint_url']}"
    alerts.raise_alert(name, severity, message, now, row["partner_id"], subscription_id)
