"""A worker: a process that runs steps of productions for the servers on the same database and
bucket, and nothing else.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

from svc.adapters.storage import Storage
from svc.base import clock as wall_clock
from svc.base import outage, voices
from svc.base.errors import StartRefused
from svc.base.processes import compilation
from svc.base.processes.ending import Ending
from svc.base.settings import Settings
from svc.base.text.languages import FURTHER
from svc.domain import master_keys
from svc.domain.lifecycle import losses, render_queue, step_queues
from svc.domain.lifecycle.lifecycle import Claim
from svc.media.cache import Cache
from svc.store import wake
from svc.store.claims import Driver
from svc.store.database import db
from svc.store.engine.jobs import Service
from svc.work.delivery.dispatcher import WEBHOOKS
from svc.work.draining import Drain
from svc.work.driver_lock import DriverLock
from svc.work.machines import abilities, same_files, same_time
from svc.work.machines.presence import Presence
from svc.work.outages import Outages, guard_job
from svc.work.pipeline import DROP_SECONDS, Pipeline
from svc.work.step_process.running import Ran

log = logging.getLogger("svc.worker")

# The threads beside the steps that use the database: one looks after the steps, one gives signs of
# life.
BESIDE_STEPS = 2
_TIDY_SECONDS = 600.0
_LOOK_SECONDS = DROP_SECONDS  # between looks whether the claims of running steps hold


def require_shared(settings: Settings) -> None:
    """StartRefused: what workers share with servers is not set."""
    if not settings.database_url:
        raise StartRefused(
            "A worker needs SVC_DATABASE_URL: with SQLite, the server runs all steps itself, "
            "SVC_RENDER_WORKERS of them at the same time (docs/scale.md)"
        )
    if not settings.storage_url:
        raise StartRefused(
            "A worker needs SVC_STORAGE_URL: the files of productions come to it, and go, by "
            "a bucket"
        )


class Worker:
    """Runs ``steps`` steps at the same time until it is told to stop. The database is open."""

    def __init__(
        self,
        settings: Settings,
        steps: int,
        only: frozenset[str] = render_queue.STEP_NAMES,
        storage: Storage | None = None,
        clock: Callable[[], int] = wall_clock.now,
        steady: Callable[[], float] = time.monotonic,
    ):
        """``only``: the names of the steps that it may run; ``steady``: the clock by which running
        steps may go on when it is told to stop.

        StartRefused: the secret or the bucket is not the servers'.
        """
        same_files.require(settings, clock())
        self._settings, self._clock = replace(settings, render_workers=steps), clock
        self._only, self._can_run = only, abilities.list_abilities(settings, only)
        self._ring = ring = master_keys.open_ring(settings.secret, clock())
        self._storage = storage or Storage(settings, ring)
        # set by a signal handler: no step is begun any more; those that run are killed
        self._told, self._stopping = Ending(), Ending()
        self._drain = Drain(settings.drain_seconds, steady)
        self._outages = Outages(clock, self._stopping, Cache(settings.cache_dir).clear)
        self._tidied = time.monotonic()

    def begin_to_stop(self) -> None:
        """Begin to stop: no step is begun any more, and those that run may end within
        SVC_DRAIN_SECONDS. Then, or told again, they are killed, and free for others at once.
        Returns at once.
        """
        if self._told.is_set() or not self._drain.is_enabled:
            self._stopping.set()
        self._told.set()
        wake.wake_engine()

    def run(self, begin: Callable[[], None] = lambda: None) -> None:
        """Run steps until :meth:`begin_to_stop`. ``begin`` is called once it has started.

        StartRefused: another process works in the data directory, or the database was migrated by a
        newer release, so that this program cannot go on.
        """
        with _lock_data_dir(self._settings.data_dir):
            driver = Driver.start_at(db.place())
            self._outages.retry_until_written(same_time.require)
            with db.transaction():
                losses.release_earlier_boots(driver, self._clock())
            compilation.begin_compiling()
            self._driver, alarm = driver, wake.Alarm()
            self._presence = presence = Presence(self._clock, self._can_run, self._ring)
            self._pipeline = Pipeline(
                driver,
                self._settings,
                self._storage,
                self._clock,
                self._outages,
                self._can_run,
                self._tell,
            )
            try:
                self._outages.retry_until_written(
                    presence.start, driver, "worker", self._settings.render_workers
                )
                log.info(
                    "this worker runs up to %d steps at the same time: %s",
                    self._settings.render_workers,
                    self._names(),
                )
                begin()
                self._work(alarm)
            finally:
                self._pipeline.stop()
                presence.stop()
                alarm.close()
            if problem := presence.newer_schema:
                self._outages.raise_alert(outage.PROGRAM_OLD, problem)
                raise StartRefused(f"This worker ends. {problem}.")

    def _work(self, alarm: wake.Alarm) -> None:
        pipeline, queues = self._pipeline, step_queues.list_queues(self._can_run)
        steps = Service("steps", queues, pipeline.run_one, self._settings.render_workers)
        jobs = db.jobs((), [steps])
        with jobs or nullcontext(), self._drain.enable():
            while not self._stopping.is_set():
                if self._told.is_set() and self._drain.is_over(pipeline, jobs):
                    self._stopping.set()
                    break
                if jobs is None:
                    guard_job(self._outages, pipeline.claim_steps)()
                guard_job(self._outages, self._look)()
                alarm.wait(_LOOK_SECONDS)
            pipeline.begin_to_stop()

    def _look(self) -> None:
        if self._presence.newer_schema:
            self._stopping.set()
            return
        self._pipeline.drop_lost()
        self._pipeline.look_at_health()
        steps, sickness = self._settings.render_workers, self._pipeline.health.sickness
        self._presence.start(self._driver, "worker", steps, sickness)
        self._pipeline.make_room()
        self._outages.end_quiet_ones()
        if time.monotonic() - self._tidied > _TIDY_SECONDS:
            self._tidied = time.monotonic()
            self._pipeline.work_archives.forget_ended()

    def _tell(self, claim: Claim, ran: Ran | None) -> None:
        if ran is None:
            log.info("step dropped: it was cancelled, or is run elsewhere")
        else:
            log.info(
                "step %s %s in %.1f s", ran.step, type(ran.outcome).__name__.lower(), ran.seconds
            )
            guard_job(self._outages, self._tell_servers)()

    def _tell_servers(self) -> None:
        """Have a server send the webhooks of the step at once."""
        with db.transaction(durable=False, in_turn=False):
            db.announce(lambda: WEBHOOKS)

    def _names(self) -> str:
        lacks = "".join(
            f", without {voices.TITLES[model]}"
            for model in voices.OPTIONAL
            if model not in self._can_run
        )
        also = "".join(f", also in {code}" for code in FURTHER if code in self._can_run)
        return (
            ("all" if self._only >= render_queue.STEP_NAMES else ", ".join(sorted(self._only)))
            + lacks
            + also
        )


@contextmanager
def _lock_data_dir(data_dir: Path) -> Iterator[None]:
    """Hold the lock of the data directory, in which the folders of running steps are."""
    with DriverLock(data_dir) as lock:
        if not lock.take():
            raise StartRefused(
                f"{data_dir} belongs to a server or worker that runs: give each one a "
                "SVC_DATA_DIR of its own"
            )
        yield
