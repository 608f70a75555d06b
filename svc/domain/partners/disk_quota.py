"""The disk quota of a partner, checked by every trigger (API and console) and every upload."""

from svc.base.errors import DiskQuotaReached
from svc.base.settings import Settings
from svc.store import meta
from svc.store.models.partners import PartnerStorage
from svc.store.models.service import NamedValue
from svc.store.queries import Prepared, slot

_MEGABYTE = 1_000_000
# Reads partner_disk_bytes of svc.store.meta (0: no quota) in the same statement, because every
# trigger runs it.
_QUOTA = NamedValue.value.cast("bigint")
_OVER = Prepared(
    PartnerStorage.select(PartnerStorage.bytes, _QUOTA.alias("quota"))
    .join(NamedValue, on=NamedValue.name == "partner_disk_bytes")
    .where(
        PartnerStorage.partner_id == slot("partner_id"),
        _QUOTA > 0,
        PartnerStorage.bytes + slot("more") > _QUOTA,
    )
)


def store_quota(settings: Settings) -> None:
    """Store the quota of ``settings`` for all processes. Call it inside a transaction."""
    meta.put("partner_disk_bytes", settings.partner_disk_megabytes * _MEGABYTE)


def require_room(partner_id: str, more: int = 1) -> None:
    """Raise DiskQuotaReached if the partner's files and ``more`` bytes would exceed the quota.

    Productions that were triggered before are finished, whatever their size.
    """
    row = _OVER.row(partner_id=partner_id, more=more)
    if row is not None:
        raise DiskQuotaReached(
            f"The partner's files use {row['bytes'] // _MEGABYTE:,} MB of the "
            f"{row['quota'] // _MEGABYTE:,} MB allowed. Ask the operator to remove files or to "
            "raise the limit."
        )
