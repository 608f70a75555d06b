"""The tables: created on the first start, and migrated from the schema of any release since 1.0."""

import fcntl
import logging
import re
import shutil
import time
from contextlib import closing
from pathlib import Path
from typing import IO

from svc.base import atomic_file, outage
from svc.base.errors import StartRefused
from svc.store.engine.compiling import compile_for_sqlite, slot
from svc.store.engine.sqlite_driver import sqlite3
from svc.store.models.service import NamedValue

log = logging.getLogger("svc.schema")

SCHEMA = Path(__file__).parents[3] / "schema.sql"
MIGRATIONS = Path(__file__).parents[1] / "migrations"
OLDEST = 21  # of release 1.0.0, whose schema.sql has what the migrations before it did

_IS_VERSION = NamedValue.name == "schema_version"
_VERSION, _ = compile_for_sqlite(NamedValue.select(NamedValue.value).where(_IS_VERSION))
_RECORD, _ = compile_for_sqlite(
    NamedValue.insert(name="schema_version", value=slot("version")).on_conflict(
        conflict_target=[NamedValue.name], preserve=[NamedValue.value]
    )
)

# The file that marks a data directory into which a backup is being restored.
RESTORING = "restoring"

_ROLLING = "-- rolling"
# The free space for a migration that rewrites everything, in sizes of the database: the trial copy,
# and the write-ahead log.
_MORE_THAN_TWICE = 2.2
# How many seconds a start waits: during a reload, the old processes of a server end while the new
# ones start.
_PATIENCE = 30.0
_LOOK_EVERY = 0.05


def list_migrations(folder: Path = MIGRATIONS) -> dict[int, Path]:
    """Return the migrations by number, in order: ``0012_name.sql`` is number 12.

    Numbers may be missing.
    """
    files = [file for file in folder.iterdir() if re.fullmatch(r"\d{4}_\w+\.sql", file.name)]
    numbered = {int(file.name[:4]): file for file in sorted(files)}
    if len(numbered) != len(files):
        raise ValueError(f"two migrations in {folder} have the same number")
    return numbered


def is_rolling(file: Path) -> bool:
    """Return whether programs of the schema before a migration can work on the one after it,
    as its first line says.
    """
    return file.read_text("utf-8").partition("\n")[0].strip() == _ROLLING


def find_oldest_program(files: dict[int, Path]) -> int:
    """Return the oldest schema version whose programs can work on the schema
    that migrations make.
    """
    return max((number for number, file in files.items() if not is_rolling(file)), default=OLDEST)


# The version of schema.sql: the number of the newest migration.
VERSION = max(list_migrations(), default=OLDEST)


def read_version(connection: sqlite3.Connection) -> int | None:
    """Return the schema version of a database; None if it has no tables yet.

    It works with any connection; svc.store.meta needs the open database.
    """
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone() is None:
        return None
    return int(connection.execute(_VERSION).fetchone()[0])


def record(connection: sqlite3.Connection, version: int = VERSION) -> None:
    """Record the schema version of a database."""
    connection.execute(_RECORD, {"version": str(version)})


def prepare(path: Path, folder: Path = MIGRATIONS, patience: float = _PATIENCE) -> IO[str]:
    """Create or migrate the database at ``path``, so that it has the schema of this program.

    Return the lock file of the users of the database, which the caller keeps open while it uses the
    database: no other process can then change the schema. StartRefused: it is not possible; nothing
    was changed.
    """
    require_restored(path.parent)
    users = path.with_name("database.lock").open("a")
    try:
        _hold_current(users, path, folder, time.monotonic() + patience)
    except sqlite3.Error as failed:
        users.close()
        trouble = outage.recognise(failed)
        mend = trouble.mend if trouble else "If it is damaged, restore a backup."
        raise StartRefused(f"{path} cannot be used: {failed}. {mend}") from failed
    except BaseException:
        users.close()
        raise
    return users


def require_restored(data_dir: Path) -> None:
    """Raise StartRefused if a backup is only partly restored in a data directory."""
    if data_dir.joinpath(RESTORING).exists():
        source = read_restoration(data_dir)[1]
        again = (
            f"`python app.py restore {source}` again"
            if source
            else "`python app.py restore` again with the same backup"
        )
        raise StartRefused(f"{data_dir} is only partly restored: run {again}.")


def read_restoration(data_dir: Path) -> tuple[str, str]:
    """Return the id of the backup that is partly restored in a data directory, and the arguments of
    `restore` for it.

    They are quoted for the shell; empty: an earlier release began.
    """
    identity, _, source = (
        data_dir.joinpath(RESTORING).read_text("utf-8", "replace").strip().partition("\n")
    )
    return identity, source


def _hold_current(users: IO[str], path: Path, folder: Path, until: float) -> None:
    newest = max(list_migrations(folder), default=OLDEST)
    while True:
        if try_lock(users, fcntl.LOCK_SH) and _is_current(path, newest):
            return
        if try_lock(users, fcntl.LOCK_EX):
            _create_or_migrate(path, folder, newest)
        elif time.monotonic() > until:
            raise StartRefused(
                f"{path} must be migrated to schema {newest}, but another process is using it: "
                "stop that process first."
            )
        else:
            time.sleep(_LOOK_EVERY)


