"""What the processes of all machines share, in tables: the places of partners, numbers of requests,
versions of caches.

Exact and simple; each call asks the database.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from svc.store.engine.shared_memory import COUNTERS, KINDS, SharedMemory
from svc.store.postgres import pool
from svc.store.postgres.failures import translate_errors

_LOCK_PLACE = "SELECT cells FROM service.places WHERE owner = %s FOR UPDATE"
_KEEP_PLACE = "UPDATE service.places SET cells = %s WHERE owner = %s"
_TAKE_PLACE = "INSERT INTO service.places (owner, cells) VALUES (%s, %s) ON CONFLICT DO NOTHING"
_NUMBER_AFTER = """
    SELECT setval('service.request_numbers', %s) FROM service.request_numbers WHERE last_value < %s
    OR NOT is_called
"""
# The number of changes of a kind, with what this transaction has changed, as
# svc.store.postgres.invalidation notes it.
_VERSION = (
    "SELECT number, current_setting('svc.changed', true) FROM service.changes WHERE kind = %s"
)
# A transaction that writes: its connection, and the versions of the caches, by kind, before it
# changed anything.
Writing = tuple[Any, dict[str, int]]


class _Mine(threading.local):
    """The places that this thread has asked for, and its connection while it has the turn."""

    def __init__(self) -> None:
        self.places: dict[str, bytearray] = {}
        self.connection: Any = None


class SharedTables:
    """The counterpart of :class:`svc.store.engine.shared_memory.SharedMemory`, which describes the
    methods.

    Damage and failures of a disk concern one machine, and stay in its memory.
    """

    def __init__(self, path: Path, connections: pool.Pool, writing: Callable[[], Writing | None]):
        """``writing``: this thread's transaction; None: it has none."""
        self._pool, self._writing = connections, writing
        self._machine = SharedMemory(path)
        self._mine = _Mine()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the rows of the places that this thread has asked for, and bring them up to date."""
        mine = self._mine
        with (
            translate_errors(),
            pool.borrow_connection(self._pool) as connection,
            connection.transaction(),
        ):
            mine.connection = connection
            try:
                before = {owner: self._load_place(owner) for owner in sorted(mine.places)}
                yield
                for owner, cells in mine.places.items():
                    if before.get(owner) != bytes(cells):
                        connection.execute(_KEEP_PLACE, (bytes(cells), owner))
            finally:
                mine.connection = None

    def _load_place(self, owner: str) -> bytes | None:
        row = self._mine.connection.execute(_LOCK_PLACE, (owner,)).fetchone()
        if row is not None:
            self._mine.places[owner][:] = row[0]
        return None if row is None else bytes(row[0])

    def find_counters(self, owner: str) -> memoryview | None:
        row = self._ask_database("SELECT cells FROM service.places WHERE owner = %s", owner)
        self._mine.places = {} if row is None else {owner: bytearray(row[0])}
        return None if row is None else self._view_place(owner)

    def take_counters(self, owner: str, fill: Callable[[memoryview], None]) -> memoryview:
        mine = self._mine
        if owner not in mine.places:
            mine.places[owner] = bytearray(COUNTERS * 8)
            if mine.connection.execute(_TAKE_PLACE, (owner, bytes(COUNTERS * 8))).rowcount:
                fill(self._view_place(owner))
            else:
                self._load_place(owner)
        return self._view_place(owner)

    def _view_place(self, owner: str) -> memoryview:
        return memoryview(self._mine.places[owner]).cast("q")

    def number_request(self) -> int:
        return int(self._ask_database("SELECT nextval('service.request_numbers')")[0])

    def number_requests_after(self, last: int) -> None:
        self._ask_database(_NUMBER_AFTER, last, last)

    def version(self, kind: int) -> int | None:
        own = self._writing()
        if own is None:
            return int(self._ask_database(_VERSION, KINDS[kind])[0])
        connection, before = own
        now, changed = connection.execute(_VERSION, (KINDS[kind],)).fetchone()
        if now != before[KINDS[kind]] or KINDS[kind] in (changed or "").split():
            return None  # what it changed may be undone
        return int(now)

    def record_events(self) -> None:
        self._ask_database("SELECT nextval('service.event_changes')")

    def read_events_version(self) -> int:
        return int(
            self._ask_database(
                "SELECT last_value + CAST(is_called AS integer) FROM service.event_changes"
            )[0]
        )

    def _ask_database(self, sql: str, *parameters: Any) -> Any:
        if self._mine.connection is not None:
            return self._mine.connection.execute(sql, parameters).fetchone()
        with translate_errors(), pool.borrow_connection(self._pool) as connection:
            return connection.execute(sql, parameters).fetchone()

    def note_damage(self, now: int) -> None:
        self._machine.note_damage(now)

    def note_failing(self, now: int) -> None:
        self._machine.note_failing(now)

    @property
    def damaged_at(self) -> int:
        return self._machine.damaged_at

    @property
    def failing_at(self) -> int:
        return self._machine.failing_at

    def close(self) -> None:
        """Close the connections, and release what belongs to this machine."""
        self._pool.close()
        self._machine.close()
