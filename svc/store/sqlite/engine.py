"""The engine of SQLite: one connection that stays open, short immediate transactions, shared
fsyncs.

:mod:`svc.store.database` describes the functions that all engines have.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any, TypeAlias, TypeVar

import peewee

from svc.base import outage
from svc.base.errors import StartRefused
from svc.store import compiling, schema
from svc.store.invalidation import TRIGGERS
from svc.store.jobs import JobCount, Periodic, Ready, Service
from svc.store.shared_memory import SharedMemory
from svc.store.sqlite import SqliteDatabase, sqlite3
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
    "journal_size_limit": 48 * 1024 * 1024,
}
# ms for which SQLite itself waits for another process that writes, once the database is open
_BUSY = 20
_LOOK_EVERY = 0.002  # seconds until the next attempt, so that other threads of this process can run
_PATIENCE = 5.0  # seconds until the database counts as locked
Row: TypeAlias = sqlite3.Row
Error = sqlite3.Error
Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any]
_Part = TypeVar("_Part")


class _Database(SqliteDatabase):
    """peewee's database, with rows that can be accessed by column name and with the lock of the
    shared connection.

    The rows of a model's query are fetched lazily: fetch all of them inside :func:`write` if other
    threads may write.
    """

    def _connect(self) -> sqlite3.Connection:
        if _sync:
            _sync.close()  # the WAL may be a new file from now on
        connection = super()._connect()
        if _sync:
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()  # SQLite opens the WAL
            _sync.remember()
        connection.row_factory = Row
        return connection

    def execute_sql(self, sql: str, params: Sequence[Any] | None = None) -> sqlite3.Cursor:
        with _connection_turn:
            return super().execute_sql(sql, params)


# One connection for all threads. A connection discards its cached pages whenever another connection
# writes, and each request writes; with one connection per thread, every request would read all of
# its pages from the file again.
database = _Database(None, pragmas=_PRAGMAS, thread_safe=False, check_same_thread=False)
_connection_turn = threading.RLock()  # held for one statement or one transaction on the connection


class _Open(threading.local):
    """This thread's transaction: its connection, callbacks, and the numbers of its changes by kind.

    None: it has none.
    """

    connection: sqlite3.Connection | None = None
    after: list[Callable[[], None]]
    telling: list[Callable[[], None]]
    changes: dict[int, int]


_open = _Open()


# What svc.store.catalog asks.
TABLES = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
)
COLUMNS = "SELECT name FROM pragma_table_info(?) ORDER BY cid"
PRIMARY_KEY = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"
REFERRED = 'SELECT DISTINCT "table" AS name FROM pragma_foreign_key_list(?)'

_path = Path()
_in_use: IO[str] | None = None
_sync: SharedSync | None = None
# the last data version of other connections' commits that is known to be durable
_others: int | None = None
_checkpointer: Checkpointer | None = None
_mark: CommitMark | None = None
_shared: SharedMemory | None = None


def open_database(path: Path) -> None:
    """Open the database at ``path``; create it on the first start and migrate it after an upgrade.

    StartRefused: this program cannot use the database.
    """
    global _in_use, _sync, _checkpointer, _others, _shared, _path, _mark
    close_database()
    _others, _path = None, path
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    _in_use = schema.prepare(path)
    database.init(str(path))
    _mark = CommitMark(path.parent)
    _sync = SharedSync(path.with_name(path.name + "-wal"), _mark)
    _checkpointer = Checkpointer(path, _connection_turn, _mark)
    _shared = SharedMemory(path.with_name("shared"))
    database.connection().execute(f"PRAGMA busy_timeout = {_BUSY}")
    database.connection().create_function("changes_something", 1, _changes_something)
    database.connection().executescript(TRIGGERS)
    try:
        require_newest(path.parent, database.connection())
    except StartRefused:
        close_database()
        raise


def close_database() -> None:
    """Close the connection, and end fsyncs and checkpoints."""
    global _in_use, _sync, _checkpointer, _shared
    if _checkpointer:
        _checkpointer.close()
        _checkpointer = None
    with _connection_turn:  # no other thread is using the connection
        if not database.is_closed():
            database.close()
    if _sync:
        _sync.close()
        _sync = None
    if _shared:
        _shared.close()
        _shared = None
    if _in_use:
        _in_use.close()
        _in_use = None


def require_same_files() -> None:
    """Raise an error if the files of the database were removed,
    moved or replaced below this process.
    """
    if _sync is not None:
        _sync.require_same()


def place() -> str:
    """No other machine has this database."""
    return ""


def jobs(periodic: Sequence[Periodic], services: Sequence[Service], ready: Ready | None) -> None:
    """No other process works on this database."""


def job_counts() -> list[JobCount]:
    return []


def clock() -> None:
    """The database is on this machine."""


def shared() -> SharedMemory | None:
    """Return the memory that the processes of the open database share;
    None if the database is not open.
    """
    return _shared


def _opened(part: _Part | None) -> _Part:
    """Return an object that :func:`open_database` created.

    RuntimeError: the database is not open.
    """
    if part is None:
        raise RuntimeError("the database is not open")
    return part


def compiled(query: peewee.Node) -> tuple[str, list[str]]:
    return compiling.for_sqlite(query)


def rows(sql: str, parameters: Parameters = ()) -> list[Row]:
    """Return all rows of a constant statement; ``sqlite3`` compiles each text
    once per connection.
    """
    with _connection_turn:
        return database.connection().execute(sql, parameters).fetchall()


def row(sql: str, parameters: Parameters = ()) -> Row | None:
    """Return the first row, or None."""
    with _connection_turn:
        cursor = database.connection().execute(sql, parameters)
        first: Row | None = cursor.fetchone()
        cursor.close()  # ends the statement and its read transaction before the lock is released
        return first


def execute(sql: str, parameters: Parameters = ()) -> int:
    """Run a statement inside :func:`write`, and return the number of rows that it changed."""
    return _to_write().execute(sql, parameters).rowcount


def execute_many(sql: str, many: Iterable[Parameters]) -> None:
    """Run a statement inside :func:`write` for each of ``many`` parameter sets."""
    _to_write().executemany(sql, many)


def _to_write() -> sqlite3.Connection:
    """Return the connection of this thread's transaction. RuntimeError: it has none."""
    connection = _open.connection
    if connection is None:
        raise RuntimeError("statements that change rows must run inside write()")
    return connection


