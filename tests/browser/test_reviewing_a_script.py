"""A script is reviewed in the console: a scene is heard, changed, approved,
and the video says what was written.
"""

from pathlib import Path

import pytest

from tests.browser.test_console import MAKING, expect, until

pytestmark = pytest.mark.browser
NOTES = (
    "The sea rises towards the moon every day.\n\n## The guest\n\n"
    "A lion waits at the door every morning."
)


@pytest.mark.slow
def test_a_script_is_heard_changed_and_approved_and_the_video_says_it(site, visit):
    page = visit("owner")
    with site.engine():
        page.goto("/console/productions/new")
        page.get_by_label("Topic").fill("How tides work")
        page.get_by_label("Notes").fill(NOTES)
        page.get_by_label("Script").select_option("script")
        page.get_by_role("button", name="Trigger").click()
        page.get_by_role("link", name="Review the script").click(timeout=MAKING)

        page.get_by_role("link", name="Play scene 1").click()
        film = page.locator("video").first
        film.wait_for(timeout=MAKING)  # it is made beside requests, and the page shows it by itself
        film.evaluate("each => { each.muted = true; each.play(); }")
        until(lambda: film.evaluate("each => each.currentTime") > 0.3, MAKING / 1000)
        assert film.evaluate("each => each.videoWidth") == 640

        page.get_by_label("Narration").first.fill("Nobody sleeps when the sea rises.")
        page.get_by_label("Key phrase").first.fill("Nobody sleeps")
        page.get_by_role("button", name="Save").click()
        expect(page.locator("main")).to_contain_text("The script is saved.")
        expect(page.locator("main")).to_contain_text("Version 2")
        page.locator("summary", has_text="Approve").click()
        page.get_by_role("button", name="Save and approve").click()
        expect(page.locator("h1 + p .badge:not(.plain)")).to_have_text("Published", timeout=MAKING)
        with page.expect_download() as downloading:
            page.get_by_role("link", name="Download Transcript txt").click()
    said = Path(downloading.value.path()).read_text("utf-8")
    assert (
        "Nobody sleeps when the sea rises." in said
        and "towards the moon" not in said
        and "A lion waits" in said
    )
