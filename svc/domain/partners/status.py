"""Whether anything new may begin for a partner: one rule for the API and for the console (specification, "Partner account").

While a partner is not Active nothing new begins for it, whoever asks: no production, key, webhook, sending or invitation. Its
own people may look and change nothing; operators may still end, withdraw and release what is there.
"""

from svc.base.errors import PartnerNotActive
from svc.store import database

ACTIVE = "Active"


def check(status: str) -> None:
    """PartnerNotActive: ``status`` of a partner is another one than Active."""
    if status != ACTIVE:
        raise PartnerNotActive(f"This partner account is {status}. Ask the operator to activate it.")


def require_active(partner_id: str | None) -> None:
    """PartnerNotActive: that partner may begin nothing new. ``partner_id`` None: nobody's, such as operators' own matters."""
    row = database.row("SELECT status FROM partners WHERE id = ?", (partner_id,)) if partner_id else None
    if row is not None:
        check(row["status"])
