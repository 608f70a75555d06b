"""How much room a partner's files may take, whoever asks for more: a trigger by API or console, or an upload."""

from svc.base.errors import DiskQuotaReached
from svc.base.settings import Settings
from svc.store import database, meta

_MEGABYTE = 1_000_000
# With the value partner_disk_bytes of svc.store.meta (0: no quota) in the same statement, since every trigger asks it.
_OVER = """
    SELECT s.bytes, CAST(m.value AS INTEGER) AS quota FROM partner_storage s JOIN meta m ON m.name = 'partner_disk_bytes'
    WHERE s.partner_id = :partner AND CAST(m.value AS INTEGER) > 0 AND s.bytes + :more > CAST(m.value AS INTEGER)
"""


def declare(settings: Settings) -> None:
    """Write the quota down for every process. Inside write()."""
    meta.put("partner_disk_bytes", settings.partner_disk_megabytes * _MEGABYTE)


def used(partner_id: str) -> int:
    """Bytes that a partner's files take."""
    row = database.row("SELECT bytes FROM partner_storage WHERE partner_id = ?", (partner_id,))
    return row["bytes"] if row else 0


def require_room(partner_id: str, more: int = 1) -> None:
    """DiskQuotaReached: the partner's files, with so many bytes more, would take more room than they may. What was triggered
    before is finished, however large it becomes."""
    row = database.row(_OVER, {"partner": partner_id, "more": more})
    if row is not None:
        raise DiskQuotaReached(
            f"The partner's files take {row['bytes'] // _MEGABYTE:,} MB, of {row['quota'] // _MEGABYTE:,} MB that they may. "
            "Ask the operator to remove some, or to allow more."
        )
