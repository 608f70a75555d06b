"""A copy counts only when every row reads back as it was, shown between two databases of SQLite."""

import pytest

from svc.base.errors import CommandError
from svc.store.copying import copy, layout, sqlite_side
from svc.store.engine import schema
from svc.store.engine.sqlite_driver import sqlite3

pytestmark = pytest.mark.sqlite("both databases are files")


@pytest.fixture
def file(tmp_path):
    schema.prepare(tmp_path / "service.db").close()
    with sqlite3.connect(tmp_path / "service.db") as connection:
        connection.executemany(
            "INSERT INTO auth_failures VALUES (?, ?)", [("192.0.2.1", each) for each in range(5)]
        )
    connection.close()
    return tmp_path / "service.db"


def run(file, there, target=None):
    with sqlite_side.source(file) as source, sqlite_side.target(there) as opened:
        return copy._copy_tables(source, target(opened) if target else opened, lambda _: None)


def test_what_each_table_had_is_told(file, tmp_path):
    copied = run(file, tmp_path / "there" / "service.db")
    assert copied["auth_failures"].rows == 5 and copied["partners"].rows == 0
    assert len({each.digest for each in copied.values() if each.rows == 0}) == 1
    with sqlite3.connect(tmp_path / "there" / "service.db") as connection:
        assert schema.read_version(connection) == schema.VERSION
    connection.close()


def test_a_row_that_reads_back_otherwise_is_found_and_nothing_stands_under_the_name(file, tmp_path):
    class Forgetful:
        def __init__(self, target):
            self._target = target

        def __getattr__(self, name):
            return getattr(self._target, name)

        def rows(self, table):
            return (
                row[:-1] + (7,) if table.name == "auth_failures" else row
                for row in self._target.rows(table)
            )

    with pytest.raises(
        CommandError,
        match="auth_failures was copied with 5 rows and reads back with 5, or with other values",
    ):
        run(file, tmp_path / "there" / "service.db", Forgetful)
    assert not (tmp_path / "there" / "service.db").exists()


def test_a_table_follows_those_that_it_refers_to():
    names = [table.name for table in layout.list_tables()]
    assert names[-1] == "meta" and names.index("partners") < names.index("accounts") < names.index(
        "productions"
    )


def test_a_database_in_use_is_refused(file, tmp_path):
    with schema.prepare(file), pytest.raises(CommandError, match="stop the service"):
        run(file, tmp_path / "there" / "service.db")


def test_a_database_of_another_release_is_refused(file, tmp_path):
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE meta SET value = '1' WHERE name = 'schema_version'")
    connection.close()
    with pytest.raises(CommandError, match="has schema 1, and this program needs"):
        run(file, tmp_path / "there" / "service.db")
