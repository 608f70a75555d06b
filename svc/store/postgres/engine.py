"""The engine of PostgreSQL: connections from a pool, and turns of writers over all machines.

Locks are taken in one order. A transaction of one partner takes the lock of that partner, then
:data:`~svc.store.postgres.migrating.WRITERS` as one of several, and then rows. One in turn takes
``NEXT``, then ``WRITERS`` alone, and then rows: it excludes all partners' transactions, so that
only what is declared as a partner's has to be safe beside those of others. One of several partners
takes those of their locks that are free, without waiting, and then goes on as one of one partner.
One that takes no turn takes at most what it reserves, and then rows. The last lock of all is that
of ``before_commit``, which no transaction has for longer than its last statements take.

Whoever waits for ``WRITERS`` alone makes all wait that come after it. So it waits for a moment,
lets them pass, and tries again: a partner's transaction that hangs keeps those in turn waiting
until PostgreSQL ends it, but no other partner's. ``NEXT`` lets one of them try at a time.
"""

import functools
import hashlib
import itertools
import logging
import socket
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import cast

import peewee
import psycopg
from psycopg.pq import TransactionStatus

from svc.store.engine import compiling, engine
from svc.store.engine.jobs import JobCount, ListedJob, Periodic, Ready, Service
from svc.store.engine.schema import require_restored
from svc.store.postgres import jobs as queue_jobs
from svc.store.postgres import keepalives, migrating, pool, schema, values
from svc.store.postgres.execution import Compiled, Connection, Parameters, order_values, run
from svc.store.postgres.failures import translate_errors
from svc.store.postgres.shared import SharedTables, Writing
from svc.store.postgres.turns import Turns

_PATIENCE = 5.0  # seconds until the database counts as locked
_SOON = 3  # seconds, for a process that is about to end
# The turns of svc.store.postgres.turns: of a transaction that is alone, and of one of several
# partners.
_ALL, _SEVERAL = "all", "several"
# Connections where few threads use them: a snapshot may hold one while it takes another.
_FEWEST = 3
# Threads for each connection by which they ask for places and caches: a statement each.
_THREADS_A_SHARED_CONNECTION = 4
_NEXT = f"SELECT pg_advisory_xact_lock({migrating.NEXT}); SAVEPOINT next; "
_ALONE = f"SELECT pg_advisory_xact_lock({migrating.WRITERS}); RELEASE SAVEPOINT next; "
_ONE_OF_SEVERAL = f"SELECT pg_advisory_xact_lock_shared({migrating.WRITERS}); "
# Seconds that one who is next waits, and then lets others pass: more and more, so that many short
# transactions do not keep it waiting for ever.
_MOMENTS = (0.05, 0.1, 0.2, 0.4)
# Two subjects with one hash, or two partners, wait for each other, which does no harm.
_RESERVE = "SELECT pg_advisory_xact_lock(CAST(%s AS integer), hashtext(%s))"
_TRY_TO_RESERVE = "SELECT pg_try_advisory_xact_lock(CAST(%s AS integer), hashtext(%s))"
_END = "the end"  # the subject of those that make changes before their commit
_NOT_DURABLE = "SET LOCAL synchronous_commit = off; "
_VERSIONS = "SELECT kind, number FROM service.changes"

log = logging.getLogger("svc.database")


class _Open(engine.OpenTransaction):
    """What this thread has open: its connection inside transaction() and snapshot(),
    and the callbacks of its transaction.
    """

    connection: Connection | None = None
    # The statements that run with the commit; the next field says whether those that come now are
    # such.
    last: list[tuple[str, Parameters]]
    is_at_commit: bool = False
    # The queues in which jobs are deferred with the commit.
    queues: set[str]
    # The versions of the caches before this transaction changed anything.
    versions: dict[str, int] | None = None


def compile_query(query: peewee.Node) -> tuple[str, list[str]]:
    sql, names = compiling.compile_for_postgres(query)
    return Compiled(sql, tuple(names)), names


