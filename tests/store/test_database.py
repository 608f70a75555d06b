"""The one object of the open database, whatever its engine."""

import pytest
from support import plain_sql

from svc.base.errors import StartRefused
from svc.store import database
from svc.store.database import Database, db
from svc.store.sqlite.engine import SqliteEngine


@pytest.fixture
def opened(tmp_path):
    database.open_database(tmp_path / "service.db")
    yield tmp_path
    db.close()


@pytest.mark.sqlite("it names the engine of SQLite")
def test_the_object_stays_the_same_when_another_engine_is_opened(opened, monkeypatch):
    class Another(SqliteEngine):
        pass

    monkeypatch.setattr(database, "SqliteEngine", Another)
    db.left = "of the engine before"
    database.open_database(opened / "other" / "service.db")
    assert type(db) is Another and not hasattr(db, "left")
    assert db.path() == opened / "other" / "service.db"
    with db.transaction():
        plain_sql.execute("INSERT INTO meta VALUES ('first', 'x')")
    assert plain_sql.one("SELECT value FROM meta WHERE name = 'first'")[0] == "x"


def test_nothing_is_passed_on_to_the_object():
    """What it does is asked of it itself, where an editor finds the code."""
    methods = {name for name in vars(Database) if not name.startswith("_")}
    assert {"transaction", "rows", "shared"} <= methods
    assert methods.isdisjoint(vars(database))


def test_a_nested_transaction_joins_the_outer_one(opened):
    with pytest.raises(ZeroDivisionError), db.transaction():
        with db.transaction():
            plain_sql.execute("INSERT INTO meta VALUES ('inner', 'x')")
        assert db.in_transaction()
        raise ZeroDivisionError
    assert not db.in_transaction()
    assert plain_sql.row("SELECT 1 FROM meta WHERE name = 'inner'") is None


def test_what_is_called_after_the_commit_is_called_once_and_outside_the_transaction(opened):
    called = []

    def note() -> None:
        called.append(db.in_transaction())

    with db.transaction():
        for _ in range(2):
            db.after_commit(note)
    with pytest.raises(ZeroDivisionError), db.transaction():
        db.after_commit(note)
        raise ZeroDivisionError
    assert called == [False]


def test_what_is_changed_before_the_commit_is_changed_last_and_with_it(opened):
    def put(name):
        last = plain_sql.row("SELECT value FROM meta WHERE name = 'last'")
        plain_sql.execute("INSERT INTO meta VALUES (?, ?)", (name, last and last[0]))

    with db.transaction():
        with db.transaction():
            db.before_commit(lambda: put("one"))
        db.before_commit(lambda: put("two"))
        plain_sql.execute("INSERT INTO meta VALUES ('last', 'x')")
    values = "SELECT name, value FROM meta WHERE name IN ('one', 'two', 'three')"
    assert sorted(map(tuple, plain_sql.rows(values))) == [("one", "x"), ("two", "x")]
    with pytest.raises(ZeroDivisionError), db.transaction():
        db.before_commit(lambda: put("three"))
        raise ZeroDivisionError
    assert len(plain_sql.rows(values)) == 2


def test_what_fails_before_the_commit_undoes_all(opened):
    with pytest.raises(ZeroDivisionError), db.transaction():
        plain_sql.execute("INSERT INTO meta VALUES ('first', 'x')")
        db.before_commit(lambda: 1 / 0)
    assert plain_sql.row("SELECT 1 FROM meta WHERE name = 'first'") is None
    with db.transaction():
        plain_sql.execute("INSERT INTO meta VALUES ('first', 'x')")


def test_nothing_is_changed_before_the_commit_of_no_transaction(opened):
    with pytest.raises(RuntimeError, match="inside a transaction"):
        db.before_commit(lambda: None)


def test_what_is_shared_is_there_while_the_database_is_open(tmp_path):
    assert db.shared_if_open() is None
    with pytest.raises(RuntimeError, match="not open"):
        db.shared()
    database.open_database(tmp_path / "service.db")
    assert db.shared() is db.shared_if_open()
    db.close()
    assert db.shared_if_open() is None


def test_a_database_that_is_refused_leaves_none_open(tmp_path):
    (tmp_path / "restoring").touch()
    with pytest.raises(StartRefused):
        database.open_database(tmp_path / "service.db")
    with pytest.raises(RuntimeError, match="not open"), db.transaction():
        pass
