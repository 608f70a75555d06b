"""Deliveries: the retry times to the second, the order, suspension, lost claims,
redelivery and replay.
"""

import json
from collections import Counter

import pytest
from support import outbox_fixtures, plain_sql
from support.outbox import DRIVER, NOON, Partner, answer, claim, exhaust, record, states

from svc.adapters import http
from svc.base import errors
from svc.base.clock import HOUR, MINUTE, SECOND
from svc.domain import lanes
from svc.domain.paging import Page
from svc.domain.webhooks import claiming, deliveries, outbox, subscriptions
from svc.domain.webhooks.claiming import Limits
from svc.store import claims
from svc.store.database import db

ALL = Page(100)

partner, subscription = outbox_fixtures.partner, outbox_fixtures.subscription


def sequences(claimed):
    return [json.loads(each.body)["sequenceNumber"] for each in claimed]


def log(partner, subscription, status=None):
    return deliveries.list_page(partner.live, subscription["subscriptionId"], status, ALL)["data"]


def failure_count(partner, subscription):
    return subscriptions.get(partner.live, subscription["subscriptionId"])["failureCount"]


def alerts():
    return [
        (row["name"], row["severity"]) for row in plain_sql.rows("SELECT * FROM alerts ORDER BY id")
    ]


def due_at(now):
    """Whether anything is due at ``now`` and nothing was a millisecond before."""
    assert claim(now - 1) == []
    return claim(now)


def test_a_delivery_that_is_answered_is_finished_and_logged(partner, subscription):
    record(partner.produce())
    answer(claim(NOON), NOON + 7)
    [entry] = log(partner, subscription)
    assert (entry["status"], entry["nextAttemptAt"]) == ("Succeeded", None)
    assert entry["attempts"] == [
        {
            "attemptedAt": "2026-11-21T12:00:00.007Z",
            "statusCode": 200,
            "error": None,
            "durationMs": 1.0,
            "answer": None,
            "findings": None,
        }
    ]
    assert (
        subscriptions.get(partner.live, subscription["subscriptionId"])["lastDeliveryAt"]
        == "2026-11-21T12:00:00.007Z"
    )


def test_retries_come_at_once_then_a_minute_after_f1_then_five_minutes_after_f2(
    partner, subscription
):
    """f1 and f2 are the times of the first and the second failure (docs/decisions.md §7)."""
    record(partner.produce())
    f1 = NOON + 4 * SECOND
    answer(claim(NOON), f1, 500)
    f2 = f1 + 10 * SECOND
    answer(due_at(f1), f2, 503)
    answer(due_at(f1 + MINUTE), f1 + MINUTE + 9 * SECOND, 500)
    answer(due_at(f2 + 5 * MINUTE), f2 + 6 * MINUTE, 404)
    [entry] = log(partner, subscription)
    assert (entry["status"], len(entry["attempts"]), failure_count(partner, subscription)) == (
        "Failed",
        4,
        1,
    )
    assert claim(NOON + 100 * HOUR) == []


@pytest.mark.parametrize("failures", [1, 2, 3])
def test_a_retry_that_succeeds_is_the_last(partner, subscription, failures):
    record(partner.produce())
    for at in (NOON, NOON, NOON + MINUTE)[:failures]:
        answer(claim(at), at, 500)
    answer(claim(NOON + HOUR), NOON + HOUR)
    assert (states(subscription), failure_count(partner, subscription)) == ([(1, "Succeeded")], 0)


def test_within_a_production_the_next_waits_until_the_one_before_is_answered(partner, subscription):
    record(partner.produce(), 3)
    sent = []
    while claimed := claim(NOON):
        sent.append(sequences(claimed))
        assert claim(NOON) == []
        answer(claimed, NOON)
    assert sent == [[1], [2], [3]]


