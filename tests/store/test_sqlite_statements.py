"""Statements of SQLite: one cursor runs all of a connection, and each value has an adapter."""

import pytest

from svc.store import database
from svc.store.database import db
from svc.store.engine.sqlite_driver import sqlite3
from svc.store.sqlite.engine import SqliteEngine

pytestmark = pytest.mark.sqlite("it looks at the cursor of SQLite")
_ADD = "INSERT INTO meta VALUES (?, 'x') RETURNING name"
_NAMES = "SELECT name FROM meta WHERE name LIKE 'row%' ORDER BY name"


@pytest.fixture(autouse=True)
def opened(tmp_path):
    database.open_database(tmp_path / "service.db")
    yield tmp_path
    db.close()


def names() -> list[str]:
    return [row["name"] for row in db.rows(_NAMES)]


@pytest.mark.parametrize("value", [None, True, False])
def test_a_value_without_a_type_of_its_own_has_an_adapter(value):
    """pysqlite3 would look for one at each such value of each statement."""
    assert (type(value), sqlite3.PrepareProtocol) in sqlite3.adapters
    assert db.row("SELECT ? AS value", (value,))["value"] == (None if value is None else int(value))


def test_rows_that_nobody_read_do_not_stop_the_commit():
    with db.transaction(durable=False):  # a durable one may run another statement before
        db.execute(_ADD, ("row1",))
    assert names() == ["row1"]


def test_a_statement_that_fails_stops_no_later_one():
    with pytest.raises(db.Error), db.transaction():
        db.execute(_ADD, ("row1",))
        db.execute(_ADD, ("row1",))
    with db.transaction():
        db.execute(_ADD, ("row2",))
    assert names() == ["row2"]


def test_no_statement_makes_a_cursor(monkeypatch):
    def refuse() -> None:
        raise AssertionError("a cursor of its own costs as much as a small statement")

    monkeypatch.setattr(SqliteEngine.peewee_database, "connection", refuse)
    with db.transaction():
        db.execute(_ADD, ("row1",))
        assert names() == ["row1"]


def test_a_database_that_is_opened_again_has_a_cursor_of_its_own(opened):
    first = SqliteEngine.peewee_database.open_statements()
    with db.transaction():
        db.execute(_ADD, ("row1",))
    db.close()
    database.open_database(opened / "service.db")
    assert names() == ["row1"]
    assert SqliteEngine.peewee_database.open_statements() is not first
