"""Templates and batches in the console: what the API does with them, for people,
with forms that keep what was typed.
"""

import io
import json
import re
from urllib.parse import unquote

import pytest
from support import plain_sql
from support.cast import Browser, body, text
from support.stage import complete_cancels

from svc.base import ids
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.paging import Page
from svc.domain.partners import sensitivity_rules
from svc.store.database import db

TABLE = "city,guests\nLisbon,3\nPorto,4\n"


@pytest.fixture
def typed(partner) -> dict:
    return {
        "account": partner.seeded["sandboxAccountId"],
        "name": "City guide",
        "topic": "A day in {{city}}",
        "projectTypeSlug": "explainer",
        "languageId": ids.derive_id("language", "en"),
        "countryId": ids.derive_id("country", "US"),
        "avatarId": partner.seeded["avatarId"],
        "metadataMD": "## {{city}}\n\nFor {{guests}} people.",
        "v0-name": "city",
        "v0-type": "text",
        "v0-required": "on",
        "v0-example": "Lisbon",
        "v1-name": "guests",
        "v1-type": "number",
        "v1-default": "2",
    }


@pytest.fixture
def place(owner, typed) -> str:
    return owner.post("/console/templates/new", typed).headers["Location"]


def once(page: str) -> str:
    return re.search(r'name="once" value="([^"]+)"', page)[1]


def productions() -> int:
    return plain_sql.row("SELECT count(*) FROM productions")[0]


def test_an_owner_makes_a_template_and_changes_it(owner, member, partner, typed, place):
    template_id = place.rpartition("/")[2]
    as_api = body(
        partner.get(
            f"/v1/accounts/{typed['account']}/templates/{template_id}",
            key=partner.seeded["testKey"],
        )
    )
    assert as_api["brief"]["topic"] == "A day in {{city}}"
    assert [each["name"] for each in as_api["variables"]] == ["city", "guests"]
    for person in (owner, member):
        assert "City guide" in text(person.get("/console/templates/"))
        assert "A day in {{city}}" in text(person.get(place))
    form = text(owner.get(f"{place}/edit"))
    assert 'value="guests"' in form and "## {{city}}" in form
    assert owner.post(f"{place}/edit", {**typed, "name": "Guide to cities"}).status_code == 303
    assert "Guide to cities" in text(owner.get(place))
    assert owner.post(f"{place}/delete", {}).status_code == 303
    assert owner.get(place).status_code == 404
    entries = [
        each["action"]
        for each in audit.list_page(Page(), partner_id=partner.seeded["partnerId"])["data"]
    ]
    assert {"template.add", "template.change", "template.delete"} <= set(entries)


def test_a_form_that_is_refused_keeps_what_was_typed_and_offers_the_missing_variables(owner, typed):
    answer = owner.post(
        "/console/templates/new",
        {**typed, "topic": "{{town}} for {{guests}}", "v1-default": "many"},
    )
    page = text(answer)
    assert answer.status_code == 400
    assert "{{town}} for {{guests}}" in page and 'value="many"' in page
    assert "town is not among the variables" in page and "Must be a number such as 12.5." in page
    assert 'value="town"' in page  # a variable of that name, to complete


def test_a_template_keeps_its_script_review(owner, place, typed):
    owner.post(f"{place}/edit", {**typed, "review": "script"})
    assert '<option value="script" selected>' in text(owner.get(f"{place}/edit"))
    assert '"review": "script"' in plain_sql.row("SELECT brief FROM templates")["brief"]


