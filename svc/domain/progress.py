"""How productions are made: leased, step by step, until they await approval.

With ``endings`` and ``distribution`` this is the only place that changes a production's status. Every move is a compare and
set: it says which states (and which claim) it expects, and looks at the row count.
"""

from dataclasses import dataclass

from svc.base import clock, states
from svc.domain import alerts, deliverables, distribution, endings, estimates, events, ledger, metrics, steps
from svc.store import claims, database
from svc.store.claims import LostClaim

LEASE = 30 * clock.SECOND
CRASHES_ALLOWED = 3  # of one step, before its production fails
TRY_AGAIN_AFTER = (30 * clock.SECOND, 2 * clock.MINUTE, 10 * clock.MINUTE)  # where something that a step needs is down

_NEXT = f"""
    SELECT id, partner_id, correlation_id, claim_token FROM productions
    WHERE status IN ('Queued', 'Producing') AND held_in IS NOT status AND cancel_token IS NULL AND {claims.FREE}
    ORDER BY created_at LIMIT 1
"""
_CLAIM = f"""
    UPDATE productions SET claim_token = :token, claim_boot = :boot, claim_until = :until
    WHERE id = :id AND status IN ('Queued', 'Producing') AND held_in IS NOT status AND cancel_token IS NULL AND {claims.FREE}
"""


@dataclass(frozen=True)
class Claim:
    """A production whose steps this process may run until the lease ends."""

    production_id: str
    token: str
    partner_id: str
    correlation_id: str


def claim_next(driver: claims.Driver, now: int) -> Claim | None:
    """Lease the oldest production that has a step to run, if there is one."""
    found = database.row(_NEXT, {"now": now})
    if found is None:
        return None
    claim = Claim(found["id"], claims.new_token(), found["partner_id"], found["correlation_id"])
    with database.write(durable=False):
        taken = database.execute(
            _CLAIM, {"token": claim.token, "boot": driver.boot, "until": now + LEASE, "id": claim.production_id, "now": now}
        )
    if taken and found["claim_token"]:
        metrics.count("leases_recovered")
    return claim if taken else claim_next(driver, now)


def renew(claim: Claim, now: int, fraction: float, elapsed: int = 0) -> None:
    """Lengthen the lease and say how far the running step has come (0 to 1) in ``elapsed`` milliseconds. LostClaim: stop
    working on it."""
    with database.write(durable=False):
        row = _held(
            claim, "claim_until = ?, step_fraction = ?, updated_at = max(?, updated_at + 1)", (now + LEASE, fraction, now)
        )
        _expect(row, estimates.under_way(row, now, elapsed, fraction))


def give_back(claim: Claim) -> None:
    """Let somebody else run the step, at once: this process is stopping."""
    with database.write(durable=False):
        database.execute(
            "UPDATE productions SET claim_token = NULL, claim_boot = NULL, claim_until = NULL WHERE id = ? AND claim_token = ?",
            (claim.production_id, claim.token),
        )


def start_step(claim: Claim, now: int) -> database.Row | None:
    """Mark the next step as running; its row, or None when all are done or a scenario holds the production."""
    with database.write(durable=False):
        row = _held(claim, "step_fraction = 0, claim_until = ?, updated_at = max(?, updated_at + 1)", (now + LEASE, now))
        if row["held_in"] == row["status"]:
            return None
        step = steps.begin(claim.production_id, row["steps_complete"], now)
        if step is not None:
            _expect(row, estimates.under_way(row, now))
    return step


def complete_step(
    claim: Claim, step: database.Row, now: int, made: list[deliverables.Made] = (), took: int | None = None
) -> None:
    """Commit a step's outcome with its event. ``made``: the deliverables, with the last step, after which the production
    awaits approval. ``took``: milliseconds of work; None: all since its start. LostClaim: nothing was changed."""
    with database.write():
        row = _held(
            claim,
            "status = 'Producing', steps_complete = ?, current_step = ?, step_fraction = 0, claim_until = ?, "
            "updated_at = max(?, updated_at + 1)",
            (step["position"] + 1, step["label"], now + LEASE, now),
        )
        database.execute(
            "UPDATE production_steps SET status = 'Completed', completed_at = ? WHERE production_id = ? AND position = ?",
            (now, row["id"], step["position"]),
        )
        estimates.learn(step["name"], estimates.size_of(row), _since_start(row["id"], step, now) if took is None else took)
        data = {"status": states.PRODUCING, "stepsComplete": row["steps_complete"], "currentStep": step["label"]}
        events.record(row, "production.step.complete", data, now)
        if row["steps_complete"] == row["steps_total"]:
            _await_approval(claim, row, made, now)


