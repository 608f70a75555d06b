"""The errors in the document: all codes with example envelopes, taken from the error classes."""

import re
from typing import Any

from svc.api.answer_docs import Answers
from svc.api.document.headers import IN_EVERY_ANSWER, RATE, list_references
from svc.base import errors
from svc.base.errors import ServiceError

_CODE = re.compile(r"`([A-Z][A-Z0-9]*_[A-Z0-9_]+|UNAUTHORIZED)`")
_FIELDS = {"INVALID_REQUEST": {"topic": ["Missing data for required field."]}}
_WAITS = {429: 42, 503: 60}  # seconds, in the examples

# Shared responses of all operations.
OF_EVERY_OPERATION = {
    401: ("Unauthorized", "`UNAUTHORIZED`: the key is missing, malformed, invalid or revoked."),
    413: ("PayloadTooLarge", "`PAYLOAD_TOO_LARGE`: the body is over 64 KiB."),
    500: (
        "InternalError",
        "`INTERNAL_ERROR`: unexpected error; retry after 5 seconds, then after 30 more.",
    ),
    503: (
        "ServiceUnavailable",
        (
            "`SERVICE_UNAVAILABLE`: under maintenance, or its disk or database is in trouble; "
            "wait for `retryAfterSeconds`."
        ),
    ),
}
# Errors of every operation that needs a key, in addition to its own.
_WITH_KEY = {
    400: (
        "`INVALID_REQUEST`: an unknown, malformed or missing field or parameter; `fields` names it."
    ),
    403: "`PARTNER_NOT_ACTIVE`: the partner account is not active.",
    429: (
        "`RATE_LIMIT_EXCEEDED`: the limit of the minute or the day is reached; wait for "
        "`retryAfterSeconds`."
    ),
}
_SCOPE = "`PERMISSION_DENIED`: the key lacks the permission."


def list_codes() -> dict[str, type[ServiceError]]:
    """Return all errors of the API by code."""
    codes: dict[str, type[ServiceError]] = {}
    classes = [ServiceError]
    while classes:
        error = classes.pop()
        if error is errors.Refusal:  # never returned by the API
            continue
        classes += error.__subclasses__()
        if error is errors.Unprocessable or error is ServiceError:
            continue
        codes[error.code] = error
    return dict(sorted(codes.items(), key=lambda item: (item[1].status, item[0])))


def describe_responses(
    answers: Answers, scope: str | None, has_body: bool, is_conditional: bool
) -> dict[str, dict[str, Any]]:
    """Return the error responses of an operation that needs a key.

    ``is_conditional``: it changes the resource at its address, which a request may make depend on
    the resource's state.
    """
    texts = dict(_WITH_KEY)
    if has_body:
        texts[415] = "`UNSUPPORTED_MEDIA_TYPE`: the body is not `application/json`."
    if is_conditional:
        texts[412] = (
            "`PRECONDITION_FAILED`: `If-Match`, unless it is `*`, or `If-None-Match: *` was sent."
        )
    if scope is not None:
        texts[403] += f" {_SCOPE}"
    for status, text in answers.errors.items():
        texts[status] = f"{texts[status]} {text}" if status in texts else text
    of_operation = {str(status): describe_response(status, text) for status, text in texts.items()}
    shared = {
        str(status): {"$ref": f"#/components/responses/{name}"}
        for status, (name, _) in OF_EVERY_OPERATION.items()
    }
    return dict(sorted((of_operation | shared).items()))


def describe_response(status: int, text: str) -> dict[str, Any]:
    """Return a response in the error envelope.

    ValueError: the text names a code that does not have this status.
    """
    errors_by_code = list_codes()
    codes = _CODE.findall(text)
    mismatched = [
        code
        for code in codes
        if code not in errors_by_code or errors_by_code[code].status != status
    ]
    if mismatched or not codes:
        raise ValueError(f"the documentation of {status} names {mismatched or 'no code'}: {text}")
    names = [
        *IN_EVERY_ANSWER,
        *(RATE if status == 429 else ()),
        *(["Retry-After"] if status in _WAITS else ()),
    ]
    examples = {code: {"$ref": f"#/components/examples/{code}"} for code in codes}
    body = {"schema": {"$ref": "#/components/schemas/Error"}, "examples": examples}
    return {
        "description": text,
        "headers": list_references(names),
        "content": {"application/json": body},
    }


def make_example(error: type[ServiceError]) -> dict[str, Any]:
    """Return a named example: the envelope of an error."""
    value: dict[str, Any] = {
        "error": error.code,
        "message": error.message,
        "retryAfterSeconds": _WAITS.get(error.status),
        "correlationId": "9f0c6b1e6f8f4b6c8c1d2f7a5e3b4a10",
    }
    if error.code in _FIELDS:
        value["fields"] = _FIELDS[error.code]
    return {"summary": error.code, "value": value}


def format_table() -> str:
    """Return a Markdown table of all codes, for the description of the document."""
    lines = [
        f"| {error.status} | `{code}` | {error.message} |" for code, error in list_codes().items()
    ]
    return "\n".join(["| Status | `error` | Meaning |", "|---|---|---|", *lines])
