"""What the end of a production asks of batches, while everybody who writes waits."""

import pytest
from support import plain_sql
from support.cast import body
from support.plans import instructions

from svc.domain.lifecycle import batch_endings
from svc.store.database import db

pytestmark = pytest.mark.sqlite("counts the instructions of SQLite's virtual machine")


def order(partner, number: int) -> str:
    """Trigger a batch of which all productions but the last one have ended."""
    path = f"/v1/accounts/{partner.account}/batches"
    answer = partner.post(path, json={"items": [partner.brief()] * number})
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET status = 'Cancelled' WHERE id IN (SELECT production_id FROM "
            "batch_items WHERE batch_id = ? AND position < ?)",
            (body(answer)["batchId"], number - 1),
        )
    return body(answer)["batchId"]


def count(partner, clock) -> int:
    """The instructions that the end of a production costs."""

    def end() -> None:
        with db.transaction():
            batch_endings.finish_ended_of(partner.account, clock())

    end()
    return instructions(end)


def test_what_has_ended_of_a_batch_is_not_read_at_each_end(partner, clock):
    order(partner, 10)
    ten = count(partner, clock)
    with db.transaction():
        plain_sql.execute("UPDATE batches SET finished_at = 1")
    order(partner, 60)
    assert count(partner, clock) - ten < 30  # a row costs some ten
    assert plain_sql.one("SELECT count(*) FROM batches WHERE finished_at IS NULL")[0] == 1
