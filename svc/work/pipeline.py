"""The pipeline: leases productions for one step each, runs it in a child process, and commits its outcome."""

import logging
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from svc.adapters.storage import Storage
from svc.base import logs, outage, traces
from svc.base.crypto import signing
from svc.base.crypto.key_ring import FileRing
from svc.base.settings import Settings
from svc.base.steps import STEPS
from svc.domain.monitoring import metrics
from svc.domain.productions import progress, sandbox, steps
from svc.domain.productions.deliverables import Made
from svc.domain.productions.lifecycle import Claim
from svc.domain.usage import model_costs
from svc.media import deliverables
from svc.media import model as programme
from svc.store import claims, database
from svc.store.claims import LostClaim
from svc.work import brief_builder, script_screening, work_folder
from svc.work.leasing import Workers
from svc.work.outages import AGAIN_SECONDS, Worries, guarded
from svc.work.step_process import runner as step_runner
from svc.work.step_process.config import Means
from svc.work.step_process.runner import Ending, Outcome

log = logging.getLogger("svc.pipeline")

SCRIPT = STEPS[0][0]
_RENEW_EVERY = 1000  # milliseconds between renewals of a lease, which also carry the step's progress
_NO_ROOM = 1024 * 1024  # bytes
_MEASURED_AS = {Ending.COMPLETED: "completed", Ending.CRASHED: "crashed", Ending.INTERRUPTED: "crashed"}  # others: failed
# What reading the files of a step comes to whose process was taken over by what it worked on.
_ODD = (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError)


class Stopping(Exception):
    """The engine is stopping: what runs is given back."""


