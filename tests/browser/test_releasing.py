"""Releases in the browser: one sees what is released, is asked before several,
and sees them go on.
"""

import pytest
from support.cast import body
from support.stage import complete_steps, make, publish_all

from tests.browser.test_console import expect

pytestmark = pytest.mark.browser


@pytest.fixture
def waiting(site) -> list[str]:
    """Three live productions that await their release."""
    found = []
    for topic in ("Tides", "Winds", "Rain"):
        found.append(body(site.partner.live().trigger(topic=topic))["productionId"])
        complete_steps(site.clock, made=[make("Watch", "Video", "mp4")])
    return found


def test_several_are_released_after_a_question_and_are_releasing_until_they_are_published(
    site, visit, waiting
):
    page = visit("operator")
    page.goto("/console/productions/?status=AwaitingApproval&sort=oldest")
    page.get_by_role("checkbox", name="Select all").check()
    page.get_by_role("button", name="Release selected").click()
    expect(page.get_by_role("heading", name="3 productions will be released")).to_be_visible()
    expect(page.locator("main")).to_contain_text("in all, reserved when they were triggered")
    page.get_by_role("button", name="Release 3 productions").click()
    expect(page.get_by_text("3 productions released.")).to_be_visible()
    assert page.url.endswith("/console/productions/?status=AwaitingApproval&sort=oldest")
    page.get_by_role("link", name="Releasing 3").click()
    expect(page.locator("tbody .badge.live")).to_have_text(["Releasing"] * 3)
    publish_all(site.clock)
    expect(page.locator(".empty")).to_contain_text("Nothing matches")  # by itself


def test_who_releases_from_home_sees_the_video_its_cost_and_its_places_first(site, visit, waiting):
    page = visit("operator")
    page.goto("/console/")
    card = page.locator("li", has=page.get_by_role("link", name="Winds", exact=True))
    card.locator("summary", has_text="Release").click()
    expect(card.locator("video")).to_have_attribute("aria-label", "Watch: Winds")
    expect(card.locator("dl")).to_contain_text("Cost")
    expect(card.locator("dl")).to_contain_text("Watch")
    card.get_by_role("button", name="Release").click()
    expect(page.get_by_text("Winds: The production is released")).to_be_visible()
    expect(page.get_by_text("Releasing", exact=True)).to_have_count(1)