def try_lock(file: IO[str], kind: int) -> bool:
    """Try to take a lock, and return whether that succeeded.

    A lock that the file held before is released in both cases.
    """
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
        version = read_version(connection)
    if version is not None and version > newest:
        raise StartRefused(
            f"{path} has schema {version}, and this program knows schemas up to {newest}: "
            "install the release that wrote it, or a newer one, or restore a backup made before."
        )
    if version is not None and version < OLDEST:
        raise StartRefused(describe_too_old(str(path), version))
    return version == newest


def describe_too_old(what: str, version: int, *, is_backup: bool = False) -> str:
    """Return that a database has a schema before :data:`OLDEST`, and what to do."""
    return (
        f"{what} has schema {version}, and this release migrates only from schema {OLDEST} on, "
        "that of release 1.0.0: "
        + (
            "restore it with release 1.0.0, start that release once, and back up again."
            if is_backup
            else "start release 1.0.0 with it once, stop it, and start this release."
        )
    )


def _create_or_migrate(path: Path, folder: Path, newest: int) -> None:
    """Create or migrate the tables. The caller holds the exclusive lock."""
    path.touch(mode=0o600)  # SQLite gives its other files the same mode
    with closing(_connect(path)) as connection:
        version = read_version(connection)
        if version is None:
            _create(path, connection, newest)
        elif version < newest:
            _migrate(path, connection, folder, version)


def _create(path: Path, connection: sqlite3.Connection, newest: int) -> None:
    """Create the tables.

    StartRefused: the directory was in use before, so this is not a first start.
    """
    left = find_trace_of_use(path.parent)
    if left:
        raise StartRefused(
            f"{path} is empty or missing, but {left} beside it belongs to an installation that was "
            "in use: restore a backup (`python app.py restore FILE` into an empty directory), or "
            "empty this directory to start afresh."
        )
    connection.execute("PRAGMA auto_vacuum = incremental")
    connection.execute("PRAGMA journal_mode = wal")
    _run_in_transaction(connection, SCHEMA.read_text("utf-8"), newest)
    # later files, such as the secret, never exist without the database
    atomic_file.sync_folder(path.parent)


def find_trace_of_use(data_dir: Path) -> Path | None:
    """Return a file or folder that is only created after the database; None if there is none."""
    if (data_dir / "secret").exists():
        return data_dir / "secret"
    folders = (data_dir / "media", data_dir / "assets")
    return next((folder for folder in folders if folder.is_dir() and any(folder.iterdir())), None)


def _migrate(path: Path, connection: sqlite3.Connection, folder: Path, version: int) -> None:
    """Run the due migrations, each in its own transaction, after all of them have succeeded
    on a copy.
    """
    due = {number: file for number, file in list_migrations(folder).items() if number > version}
    log.warning("migrating %s from schema %d to %d", path, version, max(due))
    trial = path.with_name(path.name + ".trial")
    try:
        _require_room(path)
        _remove_trial(trial)
        trial.touch(mode=0o600)
        connection.execute("VACUUM INTO ?", (str(trial),))
        with closing(_connect(trial)) as copy:
            _run_migrations(copy, due)
    except (sqlite3.Error, OSError, ValueError) as failed:
        raise StartRefused(
            f"{path} could not be migrated from schema {version} to {max(due)}: {failed}. This was "
            "tried on a copy; the database is as it was, and the earlier release goes on working "
            "with it."
        ) from failed
    finally:
        _remove_trial(trial)
    _run_migrations(connection, due)


def _require_room(path: Path) -> None:
    needed = int(_MORE_THAN_TWICE * path.stat().st_size) + (16 << 20)
    free = shutil.disk_usage(path.parent).free
    if free < needed:
        raise OSError(
            f"that takes {needed >> 20} MiB on the disk of {path.parent}, where {free >> 20} MiB "
            "are free"
        )


def _run_migrations(connection: sqlite3.Connection, due: dict[int, Path]) -> None:
    for number, file in due.items():
        try:
            _run_in_transaction(connection, file.read_text("utf-8"), number)
        except (sqlite3.Error, ValueError) as failed:
            raise type(failed)(f"{file.name}: {failed}") from failed


def _run_in_transaction(connection: sqlite3.Connection, script: str, number: int) -> None:
    """Run a script in one transaction, which also sets the schema version."""
    try:
        connection.executescript(f"BEGIN IMMEDIATE;\n{script}")
        if not connection.in_transaction:
            raise ValueError("it ends the transaction that it runs in")
        if orphans := connection.execute("PRAGMA foreign_key_check").fetchall():
            raise ValueError(
                f"it leaves rows of {orphans[0][0]} that refer to rows of {orphans[0][2]} which "
                "do not exist"
            )
        record(connection, number)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _connect(path: Path) -> sqlite3.Connection:
    """Open a connection for migrations: foreign keys are checked at the end,
    so that a table can be rebuilt.
    """
    connection = sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE)
    connection.execute("PRAGMA synchronous = full")
    return connection


def _remove_trial(trial: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        trial.with_name(trial.name + ending).unlink(missing_ok=True)
