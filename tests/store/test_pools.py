"""The connections of a process to PostgreSQL: how many there are, what waits for one, and what is
left to others while some wait for turns.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

import psycopg
import pytest
from support import plain_sql

from svc.base import outage
from svc.serving import gunicorn_config
from svc.store import database
from svc.store.database import Busy, db
from svc.store.engine.engine import THREADS
from svc.store.engine.jobs import Periodic, Service
from svc.store.postgres import engine, jobs, pool
from svc.work.worker import BESIDE_STEPS

pytestmark = pytest.mark.judges

ASKED = 40  # connections of two servers and two workers
SESSIONS = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted"


@pytest.fixture
def open_with(postgres, request, tmp_path):
    """Open a database for so many threads; its address."""
    address = postgres.make(f"db{abs(hash(request.node.name))}")

    def open_database(threads: int) -> str:
        database.open_database(tmp_path / "service.db", address, threads)
        return address

    yield open_database
    db.close()


@pytest.fixture
def watched(open_with):
    """The sessions of a database, seen from outside."""
    with psycopg.connect(open_with(THREADS), autocommit=True) as other:
        yield lambda statement=SESSIONS: other.execute(statement).fetchone()[0]


def until(happened) -> None:
    while not happened():
        pass  # pytest-timeout ends it


def most_at(threads: int, open_with, periodic=()) -> int:
    """Return how many connections a process with so many threads has at most."""
    address = open_with(threads)
    told, steps = [], [Service("steps", ["steps.video"], lambda is_aborted: None, 1)]
    with pytest.MonkeyPatch.context() as patched:
        real = jobs.PsycopgConnector.__init__

        def init(self, **settings):
            told.append(settings["max_size"])
            real(self, **settings)

        patched.setattr(jobs.PsycopgConnector, "__init__", init)
        with psycopg.connect(address, autocommit=True) as other, db.jobs(periodic, steps):
            until(
                lambda: (
                    told
                    and other.execute(
                        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"
                        " AND query LIKE 'LISTEN%'"
                    ).fetchone()
                )
            )
    return db._pool.max_size + db.shared()._pool.max_size + told[0] + 1  # that listens


def test_two_servers_and_two_workers_have_fewer_than_are_asked(open_with):
    assert gunicorn_config.threads == THREADS
    server = most_at(THREADS, open_with, [Periodic("tick", lambda: None, 60)])
    worker = most_at(1 + BESIDE_STEPS, open_with)
    assert 2 * server + 2 * worker < ASKED


def test_many_threads_share_a_few_connections(watched):
    go_on = threading.Event()

    def read() -> int:
        with db.snapshot():
            assert go_on.wait(60)
            return plain_sql.one("SELECT 1")[0]

    with ThreadPoolExecutor(30) as threads:
        reads = [threads.submit(read) for _ in range(30)]
        until(lambda: len(db._pool.in_use) == min(db._pool.max_size, 30))
        sessions = watched()
        go_on.set()
        assert [each.result() for each in reads] == [1] * 30
    assert sessions <= THREADS + THREADS // 4


def test_what_finds_all_connections_in_use_says_so(open_with, monkeypatch):
    open_with(3)
    with ExitStack() as taken:
        for _ in range(3):
            taken.enter_context(pool.borrow_connection(db._pool))
        monkeypatch.setattr(pool, "_PATIENCE", 0.001)
        with pytest.raises(db.Error, match="all 3 connections of this process") as failed:
            plain_sql.row("SELECT 1")
    assert outage.recognise(failed.value) is outage.DATABASE_BUSY
    monkeypatch.undo()
    assert plain_sql.one("SELECT 1")[0] == 1


def test_where_postgres_does_not_answer_no_thread_is_blamed(open_with, monkeypatch):
    address = open_with(3)
    with psycopg.connect(address, autocommit=True, dbname="postgres") as other:
        name = psycopg.conninfo.conninfo_to_dict(address)["dbname"]
        other.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        ended = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s"
        other.execute(ended, (name,))
        monkeypatch.setattr(pool, "_PATIENCE", 0.05)
        with pytest.raises(db.Error) as failed:
            plain_sql.row("SELECT 1")
        assert outage.recognise(failed.value) is outage.UNREACHABLE
        other.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")


def test_connections_that_nobody_needs_are_closed(postgres, tmp_path, monkeypatch):
    monkeypatch.setattr(pool, "IDLE_SECONDS", 0.01)
    address = postgres.make("idle")
    database.open_database(tmp_path / "service.db", address)
    try:
        with ExitStack() as taken:
            for _ in range(THREADS):
                taken.enter_context(pool.borrow_connection(db._pool))
        with psycopg.connect(address, autocommit=True) as other:
            until(lambda: other.execute(SESSIONS).fetchone()[0] == 2)  # one of each pool
    finally:
        db.close()


@pytest.fixture
def frozen(watched):
    """Another machine hangs with a turn; ``partner``: whose, or that of all."""
    with ExitStack() as hanging:

        def hang(partner: str | None) -> None:
            other = hanging.enter_context(closing(psycopg.connect(db._address)))
            other.execute(engine._lock_of(partner) if partner else engine._NEXT)

        yield hang


@pytest.mark.parametrize("turn", ["a", None])
def test_those_that_wait_for_a_turn_leave_connections_to_others(frozen, watched, turn):
    frozen(turn)

    def change() -> None:
        with db.transaction(partner=turn):
            plain_sql.execute("UPDATE meta SET value = value")

    with ThreadPoolExecutor(2 * THREADS) as threads:
        waiting = [threads.submit(change) for _ in range(2 * THREADS)]
        until(lambda: watched(WAITING) >= 3 or any(each.done() for each in waiting))
        for _ in range(50):
            assert plain_sql.one("SELECT 1")[0] == 1
            with db.transaction(in_turn=False):
                plain_sql.execute("UPDATE meta SET value = value WHERE name = 'clock'")
            with db.transaction(partner="b"):
                plain_sql.execute("UPDATE meta SET value = value WHERE name = 'clock'")
        assert watched(WAITING) == 3
        if turn:
            with pytest.raises(Busy), db.transaction(partner=turn, moment=0.001):
                pass
        watched(
            "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity "
            "WHERE state = 'idle in transaction'"
        )
        assert [each.result() for each in waiting] == [None] * 2 * THREADS


def test_what_waits_in_vain_for_a_turn_names_the_reason(frozen, watched, monkeypatch):
    frozen("a")
    turns = db._turns
    with ExitStack() as admitted:
        for _ in range(3):
            admitted.enter_context(turns.admit("a", 0))
        monkeypatch.setattr(engine, "_PATIENCE", 0.001)
        with pytest.raises(db.Error, match="3 of them for this one") as failed:
            with db.transaction(partner="a"):
                pass
    assert outage.recognise(failed.value) is outage.LOCKED