def test_a_failing_delivery_holds_back_its_own_production_until_its_second_retry_has_failed(
    partner, subscription
):
    production = partner.produce()
    record(production, 2)
    for at in (NOON, NOON):
        answer(claim(at), at, 500)
    assert claim(NOON + MINUTE - 1) == []
    record(production)
    third = claim(NOON + MINUTE)
    assert sequences(third) == [1]
    answer(third, NOON + MINUTE + 8 * SECOND, 500)
    second = due_at(NOON + MINUTE + 8 * SECOND)
    assert sequences(second) == [2]
    answer(second, NOON + 2 * MINUTE)
    assert sequences(claim(NOON + 2 * MINUTE)) == [3]
    assert sequences(claim(NOON + 5 * MINUTE)) == [1]


def test_a_failing_delivery_never_holds_back_another_production_or_subscription(
    partner, subscription
):
    other, failing = partner.subscribe(), partner.produce()
    record(failing, 2)
    for _ in range(2):
        answer(
            [
                each
                for each in claim(NOON)
                if each.subscription_id == subscription["subscriptionId"]
            ],
            NOON,
            500,
        )
    with db.transaction():
        # gives back what was claimed for the other one
        outbox.recover(claims.Driver("later"), NOON)
    record(partner.produce())
    due = claim(NOON)
    heard = Counter(each.subscription_id for each in due)
    assert heard == {subscription["subscriptionId"]: 1, other["subscriptionId"]: 2}
    [mine] = [each for each in due if each.subscription_id == subscription["subscriptionId"]]
    assert failing["id"].encode() not in mine.body


def test_the_third_failure_warns_and_the_tenth_suspends(partner, subscription):
    now = NOON
    for number in range(1, 11):
        record(partner.produce(), now=now)
        now = exhaust(now)
        assert failure_count(partner, subscription) == number
        assert subscriptions.get(partner.live, subscription["subscriptionId"])["status"] == (
            "Failed" if number == 10 else "Active"
        )
        assert len(alerts()) == (number >= 3) + (number >= 10)
    assert alerts() == [
        ("WebhookDeliveryFailed", "warning"),
        ("WebhookEndpointUnreachable", "critical"),
    ]


def open_alerts():
    return [
        row["name"]
        for row in plain_sql.rows("SELECT name FROM alerts WHERE closed_at IS NULL ORDER BY id")
    ]


def test_an_endpoint_that_is_well_again_settles_the_warning_about_it_and_no_other(
    partner, subscription
):
    other, now = partner.subscribe(event_types=["production.failed"]), NOON
    for _ in range(3):
        record(partner.produce(), now=now)
        record(partner.produce(), now=now, event_type="production.failed")
        now = exhaust(now)
    assert open_alerts() == ["WebhookDeliveryFailed"] * 2 and len(alerts()) == 2
    record(partner.produce(), now=now)
    answer(claim(now), now)
    [left] = plain_sql.rows("SELECT subject_id FROM alerts WHERE closed_at IS NULL")
    assert left["subject_id"] == other["subscriptionId"]
    subscriptions.delete(partner.live, other["subscriptionId"], now)
    assert open_alerts() == []


def test_a_suspension_is_settled_by_the_reinstatement_and_not_by_an_answer_that_comes_late(
    partner, subscription
):
    first, second = two_in_flight(partner)
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET failing_since = 1")
    answer([first], NOON, 500)
    answer([second], NOON + 1)
    assert open_alerts() == ["WebhookEndpointUnreachable"] and failing_since(subscription) == 1
    subscriptions.reinstate(partner.live, subscription["subscriptionId"], NOON)
    assert open_alerts() == []


def test_one_answer_sets_the_count_back_so_that_only_failures_in_a_row_count(partner, subscription):
    now = NOON
    for _ in range(9):
        record(partner.produce(), now=now)
        now = exhaust(now)
    record(partner.produce(), now=now)
    answer(claim(now), now)
    assert failure_count(partner, subscription) == 0
    record(partner.produce(), now=now)
    exhaust(now)
    assert failure_count(partner, subscription) == 1
    assert Counter(status for _, status in states(subscription)) == {"Failed": 10, "Succeeded": 1}


def two_in_flight(partner):
    """Two claims in flight: when the first fails too, its subscription is suspended."""
    record(partner.produce())
    record(partner.produce())
    first, second = claim(NOON)
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET failure_count = 9")
        plain_sql.execute("UPDATE deliveries SET failures = 3 WHERE id = ?", (first.id,))
    return first, second


