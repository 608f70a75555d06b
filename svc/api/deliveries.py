"""``/v1/webhooks/{subscriptionId}/deliveries``: what was sent, what is missing, and the two ways to have it sent again."""

from typing import Any

from flask import Response, g

from svc.api.docs import answers
from svc.api.envelope import answer
from svc.api.guard import needs
from svc.api.parsing import Blueprint
from svc.api.repetition import answer_once
from svc.api.schemas import webhooks as shapes
from svc.api.schemas.common import IdempotencyHeader, PageQuery
from svc.api.service import now
from svc.base import scopes
from svc.domain import delivery_log, gaps, productions, webhooks
from svc.domain.idempotency import FirstAnswer
from svc.domain.tables import AddressedProduction, Delivery, Subscription

bp = Blueprint("deliveries", __name__, description="What was sent to webhook subscriptions.")

_NOT_FOUND = "`NOT_FOUND`: absent or another partner's."
_NOT_ACTIVE = "`SUBSCRIPTION_NOT_ACTIVE`: it is not `Active`."
_IN_PROGRESS = "`REQUEST_IN_PROGRESS`: the first call with this `Idempotency-Key` is being answered."
_REUSED = "`IDEMPOTENCY_KEY_REUSED`: with another body, or by another key."


def _accepted(body: dict[str, Any], **more: str) -> Response:
    return answer(body, 202, **more)


@bp.route("/v1/webhooks/<subscription_id>/deliveries", methods=["GET"])
@needs(scopes.WEBHOOKS, resource=webhooks.find, query=True)
@bp.arguments(shapes.DeliveriesQuery, location="query")
@answers(200, shapes.DeliveryList, "The deliveries with their attempts, newest first.", e404=_NOT_FOUND)
def list_deliveries(query: dict[str, Any], found: Subscription) -> Response:
    """List the deliveries of a webhook subscription"""
    return answer(delivery_log.page(g.caller, found["id"], query["status"], query["page"]))


@bp.route("/v1/webhooks/<subscription_id>/deliveries/<delivery_id>/redeliver", methods=["POST"])
@needs(scopes.WEBHOOKS, resource=delivery_log.find)
@bp.arguments(IdempotencyHeader, location="headers")
@answers(
    202, shapes.Delivery, "It goes out again, with the same `eventId`.", headers=("Idempotent-Replayed",), e404=_NOT_FOUND,
    e409=f"{_NOT_ACTIVE} {_IN_PROGRESS}", e422=_REUSED,
)  # fmt: skip
def redeliver(headers: dict[str, Any], found: Delivery) -> Response:
    """Send one delivery again

    One that is queued, or between two attempts, stays as it is and is not sent once more.
    """
    return answer_once(
        headers["key"], {},
        lambda first: delivery_log.redeliver(g.caller, found["subscription_id"], found["id"], now(), first), _accepted,
    )  # fmt: skip


@bp.route("/v1/webhooks/<subscription_id>/replay", methods=["POST"])
@needs(scopes.WEBHOOKS, resource=webhooks.find)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(shapes.Window)
@answers(
    202, shapes.Queued, "They go out again, in order, with the same `eventId`s.", headers=("Idempotent-Replayed",),
    e404=_NOT_FOUND,
    e409=f"{_NOT_ACTIVE} `REPLAY_IN_PROGRESS`: an earlier replay is still being sent. {_IN_PROGRESS}",
    e422=f"`INVALID_DATE_FORMAT`: `from` is after `to`. {_REUSED}",
)  # fmt: skip
def replay_deliveries(headers: dict[str, Any], window: dict[str, Any], found: Subscription) -> Response:
    """Send the deliveries of a period again

    Finished and skipped ones alike: an endpoint that was suspended gets what it missed. What is queued anyway is
    not queued again. One replay of a subscription at a time, unless it is only of what was `missed`.
    """

    def replay(first: FirstAnswer) -> dict[str, Any]:
        return delivery_log.replay(
            g.caller, found["id"], window["since"], window["until"], now(), production_id=window["productionId"],
            missed=window["missed"], first=first,
        )  # fmt: skip

    return answer_once(headers["key"], window, replay, _accepted)


@bp.route("/v1/productions/<production_id>/deliveries", methods=["GET"])
@needs(scopes.WEBHOOKS, resource=productions.find, query=True)
@bp.arguments(PageQuery, location="query")
@answers(200, shapes.ProductionDeliveriesList, "The subscriptions that heard of it, newest first.", e404=_NOT_FOUND)
def list_production_deliveries(query: dict[str, Any], found: AddressedProduction) -> Response:
    """See what arrived of a production, and what did not

    For each subscription the sequence numbers by how their delivery stands, the first gap, and the call that fills it.
    """
    return answer(gaps.page(g.caller, found["id"], query["page"]))
