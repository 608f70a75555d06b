"""Does the jobs of the queue: a worker of Procrastinate, in a thread with an event loop of its own.

Which process lives, and whose jobs are done again, is decided by PostgreSQL's clock alone.
"""

import asyncio
import contextlib
import functools
import json
import logging
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, LiteralString, TypeVar, cast

import psycopg
from procrastinate import App, JobContext, PsycopgConnector, SyncPsycopgConnector
from procrastinate.connector import Notify
from procrastinate.exceptions import ConnectorException, JobAborted
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager, get_channel_for_queues
from procrastinate.sql import queries
from procrastinate.worker import Worker
from psycopg.rows import dict_row

from svc.store.engine import jobs as store_jobs
from svc.store.engine.jobs import (
    BEAT_SECONDS,
    SILENT_SECONDS,
    TICKS,
    JobCount,
    ListedJob,
    Periodic,
    Ready,
    Service,
    format_cron,
)
from svc.store.postgres import keepalives, queue
from svc.store.postgres.pool import IDLE_SECONDS

_SWEEP_SECONDS = 5
_LOOK_SECONDS = 5.0  # between looks for jobs that no notification told of
_LAST_SECONDS = 1.0  # between signs of life of a worker that waits for its last jobs
_AT_ONCE = 4  # periodic tasks
_CALL = "call"  # the task of jobs that call for whoever serves their queue
_CALL_SECONDS = 1  # between looks whether something is ready that no job calls for
_CALLS = 20  # that wait in a queue because of such a look
_CONNECTIONS = 2  # of a process that does periodic tasks, beside the one that listens
_PATIENCE = 5  # seconds to connect
_AWAY_SECONDS = 10.0  # until a statement that finds no database is tried again
_AGAIN_SECONDS = 2.0
_END_SECONDS = 30.0  # for jobs that run when the process is to end
_KEPT_HOURS = 72  # what failed, so that an operator sees it
# Of a database that has just been started nobody could know that a process lives.
_STARTED = "SELECT now() - pg_postmaster_start_time() < make_interval(secs => %(seconds)s) AS just"

_T = TypeVar("_T")

log = logging.getLogger("svc.jobs")
logging.getLogger("procrastinate").setLevel(logging.WARNING)  # it tells of each job


class Connector(PsycopgConnector):
    """Procrastinate's connections, which outlive a restart of PostgreSQL.

    The original ends its worker, which then begins no other step until those that run have ended.
    A statement whose answer was lost is repeated, until ``ending`` is set: a job that was fetched
    for nothing is one token less, and comes back when the process has ended.
    """

    def __init__(self, ending: threading.Event, **settings: Any):
        super().__init__(**settings)
        self._ending = ending
        self._listeners: list[tuple[Collection[str], Notify]] = []

    async def execute_query_async(self, query: LiteralString, **arguments: Any) -> None:
        await self._repeat(super().execute_query_async, query, arguments)

    async def execute_query_one_async(
        self, query: LiteralString, **arguments: Any
    ) -> dict[str, Any]:
        return await self._repeat(super().execute_query_one_async, query, arguments)

    async def execute_query_all_async(
        self, query: LiteralString, **arguments: Any
    ) -> list[dict[str, Any]]:
        return await self._repeat(super().execute_query_all_async, query, arguments)

    async def listen_notify(self, on_notification: Notify, channels: Iterable[str]) -> None:
        """Call ``on_notification`` for what :meth:`listen` hears in ``channels``, until cancelled.

        The original has a connection for each worker, of which a server has five.
        """
        listener = (tuple(channels), on_notification)
        self._listeners.append(listener)
        try:
            await asyncio.Future[None]()
        finally:
            self._listeners.remove(listener)

    async def listen(self, channels: Iterable[str]) -> None:
        """Listen for all workers, and connect again where the original ends its worker.

        Until then jobs are found by the looks.
        """
        while True:
            try:
                await super().listen_notify(on_notification=self._hand_on, channels=channels)
            except ConnectorException as failure:
                log.warning("notifications of jobs are not heard: %s", failure.__cause__)
                await asyncio.sleep(_AGAIN_SECONDS)

    async def _hand_on(self, *, channel: str, payload: str) -> None:
        for channels, on_notification in list(self._listeners):
            if channel in channels:
                await on_notification(channel=channel, payload=payload)

    async def _repeat(
        self,
        execute: Callable[..., Awaitable[_T]],
        query: LiteralString,
        arguments: dict[str, Any],
    ) -> _T:
        while True:
            try:
                return await execute(query, **arguments)
            except ConnectorException as failure:
                is_away = isinstance(failure.__cause__, psycopg.OperationalError)
                if not is_away or self._ending.is_set():
                    raise
                log.warning("PostgreSQL is not to be reached: %s", failure.__cause__)
                await asyncio.sleep(_AGAIN_SECONDS)


