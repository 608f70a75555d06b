"""Usage thresholds: subscribers that name the event type hear when 80 % and 100 % of a limit or a budget are used."""

import uuid
from typing import Any

from svc.base import clock, ids, states
from svc.domain.tiers import TIERS
from svc.domain.webhooks import outbox, subscriptions
from svc.store import database

PERCENTS = (80, 100)
ACCOUNT_BUDGET, CUSTOMER_BUDGET = "accountBudget", "customerBudget"
DAILY_PRODUCTIONS, DAILY_REQUESTS = "dailyProductions", "dailyRequests"
LIMITS = (ACCOUNT_BUDGET, CUSTOMER_BUDGET, DAILY_PRODUCTIONS, DAILY_REQUESTS)

_OF_ACCOUNT = (ACCOUNT_BUDGET, DAILY_PRODUCTIONS)
_KEPT = 62 * clock.DAY  # longer than any period
_MILLIONTHS = 1_000_000
_MOST = 200  # events of one look at one limit


def _of_tier(column: str) -> str:
    """Return SQL for a partner's limit by its tier; NULL: unlimited."""
    cases = [(name, getattr(tier, column)) for name, tier in TIERS.items()]
    return f"CASE p.tier {' '.join(f'WHEN {name!r} THEN {most}' for name, most in cases if most is not None)} END"


_ANY_ACCOUNT = "SELECT id FROM accounts WHERE {} ORDER BY environment, id LIMIT 1"  # live ones first
# Each: whose, the partner, the account whose subscriptions hear of it, what is used, of how much.
_USED = {
    ACCOUNT_BUDGET: """
        SELECT a.id AS owner_id, a.partner_id, a.id AS account_id, s.amount AS used, a.monthly_ceiling AS most
        FROM accounts a CROSS JOIN spend_months s ON s.owner_id = a.id AND s.month = :month WHERE a.monthly_ceiling > 0
    """,
    CUSTOMER_BUDGET: f"""
        SELECT c.id AS owner_id, c.partner_id, ({_ANY_ACCOUNT.format("customer_id = c.id")}) AS account_id, s.amount AS used,
               c.monthly_ceiling AS most
        FROM customers c CROSS JOIN spend_months s ON s.owner_id = c.id AND s.month = :month WHERE c.monthly_ceiling > 0
    """,
    DAILY_PRODUCTIONS: f"""
        SELECT a.id AS owner_id, a.partner_id, a.id AS account_id, {_of_tier("daily_productions_per_account")} AS most,
               d.triggered AS used
        FROM production_days d JOIN accounts a ON a.id = d.account_id JOIN partners p ON p.id = a.partner_id WHERE d.day = :day
    """,
    DAILY_REQUESTS: f"""
        SELECT u.partner_id AS owner_id, u.partner_id, ({_ANY_ACCOUNT.format("partner_id = u.partner_id")}) AS account_id,
               u.counted AS used, {_of_tier("requests_per_day")} AS most
        FROM usage_days u JOIN partners p ON p.id = u.partner_id WHERE u.day = :day
    """,
}
_REACHED = """
    SELECT * FROM ({used}) AS u WHERE most > 0 AND used * 100 >= most * :percent AND NOT EXISTS (
        SELECT 1 FROM usage_thresholds t
        WHERE t.owner_id = u.owner_id AND t.name = :name AND t.period = :period AND t.percent = :percent AND t.most = u.most
    ) LIMIT :limit
"""
_ENTER = """
    INSERT INTO usage_thresholds (owner_id, name, period, percent, most, partner_id, reached_at) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
"""


def tell(now: int) -> int:
    """Tell of every threshold that was reached since the last call, once, and return how many there were."""
    told = 0
    for name in LIMITS:
        period = clock.month(now) if name in (ACCOUNT_BUDGET, CUSTOMER_BUDGET) else clock.day(now)
        for percent in PERCENTS:
            values = {"month": clock.month(now), "day": clock.day(now), "name": name, "period": period, "percent": percent}
            for row in database.rows(_REACHED.format(used=_USED[name]), {**values, "limit": _MOST}):
                told += _tell(name, period, percent, row, now)
    return told


def _tell(name: str, period: str, percent: int, row: database.Row, now: int) -> bool:
    with database.write():
        key = (row["owner_id"], name, period, percent, row["most"], row["partner_id"], now)
        if not database.execute(_ENTER, key):
            return False
        matches = subscriptions.matching(row["partner_id"], row["account_id"] or ids.NIL, states.USAGE_EVENT)
        if matches:
            outbox.queue(matches, _envelope(name, period, percent, row, now), now)
    return True


def _envelope(name: str, period: str, percent: int, row: database.Row, now: int) -> dict[str, Any]:
    # A nil id would mark a test event, and receivers keep one event of each id and number (specification, "Idempotency").
    unit = _MILLIONTHS if name in (ACCOUNT_BUDGET, CUSTOMER_BUDGET) else 1
    return {
        "eventType": states.USAGE_EVENT,
        "productionId": ids.named("usage", f"{row['owner_id']}:{name}:{period}:{row['most']}"),
        "accountId": row["account_id"] if name in _OF_ACCOUNT else row["owner_id"],
        "timestamp": clock.text(now), "sequenceNumber": PERCENTS.index(percent) + 1, "correlationId": uuid.uuid4().hex,
        "truncated": False,
        "data": {
            "limit": name, "ownerId": row["owner_id"], "percent": percent, "used": float(row["used"]) / unit,
            "most": float(row["most"]) / unit, "period": period,
        },
    }  # fmt: skip


def prune(now: int) -> None:
    """Remove thresholds of periods that are over."""
    with database.write(durable=False):
        database.execute("DELETE FROM usage_thresholds WHERE reached_at < ?", (now - _KEPT,))
