"""The pipeline: leases productions for one step each, runs it in a child process, and commits its outcome."""

import logging
import shutil
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from svc.adapters.storage import Storage
from svc.base import logs, signing, traces, trouble
from svc.base.key_ring import FileRing
from svc.base.settings import Settings
from svc.base.steps import STEPS
from svc.domain import charges, metrics, progress, scenarios
from svc.domain.deliverables import Made
from svc.domain.render_queue import Claim
from svc.media import finished, programme
from svc.store import claims, database
from svc.store.claims import LostClaim
from svc.work import briefing, script_screening, work_folder
from svc.work.steps import process
from svc.work.steps.means import Means
from svc.work.worries import AGAIN_SECONDS, Worries, guarded

log = logging.getLogger("svc.pipeline")

SCRIPT = STEPS[0][0]
_RENEW_EVERY = 1000  # milliseconds between renewals of a lease, which also carry the step's progress
_NO_ROOM = 1024 * 1024  # bytes
# What reading the files of a step comes to whose process was taken over by what it worked on.
_ODD = (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError)


class Stopping(Exception):
    """The engine is stopping: what runs is given back."""


class Pipeline:
    """Runs at most ``settings.render_workers`` steps side by side; after each the queue says whose is next."""

    def __init__(
        self, driver: claims.Driver, settings: Settings, storage: Storage, clock: Callable[[], int], worries: Worries
    ):
        self._driver, self._settings, self._storage, self._clock = driver, settings, storage, clock
        self._worries = worries
        self._means, self._prices = Means.of(settings), charges.Prices.of(settings)
        self._pool = ThreadPoolExecutor(settings.render_workers, "pipeline")
        self._free = threading.Semaphore(settings.render_workers)
        self._stopping = threading.Event()
        self._cancelled: set[str] = set()
        self._running: dict[str, threading.Event] = {}  # production id to what is set when its work has ended
        self._turn = threading.Lock()

    def turn(self) -> None:
        """Lease what there are free workers for; returns at once."""
        with self._turn:
            while not self._stopping.is_set() and self._free.acquire(blocking=False):
                claim = None
                try:
                    claim = progress.claim_next(
                        self._driver, self._clock(), self._settings.render_workers, self._settings.partner_render_workers
                    )
                finally:
                    if claim is None:
                        self._free.release()
                if claim is None:
                    return
                self._running[claim.production_id] = threading.Event()
                self._pool.submit(self._produce, claim)

    def _produce(self, claim: Claim) -> None:
        with logs.about(production=claim.production_id, partner=claim.partner_id, correlation=claim.correlation_id):
            self._carry_out(claim)

    def _carry_out(self, claim: Claim) -> None:
        began, stumbled = time.monotonic(), False
        try:
            self._run_next_step(claim)
        except LostClaim:
            log.info("the claim is gone, its work is dropped")
        except Stopping:
            pass
        except Exception as failure:
            # The lease runs out and somebody tries again; the step's own crashes are counted elsewhere.
            stumbled = True
            if self._worries.note(failure) is None:
                log.exception("pipeline run failed")
        finally:
            # Before it is given back: whoever claims it next enters it here again.
            self._running.pop(claim.production_id).set()
            if not stumbled:
                self._give_back(claim, time.monotonic() - began)
            self._free.release()
            if not self._stopping.is_set():
                guarded(self._worries, self.turn)()

    def _give_back(self, claim: Claim, seconds: float) -> None:
        def give_back() -> None:
            self._worries.until_written(progress.give_back, claim, 1000 * seconds)

        guarded(self._worries, give_back)()

    def _run_next_step(self, claim: Claim) -> None:
        lasting = self._worries.until_written
        step = lasting(progress.start_step, claim, self._clock())
        if step is None:
            return
        folder = self._folder(claim.production_id)
        scenario = self._scenario(claim.production_id)
        if scenario.fail_at == step["name"]:
            lasting(progress.fail_step, claim, step, scenario.fail_code, scenario.fail_message, self._clock())
            return
        begun = time.monotonic()
        with traces.span(f"step {step['name']}", production=claim.production_id, correlation=claim.correlation_id):
            outcome = self._run(claim, step["name"], folder)
        took = time.monotonic() - begun
        how = "completed" if outcome.done else "crashed" if outcome.code is None else "failed"
        metrics.observe("step_seconds", took, step["name"], how)
        if outcome.trouble is not None:
            self._worries.worry(outcome.trouble, outcome.message)
            if self._stopping.wait(AGAIN_SECONDS):
                raise Stopping
        elif outcome.done:
            last = step["position"] == database.one(
                "SELECT steps_total - 1 FROM productions WHERE id = ?", (claim.production_id,)
            )[0]  # fmt: skip
            try:
                made = lasting(self._keep, claim.production_id, folder, scenario.deliverables) if last else []
            except _ODD as odd:
                if trouble.recognise(odd) is not None:
                    raise
                self._not_done(claim, step, _left_nonsense(odd))
                return
            lasting(progress.complete_step, claim, step, self._clock(), made, round(took * 1000))
            if last:
                self.forget(claim.production_id)
        else:
            self._not_done(claim, step, outcome)

    def _not_done(self, claim: Claim, step: database.Row, outcome: process.Outcome) -> None:
        """The step was refused, put off, or its process died: whether it is tried again is the domain's matter."""
        lasting = self._worries.until_written
        if outcome.again:
            log.warning("a step is put off: %s", outcome.message)
            lasting(progress.put_off, claim, step, outcome.code, outcome.message, self._clock())
            return
        hung = outcome.code == process.TIMED_OUT and step["attempts"] == 0  # perhaps not the next time
        if outcome.code is not None and not hung:
            lasting(progress.fail_step, claim, step, outcome.code, outcome.message, self._clock())
            return
        log.warning("a step crashed: %s", outcome.message)
        lasting(progress.step_crashed, claim, step, outcome.message, self._clock())

    def _scenario(self, production_id: str) -> scenarios.Scenario:
        return scenarios.load(database.one("SELECT scenario FROM productions WHERE id = ?", (production_id,))["scenario"])

    def _run(self, claim: Claim, name: str, folder: Path) -> process.Outcome:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            brief = briefing.brief(claim.production_id)
            briefing.place(brief, self._settings.assets_dir, folder)
            programme.save(brief, folder / "brief.json")
            outcome = self._run_child(claim, name, folder)
            return self._screened(claim, folder, outcome) if name == SCRIPT else outcome
        except LookupError as nothing:
            return process.Outcome(False, "NO_CONNECTED_PLATFORM", str(nothing))
        except OSError as failure:
            found = trouble.recognise(failure)
            if found is None:
                raise
            return process.Outcome(False, None, str(failure), found)

    def _screened(self, claim: Claim, folder: Path, outcome: process.Outcome) -> process.Outcome:
        try:
            return script_screening.screened(claim.production_id, folder, outcome)
        except _ODD as odd:
            if trouble.recognise(odd) is not None:
                raise
            return _left_nonsense(odd)

    def _run_child(self, claim: Claim, name: str, folder: Path) -> process.Outcome:
        def spent(charge: dict[str, Any]) -> None:
            self._worries.until_written(charges.record, claim.production_id, charge, self._prices, self._clock())

        means = self._means.for_step(name, self._seed() if name == "certificate" else b"")
        outcome = process.run(name, folder, self._settings.step_timeout_seconds, self._heard(claim), means, spent)
        if not outcome.done and not outcome.again and self._has_no_room():
            # Some libraries say of a full disk only that something failed, and some are killed by it.
            return process.Outcome(False, None, outcome.message, outcome.trouble or trouble.DISK_FULL)
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
            if self._stopping.is_set():
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

    def _keep(self, production_id: str, folder: Path, wanted: int | None) -> list[Made]:
        """Copy the finished files to the media directory; repeating it is harmless.

        ``wanted``: a sandbox scenario wants so many deliverables: the transcript is handed out that much more often.
        """
        brief = briefing.brief(production_id)  # not the one in the folder, where the steps could write
        posters = [f"poster-{rendition.name}.jpg" for rendition in brief.renditions]
        for name in (*posters, "findings.json"):  # shown, but no deliverables
            if (folder / name).exists():
                self._storage.keep(folder / name, f"{brief.production_id}/{name}")
        kept = {}
        made = []
        for each in finished.deliverables(brief, folder):
            if each.path not in kept:
                kept[each.path] = self._storage.keep(folder / each.path, f"{brief.production_id}/{each.path}")
            stored = kept[each.path]
            made.append(
                Made(
                    each.type,
                    each.platform,
                    each.format,
                    stored.file,
                    stored.size_bytes,
                    stored.sha256,
                    each.duration,
                    each.language,
                )
            )
        transcript = next(each for each in made if each.type == "Transcript")
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
        with self._turn:  # so that no turn submits anything from now on
            self._stopping.set()
        self._pool.shutdown(wait=True)


def _left_nonsense(odd: Exception) -> process.Outcome:
    """Of a step that said it was done: it counts as one that died."""
    return process.Outcome(False, None, f"The step left what no step leaves: {type(odd).__name__}: {str(odd)[:200]}")
