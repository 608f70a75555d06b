"""The one SQLite database: a connection that stays open, short immediate transactions, shared fsyncs."""

import functools
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any, TypeAlias, TypeVar

from svc.base import outage
from svc.store import schema
from svc.store.invalidation import TRIGGERS
from svc.store.shared_memory import SharedMemory
from svc.store.sqlite import SqliteDatabase, sqlite3
from svc.store.wal import Checkpointer, SharedSync

_PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "normal",  # durable commits wait for SharedSync besides
    "foreign_keys": 1,
    "busy_timeout": 30_000,
    "cache_size": -16_384,
    "wal_autocheckpoint": 50_000,  # pages: only where Checkpointer, which does it off the path of requests, is not enough
    # Bytes to which the WAL is cut when it begins anew: not in ordinary work, since an fsync of a file that does not grow
    # takes half the time.
    "journal_size_limit": 48 * 1024 * 1024,
}
_BUSY = 20  # ms in which SQLite itself waits for another process that writes, once the database is open
_LOOK_EVERY = 0.002  # seconds until it is asked again, after others of this process had their turn
_PATIENCE = 5.0  # seconds until the database counts as locked
Row: TypeAlias = sqlite3.Row
Connection = sqlite3.Connection
Error = sqlite3.Error  # what any statement here may raise
Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any]
Columns: TypeAlias = Mapping[str, Any] | Row  # a row, or the same as a mapping of its columns
_Part = TypeVar("_Part")


class _Database(SqliteDatabase):
    """peewee's, whose rows know the names of their columns, and whose models wait for their turn like everybody.

    What a model's query finds is fetched later: fetch it all inside :func:`write` where other threads may be writing.
    """

    def _connect(self) -> sqlite3.Connection:
        if _sync:
            _sync.close()  # the WAL may be another file from now on
        connection = super()._connect()
        connection.row_factory = Row
        return connection

    def execute_sql(self, sql: str, params: Sequence[Any] | None = None) -> sqlite3.Cursor:
        with _connection_turn:
            return super().execute_sql(sql, params)


# One connection for all threads. A connection forgets the pages that it has read whenever another one writes, and each
# request writes; with a connection for each thread, every request read all of its pages from the file again.
database = _Database(None, pragmas=_PRAGMAS, thread_safe=False, check_same_thread=False)
_connection_turn = threading.RLock()  # whose turn it is on the connection: for one statement, or for a whole transaction
_open = threading.local()  # of this thread's transaction: .after, .telling, what to call; .changes: kind to number


_in_use: IO[str] | None = None
_sync: SharedSync | None = None
_others: int | None = None  # the last version of others' commits that is known to be on the disk
_checkpointer: Checkpointer | None = None
_shared: SharedMemory | None = None


def open_database(path: Path) -> None:
    """Use the database at ``path``, making it with its tables on the first start and migrating it after an upgrade.

    StartRefused: it is not one that this program can use.
    """
    global _in_use, _sync, _checkpointer, _others, _shared
    close_database()
    _others = None
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    _in_use = schema.prepare(path)
    database.init(str(path))
    _sync = SharedSync(path.with_name(path.name + "-wal"))
    _checkpointer = Checkpointer(path, _connection_turn)
    _shared = SharedMemory(path.with_name("shared"))
    database.connection().execute(f"PRAGMA busy_timeout = {_BUSY}")
    database.connection().create_function("changes_something", 1, _changes_something)
    database.connection().executescript(TRIGGERS)


def close_database() -> None:
    """Close the connection, and what fsyncs and checkpoints."""
    global _in_use, _sync, _checkpointer, _shared
    if _checkpointer:
        _checkpointer.close()
        _checkpointer = None
    with _connection_turn:  # no other thread is in the middle of something
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


def shared() -> SharedMemory:
    """The memory that the processes of the open database share."""
    return _opened(_shared)


def shared_if_open() -> SharedMemory | None:
    """The same; None: the database is not open."""
    return _shared


def _opened(part: _Part | None) -> _Part:
    """Return what :func:`open_database` made. RuntimeError: the database is not open."""
    if part is None:
        raise RuntimeError("the database is not open")
    return part


def rows(sql: str, parameters: Parameters = ()) -> list[Row]:
    """Every row of a constant statement; ``sqlite3`` compiles each text once per connection."""
    with _connection_turn:
        return database.connection().execute(sql, parameters).fetchall()


def row(sql: str, parameters: Parameters = ()) -> Row | None:
    """The first row, or None."""
    with _connection_turn:
        cursor = database.connection().execute(sql, parameters)
        found: Row | None = cursor.fetchone()
        cursor.close()  # ends the statement, and with it its read transaction, before the next one's turn
        return found


