"""Read-only inspection of a database over a separate connection, for the doctor."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from svc.store.database import Connection
from svc.store.engine.sqlite_driver import sqlite3

LIBRARY_VERSION: str = sqlite3.sqlite_version


@dataclass(frozen=True)
class Condition:
    """The condition of a database file.

    ``damage``: at most three messages of SQLite. ``journal_mode``: the value of the pragma.
    ``shrinks``: whether the file can return free pages to the disk.
    """

    damage: tuple[str, ...]
    journal_mode: str
    shrinks: bool


@contextmanager
def open_read_only(path: Path, alone: bool) -> Iterator[Connection]:
    """Open a read-only connection.

    Args:
        alone: No process has the database open and there is no write-ahead log. The connection then
            treats the file as immutable, and creates no files beside it.
    """
    address = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if alone else ''}"
    with closing(sqlite3.connect(address, uri=True, isolation_level=None, timeout=2)) as connection:
        connection.row_factory = sqlite3.Row
        yield connection


def check_file(connection: Connection, deep: bool) -> Condition:
    """Check the file. ``deep``: check it completely. Error: it cannot be read."""
    check = "integrity_check" if deep else "quick_check"
    messages = [row[0] for row in connection.execute(f"PRAGMA {check}(3)")]
    return Condition(
        tuple(text for text in messages if text != "ok"),
        connection.execute("PRAGMA journal_mode").fetchone()[0],
        bool(connection.execute("PRAGMA auto_vacuum").fetchone()[0]),
    )


def has_table(connection: Connection, name: str) -> bool:
    """Return whether the database has a table of this name."""
    return (
        connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone()
        is not None
    )
