"""Queries of peewee that are made once and run often: one that is built at each call costs more
than the database itself.

find = Prepared(Account.select(Account.id, Account.name).where(Account.id == slot("id")))
account = find.row(id=account_id)
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Generic, TypeAlias, TypeVar, cast, overload

import peewee

from svc.store.database import Connection, Database, Row, db
from svc.store.engine import compiling
from svc.store.engine.compiling import slot, slots

__all__ = ["Insertion", "Prepared", "Select", "slot", "slots"]

Kind = TypeVar("Kind")
Select: TypeAlias = "peewee.ModelSelect[Any]"
_AT_ONCE = (64, 16, 4, 1)  # rows of one INSERT


class Prepared(Generic[Kind]):
    """A query whose SQL is written at its first call.

    ``kind``: the TypedDict that its rows are; None: rows by column.
    """

    @overload
    def __init__(self: "Prepared[Row]", query: peewee.Node) -> None: ...
    @overload
    def __init__(self, query: peewee.Node, kind: type[Kind]) -> None: ...
    def __init__(self, query: peewee.Node, kind: type[Any] | None = None):
        self.query, self.kind = query, kind
        self._engine: type[Database] | None = None  # whose SQL it is
        self._sql, self._names = "", frozenset[str]()
        self._others: dict[Any, str] = {}  # by what compiles for a separate connection

    def rows(self, **values: Any) -> list[Kind]:
        """Return all rows."""
        rows: list[Any] = db.rows(self.sql(values), values)
        return rows if self.kind is None else [cast(Kind, dict(row)) for row in rows]

    def row(self, **values: Any) -> Kind | None:
        """Return the first row, or None."""
        row: Any = db.row(self.sql(values), values)
        return row if row is None or self.kind is None else cast(Kind, dict(row))

    def one(self, **values: Any) -> Kind:
        """Return the first row of a query that always has one. LookupError: there is no row."""
        row = self.row(**values)
        if row is None:
            raise LookupError(f"no row for {self._sql}")
        return row

    def value(self, **values: Any) -> Any:
        """Return the first column of the first row, such as a count; None: there is no row."""
        row = db.row(self.sql(values), values)
        return None if row is None else row[0]

    def rows_by(self, connection: Connection, **values: Any) -> list[Kind]:
        """Return all rows over a separate connection, which may be to another database and may have
        any row factory.
        """
        return list(self.iterate_rows_by(connection, **values))

    def iterate_rows_by(self, connection: Connection, **values: Any) -> Iterator[Kind]:
        """Yield all rows in the same way, one by one, as a query for many of them wants."""
        cursor: Any = connection.execute(self._sql_by(connection), values)
        if self.kind is None:
            yield from cursor
            return
        names = [column[0] for column in cursor.description]
        for row in cursor:
            yield cast(Kind, dict(zip(names, row, strict=True)))

    def execute(self, **values: Any) -> int:
        """Run it inside a transaction, and return the number of rows that it changed."""
        return db.execute(self.sql(values), values)

    def execute_many(self, many: Iterable[Mapping[str, Any]]) -> None:
        """Run it inside a transaction for each of ``many`` values by slot."""
        db.execute_many(self.sql(None), many)

    def execute_by(self, connection: Connection, **values: Any) -> None:
        """Run it over a separate connection, as :meth:`rows_by`."""
        connection.execute(self._sql_by(connection), values)

    def execute_many_by(self, connection: Connection, many: Iterable[Mapping[str, Any]]) -> None:
        """Run it for each of ``many`` values by slot over a separate
        connection, as :meth:`rows_by`.
        """
        connection.executemany(self._sql_by(connection), many)

    def _sql_by(self, connection: Connection) -> str:
        compiled = getattr(connection, "compiled", compiling.compile_for_sqlite)
        return self._others.get(compiled) or self._others.setdefault(
            compiled, compiled(self.query)[0]
        )

    def select_values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the ``values`` that have a slot: the slots of a query may depend on a request."""
        self.sql(None)
        return {name: values[name] for name in self._names}

    def sql(self, values: Mapping[str, Any] | None) -> str:
        """Return the SQL for the open database.

        TypeError: there are not as many ``values`` as slots.
        """
        if self._engine is not (engine := type(db)):
            self._sql, names = db.compiled(self.query)
            self._names = frozenset(names)
            self._engine = engine  # last: another thread may call meanwhile
        if values is not None and len(values) != len(self._names):
            raise TypeError(f"{len(values)} values for {len(self._names)} slots of {self._sql}")
        return self._sql


class Insertion:
    """An INSERT of many rows, several in one statement: Python may switch threads between
    statements.

    A row is a sequence of the values of ``columns`` in order. ``on_conflict``: as that of a query.
    """

    def __init__(self, columns: Sequence[peewee.Field], **on_conflict: Any):
        self._columns, self._on_conflict = list(columns), on_conflict
        self._queries: dict[int, Prepared[Row]] = {}  # by the number of rows

    def make_query(self, number: int) -> Prepared[Row]:
        """Return the query that inserts a number of rows; its values are given in order."""
        query = self._queries.get(number)
        return query or self._queries.setdefault(number, Prepared(self._query(number)))

    def _query(self, number: int) -> peewee.Node:
        table: Any = self._columns[0].model._meta
        row = tuple(slot("") for _ in self._columns)
        # Of the table, as that of the model would write the defaults of other columns into each
        # row.
        query = peewee.Insert(table.table, [row] * number, self._columns)
        return cast(
            peewee.Node, query.on_conflict(**self._on_conflict) if self._on_conflict else query
        )

    def execute(self, rows: Sequence[Sequence[Any]]) -> None:
        """Insert rows inside a transaction."""
        for number in _AT_ONCE:
            while len(rows) >= number:
                values = list(chain.from_iterable(rows[:number]))
                db.execute(self.make_query(number).sql(None), values)
                rows = rows[number:]
