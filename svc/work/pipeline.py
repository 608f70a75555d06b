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
from svc.base.errors import FileStoreUnavailable
from svc.base.outage import Outage
from svc.base.settings import Settings
from svc.base.steps import STEPS
from svc.domain.monitoring import metrics
from svc.domain.productions import progress, sandbox, steps
from svc.domain.productions.deliverables import FinishedFile
from svc.domain.productions.lifecycle import Claim
from svc.domain.tables.productions import Step
from svc.domain.usage import model_costs
from svc.media import model as programme
from svc.store import claims, database
from svc.store.claims import LostClaim
from svc.work import brief_builder, script_screening
from svc.work.files.carried import CarriedFiles
from svc.work.files.finished import FinishedFiles
from svc.work.files.scenes import SharedScenes
from svc.work.files.uploads import Uploads
from svc.work.leasing import Workers
from svc.work.outages import AGAIN_SECONDS, Outages, guarded
from svc.work.step_process import runner as step_runner
from svc.work.step_process.config import StepConfig
from svc.work.step_process.outcomes import Completed, Crashed, Failed, Interrupted, Outcome, PutOff, TimedOut

log = logging.getLogger("svc.pipeline")

SCRIPT = STEPS[0][0]
_RENEW_EVERY = 1000  # milliseconds between renewals of a lease, which also carry the step's progress
_NO_ROOM = 1024 * 1024  # bytes
_MEASURED_AS: dict[type, str] = {Completed: "completed", Crashed: "crashed", Interrupted: "crashed"}  # others: failed
# What reading a step's files may raise if its process was compromised by its input.
_MALFORMED = (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError)


class Stopping(Exception):
    """The engine is stopping: running steps are killed and their claims released."""


