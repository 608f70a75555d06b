"""What a server and a worker share: running one step of a claimed production,
and committing its outcome.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from svc.adapters.storage import Storage
from svc.base import outage, traces
from svc.base.crypto import signing
from svc.base.crypto.signing import KeyMissing
from svc.base.errors import FileStoreUnavailable
from svc.base.settings import Settings
from svc.base.steps import STEPS
from svc.domain import master_keys
from svc.domain.lifecycle import sandbox, script_review, steps
from svc.domain.lifecycle.deliverables import FinishedFile
from svc.domain.lifecycle.lifecycle import Claim
from svc.domain.lifecycle.script_review import WrittenScript
from svc.domain.monitoring import metrics
from svc.domain.productions import progress
from svc.domain.productions.gate_warnings import QualityWarning
from svc.domain.tables.productions import Step
from svc.domain.usage import model_costs
from svc.media import model as programme
from svc.store.claims import LostClaim
from svc.store.database import db
from svc.store.engine.jobs import IsAborted
from svc.work import brief_builder, health, work_folder
from svc.work.files.finished import FinishedFiles
from svc.work.files.scenes import SharedScenes
from svc.work.files.uploads import Uploads
from svc.work.files.work_archives import WorkArchives
from svc.work.outages import Outages
from svc.work.step_process import gate_findings, lost_work, script_screening, written_script
from svc.work.step_process import runner as step_runner
from svc.work.step_process.config import StepConfig
from svc.work.step_process.outcomes import (
    Completed,
    Crashed,
    Failed,
    Interrupted,
    Outcome,
    PutOff,
    TimedOut,
    refuse_malformed_files,
)

log = logging.getLogger("svc.pipeline")

SCRIPT, NARRATION = STEPS[0][0], STEPS[1][0]
# The milliseconds between renewals of a lease, which also carry the step's progress.
_RENEW_EVERY = 1000
# By outcome: the result that is measured; others have failed.
_MEASURED_AS: dict[type, str] = {Completed: "completed", Crashed: "crashed", Interrupted: "crashed"}
# What reading a step's files may raise if its process was compromised by its input.
_MALFORMED = (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError)


class Stopping(Exception):
    """This process is stopping, an operator has aborted the step, or it gives way to another one:
    it is killed and its claim released.
    """


@dataclass
class Run:
    """One claim that is worked on.

    ``is_aborted``: whether an operator wants it to be given back; ``lost``: set when the claim
    holds no longer; ``gives_way``: when its worker is to be free for another one; ``ended``: when
    the work has ended.
    """

    claim: Claim
    is_aborted: IsAborted = lambda: False
    lost: threading.Event = field(default_factory=threading.Event)
    gives_way: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True)
class Ran:
    """A step that was run: its name, its outcome, and for how many seconds."""

    step: str
    outcome: Outcome
    seconds: float
    is_played: bool = False  # by a scenario of the sandbox: nothing was run


@dataclass(frozen=True)
class Kept:
    """What is committed with a completed step; the arguments of progress.complete_step."""

    files: Sequence[FinishedFile] = ()
    work_archive: str | None = None
    written: WrittenScript | None = None
    warnings: Sequence[QualityWarning] = ()


class Running:
    """Runs steps in this process's data directory."""

    def __init__(
        self,
        settings: Settings,
        storage: Storage,
        clock: Callable[[], int],
        outages: Outages,
        stopping: threading.Event,
    ):
        self._settings = settings
        self._storage = storage
        self._clock = clock
        self._stopping = stopping
        self._outages, self._retry = outages, outages.retry_until_written
        self._step_config = StepConfig.from_settings(settings)
        self._prices = model_costs.Prices.from_settings(settings)
        self.work_archives = WorkArchives(storage, settings.work_dir)
        self.uploads = Uploads(storage.files, settings.assets_dir)
        self._scenes = SharedScenes(
            storage, settings.cache_dir, settings.cache_megabytes * 1_000_000
        )

    def stop(self) -> None:
        """End what runs beside the steps, which have ended."""
        self._scenes.stop()

    def run_next_step(self, run: Run) -> Ran | None:
        """Run the next step of a production in a child process and commit its outcome; None: there
        was none to run.

        Raises LostClaim, Stopping.
        """
        claim = run.claim
        step = self._retry(progress.start_step, claim, self._clock())
        if step is None:
            return None
        scenario = sandbox.find_scenario(claim.production_id)
        if scenario.fail_at == step["name"]:
            self._fail(claim, step, scenario.fail_code, scenario.fail_message)
            return Ran(
                step["name"], Failed(scenario.fail_code, scenario.fail_message), 0.0, is_played=True
            )
        outcome, seconds = self._measure(run, step)
        if isinstance(outcome, Completed):
            outcome = self._complete(run, step, scenario.deliverables, seconds)
        self._commit(claim, step, outcome)
        return Ran(step["name"], outcome, seconds)

    def _complete(self, run: Run, step: Step, number: int | None, seconds: float) -> Outcome:
        """Store the files of a completed step and commit it; return its outcome,
        which is another one if they are malformed.
        """
        outcome, commits = self._keep(run, step, number)
        if isinstance(outcome, Completed):
            claim = run.claim
            self._retry(
                progress.complete_step,
                claim,
                step,
                self._clock(),
                commits.files,
                round(seconds * 1000),
                commits.work_archive,
                commits.written,
                commits.warnings,
            )
            if commits.files:  # all steps are done
                self._finish(claim.production_id)
        return outcome

    def _commit(self, claim: Claim, step: Step, outcome: Outcome) -> None:
        """Commit an outcome; that of a completed step was."""
        match outcome:
            case Interrupted(message, trouble):
                self._outages.record(trouble, message)  # the step is run again, here or elsewhere
            case PutOff(code, message):
                log.warning("a step is postponed: %s", message)
                self._retry(progress.postpone_step, claim, step, code, message, self._clock())
            case Crashed(message):
                self._record_crash(claim, step, message)
            case TimedOut(message) if step["attempts"] == 0:  # it may succeed next time
                self._record_crash(claim, step, message)
            case TimedOut() | Failed():
                self._fail(claim, step, outcome.code, outcome.message)

    def _fail(self, claim: Claim, step: Step, code: str, message: str) -> None:
        self._retry(progress.fail_step, claim, step, code, message, self._clock())

    def _record_crash(self, claim: Claim, step: Step, message: str) -> None:
        """Record a crash; :func:`progress.record_crash` decides whether the step is tried again."""
        log.warning("a step crashed: %s", message)
        self._retry(progress.record_crash, claim, step, message, self._clock())

    def _measure(self, run: Run, step: Step) -> tuple[Outcome, float]:
        """Run a step; return its outcome and its duration in seconds."""
        began, name, claim = time.monotonic(), step["name"], run.claim
        with traces.span(
            f"step {name}", production=claim.production_id, correlation=claim.correlation_id
        ):
            outcome = self._run(run, step, self._folder(claim.production_id))
        seconds = time.monotonic() - began
        metrics.observe("step_seconds", seconds, name, _MEASURED_AS.get(type(outcome), "failed"))
        return outcome, seconds

    def _run(self, run: Run, step: Step, folder: Path) -> Outcome:
        claim = run.claim
        try:
            work_folder.make_folder(folder)
            if malformed := self._fetch(run, step):
                return malformed
            brief = brief_builder.settle_brief(claim.production_id)
            self.uploads.fetch(brief_builder.list_uploads(brief))
            brief_builder.copy_uploads(brief, self._settings.assets_dir, folder)
            programme.save(brief, folder / "brief.json")
            run_step = partial(self._run_screened, run, folder, brief)
            again = lost_work.recreate_files(step, folder, run_step)
            return run_step(step["name"]) if isinstance(again, Completed) else again
        except LookupError as error:
            return Failed("NO_CONNECTED_PLATFORM", str(error))
        except KeyMissing as missing:
            return Interrupted(str(missing), missing.outage)
        except OSError as failure:
            trouble = work_folder.find_outage(failure, folder)
            if trouble is not None:
                return Interrupted(str(failure), trouble)
            if outage.recognise(failure) is None:
                raise
            return refuse_malformed_files(failure)

    def _fetch(self, run: Run, step: Step) -> Crashed | None:
        """Fetch what other machines did; return the outcome of a crash if that is
        malformed, or None.
        """
        try:
            self.work_archives.fetch(
                run.claim.production_id, step["position"], self._progress_callback(run)
            )
        except _MALFORMED as error:
            if work_folder.find_outage(error, self._folder(run.claim.production_id)) is not None:
                raise
            return refuse_malformed_files(error)
        return None

    def _run_screened(
        self, run: Run, folder: Path, brief: programme.VideoBrief, name: str
    ) -> Outcome:
        """Run a step in a process of its own, and apply the sensitivity rules to what it says for
        the first time; a narration says more than its script if it is edited or translated."""
        # The script is that of the production that it goes on with.
        if name == SCRIPT and lost_work.place_script(run.claim.production_id, folder):
            return Completed() if brief.edits else self._screen(run.claim, folder, Completed())
        outcome = self._run_child(run, name, folder, bool(brief.caption_languages))
        is_new = name == SCRIPT or (
            name == NARRATION and bool(brief.edits or brief.caption_languages)
        )
        return self._screen(run.claim, folder, outcome) if is_new else outcome

    def _screen(self, claim: Claim, folder: Path, outcome: Outcome) -> Outcome:
        try:
            return script_screening.screen_outcome(claim.production_id, folder, outcome)
        except _MALFORMED as error:
            if work_folder.find_outage(error, folder) is not None:
                raise
            return refuse_malformed_files(error)

    def _run_child(self, run: Run, name: str, folder: Path, translates: bool) -> Outcome:
        claim = run.claim

        def record_charge(charge: dict[str, Any]) -> None:
            self._retry(
                model_costs.record, claim.production_id, charge, self._prices, self._clock()
            )

        def alert(sentence: str) -> None:
            self._retry(progress.record_voice_lost, claim, sentence, self._clock())

        scenes = self._scenes.prepare_for_step(name, claim.partner_id)
        seed = self._seed() if name == "certificate" else b""
        config = self._step_config.prepare_for_step(name, seed, scenes is not None, translates)
        report = self._progress_callback(run)

        def hear(fraction: float) -> None:
            # This is not asked later, when the step has ended and its result is stored.
            if run.gives_way.is_set():
                raise Stopping
            report(fraction)

        outcome = step_runner.run_step(
            name,
            folder,
            self._settings.step_timeout_seconds,
            hear,
            config,
            record_charge,
            alert,
            scenes,
        )
        if isinstance(outcome, Failed | TimedOut | Crashed) and health.has_no_room(self._settings):
            # On a full disk some libraries report only a failure, and others crash.
            return Interrupted(outcome.message, outage.DISK_FULL)
        if isinstance(outcome, Failed | Crashed) and work_folder.is_of_another(folder):
            return Interrupted(outcome.message, outage.READ_ONLY)
        return outcome

    def _seed(self) -> bytes:
        """Return the seed of the keys that sign videos and certificates; read each time,
        as a key may have been added.
        """
        return signing.derive_identity_seed(master_keys.read_ring(self._settings.secret))

    def _progress_callback(self, run: Run) -> Callable[[float], None]:
        """Return the callback of a running step, which renews the lease and raises an exception to
        stop the step.
        """
        started = renewed = self._clock()

        def report(fraction: float) -> None:
            nonlocal renewed
            if self._stopping.is_set() or run.is_aborted():
                raise Stopping
            if run.lost.is_set():
                raise LostClaim
            if abs(self._clock() - renewed) >= _RENEW_EVERY:
                renewed = self._clock()
                self._renew(run.claim, renewed, fraction, renewed - started)

        return report

    def _renew(self, claim: Claim, now: int, fraction: float, ran: int) -> None:
        """Renew the lease. An outage is recorded but does not stop a step that makes progress."""
        try:
            progress.renew(claim, now, fraction, ran)
        except db.Error as failure:
            if self._outages.record_failure(failure) is None:
                raise

    def _keep(self, run: Run, step: Step, number: int | None) -> tuple[Outcome, Kept]:
        """Store the files of a completed step: return its outcome, and what is committed with it.

        If the files of the steps are malformed, return the outcome of a crash. LostClaim, Stopping:
        as while a step runs.
        """
        claim, heard = run.claim, self._progress_callback(run)
        folder = self._folder(claim.production_id)
        files = FinishedFiles(self._storage, folder, claim.production_id, heard)
        try:
            if steps.is_last(step):
                warnings = work_folder.guard_step_faults(folder, gate_findings.read_warnings)(
                    folder
                )
                stored = self._retry(
                    work_folder.guard_step_faults(folder, files.store), number, warnings
                )
                return Completed(), Kept(stored, warnings=warnings)
            is_kept = step["name"] == SCRIPT and script_review.is_review_wanted(claim.production_id)
            kept_script = script_review.find_kept_script(claim.production_id) if is_kept else None
            written = kept_script or written_script.read_script(folder) if is_kept else None
            work_archive = self._retry(
                work_folder.guard_step_faults(folder, self.work_archives.store), claim, step, heard
            )
            return Completed(), Kept((), work_archive, written)
        except _MALFORMED as error:
            if work_folder.find_outage(error, folder) is not None:
                raise
            return refuse_malformed_files(error), Kept()

    def _finish(self, production_id: str) -> None:
        """Remove what the steps left. If the bucket does not answer, it is swept later."""
        self.work_archives.forget(production_id)
        self._remove_despite_bucket(self.work_archives.finish, production_id)

    def discard(self, production_id: str) -> None:
        """Remove what was stored for a production that was cancelled meanwhile.

        If the bucket does not answer, it is swept.
        """
        self._remove_despite_bucket(self.work_archives.discard, production_id)

    def _remove_despite_bucket(self, remove: Callable[[str], None], production_id: str) -> None:
        """Call ``remove``, which may do nothing while the bucket does not answer."""
        try:
            remove(production_id)
        except FileStoreUnavailable as failure:
            self._outages.record_failure(failure)

    def _folder(self, production_id: str) -> Path:
        return self._settings.work_dir / production_id
