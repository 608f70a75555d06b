"""The ledger: costs are reserved at the trigger, settled at the end, and summed by account,
customer and month.

What a production of a sandbox would have cost is summed by its account alone: a customer's sum is
that of its live accounts.

Amounts are integer millionths of the operator's currency. Call these functions inside a
transaction.
"""

from svc.base import clock
from svc.base.states import SANDBOX
from svc.domain.tables.partners import BriefedAccount
from svc.store.database import Row
from svc.store.expressions import EXCLUDED, fn
from svc.store.models.partners import Account
from svc.store.models.usage import LedgerEntry, ModelCharge, SpendMonth
from svc.store.queries import Prepared, slot, slots

_RESERVE = Prepared(
    LedgerEntry.insert(
        slots("production_id", "account_id", "customer_id", "month", "reserved", "for_models")
    )
)
_OF_PRODUCTION = LedgerEntry.production_id == slot("production_id")
_ENTRY = (
    LedgerEntry.select(LedgerEntry, Account.environment)
    .join(Account, on=Account.id == LedgerEntry.account_id)
    .where(_OF_PRODUCTION)
)
_RESERVED = Prepared(_ENTRY.where(LedgerEntry.settled.is_null()))
_SETTLED = Prepared(_ENTRY.where(LedgerEntry.settled.is_null(False)))
_SETTLE = Prepared(LedgerEntry.update(settled=slot("settled")).where(_OF_PRODUCTION))
_CHARGE_LATE = Prepared(
    LedgerEntry.update(settled=LedgerEntry.settled + slot("cost")).where(_OF_PRODUCTION)
)
_PRICE = Prepared(
    LedgerEntry.select(LedgerEntry.reserved - LedgerEntry.for_models).where(_OF_PRODUCTION)
)
_CHARGED = Prepared(
    ModelCharge.select(fn.coalesce(fn.sum(ModelCharge.cost), 0)).where(
        ModelCharge.production_id == slot("production_id")
    )
)
_ADDED = {
    "conflict_target": [SpendMonth.owner_id, SpendMonth.month],
    "update": {SpendMonth.amount: SpendMonth.amount + EXCLUDED.amount},
}
_MOVE = Prepared(SpendMonth.insert(slots("owner_id", "month", "amount")).on_conflict(**_ADDED))
_MOVE_BOTH = Prepared(
    SpendMonth.insert_many(
        [
            {**slots("month", "amount"), "owner_id": slot(owner)}
            for owner in ("owner_id", "customer_id")
        ]
    ).on_conflict(**_ADDED)
)


def reserve(
    production_id: str, account: BriefedAccount, price: int, for_models: int, now: int
) -> None:
    """Reserve a production's estimate in the current month:
    the price of its type and the expected charges of models.
    """
    month = clock.format_month(now)
    _RESERVE.execute(
        production_id=production_id,
        account_id=account["id"],
        customer_id=account["customer_id"],
        month=month,
        reserved=price + for_models,
        for_models=for_models,
    )
    _move_amount(
        account["id"], account["customer_id"], account["environment"], month, price + for_models
    )


def settle(production_id: str, cost: int) -> None:
    """Replace the reservation with ``cost`` and the actual charges of models;
    a second settlement changes nothing.
    """
    entry = _RESERVED.row(production_id=production_id)
    if entry is None:
        return
    charged = _CHARGED.value(production_id=production_id)
    _SETTLE.execute(production_id=production_id, settled=cost + charged)
    _move_for(entry, cost + charged - entry["reserved"])


def charge_late(production_id: str, cost: int) -> None:
    """Add a model's charge that arrives after the settlement, for example during a cancellation."""
    entry = _SETTLED.row(production_id=production_id)
    if entry is not None:
        _CHARGE_LATE.execute(production_id=production_id, cost=cost)
        _move_for(entry, cost)


def find_price(production_id: str) -> int:
    """Return the reserved price of a production without models."""
    return int(_PRICE.value(production_id=production_id))


def _move_for(entry: Row, amount: int) -> None:
    _move_amount(
        entry["account_id"], entry["customer_id"], entry["environment"], entry["month"], amount
    )


def _move_amount(
    account_id: str, customer_id: str, environment: str, month: str, amount: int
) -> None:
    if amount and environment == SANDBOX:
        _MOVE.execute(owner_id=account_id, month=month, amount=amount)
    elif amount:
        _MOVE_BOTH.execute(owner_id=account_id, customer_id=customer_id, month=month, amount=amount)
