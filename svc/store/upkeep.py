"""Maintenance of the open database's file: integrity check, free pages, write-ahead log.

PostgreSQL sees to its own.
"""

import time
from dataclasses import dataclass

from svc.store.database import Connection, db
from svc.store.sqlite.engine import SqliteEngine

_BUSY = 0.02  # seconds for which SQLite itself waits for a process that uses the log
_PAUSE = 0.2  # seconds until the next attempt


@dataclass(frozen=True)
class Size:
    """Bytes: of the database, of what it reuses before it grows, and of its write-ahead log."""

    database: int
    free: int
    log: int


def measure_database(connection: Connection) -> Size:
    """Return the size of the open database, asked over ``connection``."""
    if not isinstance(db, SqliteEngine):
        return Size(
            connection.execute("SELECT pg_database_size(current_database())").fetchone()[0], 0, 0
        )
    names = ("page_count", "page_size", "freelist_count")
    pages, page_size, free = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names)
    log = db.path().with_name(db.path().name + "-wal")
    return Size(pages * page_size, free * page_size, log.stat().st_size if log.exists() else 0)


def find_damage() -> str | None:
    """Return a description of damage to the database file; None if there is none.

    Error: the file cannot be read.
    """
    if not isinstance(db, SqliteEngine):
        return None
    with db.separate_connection() as connection:
        answer: str = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    return None if answer == "ok" else answer


def overwrite_deleted() -> None:
    """Overwrite in the file all data that this process deletes from now on."""
    if not isinstance(db, SqliteEngine):
        return
    with db.snapshot():
        db.peewee_database.connection().execute("PRAGMA secure_delete = on")


def checkpoint(patience: float = 45.0) -> bool:
    """Checkpoint and truncate the write-ahead log, in attempts too short to delay others; return
    whether that succeeded.

    ``patience``: seconds. The process that sends commits to the backups releases an idle log after
    30 s.
    """
    if not isinstance(db, SqliteEngine):
        return True
    until = time.monotonic() + patience
    with db.separate_connection(_BUSY) as connection:
        while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            if time.monotonic() > until:
                return False
            time.sleep(_PAUSE)
    return True


def return_free_pages(most: int) -> int:
    """Return at most ``most`` free pages to the disk in one short transaction;
    return how many are still free.
    """
    if not isinstance(db, SqliteEngine):
        return 0
    with db.snapshot():
        connection = db.peewee_database.connection()
        connection.execute(f"PRAGMA incremental_vacuum({most:d})").fetchall()
        left: int = connection.execute("PRAGMA freelist_count").fetchone()[0]
        return left


def measure_free_share() -> float:
    """Return the share of free pages in the database, 0 to 1."""
    if not isinstance(db, SqliteEngine):
        return 0.0
    with db.snapshot():
        connection = db.peewee_database.connection()
        pages: int = connection.execute("PRAGMA page_count").fetchone()[0]
        free: int = connection.execute("PRAGMA freelist_count").fetchone()[0]
    return free / pages
