"""How SQLite answers the statements that the program executes: recorded on its connection,
then explained, or counted.
"""

import re
from collections.abc import Callable

from svc.store.database import db
from svc.store.engine.sqlite_driver import sqlite3
from tests.support import plain_sql

_NAMED = re.compile(
    r'\b(?:FROM|JOIN|UPDATE|INTO)\s+"?(\w+)"?'
    r'(?:\s+(?:AS\s+)?"?(?!ON\b|WHERE\b|SET\b|CROSS\b|JOIN\b|ORDER\b|LIMIT\b|USING\b)(\w+)"?)?',
    re.I,
)
_EXPLAINED = ("SELECT", "WITH", "UPDATE", "DELETE", "INSERT")


class Recorder:
    """While it is on, every statement with the parameters of its first execution."""

    def __init__(self):
        self.statements: dict[str, object] = {}

    def __enter__(self) -> "Recorder":
        recorder = self

        class Cursor(sqlite3.Cursor):
            def execute(self, sql, *parameters):
                recorder.add(sql, *parameters)
                return super().execute(sql, *parameters)

        class Connection(sqlite3.Connection):
            def cursor(self, factory=Cursor):
                return super().cursor(factory)

            def execute(self, sql, *parameters):
                return self.cursor().execute(sql, *parameters)

            def executemany(self, sql, many):
                many = list(many)
                if many:
                    recorder.add(sql, many[0])
                return super().executemany(sql, many)

        # or a thread that writes would use a connection that is closed under it
        with db.turn:
            db.peewee_database.close()
            db.peewee_database.connect_params["factory"] = Connection
        return self

    def __exit__(self, *_) -> None:
        with db.turn:
            db.peewee_database.close()
            del db.peewee_database.connect_params["factory"]

    def add(self, sql: str, parameters=()) -> None:
        if sql.lstrip().upper().startswith(_EXPLAINED):
            self.statements.setdefault(sql, parameters)


def instructions(call: Callable[[], object]) -> int:
    """Return how many instructions of its virtual machine SQLite runs for ``call``:
    several for each row that it reads.
    """
    count = 0

    def one_more() -> int:
        nonlocal count
        count += 1
        return 0  # go on

    with db.turn:  # what other threads ask of the connection is not counted
        connection = db.peewee_database.connection()
        connection.set_progress_handler(one_more, 1)
        try:
            call()
        finally:
            connection.set_progress_handler(None, 1)
    return count


def scans(sql: str, parameters) -> list[str]:
    """The tables of which a statement reads every row, or every entry of an index that
    holds every row.
    """
    names = {alias.lower(): table for table, alias in _NAMED.findall(sql) if alias}
    found = []
    for row in plain_sql.rows(f"EXPLAIN QUERY PLAN {sql}", parameters):
        scan = re.match(r"SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?", row["detail"])
        if scan and "VIRTUAL TABLE" not in row["detail"] and not _is_partial(scan[2]):
            found.append(names.get(scan[1].lower(), scan[1]))
    return [each for each in found if each in _tables()]


def _is_partial(index: str | None) -> bool:
    """Whether an index holds only what its WHERE lets in: work that is waiting,
    which a look for work may read.
    """
    made = plain_sql.row(
        "SELECT sql FROM sqlite_master WHERE type = 'index' AND name = ?", (index,)
    )
    return (
        made is not None
        and made["sql"] is not None
        and " WHERE " in made["sql"].upper().replace("\n", " ")
        and not index.startswith("requests_")
    )


def _tables() -> set[str]:
    return {
        row["name"] for row in plain_sql.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
