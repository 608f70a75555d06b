"""Schemas of webhooks, pings and deliveries."""

from marshmallow import Schema, fields

from svc.api.schemas.common import PageQuery, make_list_envelope
from svc.api.schemas.fields import (
    Flag,
    Id,
    Instant,
    List,
    OneOf,
    Text,
    WholeNumber,
    count,
    identifier,
    number,
    text,
    time,
)
from svc.base import states
from svc.domain.webhooks import event_types, signing_secrets, subscriptions

_MOST_TYPES = 100  # more than there are, as repetitions are permitted


class Registration(Schema):
    endpointUrl = Text(
        longest=2048,
        required=True,
        metadata={
            "description": "Where events are posted to: https, a public address.",
            "example": "https://example.org/hooks",
            "format": "uri",
            "pattern": "^https://",
        },
    )
    eventTypes = List(
        Text(longest=100, metadata={"enum": sorted(event_types.SUBSCRIBABLE)}),
        most=_MOST_TYPES,
        required=True,
        metadata={
            "description": f"At least one of: {', '.join(event_types.NAMES)}.",
            "example": ["production.published"],
            "minItems": 1,
        },
    )
    accountIds = List(
        Id(),
        most=subscriptions.MOST_ACCOUNTS,
        load_default=None,
        allow_none=True,
        metadata={
            "description": (
                f"Only events of these accounts; at most {subscriptions.MOST_ACCOUNTS}; empty: as "
                "if left out."
            ),
            "example": None,
        },
    )
    accountScopeId = Id(
        load_default=None,
        allow_none=True,
        metadata={"description": "Only events of this account.", "example": None},
    )


class WebhookChange(Schema):
    """The fields that are sent are changed."""

    endpointUrl = Text(
        longest=2048,
        metadata={
            "description": (
                "Where events are posted to from now on, also those that are queued: https, a "
                "public address."
            ),
            "example": "https://example.org/hooks",
            "format": "uri",
            "pattern": "^https://",
        },
    )
    eventTypes = List(
        Text(longest=100, metadata={"enum": sorted(event_types.SUBSCRIBABLE)}),
        most=_MOST_TYPES,
        metadata={
            "description": "All event types to hear from now on.",
            "example": ["production.published"],
            "minItems": 1,
        },
    )


class Subscription(Schema):
    subscriptionId = identifier(description="The webhook.")
    endpointUrl = text(
        description="Where events are posted to.", format="uri", example="https://example.org/hooks"
    )
    eventTypes = fields.List(
        text(example="production.published"),
        metadata={"description": "The subscribed event types."},
    )
    accountIds = fields.List(
        identifier(),
        allow_none=True,
        metadata={
            "description": "The accounts whose events are sent; null: see `accountScopeId`.",
            "example": None,
        },
    )
    accountScopeId = identifier(
        nullable=True,
        description="The one account whose events are sent; both null: all accounts of the key.",
        example=None,
    )
    status = text(
        one_of=("Active", "Failed"),
        description="`Failed` after 10 consecutive failures.",
        example="Active",
    )
    pausedAt = time(
        nullable=True,
        description="Since when its deliveries wait; null: they are sent.",
        example=None,
    )
    failureCount = count(description="Consecutive failed deliveries.", example=0)
    lastDeliveryAt = time(nullable=True, description="The time of the last delivery.", example=None)
    createdAt = time(description="When it was registered.")


def make_secret_fields() -> dict[str, fields.String]:
    return {
        "signingSecret": text(
            description="Base64url; decoded, it is the key of the signatures. Shown only here.",
            example="c2VjcmV0LW9mLTMyLWJ5dGVzLWZvci1kb2N1bWVudHM",
        ),
        "standardWebhooksSecret": text(
            description="The same secret in the form of Standard Webhooks. Shown only here.",
            example="whsec_c2VjcmV0LW9mLTMyLWJ5dGVzLWZvci1kb2N1bWVudHM=",
        ),
    }


class NewSubscription(Subscription):
    signingSecret, standardWebhooksSecret = make_secret_fields().values()


class Roll(Schema):
    """An absent body means the defaults."""

    may_be_absent = True
    overlapHours = WholeNumber(
        strict=True,
        load_default=signing_secrets.OVERLAP_HOURS,
        metadata={
            "description": (
                "How long the old secret also signs; 0: only the new one signs, immediately."
            ),
            "example": signing_secrets.OVERLAP_HOURS,
            "minimum": 0,
            "maximum": signing_secrets.MOST_OVERLAP_HOURS,
        },
    )


class RolledSecret(Schema):
    subscriptionId = identifier(description="The webhook.")
    signingSecret, standardWebhooksSecret = make_secret_fields().values()
    previousSecretEndsAt = time(
        nullable=True, description="Until when the old secret also signs; null: it has ended."
    )


class SampleEvent(Schema):
    """An absent body means a ping."""

    may_be_absent = True
    eventType = OneOf(
        *event_types.NAMES,
        load_default="webhook.ping",
        metadata={
            "description": "Send a sample of this type, with the nil UUID as its production.",
            "example": "production.published",
        },
    )


class Ping(Schema):
    subscriptionId = identifier(description="The webhook.")
    eventId = identifier(description="Of the test event.")
    eventType = text(
        description="The event type of the test event.", example=event_types.PING_EVENT
    )


class DeliveriesQuery(PageQuery):
    status = OneOf(
        *states.DELIVERY_STATES,
        load_default=None,
        metadata={"description": "Only deliveries in this state."},
    )


