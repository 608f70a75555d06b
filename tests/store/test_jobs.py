"""The jobs of the queue on a real PostgreSQL: who does them, and what becomes of those of processes
that are gone.
"""

import asyncio
import gc
import os
import subprocess
import sys
import threading
from collections import Counter
from contextlib import suppress
from types import SimpleNamespace

import psycopg
import pytest
from procrastinate.manager import JobManager

from svc.base.errors import StartRefused
from svc.store import database, wake
from svc.store.database import db
from svc.store.engine.jobs import Periodic, Service
from svc.store.postgres import jobs, queue, schema
from svc.store.postgres.jobs import Jobs, forget_old_jobs, make_connector, sweep
from tests.support.documents import ROOT
from tests.work.test_finished_files import until

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

    def __call__(self, *_) -> None:
        self._ran.release()

    def runs(self, times: int = 1) -> bool:
        """Wait until it has run so many times more."""
        return all(self._ran.acquire(timeout=PATIENCE) for _ in range(times))

    def has_run(self) -> bool:
        """Whether it has run more often than :meth:`runs` waited for."""
        return self._ran.acquire(blocking=False)


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


def test_a_task_that_takes_long_is_not_begun_again_meanwhile(address):
    may_end, slow, quick = threading.Event(), Task(), Task()
    tasks = [Periodic("slow", lambda: (slow(), may_end.wait(PATIENCE)), 1)]
    with Jobs(address, [*tasks, Periodic("quick", quick, 1)]):
        assert slow.runs() and quick.runs(3)
        assert not slow.has_run()
        may_end.set()
        assert slow.runs()


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
    return jobs.App(connector=make_connector(address, "test"))


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


LONG_AGO, NOT_YET = 3600, -3600  # the last sign of life, in seconds


@pytest.fixture
def at_once(monkeypatch):
    """A database that was started a moment ago counts as one that has run for long."""
    monkeypatch.setattr(jobs, "_STARTED", "SELECT false AS just, %(seconds)s")


def test_the_jobs_of_a_lost_process_are_ready_again_and_its_ticks_are_removed(address, at_once):
    ask(address, _BEGUN, LONG_AGO, ["steps", "ticks"])
    run(address, sweep)
    assert ask(address, _LEFT) == [("steps", "todo", 1)]
    assert ask(address, "SELECT count(*) FROM procrastinate_workers") == [(0,)]
    run(address, sweep)
    assert ask(address, _LEFT) == [("steps", "todo", 1)]


def test_a_process_that_gives_signs_keeps_its_jobs(address, at_once):
    ask(address, _BEGUN, NOT_YET, ["steps", "ticks"])
    run(address, sweep)
    assert ask(address, _LEFT) == [("steps", "doing", 0), ("ticks", "doing", 0)]


def test_after_a_start_of_the_database_nobody_counts_as_lost(address, monkeypatch):
    """Nobody could give a sign while it was away."""
    with psycopg.connect(address) as connection:
        for seconds, just in ((1_000_000, True), (0, False)):
            [(found,)] = connection.execute(jobs._STARTED, {"seconds": seconds}).fetchall()
            assert found == just
    ask(address, _BEGUN, LONG_AGO, ["steps"])
    monkeypatch.setattr(jobs, "_STARTED", "SELECT true AS just, %(seconds)s")
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
    assert queue.list_migrations()[-1] == LAST


@pytest.fixture
def opened(address, tmp_path):
    database.open_database(tmp_path / "service.db", address)
    yield address
    db.close()


_WAITING = """
    SELECT queue_name FROM procrastinate_jobs WHERE status = 'todo' AND queue_name <> 'ticks'
    ORDER BY id
"""


_BEGUN_ONES = "SELECT 1 FROM procrastinate_jobs WHERE status = 'doing'"


def tell(*queues: str | None, roll_back: bool = False) -> None:
    with db.transaction():
        for queue in queues:
            wake.wake_on_commit(lambda queue=queue: queue)
        if roll_back:
            raise LookupError