def test_a_template_keeps_look_theme_and_languages(owner, partner, place, typed):
    languages = [ids.derive_id("language", code) for code in ("es", "fr")]
    given = {
        **typed,
        "look": "news",
        "theme": "light",
        "languageIds": languages,
        "translation": "people",
    }
    assert owner.post(f"{place}/edit", given).status_code == 303
    brief = json.loads(plain_sql.row("SELECT brief FROM templates")[0])
    assert (brief["look"], brief["theme"], brief["translation"]) == ("news", "light", "people")
    assert brief["languageIds"] == languages
    page = text(owner.get(f"{place}/edit"))
    assert page.count(f'name="languageIds" value="{languages[0]}" checked') == 1
    assert 'name="translation" value="people"' in page and '<option value="news" selected>' in page
    wrong = owner.post(f"{place}/edit", {**given, "languageIds": ["x"]})
    assert wrong.status_code == 400 and "Choose one of the list." in text(wrong)


def test_a_variable_is_added_without_saving(owner, typed):
    page = text(owner.post("/console/templates/new", {**typed, "more": "variable"}))
    assert 'name="v2-name"' in page and "City guide" in page
    assert "No template yet" in text(owner.get("/console/templates/"))


def test_a_preview_shows_the_filled_brief_its_estimate_and_keeps_nothing(member, place):
    page = text(member.post(f"{place}/preview", {"value-city": "Lis*bon", "value-guests": "3"}))
    assert (
        "A day in Lis*bon" in page
        and "Estimated cost" in page
        and "A trigger would be accepted now" in page
    )
    assert productions() == 0
    refused = text(member.post(f"{place}/preview", {"value-city": "", "value-guests": "lots"}))
    assert (
        "This value is required." in refused
        and "Must be a number" in refused
        and 'value="lots"' in refused
    )


def test_a_preview_has_the_scenes_which_are_asked_for_until_they_are_made(member, place, outlines):
    values = {"value-city": "Lisbon", "value-guests": "3"}
    assert f'hx-post="{place}/scenes" hx-include="#values"' in text(
        member.post(f"{place}/preview", values)
    )
    assert "being made" in text(member.post(f"{place}/scenes", values))
    visual = {"kind": "", "text": "", "columns": [], "rows": []}
    outlines["answer"] = [
        {
            "scene": 1,
            "heading": "Where to eat",
            "narration": "",
            "points": [],
            "key_phrase": "",
            "picture": "",
            "visual": visual,
        }
    ]
    assert ">Where to eat</h4>" in text(member.post(f"{place}/scenes", values))
    assert member.post(f"{place}/scenes", {}).status_code == 400
    assert {seconds for *_, seconds in outlines["asked"]} == {0}


def test_a_production_is_triggered_from_a_template(owner, place):
    answer = owner.post(
        f"{place}/trigger", {"value-city": "Lisbon", "value-guests": "3", "externalId": "order-7"}
    )
    assert answer.status_code == 303
    row = plain_sql.row("SELECT title, external_id, metadata_md FROM productions")
    assert (row["title"], row["external_id"]) == (
        "A day in Lisbon",
        "order-7",
    ) and "For 3 people" in row["metadata_md"]
    assert (
        owner.post(f"{place}/trigger", {"value-city": "", "value-guests": "3"}).status_code == 400
    )


@pytest.mark.parametrize("way", ["file", "paste", "semicolons"])
def test_a_table_becomes_a_batch(owner, place, way):
    form = {"once": once(text(owner.get(place))), "mode": "each"}
    if way == "file":
        form["file"] = (io.BytesIO(b"\xef\xbb\xbf" + TABLE.encode()), "cities.csv")
    else:
        form["csv"] = TABLE.replace(",", ";") if way == "semicolons" else TABLE
    answer = owner.post(f"{place}/batch", form)
    assert answer.status_code == 303
    page = text(owner.get(answer.headers["Location"]))
    assert (
        "Batch of 2" in page
        and "A day in Lisbon" in page
        and "A day in Porto" in page
        and "Queued" in page
    )
    assert "2 queued" in text(owner.get("/console/batches/"))
    if way == "paste":  # sent again by a reload: the same batch
        assert owner.post(f"{place}/batch", form).headers["Location"] == answer.headers["Location"]
        assert productions() == 2


