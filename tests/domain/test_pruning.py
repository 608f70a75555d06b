"""Old deliveries go with their attempts and bodies; what may still be sent stays, however old."""

from support import outbox_fixtures, plain_sql
from support.outbox import DRIVER, NOON, answer, claim, exhaust, record, states

from svc.base import ids
from svc.base.clock import DAY, HOUR
from svc.domain.webhooks import deliveries, subscriptions
from svc.store.database import db

partner, subscription = outbox_fixtures.partner, outbox_fixtures.subscription


def count(table: str) -> int:
    return plain_sql.row(f"SELECT COUNT(*) FROM {table}")[0]


def test_what_was_finished_before_goes_with_its_attempts_and_what_was_later_stays(
    partner, subscription
):
    record(partner.produce())
    answer(claim(NOON), NOON)
    record(partner.produce(), now=NOON + DAY)
    answer(claim(NOON + DAY), NOON + DAY)
    assert deliveries.prune(NOON) == 0
    assert deliveries.prune(NOON + 1) == 1
    assert (count("deliveries"), count("attempts")) == (1, 1)
    assert deliveries.prune(NOON + 2 * DAY) == 1
    assert (count("deliveries"), count("attempts")) == (0, 0)


def test_failed_and_skipped_ones_go_and_pending_and_parked_ones_never(partner, subscription):
    record(partner.produce())
    exhaust(NOON)
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET status = 'Failed'")
    record(partner.produce())
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET status = 'Active'")
    for _ in range(2):
        record(partner.produce())
    parked = claim(NOON)[0].id
    with db.transaction():
        plain_sql.execute("UPDATE deliveries SET status = 'Parked' WHERE id = ?", (parked,))
    assert deliveries.prune(NOON + 1000 * DAY) == 2
    assert sorted(status for _, status in states(subscription)) == ["Parked", "Pending"]
    assert count("subscriptions") == 1


def test_one_that_was_sent_again_counts_from_its_last_end(partner, subscription):
    record(partner.produce())
    [first] = claim(NOON)
    answer([first], NOON)
    deliveries.redeliver(partner.live, subscription["subscriptionId"], first.id, NOON + DAY)
    assert deliveries.prune(NOON + 2 * DAY) == 0
    answer(claim(NOON + DAY), NOON + DAY)
    assert deliveries.prune(NOON + DAY) == 0
    assert deliveries.prune(NOON + DAY + 1) == 1


def test_many_go_in_small_batches_past_what_stays(partner, subscription):
    for number in range(7):
        record(partner.produce(), now=NOON + number)
    ended = claim(NOON + HOUR)
    answer(ended[::2], NOON + HOUR)
    assert deliveries.prune(NOON + DAY, batch=2) == 4
    assert [status for _, status in states(subscription)] == ["Pending"] * 3


def test_what_is_being_sent_again_is_left_alone(partner, subscription):
    subscriptions.ping(partner.live, subscription["subscriptionId"], NOON)
    [flying] = claim(NOON, driver=DRIVER)
    with db.transaction():
        plain_sql.execute("UPDATE deliveries SET status = 'Failed' WHERE id = ?", (flying.id,))
    assert deliveries.prune(NOON + DAY) == 0


def test_identifiers_are_never_before_the_earliest_of_their_instant():
    assert all(
        ids.make_lowest_id(NOON) <= ids.make_id(NOON) < ids.make_lowest_id(NOON + 1)
        for _ in range(100)
    )
