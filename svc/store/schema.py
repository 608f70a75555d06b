"""The tables: made on the first start, and brought from those of any earlier release to those of this one."""

import fcntl
import logging
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO

from svc.base import atomic_file
from svc.base.errors import StartRefused
from svc.store.sqlite import sqlite3

log = logging.getLogger("svc.schema")

SCHEMA = Path(__file__).parents[2] / "schema.sql"
MIGRATIONS = Path(__file__).parent / "migrations"

RESTORING = "restoring"  # the file that marks a data directory into which a backup is being restored

_MORE_THAN_TWICE = 2.2  # the copy of the trial, and the write-ahead log of a migration that writes everything anew
_PATIENCE = 30.0  # seconds: when a server is told to reload, its old processes end while the new ones start
_LOOK_EVERY = 0.05


def migrations(folder: Path = MIGRATIONS) -> dict[int, Path]:
    """The numbered changes since the first release, in order: ``0012_name.sql`` is number 12. Numbers may be missing."""
    found = [each for each in folder.iterdir() if re.fullmatch(r"\d{4}_\w+\.sql", each.name)]
    numbered = {int(each.name[:4]): each for each in sorted(found)}
    if len(numbered) != len(found):
        raise ValueError(f"two migrations in {folder} have one number")
    return numbered


VERSION = max(migrations(), default=1)  # of schema.sql: the number of the newest migration


def version_of(connection: sqlite3.Connection) -> int | None:
    """The schema version of a database; None: it has no tables yet.

    It is asked of any connection, before svc.store.meta has an open database to ask.
    """
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone() is None:
        return None
    return int(connection.execute("SELECT value FROM meta WHERE name = 'schema_version'").fetchone()[0])


def prepare(path: Path, folder: Path = MIGRATIONS, patience: float = _PATIENCE) -> IO[str]:
    """See to it that the database at ``path`` has the tables of this program.

    Returns the lock that says that the database is in use; whoever uses it keeps that open meanwhile, so that nobody
    changes tables under a program that knows them otherwise. StartRefused: it cannot be done, and nothing has been changed.
    """
    if path.with_name(RESTORING).exists():
        raise StartRefused(f"{path.parent} is half restored: call `python app.py restore` again, with the same backup.")
    users = path.with_name("database.lock").open("a")
    try:
        _hold(users, path, folder, time.monotonic() + patience)
    except sqlite3.Error as failed:
        users.close()
        raise StartRefused(f"{path} cannot be used: {failed}. If it is damaged, restore a backup.") from failed
    except BaseException:
        users.close()
        raise
    return users


def _hold(users: IO[str], path: Path, folder: Path, until: float) -> None:
    newest = max(migrations(folder), default=1)
    while True:
        if try_lock(users, fcntl.LOCK_SH) and _is_current(path, newest):
            return
        if try_lock(users, fcntl.LOCK_EX):
            _create_or_migrate(path, folder, newest, until)
        elif time.monotonic() > until:
            raise StartRefused(
                f"{path} has to be brought to schema {newest}, and another process is using it: end that one first."
            )
        else:
            time.sleep(_LOOK_EVERY)


