"""Types of rows about usage and alerts."""

from typing import TypedDict


class Request(TypedDict):
    """A row of ``requests``."""

    id: int
    request_id: str
    partner_id: str
    at: int
    counted: int
    method: str
    path: str
    status_code: int | None
    error_code: str | None
    duration_ms: float | None
    key_prefix: str
    correlation_id: str
    times: int


class NamedRequest(Request):
    """A request with the name of its partner."""

    partner_name: str


class CausedProduction(TypedDict):
    """A production that a request triggered or named."""

    id: str
    title: str
    status: str
    created_at: int


class BusyPartner(TypedDict):
    """A partner with the numbers of one day's requests and failed deliveries."""

    partner_id: str
    name: str
    tier: str
    requests: int
    status4xx: int
    status5xx: int
    rate_limited: int
    deliveries_failed: int


class Alert(TypedDict):
    """A row of ``alerts``."""

    id: int
    at: int
    name: str
    severity: str
    partner_id: str | None
    subject_id: str | None
    message: str
    notified_at: int | None
    seen_at: int | None
    closed_at: int | None
    told: str | None
