"""Numbers and states of the console say what is so: what a card counts,
whom a production waits for, whether a queue stands.
"""

import pytest
from support import plain_sql
from support.cast import body
from support.outbox import answer, claim
from support.scripts import scene, write_script
from support.stage import complete_steps, make, publish_all

from svc.base import ids
from svc.domain.lifecycle import render_queue
from svc.domain.people.users import Viewer
from svc.store.database import db
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
    trigger(site, "Texts to translate", languageIds=[ids.derive_id("language", "es")])
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
    note = ".note.warn:has-text('been paused')"
    expect(operator.locator(note)).to_contain_text("until you resume it")
    expect(owner.locator(note)).to_contain_text("until the operator resumes it")
    expect(operator.locator(".stat", has_text="Engine").locator(".value")).not_to_have_text(
        "Running"
    )
    owner.get_by_role("link", name="Tides").first.click()
    expect(owner.locator(f"#live {note}")).to_be_visible()


def test_a_release_by_somebody_else_does_not_stop_the_video_that_one_watches(site, visit):
    production_id = body(site.partner.live().trigger(topic="Tides"))["productionId"]
    complete_steps(site.clock, made=[make("Watch", "Video", "mp4")])
    owner, operator = visit("owner"), visit("operator")
    owner.goto(f"/console/productions/{production_id}")
    # As the file is made up, the element only says that it plays; what is watched is that it is the
    # same element afterwards.
    owner.evaluate("""() => {
        const video = document.querySelector("video");
        Object.defineProperty(video, "paused", { value: false });
        video.dataset.watched = "yes";
    }""")
    expect(owner.locator("#head .badge").first).to_have_text("Awaiting release")
    operator.goto(f"/console/productions/{production_id}")
    operator.get_by_role("button", name="Release").click()
    publish_all(site.clock)
    expect(owner.locator("#head .badge").first).to_have_text("Published")
    expect(owner.locator("video[data-watched=yes]")).to_have_count(1)


def test_what_is_typed_into_the_head_is_not_swapped_away(site, visit):
    production_id = body(site.partner.live().trigger(topic="Tides"))["productionId"]
    complete_steps(site.clock, made=[make()])
    typing, other = visit("operator"), visit("operator")
    typing.goto(f"/console/productions/{production_id}")
    typing.locator("summary", has_text="Reject").click()
    typing.get_by_label("Reason").fill("Not yet")
    other.goto(f"/console/productions/{production_id}")
    other.get_by_role("button", name="Release").click()
    with typing.expect_response(lambda answer: "/live?" in answer.url and answer.status == 200):
        pass
    assert typing.get_by_label("Reason").input_value() == "Not yet"
    typing.get_by_role("button", name="Cancel", exact=True).click()
    typing.locator("h1").click()
    typing.evaluate("document.activeElement.blur()")
    expect(typing.get_by_role("button", name="Release")).to_have_count(0)


def test_the_queue_of_a_webhook_falls_while_one_looks_and_the_lists_go_on(site, visit):
    got = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}
    hook = body(site.partner.post("/v1/webhooks", json=got))["subscriptionId"]
    page, listed = visit("owner"), visit("owner")
    page.goto(f"/console/webhooks/{hook}")
    listed.goto("/console/productions/")
    trigger(site, "Tides")
    expect(page.locator(".stat", has_text="Queued").locator(".value")).to_have_text("1")
    expect(page.locator("#log tbody tr")).to_have_count(1)
    expect(rows_of(listed)).to_have_count(1)
    answer(claim(site.clock()), site.clock(), 200)
    expect(page.locator(".stat", has_text="Queued").locator(".value")).to_have_text("0")
    expect(page.locator("#log .badge", has_text="Succeeded")).to_be_visible()


def test_a_list_that_goes_on_keeps_what_one_has_selected(site, visit):
    trigger(site, "Tides")
    page = visit("owner")
    page.goto("/console/productions/")
    page.get_by_role("checkbox", name="Select Tides").check()
    page.locator("h1").click()
    page.evaluate("document.activeElement.blur()")
    trigger(site, "Winds")
    with page.expect_response(
        lambda answered: "/console/productions/" in answered.url and answered.status == 200
    ):
        pass
    page.wait_for_function("() => true")
    expect(page.get_by_role("checkbox", name="Select Tides")).to_be_checked()
    page.get_by_role("checkbox", name="Select Tides").uncheck()
    page.evaluate("document.activeElement.blur()")
    expect(rows_of(page)).to_have_count(2)


def test_costs_have_a_currency_and_two_digits(site, visit):
    production_id = body(site.partner.live().trigger(topic="Tides"))["productionId"]
    with db.transaction():
        plain_sql.execute("UPDATE ledger SET reserved = 1234567")
    page = visit("owner")
    page.goto(f"/console/productions/{production_id}")
    expect(page.locator("#about")).to_contain_text("USD 1.23 reserved")