def snapshot() -> threading.RLock:
    """Return the lock of the connection, for several reads without interruption: ``with
    snapshot():``.

    Never wait for the network or the disk while holding it; durable writes wait for the disk.
    """
    return _connection_turn


def path() -> Path:
    """Return the path of the open database."""
    return _path


@contextmanager
def separate_connection(seconds: float = 30.0) -> Iterator[sqlite3.Connection]:
    """Open a separate connection in autocommit mode, for queries that take long or must not wait
    for the lock.

    ``seconds``: how long a statement waits for another writer.
    """
    with closing(sqlite3.connect(path(), isolation_level=None, timeout=seconds)) as connection:
        connection.row_factory = Row
        yield connection


def _changes_something(kind: int) -> None:
    if not in_transaction():
        raise RuntimeError("rows that caches hold must be changed inside write()")
    if kind not in _open.changes:
        _open.changes[kind] = _opened(_shared).begin_change(kind)


def in_transaction() -> bool:
    """Return whether this thread is inside :func:`write`."""
    return _open.connection is not None


class Transaction:
    """The context manager of :func:`write`: an immediate transaction, which an exception rolls
    back.

    A nested one joins the outer one. It is a class, as a generator costs each request a dozen calls
    more.

    ``durable``: return only when the commit is on the disk, which is required for all that is
    reported to others.
    """

    __slots__ = (
        "_after",
        "_changes",
        "_checkpointer",
        "_connection",
        "_durable",
        "_is_outer",
        "_mark",
        "_sync",
        "_telling",
    )

    def __init__(self, durable: bool = True):
        self._durable = durable

    def __enter__(self) -> None:
        self._is_outer = _open.connection is None
        if not self._is_outer:
            return
        if _sync is None or _checkpointer is None or _mark is None:
            raise RuntimeError("the database is not open")
        self._sync, self._checkpointer, self._mark = _sync, _checkpointer, _mark
        self._after: list[Callable[[], None]] = []
        self._telling: list[Callable[[], None]] = []
        self._changes: dict[int, int] = {}
        self._connection = _begin()
        _open.after, _open.telling, _open.changes = self._after, self._telling, self._changes
        _open.connection = self._connection

    def __exit__(self, kind: object, failure: BaseException | None, traceback: object) -> None:
        if not self._is_outer:
            return
        try:
            try:
                done = self._commit() if failure is None else None
            finally:
                self._end()
        finally:
            _connection_turn.release()
        if done is not None:
            self._report(*done)

    def _commit(self) -> tuple[int, int | None, bool]:
        """Commit; return the number of the promised sync, the version of the data and whether to
        report it now.
        """
        connection, sync, telling = self._connection, self._sync, self._telling
        number = self._mark.number(connection) if self._durable else 0
        others = _version(connection) if telling else None
        connection.execute("COMMIT")
        # While the lock is held, so that no thread sees a commit before it is registered for the
        # next fsync.
        tells_now = bool(telling) and not sync.is_behind() and others == _others
        self._mark.committed(number)
        promised = sync.promise() if self._durable else 0
        self._checkpointer.committed()
        return promised, others, tells_now

    def _end(self) -> None:
        """Roll back what was not committed, and let the caches be filled again."""
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        finally:
            _open.connection = None
            for kind, number in self._changes.items():
                _opened(_shared).end_change(kind, number)

    def _report(self, promised: int, others: int | None, tells_now: bool) -> None:
        global _others
        if tells_now:
            _call(self._telling)
        _call(self._after)
        if self._durable:
            self._sync.wait(promised)
        if self._telling and not tells_now:
            _others = others
            _call(self._telling)


