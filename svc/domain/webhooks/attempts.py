"""The attempts at a delivery: signed request headers, and the log of requests and responses."""

import json
from typing import Any

from svc.base import clock
from svc.base.crypto import signing
from svc.base.crypto.signing import KeyRing
from svc.domain.tables.webhooks import Delivery, SigningSubscription
from svc.domain.webhooks import signing_secrets
from svc.domain.webhooks.claiming import Claimed
from svc.domain.webhooks.signing_secrets import Secrets
from svc.store.database import Row
from svc.store.models.webhooks import Attempt, Subscription
from svc.store.queries import Prepared, slot

USER_AGENT = "Service-Webhooks/1.0"
_ATTEMPTS = Prepared(
    Attempt.select().where(Attempt.delivery_id == slot("delivery_id")).order_by(Attempt.id)
)
_SUBSCRIPTION = Prepared(
    Subscription.select(
        Subscription.id,
        Subscription.endpoint_url,
        Subscription.secret_version,
        Subscription.secret_generation,
    ).where(Subscription.id == slot("id")),
    SigningSubscription,
)


def make_request_headers(ring: KeyRing, claimed: Claimed, at: int) -> dict[str, str]:
    """Return the headers of an attempt at the time ``at``, in milliseconds.

    Both kinds of signature cover the stored bytes and use the same secret, so a receiver may verify
    either. During an overlap the older secrets sign as well.
    """
    version, generation = claimed.secret_version, claimed.secret_generation
    return _make_headers(
        signing_secrets.find_secrets_in_force(
            ring, claimed.subscription_id, version, generation, claimed.older_secrets, at
        ),
        claimed,
        at,
    )


def _make_headers(secrets: Secrets, claimed: Claimed, at: int) -> dict[str, str]:
    timestamp, signing_with = at // 1000, (secrets.current, *secrets.older)
    standard = [
        signing.make_standard_signature(secret, claimed.event_id, timestamp, claimed.body)
        for secret in signing_with
    ]
    headers = {
        "Content-Type": "application/json",
        "User-Agent": USER_AGENT,
        "X-SERVICE-Signature": signing.make_service_signature(secrets.current, claimed.body),
        "webhook-id": claimed.event_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(standard),
    }
    if secrets.older:
        older = [signing.make_service_signature(secret, claimed.body) for secret in secrets.older]
        headers["X-SERVICE-Signature-Previous"] = " ".join(older)
    if claimed.possible_duplicate:
        headers["X-SERVICE-Possible-Duplicate"] = "true"
    return headers


def list_attempts(delivery_id: str) -> list[dict[str, Any]]:
    """Return the attempts at a delivery as in the API, oldest first."""
    return [_represent_attempt(row) for row in _ATTEMPTS.rows(delivery_id=delivery_id)]


def list_attempts_with_requests(ring: KeyRing, delivery: Delivery) -> list[dict[str, Any]]:
    """Return :func:`list_attempts`, each with its ``request``: ``method``, ``url``, ``headers``,
    ``body``.

    A request is rebuilt exactly from the stored bytes, the secret and the time. An interrupted one
    may never have been sent. The caller checks that the viewer may see ``delivery``.
    """
    subscription = _SUBSCRIPTION.one(id=delivery["subscription_id"])
    return [
        _represent_attempt(row) | {"request": _represent_request(ring, delivery, subscription, row)}
        for row in _ATTEMPTS.rows(delivery_id=delivery["id"])
    ]


def _represent_request(
    ring: KeyRing, delivery: Delivery, subscription: SigningSubscription, attempt: Row
) -> dict[str, Any]:
    claimed = Claimed(
        "",
        delivery["lane"],
        delivery["id"],
        subscription["id"],
        delivery["event_id"],
        attempt["endpoint_url"] or subscription["endpoint_url"],
        subscription["secret_version"],
        delivery["body"],
        bool(attempt["possible_duplicate"]),
        False,
        0,
    )
    at = attempt["attempted_at"]
    return {
        "method": "POST",
        "url": claimed.endpoint_url,
        "headers": _represent_headers(ring, subscription, claimed, at),
        "body": claimed.body.decode(),
    }


def _represent_headers(
    ring: KeyRing, subscription: SigningSubscription, claimed: Claimed, at: int
) -> dict[str, str]:
    try:
        return _make_headers(signing_secrets.find_secrets_at(ring, subscription, at), claimed, at)
    except KeyError:
        # the master key that signed it has been retired, so the signatures cannot be computed
        headers = _make_headers(Secrets(b""), claimed, at)
        return {
            name: value
            for name, value in headers.items()
            if not name.lower().endswith("-signature")
        }


def _represent_attempt(attempt: Row) -> dict[str, Any]:
    return {
        "attemptedAt": clock.format_time(attempt["attempted_at"]),
        "statusCode": attempt["status_code"],
        "error": attempt["error"],
        "durationMs": attempt["duration_ms"],
        "answer": json.loads(attempt["answer"]) if attempt["answer"] else None,
        "findings": _list_findings(json.loads(attempt["findings"]), attempt["attempted_at"])
        if attempt["findings"]
        else None,
    }


def _list_findings(findings: dict[str, Any], at: int) -> dict[str, Any]:
    """Return the findings of a ping; null for stages that it did not reach."""
    certificate = findings.get("certificate")
    return {
        "addresses": findings.get("addresses", []),
        "tlsVersion": findings.get("tls_version"),
        "certificate": certificate
        and {
            "subject": certificate["subject"],
            "issuer": certificate["issuer"],
            "names": certificate["names"],
            "expiresAt": clock.format_time(certificate["expires_at"]),
            "daysLeft": (certificate["expires_at"] - at) // clock.DAY,
        },
        "resolveMs": findings.get("resolve_ms"),
        "connectMs": findings.get("connect_ms"),
        "tlsMs": findings.get("tls_ms"),
        "firstByteMs": findings.get("first_byte_ms"),
    }
