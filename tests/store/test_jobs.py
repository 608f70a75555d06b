"""The jobs of the queue on a real PostgreSQL: who does them, and what becomes of those of processes
that are gone.
"""

import asyncio
import threading
from types import SimpleNamespace

import psycopg
import pytest

from svc.base.errors import StartRefused
from svc.store.jobs import Periodic
from svc.store.postgres import jobs, queue, schema
from svc.store.postgres.jobs import Jobs, connector, forget_old_jobs, sweep

pytestmark = pytest.mark.judges

PATIENCE = 60  # seconds, never reached
LAST = "03.04.00_50_post_add_retry_failed_job_procedure.sql"


@pytest.fixture
def address(postgres, request):
    address = postgres.make(f"db{abs(hash(request.node.name))}")
    schema.prepare(address)
    return address


def ask(address: str, statement: str, *parameters) -> list[tuple]:
    with psycopg.connect(address, options="-c search_path=public,service,queue") as connection:
        cursor = connection.execute(statement, parameters)
        return cursor.fetchall() if cursor.description else []


class Task:
    """Counts its runs."""

    def __init__(self):
        self._ran = threading.Semaphore(0)

    def __call__(self) -> None:
        self._ran.release()

    def runs(self, times: int = 1) -> bool:
        """Wait until it has run so many times more."""
        return all(self._ran.acquire(timeout=PATIENCE) for _ in range(times))


def at_work(address: str, task) -> Jobs:
    return Jobs(address, [Periodic("task", task, 1)])


def test_each_process_does_what_is_due_while_the_others_do_not(address):
    first, second = Task(), Task()
    with at_work(address, second):
        with at_work(address, first):
            assert second.runs()
        assert second.runs(2)  # the first one has left
    assert ask(address, "SELECT count(*) FROM procrastinate_workers") == [(0,)]
    with at_work(address, first):
        assert first.runs(2)


def test_of_two_at_work_one_does_each_task_when_it_is_due(address):
    first, second, together = Task(), Task(), Task()
    with (
        at_work(address, lambda: first() or together()),
        at_work(address, lambda: second() or together()),
    ):
        assert together.runs(4)
    sql = "SELECT max(defer_timestamp) - min(defer_timestamp) FROM procrastinate_periodic_defers"
    assert ask(address, f"{sql} WHERE task_name = 'task'") == [(0,)]  # a row for the latest alone


def test_a_task_that_fails_is_done_again_when_it_is_due(address):
    ran = Task()

    def fail() -> None:
        ran()
        raise LookupError

    with at_work(address, fail):
        assert ran.runs(2)
    sql = "SELECT DISTINCT status::text FROM procrastinate_jobs WHERE task_name = 'task'"
    assert ("failed",) in ask(address, sql)


def test_a_restart_of_postgres_ends_no_worker(address, postgres):
    ran = Task()
    with at_work(address, ran):
        assert ran.runs()
        [(before,)] = ask(address, "SELECT id FROM procrastinate_workers")
        postgres.stop()
        postgres.start()
        assert ran.runs(3)
        assert ask(address, "SELECT id FROM procrastinate_workers") == [(before,)]


def context(address: str):
    """What a task of the queue is given."""
    return jobs.App(connector=connector(address, "test"))


def run(address: str, task) -> None:
    async def opened() -> None:
        async with context(address).open_async() as app:
            await task(SimpleNamespace(app=app))

    asyncio.run(opened())


_BEGUN = """
    WITH gone AS (
        INSERT INTO procrastinate_workers (last_heartbeat)
        VALUES (now() - make_interval(secs => %s)) RETURNING id
    )
    INSERT INTO procrastinate_jobs (queue_name, task_name, status, worker_id)
    SELECT name, name, 'doing', id FROM gone, unnest(%s::text[]) AS name
"""
_LEFT = "SELECT queue_name, status::text, attempts FROM procrastinate_jobs ORDER BY queue_name"


@pytest.fixture
def at_once(monkeypatch):
    """A database that was started a moment ago counts as one that has run for long."""
    monkeypatch.setattr(jobs, "_STARTED", "SELECT false AS just, %(seconds)s")


def test_the_jobs_of_a_lost_process_are_ready_again_and_its_ticks_are_removed(address, at_once):
    ask(address, _BEGUN, 11, ["steps", "ticks"])
    run(address, sweep)
    assert ask(address, _LEFT) == [("steps", "todo", 1)]
    assert ask(address, "SELECT count(*) FROM procrastinate_workers") == [(0,)]
    run(address, sweep)
    assert ask(address, _LEFT) == [("steps", "todo", 1)]


def test_a_process_that_gives_signs_keeps_its_jobs(address, at_once):
    ask(address, _BEGUN, 9, ["steps", "ticks"])
    run(address, sweep)
    assert ask(address, _LEFT) == [("steps", "doing", 0), ("ticks", "doing", 0)]


def test_after_a_start_of_the_database_nobody_counts_as_lost(address, postgres):
    """Nobody could give a sign while it was away."""
    ask(address, _BEGUN, 3600, ["steps"])
    postgres.stop()
    postgres.start()
    run(address, sweep)
    assert ask(address, _LEFT) == [("steps", "doing", 0)]


def test_a_worker_that_was_taken_for_dead_while_it_slept_registers_again(address):
    ran = Task()
    with at_work(address, ran):
        assert ran.runs()
        ask(address, "DELETE FROM procrastinate_workers")
        assert ran.runs(2)
        assert len(ask(address, "SELECT id FROM procrastinate_workers")) == 1


def test_failed_jobs_are_kept_for_three_days(address):
    sql = """
        WITH job AS (
            INSERT INTO procrastinate_jobs (queue_name, task_name, status)
            VALUES (%s, 'task', 'failed') RETURNING id
        )
        INSERT INTO procrastinate_events (job_id, type, at)
        SELECT id, 'failed', now() - make_interval(hours => %s) FROM job
    """
    for name, hours in (("old", 73), ("young", 71)):
        ask(address, sql, name, hours)
    run(address, forget_old_jobs)
    assert ask(address, "SELECT queue_name FROM procrastinate_jobs") == [("young",)]


def test_a_database_of_a_release_without_a_queue_gets_one(address):
    ask(address, "DROP SCHEMA queue CASCADE")
    schema.prepare(address)
    assert ask(address, "SELECT count(*) FROM queue.procrastinate_jobs") == [(0,)]
    ask(address, "COMMENT ON SCHEMA queue IS '99.00.00_01_pre_of_later.sql'")
    with pytest.raises(StartRefused, match="99.00.00_01_pre_of_later"):
        schema.prepare(address)


def test_the_pinned_release_has_no_migrations_that_nobody_has_looked_at():
    """A newer one may want its workers stopped between two of them: then say so in the changelog,
    and see to it that ``queue.prepare`` does the second one later.
    """
    assert queue.migrations()[-1] == LAST
