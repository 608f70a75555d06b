"""``verify_webhook`` accepts what the service signs, and what the library of Standard Webhooks
signs, and nothing else.
"""

import base64
import email.message
import json
from datetime import UTC, datetime

import httpx
import pytest
import werkzeug.datastructures
from partner_production import InvalidSignature, verify_webhook
from standardwebhooks import Webhook

from svc.base.crypto import signing

NOW = 1_795_262_400
SECRET, OLD = b"s" * 32, b"o" * 32
BODY = json.dumps(
    {"eventId": "e1", "eventType": "production.published", "productionId": "p1"}
).encode()


def headers(secret: bytes = SECRET, at: int = NOW, body: bytes = BODY) -> dict[str, str]:
    """As the service signs a delivery."""
    return {
        "X-SERVICE-Signature": signing.make_service_signature(secret, body),
        "Webhook-Id": "e1",
        "Webhook-Timestamp": str(at),
        "Webhook-Signature": signing.make_standard_signature(secret, "e1", at, body),
    }


FORMS = [
    signing.encode_base64url(SECRET),
    signing.format_standard_secret(SECRET),
    base64.b64encode(SECRET).decode(),
]
SCHEMES = ["standard", "service"]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("secret", FORMS, ids=["signingSecret", "standardWebhooksSecret", "base64"])
def test_a_delivery_of_the_service_is_accepted(secret, scheme):
    assert (
        verify_webhook(BODY, headers(), secret, scheme=scheme, now=NOW)["eventType"]
        == "production.published"
    )


def test_what_the_library_of_standard_webhooks_signs_is_accepted():
    at = datetime.fromtimestamp(NOW, UTC)
    signature = Webhook(signing.format_standard_secret(SECRET)).sign("e1", at, BODY.decode())
    given = {
        "webhook-id": "e1",
        "webhook-timestamp": str(NOW),
        "webhook-signature": f"v1a,other {signature}",
    }
    assert verify_webhook(BODY, given, FORMS[0], now=NOW)["productionId"] == "p1"


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    "body, given, secret",
    [
        (BODY + b" ", headers(), FORMS[0]),
        (BODY, headers(), signing.encode_base64url(b"other" * 7)),
        (BODY, {}, FORMS[0]),
        (BODY, headers(OLD), FORMS[0]),
        (BODY, dict.fromkeys(headers(), "ü�"), FORMS[0]),
        (BODY, headers() | {"X-SERVICE-Signature": "", "Webhook-Signature": ""}, FORMS[0]),
    ],
    ids=["other bytes", "other secret", "no headers", "other signer", "no text", "empty"],
)
def test_anything_else_is_refused(body, given, secret, scheme):
    with pytest.raises(InvalidSignature) as raised:
        verify_webhook(body, given, secret, scheme=scheme, now=NOW)
    is_there = given.get("Webhook-Signature") and given.get("X-SERVICE-Signature")
    assert raised.value.reason == ("mismatch" if is_there else "missing")


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
        "X-SERVICE-Signature-Previous": signing.make_service_signature(OLD, BODY),
        "Webhook-Signature": (
            f"{new['Webhook-Signature']} {signing.make_standard_signature(OLD, 'e1', NOW, BODY)}"
        ),
    }
    for secret in (SECRET, OLD):
        assert verify_webhook(BODY, both, signing.encode_base64url(secret), scheme=scheme, now=NOW)


@pytest.mark.parametrize("secret", ["", "whsec_", "not base64!", "a"])
def test_a_secret_that_is_none_is_said_to_be(secret):
    with pytest.raises(ValueError, match="secret is"):
        verify_webhook(BODY, headers(), secret, now=NOW)


def test_a_signed_body_that_is_no_json_is_refused():
    with pytest.raises(InvalidSignature, match="no JSON"):
        verify_webhook(b"<", headers(body=b"<"), FORMS[0], now=NOW)


def message(given: dict[str, str]) -> email.message.Message:
    made = email.message.Message()
    for name, value in given.items():
        made[name] = value
    return made


class Items:
    """What has ``items`` and is no mapping, as the headers of some frameworks."""

    def items(self):
        return headers().items()


