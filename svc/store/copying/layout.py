"""The tables in an order in which each follows those that it refers to,
as ``schema.sql`` has them.
"""

from contextlib import closing
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Any, NamedTuple

from svc.store.engine.compiling import slot
from svc.store.engine.schema import SCHEMA
from svc.store.engine.sqlite_driver import sqlite3
from svc.store.expressions import named_table
from svc.store.models.productions import ProductionStep

_COLUMNS = "SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid"
_NAMES = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
_REFERRED = 'SELECT DISTINCT "table" FROM pragma_foreign_key_list(?)'


_VERSIONS = ("schema_version", "oldest_program")
# The values are those of StepFiles, in order.
SET_FILES = ProductionStep.update(files=slot("")).where(
    ProductionStep.production_id == slot(""), ProductionStep.position == slot("")
)


class StepFiles(NamedTuple):
    """What the copy says of the files that a step left, in place of what the source says:
    they were moved.
    """

    files: str | None
    production_id: str
    position: int


@dataclass(frozen=True)
class Table:
    """A table.

    ``order``: the columns of its primary key, or "rowid". ``number``: the key that the database
    counts up.
    """

    name: str
    columns: tuple[str, ...]
    order: tuple[str, ...]
    number: str | None

    @property
    def rows(self) -> Any:
        """Return the query for all rows in order; the versions of the schema are not copied."""
        table = named_table(self.name)
        query = table.select(*(getattr(table.c, name) for name in self.columns))
        query = query.order_by(*(getattr(table.c, name) for name in self.order))
        return query.where(table.c.name.not_in(_VERSIONS)) if self.name == "meta" else query

    @property
    def insertion(self) -> Any:
        """Return the query that inserts a row, whose values are given in the order
        of its columns.
        """
        table = named_table(self.name)
        row = tuple(slot("") for _ in self.columns)
        return table.insert([row], columns=[getattr(table.c, name) for name in self.columns])


def list_tables() -> list[Table]:
    """Return all tables; ``meta`` is the last one."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA.read_text("utf-8"))
        names = [name for (name,) in connection.execute(_NAMES).fetchall()]
        referred = {
            name: {other for (other,) in connection.execute(_REFERRED, (name,)).fetchall()} - {name}
            for name in names
        }
        tables = {name: _read_table(connection, name) for name in names}
    ordered = [tables[name] for name in TopologicalSorter(referred).static_order()]
    return sorted(ordered, key=lambda table: table.name == "meta")


def list_triggers() -> list[str]:
    """Return the statements that create the triggers."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA.read_text("utf-8"))
        return [
            sql
            for (sql,) in connection.execute(
                "SELECT sql FROM sqlite_master WHERE type = 'trigger'"
            ).fetchall()
        ]


def _read_table(connection: sqlite3.Connection, name: str) -> Table:
    columns = connection.execute(_COLUMNS, (name,)).fetchall()
    key = [column for column, _, place in sorted(columns, key=lambda each: each[2]) if place]
    counted = len(key) == 1 and {column: kind for column, kind, _ in columns}[key[0]] == "INTEGER"
    sql = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0]
    number = key[0] if counted and "WITHOUT ROWID" not in sql else None
    return Table(name, tuple(column for column, _, _ in columns), tuple(key) or ("rowid",), number)
