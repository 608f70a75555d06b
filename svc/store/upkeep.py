"""Keeps the file of the open database whole and small: its check, its free pages, its write-ahead log."""

import time

from svc.store import database

_BUSY = 0.02  # seconds in which SQLite itself waits for a process that uses the log
_PAUSE = 0.2  # seconds until the next attempt


def damage() -> str | None:
    """Return what is wrong with the file of the database; None: nothing. Error: it cannot be read at all."""
    with database.beside() as connection:
        answer: str = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    return None if answer == "ok" else answer


def overwrite_deleted() -> None:
    """Overwrite in the file, too, what this process deletes from now on."""
    with database.turn():
        database.database.connection().execute("PRAGMA secure_delete = on")


def checkpoint(patience: float = 45.0) -> bool:
    """Empty the write-ahead log into the database, in attempts too short to hold anybody up; return whether that was possible.

    ``patience``: seconds. The process that sends commits to the backups lets an idle log go after 30 s.
    """
    until = time.monotonic() + patience
    with database.beside(_BUSY) as connection:
        while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            if time.monotonic() > until:
                return False
            time.sleep(_PAUSE)
    return True


def shrink(most: int) -> int:
    """Give at most ``most`` free pages back to the disk, in one short transaction; return how many are still free."""
    with database.turn():
        connection = database.database.connection()
        connection.execute(f"PRAGMA incremental_vacuum({most:d})").fetchall()
        left: int = connection.execute("PRAGMA freelist_count").fetchone()[0]
        return left


def free_share() -> float:
    """Return which part of the database is free in it, 0 to 1."""
    with database.turn():
        connection = database.database.connection()
        pages: int = connection.execute("PRAGMA page_count").fetchone()[0]
        free: int = connection.execute("PRAGMA freelist_count").fetchone()[0]
    return free / pages
