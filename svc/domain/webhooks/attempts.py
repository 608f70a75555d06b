"""What went over the wire for a delivery: its requests, signed as they were sent, and what was kept of their answers."""

import json
from typing import Any

from svc.base import clock
from svc.base.crypto import signing
from svc.base.crypto.signing import KeyRing
from svc.domain import rows
from svc.domain.tables import Delivery, SigningSubscription
from svc.domain.webhooks import signing_secrets
from svc.domain.webhooks.claiming import Claimed
from svc.domain.webhooks.signing_secrets import Secrets
from svc.store import database

USER_AGENT = "Service-Webhooks/1.0"
_ATTEMPTS = "SELECT * FROM attempts WHERE delivery_id = ? ORDER BY id"
_SUBSCRIPTION = "SELECT id, endpoint_url, secret_version, secret_generation FROM subscriptions WHERE id = ?"


def request_headers(ring: KeyRing, sent: Claimed, at: int) -> dict[str, str]:
    """The headers of an attempt at ``at``. Both kinds of signature are over the stored bytes and with the same secret: a
    receiver may check either. While an older secret overlaps, it signs besides."""
    version, generation = sent.secret_version, sent.secret_generation
    return _headers(signing_secrets.in_force(ring, sent.subscription_id, version, generation, sent.older_secrets, at), sent, at)


def _headers(secrets: Secrets, sent: Claimed, at: int) -> dict[str, str]:
    timestamp, signing_with = at // 1000, (secrets.current, *secrets.older)
    standard = [signing.standard_signature(each, sent.event_id, timestamp, sent.body) for each in signing_with]
    headers = {
        "Content-Type": "application/json",
        "User-Agent": USER_AGENT,
        "X-SERVICE-Signature": signing.service_signature(secrets.current, sent.body),
        "webhook-id": sent.event_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(standard),
    }
    if secrets.older:
        older = [signing.service_signature(each, sent.body) for each in secrets.older]
        headers["X-SERVICE-Signature-Previous"] = " ".join(older)
    if sent.possible_duplicate:
        headers["X-SERVICE-Possible-Duplicate"] = "true"
    return headers


def attempts(delivery_id: str) -> list[dict[str, Any]]:
    """The attempts at a delivery as the API shows them, oldest first."""
    return [_view(each) for each in database.rows(_ATTEMPTS, (delivery_id,))]


def whole(ring: KeyRing, delivery: Delivery) -> list[dict[str, Any]]:
    """The attempts at a delivery as :func:`attempts`, each with its ``request``: ``method``, ``url``, ``headers``, ``body``.

    A request is put together again, to the letter, from what it was made of: the bytes, the secret, the time. For the
    operator; scope ``delivery`` to whoever may see it. One that was interrupted may never have been sent.
    """
    subscription = rows.one(SigningSubscription, _SUBSCRIPTION, (delivery["subscription_id"],))
    return [
        _view(each) | {"request": _request(ring, delivery, subscription, each)}
        for each in database.rows(_ATTEMPTS, (delivery["id"],))
    ]


def _request(ring: KeyRing, delivery: Delivery, subscription: SigningSubscription, attempt: database.Row) -> dict[str, Any]:
    sent = Claimed(
        "", delivery["lane"], delivery["id"], subscription["id"], delivery["event_id"], subscription["endpoint_url"],
        subscription["secret_version"], delivery["body"], bool(attempt["possible_duplicate"]), False, 0,
    )  # fmt: skip
    at = attempt["attempted_at"]
    return {
        "method": "POST",
        "url": sent.endpoint_url,
        "headers": _headers_then(ring, subscription, sent, at),
        "body": sent.body.decode(),
    }


def _headers_then(ring: KeyRing, subscription: SigningSubscription, sent: Claimed, at: int) -> dict[str, str]:
    try:
        return _headers(signing_secrets.at(ring, subscription, at), sent, at)
    except KeyError:  # the master key that signed it has been retired: nobody can tell the signatures any more
        headers = _headers(Secrets(b""), sent, at)
        return {name: value for name, value in headers.items() if not name.lower().endswith("-signature")}


def _view(attempt: database.Row) -> dict[str, Any]:
    return {
        "attemptedAt": clock.text(attempt["attempted_at"]),
        "statusCode": attempt["status_code"],
        "error": attempt["error"],
        "durationMs": attempt["duration_ms"],
        "answer": json.loads(attempt["answer"]) if attempt["answer"] else None,
        "findings": _findings(json.loads(attempt["findings"]), attempt["attempted_at"]) if attempt["findings"] else None,
    }


def _findings(found: dict[str, Any], at: int) -> dict[str, Any]:
    """What a ping found out; null where it did not come so far."""
    certificate = found.get("certificate")
    return {
        "addresses": found.get("addresses", []),
        "tlsVersion": found.get("tls_version"),
        "certificate": certificate
        and {
            "subject": certificate["subject"],
            "issuer": certificate["issuer"],
            "names": certificate["names"],
            "expiresAt": clock.text(certificate["expires_at"]),
            "daysLeft": (certificate["expires_at"] - at) // clock.DAY,
        },
        "resolveMs": found.get("resolve_ms"),
        "connectMs": found.get("connect_ms"),
        "tlsMs": found.get("tls_ms"),
        "firstByteMs": found.get("first_byte_ms"),
    }
