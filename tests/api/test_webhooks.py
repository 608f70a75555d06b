"""Webhook subscriptions over the API."""

import base64
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from support import plain_sql
from support.cast import Person, body, refused
from support.stage import complete_steps, publish_all

from svc.store.database import db

URL = "https://93.184.215.14/hooks"  # an address, so that no name has to be looked up


def register(person, **changes):
    fields = {"endpointUrl": URL, "eventTypes": ["production.queued"], **changes}
    return person.post(
        "/v1/webhooks", json={name: value for name, value in fields.items() if value is not None}
    )


@pytest.fixture
def subscription(partner):
    return body(register(partner))["subscriptionId"]


def set_subscription(**columns):
    with db.transaction():
        for name, value in columns.items():
            plain_sql.execute(f"UPDATE subscriptions SET {name} = ?", (value,))


def test_the_signing_secret_is_shown_on_creation_alone(partner):
    answer = register(partner)
    found = body(answer)
    assert answer.status_code == 201 and answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Location"] == f"/v1/webhooks/{found['subscriptionId']}"
    secret = found.pop("signingSecret")
    assert len(secret) == 43 and found.pop("standardWebhooksSecret").startswith("whsec_")
    assert body(partner.get(answer.headers["Location"])) == found
    assert body(partner.get("/v1/webhooks"))["data"] == [found]
    assert found == {
        "subscriptionId": found["subscriptionId"],
        "endpointUrl": URL,
        "eventTypes": ["production.queued"],
        "accountIds": None,
        "accountScopeId": None,
        "status": "Active",
        "pausedAt": None,
        "failureCount": 0,
        "lastDeliveryAt": None,
        "createdAt": "2026-11-21T12:00:00.000Z",
    }


def test_a_secret_is_rolled_and_the_new_one_is_shown_here_alone(partner):
    registered = body(register(partner))
    path = f"/v1/webhooks/{registered['subscriptionId']}"
    answer = partner.post(f"{path}/secret/roll")
    found = body(answer)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    assert (
        found["previousSecretEndsAt"] == "2026-11-22T12:00:00.000Z"
        and found["signingSecret"] != registered["signingSecret"]
    )
    assert found["standardWebhooksSecret"].startswith("whsec_")
    assert "signingSecret" not in body(partner.get(path))
    for none in (0, 0.0):
        assert (
            body(partner.post(f"{path}/secret/roll", json={"overlapHours": none}))[
                "previousSecretEndsAt"
            ]
            is None
        )
    for bad in (-1, 169, "2", 1.5, None, True):
        answer = partner.post(f"{path}/secret/roll", json={"overlapHours": bad})
        assert "overlapHours" in refused(answer, 400, "INVALID_REQUEST")["fields"]


def test_a_stranger_and_a_key_without_the_scope_roll_nothing(partner, stranger, subscription):
    path = f"/v1/webhooks/{subscription}/secret/roll"
    for person in (stranger, partner.live()):
        refused(person.post(path), 404, "NOT_FOUND")
    with db.transaction():
        plain_sql.execute("UPDATE api_keys SET scopes = '[\"productions:read\"]'")
    refused(partner.post(path), 403, "PERMISSION_DENIED")
    assert plain_sql.row("SELECT secret_generation FROM subscriptions")[0] == 0


@pytest.mark.parametrize("types", [None, []])
def test_event_types_are_required(partner, types):
    refused(register(partner, eventTypes=types), 400, "INVALID_REQUEST")


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"endpointUrl": "http://93.184.215.14/x"}, 422, "HTTPS_REQUIRED"),
        ({"endpointUrl": "ftp://93.184.215.14/x"}, 422, "HTTPS_REQUIRED"),
        ({"endpointUrl": "javascript:alert(1)"}, 422, "HTTPS_REQUIRED"),
        ({"endpointUrl": "https://127.0.0.1/x"}, 422, "INVALID_ENDPOINT_URL"),
        ({"endpointUrl": "https://localhost/x"}, 422, "INVALID_ENDPOINT_URL"),
        ({"endpointUrl": "https://[::1]/x"}, 422, "INVALID_ENDPOINT_URL"),
        ({"endpointUrl": "https://10.0.0.1/x"}, 422, "INVALID_ENDPOINT_URL"),
        ({"endpointUrl": "https://"}, 422, "INVALID_ENDPOINT_URL"),
        ({"endpointUrl": None}, 400, "INVALID_REQUEST"),
        ({"eventTypes": ["production.exploded"]}, 422, "INVALID_EVENT_TYPE"),
        ({"eventTypes": [7]}, 400, "INVALID_REQUEST"),
        ({"accountIds": ["x"]}, 400, "INVALID_REQUEST"),
        ({"colour": "red"}, 400, "INVALID_REQUEST"),
    ],
)
def test_a_bad_registration_is_refused(partner, changes, status, code):
    refused(register(partner, **changes), status, code)
    assert body(partner.get("/v1/webhooks"))["data"] == []


