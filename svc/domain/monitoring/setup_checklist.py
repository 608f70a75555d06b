"""The way from an empty service to the first webhook: which steps are done, and where each is done."""

from dataclasses import dataclass

from svc.domain.access import key_admin
from svc.store import database

# What exists once a step is done, of one partner or of all; ids are compared so that an index is used.
_EXISTS = {
    "partner": "SELECT id FROM partners WHERE id > '' LIMIT 1",
    "customer": "SELECT id FROM customers WHERE id > '' LIMIT 1",
    "account": "SELECT id FROM accounts WHERE id > '' LIMIT 1",
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
    """A step. ``found``: the id of what was made in it; None: it is still to be done.

    ``waits``: the operator has done what there is to do, and the partner has not.
    """

    name: str
    found: str | None
    waits: bool = False


def steps(partner_id: str | None, now: int) -> list[SetupStep]:
    """Return the steps of a partner, or with None those of the operator.

    An empty list: all are done. A key of the first partner that is handed over, and not fetched yet, waits for the partner.
    """
    statements = _EXISTS if partner_id is None else _OF_PARTNER
    params = () if partner_id is None else (partner_id,)
    found = [SetupStep(name, _id(sql, params)) for name, sql in statements.items()]
    ids = {step.name: step.found for step in found}
    if (first := ids.get("partner")) and ids["key"] is None and (open_ones := key_admin.activations(first, now)):
        waiting = SetupStep("key", open_ones[0]["id"], waits=True)
        found = [waiting if step.name == "key" else step for step in found]
    return [] if all(step.found for step in found) else found


def _id(sql: str, params: tuple[str, ...]) -> str | None:
    row = database.row(sql, params)
    return None if row is None else row["id"]
