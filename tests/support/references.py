"""References between rows, as the open database checks them."""

from svc.store.database import Row, db
from svc.store.sqlite.engine import SqliteEngine
from tests.support import plain_sql


def orphans() -> list[Row]:
    """Return the rows that refer to rows which do not exist. PostgreSQL itself lets none be."""
    return plain_sql.rows("PRAGMA foreign_key_check") if isinstance(db, SqliteEngine) else []