class Pipeline:
    """Runs at most ``settings.render_workers`` steps side by side; after each the queue says whose is next."""

    def __init__(self, driver: claims.Driver, settings: Settings, storage: Storage, clock: Callable[[], int], worries: Worries):
        self._driver, self._settings, self._storage, self._clock = driver, settings, storage, clock
        self._worries, self._lasting = worries, worries.until_written
        self._means, self._prices = Means.of(settings), model_costs.Prices.of(settings)
        self._workers = Workers("pipeline", settings.render_workers, self._claim_next, self._carry_out, worries)
        self._cancelled: set[str] = set()
        self._running: dict[str, threading.Event] = {}  # production id to what is set when its work has ended

    def turn(self) -> None:
        """Lease what there are free workers for; returns at once."""
        self._workers.turn()

    def _claim_next(self) -> Claim | None:
        settings = self._settings
        claim = progress.claim_next(self._driver, self._clock(), settings.render_workers, settings.partner_render_workers)
        if claim is not None:
            self._running[claim.production_id] = threading.Event()
        return claim

    def _carry_out(self, claim: Claim) -> None:
        """Run one step, and give the claim back."""
        with logs.about(production=claim.production_id, partner=claim.partner_id, correlation=claim.correlation_id):
            began = time.monotonic()
            may_go_on = self._try_next_step(claim)
            # Before it is given back: whoever claims it next enters it here again.
            self._running.pop(claim.production_id).set()
            if may_go_on:
                self._give_back(claim, time.monotonic() - began)

    def _try_next_step(self, claim: Claim) -> bool:
        """Run a step; whether the claim can be given back. If not, its lease runs out and somebody tries again."""
        try:
            self._run_next_step(claim)
        except LostClaim:
            log.info("the claim is gone, its work is dropped")
        except Stopping:
            pass
        except Exception as failure:  # the step's own crashes are counted elsewhere
            if self._worries.note(failure) is None:
                log.exception("pipeline run failed")
            return False
        return True

    def _give_back(self, claim: Claim, seconds: float) -> None:
        def give_back() -> None:
            self._lasting(progress.give_back, claim, 1000 * seconds)

        guarded(self._worries, give_back)()

    def _run_next_step(self, claim: Claim) -> None:
        """Run the next step of a production in a process of its own, and commit how it ended. LostClaim, Stopping."""
        step = self._lasting(progress.start_step, claim, self._clock())
        if step is None:
            return
        scenario = sandbox.of(claim.production_id)
        if scenario.fail_at == step["name"]:
            self._fail(claim, step, scenario.fail_code, scenario.fail_message)
            return
        outcome, seconds = self._measure(claim, step["name"])
        made: list[Made] = []
        is_last = outcome.ending is Ending.COMPLETED and steps.is_last(step)
        if is_last:
            outcome, made = self._keep(outcome, claim.production_id, scenario.deliverables)
        match outcome.ending:
            case Ending.COMPLETED:
                self._lasting(progress.complete_step, claim, step, self._clock(), made, round(seconds * 1000))
                if is_last:
                    self.forget(claim.production_id)
            case Ending.INTERRUPTED:
                self._wait_for_the_machine(outcome)
            case Ending.PUT_OFF:
                log.warning("a step is put off: %s", outcome.message)
                self._lasting(progress.put_off, claim, step, outcome.code, outcome.message, self._clock())
            case Ending.CRASHED:
                self._crashed(claim, step, outcome.message)
            case Ending.TIMED_OUT if step["attempts"] == 0:  # perhaps not the next time
                self._crashed(claim, step, outcome.message)
            case Ending.TIMED_OUT | Ending.FAILED:
                self._fail(claim, step, str(outcome.code), outcome.message)

    def _fail(self, claim: Claim, step: database.Row, code: str, message: str) -> None:
        self._lasting(progress.fail_step, claim, step, code, message, self._clock())

    def _crashed(self, claim: Claim, step: database.Row, message: str) -> None:
        """Whether the step is tried again is the domain's decision."""
        log.warning("a step crashed: %s", message)
        self._lasting(progress.step_crashed, claim, step, message, self._clock())

    def _wait_for_the_machine(self, outcome: Outcome) -> None:
        """The step is not to blame, and is run again after a while. Stopping."""
        if outcome.trouble is not None:
            self._worries.worry(outcome.trouble, outcome.message)
        if self._workers.stopping.wait(AGAIN_SECONDS):
            raise Stopping

    def _measure(self, claim: Claim, name: str) -> tuple[Outcome, float]:
        """Run a step: its outcome, and the seconds that it took."""
        began = time.monotonic()
        with traces.span(f"step {name}", production=claim.production_id, correlation=claim.correlation_id):
            outcome = self._run(claim, name, self._folder(claim.production_id))
        seconds = time.monotonic() - began
        metrics.observe("step_seconds", seconds, name, _MEASURED_AS.get(outcome.ending, "failed"))
        return outcome, seconds

    def _run(self, claim: Claim, name: str, folder: Path) -> Outcome:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            brief = brief_builder.brief(claim.production_id)
            brief_builder.place(brief, self._settings.assets_dir, folder)
            programme.save(brief, folder / "brief.json")
            outcome = self._run_child(claim, name, folder)
            return self._screened(claim, folder, outcome) if name == SCRIPT else outcome
        except LookupError as nothing:
            return Outcome(False, "NO_CONNECTED_PLATFORM", str(nothing))
        except OSError as failure:
            found = outage.recognise(failure)
            if found is None:
                raise
            return Outcome(False, None, str(failure), found)

    def _screened(self, claim: Claim, folder: Path, outcome: Outcome) -> Outcome:
        try:
            return script_screening.screened(claim.production_id, folder, outcome)
        except _ODD as odd:
            if outage.recognise(odd) is not None:
                raise
            return _left_nonsense(odd)

    def _run_child(self, claim: Claim, name: str, folder: Path) -> Outcome:
        def spent(charge: dict[str, Any]) -> None:
            self._lasting(model_costs.record, claim.production_id, charge, self._prices, self._clock())

        means = self._means.for_step(name, self._seed() if name == "certificate" else b"")
        outcome = step_runner.run(name, folder, self._settings.step_timeout_seconds, self._heard(claim), means, spent)
        if not outcome.done and not outcome.again and self._has_no_room():
            # Some libraries say of a full disk only that something failed, and some are killed by it.
            return Outcome(False, None, outcome.message, outcome.trouble or outage.DISK_FULL)
        return outcome

    def _has_no_room(self) -> bool:
        return shutil.disk_usage(self._settings.data_dir).free < _NO_ROOM

    def _seed(self) -> bytes:
        """Of the keys that sign films and certificates; read each time, since a key may have been added."""
        return signing.identity_seed(FileRing(self._settings.secret))

    def _heard(self, claim: Claim) -> Callable[[float], None]:
        """What is called while a step runs: it renews the lease, and raises when the step is to be stopped."""
        begun = renewed = self._clock()

        def heard(fraction: float) -> None:
            nonlocal renewed
            if self._workers.stopping.is_set():
                raise Stopping
            if claim.production_id in self._cancelled:
                raise LostClaim
            if abs(self._clock() - renewed) >= _RENEW_EVERY:
                renewed = self._clock()
                self._renew(claim, renewed, fraction, renewed - begun)

        return heard

    def _renew(self, claim: Claim, now: int, fraction: float, ran: int) -> None:
        """A lease that cannot be renewed for a while is no reason to stop a step that gets on."""
        try:
            progress.renew(claim, now, fraction, ran)
        except database.Error as failure:
            if self._worries.note(failure) is None:
                raise

    def _keep(self, outcome: Outcome, production_id: str, wanted: int | None) -> tuple[Outcome, list[Made]]:
        """Keep the files of a completed production: the ``outcome`` with its deliverables, or that of a crash where what the
        steps left cannot be read."""
        try:
            return outcome, self._lasting(self._copy, production_id, wanted)
        except _ODD as odd:
            if outage.recognise(odd) is not None:
                raise
            return _left_nonsense(odd), []

    def _copy(self, production_id: str, wanted: int | None) -> list[Made]:
        """Copy the finished files to the media directory; repeating it is harmless.

        ``wanted``: a sandbox scenario wants so many deliverables: the transcript is handed out that much more often.
        """
        folder, brief = (
            self._folder(production_id),
            brief_builder.brief(production_id),
        )  # not the folder's, which steps could write
        posters = [f"poster-{rendition.name}.jpg" for rendition in brief.renditions]
        for name in (*posters, "findings.json"):  # shown, but no deliverables
            if (folder / name).exists():
                self._storage.keep(folder / name, f"{brief.production_id}/{name}")
        kept, made = {}, []
        for file in deliverables.deliverables(brief, folder):
            if file.path not in kept:
                kept[file.path] = self._storage.keep(folder / file.path, f"{brief.production_id}/{file.path}")
            stored = kept[file.path]
            made.append(
                Made(
                    file.type, file.platform, file.format, stored.file, stored.size_bytes, stored.sha256, file.duration,
                    file.language,
                )
            )  # fmt: skip
        transcript = next(file for file in made if file.type == "Transcript")
        return made + [transcript] * max(0, (wanted or 0) - len(made))

    def cancel(self, production_id: str, seconds: float) -> bool:
        """Kill what runs for a production and remove its files; whether all of that was done within ``seconds``."""
        self._cancelled.add(production_id)
        running = self._running.get(production_id)
        if running is not None and not running.wait(seconds):
            return False
        self._cancelled.discard(production_id)
        self.forget(production_id)
        self._storage.remove_production(production_id)
        return True

    def forget(self, production_id: str) -> None:
        """Remove a production's work folder."""
        work_folder.remove(self._folder(production_id))

    def _folder(self, production_id: str) -> Path:
        return self._settings.work_dir / production_id

    def stop(self) -> None:
        """Kill the running children and give their productions back."""
        self._workers.stop()


def _left_nonsense(odd: Exception) -> Outcome:
    """Of a step that said it was done: it counts as one that died."""
    return Outcome(False, None, f"The step left what no step leaves: {type(odd).__name__}: {str(odd)[:200]}")
