"""Changes of a subscription: what waits is sent to the new endpoint,
a pause keeps all deliveries and their order.
"""

import json

import pytest
from support import outbox_fixtures, plain_sql
from support.outbox import NOON, Partner, answer, claim, exhaust, record, states

from svc.base import errors, ids
from svc.base.clock import MINUTE
from svc.domain.monitoring import alerts
from svc.domain.paging import Page
from svc.domain.webhooks import deliveries, endpoint_health, event_types, outbox, subscriptions
from svc.store import claims
from svc.store.database import db

partner, subscription = outbox_fixtures.partner, outbox_fixtures.subscription
NEW = "https://new.example.com/y"


@pytest.fixture
def stranger(partner):
    return Partner()


def changed(partner, subscription, url=None, types=None, check_url=lambda url: None):
    return subscriptions.change(
        partner.live,
        subscription["subscriptionId"],
        endpoint_url=url,
        event_types=types,
        now=NOON,
        check_url=check_url,
    )


def pause(partner, subscription, now=NOON):
    return subscriptions.pause(partner.live, subscription["subscriptionId"], now)


def resume(partner, subscription, now=NOON):
    return subscriptions.resume(partner.live, subscription["subscriptionId"], now)


def column(subscription, name):
    return plain_sql.row(
        f"SELECT {name} FROM subscriptions WHERE id = ?", (subscription["subscriptionId"],)
    )[0]


def test_what_is_queued_goes_to_the_new_endpoint_and_later_events_by_the_new_types(
    partner, subscription
):
    production = partner.produce()
    record(production)
    found = changed(partner, subscription, NEW, ["production.failed", "production.failed"])
    assert (found["endpointUrl"], found["eventTypes"]) == (NEW, ["production.failed"])
    record(production)
    record(production, event_type="production.failed")
    due = claim(NOON)
    assert [each.endpoint_url for each in due] == [NEW]
    answer(due, NOON)
    assert states(subscription) == [(1, "Succeeded"), (3, "Pending")]


def test_a_field_that_is_not_sent_stays(partner, subscription):
    before = subscriptions.get(partner.live, subscription["subscriptionId"])
    assert changed(partner, subscription) == before
    assert (
        changed(partner, subscription, types=["production.failed"])["endpointUrl"]
        == before["endpointUrl"]
    )
    assert changed(partner, subscription, url=NEW)["eventTypes"] == ["production.failed"]


def test_another_endpoint_begins_without_the_failures_of_the_first(partner, subscription):
    now = NOON
    for _ in range(endpoint_health.FAILURES_TO_WARNING):
        record(partner.produce(), now=now)
        now = exhaust(now) + MINUTE
    assert [each["name"] for each in alerts.list_page(Page())["data"]] == [endpoint_health.WARNING]
    changed(partner, subscription, types=["production.queued"])  # the same endpoint
    assert column(subscription, "failure_count") == 3
    assert changed(partner, subscription, NEW)["failureCount"] == 0
    assert (column(subscription, "failing_since"), column(subscription, "troubled")) == (None, 0)
    assert alerts.list_page(Page())["data"] == []


def test_a_suspended_subscription_stays_suspended_with_another_endpoint(partner, subscription):
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET status = 'Failed', failing_since = 1")
    assert changed(partner, subscription, NEW)["status"] == "Failed"
    assert column(subscription, "failing_since") == 1


def test_a_refused_endpoint_changes_nothing(partner, subscription):
    def refuse(url):
        raise errors.InvalidEndpointUrl()

    with pytest.raises(errors.InvalidEndpointUrl):
        changed(partner, subscription, NEW, ["production.failed"], refuse)
    for types, error in (
        ([], errors.InvalidRequest),
        (["production.eaten"], errors.InvalidEventType),
    ):
        with pytest.raises(error):
            changed(partner, subscription, NEW, types)
    found = subscriptions.get(partner.live, subscription["subscriptionId"])
    assert found["endpointUrl"] != NEW and found["eventTypes"] == [
        "production.queued",
        "production.failed",
    ]


def test_a_pause_keeps_what_waits_and_what_happens_and_both_are_sent_in_order(
    partner, subscription
):
    production, other = partner.produce(), partner.subscribe()
    record(production, 2)
    assert pause(partner, subscription)["pausedAt"] == "2026-11-21T12:00:00.000Z"
    record(production)
    assert states(subscription) == [(1, "Parked"), (2, "Parked"), (3, "Parked")]
    assert {each.subscription_id for each in claim(NOON)} == {other["subscriptionId"]}
    # it is paused already
    assert pause(partner, subscription, NOON + MINUTE)["pausedAt"] == "2026-11-21T12:00:00.000Z"
    assert resume(partner, subscription, NOON + MINUTE)["pausedAt"] is None
    for sequence in (1, 2, 3):
        [due] = claim(NOON + MINUTE)
        assert json.loads(due.body)["sequenceNumber"] == sequence
        answer([due], NOON + MINUTE)


