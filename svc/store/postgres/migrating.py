"""Migrates the tables of PostgreSQL: while no process of the service lives, or beside those of
earlier releases.

Beside them, only migrations run after which they can go on. Writers wait meanwhile, and readers of
the tables that get another column; so it takes a moment at most, or nothing happens.
"""

import logging
import re
import time
from typing import Any

import psycopg
from psycopg import sql

from svc.base import clock
from svc.base.errors import StartRefused
from svc.store.engine.compiling import compile_for_postgres, slot
from svc.store.models.service import Worker
from svc.store.postgres import invalidation

log = logging.getLogger("svc.schema")

# Advisory locks: of the one transaction that writes, of who creates or migrates, and, of releases
# without a queue, of the server that drives. Then of the one that is next to write, and, beside a
# number for each, of partners.
WRITERS, STARTS, DRIVERS, NEXT, PARTNERS = 727_001, 727_002, 727_003, 727_004, 727_005
# The age of its last sign of life from which a process is taken for dead: five of them are missing.
_SILENT = 15 * clock.SECOND
_TURN = 5.0  # seconds to wait for the turn to write, which lets others go on
# Seconds to wait for tables, which makes readers wait. PostgreSQL looks for deadlocks after a
# second, and might end a reader.
_TABLES = 0.8
_MOMENT = 2.0  # seconds that a migration may take while others wait for it
_GROWS = re.compile(r"\bALTER TABLE (\w+)")
_PLACE = (Worker.role, Worker.hostname, Worker.pid)
_LIVING, _ = compile_for_postgres(
    Worker.select(*_PLACE).where(Worker.seen_at >= slot("")).order_by(*_PLACE).limit(1)
)

Connection = psycopg.Connection[Any]


def migrate(connection: Connection, newest: int, scripts: dict[str, str], rolling: bool) -> None:
    """Run migrations inside a transaction that is rolled back after an exception.

    StartRefused: a process is at work, or a migration fails. LockNotAvailable: others keep the
    tables; try again.

    Args:
        newest: The schema version that the migrations lead to.
        scripts: The migrations by the name of the file, in the words of PostgreSQL.
        rolling: Whether programs of earlier releases can go on.
    """
    process = _find_busy_process(connection)
    if not rolling:
        if process is not None:
            raise StartRefused(f"The database must be migrated to schema {newest}, but {process}")
        _run_scripts(connection, scripts)
        invalidation.renew(connection)
    elif process is None:
        _run_scripts(connection, scripts)
        invalidation.renew(connection)
    else:
        _migrate_beside_others(connection, newest, scripts)


def _find_busy_process(connection: Connection) -> str | None:
    """Return which process is at work, as the end of a sentence; None: there is none,
    and none of an earlier release can begin to drive.
    """
    free = connection.execute("SELECT pg_try_advisory_xact_lock(%s)", (DRIVERS,)).fetchone() == (
        True,
    )
    living = _find_living_process(connection)
    if living is None:
        return None if free else "a server is running: stop it first."
    kind = "worker" if living[0] == "worker" else "server"
    return (
        f"a {kind} is running (process {living[2]} on {living[1]}): stop it first. "
        f"One that was killed counts as running for {_SILENT // clock.SECOND} seconds."
    )


def _find_living_process(connection: Connection) -> tuple[str, str, int] | None:
    """Return role, host name and process id of a process that gave a sign of life:
    of the driver if it did.
    """
    if connection.execute("SELECT to_regclass('workers')").fetchone() == (None,):
        return None  # the release that made these tables knew no workers
    return connection.execute(_LIVING, (clock.now() - _SILENT,)).fetchone()


def _run_scripts(
    connection: Connection, scripts: dict[str, str], until: float | None = None
) -> None:
    """Run scripts. ``until``: on the monotonic clock, the latest end of all of them."""
    # a table with changes that are counted with the commit could not be altered
    connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    for name, script in scripts.items():
        log.warning("migrating the database by %s", name)
        if until is not None:
            _set_limit(connection, "statement_timeout", max(until - time.monotonic(), 0.001))
            script = _join_statements(connection, script)
        try:
            connection.execute(script)
        except (psycopg.errors.LockNotAvailable, psycopg.errors.QueryCanceled):
            raise
        except psycopg.Error as failed:
            raise StartRefused(
                f"The database could not be migrated by {name}; it is as it was: {failed}"
            ) from failed


def _migrate_beside_others(connection: Connection, newest: int, scripts: dict[str, str]) -> None:
    """Run migrations while others wait.

    Nobody writes meanwhile but renewals and signs of life, which hold a row for a moment: so only
    readers can hold a table for longer.
    """
    _set_limit(connection, "lock_timeout", _TURN)
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (WRITERS,))
    until = time.monotonic() + _MOMENT
    _lock(connection, set(_GROWS.findall("".join(scripts.values()))))
    try:
        _run_scripts(connection, scripts, until)
        invalidation.add(connection)
    except psycopg.errors.QueryCanceled as slow:
        raise StartRefused(
            f"The migration to schema {newest} takes longer than {_MOMENT:.0f} seconds, for which "
            "the servers and workers that run would wait. The database is as it was: stop all of "
            "them, and start again."
        ) from slow


def _lock(connection: Connection, tables: set[str]) -> None:
    """Lock the tables that are there already, before anything else is locked that a reader
    may want next.
    """
    there = [
        name
        for name in sorted(tables)
        if connection.execute("SELECT to_regclass(%s)", (name,)).fetchone() != (None,)
    ]
    _set_limit(connection, "lock_timeout", _TABLES / max(len(there), 1))
    if there:
        names = sql.SQL(", ").join(map(sql.Identifier, there))
        connection.execute(sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(names))


def _set_limit(connection: Connection, name: str, seconds: float) -> None:
    connection.execute("SELECT set_config(%s, %s, true)", (name, f"{seconds * 1000:.0f}"))


def _join_statements(connection: Connection, script: str) -> str:
    """Return a statement that runs a script, so that the limit of time is one for the whole."""
    block = f"BEGIN EXECUTE {sql.Literal(script).as_string(connection)}; END"
    return sql.SQL("DO {}").format(sql.Literal(block)).as_string(connection)
