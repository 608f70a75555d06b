"""Which deliveries are sent when: the rule by itself, and the whole dispatcher by a clock
that is told.
"""

from collections import Counter, defaultdict

import pytest
from support import plain_sql
from support.outbox import DRIVER, NOON, Partner, answer, claim, record
from support.simulated_sending import TIMEOUT, World

from svc.base.clock import SECOND
from svc.domain import lanes, retry_schedule
from svc.domain.webhooks import claiming
from svc.domain.webhooks.claiming import Claimed, Elsewhere
from svc.store import claims, database
from svc.store.database import db
from svc.work.delivery import requests_in_flight
from svc.work.delivery.requests_in_flight import RequestsInFlight

MACHINES = tuple(claims.Driver(f"{name}:1", f"{name}:") for name in ("one", "two"))


class Told:
    def __init__(self):
        self.at = 1000.0

    def __call__(self):
        return self.at


@pytest.fixture
def steady():
    return Told()


def claimed(
    number: int, subscription: str = "a", lane: int = lanes.FIRST, failures: int = 0
) -> Claimed:
    return Claimed(
        "t",
        lane,
        f"{subscription}{number}",
        subscription,
        "e",
        "https://x",
        1,
        b"",
        False,
        False,
        failures,
    )


def send(into: RequestsInFlight, number: int, *about) -> list[Claimed]:
    sent = [claimed(each, *about) for each in range(number)]
    for each in sent:
        into.begin(each)
    return sent


def silence(into: RequestsInFlight, subscription: str) -> None:
    for each in send(into, requests_in_flight.SILENT_AFTER, subscription, lanes.SLOW):
        into.end(each, answered=False)


def left(some: RequestsInFlight, lane: int, elsewhere: Elsewhere = Elsewhere()) -> dict[str, int]:
    return some.compute_limits(lane, elsewhere).left


def test_a_sending_that_only_waits_makes_room_for_another(steady):
    some = RequestsInFlight(4, steady)
    send(some, 4)
    assert some.count_room(lanes.FIRST) == 0
    steady.at += requests_in_flight.YOUNG
    assert some.count_room(lanes.FIRST) == 4
    assert left(some, lanes.FIRST) == {"a": 2 - 4}


def test_no_lane_takes_the_room_of_another(steady):
    some = RequestsInFlight(32, steady)
    for lane in (lanes.RETRIES, lanes.SLOW, lanes.REPLAYS):
        assert some.count_room(lane) == 8
        send(some, 8, f"in {lane}", lane)
        assert some.count_room(lane) == 0
    assert some.count_room(lanes.FIRST) == 32


def test_what_waits_is_bounded_in_all(steady):
    some = RequestsInFlight(32, steady)
    send(some, requests_in_flight.WAITING, "a", lanes.RETRIES, 2)
    send(some, 32 + requests_in_flight.WAITING_FIRST, "b")
    steady.at += 1
    assert [some.count_room(lane) for lane in lanes.ALL] == [0, 0, 0, 0]
    assert not any(some.has_room_soon(lane) for lane in lanes.ALL)
    assert some.most == requests_in_flight.WAITING + requests_in_flight.WAITING_FIRST + 32


def test_an_endpoint_that_answers_is_sent_few_at_once_and_one_that_does_not_many(steady):
    some = RequestsInFlight(32, steady)
    send(some, 1, "a", lanes.SLOW)
    assert left(some, lanes.SLOW) == {"a": 7}
    silence(some, "b")
    assert left(some, lanes.SLOW)["b"] == requests_in_flight.MOST_OPENINGS
    some.end(claimed(0, "b"), answered=True)
    assert "b" not in left(some, lanes.SLOW)


def test_retries_are_not_kept_by_first_attempts_but_an_immediate_one_is_a_part_of_the_opening(
    steady,
):
    some = RequestsInFlight(32, steady)
    silence(some, "a")
    send(some, requests_in_flight.MOST_OPENINGS, "a", lanes.RETRIES, 1)
    assert left(some, lanes.SLOW)["a"] == 0
    assert "a" not in left(some, lanes.RETRIES)  # which means: as many as there is room for
    assert some.count_room(lanes.RETRIES) == 0
    steady.at += requests_in_flight.YOUNG
    assert some.count_room(lanes.RETRIES) == 8


def test_the_more_endpoints_are_silent_the_less_each_is_given_and_something_is_left_for_the_next(
    steady,
):
    some = RequestsInFlight(32, steady)
    for name in "abcdefgh":
        silence(some, name)
        most = left(some, lanes.SLOW)[name]
        for number in range(most):  # its openings, and the retries that they will bring
            some.begin(claimed(number, name, lanes.SLOW))
            some.begin(claimed(-2 * number - 1, name, lanes.RETRIES, 2))
            some.begin(claimed(-2 * number - 2, name, lanes.RETRIES, 3))
        assert most >= 4
    silence(some, "i")
    assert left(some, lanes.SLOW)["i"] >= 4


