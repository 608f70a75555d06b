"""What the documentation says of every operation: its answers, its headers, its errors."""

from collections.abc import Callable

import flask_smorest

from svc.api.parsing import Blueprint
from svc.api.schemas.common import Error


class Api(flask_smorest.Api):
    """flask-smorest's, with our error envelope."""

    ERROR_SCHEMA = Error


_RATE_HEADERS = {
    "X-RateLimit-Limit": {"description": "Effective per-minute ceiling.", "schema": {"type": "integer"}},
    "X-RateLimit-Remaining": {"description": "Requests left in the current window.", "schema": {"type": "integer"}},
    "X-RateLimit-Reset": {"description": "Unix time in seconds when the window resets.", "schema": {"type": "integer"}},
}
_ALWAYS = {"X-Correlation-Id": {"description": "Trace identifier to quote to support.", "schema": {"type": "string"}}}
_RETRY = {"Retry-After": {"description": "Equal to `retryAfterSeconds`.", "schema": {"type": "integer"}}}

_GLOBAL = {
    401: "`UNAUTHORIZED`: the key is missing, malformed, invalid or revoked.",
    413: "`PAYLOAD_TOO_LARGE`: the body is over 64 KiB.",
    429: "`RATE_LIMIT_EXCEEDED`: the minute's, the day's or the production quota is used up.",
    500: "`INTERNAL_ERROR`: unexpected error.",
    503: "`SERVICE_UNAVAILABLE`: under maintenance.",
}
_FORBIDDEN = "`PARTNER_NOT_ACTIVE`: the partner account is not active. `PERMISSION_DENIED`: the key lacks the scope."


def answers(bp: Blueprint, status: int, schema, description: str, *, headers: dict | None = None, **errors: str) -> Callable:
    """Document a view: its answer by ``schema``, the errors that every operation has, and its own.

    ``errors``: ``e404="`NOT_FOUND`: …"``; a text for a status that every operation has is added to it.
    """
    texts = {**_GLOBAL, 400: "`INVALID_REQUEST`: an unknown or malformed parameter.", 403: _FORBIDDEN}
    for name, text in errors.items():
        code = int(name[1:])
        texts[code] = f"{texts[code]} {text}" if code in (*_GLOBAL, 403) else text

    def decorate(view):
        for code, text in sorted(texts.items()):
            more = {**_ALWAYS, **(_RATE_HEADERS | _RETRY if code == 429 else _RETRY if code == 503 else {})}
            view = bp.alt_response(code, schema=Error, description=text, headers=more)(view)
        return bp.response(status, schema, description=description, headers={**_ALWAYS, **_RATE_HEADERS, **(headers or {})})(view)

    return decorate
