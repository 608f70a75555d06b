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
