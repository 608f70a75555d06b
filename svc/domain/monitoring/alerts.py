"""Alerts for the operator, stored in a table and logged after the commit."""

import json
import logging
from collections.abc import Collection
from functools import partial
from typing import Any

from svc.base import clock, outage
from svc.base.errors import NotFound
from svc.domain import rows
from svc.domain.monitoring import metrics
from svc.domain.paging import Page
from svc.domain.people import audit
from svc.domain.people.audit import Actor
from svc.domain.tables.usage import Alert
from svc.store.database import after_commit, execute, one, row, write

_log = logging.getLogger("svc.alerts")
_LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "critical": logging.CRITICAL}
CLOSED_FOR = 90 * clock.DAY  # how long closed alerts are kept
# Every alert that there is, with its severities. /metrics counts each of them from 0, so that a rule about the increase sees
# the first one, too.
SEVERITIES: dict[str, tuple[str, ...]] = {
    "AlertNotSent": ("warning",),
    "ApiKeyExpiring": ("warning",),
    "AuthenticationFailureBurst": ("warning",),
    "AuthenticationFailureFlood": ("warning",),
    "BackupFailed": ("critical",),
    "BackupIncomplete": ("warning",),
    "BackupOld": ("critical",),
    "ClockJumped": ("warning",),
    "DatabaseNotReady": ("critical",),
    "DiskNearlyFull": ("warning",),
    "EngineFault": ("critical",),
    "MailFailed": ("warning",),
    "NoWorker": ("critical",),
    "QueueOld": ("warning", "critical"),
    "SecretWrong": ("critical",),
    "SensitivityPatternSlow": ("warning",),
    "ShippingFailed": ("critical",),
    "StepCrashed": ("warning", "critical"),
    "VoiceLost": ("warning",),
    "WebhookDeliveryFailed": ("warning",),
    "WebhookEndpointUnreachable": ("critical",),
    **dict.fromkeys(outage.ALL, ("critical",)),
}
_INSERT = "INSERT INTO alerts (at, name, severity, partner_id, subject_id, message) VALUES (?, ?, ?, ?, ?, ?)"


def raise_alert(
    name: str, severity: str, message: str, now: int, partner_id: str | None = None, subject_id: str | None = None
) -> None:
    """Store an alert, and log it after the commit. Call it inside write(). ValueError: it is not in :data:`SEVERITIES`."""
    if severity not in SEVERITIES.get(name, ()):
        raise ValueError(f"{name} ({severity}) is missing in SEVERITIES")
    execute(_INSERT, (now, name, severity, partner_id, subject_id, message))
    after_commit(partial(_tell, name, severity, message, partner_id, subject_id))


def raise_once(
    name: str,
    severity: str,
    message: str,
    now: int,
    partner_id: str | None = None,
    subject_id: str | None = None,
    every: int = 6 * clock.HOUR,
) -> None:
    """As :func:`raise_alert`, unless an alert of that name and severity was raised in the last ``every`` milliseconds."""
    recent = row("SELECT 1 FROM alerts WHERE at > ? AND name = ? AND severity = ?", (now - every, name, severity))
    if recent is None:
        raise_alert(name, severity, message, now, partner_id, subject_id)


def _tell(name: str, severity: str, message: str, partner_id: str | None, subject_id: str | None) -> None:
    metrics.count("alerts", name, severity)
    _log.log(_LEVELS[severity], "%s: %s", name, message, extra={"alert": name, "partner": partner_id, "subject": subject_id})


def tried_since(now: int) -> int:
    """Return since when alerts must have been raised (ms) for their notification to be tried still."""
    return now - clock.DAY


def to_tell(address: str, now: int) -> list[Alert]:
    """Return the alerts of the last day that an address has not taken yet, oldest first. ``address``: its fingerprint."""
    sql = """
        SELECT * FROM alerts WHERE notified_at IS NULL AND at > ? AND coalesce(told, '') NOT LIKE ? ORDER BY id LIMIT 50
    """
    return rows.every(Alert, sql, (tried_since(now), f"%{address}%"))