class _Manager(JobManager):
    """Procrastinate's jobs, of which one may be gone when it ends.

    The original raises an error that nobody handles. A job is gone whose process was away for so
    long that it was taken for dead, or whose end was recorded before the answer was lost.
    """

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:
        try:
            await super().finish_job(job, status, delete_job)
        except ConnectorException as failure:
            if not isinstance(failure.__cause__, psycopg.errors.RaiseException):
                raise
            log.warning("the job %s has ended, and was no longer of this process", job.call_string)


def make_connector(
    address: str, name: str, ending: threading.Event | None = None, number: int = _CONNECTIONS
) -> Connector:
    """Return the connections of a process. ``name``: for ``pg_stat_activity``."""
    return Connector(
        ending or threading.Event(),
        conninfo=address,
        min_size=1,
        max_size=number,
        max_idle=IDLE_SECONDS,
        timeout=_AWAY_SECONDS,
        configure=_configure,
        kwargs={"connect_timeout": _PATIENCE, "application_name": name, **keepalives.OURS},
    )


async def _configure(connection: psycopg.AsyncConnection[Any]) -> None:
    await connection.execute(f"{keepalives.ITS}; SET search_path = {queue.SCHEMA}")
    await connection.commit()


# Without connections: it defers on those of our transactions.
_deferring = App(connector=SyncPsycopgConnector())


def defer(connection: psycopg.Connection[Any], queues: Iterable[str]) -> None:
    """Defer a job in each of the queues, with the transaction of a connection."""
    jobs = [_call_in(name) for name in queues]
    _deferring.job_manager.batch_defer_jobs(jobs, connection=connection)


def _call_in(name: str) -> Job:
    return Job(queue=name, task_name=_CALL, lock=None, queueing_lock=None)


_ALL_QUEUES = dict.fromkeys(("queue_name", "task_name", "status", "lock"))
_ALL_STALLED = {"queue": None, "task_name": None, "seconds_since_heartbeat": SILENT_SECONDS}


def count_jobs(connection: psycopg.Connection[Any]) -> list[JobCount]:
    """Return how many jobs there are, by queue and status. The connection is one of ours."""
    with connection.cursor(row_factory=dict_row) as cursor:
        queues = cursor.execute(queries["list_queues"], _ALL_QUEUES).fetchall()
        lost = cursor.execute(queries["select_stalled_jobs_by_heartbeat"], _ALL_STALLED).fetchall()
    counts = [
        JobCount(each["name"], status, number)
        for each in queues
        for status, number in sorted(json.loads(each["stats"]).items())
    ]
    stalled = Counter(each["queue_name"] for each in lost)
    return counts + [JobCount(name, "stalled", number) for name, number in stalled.items()]


_LIST = """
    SELECT job.id, job.queue_name AS queue, job.task_name AS task, job.worker_id AS worker,
    CASE WHEN job.status = 'doing' AND (worker.id IS NULL
    OR worker.last_heartbeat < now() - make_interval(secs => %(silent)s)) THEN 'stalled'
    ELSE CAST(job.status AS text) END AS status, job.attempts, job.abort_requested,
    CAST(EXTRACT(epoch FROM now() - (SELECT max(event.at) FROM procrastinate_events event
    WHERE event.job_id = job.id)) AS integer) AS seconds
    FROM procrastinate_jobs job LEFT JOIN procrastinate_workers worker ON worker.id = job.worker_id
    WHERE job.status <> 'succeeded' ORDER BY job.id
"""


def list_jobs(connection: psycopg.Connection[Any]) -> list[ListedJob]:
    """Return the jobs that have not succeeded. The connection is one of ours."""
    with connection.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(_LIST, {"silent": SILENT_SECONDS}).fetchall()
    return cast(list[ListedJob], rows)


