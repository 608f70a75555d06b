"""What productions cost: reserved at the trigger, settled at the end, summed by account and customer and month.

Amounts are integer millionths of the operator's currency. Everything here runs inside the caller's transaction.
"""

from svc.base import clock
from svc.store import database

_MOVE = """
    INSERT INTO spend_months (owner_id, month, amount) VALUES (?, ?, ?)
    ON CONFLICT (owner_id, month) DO UPDATE SET amount = amount + excluded.amount
"""


def reserve(production_id: str, account: database.Row, price: int, now: int) -> None:
    """Reserve a production's estimate in the month of its trigger."""
    month = clock.month(now)
    database.execute(
        "INSERT INTO ledger (production_id, account_id, customer_id, month, reserved) VALUES (?, ?, ?, ?, ?)",
        (production_id, account["id"], account["customer_id"], month, price),
    )
    _move(account["id"], account["customer_id"], month, price)


def settle(production_id: str, cost: int) -> None:
    """Replace the reservation by the actual cost; a second settlement changes nothing."""
    entry = database.row("SELECT * FROM ledger WHERE production_id = ? AND settled IS NULL", (production_id,))
    if entry is None:
        return
    database.execute("UPDATE ledger SET settled = ? WHERE production_id = ?", (cost, production_id))
    _move(entry["account_id"], entry["customer_id"], entry["month"], cost - entry["reserved"])


def reserved(production_id: str) -> int:
    """What the production's estimate was."""
    return database.row("SELECT reserved FROM ledger WHERE production_id = ?", (production_id,))["reserved"]


def _move(account_id: str, customer_id: str, month: str, amount: int) -> None:
    if amount:
        database.execute_many(_MOVE, [(account_id, month, amount), (customer_id, month, amount)])
