"""The progress of productions: their steps begin, are completed, fail or are put off, until a
production awaits its release.

``render_queue`` claims the steps, and ``lifecycle`` changes the rows of productions.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from svc.base import clock, states
from svc.domain import retry_schedule
from svc.domain.lifecycle import (
    completion_estimates,
    deliverables,
    endings,
    lifecycle,
    render_queue,
    sandbox,
    script_review,
    step_queues,
    steps,
)
from svc.domain.lifecycle.lifecycle import Cause, Claim
from svc.domain.monitoring import alerts, metrics
from svc.domain.productions import distribution, gate_warnings
from svc.domain.productions.gate_warnings import QualityWarning
from svc.domain.tables.productions import Production, Step
from svc.domain.usage import ledger
from svc.domain.webhooks import event_types, events
from svc.store.claims import LostClaim
from svc.store.database import db
from svc.store.models import productions as models
from svc.store.queries import Prepared, slot

CRASHES_ALLOWED = 3  # of one step, after which its production fails

_PRODUCTION, _STEP = models.Production, models.ProductionStep
_THIS_ONE = _PRODUCTION.id == slot("id")
_FIND = Prepared(_PRODUCTION.select().where(_THIS_ONE), Production)
_EXPECT = Prepared(_PRODUCTION.update(estimated_at=slot("ready_at")).where(_THIS_ONE))
_IS_COMPLETE = Prepared(
    _PRODUCTION.select(_PRODUCTION.id).where(
        _THIS_ONE,
        _PRODUCTION.claim_token == slot("token"),
        _PRODUCTION.steps_complete > slot("position"),
    )
)
_THIS_STEP = (_STEP.production_id == slot("production_id")) & (_STEP.position == slot("position"))
_STARTED_AT = Prepared(_STEP.select(_STEP.started_at).where(_THIS_STEP))
_COMPLETE = Prepared(
    _STEP.update(status="Completed", completed_at=slot("now"), files=slot("files")).where(
        _THIS_STEP
    )
)
_COUNT_ATTEMPT = Prepared(
    _STEP.update(attempts=_STEP.attempts + 1).where(_THIS_STEP, _STEP.attempts == slot("attempts"))
)


def hand_on(claim: Claim, now: int, took: float) -> None:
    """Release a claim, and tell other machines of the production's next step.

    ``took``: milliseconds that the step ran.
    """
    with db.transaction(durable=False, in_turn=False):
        render_queue.release_claim(claim, took)
        db.announce(lambda: step_queues.find_queue(claim.production_id, now))


def renew(claim: Claim, now: int, fraction: float, elapsed: int = 0) -> None:
    """Extend the lease and record the progress (0 to 1) of the running step after ``elapsed``
    milliseconds.

    LostClaim: the claim no longer holds, so stop working on the production.
    """
    with db.transaction(durable=False, in_turn=False):
        lifecycle.renew_lease(claim, now, step_fraction=fraction)
        row = _find_row(claim.production_id)
        _expect_done(row, completion_estimates.estimate_under_way(row, now, elapsed, fraction))


def start_step(claim: Claim, now: int) -> Step | None:
    """Mark the next step as running and return its row; None: all are done,
    or a scenario holds or delays the production.
    """
    with db.transaction(durable=False, in_turn=False):
        lifecycle.renew_lease(claim, now, step_fraction=0)
        row = _find_row(claim.production_id)
        if row["held_in"] == row["status"]:
            return None
        step = steps.begin_step(claim.production_id, row["steps_complete"], now)
        if step is None:
            return None
        wait = _compute_scenario_delay(claim, row, step["name"], now)
        expected = completion_estimates.estimate_under_way(row, now)
        _expect_done(row, expected and expected + wait)
    return None if wait else step


def _compute_scenario_delay(claim: Claim, row: Production, name: str, now: int) -> int:
    """Return the milliseconds by which a sandbox scenario delays this step.

    The production is put off, so no worker waits.
    """
    scenario = sandbox.scenario_from_json(row["scenario"])
    if scenario.slow_step != name:
        return 0
    wait = scenario.slow_seconds * clock.SECOND
    lifecycle.set_held(
        claim, not_before=now + wait, scenario=replace(scenario, slow_step=None).to_json()
    )
    return wait


def complete_step(
    claim: Claim,
    step: Step,
    now: int,
    files: Sequence[deliverables.FinishedFile] = (),
    took: int | None = None,
    work_archive: str | None = None,
    written: script_review.WrittenScript | None = None,
    warnings: Sequence[QualityWarning] = (),
) -> None:
    """Commit a completed step with its event; after the last step the production awaits its
    release.

    It may be called again after a commit whose answer was lost: the step is not completed twice.
    LostClaim: the claim no longer holds; nothing is changed.

    Args:
        files: The deliverables, with the last step.
        took: Milliseconds of work; None: the time since the start of the step.
        work_archive: What the step did to the work folder, where it goes through a bucket
            (svc.work.files.work_archives).
        written: The script, if it was written by this step and is to be reviewed: the production
            stops.
        warnings: What the quality gates are not sure of, with the last step.
    """
    with db.transaction(partner=claim.partner_id):
        if _is_complete(claim, step):
            return
        columns = {
            "steps_complete": step["position"] + 1,
            "current_step": step["label"],
            "step_fraction": 0,
        }
        row = _make_transition(claim, Cause.STEP_COMPLETED, now, **columns)
        _COMPLETE.execute(
            production_id=row["id"], position=step["position"], now=now, files=work_archive
        )
        completion_estimates.record_duration(
            step["name"],
            completion_estimates.measure_size(row),
            _since_start(row["id"], step, now) if took is None else took,
        )
        data: event_types.StepComplete = {
            "status": states.PRODUCING,
            "stepsComplete": row["steps_complete"],
            "currentStep": step["label"],
        }
        events.record(row, event_types.STEP_COMPLETE, data, now)
        if written is not None:
            script_review.begin_review(claim, row, written, now)
        if row["steps_complete"] == row["steps_total"]:
            _await_approval(claim, row, files, warnings, now)


def _is_complete(claim: Claim, step: Step) -> bool:
    """Return whether an earlier commit of the completed step succeeded,
    though its answer was lost.
    """
    row = _IS_COMPLETE.row(id=claim.production_id, token=claim.token, position=step["position"])
    return row is not None


def _await_approval(
    claim: Claim,
    row: Production,
    files: Sequence[deliverables.FinishedFile],
    warnings: Sequence[QualityWarning],
    now: int,
) -> None:
    deliverables.add_files(row["id"], files, now)
    seconds = sum(file.duration_seconds or 0.0 for file in files if file.type == "Video")
    columns = {
        "rendered_seconds": seconds,
        "gate_warnings": gate_warnings.serialise_warnings(warnings),
    }
    row = _make_transition(claim, Cause.LAST_STEP_COMPLETED, now, **columns)
    error = completion_estimates.record_error(row, now)
    if error is not None:
        metrics.observe("estimate_error", error)
    ledger.settle(row["id"], ledger.find_price(row["id"]))
    shown, truncated = deliverables.list_for_event(row["id"])
    ready: event_types.DeliverablesReady = {
        "status": states.AWAITING_APPROVAL,
        "deliverables": shown,
    }
    events.record(row, event_types.DELIVERABLES_READY, ready, now, truncated=truncated)
    awaits: event_types.AwaitingApproval = {
        "status": states.AWAITING_APPROVAL,
        "stepsComplete": row["steps_complete"],
    }
    events.record(row, event_types.AWAITING_APPROVAL, awaits, now)
    if row["auto_release"]:
        distribution.make_due(row["id"], now)


def _expect_done(row: Production, ready_at: int | None) -> None:
    _EXPECT.execute(id=row["id"], ready_at=ready_at)


def _since_start(production_id: str, step: Step, now: int) -> int:
    started_at: int = _STARTED_AT.value(production_id=production_id, position=step["position"])
    return max(0, now - started_at)


def fail_step(claim: Claim, step: Step, code: str, message: str, now: int) -> None:
    """Fail a step, and with it the production.

    LostClaim: the claim no longer holds; nothing is changed.
    """
    with db.transaction(partner=claim.partner_id):
        lifecycle.keep_claim(claim)  # first, as who takes it over changes the step after it
        steps.mark_failed(claim.production_id, step["position"], now)
        production_id, token, name = claim.production_id, claim.token, step["name"]
        if not endings.fail_production(
            production_id, Cause.STEP_FAILED, code, message, now, token=token, failed_step=name
        ):
            raise LostClaim(claim.production_id)  # which rolls the update back


def record_crash(claim: Claim, step: Step, message: str, now: int) -> bool:
    """Record that a step's process crashed, and return whether the step is retried, after a delay.
    If not, the production has failed.

    It may be called again after a commit whose answer was lost: the crash counts once.
    """
    with db.transaction(partner=claim.partner_id):
        lifecycle.note_change(claim, now)
        if not _count_attempt(claim, step):
            return True  # it was recorded; had the production failed, the claim would not hold
        sentence = (
            f"The step {step['name']} of production {claim.production_id} crashed ({message})"
        )
        if (crashes := step["attempts"] + 1) < CRASHES_ALLOWED:
            later = now + retry_schedule.find_delay_after_loss(crashes)
            lifecycle.set_held(claim, not_before=later)
            alerts.raise_once(
                "StepCrashed", "warning", f"{sentence} and is run again.", now, claim.partner_id
            )
            return True
        alerts.raise_once(
            "StepCrashed",
            "critical",
            f"{sentence} again, and the production failed.",
            now,
            claim.partner_id,
        )
        fail_step(claim, step, "STEP_CRASHED", message, now)
    return False


def record_voice_lost(claim: Claim, sentence: str, now: int) -> None:
    """Raise an alert about a voice that cannot speak. espeak-ng speaks in its place.

    ``sentence``: which, and why.
    """
    message = (
        f"{sentence} espeak-ng speaks in its place. `python app.py voice list` says what is wrong."
    )
    alerts.raise_once("VoiceLost", "warning", message, now, claim.partner_id)


def postpone_step(claim: Claim, step: Step, code: str, message: str, now: int) -> None:
    """Release the claim and postpone the step, because a service that it needs is down.

    After the last of ``retry_schedule.STEP_DELAYS`` the production fails with ``code``. LostClaim:
    the claim no longer holds; nothing is changed.
    """
    if step["attempts"] >= len(retry_schedule.STEP_DELAYS):
        fail_step(claim, step, code, message, now)
        return
    with db.transaction(partner=claim.partner_id):
        lifecycle.postpone(claim, now, now + retry_schedule.STEP_DELAYS[step["attempts"]])
        _count_attempt(claim, step)


def _count_attempt(claim: Claim, step: Step) -> int:
    """Count a failed attempt at a step; return 0 if it was counted before."""
    return _COUNT_ATTEMPT.execute(
        production_id=claim.production_id, position=step["position"], attempts=step["attempts"]
    )


def _make_transition(claim: Claim, cause: Cause, now: int, **columns: Any) -> Production:
    """Make a transition that only the holder of the claim may make, and return the row.

    LostClaim: the claim does not hold.
    """
    if not lifecycle.move(claim.production_id, cause, now, claim.token, **columns):
        raise LostClaim(claim.production_id)
    return _find_row(claim.production_id)


def _find_row(production_id: str) -> Production:
    return _FIND.one(id=production_id)
