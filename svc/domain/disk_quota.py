"""The disk quota of a partner, checked by every trigger (API and console) and every upload."""

from svc.base.errors import DiskQuotaReached
from svc.base.settings import Settings
from svc.store import database, meta

_MEGABYTE = 1_000_000
# Reads partner_disk_bytes of svc.store.meta (0: no quota) in the same statement, because every trigger runs it.
_OVER = """
    SELECT s.bytes, CAST(m.value AS INTEGER) AS quota FROM partner_storage s JOIN meta m ON m.name = 'partner_disk_bytes'
    WHERE s.partner_id = :partner AND CAST(m.value AS INTEGER) > 0 AND s.bytes + :more > CAST(m.value AS INTEGER)
"""


def declare(settings: Settings) -> None:
    """Store the quota of ``settings`` for all processes. Call it inside write()."""
    meta.put("partner_disk_bytes", settings.partner_disk_megabytes * _MEGABYTE)


def used(partner_id: str) -> int:
    """Return the size of a partner's files in bytes."""
    row = database.row("SELECT bytes FROM partner_storage WHERE partner_id = ?", (partner_id,))
    return row["bytes"] if row else 0


def require_room(partner_id: str, more: int = 1) -> None:
    """Raise DiskQuotaReached if the partner's files and ``more`` bytes would exceed the quota.

    Productions that were triggered before are finished, whatever their size.
    """
    row = database.row(_OVER, {"partner": partner_id, "more": more})
    if row is not None:
        raise DiskQuotaReached(
            f"The partner's files use {row['bytes'] // _MEGABYTE:,} MB of the {row['quota'] // _MEGABYTE:,} MB allowed. "
            "Ask the operator to remove files or to raise the limit."
        )
