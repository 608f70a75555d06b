"""Webhooks where many machines share the database: outcomes in the turn of their partner, claims in
a turn of their own; what one partner's transaction has locked holds up no other partner.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest
from support import plain_sql
from support.frozen import until, waits_for_a_turn
from support.outbox import NOON, RING, Partner, answer, claim, record

from svc.adapters.http import Outcome
from svc.domain import lanes
from svc.domain.usage import counters
from svc.domain.webhooks import claiming, event_types, events, outbox
from svc.domain.webhooks.claiming import Limits
from svc.domain.webhooks.outbox import Attempt
from svc.store import claims
from svc.store.database import db
from svc.store.postgres import engine
from svc.work.delivery import dispatcher as delivery_dispatcher
from svc.work.delivery.dispatcher import Dispatcher

HERE, THERE = claims.Driver("here:1", "here:"), claims.Driver("there:1", "there:")

pytest_plugins = ("tests.support.frozen",)
pytestmark = pytest.mark.usefixtures("only_on_postgres")


def settle(partner, claimed, status=200) -> None:
    with db.transaction(partner=partner.id):
        answer(claimed, NOON + 1, status)


def states_of(partner) -> list[tuple[int, str, bool]]:
    rows = plain_sql.rows(
        "SELECT sequence, status, next_attempt_at IS NOT NULL FROM deliveries "
        "WHERE partner_id = ? ORDER BY production_id, sequence",
        (partner.id,),
    )
    return [tuple(row) for row in rows]


@pytest.mark.parametrize("status", [200, 500])
def test_webhooks_go_out_while_another_partner_hangs(status, frozen, monkeypatch):
    """It hangs in an outcome, which also moves deliveries that wait: those are left alone."""
    partner, stranger = Partner(), Partner()
    for each in (partner, stranger):
        each.subscribe()
        for _ in range(2):
            record(each.produce())
    held = [
        each
        for each in claiming.claim(THERE, NOON, lanes.FIRST, 100, Limits(1))
        if each.partner_id == stranger.id
    ]
    with db.transaction():
        plain_sql.execute(
            "UPDATE deliveries SET claim_token = NULL WHERE partner_id = ?", (partner.id,)
        )
    assert len(held) == 1
    with frozen(settle, stranger, held, status):
        monkeypatch.setattr(engine, "_PATIENCE", 0.2)
        mine = claiming.claim(HERE, NOON, lanes.FIRST, 100, Limits(100))
        assert [each.partner_id for each in mine if each.partner_id == partner.id]
        settle(partner, [each for each in mine if each.partner_id == partner.id], status)


def test_an_event_is_not_queued_behind_one_that_is_being_settled(frozen):
    """Neither would see the other, and the second one would wait for ever."""
    partner = Partner()
    partner.subscribe()
    production = partner.produce()
    record(production)
    claimed = claim(NOON, lanes.FIRST, THERE)

    def record_next():
        with db.transaction(partner=partner.id):
            data = {"status": "Queued", "expiresAt": None}
            events.record(production, event_types.PRODUCTION_QUEUED, data, NOON)

    with ThreadPoolExecutor(1) as threads:
        with frozen(settle, partner, claimed):
            second = threads.submit(record_next)
            until(lambda: waits_for_a_turn(second))
        second.result()
    assert states_of(partner) == [(1, "Succeeded", False), (2, "Pending", True)]


def test_of_two_claims_at_once_a_limit_of_one_lets_one_through(frozen):
    partner = Partner()
    subscription = partner.subscribe()["subscriptionId"]
    record(partner.produce())
    later = partner.produce()

    def exchange(driver):
        with db.transaction(partner=claiming.TURN):
            elsewhere = claiming.count_in_flight_elsewhere(driver)
            limits = Limits(1, {subscription: 1 - elsewhere.all[subscription]})
            return claiming.claim(driver, NOON, lanes.FIRST, 100, limits)

    with ThreadPoolExecutor(1) as threads:
        with frozen(exchange, HERE) as first:
            with db.transaction(partner=partner.id):
                record(later, now=NOON - 1)  # which is due before the one that is being claimed
            second = threads.submit(exchange, THERE)
            until(lambda: waits_for_a_turn(second))
        assert sorted(len(each.result()) for each in (first, second)) == [0, 1]


def test_what_a_partner_keeps_is_claimed_when_it_has_ended(frozen):
    partner = Partner()
    partner.subscribe()
    record(partner.produce())

    def touch():
        with db.transaction(partner=partner.id):
            plain_sql.execute("UPDATE deliveries SET failures = failures")

    with frozen(touch):
        assert claim(NOON, lanes.FIRST, HERE) == []
    assert len(claim(NOON, lanes.FIRST, HERE)) == 1


class Silent:
    """A sender that sends nothing."""

    def post(self, *_given) -> Outcome:
        return Outcome(200, None, 1.0)

    examine = post

    def close(self) -> None:
        pass


def test_outcomes_of_others_are_committed_before_those_of_a_partner_that_hangs(frozen):
    """The thread that commits them tries again, and loses none."""
    partner, stranger = Partner(), Partner()
    for each in (stranger, partner):
        each.subscribe()
        record(each.produce())

    def hang():
        with db.transaction(partner=stranger.id):
            plain_sql.execute("UPDATE partners SET name = 'Q' WHERE id = ?", (stranger.id,))

    dispatcher = Dispatcher(HERE, Silent(), RING, clock=lambda: NOON)
    try:
        with frozen(hang):
            dispatcher.dispatch()
            until(lambda: states_of(partner) == [(1, "Succeeded", False)])
            assert states_of(stranger) == [(1, "Pending", True)]
        until(lambda: states_of(stranger) == [(1, "Succeeded", False)])
    finally:
        dispatcher.stop()


@pytest.fixture
def commits(monkeypatch):
    """A function: how many transactions of this process have been committed."""
    commit, committed = engine.PostgresEngine._commit, []

    def count(self, connection):
        commit(self, connection)
        committed.append(connection)

    monkeypatch.setattr(engine.PostgresEngine, "_commit", count)
    return lambda: len(committed)


@pytest.mark.parametrize(("together", "transactions"), [(3, 1), (2, 2)])
def test_outcomes_of_several_partners_are_one_transaction(
    commits, monkeypatch, together, transactions
):
    """Each would be a commit of its own, and few webhooks a second went out."""
    monkeypatch.setattr(delivery_dispatcher, "_TOGETHER", together)
    partners = [Partner() for _ in range(3)]
    for partner in partners:
        partner.subscribe()
        record(partner.produce())
    attempts = [attempt_of(each) for each in claim(NOON, lanes.FIRST, HERE)]
    dispatcher = Dispatcher(HERE, Silent(), RING, clock=lambda: NOON)
    try:
        before = commits()
        dispatcher._record_by_partner(attempts)
        assert commits() - before == transactions
    finally:
        dispatcher.stop()
    assert [states_of(each) for each in partners] == [[(1, "Succeeded", False)]] * 3


def attempt_of(held, error=None) -> Attempt:
    return Attempt(held.id, held.token, NOON, NOON, 500, error, 1.0, partner_id=held.partner_id)


def test_sums_of_several_partners_are_counted_in_the_order_of_the_recorder(frozen):
    """The first one's delivery is given up, the second one's succeeds: that whoever adds to the
    sums of both, in that order, waits for nobody who waits for it.
    """
    one, other = sorted((Partner(), Partner()), key=lambda each: each.id)
    for each in (one, other):
        each.subscribe()
        record(each.produce())
    failed = "UPDATE deliveries SET failures = 3, first_failed_at = ?, second_failed_at = ?"
    with db.transaction():
        plain_sql.execute(failed + " WHERE partner_id = ?", (NOON, NOON, one.id))
        counters.count_deliveries((each.id, None, True, NOON) for each in (one, other))
    held = claim(NOON, lanes.FIRST, HERE)
    attempts = [
        attempt_of(each, "an error" if each.partner_id == one.id else None) for each in held
    ]

    def add() -> None:
        with db.transaction(in_turn=False):
            counters.count_deliveries([(one.id, None, True, NOON)])

    def settle_both() -> None:
        with db.transaction_of_free([one.id, other.id]):
            outbox.record_outcomes(attempts)

    free = "SELECT 1 FROM usage_days WHERE partner_id = ? FOR UPDATE SKIP LOCKED"
    with ThreadPoolExecutor(1) as threads:
        with frozen(add):
            both = threads.submit(settle_both)
            until(lambda: waits_for_a_turn(both))
            with db.transaction(in_turn=False):
                assert plain_sql.row(free, (one.id,)) is None
                assert plain_sql.row(free, (other.id,)) is not None
        both.result()
    counted = "SELECT deliveries_succeeded, deliveries_failed FROM usage_days WHERE partner_id = ?"
    assert [tuple(plain_sql.row(counted, (each.id,))) for each in (one, other)] == [(2, 1), (2, 0)]


def test_an_outcome_that_comes_twice_counts_once():
    """It came again for a partner that was held up, and its batch was repeated, too."""
    partner = Partner()
    partner.subscribe()
    record(partner.produce())
    [held] = claim(NOON, lanes.FIRST, HERE)
    failed = attempt_of(held, "an error")
    dispatcher = Dispatcher(HERE, Silent(), RING, clock=lambda: NOON)
    try:
        dispatcher._record_by_partner([failed, failed])
    finally:
        dispatcher.stop()
    assert plain_sql.row("SELECT failures FROM deliveries")[0] == 1
