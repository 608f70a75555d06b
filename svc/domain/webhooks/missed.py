"""What each subscription got of one production: which events arrived, which did not, and the call that sends them."""

from typing import Any

from svc.base import clock
from svc.domain.caller import Caller
from svc.domain.paging import Page
from svc.domain.tables import Subscription
from svc.domain.webhooks import subscriptions as webhooks
from svc.store import database

_MISSED = ("Failed", "Skipped")
_LISTS = {"Succeeded": "succeeded", "Pending": "pending", "Failed": "failed", "Parked": "parked", "Skipped": "skipped"}
_OF_PRODUCTION = """
    SELECT subscription_id, sequence, status, created_at FROM deliveries WHERE production_id = ? ORDER BY sequence
"""


def page(caller: Caller, production_id: str, page: Page) -> dict[str, Any]:
    """The subscriptions that the key may see and that heard something of a production, the newest first.

    The production is one that the caller may address. What was pruned by now is not told of.
    """
    heard: dict[str, list[database.Row]] = {}
    for each in database.rows(_OF_PRODUCTION, (production_id,)):
        heard.setdefault(each["subscription_id"], []).append(each)
    subscriptions = webhooks.among(caller, list(heard), page)
    return page.envelope(subscriptions, lambda each: _view(each, production_id, heard[each["id"]]))


def _view(subscription: Subscription, production_id: str, heard: list[database.Row]) -> dict[str, Any]:
    lists = {name: [each["sequence"] for each in heard if each["status"] == status] for status, name in _LISTS.items()}
    return {
        "subscriptionId": subscription["id"],
        "endpointUrl": subscription["endpoint_url"],
        "status": subscription["status"],
        **lists,
        "firstGap": min(lists["failed"] + lists["parked"] + lists["skipped"], default=None),
        "fill": _fill(subscription, production_id, [each for each in heard if each["status"] in (*_MISSED, "Parked")]),
    }


def _fill(subscription: Subscription, production_id: str, gaps: list[database.Row]) -> dict[str, Any] | None:
    """The call that closes the gaps: the reinstatement of a failed subscription comes before everything else."""
    path = f"/v1/webhooks/{subscription['id']}"
    missed = [each["created_at"] for each in gaps if each["status"] in _MISSED]
    if gaps and subscription["status"] == "Failed":
        return {"method": "POST", "path": f"{path}/reinstate", "body": None}
    if not missed:
        return None
    window = {"from": clock.text(min(missed)), "to": clock.text(max(missed))}
    return {"method": "POST", "path": f"{path}/replay", "body": {**window, "productionId": production_id, "missed": True}}