def test_an_attempt_under_way_ends_and_its_failure_waits_for_the_end_of_the_pause(
    partner, subscription
):
    production = partner.produce()
    record(production)
    under_way = claim(NOON)
    pause(partner, subscription)
    answer(under_way, NOON, 500)
    assert states(subscription) == [(1, "Parked")] and claim(NOON + 10 * MINUTE) == []
    record(production)
    second = partner.produce()
    resume(partner, subscription, NOON + 10 * MINUTE)
    record(second)
    answer(claim(NOON + 10 * MINUTE), NOON + 10 * MINUTE)
    answer(claim(NOON + 10 * MINUTE), NOON + 10 * MINUTE)
    assert {status for _, status in states(subscription)} == {"Succeeded"}


def test_an_attempt_that_a_crash_interrupted_stays_parked_through_the_pause(partner, subscription):
    record(partner.produce())
    claim(NOON)
    pause(partner, subscription)
    with db.transaction():
        assert outbox.recover(claims.Driver("later"), NOON) == 1
    assert states(subscription) == [(1, "Parked")]
    resume(partner, subscription)
    [again] = claim(NOON)
    assert not again.possible_duplicate or again.failures == 0


def test_a_subscription_that_is_suspended_during_its_pause_needs_both_resumption_and_reinstatement(
    partner, subscription
):
    record(partner.produce())
    pause(partner, subscription)
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET status = 'Failed'")
        record(partner.produce())  # skipped, as at any suspended subscription
        subscriptions.reactivate(subscription["subscriptionId"], NOON)
    assert claim(NOON) == []
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET status = 'Failed'")
    assert resume(partner, subscription)["status"] == "Failed" and claim(NOON) == []
    subscriptions.reactivate(subscription["subscriptionId"], NOON)
    assert len(claim(NOON)) == 1
    assert sorted(status for _, status in states(subscription)) == ["Pending", "Skipped"]


def test_a_paused_subscription_resends_nothing_but_hears_test_events(partner, subscription):
    production = partner.produce()
    record(production)
    answer(claim(NOON), NOON)
    pause(partner, subscription)
    [delivery] = deliveries.list_page(partner.live, subscription["subscriptionId"], None, Page())[
        "data"
    ]
    for again in (
        lambda: deliveries.redeliver(
            partner.live, subscription["subscriptionId"], delivery["deliveryId"], NOON
        ),
        lambda: deliveries.replay(partner.live, subscription["subscriptionId"], 0, None, NOON),
    ):
        with pytest.raises(errors.SubscriptionNotActive, match="paused; resume it first"):
            again()
    subscriptions.ping(partner.live, subscription["subscriptionId"], NOON)
    assert [each.is_ping for each in claim(NOON)] == [True]


def test_what_a_pause_holds_back_is_told_with_the_call_that_sends_it(partner, subscription):
    production = partner.produce()
    pause(partner, subscription)
    record(production)
    [found] = deliveries.report_production(partner.live, production["id"], Page())["data"]
    assert (found["parked"], found["firstGap"]) == ([1], 1)
    assert found["fill"] == {
        "method": "POST",
        "path": f"/v1/webhooks/{subscription['subscriptionId']}/resume",
        "body": None,
    }


@pytest.mark.parametrize("event_type", [*event_types.SAMPLES, "webhook.ping"])
def test_a_sample_of_each_event_type_is_sent_once_and_is_no_failure(
    partner, subscription, event_type
):
    sent = subscriptions.ping(
        partner.live, subscription["subscriptionId"], NOON, event_type=event_type
    )
    [due] = claim(NOON)
    envelope = json.loads(due.body)
    assert (
        envelope["eventType"]
        == sent["eventType"]
        == ("webhook.test" if event_type == "webhook.ping" else event_type)
    )
    assert (envelope["productionId"], envelope["sequenceNumber"], due.is_ping) == (ids.NIL, 0, True)
    answer([due], NOON, 500)
    assert states(subscription) == [(0, "Failed")] and column(subscription, "failure_count") == 0


def test_a_stranger_changes_nothing(partner, stranger, subscription):
    for act in (
        lambda: subscriptions.pause(stranger.live, subscription["subscriptionId"], NOON),
        lambda: subscriptions.resume(stranger.live, subscription["subscriptionId"], NOON),
        lambda: changed(stranger, subscription, NEW),
    ):
        with pytest.raises(errors.NotFound):
            act()
    assert column(subscription, "paused_at") is None


def test_the_signing_secret_stays_the_same_at_another_endpoint(partner, subscription):
    before = column(subscription, "secret_version"), column(subscription, "secret_generation")
    changed(partner, subscription, NEW)
    assert (
        column(subscription, "secret_version"),
        column(subscription, "secret_generation"),
    ) == before
