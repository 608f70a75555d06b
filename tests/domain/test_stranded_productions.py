"""Productions whose time to run is of a clock that was set back while the machine was off:
they are made all the same.
"""

import pytest
from support import plain_sql
from support.stage import claim

from svc.base.clock import HOUR, MINUTE
from svc.domain.lifecycle import clock_jump
from svc.domain.productions import progress
from svc.store.database import db


@pytest.mark.parametrize(
    ("attempts", "scenario", "planned", "expected"),
    [
        (0, None, HOUR, 0),  # triggered before the machine was started anew with its clock set back
        (0, None, 30_000, 0),
        (0, None, -1_000, -1_000),
        (1, None, 10 * MINUTE, 10 * MINUTE),  # the longest delay of a step that is tried again
        (1, None, HOUR, 0),
        (0, "{}", 10 * MINUTE, 10 * MINUTE),  # a scenario makes a step slow
        (0, "{}", HOUR, 0),
    ],
)
def test_a_production_queued_by_a_clock_that_was_set_back_across_a_start_of_the_machine_is_made(
    partner, clock, attempts, scenario, planned, expected
):
    production = partner.trigger().json["productionId"]
    if attempts:
        held = claim(clock)
        progress.postpone_step(
            held,
            progress.start_step(held, clock()),
            "MODEL_UNAVAILABLE",
            "It does not answer.",
            clock(),
        )
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET not_before = ?, scenario = ?", (clock() + planned, scenario)
        )
    clock_jump.release_stranded(clock())
    [found] = plain_sql.row("SELECT not_before FROM productions WHERE id = ?", (production,))
    assert found == clock() + expected
    assert clock_jump.release_stranded(clock()) == 0


def test_a_production_that_is_held_stays_held_when_the_clock_was_set_back(partner, clock):
    partner.trigger(metadataMD="---\nsandbox:\n  holdIn: Queued\n---\n")
    assert clock_jump.release_stranded(clock() - HOUR) == 0
    assert plain_sql.row("SELECT not_before FROM productions")[0] is None