def test_a_table_that_does_not_fit_is_kept_and_each_row_says_why(owner, place):
    wrong = "city,guests\nLisbon,many\n,3\n"
    answer = owner.post(f"{place}/batch", {"once": once(text(owner.get(place))), "csv": wrong})
    page = text(answer)
    assert answer.status_code == 400 and productions() == 0
    assert (
        "guests: Must be a number" in page
        and "city: This value is required." in page
        and "values." not in page
    )
    assert "Lisbon,many" in page
    binary = {"once": once(page), "file": (io.BytesIO(b"\xff\xfe\x00c"), "cities.xls")}
    assert "save it as “CSV UTF-8”" in text(owner.post(f"{place}/batch", binary))
    endless = {"once": once(page), "file": (io.BytesIO(b"city\n" + b"x" * 200_000), "cities.csv")}
    assert owner.post(f"{place}/batch", endless).status_code == 400


def test_a_table_shows_all_of_its_wrong_rows(owner, place):
    rows = [*("Lisbon,many" for _ in range(30)), "Lisbon,1,too many"]
    sent = {"once": once(text(owner.get(place))), "csv": "\n".join(("city,guests", *rows))}
    page = text(owner.post(f"{place}/batch", sent))
    assert (
        page.count("guests: Must be a number") == 30
        and "It has 3 cells, and there are 2 columns." in page
    )
    assert (
        '<a href="#wrong-rows" dir="auto">31 rows of the table; nothing was triggered</a>' in page
    )


def test_a_table_is_previewed_with_its_titles_and_the_whole_cost(owner, place):
    with db.transaction():
        plain_sql.execute("UPDATE project_types SET price = 1500000")
    sent = {"once": once(text(owner.get(place))), "csv": TABLE, "preview": "yes"}
    page = text(owner.post(f"{place}/batch", sent))
    assert (
        "2 productions, USD 3.00 in all" in page
        and "A day in Lisbon" in page
        and productions() == 0
    )
    assert ">" + TABLE.strip() in page  # stays in the form, whose other button triggers it


def test_a_row_that_a_gate_refuses_says_why_on_the_page_of_its_batch(owner, place, clock):
    sensitivity_rules.add(Actor(None, "the tests"), {"phrase": "Porto"}, clock())
    answer = owner.post(f"{place}/batch", {"once": once(text(owner.get(place))), "csv": TABLE})
    page = text(owner.get(answer.headers["Location"]))
    assert (
        "SENSITIVITY_RULE_SUPPRESSED" in page and "A day in Lisbon" in page and productions() == 1
    )
    atomic = {"once": once(text(owner.get(place))), "csv": TABLE, "mode": "atomic"}
    refused = owner.post(f"{place}/batch", atomic)
    assert (
        refused.status_code == 409
        and "SENSITIVITY_RULE_SUPPRESSED" in text(refused)
        and productions() == 1
    )


def test_a_batch_is_cancelled_and_its_page_refreshes(owner, member, place, clock):
    there = owner.post(
        f"{place}/batch", {"once": once(text(owner.get(place))), "csv": TABLE}
    ).headers["Location"]
    page = text(owner.get(there))
    seen = re.search(r"seen=([^\"&]+)", page)[1]
    assert member.get(f"{there}/live?seen={seen}").status_code == 204
    assert "Cancel the batch" in page and "Cancel the batch" not in text(member.get(there))
    assert member.post(f"{there}/cancel", {}).status_code == 403
    assert owner.post(f"{there}/cancel", {}).status_code == 303
    assert "being cancelled" in text(member.get(f"{there}/live?seen={seen}"))


