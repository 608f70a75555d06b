"""The way from an empty service to the first webhook: which steps are done,
and where each is done.
"""

from dataclasses import dataclass
from typing import Any

from svc.domain.access import key_admin
from svc.store.models.access import ApiKey
from svc.store.models.partners import Account, Avatar, Customer, Partner
from svc.store.models.productions import Production
from svc.store.models.webhooks import Subscription
from svc.store.queries import Prepared, slot


def _any_row_query(model: Any, *conditions: Any) -> Any:
    """Return the query of one row; ids are compared so that an index is used."""
    return model.select(model.id).where(model.id > "", *conditions).limit(1)


_KEY = _any_row_query(ApiKey, ApiKey.revoked_at.is_null())
_SUBSCRIPTION = _any_row_query(Subscription, Subscription.deleted_at.is_null())
# What exists once a step is done, of one partner or of all.
_EXISTS = {
    "partner": Prepared(_any_row_query(Partner)),
    "customer": Prepared(_any_row_query(Customer)),
    "account": Prepared(_any_row_query(Account)),
    "avatar": Prepared(_any_row_query(Avatar)),
    "key": Prepared(_KEY),
    "production": Prepared(_any_row_query(Production)),
    "webhook": Prepared(_SUBSCRIPTION),
}
_OF_PARTNER = {
    "key": Prepared(_KEY.where(ApiKey.partner_id == slot("partner_id"))),
    "production": Prepared(
        Account.select(Production.id)
        .join(Production, on=Production.account_id == Account.id)
        .where(Account.partner_id == slot("partner_id"))
        .limit(1)
    ),
    "webhook": Prepared(_SUBSCRIPTION.where(Subscription.partner_id == slot("partner_id"))),
}


@dataclass(frozen=True)
class SetupStep:
    """A step. ``found``: the id of what was made in it; None: it is still to be done.

    ``waits``: the operator has done what there is to do, and the partner has not.
    """

    name: str
    found: str | None
    waits: bool = False


def list_steps(partner_id: str | None, now: int) -> list[SetupStep]:
    """Return the steps of a partner, or with None those of the operator.

    An empty list: all are done. A key of the first partner that is handed over, and not fetched
    yet, waits for the partner.
    """
    queries, of = (_EXISTS, {}) if partner_id is None else (_OF_PARTNER, {"partner_id": partner_id})
    steps = [SetupStep(name, query.value(**of)) for name, query in queries.items()]
    ids = {step.name: step.found for step in steps}
    if (
        (first := ids.get("partner"))
        and ids["key"] is None
        and (open_ones := key_admin.list_activation_keys(first, now))
    ):
        waiting = SetupStep("key", open_ones[0]["id"], waits=True)
        steps = [waiting if step.name == "key" else step for step in steps]
    return [] if all(step.found for step in steps) else steps