def try_lock(file: IO[str], kind: int) -> bool:
    """Whether the lock was to be had; one that was held before is gone either way."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        fcntl.flock(file, fcntl.LOCK_UN)
        return False
    return True


def _is_current(path: Path, newest: int) -> bool:
    if not path.exists() or not path.stat().st_size:
        return False
    with closing(_connect(path)) as connection:
        found = version_of(connection)
    if found is not None and found > newest:
        raise StartRefused(
            f"{path} has schema {found}, and this program knows schemas up to {newest}: "
            "install the release that wrote it, or a newer one, or restore a backup made before."
        )
    return found == newest


def _create_or_migrate(path: Path, folder: Path, newest: int, until: float) -> None:
    """Called by whoever has the database alone."""
    path.touch(mode=0o600)  # of what is made here; SQLite gives its other files the same mode
    with closing(_connect(path)) as connection:
        found = version_of(connection)
        if found is None:
            _create(path, connection, newest)
        elif found < newest:
            with _no_driver(path, until):
                _migrate(path, connection, folder, found)


def _create(path: Path, connection: sqlite3.Connection, newest: int) -> None:
    """Make the tables of a first start, unless the directory says that this is none."""
    left = traces_of_use(path.parent)
    if left:
        raise StartRefused(
            f"{path} is empty or missing, and {left} beside it is of an installation that was in use: restore a backup "
            "(`python app.py restore FILE` into an empty directory), or empty this directory to begin anew."
        )
    connection.execute("PRAGMA auto_vacuum = incremental")
    connection.execute("PRAGMA journal_mode = wal")
    _transaction(connection, SCHEMA.read_text("utf-8"), newest)
    atomic_file.sync_folder(path.parent)  # what is made next, such as the secret, is never there without the database


def traces_of_use(data_dir: Path) -> Path | None:
    """What a data directory holds that is made only after its database; None: nothing."""
    if (data_dir / "secret").exists():
        return data_dir / "secret"
    folders = (data_dir / "media", data_dir / "assets")
    return next((folder for folder in folders if folder.is_dir() and any(folder.iterdir())), None)


@contextmanager
def _no_driver(path: Path, until: float) -> Iterator[None]:
    """The first release did not say that it uses the database; but its engine has a lock, as every engine has."""
    with path.with_name("driver.lock").open("a") as lock:
        while not try_lock(lock, fcntl.LOCK_EX):
            if time.monotonic() > until:
                raise StartRefused(f"{path} has to be brought to a newer schema, and a server is running: stop it first.")
            time.sleep(_LOOK_EVERY)
        yield


def _migrate(path: Path, connection: sqlite3.Connection, folder: Path, found: int) -> None:
    """Run what is newer than the database, each in a transaction of its own, after all of it has worked on a copy."""
    due = {number: file for number, file in migrations(folder).items() if number > found}
    log.warning("%s has schema %d and is brought to %d", path, found, max(due))
    trial = path.with_name(path.name + ".trial")
    try:
        _require_room(path)
        _remove(trial)
        trial.touch(mode=0o600)
        connection.execute("VACUUM INTO ?", (str(trial),))
        with closing(_connect(trial)) as copy:
            _run(copy, due)
    except (sqlite3.Error, OSError, ValueError) as failed:
        raise StartRefused(
            f"{path} could not be brought from schema {found} to {max(due)}: {failed}. This was tried on a copy; "
            "the database is as it was, and the earlier release goes on working with it."
        ) from failed
    finally:
        _remove(trial)
    _run(connection, due)
    _let_shrink(connection)


def _let_shrink(connection: sqlite3.Connection) -> None:
    """The first release made databases that could not give pages back."""
    if connection.execute("PRAGMA auto_vacuum").fetchone()[0] == 0:
        connection.execute("PRAGMA auto_vacuum = incremental")
        try:
            connection.execute("VACUUM")
        except sqlite3.Error as failed:  # it serves as it is; the doctor says how to have it done
            log.warning("the database could not be written anew, so it does not shrink: %s", failed)


def _require_room(path: Path) -> None:
    needed = int(_MORE_THAN_TWICE * path.stat().st_size) + (16 << 20)
    free = shutil.disk_usage(path.parent).free
    if free < needed:
        raise OSError(f"that takes {needed >> 20} MiB on the disk of {path.parent}, where {free >> 20} MiB are free")


def _run(connection: sqlite3.Connection, due: dict[int, Path]) -> None:
    for number, file in due.items():
        try:
            _transaction(connection, file.read_text("utf-8"), number)
        except (sqlite3.Error, ValueError) as failed:
            raise type(failed)(f"{file.name}: {failed}") from failed


def _transaction(connection: sqlite3.Connection, script: str, number: int) -> None:
    """Run a script in one transaction which also sets the version."""
    try:
        connection.executescript(f"BEGIN IMMEDIATE;\n{script}")
        if not connection.in_transaction:
            raise ValueError("it ends the transaction that it runs in")
        if orphans := connection.execute("PRAGMA foreign_key_check").fetchall():
            raise ValueError(f"it leaves rows of {orphans[0][0]} that refer to rows of {orphans[0][2]} which are not there")
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('schema_version', ?)", (str(number),))
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _connect(path: Path) -> sqlite3.Connection:
    """A connection for changing tables: foreign keys are checked at the end, so that a table can be written anew."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE)
    connection.execute("PRAGMA synchronous = full")
    return connection


def _remove(trial: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        trial.with_name(trial.name + ending).unlink(missing_ok=True)
