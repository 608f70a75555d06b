"""Maintenance mode: an operator's switch that makes the API answer 503, for every process at once."""

from svc.domain.people import audit
from svc.domain.people.audit import Actor
from svc.store import database, meta
from svc.store.read_cache import Remembered

RETRY_SECONDS = 60  # where the operator does not say otherwise
LONGEST = 86_400

_seen = Remembered("access")


def retry_after() -> int | None:
    """Seconds to wait while the service is under maintenance; None when it is not."""
    return _seen.get("seconds", _seconds) or None


def _seconds() -> int:
    """What a switch of this release wrote, or ``on`` of an earlier one; 0: off."""
    value = meta.text("maintenance")
    if value is None or value == "off":
        return 0
    return int(value) if value.isdigit() else RETRY_SECONDS


def switch(on: bool, seconds: int = RETRY_SECONDS) -> None:
    """Begin or end maintenance. ``seconds``: what clients are told to wait."""
    with database.write():
        meta.put("maintenance", seconds if on else "off")


def announce(actor: Actor, on: bool, now: int, seconds: int = RETRY_SECONDS) -> None:
    """As :func:`switch`, by a person; entered in the audit log if it changes anything."""
    before, after = retry_after(), seconds if on else None
    if before == after:
        return
    with audit.entered(actor, "maintenance.on" if on else "maintenance.off", "Maintenance", now,
                       before={"retryAfterSeconds": before}, after={"retryAfterSeconds": after}):  # fmt: skip
        switch(on, seconds)
