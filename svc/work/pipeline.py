"""The pipeline: leases productions for one step each, has it run, and releases the claim."""

import logging
import os
import platform
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from svc.adapters.storage import Storage
from svc.base import logs
from svc.base.outage import Outage
from svc.base.settings import Settings
from svc.domain.lifecycle import lifecycle, losses, render_queue
from svc.domain.lifecycle.lifecycle import Claim
from svc.domain.monitoring import workers
from svc.domain.productions import progress
from svc.store import claims
from svc.store.claims import LostClaim
from svc.store.engine.jobs import IsAborted
from svc.work import health
from svc.work.health import Health
from svc.work.leasing import Workers
from svc.work.outages import AGAIN_SECONDS, Outages, guard_job
from svc.work.step_process.outcomes import (
    Completed,
    Crashed,
    Failed,
    Interrupted,
    PutOff,
    TimedOut,
)
from svc.work.step_process.running import Ran, Run, Running, Stopping

log = logging.getLogger("svc.pipeline")

# Between calls of drop_lost. A step hears of it after a quarter of a second at most, so that a
# cancel on another machine ends it within a second.
DROP_SECONDS = 0.5
_END_SECONDS = 5.0  # for a killed step to end
_LOOK_SECONDS = 1.0  # between looks whether a sick process is fit again
_HANGS = "an earlier run of the production does not end here"


@dataclass(frozen=True)
class _End:
    """How the work on a claim ended. ``lost``: why without a result, through no outage."""

    lost: str | None = None
    in_outage: bool = False


