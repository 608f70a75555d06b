"""Usage for the console: figures by day, the use of the tier's limits, and the busiest partners."""

from typing import Any

from svc.base import clock
from svc.domain import tiers
from svc.domain.access.rate_limit import WINDOW
from svc.domain.tables.usage import BusyPartner
from svc.store.expressions import JOIN, fn
from svc.store.models.partners import Account, Partner
from svc.store.models.usage import ProductionDay, Request, SpendMonth, UsageDay
from svc.store.queries import Prepared, slot

DAYS = 30
BUSIEST = 20

_REQUESTS = Prepared(
    UsageDay.select(
        UsageDay.day,
        UsageDay.requests,
        UsageDay.status4xx,
        UsageDay.status5xx,
        UsageDay.rate_limited,
        UsageDay.deliveries_succeeded,
        UsageDay.deliveries_failed,
    )
    .where(UsageDay.partner_id == slot("partner_id"), UsageDay.day >= slot("since"))
    .order_by(UsageDay.day)
)
_PRODUCTIONS = Prepared(
    Account.select(
        ProductionDay.day,
        fn.sum(ProductionDay.triggered).alias("triggered"),
        fn.sum(ProductionDay.published).alias("published"),
        fn.sum(ProductionDay.failed).alias("failed"),
        fn.sum(ProductionDay.cancelled).alias("cancelled"),
    )
    .join(ProductionDay, on=ProductionDay.account_id == Account.id)
    .where(Account.partner_id == slot("partner_id"), ProductionDay.day >= slot("since"))
    .group_by(ProductionDay.day)
)
_LAST_MINUTE = Prepared(
    Request.select(fn.count(Request.id)).where(
        Request.partner_id == slot("partner_id"), Request.counted == 1, Request.at > slot("since")
    )
)
_TODAY = Prepared(
    UsageDay.select(UsageDay.counted).where(
        UsageDay.partner_id == slot("partner_id"), UsageDay.day == slot("day")
    )
)
_TRIGGERED, _SPENT = fn.coalesce(ProductionDay.triggered, 0), fn.coalesce(SpendMonth.amount, 0)
_ACCOUNTS = Prepared(
    Account.select(
        Account.id,
        Account.name,
        Account.environment,
        Account.monthly_ceiling,
        _TRIGGERED.alias("triggered"),
        _SPENT.alias("spent"),
    )
    .join(
        ProductionDay,
        JOIN.LEFT_OUTER,
        on=(ProductionDay.account_id == Account.id) & (ProductionDay.day == slot("day")),
    )
    .join(
        SpendMonth,
        JOIN.LEFT_OUTER,
        on=(SpendMonth.owner_id == Account.id) & (SpendMonth.month == slot("month")),
    )
    .where(Account.partner_id == slot("partner_id"))
    .order_by(_TRIGGERED.desc(), _SPENT.desc(), Account.created_at)
    .limit(50)
)
_BUSIEST = Prepared(
    UsageDay.select(
        UsageDay.partner_id,
        Partner.name,
        Partner.tier,
        UsageDay.requests,
        UsageDay.status4xx,
        UsageDay.status5xx,
        UsageDay.rate_limited,
        UsageDay.deliveries_failed,
    )
    .join(Partner, on=Partner.id == UsageDay.partner_id)
    .where(UsageDay.day == slot("day"))
    .order_by(UsageDay.requests.desc())
    .limit(BUSIEST),
    BusyPartner,
)


def list_days(partner_id: str, now: int) -> list[dict[str, Any]]:
    """Return the requests and productions of each of the last DAYS days, oldest first,
    with zeros for empty days.
    """
    names = [clock.format_day(now - back * clock.DAY) for back in reversed(range(DAYS))]
    requests = {
        row["day"]: dict(row) for row in _REQUESTS.rows(partner_id=partner_id, since=names[0])
    }
    productions = {
        row["day"]: dict(row) for row in _PRODUCTIONS.rows(partner_id=partner_id, since=names[0])
    }
    zeros = dict.fromkeys(
        (
            "requests",
            "status4xx",
            "status5xx",
            "rate_limited",
            "deliveries_succeeded",
            "deliveries_failed",
            "triggered",
            "published",
            "failed",
            "cancelled",
        ),
        0,
    )
    return [
        zeros | requests.get(day, {}) | productions.get(day, {}) | {"day": day} for day in names
    ]


def list_limits(partner_id: str, tier: str, now: int) -> dict[str, Any]:
    """Return the tier's limits with their current use: ``used`` of ``most`` (None: unlimited)."""
    tier_limits = tiers.TIERS[tier]
    last_minute = _LAST_MINUTE.value(partner_id=partner_id, since=now - WINDOW)
    today = _TODAY.value(partner_id=partner_id, day=clock.format_day(now)) or 0
    return {
        "minute": {"used": last_minute, "most": tier_limits.requests_per_minute},
        "day": {"used": today, "most": tier_limits.requests_per_day},
        "productions": tier_limits.daily_productions_per_account,
        "accounts": _ACCOUNTS.rows(
            partner_id=partner_id, day=clock.format_day(now), month=clock.format_month(now)
        ),
    }


def list_busiest(now: int) -> list[BusyPartner]:
    """Return the partners with the most requests today."""
    return _BUSIEST.rows(day=clock.format_day(now))
