"""The WAL is brought home while others write, and does not grow for ever."""

from unittest.mock import MagicMock

import peewee
import pytest
from support import plain_sql

from svc.store import database
from svc.store.database import db
from svc.store.sqlite.commit_mark import CommitMark
from svc.store.sqlite.wal import Checkpointer

pytestmark = pytest.mark.sqlite("about the log of SQLite's file")

MIB = 1 << 20


@pytest.fixture
def path(tmp_path):
    database.open_database(tmp_path / "service.db")
    yield tmp_path / "service.db"
    db.close()


def write(mebibytes: int, name: str) -> None:
    for number in range(mebibytes):
        with db.transaction(durable=False):
            plain_sql.execute("INSERT INTO meta VALUES (?, ?)", (f"{name}{number}", "x" * MIB))


def test_a_wal_that_has_grown_large_begins_anew_after_a_checkpoint(path):
    wal, own = path.with_name("service.db-wal"), peewee.sqlite3.connect(path, isolation_level=None)
    write(40, "a")
    grown = wal.stat().st_size
    assert grown > 40 * MIB
    db._checkpointer.checkpoint(own)
    write(10, "b")
    assert wal.stat().st_size <= grown
    assert own.execute("SELECT count(*) FROM meta WHERE length(value) > 1000").fetchone()[0] == 50
    own.close()


def test_only_a_checkpoint_of_a_large_wal_keeps_writers_waiting(path):
    turn, own = MagicMock(), peewee.sqlite3.connect(path, isolation_level=None)
    checkpointer = Checkpointer(path, turn, CommitMark(path.parent))
    write(20, "a")
    checkpointer.checkpoint(own)
    assert not turn.__enter__.called
    write(30, "b")
    checkpointer.checkpoint(own)
    assert turn.__enter__.call_count == 1
    own.close()


def test_closing_ends_the_thread_and_leaves_no_wal(path):
    for number in range(500):
        with db.transaction(durable=False):
            plain_sql.execute("INSERT INTO meta VALUES (?, 'x')", (f"n{number}",))
    thread = db._checkpointer._thread
    db.close()
    assert not thread.is_alive() and not path.with_name("service.db-wal").exists()