KINDS_OF_HEADERS = {
    "lower": lambda: {name.lower(): value for name, value in headers().items()},
    "Message": lambda: message(headers()),
    "Werkzeug": lambda: werkzeug.datastructures.Headers(headers()),
    "WSGI": lambda: (
        {"wsgi.input": iter([b"body"])}
        | {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers().items()}
    ),
    "EnvironHeaders": lambda: werkzeug.datastructures.EnvironHeaders(
        {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers().items()}
    ),
    "httpx": lambda: httpx.Headers(headers()),
    "pairs": lambda: list(headers().items()),
    "ASGI": lambda: [(name.lower().encode(), value.encode()) for name, value in headers().items()],
    "API Gateway": lambda: {name: [value] for name, value in headers().items()},
    "CloudFront": lambda: {
        name.lower(): [{"key": name, "value": value}] for name, value in headers().items()
    },
    "items": Items,
}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("kind", KINDS_OF_HEADERS)
def test_headers_may_be_of_any_kind(kind, scheme):
    given = KINDS_OF_HEADERS[kind]()
    assert verify_webhook(BODY, given, FORMS[0], scheme=scheme, now=NOW)["eventId"] == "e1"
    if isinstance(given, dict) and "wsgi.input" in given:
        assert list(given["wsgi.input"]) == [b"body"]  # it is not read


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    "body", [BODY.decode(), bytearray(BODY), memoryview(BODY), memoryview(b"x" + BODY)[1:]]
)
def test_the_raw_body_may_be_of_any_kind(body, scheme):
    assert verify_webhook(body, headers(), FORMS[0], scheme=scheme, now=NOW)["eventId"] == "e1"


@pytest.mark.parametrize("body", [json.loads(BODY), [], None, 5])
def test_a_parsed_body_is_told_apart(body):
    with pytest.raises(InvalidSignature, match="this is a parsed body; pass the raw one") as raised:
        verify_webhook(body, headers(), FORMS[0], now=NOW)
    assert raised.value.reason == "parsed_body"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_body_that_was_parsed_and_written_again_is_no_match_and_told_so(scheme):
    with pytest.raises(InvalidSignature, match="parsed and written again") as raised:
        verify_webhook(
            json.dumps(json.loads(BODY), indent=1), headers(), FORMS[0], scheme=scheme, now=NOW
        )
    assert raised.value.reason == "mismatch"


@pytest.mark.parametrize("name", ["Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"])
def test_a_header_that_is_missing_is_named(name):
    given = {each: value for each, value in headers().items() if each != name}
    with pytest.raises(InvalidSignature, match=f"^{name.lower()} is missing") as raised:
        verify_webhook(BODY, given, FORMS[0], now=NOW)
    assert raised.value.reason == "missing"
    with pytest.raises(
        InvalidSignature, match="webhook-signature, webhook-id, webhook-timestamp are missing"
    ):
        verify_webhook(BODY, None, FORMS[0], now=NOW)


def test_too_old_and_too_new_are_told_apart():
    for seconds, reason, told in (
        (301, "too_old", "301 seconds ago"),
        (-301, "too_new", "301 seconds ahead"),
    ):
        with pytest.raises(InvalidSignature, match=told) as raised:
            verify_webhook(BODY, headers(), FORMS[0], now=NOW + seconds)
        assert raised.value.reason == reason


def test_signatures_that_a_server_has_joined_with_commas_are_told_apart():
    both = (
        f"{signing.make_standard_signature(SECRET, 'e1', NOW, BODY)}, "
        f"{signing.make_standard_signature(OLD, 'e1', NOW, BODY)}"
    )
    assert verify_webhook(BODY, headers() | {"Webhook-Signature": both}, FORMS[0], now=NOW)


@pytest.mark.parametrize("body", [b"[]", b"5", b"[" * 100_000])
def test_a_signed_body_that_is_no_object_is_refused(body):
    with pytest.raises(InvalidSignature, match="no JSON") as raised:
        verify_webhook(body, headers(body=body), FORMS[0], now=NOW)
    assert raised.value.reason == "not_json"