def test_a_partner_whose_names_are_slow_is_refused_at_once_and_another_is_not(
    app, partner, stranger, monkeypatch, shares
):
    shares.set_threads(8)
    slow = [shares.begin_background_work(partner.seeded["partnerId"]) for _ in range(2)]
    resolver = app.extensions["svc"].check_url._resolver
    monkeypatch.setattr(
        resolver, "_look_up", lambda host, seconds, ended: ended() or ["93.184.215.14"]
    )
    found = refused(
        register(partner, endpointUrl="https://slow.example/x"), 429, "RATE_LIMIT_EXCEEDED"
    )
    assert found["retryAfterSeconds"] == 5
    assert register(stranger, endpointUrl="https://slow.example/x").status_code == 201
    assert register(partner).status_code == 201  # an address needs no lookup
    slow[0].end()
    assert register(partner, endpointUrl="https://slow.example/x").status_code == 201


@pytest.mark.parametrize("name", ["webhook.ping", "webhook.test"])
def test_both_names_of_the_ping_event_may_be_subscribed_to(partner, name):
    assert register(partner, eventTypes=[name]).status_code == 201


def test_account_fields_exclude_each_other_and_name_permitted_accounts(partner, stranger):
    mine = partner.account
    assert register(partner, accountIds=[mine]).status_code == 201
    assert register(partner, accountScopeId=mine).status_code == 201
    refused(register(partner, accountIds=[mine], accountScopeId=mine), 400, "INVALID_REQUEST")
    refused(register(partner, accountIds=[mine] * 51), 400, "INVALID_REQUEST")
    for other in (stranger.account, partner.seeded["liveAccountId"]):
        refused(register(partner, accountIds=[other]), 400, "INVALID_REQUEST")
        refused(register(partner, accountScopeId=other), 400, "INVALID_REQUEST")


def test_a_stranger_reaches_no_subscription(partner, stranger, subscription):
    for person in (stranger, partner.live()):
        assert body(person.get("/v1/webhooks"))["data"] == []
        for method, path in (
            ("GET", ""),
            ("DELETE", ""),
            ("POST", "/ping"),
            ("POST", "/reinstate"),
            ("GET", "/deliveries"),
        ):
            refused(person.request(method, f"/v1/webhooks/{subscription}{path}"), 404, "NOT_FOUND")
        refused(
            person.post(
                f"/v1/webhooks/{subscription}/replay", json={"from": "2026-11-21T00:00:00Z"}
            ),
            404,
            "NOT_FOUND",
        )


def test_an_empty_list_of_accounts_is_as_one_that_is_left_out(partner):
    given = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}
    plain = body(partner.post("/v1/webhooks", json=given))
    empty = body(partner.post("/v1/webhooks", json={**given, "accountIds": []}))
    assert empty["accountIds"] is plain["accountIds"] is None
    scoped = body(
        partner.post(
            "/v1/webhooks", json={**given, "accountIds": [], "accountScopeId": partner.account}
        )
    )
    assert (scoped["accountIds"], scoped["accountScopeId"]) == (None, partner.account)
    partner.trigger()
    assert len(plain_sql.rows("SELECT 1 FROM deliveries")) == 3  # all of them hear of it


def test_a_deleted_subscription_is_gone_but_not_removed(partner, subscription):
    answer = partner.delete(f"/v1/webhooks/{subscription}")
    assert (answer.status_code, answer.get_data()) == (204, b"")
    refused(partner.get(f"/v1/webhooks/{subscription}"), 404, "NOT_FOUND")
    refused(partner.delete(f"/v1/webhooks/{subscription}"), 404, "NOT_FOUND")
    assert plain_sql.row("SELECT count(*) FROM subscriptions")[0] == 1


