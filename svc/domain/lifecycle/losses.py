"""Steps that ended without a result because the process that ran them was lost: it died, slept for
longer than its lease, or failed outside the step.

Each loss is counted once, on the step, with the same transaction that frees it. The next attempt
waits (``retry_schedule.LOSS_DELAYS``); after the last of them the production fails. A process that
stops in order gives its steps back itself, which is no loss, and neither is a cancel.
"""

from contextlib import suppress

from svc.base.steps import STEPS
from svc.domain import retry_schedule
from svc.domain.lifecycle import endings, lifecycle, steps
from svc.domain.lifecycle.lifecycle import Cause, Claim
from svc.domain.monitoring import alerts, metrics
from svc.store import claims, wake
from svc.store.claims import LostClaim
from svc.store.database import Row, db
from svc.store.models.productions import Production
from svc.store.queries import Prepared, slot

LOSSES_ALLOWED = len(retry_schedule.LOSS_DELAYS)  # of one step; one more fails its production

_CLAIMED = Production.select(
    Production.id,
    Production.partner_id,
    Production.correlation_id,
    Production.claim_token,
    Production.steps_complete,
).where(Production.claim_token.is_null(False), Production.cancel_token.is_null())
_OF_EARLIER_BOOTS = Prepared(_CLAIMED.where(claims.is_of_earlier_boots(Production)))
_OF_BOOT = Prepared(_CLAIMED.where(Production.claim_boot == slot("boot")))
_OF_TOKEN = _CLAIMED.where(Production.id == slot("id"), Production.claim_token == slot("token"))
_HELD = Prepared(_OF_TOKEN)
_EXPIRED = Prepared(_OF_TOKEN.where(Production.claim_until <= slot("now")))


def record_failure(claim: Claim, why: str, now: int) -> None:
    """Count that the process which holds a claim failed outside the step, and release it.

    ``why``: for the operator. LostClaim: the claim holds no longer; nothing is changed.
    """
    with db.transaction(partner=claim.partner_id):
        row = _HELD.row(id=claim.production_id, token=claim.token)
        if row is None:
            raise LostClaim(claim.production_id)
        # Other steps are next, which tell whether the process is to blame.
        _count_loss(row, why, now, is_last=True)


def release_expired(production_id: str, token: str, now: int, moment: float | None = None) -> None:
    """Count the loss of a claim whose lease has expired, and release it, unless it was renewed or
    released meanwhile. Busy: see ``db.transaction``.
    """
    with db.transaction(partner=lifecycle.find_partner(production_id), moment=moment):
        if (row := _EXPIRED.row(id=production_id, token=token, now=now)) is None:
            return
        with suppress(LostClaim):
            _count_loss(row, "its lease has expired", now)
            metrics.increment("leases_recovered")


def release_claims_of(boot: str, now: int) -> int:
    """Count the losses of a process that gives no sign of life, and release its claims, so that
    others do its work; return their number.
    """
    with db.transaction():
        lost = _OF_BOOT.rows(boot=boot)
        _count_all(lost, "its process gives no sign of life", now)
        released = len(lost) + lifecycle.release_claims_of(boot)
        if released:
            metrics.increment("leases_recovered", number=released)
            wake.wake_on_commit()
    return released


def release_earlier_boots(driver: claims.Driver, now: int) -> int:
    """Count the losses of every earlier process of this data directory, which is gone as this one
    holds the lock, and release its claims; return their number.
    """
    with db.transaction():
        lost = _OF_EARLIER_BOOTS.rows(boot=driver.boot, place=driver.place)
        _count_all(lost, "its process ended without giving it back", now)
        return len(lost) + lifecycle.release_earlier_boots(driver)


def _count_all(lost: list[Row], why: str, now: int) -> None:
    for number, row in enumerate(sorted(lost, key=lambda row: str(row["id"]))):
        with suppress(LostClaim):  # it was given back meanwhile
            _count_loss(row, why, now, number)


def _count_loss(row: Row, why: str, now: int, others: int = 0, is_last: bool = False) -> None:
    """Count a loss and release the claim, or fail the production.

    ``others``: as in retry_schedule. ``is_last``: the production gives up its place in the queue.
    LostClaim: it was released meanwhile.
    """
    position = row["steps_complete"]
    claim = Claim(row["id"], row["claim_token"], row["partner_id"], row["correlation_id"])
    lifecycle.keep_claim(claim)  # its process takes no turn to give it back
    losses = steps.count_loss(claim.production_id, position)
    if losses <= LOSSES_ALLOWED:
        delay = retry_schedule.find_delay_after_loss(losses, others)
        if delay or is_last:
            lifecycle.postpone(claim, now, now + delay)
        else:
            lifecycle.release_claim(claim)
        if losses > 1:  # a machine may be started anew once
            _raise_alert("warning", claim, position, losses, f"{why}; it is run again", now)
        return
    name = STEPS[position][0]
    steps.mark_failed(claim.production_id, position, now)
    message = (
        f"The step {name} was begun {losses} times, and each time the process that ran it was lost "
        "before it had a result."
    )
    endings.fail_production(
        claim.production_id,
        Cause.STEP_FAILED,
        "STEP_ABANDONED",
        message,
        now,
        token=claim.token,
        failed_step=name,
    )
    _raise_alert("critical", claim, position, losses, f"{why}; the production failed", now)


def _raise_alert(
    severity: str, claim: Claim, position: int, losses: int, sentence: str, now: int
) -> None:
    message = (
        f"The step {STEPS[position][0]} of production {claim.production_id} was lost {losses} "
        f"times with its process ({sentence})."
    )
    alerts.raise_once("StepLost", severity, message, now, claim.partner_id)