def retry(connection: psycopg.Connection[Any], job_id: int) -> bool:
    """Make a job ready again with the transaction of a connection; return whether it could be.

    It must have failed, or have been begun by a process that is gone.
    """
    changes = dict.fromkeys(("new_priority", "new_queue_name", "new_lock"))
    try:
        with connection.transaction():  # so that the outer one can go on
            connection.execute(queries["retry_job"], {"job_id": job_id, "retry_at": None} | changes)
    except (psycopg.errors.RaiseException, psycopg.errors.IntegrityError):
        return False
    return True


def abort(connection: psycopg.Connection[Any], job_id: int) -> bool:
    """Abort a job with the transaction of a connection; return whether it had not ended."""
    # Its cancel_job_by_id gives booleans, which our connections write as numbers.
    answer = connection.execute("SELECT procrastinate_cancel_job_v1(%s, true, false)", (job_id,))
    return answer.fetchall()[0][0] is not None


class Jobs(store_jobs.Jobs):
    """The jobs of a process, in a thread of its own."""

    def __init__(
        self,
        address: str,
        periodic: Sequence[Periodic],
        services: Sequence[Service] = (),
        ready: Ready | None = None,
    ):
        self._address, self._periodic, self._ready = address, periodic, ready
        self._services = [service for service in services if service.at_once]
        self._stopping, self._ending = threading.Event(), threading.Event()
        self._workers: set[Worker] = set()  # used by the loop's thread alone
        # The jobs that were aborted while the workers were to stop, and heard of nothing more.
        self._aborted: set[int] = set()
        self._stop: Callable[[], None] = lambda: None
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)

    def __enter__(self) -> "Jobs":
        self._thread.start()
        return self

    def begin_to_stop(self) -> None:
        self._stopping.set()
        self._stop()

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self.begin_to_stop()
        self._thread.join(timeout=_END_SECONDS)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                asyncio.run(self._work())
            except asyncio.CancelledError:
                return
            except Exception as failure:
                log.warning("the queue of jobs is not to be reached yet: %r", failure)
            self._stopping.wait(_AGAIN_SECONDS)

    async def _work(self) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        connects = True

        def stop() -> None:
            # Workers are asked: a cancellation can be lost within a library, and they would go on.
            for worker in self._workers:
                worker.stop()  # type: ignore[no-untyped-call]
            if connects and task is not None:
                task.cancel()

        def stop_from_outside() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(stop)

        self._stop = stop_from_outside
        if self._stopping.is_set():
            return
        at_once = sum(service.at_once for service in self._services)
        loop.set_default_executor(ThreadPoolExecutor(at_once + _AT_ONCE + 1, "job"))
        number = _CONNECTIONS if self._periodic else 1
        connections = make_connector(self._address, "jobs", self._ending, number)
        app = self._app(connections)
        queues = [name for service in self._services for name in service.queues]
        channels = get_channel_for_queues([*queues, TICKS])
        async with contextlib.AsyncExitStack() as opened:
            # The app is closed also if it was cancelled while it connected: the tasks of an open
            # pool end by nothing else, and the loop would wait for them.
            opened.push_async_callback(app.close_async)
            await app.open_async()
            connects = False
            listening = asyncio.create_task(connections.listen(channels))
            opened.callback(listening.cancel)
            serving = [
                self._serve(app, each.name, each.queues, each.at_once) for each in self._services
            ]
            if self._periodic:
                serving.append(self._serve(app, TICKS, [TICKS], _AT_ONCE))
            await asyncio.gather(*serving, return_exceptions=True)

    async def _serve(self, app: App, name: str, queues: Sequence[str], at_once: int) -> None:
        """Do the jobs of some queues, until this is to stop."""
        while not self._stopping.is_set():
            worker = Worker(
                app,
                queues=list(queues),
                name=name,
                concurrency=at_once,
                fetch_job_polling_interval=_LOOK_SECONDS,
                update_heartbeat_interval=BEAT_SECONDS,
                stalled_worker_timeout=SILENT_SECONDS,
                delete_jobs="successful",
                install_signal_handlers=False,
            )
            self._workers.add(worker)
            lasting = asyncio.create_task(self._send_last_heartbeats(app, worker))
            try:
                await worker.run()  # type: ignore[no-untyped-call]
                why = "it gives no signs of life"
            except Exception as failure:
                why = repr(failure)  # it was taken for dead while it slept
            finally:
                self._workers.discard(worker)
                lasting.cancel()
            if not self._stopping.is_set():
                log.warning("the worker of %s ended, and begins anew: %s", name, why)
                await asyncio.sleep(_AGAIN_SECONDS)

    async def _send_last_heartbeats(self, app: App, worker: Worker) -> None:
        """Give signs of life, and look for aborted jobs, for a worker that is to stop and waits for
        its jobs: it does neither any more.
        """
        manager = app.job_manager
        while True:
            await asyncio.sleep(_LAST_SECONDS)
            if self._stopping.is_set() and worker.worker_id is not None:
                with contextlib.suppress(ConnectorException):
                    await manager.update_heartbeat(worker.worker_id)
                    self._aborted.update(await manager.list_jobs_to_abort_async())

    def _app(self, connections: Connector) -> App:
        """Return an app with all tasks; each run of the workers has its own."""
        app = App(connector=connections)
        app.job_manager = _Manager(connections)
        runs = {name: service.run for service in self._services for name in service.queues}

        # Not asynchronous, as such a task would be cancelled and its thread go on.
        def call(context: JobContext) -> None:
            def is_aborted() -> bool:
                return context.should_abort() or context.job.id in self._aborted

            runs[context.job.queue](is_aborted)
            if is_aborted():
                raise JobAborted

        app.task(name=_CALL, pass_context=True)(call)
        if self._ready is not None:
            look = functools.partial(_look, self._ready)
            _add_task(app, "call_for_what_is_ready", format_cron(_CALL_SECONDS), look)
        _add_task(app, "sweep", format_cron(_SWEEP_SECONDS), sweep)
        _add_task(app, "forget_old_jobs", format_cron(3600), forget_old_jobs)
        for task in self._periodic:
            _add_task(
                app,
                task.name,
                format_cron(task.seconds),
                functools.partial(_run, _skip_while_running(task.run)),
            )
        return app


