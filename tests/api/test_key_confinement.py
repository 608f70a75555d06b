"""A key that is confined to some accounts, and a test key beside live ones,
see nothing of what they may not address.
"""

import json

import pytest
from support import plain_sql
from support.cast import Person, body, refused
from support.outbox import claim
from support.stage import complete_steps

from svc.domain.access import keys
from svc.domain.partners import create as create_partner
from svc.domain.usage import counters
from svc.domain.webhooks import outbox
from svc.domain.webhooks.outbox import Attempt
from svc.store.database import db

URL = "https://93.184.215.14/hooks"
EVENTS = ["production.queued", "production.failed"]


@pytest.fixture
def another(partner, clock) -> str:
    """A second live account of the partner."""
    customer = plain_sql.row(
        "SELECT customer_id FROM accounts WHERE id = ?", (partner.seeded["liveAccountId"],)
    )[0]
    with db.transaction():
        return create_partner.create_account(
            partner.seeded["partnerId"], customer, "Another", clock(), platforms=("Watch",)
        )


@pytest.fixture
def live(partner) -> Person:
    """The partner with a live key that reaches every live account."""
    return partner.live()


@pytest.fixture
def confined(partner, another, clock) -> Person:
    """The partner with a live key that reaches its first account alone."""
    with db.transaction():
        _, key = keys.create(
            partner.seeded["partnerId"],
            "live",
            "Confined",
            clock(),
            permitted=[partner.seeded["liveAccountId"]],
        )
    return Person(partner.client, partner.seeded, key)


def register(who: Person, **changes):
    return who.post("/v1/webhooks", json={"endpointUrl": URL, "eventTypes": EVENTS, **changes})


def hooks(who: Person) -> list[str]:
    return [each["subscriptionId"] for each in body(who.get("/v1/webhooks"))["data"]]


def subscription(who: Person, **changes) -> str:
    return body(register(who, **changes))["subscriptionId"]


def test_a_confined_key_sees_the_subscriptions_that_hear_of_its_accounts_alone(
    live, confined, another, clock
):
    mine = live.seeded["liveAccountId"]
    everything = subscription(live)
    clock.tick()
    both = subscription(live, accountIds=[mine, another])
    seen = [
        subscription(live, accountIds=[mine]),
        subscription(live, accountScopeId=mine),
        subscription(confined),
    ]
    other = subscription(live, accountScopeId=another)
    assert sorted(hooks(confined)) == sorted(seen)
    assert set(hooks(live)) == {everything, both, other, *seen}
    for hidden in (everything, both, other):
        path = f"/v1/webhooks/{hidden}"
        for method, below in (
            ("GET", ""),
            ("DELETE", ""),
            ("GET", "/deliveries"),
            ("POST", "/ping"),
            ("POST", "/reinstate"),
        ):
            refused(confined.request(method, path + below), 404, "NOT_FOUND")
        refused(
            confined.post(f"{path}/replay", json={"from": "2026-11-21T00:00:00Z"}), 404, "NOT_FOUND"
        )
    for shown in seen:
        assert confined.get(f"/v1/webhooks/{shown}/deliveries").status_code == 200


def test_a_delivery_of_a_hidden_subscription_is_not_sent_again(live, confined, another, clock):
    hidden = subscription(live)
    live.trigger(account=another)
    [delivery] = body(live.get(f"/v1/webhooks/{hidden}/deliveries"))["data"]
    path = f"/v1/webhooks/{hidden}/deliveries/{delivery['deliveryId']}/redeliver"
    refused(confined.post(path), 404, "NOT_FOUND")
    assert live.post(path).status_code == 202


def test_a_subscription_of_a_confined_key_hears_no_other_account_not_even_one_that_comes_later(
    live, confined, another, clock
):
    subscription(confined)
    customer = plain_sql.row("SELECT customer_id FROM accounts WHERE id = ?", (another,))[0]
    with db.transaction():
        later = create_partner.create_account(
            live.seeded["partnerId"], customer, "Later", clock(), platforms=("Watch",)
        )
    for account in (another, later):
        assert live.trigger(account=account).status_code == 202
    assert claim(clock()) == []
    assert confined.trigger(account=live.seeded["liveAccountId"]).status_code == 202
    [sent] = claim(clock())
    assert json.loads(sent.body)["accountId"] == live.seeded["liveAccountId"]


def test_the_key_that_a_confined_key_rotates_to_sees_no_more(confined, live, another, clock):
    subscription(live)
    new = body(confined.post("/v1/partners/keys/rotate"))["apiKey"]
    assert hooks(Person(confined.client, confined.seeded, new)) == []


def test_the_report_of_what_arrived_names_no_hidden_subscription(live, confined, clock):
    hidden, shown = (
        subscription(live),
        subscription(live, accountScopeId=live.seeded["liveAccountId"]),
    )
    production = body(live.trigger())["productionId"]
    path = f"/v1/productions/{production}/deliveries"
    assert {each["subscriptionId"] for each in body(live.get(path))["data"]} == {hidden, shown}
    assert [each["subscriptionId"] for each in body(confined.get(path))["data"]] == [shown]


def test_usage_is_of_the_accounts_that_the_key_may_address(partner, live, confined, another):
    mine, sandbox = live.seeded["liveAccountId"], live.seeded["sandboxAccountId"]
    for who, account in ((live, mine), (live, another), (live, another), (partner, sandbox)):
        assert who.trigger(account=account).status_code == 202
    for who, accounts in (
        (live, {mine: 1, another: 2}),
        (confined, {mine: 1}),
        (partner, {sandbox: 1}),
    ):
        [month] = body(who.get("/v1/partner/usage"))["months"]
        assert {
            each["accountId"]: each["productions"]["triggered"] for each in month["byAccount"]
        } == accounts
        assert month["productions"]["triggered"] == sum(accounts.values())


