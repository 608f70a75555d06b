"""The engine of PostgreSQL: connections from a pool, and one writer at a time over all machines.

:mod:`svc.store.database` describes the functions that all engines have.
"""

import functools
import hashlib
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import peewee
import psycopg
from psycopg.pq import TransactionStatus
from psycopg_pool import ConnectionPool

from svc.store import compiling
from svc.store.jobs import JobCount, Periodic, Ready, Service
from svc.store.postgres import jobs as queue_jobs
from svc.store.postgres import migrating, pool, schema, values
from svc.store.postgres.execution import Compiled, Connection, Parameters, in_order, run
from svc.store.postgres.failures import named
from svc.store.postgres.shared import SharedTables, Writing
from svc.store.schema import require_restored

# What svc.store.catalog asks.
TABLES = (
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename"
)
COLUMNS = """
    SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0
    AND NOT attisdropped
    ORDER BY attnum
"""
PRIMARY_KEY = """
    SELECT a.attname AS name FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid
    AND a.attnum = ANY (i.indkey)
    WHERE i.indrelid = to_regclass(%s) AND i.indisprimary
    ORDER BY array_position(i.indkey::int[], a.attnum::int)
"""
REFERRED = """
    SELECT DISTINCT r.relname AS name FROM pg_constraint c JOIN pg_class r ON r.oid = c.confrelid
    WHERE c.conrelid = to_regclass(%s) AND c.contype = 'f'
"""
_PATIENCE = 5  # seconds until the database counts as locked
_BEGIN = (
    f"BEGIN; SET LOCAL lock_timeout = '{_PATIENCE}s'; {{}}SELECT "
    f"pg_advisory_xact_lock({migrating.WRITERS}); "
)
_BEGIN += "SELECT kind, number FROM service.changes"
_NOT_DURABLE = "SET LOCAL synchronous_commit = off; "

_path, _address = Path(), ""
_pool: "ConnectionPool[Connection] | None" = None
_shared: SharedTables | None = None


class _Open(threading.local):
    """What this thread has open: its connection inside write() and snapshot(),
    and the callbacks of its transaction.
    """

    connection: Connection | None = None
    after: list[Callable[[], None]] | None = None
    telling: list[Callable[[], None]]
    # in which jobs are deferred with the commit
    queues: set[str]
    # of the caches, before this transaction changed anything
    versions: dict[str, int] | None = None


_open = _Open()


def open_database(path: Path, address: str) -> None:
    """Open the database at ``address`` for the data directory of ``path``; create its tables on the
    first start.

    StartRefused: this program cannot use the database.
    """
    global _path, _address, _pool, _shared
    close_database()
    require_restored(path.parent)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    schema.prepare(address)
    _path, _address = path, address
    _pool = pool.connections(address)
    # A pool of their own: a thread that has a connection of the first may wait for one of these,
    # and never the other way round.
    _shared = SharedTables(path.with_name("shared"), pool.connections(address), _writing)


def version_at(address: str) -> int | None:
    """Return the schema version of the database at ``address``; None: it has no tables yet.

    StartRefused: it cannot be read.
    """
    return schema.version_at(address)


def is_up(address: str) -> bool:
    """Return whether a PostgreSQL at ``address`` accepts connections."""
    return schema.is_up(address)


def is_usable(address: str) -> bool:
    """Return whether this program can work on the database at ``address`` as it is.

    StartRefused: it cannot be read.
    """
    return schema.is_usable(address)


def close_database() -> None:
    """Close all connections."""
    global _pool, _shared
    if _shared:
        _shared.close()
        _shared = None
    if _pool:
        _pool.close()
        _pool = None


def shared() -> SharedTables | None:
    """Return what all machines share; None: the database is not open."""
    return _shared


def refuses_changes(address: str) -> bool:
    """Return whether the database at ``address`` refuses every change.

    StartRefused: it cannot be read.
    """
    return schema.refuses_changes(address)


def clock() -> int:
    """Return the time of the database's machine."""
    found = row("SELECT CAST(1000 * EXTRACT(epoch FROM clock_timestamp()) AS bigint)")
    return int(found[0]) if found else 0


def require_same_files() -> None:
    """Do nothing: its files are the server's."""


def place() -> str:
    return f"{_place_of(_path.parent)}:"


@functools.lru_cache(maxsize=4)
def _place_of(data_dir: Path) -> str:
    """Return what names a data directory on its machine among all machines."""
    return hashlib.sha256(f"{socket.gethostname()}:{data_dir.resolve()}".encode()).hexdigest()[:12]


def jobs(
    periodic: Sequence[Periodic], services: Sequence[Service], ready: Ready | None
) -> queue_jobs.Jobs:
    return queue_jobs.Jobs(_address, periodic, services, ready)


