"""Journeys through the console in a real browser, with an engine that really makes and delivers
what they lead to.
"""

import os
import re
import threading
from pathlib import Path

import pytest
from support.cast import body
from support.receivers import read_request, receiving
from support.stage import complete_steps, make

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
PATIENCE = 60_000  # milliseconds until a test gives up
MAKING = 1_200_000  # until a production is made: two renditions of a few seconds

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason=f"there is no {CHROMIUM}"),
]

NOTES = "## The moon pulls\n\nThe sea rises towards the moon.\n\n- Two tides a day"
HELD = "---\nsandbox:\n  holdIn: Queued\n---\n"


@pytest.mark.slow
def test_a_brief_that_is_typed_becomes_a_published_video_that_plays(site, visit):
    page = visit("owner")
    with site.engine():
        page.goto("/console/productions/")
        page.get_by_role("link", name="New production").first.click()
        page.get_by_label("Topic").fill("How tides work")
        page.get_by_label("Notes").fill(NOTES)
        # the call follows what is typed
        expect(page.locator("#call")).to_contain_text("How tides work")
        page.locator("label", has_text="Python").click()
        expect(page.locator("#call .panel:visible")).to_contain_text("requests.post")
        page.get_by_role("button", name="Trigger").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("How tides work")
        expect(page.locator("h1 + p .badge:not(.plain)")).to_have_text("Published", timeout=MAKING)
        expect(page.locator("#timeline")).to_contain_text("production.published")
        gates = page.locator("section[aria-labelledby=findings]")
        expect(gates).to_contain_text("What the quality gates measured")
        expect(gates).to_contain_text("loudness")
        video = page.locator("video").first
        video.evaluate("each => { each.muted = true; return each.play(); }")
        until(lambda: video.evaluate("each => each.currentTime") > 0.5)
        # The words are in the picture; the track is there for those who choose it.
        assert video.evaluate("each => each.textTracks[0].mode") == "disabled"
        video.evaluate("each => { each.textTracks[0].mode = 'showing'; }")
        until(lambda: video.evaluate("each => (each.textTracks[0].cues || []).length") > 0)
        with page.expect_download() as downloading:
            page.get_by_role("link", name="Download Transcript txt").click()
        assert "tides" in Path(downloading.value.path()).read_text("utf-8").lower()


def test_the_sample_stays_while_the_form_is_typed_into_and_keeps_the_language_that_was_chosen(
    site, visit
):
    page = visit("owner")
    page.goto("/console/productions/new")
    sample = page.locator("#call .panel:visible")
    for language, words in (
        ("curl", "curl http"),
        ("Python", "requests.post"),
        ("Node.js", "await fetch"),
    ):
        page.locator("#call label", has_text=language).click()
        expect(sample).to_contain_text(words)
        with page.expect_response(lambda answer: answer.url.endswith("/new/call")):
            page.get_by_label("Topic").press_sequentially(f"{language[0]}")
        expect(sample).to_have_count(1)
        expect(sample).to_contain_text(words)
    expect(sample).to_contain_text("cPN")  # what was typed


def test_a_webhook_that_fails_is_found_in_the_log_is_fixed_and_is_redelivered(site, visit):
    page, answers, got = (
        visit("owner"),
        [b"HTTP/1.1 500 Broken\r\nContent-Length: 11\r\n\r\nout of milk"],
        [],
    )

    def handle(connection, stopping):
        while request := read_request(connection):
            got.append(request)
            connection.sendall(answers[-1])

    with receiving(handle) as receiver, site.engine():
        page.goto("/console/webhooks/")
        page.get_by_role("link", name="New webhook").first.click()
        page.get_by_label("Endpoint").fill(receiver.url())
        page.get_by_label("Events of").select_option(index=1)
        page.get_by_role("button", name="Create webhook").click()
        assert len(page.locator("#secret").inner_text()) > 40
        page.get_by_role("link", name="Done").click()

        production = body(site.partner.trigger(metadataMD=HELD))["productionId"]
        log = page.url
        for leap in (0, 61_000, 301_000):
            site.clock.leapt += leap
            site.app.extensions["engine"]._dispatcher.dispatch()
            until(lambda before=leap: len(got) >= {0: 2, 61_000: 3, 301_000: 4}[before])
        page.goto(f"{log}?status=Failed")
        page.get_by_role("link", name="production.queued").click()
        expect(page.locator("#attempts")).to_contain_text("out of milk")
        expect(page.locator("#attempts .badge").first).to_have_text("Failed")
        assert page.locator("#attempts details").count() == 4
        expect(page.locator("#attempts")).to_contain_text(got[-1][0]["x-service-signature"])

        answers.append(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        page.get_by_role("button", name="Redeliver").click()
        expect(page.locator("#attempts .badge").first).to_have_text("Succeeded")
        assert len(got) == 5 and got[-1][1] == got[0][1]
        page.goto(f"/console/productions/{production}")
        expect(page.locator("#timeline .badge").last).to_have_text("Succeeded")


def until(is_so, seconds: float = PATIENCE / 1000) -> None:
    waiting, tries = threading.Event(), int(seconds / 0.05)
    assert any(is_so() or waiting.wait(0.05) for _ in range(tries))


def test_an_operator_rejects_a_production_and_its_partner_reads_why(site, visit):
    production = body(site.partner.live().trigger())["productionId"]
    complete_steps(site.clock, made=[make()])
    operator, owner = visit("operator"), visit("owner")
    operator.goto("/console/")
    operator.get_by_role("link", name="How tides work").first.click()
    operator.locator("summary", has_text="Reject").click()
    operator.get_by_label("Reason").fill("The moon is not made of cheese.")
    operator.locator(".confirm[open] button", has_text="Reject").click()
    expect(operator.locator("h1 + p .badge:not(.plain)")).to_have_text("Failed")
    owner.goto(f"/console/productions/{production}")
    expect(owner.locator(".note.bad")).to_contain_text("The moon is not made of cheese.")
    assert owner.get_by_role("button", name=re.compile("Release|Reject|Retry")).count() == 0


def test_the_form_says_beside_each_field_what_is_wrong(site, visit):
    page = visit("owner")
    page.goto("/console/productions/new")
    page.get_by_label("Topic").evaluate("each => each.removeAttribute('required')")
    page.get_by_label("Topic").fill("   ")
    with page.expect_response(lambda answer: "/console/kept/" in answer.url) as shown:
        page.get_by_role("button", name="Trigger").click()
    assert shown.value.status == 400
    described = page.get_by_label("Topic").get_attribute("aria-describedby").split()
    said = " ".join(page.locator(f"#{each}").inner_text() for each in described)
    assert "Give 1 to 500 characters" in said


def test_everything_is_reached_by_the_keyboard_on_a_small_screen(chromium, site):
    context = chromium.new_context(base_url=site.address, viewport={"width": 360, "height": 700})
    context.add_cookies([site.cookie(site.somebody("owner"))])
    page = context.new_page()
    page.goto("/console/")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.get_by_role("button", name="Menu").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Usage")).to_be_visible()
    for name in ("Search Ctrl K", "Home"):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == name
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Usage")).not_to_be_visible()
    context.close()
