"""The report of what arrived of a production, and the calls that it names, which close its gaps."""

import pytest
from support import outbox_fixtures, plain_sql
from support.outbox import NOON, Partner, answer, claim, exhaust, record

from svc.base.clock import DAY, HOUR, MINUTE
from svc.base.errors import ReplayInProgress
from svc.domain.paging import Page, decode
from svc.domain.webhooks import deliveries, subscriptions
from svc.store.database import db

LISTS = ("succeeded", "pending", "failed", "parked", "skipped")

partner, subscription = outbox_fixtures.partner, outbox_fixtures.subscription


def report(partner, production, page=Page(), caller=None):
    return deliveries.report_production(caller or partner.live, production["id"], page)["data"]


def lists(entry):
    return {name: entry[name] for name in LISTS if entry[name]}


def mix(partner) -> dict:
    """A production of which 1 arrived, 2 failed, and 3 happened when the
    subscription had failed.
    """
    production = partner.produce()
    record(production)
    answer(claim(NOON), NOON)
    record(production, now=NOON + MINUTE)
    now = exhaust(NOON + MINUTE)
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET status = 'Failed'")
    record(production, now=now)
    return production


def test_what_arrived_has_no_gap_and_what_is_on_its_way_is_none(partner, subscription):
    production = partner.produce()
    record(production, 3)
    answer(claim(NOON), NOON)
    [entry] = report(partner, production)
    assert entry == {
        "subscriptionId": subscription["subscriptionId"],
        "endpointUrl": subscription["endpointUrl"],
        "status": "Active",
        "succeeded": [1],
        "pending": [2, 3],
        "failed": [],
        "parked": [],
        "skipped": [],
        "firstGap": None,
        "fill": None,
    }


def test_a_gap_of_a_failed_subscription_is_filled_by_its_reinstatement_and_then_by_a_replay(
    partner, subscription
):
    production, now = mix(partner), NOON + HOUR
    path = f"/v1/webhooks/{subscription['subscriptionId']}"
    [entry] = report(partner, production)
    assert lists(entry) == {"succeeded": [1], "failed": [2], "skipped": [3]}
    assert (entry["status"], entry["firstGap"]) == ("Failed", 2)
    assert entry["fill"] == {"method": "POST", "path": f"{path}/reinstate", "body": None}
    subscriptions.reinstate(partner.live, subscription["subscriptionId"], now)
    [entry] = report(partner, production)
    assert entry["fill"] == {
        "method": "POST",
        "path": f"{path}/replay",
        "body": {
            "from": "2026-11-21T12:01:00.000Z",
            "to": "2026-11-21T12:06:00.000Z",
            "productionId": production["id"],
            "missed": True,
        },
    }
    asked = {"production_id": production["id"], "missed": True}
    queued = deliveries.replay(
        partner.live, subscription["subscriptionId"], NOON + MINUTE, NOON + 6 * MINUTE, now, **asked
    )
    assert queued == {"queued": 2}
    while claimed := claim(now):
        answer(claimed, now)
    [entry] = report(partner, production)
    assert (lists(entry), entry["firstGap"], entry["fill"]) == (
        {"succeeded": [1, 2, 3]},
        None,
        None,
    )


def test_what_is_parked_is_a_gap_that_reinstatement_alone_fills(partner, subscription):
    production = partner.produce()
    record(partner.produce())
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET failure_count = 9")
        plain_sql.execute("UPDATE deliveries SET failures = 3")
    record(production, 2)
    answer([each for each in claim(NOON) if production["id"].encode() not in each.body], NOON, 500)
    [entry] = report(partner, production)
    assert (lists(entry), entry["firstGap"]) == ({"parked": [1, 2]}, 1)
    assert entry["fill"]["path"].endswith("/reinstate")
    subscriptions.reinstate(partner.live, subscription["subscriptionId"], NOON)
    [entry] = report(partner, production)
    assert (lists(entry), entry["fill"]) == ({"pending": [1, 2]}, None)


def test_a_replay_of_what_was_missed_of_one_production_sends_nothing_else(partner, subscription):
    first, second = partner.produce(), partner.produce()
    for each in (first, second):
        record(each)
    with db.transaction():
        plain_sql.execute("UPDATE deliveries SET status = 'Failed'")
    record(first)
    with db.transaction():
        plain_sql.execute("UPDATE deliveries SET status = 'Succeeded' WHERE sequence = 2")

    def replay(**which):
        return deliveries.replay(
            partner.live, subscription["subscriptionId"], NOON, NOON, NOON, **which
        )["queued"]

    assert replay(production_id=first["id"], missed=True) == 1
    [again] = claim(NOON)
    assert first["id"].encode() in again.body
    assert replay(production_id=first["id"]) == 1  # the second event, which had arrived
    with pytest.raises(ReplayInProgress):  # while that is being sent
        replay()
    assert replay(missed=True) == 1  # the other production's


def test_only_events_that_a_subscription_heard_are_told_of(partner, subscription):
    production = partner.produce()
    record(production, 2)
    record(production, event_type="production.published")  # not subscribed to
    record(production, event_type="production.failed")
    assert lists(report(partner, production)[0]) == {"pending": [1, 2, 4]}
    assert report(partner, partner.produce()) == []


def test_the_subscriptions_are_paged_newest_first(partner):
    made = [partner.subscribe(now=NOON + number)["subscriptionId"] for number in range(3)]
    production = partner.produce()
    record(production)
    first = deliveries.report_production(partner.live, production["id"], Page(2))
    rest = deliveries.report_production(
        partner.live, production["id"], Page(2, decode(first["nextCursor"]))
    )
    assert [each["subscriptionId"] for each in first["data"] + rest["data"]] == made[::-1]
    assert (first["hasMore"], rest["hasMore"]) == (True, False)


def test_deleted_subscriptions_and_those_of_other_keys_are_not_told_of(partner, subscription):
    production = partner.produce()
    record(production)
    assert (
        report(partner, production, caller=partner.test)
        == report(partner, production, caller=Partner().live)
        == []
    )
    subscriptions.delete(partner.live, subscription["subscriptionId"], NOON)
    assert report(partner, production) == []


def test_what_was_pruned_is_not_told_of(partner, subscription):
    production = partner.produce()
    record(production)
    answer(claim(NOON), NOON)
    assert deliveries.prune(NOON + DAY) == 1
    assert report(partner, production) == []
