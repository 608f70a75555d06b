"""Looking at a database without changing it, by a connection of one's own: for the doctor."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from svc.store.database import Connection
from svc.store.sqlite import sqlite3

Error = sqlite3.Error
LIBRARY_VERSION: str = sqlite3.sqlite_version


@dataclass(frozen=True)
class Condition:
    """The condition of a file. ``damage``: at most three sentences of SQLite; ``journal_mode``: as its pragma says;
    ``shrinks``: whether it can give back what is free in it."""

    damage: tuple[str, ...]
    journal_mode: str
    shrinks: bool


@contextmanager
def opened(path: Path, alone: bool) -> Iterator[Connection]:
    """A connection that only reads. ``alone``: no process has the database open, and no log is left to be read with it: SQLite
    is told that nobody changes it, and then makes no files beside it either."""
    address = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if alone else ''}"
    with closing(sqlite3.connect(address, uri=True, isolation_level=None, timeout=2)) as connection:
        connection.row_factory = sqlite3.Row
        yield connection


def condition(connection: Connection, deep: bool) -> Condition:
    """Examine the file. ``deep``: read the whole of it. Error: it cannot be read."""
    check = "integrity_check" if deep else "quick_check"
    said = [row[0] for row in connection.execute(f"PRAGMA {check}(3)")]
    return Condition(
        tuple(text for text in said if text != "ok"),
        connection.execute("PRAGMA journal_mode").fetchone()[0],
        bool(connection.execute("PRAGMA auto_vacuum").fetchone()[0]),
    )


def has_table(connection: Connection, name: str) -> bool:
    """Whether the database has a table of this name."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone() is not None
