"""Writes the SQL of a peewee query, for SQLite or PostgreSQL: constants stand in its text, and
slots become parameters.

As constants stand in the text, SQLite sees that a partial index holds the rows of a query, and
PostgreSQL's plan of a prepared statement knows them.
"""

from typing import Any

import peewee


class Slot:
    """The place of a value that each call of a query gives; without a name:
    in the order of the places.
    """

    def __init__(self, name: str):
        self.name = name


def slot(name: str) -> peewee.Value:
    """Return the place of a value, which each call gives by this name."""
    return peewee.Value(Slot(name), converter=False)


def slots(*names: str) -> dict[str, peewee.Value]:
    """Return a slot for each column of an INSERT, named as the column."""
    return {name: slot(name) for name in names}


class Writer(peewee.Context):
    """Writes SQL. ``names``: of the slots, in the order of their placeholders."""

    is_postgres = False
    _sql: list[str]
    _values: list[str]

    @property
    def names(self) -> list[str]:
        return self._values

    def as_new(self) -> "Writer":
        return type(self)(**self.state.settings)

    def value(self, value: Any, converter: Any = None, add_param: bool = True) -> Any:
        if isinstance(value, Slot):
            self._values.append(value.name)
            self._sql.append(self._placeholder(value.name))
            return self
        if isinstance(value, bytes | bytearray | memoryview):
            raise TypeError("bytes are given in a slot")
        return super().value(value, converter, add_param)

    def _placeholder(self, name: str) -> str:
        return f":{name}" if name else "?"


class _PostgresWriter(Writer):
    """Writes for psycopg, which wants each percent sign doubled.

    Each occurrence of a slot is a parameter of its own, as PostgreSQL infers the type of None by
    its place.
    """

    is_postgres = True

    def literal(self, keyword: str) -> "_PostgresWriter":
        return super().literal(keyword.replace("%", "%%"))

    def _placeholder(self, name: str) -> str:
        return "%s"


class _SqliteWriter(Writer):
    """Writes for SQLite, which locks no rows: its transactions take turns."""

    def sql(self, obj: Any) -> Any:
        if isinstance(obj, peewee.ForUpdate):
            return self
        return super().sql(obj)  # type: ignore[no-untyped-call]


_SQLITE, _POSTGRES = peewee.SqliteDatabase(None), peewee.PostgresqlDatabase(None)


def compile_for_sqlite(query: peewee.Node) -> tuple[str, list[str]]:
    """Return the SQL of a query for SQLite, and the names of its slots."""
    options = _SQLITE.get_context_options() | {"for_update": True, "value_literals": True}
    return _write_sql(_SqliteWriter(**options), query)


def compile_for_postgres(query: peewee.Node) -> tuple[str, list[str]]:
    """Return the SQL of a query for PostgreSQL, and the names of its slots in the order
    of the placeholders.
    """
    return _write_sql(
        _PostgresWriter(**_POSTGRES.get_context_options(), value_literals=True), query
    )


def _write_sql(writer: Writer, query: peewee.Node) -> tuple[str, list[str]]:
    writer.sql(query)  # type: ignore[no-untyped-call]
    return writer.query()[0], writer.names
