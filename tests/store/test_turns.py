"""Threads take turns on the one connection: what one has not committed, no other sees."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support import plain_sql

from svc.store.database import db

pytestmark = pytest.mark.sqlite("of PostgreSQL, each thread has a connection of its own")


class Watched:
    """A lock that says when a thread has to wait for it."""

    def __init__(self, lock):
        self._lock, self.waited_for = lock, threading.Event()

    def acquire(self):
        if not self._lock.acquire(blocking=False):
            self.waited_for.set()
            self._lock.acquire()

    def release(self):
        self._lock.release()

    def __enter__(self):
        self.acquire()

    def __exit__(self, *_):
        self.release()


def test_nobody_reads_what_another_thread_has_not_committed(app, monkeypatch):
    lock, found = Watched(db.turn), []
    monkeypatch.setattr(db, "turn", lock)

    def read():
        found.append(plain_sql.row("SELECT value FROM meta WHERE name = 'half'"))
        lock.waited_for.set()

    reader = threading.Thread(target=read)
    with pytest.raises(ZeroDivisionError), db.transaction():
        plain_sql.execute("INSERT INTO meta VALUES ('half', 'x')")
        reader.start()
        assert lock.waited_for.wait(60) and not found
        raise ZeroDivisionError
    reader.join()
    assert found == [None]


@pytest.fixture
def disk(app, monkeypatch):
    """What happened to the disk and what was told, in order."""
    happened = []
    really = db._sync._sync
    monkeypatch.setattr(db._sync, "_sync", lambda: happened.append("on the disk") or really())
    tell(happened, "of what was written before anybody looked")
    happened.clear()
    return happened


def tell(happened: list, what: str) -> None:
    with db.transaction():
        db.on_durable(lambda: happened.append(what))


def test_what_is_on_the_disk_is_told_of_at_once(disk):
    with db.transaction():
        plain_sql.execute("INSERT INTO meta VALUES ('an event', 'x')")
    with db.transaction(durable=False):
        plain_sql.execute("INSERT INTO meta VALUES ('no matter', 'x')")
    tell(disk, "told")
    assert disk == ["on the disk", "told", "on the disk"]


def test_what_may_not_be_on_the_disk_is_told_of_afterwards(disk):
    with db.snapshot():  # another thread has committed, and waits for the disk
        promised = db._sync.promise()
    tell(disk, "told")
    assert disk == ["on the disk", "told"]
    db._sync.wait(promised)
    assert disk == ["on the disk", "told"]


def test_what_another_process_wrote_is_told_of_afterwards_once(disk):
    insert = (
        "import sys; from svc.store.engine.sqlite_driver import sqlite3; "
        "c = sqlite3.connect(sys.argv[1]); "
        "c.execute(\"INSERT INTO meta VALUES ('theirs', 'x')\"); c.commit()"
    )
    command = [sys.executable, "-c", insert, str(db.path())]
    subprocess.run(command, check=True, cwd=Path(__file__).parents[2], timeout=60)
    tell(disk, "told")
    assert disk == ["on the disk", "told"]
    tell(disk, "told again")
    assert disk == ["on the disk", "told", "told again", "on the disk"]


def test_nobody_is_told_of_what_is_undone(disk):
    with pytest.raises(ZeroDivisionError), db.transaction():
        db.on_durable(lambda: disk.append("told"))
        raise ZeroDivisionError
    assert disk == []