def test_an_attempt_in_flight_at_the_suspension_still_lands(partner, subscription):
    first, second = two_in_flight(partner)
    answer([first], NOON, 500)
    assert sorted(status for _, status in states(subscription)) == ["Failed", "Parked"]
    answer([second], NOON + 1)
    assert sorted(status for _, status in states(subscription)) == ["Failed", "Succeeded"]
    assert subscriptions.get(partner.live, subscription["subscriptionId"])["status"] == "Failed"


def test_an_attempt_in_flight_at_the_suspension_that_fails_stays_parked(partner, subscription):
    claimed = two_in_flight(partner)
    answer(claimed, NOON, 500)
    assert sorted(status for _, status in states(subscription)) == ["Failed", "Parked"]
    subscriptions.reinstate(partner.live, subscription["subscriptionId"], NOON)
    assert [each.id for each in claim(NOON)] == [claimed[1].id]


def test_a_deleted_subscription_is_tried_to_the_end_and_never_suspended(partner, subscription):
    for _ in range(12):
        record(partner.produce())
    subscriptions.delete(partner.live, subscription["subscriptionId"], NOON)
    exhaust(NOON)
    assert states(subscription) == [(1, "Failed")] * 12
    assert alerts() == []


@pytest.mark.parametrize(("status", "ends", "count"), [(200, "Succeeded", 0), (500, "Failed", 4)])
def test_a_ping_is_sent_once_and_moves_the_failure_count_only_when_it_is_answered_2xx(
    partner, subscription, status, ends, count
):
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET failure_count = 4")
    subscriptions.ping(partner.live, subscription["subscriptionId"], NOON)
    answer(claim(NOON), NOON, status)
    assert (states(subscription), failure_count(partner, subscription)) == ([(0, ends)], count)
    assert subscriptions.get(partner.live, subscription["subscriptionId"])["lastDeliveryAt"] is None
    assert claim(NOON + HOUR) == []


def failing_since(subscription):
    sql = "SELECT failing_since FROM subscriptions WHERE id = ?"
    return plain_sql.row(sql, (subscription["subscriptionId"],))["failing_since"]


def test_an_endpoint_is_failing_from_its_first_failed_attempt_until_it_takes_something(
    partner, subscription
):
    record(partner.produce())
    answer(claim(NOON), NOON + 1, 500)
    answer(claim(NOON + 1), NOON + 2, 500)
    assert (failing_since(subscription), failure_count(partner, subscription)) == (NOON + 1, 0)
    answer(claim(NOON + MINUTE + 1), NOON + MINUTE + 1)
    assert failing_since(subscription) is None


def test_a_ping_shows_an_endpoint_as_failing_and_as_well_again(partner, subscription):
    for at, status, since in ((NOON, 500, NOON), (NOON + MINUTE, 200, None)):
        subscriptions.ping(partner.live, subscription["subscriptionId"], at)
        answer(claim(at), at, status)
        assert failing_since(subscription) == since


def test_a_reinstated_subscription_is_not_failing_until_something_fails_again(
    partner, subscription
):
    record(partner.produce())
    answer(claim(NOON), NOON, 500)
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET status = 'Failed', failure_count = 10")
    subscriptions.reinstate(partner.live, subscription["subscriptionId"], NOON)
    assert failing_since(subscription) is None


def test_a_claimed_delivery_is_not_claimed_again(partner, subscription):
    record(partner.produce())
    assert len(claim(NOON)) == 1
    assert claim(NOON + HOUR) == []


def test_of_one_subscription_no_more_than_its_share_is_claimed(partner):
    for _ in range(2):
        partner.subscribe()
    for _ in range(5):
        record(partner.produce())
    claimed = claiming.claim(DRIVER, NOON, 0, 100, Limits(3))
    assert sorted(Counter(each.subscription_id for each in claimed).values()) == [3, 3]
    left = dict.fromkeys((each.subscription_id for each in claimed), 0)
    assert claiming.claim(DRIVER, NOON, 0, 100, Limits(3, left)) == []
    left[claimed[0].subscription_id] = 1
    assert [
        each.subscription_id for each in claiming.claim(DRIVER, NOON, 0, 100, Limits(3, left))
    ] == [claimed[0].subscription_id]


