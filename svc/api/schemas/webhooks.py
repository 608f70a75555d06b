"""Webhook subscriptions, pings and deliveries."""

from marshmallow import Schema, fields

from svc.api.schemas.common import listing
from svc.api.schemas.fields import Id, Text, count, identifier, text, time
from svc.base import states
from svc.domain import webhooks


class Registration(Schema):
    endpointUrl = Text(
        longest=2048, required=True,
        metadata={"description": "Where events are posted to: https, a public address.", "example": "https://example.com/hooks"},
    )  # fmt: skip
    eventTypes = fields.List(
        Text(longest=100), required=True,
        metadata={"description": f"At least one of: {', '.join(states.EVENT_TYPES)}.", "example": ["production.published"]},
    )  # fmt: skip
    accountIds = fields.List(
        Id(), load_default=None, allow_none=True,
        metadata={"description": f"Only events of these accounts; at most {webhooks.MOST_ACCOUNTS}."},
    )  # fmt: skip
    accountScopeId = Id(load_default=None, allow_none=True, metadata={"description": "Only events of this account."})


class Subscription(Schema):
    subscriptionId = identifier()
    endpointUrl = text()
    eventTypes = fields.List(fields.String())
    accountIds = fields.List(identifier(), allow_none=True)
    accountScopeId = fields.String(allow_none=True, metadata={"format": "uuid"})
    status = text(description="`Active` or `Failed`.")
    failureCount = count(description="Consecutive failed deliveries.")
    lastDeliveryAt = fields.String(allow_none=True, metadata={"format": "date-time"})
    createdAt = time()


class NewSubscription(Subscription):
    signingSecret = text(description="Base64url; decoded, it is the key of the signatures. Shown on creation alone.")


class Ping(Schema):
    subscriptionId = identifier()
    eventId = identifier()
    eventType = text(example=states.PING_EVENT)


SubscriptionList = listing(Subscription, "SubscriptionList")
