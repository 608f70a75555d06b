"""What the end of a production asks of batches, while everybody who writes waits."""

import pytest
from support import plain_sql
from support.cast import body
from support.plans import instructions

from svc.domain.lifecycle import batch_endings
from svc.store.database import db

pytestmark = pytest.mark.sqlite("counts the instructions of SQLite's virtual machine")


def order(partner, number: int, is_open: int = -1) -> str:
    """Trigger a batch, and return its production at a place; all others have ended."""
    path = f"/v1/accounts/{partner.account}/batches"
    answer = partner.post(path, json={"items": [partner.brief()] * number})
    batch = body(answer)["batchId"]
    of_batch = "SELECT production_id FROM batch_items WHERE batch_id = ? ORDER BY position"
    made = [row["production_id"] for row in plain_sql.rows(of_batch, (batch,))]
    left = made.pop(is_open)
    with db.transaction():
        for production in made:
            plain_sql.execute(
                "UPDATE productions SET status = 'Cancelled' WHERE id = ?", (production,)
            )
    return left


def count(production_id: str, clock) -> int:
    """The instructions that the end of a production costs, if it changes nothing."""

    def end() -> None:
        with db.transaction():
            batch_endings.finish_with(production_id, clock())

    end()
    return instructions(end)


def test_what_has_ended_of_a_batch_is_not_read_at_each_end(partner, clock):
    ten = count(order(partner, 10), clock)
    assert count(order(partner, 60), clock) - ten < 30  # a row costs some ten


def test_other_batches_are_not_read_at_the_end_of_a_production(partner, clock):
    production = order(partner, 10)
    clock.tick(1)
    order(partner, 10, is_open=0)  # or its entry could be the last of the index, and read with less
    alone = count(production, clock)
    for _ in range(4):
        order(partner, 10, is_open=0)
    assert count(production, clock) == alone


def test_a_production_of_no_batch_reads_none(partner, clock):
    production = body(partner.trigger())["productionId"]
    clock.tick(1)
    order(partner, 10, is_open=0)
    alone = count(production, clock)
    for _ in range(4):
        order(partner, 10, is_open=0)
    assert count(production, clock) == alone
