"""The engine: holds the lock on the data directory and drives all work, by APScheduler's ticks and
by wake-ups.

Where several servers share the database, each of them does so, and what one of them is to do for
all is a periodic task of the queue.
"""

import logging
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler

from svc.adapters import addresses
from svc.adapters.deadline import Deadline
from svc.adapters.http import Sender
from svc.adapters.storage import Storage
from svc.adapters.transfers import Transfers
from svc.base import clock as wall_clock
from svc.base import outage
from svc.base.crypto.signing import KeyRing
from svc.base.processes import compilation
from svc.base.settings import Settings
from svc.domain import file_removal
from svc.domain.access import rotation
from svc.domain.briefing import batches
from svc.domain.lifecycle import (
    batch_endings,
    clock_jump,
    endings,
    losses,
    step_queues,
    title_words,
)
from svc.domain.monitoring import backlog, engine_heartbeat, metrics, readiness, workers
from svc.domain.partners import disk_quota, sensitivity_rules
from svc.domain.productions import (
    expiry_events,
    publication_queues,
    publications,
    release_reminders,
)
from svc.domain.usage.model_costs import Prices
from svc.domain.webhooks import outbox, usage_thresholds
from svc.media.cache import Cache
from svc.platforms.connected import Tools
from svc.store import claims, meta, newer_schema, upkeep, wake
from svc.store.database import db
from svc.store.engine.jobs import Periodic, Service
from svc.store.newer_schema import ProgramOld
from svc.work import daily_jobs
from svc.work.alert_sending import AlertSender
from svc.work.backup.schedule import Backups
from svc.work.backup.shipping import Shipping
from svc.work.clock_watch import ClockWatch
from svc.work.delivery.dispatcher import WEBHOOKS, Dispatcher
from svc.work.draining import Drain
from svc.work.driver_lock import DriverLock
from svc.work.files import bucket_owner
from svc.work.files.removal import Remover
from svc.work.files.uploads import Uploads
from svc.work.machines import abilities, same_time
from svc.work.machines.lost_processes import Watch
from svc.work.machines.presence import Presence
from svc.work.outages import AGAIN_SECONDS, Outages, guard_job
from svc.work.pipeline import DROP_SECONDS, Pipeline
from svc.work.publishing import counting
from svc.work.publishing.publisher import WORKERS, WORKERS_AT_PLACES, Publisher
from svc.work.self_check import SelfCheck
from svc.work.ticking import Interval

log = logging.getLogger("svc.engine")

_NO_ROOM = 256 * 1024  # bytes
_CANCEL_SECONDS = 5.0  # how long one tick waits for a killed step to end


@dataclass(frozen=True)
class Tick:
    """What is due every so many ``seconds``. ``for_all``: one of the processes on the database does
    it for all of them; ``at_once``: it is also due at the start.
    """

    job: Callable[[], None]
    seconds: float
    for_all: bool = False
    at_once: bool = False

    @property
    def name(self) -> str:
        # It is also the name of a task in the queue that releases side by side share: a job whose
        # name changes is unknown to the other one.
        return self.job.__name__.strip("_")