def test_a_cancelled_batch_is_resumed(owner, member, place, clock):
    batch = owner.post(
        f"{place}/batch", {"once": once(text(owner.get(place))), "csv": TABLE}
    ).headers["Location"]
    assert "/resume" not in text(owner.get(batch))
    owner.post(f"{batch}/cancel")
    complete_cancels(clock)
    assert f"{batch}/resume" in text(owner.get(batch)) and f"{batch}/resume" not in text(
        member.get(batch)
    )
    assert member.post(f"{batch}/resume").status_code == 403
    assert owner.post(f"{batch}/resume").status_code == 303 and productions() == 4
    assert (
        "/resume" not in text(owner.get(batch))
        and audit.list_page(Page())["data"][0]["action"] == "batch.resume"
    )
    assert plain_sql.row("SELECT count(*) FROM productions WHERE api_triggered = 0")[0] == 4


def test_a_template_in_several_languages_is_triggered_with_all_of_them(owner, place, typed):
    languages = [ids.derive_id("language", code) for code in ("es", "fr")]
    owner.post(f"{place}/edit", {**typed, "languageIds": languages, "translation": "people"})
    assert (
        owner.post(f"{place}/trigger", {"value-city": "Porto", "value-guests": "2"}).status_code
        == 303
    )
    assert productions() == 3
    answer = owner.post(f"{place}/batch", {"once": once(text(owner.get(place))), "csv": TABLE})
    assert answer.status_code == 303 and productions() == 9
    assert text(owner.get(f"{place}")).count("Porto") == 0  # the page itself has no values


def test_only_those_who_may_trigger_change_templates(
    owner, member, operator, stranger, partner, typed, place
):
    live = {**typed, "account": partner.seeded["liveAccountId"]}
    assert owner.post("/console/templates/new", live).status_code == 403
    made = operator.post("/console/templates/new", live).headers["Location"]
    page = text(owner.get(made))
    assert (
        "City guide" in page
        and "Trigger" not in page.partition("<main")[2]
        and owner.get(f"{made}/edit").status_code == 403
    )
    for path, form in (
        (f"{made}/trigger", {"value-city": "Lisbon"}),
        (f"{made}/batch", {"once": ids.NIL, "csv": TABLE}),
    ):
        assert owner.post(path, form).status_code == 403
    for path in ("trigger", "edit", "delete", "batch"):
        assert member.post(f"{place}/{path}", typed).status_code == 403
    assert productions() == 0


def test_the_empty_table_has_the_columns_and_the_examples(owner, place):
    assert text(owner.get(f"{place}/example.csv")).lstrip("\ufeff").splitlines() == [
        "city,guests,externalId",
        "Lisbon,2,",
    ]


def test_a_table_that_was_pasted_survives_a_session_that_had_ended(owner, place):
    with db.transaction():
        plain_sql.execute("DELETE FROM sessions")
    sent = {"once": ids.NIL, "csv": TABLE, "mode": "atomic"}
    asked = owner.post(f"{place}/batch", sent).location
    kept = unquote(asked.partition("next=")[2])
    assert kept.startswith("/console/kept/")
    again = Browser(owner.app, owner.user_id, owner.app.extensions["svc"].clock)
    page = text(again.get(kept))
    assert "This is what you typed before your session ended." in page
    assert f"{TABLE}</textarea>" in page and 'value="atomic" selected' in page
    assert 'aria-invalid="true"' not in page and productions() == 0
    answer = again.post(f"{place}/batch", {**sent, "once": once(page)})
    assert "/console/batches/" in answer.location and productions() == 2


def test_a_row_of_one_cell_is_counted_in_the_singular(owner, place):
    sent = {"once": ids.NIL, "csv": "city,guests\nLisbon\n"}
    assert "It has 1 cell, and there are 2 columns." in text(owner.post(f"{place}/batch", sent))


def test_a_variable_that_only_a_text_names_is_said_to_be_listed(owner, typed):
    page = text(owner.post("/console/templates/new", typed | {"topic": "{{city}} by {{night}}"}))
    assert 'value="night"' in page and page.count("it is declared when you save") == 1
