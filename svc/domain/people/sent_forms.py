"""Forms that users sent from the console: one that is sent again gets the first answer, and nothing is done twice."""

import hashlib
from typing import Literal

from svc.base import clock
from svc.base.errors import Conflict, RequestInProgress
from svc.domain import rows
from svc.domain.tables.people import SentForm
from svc.store import database

LIFETIME = 24 * clock.HOUR
MOST = 500  # of a user; another one removes the oldest
UNKNOWN = ""  # the answer to a form whose action broke off: nobody knows what it has done

_BEGIN = "INSERT INTO sent_forms (hash, user_id, created_at) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING"
_REMOVE_OLDEST = """
    DELETE FROM sent_forms WHERE user_id = :user AND hash NOT IN (
        SELECT hash FROM sent_forms WHERE user_id = :user ORDER BY created_at DESC, hash LIMIT :most)
"""
_LONGEST = 2 * clock.MINUTE  # that an action takes; one that has taken longer has broken off


def hash_of(user_id: str, token: str, content: bytes) -> bytes:
    """Return the key of a form. ``token``: of the page. ``content``: a digest of address and fields: other fields, another
    form."""
    return hashlib.sha256(b"\0".join((user_id.encode(), token.encode(), content))).digest()


def begin(user_id: str, form_hash: bytes, now: int) -> Literal[True] | str | None:
    """Return True if the form is sent for the first time, else the first answer; None: the first is still being answered.

    Conflict: nobody knows what the first has done.
    """
    with database.write(durable=False):
        if database.execute(_BEGIN, (form_hash, user_id, now)):
            database.execute(_REMOVE_OLDEST, {"user": user_id, "most": MOST})
            return True
        first = rows.one(SentForm, "SELECT * FROM sent_forms WHERE hash = ?", (form_hash,))
    if first["answer"] == UNKNOWN or (first["answer"] is None and first["created_at"] < now - _LONGEST):
        raise Conflict(
            "This form was sent before, and the server was interrupted. Look in the list whether it was carried out; "
            "if it was not, open the page anew and send it again."
        )
    return first["answer"]


def end(form_hash: bytes, answer: str | None) -> None:
    """Keep the answer to a form that :func:`begin` returned True for. None: nothing was done, so that it may be sent again."""
    with database.write(durable=False):
        if answer is None:
            database.execute("DELETE FROM sent_forms WHERE hash = ?", (form_hash,))
        else:
            database.execute("UPDATE sent_forms SET answer = ? WHERE hash = ?", (answer, form_hash))


def still_in_progress() -> RequestInProgress:
    """Return the error for a form that is sent again while the first is still being answered."""
    return RequestInProgress("This form was sent before and is still being carried out. Reload this page in some seconds.")


def prune(now: int) -> None:
    """Remove forms after their 24 hours."""
    with database.write(durable=False):
        database.execute("DELETE FROM sent_forms WHERE created_at <= ?", (now - LIFETIME,))
