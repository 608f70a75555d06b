"""``/v1/webhooks``: webhooks."""

import functools
from typing import Any

from flask import Response, g

from svc.api.answer_docs import Replays, document_answers
from svc.api.context import now, service
from svc.api.envelope import (
    make_accepted_response,
    make_etag_response,
    make_json_response,
    make_secret_response,
)
from svc.api.guard import require_scope
from svc.api.parsing import Blueprint
from svc.api.repetition import answer_once, wrap_in_transaction
from svc.api.schemas import webhooks as shapes
from svc.api.schemas.common import IdempotencyHeader, Nothing, PageQuery
from svc.domain import scopes
from svc.domain.access.idempotency import FirstAnswer
from svc.domain.tables.webhooks import Subscription
from svc.domain.webhooks import signing_secrets, subscriptions

bp = Blueprint("webhooks", __name__, description="Webhooks: endpoints to which events are sent.")

_NOT_FOUND = "`NOT_FOUND`: no such webhook, or another partner's."


@bp.route("/v1/webhooks", methods=["POST"])
@require_scope(scopes.WEBHOOKS)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(shapes.Registration)
@document_answers(
    201,
    shapes.NewSubscription,
    "The webhook is registered; only this answer shows the signing secret.",
    headers=("Location", "Cache-Control"),
    replays=Replays.API_KEY,
    e400=(
        "`eventTypes` is missing or empty, both account fields are present, or an account is not "
        "permitted."
    ),
    e409="`SUBSCRIPTION_LIMIT_REACHED`: there are 100 active webhooks.",
    e422=(
        "`HTTPS_REQUIRED`: the scheme is not https. `INVALID_ENDPOINT_URL`: malformed or not "
        "public. `INVALID_EVENT_TYPE`: unknown event type."
    ),
)
def create_webhook(headers: dict[str, Any], body: dict[str, Any]) -> Response:
    """Register a webhook

    The answer is 503 if the host name cannot be resolved at the moment, or too many of your host
    names are being resolved.
    """
    check_url = functools.partial(service().check_url, partner_id=g.caller.partner_id)

    def register(first: FirstAnswer) -> dict[str, Any]:
        return subscriptions.register(
            g.caller,
            endpoint_url=body["endpointUrl"],
            event_types=body["eventTypes"],
            account_ids=body["accountIds"],
            account_scope_id=body["accountScopeId"],
            now=now(),
            ring=service().ring,
            check_url=check_url,
            first=first,
        )

    def respond(created: dict[str, Any], **headers: str) -> Response:
        return make_secret_response(
            created, 201, Location=f"/v1/webhooks/{created['subscriptionId']}", **headers
        )

    return answer_once(headers["key"], body, register, respond, Replays.API_KEY)


@bp.route("/v1/webhooks", methods=["GET"])
@require_scope(scopes.WEBHOOKS, query=True)
@bp.arguments(PageQuery, location="query")
@document_answers(200, shapes.SubscriptionList, "The webhooks, newest first.")
def list_webhooks(query: dict[str, Any]) -> Response:
    """List the webhooks"""
    return make_json_response(subscriptions.list_page(g.caller, query["page"]))


@bp.route("/v1/webhooks/<subscription_id>", methods=["GET"])
@require_scope(scopes.WEBHOOKS, resource=subscriptions.find)
@document_answers(200, shapes.Subscription, "The webhook.", etag=True, e404=_NOT_FOUND)
def get_webhook(subscription: Subscription) -> Response:
    """Get one webhook"""
    return make_etag_response(subscriptions.represent(subscription))


@bp.route("/v1/webhooks/<subscription_id>", methods=["PATCH"])
@require_scope(scopes.WEBHOOKS, resource=subscriptions.find)
@bp.arguments(shapes.WebhookChange)
@document_answers(
    200,
    shapes.Subscription,
    "The changed webhook.",
    e400="`eventTypes` is empty.",
    e404=_NOT_FOUND,
    e422=(
        "`HTTPS_REQUIRED`: the scheme is not https. `INVALID_ENDPOINT_URL`: malformed or not "
        "public. `INVALID_EVENT_TYPE`: unknown event type."
    ),
)
def change_webhook(subscription: Subscription, body: dict[str, Any]) -> Response:
    """Change the endpoint or the event types of a webhook

    Fields that are absent stay as they are. Deliveries that are queued are sent to the new
    endpoint, whatever their type. The signing secret stays the same. The answer is 503 if the host
    name cannot be resolved at the moment.
    """
    check_url = functools.partial(service().check_url, partner_id=g.caller.partner_id)
    changed = subscriptions.change(
        g.caller,
        subscription["id"],
        endpoint_url=body.get("endpointUrl"),
        event_types=body.get("eventTypes"),
        now=now(),
        check_url=check_url,
    )
    return make_json_response(changed)


