"""From an empty service to the first video, in a real browser: operator, partner, owner, brief,
a film that plays.
"""

import re

import pytest
from browser.conftest import Site, serving
from browser.test_access import fill_in_welcome

from svc.domain.people import passwords, users

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
pytestmark = [pytest.mark.browser, pytest.mark.slow]

MAKING = 1_200_000  # milliseconds until a test gives up on a production
NOTES = "## The moon pulls\n\nThe sea rises towards the moon."


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A service that has no operator and no partner yet."""
    monkeypatch.setattr(passwords, "_COST", 2)
    with serving(tmp_path / "data") as (app, address):
        yield Site(app, address, None)


def test_an_empty_service_is_brought_to_its_first_video(site, visit):
    operator, owner = visit(), visit()
    operator.goto(f"/console/welcome/{users.make_first_operator_link(site.clock())}")
    fill_in_welcome(operator, "Ada Lovelace", "ada@example.com")
    operator.get_by_role("link", name="Partners").click()
    operator.get_by_role("textbox", name="Name", exact=True).fill("Kettle & Co")
    operator.get_by_role("button", name="Add the partner").click()
    operator.locator("a.stat", has_text="People").click()
    operator.get_by_label("Role").select_option("owner")
    operator.get_by_label("E-mail address").fill("grace@example.com")
    operator.get_by_role("button", name="Create link").click()
    link = operator.locator(".secret code").inner_text()

    owner.goto(link.replace("http://127.0.0.1/", f"{site.address}/"))
    fill_in_welcome(owner, "Grace Hopper", None)
    owner.get_by_role("link", name="API keys").first.click()
    owner.get_by_label("Name").fill("laptop")
    owner.get_by_role("button", name="Create key").click()  # which opens the sandbox
    expect(owner.locator("#fresh-key")).to_be_visible()
    owner.get_by_role("link", name="Productions").first.click()
    owner.get_by_role("link", name="New production").first.click()
    owner.get_by_label("Topic").fill("How tides work")
    owner.get_by_label("Notes").fill(NOTES)
    with site.engine():
        owner.get_by_role("button", name="Trigger").click()
        expect(owner.get_by_role("heading", level=1)).to_have_text("How tides work")
        expect(owner.locator("h1 + p .badge:not(.plain)")).to_have_text("Published", timeout=MAKING)
    video = owner.locator("video").first
    assert (
        video.evaluate(
            "each => { each.muted = true; return each.play().then(() => each.videoWidth); }"
        )
        > 0
    )
    with owner.expect_download() as downloading:
        owner.get_by_role("link", name=re.compile("Download Transcript txt")).click()
    assert downloading.value.path().read_text("utf-8").count("The sea rises towards the moon.") == 1
