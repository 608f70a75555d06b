"""The one object of the open database: SQLite, or PostgreSQL if there is an address of one.

with db.transaction():
    _STORE.execute(name="clock", value="0")
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from svc.base.errors import StartRefused
from svc.store.engine.engine import MOMENT, THREADS, Busy, Connection, Database, Parameters, Row
from svc.store.sqlite.engine import SqliteEngine

__all__ = [
    "MOMENT", "Busy", "Connection", "Database", "Parameters", "Row", "await_server",
    "connect_apart", "db", "is_usable", "needing_postgres", "open_database", "read_version",
    "refuses_changes",
]  # fmt: skip

log = logging.getLogger("svc.database")

db: Database = SqliteEngine()

_AGAIN_SECONDS = 2.0  # between two tries to reach PostgreSQL at the start
_TRIES_A_LINE = 30  # in the log
# The packages of requirements-postgres.txt by the names under which they are imported.
_PACKAGES = ("psycopg", "psycopg_pool", "procrastinate")


def open_database(path: Path, address: str = "", threads: int = THREADS) -> None:
    """Open the database at ``path``, or the PostgreSQL database at ``address``, for the data
    directory of ``path``.

    ``threads``: how many of this process use it at the same time, by which the number of its
    connections to PostgreSQL is bounded.

    It is created on the first start and migrated after an upgrade. StartRefused: this program
    cannot use the database, or has not the package for it.
    """
    engine: type[Database] = SqliteEngine
    if address:
        with needing_postgres():
            from svc.store.postgres.engine import PostgresEngine as engine
    db.close()
    # All modules have imported the object before the settings say which engine it is. So it changes
    # its class, and needs no proxy before it, which no type would describe.
    vars(db).clear()  # what is left of the other engine
    db.__class__ = engine
    db.open(path, address, threads)


def await_server(address: str, sleep: Callable[[float], None] = time.sleep) -> None:
    """Return when the PostgreSQL at ``address`` accepts connections; at once without an address.

    A machine that starts may be faster than the one with the database.
    """
    if not address:
        return
    with needing_postgres():
        from svc.store.postgres import schema
    tries = 0
    while not schema.is_up(address):
        if tries % _TRIES_A_LINE == 0:
            # The log says where it should be, without a password: a typing mistake would wait for
            # ever.
            log.warning(
                "PostgreSQL at %s (SVC_DATABASE_URL) does not answer yet: it is waited for",
                urlsplit(address).netloc.rpartition("@")[2] or "the local socket",
            )
        tries += 1
        sleep(_AGAIN_SECONDS)


@contextmanager
def needing_postgres() -> Iterator[None]:
    """Let a module be imported that needs PostgreSQL's package, when it is first used.

    StartRefused: the package is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in _PACKAGES:
            raise
        sentence = (
            f"SVC_DATABASE_URL needs the package {missing.name}: pip install -r "
            "requirements-postgres.txt"
        )
        raise StartRefused(sentence) from missing


@contextmanager
def connect_apart(address: str) -> Iterator[Connection]:
    """Yield a connection to the PostgreSQL at ``address``, whose tables stay as they are, for a
    process that has not opened the database; no statement waits for long.

    Error: it does not answer, or refuses the service. StartRefused: its package is not installed.
    """
    with needing_postgres():
        from svc.store.postgres.engine import connect_apart
    with connect_apart(address) as connection:
        yield cast(Connection, connection)


def read_version(address: str) -> int | None:
    """Return the schema version of a database of PostgreSQL, which stays as it is; None: it has no
    tables yet.

    StartRefused: it does not answer, or refuses the service.
    """
    with needing_postgres():
        from svc.store.postgres import schema
    return schema.read_version(address)


def is_usable(address: str) -> bool:
    """Return whether this program can work on a database of PostgreSQL as it is: of its schema, or
    of one that suits it, too.

    StartRefused: it does not answer, or refuses the service.
    """
    with needing_postgres():
        from svc.store.postgres import schema
    return schema.is_usable(address)


def refuses_changes(address: str) -> bool:
    """Return whether a database of PostgreSQL is a standby, or set to be read-only.

    StartRefused: it does not answer.
    """
    with needing_postgres():
        from svc.store.postgres import schema
    return schema.refuses_changes(address)
