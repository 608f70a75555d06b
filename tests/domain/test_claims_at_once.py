"""Claims of steps that take no turn: limits stay exact, and a process that hangs in one of them
holds up its own partner alone.
"""

import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from support import plain_sql, stage
from support.cast import body

from svc.base.steps import STEPS
from svc.domain.lifecycle import lifecycle, losses, render_queue
from svc.domain.productions import progress
from svc.store.claims import Driver, LostClaim
from svc.store.database import db
from svc.store.postgres import engine, migrating

# what two processes can run: the first step and what follows the second, or all but the first
FIRST, OTHERS = (render_queue.ALL_ABILITIES - {STEPS[number][0]} for number in (1, 0))
HERE, THERE = Driver("here:1", "here:"), Driver("there:1", "there:")
WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@pytest.fixture(autouse=True)
def only_on_postgres(app):
    if db.list_jobs() is None:
        pytest.skip("with SQLite all transactions take turns")


@pytest.fixture
def freeze(app):
    """Let another process take the turn of all writers, and hang."""
    with psycopg.connect(db._address) as holder:
        statement = f"SELECT pg_advisory_xact_lock({migrating.WRITERS})"
        yield lambda: holder.execute(statement)


@pytest.fixture
def impatient(monkeypatch):
    """Nothing is waited for: what would have to wait fails."""
    return lambda: monkeypatch.setattr(engine, "_PATIENCE", 0.2)


def running() -> int:
    return plain_sql.row("SELECT count(*) FROM productions WHERE claim_token IS NOT NULL")[0]


def until(happened) -> None:
    while not happened():
        pass  # pytest-timeout ends it


def test_steps_are_claimed_begun_and_handed_on_while_a_writer_hangs(
    freeze, impatient, partner, clock
):
    partner.trigger()
    freeze()
    impatient()
    claim = render_queue.claim_next(HERE, clock())
    assert progress.start_step(claim, clock())["name"] == "script"
    progress.renew(claim, clock.tick(1), 0.5)
    progress.hand_on(claim, clock.tick(1), 1000.0)
    assert running() == 0
    assert render_queue.claim_next(THERE, clock.tick(1)).production_id == claim.production_id


def advance(clock) -> None:
    """Complete the first step of a production."""
    progress.hand_on(stage.complete_steps(clock, 1), clock(), 1.0)


def test_of_many_claims_at_once_the_ceiling_lets_as_many_through_as_it_says(partner, clock):
    for _ in range(6):
        partner.trigger()
    advance(clock), advance(clock)
    begin = threading.Barrier(8)

    def claim(number: int):
        begin.wait(60)
        driver = Driver(f"there:{number}", "there:")
        return render_queue.claim_next(
            driver, clock(), workers=8, ceiling=3, can_run=(FIRST, OTHERS)[number % 2]
        )

    with ThreadPoolExecutor(8) as threads:
        claims = [claim for claim in threads.map(claim, range(8)) if claim]
    assert len(claims) == len({claim.production_id for claim in claims}) == running() == 3


def test_a_claim_waits_for_one_of_its_partner_that_has_counted(partner, clock, monkeypatch):
    """They run other steps; each would find room for one more."""
    partner.trigger(), partner.trigger()
    advance(clock)
    counted, go_on, take = threading.Event(), threading.Event(), lifecycle.claim_production

    def pause(*given):
        if threading.current_thread().name.startswith("first"):
            counted.set()
            go_on.wait(60)
        return take(*given)

    monkeypatch.setattr(lifecycle, "claim_production", pause)

    def claim(driver, can_run):
        return render_queue.claim_next(driver, clock(), workers=8, ceiling=1, can_run=can_run)

    with ThreadPoolExecutor(1, "first") as first, ThreadPoolExecutor(1, "second") as second:
        one = first.submit(claim, HERE, FIRST)
        assert counted.wait(60)
        other = second.submit(claim, THERE, OTHERS)
        until(lambda: other.done() or plain_sql.row(WAITING)[0])
        go_on.set()
        assert sorted(each.result() is None for each in (one, other)) == [False, True]
    assert running() == 1


def test_a_claim_that_hangs_holds_up_no_other_partner(
    partner, stranger, clock, monkeypatch, impatient
):
    """It has changed all that it changes, and does not commit."""
    ids = {body(each.trigger())["productionId"] for each in (partner, stranger)}
    hung, go_on, commit = threading.Event(), threading.Event(), engine.PostgresEngine._commit

    def hang(self, connection):
        if threading.current_thread().name.startswith("frozen"):
            hung.set()
            go_on.wait(60)
        commit(self, connection)

    monkeypatch.setattr(engine.PostgresEngine, "_commit", hang)
    with ThreadPoolExecutor(1, "frozen") as frozen:
        one = frozen.submit(render_queue.claim_next, HERE, clock(), 4)
        assert hung.wait(60)
        impatient()
        try:
            other = render_queue.claim_next(THERE, clock(), 4)
            for each in (partner, stranger):  # so do all others that write
                each.trigger()
        finally:
            go_on.set()
        assert {one.result().production_id, other.production_id} == ids


def test_a_loss_is_not_counted_of_a_claim_that_was_given_back(partner, clock, monkeypatch):
    """Its process gives it back between the look at it and the count."""
    partner.trigger()
    claim = render_queue.claim_next(HERE, clock())
    progress.start_step(claim, clock())
    keep = lifecycle.keep_claim

    def late(found):
        with ThreadPoolExecutor(1) as thread:
            thread.submit(progress.hand_on, claim, clock(), 1.0).result()
        keep(found)

    monkeypatch.setattr(lifecycle, "keep_claim", late)
    losses.release_expired(claim.production_id, claim.token, clock.tick(60))
    assert plain_sql.row("SELECT losses FROM production_steps")[0] == 0
    with pytest.raises(LostClaim):
        losses.record_failure(claim, "a fault", clock())


def test_the_virtual_time_of_all_never_goes_back(partner, stranger, clock):
    with db.transaction():
        plain_sql.execute("INSERT INTO meta (name, value) VALUES ('queue_turn', '5.5')")
    for turn, after in ((7.25, "7.25"), (6.0, "7.25"), (70.0, "70")):
        with db.separate_connection() as connection:
            render_queue._RAISE_TURN.execute_by(connection, turn=turn)
        value = plain_sql.row("SELECT value FROM meta WHERE name = 'queue_turn'")[0]
        assert float(value) == float(after)
