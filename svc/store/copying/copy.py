"""Copies an installation's tables, compares every row by hash, and goes on where an earlier attempt
was killed.

A table is copied in one transaction, which also records how many rows it had and their hash. The
new database has no schema version, so no service starts on it, until all tables have been read
again and are the same.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from svc.base.errors import CommandError
from svc.store import database
from svc.store.copying import layout, sqlite_side
from svc.store.copying.layout import StepFiles, Table


@dataclass(frozen=True)
class Copied:
    """What a table has: the number of its rows, and the SHA-256 of all of them in order."""

    rows: int
    digest: str


class Source(Protocol):
    """A database at one moment."""

    def rows(self, table: Table) -> Iterator[tuple[Any, ...]]: ...


class Target(Source, Protocol):
    """A new database, or one that an earlier attempt has begun."""

    def list_copied(self) -> dict[str, tuple[int, str]]:
        """Return the tables that are there already, with their numbers of rows and their hashes."""

    def begin_anew(self, tables: list[Table]) -> None:
        """Remove all rows."""

    def fill(
        self, table: Table, rows: Iterable[tuple[Any, ...]], record: Callable[[], tuple[int, str]]
    ) -> None:
        """Insert rows and, from ``record`` after the last one, what they are; all or nothing."""

    def finish(self, tables: list[Table], moved: Sequence[StepFiles]) -> None:
        """Make the database one that a service can use, with ``moved`` in place of the source's;
        all or nothing.
        """


class _Digest:
    """Counts and hashes the rows that pass through it."""

    def __init__(self) -> None:
        self._rows, self._hash = 0, hashlib.sha256()

    def pass_through(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        """Count and hash rows, and yield each of them."""
        for row in rows:
            self._rows += 1
            self._hash.update(repr(tuple(row)).encode("utf-8", "surrogatepass"))
            yield row

    def result(self) -> tuple[int, str]:
        return self._rows, self._hash.hexdigest()


Move = Callable[[], Sequence[StepFiles]]


def _move_nothing() -> Sequence[StepFiles]:
    """Move no files."""
    return ()


def to_postgres(
    file: Path, address: str, show: Callable[[str], None], move: Move = _move_nothing
) -> dict[str, Copied]:
    """Copy a SQLite database into an empty one of PostgreSQL; return what each table has.

    CommandError, StartRefused: it cannot be done, and why.

    Args:
        show: Called with the name of each table as it begins.
        move: Called while no process can use either database, before the new one can be used: moves
            the files, and returns what the copy says of them. After an exception of it, another
            attempt calls it again.
    """
    with database.needing_postgres():
        from svc.store.copying import postgres_side as postgres
    with sqlite_side.source(file) as source, postgres.target(address) as target:
        return _copy_tables(source, target, show, move)


def to_sqlite(
    address: str, file: Path, show: Callable[[str], None], move: Move = _move_nothing
) -> dict[str, Copied]:
    """Copy a database of PostgreSQL into a new file of SQLite,
    as :func:`to_postgres` does the other way round.
    """
    with database.needing_postgres():
        from svc.store.copying import postgres_side as postgres
    source: AbstractContextManager[Source] = postgres.source(address)
    with source as there, sqlite_side.target(file) as target:
        return _copy_tables(there, target, show, move)


def _copy_tables(
    source: Source, target: Target, show: Callable[[str], None], move: Move = _move_nothing
) -> dict[str, Copied]:
    tables = layout.list_tables()
    done = _find_copied(source, target, tables)
    for table in tables:
        if table.name not in done:
            show(f"copying {table.name}")
            digest = _Digest()
            target.fill(table, digest.pass_through(source.rows(table)), digest.result)
            done[table.name] = digest.result()
    for table in tables:
        show(f"comparing {table.name}")
        if (state := _digest_table(target, table)) != done[table.name]:
            raise CommandError(
                f"The table {table.name} was copied with {done[table.name][0]} rows and reads back "
                f"with {state[0]}, or with other values. No service starts on the copy; remove it, "
                "and copy again."
            )
    target.finish(tables, move())
    return {name: Copied(*each) for name, each in sorted(done.items())}


def _find_copied(source: Source, target: Target, tables: list[Table]) -> dict[str, tuple[int, str]]:
    """Return what an earlier attempt has copied.

    If the source has changed since, all of that is removed.
    """
    done = target.list_copied()
    if all(
        _digest_table(source, table) == done[table.name] for table in tables if table.name in done
    ):
        return done
    target.begin_anew(tables)
    return {}


def _digest_table(side: Source, table: Table) -> tuple[int, str]:
    digest = _Digest()
    for _ in digest.pass_through(side.rows(table)):
        pass
    return digest.result()
