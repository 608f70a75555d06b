"""Threads take turns on the one connection: what one has not committed, no other sees."""

import threading

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