def job_counts() -> list[JobCount]:
    with connected() as connection:
        return queue_jobs.counts(connection)


def announce(queue: Callable[[], str | None]) -> None:
    if (name := queue()) is not None:
        _open.queues.add(name)


@contextmanager
def connected() -> Iterator[Connection]:
    """Yield the connection of this thread's transaction, or another one for a single statement."""
    with named():
        if _open.connection is not None:
            yield _open.connection
        elif _pool is None:
            raise RuntimeError("the database is not open")
        else:
            with pool.taken(_pool) as connection:
                yield connection


def compiled(query: peewee.Node) -> tuple[str, list[str]]:
    sql, names = compiling.for_postgres(query)
    return Compiled(sql, tuple(names)), names


def rows(sql: str, parameters: Parameters = ()) -> list[values.Row]:
    with connected() as connection:
        return run(connection, sql, parameters).fetchall()


def row(sql: str, parameters: Parameters = ()) -> values.Row | None:
    with connected() as connection:
        return run(connection, sql, parameters).fetchone()


def execute(sql: str, parameters: Parameters = ()) -> int:
    if not in_transaction():
        raise RuntimeError("statements that change rows must run inside write()")
    with connected() as connection:
        return run(connection, sql, parameters).rowcount


def execute_many(sql: str, many: Iterable[Parameters]) -> None:
    if not in_transaction():
        raise RuntimeError("statements that change rows must run inside write()")
    with connected() as connection:
        connection.cursor().executemany(sql, [in_order(sql, each) for each in many])


@contextmanager
def snapshot() -> Iterator[None]:
    """Run the block with a snapshot of the database, so that its reads agree."""
    if _open.connection is not None:
        yield
        return
    with connected() as connection:
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        _open.connection = connection
        try:
            yield
        finally:
            _open.connection = None
            _end(connection, "COMMIT")


def path() -> Path:
    return _path


class SeparateConnection:
    """A connection for svc.store.queries. ``compiled``: writes the SQL of a query."""

    compiled = staticmethod(compiled)

    def __init__(self, connection: Connection):
        self._connection = connection

    def execute(self, sql: str, parameters: Parameters = ()) -> psycopg.Cursor[values.Row]:
        with named():
            return run(self._connection, sql, parameters)


@contextmanager
def separate_connection(seconds: float = 30.0) -> Iterator[SeparateConnection]:
    if _pool is None:
        raise RuntimeError("the database is not open")
    with named(), pool.taken(_pool) as connection:
        connection.execute(f"SET lock_timeout = {int(seconds * 1000)}")
        try:
            yield SeparateConnection(connection)
        finally:
            if not connection.closed:
                connection.execute("RESET lock_timeout")


def in_transaction() -> bool:
    return _open.after is not None


@contextmanager
def write(durable: bool = True) -> Iterator[None]:
    if in_transaction():
        yield
        return
    if _pool is None:
        raise RuntimeError("the database is not open")
    after: list[Callable[[], None]] = []
    telling: list[Callable[[], None]] = []
    outer = _open.connection  # of snapshot()
    with named(), pool.taken(_pool) as connection:
        _open.connection, _open.after, _open.telling = connection, after, telling
        _open.queues = set()
        try:
            _open.versions = _begun(
                connection.execute(_BEGIN.format("" if durable else _NOT_DURABLE))
            )
            yield
            _commit(connection)
        except BaseException:
            _end(connection, "ROLLBACK")
            raise
        finally:
            _open.connection, _open.after, _open.versions = outer, None, None
    for call in (*telling, *after):
        call()


def _begun(cursor: psycopg.Cursor[values.Row]) -> dict[str, int]:
    """Return the versions of the caches, which are the last result of what began a transaction."""
    while cursor.nextset():
        pass
    return dict(cursor.fetchall())


def _writing() -> Writing | None:
    """Return this thread's transaction for the caches."""
    if _open.connection is None or _open.versions is None:
        return None
    return _open.connection, _open.versions


def _commit(connection: Connection) -> None:
    """Commit. Error: a statement failed, whose exception was suppressed;
    PostgreSQL would roll back without a word.
    """
    if connection.info.transaction_status == TransactionStatus.INERROR:
        raise psycopg.errors.InFailedSqlTransaction(
            "a statement of this transaction failed: it is rolled back"
        )
    if _open.queues:
        queue_jobs.defer(connection, sorted(_open.queues))
    connection.execute("COMMIT")


def _end(connection: Connection, statement: str) -> None:
    if not connection.closed:
        connection.execute(statement)


def on_durable(call: Callable[[], None]) -> None:
    _open.telling.append(call)


def after_commit(call: Callable[[], None]) -> None:
    if _open.after is not None and call not in _open.after:
        _open.after.append(call)
