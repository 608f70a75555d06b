"""The heartbeat of the engine (the process that runs the work),
and its age from which the engine counts as dead.
"""

from svc.base import clock
from svc.store import meta

EVERY_SECONDS = 5
LATE_AFTER = 30 * clock.SECOND  # six heartbeats


def is_late(heartbeat: int | None, now: int) -> bool:
    """Return whether the engine of a last heartbeat (ms) counts as dead; None: none has run.

    One from the future is of an engine that has given none since the clock was set back.
    """
    return heartbeat is None or abs(now - heartbeat) > LATE_AFTER


def record_heartbeat(now: int) -> None:
    """Record that the engine is running. Call it inside a transaction."""
    meta.put("heartbeat", now)


def read_last_heartbeat() -> int | None:
    """Return the time (ms) of the last heartbeat; None: no engine has run yet."""
    return meta.read_number("heartbeat")


def find_last_heartbeat(values: dict[str, str]) -> int | None:
    """Return the last heartbeat among the values of :func:`svc.store.meta.read_texts_by`."""
    return int(values["heartbeat"]) if "heartbeat" in values else None
