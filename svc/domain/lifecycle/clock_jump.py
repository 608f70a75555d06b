"""Handles a jump of the system clock: moves scheduled retries along with it,
and raises an alert.
"""

from typing import Any

from svc.base import clock, ids, states
from svc.domain import lanes, retry_schedule
from svc.domain.lifecycle import lifecycle
from svc.domain.monitoring import alerts, engine_heartbeat
from svc.store import meta, wake
from svc.store.database import db
from svc.store.expressions import SQL, Case, fn, least
from svc.store.models.productions import Production, ProductionStep
from svc.store.models.publishing import Publication
from svc.store.models.webhooks import Delivery
from svc.store.queries import Prepared, slot

ALERT = "ClockJumped"
# If the clock is wrong, somebody sets it back before anything is removed for its age, or expires.
# On a machine that was paused for days, that only happens a day later.
_REMOVALS_WAIT = clock.DAY

_JUMP, _WAS, _NOW = (slot(name).cast("bigint") for name in ("jump", "was", "now"))
_TRIES = Delivery.failures + Delivery.interruptions


def _move_due_time(due: Any, is_first: Any | None = None) -> Any:
    """Return when something is due after a jump. ``is_first``: whether it was never tried.

    What was already due stays due if the clock is set back; so does what was never tried, because
    it never waits.
    """
    stays = due <= _WAS if is_first is None else is_first | (due <= _WAS)
    return Case(None, [(stays, least(due, _NOW))], due + _JUMP)


_MOVE = (
    Prepared(
        Delivery.update(
            next_attempt_at=_move_due_time(Delivery.next_attempt_at, _TRIES == 0),
            first_failed_at=Delivery.first_failed_at + _JUMP,
            second_failed_at=Delivery.second_failed_at + _JUMP,
        ).where(Delivery.status == "Pending", Delivery.next_attempt_at > least(_WAS, _NOW))
    ),
    Prepared(
        Publication.update(
            next_attempt_at=_move_due_time(Publication.next_attempt_at, Publication.attempts == 0)
        ).where(
            Publication.status.in_(("Pending", "Publishing")),
            Publication.next_attempt_at > least(_WAS, _NOW),
        )
    ),
    # A row that was written after the clock was set ahead already has a time of the new clock.
    Prepared(
        Production.update(not_before=_move_due_time(Production.not_before)).where(
            Production.status.in_((states.QUEUED, states.PRODUCING)),
            Production.not_before > least(_WAS, _NOW),
            (_JUMP < 0) | (Production.updated_at <= _WAS),
        )
    ),
)

# What no rule schedules: a first attempt in the future, and a retry after more than the longest
# delay. Such a time was read before the clock was set back, and written after the jump was handled:
# a transaction may wait for seconds on a full disk. Or the machine was started anew in between, so
# that nobody knows by how much it was set back.
# A retry that is planned while this waits for the write lock is counted from a later time than
# ``now``: hence the minute.
_LONGEST_DELAY = retry_schedule.LONGEST_OF_DELIVERIES + clock.MINUTE
_LONGEST_OF_STEPS = retry_schedule.LONGEST_OF_STEPS + clock.MINUTE
_LONGEST_OF_POSTS = retry_schedule.LONGEST_OF_PUBLICATIONS + clock.MINUTE
_IS_FIRST = (Publication.status == "Pending") & (Publication.attempts == 0)
_FAILED_STEP = ProductionStep.select(SQL("1")).where(
    ProductionStep.production_id == Production.id,
    ProductionStep.position == Production.steps_complete,
    (ProductionStep.attempts > 0) | (ProductionStep.losses > 0),
)
_MAY_WAIT = Production.scenario.is_null(False) | fn.EXISTS(_FAILED_STEP)
# The first conditions of each are those of the index *_due: only what waits is read, not all that
# ever was.
_STRANDED: tuple[tuple[Any, Any, Any], ...] = (
    (
        Delivery,
        Delivery.next_attempt_at,
        Delivery.lane.in_(lanes.ALL)
        & (Delivery.status == "Pending")
        & Delivery.claim_token.is_null()
        & Delivery.next_attempt_at.is_null(False)
        & (Delivery.next_attempt_at > _NOW)
        & (Delivery.next_attempt_at > _NOW + Case(None, [(_TRIES == 0, 0)], _LONGEST_DELAY)),
    ),
    (
        Production,
        Production.not_before,
        Production.status.in_((states.QUEUED, states.PRODUCING))
        & (Production.not_before > _NOW)
        & (Production.not_before > _NOW + Case(None, [(_MAY_WAIT, _LONGEST_OF_STEPS)], 0)),
    ),
    (
        Publication,
        Publication.next_attempt_at,
        Publication.status.in_(("Pending", "Publishing"))
        & Publication.next_attempt_at.is_null(False)
        & (Publication.next_attempt_at > _NOW)
        & (Publication.next_attempt_at > _NOW + Case(None, [(_IS_FIRST, 0)], _LONGEST_OF_POSTS)),
    ),
)
_IS_STRANDED = [
    Prepared(model.select(SQL("1")).where(condition).limit(1)) for model, _, condition in _STRANDED
]
_MAKE_DUE = [
    Prepared(model.update({due: _NOW}).where(condition)) for model, due, condition in _STRANDED
]


