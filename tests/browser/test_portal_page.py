"""The portal in a browser: axe-core finds nothing, it fits a telephone,
and only the partner's own pages may embed it.
"""

import pytest
from support import plain_sql
from support.cast import body
from werkzeug.wrappers import Request, Response

from svc.base import clock as wall_clock
from svc.domain.audit.audit import Actor
from svc.domain.partners import admin
from svc.store.database import db
from tests.browser.test_axe import axe, complaints  # noqa: F401 # a fixture
from tests.support.own_server import served

pytestmark = pytest.mark.browser
STATES = (
    "Queued",
    "Producing",
    "AwaitingApproval",
    "Distributing",
    "Published",
    "Failed",
    "Cancelled",
)


def path(site) -> str:
    answer = site.partner.post(f"/v1/accounts/{site.partner.account}/portal-links")
    return body(answer)["url"].removeprefix("http://127.0.0.1")


def fill(site) -> None:
    """One production of each state, the titles long and short, with a file of the published one."""
    for number, state in enumerate(STATES):
        production = body(
            site.partner.trigger(topic="How tides work, and why " * (number % 3 + 1))
        )["productionId"]
        with db.transaction():
            plain_sql.execute("UPDATE productions SET status = ? WHERE id = ?", (state, production))
            if state == "Published":
                plain_sql.execute(
                    (
                        "INSERT INTO deliverables VALUES (?, ?, 0, 'ClosedCaptions', NULL, 'srt', "
                        "'x', 9, ?, NULL, 'en', 1, NULL)"
                    ),
                    (production, production, "0" * 64),
                )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_the_portal_has_no_violation_and_needs_no_scrolling_sideways(
    site,
    visit,
    axe,  # noqa: F811
    scheme,
    width,
):
    page = visit(color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True)
    empty = path(site)
    page.goto(empty)
    page.get_by_text("There are no videos yet").wait_for()
    assert complaints(page, axe) == []
    fill(site)
    for address in (path(site), f"{empty}?cursor=x", "/portal/wrong"):
        page.goto(address)
        assert complaints(page, axe) == [], address
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
    page.goto(empty)
    assert page.get_by_role("article").count() == len(STATES)
    assert page.get_by_role("link", name="Closed captions").count() == 1


def test_a_page_of_the_partner_may_embed_it_and_another_may_not(site, chromium):
    """The origins are https in life; here the policy names the origin of a page on this machine."""
    address = site.address + path(site)
    with served(_page_with(address)) as port:
        mine = site.partner.seeded["partnerId"]
        admin.change(
            Actor(None, "tests"),
            admin.PARTNER,
            mine,
            {"portal_origins": "https://elsewhere.example"},
            wall_clock.now(),
        )
        assert not _shows(chromium, port)
        with db.transaction():
            plain_sql.execute(
                "UPDATE partners SET portal_origins = ?", (f"http://127.0.0.1:{port}",)
            )
        assert _shows(chromium, port)


def _page_with(address: str):
    @Request.application
    def page(_):
        return Response(
            f"<!doctype html><title>Shop</title><iframe src='{address}' title='Videos'></iframe>",
            mimetype="text/html",
        )

    return page


def _shows(chromium, port: int) -> bool:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{port}/")
    page.wait_for_load_state("networkidle")
    shown = page.frames[1].get_by_text("There are no videos yet").count() == 1
    context.close()
    return shown
