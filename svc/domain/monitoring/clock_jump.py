"""Handles a jump of the system clock: moves scheduled retries along with it, and raises an alert."""

from svc.base import clock
from svc.domain.monitoring import alerts
from svc.domain.webhooks import lanes
from svc.store import database, meta, wake

NAME = "ClockJumped"

# What was already due stays due if the clock is set back; so does what was never tried, because it never waits.
_MOVED = """
    CASE WHEN {tries} = 0 OR next_attempt_at <= :was THEN min(next_attempt_at, :now) ELSE next_attempt_at + :jump END
"""
_DELIVERIES = f"""
    UPDATE deliveries SET next_attempt_at = {_MOVED.format(tries="failures + interruptions")},
        first_failed_at = first_failed_at + :jump, second_failed_at = second_failed_at + :jump
    WHERE status = 'Pending' AND next_attempt_at > min(:was, :now)
"""
_PUBLICATIONS = f"""
    UPDATE publications SET next_attempt_at = {_MOVED.format(tries="attempts")}
    WHERE status IN ('Pending', 'Publishing') AND next_attempt_at > min(:was, :now)
"""
# A row that was written after the clock was set ahead already has a time of the new clock.
_PRODUCTIONS = """
    UPDATE productions SET not_before = CASE WHEN not_before <= :was THEN min(not_before, :now) ELSE not_before + :jump END
    WHERE status IN ('Queued', 'Producing') AND not_before > min(:was, :now) AND (:jump < 0 OR updated_at <= :was)
"""

# What no rule schedules: a first attempt in the future, and a retry after more than the longest delay. Such a time was read
# before the clock was set back, and written after the jump was handled: a transaction may wait for seconds on a full disk. Or
# the machine was started anew in between, so that nobody knows by how much it was set back.
# A retry that is planned while this waits for the write lock is counted from a later time than ``:now``: hence the minute.
_LONGEST_DELAY = 5 * clock.MINUTE + clock.MINUTE
_LONGEST_OF_STEPS = 10 * clock.MINUTE + clock.MINUTE  # svc.domain.productions.progress.TRY_AGAIN_AFTER
_DUE_NOW = {
    "deliveries": "UPDATE deliveries SET next_attempt_at = :now",
    "productions": "UPDATE productions SET not_before = :now",
    "publications": "UPDATE publications SET next_attempt_at = :now",
}
# The first line of each repeats the condition of the index *_due: only what waits is read, not all that ever was.
_STRANDED = {
    "deliveries": f"""
        lane IN {lanes.ALL} AND status = 'Pending' AND claim_token IS NULL AND next_attempt_at IS NOT NULL
        AND next_attempt_at > :now AND next_attempt_at > :now + CASE failures + interruptions WHEN 0 THEN 0 ELSE :longest END
    """,
    "productions": """
        status IN ('Queued', 'Producing') AND not_before > :now AND not_before > :now + CASE
            WHEN scenario IS NULL AND NOT EXISTS (
                SELECT 1 FROM production_steps s
                WHERE s.production_id = productions.id AND s.position = productions.steps_complete AND s.attempts > 0
            ) THEN 0 ELSE :steps END
    """,
    "publications": """
        status IN ('Pending', 'Publishing') AND next_attempt_at IS NOT NULL
        AND status = 'Pending' AND attempts = 0 AND next_attempt_at > :now
    """,
}


def known(boot: str) -> int | None:
    """Return how many milliseconds the system clock was ahead of the monotonic clock when any process last stored it.

    None: nothing was stored since the boot with the id ``boot``.
    """
    of, _, difference = (meta.text("clock") or "").rpartition(" ")
    return int(difference) if boot and of == boot else None


def keep(boot: str, difference: int) -> None:
    """Store the difference, for :func:`known` in the next engine. Call it inside write()."""
    meta.put("clock", f"{boot} {difference}")


def follow(jump: int, now: int, boot: str, difference: int) -> None:
    """Move all retries by ``jump``, the milliseconds by which the clock was set; ``now`` is the new time. ``boot`` and
    ``difference``: as for :func:`keep`, after the jump. Called again after a commit whose answer was lost, it moves nothing."""
    with database.write():
        if known(boot) == difference:
            return
        for statement in (_DELIVERIES, _PUBLICATIONS, _PRODUCTIONS):
            database.execute(statement, {"jump": jump, "was": now - jump, "now": now})
        keep(boot, difference)
        message = (
            f"The clock was set by {jump / 1000:+.0f} s, and the times of retries were moved with it. Check the time service."
        )
        alerts.raise_alert(NAME, "warning", message, now)


def release_stranded(now: int) -> int:
    """Make due what was scheduled by a clock that has been set back since; return the number of rows. They are read first, so
    that the usual turn takes no write lock."""
    released = 0
    for table, condition in _STRANDED.items():
        params = {"now": now, "longest": _LONGEST_DELAY, "steps": _LONGEST_OF_STEPS}
        if database.rows(f"SELECT 1 FROM {table} WHERE {condition} LIMIT 1", params):
            with database.write():
                released += database.execute(f"{_DUE_NOW[table]} WHERE {condition}", params)
                wake.on_commit()
    return released