def test_a_job_is_committed_with_what_it_tells_of_and_not_without(opened):
    with db.transaction():
        wake.wake_on_commit(lambda: "steps.video")
        assert ask(opened, _WAITING) == []
    assert ask(opened, _WAITING) == [("steps.video",)]
    with pytest.raises(LookupError):
        tell("steps.script", roll_back=True)
    tell(None)
    tell()
    assert ask(opened, _WAITING) == [("steps.video",)]


def test_one_job_in_each_queue_is_enough_for_a_commit(opened):
    tell("steps.video", "steps.script", "steps.video")
    assert ask(opened, _WAITING) == [("steps.script",), ("steps.video",)]


def serving(address: str, run, queue: str = "steps.video", at_once: int = 1) -> Jobs:
    return Jobs(address, (), [Service("steps", [queue], run, at_once)])


def test_a_commit_starts_who_serves_its_queue_and_no_other(opened):
    first, second = Task(), Task()
    with serving(opened, first), serving(opened, second, "steps.script"):
        tell("steps.script")
        assert second.runs()
        tell("steps.video")
        assert first.runs()
    assert not first.has_run() and not second.has_run()
    assert ask(opened, _WAITING) == []


def test_one_connection_listens_for_all_workers_of_a_process(opened):
    """Two servers and two workers are to have fewer than forty connections."""
    ran = {name: Task() for name in ("steps.script", "steps.video", "publishing")}
    services = [Service(name, [name], run, 1) for name, run in ran.items()]
    with Jobs(opened, [Periodic("task", Task(), 1)], services):
        for name, run in ran.items():
            tell(name)
            assert run.runs()
        sql = """SELECT count(*) FILTER (WHERE query LIKE 'LISTEN%%'), count(*) <= 3
                 FROM pg_stat_activity
                 WHERE datname = current_database() AND application_name = 'jobs'"""
        assert ask(opened, sql) == [(1, True)]


def test_a_process_does_as_many_at_once_as_it_may(opened):
    both = threading.Barrier(2)
    ran = Task()
    with serving(opened, lambda _: (both.wait(PATIENCE), ran()), at_once=2):
        tell("steps.video")
        tell("steps.video")
        assert ran.runs(2)


def test_who_is_told_to_stop_waits_for_the_job_that_runs_and_records_its_end(opened):
    begun, may_end, ended = threading.Event(), threading.Event(), Task()
    service = Service("steps", ["steps.video"], lambda _: (begun.set(), may_end.wait(), ended()))
    working = Jobs(opened, [Periodic("task", Task(), 1)], [service])
    with working:
        tell("steps.video")
        assert begun.wait(PATIENCE)
        stopping = threading.Thread(target=working.__exit__)
        stopping.start()  # the worker of the other queue has ended long before
        sql = "SELECT count(*) FROM procrastinate_workers"
        until(lambda: ask(opened, sql) == [(1,)])
        may_end.set()
        stopping.join(PATIENCE)
        assert not stopping.is_alive() and ended.has_run()
    assert ask(opened, sql) == [(0,)] and ask(opened, _BEGUN_ONES) == []


def test_the_end_of_a_job_that_is_gone_is_no_error(opened, caplog):
    """As PostgreSQL was away while it ran, another process took it for lost and did it."""
    begun, may_end, again = threading.Semaphore(0), threading.Event(), Task()
    with serving(opened, lambda _: (begun.release(), may_end.wait(PATIENCE), again())):
        tell("steps.video")
        assert begun.acquire(timeout=PATIENCE)
        [(job,)] = ask(opened, "DELETE FROM procrastinate_jobs WHERE status = 'doing' RETURNING id")
        may_end.set()
        assert again.runs()
        tell("steps.video")
        assert again.runs()
    gc.collect()  # an error that nobody handled is logged with its task's end
    assert [each.message for each in caplog.records if each.name in ("asyncio", "svc.jobs")] == [
        f"the job call[{job}]() has ended, and was no longer of this process"
    ]


class Lasting:
    """Goes on until it may end, or its job is aborted."""

    def __init__(self):
        self.begun, self.may_end, self.was_aborted = (threading.Event() for _ in range(3))

    def __call__(self, is_aborted) -> None:
        self.begun.set()
        while not self.may_end.wait(0.01):
            if is_aborted():
                self.was_aborted.set()
                return