class Engine:
    """The engine of one serving process.

    Only the holder of the lock works; the others wait to take over.
    """

    def __init__(
        self,
        settings: Settings,
        storage: Storage,
        ring: KeyRing,
        clock: Callable[[], int] = wall_clock.now,
        steady: Callable[[], float] = time.monotonic,
    ):
        """``steady``: the clock by which running steps may go on when the engine is to stop."""
        self._settings, self._storage, self._ring, self._clock = settings, storage, ring, clock
        # Once told, the engine begins no step or publication any more; what runs is given back.
        self._told, self._stopping = threading.Event(), threading.Event()
        self._drain = Drain(settings.drain_seconds, steady)
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._dispatcher: Dispatcher | None = None
        self._outages = Outages(clock, self._stopping, Cache(settings.cache_dir).clear)
        self._can_run = abilities.list_abilities(settings)
        self._sender = AlertSender(settings.alert_urls, clock)
        self._presence = Presence(clock, self._can_run, ring)
        self._remover = Remover(storage.files, Uploads(storage.files, settings.assets_dir))
        self._timekeeper, self._self_check = (
            ClockWatch(clock),
            SelfCheck(settings, clock, storage.files.find_problem),
        )

    def start(self) -> None:
        """Begin to wait for the lock; returns at once."""
        self._thread.start()

    def begin_to_stop(self) -> None:
        """Begin to stop: no step and no publication is begun any more. Running steps may end within
        SVC_DRAIN_SECONDS; then they are released, as everything else is. Returns at once.

        Until then, webhooks are sent, cancels are followed, and ticks go on.
        """
        if not self._drain.is_enabled:
            self._stopping.set()
        self._told.set()
        wake.wake_engine()

    def drain(self, alive: Callable[[], None]) -> None:
        """Begin to stop, and return when that is done, or should be.

        ``alive``: called about once a second until then.
        """
        self.begin_to_stop()
        until = time.monotonic() + self._settings.drain_seconds
        while self._thread.is_alive() and time.monotonic() < until:
            alive()
            self._thread.join(1.0)

    def stop(self) -> None:
        """Release running work and the lock at once; returns when that is done."""
        self._stopping.set()
        self.begin_to_stop()
        if self._thread.ident is not None:  # where SVC_ENGINE is off it was never started
            self._thread.join(timeout=30)

    def _run(self) -> None:
        driver = claims.Driver.start_at(db.place())
        with DriverLock(self._settings.data_dir) as lock, ExitStack() as at_the_end:
            at_the_end.callback(self._presence.stop)
            while not self._stopping.is_set():
                try:
                    if not lock.take():
                        self._stopping.wait(1.0)
                        continue
                    same_time.require()
                    newer_schema.require_known(meta.read_text("oldest_program"))
                    self._ring.require_complete()
                    if self._dispatcher is None:
                        self._dispatcher = self._begin(driver, at_the_end)
                    self._drive()
                except Exception as failure:
                    # retried here: as this process holds the lock, no other one can
                    if (trouble := self._outages.record_failure(failure)) is None:
                        log.exception("the engine failed and is started again")
                    self._sender.send_outages_beside(self._outages)
                    if trouble is outage.PROGRAM_OLD:
                        self._outages.raise_alert(trouble, failure)
                        return  # for good: readiness says so, and the release must be another
                    self._stopping.wait(AGAIN_SECONDS)

    def _begin(self, driver: claims.Driver, at_the_end: ExitStack) -> Dispatcher:
        """Begin with what goes on until the process ends, whatever fails meanwhile."""
        self._recover(driver)
        self._driver, self._is_shared = driver, bool(driver.place)
        self._watch = Watch(clock=self._clock, own=driver.boot)
        self._alarm = wake.Alarm()
        at_the_end.callback(self._alarm.close)
        sender = Sender(self._settings.webhook_allow_cidrs)
        number = self._settings.webhook_workers
        dispatcher = Dispatcher(driver, sender, self._ring, workers=number, clock=self._clock)
        at_the_end.callback(dispatcher.stop)
        return dispatcher

    def _drive(self) -> None:
        """Drive until this process is to stop, or fails."""
        compilation.begin_compiling()
        self._declare()
        driver = self._driver
        self._presence.start(driver, "driver", self._settings.render_workers)
        known = clock_jump.read_stored_difference(self._timekeeper.boot)
        self._timekeeper.resume(known)
        if known is None:
            clock_jump.doubt_first_time(self._clock())
        self._pipeline = Pipeline(
            driver, self._settings, self._storage, self._clock, self._outages, self._can_run
        )
        allowed = self._settings.webhook_allow_cidrs
        tools = Tools(Transfers(allowed), allowed, addresses.look_up, self._clock)
        self._publisher = Publisher(
            driver, self._storage, self._clock, self._outages, self._ring, tools
        )
        self._shipping = Shipping(self._settings, self._clock)
        with ExitStack() as ends:
            for part in (self._shipping, self._publisher, self._pipeline):
                ends.callback(part.stop)
            scheduler = self._schedule(ends)
            ends.enter_context(self._drain_on_stop())
            log.info("this process runs the engine")
            while not self._is_over():
                if self._alarm.wait(1.0) and not self._stopping.is_set():
                    self._run_jobs()
                if jump := self._timekeeper.notice_jump():
                    self._follow(jump, scheduler)
                if problem := self._presence.newer_schema:
                    raise ProgramOld(problem)
                self._ring.require_complete()

    @contextmanager
    def _drain_on_stop(self) -> Iterator[None]:
        """Inside it, whoever tells the engine to stop lets running steps end."""
        with self._drain.enable():
            try:
                yield
            finally:
                if self._told.is_set():
                    self._stopping.set()

    def _is_over(self) -> bool:
        """Return whether this process is to release its work."""
        if self._told.is_set() and not self._stopping.is_set():
            self._publisher.begin_to_drain()
            if not self._drain.is_over(self._pipeline, self._jobs):
                return False
            guard_job(self._outages, self._cancel)()  # by which the last step may have ended
            return True
        return self._stopping.is_set()

    def _declare(self) -> None:
        """Store what other processes ask: how many steps run at once, the disk quota,
        where files are, and about backups.
        """
        with db.transaction(durable=False):
            if self._settings.storage_url:
                meta.put("storage_url", self._settings.storage_url)
            else:
                meta.remove("storage_url")
            if not self._is_shared:
                meta.put("render_workers", self._settings.render_workers)
            disk_quota.store_quota(self._settings)
            backlog.store_backup_schedule(self._settings.backup_every_hours, self._clock())

    def _recover(self, driver: claims.Driver) -> None:
        """Make work available at once that an earlier process was doing."""
        now = self._clock()
        with db.transaction():
            interrupted = outbox.recover(driver, now)
            returned = losses.release_earlier_boots(driver, now)
            returned += publications.release_earlier_boots(driver)
        sensitivity_rules.alert_refused_patterns(now)
        if interrupted or returned:
            metrics.increment("leases_recovered", number=returned + interrupted)
            log.info(
                "recovered %d claims and %d deliveries of an earlier process", returned, interrupted
            )

    def _schedule(self, ends: ExitStack) -> BackgroundScheduler:
        """Begin with all that is due by time, until ``ends``."""
        ticks = self._ticks()
        periodic = [
            Periodic(tick.name, guard_job(self._outages, tick.job), int(tick.seconds))
            for tick in ticks
            if tick.for_all
        ]
        self._jobs = db.jobs(periodic, self._services(), self._count_ready)
        if self._jobs is not None:
            ends.enter_context(self._jobs)
            ends.callback(self._pipeline.begin_to_stop)
            ends.callback(self._publisher.begin_to_stop)
            guard_job(self._outages, self._record_heartbeat)()
            ticks = [tick for tick in ticks if not tick.for_all]
        scheduler = BackgroundScheduler(
            timezone=UTC,
            executors={"default": ThreadPoolExecutor(4)},
            # The defaults skip a job that is a second late, as every job is after a laptop slept.
            job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1},
        )
        for tick in ticks:
            first: dict[str, Any] = {"next_run_time": datetime.now(UTC)} if tick.at_once else {}
            job = guard_job(self._outages, tick.job)
            every = Interval(seconds=tick.seconds, timezone=UTC)
            scheduler.add_job(job, every, id=tick.name, **first)
        scheduler.start()
        ends.callback(scheduler.shutdown, wait=True)
        guard_job(self._outages, self._heartbeat)()
        self._run_jobs()
        return scheduler

    def _services(self) -> list[Service]:
        """Return what this process does for jobs of the queue, in place of ticks."""
        deliver, queues = (
            guard_job(self._outages, self._deliver),
            step_queues.list_queues(self._can_run),
        )
        publisher, here, there = (
            self._publisher,
            [publication_queues.HERE],
            [publication_queues.AT_PLACES],
        )
        return [
            Service("steps", queues, self._pipeline.run_one, self._settings.render_workers),
            Service("publishing", here, publisher.publish_one, WORKERS),
            Service("places", there, publisher.publish_one_at_place, WORKERS_AT_PLACES),
            Service("webhooks", [WEBHOOKS], lambda is_aborted: deliver()),
        ]

    def _count_ready(self) -> Counter[str]:
        try:
            now = self._clock()
            return step_queues.count_ready(now) + publication_queues.count_ready(now)
        except db.Error as failure:
            self._outages.record_failure(failure)
            return Counter()

    def _ticks(self) -> list[Tick]:
        # Other machines may need the uploads of this one.
        uploads = self._storage.files.is_remote
        of_machines = (
            Tick(self._watch_machines, 1, at_once=True),
            Tick(self._drop_lost, DROP_SECONDS),
            Tick(self._record_heartbeat, engine_heartbeat.EVERY_SECONDS, for_all=True),
            Tick(self._sign_with_waiting_key, 3, for_all=True),
        )
        return [
            Tick(self._advance, 1),
            Tick(self._make_room, 1),
            Tick(self._deliver, 1),
            Tick(self._publish, 1),
            Tick(self._cancel, 1),
            Tick(self._carry_on_batches, 1, for_all=True),
            Tick(self._expire, 10, for_all=True),
            Tick(self._tell_of_usage, 60, for_all=True),
            Tick(self._remind_of_releases, 60, for_all=True),
            Tick(self._index_titles, 2, for_all=True),
            Tick(self._heartbeat, engine_heartbeat.EVERY_SECONDS),
            Tick(self._tell_of_outages, 20),
            Tick(self._tell_of_alerts, 20, for_all=True),
            Tick(self._check_self, 60),
            Tick(self._check_work, 60, for_all=True),
            Tick(self._check_database, 86_400, at_once=True),
            Tick(self._tidy, 600, at_once=uploads),
            Tick(self._back_up, 300),
            Tick(self._close_day, 60, for_all=True),
            Tick(self._ship, 5),
            Tick(self._count, 60, for_all=True),
            *(of_machines if self._is_shared else ()),
        ]

    def _follow(self, jump: int, scheduler: BackgroundScheduler) -> None:
        """Handle a change of the clock: run the ticks now, and move all due times,
        so that waiting times stay the same.

        ClockDiffers: the database's was not changed, so that the work is left to others.
        """
        same_time.require()
        log.warning(
            "the clock was set by %+.1f s; all due times are moved by the same amount", jump / 1000
        )
        for job in scheduler.get_jobs():
            job.modify(next_run_time=datetime.now(UTC))
        offset = self._timekeeper.boot, self._timekeeper.difference + jump
        self._outages.retry_until_written(clock_jump.move_retries, jump, self._clock(), *offset)
        self._timekeeper.record_move(jump)

    def _run_jobs(self) -> None:
        for job in (self._cancel, self._advance, self._publish, self._deliver):
            guard_job(self._outages, job)()

    def _advance(self) -> None:
        self._pipeline.look_at_health()
        self._show()
        if self._jobs is None:
            self._pipeline.claim_steps()

    def _show(self) -> None:
        sickness = self._pipeline.health.sickness
        self._presence.start(self._driver, "driver", self._settings.render_workers, sickness)

    def _make_room(self) -> None:
        self._pipeline.make_room()

    def _deliver(self) -> None:
        if self._dispatcher is not None:
            self._dispatcher.dispatch()

    def _publish(self) -> None:
        if self._jobs is None:
            self._publisher.claim_publications()
        else:
            self._publisher.look_after()

    def _drop_lost(self) -> None:
        self._pipeline.drop_lost()  # another server may have finished a cancel, or have the claim

    def _cancel(self) -> None:
        cancelled = False
        for production_id in endings.list_cancelling():
            if self._pipeline.cancel(production_id, _CANCEL_SECONDS):
                cancelled |= endings.finish_cancel(production_id, self._clock())
        if cancelled:
            file_removal.remove_scheduled(self._remover)

    def _watch_machines(self) -> None:
        """Free the work of machines that are gone, and count the steps of all."""
        slots = self._watch.free_lost_work()
        if slots != meta.read_number("render_workers"):
            with db.transaction(durable=False, in_turn=False):
                meta.put("render_workers", slots)

    def _sign_with_waiting_key(self) -> None:
        rotation.sign_with_waiting_key(self._clock())

    def _carry_on_batches(self) -> None:
        ttl_hours, prices = (
            self._settings.production_ttl_hours,
            Prices.from_settings(self._settings),
        )
        while not self._stopping.is_set() and batches.continue_batches(
            self._clock(), ttl_hours, prices
        ):
            pass  # a round is a piece of each batch, so that a large one holds up no small one
        batches.trigger_waiting(self._clock(), ttl_hours, prices)

    def _expire(self) -> None:
        """End what has expired: productions, batches, and leases of deliveries whose thread
        died or hung.
        """
        if not self._doubts_clock():
            endings.expire_unreleased(self._clock())
        batch_endings.finish_ended(self._clock())
        with db.transaction():
            outbox.recover(self._driver, self._clock())

    def _tell_of_usage(self) -> None:
        usage_thresholds.record_events(self._clock())

    def _remind_of_releases(self) -> None:
        """Tell operators of releases, and partners of reviews, that are due before a production
        expires.
        """
        if not self._doubts_clock():
            ttl_hours = self._settings.production_ttl_hours
            release_reminders.remind(self._clock(), ttl_hours)
            expiry_events.record_events(self._clock(), ttl_hours)

    def _index_titles(self) -> None:
        title_words.index_titles(self._clock())

    def _record_heartbeat(self) -> None:
        """Say that the work of all is done, wherever that is."""
        with db.transaction(durable=False, in_turn=False):
            engine_heartbeat.record_heartbeat(self._clock())

    def _heartbeat(self) -> None:
        with db.transaction(durable=False, in_turn=False):
            if not self._is_shared:
                engine_heartbeat.record_heartbeat(self._clock())
            clock_jump.store_difference(self._timekeeper.boot, self._timekeeper.difference)
        # small commits may still fit into the write-ahead log
        if shutil.disk_usage(self._settings.data_dir).free < _NO_ROOM:
            self._outages.record(outage.DISK_FULL, "nothing is left")
        if trouble := readiness.find_reported_outage(self._clock()):
            self._outages.record(trouble, "some process met it")
        self._outages.end_quiet_ones()

    def _check_self(self) -> None:
        self._self_check.run()

    def _check_work(self) -> None:
        is_sick = self._is_shared and self._pipeline.health.sickness is not None
        own = 0 if is_sick else self._settings.render_workers
        workers.alert_if_none_can_run(own, self._can_run, self._clock())
        if workers.list_processes():  # also those that came with a copy of a shared database
            workers.forget_silent(self._clock())
        if released := clock_jump.release_stranded(self._clock()):
            log.info(
                (
                    "made %d deliveries, productions and publications due that had a time of the "
                    "clock before it was set back"
                ),
                released,
            )

    def _check_database(self) -> None:
        """Check the database, daily and at the start: a damaged page may otherwise not be
        read for months.
        """
        damage = upkeep.find_damage()
        if damage:
            readiness.report_outage(outage.DAMAGED, self._clock())
            self._outages.record(outage.DAMAGED, damage)

    def _tell_of_outages(self) -> None:
        self._sender.send_outages(self._outages)

    def _tell_of_alerts(self) -> None:
        self._sender.send_alerts()

    def _tidy(self) -> None:
        """Remove files whose rows are removed, and work folders of productions that are no longer
        being made.

        This machine is then compared with the bucket.
        """
        file_removal.remove_scheduled(self._remover)
        self._pipeline.work_archives.forget_ended()
        if self._storage.files.is_remote and bucket_owner.is_ours(self._storage.files):
            self._pipeline.work_archives.sweep()
            self._pipeline.uploads.sweep()

    def _back_up(self) -> None:
        Backups(self._settings, self._stopping, self._clock).back_up_if_due()

    def _ship(self) -> None:
        self._shipping.keep_running()

    def _count(self) -> None:
        allowed = self._settings.webhook_allow_cidrs
        transfers = Transfers(allowed, deadline=Deadline(counting.SECONDS_OF_ALL))
        counting.read_due(self._ring, Tools(transfers, allowed, addresses.look_up, self._clock))

    def _doubts_clock(self) -> bool:
        """Return whether nothing may end or be removed for its age, also where a jump of the clock
        is not followed yet.
        """
        is_ahead = self._timekeeper.measure() > wall_clock.HOUR
        return is_ahead or clock_jump.must_removals_wait(self._clock())

    def _close_day(self) -> None:
        now = self._clock()
        if not self._doubts_clock() and daily_jobs.begin_day(now):
            daily_jobs.close_day(now, self._settings, self._remover)
            daily_jobs.end_day(now)
