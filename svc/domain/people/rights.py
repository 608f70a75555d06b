"""Ends a user's sessions, one-time links and test keys when their password, role or right to sign in changes.

Every function is called inside write(), in the transaction of the change, and returns the number of rows that it ended.
"""

from svc.store import database

_END_TEST_KEYS = """
    UPDATE api_keys SET revoked_at = :now WHERE creator = :user AND environment = 'test' AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > :now)
"""


def end_sessions(user_id: str, but: str | None = None) -> int:
    """End the sessions of a user, except the one with the id ``but``."""
    return database.execute("DELETE FROM sessions WHERE user_id = ? AND id IS DISTINCT FROM ?", (user_id, but))


def end_password_links(user_id: str) -> int:
    """End the user's open password-reset links."""
    return database.execute("DELETE FROM invitations WHERE user_id = ? AND used_at IS NULL", (user_id,))


def end_invitations_by(user_id: str) -> int:
    """End the open invitations that the user created: one of them may be for their own use."""
    return database.execute("DELETE FROM invitations WHERE creator = ? AND used_at IS NULL", (user_id,))


def end_test_keys(user_id: str, now: int) -> int:
    """Revoke the test keys of the user's sandbox."""
    return database.execute(_END_TEST_KEYS, {"user": user_id, "now": now})


def end_all(user_id: str, now: int) -> dict[str, int]:
    """End everything that lets the user change something. Return the numbers for the audit log, without zeros."""
    return {**_without_zeros(sessions=end_sessions(user_id)), **end_powers(user_id, now)}


def end_powers(user_id: str, now: int) -> dict[str, int]:
    """As :func:`end_all`, for a user who may only read from now on: sessions stay."""
    return _without_zeros(
        links=end_password_links(user_id) + end_invitations_by(user_id), test_keys=end_test_keys(user_id, now)
    )


def _without_zeros(**ended: int) -> dict[str, int]:
    return {f"ended {name}": number for name, number in ended.items() if number}
