"""What is remembered of the database holds exactly as long as it is true,
whichever process changes it.
"""

import pytest
from support import plain_sql

from svc.store.database import db
from svc.store.engine.shared_memory import KINDS, SharedMemory
from svc.store.read_cache import ReadCache


@pytest.fixture
def remembered(app):
    return ReadCache("productions", most=3)


@pytest.fixture
def production(partner):
    return partner.trigger().json["productionId"]


def status(production_id: str) -> str:
    return plain_sql.row("SELECT status FROM productions WHERE id = ?", (production_id,))["status"]


def rename(production_id: str, to: str) -> None:
    plain_sql.execute(
        "UPDATE productions SET status = ?, updated_at = updated_at + 1 WHERE id = ?",
        (to, production_id),
    )


def unread(*_):
    raise AssertionError("it was read again")


def test_it_is_read_once(remembered):
    assert remembered.get("a", lambda: "found") == remembered.get("a", unread) == "found"


def test_a_change_is_seen_at_once(remembered, production):
    assert remembered.get(production, lambda: status(production)) == "Queued"
    with db.transaction():
        rename(production, "Producing")
        assert remembered.get(production, lambda: status(production)) == "Producing"
    assert remembered.get(production, lambda: status(production)) == "Producing"


def test_what_was_read_in_a_transaction_that_was_undone_is_forgotten(remembered, production):
    with pytest.raises(ZeroDivisionError), db.transaction():
        rename(production, "Producing")
        assert remembered.get(production, lambda: status(production)) == "Producing"
        raise ZeroDivisionError
    assert remembered.get(production, lambda: status(production)) == "Queued"


@pytest.mark.sqlite("PostgreSQL counts changes in a table")
def test_a_change_by_another_process_is_seen(remembered):
    other = SharedMemory(db.path().with_name("shared"))
    remembered.get("a", lambda: "before")
    change = other.begin_change(KINDS.index("productions"))
    assert remembered.get("a", lambda: "during") == "during"
    other.end_change(KINDS.index("productions"), change)
    assert remembered.get("a", lambda: "after") == remembered.get("a", unread) == "after"
    other.close()


def test_what_nobody_is_shown_may_change(remembered, production):
    remembered.get("a", lambda: "found")
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET last_sequence = last_sequence + 1 WHERE id = ?", (production,)
        )
    assert remembered.get("a", unread) == "found"


def test_nothing_is_not_remembered_and_not_too_much(remembered):
    assert remembered.get("a", lambda: None) is None
    assert remembered.get("a", lambda: "now") == "now"
    for number in range(9):
        remembered.get(number, lambda number=number: number + 1)
    assert remembered.get(8, unread) == 9
    assert remembered.get("a", lambda: "again") == "again"


def test_a_poll_that_finds_nothing_new_asks_the_database_nothing(partner, production, monkeypatch):
    first = partner.get(f"/v1/productions/{production}")
    monkeypatch.setattr(db, "row", unread)
    monkeypatch.setattr(db, "rows", unread)
    again = partner.get(
        f"/v1/productions/{production}", headers={"If-None-Match": first.headers["ETag"]}
    )
    assert (first.status_code, again.status_code) == (200, 304)
    assert partner.get(f"/v1/productions/{production}").json == first.json
