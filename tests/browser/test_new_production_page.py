"""A new production in the browser: what would come of it is seen before it is triggered."""

import pytest

from tests.browser.test_console import MAKING, expect

pytestmark = pytest.mark.browser


def test_cost_and_length_are_seen_while_one_types_and_nothing_is_triggered(site, visit):
    page = visit("operator")
    page.goto("/console/productions/new")  # of the only partner there is
    page.get_by_label("Topic").fill("Why bread rises")
    preview = page.locator("#call")
    expect(preview).to_contain_text("Estimated cost")
    expect(preview).to_contain_text("Why bread rises")
    expect(preview).to_contain_text("A trigger would be accepted now.")
    page.get_by_text("Further languages").click()
    page.get_by_role("checkbox", name="Spanish", exact=True).check()
    expect(page.get_by_role("checkbox", name="Spanish", exact=True)).to_be_checked()
    page.goto("/console/productions/")
    expect(page.get_by_text("No production yet")).to_be_visible()


def test_the_scenes_are_shown_and_follow_what_is_typed(site, visit, monkeypatch):
    monkeypatch.setattr("svc.work.avatar_previews._SAMPLE_SECONDS", 110)  # on the busiest machine
    page = visit("owner")
    page.goto("/console/productions/new?sample=yes")
    page.get_by_role("button", name="Show the scenes").click()
    scenes = page.get_by_role("list", name="Scenes")
    expect(scenes).to_contain_text("The moon pulls", timeout=MAKING)
    expect(scenes).to_contain_text("Two high tides a day")
    page.get_by_label("Notes").fill("## The wind blows\n\nNobody sleeps when the wind blows.")
    expect(scenes).to_contain_text("Nobody sleeps when the wind blows.", timeout=MAKING)
    expect(scenes).not_to_contain_text("The moon pulls")


def test_a_sample_brief_is_triggered_as_it_is(site, visit):
    page = visit("owner", java_script_enabled=False)
    page.goto("/console/productions/new")
    page.get_by_role("link", name="Fill in a sample brief").click()
    expect(page.locator("#call")).to_contain_text("A trigger would be accepted now.")
    page.get_by_role("button", name="Trigger").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Why there are two tides a day")
