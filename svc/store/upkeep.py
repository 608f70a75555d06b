"""Maintenance of the open database's file: integrity check, free pages, write-ahead log."""

import time

from svc.store import database

_BUSY = 0.02  # seconds for which SQLite itself waits for a process that uses the log
_PAUSE = 0.2  # seconds until the next attempt


def damage() -> str | None:
    """Return a description of damage to the database file; None if there is none. Error: the file cannot be read."""
    with database.separate_connection() as connection:
        answer: str = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    return None if answer == "ok" else answer


def overwrite_deleted() -> None:
    """Overwrite in the file all data that this process deletes from now on."""
    with database.turn():
        database.database.connection().execute("PRAGMA secure_delete = on")


def checkpoint(patience: float = 45.0) -> bool:
    """Checkpoint and truncate the write-ahead log, in attempts too short to delay others; return whether that succeeded.

    ``patience``: seconds. The process that sends commits to the backups releases an idle log after 30 s.
    """
    until = time.monotonic() + patience
    with database.separate_connection(_BUSY) as connection:
        while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            if time.monotonic() > until:
                return False
            time.sleep(_PAUSE)
    return True


def shrink(most: int) -> int:
    """Return at most ``most`` free pages to the disk in one short transaction; return how many are still free."""
    with database.turn():
        connection = database.database.connection()
        connection.execute(f"PRAGMA incremental_vacuum({most:d})").fetchall()
        left: int = connection.execute("PRAGMA freelist_count").fetchone()[0]
        return left


def free_share() -> float:
    """Return the share of free pages in the database, 0 to 1."""
    with database.turn():
        connection = database.database.connection()
        pages: int = connection.execute("PRAGMA page_count").fetchone()[0]
        free: int = connection.execute("PRAGMA freelist_count").fetchone()[0]
    return free / pages
