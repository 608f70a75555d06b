"""The clock was set: what waits for a time waits as long as it had to, and the operator hears of it."""

from svc.domain.monitoring import alerts
from svc.store import database, meta

NAME = "ClockJumped"

# What was due already stays due where the clock was set back; and so does what was never tried, since it never waits.
_MOVED = "iif({tries} = 0 OR next_attempt_at <= :was, min(next_attempt_at, :now), next_attempt_at + :jump)"
_DELIVERIES = f"""
    UPDATE deliveries SET next_attempt_at = {_MOVED.format(tries="failures + interruptions")},
        first_failed_at = first_failed_at + :jump, second_failed_at = second_failed_at + :jump
    WHERE status = 'Pending' AND next_attempt_at > min(:was, :now)
"""
_PUBLICATIONS = f"""
    UPDATE publications SET next_attempt_at = {_MOVED.format(tries="attempts")}
    WHERE status IN ('Pending', 'Publishing') AND next_attempt_at > min(:was, :now)
"""
# One that was written since the clock was set ahead, such as a new one, has its time by the new clock.
_PRODUCTIONS = """
    UPDATE productions SET not_before = iif(not_before <= :was, min(not_before, :now), not_before + :jump)
    WHERE status IN ('Queued', 'Producing') AND not_before > min(:was, :now) AND (:jump < 0 OR updated_at <= :was)
"""


def known(boot: str) -> int | None:
    """By how many milliseconds the clock was ahead of steady time when that was kept last, by whatever process, since the
    machine's start ``boot``; None: nobody knows."""
    of, _, difference = (meta.text("clock") or "").rpartition(" ")
    return int(difference) if boot and of == boot else None


def keep(boot: str, difference: int) -> None:
    """Keep what :func:`known` tells whoever drives next. Inside write()."""
    meta.put("clock", f"{boot} {difference}")


def follow(jump: int, now: int, boot: str, difference: int) -> None:
    """Move every retry by ``jump``, the milliseconds by which the clock was set; it is ``now`` since then. ``boot`` and
    ``difference``: as for :func:`keep`, with the jump."""
    with database.write():
        for each in (_DELIVERIES, _PUBLICATIONS, _PRODUCTIONS):
            database.execute(each, {"jump": jump, "was": now - jump, "now": now})
        keep(boot, difference)
        message = f"The clock was set by {jump / 1000:+.0f} s; retries were moved along. See to the machine's time service."
        alerts.raise_alert(NAME, "warning", message, now)
