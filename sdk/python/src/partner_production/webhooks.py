"""Verifies webhooks, by either of the two signatures that each delivery carries."""

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol, cast

from partner_production.errors import InvalidSignature
from partner_production.models import WebhookEvent

TOLERANCE = 300  # seconds
_STANDARD_PREFIX = "whsec_"
_SERVICE = "X-SERVICE-Signature"
_NAMES = {
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
    _SERVICE.lower(),
    f"{_SERVICE.lower()}-previous",
}


class _Headers(Protocol):
    """A mapping, a message of ``email`` or ``http.client``, the headers of Werkzeug, Django,
    httpx or requests.
    """

    def items(self) -> Iterable[Any]: ...


def verify_webhook(
    body: bytes | bytearray | memoryview | str,
    headers: _Headers | Iterable[tuple[str | bytes, str | bytes]],
    secret: str,
    *,
    scheme: Literal["standard", "service"] = "standard",
    tolerance: float = TOLERANCE,
    now: float | None = None,
) -> WebhookEvent:
    """Return the event of a delivery that is truly the service's.

    Deliveries come at least once: deduplicate by ``eventId``, or by ``productionId`` and
    ``sequenceNumber``.

    Args:
        body: The raw body of the request, never parsed and written again.
        headers: The headers of the request: a mapping of any kind, whose values may be lists, or
            the pairs of an ASGI scope. The case of their names does not matter.
        secret: ``signingSecret`` or ``standardWebhooksSecret`` of the webhook.
        scheme: ``standard`` checks ``webhook-signature`` (Standard Webhooks), which also covers the
            time of sending, so that an old delivery is not accepted again. ``service`` checks
            ``X-SERVICE-Signature``, which does not.
        tolerance: How many seconds the clocks may differ (``standard`` only).
        now: Unix time; by default the clock's.

    Raises:
        InvalidSignature: Answer 401, and do not process it. Its ``reason`` says what is wrong.
        ValueError: The secret is none.
    """
    raw = _raw(body)
    given = _by_name(headers)
    key = _key(secret)
    if scheme == "service":
        _check_service(raw, given, key)
    else:
        _check_standard(raw, given, key, tolerance, time.time() if now is None else now)
    return _event(raw)


def _raw(body: object) -> bytes:
    if isinstance(body, str):
        return body.encode("utf-8", "surrogatepass")
    if isinstance(body, bytes | bytearray | memoryview):
        return bytes(body)
    raise InvalidSignature(
        (
            f"The body is of the type {type(body).__name__}: this is a parsed body; pass the raw "
            "one, as bytes or str."
        ),
        "parsed_body",
    )


def _by_name(headers: Any) -> dict[str, list[str]]:
    """Return the values of the headers that sign by name in lower case,
    whatever holds the headers.
    """
    if isinstance(headers, Mapping) or hasattr(headers, "items"):
        headers = headers.items()
    found: dict[str, list[str]] = {}
    for name, value in headers or ():
        # WSGI and Django name them HTTP_WEBHOOK_ID.
        plain = _as_text(name).lower().removeprefix("http_").replace("_", "-")
        if plain in _NAMES:
            found.setdefault(plain, []).extend(_values(value))
    return found


def _values(value: object) -> list[str]:
    if isinstance(value, str | bytes):
        return [_as_text(value)]
    if isinstance(value, Mapping):  # CloudFront: {"key": …, "value": …}
        return _values(value.get("value"))
    if isinstance(value, Iterable):  # API Gateway's multiValueHeaders
        return [text for each in value for text in _values(each)]
    return []


def _as_text(given: object) -> str:
    return given.decode("latin-1") if isinstance(given, bytes) else str(given)


def _check_service(body: bytes, headers: Mapping[str, list[str]], key: bytes) -> None:
    signatures = [*_signatures(headers, _SERVICE), *_signatures(headers, f"{_SERVICE}-Previous")]
    if not signatures:
        raise _missing(_SERVICE)
    if not _has(signatures, "sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest()):
        raise _mismatch(_SERVICE)


def _check_standard(
    body: bytes, headers: Mapping[str, list[str]], key: bytes, tolerance: float, now: float
) -> None:
    signatures = _signatures(headers, "webhook-signature")
    message_id, timestamp = (
        " ".join(headers.get(name, ())) for name in ("webhook-id", "webhook-timestamp")
    )
    absent = [
        name
        for name, value in (
            ("webhook-signature", signatures),
            ("webhook-id", message_id),
            ("webhook-timestamp", timestamp),
        )
        if not value
    ]
    if absent:
        raise _missing(*absent)
    signed = f"{message_id}.{timestamp}.".encode("utf-8", "surrogatepass") + body
    if not _has(
        signatures, "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode("ascii")
    ):
        raise _mismatch("webhook-signature")
    age = now - int(timestamp) if timestamp.isascii() and timestamp.isdecimal() else tolerance + 1
    if abs(age) > tolerance:
        raise InvalidSignature(
            f"webhook-timestamp is {abs(age):.0f} seconds {'ago' if age > 0 else 'ahead'}, more "
            f"than {tolerance:g}: check the clock, or somebody repeats an old delivery.",
            "too_old" if age > 0 else "too_new",
        )


def _signatures(headers: Mapping[str, list[str]], name: str) -> list[str]:
    """Return the signatures of a header.

    A server that joins headers of one name writes commas between.
    """
    return [each.strip(",") for value in headers.get(name.lower(), ()) for each in value.split()]


def _missing(*names: str) -> InvalidSignature:
    are = "is" if len(names) == 1 else "are"
    return InvalidSignature(
        (
            f"{', '.join(names)} {are} missing from the headers: pass all headers of the request; "
            "is it one of the service's?"
        ),
        "missing",
    )


def _mismatch(name: str) -> InvalidSignature:
    return InvalidSignature(
        f"{name} was not made with this secret over these bytes: it is another webhook's secret, "
        "or the body was changed, such as parsed and written again.",
        "mismatch",
    )


def _has(signatures: list[str], expected: str) -> bool:
    """Return whether ``expected`` is among the signatures, in a time that does not depend on
    what they are.
    """
    wanted = expected.encode()
    matches = [
        hmac.compare_digest(each.encode("utf-8", "surrogatepass"), wanted) for each in signatures
    ]
    return any(matches)


def _key(secret: str) -> bytes:
    """Return the bytes of a signing secret in either form. ValueError: it is neither."""
    text = (
        secret.strip()
        .removeprefix(_STANDARD_PREFIX)
        .rstrip("=")
        .translate(str.maketrans("+/", "-_"))
    )
    try:
        key = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as bad:
        raise ValueError(
            "the secret is neither a signingSecret nor a standardWebhooksSecret"
        ) from bad
    if not key:
        raise ValueError("the secret is empty")
    return key


def _event(body: bytes) -> WebhookEvent:
    try:
        event = json.loads(body)
    except (ValueError, RecursionError) as bad:
        raise InvalidSignature("The body is signed, but no JSON.", "not_json") from bad
    if not isinstance(event, dict):
        raise InvalidSignature("The body is signed, but no JSON object.", "not_json")
    return cast(WebhookEvent, event)
