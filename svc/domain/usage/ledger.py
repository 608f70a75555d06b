"""The ledger: costs are reserved at the trigger, settled at the end, and summed by account, customer and month.

What a production of a sandbox would have cost is summed by its account alone: a customer's sum is that of its live accounts.

Amounts are integer millionths of the operator's currency. Call these functions inside a transaction.
"""

from svc.base import clock
from svc.base.states import SANDBOX
from svc.domain.tables.partners import BriefedAccount
from svc.store import database
from svc.store.sql import of_several

_MOVE = """
    INSERT INTO spend_months (owner_id, month, amount) VALUES {rows}
    ON CONFLICT (owner_id, month) DO UPDATE SET amount = spend_months.amount + excluded.amount
"""
_ENTRY = "SELECT l.*, a.environment FROM ledger l JOIN accounts a ON a.id = l.account_id WHERE l.production_id = ?"


def reserve(production_id: str, account: BriefedAccount, price: int, for_models: int, now: int) -> None:
    """Reserve a production's estimate in the current month: the price of its type and the expected charges of models."""
    month = clock.month(now)
    database.execute(
        "INSERT INTO ledger (production_id, account_id, customer_id, month, reserved, for_models) VALUES (?, ?, ?, ?, ?, ?)",
        (production_id, account["id"], account["customer_id"], month, price + for_models, for_models),
    )
    _move(account["id"], account["customer_id"], account["environment"], month, price + for_models)


def settle(production_id: str, cost: int) -> None:
    """Replace the reservation with ``cost`` and the actual charges of models; a second settlement changes nothing."""
    entry = database.row(f"{_ENTRY} AND l.settled IS NULL", (production_id,))
    if entry is None:
        return
    charged = database.one("SELECT coalesce(sum(cost), 0) FROM model_charges WHERE production_id = ?", (production_id,))[0]
    database.execute("UPDATE ledger SET settled = ? WHERE production_id = ?", (cost + charged, production_id))
    _move_for(entry, cost + charged - entry["reserved"])


def charge_late(production_id: str, cost: int) -> None:
    """Add a model's charge that arrives after the settlement, for example during a cancellation."""
    entry = database.row(f"{_ENTRY} AND l.settled IS NOT NULL", (production_id,))
    if entry is not None:
        database.execute("UPDATE ledger SET settled = settled + ? WHERE production_id = ?", (cost, production_id))
        _move_for(entry, cost)


def price(production_id: str) -> int:
    """Return the reserved price of a production without models."""
    return int(database.one("SELECT reserved - for_models FROM ledger WHERE production_id = ?", (production_id,))[0])


def _move_for(entry: database.Row, amount: int) -> None:
    _move(entry["account_id"], entry["customer_id"], entry["environment"], entry["month"], amount)


def _move(account_id: str, customer_id: str, environment: str, month: str, amount: int) -> None:
    owners = (account_id,) if environment == SANDBOX else (account_id, customer_id)
    if amount:
        values = [value for owner in owners for value in (owner, month, amount)]
        database.execute(of_several(_MOVE, len(owners), 3), values)
