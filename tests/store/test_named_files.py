"""The files that a database names in the data directory and in the bucket,
for backups and copies.
"""

import json

import pytest
from support import plain_sql
from support.cast import body

from svc.domain.lifecycle import endings, render_queue
from svc.store import inspection
from svc.store.backup import named_files
from svc.store.database import db

ARCHIVE = {"name": "work/p/0-token.tar", "size_bytes": 1, "sha256": "00", "files": {}}


def test_the_uploads_in_the_data_directory_are_named_on_either_database(app, partner):
    with db.transaction():
        customer = plain_sql.row(
            "SELECT customer_id FROM accounts WHERE id = ?", (partner.account,)
        )[0]
        plain_sql.execute(
            "INSERT INTO assets VALUES ('a', ?, NULL, 'logo', 'image/png', 'a.png', 22, '00', 1)",
            (customer,),
        )
        plain_sql.execute(
            "INSERT INTO intro_clips VALUES (?, 'A licence', 'a.mp4', 4, '01', 1, 2000)",
            (partner.account,),
        )
    with db.separate_connection() as connection:
        named = named_files.list_local_files(connection)
    assert named == {
        "assets/a.png": named_files.Part(22, "00"),
        "assets/a.mp4": named_files.Part(4, "01"),
    }


@pytest.mark.slow
@pytest.mark.sqlite
def test_the_work_of_a_cancelled_production_is_not_expected_in_the_bucket(app, partner, clock):
    production = body(partner.trigger())["productionId"]
    with db.transaction():
        plain_sql.execute(
            "INSERT INTO production_steps (production_id, position, name, label, status, files) "
            "VALUES (?, 0, 'script', '', 'Completed', ?)",
            (production, json.dumps(ARCHIVE)),
        )

    def named() -> set[str]:
        with inspection.open_read_only(
            app.extensions["svc"].settings.database, False
        ) as connection:
            return set(named_files.list_bucket_files(connection))

    assert named() == {ARCHIVE["name"]} and render_queue.list_unfinished() == [production]
    partner.delete(f"/v1/productions/{production}")  # its archives may be removed from now on
    assert named() == set() and render_queue.list_unfinished() == []
    assert endings.finish_cancel(production, clock())
    assert plain_sql.one("SELECT count(files) FROM production_steps")[0] == 1 and named() == set()
