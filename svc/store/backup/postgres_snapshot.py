"""A database of PostgreSQL at one moment, for a backup: what pg_dump reads,
and what says which files belong to it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from svc.base.errors import CommandError
from svc.store import meta
from svc.store.backup.dumps import Server
from svc.store.database import Connection
from svc.store.engine.compiling import compile_for_postgres
from svc.store.expressions import SQL, fn, named_table
from svc.store.postgres import keepalives, schema, values
from svc.store.postgres.engine import PostgresEngine, SeparateConnection

_SECRETS = (("password", "PGPASSWORD"),)  # of an address, and the variable in its place
_UNSAID = ("sslpassword",)  # which no variable can name


@dataclass(frozen=True)
class Snapshot:
    """``name``: of the snapshot, for pg_dump. ``connection``: reads it, and acts like SQLite's."""

    name: str
    server: Server
    schema: int | None
    rows: dict[str, int]
    connection: Connection


@contextmanager
def hold(address: str) -> Iterator[Snapshot]:
    """Keep a database as it is at this moment, while others use it.

    CommandError: it does not answer, or is not ours.
    """
    with _connected(address) as connection:
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        name = connection.execute("SELECT pg_export_snapshot()").fetchall()[0][0]
        version, rows = _facts(connection)
        if version is None:
            raise CommandError(
                "The database of SVC_DATABASE_URL has no tables of the service: there is nothing "
                "to back up."
            )
        alike: Any = SeparateConnection(connection)
        yield Snapshot(name, _server(connection, address), version, rows, alike)


def find_server(address: str) -> Server:
    """Return the server of a database. CommandError: it does not answer."""
    with _connected(address) as connection:
        return _server(connection, address)


def inspect_database(address: str) -> tuple[int | None, dict[str, int]]:
    """Return the schema version and the numbers of rows by table; (None, {}): it is empty.

    CommandError: no answer.
    """
    with _connected(address) as connection:
        return _facts(connection)


def disown_bucket(address: str) -> None:
    """Give a restored database a mark of its own, so that it tidies no bucket that the first
    one still uses.
    """
    with _connected(address) as connection:
        restored: Any = SeparateConnection(connection)
        meta.disown_bucket(restored)


@contextmanager
def _connected(address: str) -> Iterator[psycopg.Connection[values.Row]]:
    try:
        with psycopg.connect(
            address,
            autocommit=True,
            row_factory=values.row_factory,
            connect_timeout=10,
            **keepalives.OURS,
        ) as connection:
            values.adapt(connection)
            connection.execute(schema.SEARCH_PATH)
            yield connection
    except psycopg.Error as failed:
        raise CommandError(f"PostgreSQL failed: {failed}") from failed


def _server(connection: psycopg.Connection[Any], address: str) -> Server:
    conninfo: dict[str, Any] = {**conninfo_to_dict(address)}
    if unsaid := [name for name in _UNSAID if name in conninfo]:
        raise CommandError(
            f"SVC_DATABASE_URL has {unsaid[0]}, which pg_dump would show to others: use a key "
            "without one."
        )
    environment = {
        variable: str(conninfo.pop(name)) for name, variable in _SECRETS if name in conninfo
    }
    return Server(make_conninfo(**conninfo), environment, connection.info.server_version // 10_000)


def _facts(connection: psycopg.Connection[Any]) -> tuple[int | None, dict[str, int]]:
    names = [row[0] for row in connection.execute(PostgresEngine.TABLES).fetchall()]
    if not names:
        return None, {}
    counting = {
        name: compile_for_postgres(named_table(name).select(fn.count(SQL("*"))))[0]
        for name in names
    }
    rows = {name: connection.execute(query).fetchall()[0][0] for name, query in counting.items()}
    return schema.read_versions(connection).schema if "meta" in names else None, rows
