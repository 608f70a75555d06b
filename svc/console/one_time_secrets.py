"""Secrets that are shown once, on the page after a redirect:
until then they are encrypted in the session's cookie.
"""

import base64
import json
from typing import Any

from flask import session

from svc.base import clock
from svc.base.crypto import answer_encryption
from svc.console import access

_NAME, _PURPOSE = "reveal", "console reveal"
_KEPT = clock.MINUTE  # until the next page takes it


def keep_secret(page: str, values: dict[str, Any]) -> None:
    """Keep ``values`` for the next look at ``page`` by this session, within a minute."""
    text = json.dumps({"page": page, "until": access.now() + _KEPT, "values": values})
    sealed = answer_encryption.seal(access.service().ring, session["token"], text, _PURPOSE)
    session[_NAME] = base64.b64encode(sealed).decode()


def take_secret(page: str) -> dict[str, Any] | None:
    """Return what was kept for ``page``, and forget it; None: nothing, or too long ago."""
    if _NAME not in session:
        return None
    try:
        revealed = json.loads(
            answer_encryption.unseal(
                access.service().ring, session["token"], base64.b64decode(session[_NAME]), _PURPOSE
            )
        )
    except ValueError:
        session.pop(_NAME)
        return None
    if revealed["page"] != page:
        return None
    session.pop(_NAME)
    values: dict[str, Any] = revealed["values"]
    return values if access.now() < revealed["until"] else None


def read_sealed_secret() -> str | None:
    """Return what is kept for the next page, encrypted with the session's token; None: nothing."""
    sealed: str | None = session.get(_NAME)
    return sealed


def keep_sealed_secret(sealed: str | None) -> None:
    """Keep what :func:`read_sealed_secret` returned for the next page of the same session."""
    if sealed is not None:
        session[_NAME] = sealed
