"""A form that is refused: where the focus is, where the summary leads, and what a reload shows."""

import pytest

from tests.browser.test_console import expect

pytestmark = pytest.mark.browser


def test_a_refused_form_has_the_focus_in_its_first_wrong_field_and_its_summary_leads_to_the_others(site, visit):
    page = visit("owner")
    page.goto("/console/webhooks/new")
    page.get_by_label("Endpoint").fill("http://example.com/hooks")
    page.get_by_role("button", name="Create webhook").click()
    expect(page).to_have_title("Error: New webhook · Partner Production")
    expect(page.get_by_label("Endpoint")).to_be_focused()
    expect(page.get_by_text("Endpoint must begin with https://.")).to_have_count(1)
    page.get_by_label("Endpoint").fill("https://93.184.215.14/hooks")
    for box in page.get_by_role("checkbox").all():
        box.uncheck()
    page.get_by_role("button", name="Create webhook").click()
    summary = page.get_by_role("alert")
    expect(summary).to_contain_text("Correct this field:")
    summary.get_by_role("link", name="Event types").click()
    expect(page.get_by_role("group", name="Event types")).to_be_focused()


def test_it_does_so_without_script(site, visit):
    page = visit("owner", java_script_enabled=False)
    page.goto("/console/webhooks/new")
    page.get_by_label("Endpoint").fill("http://example.com/hooks")
    page.get_by_role("button", name="Create webhook").click()
    expect(page.get_by_label("Endpoint")).to_be_focused()
