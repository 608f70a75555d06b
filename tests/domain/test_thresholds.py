"""Subscribers that name the event type hear once when 80 % and 100 % of a limit or a
budget are used.
"""

import json

import pytest
from support import plain_sql
from support.cast import body

from svc.base import clock as wall_clock
from svc.base import ids
from svc.domain.partners import admin as partner_admin
from svc.domain.people import users
from svc.domain.productions import admin as production_admin
from svc.domain.usage.model_costs import Prices
from svc.domain.webhooks import usage_thresholds
from svc.store.database import db

URL = "https://93.184.215.14/hooks"


@pytest.fixture
def live(partner):
    """A partner's live account, and a subscription that names the event."""
    person = partner.live()
    person.post("/v1/webhooks", json={"endpointUrl": URL, "eventTypes": ["usage.threshold"]})
    return person


def set_columns(table: str, owner: str, **columns) -> None:
    with db.transaction():
        for name, value in columns.items():
            plain_sql.execute(f"UPDATE {table} SET {name} = ? WHERE id = ?", (value, owner))


def told() -> list[dict]:
    """The events in the outbox, by their time and their percentage."""
    found = plain_sql.rows("SELECT body FROM deliveries WHERE event_type = 'usage.threshold'")
    events = [json.loads(bytes(row["body"])) for row in found]
    return sorted(events, key=lambda each: (each["timestamp"], each["data"]["percent"]))


def shown() -> list[tuple]:
    return [(each["data"]["limit"], each["data"]["percent"]) for each in told()]


def test_a_budget_is_told_at_80_and_at_100_percent_and_once_each(live, clock):
    set_columns("accounts", live.account, monthly_ceiling=2_500_000)  # five productions at 0.50
    for number, expected in enumerate([0, 0, 0, 1, 2], 1):
        assert live.trigger().status_code == 202
        before = len(told())
        assert usage_thresholds.record_events(clock()) == expected - before
        assert usage_thresholds.record_events(clock()) == 0 and len(told()) == expected, number
    first, second = told()
    assert first["data"] == {
        "limit": "accountBudget",
        "ownerId": live.account,
        "percent": 80,
        "used": 2.0,
        "most": 2.5,
        "period": "2026-11",
    }
    assert (second["data"]["percent"], second["data"]["used"]) == (100, 2.5)
    assert (first["accountId"], first["eventType"]) == (live.account, "usage.threshold")


def test_no_two_events_of_thresholds_are_one_to_a_receiver_and_none_is_a_test_event(live, clock):
    """Receivers keep one event of each production and number (specification, "Idempotency")."""
    for ceiling in (500_000, 499_999):
        set_columns("accounts", live.account, monthly_ceiling=ceiling)
        if ceiling == 500_000:
            live.trigger()
        usage_thresholds.record_events(clock())
    customer = plain_sql.one("SELECT customer_id FROM accounts WHERE id = ?", (live.account,))[0]
    set_columns("customers", customer, monthly_ceiling=500_000)
    usage_thresholds.record_events(clock())
    clock.tick(31 * 86400)
    set_columns("accounts", live.account, monthly_ceiling=500_000)
    live.trigger()
    usage_thresholds.record_events(clock())
    events = told()
    keys = [(each["productionId"], each["sequenceNumber"]) for each in events]
    assert len(set(keys)) == len(keys) == 10
    assert {number for _, number in keys} == {1, 2}
    assert all(ids.NIL not in (each["productionId"], each["accountId"]) for each in events)
    rows = plain_sql.rows(
        "SELECT DISTINCT holds FROM deliveries WHERE event_type = 'usage.threshold'"
    )
    # they are retried and in order, as those of productions
    assert [row["holds"] for row in rows] == [1]


def test_both_are_told_where_one_step_reaches_both(live, clock):
    set_columns("accounts", live.account, monthly_ceiling=500_000)
    live.trigger()
    assert usage_thresholds.record_events(clock()) == 2
    assert shown() == [("accountBudget", 80), ("accountBudget", 100)]


def test_another_ceiling_and_another_month_have_thresholds_of_their_own(live, clock):
    set_columns("accounts", live.account, monthly_ceiling=625_000)
    live.trigger()
    assert usage_thresholds.record_events(clock()) == 1
    set_columns("accounts", live.account, monthly_ceiling=600_000)
    assert usage_thresholds.record_events(clock()) == 1
    clock.tick(31 * 86400)
    assert usage_thresholds.record_events(clock()) == 0  # nothing is spent yet
    set_columns("accounts", live.account, monthly_ceiling=625_000)
    live.trigger()
    assert usage_thresholds.record_events(clock()) == 1 and {
        each["data"]["period"] for each in told()
    } == {
        "2026-11",
        "2026-12",
    }


