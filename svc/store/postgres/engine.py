"""The engine of PostgreSQL: connections from a pool, and one writer at a time over all machines."""

import functools
import hashlib
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import peewee
import psycopg
from psycopg.pq import TransactionStatus
from psycopg_pool import ConnectionPool

from svc.store import compiling, engine
from svc.store.jobs import JobCount, ListedJob, Periodic, Ready, Service
from svc.store.postgres import jobs as queue_jobs
from svc.store.postgres import migrating, pool, schema, values
from svc.store.postgres.execution import Compiled, Connection, Parameters, in_order, run
from svc.store.postgres.failures import named
from svc.store.postgres.shared import SharedTables, Writing
from svc.store.schema import require_restored

_PATIENCE = 5  # seconds until the database counts as locked
_BEGIN = f"BEGIN; SET LOCAL lock_timeout = '{_PATIENCE}s'; "
_IN_TURN = f"SELECT pg_advisory_xact_lock({migrating.WRITERS}); "
# Two subjects with one hash wait for each other, which does no harm.
_RESERVE = "SELECT pg_advisory_xact_lock(CAST(%s AS integer), hashtext(%s))"
_TRY_TO_RESERVE = "SELECT pg_try_advisory_xact_lock(CAST(%s AS integer), hashtext(%s))"
_NOT_DURABLE = "SET LOCAL synchronous_commit = off; "
_VERSIONS = "SELECT kind, number FROM service.changes"


class _Open(engine.OpenTransaction):
    """What this thread has open: its connection inside transaction() and snapshot(),
    and the callbacks of its transaction.
    """

    connection: Connection | None = None
    # in which jobs are deferred with the commit
    queues: set[str]
    # of the caches, before this transaction changed anything
    versions: dict[str, int] | None = None


def compiled(query: peewee.Node) -> tuple[str, list[str]]:
    sql, names = compiling.for_postgres(query)
    return Compiled(sql, tuple(names)), names


class SeparateConnection:
    """A connection for svc.store.queries. ``compiled``: writes the SQL of a query."""

    compiled = staticmethod(compiled)

    def __init__(self, connection: Connection):
        self._connection = connection

    def execute(self, sql: str, parameters: Parameters = ()) -> psycopg.Cursor[values.Row]:
        with named():
            return run(self._connection, sql, parameters)