def _await_approval(claim: Claim, row: database.Row, made: list[deliverables.Made], now: int) -> None:
    deliverables.enter(row["id"], made, now)
    row = _held(
        claim,
        "status = 'AwaitingApproval', rendered_seconds = ?, claim_token = NULL, claim_boot = NULL, claim_until = NULL, "
        "updated_at = max(?, updated_at + 1)",
        (sum(each.duration_seconds or 0.0 for each in made if each.type == "Video"), now),
    )
    error = estimates.judge(row, now)
    if error is not None:
        metrics.observe("estimate_error", error)
    ledger.settle(row["id"], ledger.price(row["id"]))
    shown, truncated = deliverables.for_event(row["id"])
    events.record(
        row, "deliverable.ready", {"status": states.AWAITING_APPROVAL, "deliverables": shown}, now, truncated=truncated
    )
    data = {"status": states.AWAITING_APPROVAL, "stepsComplete": row["steps_complete"]}
    events.record(row, "production.awaiting_approval", data, now)
    if row["auto_release"]:
        distribution.make_due(row["id"], now)


def _expect(row: database.Row, ready_at: int | None) -> None:
    database.execute("UPDATE productions SET estimated_at = ? WHERE id = ?", (ready_at, row["id"]))


def _since_start(production_id: str, step: database.Row, now: int) -> int:
    sql = "SELECT started_at FROM production_steps WHERE production_id = ? AND position = ?"
    return now - database.row(sql, (production_id, step["position"]))["started_at"]


def fail_step(claim: Claim, step: database.Row, code: str, message: str, now: int) -> None:
    """The step found that the production cannot be made: ``Failed``, terminal. LostClaim: nothing was changed."""
    with database.write():
        _held(claim, "claim_token = NULL, claim_boot = NULL, claim_until = NULL, failed_step = ?", (step["name"],))
        database.execute(
            "UPDATE production_steps SET status = 'Failed', completed_at = ? WHERE production_id = ? AND position = ?",
            (now, claim.production_id, step["position"]),
        )
        endings.fail(claim.production_id, (states.QUEUED, states.PRODUCING), code, message, now)


def step_crashed(claim: Claim, step: database.Row, message: str, now: int) -> bool:
    """The step's process died by itself: whether it is worth another try. If not, the production has failed."""
    with database.write():
        _held(claim, "updated_at = max(?, updated_at + 1)", (now,))
        database.execute(
            "UPDATE production_steps SET attempts = attempts + 1 WHERE production_id = ? AND position = ?",
            (claim.production_id, step["position"]),
        )
        said = f"The step {step['name']} of production {claim.production_id} crashed ({message})"
        if step["attempts"] + 1 < CRASHES_ALLOWED:
            alerts.raise_once("StepCrashed", "warning", f"{said} and is done again.", now, claim.partner_id)
            return True
        alerts.raise_once("StepCrashed", "critical", f"{said} again, and the production failed.", now, claim.partner_id)
        fail_step(claim, step, "STEP_CRASHED", message, now)
    return False


def put_off(claim: Claim, step: database.Row, code: str, message: str, now: int) -> None:
    """Something that the step needs is down: leave it alone for a while and then let anybody try again; after the last of
    TRY_AGAIN_AFTER the production has failed with ``code``. LostClaim: nothing was changed."""
    if step["attempts"] >= len(TRY_AGAIN_AFTER):
        fail_step(claim, step, code, message, now)
        return
    with database.write():
        # Nobody holds the new token: the lease is free when it runs out, or when the service starts anew.
        _held(
            claim,
            "claim_token = ?, claim_until = ?, step_fraction = 0, updated_at = max(?, updated_at + 1)",
            (claims.new_token(), now + TRY_AGAIN_AFTER[step["attempts"]], now),
        )
        database.execute(
            "UPDATE production_steps SET attempts = attempts + 1 WHERE production_id = ? AND position = ?",
            (claim.production_id, step["position"]),
        )


def _held(claim: Claim, assignments: str, values: tuple) -> database.Row:
    changed = database.execute(
        f"UPDATE productions SET {assignments} WHERE id = ? AND claim_token = ? AND cancel_token IS NULL "
        "AND status IN ('Queued', 'Producing')",
        (*values, claim.production_id, claim.token),
    )
    if not changed:
        raise LostClaim(claim.production_id)
    return _row(claim.production_id)


def _row(production_id: str) -> database.Row:
    return database.row("SELECT * FROM productions WHERE id = ?", (production_id,))