class SeparateConnection:
    """A connection for svc.store.queries. ``compiled``: writes the SQL of a query."""

    compiled = staticmethod(compile_query)

    def __init__(self, connection: Connection):
        self._connection = connection

    def execute(self, sql: str, parameters: Parameters = ()) -> psycopg.Cursor[values.Row]:
        with translate_errors():
            return run(self._connection, sql, parameters)


@contextmanager
def connect_apart(address: str) -> Iterator[SeparateConnection]:
    """Yield a connection that is none of a pool's, each statement of which ends soon."""
    seconds = {"connect_timeout": _SOON, **keepalives.OURS}
    with (
        translate_errors(),
        psycopg.connect(
            address, autocommit=True, row_factory=values.row_factory, **seconds
        ) as connection,
    ):
        connection.execute(f"SET statement_timeout = '{_SOON}s'")
        connection.execute(schema.SEARCH_PATH)
        yield SeparateConnection(connection)


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
    _pool: pool.Pool | None = None
    _shared: SharedTables | None = None
    _turns: Turns

    compiled = staticmethod(compile_query)

    def open(self, path: Path, address: str = "", threads: int = engine.THREADS) -> None:
        """Open the database at ``address`` for the data directory of ``path``; create its tables
        on the first start. It has as many connections as ``threads``, and a few more, at most.

        StartRefused: this program cannot use the database.
        """
        require_restored(path.parent)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        schema.prepare(address)
        self._path, self._address = path, address
        many = max(_FEWEST, threads)
        self._pool, self._turns = pool.Pool(address, "tables", many), Turns(many)
        # A pool of their own: a thread that has a connection of the first may wait for one of
        # these, and never the other way round.
        few = max(1, many // _THREADS_A_SHARED_CONNECTION)
        connections = pool.Pool(address, "shared", few)
        self._shared = SharedTables(path.with_name("shared"), connections, self._writing)

    def close(self) -> None:
        if self._shared:
            self._shared.close()
            self._shared = None
        if self._pool:
            self._pool.close()
            self._pool = None

    def clock(self) -> int:
        row = self.row("SELECT CAST(1000 * EXTRACT(epoch FROM clock_timestamp()) AS bigint)")
        return int(row[0]) if row else 0

    def place(self) -> str:
        return f"{_place_of(self._path.parent)}:"

    def jobs(
        self,
        periodic: Sequence[Periodic],
        services: Sequence[Service] = (),
        ready: Ready | None = None,
    ) -> queue_jobs.Jobs:
        return queue_jobs.Jobs(self._address, periodic, services, ready)

    def count_jobs(self) -> list[JobCount]:
        with self.connected() as connection:
            return queue_jobs.count_jobs(connection)

    def list_jobs(self) -> list[ListedJob]:
        with self.connected() as connection:
            return queue_jobs.list_jobs(connection)

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
        with translate_errors():
            if self._open.connection is not None:
                yield self._open.connection
            elif self._pool is None:
                raise RuntimeError("the database is not open")
            else:
                with pool.borrow_connection(self._pool) as connection:
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
        if self._open.is_at_commit:
            self._open.last.append((sql, parameters))
            return 0
        with self.connected() as connection:
            return run(connection, sql, parameters).rowcount

    def execute_many(self, sql: str, many: Iterable[Parameters]) -> None:
        if not self.in_transaction():
            raise RuntimeError("statements that change rows must run inside a transaction")
        if self._open.is_at_commit:
            self._open.last += [(sql, each) for each in many]
            return
        with self.connected() as connection:
            connection.cursor().executemany(sql, [order_values(sql, each) for each in many])

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
                _end_transaction(connection, "COMMIT")

    @contextmanager
    def separate_connection(self, seconds: float = 30.0) -> Iterator[engine.Connection]:
        if self._pool is None:
            raise RuntimeError("the database is not open")
        with translate_errors(), pool.borrow_connection(self._pool) as connection:
            connection.execute(f"SET lock_timeout = {int(seconds * 1000)}")
            try:
                yield cast(engine.Connection, SeparateConnection(connection))
            finally:
                if not connection.closed:
                    connection.execute("RESET lock_timeout")

    @contextmanager
    def _outer_transaction(
        self, durable: bool, in_turn: bool, partner: str | None, moment: float | None
    ) -> Iterator[None]:
        turn: AbstractContextManager[None] = nullcontext()
        if partner is not None:
            turn = self._turn(partner, moment)
        elif in_turn:
            turn = self._turn(_ALL, None)
        with self._in_transaction(turn) as connection:
            statements = _make_start(durable)
            if partner is not None:
                self._open.versions = _begin_of_partner(connection, statements, partner, moment)
                self._open.partners = frozenset((partner,))
            elif in_turn:
                self._open.versions = _begin_alone(connection, statements + _NEXT)
            else:
                self._open.versions = _begin_transaction(connection, statements)
            yield

    @contextmanager
    def _outer_transaction_of_free(self, partners: Collection[str]) -> Iterator[frozenset[str]]:
        with self._in_transaction(self._turn(_SEVERAL, None)) as connection:
            self._open.versions, free = _begin_of_free(connection, partners)
            self._open.partners = free
            yield free

    @contextmanager
    def _in_transaction(self, turn: AbstractContextManager[None]) -> Iterator[Connection]:
        """Yield a connection to the block, which begins a transaction, and commit that."""
        if self._pool is None:
            raise RuntimeError("the database is not open")
        after: list[Callable[[], None]] = []
        telling: list[Callable[[], None]] = []
        outer = self._open.connection  # of a snapshot
        with translate_errors(), turn, pool.borrow_connection(self._pool) as connection:
            self._open.connection, self._open.after, self._open.telling = connection, after, telling
            self._open.queues, self._open.partners, self._open.last = set(), None, []
            self._open.ending = []
            try:
                yield connection
                self._commit(connection)
            except BaseException:
                _end_transaction(connection, "ROLLBACK")
                raise
            finally:
                self._open.connection, self._open.after, self._open.versions = outer, None, None
                self._open.partners = None
        for call in (*telling, *after):
            call()

    @contextmanager
    def _turn(self, turn: str, moment: float | None) -> Iterator[None]:
        """Leave connections to others while this transaction waits. Busy: see ``transaction``."""
        with ExitStack() as admitted:
            try:
                patience = _PATIENCE if moment is None else moment
                admitted.enter_context(self._turns.admit(turn, patience))
            except psycopg.errors.LockNotAvailable as failed:
                if moment is None:
                    raise
                raise engine.Busy(turn) from failed
            yield

    def change_shared(self, change: Callable[[], bool]) -> None:
        if self._open.partners is None:
            while not change():  # beside it, only what is done apart changes it
                pass
        elif self._open.after is not None:
            self._open.after.append(functools.partial(self._change_apart, change))

    def _change_apart(self, change: Callable[[], bool]) -> None:
        """Run statements that are each a transaction of its own, until ``change`` succeeds.

        What failed is only logged: that after which it runs is committed.
        """
        if self._pool is None:
            raise RuntimeError("the database is not open")
        outer = self._open.connection  # of a snapshot
        try:
            with translate_errors(), pool.borrow_connection(self._pool) as connection:
                self._open.connection, self._open.after = connection, []
                while not change():
                    pass
        except self.Error as failure:
            log.warning("what was learnt is lost: %s", failure)
        finally:
            self._open.connection, self._open.after = outer, None

    @contextmanager
    def at_commit(self) -> Iterator[None]:
        self._open.is_at_commit = True
        try:
            yield
        finally:
            self._open.is_at_commit = False

    def reserve(self, subject: str, waits: bool) -> bool:
        if waits:
            self.execute(_RESERVE, (migrating.WRITERS, subject))
            return True
        row = self.row(_TRY_TO_RESERVE, (migrating.WRITERS, subject))
        return bool(row and row[0])

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
        if self._open.ending:
            self.reserve(_END, waits=True)
            for call in self._open.ending:
                call()
        connection.execute(_build_commit(connection, self._open.last) + "COMMIT")


@functools.lru_cache(maxsize=4)
def _place_of(data_dir: Path) -> str:
    """Return what names a data directory on its machine among all machines."""
    return hashlib.sha256(f"{socket.gethostname()}:{data_dir.resolve()}".encode()).hexdigest()[:12]


def _make_start(durable: bool) -> str:
    """Return the statements with which every transaction starts."""
    return f"BEGIN; {_make_lock_timeout(_PATIENCE)}" + ("" if durable else _NOT_DURABLE)


def _begin_transaction(connection: Connection, statements: str) -> dict[str, int]:
    """Begin a transaction, and return the versions of the caches."""
    cursor = connection.execute(statements + _VERSIONS)
    while cursor.nextset():
        pass
    return dict(cursor.fetchall())


def _begin_alone(connection: Connection, statements: str) -> dict[str, int]:
    """Begin a transaction that is alone of all in turn and of all partners', and return the same.

    ``statements``: end with those of :data:`_NEXT`.
    """
    until = time.monotonic() + _PATIENCE
    for moment in itertools.chain(_MOMENTS, itertools.repeat(_MOMENTS[-1])):
        patience = _make_lock_timeout(min(moment, _PATIENCE))
        try:
            return _begin_transaction(
                connection, statements + patience + _ALONE + _make_lock_timeout(_PATIENCE)
            )
        except psycopg.errors.LockNotAvailable as failed:
            if time.monotonic() >= until:
                raise
            try:
                connection.execute("ROLLBACK TO SAVEPOINT next")
            except psycopg.errors.InvalidSavepointSpecification:
                raise failed from None  # it did not come to be the next one
        time.sleep(min(moment, _PATIENCE))
        statements = ""
    raise AssertionError("it never ends otherwise")


def _begin_of_partner(
    connection: Connection, statements: str, partner: str, moment: float | None
) -> dict[str, int]:
    """Begin a transaction of a partner, and return the same. Busy: see ``transaction``."""
    patience = "" if moment is None else _make_lock_timeout(min(moment, _PATIENCE))
    locks = _lock_of(partner) + _ONE_OF_SEVERAL
    try:
        return _begin_transaction(
            connection, statements + patience + locks + (patience and _make_lock_timeout(_PATIENCE))
        )
    except psycopg.errors.LockNotAvailable as failed:
        if moment is None:
            raise
        raise engine.Busy(partner) from failed


def _begin_of_free(
    connection: Connection, partners: Collection[str]
) -> tuple[dict[str, int], frozenset[str]]:
    """Begin a transaction of those of several partners whose lock is free, and return the versions
    of the caches, and those partners.
    """
    tries = ", ".join(
        f"pg_try_advisory_xact_lock({migrating.PARTNERS}, {_number_of(partner)})"
        for partner in partners
    )
    begin = f"{_make_start(durable=True)}SELECT {tries}; {_ONE_OF_SEVERAL}"
    cursor = connection.execute(begin + _VERSIONS)
    results = [each.fetchall() for each in cursor.results() if each.description]
    [are_free] = results[0]
    return dict(results[-1]), frozenset(
        partner for partner, is_free in zip(partners, are_free, strict=True) if is_free
    )


def _make_lock_timeout(seconds: float) -> str:
    """Return the statement that limits how long the transaction waits for a lock."""
    return f"SET LOCAL lock_timeout = {seconds * 1000:.0f}; "


def _lock_of(partner: str) -> str:
    """Return the statement that waits for a partner's turn."""
    return f"SELECT pg_advisory_xact_lock({migrating.PARTNERS}, {_number_of(partner)}); "


def _number_of(partner: str) -> int:
    """Return the number of a partner's lock. Two partners may have the same one."""
    digest = hashlib.blake2b(partner.encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big", signed=True)


def _build_commit(connection: Connection, last: Sequence[tuple[str, Parameters]]) -> str:
    """Return the statements that go before a commit in the same message, with their values."""
    if not last:
        return ""
    cursor = psycopg.ClientCursor(connection)
    texts = (cursor.mogrify(sql, order_values(sql, each)) for sql, each in last)
    return _make_lock_timeout(_MOMENTS[-1]) + "".join(f"{text}; " for text in texts)


def _end_transaction(connection: Connection, statement: str) -> None:
    if not connection.closed:
        connection.execute(statement)
