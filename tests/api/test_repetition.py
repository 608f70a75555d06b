"""Idempotency-Key on rotation, webhooks, redelivery and replay: a lost answer is given again,
with the secret in it.
"""

import pytest
from support import plain_sql
from support.cast import Person, body, refused

from svc.domain.access import idempotency
from svc.domain.webhooks import subscriptions
from svc.store.database import db

ONCE = {"Idempotency-Key": "0190b6a5-7c1e-7d3a-9f7e-3c5b8a1d2e4f"}
HOOK = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}
ROTATE = "/v1/partners/keys/rotate"


def test_a_rotation_whose_answer_was_lost_is_answered_again_to_the_old_key(partner):
    first = partner.post(ROTATE, headers=ONCE)
    again = partner.post(ROTATE, headers=ONCE, json={})
    assert (again.status_code, body(again)) == (200, body(first))
    assert (
        again.headers["Idempotent-Replayed"] == "true"
        and "Idempotent-Replayed" not in first.headers
    )
    assert again.headers["Cache-Control"] == "no-store"
    assert partner.get("/v1/languages", key=body(again)["apiKey"]).status_code == 200
    assert plain_sql.row("SELECT count(*) FROM api_keys WHERE environment = 'test'")[0] == 2
    refused(partner.post(ROTATE), 409, "KEY_ALREADY_ROTATED")
    refused(
        partner.post(ROTATE, headers={"Idempotency-Key": "another"}), 409, "KEY_ALREADY_ROTATED"
    )


def test_a_repeated_rotation_with_another_key_is_refused(partner):
    new = body(partner.post(ROTATE, headers=ONCE))["apiKey"]
    refused(partner.post(ROTATE, headers=ONCE, key=new), 422, "IDEMPOTENCY_KEY_REUSED")
    # live keys have a namespace of their own
    assert partner.live().post(ROTATE, headers=ONCE).status_code == 200


def test_a_rotation_is_answered_again_after_rotation_was_disabled_and_not_to_a_revoked_key(partner):
    first = body(partner.post(ROTATE, headers=ONCE))
    with db.transaction():
        plain_sql.execute("UPDATE partners SET key_rotation = 0")
    assert body(partner.post(ROTATE, headers=ONCE)) == first
    with db.transaction():
        plain_sql.execute("UPDATE api_keys SET revoked_at = 1")
    refused(partner.post(ROTATE, headers=ONCE), 401, "UNAUTHORIZED")


def test_a_rotation_that_was_refused_leaves_the_idempotency_key_free(partner):
    with db.transaction():
        plain_sql.execute("UPDATE partners SET key_rotation = 0")
    refused(partner.post(ROTATE, headers=ONCE), 403, "SELF_SERVE_DISABLED")
    with db.transaction():
        plain_sql.execute("UPDATE partners SET key_rotation = 1")
    assert partner.post(ROTATE, headers=ONCE).status_code == 200


def test_a_registration_is_answered_again_with_its_secret(partner):
    first = partner.post("/v1/webhooks", json=HOOK, headers=ONCE)
    again = partner.post("/v1/webhooks", json=HOOK, headers=ONCE)
    assert (again.status_code, body(again), again.headers["Location"]) == (
        201,
        body(first),
        first.headers["Location"],
    )
    assert (
        again.headers["Idempotent-Replayed"] == "true"
        and again.headers["Cache-Control"] == "no-store"
    )
    assert len(body(partner.get("/v1/webhooks"))["data"]) == 1
    refused(
        partner.post(
            "/v1/webhooks", json={**HOOK, "eventTypes": ["production.failed"]}, headers=ONCE
        ),
        422,
        "IDEMPOTENCY_KEY_REUSED",
    )


def test_a_registration_is_answered_again_when_there_is_no_room_any_more(partner, monkeypatch):
    first = partner.post("/v1/webhooks", json=HOOK, headers=ONCE)
    monkeypatch.setattr(subscriptions, "MOST_ACTIVE", 1)
    assert body(partner.post("/v1/webhooks", json=HOOK, headers=ONCE)) == body(first)
    refused(partner.post("/v1/webhooks", json=HOOK), 409, "SUBSCRIPTION_LIMIT_REACHED")


@pytest.fixture
def delivery(partner) -> tuple[str, str]:
    subscription = body(partner.post("/v1/webhooks", json=HOOK))["subscriptionId"]
    partner.trigger()
    [found] = body(partner.get(f"/v1/webhooks/{subscription}/deliveries"))["data"]
    with db.transaction():
        plain_sql.execute("UPDATE deliveries SET status = 'Succeeded', next_attempt_at = NULL")
    return subscription, found["deliveryId"]