def test_the_hundredth_subscription_is_registered_once(person, app):
    many = person("Enterprise")
    for _ in range(99):
        assert register(many).status_code == 201

    def one(_):
        answer = register(Person(app.test_client(), many.seeded, many.key)).status_code
        return answer

    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(one, range(12)))
    assert (answers.count(201), answers.count(409)) == (1, 11)
    refused(register(many), 409, "SUBSCRIPTION_LIMIT_REACHED")


def test_a_ping_queues_one_test_delivery_and_is_not_in_the_budget(partner, subscription):
    before = int(partner.get("/v1/languages").headers["X-RateLimit-Remaining"])
    answer = partner.post(f"/v1/webhooks/{subscription}/ping")
    found = body(answer)
    assert answer.status_code == 202 and found["eventType"] == "webhook.test"
    assert int(answer.headers["X-RateLimit-Remaining"]) == before
    [delivery] = body(partner.get(f"/v1/webhooks/{subscription}/deliveries"))["data"]
    assert (delivery["eventId"], delivery["sequenceNumber"], delivery["status"]) == (
        found["eventId"],
        0,
        "Pending",
    )


def test_a_ping_carries_the_correlation_id_of_its_request(partner, subscription):
    partner.post(f"/v1/webhooks/{subscription}/ping", headers={"X-Correlation-Id": "the-ping"})
    envelope = json.loads(plain_sql.row("SELECT body FROM deliveries")["body"])
    assert (envelope["eventType"], envelope["correlationId"]) == ("webhook.test", "the-ping")


def test_the_entry_of_a_list_that_is_wrong_is_said_in_a_sentence(partner):
    found = refused(register(partner, eventTypes=["production.queued", 7]), 400, "INVALID_REQUEST")
    assert found["message"] == "eventTypes: Must be a string (entry 2)."


def test_a_subscription_is_changed_paused_and_resumed(partner, subscription):
    path, other = f"/v1/webhooks/{subscription}", "https://93.184.215.14/others"
    assert body(partner.patch(path, json={"endpointUrl": other}))["endpointUrl"] == other
    found = body(partner.patch(path, json={"eventTypes": ["production.failed"]}))
    assert (found["endpointUrl"], found["eventTypes"]) == (other, ["production.failed"])
    assert body(partner.patch(path, json={})) == found == body(partner.get(path))
    assert body(partner.post(f"{path}/pause"))["pausedAt"] == "2026-11-21T12:00:00.000Z"
    assert body(partner.post(f"{path}/resume")) == found


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        ({"endpointUrl": "http://93.184.215.14/"}, 422, "HTTPS_REQUIRED"),
        ({"endpointUrl": "https://10.0.0.1/"}, 422, "INVALID_ENDPOINT_URL"),
        ({"endpointUrl": None}, 400, "INVALID_REQUEST"),
        ({"eventTypes": []}, 400, "INVALID_REQUEST"),
        ({"eventTypes": ["production.eaten"]}, 422, "INVALID_EVENT_TYPE"),
        ({"accountIds": []}, 400, "INVALID_REQUEST"),
    ],
)
def test_a_bad_change_is_refused(partner, subscription, asked, status, code):
    before = body(partner.get(f"/v1/webhooks/{subscription}"))
    refused(partner.patch(f"/v1/webhooks/{subscription}", json=asked), status, code)
    assert body(partner.get(f"/v1/webhooks/{subscription}")) == before


def test_a_stranger_and_a_key_without_the_scope_change_nothing(partner, stranger, subscription):
    path = f"/v1/webhooks/{subscription}"
    for method, where in (("patch", path), ("post", f"{path}/pause"), ("post", f"{path}/resume")):
        refused(
            getattr(stranger, method)(where, json={} if method == "patch" else None),
            404,
            "NOT_FOUND",
        )
    with db.transaction():
        plain_sql.execute("UPDATE api_keys SET scopes = '[\"productions:read\"]'")
    for method, where in (("patch", path), ("post", f"{path}/pause"), ("post", f"{path}/resume")):
        refused(
            getattr(partner, method)(where, json={} if method == "patch" else None),
            403,
            "PERMISSION_DENIED",
        )


