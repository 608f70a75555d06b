"""Usage for the console: figures by day, the use of the tier's limits, and the busiest partners."""

from typing import Any

from svc.base import clock
from svc.domain import rows, tiers
from svc.domain.access.rate_limit import WINDOW
from svc.domain.tables.usage import BusyPartner
from svc.store import database

DAYS = 30
BUSIEST = 20

_REQUESTS = """
    SELECT day, requests, status4xx, status5xx, rate_limited, deliveries_succeeded, deliveries_failed FROM usage_days
    WHERE partner_id = ? AND day >= ? ORDER BY day
"""
_PRODUCTIONS = """
    SELECT d.day, sum(d.triggered) AS triggered, sum(d.published) AS published, sum(d.failed) AS failed,
           sum(d.cancelled) AS cancelled
    FROM accounts a JOIN production_days d ON d.account_id = a.id WHERE a.partner_id = ? AND d.day >= ? GROUP BY d.day
"""
_LAST_MINUTE = "SELECT count(*) FROM requests WHERE partner_id = ? AND counted = 1 AND at > ?"
_TODAY = "SELECT counted FROM usage_days WHERE partner_id = ? AND day = ?"
_ACCOUNTS = """
    SELECT a.id, a.name, a.environment, a.monthly_ceiling, coalesce(d.triggered, 0) AS triggered, coalesce(s.amount, 0) AS spent
    FROM accounts a LEFT JOIN production_days d ON d.account_id = a.id AND d.day = :day
    LEFT JOIN spend_months s ON s.owner_id = a.id AND s.month = :month
    WHERE a.partner_id = :partner ORDER BY triggered DESC, spent DESC, a.created_at LIMIT 50
"""
_BUSIEST = """
    SELECT u.partner_id, w.name, w.tier, u.requests, u.status4xx, u.status5xx, u.rate_limited, u.deliveries_failed
    FROM usage_days u JOIN partners w ON w.id = u.partner_id WHERE u.day = ? ORDER BY u.requests DESC LIMIT ?
"""


def days(partner_id: str, now: int) -> list[dict[str, Any]]:
    """Return the requests and productions of each of the last DAYS days, oldest first, with zeros for empty days."""
    names = [clock.day(now - back * clock.DAY) for back in reversed(range(DAYS))]
    requests = {row["day"]: dict(row) for row in database.rows(_REQUESTS, (partner_id, names[0]))}
    productions = {row["day"]: dict(row) for row in database.rows(_PRODUCTIONS, (partner_id, names[0]))}
    zeros = dict.fromkeys(
        ("requests", "status4xx", "status5xx", "rate_limited", "deliveries_succeeded", "deliveries_failed", "triggered",
         "published", "failed", "cancelled"), 0)  # fmt: skip
    return [zeros | requests.get(day, {}) | productions.get(day, {}) | {"day": day} for day in names]


def limits(partner_id: str, tier: str, now: int) -> dict[str, Any]:
    """Return the tier's limits with their current use: ``used`` of ``most`` (None: unlimited)."""
    tier_limits = tiers.TIERS[tier]
    today = database.row(_TODAY, (partner_id, clock.day(now)))
    values = {"partner": partner_id, "day": clock.day(now), "month": clock.month(now)}
    return {
        "minute": {"used": database.one(_LAST_MINUTE, (partner_id, now - WINDOW))[0], "most": tier_limits.requests_per_minute},
        "day": {"used": today["counted"] if today else 0, "most": tier_limits.requests_per_day},
        "productions": tier_limits.daily_productions_per_account,
        "accounts": database.rows(_ACCOUNTS, values),
    }


def busiest(now: int) -> list[BusyPartner]:
    """Return the partners with the most requests today."""
    return rows.every(BusyPartner, _BUSIEST, (clock.day(now), BUSIEST))
