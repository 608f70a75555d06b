"""Does the jobs of the queue: a worker of Procrastinate, in a thread with an event loop of its own.

Which process lives, and whose jobs are done again, is decided by PostgreSQL's clock alone.
"""

import asyncio
import contextlib
import functools
import logging
import threading
from collections.abc import Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
from procrastinate import App, JobContext, PsycopgConnector
from procrastinate.connector import Notify
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager

from svc.store.jobs import Periodic, cron
from svc.store.postgres import keepalives, queue

TICKS = "ticks"  # the queue of periodic tasks
BEAT_SECONDS = 3.0  # between signs of life
SILENT_SECONDS = 10.0  # without a sign of life after which a process has lost its jobs
_SWEEP_SECONDS = 5
_LOOK_SECONDS = 5.0  # between looks for jobs that no notification told of
_AT_ONCE = 4  # periodic tasks
_CONNECTIONS = 3  # beside the one that listens
_PATIENCE = 5  # seconds to connect
_AWAY_SECONDS = 3600.0  # for which the database may be away before the worker begins anew
_AGAIN_SECONDS = 2.0
_END_SECONDS = 30.0  # for jobs that run when the process is to end
_KEPT_HOURS = 72  # what failed, so that an operator sees it
# Of a database that has just been started nobody could know that a process lives.
_STARTED = "SELECT now() - pg_postmaster_start_time() < make_interval(secs => %(seconds)s) AS just"

log = logging.getLogger("svc.jobs")
logging.getLogger("procrastinate").setLevel(logging.WARNING)  # it tells of each job


class Connector(PsycopgConnector):
    """Procrastinate's connections, which outlive a restart of PostgreSQL."""

    async def listen_notify(self, on_notification: Notify, channels: Iterable[str]) -> None:
        """Listen, and connect again where the original ends its worker.

        Until then jobs are found by the looks.
        """
        while True:
            try:
                await super().listen_notify(on_notification=on_notification, channels=channels)
            except ConnectorException as failure:
                log.warning("notifications of jobs are not heard: %s", failure.__cause__)
                await asyncio.sleep(_AGAIN_SECONDS)


def connector(address: str, name: str) -> Connector:
    """Return the connections of a process. ``name``: for ``pg_stat_activity``."""
    return Connector(
        conninfo=address,
        min_size=1,
        max_size=_CONNECTIONS,
        timeout=_AWAY_SECONDS,
        configure=_configure,
        kwargs={"connect_timeout": _PATIENCE, "application_name": name, **keepalives.OURS},
    )


async def _configure(connection: psycopg.AsyncConnection[Any]) -> None:
    await connection.execute(f"{keepalives.ITS}; SET search_path = {queue.SCHEMA}")
    await connection.commit()


class Jobs:
    """A context manager: inside it this process does jobs as they come."""

    def __init__(self, address: str, periodic: Sequence[Periodic]):
        self._address, self._periodic = address, periodic
        self._stopping = threading.Event()
        self._cancel: Callable[[], None] = lambda: None
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)

    def __enter__(self) -> "Jobs":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take no further jobs, and wait for those that run."""
        self._stopping.set()
        self._cancel()
        self._thread.join(timeout=_END_SECONDS)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                asyncio.run(self._work())
            except asyncio.CancelledError:
                return
            except Exception as failure:
                # it was taken for dead while it slept, or the database was away for long
                log.warning("the worker of the queue ended and begins anew: %r", failure)
            self._stopping.wait(_AGAIN_SECONDS)

    async def _work(self) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def cancel() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                if task is not None:
                    loop.call_soon_threadsafe(task.cancel)

        self._cancel = cancel
        if self._stopping.is_set():
            return
        loop.set_default_executor(ThreadPoolExecutor(_AT_ONCE + 1, "job"))
        async with self._app().open_async() as app:
            await app.run_worker_async(
                queues=[TICKS],
                name=TICKS,
                concurrency=_AT_ONCE,
                fetch_job_polling_interval=_LOOK_SECONDS,
                update_heartbeat_interval=BEAT_SECONDS,
                stalled_worker_timeout=SILENT_SECONDS,
                delete_jobs="successful",
                install_signal_handlers=False,
            )

    def _app(self) -> App:
        """Return an app with all tasks; each run of a worker has its own."""
        app = App(connector=connector(self._address, "jobs"))
        _add(app, "sweep", cron(_SWEEP_SECONDS), sweep)
        _add(app, "forget_old_jobs", cron(3600), forget_old_jobs)
        for task in self._periodic:
            _add(app, task.name, cron(task.seconds), functools.partial(_call, task.run))
        return app


def _add(
    app: App, name: str, times: str, call: Callable[[JobContext], Coroutine[Any, Any, None]]
) -> None:
    """Add a periodic task."""

    async def run(context: JobContext, timestamp: int) -> None:
        await call(context)

    # Of a task that is late, one run is enough.
    task = app.task(name=name, queue=TICKS, queueing_lock=name, pass_context=True)(run)
    app.periodic(cron=times)(task)


async def _call(run: Callable[[], None], context: JobContext) -> None:
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