def test_the_budget_of_a_customer_is_told_with_its_id_as_the_account(live, clock):
    customer = plain_sql.one("SELECT customer_id FROM accounts WHERE id = ?", (live.account,))[0]
    set_columns("customers", customer, monthly_ceiling=500_000)
    live.trigger()
    usage_thresholds.record_events(clock())
    assert shown() == [("customerBudget", 80), ("customerBudget", 100)]
    assert {(each["accountId"], each["data"]["ownerId"]) for each in told()} == {
        (customer, customer)
    }


def test_the_daily_productions_and_requests_of_a_tier_are_told(person, clock, app):
    free = person("Free").live()
    free.post("/v1/webhooks", json={"endpointUrl": URL, "eventTypes": ["usage.threshold"]})
    for _ in range(3):
        assert free.trigger().status_code == 202
    usage_thresholds.record_events(clock())
    assert shown() == [("dailyProductions", 80), ("dailyProductions", 100)]
    partner_id, today = free.seeded["partnerId"], wall_clock.format_day(clock())
    app.extensions["svc"].recorder.flush()  # the requests so far
    with db.transaction():
        plain_sql.execute("DELETE FROM usage_days")
        plain_sql.execute(
            "INSERT INTO usage_days (partner_id, day, counted) VALUES (?, ?, 80)",
            (partner_id, today),
        )
    usage_thresholds.record_events(clock.tick(60))
    data = told()[-1]["data"]
    assert (data["limit"], data["percent"], data["used"], data["most"]) == (
        "dailyRequests",
        80,
        80,
        100,
    )
    assert told()[-1]["accountId"] == free.seeded["partnerId"]


def test_the_daily_productions_of_a_sandbox_are_its_own(person, somebody, app, clock):
    free = person("Free")
    free.post("/v1/webhooks", json={"endpointUrl": URL, "eventTypes": ["usage.threshold"]})
    colleague = users.make_viewer(users.get(somebody("owner", free.seeded["partnerId"]).user_id))
    other = partner_admin.ensure_sandbox(colleague, app.extensions["svc"].platforms, clock())
    for _ in range(2):
        free.trigger()
        production_admin.trigger(colleague, other, free.brief(), clock.tick(1), "c", Prices())
    assert usage_thresholds.record_events(clock()) == 0  # two of three, twice
    free.trigger()
    assert usage_thresholds.record_events(clock()) == 2
    assert shown() == [("dailyProductions", 80), ("dailyProductions", 100)]
    assert {each["accountId"] for each in told()} == {free.account}


def test_what_is_unlimited_is_never_told(partner, clock):
    for _ in range(5):
        partner.trigger()
    assert usage_thresholds.record_events(clock()) == 0


def test_only_subscriptions_that_name_the_event_and_reach_the_account_hear(
    live, partner, stranger, clock
):
    set_columns("accounts", live.account, monthly_ceiling=500_000)
    for person, types in (
        (live, ["production.queued"]),
        (partner, ["usage.threshold"]),
        (stranger, ["usage.threshold"]),
    ):
        assert (
            person.post("/v1/webhooks", json={"endpointUrl": URL, "eventTypes": types}).status_code
            == 201
        )
    live.trigger()
    usage_thresholds.record_events(clock())
    assert len(told()) == 2  # one subscription, twice


def test_old_thresholds_are_removed(live, clock):
    set_columns("accounts", live.account, monthly_ceiling=500_000)
    live.trigger()
    usage_thresholds.record_events(clock())
    usage_thresholds.prune(clock())
    assert plain_sql.one("SELECT count(*) FROM usage_thresholds")[0] == 2
    usage_thresholds.prune(clock.tick(63 * 86400))
    assert plain_sql.one("SELECT count(*) FROM usage_thresholds")[0] == 0


def test_a_sample_of_the_event_can_be_sent(live):
    [subscription] = body(live.get("/v1/webhooks"))["data"]
    url = f"/v1/webhooks/{subscription['subscriptionId']}/ping"
    assert live.post(url, json={"eventType": "usage.threshold"}).status_code in (200, 202)
    assert told()[0]["data"]["limit"] == "accountBudget"
