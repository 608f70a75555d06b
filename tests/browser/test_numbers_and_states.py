"""Numbers and states of the console say what is so: what a card counts, whom a production waits for, whether a queue stands."""

import pytest
from support.cast import body
from support.scripts import scene, write_script

from svc.base import ids
from svc.domain.people.users import Viewer
from svc.domain.productions import render_queue
from tests.browser.test_console import expect

pytestmark = pytest.mark.browser


def trigger(site, topic: str, **changes) -> str:
    return body(site.partner.trigger(topic=topic, **changes))["productionId"]


def rows_of(page):
    return page.locator("table.cards tbody tr")


def test_a_card_leads_to_as_many_rows_as_it_says(site, visit):
    trigger(site, "A script", review="script")
    write_script(site.clock, scene(1))
    for number in range(3):
        trigger(site, f"Queued {number}")
    page = visit("owner")
    page.goto("/console/")
    page.locator("a.stat", has_text="Running").click()
    expect(rows_of(page)).to_have_count(3)  # not the script, on which nobody works
    page.goto("/console/")
    expect(page.locator("a.stat", has_text="Running").locator(".value")).to_have_text("3")


def test_a_day_is_that_of_the_viewers_zone(site, visit):
    page = visit("owner", timezone_id="America/New_York")
    page.goto("/console/")  # its script tells the zone
    page.goto("/console/productions/")
    expect(page.get_by_label("From (America/New_York)")).to_be_visible()


def test_what_waits_for_a_person_says_so_and_leads_there(site, visit):
    trigger(site, "A script to read", review="script")
    write_script(site.clock, scene(1))
    trigger(site, "Texts to translate", languageIds=[ids.named("language", "es")])
    page = visit("owner")
    page.goto("/console/")
    waiting = page.locator("section[aria-labelledby=waiting]")
    expect(waiting).to_contain_text("Awaiting script approval")
    waiting.get_by_role("link", name="Review the script").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Script")
    page.goto("/console/productions/?status=Waiting")
    row = rows_of(page).filter(has_text="Script")
    expect(row).to_contain_text("Awaiting script approval")
    expect(row.locator(".badge.plain")).to_contain_text("en")


def test_a_queue_that_is_paused_says_so_while_one_looks(site, visit):
    trigger(site, "Tides")
    operator, owner = visit("operator"), visit("owner")
    for page in (operator, owner):
        page.goto("/console/")
    render_queue.pause(Viewer(None, "Ada", "ada@example.com", "operator", None), None, site.clock())
    note = ".note.warn:has-text('is paused')"
    expect(operator.locator(note)).to_contain_text("until you resume it")
    expect(owner.locator(note)).to_contain_text("until the operator resumes it")
    expect(operator.locator(".stat", has_text="Engine").locator(".value")).not_to_have_text("Running")
    owner.get_by_role("link", name="Tides").first.click()
    expect(owner.locator(f"#live {note}")).to_be_visible()
