"""The files that a database says are in the bucket, for backups and copies."""

import json

import pytest
from support.cast import body

from svc.domain.productions import endings, render_queue
from svc.store import database, inspection
from svc.store.backup import named_files

ARCHIVE = {"name": "work/p/0-token.tar", "size_bytes": 1, "sha256": "00", "files": {}}


@pytest.mark.slow
@pytest.mark.sqlite
def test_the_work_of_a_cancelled_production_is_not_expected_in_the_bucket(app, partner, clock):
    production = body(partner.trigger())["productionId"]
    with database.write():
        database.execute(
            "INSERT INTO production_steps (production_id, position, name, label, status, files) "
            "VALUES (?, 0, 'script', '', 'Completed', ?)",
            (production, json.dumps(ARCHIVE)),
        )

    def named() -> set[str]:
        with inspection.opened(app.extensions["svc"].settings.database, False) as connection:
            return set(named_files.in_bucket(connection))

    assert named() == {ARCHIVE["name"]} and render_queue.all_being_made() == [production]
    partner.delete(f"/v1/productions/{production}")  # its archives may be removed from now on
    assert named() == set() and render_queue.all_being_made() == []
    assert endings.finish_cancel(production, clock())
    assert database.one("SELECT count(files) FROM production_steps")[0] == 1 and named() == set()