async def _look(ready: Ready, context: JobContext) -> None:
    """Defer jobs where more is ready than jobs call for."""
    numbers = await asyncio.get_running_loop().run_in_executor(None, ready)
    if not numbers:
        return
    manager = context.app.job_manager
    waiting = await manager.list_queues_async(status=Status.TODO.value)
    there = {each["name"]: each["jobs_count"] for each in waiting}
    missing = [
        _call_in(name)
        for name, number in numbers.items()
        for _ in range(min(number, _CALLS) - there.get(name, 0))
    ]
    if missing:
        await manager.batch_defer_jobs_async(missing)


def _add_task(
    app: App, name: str, times: str, call: Callable[[JobContext], Coroutine[Any, Any, None]]
) -> None:
    """Add a periodic task."""

    async def run(context: JobContext, timestamp: int) -> None:
        await call(context)

    # Of a task that is late, one run is enough.
    task = app.task(name=name, queue=TICKS, queueing_lock=name, pass_context=True)(run)
    app.periodic(cron=times)(task)


def _skip_while_running(run: Callable[[], None]) -> Callable[[], None]:
    """Return ``run`` as a function that does nothing while it runs already: a slow task takes no
    more than one of the threads.
    """
    turn = threading.Lock()

    def once() -> None:
        if turn.acquire(blocking=False):
            try:
                run()
            finally:
                turn.release()

    return once


async def _run(run: Callable[[], None], context: JobContext) -> None:
    await asyncio.get_running_loop().run_in_executor(None, run)


async def sweep(context: JobContext) -> None:
    """Make the jobs of processes without signs of life ready again, and forget those processes.

    A periodic task that was lost is removed: the next one is deferred anyway.
    """
    manager: JobManager = context.app.job_manager
    [row] = await manager.connector.execute_query_all_async(_STARTED, seconds=SILENT_SECONDS)
    if row["just"]:
        return
    for job in await manager.get_stalled_jobs(seconds_since_heartbeat=SILENT_SECONDS):
        with contextlib.suppress(ConnectorException):  # another sweep was faster
            await _free(manager, job)
    await manager.prune_stalled_workers(SILENT_SECONDS)


async def _free(manager: JobManager, job: Job) -> None:
    if job.queue == TICKS:
        await manager.finish_job(job, Status.FAILED, delete_job=True)
    else:
        await manager.retry_job(job)
    log.warning("the job %s was lost with its process", job.call_string)


async def forget_old_jobs(context: JobContext) -> None:
    """Remove jobs that failed or were aborted some days ago; others are removed as they end."""
    await context.app.job_manager.delete_old_jobs(
        _KEPT_HOURS, include_failed=True, include_cancelled=True, include_aborted=True
    )
