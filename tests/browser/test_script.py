"""What the console's script adds: the search by Ctrl K, times in the browser's zone,
figures of charts by key, one sound.
"""

import os
import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from support.cast import body
from support.stage import complete_steps, make

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason=f"there is no {CHROMIUM}"),
]


def test_the_search_opens_by_key_and_leads_to_what_it_finds(site, visit):
    production = body(site.partner.trigger(topic="How tides work"))["productionId"]
    page = visit("owner")
    page.goto("/console/usage/")
    page.keyboard.press("Control+k")
    words = page.get_by_role("searchbox", name="Search")
    expect(words).to_be_focused()
    words.fill("web")
    expect(page.locator("#found")).to_contain_text("Webhooks")
    words.fill(production)
    found = page.locator("#found a")
    expect(found).to_have_count(1)  # what was found before stands there until then
    expect(found).to_contain_text("ow tides work")
    page.keyboard.press("ArrowDown")
    expect(found).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(words).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(production))
    page.keyboard.press("Control+k")
    words.fill("tides")
    page.keyboard.press("Escape")
    expect(page.locator("#find")).to_be_hidden()
    page.get_by_role("link", name="Search").click()
    expect(words).to_be_focused()


def test_times_are_shown_in_the_zone_of_the_browser_and_go_on(site, visit):
    production = body(site.partner.trigger())
    page = visit("owner", timezone_id="Asia/Kolkata")
    # The page's own clock, which only the test moves: it stands still a second after the production
    # was triggered.
    created = datetime.fromisoformat(production["createdAt"])
    page.clock.install(time=created - timedelta(hours=1))
    page.clock.pause_at(created + timedelta(seconds=1))
    page.goto(f"/console/productions/{production['productionId']}")
    ago = page.locator('h1 + p time[data-shows="ago"]')
    assert "UTC+5:30" in ago.get_attribute("title")
    first = ago.inner_text()
    page.clock.run_for(120_000)
    expect(ago).to_have_text("2 min ago")
    assert first != ago.inner_text()
    ago.focus()
    assert "UTC+5:30" in ago.evaluate("each => getComputedStyle(each, '::after').content")


def test_the_figures_of_a_day_are_shown_on_focus_and_the_arrows_lead_on(site, visit):
    site.partner.get("/v1/languages")
    page = visit("owner")
    page.goto("/console/usage/")
    days = page.locator(".chart").first.locator(".day")
    expect(days.last).to_have_attribute("aria-label", re.compile("answered 2xx or 3xx 1"))
    assert page.locator(".chart").first.locator('.day[tabindex="0"]').count() == 1
    days.last.focus()
    shown = page.locator(".chart").first.locator(".day:focus + .value")
    expect(shown).to_have_css("visibility", "visible")
    page.keyboard.press("ArrowLeft")
    expect(days.nth(-2)).to_be_focused()
    expect(days.last).to_have_attribute("tabindex", "-1")


def test_all_of_a_list_are_selected_by_one_box(site, visit):
    for number in range(3):
        site.partner.trigger(topic=f"Topic {number}")
    page = visit("owner")
    page.goto("/console/productions/")
    page.get_by_role("checkbox", name="Select all").check()
    assert page.locator('[name="production"]:checked').count() == 3


def test_the_account_is_changed_without_losing_what_was_typed(site, visit):
    page = visit("operator")
    page.goto(f"/console/productions/new?partner={site.partner.seeded['partnerId']}")
    page.get_by_label("Topic").fill("How tides work")
    page.get_by_label("Notes").fill("# One")
    with page.expect_response(
        lambda answer: answer.request.method == "POST" and answer.url.endswith("/new")
    ):
        page.get_by_label("Account").select_option(site.partner.seeded["sandboxAccountId"])
    expect(page.get_by_label("Account")).to_have_value(site.partner.seeded["sandboxAccountId"])
    expect(page.get_by_label("Topic")).to_have_value("How tides work")
    expect(page.get_by_label("Notes")).to_have_value("# One")


def test_the_videos_captions_are_off_and_the_video_of_a_tab_that_is_left_stops(site, visit):
    production = body(site.partner.live().trigger())["productionId"]
    complete_steps(
        site.clock, made=[make(name, "Video", "mp4") for name in ("Watch", "WatchVertical")]
    )
    page = visit("owner")
    page.goto(f"/console/productions/{production}")
    assert page.locator("track[default]").count() == 0
    page.evaluate("""() => {
        window.paused = 0;
        for (const each of document.querySelectorAll('.panels video'))
            each.pause = () => { window.paused += 1; };
        const film = document.querySelector('[name="film"]');
        film.dispatchEvent(new Event('change', { bubbles: true }));
    }""")
    assert page.evaluate("window.paused") == page.locator(".panels video").count() > 0
