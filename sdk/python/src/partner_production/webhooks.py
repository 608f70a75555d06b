"""Verifies webhooks, by either of the two signatures that each delivery carries."""

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Literal, cast

from partner_production.errors import InvalidSignature
from partner_production.models import WebhookEvent

TOLERANCE = 300  # seconds
_STANDARD_PREFIX = "whsec_"


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secret: str,
    *,
    scheme: Literal["standard", "service"] = "standard",
    tolerance: float = TOLERANCE,
    now: float | None = None,
) -> WebhookEvent:
    """Return the event of a delivery that is truly the service's.

    Deliveries come at least once: deduplicate by ``eventId``, or by ``productionId`` and ``sequenceNumber``.

    Args:
        body: The raw bytes of the request's body, never parsed and written again.
        headers: The headers of the request; their case does not matter.
        secret: ``signingSecret`` or ``standardWebhooksSecret`` of the subscription.
        scheme: ``standard`` checks ``webhook-signature`` (Standard Webhooks), which also covers the time of sending, so that
            an old delivery is not accepted again. ``service`` checks ``X-SERVICE-Signature``, which does not.
        tolerance: How many seconds the clocks may differ (``standard`` only).
        now: Unix time; by default the clock's.

    Raises:
        InvalidSignature: Answer 401, and do not process it.
    """
    given = {name.lower(): value for name, value in headers.items()}
    key = _key(secret)
    if scheme == "service":
        _check_service(body, given, key)
    else:
        _check_standard(body, given, key, tolerance, time.time() if now is None else now)
    return _event(body)


def _check_service(body: bytes, headers: Mapping[str, str], key: bytes) -> None:
    expected = "sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest()
    signatures = f"{headers.get('x-service-signature', '')} {headers.get('x-service-signature-previous', '')}".split()
    if not _has(signatures, expected):
        raise InvalidSignature("X-SERVICE-Signature is missing, or not made with this secret over these bytes.")


def _check_standard(body: bytes, headers: Mapping[str, str], key: bytes, tolerance: float, now: float) -> None:
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    signed = f"{message_id}.{timestamp}.".encode("utf-8", "surrogatepass") + body
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode("ascii")
    if not _has(headers.get("webhook-signature", "").split(), expected):
        raise InvalidSignature("webhook-signature is missing, or not made with this secret over these bytes.")
    if not (timestamp.isascii() and timestamp.isdecimal()) or abs(now - int(timestamp)) > tolerance:
        raise InvalidSignature(
            "webhook-timestamp is not of these minutes: check the clock, or somebody repeats an old delivery."
        )


def _has(signatures: list[str], expected: str) -> bool:
    """Return whether ``expected`` is among the signatures, in a time that does not depend on what they are."""
    wanted = expected.encode()
    matches = [hmac.compare_digest(each.encode("utf-8", "surrogatepass"), wanted) for each in signatures]
    return any(matches)


def _key(secret: str) -> bytes:
    """Return the bytes of a signing secret in either form. ValueError: it is neither."""
    text = secret.strip().removeprefix(_STANDARD_PREFIX).rstrip("=").translate(str.maketrans("+/", "-_"))
    try:
        key = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as bad:
        raise ValueError("the secret is neither a signingSecret nor a standardWebhooksSecret") from bad
    if not key:
        raise ValueError("the secret is empty")
    return key


def _event(body: bytes) -> WebhookEvent:
    try:
        return cast(WebhookEvent, json.loads(body))
    except ValueError as bad:
        raise InvalidSignature("The body is signed, but no JSON.") from bad
