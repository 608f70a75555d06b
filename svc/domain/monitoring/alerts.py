"""Alerts for the operator, stored in a table and logged after the commit."""

import functools
import json
import logging
from collections.abc import Collection
from functools import partial
from typing import Any

from svc.base import clock, outage
from svc.base.errors import NotFound
from svc.domain import dates_ahead
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.monitoring import metrics
from svc.domain.paging import Page
from svc.domain.tables.usage import Alert
from svc.store.database import Row, db
from svc.store.expressions import SQL, elements, fn
from svc.store.models import service as models
from svc.store.queries import Prepared, slot, slots

_log = logging.getLogger("svc.alerts")
_LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "critical": logging.CRITICAL}
KEEP_CLOSED_FOR = 90 * clock.DAY  # how long closed alerts are kept
# Every alert about an event, with its severities; those that health checks raise are declared with
# them. /metrics counts each from 0, so that a rule about the increase sees the first one, too.
SEVERITIES: dict[str, tuple[str, ...]] = {
    "AlertNotSent": ("warning",),
    "ApiKeyExpiring": ("warning",),
    "AuthenticationFailureBurst": ("warning",),
    "AuthenticationFailureFlood": ("warning",),
    "BackupFailed": ("critical",),
    "BackupIncomplete": ("warning",),
    "ClockJumped": ("warning",),
    "EngineFault": ("critical",),
    "MailFailed": ("warning",),
    "NoWorker": ("critical",),
    "ReleaseDue": ("warning",),
    "SensitivityPatternSlow": ("warning",),
    "ShippingFailed": ("critical",),
    "StepCrashed": ("warning", "critical"),
    "StepLost": ("warning", "critical"),
    "VoiceLost": ("warning",),
    "WebhookDeliveryFailed": ("warning",),
    "WebhookEndpointUnreachable": ("critical",),
    "WorkerSick": ("critical",),
    **dict.fromkeys(outage.OUTAGES, ("critical",)),
}
_ALERT = models.Alert
_THIS_ONE, _IS_OPEN = _ALERT.id == slot("id"), _ALERT.closed_at.is_null()
_RAISE = Prepared(
    _ALERT.insert(slots("at", "name", "severity", "partner_id", "subject_id", "message"))
)
# One from the future is of before the clock was set back: it keeps nobody from hearing of the next.
_IS_RECENT = (_ALERT.at > slot("since")) & (_ALERT.at <= slot("latest"))
_RECENT_OF_NAME = (
    _ALERT.select(_ALERT.id)
    .where(_IS_RECENT, _ALERT.name == slot("name"), _ALERT.severity == slot("severity"))
    .limit(1)
)
_RECENT = Prepared(_RECENT_OF_NAME)
_RECENT_OF_SUBJECT = Prepared(
    _RECENT_OF_NAME.where(fn.coalesce(_ALERT.subject_id, "") == slot("subject_id"))
)
_TO_TELL = Prepared(
    _ALERT.select()
    .where(
        _ALERT.notified_at.is_null(),
        _ALERT.at > slot("since"),
        fn.replace(fn.coalesce(_ALERT.told, ""), slot("address"), "")
        == fn.coalesce(_ALERT.told, ""),
    )
    .order_by(_ALERT.id)
    .limit(50),
    Alert,
)
_FIND = Prepared(_ALERT.select().where(_THIS_ONE), Alert)
_MARK_TOLD = Prepared(_ALERT.update(slots("told", "notified_at")).where(_THIS_ONE))
_NUMBER_SINCE = Prepared(
    _ALERT.select(fn.count(_ALERT.id)).where(_IS_RECENT, _ALERT.name.in_(elements(slot("names"))))
)
_PRUNE = Prepared(
    _ALERT.delete().where(
        (_ALERT.at < slot("before"))
        | (_ALERT.closed_at.is_null(False) & (_ALERT.at < slot("closed_before")))
    )
)
_PRUNE_AHEAD = Prepared(_ALERT.delete().where(_ALERT.at > slot("latest")))
_OPEN_ONES = _ALERT.select(SQL("1")).where(_IS_OPEN).limit(100)
_OPEN_COUNT = Prepared(_ALERT.select(fn.count(SQL("1"))).from_(_OPEN_ONES.alias("newest")))
_CLOSE = _ALERT.update(closed_at=slot("now")).where(_IS_OPEN)
_SETTLE = Prepared(
    _CLOSE.where(
        _ALERT.name.in_(elements(slot("names"))),
        _ALERT.subject_id.in_(elements(slot("subject_ids"))),
    )
)
_CLOSE_ALL = Prepared(_CLOSE.where(_ALERT.id <= slot("until")))
_CLOSE_ONE = Prepared(_CLOSE.where(_THIS_ONE))
_SEE = Prepared(_ALERT.update(seen_at=slot("now")).where(_THIS_ONE, _ALERT.seen_at.is_null()))


