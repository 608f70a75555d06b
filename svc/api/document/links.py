"""The links of the document from responses to operations, which generated tests
and clients follow.
"""

from typing import Any

_PRODUCTION = {"productionId": "$response.body#/productionId"}
_SUBSCRIPTION = {"subscriptionId": "$response.body#/subscriptionId"}
_ACCOUNT = {"accountId": "$response.body#/data/0/accountId"}
_LISTED = {"productionId": "$response.body#/data/0/productionId"}
_DELIVERY = {
    "subscriptionId": "$request.path.subscriptionId",
    "deliveryId": "$response.body#/data/0/deliveryId",
}
_OF_ACCOUNT = {"accountId": "$response.body#/accountId", **_PRODUCTION}

# By operationId: the status of the response, and the linked operations with their path parameters.
_LINKS = {
    "list_accounts": (200, {"get_account": _ACCOUNT, "list_productions": _ACCOUNT}),
    "list_partner_accounts": (200, {"get_partner_account": _ACCOUNT}),
    "trigger_production": (
        202,
        {
            "get_production": _PRODUCTION,
            "get_production_of_account": _OF_ACCOUNT,
            "list_events": _PRODUCTION,
            "list_deliverables": _PRODUCTION,
            "list_deliverables_of_account": _OF_ACCOUNT,
            "get_performance": _PRODUCTION,
            "cancel_production": _PRODUCTION,
            "list_production_deliveries": _PRODUCTION,
        },
    ),
    "list_productions": (200, {"get_production": _LISTED, "cancel_production": _LISTED}),
    "cancel_production": (200, {"get_production": _PRODUCTION, "list_events": _PRODUCTION}),
    "create_webhook": (
        201,
        {
            "get_webhook": _SUBSCRIPTION,
            "ping_webhook": _SUBSCRIPTION,
            "list_deliveries": _SUBSCRIPTION,
            "replay_deliveries": _SUBSCRIPTION,
            "reinstate_webhook": _SUBSCRIPTION,
            "delete_webhook": _SUBSCRIPTION,
        },
    ),
    "ping_webhook": (202, {"list_deliveries": _SUBSCRIPTION}),
    "list_deliveries": (200, {"redeliver": _DELIVERY}),
}


def add_links(operation: dict[str, Any]) -> None:
    """Add the links of ``operation`` to its response."""
    status, following = _LINKS.get(operation["operationId"], (None, {}))
    if following:
        operation["responses"][str(status)]["links"] = {
            name: {"operationId": name, "parameters": parameters}
            for name, parameters in following.items()
        }