def read_stored_difference(boot: str) -> int | None:
    """Return how many milliseconds the system clock was ahead of the monotonic clock when any
    process last stored it.

    None: nothing was stored since the boot with the id ``boot``.
    """
    of, _, difference = (meta.read_text("clock") or "").rpartition(" ")
    return int(difference) if boot and of == boot else None


def store_difference(boot: str, difference: int) -> None:
    """Store the difference, for :func:`read_stored_difference` in the next engine. Call it inside
    a transaction.
    """
    meta.put("clock", f"{boot} {difference}")


def move_retries(jump: int, now: int, boot: str, difference: int) -> None:
    """Move all retries by ``jump``, the milliseconds by which the clock was set; ``now`` is the new
    time. ``boot`` and ``difference``: as for :func:`store_difference`, after the jump. Called again
    after a commit whose answer was lost, it moves nothing."""
    with db.transaction():
        if read_stored_difference(boot) == difference:
            return
        for query in _MOVE:
            query.execute(jump=jump, was=now - jump, now=now)
        if jump < 0:
            lifecycle.bring_expiry_back(jump, ids.make_lowest_id(now + clock.SKEW), now)
        store_difference(boot, difference)
        message = (
            f"The clock was set by {jump / 1000:+.0f} s, and the times of retries were moved with "
            "it. Check the time service."
        )
        if jump >= _REMOVALS_WAIT:
            message += _wait_with_removals(now)
        alerts.raise_alert(ALERT, "warning", message, now)


def doubt_first_time(now: int) -> None:
    """Compare the clock with the last sign of life of an engine, where none has run since the
    machine was started, so that nobody knows whether the clock was set meanwhile.

    After a day and more, the machine was off, or the clock is ahead: nothing is removed for its age
    for a day. If the clock is behind, the operator is told.
    """
    beat = engine_heartbeat.read_last_heartbeat()
    if beat is None or -clock.SKEW <= now - beat < _REMOVALS_WAIT:
        return
    last = clock.format_time(beat)
    if beat > now:
        message = (
            f"The clock says {clock.format_time(now)}, and the last sign of life of an engine is "
            f"dated {last}: the clock was ahead then, or is behind now."
        )
    else:
        message = (
            f"The last sign of life of an engine is of {last}: since then the service was off, or "
            "the clock is ahead."
        )
    with db.transaction():
        if beat <= now:
            message += _wait_with_removals(now)
        alerts.raise_alert(ALERT, "warning", f"{message} Check the time service.", now)


def _wait_with_removals(now: int) -> str:
    """Let removals wait for a day, and say so. Inside a transaction."""
    until = now + _REMOVALS_WAIT
    meta.put("removals_wait_until", until)
    return (
        " Nothing is removed for its age, and no production expires, before "
        f"{clock.format_time(until)}."
    )


def must_removals_wait(now: int) -> bool:
    """Return whether the clock was, or may have been, set ahead by a day or more less than a day
    ago, so that nothing may be removed for its age, or expire.
    """
    until = meta.read_number("removals_wait_until") or 0
    return 0 < until - now <= _REMOVALS_WAIT  # further ahead: it was set back since


def release_stranded(now: int) -> int:
    """Make due what was scheduled by a clock that has been set back since; return the number of
    rows. They are read first, so that the usual turn takes no write lock."""
    released = 0
    for is_stranded, make_due in zip(_IS_STRANDED, _MAKE_DUE, strict=True):
        if is_stranded.rows(now=now):
            with db.transaction():
                released += make_due.execute(now=now)
                wake.wake_on_commit()
    return released
