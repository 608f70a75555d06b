"""Maintenance mode: an operator's switch that makes the API answer 503,
in all processes at once.
"""

from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.store import meta
from svc.store.database import db
from svc.store.read_cache import ReadCache

RETRY_SECONDS = 60  # default
LONGEST = 86_400

_seen = ReadCache("access")


def retry_after() -> int | None:
    """Return the seconds that clients should wait; None: the service is not under maintenance."""
    return _seen.get("seconds", _read_seconds) or None


def _read_seconds() -> int:
    """Return the stored seconds; earlier releases stored ``on``; 0: off."""
    value = meta.read_text("maintenance")
    if value is None or value == "off":
        return 0
    return int(value) if value.isdigit() else RETRY_SECONDS


def set_maintenance(on: bool, seconds: int = RETRY_SECONDS) -> None:
    """Start or end maintenance. ``seconds``: the time that clients are told to wait."""
    with db.transaction():
        meta.put("maintenance", seconds if on else "off")


def set_maintenance_as(actor: Actor, on: bool, now: int, seconds: int = RETRY_SECONDS) -> None:
    """Switch maintenance on or off, and enter it in the audit log if anything changes."""
    before, after = retry_after(), seconds if on else None
    if before == after:
        return
    with audit.recording(
        actor,
        "maintenance.on" if on else "maintenance.off",
        "Maintenance",
        now,
        before={"retryAfterSeconds": before},
        after={"retryAfterSeconds": after},
    ):
        set_maintenance(on, seconds)
