"""Types of rows about people: users, sessions and the audit log."""

from typing import TypedDict


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


class Session(TypedDict):
    """A row of ``sessions``."""

    id: str
    hash: bytes
    user_id: str
    created_at: int
    seen_at: int
    address: str
    browser: str


class AuditEntry(TypedDict):
    """A row of ``audit``."""

    id: int
    at: int
    actor_id: str | None
    actor: str
    action: str
    partner_id: str | None
    subject_id: str | None
    subject: str
    before: str | None
    after: str | None
    salt: bytes | None
    content_hash: bytes | None
    hash: bytes | None
    seal: bytes | None
    key_version: int | None
    redacted_at: int | None
