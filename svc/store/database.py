"""The open database: SQLite, or PostgreSQL if there is an address of one.

Each function is the engine's of that name.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeAlias, cast
from urllib.parse import urlsplit

import peewee

from svc.base.errors import StartRefused
from svc.store.jobs import JobCount, Periodic, Ready, Service
from svc.store.shared_memory import Shared
from svc.store.sqlite import engine as sqlite
from svc.store.sqlite import sqlite3

log = logging.getLogger("svc.database")

Row: TypeAlias = sqlite3.Row  # PostgreSQL's act like them
Connection = sqlite3.Connection  # likewise
# what any statement may raise, here and on other connections, with both databases
Error = sqlite3.Error
Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any]
_AGAIN_SECONDS = 2.0  # between two tries to reach PostgreSQL at the start
_TRIES_A_LINE = 30  # in the log
# of requirements-postgres.txt, as they are imported
_PACKAGES = ("psycopg", "psycopg_pool", "procrastinate")


class Engine(Protocol):
    """A module that is an engine: the functions below, and the statements that svc.store.catalog
    asks.

    ``rows``, ``row``, ``execute`` and ``execute_many`` run what ``compiled`` wrote, for
    svc.store.queries, and those statements; ``execute`` and ``execute_many`` want a transaction.
    """

    TABLES: str
    COLUMNS: str  # of a table, as the next two
    PRIMARY_KEY: str
    REFERRED: str

    def compiled(self, query: peewee.Node) -> tuple[str, list[str]]: ...
    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]: ...
    def row(self, sql: str, parameters: Parameters = ()) -> Row | None: ...
    def execute(self, sql: str, parameters: Parameters = ()) -> int: ...
    def execute_many(self, sql: str, many: Iterable[Parameters]) -> None: ...
    def snapshot(self) -> AbstractContextManager[Any]: ...
    def path(self) -> Path: ...
    def separate_connection(self, seconds: float = 30.0) -> AbstractContextManager[Connection]: ...
    def in_transaction(self) -> bool: ...
    def write(self, durable: bool = True) -> AbstractContextManager[None]: ...
    def on_durable(self, call: Callable[[], None]) -> None: ...
    def after_commit(self, call: Callable[[], None]) -> None: ...
    def job_counts(self) -> list[JobCount]: ...
    def announce(self, queue: Callable[[], str | None]) -> None: ...
    def shared(self) -> Shared | None: ...
    def require_same_files(self) -> None: ...
    def place(self) -> str: ...
    def jobs(
        self, periodic: Sequence[Periodic], services: Sequence[Service], ready: Ready | None
    ) -> AbstractContextManager[object] | None: ...
    def clock(self) -> int | None: ...
    def close_database(self) -> None: ...


_engine: Engine = sqlite
_shared: Shared | None = None  # of the engine: each request asks for it a dozen times


def open_database(path: Path, address: str = "") -> None:
    """Open the database at ``path``, or the PostgreSQL database at ``address``, for the data
    directory of ``path``.

    It is created on the first start and migrated after an upgrade. StartRefused: this program
    cannot use the database, or has not the package for it.
    """
    global _engine, _shared
    close_database()
    if address:
        with needing_postgres():
            from svc.store.postgres import engine as postgres
        postgres.open_database(path, address)
        _engine = cast(Engine, postgres)  # its rows and connections act like SQLite's
    else:
        sqlite.open_database(path)
    _shared = _engine.shared()


def await_server(address: str, sleep: Callable[[float], None] = time.sleep) -> None:
    """Return when the PostgreSQL at ``address`` accepts connections; at once without an address.

    A machine that starts may be faster than the one with the database.
    """
    if not address:
        return
    with needing_postgres():
        from svc.store.postgres import engine as postgres
    tries = 0
    while not postgres.is_up(address):
        if tries % _TRIES_A_LINE == 0:
            # where it is said to be, without a password: a typing mistake would wait for ever
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


def version_at(address: str) -> int | None:
    """Return the schema version of a database of PostgreSQL, which stays as it is; None: it has no
    tables yet.

    StartRefused: it does not answer, or refuses the service.
    """
    with needing_postgres():
        from svc.store.postgres import engine as postgres
    return postgres.version_at(address)


def is_usable(address: str) -> bool:
    """Return whether this program can work on a database of PostgreSQL as it is: of its schema, or
    of one that suits it, too.

    StartRefused: it does not answer, or refuses the service.
    """
    with needing_postgres():
        from svc.store.postgres import engine as postgres
    return postgres.is_usable(address)


def refuses_changes(address: str) -> bool:
    """Return whether a database of PostgreSQL is a standby, or set to be read-only.

    StartRefused: it does not answer.
    """
    with needing_postgres():
        from svc.store.postgres import engine as postgres
    return postgres.refuses_changes(address)


def close_database() -> None:
    """Close all connections."""
    global _engine, _shared
    engine, _engine = _engine, sqlite
    engine.close_database()
    _shared = None


def engine() -> Engine:
    """Return the engine of the open database, for what each database does in its own way."""
    return _engine


def shared() -> Shared:
    """Return what the processes of the open database share.

    RuntimeError: the database is not open.
    """
    if _shared is None:
        raise RuntimeError("the database is not open")
    return _shared


def shared_if_open() -> Shared | None:
    """Return the same as :func:`shared`; None if the database is not open."""
    return _shared


def require_same_files() -> None:
    """Raise an error if the files of the database were removed,
    moved or replaced below this process.
    """
    _engine.require_same_files()


def place() -> str:
    """Return what the claims of this data directory's processes begin with;
    empty: no other directory shares the database.
    """
    return _engine.place()


def jobs(
    periodic: Sequence[Periodic], services: Sequence[Service] = (), ready: Ready | None = None
) -> AbstractContextManager[object] | None:
    """Return a context in which this process does jobs for all that share the database; None: it is
    alone, and finds by itself what is to be done.

    Args:
        periodic: Tasks that one of all processes does when each is due.
        services: What this process does for jobs that are deferred with a commit.
        ready: Sees to it that no step waits for a job that was lost, or that nobody deferred, as
            what is due by time.
    """
    return _engine.jobs(periodic, services, ready)


def job_counts() -> list[JobCount]:
    """Return how many jobs each queue has, by status; none where one process works alone."""
    return _engine.job_counts()


def clock() -> int | None:
    """Return the time (ms) of the database's own machine; None: it is this one."""
    return _engine.clock()


