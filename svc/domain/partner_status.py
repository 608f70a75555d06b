"""The rule for partners that are not Active, for the API and the console
(specification, "Partner account").

For such a partner nothing new can be created: no production, key, webhook, delivery or invitation.
Its users may only read; operators may still end, withdraw and release what exists. What has begun
goes on, and its webhooks hear of it while it is Suspended. One that is Closed is told of nothing
any more: its deliveries are Skipped, which can be replayed should it be opened again.
"""

from svc.base.errors import PartnerNotActive
from svc.store.models.partners import Partner
from svc.store.queries import Prepared, slot

ACTIVE, CLOSED = "Active", "Closed"
_STATUS = Prepared(Partner.select(Partner.status).where(Partner.id == slot("id")))


def check(status: str) -> None:
    """Raise PartnerNotActive unless ``status`` is Active."""
    if status != ACTIVE:
        raise PartnerNotActive(
            f"This partner account is {status}. Ask the operator to activate it."
        )


def require_active(partner_id: str | None) -> None:
    """Raise PartnerNotActive unless the partner is Active.

    ``partner_id`` None: not about a partner; always allowed.
    """
    status = _STATUS.value(id=partner_id) if partner_id else None
    if status is not None:
        check(status)
