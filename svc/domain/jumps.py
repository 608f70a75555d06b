"""The clock was set: what waits for a time waits as long as it had to, and the operator hears of it."""

from svc.domain import alerts
from svc.store import database

NAME = "ClockJumped"

_DELIVERIES = """
    UPDATE deliveries SET next_attempt_at = next_attempt_at + :jump, first_failed_at = first_failed_at + :jump,
        second_failed_at = second_failed_at + :jump
    WHERE status = 'Pending' AND next_attempt_at > :was
"""
_PUBLICATIONS = """
    UPDATE publications SET next_attempt_at = next_attempt_at + :jump
    WHERE status IN ('Pending', 'Publishing') AND next_attempt_at > :was
"""


def follow(jump: int, now: int) -> None:
    """Move every retry by ``jump``, the milliseconds by which the clock was set; it is ``now`` since then."""
    with database.write():
        for each in (_DELIVERIES, _PUBLICATIONS):
            database.execute(each, {"jump": jump, "was": now - jump})
        message = f"The clock was set by {jump / 1000:+.0f} s; retries were moved along. See to the machine's time service."
        alerts.raise_alert(NAME, "warning", message, now)
