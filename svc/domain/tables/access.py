"""Types of rows about access: API keys, master keys and stored answers."""

from typing import TypedDict


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


class MasterKey(TypedDict):
    """A master key as the database knows it: by the fingerprint, not the key."""

    version: int
    fingerprint: str
    retired_at: int | None
    waits_since: int | None


class StoredAnswer(TypedDict):
    """The first answer under an Idempotency-Key; ``sealed``,
    unless it is the answer to a trigger.
    """

    body_hash: bytes
    production_id: str
    answer: str
    sealed: bytes | None
