"""The file of a SQLite database for a backup: its copy while others use it, and what is in it."""

from contextlib import closing
from pathlib import Path

from svc.base.errors import CommandError
from svc.store import meta
from svc.store.engine import schema
from svc.store.engine.sqlite_driver import sqlite3
from svc.store.expressions import SQL, fn, named_table
from svc.store.queries import Prepared

DATABASE = "service.db"
Error = sqlite3.Error
# The version of its schema, None without tables; and the number of rows of each table.
Facts = tuple[int | None, dict[str, int]]


def connect(path: Path) -> sqlite3.Connection:
    """Open another connection to a database, which other processes may be using;
    its statements may raise ``db.Error``.
    """
    return sqlite3.connect(path, isolation_level=None, timeout=30)


def snapshot(source: Path, target: Path) -> None:
    """Copy a database in its present state, compacted, while others use it.

    The copy has mode 0600.
    """
    target.touch(mode=0o600)
    with closing(connect(source)) as connection:
        connection.execute("PRAGMA auto_vacuum = incremental")  # of the copy
        connection.execute("VACUUM INTO ?", (str(target),))


def copy_pages(source: Path, target: Path) -> None:
    """Copy a database in its present state, page by page, while others use it.

    The copy has mode 0600.
    """
    target.touch(mode=0o600)
    with closing(connect(source)) as connection, closing(connect(target)) as copy:
        connection.backup(copy)


def read_facts(database: Path) -> Facts:
    """Return the schema version of a database and the number of rows of each table."""
    with closing(connect(database)) as connection:
        return schema.read_version(connection), _count_rows(connection)


def check(path: Path, stated: Facts | None = None) -> None:
    """Raise CommandError if the database is damaged, or is not what the manifest of its backup
    states.
    """
    try:
        with closing(connect(path)) as connection:
            problems = [
                text for (text,) in connection.execute("PRAGMA integrity_check(3)") if text != "ok"
            ]
            problems += [
                f"a row of {row[0]} refers to one of {row[2]} which does not exist"
                for row in connection.execute("PRAGMA foreign_key_check").fetchmany(3)
            ]
            counted = schema.read_version(connection), _count_rows(connection)
            if not problems and stated and counted != stated:
                problems.append("its numbers of rows differ from the manifest")
    except sqlite3.Error as error:
        problems = [str(error)]
    if problems:
        where = "in the backup " if stated else ""
        raise CommandError(f"The database {where}is damaged: {'; '.join(problems)}.")


def disown_bucket(path: Path) -> None:
    """Give a restored database a mark of its own, so that it tidies no bucket that the first one
    still uses.
    """
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.row_factory = sqlite3.Row
        meta.disown_bucket(connection)


def _count_rows(connection: sqlite3.Connection) -> dict[str, int]:
    """Return the number of rows of each table."""
    tables = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
        "ORDER BY name"
    )
    names = [name for (name,) in connection.execute(tables)]
    counting = {name: Prepared(named_table(name).select(fn.count(SQL("*")))) for name in names}
    return {name: query.rows_by(connection)[0][0] for name, query in counting.items()}
