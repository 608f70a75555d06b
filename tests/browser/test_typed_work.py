"""Nothing that was typed into the console is lost or overwritten, and nothing is carried out twice."""

import pytest

from svc.store import database
from tests.browser.test_console import expect

pytestmark = pytest.mark.browser
LONG = "The sea rises. " * 334


def number_of(table: str) -> int:
    return database.one(f"SELECT count(*) FROM {table}")[0]


def test_a_button_that_is_pressed_twice_makes_one_production(site, visit):
    page = visit("owner")
    page.goto("/console/productions/new")
    page.get_by_label("Topic").fill("How tides work")
    page.get_by_role("button", name="Trigger").evaluate("each => { each.click(); each.click(); }")
    expect(page.get_by_role("heading", level=1)).to_have_text("How tides work")
    assert number_of("productions") == 1


def test_without_script_a_second_press_leads_to_the_production_of_the_first(site, visit):
    page = visit("owner", java_script_enabled=False)
    page.goto("/console/productions/new")
    page.get_by_label("Topic").fill("How tides work")
    page.get_by_role("button", name="Trigger").dblclick()
    expect(page.get_by_role("heading", level=1)).to_have_text("How tides work")
    assert number_of("productions") == 1


def test_a_long_text_is_kept_counted_and_refused_with_a_sentence(site, visit):
    page = visit("owner")
    page.goto("/console/productions/new")
    page.get_by_label("Topic").fill("How tides work")
    notes = page.get_by_label("Notes")
    notes.fill(LONG)
    expect(page.locator("#f-metadataMD-count")).to_have_text("5,009 of 4,096 characters: 913 too many")
    page.get_by_role("button", name="Trigger").click()
    expect(page.get_by_role("alert")).to_have_text(
        "Not sent: this text has 5,009 characters, and at most 4,096 fit. Shorten it, and send it again."
    )
    assert notes.input_value() == LONG and number_of("productions") == 0
    expect(notes).to_be_focused()
    notes.fill(LONG[:4000])
    page.get_by_role("button", name="Trigger").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("How tides work")


def test_two_tabs_that_edit_a_template_show_both_texts_and_one_is_chosen(site, visit):
    owner = site.somebody("owner")
    first, second = visit(user_id=owner), visit(user_id=owner)
    first.goto("/console/templates/new")
    first.get_by_label("Name").first.fill("City guide")
    first.get_by_label("Topic").fill("A day in the city")
    first.get_by_role("button", name="Save template").click()
    expect(first.locator("main")).to_contain_text("Template created.")
    for page in (first, second):
        page.goto(f"{first.url.partition('?')[0].removesuffix('/edit')}/edit")
    first.get_by_label("Notes").fill("The sea rises.")
    first.get_by_role("button", name="Save template").click()
    expect(first.locator("main")).to_contain_text("Template saved.")
    second.get_by_label("Notes").fill("The wind blows.")
    second.get_by_role("button", name="Save template").click()
    versions = second.locator(".versions pre")
    expect(versions).to_have_text(["The sea rises.", "The wind blows."])
    second.get_by_role("button", name="Save mine instead").click()
    expect(second.locator("main")).to_contain_text("Template saved.")
    assert '"metadataMD": "The wind blows."' in database.one("SELECT brief FROM templates")[0]


def test_a_script_that_was_changed_is_approved_with_its_changes(site, visit):
    production = body(site.partner.trigger(review="script"))["productionId"]
    write_script(site.clock, scene(1, "The sea rises."))
    page = visit("owner")
    page.goto(f"/console/productions/{production}/script")
    page.get_by_label("Narration").first.fill("Nobody sleeps when the sea rises.")
    page.locator("summary", has_text="Approve").click()
    page.get_by_role("button", name="Save and approve").click()
    expect(page.locator("main")).to_contain_text("The script is approved.")
    approved = body(site.partner.get(f"/v1/productions/{production}/script"))
    assert (approved["review"], approved["scenes"][0]["narration"]) == ("Approved", "Nobody sleeps when the sea rises.")
