"""The ceilings of accounts and their customers: what is used of each now, and what is left."""

from typing import Any

from svc.base import clock
from svc.domain import rows, tiers
from svc.domain.caller import Caller
from svc.domain.productions import gates
from svc.domain.tables.partners import AccountWithCeilings
from svc.domain.usage.counters import REACHED, reach
from svc.store import database

MOST = 100  # accounts in one answer

_MILLION = 1_000_000
_ACCOUNTS = f"""
    SELECT a.*, c.monthly_ceiling AS customer_monthly_ceiling, c.concurrency_ceiling AS customer_concurrency_ceiling
    FROM accounts a JOIN customers c ON c.id = a.customer_id
    LEFT JOIN spend_months s ON s.owner_id = a.id AND s.month = :month
    WHERE {REACHED} AND a.status != 'Closed' ORDER BY coalesce(s.amount, 0) DESC, a.created_at, a.id LIMIT {MOST}
"""
_TRIGGERED = "SELECT triggered FROM production_days WHERE account_id = ? AND day = ?"


def of(caller: Caller, now: int) -> list[dict[str, Any]]:
    """Return the ceilings of the accounts that a key may address, those that spent most in this month first.

    A key that is limited to some accounts does not see what is used of their customers.
    """
    customers: dict[str, dict[str, Any] | None] = {}
    month, day = clock.month(now), clock.day(now)
    most_a_day = tiers.TIERS[caller.tier].daily_productions_per_account
    listed = []
    values = reach(caller.partner_id, caller) | {"month": month}
    for account in rows.every(AccountWithCeilings, _ACCOUNTS, values):
        if account["customer_id"] not in customers:
            customers[account["customer_id"]] = None if caller.permitted_text else _of_customer(account, month)
        today = database.row(_TRIGGERED, (account["id"], day))
        listed.append({
            "accountId": account["id"],
            "monthlySpend": _money(account["monthly_ceiling"], gates.spent_of_account(account, month)),
            "concurrentProductions": _used(account["concurrency_ceiling"], gates.open_of_account(account)),
            "dailyProductions": _used(most_a_day, today["triggered"] if today else 0),
            "customer": customers[account["customer_id"]],
        })  # fmt: skip
    return listed


def _of_customer(account: AccountWithCeilings, month: str) -> dict[str, Any]:
    return {
        "monthlySpend": _money(account["customer_monthly_ceiling"], gates.spent_of_customer(account, month)),
        "concurrentProductions": _used(account["customer_concurrency_ceiling"], gates.open_of_customer(account)),
    }


def _money(ceiling: int | None, used: int) -> dict[str, float | None]:
    shown = _used(ceiling, used)
    return {name: None if amount is None else amount / _MILLION for name, amount in shown.items()}


def _used(ceiling: int | None, used: int) -> dict[str, int | None]:
    return {"ceiling": ceiling, "used": used, "left": None if ceiling is None else max(0, ceiling - used)}
