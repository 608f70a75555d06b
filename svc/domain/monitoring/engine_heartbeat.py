"""The heartbeat of the engine (the process that runs the work),
and its age from which the engine counts as dead.
"""

from svc.base import clock
from svc.store import meta

EVERY_SECONDS = 5
LATE = 30 * clock.SECOND  # six heartbeats


def beat(now: int) -> None:
    """Record that the engine is running. Call it inside write()."""
    meta.put("heartbeat", now)


def last() -> int | None:
    """Return the time (ms) of the last heartbeat; None: no engine has run yet."""
    return meta.number("heartbeat")


def last_of(values: dict[str, str]) -> int | None:
    """As :func:`last`, for the values that :func:`svc.store.meta.texts_of` returned."""
    return int(values["heartbeat"]) if "heartbeat" in values else None
