"""What the operator should know: alerts, kept in a table and logged once they are true."""

import logging
from functools import partial

from svc.base import clock
from svc.domain import metrics
from svc.store.database import Row, after_commit, execute, rows, write

_log = logging.getLogger("svc.alerts")
_LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "critical": logging.CRITICAL}
_INSERT = "INSERT INTO alerts (at, name, severity, partner_id, subject_id, message) VALUES (?, ?, ?, ?, ?, ?)"


def raise_alert(
    name: str, severity: str, message: str, now: int, partner_id: str | None = None, subject_id: str | None = None
) -> None:
    """Keep an alert and log it after the commit. Inside write(). ``severity``: info, warning or critical."""
    execute(_INSERT, (now, name, severity, partner_id, subject_id, message))
    after_commit(partial(_tell, name, severity, message, partner_id, subject_id))


def _tell(name: str, severity: str, message: str, partner_id: str | None, subject_id: str | None) -> None:
    metrics.count("alerts", name, severity)
    _log.log(_LEVELS[severity], "%s: %s", name, message, extra={"alert": name, "partner": partner_id, "subject": subject_id})


def to_notify(now: int) -> list[Row]:
    """The alerts of the last day that nobody was told of, oldest first."""
    return rows("SELECT * FROM alerts WHERE notified_at IS NULL AND at > ? ORDER BY id LIMIT 50", (now - clock.DAY,))


def notified(alert_id: int, now: int) -> None:
    """Somebody was told."""
    with write():
        execute("UPDATE alerts SET notified_at = ? WHERE id = ?", (now, alert_id))
