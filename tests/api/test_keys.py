"""Verify and rotate."""

import pytest
from support import plain_sql
from support.cast import body, refused

from svc.domain.access import keys
from svc.store.database import db


def test_the_first_verify_returns_the_key_and_no_later_one(partner):
    first = partner.get("/v1/partners/verify")
    assert body(first)["apiKey"] == partner.key
    assert first.headers["Cache-Control"] == "no-store"
    assert body(partner.get("/v1/partners/verify"))["apiKey"] is None


def test_verify_says_what_the_key_may_do(partner):
    found = body(partner.live().get("/v1/partners/verify"))
    assert found == {
        "partnerId": partner.seeded["partnerId"],
        "partnerName": found["partnerName"],
        "partnerStatus": "Active",
        "tier": "Enterprise",
        "environment": "live",
        "keyName": "Demo live key",
        "keyPrefix": partner.seeded["liveKey"][:15],
        "scopes": None,
        "permittedAccountIds": None,
        "selfServeKeyRotationEnabled": True,
        "selfServeLifecycleEnabled": True,
        "keyExpiresAt": None,
        "allowedRanges": None,
        "limits": {
            "requestsPerMinute": 300,
            "requestsPerDay": None,
            "dailyProductionsPerAccount": None,
        },
        "apiKey": partner.seeded["liveKey"],
    }


@pytest.mark.sqlite("reads the file")
def test_no_key_is_stored(partner, app, tmp_path):
    partner.get("/v1/partners/verify")
    app.extensions["svc"].recorder.stop()
    db.close()  # which brings the WAL home
    stored = b"".join(path.read_bytes() for path in (tmp_path / "data").iterdir() if path.is_file())
    for key in (partner.seeded["liveKey"], partner.seeded["testKey"]):
        assert key[:15].encode() in stored and key.encode() not in stored


@pytest.fixture
def activation(partner, clock):
    with db.transaction():
        return keys.create_activation(
            partner.seeded["partnerId"], "Handed over", clock(), scope_list=["accounts:read"]
        )


def test_an_activation_key_is_spent_by_verify_which_makes_the_live_key(partner, activation):
    answer = partner.get("/v1/partners/verify", key=activation)
    key = body(answer)["apiKey"]
    assert key.startswith("svc_live_") and answer.headers["Cache-Control"] == "no-store"
    found = body(partner.get("/v1/partners/verify", key=key))
    assert (found["keyName"], found["scopes"], found["apiKey"]) == (
        "Handed over",
        ["accounts:read"],
        None,
    )
    refused(partner.get("/v1/partners/verify", key=activation), 401, "UNAUTHORIZED")


def test_an_activation_key_does_nothing_else(partner, activation):
    refused(partner.get("/v1/languages", key=activation), 401, "UNAUTHORIZED")


def test_an_activation_key_ends_after_seven_days(partner, activation, clock):
    clock.tick(7 * 86400)
    refused(partner.get("/v1/partners/verify", key=activation), 401, "UNAUTHORIZED")


def test_a_rotated_key_lives_for_24_hours_more(partner, clock):
    answer = partner.post("/v1/partners/keys/rotate")
    found = body(answer)
    assert answer.headers["Cache-Control"] == "no-store"
    assert found["previousKeyExpiresAt"] == "2026-11-22T12:00:00.000Z"
    assert partner.get("/v1/languages", key=found["apiKey"]).status_code == 200
    clock.tick(86400 - 0.001)
    assert partner.get("/v1/languages").status_code == 200
    clock.tick(0.001)
    refused(partner.get("/v1/languages"), 401, "UNAUTHORIZED")
    assert partner.get("/v1/languages", key=found["apiKey"]).status_code == 200


def test_a_new_key_inherits_scopes_accounts_and_environment(partner):
    with db.transaction():
        plain_sql.execute(
            "UPDATE api_keys SET scopes = ?, permitted_account_ids = ? WHERE environment = 'test'",
            ('["accounts:read"]', f'["{partner.account}"]'),
        )
    new = body(partner.post("/v1/partners/keys/rotate", json={}))["apiKey"]
    found = body(partner.get("/v1/partners/verify", key=new))
    assert (found["scopes"], found["permittedAccountIds"], found["environment"]) == (
        ["accounts:read"],
        [partner.account],
        "test",
    )
    assert [each["accountId"] for each in body(partner.get("/v1/accounts", key=new))["data"]] == [
        partner.account
    ]


def test_a_key_rotates_once(partner):
    partner.post("/v1/partners/keys/rotate")
    refused(partner.post("/v1/partners/keys/rotate"), 409, "KEY_ALREADY_ROTATED")
    assert plain_sql.row("SELECT count(*) FROM api_keys WHERE environment = 'test'")[0] == 2


def test_rotation_needs_the_partner_flag(partner):
    with db.transaction():
        plain_sql.execute("UPDATE partners SET key_rotation = 0")
    refused(partner.post("/v1/partners/keys/rotate"), 403, "SELF_SERVE_DISABLED")


def test_rotation_takes_no_fields(partner):
    refused(partner.post("/v1/partners/keys/rotate", json={"name": "x"}), 400, "INVALID_REQUEST")
    refused(partner.post("/v1/partners/keys/rotate", data="name=x"), 415, "UNSUPPORTED_MEDIA_TYPE")
