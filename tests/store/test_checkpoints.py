"""The WAL is brought home while others write, and does not grow for ever."""

from svc.store import database

MIB = 1 << 20


def test_the_wal_stays_bounded_under_a_load_that_never_pauses(tmp_path):
    path = tmp_path / "service.db"
    database.open_database(path)
    wal = path.with_name("service.db-wal")
    largest = 0
    for number in range(2400):
        with database.write(durable=False):
            database.execute("INSERT INTO meta VALUES (?, ?)", (f"n{number}", "x" * 60_000))
        largest = max(largest, wal.stat().st_size)
    assert 20 * MIB < largest < 80 * MIB  # some 150 MiB were written, 25 between two checkpoints
    assert path.stat().st_size > 20 * MIB
    assert database.row("PRAGMA integrity_check")[0] == "ok"
    database.close_database()


def test_closing_ends_the_thread_and_leaves_no_wal(tmp_path):
    path = tmp_path / "service.db"
    database.open_database(path)
    for number in range(500):
        with database.write(durable=False):
            database.execute("INSERT INTO meta VALUES (?, 'x')", (f"n{number}",))
    thread = database._checkpointer._thread
    database.close_database()
    assert not thread.is_alive() and not path.with_name("service.db-wal").exists()
