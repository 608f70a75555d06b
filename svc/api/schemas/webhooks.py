"""Webhook subscriptions, pings and deliveries."""

from marshmallow import Schema, fields

from svc.api.schemas.common import PageQuery, listing
from svc.api.schemas.fields import Id, Instant, OneOf, Text, count, identifier, number, text, time
from svc.base import states
from svc.domain import webhooks


class Registration(Schema):
    endpointUrl = Text(
        longest=2048, required=True,
        metadata={
            "description": "Where events are posted to: https, a public address.", "example": "https://example.org/hooks",
            "format": "uri", "pattern": "^https://",
        },
    )  # fmt: skip
    eventTypes = fields.List(
        Text(longest=100, metadata={"enum": sorted(states.SUBSCRIBABLE)}), required=True,
        metadata={
            "description": f"At least one of: {', '.join(states.EVENT_TYPES)}.", "example": ["production.published"],
            "minItems": 1,
        },
    )  # fmt: skip
    accountIds = fields.List(
        Id(), load_default=None, allow_none=True,
        metadata={
            "description": f"Only events of these accounts; at most {webhooks.MOST_ACCOUNTS}.", "example": None,
            "minItems": 1, "maxItems": webhooks.MOST_ACCOUNTS,
        },
    )  # fmt: skip
    accountScopeId = Id(
        load_default=None, allow_none=True, metadata={"description": "Only events of this account.", "example": None}
    )


class Subscription(Schema):
    subscriptionId = identifier(description="The subscription.")
    endpointUrl = text(description="Where events are posted to.", format="uri", example="https://example.org/hooks")
    eventTypes = fields.List(text(example="production.published"), metadata={"description": "The events that it hears."})
    accountIds = fields.List(
        identifier(),
        allow_none=True,
        metadata={"description": "The accounts whose events it hears; null: see `accountScopeId`.", "example": None},
    )
    accountScopeId = identifier(
        nullable=True, description="The one account whose events it hears; both null: every account of the key.", example=None
    )
    status = text(one_of=("Active", "Failed"), description="`Failed` after 10 consecutive failures.", example="Active")
    failureCount = count(description="Consecutive failed deliveries.", example=0)
    lastDeliveryAt = time(nullable=True, description="When it was last sent anything.", example=None)
    createdAt = time(description="When it was registered.")


class NewSubscription(Subscription):
    signingSecret = text(
        description="Base64url; decoded, it is the key of the signatures. Shown here alone.",
        example="c2VjcmV0LW9mLTMyLWJ5dGVzLWZvci1kb2N1bWVudHM",
    )  # fmt: skip


class Ping(Schema):
    subscriptionId = identifier(description="The subscription.")
    eventId = identifier(description="Of the test event.")
    eventType = text(description="What a ping is delivered as.", example=states.PING_EVENT)


class DeliveriesQuery(PageQuery):
    status = OneOf(*states.DELIVERY_STATES, load_default=None, metadata={"description": "Only deliveries in this state."})


class Attempt(Schema):
    attemptedAt = time(description="When it was sent.")
    statusCode = count(nullable=True, description="What the endpoint answered; null: nothing.", example=200)
    error = text(nullable=True, description="What went wrong, in words; null on success.", example=None)
    durationMs = number(nullable=True, description="How long the exchange took, in milliseconds.", example=41.5)


class Delivery(Schema):
    deliveryId = identifier(description="The delivery.")
    eventId = identifier(description="The same on every retry, redelivery and replay.")
    eventType = text(description="What happened.", example="production.published")
    productionId = identifier(description="The nil UUID for a ping.")
    sequenceNumber = count(description="Of the event within its production; 0 for a ping.", example=12)
    status = text(one_of=states.DELIVERY_STATES, description="How far the delivery is.", example="Succeeded")
    attempts = fields.List(fields.Nested(Attempt), metadata={"description": "Every exchange, oldest first."})
    nextAttemptAt = time(nullable=True, description="When it is tried next.", example=None)
    createdAt = time(description="When it was queued.")


class Window(Schema):
    since = Instant(data_key="from", required=True, metadata={"description": "Events from this moment on."})
    until = Instant(data_key="to", load_default=None, allow_none=True, metadata={"description": "To this one; by default now."})


class Queued(Schema):
    queued = count(description="How many deliveries go out again.", example=7)


DeliveryList = listing(Delivery, "DeliveryList")
SubscriptionList = listing(Subscription, "SubscriptionList")
