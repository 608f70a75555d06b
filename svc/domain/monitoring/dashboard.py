"""The first page of the console: running and waiting productions, failures of today, and the health of the engine."""

from typing import Any

from svc.base import clock, states
from svc.domain import rows
from svc.domain.monitoring import alerts, engine_heartbeat, maintenance
from svc.domain.paging import Page
from svc.domain.productions.search import Search
from svc.domain.productions.search import page as search
from svc.domain.tables.productions import FailedProduction
from svc.domain.tables.webhooks import FailingSubscription
from svc.domain.webhooks import lanes
from svc.store import database
from svc.store.sql import by_index

SHOWN = 6  # of each list
MOST_COUNTED = 10_000

_OPEN_OF_PARTNER = f"""
    SELECT p.status, count(*) FROM accounts a JOIN productions p ON p.account_id = a.id
     AND p.status IN {states.OPEN}
    WHERE a.partner_id = :partner GROUP BY p.status
"""
_OPEN = """
    SELECT status, count(*) FROM productions WHERE status IN ('Queued', 'Producing') GROUP BY status
    UNION ALL SELECT status, count(*) FROM productions WHERE status = 'Distributing'
       AND status IN ('AwaitingApproval', 'Distributing', 'Failed', 'Cancelled') GROUP BY status
    UNION ALL SELECT 'AwaitingApproval', count(*) FROM (
        SELECT 1 FROM productions WHERE status = 'AwaitingApproval'
           AND status IN ('AwaitingApproval', 'Distributing', 'Failed', 'Cancelled') LIMIT :most) AS waiting
"""
_FAILED = """
    SELECT p.id, p.title, p.finished_at, p.error_code, p.error_message, a.name AS account_name, w.name AS partner_name
    FROM productions p JOIN accounts a ON a.id = p.account_id JOIN partners w ON w.id = p.partner_id
    WHERE p.status = 'Failed' AND p.finished_at >= :since AND (:partner IS NULL OR p.partner_id = :partner)
    ORDER BY p.finished_at DESC LIMIT :limit
"""
_TODAY = """
    SELECT coalesce(sum(d.triggered), 0) AS triggered, coalesce(sum(d.published), 0) AS published,
           coalesce(sum(d.failed), 0) AS failed, coalesce(sum(d.cancelled), 0) AS cancelled FROM
"""
_TODAY_OF_PARTNER = _TODAY + "accounts a JOIN production_days d ON d.account_id = a.id WHERE a.partner_id = ? AND d.day = ?"
_TODAY_OF_ALL = _TODAY + "production_days d WHERE d.day = ?"
_DUE = "status = 'Pending' AND claim_token IS NULL AND next_attempt_at IS NOT NULL"
_QUEUE = f"SELECT count(*) AS waiting, min(next_attempt_at) AS oldest FROM deliveries WHERE {_DUE}"
_QUEUE_OF_PARTNER = f"""
    SELECT count(*) AS waiting, min(d.next_attempt_at) AS oldest
    FROM subscriptions s CROSS JOIN ({lanes.ROWS}) l
    CROSS JOIN deliveries d ON d.lane = l.lane AND d.subscription_id = s.id AND d.{_DUE.replace(" AND ", " AND d.")}
    WHERE s.partner_id = ? AND s.deleted_at IS NULL
"""
# An endpoint is failing from its first failed attempt to its next success; a suspended one, until it is reinstated.
_TROUBLED = """
    SELECT s.id, s.endpoint_url, s.status, s.failure_count, s.failing_since, s.paused_at, s.last_delivery_at,
           w.name AS partner_name
    FROM subscriptions s {how} JOIN partners w ON w.id = s.partner_id
    WHERE s.deleted_at IS NULL AND {whose} ORDER BY s.failing_since, s.id LIMIT :limit
"""
_TROUBLED_OF_PARTNER = _TROUBLED.format(
    how=by_index("subscriptions_by_partner"),
    whose="s.partner_id = :partner AND (s.failing_since IS NOT NULL OR s.status = 'Failed')",
)
_TROUBLED_OF_ALL = _TROUBLED.format(how=by_index("subscriptions_failing"), whose="s.failing_since IS NOT NULL")


def productions(partner_id: str | None, now: int) -> dict[str, Any]:
    """Return lists and counts of running, waiting and (today) failed productions; ``partner_id`` None: of all partners."""
    counts = open_counts(partner_id)
    return {
        "counts": counts,
        "running": _newest(partner_id, (states.DISTRIBUTING, states.PRODUCING, states.QUEUED)),
        "waiting": _newest(partner_id, (states.AWAITING_APPROVAL,)),
        "failed": rows.every(
            FailedProduction, _FAILED, {"since": now // clock.DAY * clock.DAY, "partner": partner_id, "limit": SHOWN}
        ),
        "today": today(partner_id, now),
    }


def open_counts(partner_id: str | None) -> dict[str, int]:
    """Return the number of productions in each state that is not terminal."""
    sql = _OPEN_OF_PARTNER if partner_id else _OPEN
    counts = dict(tuple(row) for row in database.rows(sql, {"partner": partner_id, "most": MOST_COUNTED}))
    return {name: counts.get(name, 0) for name in states.PRODUCTION_STATES if name not in states.TERMINAL}


def today(partner_id: str | None, now: int) -> dict[str, int]:
    """Return the numbers of triggered and ended productions since midnight UTC."""
    day = clock.day(now)
    return dict(database.one(_TODAY_OF_PARTNER, (partner_id, day)) if partner_id else database.one(_TODAY_OF_ALL, (day,)))


def _newest(partner_id: str | None, statuses: tuple[str, ...]) -> list[dict[str, Any]]:
    newest = [row for status in statuses for row in search(Search(partner_id, status=status), Page(SHOWN))["data"]]
    return newest[:SHOWN]


def health(now: int) -> dict[str, Any]:
    """Return the state of the engine (``running``, ``late`` or ``never``), its last ``heartbeat``, and the delivery queue."""
    heartbeat = engine_heartbeat.last()
    state = "never" if heartbeat is None else "late" if now - heartbeat > engine_heartbeat.LATE else "running"
    return {
        "state": state,
        "heartbeat": heartbeat,
        "maintenance": maintenance.retry_after() is not None,
        **_queue(database.one(_QUEUE), now),
    }


def deliveries_of(partner_id: str, now: int) -> dict[str, Any]:
    """Return the delivery queue of a partner, and its failing endpoints."""
    return {
        **_queue(database.one(_QUEUE_OF_PARTNER, (partner_id,)), now),
        "troubled": troubled(partner_id),
    }


def troubled(partner_id: str | None) -> list[FailingSubscription]:
    """Return the webhooks with failing endpoints, the longest failing first; ``partner_id`` None: of all partners."""
    sql = _TROUBLED_OF_PARTNER if partner_id else _TROUBLED_OF_ALL
    return rows.every(FailingSubscription, sql, {"partner": partner_id, "limit": SHOWN})


def _queue(row: database.Row, now: int) -> dict[str, Any]:
    """Return the number of ``waiting`` deliveries, and when the ``oldest`` became due; None: it is not due yet."""
    oldest = row["oldest"]
    return {"waiting": row["waiting"], "oldest": oldest if oldest is not None and oldest <= now else None}


def open_alerts() -> dict[str, Any]:
    """Return the number of open alerts, and the newest of them."""
    return {"count": alerts.open_count(), "newest": alerts.page(Page(SHOWN))["data"]}
