"""What the processes of one data directory share, in tables of the database, as on PostgreSQL: the
plain way that svc.store.engine.shared_memory is measured against.

A request counts in a transaction, and a cache asks a table for the version of what it holds.
Instants of damage and failures stay in memory.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from svc.store.database import db
from svc.store.engine.invalidation import CHANGES
from svc.store.engine.shared_memory import COUNTERS, KINDS, SharedMemory
from svc.store.engine.sqlite_driver import sqlite3

_TABLES = """
    CREATE TABLE IF NOT EXISTS bench_places (owner TEXT PRIMARY KEY, cells BLOB NOT NULL)
        STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS bench_numbers (name TEXT PRIMARY KEY, number INTEGER NOT NULL)
        STRICT, WITHOUT ROWID;
"""
_NAMES = ("requests", "events", *KINDS)
_NUMBER = "SELECT number FROM bench_numbers WHERE name = ?"
_COUNT = "UPDATE bench_numbers SET number = number + 1 WHERE name = ?"
_AFTER = "UPDATE bench_numbers SET number = max(number, ?) WHERE name = 'requests'"
_PLACE = "SELECT cells FROM bench_places WHERE owner = ?"
_TAKE = "INSERT OR IGNORE INTO bench_places (owner, cells) VALUES (?, ?)"
_KEEP = "UPDATE bench_places SET cells = ? WHERE owner = ?"
TRIGGERS = "".join(
    f"CREATE TEMP TRIGGER {kind}_{number} AFTER {change} BEGIN "
    f"SELECT changes_something({KINDS.index(kind)}); "
    f"UPDATE bench_numbers SET number = number + 1 WHERE name = '{kind}'; END;\n"
    for kind, changes in CHANGES.items()
    for number, change in enumerate(changes)
)


class _Mine(threading.local):
    """The places that this thread has asked for."""

    def __init__(self):
        self.places: dict[str, bytearray] = {}


class SharedTable(SharedMemory):
    """The methods of :class:`svc.store.engine.shared_memory.SharedMemory`, by tables."""

    def __init__(self, path: Path):
        super().__init__(path)
        self._mine = _Mine()
        with closing(sqlite3.connect(path.with_name("service.db"))) as connection:
            connection.executescript(_TABLES)
            connection.executemany(
                "INSERT OR IGNORE INTO bench_numbers VALUES (?, 0)", [(name,) for name in _NAMES]
            )
            connection.commit()

    @contextmanager
    def lock(self) -> Iterator[None]:
        with db.transaction(durable=False):
            before = {owner: self._load(owner) for owner in self._mine.places}
            yield
            for owner, cells in self._mine.places.items():
                if before.get(owner) != bytes(cells):
                    db.execute(_KEEP, (bytes(cells), owner))

    def _load(self, owner: str) -> bytes:
        row = db.row(_PLACE, (owner,))
        self._mine.places[owner][:] = row[0]
        return bytes(row[0])

    def find_counters(self, owner: str) -> memoryview | None:
        row = db.row(_PLACE, (owner,))
        self._mine.places = {} if row is None else {owner: bytearray(row[0])}
        return None if row is None else self._view(owner)

    def take_counters(self, owner: str, fill: Callable[[memoryview], None]) -> memoryview:
        if owner not in self._mine.places:
            self._mine.places[owner] = bytearray(COUNTERS * 8)
            if db.execute(_TAKE, (owner, bytes(COUNTERS * 8))):
                fill(self._view(owner))
            else:
                self._load(owner)
        return self._view(owner)

    def _view(self, owner: str) -> memoryview:
        return memoryview(self._mine.places[owner]).cast("q")

    def number_request(self) -> int:
        db.execute(_COUNT, ("requests",))
        return db.row(_NUMBER, ("requests",))[0]

    def number_requests_after(self, last: int) -> None:
        with db.transaction(durable=False):
            db.execute(_AFTER, (last,))

    def version(self, kind: int) -> int | None:
        if db.in_transaction() and kind in db._open.changes:
            return None  # what it changed may be undone
        return db.row(_NUMBER, (KINDS[kind],))[0]

    def begin_change(self, kind: int) -> int:
        return 0  # the trigger counts

    def end_change(self, kind: int, number: int) -> None:
        pass

    def record_events(self) -> None:
        with db.transaction(durable=False):
            db.execute(_COUNT, ("events",))

    def read_events_version(self) -> int:
        return db.row(_NUMBER, ("events",))[0]
