"""The ceilings of accounts and customers: how much of each is used now and how much is left."""

from typing import Any

from svc.base import clock
from svc.domain import tiers
from svc.domain.caller import Caller
from svc.domain.lifecycle import gates
from svc.domain.tables.partners import AccountWithCeilings
from svc.domain.usage.counters import REACHED_ACCOUNTS, list_reach_slots
from svc.store.expressions import JOIN, fn
from svc.store.models.partners import Account, Customer
from svc.store.models.usage import SpendMonth
from svc.store.queries import Prepared, slot

MOST = 100  # accounts in one answer

_MILLION = 1_000_000
_OF_MONTH = (SpendMonth.owner_id == Account.id) & (SpendMonth.month == slot("month"))
_ACCOUNTS = Prepared(
    Account.select(
        Account,
        Customer.monthly_ceiling.alias("customer_monthly_ceiling"),
        Customer.concurrency_ceiling.alias("customer_concurrency_ceiling"),
    )
    .join(Customer, on=Customer.id == Account.customer_id)
    .join_from(Account, SpendMonth, JOIN.LEFT_OUTER, on=_OF_MONTH)
    .where(REACHED_ACCOUNTS, Account.status != "Closed")
    .order_by(fn.coalesce(SpendMonth.amount, 0).desc(), Account.created_at, Account.id)
    .limit(MOST),
    AccountWithCeilings,
)


def compare_with_ceilings(caller: Caller, now: int) -> list[dict[str, Any]]:
    """Return the ceilings of the accounts that a key may address, those that spent most in this
    month first.

    A key that is limited to some accounts does not see what is used of their customers.
    """
    customers: dict[str, dict[str, Any] | None] = {}
    month, day = clock.format_month(now), clock.format_day(now)
    most_a_day = tiers.TIERS[caller.tier].daily_productions_per_account
    listed = []
    for account in _ACCOUNTS.rows(**list_reach_slots(caller.partner_id, caller), month=month):
        if account["customer_id"] not in customers:
            customers[account["customer_id"]] = (
                None if caller.permitted_text else _customer_ceilings(account, month)
            )
        listed.append(
            {
                "accountId": account["id"],
                "monthlySpend": _represent_money(
                    account["monthly_ceiling"], gates.find_account_spent(account, month)
                ),
                "concurrentProductions": _represent_usage(
                    account["concurrency_ceiling"], gates.count_open_of_account(account)
                ),
                "dailyProductions": _represent_usage(
                    most_a_day, gates.count_triggered_of_account(account, day)
                ),
                "customer": customers[account["customer_id"]],
            }
        )
    return listed


def _customer_ceilings(account: AccountWithCeilings, month: str) -> dict[str, Any]:
    return {
        "monthlySpend": _represent_money(
            account["customer_monthly_ceiling"], gates.find_customer_spent(account, month)
        ),
        "concurrentProductions": _represent_usage(
            account["customer_concurrency_ceiling"], gates.count_open_of_customer(account)
        ),
    }


def _represent_money(ceiling: int | None, used: int) -> dict[str, float | None]:
    shown = _represent_usage(ceiling, used)
    return {name: None if amount is None else amount / _MILLION for name, amount in shown.items()}


def _represent_usage(ceiling: int | None, used: int) -> dict[str, int | None]:
    return {
        "ceiling": ceiling,
        "used": used,
        "left": None if ceiling is None else max(0, ceiling - used),
    }
