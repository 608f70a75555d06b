"""The health of partners' endpoints: consecutive failures, alerts, suspension. Called inside write() by deliveries."""

import json
from collections.abc import Iterable

from svc.base import clock
from svc.domain.monitoring import alerts
from svc.domain.webhooks import lanes
from svc.store import database

FAILURES_TO_WARNING = 3  # specification, "Retry and suspension" 2 and 3
FAILURES_TO_SUSPENSION = 10
WARNING, SUSPENDED = "WebhookDeliveryFailed", "WebhookEndpointUnreachable"  # alerts
SLOW = 2 * clock.SECOND  # an answer that took longer keeps its endpoint out of the way of the others

_ANSWERED = """
    UPDATE subscriptions SET failure_count = 0, failing_since = iif(status = 'Failed', failing_since, NULL),
        troubled = answer.value ->> 2,
        last_delivery_at = iif(:ping, last_delivery_at, answer.value ->> 1)
    FROM json_each(:answers) AS answer WHERE subscriptions.id = answer.value ->> 0
"""
_STUMBLED = "UPDATE subscriptions SET troubled = 1 WHERE id = ? AND troubled = 0"
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


def addresses_by(connection: database.Connection, most: int) -> list[database.Row]:
    """Id and endpoint_url of at most so many subscriptions, in the database of another connection."""
    sql = "SELECT id, endpoint_url FROM subscriptions WHERE deleted_at IS NULL ORDER BY id LIMIT ?"
    return connection.execute(sql, (most,)).fetchall()


def answered(answers: Iterable[tuple[str, int, int]], ping: bool = False) -> None:
    """Endpoints took deliveries: subscription id, when it was sent, when it was answered. The last of each counts.

    Any 2xx answer resets the failure counter (specification, "Retry and suspension" 4), that to a ping too.
    """
    last = {each: (each, now, int(now - attempted_at > SLOW)) for each, attempted_at, now in answers}
    if last:
        database.execute(_ANSWERED, {"answers": json.dumps(list(last.values())), "ping": ping})


def recovered(subscription_ids: set[str], now: int) -> None:
    """Endpoints that were failing took something: what was said of their failures is settled, unless they are suspended."""
    rows = database.rows(_ACTIVE, (json.dumps(list(subscription_ids)),))
    alerts.settle((WARNING,), [row["id"] for row in rows], now)


def settled(subscription_id: str, now: int) -> None:
    """A subscription is reinstated or deleted: nothing that was said of it is left to do."""
    alerts.settle((WARNING, SUSPENDED), [subscription_id], now)


def failing(subscription_id: str, now: int) -> None:
    """An attempt failed, that of a ping too: the endpoint is shown as failing until it takes something."""
    database.execute(_FAILING, (now, subscription_id))


def stumbled(subscription_id: str) -> None:
    """An attempt failed: until the endpoint answers again, all that is for it stands aside.

    What has moved stays there, so that an endpoint that comes and goes never moves the same rows twice.
    """
    if database.execute(_STUMBLED, (subscription_id,)):
        database.execute(_STEP_ASIDE, (subscription_id,))


def failed(subscription_id: str, now: int) -> None:
    """A delivery failed after all its retries. The third in a row is worth a warning; after the tenth nothing is sent any
    more. A deleted subscription is not counted: what was queued for it goes out (specification, "Behaviour rules" 9)."""
    counted = database.rows(_FAILED, (subscription_id,))
    for row in counted:
        if row["failure_count"] == FAILURES_TO_WARNING:
            _alert(WARNING, "warning", subscription_id, row, now)
        if row["failure_count"] == FAILURES_TO_SUSPENSION:
            _suspend(subscription_id)
            _alert(SUSPENDED, "critical", subscription_id, row, now)


def _suspend(subscription_id: str) -> None:
    """An attempt that is in flight keeps its claim, so that its outcome still lands."""
    database.execute("UPDATE subscriptions SET status = 'Failed' WHERE id = ?", (subscription_id,))
    database.execute(_PARK, (subscription_id,))


def _alert(name: str, severity: str, subscription_id: str, row: database.Row, now: int) -> None:
    message = f"{row['failure_count']} deliveries in a row failed; the endpoint is {row['endpoint_url']}"
    alerts.raise_alert(name, severity, message, now, row["partner_id"], subscription_id)
