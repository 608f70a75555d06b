"""``verify_webhook`` accepts what the service signs, and what the library of Standard Webhooks signs, and nothing else."""

import base64
import json
from datetime import UTC, datetime

import pytest
from partner_production import InvalidSignature, verify_webhook
from standardwebhooks import Webhook

from svc.base.crypto import signing

NOW = 1_795_262_400
SECRET, OLD = b"s" * 32, b"o" * 32
BODY = json.dumps({"eventId": "e1", "eventType": "production.published", "productionId": "p1"}).encode()


def headers(secret: bytes = SECRET, at: int = NOW, body: bytes = BODY) -> dict[str, str]:
    """As the service signs a delivery."""
    return {
        "X-SERVICE-Signature": signing.service_signature(secret, body),
        "Webhook-Id": "e1",
        "Webhook-Timestamp": str(at),
        "Webhook-Signature": signing.standard_signature(secret, "e1", at, body),
    }


FORMS = [signing.base64url(SECRET), signing.standard_secret(SECRET), base64.b64encode(SECRET).decode()]
SCHEMES = ["standard", "service"]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("secret", FORMS, ids=["signingSecret", "standardWebhooksSecret", "base64"])
def test_a_delivery_of_the_service_is_accepted(secret, scheme):
    assert verify_webhook(BODY, headers(), secret, scheme=scheme, now=NOW)["eventType"] == "production.published"


def test_what_the_library_of_standard_webhooks_signs_is_accepted():
    at = datetime.fromtimestamp(NOW, UTC)
    signature = Webhook(signing.standard_secret(SECRET)).sign("e1", at, BODY.decode())
    given = {"webhook-id": "e1", "webhook-timestamp": str(NOW), "webhook-signature": f"v1a,other {signature}"}
    assert verify_webhook(BODY, given, FORMS[0], now=NOW)["productionId"] == "p1"


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    "body, given, secret",
    [
        (BODY + b" ", headers(), FORMS[0]),
        (BODY, headers(), signing.base64url(b"other" * 7)),
        (BODY, {}, FORMS[0]),
        (BODY, headers(OLD), FORMS[0]),
        (BODY, dict.fromkeys(headers(), "ü�"), FORMS[0]),
        (BODY, headers() | {"X-SERVICE-Signature": "", "Webhook-Signature": ""}, FORMS[0]),
    ],
    ids=["other bytes", "other secret", "no headers", "other signer", "no text", "empty"],
)
def test_anything_else_is_refused(body, given, secret, scheme):
    with pytest.raises(InvalidSignature, match="is missing, or not made with this secret"):
        verify_webhook(body, given, secret, scheme=scheme, now=NOW)


@pytest.mark.parametrize("seconds", [-301, 301])
def test_an_old_delivery_is_refused_and_the_tolerance_can_be_given(seconds):
    with pytest.raises(InvalidSignature, match="webhook-timestamp"):
        verify_webhook(BODY, headers(), FORMS[0], now=NOW + seconds)
    assert verify_webhook(BODY, headers(), FORMS[0], now=NOW + seconds, tolerance=302)


def test_an_old_delivery_is_not_accepted_by_leaving_its_time_out():
    alone = {"X-SERVICE-Signature": headers()["X-SERVICE-Signature"]}
    with pytest.raises(InvalidSignature):
        verify_webhook(BODY, alone, FORMS[0], now=NOW)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_while_a_secret_is_rolled_both_verify(scheme):
    new = headers()
    both = new | {
        "X-SERVICE-Signature-Previous": signing.service_signature(OLD, BODY),
        "Webhook-Signature": f"{new['Webhook-Signature']} {signing.standard_signature(OLD, 'e1', NOW, BODY)}",
    }
    for secret in (SECRET, OLD):
        assert verify_webhook(BODY, both, signing.base64url(secret), scheme=scheme, now=NOW)


@pytest.mark.parametrize("secret", ["", "whsec_", "not base64!", "a"])
def test_a_secret_that_is_none_is_said_to_be(secret):
    with pytest.raises(ValueError, match="secret is"):
        verify_webhook(BODY, headers(), secret, now=NOW)


def test_a_signed_body_that_is_no_json_is_refused():
    with pytest.raises(InvalidSignature, match="no JSON"):
        verify_webhook(b"<", headers(body=b"<"), FORMS[0], now=NOW)
