"""The headers of responses in the document."""

from collections.abc import Iterable
from typing import Any

from svc.api import deprecations, versions


def _describe_header(
    description: str, example: Any, type_: str = "string", **schema: Any
) -> dict[str, Any]:
    return {"description": description, "schema": {"type": type_, **schema}, "example": example}


HEADERS = {
    "X-Correlation-Id": _describe_header(
        (
            "Trace identifier to quote to support: yours if you sent a well-formed one, else a "
            "fresh one."
        ),
        "9f0c6b1e6f8f4b6c8c1d2f7a5e3b4a10",
        pattern="^[A-Za-z0-9._-]{1,64}$",
    ),
    versions.HEADER: _describe_header(
        "The newest dated version of the API; `/docs/changelog` lists them all.",
        versions.NEWEST,
        format="date",
    ),
    "X-RateLimit-Limit": _describe_header(
        "Effective per-minute ceiling.", 60, "integer", minimum=0
    ),
    "X-RateLimit-Remaining": _describe_header(
        "Requests left in the current window. Pause when it is 2 or fewer, until the reset time.",
        57,
        "integer",
        minimum=0,
    ),
    "X-RateLimit-Reset": _describe_header(
        "Unix time in seconds when the window resets.", 1795253460, "integer", minimum=0
    ),
    "Retry-After": _describe_header(
        "Seconds to wait, equal to `retryAfterSeconds`.", 42, "integer", minimum=1
    ),
    "Location": _describe_header(
        "Where it is.", "/v1/webhooks/0190b6a5-7c1e-7d3a-9f7e-3c5b8a1d2e4f", format="uri-reference"
    ),
    "Idempotent-Replayed": _describe_header(
        "`true` on a replay of the first answer to this `Idempotency-Key`; else absent.", "true"
    ),
    "ETag": _describe_header(
        "The version of the resource, to send as `If-None-Match`.",
        'W/"9f86d081884c7d659a2feaa0c55ad015"',
    ),
    "Cache-Control": _describe_header(
        "`no-store`; on what has an `ETag`, `no-cache`: keep it, and ask again.",
        "private, no-store",
    ),
    "Allow": _describe_header("The methods that the path takes.", "GET, HEAD, OPTIONS"),
    "Content-Disposition": _describe_header(
        "A file name made of title and type.", "attachment; filename=How-tides-work-video.mp4"
    ),
    "Content-Range": _describe_header("Which bytes of how many.", "bytes 0-1023/8123456"),
    "Accept-Ranges": _describe_header("`bytes`.", "bytes"),
    "X-API-Deprecation-Notice": _describe_header(
        "What will be removed, when, and what replaces it.", "Removed on 2027-06-01; use …"
    ),
    "Deprecation": _describe_header(
        "Since when something of the operation is deprecated (RFC 9745).",
        "@1795392000",
        pattern="^@[0-9]+$",
    ),
    "Sunset": _describe_header(
        "When it will be removed (RFC 8594).", "Tue, 01 Jun 2027 00:00:00 GMT"
    ),
    "Link": _describe_header(
        'What to read about it, with `rel="deprecation"`.',
        '</docs/changelog>; rel="deprecation"; type="text/html"',
    ),
}

IN_EVERY_ANSWER = ("X-Correlation-Id", versions.HEADER)
RATE = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
_SOMETIMES = {"Idempotent-Replayed", *deprecations.HEADERS}  # not in every response that lists them


def list_references(names: Iterable[str]) -> dict[str, Any]:
    """Return the ``headers`` object of a response with these headers."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def describe_headers() -> dict[str, Any]:
    """Return the headers for ``components``, with whether they are always present."""
    return {
        name: {**header, "required": name not in _SOMETIMES} for name, header in HEADERS.items()
    }
