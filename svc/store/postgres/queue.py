"""The tables of the queue, which are Procrastinate's: in a schema of their own, behind ours in the
search path.

What is in them repeats what our tables say: a copy leaves them out, and a backup has them without
their rows.
"""

from importlib import resources
from typing import Any

import psycopg
from psycopg import sql

from svc.base.errors import StartRefused

SCHEMA = "queue"
_FILES = resources.files("procrastinate.sql")
# The comment of the schema names the last migration that its tables have.
_COMMENT = "SELECT obj_description(to_regnamespace(%s), 'pg_namespace')"

Connection = psycopg.Connection[Any]


def list_migrations() -> list[str]:
    """Return the names of the migrations that the installed Procrastinate brings."""
    names = (file.name for file in (_FILES / "migrations").iterdir())
    return sorted(name for name in names if name.endswith(".sql"))


def is_prepared(connection: Connection) -> bool:
    """Return whether the tables are those of the installed Procrastinate."""
    return _find_last_migration(connection) == list_migrations()[-1]


def prepare(connection: Connection) -> None:
    """Create or migrate the tables inside a transaction. Nobody else does meanwhile.

    StartRefused: a newer Procrastinate made them.
    """
    known, last = list_migrations(), _find_last_migration(connection)
    if last is not None and last not in known:
        raise StartRefused(
            f"The queue of the database has the migration {last}, which the installed "
            "Procrastinate does not know: run `pip install -r requirements-postgres.txt` of the "
            "release that made it."
        )
    before = connection.execute("SHOW search_path").fetchall()[0][0]
    if last is None:
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(SCHEMA)))
    _search(connection, SCHEMA)
    for file in (
        [_FILES / "schema.sql"]
        if last is None
        else [_FILES / "migrations" / name for name in known if name > last]
    ):
        connection.execute(file.read_text("utf-8"))
    comment = sql.SQL("COMMENT ON SCHEMA {} IS {}")
    connection.execute(comment.format(sql.Identifier(SCHEMA), sql.Literal(known[-1])))
    _search(connection, before)


def _find_last_migration(connection: Connection) -> str | None:
    """Return the last migration that the tables have; None: there are no tables."""
    last: str | None = connection.execute(_COMMENT, (SCHEMA,)).fetchall()[0][0]
    return last


def _search(connection: Connection, path: str) -> None:
    connection.execute("SELECT set_config('search_path', %s, true)", (path,))
