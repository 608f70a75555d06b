"""Usage thresholds: subscribers that name the event type hear when 80 % and 100 % of a limit or a
budget are used.
"""

import uuid
from contextlib import suppress
from typing import Any

from svc.base import clock, ids
from svc.domain.tiers import TIERS
from svc.domain.webhooks import event_types, outbox, subscriptions
from svc.domain.webhooks.event_types import (
    ACCOUNT_BUDGET,
    CUSTOMER_BUDGET,
    DAILY_PRODUCTIONS,
    DAILY_REQUESTS,
    LIMITS,
)
from svc.store.database import MOMENT, Busy, Row, db
from svc.store.expressions import JOIN, SQL, Case, fn
from svc.store.models.partners import Account, Customer, Partner
from svc.store.models.usage import ProductionDay, SpendMonth, UsageDay, UsageThreshold
from svc.store.queries import Prepared, slot, slots

PERCENTS = (80, 100)
_OF_ACCOUNT = (ACCOUNT_BUDGET, DAILY_PRODUCTIONS)
_KEPT = 62 * clock.DAY  # longer than any period
_MILLIONTHS = 1_000_000
_MOST = 200  # events of one look at one limit


def _tier_limit(column: str) -> Any:
    """Return a partner's limit by its tier; NULL: unlimited."""
    limits = [(name, getattr(tier, column)) for name, tier in TIERS.items()]
    return Case(Partner.tier, [(name, most) for name, most in limits if most is not None])


_ANY = Account.alias("any_account")
_ANY_ACCOUNT = _ANY.select(_ANY.id).order_by(_ANY.environment, _ANY.id).limit(1)  # live ones first
_SPENT = SpendMonth.amount.alias("used")
# Each: whose, the partner, the account whose subscriptions hear of it, what is used, of how much.
_USED: dict[str, Any] = {
    ACCOUNT_BUDGET: Account.select(
        Account.id.alias("owner_id"),
        Account.partner_id,
        Account.id.alias("account_id"),
        _SPENT,
        Account.monthly_ceiling.alias("most"),
    )
    .join(SpendMonth, JOIN.CROSS)
    .where(
        SpendMonth.owner_id == Account.id,
        SpendMonth.month == slot("period"),
        Account.monthly_ceiling > 0,
    ),
    CUSTOMER_BUDGET: Customer.select(
        Customer.id.alias("owner_id"),
        Customer.partner_id,
        _ANY_ACCOUNT.where(_ANY.customer_id == Customer.id).alias("account_id"),
        _SPENT,
        Customer.monthly_ceiling.alias("most"),
    )
    .join(SpendMonth, JOIN.CROSS)
    .where(
        SpendMonth.owner_id == Customer.id,
        SpendMonth.month == slot("period"),
        Customer.monthly_ceiling > 0,
    ),
    DAILY_PRODUCTIONS: ProductionDay.select(
        Account.id.alias("owner_id"),
        Account.partner_id,
        Account.id.alias("account_id"),
        ProductionDay.triggered.alias("used"),
        _tier_limit("daily_productions_per_account").alias("most"),
    )
    .join(Account, on=Account.id == ProductionDay.account_id)
    .join(Partner, on=Partner.id == Account.partner_id)
    .where(ProductionDay.day == slot("period")),
    DAILY_REQUESTS: UsageDay.select(
        UsageDay.partner_id.alias("owner_id"),
        UsageDay.partner_id,
        _ANY_ACCOUNT.where(_ANY.partner_id == UsageDay.partner_id).alias("account_id"),
        UsageDay.counted.alias("used"),
        _tier_limit("requests_per_day").alias("most"),
    )
    .join(Partner, on=Partner.id == UsageDay.partner_id)
    .where(UsageDay.day == slot("period")),
}


def _reached_query(name: str) -> Prepared[Row]:
    """Return the query of those that have reached a part of a limit, and are not entered yet."""
    used = _USED[name].alias("u")
    entered = UsageThreshold.select(SQL("1")).where(
        UsageThreshold.owner_id == used.c.owner_id,
        UsageThreshold.name == name,
        UsageThreshold.period == slot("period"),
        UsageThreshold.percent == slot("percent"),
        UsageThreshold.most == used.c.most,
    )
    columns = (used.c.owner_id, used.c.partner_id, used.c.account_id, used.c.used, used.c.most)
    reaches = used.c.used * 100 >= used.c.most * slot("percent")
    query = UsageThreshold.select(*columns).from_(used)
    return Prepared(query.where(used.c.most > 0, reaches, ~fn.EXISTS(entered)).limit(_MOST))


_REACHED = {name: _reached_query(name) for name in LIMITS}
_ENTER = Prepared(
    UsageThreshold.insert(
        slots("owner_id", "name", "period", "percent", "most", "partner_id", "reached_at")
    ).on_conflict("nothing")
)
_FORGET = Prepared(UsageThreshold.delete().where(UsageThreshold.reached_at < slot("before")))


def record_events(now: int) -> int:
    """Tell of every threshold that was reached since the last call, once, and return how many there
    were. Those of a partner whose transactions are held up are told later.
    """
    recorded = 0
    for name in LIMITS:
        period = (
            clock.format_month(now)
            if name in (ACCOUNT_BUDGET, CUSTOMER_BUDGET)
            else clock.format_day(now)
        )
        for percent in PERCENTS:
            for row in _REACHED[name].rows(period=period, percent=percent):
                with suppress(Busy):
                    recorded += _record_threshold(name, period, percent, row, now)
    return recorded


def _record_threshold(name: str, period: str, percent: int, row: Row, now: int) -> bool:
    with db.transaction(partner=row["partner_id"], moment=MOMENT):
        entered = _ENTER.execute(
            owner_id=row["owner_id"],
            name=name,
            period=period,
            percent=percent,
            most=row["most"],
            partner_id=row["partner_id"],
            reached_at=now,
        )
        if not entered:
            return False
        matches = subscriptions.find_matching(
            row["partner_id"], row["account_id"] or ids.NIL, event_types.USAGE_THRESHOLD.name
        )
        if matches:
            outbox.enqueue(matches, _make_envelope(name, period, percent, row, now), now)
    return True


def _make_envelope(name: str, period: str, percent: int, row: Row, now: int) -> dict[str, Any]:
    # A nil id would mark a test event, and receivers keep one event of each id and number
    # (specification, "Idempotency").
    unit = _MILLIONTHS if name in (ACCOUNT_BUDGET, CUSTOMER_BUDGET) else 1
    data: event_types.UsageThreshold = {
        "limit": name,
        "ownerId": row["owner_id"],
        "percent": percent,
        "used": float(row["used"]) / unit,
        "most": float(row["most"]) / unit,
        "period": period,
    }
    return {
        "eventType": event_types.USAGE_THRESHOLD.name,
        "productionId": ids.derive_id("usage", f"{row['owner_id']}:{name}:{period}:{row['most']}"),
        "accountId": row["account_id"] if name in _OF_ACCOUNT else row["owner_id"],
        "timestamp": clock.format_time(now),
        "sequenceNumber": PERCENTS.index(percent) + 1,
        "correlationId": uuid.uuid4().hex,
        "truncated": False,
        "data": data,
    }


def prune(now: int) -> None:
    """Remove thresholds of periods that are over."""
    with db.transaction(durable=False):
        _FORGET.execute(before=now - _KEPT)
