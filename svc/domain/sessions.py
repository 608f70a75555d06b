"""Signing in and the sessions that it begins: found by the token of a cookie, listed, ended."""

import hmac
import secrets

from svc.base import clock, ids, signing
from svc.base.errors import NotFound, SignInFailed
from svc.base.signing import KeyRing
from svc.domain import passwords, people, throttle
from svc.domain.people import Viewer
from svc.store import database

IDLE = 14 * clock.DAY  # a session ends when it has not been used for so long
LONGEST = 90 * clock.DAY  # and this long after it began in any case
_SEEN_EVERY = clock.MINUTE

_BY_HASH = """
    SELECT s.id AS session_id, s.seen_at, u.* FROM sessions s JOIN users u ON u.id = s.user_id
    WHERE s.hash = ? AND s.seen_at > ? AND s.created_at > ? AND u.disabled_at IS NULL
"""


def sign_in(email: str, password: str, address: str, device: str | None, now: int) -> database.Row:
    """The person's row. SignInFailed: no such person, a wrong password, or disabled: it takes the same time and says the
    same. TooManySignIns. ``device``: as :func:`known_device` gave it."""
    account = email.strip().lower()[:200]
    counted = throttle.subjects(account, address, device)
    throttle.begin(counted, now)
    row = people.find(account)
    right = passwords.matches(password, row["password"] if row else None)
    if not right or row["disabled_at"] is not None:
        raise SignInFailed()
    throttle.succeeded(counted)
    return row


def device_mark(ring: KeyRing, user_id: str) -> str:
    """What a browser keeps after a sign-in, to be told from strangers' at the next one."""
    nonce = secrets.token_hex(12)
    return f"{nonce}.{_device_signature(ring, user_id, nonce)}"


def known_device(ring: KeyRing, email: str, mark: str) -> str | None:
    """The device's name if ``mark`` is :func:`device_mark`'s for the person with that address, else None."""
    row = people.find(email)
    nonce, _, signature = mark.partition(".")
    expected = _device_signature(ring, row["id"] if row else ids.NIL, nonce)
    ours = hmac.compare_digest(signature.encode("utf-8", "surrogatepass"), expected.encode())
    return nonce if ours and row else None


def _device_signature(ring: KeyRing, user_id: str, nonce: str) -> str:
    return hmac.new(ring.derive("devices"), f"{user_id}.{nonce}".encode("utf-8", "surrogatepass"), "sha256").hexdigest()


def start(user_id: str, address: str, browser: str, now: int) -> str:
    """Begin a session; the token for its cookie."""
    token = signing.base64url(secrets.token_bytes(32))
    with database.write():
        database.execute(
            "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?)",
            (ids.new(now), signing.key_hash(token), user_id, now, now, address, browser[:200]),
        )
    return token


def find(token: str, now: int) -> tuple[Viewer, str] | None:
    """The person whose session it is, and the session's id; None when it is unknown, ended or too old."""
    row = database.row(_BY_HASH, (signing.key_hash(token), now - IDLE, now - LONGEST))
    if row is None:
        return None
    if row["seen_at"] <= now - _SEEN_EVERY:
        with database.write(durable=False):
            database.execute("UPDATE sessions SET seen_at = ? WHERE id = ?", (now, row["session_id"]))
    return people.viewer(row), row["session_id"]


def of_user(user_id: str, now: int) -> list[database.Row]:
    """The sessions of a person, the one used last first."""
    return database.rows(
        "SELECT * FROM sessions WHERE user_id = ? AND seen_at > ? AND created_at > ? ORDER BY seen_at DESC, id DESC",
        (user_id, now - IDLE, now - LONGEST),
    )


def end(user_id: str, session_id: str) -> None:
    """End one session of a person. NotFound."""
    with database.write():
        if not database.execute("DELETE FROM sessions WHERE id = ? AND user_id = ?", (session_id, user_id)):
            raise NotFound("There is no such session; it may have ended by itself.")


def end_others(user_id: str, but: str) -> int:
    """End every session of a person except ``but``; how many ended."""
    with database.write():
        return database.execute("DELETE FROM sessions WHERE user_id = ? AND id != ?", (user_id, but))


def prune(now: int) -> None:
    """Remove the sessions that have ended by themselves, and what signing in left behind."""
    with database.write(durable=False):
        database.execute("DELETE FROM sessions WHERE seen_at <= ?", (now - IDLE,))
    throttle.prune(now)
