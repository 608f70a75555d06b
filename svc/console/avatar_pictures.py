"""Sends the pictures of avatars; a plain one until theirs is drawn,
so that no page waits for it.
"""

from typing import Any

from flask import Response, make_response, send_file

from svc.base.errors import NotFound, RateLimitExceeded, ServiceUnavailable
from svc.console import access

_SECONDS = 2.0  # for which a request waits, in one of the few threads that may wait
_PLAIN = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">'
    '<rect width="64" height="64" fill="#d5d9e0"/>'
    '<circle cx="32" cy="25" r="12" fill="#9aa3b2"/>'
    '<path d="M8 64a24 24 0 0 1 48 0" fill="#9aa3b2"/></svg>'
)


def make_picture_response(avatar: dict[str, Any]) -> Response:
    """Return the picture of an avatar. NotFound: it is not kept any more."""
    try:
        path = access.service().previews.render_picture(
            avatar, access.name_thread_owner(), _SECONDS
        )
    except (RateLimitExceeded, ServiceUnavailable):
        path = None  # others are drawn first
    if path is None:
        plain: Response = make_response(
            _PLAIN, {"Content-Type": "image/svg+xml", "Cache-Control": "no-store"}
        )
        return plain
    if not path.is_file():
        raise NotFound()
    sent = send_file(path.absolute(), conditional=True)
    sent.headers["Cache-Control"] = "private, no-cache"  # revalidate on every use
    return sent