def test_a_sample_of_any_event_type_is_sent(partner, subscription):
    found = body(
        partner.post(f"/v1/webhooks/{subscription}/ping", json={"eventType": "deliverable.ready"})
    )
    assert found["eventType"] == "deliverable.ready"
    answer = partner.post(
        f"/v1/webhooks/{subscription}/ping", json={"eventType": "production.eaten"}
    )
    assert "deliverable.ready" in refused(answer, 400, "INVALID_REQUEST")["message"]


def test_a_second_ping_within_a_minute_is_refused(partner, subscription, clock):
    path = f"/v1/webhooks/{subscription}/ping"
    partner.post(path)
    clock.tick(10)
    assert refused(partner.post(path), 429, "RATE_LIMIT_EXCEEDED")["retryAfterSeconds"] == 50
    clock.tick(50)
    assert partner.post(path).status_code == 202


def test_only_an_active_subscription_is_pinged(partner, subscription):
    set_subscription(status="Failed")
    refused(partner.post(f"/v1/webhooks/{subscription}/ping"), 409, "SUBSCRIPTION_NOT_ACTIVE")


def test_only_a_failed_subscription_is_reinstated(partner, subscription):
    path = f"/v1/webhooks/{subscription}/reinstate"
    refused(partner.post(path), 409, "SUBSCRIPTION_NOT_FAILED")
    set_subscription(status="Failed", failure_count=10)
    found = body(partner.post(path))
    assert (found["status"], found["failureCount"]) == ("Active", 0)


def test_reinstatement_needs_the_partner_flag(partner, subscription):
    set_subscription(status="Failed")
    with db.transaction():
        plain_sql.execute("UPDATE partners SET self_lifecycle = 0")
    refused(partner.post(f"/v1/webhooks/{subscription}/reinstate"), 403, "SELF_SERVE_DISABLED")


def test_every_event_is_queued_for_the_subscription_that_hears_it(partner, clock):
    kinds = ["production.queued", "production.published"]
    subscription = body(register(partner, eventTypes=kinds))["subscriptionId"]
    production = body(partner.trigger())["productionId"]
    complete_steps(clock)
    publish_all(clock)
    clock.tick()
    partner.live().trigger()  # another environment: not heard
    found = body(partner.get(f"/v1/webhooks/{subscription}/deliveries"))["data"]
    assert [(each["eventType"], each["sequenceNumber"]) for each in found] == [
        ("production.published", 12),
        ("production.queued", 1),
    ]
    assert {each["productionId"] for each in found} == {production}
    assert body(partner.get(f"/v1/webhooks/{subscription}/deliveries?status=Failed"))["data"] == []
    refused(
        partner.get(f"/v1/webhooks/{subscription}/deliveries?status=Lost"), 400, "INVALID_REQUEST"
    )


def test_a_delivery_is_sent_again_with_the_same_event(partner, clock):
    subscription = body(register(partner))["subscriptionId"]
    partner.trigger()
    path = f"/v1/webhooks/{subscription}/deliveries"
    [delivery] = body(partner.get(path))["data"]
    with db.transaction():
        plain_sql.execute("UPDATE deliveries SET status = 'Succeeded', next_attempt_at = NULL")
    answer = partner.post(f"{path}/{delivery['deliveryId']}/redeliver")
    assert answer.status_code == 202
    assert (body(answer)["status"], body(answer)["eventId"]) == ("Pending", delivery["eventId"])
    refused(partner.post(f"{path}/{subscription}/redeliver"), 404, "NOT_FOUND")


def test_a_period_is_replayed(partner, clock):
    subscription = body(register(partner))["subscriptionId"]
    partner.trigger()
    with db.transaction():
        plain_sql.execute("UPDATE deliveries SET status = 'Skipped', next_attempt_at = NULL")
    clock.tick(60)
    path = f"/v1/webhooks/{subscription}/replay"
    assert body(partner.post(path, json={"from": "2026-11-21T12:00:01Z"})) == {"queued": 0}
    answer = partner.post(path, json={"from": "2026-11-21T11:00:00Z", "to": "2026-11-21T12:00:00Z"})
    assert (answer.status_code, body(answer)) == (202, {"queued": 1})
    since = {"from": "2026-11-21T11:00:00Z"}
    odd = (
        {"until": "x"},
        {"missed": "yes"},
        {"missed": 1},
        {"productionId": 7},
        {"productionId": "x"},
    )
    for bad in ({}, *(since | each for each in odd)):
        refused(partner.post(path, json=bad), 400, "INVALID_REQUEST")
    for ends in ({"to": "2026-11-21T10:59:59Z"}, {"from": "2026-11-21T12:01:01Z"}):
        assert (
            "from"
            in refused(partner.post(path, json=since | ends), 422, "INVALID_DATE_FORMAT")["fields"]
        )
    set_subscription(status="Failed")
    refused(
        partner.post(path, json={"from": "2026-11-21T11:00:00Z"}), 409, "SUBSCRIPTION_NOT_ACTIVE"
    )


