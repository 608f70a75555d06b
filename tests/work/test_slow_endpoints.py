"""Slow but healthy endpoints: they are sent as many requests at once as they can take,
and others do not notice it.
"""

import itertools
import json
from collections import Counter

import pytest
from support import outbox_fixtures, plain_sql
from support.outbox import NOON, Partner, record, states
from support.sampling import sampled
from support.simulated_sending import TIMEOUT, World

from svc.base.clock import SECOND
from svc.domain import lanes, retry_schedule
from svc.domain.webhooks import endpoint_health, outbox, subscriptions
from svc.domain.webhooks.claiming import Claimed
from svc.store import claims
from svc.store.database import db
from svc.work.delivery import endpoint_capacity, requests_in_flight
from svc.work.delivery.endpoint_capacity import FEW, EndpointCapacity

TEN = 10 * SECOND
MACHINES = tuple(claims.Driver(f"{name}:1", f"{name}:") for name in ("one", "two", "three"))

partner = outbox_fixtures.partner


def key(subscription: dict) -> str:
    return subscription["subscriptionId"]


def troubled(*subscriptions: dict) -> None:
    """Let the last answers of endpoints have been slow, as after a restart of the sender."""
    with db.transaction():
        for each in subscriptions:
            endpoint_health.mark_troubled(key(each))


def attempts_of(subscription: dict) -> list:
    sql = """SELECT d.id, d.first_failed_at, d.second_failed_at, t.attempted_at, t.error
             FROM attempts t JOIN deliveries d ON d.id = t.delivery_id WHERE d.subscription_id = ?
             ORDER BY t.id"""
    return plain_sql.rows(sql, (key(subscription),))