def answers(who: Person) -> dict:
    """The requests and deliveries of this month, without this question."""
    [month] = body(who.get("/v1/partner/usage"))["months"]
    return {**month["requests"], **month["webhookDeliveries"]}


def deliver(production_error: str | None, now: int) -> None:
    outbox.record_outcomes(
        [Attempt(held.id, held.token, now, now, None, production_error, 1.0) for held in claim(now)]
    )


def test_the_usage_of_a_test_key_leaves_out_live_requests_and_deliveries_and_the_reverse(
    partner, live, confined, clock
):
    nothing = {
        "total": 0,
        "status2xx": 0,
        "status4xx": 0,
        "status5xx": 0,
        "rateLimited": 0,
        "succeeded": 0,
        "failed": 0,
    }
    assert answers(partner) == answers(live) == nothing
    subscription(partner), subscription(live), partner.trigger()
    deliver(None, clock())
    refused(partner.get("/v1/accounts/nowhere"), 404, "NOT_FOUND")
    expected = nothing | {"total": 4, "status2xx": 3, "status4xx": 1, "succeeded": 1}
    assert answers(partner) == expected
    assert answers(live) == nothing | {"total": 2, "status2xx": 2}
    assert answers(confined)["total"] == 3 and answers(partner)["total"] == 5
    live.trigger()
    deliver(None, clock())
    assert answers(live)["succeeded"] == answers(partner)["succeeded"] == 1
    whole = counters.report(partner.seeded["partnerId"], "Free", 1, clock())["months"][0]
    assert (
        whole["webhookDeliveries"] == {"succeeded": 2, "failed": 0}
        and whole["requests"]["total"] >= 11
    )


def test_test_keys_of_other_people_have_usage_of_their_own(partner, clock):
    with db.transaction():
        _, key = keys.create(partner.seeded["partnerId"], "test", "Bob's", clock(), creator="bob")
    partner.get("/v1/languages")
    bob = Person(partner.client, partner.seeded, key)
    assert (answers(bob)["total"], answers(partner)["total"], answers(bob)["total"]) == (0, 1, 1)


def paths(who: Person, query: str = "") -> list[str]:
    return [each["path"] for each in body(who.get(f"/v1/partner/requests{query}"))["data"]]


def test_the_history_shows_no_request_of_a_key_that_reaches_more_or_is_of_the_other_environment(
    partner, live, confined, stranger
):
    live.get("/v1/accounts")
    partner.get("/v1/countries")
    confined.get("/v1/languages")
    stranger.live().get("/v1/webhooks")
    assert set(paths(confined)) == {"/v1/languages"}
    assert set(paths(partner)) == {"/v1/countries"}
    assert set(paths(live)) == {"/v1/accounts", "/v1/languages", "/v1/partner/requests"}


def test_the_history_of_errors_is_confined_too(partner, live, confined):
    live.get("/v1/webhooks/x")
    partner.get("/v1/productions/x")
    assert paths(confined, "?status=4") == []
    assert paths(partner, "?status=4") == ["/v1/productions/x"]
    assert paths(live, "?status=4") == ["/v1/webhooks/x"]


def test_the_history_is_found_by_correlation_id_and_confined_likewise(partner, live):
    for who in (live, partner):
        who.get("/v1/accounts", headers={"X-Correlation-Id": "order-1"})
        who.get("/v1/countries", headers={"X-Correlation-Id": "order-2"})
    for who in (live, partner):
        assert paths(who, "?correlationId=order-1") == ["/v1/accounts"]
        assert paths(who, "?correlationId=order-1&status=4") == []
        assert paths(who, "?correlationId=order-1&status=2") == ["/v1/accounts"]
        assert paths(who, "?correlationId=order-3") == []


def test_the_pages_of_a_confined_history_lose_none(live, confined, clock):
    for number in range(7):
        clock.tick()
        (confined if number % 2 else live).get("/v1/countries")
    seen, query = [], "?limit=2"
    while True:
        page = body(confined.get(f"/v1/partner/requests{query}"))
        seen += [each["path"] for each in page["data"]]
        if not page["hasMore"]:
            break
        query = f"?limit=2&cursor={page['nextCursor']}"
    assert seen.count("/v1/countries") == 3


def test_subscriptions_of_the_other_environment_are_hidden(partner, live):
    test, real = subscription(partner), subscription(live)
    assert (hooks(partner), hooks(live)) == ([test], [real])
    refused(live.get(f"/v1/webhooks/{test}"), 404, "NOT_FOUND")
    refused(partner.delete(f"/v1/webhooks/{real}"), 404, "NOT_FOUND")


def feed(who: Person) -> set[str]:
    return {each["productionId"] for each in body(who.get("/v1/events?limit=100"))["data"]}


def test_the_feed_tells_of_the_accounts_that_the_key_may_address(
    partner, live, confined, stranger, another, clock
):
    mine = body(live.trigger())["productionId"]
    other = body(live.trigger(account=another))["productionId"]
    test = body(partner.trigger())["productionId"]
    complete_steps(clock, 2)
    assert (feed(live), feed(confined), feed(partner), feed(stranger)) == (
        {mine, other},
        {mine},
        {test},
        set(),
    )
