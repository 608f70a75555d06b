"""Chores: what is to be done by the clock rather than by an event: expiry, the end of a day, pruning."""

import json
import logging

from svc.adapters import notify
from svc.base import clock
from svc.domain import alerts, history, idempotency, performance, security, sessions, usage
from svc.store import database

log = logging.getLogger("svc.chores")

_BATCH = 5000  # rows in one transaction of the pruning, so that no request waits long


def close_day(now: int, history_days: int) -> None:
    """At midnight UTC: the counters of old days go. Counters belong to their date, so the new day began at zero by itself."""
    usage.prune(now)
    performance.remove_unwatched(now - clock.DAY)
    prune(now, history_days)


def prune(now: int, history_days: int) -> None:
    """Delete what its time of keeping has passed, in small transactions."""
    idempotency.prune(now)
    security.prune(now)
    sessions.prune(now)
    while history.prune(now - history_days * clock.DAY, _BATCH) == _BATCH:
        pass


def tell_people(urls: tuple[str, ...], now: int) -> None:
    """Send the alerts that nobody was told of to the operator's addresses; what fails is tried again at the next tick."""
    for alert in alerts.to_notify(now) if urls else ():
        if not notify.notify(urls, f"{alert['severity'].upper()}: {alert['name']}", alert["message"]):
            log.warning("alert %s could not be sent to the addresses of SVC_ALERT_URLS", alert["id"])
            return
        alerts.notified(alert["id"], now)


def terminal_folders(names: list[str]) -> list[str]:
    """Which of the work folders, named after their productions, belong to none that is still being made."""
    sql = "SELECT id FROM productions WHERE id IN (SELECT value FROM json_each(?)) AND status IN ('Queued', 'Producing')"
    still = {row["id"] for row in database.rows(sql, (json.dumps(names),))}
    return [name for name in names if name not in still]