@bp.route("/v1/webhooks/<subscription_id>/pause", methods=["POST"])
@require_scope(scopes.WEBHOOKS, resource=subscriptions.find)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(Nothing, required=False)
@document_answers(
    200,
    shapes.Subscription,
    "The webhook is paused since `pausedAt`.",
    replays=Replays.PARTNER,
    e404=_NOT_FOUND,
)
def pause_webhook(
    subscription: Subscription, headers: dict[str, Any], _: dict[str, Any]
) -> Response:
    """Pause a webhook

    Its deliveries, and those of later events, are `Parked` until you resume it. An attempt that is
    under way is finished. Pausing a paused webhook changes nothing.
    """
    return answer_once(
        headers["key"],
        {},
        wrap_in_transaction(lambda: subscriptions.pause(g.caller, subscription["id"], now())),
        make_json_response,
    )


@bp.route("/v1/webhooks/<subscription_id>/resume", methods=["POST"])
@require_scope(scopes.WEBHOOKS, resource=subscriptions.find)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(Nothing, required=False)
@document_answers(
    200,
    shapes.Subscription,
    "The webhook is resumed; parked deliveries are sent.",
    replays=Replays.PARTNER,
    e404=_NOT_FOUND,
)
def resume_webhook(
    subscription: Subscription, headers: dict[str, Any], _: dict[str, Any]
) -> Response:
    """Resume a paused webhook

    The parked deliveries are sent, those of each production in order. Resuming a webhook that is
    not paused changes nothing; one that is `Failed` has to be reinstated besides.
    """
    return answer_once(
        headers["key"],
        {},
        wrap_in_transaction(lambda: subscriptions.resume(g.caller, subscription["id"], now())),
        make_json_response,
    )


@bp.route("/v1/webhooks/<subscription_id>", methods=["DELETE"])
@require_scope(scopes.WEBHOOKS, resource=subscriptions.find)
@document_answers(
    204,
    None,
    "The webhook is deleted; deliveries that are already queued are still sent.",
    e404=_NOT_FOUND,
)
def delete_webhook(subscription: Subscription) -> Response:
    """Delete a webhook"""
    subscriptions.delete(g.caller, subscription["id"], now())
    return make_json_response("", 204)


@bp.route("/v1/webhooks/<subscription_id>/secret/roll", methods=["POST"])
@require_scope(scopes.WEBHOOKS, resource=subscriptions.find)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(shapes.Roll, required=False)
@document_answers(
    200,
    shapes.RolledSecret,
    "The new signing secret, shown only here, and the end of the old one.",
    headers=("Cache-Control",),
    replays=Replays.API_KEY,
    e404=_NOT_FOUND,
)
def roll_webhook_secret(
    subscription: Subscription, headers: dict[str, Any], body: dict[str, Any]
) -> Response:
    """Roll the signing secret of a webhook

    The new secret signs immediately. During the overlap the old secret signs too:
    `X-SERVICE-Signature-Previous` has its signature, and `webhook-signature` has both. At most four
    older secrets sign; each keeps its own end.
    """

    def roll() -> dict[str, Any]:
        return signing_secrets.roll(
            g.caller, subscription["id"], body["overlapHours"], now(), service().ring
        )

    return answer_once(
        headers["key"], body, wrap_in_transaction(roll), make_secret_response, Replays.API_KEY
    )


@bp.route("/v1/webhooks/<subscription_id>/ping", methods=["POST"])
@require_scope(scopes.WEBHOOKS, resource=subscriptions.find, counts=False)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(shapes.SampleEvent, required=False)
@document_answers(
    202,
    shapes.Ping,
    "A test event is queued.",
    replays=Replays.PARTNER,
    e404=_NOT_FOUND,
    e409="`SUBSCRIPTION_NOT_ACTIVE`: the webhook is not `Active`.",
    e429="A webhook accepts one ping per minute.",
)
def ping_webhook(
    subscription: Subscription, headers: dict[str, Any], body: dict[str, Any]
) -> Response:
    """Send a test event to a webhook

    By default a ping; `eventType` asks for a sample of that type. Test events have the nil UUID as
    their production and sequence number 0. They are sent once, without retries, even while the
    webhook is paused, and do not count as failures.
    """

    def send() -> dict[str, Any]:
        return subscriptions.ping(
            g.caller, subscription["id"], now(), g.correlation_id, body["eventType"]
        )

    return answer_once(headers["key"], body, wrap_in_transaction(send), make_accepted_response)


@bp.route("/v1/webhooks/<subscription_id>/reinstate", methods=["POST"])
@require_scope(scopes.WEBHOOKS, resource=subscriptions.find)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(Nothing, required=False)
@document_answers(
    200,
    shapes.Subscription,
    "The webhook is `Active` again; parked deliveries are sent.",
    replays=Replays.PARTNER,
    e404=_NOT_FOUND,
    e403="`SELF_SERVE_DISABLED`: self-serve lifecycle operations are not enabled.",
    e409="`SUBSCRIPTION_NOT_FAILED`: the webhook is not `Failed`.",
)
def reinstate_webhook(
    subscription: Subscription, headers: dict[str, Any], _: dict[str, Any]
) -> Response:
    """Reinstate a failed webhook"""
    return answer_once(
        headers["key"],
        {},
        wrap_in_transaction(lambda: subscriptions.reinstate(g.caller, subscription["id"], now())),
        make_json_response,
    )