class Pipeline:
    """Runs at most ``settings.render_workers`` steps concurrently;
    the queue decides which is next.
    """

    def __init__(
        self,
        driver: claims.Driver,
        settings: Settings,
        storage: Storage,
        clock: Callable[[], int],
        outages: Outages,
        can_run: frozenset[str] = render_queue.ALL_ABILITIES,
        tell: Callable[[Claim, Ran | None], None] = lambda claim, ran: None,
    ):
        """``can_run``: the names of the steps to run; ``tell``: called after each one,
        with None if its claim was lost.
        """
        self._driver, self._settings, self._storage, self._clock = driver, settings, storage, clock
        self._outages, self._can_run, self._tell = outages, can_run, tell
        self._workers = Workers(
            "pipeline", settings.render_workers, self._claim_next, self._carry_out, outages
        )
        self._draining = threading.Event()
        self._steps = Running(settings, storage, clock, outages, self._workers.stopping)
        self.work_archives, self.uploads = self._steps.work_archives, self._steps.uploads
        self._runs: dict[str, Run] = {}  # by claim token
        self.health = Health(partial(health.find_problem, settings, storage))
        self._alerted = False  # that this process is sick

    def claim_steps(self) -> None:
        """Lease a production for each free worker; returns at once."""
        self._workers.claim_work()

    def run_one(self, is_aborted: IsAborted = lambda: False) -> None:
        """Run the step that is next, if there is one for this process; returns when it has ended.
        One that ``is_aborted`` is killed, and free for others at once.

        The queue of jobs calls it, in place of :meth:`claim_steps`. While this process is sick it
        waits, so that further jobs go to others. It does not raise.
        """
        while self.health.sickness and not self._takes_no_more():
            self._workers.stopping.wait(_LOOK_SECONDS)

        def run_one() -> None:
            if (claim := self._claim_next(is_aborted)) is not None:
                self._carry_out(claim)

        guard_job(self._outages, run_one)()

    def _takes_no_more(self) -> bool:
        return self._draining.is_set() or self._workers.stopping.is_set()

    def _claim_next(self, is_aborted: IsAborted = lambda: False) -> Claim | None:
        if self.health.sickness or self._takes_no_more():
            return None
        settings = self._settings
        claim = render_queue.claim_next(
            self._driver,
            self._clock(),
            settings.render_workers,
            settings.partner_render_workers,
            self._can_run,
        )
        if claim is not None:
            self._runs[claim.token] = Run(claim, is_aborted)
        return claim

    def _carry_out(self, claim: Claim) -> None:
        """Run one step and release the claim."""
        run = self._runs[claim.token]
        with logs.log_context(
            production=claim.production_id,
            partner=claim.partner_id,
            correlation=claim.correlation_id,
        ):
            began = time.monotonic()
            end = self._try_next_step(run) if self._end_others(run) else _End(lost=_HANGS)
            self._runs.pop(claim.token).ended.set()
            if end.lost is not None:
                self._record_loss(claim, end.lost)
            else:
                self._give_back(claim, time.monotonic() - began)
            if end.in_outage:  # another machine may do better with it
                self._workers.stopping.wait(AGAIN_SECONDS)

    def _end_others(self, run: Run) -> bool:
        """End earlier runs of the same production, whose lease ended while this machine slept;
        return whether they have.
        """
        return all(
            self._end(other)
            for other in self._list_runs_of(run.claim.production_id)
            if other is not run
        )

    def _list_runs_of(self, production_id: str) -> list[Run]:
        return [
            run for run in list(self._runs.values()) if run.claim.production_id == production_id
        ]

    def _end(self, run: Run, seconds: float = _END_SECONDS) -> bool:
        run.lost.set()
        return run.ended.wait(seconds)

    def _try_next_step(self, run: Run) -> "_End":
        """Run a step, and return how that ended."""
        try:
            ran = self._steps.run_next_step(run)
        except LostClaim:
            log.info("the claim no longer holds; its work is discarded")
            self._tell(run.claim, None)
            self._steps.discard(run.claim.production_id)
        except Stopping:
            pass
        except Exception as failure:
            trouble = self._outages.record_failure(failure)
            why = f"{type(failure).__name__}: {failure}"
            if trouble is None:
                log.exception("pipeline run failed")
            return self._record_failure(run.claim, why, trouble)
        else:
            if ran is not None:
                self._tell(run.claim, ran)
                return self._judge(run.claim, ran)
        return _End()

    def _judge(self, claim: Claim, ran: Ran) -> "_End":
        """Conclude from an outcome, which is committed, whether this process is fit."""
        match ran.outcome:
            case Interrupted(message, trouble):
                return self._record_failure(claim, message, trouble)
            case Crashed(message):
                self.health.record_failure(claim.production_id, message)
            case TimedOut():
                pass
            case Completed() | Failed() | PutOff():
                if not ran.is_played:
                    self.health.record_success()
        return _End()

    def _record_failure(self, claim: Claim, why: str, trouble: Outage | None) -> "_End":
        """Record a failure outside the step. Without ``trouble``, which is no fault of the
        production, that counts it as lost.
        """
        self.health.record_failure(claim.production_id, why, trouble)
        return _End(lost=why) if trouble is None else _End(in_outage=True)

    def _record_loss(self, claim: Claim, why: str) -> None:
        """Count that a step was lost here, and release its claim."""

        def lose() -> None:
            with suppress(LostClaim):  # or it is counted already, and the answer was lost
                self._outages.retry_until_written(losses.record_failure, claim, why, self._clock())

        guard_job(self._outages, lose)()

    def _give_back(self, claim: Claim, seconds: float) -> None:
        def give_back() -> None:
            self._outages.retry_until_written(
                progress.hand_on, claim, self._clock(), 1000 * seconds
            )

        guard_job(self._outages, give_back)()

    def look_at_health(self) -> None:
        """See whether this process is fit again if it was not, and tell the operator of changes."""
        self.health.check_place()
        if (sickness := self.health.sickness) and not self._alerted:
            name = f"Process {os.getpid()} on {platform.node()}"
            workers.alert_sick(self._driver.boot, name, sickness, self._clock())
            self._alerted = True
        elif self._alerted and self.health.is_proven:
            workers.close_alert_of_sick(self._driver.boot, self._clock())
            self._alerted = False

    def drop_lost(self) -> None:
        """Kill the running steps whose claim holds no longer,
        for example after a cancel on another machine.
        """
        if runs := dict(self._runs):
            for token in runs.keys() - lifecycle.list_held(list(runs)):
                runs[token].lost.set()

    def make_room(self) -> None:
        """Let a running step give way to a live production of another partner that waits, if one of
        this process has to. Its claim is released within a second.
        """
        settings = self._settings
        if not self._runs or self._takes_no_more():
            return
        token = render_queue.find_step_to_put_back(
            self._clock(),
            settings.render_workers,
            settings.partner_render_workers,
            self._can_run,
        )
        run = None if token is None else self._runs.get(token)
        if run is not None and not run.gives_way.is_set():
            log.info("step of %s gives way to a live production", run.claim.production_id)
            run.gives_way.set()

    def cancel(self, production_id: str, seconds: float) -> bool:
        """Kill a production's running step and remove its work folder;
        return whether that was done within ``seconds``.
        """
        if not all(self._end(run, seconds) for run in self._list_runs_of(production_id)):
            return False
        self.work_archives.forget(production_id)
        return True

    def begin_to_drain(self) -> None:
        """Take no further step; those that run go on. Returns at once."""
        self._draining.set()

    @property
    def is_idle(self) -> bool:
        """Whether no step runs."""
        return not self._runs

    def begin_to_stop(self) -> None:
        """Begin to kill the running steps; returns at once."""
        self._workers.stopping.set()

    def stop(self) -> None:
        """Kill the running steps and release their claims."""
        self._workers.stop()
        self._steps.stop()