@pytest.mark.parametrize("what", ["redeliver", "replay"])
def test_what_is_sent_again_is_sent_again_once(partner, delivery, what):
    subscription, one = delivery
    path = f"/v1/webhooks/{subscription}" + (
        f"/deliveries/{one}/redeliver" if what == "redeliver" else "/replay"
    )
    window = None if what == "redeliver" else {"from": "2026-11-21T00:00:00Z"}
    first = partner.post(path, headers=ONCE, json=window)
    with db.transaction():
        plain_sql.execute("UPDATE deliveries SET status = 'Succeeded', next_attempt_at = NULL")
    again = partner.post(path, headers=ONCE, json=window)
    assert (again.status_code, body(again), again.headers["Idempotent-Replayed"]) == (
        202,
        body(first),
        "true",
    )
    assert plain_sql.row("SELECT status FROM deliveries")[0] == "Succeeded"
    if window:
        other = {"from": "2026-11-20T00:00:00Z"}
        refused(partner.post(path, headers=ONCE, json=other), 422, "IDEMPOTENCY_KEY_REUSED")


def test_one_idempotency_key_is_for_one_operation(partner):
    assert partner.trigger(headers=ONCE).status_code == 202
    refused(partner.post(ROTATE, headers=ONCE), 422, "IDEMPOTENCY_KEY_REUSED")
    other = {"Idempotency-Key": "other"}
    assert partner.post("/v1/webhooks", json=HOOK, headers=other).status_code == 201
    refused(partner.trigger(headers=other), 422, "IDEMPOTENCY_KEY_REUSED")


def test_a_repetition_while_the_first_is_being_answered_is_refused(partner):
    creator = plain_sql.one("SELECT creator FROM api_keys WHERE environment = 'test'")[0]
    with idempotency.lock_key(
        partner.seeded["partnerId"],
        idempotency.make_stored_key("test", creator, ONCE["Idempotency-Key"]),
    ):
        refused(partner.post(ROTATE, headers=ONCE), 409, "REQUEST_IN_PROGRESS")
    assert partner.post(ROTATE, headers=ONCE).status_code == 200


def test_answers_are_forgotten_after_24_hours(partner, clock):
    first = body(partner.post("/v1/webhooks", json=HOOK, headers=ONCE))
    clock.tick(24 * 3600)
    assert (
        body(partner.post("/v1/webhooks", json=HOOK, headers=ONCE))["subscriptionId"]
        != first["subscriptionId"]
    )


def test_the_keys_of_partners_are_their_own(partner, stranger):
    mine = body(partner.post("/v1/webhooks", json=HOOK, headers=ONCE))
    theirs = body(stranger.post("/v1/webhooks", json=HOOK, headers=ONCE))
    assert mine["signingSecret"] != theirs["signingSecret"]


def test_nothing_secret_can_be_read_in_the_database(partner, app, tmp_path):
    new = body(partner.post(ROTATE, headers=ONCE))["apiKey"]
    secret = body(
        Person(partner.client, partner.seeded, new).post(
            "/v1/webhooks", json=HOOK, headers={"Idempotency-Key": "hook"}
        )
    )["signingSecret"]
    app.extensions["svc"].recorder.stop()
    db.close()
    stored = b"".join(path.read_bytes() for path in (tmp_path / "data").iterdir() if path.is_file())
    for each in (new, secret, partner.key):
        assert each.encode() not in stored


def test_without_the_master_key_or_with_another_api_key_the_answer_cannot_be_read(partner, app):
    partner.post(ROTATE, headers=ONCE)
    app.extensions["svc"].ring._keys = {1: bytes(32)}
    refused(partner.post(ROTATE, headers=ONCE), 422, "IDEMPOTENCY_KEY_REUSED")


def test_a_malformed_idempotency_key_is_refused(partner):
    refused(partner.post(ROTATE, headers={"Idempotency-Key": "a b"}), 400, "INVALID_REQUEST")
    assert plain_sql.row("SELECT count(*) FROM api_keys WHERE environment = 'test'")[0] == 1


@pytest.mark.parametrize(
    "act",
    [
        lambda person, key: person.trigger(headers=key),
        lambda person, key: person.post("/v1/webhooks", json=HOOK, headers=key),
        lambda person, key: person.post(
            f"/v1/accounts/{person.account}/batches", json={"items": [person.brief()]}, headers=key
        ),
        lambda person, key: person.post(ROTATE, headers=key),
    ],
    ids=["trigger", "webhook", "batch", "rotation"],
)
def test_live_and_test_keys_have_namespaces_of_their_own(partner, act):
    first = act(partner, ONCE)
    live = act(partner.live(), ONCE)
    assert (first.status_code, live.status_code) == (
        first.status_code,
        first.status_code,
    ) and first.status_code < 300
    assert body(first) != body(live) and "Idempotent-Replayed" not in live.headers
    for person, earlier in ((partner, first), (partner.live(), live)):
        again = act(person, ONCE)
        assert again.headers["Idempotent-Replayed"] == "true" and body(again) == body(earlier)


def test_the_test_keys_of_two_sandboxes_have_namespaces_of_their_own():
    ada, bob = (idempotency.make_stored_key("test", creator, "k") for creator in ("ada", "bob"))
    assert len({ada, bob, idempotency.make_stored_key("live", None, "k"), "k"}) == 3
    assert (
        idempotency.make_stored_key("sandbox", "ada", "k") == ada
        and idempotency.make_stored_key("test", "ada", None) is None
    )
