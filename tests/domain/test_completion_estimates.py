"""Estimates learn from what steps took, and are as good as that allows."""

import random

import pytest
from support import plain_sql
from support.cast import body
from support.stage import claim, complete_steps, make

from svc.base import clock as times
from svc.domain.lifecycle import completion_estimates
from svc.domain.lifecycle.completion_estimates import Pace
from svc.domain.productions import progress
from svc.store.database import db


def learnt(measurements) -> Pace:
    pace = Pace()
    for size, took in measurements:
        pace = pace.with_measurement(size, took)
    return pace


def expected(partner, production) -> int | None:
    text = body(partner.get(f"/v1/productions/{production}"))["estimatedCompletionAt"]
    return None if text is None else times.parse(text)


def test_one_measurement_is_the_estimate_for_every_length():
    pace = learnt([(500, 3000)])
    assert (pace.estimate(0), pace.estimate(500), pace.estimate(4000)) == (3000, 3000, 3000)


def test_a_line_is_learnt_and_carried_on():
    pace = learnt(
        (size, 2000 + 5 * size) for size in [100, 900, 300, 2000, 1500, 700, 3000, 1200] * 4
    )
    assert pace.estimate(600) == pytest.approx(5000, rel=0.02)
    assert pace.estimate(4000) == pytest.approx(22_000, rel=0.02)


def test_noise_is_averaged_out():
    chance = random.Random(11)
    sizes = [chance.randrange(4000) for _ in range(80)]
    pace = learnt((size, (2000 + 5 * size) * chance.uniform(0.7, 1.3)) for size in sizes)
    errors = sorted(
        abs(pace.estimate(size) / (2000 + 5 * size) - 1) for size in range(500, 4000, 100)
    )
    assert errors[len(errors) // 2] < 0.15


def test_a_machine_that_became_slower_is_noticed():
    pace = learnt([(1000, 1000)] * 50 + [(1000, 4000)] * 25)
    assert pace.estimate(1000) > 3700


def test_no_length_makes_an_estimate_vanish():
    pace = learnt([(1000, 1000), (2000, 9000), (1500, 5000), (1800, 7000)])
    assert pace.estimate(0) > 0 and pace.estimate(10**6) < 10**7
    assert learnt([(0, 0)] * 5).estimate(100) == 0


def test_shorter_briefs_that_took_longer_do_not_make_long_ones_negative():
    pace = learnt([(1000, 9000), (2000, 1000)] * 4)
    assert pace.estimate(4000) == pytest.approx(pace.mean_ms)


def test_nothing_is_estimated_before_every_step_was_measured(partner, clock):
    production = body(partner.trigger())["productionId"]
    complete_steps(clock, 6)
    assert (
        expected(partner, production) is None
        and completion_estimates.estimate_after_trigger(100, clock()) is None
    )


@pytest.fixture
def experienced(partner, clock):
    """A production was made in seven seconds; the time since."""
    production = body(partner.trigger())["productionId"]
    complete_steps(clock)
    assert expected(partner, production) is None  # its files are there
    return clock


def waits(partner, clock) -> list[int]:
    """Of three that are triggered one after the other: milliseconds from the
    first one's trigger.
    """
    began, found = clock(), []
    for _ in range(3):
        found.append(expected(partner, body(partner.trigger())["productionId"]) - began)
        clock.tick(0.001)
    return found


def test_a_trigger_waits_for_those_before_it(partner, experienced):
    assert waits(partner, experienced) == [7000, 14_000, 21_000]


def test_two_workers_halve_the_wait(partner, experienced):
    with db.transaction():
        plain_sql.execute("INSERT INTO meta VALUES ('render_workers', '2')")
    assert waits(partner, experienced) == [7000, 10_500, 14_000]


def test_the_estimate_follows_the_work(partner, experienced):
    production = body(partner.trigger())["productionId"]
    held = claim(experienced)
    experienced.tick(5)  # it waited longer than thought
    step = progress.start_step(held, experienced())
    assert expected(partner, production) == experienced() + 7000
    experienced.tick(4)  # its first step takes four times as long, and is half done
    progress.renew(held, experienced(), 0.5, 4000)
    assert experienced() + 7000 < expected(partner, production) < experienced() + 9000
    progress.complete_step(held, step, experienced())
    progress.start_step(held, experienced())
    assert expected(partner, production) == experienced() + 6000


def test_a_changed_estimate_is_a_changed_answer(partner, experienced):
    production = body(partner.trigger())["productionId"]
    held = claim(experienced)
    progress.start_step(held, experienced())
    tag = partner.get(f"/v1/productions/{production}").headers["ETag"]
    experienced.tick(3)
    progress.renew(held, experienced(), 0.0, 3000)
    answer = partner.get(f"/v1/productions/{production}", headers={"If-None-Match": tag})
    assert answer.status_code == 200


def test_the_time_that_a_scenario_or_a_wait_took_is_not_learnt(partner, clock):
    partner.trigger()
    held = claim(clock)
    step = progress.start_step(held, clock())
    progress.complete_step(held, step, clock.tick(100), [make()], took=2000)
    assert plain_sql.row("SELECT mean_ms FROM step_paces")[0] == 2000


def test_the_error_of_the_first_estimate_is_measured(partner, experienced):
    partner.trigger()
    assert plain_sql.row("SELECT value FROM meta WHERE name = 'estimate_error'") is None
    experienced.tick(7)  # it waits for seven seconds that nobody foresaw
    complete_steps(experienced)
    assert float(plain_sql.row("SELECT value FROM meta WHERE name = 'estimate_error'")[0]) == 0.5
