"""Claims of processes that are gone: those of the own data directory are released at once, others when their lease ends."""

import pytest
from support import outbox_fixtures
from support.outbox import NOON, claim, record
from support.stage import claim as claim_step

from svc.base import clock
from svc.domain.productions import lifecycle, publications
from svc.domain.webhooks import outbox
from svc.store import claims, database

receiver = outbox_fixtures.partner
HERE = claims.Driver("here:2-again", "here:")


@pytest.mark.parametrize(("boot", "released"), [("here:1-first", 1), ("there:1-first", 0), ("here:2-again", 0), (None, 0)])
def test_a_claim_of_another_machine_is_left_to_its_lease(partner, clock, boot, released):
    partner.trigger()
    claim_step(clock)
    with database.write():
        database.execute("UPDATE productions SET claim_boot = ?", (boot,))
        assert lifecycle.release_earlier_boots(HERE) == released
        assert publications.release_earlier_boots(HERE) == 0


def test_claims_of_another_machine_end_with_their_lease(receiver):
    receiver.subscribe()
    record(receiver.produce())
    claim(NOON, driver=claims.Driver("there:1-first", "there:"))
    with database.write():
        assert outbox.recover(HERE, NOON + clock.SECOND) == 0
        assert outbox.recover(HERE, NOON + clock.MINUTE) == 1


def test_claims_of_this_machine_are_taken_back_at_once(receiver):
    receiver.subscribe()
    record(receiver.produce())
    claim(NOON, driver=claims.Driver("here:1-first", "here:"))
    with database.write():
        assert outbox.recover(HERE, NOON + clock.SECOND) == 1
