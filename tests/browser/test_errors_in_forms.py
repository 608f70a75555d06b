"""A form that is refused: where the focus is, where the summary leads, and what a reload shows."""

import pytest

from tests.browser.test_console import expect

pytestmark = pytest.mark.browser


def test_a_refused_form_has_the_focus_in_its_first_wrong_field_and_its_summary_leads_to_the_others(
    site, visit
):
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


def test_the_answer_to_a_form_can_be_opened_anew_and_a_reload_sends_nothing(site, visit):
    page = visit("operator")
    page.goto("/console/partners")
    page.get_by_label("Name", exact=True).last.fill("x" * 300)
    page.get_by_role("button", name="Add the partner").click()
    expect(page).to_have_title("Error: Partners · Partner Production")
    sent = []
    page.on(
        "request",
        lambda request: sent.append(request.method) if request.is_navigation_request() else None,
    )
    page.reload()
    assert sent == ["GET"]
    expect(page).to_have_title("Error: Partners · Partner Production")
    expect(page.get_by_label("Name", exact=True).last).to_have_value("x" * 300)
    page.goto(page.url)
    page.get_by_label("Name", exact=True).last.fill("Ferry")
    page.get_by_role("button", name="Add the partner").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ferry")
