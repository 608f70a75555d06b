"""The engine of SQLite: one connection that stays open, short immediate transactions, shared
fsyncs.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import IO, Any, TypeVar

import peewee

from svc.base import outage
from svc.base.errors import StartRefused
from svc.store.engine import compiling, schema
from svc.store.engine.engine import THREADS, Database, OpenTransaction, Parameters, Row
from svc.store.engine.invalidation import TRIGGERS
from svc.store.engine.shared_memory import SharedMemory
from svc.store.engine.sqlite_driver import SqliteDatabase, sqlite3
from svc.store.sqlite.commit_mark import CommitMark, require_newest
from svc.store.sqlite.wal import Checkpointer, SharedSync

_PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "normal",  # durable commits also wait for SharedSync
    "foreign_keys": 1,
    "busy_timeout": 30_000,
    "cache_size": -16_384,
    # pages: a fallback for Checkpointer, which runs in the background
    "wal_autocheckpoint": 50_000,
    # Bytes to which the WAL is truncated when it restarts. Ordinary work does not reach it, because
    # an fsync of a file that does not grow takes half the time.
    "journal_size_limit": 64 * 1024 * 1024,
}
# How many milliseconds SQLite itself waits for another process that writes, once the database is
# open.
_BUSY = 20
_LOOK_EVERY = 0.002  # seconds until the next attempt, so that other threads of this process can run
_PATIENCE = 5.0  # seconds until the database counts as locked
_Part = TypeVar("_Part")


class _PeeweeDatabase(SqliteDatabase):
    """peewee's database, with rows that can be accessed by column name.

    ``statements``: the cursor of the open connection. Whoever uses it has all rows of one statement
    before the next one: a cursor for each would cost as much as a small statement.
    """

    statements: sqlite3.Cursor
    sync: SharedSync | None = None

    def _connect(self) -> sqlite3.Connection:
        if self.sync:
            self.sync.close()  # the WAL may be a new file from now on
        connection = super()._connect()
        if self.sync:
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()  # SQLite opens the WAL
            self.sync.remember()
        connection.row_factory = Row
        self.statements = connection.cursor()
        return connection

    def open_statements(self) -> sqlite3.Cursor:
        """Return the cursor, of a new connection if there is none."""
        if self.is_closed():
            self.connect()
        return self.statements


class _Open(OpenTransaction):
    """This thread's transaction, with its cursor and the numbers of its changes by kind."""

    statements: sqlite3.Cursor | None = None
    changes: dict[int, int]


class SqliteEngine(Database):
    """The database of one machine, in a file."""

    TABLES = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
        "ORDER BY name"
    )
    COLUMNS = "SELECT name FROM pragma_table_info(?) ORDER BY cid"
    PRIMARY_KEY = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"
    REFERRED = 'SELECT DISTINCT "table" AS name FROM pragma_foreign_key_list(?)'

    # One connection for all threads. A connection discards its cached pages whenever another
    # connection writes, and each request writes; with one connection per thread, every request
    # would read all of its pages from the file again.
    peewee_database = _PeeweeDatabase(
        None, pragmas=_PRAGMAS, thread_safe=False, check_same_thread=False
    )
    turn = threading.RLock()  # held for one statement or one transaction on the connection

    _open = _Open()
    _in_use: IO[str] | None = None
    _sync: SharedSync | None = None
    # The last data version of other connections' commits that is known to be durable.
    _others: int | None = None
    _checkpointer: Checkpointer | None = None
    _mark: CommitMark | None = None
    _shared: SharedMemory | None = None

    def open(self, path: Path, address: str = "", threads: int = THREADS) -> None:
        self._others, self._path = None, path
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._in_use = schema.prepare(path)
        self.peewee_database.init(str(path))
        self._mark = CommitMark(path.parent)
        self._sync = SharedSync(path.with_name(path.name + "-wal"), self._mark)
        self.peewee_database.sync = self._sync
        self._checkpointer = Checkpointer(path, self.turn, self._mark)
        self._shared = SharedMemory(path.with_name("shared"))
        connection = self.peewee_database.connection()
        connection.execute(f"PRAGMA busy_timeout = {_BUSY}")
        connection.create_function("changes_something", 1, self._changes_something)
        connection.executescript(TRIGGERS)
        try:
            require_newest(path.parent, connection)
        except StartRefused:
            self.close()
            raise

    def close(self) -> None:
        """Close the connection, and end fsyncs and checkpoints."""
        if self._checkpointer:
            self._checkpointer.close()
            self._checkpointer = None
        with self.turn:  # no other thread is using the connection
            if not self.peewee_database.is_closed():
                self.peewee_database.close()
        if self._sync:
            self._sync.close()
            self._sync = self.peewee_database.sync = None
        if self._shared:
            self._shared.close()
            self._shared = None
        if self._in_use:
            self._in_use.close()
            self._in_use = None

    def require_same_files(self) -> None:
        if self._sync is not None:
            self._sync.require_same()

    def compiled(self, query: peewee.Node) -> tuple[str, list[str]]:
        return compiling.compile_for_sqlite(query)

    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        with self.turn:
            return self.peewee_database.open_statements().execute(sql, parameters).fetchall()

    def row(self, sql: str, parameters: Parameters = ()) -> Row | None:
        with self.turn:
            cursor = self.peewee_database.connection().execute(sql, parameters)
            first: Row | None = cursor.fetchone()
            # ends the statement and its read transaction before the lock is released
            cursor.close()
            return first

    def execute(self, sql: str, parameters: Parameters = ()) -> int:
        return self._writing_cursor().execute(sql, parameters).rowcount

    def execute_many(self, sql: str, many: Iterable[Parameters]) -> None:
        self._writing_cursor().executemany(sql, many)

    def _writing_cursor(self) -> sqlite3.Cursor:
        """Return the cursor of this thread's transaction. RuntimeError: it has none."""
        cursor = self._open.statements
        if cursor is None:
            raise RuntimeError("statements that change rows must run inside a transaction")
        return cursor

    def snapshot(self) -> AbstractContextManager[Any]:
        """Return the lock of the connection."""
        return self.turn

    @contextmanager
    def separate_connection(self, seconds: float = 30.0) -> Iterator[sqlite3.Connection]:
        with closing(
            sqlite3.connect(self._path, isolation_level=None, timeout=seconds)
        ) as connection:
            connection.row_factory = Row
            yield connection

    def _changes_something(self, kind: int) -> None:
        if not self.in_transaction():
            raise RuntimeError("rows that caches hold must be changed inside a transaction")
        if kind not in self._open.changes:
            self._open.changes[kind] = _require_open(self._shared).begin_change(kind)

    def _outer_transaction(
        self, durable: bool, in_turn: bool, partner: str | None, moment: float | None
    ) -> "Transaction":
        return Transaction(self, durable)


