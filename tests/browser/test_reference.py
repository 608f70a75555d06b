"""The API reference in a browser: axe-core finds nothing, it fits a telephone,
and it leads back.
"""

import pytest

from tests.browser.test_axe import axe, complaints  # noqa: F401 # a fixture

pytestmark = pytest.mark.browser
PAGES = ("", "/keys", "/productions", "/briefing", "/webhooks", "/events", "/changelog")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_the_reference_has_no_violation_and_needs_no_scrolling_sideways(
    visit,
    axe,  # noqa: F811
    scheme,
    width,
):
    page = visit(color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True)
    for path in PAGES:
        page.goto(f"/docs{path}")
        assert complaints(page, axe) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_the_reference_leads_from_an_operation_back_to_the_console(visit):
    page = visit("operator", viewport={"width": 360, "height": 800})
    page.goto("/docs")
    page.get_by_text("Contents", exact=True).click()
    page.locator('details a[href="/docs/webhooks"]').click()
    page.get_by_role("heading", name="Register a webhook").wait_for()
    page.get_by_role("link", name="Console").click()
    page.get_by_role("heading", level=1).wait_for()
    assert page.url.endswith("/console/")
