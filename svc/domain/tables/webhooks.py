"""Types of rows about events, webhook subscriptions and deliveries."""

from typing import TypedDict


class Event(TypedDict):
    """A row of ``events``."""

    production_id: str
    sequence: int
    partner_id: str
    account_id: str
    event_type: str
    at: int
    correlation_id: str
    truncated: int
    data: str
    position: int


class Subscription(TypedDict):
    """A row of ``subscriptions``."""

    id: str
    partner_id: str
    environment: str
    creator: str | None
    endpoint_url: str
    event_types: str
    account_ids: str | None
    account_scope_id: str | None
    permitted_account_ids: str | None
    status: str
    failure_count: int
    troubled: int
    secret_version: int
    last_delivery_at: int | None
    last_ping_at: int | None
    created_at: int
    deleted_at: int | None
    failing_since: int | None
    secret_generation: int
    overlap_until: int | None
    paused_at: int | None


class MatchingSubscription(TypedDict):
    """A subscription that matches an event: what is needed to queue a delivery.

    ``status`` may also be ``Paused``, or ``Closed``: its partner is.
    """

    id: str
    partner_id: str
    status: str
    troubled: int


class SigningSubscription(TypedDict):
    """The columns of a subscription on which its signatures depend."""

    id: str
    endpoint_url: str
    secret_version: int
    secret_generation: int


class Delivery(TypedDict):
    """A row of ``deliveries``."""

    id: str
    subscription_id: str
    partner_id: str
    event_id: str
    event_type: str
    production_id: str
    sequence: int
    body: bytes
    status: str
    holds: int
    failures: int
    first_failed_at: int | None
    second_failed_at: int | None
    interruptions: int
    lane: int
    next_attempt_at: int | None
    claim_token: str | None
    claim_boot: str | None
    claim_until: int | None
    created_at: int
    finished_at: int | None


class Endpoint(TypedDict):
    """A subscription with its endpoint."""

    id: str
    endpoint_url: str


class DependentSubscription(Endpoint):
    """A subscription whose signing secret is derived from a certain master key."""

    partner_id: str
    partner_name: str


class FailingSubscription(Endpoint):
    """A subscription whose endpoint is failing."""

    status: str
    failure_count: int
    failing_since: int | None
    paused_at: int | None
    last_delivery_at: int | None
    partner_name: str


class EventDelivery(TypedDict):
    """A delivery of an event, with the answer to its last attempt."""

    id: str
    sequence: int
    status: str
    subscription_id: str
    next_attempt_at: int | None
    failures: int
    endpoint_url: str
    deleted_at: int | None
    status_code: int | None
