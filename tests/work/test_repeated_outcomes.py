"""A commit whose answer is lost with the connection, or whose sync fails, is repeated:
each outcome is recorded once.
"""

import errno
import threading
from decimal import Decimal

import pytest
from support import plain_sql
from support.cast import body
from support.outbox import claim as taken
from support.stage import DRIVER, claim, complete_steps, make

from svc.domain.lifecycle import clock_jump, render_queue
from svc.domain.productions import progress, publications
from svc.domain.usage import model_costs
from svc.domain.usage.model_costs import Prices
from svc.domain.webhooks import outbox
from svc.store.database import db
from svc.work import outages

SPEECH = {"purpose": "speech", "model": "m", "units_in": 1000, "units_out": 0}


@pytest.fixture
def production(partner) -> str:
    return body(partner.trigger())["productionId"]


@pytest.fixture
def lasting(clock, monkeypatch):
    """``retry_until_written``, in which the first call of each commits and then fails."""
    monkeypatch.setattr(outages, "AGAIN_SECONDS", 0.0)
    trying = outages.Outages(clock, threading.Event())

    def twice(call, *args, **named):
        calls = []

        def fails_once(*given):
            result = call(*given, **named)
            calls.append(result)
            if len(calls) == 1:
                raise OSError(errno.ENOSPC, "the sync failed")
            return result

        result = trying.retry_until_written(fails_once, *args)
        assert len(calls) == 2
        return result

    return twice


def kinds(production: str) -> list[str]:
    found = plain_sql.rows(
        "SELECT event_type FROM events WHERE production_id = ? ORDER BY sequence", (production,)
    )
    return [row["event_type"] for row in found]


def test_a_step_is_completed_once_and_its_production_goes_on(production, clock, lasting):
    held = claim(clock)
    lasting(progress.complete_step, held, progress.start_step(held, clock()), clock.tick(1))
    assert kinds(production) == ["production.queued", "production.step.complete"]
    assert progress.start_step(held, clock())["name"] == "narration"


def test_after_a_last_step_that_was_completed_the_claim_is_lost_and_nothing_else(
    production, clock, lasting
):
    held = complete_steps(clock, 6)
    step = progress.start_step(held, clock())
    with pytest.raises(progress.LostClaim):
        lasting(progress.complete_step, held, step, clock.tick(1), [make()])
    assert kinds(production).count("production.step.complete") == 7
    assert kinds(production)[-1] == "production.awaiting_approval"


def test_a_step_that_another_worker_holds_is_not_taken_for_completed(production, clock, lasting):
    late = claim(clock)
    step = progress.start_step(late, clock())
    clock.tick(31)
    complete_steps(clock, 1)
    with pytest.raises(progress.LostClaim):
        lasting(progress.complete_step, late, step, clock())
    assert kinds(production).count("production.step.complete") == 1


def test_a_crash_counts_once(production, clock, lasting):
    for expected in (True, True):
        held = claim(clock)
        assert (
            lasting(
                progress.record_crash, held, progress.start_step(held, clock()), "signal 9", clock()
            )
            is expected
        )
        render_queue.release_claim(held)
    assert plain_sql.one("SELECT max(attempts) FROM production_steps")[0] == 2


def test_the_third_crash_fails_the_production_though_its_answer_is_lost(production, clock, lasting):
    for _ in range(2):
        held = claim(clock)
        progress.record_crash(held, progress.start_step(held, clock()), "signal 9", clock())
        render_queue.release_claim(held)
        clock.tick(10)
    held = claim(clock)
    with pytest.raises(progress.LostClaim):
        lasting(
            progress.record_crash, held, progress.start_step(held, clock()), "signal 9", clock()
        )
    assert kinds(production).count("production.failed") == 1


def test_a_post_that_was_recorded_is_not_withdrawn(production, clock, lasting):
    complete_steps(clock)
    publication = publications.claim_next(DRIVER, clock())
    assert lasting(publications.record_published, publication, "post-1", clock.tick(1))
    assert (
        plain_sql.one("SELECT attempts FROM publications WHERE platform_post_id = 'post-1'")[0] == 1
    )


def test_a_post_of_a_publication_that_was_cancelled_is_withdrawn(production, clock, lasting):
    complete_steps(clock)
    publication = publications.claim_next(DRIVER, clock())
    with db.transaction():
        freed = "claim_token = NULL, claim_boot = NULL, claim_until = NULL"
        plain_sql.execute(f"UPDATE publications SET status = 'Withdrawn', {freed}")
    assert not lasting(publications.record_published, publication, "post-1", clock.tick(1))


def test_a_failed_attempt_counts_once(production, clock, lasting):
    complete_steps(clock)
    publication = publications.claim_next(DRIVER, clock())
    lasting(publications.record_failed, publication, "away", True, clock.tick(1))
    assert plain_sql.one("SELECT max(attempts) FROM publications")[0] == 1


def test_a_charge_is_charged_once_and_the_next_one_too(production, clock, lasting):
    prices = Prices(speech=Decimal(15), script_input=Decimal(0), script_output=Decimal(0))
    for expected in (1, 2):
        lasting(model_costs.record, production, SPEECH, prices, clock.tick(1))
        assert plain_sql.one("SELECT count(*) FROM model_charges")[0] == expected


def test_a_jump_of_the_clock_moves_what_waits_once(production, clock, lasting):
    with db.transaction():
        plain_sql.execute(
            "UPDATE publications SET attempts = 1, next_attempt_at = ?", (clock() + 30_000,)
        )
    lasting(clock_jump.move_retries, 3_600_000, clock() + 3_600_000, "this boot", 5)
    planned = {row[0] for row in plain_sql.rows("SELECT next_attempt_at FROM publications")}
    assert planned == {clock() + 3_630_000}
    assert plain_sql.one("SELECT count(*) FROM alerts WHERE name = ?", (clock_jump.ALERT,))[0] == 1


def test_an_outcome_of_a_delivery_is_logged_once(partner, clock, lasting):
    partner.post(
        "/v1/webhooks",
        json={"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]},
    )
    partner.trigger()
    [held] = taken(clock.tick(1))
    lasting(
        outbox.record_outcomes,
        [outbox.Attempt(held.id, held.token, clock(), clock(), 500, "an error", 1.0)],
    )
    assert plain_sql.one("SELECT count(*) FROM attempts")[0] == 1
    assert plain_sql.one("SELECT failures FROM deliveries")[0] == 1
