"""The doctor's checks of the database, by a read-only connection: damage, locks,
schema version, secret.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from svc.base.errors import StartRefused
from svc.base.settings import Settings
from svc.domain import master_keys
from svc.domain.tables.access import MasterKey
from svc.store import database, inspection
from svc.store.database import Connection, db
from svc.store.engine import schema
from svc.work.backup import sources as backup_sources
from svc.work.doctor import directory as directory_check
from svc.work.doctor.findings import (
    OK,
    PROBLEM,
    WARNING,
    Finding,
    find_holders,
    name_program,
    quote,
)

RESTORED = "secret.restored"  # the restored secret, if another one is in its place

_LARGE_WAL = 128 << 20
# The byte of -shm that a writer holds (https://sqlite.org/walformat.html#wal_locks).
_WAL_WRITE_LOCK = 120
_LOOKS, _LOOK_EVERY = 8, 0.25  # the service's own writers finish between two checks
# The primary result codes of a database that is locked, and of one that cannot be read
# (https://sqlite.org/rescode.html).
_LOCKED, _UNREADABLE = (5, 6), (3, 8, 14, 23)


@contextmanager
def open_read_only(settings: Settings) -> Iterator[Connection]:
    """Yield a read-only connection; to PostgreSQL, whose schema is this program's,
    one that is only read from.
    """
    if settings.database_url:
        database.open_database(settings.database, settings.database_url)
        try:
            with db.separate_connection() as connection:
                yield connection
        finally:
            db.close()
        return
    path = settings.database
    wal = path.with_name(path.name + "-wal")
    alone = not (wal.exists() and wal.stat().st_size) and not directory_check.is_served(settings)
    with inspection.open_read_only(path, alone) as connection:
        yield connection


def examine(settings: Settings, deep: bool) -> Iterator[Finding]:
    """Check the database. ``deep``: read all of it."""
    if settings.database_url:
        yield from _check_server(settings)
        return
    path = settings.database
    if not path.exists() or not path.stat().st_size:
        yield _report_missing(settings)
        return
    try:
        with open_read_only(settings) as connection:
            version = schema.read_version(connection)
            condition = inspection.check_file(connection, deep)
    except db.Error as error:
        yield _report_unusable(settings, error)
        return
    if condition.damage:
        yield _report_damage(settings, "; ".join(condition.damage))
        return
    if version is None:
        yield _report_missing(settings)
        return
    yield _report_lock(settings) or Finding(
        "database", OK, f"{path.stat().st_size / 1e6:.1f} MB, intact."
    )
    yield from _schema(version)
    # a copy has another mode until its first start
    if condition.journal_mode != "wal" and directory_check.is_served(settings):
        text = f"Its journal mode is {condition.journal_mode}, not wal."
        yield Finding("pragmas", PROBLEM, text, "python app.py serve  # corrects it")
    if not condition.shrinks:
        yield Finding(
            "pragmas",
            WARNING,
            "The file cannot return free pages to the disk.",
            "python app.py backup FILE, then restore",
        )
    wal = path.with_name(path.name + "-wal")
    if wal.exists() and wal.stat().st_size > _LARGE_WAL:
        yield Finding(
            "wal",
            WARNING,
            f"The write-ahead log has {wal.stat().st_size >> 20} MiB: a program keeps reading.",
            f"fuser -v {quote(path)}",
        )


def _check_server(settings: Settings) -> Iterator[Finding]:
    """Check a database of PostgreSQL, which looks after its own files."""
    try:
        version = database.read_version(settings.database_url)
        usable = database.is_usable(settings.database_url)
        is_read_only = database.refuses_changes(settings.database_url)
    except StartRefused as refused:
        yield Finding(
            "database", PROBLEM, str(refused), "python app.py config  # shows the address"
        )
        return
    if version is None:
        yield Finding(
            "database",
            PROBLEM,
            "PostgreSQL has no tables of the service.",
            "python app.py serve  # creates them",
        )
        return
    if is_read_only:
        text = "PostgreSQL accepts no changes: it is a standby, or set to be read-only."
        mend = "shows the address of the primary?"
        yield Finding("database", PROBLEM, text, f"python app.py config  # {mend}")
    else:
        yield Finding("database", OK, "PostgreSQL answers.")
    yield from _schema(version, usable)


def has_our_schema(settings: Settings) -> bool:
    """Return whether the database can be read and has the schema of this release,
    or one that suits it, too.
    """
    if settings.database_url:
        try:
            return database.is_usable(settings.database_url)
        except StartRefused:
            return False
    if not settings.database.exists() or not settings.database.stat().st_size:
        return False  # SQLite would remove the write-ahead log of an empty database
    try:
        with open_read_only(settings) as connection:
            return schema.read_version(connection) == schema.VERSION
    except db.Error:
        return False


def _schema(version: int, usable: bool = False) -> Iterator[Finding]:
    if version < schema.OLDEST:
        text = schema.describe_too_old("The database", version)
        yield Finding("schema", PROBLEM, text, "python app.py serve  # of release 1.0.0, once")
    elif version < schema.VERSION:
        yield Finding(
            "schema",
            WARNING,
            f"Its schema is {version}; this program's is {schema.VERSION}.",
            "python app.py serve  # migrates it; stop every other server first",
        )
    elif version > schema.VERSION and usable:
        text = (
            f"Its schema {version} is of a newer release, beside which this program goes on "
            "working."
        )
        yield Finding("schema", WARNING, text, "git pull  # when the other machines have it")
    elif version > schema.VERSION:
        yield Finding(
            "schema",
            PROBLEM,
            f"Its schema {version} is of a newer release than this program.",
            "git pull",
        )


def _report_missing(settings: Settings) -> Finding:
    left = schema.find_trace_of_use(settings.data_dir)
    if left is None:
        return Finding(
            "database",
            PROBLEM,
            f"There is none in {settings.data_dir}.",
            "python app.py serve  # creates one",
        )
    text = (
        f"{settings.database} is empty or missing, but {left} belongs to an installation that "
        "was in use."
    )
    return Finding("database", PROBLEM, text, directory_check.list_replacement_commands(settings))


def _report_damage(settings: Settings, damage: str) -> Finding:
    stop = " Stop the service first." if directory_check.is_served(settings) else ""
    return Finding(
        "database",
        PROBLEM,
        f"{settings.database} is damaged: {damage}.{stop}",
        directory_check.list_replacement_commands(settings),
    )


def _report_unusable(settings: Settings, error: Exception) -> Finding:
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    if code in _LOCKED:
        return _report_lock(settings) or Finding(
            "database",
            PROBLEM,
            "Another program keeps the database locked.",
            f"fuser -v {quote(settings.database)}",
        )
    if code in _UNREADABLE:
        text = f"{settings.database} cannot be opened: {error}."
        return Finding("database", PROBLEM, text, f"chmod u+rw {quote(settings.database)}*")
    return _report_damage(settings, str(error))


def _report_lock(settings: Settings) -> Finding | None:
    """Return a finding about a process that keeps the database locked during all checks;
    None: there is none.
    """
    shm = settings.database.with_name(settings.database.name + "-shm")
    holding: set[int] | None = None
    for number in range(_LOOKS):
        present = {
            *find_holders(shm, "POSIX", _WAL_WRITE_LOCK),
            *find_holders(settings.database, "POSIX"),
        }
        holding = present if holding is None else holding & present
        if not holding:
            return None
        if number < _LOOKS - 1:
            time.sleep(_LOOK_EVERY)
    process = min(holding or ())
    text = (
        f"Process {process} ({name_program(process)}) keeps the database locked: "
        "nothing can be written."
    )
    return Finding("database", PROBLEM, text, f"kill {process}")


def check_secret(settings: Settings) -> Finding:
    """Check whether the secret is the one that the database knows."""
    recorded, used = _load_recorded_keys(settings)
    if not settings.secret.exists() and not recorded and not used:
        return Finding("secret", OK, "There is none yet; the first start creates it.")
    problem = master_keys.describe_mismatch(settings.secret, recorded)
    if problem is None:
        return Finding("secret", OK, f"{settings.secret} belongs to the database.")
    return Finding(
        "secret",
        PROBLEM,
        f"{problem}: links, webhooks and certificates cannot be signed.",
        _secret_mend(settings, recorded),
    )


def _secret_mend(settings: Settings, recorded: list[MasterKey]) -> str:
    backup = backup_sources.find_with_secret(settings, recorded)
    if backup is None or (backup.is_file and not backup.encrypted):
        file = quote(Path(backup.place)) if backup else "FILE"
        extracts = f"tar --extract --file {file} --directory {quote(settings.data_dir)} secret"
        return extracts if backup else f"{extracts}  # FILE: a backup of this installation"
    restores = backup.make_restore_command(settings.data_dir, backup.place, "--secret-only")
    if os.path.lexists(settings.secret):  # the other one is kept under a numbered name
        beside = quote(settings.secret.with_name(RESTORED))
        restores += f" && mv --backup=numbered {beside} {quote(settings.secret)}"
    return restores + backup.note


def _load_recorded_keys(settings: Settings) -> tuple[list[MasterKey], bool]:
    try:
        with open_read_only(settings) as connection:
            if not settings.database_url and not inspection.has_table(connection, "master_keys"):
                return [], settings.secret.exists()
            return master_keys.list_recorded_by(connection), master_keys.is_in_use(connection)
    except db.Error:
        return [], True
