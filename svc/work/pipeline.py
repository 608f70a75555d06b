"""The pipeline: leases productions for one step each, has it run, and releases the claim."""

import logging
import time
from collections.abc import Callable

from svc.adapters.storage import Storage
from svc.base import logs
from svc.base.settings import Settings
from svc.domain.productions import lifecycle, progress
from svc.domain.productions.lifecycle import Claim
from svc.store import claims
from svc.store.claims import LostClaim
from svc.work.leasing import Workers
from svc.work.outages import Outages, guarded
from svc.work.step_process.running import Ran, Run, Running, Stopping

log = logging.getLogger("svc.pipeline")

_END_SECONDS = 5.0  # for a killed step to end


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
        can_run: frozenset[str] = progress.ALL,
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
        self._steps = Running(settings, storage, clock, outages, self._workers.stopping)
        self.work_archives, self.uploads = self._steps.work_archives, self._steps.uploads
        self._runs: dict[str, Run] = {}  # by claim token

    def turn(self) -> None:
        """Lease a production for each free worker; returns at once."""
        self._workers.turn()

    def run_one(self) -> None:
        """Run the step that is next, if there is one for this process; returns when it has ended.

        The queue of jobs calls it, in place of :meth:`turn`.
        """
        if not self._workers.stopping.is_set() and (claim := self._claim_next()) is not None:
            self._carry_out(claim)

    def _claim_next(self) -> Claim | None:
        settings = self._settings
        claim = progress.claim_next(
            self._driver,
            self._clock(),
            settings.render_workers,
            settings.partner_render_workers,
            self._can_run,
        )
        if claim is not None:
            self._runs[claim.token] = Run(claim)
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
            may_go_on = self._end_others(run) and self._try_next_step(run)
            self._runs.pop(claim.token).ended.set()
            if may_go_on:
                self._give_back(claim, time.monotonic() - began)

    def _end_others(self, run: Run) -> bool:
        """End earlier runs of the same production, whose lease ended while this machine slept;
        return whether they have.
        """
        return all(
            self._end(other) for other in self._of(run.claim.production_id) if other is not run
        )

    def _of(self, production_id: str) -> list[Run]:
        return [
            run for run in list(self._runs.values()) if run.claim.production_id == production_id
        ]

    def _end(self, run: Run, seconds: float = _END_SECONDS) -> bool:
        run.lost.set()
        return run.ended.wait(seconds)

    def _try_next_step(self, run: Run) -> bool:
        """Run a step and return whether the claim can be released.

        If not, its lease expires and the step is tried again.
        """
        try:
            if (ran := self._steps.run_next_step(run)) is not None:
                self._tell(run.claim, ran)
        except LostClaim:
            log.info("the claim no longer holds; its work is discarded")
            self._tell(run.claim, None)
            self._steps.discard(run.claim.production_id)
        except Stopping:
            pass
        except Exception as failure:  # the step's own crashes are counted elsewhere
            if self._outages.note(failure) is None:
                log.exception("pipeline run failed")
            return False
        return True

    def _give_back(self, claim: Claim, seconds: float) -> None:
        def give_back() -> None:
            self._outages.until_written(progress.hand_on, claim, self._clock(), 1000 * seconds)

        guarded(self._outages, give_back)()

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
        if not self._runs:
            return
        token = progress.find_step_to_put_back(
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
        if not all(self._end(run, seconds) for run in self._of(production_id)):
            return False
        self.forget(production_id)
        return True

    def forget(self, production_id: str) -> None:
        """Remove a production's work folder from this machine."""
        self.work_archives.forget(production_id)

    def begin_to_stop(self) -> None:
        """Begin to kill the running steps; returns at once."""
        self._workers.stopping.set()

    def stop(self) -> None:
        """Kill the running steps and release their claims."""
        self._workers.stop()
        self._steps.stop()
