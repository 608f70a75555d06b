"""The second factor in a real browser: set up from the page with the QR code, used at the sign-in;
wide and narrow.
"""

import os
from pathlib import Path

import pyotp
import pytest

from svc.domain.people import users

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
pytestmark = pytest.mark.browser

PASSWORD = "correct horse battery"
SHOTS = os.environ.get("SCREENSHOTS", "")  # a folder for pictures of each page, to look at


def look(page, name: str) -> None:
    """The page does not scroll sideways; a picture of it where somebody wants to look."""
    width = page.viewport_size["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / f"{name}-{width}.png", full_page=True)


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_it_is_set_up_and_asked_for_at_the_sign_in(site, visit, width, scheme):
    owner = site.somebody("owner")
    page = visit(user_id=owner, viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.goto("/console/profile")
    look(page, "profile")
    page.get_by_role("link", name="Set it up").click()
    look(page, "begin")
    page.get_by_label("Your password").fill("not this one")
    page.get_by_role("button", name="Set up the second factor").click()
    expect(page.get_by_text("This is not your current password.")).to_be_visible()
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Set up the second factor").click()
    code = page.get_by_role("img", name="QR code")
    code.wait_for()
    page.wait_for_load_state()  # with its stylesheet
    drawn = code.bounding_box()
    assert drawn["width"] > 150 and abs(drawn["width"] - drawn["height"]) < 2
    look(page, "scan")
    app = pyotp.TOTP(page.locator("#secret").inner_text())
    page.get_by_label("The six digits").fill("000000")
    page.get_by_role("button", name="Turn it on").click()
    expect(page.get_by_text("This code is wrong")).to_be_visible()
    page.get_by_label("The six digits").fill(app.at(site.clock() // 1000))
    page.get_by_role("button", name="Turn it on").click()
    codes = page.locator("#codes").inner_text().split()
    assert len(codes) == 10
    look(page, "codes")
    page.get_by_role("link", name="I have kept them").click()
    page.get_by_role("link", name="Change").click()
    look(page, "on")

    new = visit(viewport={"width": width, "height": 800}, color_scheme=scheme)
    new.goto("/console/profile")
    new.get_by_label("E-mail address").fill(users.get(owner)["email"])
    new.get_by_label("Password").fill(PASSWORD)
    new.get_by_role("button", name="Sign in").click()
    expect(new.get_by_role("heading", level=1)).to_have_text("One more step")
    expect(new.get_by_label("Code")).to_be_focused()
    look(new, "code")
    site.clock.tick(60)
    new.get_by_label("Code").fill("123 456")
    new.get_by_role("button", name="Sign in").click()
    expect(new.get_by_role("alert")).to_contain_text("is wrong")
    new.get_by_label("Code").fill(app.at(site.clock() // 1000))
    new.get_by_role("button", name="Sign in").click()
    expect(new.get_by_role("heading", level=1)).to_have_text("Profile")

    operator = visit("operator", viewport={"width": width, "height": 800}, color_scheme=scheme)
    operator.goto(f"/console/settings/people?partner={site.partner.seeded['partnerId']}")
    operator.get_by_text("Manage").first.click()
    look(operator, "people")
    operator.get_by_role("button", name="Reset the second factor").click()
    expect(operator.get_by_role("status")).to_contain_text("signs in with only the password")
    new.reload()
    expect(new.get_by_role("heading", level=1)).to_have_text("Sign in")