def test_of_one_partner_no_more_than_its_share_is_claimed_and_its_rest_hides_nobody_else(partner):
    others = [Partner() for _ in range(2)]
    for each in (partner, partner, partner, *others):
        each.subscribe()
    for each in (partner, *others):
        for _ in range(5):
            record(each.produce())
    claimed = claiming.claim(DRIVER, NOON, 0, 8, Limits(100, of_partner=3))
    assert sorted(Counter(each.partner_id for each in claimed).values()) == [2, 3, 3]
    limits = Limits(100, of_partner=3, left_of_partners={partner.id: 0, others[0].id: -1})
    assert {each.partner_id for each in claiming.claim(DRIVER, NOON, 0, 8, limits)} == {
        others[1].id
    }


def test_a_partner_gets_the_room_that_nobody_else_wants_and_no_more(partner):
    other = Partner()
    for each in (partner, partner, other):
        each.subscribe()
    for each in (partner, partner, partner, partner, other):
        record(each.produce())
    limits = Limits(100, at_once=2)
    assert Counter(each.partner_id for each in claiming.claim(DRIVER, NOON, 0, 4, limits)) == {
        partner.id: 3,
        other.id: 1,
    }
    limits = Limits(100, at_once=2, left_at_once={partner.id: -1})
    assert len(claiming.claim(DRIVER, NOON, 0, 4, limits)) == 4


def test_subscriptions_have_their_turn_in_a_circle(partner):
    made = sorted(partner.subscribe()["subscriptionId"] for _ in range(3))
    record(partner.produce())
    [first] = claiming.claim(DRIVER, NOON, 0, 1, Limits(1))
    [second] = claiming.claim(DRIVER, NOON, 0, 1, Limits(1), after=first.subscription_id)
    [third] = claiming.claim(DRIVER, NOON, 0, 5, Limits(5), after=made[2])
    assert [first.subscription_id, second.subscription_id, third.subscription_id] == made


def test_retries_have_a_lane_and_whatever_else_a_troubled_endpoint_gets_another(
    partner, subscription
):
    record(partner.produce())
    waiting = partner.produce()
    record(waiting)
    answer(claim(NOON)[:1], NOON, 500)
    record(partner.produce())
    assert claim(NOON, lane=lanes.FIRST) == []
    assert claim(NOON, lane=lanes.SLOW) == []  # while the retry is due
    answer(claim(NOON, lane=lanes.RETRIES), NOON)
    assert len(claim(NOON, lane=lanes.SLOW)) == 1
    record(partner.produce())
    assert len(claim(NOON, lane=lanes.FIRST)) == 1


def test_a_retry_that_is_due_goes_before_first_attempts_of_its_subscription_alone(
    partner, subscription
):
    other = partner.subscribe()["subscriptionId"]
    for at in (NOON, NOON):
        record(partner.produce(), now=at)
        answer(claim(at), at, 500)
    record(partner.produce())
    with db.transaction():
        postpone = (
            "UPDATE deliveries SET next_attempt_at = next_attempt_at + 9 WHERE lane = 1 "
            "AND subscription_id = ?"
        )
        plain_sql.execute(postpone, (other,))
    assert {each.subscription_id for each in claim(NOON, lane=lanes.SLOW)} == {other}


def test_a_late_outcome_of_a_lost_claim_is_discarded(partner, subscription):
    record(partner.produce())
    lost = claim(NOON)
    with db.transaction():
        outbox.recover(DRIVER, NOON + MINUTE)
    answer(lost, NOON + MINUTE)
    assert states(subscription) == [(1, "Pending")]
    assert len(log(partner, subscription)[0]["attempts"]) == 1