def mark_told(alert_id: int, address: str, addresses: Collection[str], now: int) -> None:
    """Record that an address took an alert, and whether all ``addresses``, by their fingerprints, now have."""
    with write():
        alert = row("SELECT told FROM alerts WHERE id = ?", (alert_id,))
        if alert is not None:
            told = {*(alert["told"] or "").split(), address}
            notified = now if told.issuperset(addresses) else None
            execute("UPDATE alerts SET told = ?, notified_at = ? WHERE id = ?", (" ".join(sorted(told)), notified, alert_id))


def number_since(names: tuple[str, ...], since: int) -> int:
    """Return the number of alerts with these names since ``since`` (ms)."""
    sql = f"SELECT count(*) FROM alerts WHERE at > ? AND name IN ({', '.join('?' * len(names))})"
    return int(one(sql, (since, *names))[0])


def prune(now: int, before: int) -> None:
    """Remove closed alerts after three months, and all alerts from before ``before`` (ms)."""
    with write(durable=False):
        execute("DELETE FROM alerts WHERE at < ? OR (closed_at IS NOT NULL AND at < ?)", (before, now - CLOSED_FOR))


def page(page: Page, *, closed: bool | None = False, name: str | None = None, partner_id: str | None = None) -> dict[str, Any]:
    """Return a page of alerts, newest first. ``closed``: None for both open and closed ones."""
    terms = ["id < :before"]
    if closed is not None:
        terms.append("closed_at IS NOT NULL" if closed else "closed_at IS NULL")
    terms += [f"{column} = :{column}" for column, value in (("name", name), ("partner_id", partner_id)) if value]
    alerts = rows.every(
        Alert,
        f"SELECT * FROM alerts WHERE {' AND '.join(terms)} ORDER BY id DESC LIMIT :limit",
        {"before": page.row_number, "limit": page.limit + 1, "name": name, "partner_id": partner_id},
    )
    return page.envelope(alerts, lambda row: row, key=lambda row: (row["at"], row["id"]))


def open_count() -> int:
    """Return the number of open alerts, at most 100."""
    return int(one("SELECT count(*) FROM (SELECT 1 FROM alerts WHERE closed_at IS NULL LIMIT 100) AS newest")[0])


def settle(names: tuple[str, ...], subject_ids: list[str], now: int) -> None:
    """Close the open alerts with these names about subjects that have recovered or are gone. Call it inside write()."""
    values = "SELECT value FROM json_each(?)"
    sql = f"UPDATE alerts SET closed_at = ? WHERE closed_at IS NULL AND name IN ({values}) AND subject_id IN ({values})"
    execute(sql, (now, json.dumps(names), json.dumps(subject_ids)))


def see(actor: Actor, alert_id: int, now: int) -> None:
    """Mark an alert as seen by an operator. NotFound: there is none."""
    _mark(actor, alert_id, "seen_at", "alert.see", now)


def close(actor: Actor, alert_id: int, now: int) -> None:
    """Close an alert. NotFound: there is none."""
    _mark(actor, alert_id, "closed_at", "alert.close", now)


def close_all(actor: Actor, until: int, now: int) -> int:
    """Close all open alerts up to the id ``until``, the newest one that the operator saw; return their number."""
    with write():
        closed = execute("UPDATE alerts SET closed_at = ? WHERE closed_at IS NULL AND id <= ?", (now, until))
        if closed:
            audit.record(actor, "alert.close", f"{closed} alerts", now, after={"closed": closed})
        return closed


def _mark(actor: Actor, alert_id: int, column: str, action: str, now: int) -> None:
    with write():
        alert = row("SELECT * FROM alerts WHERE id = ?", (alert_id,))
        if alert is None:
            raise NotFound("There is no such alert.")
        if execute(f"UPDATE alerts SET {column} = ? WHERE id = ? AND {column} IS NULL", (now, alert_id)):
            audit.record(actor, action, alert["name"], now, subject_id=str(alert_id), partner_id=alert["partner_id"])
