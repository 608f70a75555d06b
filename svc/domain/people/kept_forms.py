"""Forms whose user's session had ended, and pages that answer forms:
kept for an hour for their user.
"""

import base64
import json
import secrets
import zlib
from typing import TypedDict, final

from svc.base import clock
from svc.base.crypto import answer_encryption, signing
from svc.base.crypto.signing import KeyRing
from svc.store.database import db
from svc.store.models.people import KeptForm, User
from svc.store.queries import Prepared, slot

LIFETIME = clock.HOUR
MOST = 10  # of a user; another one removes the oldest
LARGEST = 256 * 1024  # characters of a form's fields, and of a page as it is kept

_PURPOSE = "kept forms"
_KEEP = Prepared(
    KeptForm.insert_from(
        User.select(slot("hash"), User.id, slot("sealed"), slot("now").cast("bigint")).where(
            User.id == slot("user_id")
        ),
        [KeptForm.hash, KeptForm.user_id, KeptForm.sealed, KeptForm.created_at],
    )
)
_NEWEST = KeptForm.alias("newest")
_REMOVE_OLDEST = Prepared(
    KeptForm.delete().where(
        KeptForm.user_id == slot("user_id"),
        KeptForm.hash.not_in(
            _NEWEST.select(_NEWEST.hash)
            .where(_NEWEST.user_id == slot("user_id"))
            .order_by(_NEWEST.created_at.desc(), _NEWEST.hash)
            .limit(slot("most"))
        ),
    )
)
_FIND = Prepared(
    KeptForm.select(KeptForm.sealed).where(
        KeptForm.hash == slot("hash"),
        KeptForm.user_id == slot("user_id"),
        KeptForm.created_at > slot("since"),
    )
)
_PRUNE = Prepared(KeptForm.delete().where(KeptForm.created_at <= slot("before")))
# One of the future is of before the clock was set back.
_PRUNE_AHEAD = Prepared(KeptForm.delete().where(KeptForm.created_at > slot("latest")))


@final
class Form(TypedDict):
    """``address``: the path, with its query, that the form was sent to.

    ``fields``: in their order; no secret is among them.
    """

    address: str
    fields: list[tuple[str, str]]


@final
class Page(TypedDict):
    """The answer to a form. ``headers``: those that are not of every page."""

    html: str
    status: int
    headers: dict[str, str]


def keep(ring: KeyRing, user_id: str, form: Form, now: int) -> str | None:
    """Keep a form, encrypted; return the token by which :func:`find` finds it.

    None: it is too large, or there is no user.
    """
    if sum(len(name) + len(value) for name, value in form["fields"]) > LARGEST:
        return None
    return _store_form(ring, user_id, json.dumps(form), now, durable=True)


def keep_page(ring: KeyRing, user_id: str, page: Page, now: int) -> str | None:
    """Keep the answer to a form, like :func:`keep`."""
    packed = base64.b64encode(zlib.compress(json.dumps(page).encode())).decode()
    return (
        _store_form(ring, user_id, json.dumps({"page": packed}), now, durable=False)
        if len(packed) <= LARGEST
        else None
    )


def _store_form(ring: KeyRing, user_id: str, text: str, now: int, durable: bool) -> str | None:
    token = signing.encode_base64url(secrets.token_bytes(18))
    sealed = answer_encryption.seal(ring, token, text, _PURPOSE)
    with db.transaction(durable=durable):
        # Before it is kept: several forms of one millisecond would be in no order.
        _REMOVE_OLDEST.execute(user_id=user_id, most=MOST - 1)
        if not _KEEP.execute(hash=signing.hash_key(token), sealed=sealed, now=now, user_id=user_id):
            return None
    return token


def find(ring: KeyRing, user_id: str, token: str, now: int) -> Form | Page | None:
    """Return what was kept for the user within the last hour; None: there is nothing,
    or it is somebody else's.
    """
    row = _FIND.row(hash=signing.hash_key(token), user_id=user_id, since=now - LIFETIME)
    if row is None:
        return None
    try:
        content = json.loads(answer_encryption.unseal(ring, token, row["sealed"], _PURPOSE))
    except ValueError:  # its master key is retired
        return None
    page: Form | Page = content
    if "page" in content:
        page = json.loads(zlib.decompress(base64.b64decode(content["page"])))
    return page


def prune(now: int) -> None:
    """Remove what has been kept for its hour."""
    with db.transaction(durable=False):
        _PRUNE.execute(before=now - LIFETIME)
        _PRUNE_AHEAD.execute(latest=now + clock.SKEW)
