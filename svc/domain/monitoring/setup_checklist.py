"""The way from an empty service to the first webhook: which steps are done, and where each is done."""

from dataclasses import dataclass

from svc.store import database

# What exists once a step is done, of one partner or of all; ids are compared so that an index is used.
_EXISTS = {
    "partner": "SELECT id FROM partners WHERE id > '' LIMIT 1",
    "customer": "SELECT id FROM customers WHERE id > '' LIMIT 1",
    "account": "SELECT id FROM accounts WHERE id > '' AND environment = 'live' LIMIT 1",
    "avatar": "SELECT id FROM avatars WHERE id > '' LIMIT 1",
    "key": "SELECT id FROM api_keys WHERE id > '' AND revoked_at IS NULL LIMIT 1",
    "production": "SELECT id FROM productions WHERE id > '' LIMIT 1",
    "webhook": "SELECT id FROM subscriptions WHERE id > '' AND deleted_at IS NULL LIMIT 1",
}
_OF_PARTNER = {
    "key": "SELECT id FROM api_keys WHERE partner_id = ? AND revoked_at IS NULL LIMIT 1",
    "production": "SELECT p.id FROM accounts a JOIN productions p ON p.account_id = a.id WHERE a.partner_id = ? LIMIT 1",
    "webhook": "SELECT id FROM subscriptions WHERE partner_id = ? AND deleted_at IS NULL LIMIT 1",
}


@dataclass(frozen=True)
class SetupStep:
    """A step. ``found``: the id of what was made in it; None: it is still to be done."""

    name: str
    found: str | None


def steps(partner_id: str | None) -> list[SetupStep]:
    """Return the steps of a partner, or with None those of the operator; an empty list if all are done."""
    statements = _EXISTS if partner_id is None else _OF_PARTNER
    params = () if partner_id is None else (partner_id,)
    found = [SetupStep(name, _id(sql, params)) for name, sql in statements.items()]
    return [] if all(step.found for step in found) else found


def _id(sql: str, params: tuple[str, ...]) -> str | None:
    row = database.row(sql, params)
    return None if row is None else row["id"]
