"""Forms whose user's session ended before they were sent: kept until the same user has signed in again."""

import json
import secrets
from typing import TypedDict

from svc.base import clock
from svc.base.crypto import answer_encryption, signing
from svc.base.crypto.signing import KeyRing
from svc.domain import rows
from svc.domain.tables.people import KeptForm
from svc.store import database

LIFETIME = clock.HOUR
MOST = 5  # of a user; another one removes the oldest
LARGEST = 256 * 1024  # characters of its fields

_PURPOSE = "kept forms"
_INSERT = "INSERT INTO kept_forms (hash, user_id, sealed, created_at) SELECT ?, id, ?, ? FROM users WHERE id = ?"
_REMOVE_OLDEST = """
    DELETE FROM kept_forms WHERE user_id = :user AND hash NOT IN (
        SELECT hash FROM kept_forms WHERE user_id = :user ORDER BY created_at DESC, hash LIMIT :most)
"""


class Form(TypedDict):
    """``address``: the path, with its query, that the form was sent to. ``fields``: in their order; no secret is among them."""

    address: str
    fields: list[tuple[str, str]]


def keep(ring: KeyRing, user_id: str, form: Form, now: int) -> str | None:
    """Keep a form, encrypted; return the token by which :func:`find` finds it. None: it is too large, or there is no user."""
    if sum(len(name) + len(value) for name, value in form["fields"]) > LARGEST:
        return None
    token = signing.base64url(secrets.token_bytes(18))
    sealed = answer_encryption.seal(ring, token, json.dumps(form), _PURPOSE)
    with database.write():
        if not database.execute(_INSERT, (signing.key_hash(token), sealed, now, user_id)):
            return None
        database.execute(_REMOVE_OLDEST, {"user": user_id, "most": MOST})
    return token


def find(ring: KeyRing, user_id: str, token: str, now: int) -> Form | None:
    """Return a form that the user sent within the last hour; None: there is none, or it is somebody else's."""
    sql = "SELECT * FROM kept_forms WHERE hash = ? AND user_id = ? AND created_at > ?"
    row = rows.first(KeptForm, sql, (signing.key_hash(token), user_id, now - LIFETIME))
    if row is None:
        return None
    try:
        form: Form = json.loads(answer_encryption.unseal(ring, token, row["sealed"], _PURPOSE))
    except ValueError:  # its master key is retired
        return None
    return form


def prune(now: int) -> None:
    """Remove forms after their hour."""
    with database.write(durable=False):
        database.execute("DELETE FROM kept_forms WHERE created_at <= ?", (now - LIFETIME,))
