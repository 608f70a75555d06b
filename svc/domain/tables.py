"""Types of table rows, and of the rows of some joins."""

from typing import TypedDict


class Account(TypedDict):
    """A row of ``accounts``."""

    id: str
    partner_id: str
    customer_id: str
    name: str
    status: str
    environment: str
    creator: str | None
    default_project_type: str
    auto_release: int
    monthly_ceiling: int | None
    concurrency_ceiling: int | None
    accent: str
    created_at: int
    second_colour: str
    theme: str
    caption_style: str
    logo: str | None
    full_text: int


class BriefedAccount(Account):
    """An account joined with what a brief refers to: ceilings, tier, project type and avatar (None: not given in the brief)."""

    customer_monthly_ceiling: int | None
    customer_concurrency_ceiling: int | None
    tier: str
    partner_status: str
    project_type: str
    title_template: str
    price: int
    avatar_id: str | None
    avatar_languages: str | None


class Key(TypedDict):
    """A row of ``api_keys``."""

    id: str
    partner_id: str
    hash: bytes
    prefix: str
    environment: str
    name: str
    creator: str | None
    scopes: str | None
    permitted_account_ids: str | None
    created_at: int
    expires_at: int | None
    revoked_at: int | None
    rotated_to: str | None
    verified_at: int | None
    last_used_at: int | None
    allowed_ranges: str | None
    warned_at: int | None


class User(TypedDict):
    """A row of ``users``."""

    id: str
    email: str
    name: str
    role: str
    partner_id: str | None
    password: str
    created_at: int
    disabled_at: int | None


class Person(User):
    """A user with the status of their partner; None for operators."""

    partner_status: str | None


class ListedUser(User):
    """A user, with whether a second factor is on."""

    second_factor: int


class Invitation(TypedDict):
    """A row of ``invitations``."""

    id: str
    hash: bytes
    role: str
    partner_id: str | None
    email: str | None
    user_id: str | None
    created_at: int
    expires_at: int
    used_at: int | None
    creator: str | None


class ActivationKey(TypedDict):
    """A row of ``activation_keys``."""

    id: str
    partner_id: str
    hash: bytes
    prefix: str
    name: str
    scopes: str | None
    permitted_account_ids: str | None
    created_at: int
    expires_at: int
    spent_at: int | None
    key_expires_at: int | None
    allowed_ranges: str | None


class ProductionState(TypedDict):
    """The id and status of a production."""

    id: str
    status: str


class ProductionNames(TypedDict):
    """The language and country of a production."""

    language_id: str
    country_id: str


class AddressedProduction(ProductionState):
    """The columns that decide whether a key may address a production, and whether it changed since the last poll."""

    partner_id: str
    account_id: str
    api_triggered: int
    created_at: int
    updated_at: int
    environment: str
    creator: str | None


class Production(TypedDict):
    """A row of ``productions``."""

    id: str
    partner_id: str
    account_id: str
    customer_id: str
    status: str
    title: str
    topic: str
    subject_override: str | None
    language_id: str
    country_id: str
    avatar_id: str
    project_type: str
    metadata_md: str | None
    api_triggered: int
    auto_release: int
    scenario: str | None
    held_in: str | None
    correlation_id: str
    steps_complete: int
    steps_total: int
    current_step: str | None
    step_fraction: float
    error_code: str | None
    error_message: str | None
    failed_step: str | None
    last_sequence: int
    rendered_seconds: float
    created_at: int
    updated_at: int
    expires_at: int | None
    released_at: int | None
    finished_at: int | None
    cancel_requested_at: int | None
    cancel_token: str | None
    claim_token: str | None
    claim_boot: str | None
    claim_until: int | None
    estimated_at: int | None
    promised_at: int | None
    retry_of: str | None
    lane: int
    not_before: int | None
    cancel_correlation_id: str | None
    external_id: str | None
    warnings: str | None


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


class Hearing(TypedDict):
    """A subscription that matches an event: the columns that are needed to queue a delivery."""

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


class Deliverable(TypedDict):
    """A row of ``deliverables``."""

    id: str
    production_id: str
    position: int
    type: str
    platform: str | None
    format: str
    file: str
    size_bytes: int
    sha256: str
    duration_seconds: float | None
    language: str
    created_at: int