def test_a_second_replay_waits_for_the_first(partner, clock):
    subscription = body(register(partner))["subscriptionId"]
    partner.trigger()
    with db.transaction():
        plain_sql.execute("UPDATE deliveries SET status = 'Succeeded', next_attempt_at = NULL")
    path, window = f"/v1/webhooks/{subscription}/replay", {"from": "2026-11-21T11:00:00Z"}
    assert body(partner.post(path, json=window)) == {"queued": 1}
    for _ in range(3):
        refused(partner.post(path, json=window), 409, "REPLAY_IN_PROGRESS")
    with db.transaction():
        plain_sql.execute("UPDATE deliveries SET status = 'Succeeded', next_attempt_at = NULL")
    assert body(partner.post(path, json=window)) == {"queued": 1}


def test_what_arrived_of_a_production_is_reported_with_the_call_that_fills_its_gaps(partner, clock):
    kinds = ["production.queued", "production.published"]
    subscription = body(register(partner, eventTypes=kinds))["subscriptionId"]
    production = body(partner.trigger())["productionId"]
    complete_steps(clock)
    publish_all(clock)
    path = f"/v1/productions/{production}/deliveries"
    assert body(partner.get(path)) == {
        "data": [
            {
                "subscriptionId": subscription,
                "endpointUrl": URL,
                "status": "Active",
                "succeeded": [],
                "pending": [1, 12],
                "failed": [],
                "parked": [],
                "skipped": [],
                "firstGap": None,
                "fill": None,
            }
        ],
        "hasMore": False,
        "nextCursor": None,
    }
    with db.transaction():
        plain_sql.execute(
            "UPDATE deliveries SET status = CASE sequence WHEN 1 THEN 'Skipped' "
            "ELSE 'Succeeded' END, next_attempt_at = NULL"
        )
    [entry] = body(partner.get(path))["data"]
    assert (entry["succeeded"], entry["skipped"], entry["firstGap"]) == ([12], [1], 1)
    fill = entry["fill"]
    answer = partner.request(fill["method"], fill["path"], json=fill["body"])
    assert (answer.status_code, body(answer)) == (202, {"queued": 1})
    assert body(partner.get(path))["data"][0]["pending"] == [1]
    refused(partner.get(f"{path}?limit=0"), 400, "INVALID_REQUEST")


def test_a_stranger_learns_nothing_of_what_arrived(partner, stranger):
    register(partner)
    production = body(partner.trigger())["productionId"]
    path = f"/v1/productions/{production}/deliveries"
    refused(stranger.get(path), 404, "NOT_FOUND")
    refused(partner.live().get(path), 404, "NOT_FOUND")  # another environment
    refused(partner.get(f"/v1/productions/{URL[-5:]}/deliveries"), 404, "NOT_FOUND")
    with db.transaction():
        plain_sql.execute("UPDATE api_keys SET scopes = '[\"productions:read\"]'")
    refused(partner.get(path), 403, "PERMISSION_DENIED")


@pytest.mark.sqlite("reads the file")
def test_a_stolen_database_reveals_no_signing_secret(app, partner, tmp_path):
    registered = body(register(partner))
    partner.trigger()
    partner.post(f"/v1/webhooks/{registered['subscriptionId']}/ping")
    secret = base64.urlsafe_b64decode(registered["signingSecret"] + "=")
    master = bytes.fromhex((tmp_path / "data" / "secret").read_text().strip().partition(":")[2])
    stolen = b"".join(each.read_bytes() for each in sorted((tmp_path / "data").glob("service.db*")))
    assert registered["subscriptionId"].encode() in stolen
    for key in (secret, master):
        spellings = (
            key,
            key.hex().encode(),
            base64.b64encode(key)[:40],
            base64.urlsafe_b64encode(key)[:40],
        )
        assert [each for each in spellings if each in stolen] == []
