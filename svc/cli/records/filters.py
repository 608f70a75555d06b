"""Reads the partner, customer or account that the options of a list name; one that does not exist
is refused, instead of an empty list.
"""

from svc.domain.partners import admin as partner_admin


def require_named(
    partner_id: str | None = None, customer_id: str | None = None, account_id: str | None = None
) -> None:
    """Require that each record that was named exists. NotFound: it does not."""
    if partner_id is not None:
        partner_admin.find(partner_admin.PARTNER, partner_id)
    if customer_id is not None:
        partner_admin.find(partner_admin.CUSTOMER, customer_id)
    if account_id is not None:
        partner_admin.find(partner_admin.ACCOUNT, account_id)
