"""What only asks changes nothing: every GET, HEAD and OPTIONS of the API,
the console and the public pages.
"""

import re

import pytest
from support import plain_sql
from support.cast import body, refused
from support.stage import complete_steps, make, publish_all

from svc.base.errors import Unauthorized
from svc.domain.access import keys
from svc.domain.people import users
from svc.store.database import db

# What moves with any request: the history, the counters, when a key and a session were last seen.
MOVES = {
    "requests": None,
    "refusals": None,
    "usage_days": None,
    "sandbox_days": None,
    "api_keys": "last_used_at",
    "sessions": "seen_at",
    "auth_failures": None,
    "auth_bursts": None,
    "meta": None,
    "sign_in_tries": None,
    "counters": None,
}
# by GET: it shows a key once, which the specification wants
CHANGES_SOMETHING = {"keys.verify_key"}


def contents() -> dict[str, list]:
    """Every row of every table, without what moves with any request."""
    names = plain_sql.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    found = {}
    for (name,) in names:
        if MOVES.get(name, "") is not None:
            found[name] = [
                {**row, MOVES.get(name, ""): None}
                for row in map(dict, plain_sql.rows(f"SELECT * FROM {name}"))
            ]
    return found


@pytest.fixture
def values(partner, clock, tmp_path) -> dict[str, str]:
    """Something that is there for each identifier of a path."""
    with db.transaction():
        plain_sql.execute("UPDATE api_keys SET scopes = NULL")
    hook = body(
        partner.post(
            "/v1/webhooks",
            json={"endpointUrl": "https://93.184.215.14/x", "eventTypes": ["production.queued"]},
        )
    )["subscriptionId"]
    production = body(partner.trigger())["productionId"]
    file = tmp_path / "data" / "media" / production / "transcript.txt"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"hello")
    complete_steps(clock, made=[make(file=f"{production}/transcript.txt")])
    publish_all(clock)
    delivery = body(partner.get(f"/v1/webhooks/{hook}/deliveries"))["data"][0]["deliveryId"]
    deliverable = body(partner.get(f"/v1/productions/{production}/deliverables"))["data"][0][
        "deliverableId"
    ]
    seeded, token = partner.seeded, users.make_first_operator_link(clock()) or "x"
    customer = plain_sql.row("SELECT customer_id FROM accounts WHERE id = ?", (partner.account,))[0]
    return {
        "account_id": partner.account,
        "production_id": production,
        "subscription_id": hook,
        "delivery_id": delivery,
        "deliverable_id": deliverable,
        "partner_id": seeded["partnerId"],
        "customer_id": customer,
        "avatar_id": seeded["avatarId"],
        "token": token,
        "number": "1",
        "post_id": "post-Watch",
    }


def addresses(app, values: dict[str, str]) -> list[tuple[str, str]]:
    """Every route that takes GET, as endpoint and path."""
    fill = re.compile(r"<(?:\w+:)?(\w+)>")
    return [
        (rule.endpoint, fill.sub(lambda found: values.get(found[1], "x"), rule.rule))
        for rule in app.url_map.iter_rules()
        if "GET" in rule.methods
    ]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_what_only_asks_changes_nothing(app, partner, operator, owner, values, method):
    routes = addresses(app, values)
    assert len(routes) > 60
    before = contents()
    for endpoint, path in routes:
        if method == "GET" and endpoint in CHANGES_SOMETHING:
            continue
        people_who_ask = (
            (partner.request,)
            if path.startswith("/v1/")
            else (operator.client.open, owner.client.open)
        )
        for ask in people_who_ask:
            with ask(method=method, path=path) as answer:
                answer.get_data()
    app.extensions["svc"].recorder.flush()
    after = contents()
    assert [name for name in before if before[name] != after[name]] == []


@pytest.fixture
def activation(partner, clock) -> str:
    with db.transaction():
        return keys.create_activation(partner.seeded["partnerId"], "Handed over", clock())


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS"])
def test_a_one_time_key_is_not_spent_by_a_question_that_cannot_show_the_new_one(
    partner, activation, method
):
    assert partner.request(method, "/v1/partners/verify", key=activation).status_code == 200
    assert partner.request(method, "/v1/partners/verify").status_code == 200
    assert body(partner.get("/v1/partners/verify"))["apiKey"] == partner.key
    assert body(partner.get("/v1/partners/verify", key=activation))["apiKey"].startswith(
        "svc_live_"
    )


@pytest.mark.parametrize("seconds", [0, 1, 60, 14 * 60, 86_400])
def test_a_spent_activation_key_is_refused_at_once_and_for_ever(
    partner, activation, clock, seconds
):
    live = body(partner.get("/v1/partners/verify", key=activation))["apiKey"]
    clock.tick(seconds)
    for method in ("GET", "HEAD", "OPTIONS"):
        assert partner.request(method, "/v1/partners/verify", key=activation).status_code == 401
    assert plain_sql.row("SELECT count(*) FROM api_keys WHERE name = 'Handed over'")[0] == 1
    assert partner.get("/v1/languages", key=live).status_code == 200


def test_of_two_requests_that_spend_an_activation_key_one_gets_the_live_key(
    partner, activation, clock
):
    """Both were authenticated before either has spent it."""
    caller = keys.authenticate(activation, clock(), activation=True)
    assert keys.verify(caller, activation, clock())["apiKey"].startswith("svc_live_")
    with pytest.raises(Unauthorized):
        keys.verify(caller, activation, clock())
    assert plain_sql.row("SELECT count(*) FROM api_keys WHERE name = 'Handed over'")[0] == 1


@pytest.mark.sqlite("reads the file")
def test_the_database_alone_does_not_tell_the_live_key_of_an_activation(partner, activation):
    live = body(partner.get("/v1/partners/verify", key=activation))["apiKey"]
    stored = repr(contents())
    assert live[:15] in stored and live not in stored and activation not in stored


def test_options_with_a_key_is_counted_and_says_what_is_left(partner):
    left = int(partner.get("/v1/languages").headers["X-RateLimit-Remaining"])
    answer = partner.request("OPTIONS", "/v1/webhooks")
    assert (answer.status_code, answer.headers["X-RateLimit-Remaining"]) == (200, str(left - 1))
    assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS", "POST"}
    refused(
        partner.request("OPTIONS", "/v1/webhooks", key="svc_test_" + "a" * 43), 401, "UNAUTHORIZED"
    )


def test_options_without_a_key_is_answered_without_rates(app):
    answer = app.test_client().options("/v1/webhooks")
    assert answer.status_code == 200 and "X-RateLimit-Limit" not in answer.headers
