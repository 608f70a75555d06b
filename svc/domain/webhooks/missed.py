"""The delivered and missed events of one production, by subscription,
with the API call that resends the missed ones.
"""

from typing import Any

from svc.base import clock
from svc.domain.caller import Caller
from svc.domain.paging import Page
from svc.domain.tables.webhooks import Subscription
from svc.domain.webhooks import subscriptions as webhooks
from svc.store.database import Row
from svc.store.models.webhooks import Delivery
from svc.store.queries import Prepared, slot

_MISSED = ("Failed", "Skipped")
_LISTS = {
    "Succeeded": "succeeded",
    "Pending": "pending",
    "Failed": "failed",
    "Parked": "parked",
    "Skipped": "skipped",
}
_OF_PRODUCTION = Prepared(
    Delivery.select(
        Delivery.subscription_id, Delivery.sequence, Delivery.status, Delivery.created_at
    )
    .where(Delivery.production_id == slot("production_id"))
    .order_by(Delivery.sequence)
)


def page(caller: Caller, production_id: str, page: Page) -> dict[str, Any]:
    """Return a page of visible subscriptions that have deliveries of a production, newest first.

    The caller checks that the key may address the production. Pruned deliveries are not included.
    """
    deliveries: dict[str, list[Row]] = {}
    for row in _OF_PRODUCTION.rows(production_id=production_id):
        deliveries.setdefault(row["subscription_id"], []).append(row)
    subscriptions = webhooks.find_among(caller, list(deliveries), page)
    return page.envelope(
        subscriptions, lambda row: _view(row, production_id, deliveries[row["id"]])
    )


def _view(subscription: Subscription, production_id: str, deliveries: list[Row]) -> dict[str, Any]:
    lists = {
        name: [row["sequence"] for row in deliveries if row["status"] == status]
        for status, name in _LISTS.items()
    }
    return {
        "subscriptionId": subscription["id"],
        "endpointUrl": subscription["endpoint_url"],
        "status": subscription["status"],
        **lists,
        "firstGap": min(lists["failed"] + lists["parked"] + lists["skipped"], default=None),
        "fill": _fill(
            subscription,
            production_id,
            [row for row in deliveries if row["status"] in (*_MISSED, "Parked")],
        ),
    }


def _fill(subscription: Subscription, production_id: str, gaps: list[Row]) -> dict[str, Any] | None:
    """Return the API call that closes the gaps; None: there are none.

    A failed subscription must be reinstated first, a paused one resumed.
    """
    path = f"/v1/webhooks/{subscription['id']}"
    missed = [row["created_at"] for row in gaps if row["status"] in _MISSED]
    if gaps and subscription["status"] == "Failed":
        return {"method": "POST", "path": f"{path}/reinstate", "body": None}
    if gaps and subscription["paused_at"] is not None:
        return {"method": "POST", "path": f"{path}/resume", "body": None}
    if not missed:
        return None
    window = {"from": clock.text(min(missed)), "to": clock.text(max(missed))}
    return {
        "method": "POST",
        "path": f"{path}/replay",
        "body": {**window, "productionId": production_id, "missed": True},
    }
