"""Sorted lists, saved filters and an account's videos in a browser: without script, on a telephone,
and for axe-core.
"""

import re

import pytest
from support.cast import body

from tests.browser.test_axe import axe, complaints  # noqa: F401 # a fixture
from tests.support.published import make_account, publish

pytestmark = pytest.mark.browser
WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture
def filled(site):
    for topic in ("Tides", "Winds"):
        body(site.partner.trigger(topic=topic))
        site.clock.tick(60)
    hook = {"endpointUrl": "https://93.184.215.14/", "eventTypes": ["production.queued"]}
    body(site.partner.post("/v1/webhooks", json=hook))
    return site


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_lists_with_an_order_and_saved_filters_fit_and_have_no_violation(
    filled,
    visit,
    axe,  # noqa: F811
    scheme,
    width,
):
    page = visit(
        "operator", color_scheme=scheme, viewport={"width": width, "height": 900}, bypass_csp=True
    )
    for at in ("productions/", "webhooks/", "requests/", "partners", "accounts", "usage/"):
        page.goto(f"/console/{at}?sort=oldest&partner={filled.partner.seeded['partnerId']}")
        if page.get_by_text("Save these filters").count():
            page.get_by_text("Save these filters").click()
            page.get_by_label("Name of the filters").fill("x" * 60)
            page.get_by_role("button", name="Save", exact=True).click()
            page.get_by_text("The filters are saved as").wait_for()
        head = page.locator("a.sort").first
        head.focus()
        assert head.bounding_box()["height"] >= 24 and page.evaluate(WIDER) <= 0, at
        assert complaints(page, axe) == [], at


def test_without_script_a_list_is_sorted_and_its_filters_are_saved_and_removed(filled, visit):
    page = visit("owner", java_script_enabled=False)
    page.goto("/console/productions/")
    first = page.locator("tbody th a").first
    assert first.inner_text() == "Winds"
    page.get_by_role("link", name="Triggered").click()
    assert first.inner_text() == "Tides" and page.locator("th[aria-sort=ascending]").count() == 1
    page.get_by_text("Save these filters").click()
    page.get_by_label("Name of the filters").fill("Oldest first")
    page.get_by_role("button", name="Save", exact=True).click()
    page.goto("/console/productions/")
    page.get_by_role("link", name="Oldest first").click()
    assert re.search(r"\?sort=oldest$", page.url) and first.inner_text() == "Tides"
    page.get_by_role("button", name="Remove the saved filters Oldest first").click()
    assert page.get_by_role("link", name="Oldest first").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_of_an_accounts_videos_fits_and_has_no_violation(
    site,
    visit,
    axe,  # noqa: F811
    scheme,
    width,
):
    account, media = make_account(), site.app.extensions["svc"].storage.files.find_local("x").parent
    page = visit(color_scheme=scheme, viewport={"width": width, "height": 900}, bypass_csp=True)
    page.goto(f"/watch/accounts/{account}")
    page.get_by_text("No video has been published here yet.").wait_for()
    assert complaints(page, axe) == []
    for title in ("How to make tea", "Donaudampfschifffahrtsgesellschaft" * 3, "كيف تصنع الشاي"):
        publish(media, title, account_id=account)
    page.reload()
    page.get_by_role("link", name="How to make tea").wait_for()
    assert page.evaluate(WIDER) <= 0 and complaints(page, axe) == []


def test_the_address_names_the_filters_that_are_set_and_back_shows_those_of_the_list(site, visit):
    page = visit("operator")
    page.goto("/console/productions/")
    status, button = page.get_by_label("Status"), page.get_by_role("button", name="Filter")
    for state in ("Published", "Failed"):
        status.select_option(state)
        button.click()
        page.wait_for_url(f"**/console/productions/?status={state}")
    page.go_back()
    page.wait_for_url("**/console/productions/?status=Published")
    assert status.input_value() == "Published"
