"""``python -m tests.bench.prepared``: what a query of peewee costs, beside the same statement as
SQL in a string.

Both read one account by its id, turn about, on SQLite and, with ``SVC_TEST_DATABASE_URL``, on
PostgreSQL. Compared is the time that the thread computes, as the median of the ratios of each pair.
"""

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from svc.base import clock
from svc.domain.partners import create
from svc.store import database
from svc.store.database import db
from svc.store.models.partners import Account
from svc.store.queries import Prepared, slot
from tests.support import plain_sql

CALLS, PAIRS = 400, 15
MOST = 1.5  # times a string, on SQLite, where a statement takes a few microseconds
TEXT = "SELECT id, name, status, environment, creator FROM accounts WHERE id = ?"
QUERY = Account.select(
    Account.id, Account.name, Account.status, Account.environment, Account.creator
).where(Account.id == slot("id"))
FIND = Prepared(QUERY)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="prepared.") as folder:
        path = Path(folder) / "service.db"
        database.open_database(path)
        ratio = _compare("SQLite")
        db.close()
        if "SVC_TEST_DATABASE_URL" in os.environ:
            database.open_database(path, os.environ["SVC_TEST_DATABASE_URL"])
            _compare("PostgreSQL")
            db.close()
    print("as asked" if ratio <= MOST else f"too slow: at most {MOST} times a string was asked")


def _compare(name: str) -> float:
    """Print what both ways cost, and return the ratio."""
    account = _account()
    ways: dict[str, Callable[[], object]] = {
        "string": lambda: plain_sql.row(TEXT, (account,)),
        "prepared": lambda: FIND.row(id=account),
        "built at each call": lambda: Prepared(QUERY.clone()).row(id=account),
    }
    pairs = [{way: _microseconds(call) for way, call in ways.items()} for _ in range(PAIRS)]
    for way in ways:
        ratio = statistics.median(pair[way] / pair["string"] for pair in pairs)
        print(
            f"{name:12}{way:20}{statistics.median(pair[way] for pair in pairs):8.1f} "
            f"µs{ratio:8.2f} times"
        )
    return statistics.median(pair["prepared"] / pair["string"] for pair in pairs)


def _account() -> str:
    with db.transaction():
        partner = create.create_partner("Bench", "Free", clock.now())
        customer = create.create_customer(partner, "Bench", clock.now())
        return create.create_account(partner, customer, "Bench", clock.now())


def _microseconds(call: Callable[[], object]) -> float:
    began = time.thread_time()
    for _ in range(CALLS):
        call()
    return (time.thread_time() - began) / CALLS * 1e6


if __name__ == "__main__":
    main()