def declare(name: str, severities: tuple[str, ...]) -> None:
    """Add an alert to :data:`SEVERITIES`. ValueError: it is there, with other severities."""
    if SEVERITIES.setdefault(name, severities) != severities:
        raise ValueError(f"the alert {name} has the severities {SEVERITIES[name]}")


def list_declared() -> dict[str, tuple[str, ...]]:
    """Return the severities of every alert by its name, in their order, and outages last."""
    of_outages = {name: SEVERITIES[name] for name in outage.OUTAGES}
    others = SEVERITIES.keys() - of_outages.keys()
    return {name: SEVERITIES[name] for name in sorted(others)} | of_outages


def raise_alert(
    name: str,
    severity: str,
    message: str,
    now: int,
    partner_id: str | None = None,
    subject_id: str | None = None,
) -> None:
    """Store an alert, and log it after the commit.

    Call it inside a transaction. ValueError: it is not in :data:`SEVERITIES`.
    """
    if severity not in SEVERITIES.get(name, ()):
        raise ValueError(f"{name} ({severity}) is missing in SEVERITIES")
    _RAISE.execute(
        at=now,
        name=name,
        severity=severity,
        partner_id=partner_id,
        subject_id=subject_id,
        message=message,
    )
    db.after_commit(partial(_report_alert, name, severity, message, partner_id, subject_id))


def raise_once(
    name: str,
    severity: str,
    message: str,
    now: int,
    partner_id: str | None = None,
    subject_id: str | None = None,
    every: int = 6 * clock.HOUR,
    is_for_each_subject: bool = False,
) -> None:
    """Raise an alert unless one of its name and severity was raised in the last ``every``
    milliseconds; with ``is_for_each_subject``, one about its subject.

    It is committed with the present transaction, or in one of its own.
    """
    alike: dict[str, Any] = {"name": name, "severity": severity}
    if is_for_each_subject:
        alike["subject_id"] = subject_id or ""
    query = _RECENT_OF_SUBJECT if is_for_each_subject else _RECENT

    def raise_if_none() -> None:
        if query.row(since=now - every, latest=now + clock.SKEW, **alike) is None:
            raise_alert(name, severity, message, now, partner_id, subject_id)

    with db.transaction(in_turn=False):
        db.before_commit(raise_if_none)


def _report_alert(
    name: str, severity: str, message: str, partner_id: str | None, subject_id: str | None
) -> None:
    metrics.increment("alerts", name, severity)
    _log.log(
        _LEVELS[severity],
        "%s: %s",
        name,
        message,
        extra={"alert": name, "partner": partner_id, "subject": subject_id},
    )


def retry_window_start(now: int) -> int:
    """Return since when alerts must have been raised (ms) for their notification to
    be tried still.
    """
    return now - clock.DAY


def list_unsent(address: str, now: int) -> list[Alert]:
    """Return the alerts of the last day that an address has not taken yet, oldest first.

    ``address``: its fingerprint.
    """
    return _TO_TELL.rows(since=retry_window_start(now), address=address)