def _require_open(part: _Part | None) -> _Part:
    """Return a part of an open database. RuntimeError: it is not open."""
    if part is None:
        raise RuntimeError("the database is not open")
    return part


class Transaction:
    """An immediate transaction, which an exception rolls back.

    It is a class, as a generator costs each request a dozen calls more.
    """

    __slots__ = (
        "_after",
        "_changes",
        "_checkpointer",
        "_durable",
        "_ending",
        "_engine",
        "_mark",
        "_open",
        "_statements",
        "_sync",
        "_telling",
    )

    def __init__(self, engine: SqliteEngine, durable: bool):
        self._engine, self._durable = engine, durable

    def __enter__(self) -> None:
        engine, self._open = self._engine, self._engine._open
        self._sync, self._mark = _require_open(engine._sync), _require_open(engine._mark)
        self._checkpointer = _require_open(engine._checkpointer)
        self._after: list[Callable[[], None]] = []
        self._telling: list[Callable[[], None]] = []
        self._ending: list[Callable[[], None]] = []
        self._changes: dict[int, int] = {}
        self._statements = _begin_immediate(engine)
        here = self._open
        here.after, here.telling, here.changes = self._after, self._telling, self._changes
        here.ending = self._ending
        here.statements = self._statements

    def __exit__(self, kind: object, failure: BaseException | None, traceback: object) -> None:
        try:
            try:
                done = self._commit() if failure is None else None
            finally:
                self._end()
        finally:
            self._engine.turn.release()
        if done is not None:
            self._report(*done)

    def _commit(self) -> tuple[int, int | None, bool]:
        """Commit; return the number of the promised sync, the version of the data and whether to
        report it now.
        """
        _call_each(self._ending)
        statements, sync, telling = self._statements, self._sync, self._telling
        number = self._mark.number(statements) if self._durable else 0
        others = _version(statements) if telling else None
        statements.execute("COMMIT")
        # While the lock is held, so that no thread sees a commit before it is registered for the
        # next fsync.
        tells_now = bool(telling) and not sync.is_behind() and others == self._engine._others
        self._mark.record_commit(number)
        promised = sync.promise() if self._durable else 0
        self._checkpointer.count_commit()
        return promised, others, tells_now

    def _end(self) -> None:
        """Roll back what was not committed, and let the caches be filled again."""
        try:
            if self._statements.connection.in_transaction:
                self._statements.execute("ROLLBACK")
        finally:
            self._open.statements = self._open.after = None
            for kind, number in self._changes.items():
                _require_open(self._engine._shared).end_change(kind, number)

    def _report(self, promised: int, others: int | None, tells_now: bool) -> None:
        if self._durable:
            self._sync.start()
        if tells_now:
            _call_each(self._telling)
        _call_each(self._after)
        if self._durable:
            self._sync.wait(promised)
        if self._telling and not tells_now:
            self._engine._others = others
            _call_each(self._telling)


def _begin_immediate(engine: SqliteEngine) -> sqlite3.Cursor:
    """Acquire the lock of the connection, which the caller releases, and begin an immediate
    transaction.

    While another process writes, the lock is released between attempts, so that other threads can
    read. Error: another process keeps the database locked for too long.
    """
    deadline = time.monotonic() + _PATIENCE
    while True:
        engine.turn.acquire()
        try:
            statements = engine.peewee_database.open_statements()
            statements.execute("BEGIN IMMEDIATE")
        except BaseException as failure:
            engine.turn.release()
            is_locked = (
                isinstance(failure, Database.Error) and outage.recognise(failure) is outage.LOCKED
            )
            if not is_locked or time.monotonic() > deadline:
                raise
        else:
            return statements
        time.sleep(_LOOK_EVERY)


def _version(statements: sqlite3.Cursor) -> int:
    """Return a number that changes whenever another process or connection commits."""
    [(version,)] = statements.execute("PRAGMA data_version").fetchall()
    return int(version)


def _call_each(calls: list[Callable[[], None]]) -> None:
    for call in calls:
        call()