class PostgresEngine(engine.Database):
    """The database that many machines share."""

    TABLES = (
        "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() "
        "ORDER BY tablename"
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
        SELECT DISTINCT r.relname AS name FROM pg_constraint c
        JOIN pg_class r ON r.oid = c.confrelid
        WHERE c.conrelid = to_regclass(%s) AND c.contype = 'f'
    """

    _open = _Open()
    _address = ""
    _pool: "ConnectionPool[Connection] | None" = None
    _shared: SharedTables | None = None

    compiled = staticmethod(compiled)

    def open(self, path: Path, address: str = "") -> None:
        """Open the database at ``address`` for the data directory of ``path``; create its tables
        on the first start.

        StartRefused: this program cannot use the database.
        """
        require_restored(path.parent)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        schema.prepare(address)
        self._path, self._address = path, address
        self._pool = pool.connections(address)
        # A pool of their own: a thread that has a connection of the first may wait for one of
        # these, and never the other way round.
        self._shared = SharedTables(
            path.with_name("shared"), pool.connections(address), self._writing
        )

    def close(self) -> None:
        if self._shared:
            self._shared.close()
            self._shared = None
        if self._pool:
            self._pool.close()
            self._pool = None

    def clock(self) -> int:
        found = self.row("SELECT CAST(1000 * EXTRACT(epoch FROM clock_timestamp()) AS bigint)")
        return int(found[0]) if found else 0

    def place(self) -> str:
        return f"{_place_of(self._path.parent)}:"

    def jobs(
        self,
        periodic: Sequence[Periodic],
        services: Sequence[Service] = (),
        ready: Ready | None = None,
    ) -> queue_jobs.Jobs:
        return queue_jobs.Jobs(self._address, periodic, services, ready)

    def job_counts(self) -> list[JobCount]:
        with self.connected() as connection:
            return queue_jobs.counts(connection)

    def list_jobs(self) -> list[ListedJob]:
        with self.connected() as connection:
            return queue_jobs.listed(connection)

    def retry_job(self, job_id: int) -> bool:
        with self.connected() as connection:
            return queue_jobs.retry(connection, job_id)

    def abort_job(self, job_id: int) -> bool:
        with self.connected() as connection:
            return queue_jobs.abort(connection, job_id)

    def announce(self, queue: Callable[[], str | None]) -> None:
        if (name := queue()) is not None:
            self._open.queues.add(name)

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Yield the connection of this thread's transaction, or another one for one statement."""
        with named():
            if self._open.connection is not None:
                yield self._open.connection
            elif self._pool is None:
                raise RuntimeError("the database is not open")
            else:
                with pool.taken(self._pool) as connection:
                    yield connection

    def rows(self, sql: str, parameters: Parameters = ()) -> list[engine.Row]:
        with self.connected() as connection:
            return cast(list[engine.Row], run(connection, sql, parameters).fetchall())

    def row(self, sql: str, parameters: Parameters = ()) -> engine.Row | None:
        with self.connected() as connection:
            return cast(engine.Row | None, run(connection, sql, parameters).fetchone())

    def execute(self, sql: str, parameters: Parameters = ()) -> int:
        if not self.in_transaction():
            raise RuntimeError("statements that change rows must run inside a transaction")
        with self.connected() as connection:
            return run(connection, sql, parameters).rowcount

    def execute_many(self, sql: str, many: Iterable[Parameters]) -> None:
        if not self.in_transaction():
            raise RuntimeError("statements that change rows must run inside a transaction")
        with self.connected() as connection:
            connection.cursor().executemany(sql, [in_order(sql, each) for each in many])

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Run the block with a snapshot of the database, so that its reads agree."""
        if self._open.connection is not None:
            yield
            return
        with self.connected() as connection:
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            self._open.connection = connection
            try:
                yield
            finally:
                self._open.connection = None
                _end(connection, "COMMIT")

    @contextmanager
    def separate_connection(self, seconds: float = 30.0) -> Iterator[engine.Connection]:
        if self._pool is None:
            raise RuntimeError("the database is not open")
        with named(), pool.taken(self._pool) as connection:
            connection.execute(f"SET lock_timeout = {int(seconds * 1000)}")
            try:
                yield cast(engine.Connection, SeparateConnection(connection))
            finally:
                if not connection.closed:
                    connection.execute("RESET lock_timeout")

    @contextmanager
    def _outer_transaction(self, durable: bool, in_turn: bool) -> Iterator[None]:
        if self._pool is None:
            raise RuntimeError("the database is not open")
        after: list[Callable[[], None]] = []
        telling: list[Callable[[], None]] = []
        outer = self._open.connection  # of a snapshot
        with named(), pool.taken(self._pool) as connection:
            self._open.connection, self._open.after, self._open.telling = connection, after, telling
            self._open.queues = set()
            try:
                begin = _BEGIN + ("" if durable else _NOT_DURABLE) + (_IN_TURN if in_turn else "")
                self._open.versions = _begun(connection.execute(begin + _VERSIONS))
                yield
                self._commit(connection)
            except BaseException:
                _end(connection, "ROLLBACK")
                raise
            finally:
                self._open.connection, self._open.after, self._open.versions = outer, None, None
        for call in (*telling, *after):
            call()

    def reserve(self, subject: str, waits: bool) -> bool:
        if waits:
            self.execute(_RESERVE, (migrating.WRITERS, subject))
            return True
        found = self.row(_TRY_TO_RESERVE, (migrating.WRITERS, subject))
        return bool(found and found[0])

    def _writing(self) -> Writing | None:
        """Return this thread's transaction for the caches."""
        if self._open.connection is None or self._open.versions is None:
            return None
        return self._open.connection, self._open.versions

    def _commit(self, connection: Connection) -> None:
        """Commit. Error: a statement failed, whose exception was suppressed;
        PostgreSQL would roll back without a word.
        """
        if connection.info.transaction_status == TransactionStatus.INERROR:
            raise psycopg.errors.InFailedSqlTransaction(
                "a statement of this transaction failed: it is rolled back"
            )
        if self._open.queues:
            queue_jobs.defer(connection, sorted(self._open.queues))
        connection.execute("COMMIT")


@functools.lru_cache(maxsize=4)
def _place_of(data_dir: Path) -> str:
    """Return what names a data directory on its machine among all machines."""
    return hashlib.sha256(f"{socket.gethostname()}:{data_dir.resolve()}".encode()).hexdigest()[:12]


def _begun(cursor: psycopg.Cursor[values.Row]) -> dict[str, int]:
    """Return the versions of the caches, which are the last result of what began a transaction."""
    while cursor.nextset():
        pass
    return dict(cursor.fetchall())


def _end(connection: Connection, statement: str) -> None:
    if not connection.closed:
        connection.execute(statement)
