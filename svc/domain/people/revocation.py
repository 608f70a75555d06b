"""Ends a user's sessions, one-time links and test keys when their password, role or right to sign
in changes.

Every function is called inside the transaction of the change, and returns the number of rows that
it ended.
"""

from svc.store.expressions import is_distinct
from svc.store.models.access import ApiKey
from svc.store.models.people import Invitation, Session
from svc.store.queries import Prepared, slot

_END_SESSIONS = Prepared(
    Session.delete().where(Session.user_id == slot("user_id"), is_distinct(Session.id, slot("but")))
)
_END_PASSWORD_LINKS = Prepared(
    Invitation.delete().where(Invitation.user_id == slot("user_id"), Invitation.used_at.is_null())
)
_END_INVITATIONS = Prepared(
    Invitation.delete().where(Invitation.creator == slot("user_id"), Invitation.used_at.is_null())
)
_END_TEST_KEYS = Prepared(
    ApiKey.update(revoked_at=slot("now")).where(
        ApiKey.creator == slot("user_id"),
        ApiKey.environment == "test",
        ApiKey.revoked_at.is_null(),
        ApiKey.expires_at.is_null() | (ApiKey.expires_at > slot("now")),
    )
)


def end_sessions(user_id: str, but: str | None = None) -> int:
    """End the sessions of a user, except the one with the id ``but``."""
    return _END_SESSIONS.execute(user_id=user_id, but=but)


def end_password_links(user_id: str) -> int:
    """End the user's open password-reset links."""
    return _END_PASSWORD_LINKS.execute(user_id=user_id)


def end_invitations_by(user_id: str) -> int:
    """End the open invitations that the user created: one of them may be for their own use."""
    return _END_INVITATIONS.execute(user_id=user_id)


def end_test_keys(user_id: str, now: int) -> int:
    """Revoke the test keys of the user's sandbox."""
    return _END_TEST_KEYS.execute(user_id=user_id, now=now)


def end_all(user_id: str, now: int) -> dict[str, int]:
    """End everything that lets the user change something.

    Return the numbers for the audit log, without zeros.
    """
    return {**_omit_zeros(sessions=end_sessions(user_id)), **end_powers(user_id, now)}


def end_powers(user_id: str, now: int) -> dict[str, int]:
    """End the links and test keys of a user who may only read from now on. Sessions stay."""
    return _omit_zeros(
        links=end_password_links(user_id) + end_invitations_by(user_id),
        test_keys=end_test_keys(user_id, now),
    )


def _omit_zeros(**ended: int) -> dict[str, int]:
    return {f"ended {name}": number for name, number in ended.items() if number}
