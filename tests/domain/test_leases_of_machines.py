"""Claims of processes that are gone: those of the own data directory are released at once,
others when their lease ends.
"""

import pytest
from support import outbox_fixtures, plain_sql
from support.outbox import NOON, answer, claim, record, states
from support.stage import claim as claim_step
from support.stage import complete_steps

from svc.adapters import transfers
from svc.base import clock
from svc.domain.lifecycle import lifecycle
from svc.domain.productions import publications
from svc.domain.webhooks import outbox
from svc.store import claims
from svc.store.database import db

receiver = outbox_fixtures.partner
HERE, THERE = claims.Driver("here:2-again", "here:"), claims.Driver("there:1-first", "there:")


@pytest.mark.parametrize(
    ("boot", "released"),
    [("here:1-first", 1), ("there:1-first", 0), ("here:2-again", 0), (None, 0)],
)
def test_a_claim_of_another_machine_is_left_to_its_lease(partner, clock, boot, released):
    partner.trigger()
    claim_step(clock)
    with db.transaction():
        plain_sql.execute("UPDATE productions SET claim_boot = ?", (boot,))
        assert lifecycle.release_earlier_boots(HERE) == released
        assert publications.release_earlier_boots(HERE) == 0


def test_claims_of_another_machine_end_with_their_lease(receiver):
    receiver.subscribe()
    record(receiver.produce())
    claim(NOON, driver=claims.Driver("there:1-first", "there:"))
    with db.transaction():
        assert outbox.recover(HERE, NOON + clock.SECOND) == 0
        assert outbox.recover(HERE, NOON + clock.MINUTE) == 1


def test_claims_of_this_machine_are_taken_back_at_once(receiver):
    receiver.subscribe()
    record(receiver.produce())
    claim(NOON, driver=claims.Driver("here:1-first", "here:"))
    with db.transaction():
        assert outbox.recover(HERE, NOON + clock.SECOND) == 1


def test_the_deliveries_of_a_lost_process_are_free_at_once_in_order_and_marked(receiver):
    subscription = receiver.subscribe()
    record(receiver.produce(), 2)
    receiver.subscribe()
    record(receiver.produce())
    late = claim(NOON, driver=THERE)[:1]
    others = outbox.release_claims_of("there:1-second", NOON)
    assert others == 0 and claim(NOON + 1, driver=HERE) == []
    assert outbox.release_claims_of(THERE.boot, NOON + 2) == 3
    again = claim(NOON + 3, driver=HERE)
    assert len(again) == 3 and all(each.possible_duplicate for each in again)
    assert late[0].id in [each.id for each in again]
    answer(late, NOON + 4)  # it woke up: its token holds nothing
    assert {status for _, status in states(subscription)} == {"Pending"}
    assert outbox.release_claims_of(THERE.boot, NOON + 5) == 0
    answer(again, NOON + 6)
    [second] = claim(NOON + 7, driver=HERE)
    answer([second], NOON + 8)
    assert sorted(states(subscription)) == [(1, "Succeeded"), (1, "Succeeded"), (2, "Succeeded")]


@pytest.fixture
def publication(partner, clock) -> publications.Claim:
    """A publication on a platform of this server, which a process elsewhere holds."""
    partner.trigger()
    complete_steps(clock)
    return publications.claim_next(THERE, clock())


def test_a_publication_of_a_lost_process_is_done_by_another_and_a_late_one_changes_nothing(
    publication, clock
):
    assert publications.release_claims_of("there:1-second", clock()) == 0
    assert publications.release_claims_of(THERE.boot, clock()) == 1
    # the production is published on two platforms
    free = [publications.claim_next(HERE, clock()) for _ in range(2)]
    [again] = [each for each in free if each.platform == publication.platform]
    # late: another worker goes on with it
    assert publications.record_published(publication, "post-1", clock())
    assert plain_sql.one("SELECT count(*) FROM publications WHERE status = 'Published'")[0] == 0
    assert publications.record_published(again, "post-1", clock.tick(1))
    # late: it is the post that was recorded
    assert publications.record_published(publication, "post-1", clock.tick(1))
    # a second one, to be withdrawn
    assert not publications.record_published(publication, "post-2", clock())
    assert (
        plain_sql.one("SELECT count(*) FROM events WHERE event_type = 'production.published'")[0]
        == 0
    )


def test_a_publication_at_a_place_is_free_when_no_request_of_the_lost_process_can_be_under_way(
    publication, clock
):
    with db.transaction():
        sql = """
            INSERT INTO connections (id, account_id, name, connector, shape, title_template,
                                     text_template, settings,
                created_at)
            VALUES ('c', ?, 'c', 'Hook', 'landscape', '', '', '{}', 0)
        """
        account = plain_sql.one(
            "SELECT account_id FROM productions WHERE id = ?", (publication.production_id,)
        )[0]
        plain_sql.execute(sql, (account,))
        plain_sql.execute(
            "UPDATE publications SET connection_id = 'c' WHERE claim_token = ?",
            (publication.token,),
        )
    assert publications.release_claims_of(THERE.boot, clock()) == 0
    assert publications.claim_next(HERE, clock.tick(59), at_places=True) is None
    assert (
        publications.claim_next(HERE, clock.tick(1), at_places=True).platform
        == publication.platform
    )
    assert 1000 * max(transfers._SECONDS, transfers._PATIENCE) <= publications.LAST_EXCHANGE
