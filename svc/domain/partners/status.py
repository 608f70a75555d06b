"""The rule for partners that are not Active, for the API and the console (specification, "Partner account").

For such a partner nothing new can be created: no production, key, webhook, delivery or invitation. Its users may only read;
operators may still end, withdraw and release what exists.
"""

from svc.base.errors import PartnerNotActive
from svc.store import database

ACTIVE = "Active"


def check(status: str) -> None:
    """Raise PartnerNotActive unless ``status`` is Active."""
    if status != ACTIVE:
        raise PartnerNotActive(f"This partner account is {status}. Ask the operator to activate it.")


def require_active(partner_id: str | None) -> None:
    """Raise PartnerNotActive unless the partner is Active. ``partner_id`` None: not about a partner; always allowed."""
    row = database.row("SELECT status FROM partners WHERE id = ?", (partner_id,)) if partner_id else None
    if row is not None:
        check(row["status"])
