"""Forms that users sent from the console: one that is sent again gets the first answer,
and nothing is done twice.
"""

import hashlib
from typing import Literal

from svc.base import clock
from svc.base.errors import Conflict, RequestInProgress
from svc.store.database import db
from svc.store.models.people import SentForm
from svc.store.queries import Prepared, slot, slots

LIFETIME = 24 * clock.HOUR
MOST = 500  # of a user; another one removes the oldest
UNKNOWN = ""  # the answer to a form whose action broke off: nobody knows what it has done

_BEGIN = Prepared(SentForm.insert(slots("hash", "user_id", "created_at")).on_conflict("nothing"))
_NEWEST = SentForm.alias("newest")
_REMOVE_OLDEST = Prepared(
    SentForm.delete().where(
        SentForm.user_id == slot("user_id"),
        SentForm.hash.not_in(
            _NEWEST.select(_NEWEST.hash)
            .where(_NEWEST.user_id == slot("user_id"))
            .order_by(_NEWEST.created_at.desc(), _NEWEST.hash)
            .limit(slot("most"))
        ),
    )
)
_THIS_ONE = SentForm.hash == slot("hash")
_FIND = Prepared(SentForm.select(SentForm.answer, SentForm.created_at).where(_THIS_ONE))
_ANSWER = Prepared(SentForm.update(answer=slot("answer")).where(_THIS_ONE))
_FORGET = Prepared(SentForm.delete().where(_THIS_ONE))
_PRUNE = Prepared(SentForm.delete().where(SentForm.created_at <= slot("before")))
# One of the future is of before the clock was set back.
_PRUNE_AHEAD = Prepared(SentForm.delete().where(SentForm.created_at > slot("latest")))
_LONGEST = 2 * clock.MINUTE  # that an action takes; one that has taken longer has broken off


def hash_form(user_id: str, token: str, content: bytes) -> bytes:
    """Return the key of a form. ``token``: of the page. ``content``: a digest of address and
    fields: other fields, another form."""
    return hashlib.sha256(b"\0".join((user_id.encode(), token.encode(), content))).digest()


def begin(user_id: str, form_hash: bytes, now: int) -> Literal[True] | str | None:
    """Return True if the form is sent for the first time, else the first answer; None: the first is
    still being answered.

    Conflict: nobody knows what the first has done.
    """
    with db.transaction(durable=False):
        if _BEGIN.execute(hash=form_hash, user_id=user_id, created_at=now):
            _REMOVE_OLDEST.execute(user_id=user_id, most=MOST)
            return True
        first = _FIND.one(hash=form_hash)
    answer: str | None = first["answer"]
    # one of the future was sent before the clock was set back
    if answer == UNKNOWN or (answer is None and abs(now - first["created_at"]) > _LONGEST):
        raise Conflict(
            "This form was sent before, and the server was interrupted. Look in the list whether "
            "it was carried out; if it was not, open the page anew and send it again."
        )
    return answer


def end(form_hash: bytes, answer: str | None) -> None:
    """Keep the answer to a form that :func:`begin` returned True for.

    None: nothing was done, so that it may be sent again.
    """
    with db.transaction(durable=False):
        if answer is None:
            _FORGET.execute(hash=form_hash)
        else:
            _ANSWER.execute(hash=form_hash, answer=answer)


def make_in_progress_error() -> RequestInProgress:
    """Return the error for a form that is sent again while the first is still being answered."""
    return RequestInProgress(
        "This form was sent before and is still being carried out. Reload this page in some "
        "seconds."
    )


def prune(now: int) -> None:
    """Remove forms after their 24 hours."""
    with db.transaction(durable=False):
        _PRUNE.execute(before=now - LIFETIME)
        _PRUNE_AHEAD.execute(latest=now + clock.SKEW)