class EndpointAnswer(Schema):
    headers = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        metadata={
            "description": "Some of its headers.",
            "example": {"Content-Type": "text/plain", "Retry-After": "30"},
        },
    )
    body = text(
        description="The beginning of its body: at most 1 KiB, as text.", example="try again later"
    )


class Certificate(Schema):
    subject = text(description="The subject.", example="hooks.example.org")
    issuer = text(description="The issuer.", example="R11, Let's Encrypt")
    names = fields.List(
        text(example="hooks.example.org"), metadata={"description": "Its first 20 names."}
    )
    expiresAt = time(description="When it expires.", example="2027-01-19T08:12:30.000Z")
    daysLeft = fields.Integer(
        strict=True,
        metadata={
            "description": "Whole days left at the ping; negative: it had expired.",
            "example": 59,
        },
    )


class Findings(Schema):
    addresses = fields.List(
        text(example="93.184.215.14"),
        metadata={"description": "The public addresses that the host's name resolved to."},
    )
    tlsVersion = text(
        nullable=True,
        description="The negotiated version; null: no TLS connection.",
        example="TLSv1.3",
    )
    certificate = fields.Nested(
        Certificate,
        allow_none=True,
        metadata={"description": "The certificate of the endpoint, trusted or not; null: none."},
    )
    resolveMs = number(nullable=True, description="Milliseconds to look the name up.", example=4.2)
    connectMs = number(nullable=True, description="Milliseconds to connect.", example=11.8)
    tlsMs = number(nullable=True, description="Milliseconds of the TLS handshake.", example=25.1)
    firstByteMs = number(
        nullable=True,
        description="Milliseconds from the request to the answer's first byte.",
        example=38.0,
    )


class Attempt(Schema):
    attemptedAt = time(description="When it was sent.")
    statusCode = count(
        nullable=True, description="The status of the endpoint's answer; null: none.", example=200
    )
    error = text(
        nullable=True, description="What went wrong, in words; null on success.", example=None
    )
    durationMs = number(
        nullable=True, description="How long the exchange took, in milliseconds.", example=41.5
    )
    answer = fields.Nested(
        EndpointAnswer,
        allow_none=True,
        metadata={"description": "An excerpt of the endpoint's answer; null: none."},
    )
    findings = fields.Nested(
        Findings,
        allow_none=True,
        metadata={
            "description": "The findings of a ping about the endpoint; null for other deliveries.",
            "example": None,
        },
    )


class Delivery(Schema):
    deliveryId = identifier(description="The delivery.")
    eventId = identifier(description="The same on every retry, redelivery and replay.")
    eventType = text(description="What happened.", example="production.published")
    productionId = identifier(description="The nil UUID for a ping.")
    sequenceNumber = count(
        description="Of the event within its production; 0 for a ping.", example=12
    )
    status = text(
        one_of=states.DELIVERY_STATES, description="The state of the delivery.", example="Succeeded"
    )
    attempts = fields.List(
        fields.Nested(Attempt), metadata={"description": "All attempts, oldest first."}
    )
    nextAttemptAt = time(nullable=True, description="When it is tried next.", example=None)
    createdAt = time(description="When it was queued.")


class Window(Schema):
    since = Instant(
        data_key="from", required=True, metadata={"description": "Events from this moment on."}
    )
    until = Instant(
        data_key="to",
        load_default=None,
        allow_none=True,
        metadata={"description": "To this one; by default now."},
    )
    productionId = Id(
        load_default=None,
        allow_none=True,
        metadata={"description": "Only events of this production.", "example": None},
    )
    missed = Flag(
        load_default=False,
        metadata={
            "description": "Only events that were not delivered: failed or skipped.",
            "example": False,
        },
    )


class Queued(Schema):
    queued = count(description="The number of deliveries that are sent again.", example=7)


class Call(Schema):
    method = text(description="The method.", example="POST")
    path = text(
        description="The path.", example="/v1/webhooks/0190b6a5-7c1e-7d3a-9f7e-3c5b8a1d2e4f/replay"
    )
    body = fields.Dict(
        keys=fields.String(),
        allow_none=True,
        metadata={
            "description": "Its body; null: none.",
            "example": {
                "from": "2026-11-20T09:30:00.000Z",
                "to": "2026-11-20T09:31:00.000Z",
                "missed": True,
            },
        },
    )


def make_sequences_field(description: str, example: list[int]) -> "fields.List[int]":
    return fields.List(count(), metadata={"description": description, "example": example})


class ProductionDeliveries(Schema):
    subscriptionId = identifier(description="The webhook.")
    endpointUrl = text(
        description="Where its events are posted to.",
        format="uri",
        example="https://example.org/hooks",
    )
    status = text(one_of=("Active", "Failed"), description="Of the webhook.", example="Active")
    succeeded = make_sequences_field("Sequence numbers that were delivered.", [1, 2, 5])
    pending = make_sequences_field("Those on their way, or between two attempts.", [6])
    failed = make_sequences_field("Those whose retries have all failed.", [3])
    parked = make_sequences_field("Those that wait for the reinstatement of the webhook.", [])
    skipped = make_sequences_field("Those that happened while the webhook was `Failed`.", [4])
    firstGap = count(
        nullable=True,
        description="The first that neither arrived nor is on its way; null: none.",
        example=3,
    )
    fill = fields.Nested(
        Call,
        allow_none=True,
        metadata={
            "description": "The call that closes the gaps, ready to send; null: there are none."
        },
    )


ProductionDeliveriesList = make_list_envelope(ProductionDeliveries, "ProductionDeliveriesList")
DeliveryList = make_list_envelope(Delivery, "DeliveryList")
SubscriptionList = make_list_envelope(Subscription, "SubscriptionList")