def one(sql: str, parameters: Parameters = ()) -> Row:
    """Return the row that a statement always has: a sum, a count, or what the schema promises. LookupError: there is none."""
    found = row(sql, parameters)
    if found is None:
        raise LookupError(f"no row for {sql}")
    return found


def execute(sql: str, parameters: Parameters = ()) -> int:
    """Run a statement inside :func:`write`; the number of rows that it changed."""
    if not in_transaction():
        raise RuntimeError("statements that change something belong inside write()")
    return database.connection().execute(sql, parameters).rowcount


def insert(table: str, row: dict[str, Any]) -> None:
    """Insert a row, whose keys are the names of columns, inside :func:`write`."""
    execute(_insertion(table, tuple(row)), tuple(row.values()))


@functools.lru_cache
def _insertion(table: str, columns: tuple[str, ...]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


def execute_many(sql: str, many: Iterable[Parameters]) -> None:
    """Run a statement inside :func:`write` for each of ``many`` parameter sets."""
    if not in_transaction():
        raise RuntimeError("statements that change something belong inside write()")
    database.connection().executemany(sql, many)


def turn() -> threading.RLock:
    """``with turn():`` several reads without giving others a turn between them. Never wait for anything inside: not for
    the network, and not for the disk (no durable write)."""
    return _connection_turn


def path() -> Path:
    """Where the open database is."""
    return Path(database.database)


@contextmanager
def beside(seconds: float = 30.0) -> Iterator[sqlite3.Connection]:
    """A connection of one's own, each statement a transaction: for questions that take long or must not wait in turn.

    ``seconds``: how long a statement waits for whoever is writing.
    """
    with closing(sqlite3.connect(path(), isolation_level=None, timeout=seconds)) as connection:
        connection.row_factory = Row
        yield connection


def _changes_something(kind: int) -> None:
    if not in_transaction():
        raise RuntimeError("what others remember is changed inside write()")
    if kind not in _open.changes:
        _open.changes[kind] = shared().begin_change(kind)


def in_transaction() -> bool:
    """Whether this thread is inside :func:`write`."""
    return getattr(_open, "after", None) is not None


@contextmanager
def write(durable: bool = True) -> Iterator[None]:
    """One immediate transaction; an exception undoes all of it. Inside another one it is part of that one.

    ``durable``: return only when the commit is on the disk, as whatever is reported to others must be."""
    global _others
    if in_transaction():
        yield
        return
    after: list[Callable[[], None]] = []
    telling: list[Callable[[], None]] = []
    changes: dict[int, int] = {}
    with _turn_to_write() as connection:
        sync, checkpointer = _opened(_sync), _opened(_checkpointer)
        _open.after, _open.telling, _open.changes = after, telling, changes
        try:
            yield
            others = _version(connection) if telling else None
            connection.execute("COMMIT")
            # In turn, so that nobody sees a commit without its promise.
            tells_now = telling and not sync.is_behind() and others == _others
            promised = sync.promise() if durable else 0
            checkpointer.committed()
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        finally:
            _open.after = None
            for kind, number in changes.items():
                shared().end_change(kind, number)
    if tells_now:
        _call(telling)
    if durable and after:
        sync.begin()
    _call(after)
    if durable:
        sync.wait(promised)
    if telling and not tells_now:
        _others = others
        _call(telling)


@contextmanager
def _turn_to_write() -> Iterator[sqlite3.Connection]:
    """A turn in which an immediate transaction has begun. While another process writes, the threads that only read have
    theirs. Error: somebody else keeps the database for longer than anybody should."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        with _connection_turn:
            connection = database.connection()
            try:
                connection.execute("BEGIN IMMEDIATE")
            except Error as failure:
                if outage.recognise(failure) is not outage.LOCKED or time.monotonic() > deadline:
                    raise
            else:
                yield connection
                return
        time.sleep(_LOOK_EVERY)


def _version(connection: sqlite3.Connection) -> int:
    """What moves whenever another process or connection commits."""
    version: int = connection.execute("PRAGMA data_version").fetchone()[0]
    return version


def _call(calls: list[Callable[[], None]]) -> None:
    for each in calls:
        each()


def tell(call: Callable[[], None]) -> None:
    """Call ``call``, which tells somebody of what the present transaction saw, as soon as all that it saw is on the disk:
    mostly that is before its own commit is. Never if it is undone. Inside write(), which is durable."""
    _open.telling.append(call)


def after_commit(call: Callable[[], None]) -> None:
    """Call ``call``, which tells nobody outside, once when the present transaction is committed, and while the disk is busy
    with it; never if it is undone."""
    if call not in _open.after:
        _open.after.append(call)
