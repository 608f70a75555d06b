"""The first page of the console: running and waiting productions, failures of today, and the health of the engine."""

from dataclasses import dataclass, replace
from typing import Any

from svc.base import states
from svc.domain import rows
from svc.domain.monitoring import alerts, engine_heartbeat, maintenance, state_counts
from svc.domain.paging import Page
from svc.domain.productions import stages
from svc.domain.productions.search import Search
from svc.domain.productions.search import page as search
from svc.domain.tables.productions import FailedProduction
from svc.domain.tables.webhooks import FailingSubscription
from svc.domain.webhooks import admin as webhook_admin
from svc.domain.webhooks import lanes
from svc.store import database
from svc.store.sql import by_index

SHOWN = 6  # of each list

_FAILED = """
    SELECT p.id, p.title, p.finished_at, p.error_code, p.error_message, a.name AS account_name, w.name AS partner_name
    FROM productions p JOIN accounts a ON a.id = p.account_id JOIN partners w ON w.id = p.partner_id
    WHERE p.status = 'Failed' AND p.finished_at >= :since AND (:partner IS NULL OR p.partner_id = :partner)
    ORDER BY p.finished_at DESC LIMIT :limit
"""
_DUE = "status = 'Pending' AND claim_token IS NULL AND next_attempt_at IS NOT NULL"
_OLDEST = f"SELECT min(next_attempt_at) AS oldest FROM deliveries WHERE {_DUE}"
_OLDEST_OF_PARTNER = f"""
    SELECT min(d.next_attempt_at) AS oldest
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


@dataclass(frozen=True)
class Counted:
    """A list of productions and how many it has, at most ``state_counts.MOST`` + 1."""

    search: Search
    number: int


def productions(partner_id: str | None, today: tuple[int, int]) -> dict[str, Any]:
    """Return lists of running, waiting and (today) failed productions, and the ``cards``, each a list with its number.

    ``partner_id`` None: of all partners; ``today``: the first and the last millisecond of the day.
    """
    return {
        "cards": {name: Counted(each, state_counts.number(each)) for name, each in _lists(partner_id, *today).items()},
        "running": _newest(partner_id, stages.RUNNING),
        "waiting": _newest(partner_id, stages.WAITING),
        "failed": rows.every(FailedProduction, _FAILED, {"since": today[0], "partner": partner_id, "limit": SHOWN}),
    }


def _lists(partner_id: str | None, since: int, until: int) -> dict[str, Search]:
    ended = Search(partner_id, since=since, until=until, by_end=True)
    return {
        **{stage: Search(partner_id, stage=stage) for stage in (stages.RUNNING, states.QUEUED, *stages.GROUPS[stages.WAITING])},
        "triggered": Search(partner_id, since=since, until=until),
        **{state: replace(ended, stage=state) for state in (states.FAILED, states.PUBLISHED, states.CANCELLED)},
    }


def _newest(partner_id: str | None, group: str) -> list[dict[str, Any]]:
    newest = [row for each in stages.GROUPS[group] for row in search(Search(partner_id, stage=each), Page(SHOWN))["data"]]
    return newest[:SHOWN]


def health(now: int) -> dict[str, Any]:
    """Return the state of the engine (``running``, ``late`` or ``never``), its last ``heartbeat``, and the delivery queue."""
    heartbeat = engine_heartbeat.last()
    state = "never" if heartbeat is None else "late" if now - heartbeat > engine_heartbeat.LATE else "running"
    return {
        "state": state,
        "heartbeat": heartbeat,
        "maintenance": maintenance.retry_after() is not None,
        **_queue(None, database.one(_OLDEST), now),
    }


def deliveries_of(partner_id: str, now: int) -> dict[str, Any]:
    """Return the delivery queue of a partner, and its failing endpoints."""
    return {
        **_queue(partner_id, database.one(_OLDEST_OF_PARTNER, (partner_id,)), now),
        "troubled": troubled(partner_id),
    }


def troubled(partner_id: str | None) -> list[FailingSubscription]:
    """Return the webhooks with failing endpoints, the longest failing first; ``partner_id`` None: of all partners."""
    sql = _TROUBLED_OF_PARTNER if partner_id else _TROUBLED_OF_ALL
    return rows.every(FailingSubscription, sql, {"partner": partner_id, "limit": SHOWN})


def _queue(partner_id: str | None, row: database.Row, now: int) -> dict[str, Any]:
    """Return the number of ``waiting`` deliveries, and when the ``oldest`` became due; None: it is not due yet."""
    oldest, waiting = row["oldest"], webhook_admin.queued(partner_id)
    return {"waiting": waiting, "oldest": oldest if oldest is not None and oldest <= now else None}


def open_alerts() -> dict[str, Any]:
    """Return the number of open alerts, and the newest of them."""
    return {"count": alerts.open_count(), "newest": alerts.page(Page(SHOWN))["data"]}
