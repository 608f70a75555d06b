"""An operator of an empty service comes to the first production alone, led by the first page."""

import pytest

from svc.domain.people import passwords
from tests.browser.conftest import Site, serving
from tests.browser.test_console import expect

pytestmark = pytest.mark.browser


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A service that has no partner yet."""
    monkeypatch.setattr(passwords, "_COST", 2)
    with serving(tmp_path / "data") as (app, address):
        yield Site(app, address, None)


def test_one_form_and_a_sample_brief_lead_to_the_first_production(site, visit):
    page = visit("operator")
    page.goto("/console/")
    expect(page.locator("main")).to_contain_text("A company that triggers productions")
    page.get_by_role("link", name="Add a partner").click()
    page.get_by_role("textbox", name="Name", exact=True).fill("Kettle & Co")
    page.get_by_role("button", name="Add the partner").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Kettle & Co")
    page.goto("/console/")
    expect(page.locator("main")).to_contain_text("4 of 7 done")
    page.get_by_role("link", name="Create an API key").click()  # of the only partner
    page.get_by_label("Name").fill("live")
    page.get_by_role("button", name="Create activation key").click()
    expect(page.locator("#fresh-key")).to_be_visible()
    page.goto("/console/")
    expect(page.locator("main")).to_contain_text("Waiting for the partner")
    page.get_by_role("link", name="Trigger the first production").click()
    page.get_by_role("link", name="Fill in a sample brief").click()
    page.get_by_role("button", name="Trigger").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Why there are two tides a day")
    page.goto("/console/")
    expect(page.locator("main")).to_contain_text("6 of 7 done")