def test_the_limits_of_an_endpoint_count_what_other_senders_have_in_flight(steady):
    some = RequestsInFlight(32, steady)
    send(some, 3)
    elsewhere = Elsewhere(all=Counter(a=5, b=300, c=2), openings=Counter(a=5, c=2))
    assert left(some, lanes.FIRST, elsewhere) == {"a": 16 - 3 - 5, "c": 16 - 2}
    assert left(some, lanes.RETRIES, elsewhere) == {"b": 0}
    assert left(some, lanes.SLOW, elsewhere) == {"a": 8 - 3 - 5, "c": 8 - 2}
    silence(some, "c")
    assert left(some, lanes.SLOW, elsewhere)["c"] == requests_in_flight.MOST_OPENINGS - 2
    assert left(some, lanes.FIRST) == {"a": 16 - 3}


def test_what_is_in_flight_elsewhere_is_counted_by_the_claims_of_other_machines(tmp_path):
    database.open_database(tmp_path / "service.db")
    try:
        partner = Partner()
        here, there = (partner.subscribe()["subscriptionId"] for _ in range(2))
        record(partner.produce(), now=NOON)
        first, second = MACHINES
        taken = claim(NOON, driver=first)
        assert (
            claiming.count_in_flight_elsewhere(first)
            == Elsewhere()
            == claiming.count_in_flight_elsewhere(DRIVER)
        )
        assert claiming.count_in_flight_elsewhere(second) == Elsewhere(
            Counter({here: 1, there: 1}), Counter({here: 1, there: 1})
        )
        answer(taken, NOON)
        assert claiming.count_in_flight_elsewhere(second) == Elsewhere()
        record(partner.produce(), now=NOON)
        for _ in range(2):
            answer(claim(NOON, driver=first), NOON, 500)
        # the retry after a minute opens nothing
        assert len(claim(NOON + 60 * SECOND, driver=first)) == 2
        assert claiming.count_in_flight_elsewhere(second) == Elsewhere(
            Counter({here: 1, there: 1}), Counter()
        )
    finally:
        db.close()


def test_what_has_ended_leaves_no_trace(steady):
    some = RequestsInFlight(32, steady)
    for each in send(some, 20) + send(some, 8, "b", lanes.RETRIES, 2):
        some.end(each, answered=True)
    assert [left(some, lane) for lane in lanes.ALL] == [{}] * 4
    assert some.count_room(lanes.FIRST) == 32


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "drivers"),
    [("steady", (DRIVER,)), ("in bunches", (DRIVER,)), ("in bunches", MACHINES)],
)
def test_retries_at_an_endpoint_that_hangs_are_sent_when_they_are_due_and_others_do_not_notice(
    tmp_path, monkeypatch, pattern, drivers
):
    database.open_database(tmp_path / "service.db")
    try:
        hanging, good = Partner(), [Partner() for _ in range(20)]
        dead = hanging.subscribe()["subscriptionId"]
        for each in good:
            each.subscribe()
        world = World(
            monkeypatch, lambda one: TIMEOUT if one.subscription_id == dead else 20, drivers
        )

        for number in range(150 * 6):
            late = 400 * number if pattern == "steady" else 10_000 * (number // 25)
            world.at(NOON + late, world.event, hanging)
        for number, each in enumerate(good):
            world.events(each, 300 * len(good), 60, since=NOON + 300 * number)
        world.until(NOON + 355 * SECOND)
        _check(dead, pattern)
        assert len(world.sent) == len(drivers) and min(world.sent.values()) > 200
    finally:
        db.close()


def _check(dead: str, pattern: str) -> None:
    late, seen = defaultdict(list), Counter()
    for row in plain_sql.rows(
        "SELECT * FROM attempts t JOIN deliveries d ON d.id = t.delivery_id ORDER BY t.id"
    ):
        seen[row["delivery_id"]] += 1
        number = seen[row["delivery_id"]]
        if row["subscription_id"] != dead:
            late["good"].append(row["attempted_at"] - row["created_at"])
        elif number > 1:
            counted_from, delay = retry_schedule.DELIVERY_RETRIES[number - 1]
            late[number].append(row["attempted_at"] - row[counted_from] - delay)
    assert max(late["good"]) <= 100
    assert {number: max(late[number]) <= 2 * SECOND for number in (2, 3, 4)} == {
        2: True,
        3: True,
        4: True,
    }
    assert len(late[3]) > 500  # before they were starved, so that none had a third attempt
    alerts = {
        row["name"]: row["at"] - NOON for row in plain_sql.rows("SELECT name, at FROM alerts")
    }
    whole = 3 * TIMEOUT + 300 * SECOND
    due = {"WebhookDeliveryFailed": whole, "WebhookEndpointUnreachable": whole}
    if pattern == "steady":
        due = {
            "WebhookDeliveryFailed": whole + 2 * 400,
            "WebhookEndpointUnreachable": whole + 9 * 400,
        }
    assert set(alerts) == set(due)
    assert all(0 <= alerts[name] - due[name] <= 2 * SECOND for name in due), alerts
