"""References between rows, as the open database checks them."""

from svc.store import database
from svc.store.sqlite import engine as sqlite
from tests.support import plain_sql


def orphans() -> list[database.Row]:
    """Return the rows that refer to rows which do not exist. PostgreSQL itself lets none be."""
    return plain_sql.rows("PRAGMA foreign_key_check") if database.engine() is sqlite else []