write = Transaction


def _begin() -> sqlite3.Connection:
    """Acquire the lock of the connection, which the caller releases, and begin an immediate
    transaction.

    While another process writes, the lock is released between attempts, so that other threads can
    read. Error: another process keeps the database locked for too long.
    """
    deadline = time.monotonic() + _PATIENCE
    while True:
        _connection_turn.acquire()
        try:
            connection = database.connection()
            connection.execute("BEGIN IMMEDIATE")
        except BaseException as failure:
            _connection_turn.release()
            is_locked = isinstance(failure, Error) and outage.recognise(failure) is outage.LOCKED
            if not is_locked or time.monotonic() > deadline:
                raise
        else:
            return connection
        time.sleep(_LOOK_EVERY)


def _version(connection: sqlite3.Connection) -> int:
    """Return a number that changes whenever another process or connection commits."""
    version: int = connection.execute("PRAGMA data_version").fetchone()[0]
    return version


def _call(calls: list[Callable[[], None]]) -> None:
    for call in calls:
        call()


def on_durable(call: Callable[[], None]) -> None:
    """Register a function that reports what the present transaction read, to be called inside a
    durable :func:`write`.

    It is called, unless the transaction is rolled back, as soon as all that it read is durable:
    usually before its own commit.
    """
    _open.telling.append(call)


def after_commit(call: Callable[[], None]) -> None:
    """Register a function, which reports nothing to others,
    to be called once after the commit of the present transaction.
    """
    if call not in _open.after:
        _open.after.append(call)


def announce(queue: Callable[[], str | None]) -> None:
    """Do nothing: no other machine has this database."""