def test_an_attempt_of_an_earlier_boot_is_recorded_as_interrupted_and_spends_no_retry(
    partner, subscription
):
    record(partner.produce())
    [first] = claim(NOON, driver=claims.Driver("an earlier boot"))
    with db.transaction():
        assert outbox.recover(DRIVER, NOON + 5) == 1
    assert plain_sql.row("SELECT 1 FROM deliveries WHERE claim_token IS NOT NULL") is None
    [again] = claim(NOON + 5)
    assert (first.possible_duplicate, again.possible_duplicate) == (False, True)
    assert (first.event_id, first.body) == (again.event_id, again.body)
    [attempt] = log(partner, subscription)[0]["attempts"]
    assert attempt["attemptedAt"] == "2026-11-21T12:00:00.000Z"
    assert attempt["error"].startswith("interrupted") and attempt["statusCode"] is None
    exhausting = [(again, NOON + 5)]
    while exhausting:
        each, at = exhausting.pop()
        answer([each], at, 500)
        exhausting += [(found, at + 5 * MINUTE) for found in claim(at + 5 * MINUTE)]
    assert len(log(partner, subscription)[0]["attempts"]) == 5


def test_the_fourth_interruption_counts_as_a_failure(partner, subscription):
    record(partner.produce())
    for number in range(4):
        assert len(claim(NOON, driver=claims.Driver(f"boot {number}"))) == 1
        with db.transaction():
            outbox.recover(DRIVER, NOON)
    assert plain_sql.row("SELECT failures FROM deliveries")["failures"] == 1


def test_a_lease_is_longer_than_any_exchange_with_the_wait_for_its_commit():
    assert claiming.LEASE >= 2 * http.SECONDS * SECOND


def test_a_running_claim_of_this_boot_is_left_alone(partner, subscription):
    record(partner.produce())
    claim(NOON)
    with db.transaction():
        assert outbox.recover(DRIVER, NOON + MINUTE - 1) == 0


def test_released_claims_are_due_again_without_a_trace(partner, subscription):
    record(partner.produce())
    claiming.release(claim(NOON))
    [again] = claim(NOON)
    assert not again.possible_duplicate
    assert log(partner, subscription)[0]["attempts"] == []


def test_the_log_can_be_filtered_and_is_hidden_from_strangers(partner, subscription):
    record(partner.produce())
    answer(claim(NOON), NOON)
    record(partner.produce())
    assert [each["status"] for each in log(partner, subscription, "Pending")] == ["Pending"]
    for caller in (Partner().live, partner.test):
        with pytest.raises(errors.NotFound):
            deliveries.list_page(caller, subscription["subscriptionId"], None, ALL)


def test_a_redelivery_goes_out_at_once_with_the_same_event_id_and_holds_nothing_back(
    partner, subscription
):
    production = partner.produce()
    record(production)
    [first] = claim(NOON)
    answer([first], NOON)
    queued = deliveries.redeliver(
        partner.live, subscription["subscriptionId"], first.id, NOON + HOUR
    )
    assert (queued["status"], queued["eventId"]) == ("Pending", first.event_id)
    record(production, now=NOON + HOUR)
    again = claim(NOON + HOUR)
    assert sorted(sequences(again)) == [1, 2]
    assert first.body in [each.body for each in again]


def test_a_redelivery_of_what_is_not_theirs_or_of_a_failed_subscription_is_refused(
    partner, subscription
):
    record(partner.produce())
    [claimed] = claim(NOON)
    answer([claimed], NOON)
    other = partner.subscribe()["subscriptionId"]
    with pytest.raises(errors.NotFound):
        deliveries.redeliver(partner.live, other, claimed.id, NOON)
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET status = 'Failed'")
    with pytest.raises(errors.SubscriptionNotActive):
        deliveries.redeliver(partner.live, subscription["subscriptionId"], claimed.id, NOON)
    with pytest.raises(errors.SubscriptionNotActive):
        deliveries.replay(partner.live, subscription["subscriptionId"], NOON, None, NOON)


def test_a_replay_sends_a_window_again_in_order_with_the_same_event_ids(partner, subscription):
    production = partner.produce()
    record(production, now=NOON)
    record(production, 2, now=NOON + MINUTE)
    record(production, now=NOON + HOUR)
    first = {}
    while claimed := claim(NOON + HOUR):
        first |= {sequences([each])[0]: each.event_id for each in claimed}
        answer(claimed, NOON + HOUR)
    subscription_id, until = subscription["subscriptionId"], NOON + 2 * MINUTE
    assert deliveries.replay(
        partner.live, subscription_id, NOON + MINUTE, until, NOON + 2 * HOUR
    ) == {"queued": 2}
    again = []
    while claimed := claim(NOON + 2 * HOUR):
        again += [(sequences([each])[0], each.event_id) for each in claimed]
        answer(claimed, NOON + 2 * HOUR)
    assert again == [(2, first[2]), (3, first[3])]