def snapshot() -> AbstractContextManager[Any]:
    """Return a context for several reads without interruption: ``with snapshot():``.

    Never wait for the network or the disk in it; durable writes wait for the disk.
    """
    return _engine.snapshot()


def path() -> Path:
    """Return the path of the open database.

    With PostgreSQL there is no such file, but its folder is the data directory.
    """
    return _engine.path()


def separate_connection(seconds: float = 30.0) -> AbstractContextManager[Connection]:
    """Open a separate connection in autocommit mode, for queries that take long or must not wait
    for the lock.

    ``seconds``: how long a statement waits for another writer.
    """
    return _engine.separate_connection(seconds)


def in_transaction() -> bool:
    """Return whether this thread is inside :func:`write`."""
    return _engine.in_transaction()


def write(durable: bool = True) -> AbstractContextManager[None]:
    """Run the block in a transaction, alone of all writers, which an exception rolls back. A nested
    call joins the outer one.

    ``durable``: return only when the commit is on the disk, which is required for all that is
    reported to others."""
    return _engine.write(durable)


def on_durable(call: Callable[[], None]) -> None:
    """Register a function that reports what the present transaction read, to be called inside a
    durable :func:`write`.

    It is called, unless the transaction is rolled back, as soon as all that it read is durable:
    usually before its own commit.
    """
    _engine.on_durable(call)


def after_commit(call: Callable[[], None]) -> None:
    """Register a function, which reports nothing to others,
    to be called once after the commit of the present transaction.
    """
    _engine.after_commit(call)


def announce(queue: Callable[[], str | None]) -> None:
    """Defer a job for other machines with the commit of the present transaction; see :func:`jobs`.

    ``queue``: returns the name of its queue, and is called once, where there are other machines;
    None: there is nothing to do.
    """
    _engine.announce(queue)
