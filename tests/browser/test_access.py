"""Who comes in and who does not, in a real browser: first run to first key, guesses, strangers."""

import pytest
import requests
from support.cast import Person, body
from support.ways import something_known, ways

from svc.cli.installation import seed
from svc.domain.people import users
from svc.store.database import db

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
pytestmark = pytest.mark.browser

PASSWORD = "correct horse battery"
NEW = ("people.welcome", "people.sign_in", "kept_pages.show")


def sign_in(page, email: str, password: str = PASSWORD) -> None:
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def test_from_the_first_run_to_the_first_key(site, visit):
    """The operator's link, a partner, its owner's link, a test key that the API answers."""
    operator, owner = visit(), visit()
    operator.goto("/")
    expect(operator.get_by_text("This service has no operator yet")).to_be_visible()
    operator.goto(f"/console/welcome/{users.make_first_operator_link(site.clock())}")
    fill_in_welcome(operator, "Ada Lovelace", "ada@example.com")
    expect(operator.get_by_role("link", name="Home")).to_have_attribute("aria-current", "page")

    operator.get_by_role("link", name="Partners").click()
    operator.get_by_role("textbox", name="Name", exact=True).fill("Kettle & Co")
    operator.get_by_role("button", name="Add the partner").click()
    expect(operator.get_by_role("heading", name="Kettle & Co")).to_be_visible()
    operator.locator("a.stat", has_text="People").click()
    operator.get_by_label("Role").select_option("owner")
    operator.get_by_label("E-mail address").fill("grace@example.com")
    operator.get_by_role("button", name="Create link").click()
    link = operator.locator(".secret code").inner_text()

    owner.goto(link.replace("http://127.0.0.1/", f"{site.address}/"))
    expect(owner.get_by_text("Kettle & Co")).to_be_visible()
    fill_in_welcome(owner, "Grace Hopper", None)
    owner.get_by_role("link", name="API keys").first.click()
    owner.get_by_label("Name").fill("laptop")
    owner.get_by_role("button", name="Create key").click()
    key = owner.locator("#fresh-key").inner_text()
    answered = requests.get(
        f"{site.address}/v1/partner/accounts", headers={"X-API-Key": key}, timeout=60
    )
    assert [each["name"] for each in answered.json()["data"]] == ["Sandbox of Grace Hopper"]
    owner.reload()
    assert key not in owner.content()


def fill_in_welcome(page, name: str, email: str | None) -> None:
    page.get_by_label("Name").fill(name)
    if email:
        page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password, at least 10").fill(PASSWORD)
    page.get_by_label("The password again").fill(PASSWORD)
    page.get_by_role("button", name="Begin").click()


def test_the_copy_button_copies_the_key(site, visit):
    page = visit("owner", permissions=["clipboard-read", "clipboard-write"])
    page.goto("/console/settings/keys")
    page.get_by_label("Name").fill("laptop")
    page.get_by_role("button", name="Create key").click()
    page.get_by_role("button", name="Copy the key").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert (
        page.evaluate("navigator.clipboard.readText()") == page.locator("#fresh-key").inner_text()
    )


def test_guesses_are_throttled_and_the_owners_own_browser_still_comes_in(site, visit):
    owner_id = site.somebody("owner")
    email = users.get(owner_id)["email"]
    own, thief = visit(), visit()
    own.goto("/console/sign-in")
    sign_in(own, email)
    expect(own.get_by_role("heading", level=1)).to_have_text("Home")
    own.get_by_role("button", name="Sign out").click()

    thief.goto("/console/sign-in")
    for number in range(8):
        sign_in(thief, email, f"guess number {number}")
        expect(thief.get_by_role("alert")).to_contain_text("is wrong")
    sign_in(thief, email)  # the right one, too late
    expect(thief.get_by_role("alert")).to_contain_text("Try again in 15 min")
    expect(thief).to_have_url(f"{site.address}/console/sign-in")

    sign_in(own, email)
    expect(own.get_by_role("heading", level=1)).to_have_text("Home")


def test_a_stranger_is_refused_everywhere(site, visit):
    """In the address bar: every page that belongs to somebody else."""
    owner, member = site.somebody("owner"), site.somebody("member")
    known = something_known(site.app, site.partner, owner, member, site.clock)
    with db.transaction():
        other = seed.make_partner("Free", site.clock())
    stranger = visit(user_id=site.somebody("owner", other["partnerId"]))
    theirs = [
        way for way in ways(site.app, known) if way[0] == "GET" and way[3] and way[2] not in NEW
    ]
    assert len(theirs) > 12
    for _, path, endpoint, _ in theirs:
        answered = stranger.goto(path)
        assert answered.status in (403, 404), endpoint
        expect(stranger.get_by_role("link", name="To the console")).to_be_visible()
    key = body(Person(site.app.test_client(), other, other["testKey"]).get("/v1/partners/verify"))[
        "keyPrefix"
    ]
    stranger.goto("/console/settings/keys")
    expect(stranger.get_by_text(f"{key}…", exact=True)).to_be_visible()  # its own it sees
