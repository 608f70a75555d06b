"""``/v1/webhooks/{subscriptionId}/deliveries``: the delivery log, missed deliveries,
redelivery and replay.
"""

from typing import Any

from flask import Response, g

from svc.api.answer_docs import Replays, document_answers
from svc.api.context import now
from svc.api.envelope import make_accepted_response, make_json_response
from svc.api.guard import require_scope
from svc.api.parsing import Blueprint
from svc.api.repetition import answer_once
from svc.api.schemas import webhooks as shapes
from svc.api.schemas.common import IdempotencyHeader, Nothing, PageQuery
from svc.domain import scopes
from svc.domain.access.idempotency import FirstAnswer
from svc.domain.productions import productions
from svc.domain.tables.productions import AddressedProduction
from svc.domain.tables.webhooks import Delivery, Subscription
from svc.domain.webhooks import deliveries, subscriptions

bp = Blueprint("deliveries", __name__, description="The deliveries to webhooks.")

_NOT_FOUND = "`NOT_FOUND`: no such object, or another partner's."
_NOT_ACTIVE = "`SUBSCRIPTION_NOT_ACTIVE`: the webhook is not `Active`."


@bp.route("/v1/webhooks/<subscription_id>/deliveries", methods=["GET"])
@require_scope(scopes.WEBHOOKS, resource=subscriptions.find, query=True)
@bp.arguments(shapes.DeliveriesQuery, location="query")
@document_answers(
    200, shapes.DeliveryList, "The deliveries with their attempts, newest first.", e404=_NOT_FOUND
)
def list_deliveries(subscription: Subscription, query: dict[str, Any]) -> Response:
    """List the deliveries of a webhook"""
    return make_json_response(
        deliveries.list_page(g.caller, subscription["id"], query["status"], query["page"])
    )


@bp.route("/v1/webhooks/<subscription_id>/deliveries/<delivery_id>/redeliver", methods=["POST"])
@require_scope(scopes.WEBHOOKS, resource=deliveries.find)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(Nothing, required=False)
@document_answers(
    202,
    shapes.Delivery,
    "It is sent again with the same `eventId`.",
    replays=Replays.PARTNER,
    e404=_NOT_FOUND,
    e409=_NOT_ACTIVE,
)
def redeliver(delivery: Delivery, headers: dict[str, Any], _: dict[str, Any]) -> Response:
    """Send one delivery again

    A delivery that is queued or waits for a retry is not changed and not sent an additional time.
    """
    return answer_once(
        headers["key"],
        {},
        lambda first: deliveries.redeliver(
            g.caller, delivery["subscription_id"], delivery["id"], now(), first
        ),
        make_accepted_response,
    )


@bp.route("/v1/webhooks/<subscription_id>/replay", methods=["POST"])
@require_scope(scopes.WEBHOOKS, resource=subscriptions.find)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(shapes.Window)
@document_answers(
    202,
    shapes.Queued,
    "The deliveries are sent again, in order, with the same `eventId`s.",
    replays=Replays.PARTNER,
    e404=_NOT_FOUND,
    e409=f"{_NOT_ACTIVE} `REPLAY_IN_PROGRESS`: an earlier replay is still being sent.",
    e422="`INVALID_DATE_FORMAT`: not ISO 8601, or `from` after `to`.",
)
def replay_deliveries(
    subscription: Subscription, headers: dict[str, Any], window: dict[str, Any]
) -> Response:
    """Send the deliveries of a period again

    This includes finished and skipped deliveries: an endpoint that was suspended receives what it
    missed. Deliveries that are already queued are not queued again. A webhook can have one replay
    at a time, except replays of `missed` ones only.
    """

    def replay(first: FirstAnswer) -> dict[str, Any]:
        return deliveries.replay(
            g.caller,
            subscription["id"],
            window["since"],
            window["until"],
            now(),
            production_id=window["productionId"],
            missed=window["missed"],
            first=first,
        )

    return answer_once(headers["key"], window, replay, make_accepted_response)


@bp.route("/v1/productions/<production_id>/deliveries", methods=["GET"])
@require_scope(scopes.WEBHOOKS, resource=productions.find, query=True)
@bp.arguments(PageQuery, location="query")
@document_answers(
    200,
    shapes.ProductionDeliveriesList,
    "The webhooks that deliver its events, newest first.",
    e404=_NOT_FOUND,
)
def list_production_deliveries(production: AddressedProduction, query: dict[str, Any]) -> Response:
    """Get the delivery report of a production

    For each webhook: the sequence numbers by the status of their delivery, the first gap, and the
    call that fills it.
    """
    return make_json_response(
        deliveries.report_production(g.caller, production["id"], query["page"])
    )
