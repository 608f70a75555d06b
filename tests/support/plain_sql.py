"""Plain SQL on the open database, for what tests arrange and look at: with SQLite's placeholders,
for both databases.
"""

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from svc.store.database import Row, db
from svc.store.sqlite.engine import SqliteEngine

Parameters = Sequence[Any] | Mapping[str, Any]
_PART = re.compile(r"'(?:[^']|'')*'|--[^\n]*|(?P<place>\?)|(?<![:\w]):(?P<name>[a-z_]\w*)")


def rows(sql: str, parameters: Parameters = ()) -> list[Row]:
    """Return all rows."""
    return db.rows(_of_engine(sql), parameters)


def row(sql: str, parameters: Parameters = ()) -> Row | None:
    """Return the first row, or None."""
    return db.row(_of_engine(sql), parameters)


def one(sql: str, parameters: Parameters = ()) -> Row:
    """Return the first row of a statement that always has one."""
    first = row(sql, parameters)
    assert first is not None, f"no row for {sql}"
    return first


def execute(sql: str, parameters: Parameters = ()) -> int:
    """Run a statement inside a transaction, and return the number of rows that it changed."""
    return db.execute(_of_engine(sql), parameters)


def execute_many(sql: str, many: Iterable[Parameters]) -> None:
    """Run a statement inside a transaction for each of ``many`` parameter sets."""
    db.execute_many(_of_engine(sql), many)


def insert(table: str, row: dict[str, Any]) -> None:
    """Insert a row, a dict by column name, inside a transaction."""
    execute(
        f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})",
        tuple(row.values()),
    )


def _of_engine(sql: str) -> str:
    return sql if isinstance(db, SqliteEngine) else for_psycopg(sql)


@functools.lru_cache(maxsize=4096)
def for_psycopg(sql: str) -> str:
    """Return a statement with psycopg's placeholders, which wants each percent sign doubled."""

    def replace(match: re.Match[str]) -> str:
        if match["place"]:
            return "%s"
        return f"%({match['name']})s" if match["name"] else match[0]

    return _PART.sub(replace, sql.replace("%", "%%"))
