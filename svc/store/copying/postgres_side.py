"""PostgreSQL as the source or the target of a copy."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql

from svc.base.errors import CommandError
from svc.store.copying import layout
from svc.store.copying.layout import StepFiles, Table, list_tables
from svc.store.engine.compiling import compile_for_postgres
from svc.store.engine.schema import VERSION
from svc.store.models.service import NamedValue
from svc.store.postgres import schema, values

_BATCH = 2_000  # rows that are fetched at a time
_OTHERS = """SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
AND pid <> pg_backend_pid()
    AND backend_type = 'client backend'"""
_MARK = (
    "CREATE TABLE service.copied (name text PRIMARY KEY, rows bigint NOT NULL, digest text "
    "NOT NULL)"
)
_COUNT_ON = (
    "SELECT setval(pg_get_serial_sequence({name}, {column}), max({key})) FROM {table} "
    "HAVING max({key}) IS NOT NULL"
)
_SET_FILES, _ = compile_for_postgres(layout.SET_FILES)
_FORGET, _ = compile_for_postgres(NamedValue.delete())

Connection = psycopg.Connection[Any]


class _Side:
    def __init__(self, connection: Connection):
        self._connection = connection

    def rows(self, table: Table) -> Iterator[tuple[Any, ...]]:
        with self._connection.transaction(), self._connection.cursor(name="copied_rows") as cursor:
            cursor.itersize = _BATCH
            cursor.execute(compile_for_postgres(table.rows)[0])
            yield from cursor


class _Target(_Side):
    def list_copied(self) -> dict[str, tuple[int, str]]:
        rows_of_tables = self._connection.execute(
            "SELECT name, rows, digest FROM service.copied"
        ).fetchall()
        return {name: (rows, digest) for name, rows, digest in rows_of_tables}

    def begin_anew(self, tables: list[Table]) -> None:
        names = sql.SQL(", ").join(sql.Identifier(table.name) for table in tables)
        self._connection.execute(
            sql.SQL("TRUNCATE service.copied, {} RESTART IDENTITY").format(names)
        )

    def fill(
        self, table: Table, rows: Iterable[tuple[Any, ...]], record: Callable[[], tuple[int, str]]
    ) -> None:
        into = sql.SQL("COPY {} ({}) FROM STDIN").format(
            sql.Identifier(table.name), sql.SQL(", ").join(map(sql.Identifier, table.columns))
        )
        with self._connection.transaction(), self._connection.cursor() as cursor:
            with cursor.copy(into) as copy:
                for row in rows:
                    _require_storable(table, row)
                    copy.write_row(row)
            cursor.execute(
                "INSERT INTO service.copied (name, rows, digest) VALUES (%s, %s, %s)",
                (table.name, *record()),
            )

    def finish(self, tables: list[Table], moved: Sequence[StepFiles]) -> None:
        with self._connection.transaction():
            for row in moved:
                self._connection.execute(_SET_FILES, row)
            for table in tables:
                if table.number:
                    self._connection.execute(_count_on(table.name, table.number))
                self._connection.execute(
                    _compose_sql(f"ALTER TABLE {table.name} ENABLE TRIGGER USER")
                )
            schema.record(self._connection)
            self._connection.execute("DROP TABLE service.copied")
        self._connection.execute("ANALYZE")


def _compose_sql(statement: str) -> sql.SQL:
    """Return a statement that consists of names of our own tables."""
    return sql.SQL(statement)


def _count_on(table: str, column: str) -> sql.Composed:
    return sql.SQL(_COUNT_ON).format(
        name=sql.Literal(table),
        column=sql.Literal(column),
        key=sql.Identifier(column),
        table=sql.Identifier(table),
    )


def _require_storable(table: Table, row: tuple[Any, ...]) -> None:
    """CommandError: the row has a character that PostgreSQL stores in no text."""
    for column, value in zip(table.columns, row, strict=True):
        if isinstance(value, str) and ("\0" in value or not _is_unicode(value)):
            key = ", ".join(
                f"{name} {row[table.columns.index(name)]!r}"
                for name in table.order
                if name in table.columns
            )
            raise CommandError(
                f"{table.name}.{column} of the row with {key} has a character that PostgreSQL "
                f"cannot store: {ascii(value)[:80]}. Change that row in SQLite, and copy again; "
                "what is copied stays."
            )


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def _connect_alone(address: str) -> Iterator[Connection]:
    """Connect to a database that no one else uses.

    CommandError: a process is connected to it, or it does not answer.
    """
    try:
        with psycopg.connect(address, autocommit=True, connect_timeout=10) as connection:
            values.adapt(connection)
            connection.execute(schema.SEARCH_PATH)
            if connection.execute(_OTHERS).fetchall()[0][0]:
                raise CommandError(
                    "Other processes are connected to the database of PostgreSQL: stop all "
                    "services, and copy again."
                )
            yield connection
    except psycopg.Error as failed:
        raise CommandError(
            f"PostgreSQL failed: {failed}. What was copied stays; copy again to go on."
        ) from failed


def _has_table(connection: Connection, table: str) -> bool:
    return connection.execute("SELECT to_regclass(%s) IS NOT NULL", (table,)).fetchone() == (1,)


@contextmanager
def source(address: str) -> Iterator[_Side]:
    """Open a database that no one else uses, as it is at this moment.

    CommandError: it is used, or of another release.
    """
    with _connect_alone(address) as connection:
        version = (
            schema.read_versions(connection).schema if _has_table(connection, "meta") else None
        )
        if version != VERSION:
            raise CommandError(
                f"The database has schema {version}, and this program needs {VERSION}: start the "
                "service once, stop it, copy again."
            )
        connection.execute(
            "SET default_transaction_isolation = 'repeatable read'; SET "
            "default_transaction_read_only = on"
        )
        with connection.transaction():
            yield _Side(connection)


@contextmanager
def target(address: str) -> Iterator[_Target]:
    """Open an empty database, or one that an earlier attempt has begun.

    CommandError: it has rows.
    """
    with _connect_alone(address) as connection:
        if not _has_table(connection, "service.copied"):
            if not _has_table(connection, "meta"):
                schema.prepare(address)
                connection.execute(schema.SEARCH_PATH)
            _require_empty(connection)
            _begin_copy(connection)
        yield _Target(connection)


def _require_empty(connection: Connection) -> None:
    if (version := schema.read_versions(connection).schema) != VERSION:
        raise CommandError(
            f"The database of PostgreSQL has schema {version}: copy into an empty database."
        )
    for table in list_tables():
        if connection.execute(compile_for_postgres(table.rows.limit(1))[0]).fetchone():
            raise CommandError(
                f"The PostgreSQL database is not empty: {table.name} has rows. Copy into an empty "
                "database."
            )


def _begin_copy(connection: Connection) -> None:
    """Mark the database as begun, and keep triggers from counting what is copied anyway."""
    with connection.transaction():
        connection.execute(_MARK)
        connection.execute(_FORGET)
        for table in list_tables():
            connection.execute(_compose_sql(f"ALTER TABLE {table.name} DISABLE TRIGGER USER"))