def mark_sent(alert_id: int, address: str, addresses: Collection[str], now: int) -> None:
    """Record that an address took an alert, and whether all ``addresses``,
    by their fingerprints, now have.
    """
    with db.transaction():
        alert = _FIND.row(id=alert_id)
        if alert is not None:
            recipients = {*(alert["told"] or "").split(), address}
            notified = now if recipients.issuperset(addresses) else None
            _MARK_TOLD.execute(id=alert_id, told=" ".join(sorted(recipients)), notified_at=notified)


def count_since(names: tuple[str, ...], since: int, now: int) -> int:
    """Return the number of alerts with these names since ``since`` (ms)."""
    return int(_NUMBER_SINCE.value(since=since, latest=now + clock.SKEW, names=json.dumps(names)))


def prune(now: int, before: int, latest: int = dates_ahead.NEVER) -> None:
    """Remove closed alerts after three months, and all alerts from before ``before`` or after
    ``latest`` (ms).
    """
    with db.transaction(durable=False):
        _PRUNE.execute(before=before, closed_before=now - KEEP_CLOSED_FOR)
        _PRUNE_AHEAD.execute(latest=latest)


def list_page(
    page: Page, *, closed: bool | None = False, name: str | None = None
) -> dict[str, Any]:
    """Return a page of alerts, newest first. ``closed``: None for both open and closed ones."""
    of_name = {"name": name} if name else {}
    alerts = _page_query(closed, bool(name)).rows(
        before=page.row_number, most=page.limit + 1, **of_name
    )
    return page.make_envelope(alerts, lambda row: row, key=lambda row: (row["at"], row["id"]))


@functools.cache
def _page_query(closed: bool | None, is_of_name: bool) -> Prepared[Alert]:
    query = _ALERT.select().where(_ALERT.id < slot("before"))
    if closed is not None:
        query = query.where(_ALERT.closed_at.is_null(not closed))
    if is_of_name:
        query = query.where(_ALERT.name == slot("name"))
    return Prepared(query.order_by(_ALERT.id.desc()).limit(slot("most")), Alert)


def count_open() -> int:
    """Return the number of open alerts, at most 100."""
    return int(_OPEN_COUNT.value())


def close_recovered(names: tuple[str, ...], subject_ids: list[str], now: int) -> None:
    """Close the open alerts with these names about subjects that have recovered or are gone.

    Call it inside a transaction.
    """
    _SETTLE.execute(now=now, names=json.dumps(names), subject_ids=json.dumps(subject_ids))


def acknowledge(actor: Actor, alert_id: int, now: int) -> None:
    """Mark an alert as seen by an operator. NotFound: there is none."""
    _mark_alert(actor, alert_id, _SEE, "alert.see", now)


def close(actor: Actor, alert_id: int, now: int) -> None:
    """Close an alert. NotFound: there is none."""
    _mark_alert(actor, alert_id, _CLOSE_ONE, "alert.close", now)


def close_all(actor: Actor, until: int, now: int) -> int:
    """Close all open alerts up to the id ``until``, the newest one that the operator saw;
    return their number.
    """
    with audit.recording(actor, "alert.close", None, now) as entry:
        closed = _CLOSE_ALL.execute(now=now, until=until)
        entry.describe(f"{closed} alerts", after={"closed": closed})
        if not closed:
            entry.omit()
        return closed


def _mark_alert(actor: Actor, alert_id: int, query: Prepared[Row], action: str, now: int) -> None:
    with audit.recording(actor, action, None, now) as entry:
        alert = _FIND.row(id=alert_id)
        if alert is None:
            raise NotFound("There is no such alert.")
        entry.describe(alert["name"], subject_id=str(alert_id), partner_id=alert["partner_id"])
        if not query.execute(id=alert_id, now=now):
            entry.omit()