def test_who_begins_to_stop_takes_nothing_more_and_lives_on_for_what_runs(opened):
    """Otherwise the sweep of another one would take its job for lost."""
    lasting = Lasting()
    with serving(opened, lasting) as working:
        tell("steps.video")
        assert lasting.begun.wait(PATIENCE)
        working.begin_to_stop()
        tell("steps.video")
        sql = "UPDATE procrastinate_workers SET last_heartbeat = 'epoch' RETURNING 1"
        assert ask(opened, sql) == [(1,)]
        sql = "SELECT last_heartbeat > 'epoch' FROM procrastinate_workers"
        until(lambda: ask(opened, sql) == [(True,)])
        assert working._thread.is_alive()
        lasting.may_end.set()
        working._thread.join(PATIENCE)
    assert not working._thread.is_alive() and ask(opened, _WAITING) == [("steps.video",)]
    assert (
        ask(opened, _BEGUN_ONES) == [] and ask(opened, "SELECT 1 FROM procrastinate_workers") == []
    )


_OF_STEPS = "procrastinate_jobs WHERE queue_name <> 'ticks'"
_STATES = f"SELECT status::text FROM {_OF_STEPS}"


@pytest.mark.parametrize("stops", [False, True])
def test_an_aborted_job_ends_also_in_a_process_that_is_about_to_stop(opened, stops):
    lasting = Lasting()
    with serving(opened, lasting) as working:
        tell("steps.video")
        assert lasting.begun.wait(PATIENCE)
        if stops:
            working.begin_to_stop()
        [job] = [each for each in db.list_jobs() if each["queue"] != "ticks"]
        assert (job["status"], job["attempts"]) == ("doing", 0) and job["worker"]
        with db.transaction():
            assert db.abort_job(job["id"])
        assert lasting.was_aborted.wait(PATIENCE)
        until(lambda: ask(opened, _STATES) == [("aborted",)])


def retried(job_id: int) -> bool:
    with db.transaction():
        return db.retry_job(job_id)


def test_a_job_that_failed_or_whose_process_is_gone_is_retried(opened):
    ask(opened, _BEGUN, LONG_AGO, ["steps.script"])
    ask(opened, _BEGUN, NOT_YET, ["steps.video"])
    insert = "INSERT INTO procrastinate_jobs (queue_name, task_name, status) VALUES ('x', 'x', %s)"
    for status in ("failed", "todo", "aborted", "succeeded"):
        ask(opened, insert, status)
    assert [(job["queue"], job["status"]) for job in db.list_jobs()] == [
        ("steps.script", "stalled"),
        ("steps.video", "doing"),
        ("x", "failed"),
        ("x", "todo"),
        ("x", "aborted"),
    ]
    stalled, _, failed, waiting, aborted = (job["id"] for job in db.list_jobs())
    assert retried(stalled) and retried(failed)
    assert not retried(waiting) and not retried(aborted)
    assert [job["status"] for job in db.list_jobs()] == ["todo", "doing", "todo", "todo", "aborted"]


def test_a_periodic_job_is_not_retried_beside_the_next_one(opened):
    """The transaction goes on, so that whoever asked may say why."""
    insert = "INSERT INTO procrastinate_jobs (queue_name, task_name, queueing_lock, status) "
    for status in ("failed", "todo"):
        ask(opened, f"{insert} VALUES ('ticks', 'sweep', 'sweep', %s)", status)
    with db.transaction():
        assert not db.retry_job(db.list_jobs()[0]["id"])
        assert [job["status"] for job in db.list_jobs()] == ["failed", "todo"]


def test_who_is_told_to_stop_while_it_connects_ends(address, monkeypatch):
    connecting = threading.Event()

    async def configure(connection) -> None:
        connecting.set()
        await asyncio.sleep(0.5)

    monkeypatch.setattr(jobs, "_configure", configure)
    monkeypatch.setattr(jobs, "_END_SECONDS", 10.0)
    with at_work(address, Task()) as working:
        assert connecting.wait(PATIENCE)
    assert not working._thread.is_alive()


