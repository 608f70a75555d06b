"""Threads take turns on the one connection: what one has not committed, no other sees."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from svc.store import database


def test_nobody_reads_what_another_thread_has_not_committed(app):
    found = []
    reader = threading.Thread(target=lambda: found.append(database.row("SELECT value FROM meta WHERE name = 'half'")))
    with pytest.raises(ZeroDivisionError), database.write():
        database.execute("INSERT INTO meta VALUES ('half', 'x')")
        reader.start()
        reader.join(timeout=0.05)
        assert reader.is_alive() and not found
        raise ZeroDivisionError
    reader.join()
    assert found == [None]


@pytest.fixture
def syncs(app, monkeypatch):
    """How often the write-ahead log was brought to the disk."""
    made = []
    really = database._sync._sync
    monkeypatch.setattr(database._sync, "_sync", lambda: made.append(1) or really())
    with database.write(durable=False, told=True):
        pass  # what was written before anybody looked
    made.clear()
    return made


def note(name: str, **how) -> None:
    with database.write(**how):
        database.execute("INSERT INTO meta VALUES (?, 'x')", (name,))


def test_who_tells_of_what_is_on_the_disk_waits_for_nothing(syncs):
    note("asked for")
    assert len(syncs) == 1
    note("told", durable=False, told=True)
    note("not asked for", durable=False)
    note("told again", durable=False, told=True)
    assert len(syncs) == 1


def test_who_tells_of_what_may_not_be_on_the_disk_waits_for_it(syncs):
    with database.turn():  # another thread has committed, and waits for the disk
        promised = database._sync.promise()
    assert database._sync.is_behind()
    note("told", durable=False, told=True)
    assert len(syncs) == 1 and not database._sync.is_behind()
    database._sync.wait(promised)
    assert len(syncs) == 1


def test_who_tells_of_what_another_process_wrote_waits_for_it_once(syncs):
    insert = (
        "import sys; from svc.store.database import peewee; c = peewee.sqlite3.connect(sys.argv[1]);"
        "c.execute(\"INSERT INTO meta VALUES ('theirs', 'x')\"); c.commit()"
    )
    command = [sys.executable, "-c", insert, database.database.database]
    subprocess.run(command, check=True, cwd=Path(__file__).parents[2], timeout=60)
    for _ in range(2):
        with database.write(durable=False, told=True):
            assert database.row("SELECT value FROM meta WHERE name = 'theirs'")
        assert len(syncs) == 1