class Pipeline:
    """Runs at most ``settings.render_workers`` steps concurrently; the queue decides which is next."""

    def __init__(self, driver: claims.Driver, settings: Settings, storage: Storage, clock: Callable[[], int], outages: Outages):
        self._driver, self._settings, self._storage, self._clock = driver, settings, storage, clock
        self._outages, self._lasting = outages, outages.until_written
        self._step_config, self._prices = StepConfig.of(settings), model_costs.Prices.of(settings)
        self.carried, self.uploads = CarriedFiles(storage, settings.work_dir), Uploads(storage.files, settings.assets_dir)
        self._scenes = SharedScenes(storage, settings.cache_dir, settings.cache_megabytes * 1_000_000)
        self._workers = Workers("pipeline", settings.render_workers, self._claim_next, self._carry_out, outages)
        self._cancelled: set[str] = set()
        self._running: dict[str, threading.Event] = {}  # by production id; set when its work has ended

    def turn(self) -> None:
        """Lease a production for each free worker; returns at once."""
        self._workers.turn()

    def _claim_next(self) -> Claim | None:
        settings = self._settings
        claim = progress.claim_next(self._driver, self._clock(), settings.render_workers, settings.partner_render_workers)
        if claim is not None:
            self._running[claim.production_id] = threading.Event()
        return claim

    def _carry_out(self, claim: Claim) -> None:
        """Run one step and release the claim."""
        with logs.about(production=claim.production_id, partner=claim.partner_id, correlation=claim.correlation_id):
            began = time.monotonic()
            may_go_on = self._try_next_step(claim)
            # Before the release of the claim: the next claim adds the production again.
            self._running.pop(claim.production_id).set()
            if may_go_on:
                self._give_back(claim, time.monotonic() - began)

    def _try_next_step(self, claim: Claim) -> bool:
        """Run a step and return whether the claim can be released. If not, its lease expires and the step is tried again."""
        try:
            self._run_next_step(claim)
        except LostClaim:
            log.info("the claim no longer holds; its work is discarded")
            self._without_bucket(self.carried.lose, claim.production_id)
        except Stopping:
            pass
        except Exception as failure:  # the step's own crashes are counted elsewhere
            if self._outages.note(failure) is None:
                log.exception("pipeline run failed")
            return False
        return True

    def _give_back(self, claim: Claim, seconds: float) -> None:
        def give_back() -> None:
            self._lasting(progress.give_back, claim, 1000 * seconds)

        guarded(self._outages, give_back)()

    def _run_next_step(self, claim: Claim) -> None:
        """Run the next step of a production in a child process and commit its outcome. Raises LostClaim, Stopping."""
        step = self._lasting(progress.start_step, claim, self._clock())
        if step is None:
            return
        scenario = sandbox.of(claim.production_id)
        if scenario.fail_at == step["name"]:
            self._fail(claim, step, scenario.fail_code, scenario.fail_message)
            return
        outcome, seconds = self._measure(claim, step)
        files, carried = list[FinishedFile](), None
        if isinstance(outcome, Completed):
            outcome, files, carried = self._keep(claim, step, scenario.deliverables)
        match outcome:
            case Completed():
                self._lasting(progress.complete_step, claim, step, self._clock(), files, round(seconds * 1000), carried)
                if files:  # all steps are done
                    self._finish(claim.production_id)
            case Interrupted(message, trouble):
                self._wait_for_the_machine(message, trouble)
            case PutOff(code, message):
                log.warning("a step is postponed: %s", message)
                self._lasting(progress.put_off, claim, step, code, message, self._clock())
            case Crashed(message):
                self._crashed(claim, step, message)
            case TimedOut(message) if step["attempts"] == 0:  # it may succeed next time
                self._crashed(claim, step, message)
            case TimedOut() | Failed():
                self._fail(claim, step, outcome.code, outcome.message)

    def _fail(self, claim: Claim, step: Step, code: str, message: str) -> None:
        self._lasting(progress.fail_step, claim, step, code, message, self._clock())

    def _crashed(self, claim: Claim, step: Step, message: str) -> None:
        """Record a crash; :func:`progress.step_crashed` decides whether the step is tried again."""
        log.warning("a step crashed: %s", message)
        self._lasting(progress.step_crashed, claim, step, message, self._clock())

    def _wait_for_the_machine(self, message: str, trouble: Outage) -> None:
        """Wait for an outage, after which the step is run again. Stopping: the engine is stopping."""
        self._outages.record(trouble, message)
        if self._workers.stopping.wait(AGAIN_SECONDS):
            raise Stopping

    def _measure(self, claim: Claim, step: Step) -> tuple[Outcome, float]:
        """Run a step; return its outcome and its duration in seconds."""
        began, name = time.monotonic(), step["name"]
        with traces.span(f"step {name}", production=claim.production_id, correlation=claim.correlation_id):
            outcome = self._run(claim, step, self._folder(claim.production_id))
        seconds = time.monotonic() - began
        metrics.observe("step_seconds", seconds, name, _MEASURED_AS.get(type(outcome), "failed"))
        return outcome, seconds

    def _run(self, claim: Claim, step: Step, folder: Path) -> Outcome:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if malformed := self._fetch(claim, step):
                return malformed
            brief = brief_builder.brief(claim.production_id)
            self.uploads.fetch(brief_builder.uploads_of(brief))
            brief_builder.place(brief, self._settings.assets_dir, folder)
            programme.save(brief, folder / "brief.json")
            outcome = self._run_child(claim, step["name"], folder)
            return self._screened(claim, folder, outcome) if step["name"] == SCRIPT else outcome
        except LookupError as error:
            return Failed("NO_CONNECTED_PLATFORM", str(error))
        except OSError as failure:
            trouble = outage.recognise(failure)
            if trouble is None:
                raise
            return Interrupted(str(failure), trouble)

    def _fetch(self, claim: Claim, step: Step) -> Crashed | None:
        """Fetch what other machines did; return the outcome of a crash if that is malformed, or None."""
        try:
            self.carried.fetch(claim.production_id, step["position"], self._heard(claim))
        except _MALFORMED as error:
            if outage.recognise(error) is not None:
                raise
            return _malformed_files(error)
        return None

    def _screened(self, claim: Claim, folder: Path, outcome: Outcome) -> Outcome:
        try:
            return script_screening.screened(claim.production_id, folder, outcome)
        except _MALFORMED as error:
            if outage.recognise(error) is not None:
                raise
            return _malformed_files(error)

    def _run_child(self, claim: Claim, name: str, folder: Path) -> Outcome:
        def record_charge(charge: dict[str, Any]) -> None:
            self._lasting(model_costs.record, claim.production_id, charge, self._prices, self._clock())

        def alert(sentence: str) -> None:
            self._lasting(progress.voice_lost, claim, sentence, self._clock())

        scenes = self._scenes.of_step(name, claim.partner_id)
        config = self._step_config.for_step(name, self._seed() if name == "certificate" else b"", scenes is not None)
        outcome = step_runner.run(
            name, folder, self._settings.step_timeout_seconds, self._heard(claim), config, record_charge, alert, scenes
        )
        if isinstance(outcome, Failed | TimedOut | Crashed) and self._has_no_room():
            # On a full disk some libraries report only a failure, and others crash.
            return Interrupted(outcome.message, outage.DISK_FULL)
        return outcome

    def _has_no_room(self) -> bool:
        return shutil.disk_usage(self._settings.data_dir).free < _NO_ROOM

    def _seed(self) -> bytes:
        """Return the seed of the keys that sign videos and certificates; read each time, as a key may have been added."""
        return signing.identity_seed(FileRing(self._settings.secret))

    def _heard(self, claim: Claim) -> Callable[[float], None]:
        """Return the callback of a running step, which renews the lease and raises an exception to stop the step."""
        started = renewed = self._clock()

        def report(fraction: float) -> None:
            nonlocal renewed
            if self._workers.stopping.is_set():
                raise Stopping
            if claim.production_id in self._cancelled:
                raise LostClaim
            if abs(self._clock() - renewed) >= _RENEW_EVERY:
                renewed = self._clock()
                self._renew(claim, renewed, fraction, renewed - started)

        return report

    def _renew(self, claim: Claim, now: int, fraction: float, ran: int) -> None:
        """Renew the lease. An outage is recorded but does not stop a step that makes progress."""
        try:
            progress.renew(claim, now, fraction, ran)
        except database.Error as failure:
            if self._outages.note(failure) is None:
                raise

    def _keep(self, claim: Claim, step: Step, wanted: int | None) -> tuple[Outcome, list[FinishedFile], str | None]:
        """Store the files of a completed step: return its outcome, the deliverables if it is the last, and what its row says.

        If the files of the steps are malformed, return the outcome of a crash. LostClaim, Stopping: as while a step runs.
        """
        heard = self._heard(claim)
        files = FinishedFiles(self._storage, self._folder(claim.production_id), claim.production_id, heard)
        try:
            if steps.is_last(step):
                return Completed(), self._lasting(files.store, wanted), None
            return Completed(), [], self._lasting(self.carried.store, claim, step, heard)
        except _MALFORMED as error:
            if outage.recognise(error) is not None:
                raise
            return _malformed_files(error), [], None

    def _finish(self, production_id: str) -> None:
        """Remove what the steps left. If the bucket does not answer, it is swept later."""
        self.forget(production_id)
        self._without_bucket(self.carried.finish, production_id)

    def _without_bucket(self, remove: Callable[[str], None], production_id: str) -> None:
        """Call ``remove``, which may do nothing while the bucket does not answer."""
        try:
            remove(production_id)
        except FileStoreUnavailable as failure:
            self._outages.note(failure)

    def cancel(self, production_id: str, seconds: float) -> bool:
        """Kill a production's running step and remove its files; return whether that was done within ``seconds``."""
        self._cancelled.add(production_id)
        running = self._running.get(production_id)
        if running is not None and not running.wait(seconds):
            return False
        self._cancelled.discard(production_id)
        self.forget(production_id)
        self._storage.remove_production(production_id)
        return True

    def forget(self, production_id: str) -> None:
        """Remove a production's work folder from this machine."""
        self.carried.forget(production_id)

    def _folder(self, production_id: str) -> Path:
        return self._settings.work_dir / production_id

    def stop(self) -> None:
        """Kill the running steps and release their claims."""
        self._workers.stop()
        self._scenes.stop()


def _malformed_files(error: Exception) -> Crashed:
    """Return the outcome of a step that reported success but left malformed files: it counts as a crash."""
    return Crashed(f"The step left malformed files: {type(error).__name__}: {str(error)[:200]}")