def test_who_is_told_to_stop_ends_though_a_cancellation_would_be_lost(address, monkeypatch):
    """``asyncio.wait_for`` of Python 3.11 loses one that comes as what it waits for is done."""
    begun, prune = threading.Event(), JobManager.prune_stalled_workers

    async def lose_cancellation(manager: JobManager, *seconds: float) -> list[int]:
        begun.set()
        with suppress(asyncio.CancelledError):
            while not working._stopping.is_set():
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.2)  # it would come here
        return await prune(manager, *seconds)

    monkeypatch.setattr(JobManager, "prune_stalled_workers", lose_cancellation)
    monkeypatch.setattr(jobs, "_END_SECONDS", 10.0)
    with at_work(address, Task()) as working:
        assert begun.wait(PATIENCE)
    assert not working._thread.is_alive()


def test_a_process_that_serves_nothing_leaves_jobs_to_others(opened):
    with serving(opened, Task(), at_once=0):
        tell("steps.video")
    assert ask(opened, _WAITING) == [("steps.video",)]


def look(address: str, **ready: int) -> list[tuple]:
    run(address, lambda context: jobs._look(lambda: Counter(ready), context))
    sql = "SELECT queue_name, count(*) FROM procrastinate_jobs WHERE status = 'todo' GROUP BY 1"
    return ask(address, f"{sql} ORDER BY 1")


def test_what_no_job_calls_for_is_called_for_and_nothing_twice(opened):
    assert look(opened) == []
    assert look(opened, video=2) == [("video", 2)]
    assert look(opened, script=1, video=2) == [("script", 1), ("video", 2)]
    assert look(opened, script=1, video=3) == [("script", 1), ("video", 3)]
    assert look(opened, video=1000) == [("script", 1), ("video", 20)]


def test_what_was_lost_is_called_for_by_a_tick(opened):
    ran, due = Task(), Counter({"steps.video": 1})
    service = Service("steps", ["steps.video"], lambda _: due.clear() or ran())
    with Jobs(opened, [Periodic("task", Task(), 60)], [service], lambda: Counter(due)):
        assert ran.runs()


def test_jobs_are_counted_by_queue_and_status_and_lost_ones_apart(opened):
    assert db.count_jobs() == []
    tell("steps.video")
    ask(opened, _BEGUN, NOT_YET, ["steps.script"])
    ask(opened, _BEGUN, LONG_AGO, ["ticks"])
    assert db.count_jobs() == [
        ("steps.script", "doing", 1),
        ("steps.video", "todo", 1),
        ("ticks", "doing", 1),
        ("ticks", "stalled", 1),
    ]


def test_procrastinates_own_command_line_lists_retries_and_cancels(opened, tmp_path):
    tell("steps.video")
    ask(opened, _BEGUN, LONG_AGO, ["steps.script"])
    [(lost,)] = ask(
        opened,
        "UPDATE procrastinate_jobs SET status = 'failed' WHERE status = 'doing' RETURNING id",
    )
    [(waiting,)] = ask(opened, "SELECT id FROM procrastinate_jobs WHERE status = 'todo'")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "procrastinate",
            "--app=svc.store.postgres.command_line.app",
            "shell",
        ],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "SVC_DATABASE_URL": opened, "SVC_DATA_DIR": str(tmp_path)},
        input=f"list_jobs status=failed\nretry {lost}\ncancel {waiting}\nexit\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert "steps.script" in done.stdout and "Traceback" not in done.stderr
    assert ask(opened, _LEFT) == [("steps.script", "todo", 1), ("steps.video", "cancelled", 0)]


def test_whether_postgres_accepts_connections_is_seen_without_an_account(address, postgres):
    stranger = address.replace("service@", "stranger:password@")
    assert schema.is_up(address) and schema.is_up(stranger)
    postgres.stop()
    try:
        assert not schema.is_up(address)
    finally:
        postgres.start()
    assert schema.is_up(stranger)
