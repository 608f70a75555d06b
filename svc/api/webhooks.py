"""``/v1/webhooks``: subscriptions and their pings."""

import functools
from typing import Any

from flask import Response, g

from svc.api.docs import answers
from svc.api.envelope import answer, secret, versioned
from svc.api.guard import needs
from svc.api.parsing import Blueprint
from svc.api.repetition import answer_once
from svc.api.schemas import webhooks as shapes
from svc.api.schemas.common import IdempotencyHeader, PageQuery
from svc.api.service import now, service
from svc.base import scopes
from svc.domain import webhook_secrets, webhooks
from svc.domain.idempotency import FirstAnswer
from svc.domain.tables import Subscription

bp = Blueprint("webhooks", __name__, description="Who is told of what happens.")

_NOT_FOUND = "`NOT_FOUND`: absent or another partner's."


@bp.route("/v1/webhooks", methods=["POST"])
@needs(scopes.WEBHOOKS)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(shapes.Registration)
@answers(
    201, shapes.NewSubscription, "Registered; the signing secret is shown here alone.",
    headers=("Location", "Cache-Control", "Idempotent-Replayed"),
    e400="`eventTypes` is absent or empty, both account fields are there, or an account is not permitted.",
    e409="`SUBSCRIPTION_LIMIT_REACHED`: there are 100 active ones. `REQUEST_IN_PROGRESS`: the first call with this "
    "`Idempotency-Key` is being answered.",
    e422="`IDEMPOTENCY_KEY_REUSED`: with another body, or by another key. `HTTPS_REQUIRED`: another scheme. "
    "`INVALID_ENDPOINT_URL`: malformed or not public. "
    "`INVALID_EVENT_TYPE`: no such event.",
)  # fmt: skip
def create_webhook(headers: dict[str, Any], body: dict[str, Any]) -> Response:
    """Register a webhook subscription

    503 where the name of the host cannot be looked up just now, or too many of yours are being looked up already.
    """
    check_url = functools.partial(service().check_url, partner_id=g.caller.partner_id)

    def register(first: FirstAnswer) -> dict[str, Any]:
        return webhooks.register(
            g.caller, endpoint_url=body["endpointUrl"], event_types=body["eventTypes"], account_ids=body["accountIds"],
            account_scope_id=body["accountScopeId"], now=now(), ring=service().ring, check_url=check_url, first=first,
        )  # fmt: skip

    def respond(created: dict[str, Any], **more: str) -> Response:
        return secret(created, 201, Location=f"/v1/webhooks/{created['subscriptionId']}", **more)

    return answer_once(headers["key"], body, register, respond)


@bp.route("/v1/webhooks", methods=["GET"])
@needs(scopes.WEBHOOKS, query=True)
@bp.arguments(PageQuery, location="query")
@answers(200, shapes.SubscriptionList, "The subscriptions, newest first.")
def list_webhooks(query: dict[str, Any]) -> Response:
    """List the webhook subscriptions"""
    return answer(webhooks.page(g.caller, query["page"]))


@bp.route("/v1/webhooks/<subscription_id>", methods=["GET"])
@needs(scopes.WEBHOOKS, resource=webhooks.find)
@answers(200, shapes.Subscription, "The subscription.", etag=True, e404=_NOT_FOUND)
def get_webhook(found: Subscription) -> Response:
    """Get one webhook subscription"""
    return versioned(webhooks.view(found))


@bp.route("/v1/webhooks/<subscription_id>", methods=["DELETE"])
@needs(scopes.WEBHOOKS, resource=webhooks.find)
@answers(204, None, "Deleted; deliveries that are queued already still go out.", e404=_NOT_FOUND)
def delete_webhook(found: Subscription) -> Response:
    """Delete a webhook subscription"""
    webhooks.delete(g.caller, found["id"], now())
    return answer("", 204)


@bp.route("/v1/webhooks/<subscription_id>/secret/roll", methods=["POST"])
@needs(scopes.WEBHOOKS, resource=webhooks.find)
@bp.arguments(shapes.Roll, required=False)
@answers(
    200, shapes.RolledSecret, "The new signing secret, which is shown here alone, and when the old one ends.",
    headers=("Cache-Control",), e404=_NOT_FOUND,
)  # fmt: skip
def roll_webhook_secret(body: dict[str, Any], found: Subscription) -> Response:
    """Roll the signing secret of a webhook subscription

    The new one signs at once. During the overlap the old one signs besides: `X-SERVICE-Signature-Previous` has its
    signature, and `webhook-signature` has both. At most four older secrets sign; each keeps its own end.
    """
    return secret(webhook_secrets.roll(g.caller, found["id"], body["overlapHours"], now(), service().ring))


@bp.route("/v1/webhooks/<subscription_id>/ping", methods=["POST"])
@needs(scopes.WEBHOOKS, resource=webhooks.find, counts=False)
@answers(
    202, shapes.Ping, "A test event is on its way.", e404=_NOT_FOUND,
    e409="`SUBSCRIPTION_NOT_ACTIVE`: it is not `Active`.", e429="A subscription takes one ping a minute.",
)  # fmt: skip
def ping_webhook(found: Subscription) -> Response:
    """Send a test event to a webhook subscription"""
    return answer(webhooks.ping(g.caller, found["id"], now(), g.correlation_id), 202)


@bp.route("/v1/webhooks/<subscription_id>/reinstate", methods=["POST"])
@needs(scopes.WEBHOOKS, resource=webhooks.find)
@answers(
    200, shapes.Subscription, "`Active` again; what was parked goes out.", e404=_NOT_FOUND,
    e403="`SELF_SERVE_DISABLED`: self-serve lifecycle operations are not enabled.",
    e409="`SUBSCRIPTION_NOT_FAILED`: it is not `Failed`.",
)  # fmt: skip
def reinstate_webhook(found: Subscription) -> Response:
    """Reinstate a failed webhook subscription"""
    return answer(webhooks.reinstate(g.caller, found["id"], now()))