@pytest.mark.parametrize(
    "drivers, known_as_slow", sampled(itertools.product([MACHINES[:1], MACHINES], [False, True]), 2)
)
def test_an_endpoint_that_answers_after_ten_seconds_gets_two_events_a_second_in_time(
    partner, monkeypatch, known_as_slow, drivers
):
    slow, quick = partner.subscribe(), Partner()
    good = quick.subscribe()
    if known_as_slow:
        troubled(slow)
    world = World(monkeypatch, lambda one: TEN if one.subscription_id == key(slow) else 20, drivers)
    world.events(partner, SECOND // 2, 120)
    world.events(quick, SECOND, 60)
    world.until(NOON + 75 * SECOND)
    assert len(world.lateness(key(slow))) == 120
    assert max(world.lateness(key(slow))) < 15 * SECOND
    assert max(world.lateness(key(slow))[-20:]) < SECOND  # it has caught up
    assert max(world.lateness(key(good))) <= 100
    assert world.most_in_flight[key(slow)] <= requests_in_flight.MOST_OPENINGS


def test_an_endpoint_that_is_neither_slow_nor_quick_gets_what_it_can_take(partner, monkeypatch):
    subscription = partner.subscribe()
    world = World(monkeypatch, lambda one: 1500)
    world.events(partner, 50, 200)  # twenty a second: thirty in flight, of which it got sixteen
    world.until(NOON + 15 * SECOND)
    assert max(world.lateness(key(subscription))) < 3 * SECOND
    assert max(world.lateness(key(subscription))[-20:]) <= 100


def test_retries_at_a_slow_endpoint_are_sent_when_they_are_due(partner, monkeypatch):
    subscription, seen = partner.subscribe(), Counter()

    def took(one):
        seen[one.id] += 1
        is_fourth = list(seen).index(one.id) % 4 == 0  # by their order: ids are random
        fails = seen[one.id] <= 2 and is_fourth
        return (TEN, 500 if fails else 200)

    world = World(monkeypatch, took)
    world.events(partner, SECOND // 2, 90)
    world.until(NOON + 140 * SECOND)
    assert max(world.lateness(key(subscription))) < 15 * SECOND
    number, late = Counter(), []
    for row in attempts_of(subscription):
        number[row["id"]] += 1
        if number[row["id"]] > 1:
            counted_from, delay = retry_schedule.DELIVERY_RETRIES[number[row["id"]] - 1]
            late.append(row["attempted_at"] - row[counted_from] - delay)
    assert len(late) > 30
    assert max(late) <= SECOND
    assert {status for _, status in states(subscription)} == {"Succeeded"}


def test_an_endpoint_that_answers_one_request_after_another_gets_so_few_that_none_times_out(
    partner, monkeypatch
):
    subscription, ends = partner.subscribe(), [NOON]
    troubled(subscription)
    world = World(
        monkeypatch,
        lambda one: ends.append(max(ends[-1], world.now) + SECOND) or ends[-1] - world.now,
    )
    world.events(partner, SECOND // 10, 300)  # ten times as many as it can take
    world.until(NOON + 120 * SECOND)
    assert [row["error"] for row in attempts_of(subscription)] == [None] * len(
        attempts_of(subscription)
    )
    assert len(attempts_of(subscription)) >= 115  # it is never idle
    assert world.most_in_flight[key(subscription)] < 15


def test_an_endpoint_that_refuses_what_is_too_much_gets_what_it_takes(partner, monkeypatch):
    subscription = partner.subscribe()

    def took(one):
        return (TEN, 200) if world.in_flight[key(subscription)] <= 20 else (50, 503)

    world = World(monkeypatch, took)
    world.events(partner, SECOND * 2 // 3, 150)  # fifteen in flight
    world.until(NOON + 110 * SECOND)
    errors = [row for row in attempts_of(subscription) if row["error"]]
    assert len(errors) <= 15
    assert max(world.lateness(key(subscription))) < 15 * SECOND


def test_events_of_a_production_stay_in_order_however_many_are_in_flight(partner, monkeypatch):
    subscription, came = partner.subscribe(), {}

    def took(one):
        envelope = json.loads(one.body)
        came.setdefault(envelope["productionId"], []).append(envelope["sequenceNumber"])
        return TEN - 100 * (len(came) % 50)

    world = World(monkeypatch, took)
    for _ in range(40):
        record(partner.produce(), 3)
    world.dispatch()
    world.until(NOON + 60 * SECOND)
    assert world.most_in_flight[key(subscription)] >= 30
    assert list(came.values()) == [[1, 2, 3]] * 40


@pytest.mark.parametrize("answers_after", sampled([TEN, TIMEOUT, 150], 3))
def test_a_partner_with_many_slow_endpoints_does_not_take_the_sender_from_others(
    partner, monkeypatch, answers_after
):
    hostile, other = [partner.subscribe() for _ in range(60)], Partner()
    good, retried = other.subscribe(), Partner()
    unwell = retried.subscribe()
    theirs = {key(each) for each in hostile}
    most = Counter()

    def took(one):
        held = sum(world.in_flight[each] for each in theirs)
        most["theirs"] = max(most["theirs"], held)
        return (
            answers_after
            if one.subscription_id in theirs
            else (20, 500 if one.subscription_id == key(unwell) else 200)
        )

    world = World(monkeypatch, took)
    for _ in range(4):
        record(partner.produce())  # for each of them
    with db.transaction():
        plain_sql.execute(
            "UPDATE deliveries SET lane = ? WHERE id < (SELECT max(id) FROM deliveries)",
            (lanes.SLOW,),
        )
    world.dispatch()
    world.events(other, SECOND, 8)
    world.events(retried, SECOND, 8)
    world.until(NOON + 9 * SECOND)
    assert max(world.lateness(key(good))) <= 200
    assert max(world.lateness(key(unwell))) <= 200
    assert max(retries_late(unwell)) <= SECOND
    assert (
        most["theirs"]
        <= requests_in_flight.WAITING // 2 + (32 + requests_in_flight.WAITING_FIRST) // 2
    )


def retries_late(subscription: dict) -> list[int]:
    number, late = Counter(), []
    for row in attempts_of(subscription):
        number[row["id"]] += 1
        if number[row["id"]] > 1:
            counted_from, delay = retry_schedule.DELIVERY_RETRIES[number[row["id"]] - 1]
            late.append(row["attempted_at"] - row[counted_from] - delay)
    return late


def test_what_is_in_flight_at_a_pause_ends_and_the_rest_waits_and_is_sent_in_order_after_it(
    partner, monkeypatch
):
    subscription = partner.subscribe()
    world = World(monkeypatch, lambda one: TEN)
    world.events(partner, SECOND // 2, 40)
    world.at(
        NOON + 15 * SECOND, lambda: subscriptions.pause(partner.live, key(subscription), world.now)
    )
    world.until(NOON + 30 * SECOND)
    before = len(attempts_of(subscription))
    assert world.in_flight[key(subscription)] == 0
    assert Counter(status for _, status in states(subscription)) == {
        "Succeeded": before,
        "Parked": 40 - before,
    }
    assert 20 < before < 40
    subscriptions.resume(partner.live, key(subscription), world.now)
    world.until(NOON + 60 * SECOND)
    assert Counter(status for _, status in states(subscription)) == {"Succeeded": 40}
    assert len(attempts_of(subscription)) == 40  # nothing twice


def test_a_deleted_slow_subscription_gets_what_was_queued_before(partner, monkeypatch):
    subscription = partner.subscribe()
    world = World(monkeypatch, lambda one: TEN)
    world.events(partner, 100, 60)
    world.at(
        NOON + 6 * SECOND, lambda: subscriptions.delete(partner.live, key(subscription), world.now)
    )
    world.until(NOON + 60 * SECOND)
    assert Counter(status for _, status in states(subscription)) == {"Succeeded": 60}
    assert len(attempts_of(subscription)) == 60


def test_a_sender_that_is_killed_with_many_in_flight_loses_nothing_and_sends_each_once_more(
    partner, monkeypatch
):
    subscription = partner.subscribe()
    killed = World(monkeypatch, lambda one: TEN)
    killed.events(partner, SECOND // 2, 80)
    killed.until(NOON + 35 * SECOND)
    in_flight = killed.in_flight[key(subscription)]
    assert in_flight >= 20
    heir = World(monkeypatch, lambda one: TEN, [claims.Driver("the next boot")])
    heir.now = killed.now
    with db.transaction():
        assert outbox.recover(claims.Driver("the next boot"), heir.now) == in_flight
    heir.until(NOON + 80 * SECOND)
    assert Counter(status for _, status in states(subscription)) == {
        "Succeeded": len(states(subscription))
    }
    sent = Counter(row["id"] for row in attempts_of(subscription))
    assert Counter(sent.values()) == {1: len(sent) - in_flight, 2: in_flight}


def test_an_endpoint_that_is_put_in_the_place_of_another_begins_with_few(partner, monkeypatch):
    subscription = partner.subscribe()
    world = World(monkeypatch, lambda one: TEN)
    world.events(partner, SECOND // 4, 100)
    world.until(NOON + 40 * SECOND)
    assert world.most_in_flight[key(subscription)] > 30
    subscriptions.change(
        partner.live,
        key(subscription),
        endpoint_url="https://new.example.com/",
        event_types=None,
        now=world.now,
        check_url=lambda url: None,
    )
    world.most_in_flight.clear()
    world.events(partner, 10, 100, since=world.now)
    world.until(world.now + 9 * SECOND)
    assert world.most_in_flight[key(subscription)] <= 16


class Endpoint:
    """What an EndpointCapacity learns about one endpoint by a clock that is told."""

    def __init__(self):
        self.now, self._some = 1000.0, EndpointCapacity(100)

    @property
    def limit(self) -> int:
        return self._some.find_limit("a", 16)

    def accepts(self, number: int, took: float, crowd: int) -> None:
        """Answer requests that began together."""
        self.now += took
        for _ in range(number):
            self._some.record_success("a", "u", crowd, self.now - took, self.now, start=16)

    def fails(self, number: int, took: float, is_busy: bool) -> None:
        self.now += took
        for _ in range(number):
            self._some.record_failure("a", self.now - took, self.now, is_busy)


@pytest.fixture
def endpoint() -> Endpoint:
    return Endpoint()


def test_the_limit_grows_while_it_is_used_up_to_the_most(endpoint):
    endpoint.accepts(5, 10.0, crowd=7)
    assert endpoint.limit == 16  # it does not need more
    endpoint.accepts(16, 10.0, crowd=16)
    assert endpoint.limit == 32
    endpoint.accepts(200, 10.0, crowd=100)
    assert endpoint.limit == 100


def test_an_endpoint_that_says_it_is_busy_halves_the_limit_once_and_it_grows_slowly_after_it(
    endpoint,
):
    endpoint.accepts(16, 10.0, crowd=16)
    endpoint.fails(10, 1.0, is_busy=True)
    assert endpoint.limit == 16
    endpoint.accepts(17, 10.0, crowd=16)
    assert endpoint.limit == 17
    for _ in range(5):
        endpoint.fails(3, 1.0, is_busy=True)
    assert endpoint.limit == FEW


def test_the_limit_is_decided_by_most_answers_and_not_by_a_few_that_fail(endpoint):
    for _ in range(20):
        endpoint.accepts(15, 10.0, crowd=60)
        endpoint.fails(5, 15.0, is_busy=False)
    assert endpoint.limit == 95
    for _ in range(20):
        endpoint.accepts(5, 10.0, crowd=60)
        endpoint.fails(15, 15.0, is_busy=False)
    assert endpoint.limit == FEW


def test_answers_that_take_longer_because_of_the_others_lower_the_limit(endpoint):
    endpoint.accepts(1, 3.0, crowd=1)
    endpoint.accepts(16, 12.0, crowd=16)
    assert endpoint.limit == 8
    endpoint.accepts(8, 6.0, crowd=8)  # half as many take half as long
    assert endpoint.limit == 4
    endpoint.accepts(4, 3.0, crowd=4)
    assert endpoint.limit == 4


def test_an_endpoint_that_has_become_slower_by_itself_keeps_its_limit(endpoint):
    endpoint.accepts(1, 1.0, crowd=1)
    before = endpoint.limit
    endpoint.accepts(16, 10.0, crowd=16)
    endpoint.accepts(1, 10.0, crowd=8)
    assert endpoint.limit == before
    endpoint.accepts(20, 10.0, crowd=16)
    assert endpoint.limit == before + 1


def test_the_first_answer_after_a_pause_says_how_long_one_takes_alone(endpoint):
    endpoint.accepts(1, 0.2, crowd=1)
    endpoint.accepts(1, 10.0, crowd=1)
    endpoint.accepts(16, 10.0, crowd=16)
    assert endpoint.limit >= 32


def test_of_endless_endpoints_the_latest_are_remembered(monkeypatch):
    monkeypatch.setattr(endpoint_capacity, "_REMEMBERED", 3)
    some = EndpointCapacity(100)
    for name in "abcad":
        some.record_success(name, "u", 16, 0.0, 1.0, start=16)
    assert [name for name in "abcd" if some.has_learned(name)] == ["a", "c", "d"]


def test_quick_endpoints_leave_nothing_to_remember(partner, monkeypatch):
    subscription = partner.subscribe()
    world = World(monkeypatch, lambda one: 90)
    world.events(partner, 100, 20)
    world.until(NOON + 5 * SECOND)
    assert len(attempts_of(subscription)) == 20
    assert not world.dispatchers[0]._flights._capacity.has_learned(key(subscription))


def in_flight(number: int, lane: int, failures: int = 0) -> requests_in_flight.RequestsInFlight:
    some = requests_in_flight.RequestsInFlight(32, lambda: 0.0)
    for each in range(number):
        some.begin(
            Claimed(
                "t",
                lane,
                f"d{each}",
                f"s{each}",
                "e",
                "u",
                1,
                b"",
                False,
                False,
                failures,
                partner_id="p",
            )
        )
    return some


def test_one_partner_holds_at_most_half_and_leaves_room_for_its_own_retries():
    first = (32 + requests_in_flight.WAITING_FIRST) // 2
    assert in_flight(first - 1, lanes.FIRST).compute_limits(lanes.FIRST).left_of_partners == {
        "p": 1
    }
    half = requests_in_flight.WAITING // 2
    some = in_flight(half - 100, lanes.SLOW)
    assert (
        some.compute_limits(lanes.SLOW).left_of_partners
        == some.compute_limits(lanes.REPLAYS).left_of_partners
        == {"p": 0}
    )
    assert some.compute_limits(lanes.RETRIES).left_of_partners == {"p": 100}
    assert some.compute_limits(lanes.FIRST).left_of_partners == {}
    assert in_flight(half, lanes.RETRIES, failures=2).compute_limits(
        lanes.RETRIES
    ).left_of_partners == {"p": 0}


def test_lanes_of_slow_endpoints_leave_room_for_later_retries_of_all():
    some = in_flight(400, lanes.SLOW)
    assert [some.has_room_soon(lane) for lane in (lanes.RETRIES, lanes.SLOW, lanes.REPLAYS)] == [
        True,
        False,
        False,
    ]
