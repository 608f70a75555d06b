"""Lists of productions: they show each change at once, though most of their text is kept from one
call to the next.
"""

import pytest
from support.cast import body
from support.stage import claim, complete_cancels, publish_all

from svc.domain.paging import Page
from svc.domain.productions import listing, progress, view
from svc.domain.productions.listing import Listed
from svc.store.database import db


@pytest.fixture
def read(monkeypatch) -> list[str]:
    """The ids of productions whose text was made for a list."""
    made, listed = [], view.represent_in_list

    def count(row):
        made.append(row["id"])
        return listed(row)

    monkeypatch.setattr(view, "represent_in_list", count)
    return made


def listed(partner, query="") -> list[dict]:
    return body(partner.get(f"/v1/accounts/{partner.account}/productions{query}"))["data"]


def current(partner, production_id: str) -> dict:
    shown = body(partner.get(f"/v1/productions/{production_id}"))
    del shown["steps"]
    return shown


def test_a_list_shows_what_the_status_call_shows_after_each_change(partner, clock):
    production = body(partner.trigger(metadataMD="# Ships\n\nThey sail."))["productionId"]
    seen = []

    def look():
        [shown] = listed(partner)
        assert shown == current(partner, production)
        seen.append(
            (
                shown["status"],
                shown["stepsComplete"],
                shown["progressPercent"],
                str(shown["platforms"]),
            )
        )

    look()
    held = claim(clock)
    for _ in range(7):
        step = progress.start_step(held, clock.tick(1))
        look()
        progress.renew(held, clock.tick(1), 0.5)
        look()
        progress.complete_step(held, step, clock.tick(1), [])
        look()
    partner.post(f"/v1/productions/{production}/approve")
    look()
    publish_all(clock)
    look()
    assert len(set(seen)) >= 9  # the list moved with it


def test_only_the_productions_that_changed_are_read_again(partner, clock, read):
    first, second = (body(partner.trigger())["productionId"] for _ in range(2))
    listed(partner)
    assert sorted(read) == sorted([first, second])

    read.clear()
    listed(partner)
    assert read == []

    partner.delete(f"/v1/productions/{second}")
    complete_cancels(clock)
    read.clear()
    assert {each["productionId"]: each["status"] for each in listed(partner)} == {
        first: "Queued",
        second: "Cancelled",
    }
    assert read == [second]


def test_a_production_that_is_removed_while_a_list_is_read_is_left_out(partner, monkeypatch):
    kept, removed = (body(partner.trigger())["productionId"] for _ in range(2))
    read_rows = listing._read_shown

    def remove_and_read(found):
        return [row for row in read_rows(found) if row["id"] != removed]

    monkeypatch.setattr(listing, "_read_shown", remove_and_read)

    page = body(partner.get(f"/v1/accounts/{partner.account}/productions"))
    assert [each["productionId"] for each in page["data"]] == [kept]
    assert (page["hasMore"], page["nextCursor"]) == (False, None)
    assert [
        each["productionId"] for each in listing.list_page(Listed(partner.account), Page())["data"]
    ] == [kept]


def test_a_text_that_is_long_is_not_kept(partner, read):
    partner.trigger(metadataMD="Ships sail. " * 300)
    assert listed(partner) == listed(partner)
    assert len(read) == 2


def test_as_many_texts_are_kept_as_fit(partner, read, monkeypatch):
    monkeypatch.setattr(listing, "_MOST_TEXTS", 2)
    for _ in range(3):
        partner.trigger()
    assert listed(partner) == listed(partner)
    assert len(listing._texts._known) <= 2


def test_texts_of_another_database_are_forgotten(partner, read, monkeypatch):
    partner.trigger()
    listed(partner)
    shared = object()
    monkeypatch.setattr(db, "shared", lambda: shared)
    listing.format_page(Listed(partner.account), Page())
    assert len(read) == 2


def test_an_answer_reaches_the_server_as_its_view_made_it(app, partner):
    with app.test_request_context("/v1/languages", headers={"X-API-Key": partner.key}):
        assert type(app.full_dispatch_request()).__name__ == "Answer"
