"""The heartbeat of the engine, the process that drives the work, and how old it may be until the engine counts as dead."""

from svc.base import clock
from svc.store import meta

EVERY_SECONDS = 5
LATE = 30 * clock.SECOND  # six heartbeats


def beat(now: int) -> None:
    """Say that the engine runs. Inside write()."""
    meta.put("heartbeat", now)


def last() -> int | None:
    """Return the instant of the last heartbeat; None: no engine has run yet."""
    return meta.number("heartbeat")


def last_of(values: dict[str, str]) -> int | None:
    """As :func:`last`, of the values that :func:`svc.store.meta.texts_of` returned."""
    return int(values["heartbeat"]) if "heartbeat" in values else None
