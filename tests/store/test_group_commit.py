"""One fsync makes many commits durable; the disk begins before it, while other work is done."""

import os

import pytest

from svc.store import database, meta
from svc.store.database import db
from svc.store.sqlite import wal

pytestmark = pytest.mark.sqlite("about the log of SQLite's file")


@pytest.fixture
def done(tmp_path, monkeypatch) -> list[str]:
    """What a commit does, in its order."""
    database.open_database(tmp_path / "service.db")
    done: list[str] = []
    monkeypatch.setattr(wal, "_start_writing", lambda *_: done.append("began to write"))
    monkeypatch.setattr(os, "fdatasync", lambda _: done.append("synced"))
    monkeypatch.setattr(db._sync, "require_same", lambda: done.append("looked"))
    yield done
    db.close()


def put(value: str, done: list[str], durable: bool = True) -> None:
    with db.transaction(durable=durable):
        meta.put("address_seen", value)
        db.after_commit(lambda: done.append("called"))


def test_the_disk_writes_while_the_rest_is_done(done):
    put("one", done)
    assert done == ["began to write", "called", "looked", "synced"]


def test_a_commit_that_need_not_be_durable_begins_nothing(done):
    put("one", done, durable=False)
    assert done == ["called"]


def test_what_is_committed_during_an_fsync_is_written_together(done):
    db._sync._leader = True  # as of another thread
    db._sync.start()
    assert done == []
    db._sync._leader = False
    db._sync.start()
    assert done == ["began to write"]


def test_a_system_that_cannot_begin_early_syncs_all_the_same(done, monkeypatch):
    monkeypatch.setattr(wal, "_start_writing", None)
    put("one", done)
    assert done == ["called", "looked", "synced"]


@pytest.mark.skipif(wal._start_writing is None, reason="only Linux has it")
def test_what_begins_to_write_is_called_as_the_system_wants_it(tmp_path):
    with (tmp_path / "file").open("wb", buffering=0) as file:
        file.write(b"x" * 100_000)
        assert wal._start_writing(file.fileno(), 0, 0, wal._SYNC_FILE_RANGE_WRITE) == 0
