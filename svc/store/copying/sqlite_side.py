"""SQLite as the source or the target of a copy."""

import fcntl
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from svc.base import atomic_file
from svc.base.errors import CommandError
from svc.store.copying import layout
from svc.store.copying.layout import StepFiles, Table
from svc.store.engine import schema
from svc.store.engine.compiling import compile_for_sqlite
from svc.store.engine.sqlite_driver import sqlite3
from svc.store.expressions import named_table

_MARK = (
    "CREATE TABLE copied (name TEXT PRIMARY KEY, rows INTEGER NOT NULL, digest TEXT NOT "
    "NULL) STRICT"
)

_SET_FILES, _ = compile_for_sqlite(layout.SET_FILES)


class _Side:
    def __init__(self, connection: sqlite3.Connection):
        self._connection = connection

    def rows(self, table: Table) -> Iterator[tuple[Any, ...]]:
        return iter(self._connection.execute(compile_for_sqlite(table.rows)[0]))


class _Target(_Side):
    def list_copied(self) -> dict[str, tuple[int, str]]:
        return {
            name: (rows, digest)
            for name, rows, digest in self._connection.execute(
                "SELECT name, rows, digest FROM copied"
            )
        }

    def begin_anew(self, tables: list[Table]) -> None:
        with _transaction(self._connection):
            for name in ("copied", *(table.name for table in tables)):
                self._connection.execute(compile_for_sqlite(named_table(name).delete())[0])

    def fill(
        self, table: Table, rows: Iterable[tuple[Any, ...]], record: Callable[[], tuple[int, str]]
    ) -> None:
        insert, _ = compile_for_sqlite(table.insertion)
        with _transaction(self._connection):
            self._connection.executemany(insert, rows)
            self._connection.execute(
                "INSERT INTO copied (name, rows, digest) VALUES (?, ?, ?)", (table.name, *record())
            )

    def finish(self, tables: list[Table], moved: Sequence[StepFiles]) -> None:
        with _transaction(self._connection):
            if orphans := self._connection.execute("PRAGMA foreign_key_check").fetchall():
                raise CommandError(
                    f"A row of {orphans[0][0]} refers to a row of {orphans[0][2]} that does "
                    "not exist."
                )
            self._connection.executemany(_SET_FILES, moved)
            self._connection.execute("DROP TABLE copied")
            for trigger in layout.list_triggers():
                self._connection.execute(trigger)
            schema.record(self._connection)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


@contextmanager
def source(file: Path) -> Iterator[_Side]:
    """Open a database that no process uses, and keep all out of it.

    CommandError: it is used, or of another release.
    """
    if not file.exists():
        raise CommandError(
            f"There is no database at {file}. SVC_DATA_DIR names the data directory of the "
            "installation to copy."
        )
    with file.with_name("database.lock").open("a") as users:
        if not schema.try_lock(users, fcntl.LOCK_EX):
            raise CommandError("A process uses the database: stop the service, and copy again.")
        with closing(_connect(file)) as connection:
            version = schema.read_version(connection)
            if version != schema.VERSION:
                raise CommandError(
                    f"{file} has schema {version}, and this program needs {schema.VERSION}: start "
                    "the service once, stop it, copy again."
                )
            connection.execute("BEGIN")
            yield _Side(connection)


@contextmanager
def target(file: Path) -> Iterator[_Target]:
    """Open a new database, which stands under its name when the block has ended without an
    exception.

    CommandError: there is a database already.
    """
    if file.exists():
        raise CommandError(f"{file} exists: move it away, or copy into another SVC_DATA_DIR.")
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with file.with_name("database.lock").open("a") as users:
        if not schema.try_lock(users, fcntl.LOCK_EX):
            raise CommandError(f"A process uses {file.parent}: stop it, and copy again.")
        part = file.with_name(file.name + ".copy")
        with closing(_open_target(part)) as connection:
            yield _Target(connection)
        atomic_file.rename_durably(part, file)


def _open_target(part: Path) -> sqlite3.Connection:
    """Return a connection to a database that an earlier attempt left, or that is new."""
    if part.exists():
        connection = _connect(part)
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'copied'").fetchone():
            return connection
        connection.close()
        for ending in ("", "-journal"):
            part.with_name(part.name + ending).unlink(missing_ok=True)
    part.touch(mode=0o600)
    connection = _connect(part)
    connection.execute("PRAGMA auto_vacuum = incremental")
    connection.executescript(
        f"BEGIN;\n{schema.SCHEMA.read_text('utf-8')};\n{_MARK};\n{_drop_triggers()}\nCOMMIT;"
    )
    return connection


def _drop_triggers() -> str:
    return "\n".join(f"DROP TRIGGER {trigger.split()[2]};" for trigger in layout.list_triggers())


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = full")
    return connection