def replay(partner, subscription, now, **more):
    return deliveries.replay(partner.live, subscription["subscriptionId"], NOON, None, now, **more)[
        "queued"
    ]


def test_one_replay_of_a_subscription_at_a_time_and_another_one_of_another(partner, subscription):
    other = partner.subscribe()
    for _ in range(3):
        record(partner.produce())
    answer(claim(NOON), NOON)
    assert replay(partner, subscription, NOON) == 3
    with pytest.raises(errors.ReplayInProgress):
        replay(partner, subscription, NOON)
    assert replay(partner, subscription, NOON, missed=True) == 0  # which nothing is multiplied by
    assert replay(partner, other, NOON) == 3
    answer(claim(NOON), NOON + 1)
    assert replay(partner, subscription, NOON + 1) == 3


def test_a_replay_asked_for_again_and_again_sends_each_delivery_once_to_an_endpoint_that_fails(
    partner, subscription
):
    for _ in range(3):
        record(partner.produce())
    answer(claim(NOON), NOON)
    now, posts, queued = NOON + HOUR, 0, 0
    for _ in range(240):  # eight minutes of a request every two seconds
        try:
            queued += replay(partner, subscription, now)
        except errors.ReplayInProgress:
            pass
        due = claim(now)
        answer(due, now, 500)
        posts += len(due)
        now += 2 * SECOND
    # A round of four attempts takes five minutes, and there have been two of them.
    assert (queued, posts) == (6, 3 * 4 + 3 * 3)


def test_a_replay_leaves_alone_what_is_redelivered_and_a_redelivery_what_is_replayed(
    partner, subscription
):
    record(partner.produce())
    [claimed] = claim(NOON)
    answer([claimed], NOON)
    for _ in range(3):
        deliveries.redeliver(partner.live, subscription["subscriptionId"], claimed.id, NOON)
        assert replay(partner, subscription, NOON) == 0
    answer(claim(NOON), NOON)
    assert replay(partner, subscription, NOON) == 1
    deliveries.redeliver(partner.live, subscription["subscriptionId"], claimed.id, NOON)
    assert len(claim(NOON)) == 1


def test_new_events_go_before_a_replay_and_a_replay_that_was_parked_goes_on_after_reinstatement(
    partner, subscription
):
    for _ in range(2):
        record(partner.produce())
    answer(claim(NOON), NOON)
    replay(partner, subscription, NOON)
    record(partner.produce())
    assert [each.lane for each in claim(NOON)] == [lanes.FIRST, lanes.REPLAYS, lanes.REPLAYS]
    with db.transaction():
        outbox.recover(claims.Driver("later"), NOON)
        plain_sql.execute("UPDATE subscriptions SET status = 'Failed', failure_count = 10")
        plain_sql.execute("UPDATE deliveries SET status = 'Parked', next_attempt_at = NULL")
    subscriptions.reinstate(partner.live, subscription["subscriptionId"], NOON)
    with pytest.raises(errors.ReplayInProgress):
        replay(partner, subscription, NOON)
    assert len(claim(NOON)) == 3


def test_a_replay_that_ends_before_it_begins_is_refused(partner, subscription):
    with pytest.raises(errors.InvalidDateFormat):
        deliveries.replay(partner.live, subscription["subscriptionId"], NOON, NOON - 1, NOON)


def test_skipped_deliveries_can_be_replayed_after_reinstatement(partner, subscription):
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET status = 'Failed'")
    record(partner.produce(), 2)
    subscriptions.reinstate(partner.live, subscription["subscriptionId"], NOON)
    assert claim(NOON) == []
    assert deliveries.replay(partner.live, subscription["subscriptionId"], NOON, None, NOON) == {
        "queued": 2
    }
    assert sequences(claim(NOON)) == [1]
