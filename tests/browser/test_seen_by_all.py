"""What people see who use no pointer, print a page, or have a low window: nothing that has the
focus is covered, nothing is left out of a printed list, and no ordinary word is torn.
"""

import pytest
from support.cast import body

from tests.browser.test_console import expect

pytestmark = pytest.mark.browser

LOW = {"width": 1280, "height": 640}
# Whether what has the focus can be seen: its middle, and what lies there.
COVERED = """() => {
    const focused = document.activeElement, box = focused.getBoundingClientRect();
    const there = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return focused.contains(there) ? "" : `${focused.textContent.trim()} by ${there?.className}`;
}"""
LINES = """(part) => {
    const range = document.createRange();
    range.selectNodeContents(part);
    const tops = [...range.getClientRects()].map((each) => Math.round(each.top));
    return new Set(tops).size;
}"""


def test_no_link_of_the_rail_is_covered_when_it_has_the_focus(site, visit):
    page = visit("operator", viewport=LOW)
    page.goto("/console/")
    page.locator(".side a").first.focus()
    covered = []
    for _ in range(page.locator(".side a").count() - 1):
        covered += filter(None, [page.evaluate(COVERED)])
        page.keyboard.press("Tab")
    assert covered == []


def test_the_rail_shows_the_link_of_its_page(site, visit):
    page = visit("operator", viewport=LOW)
    page.goto("/console/audit")
    link = page.locator(".side [aria-current]").bounding_box()
    person = page.locator(".person").bounding_box()
    assert link["y"] >= 0 and link["y"] + link["height"] <= person["y"]


def test_a_printed_list_has_its_rows_and_no_buttons(site, visit):
    body(site.partner.trigger(topic="How tides work"))
    page = visit("operator")
    page.emulate_media(media="print")
    page.goto("/console/productions/")
    expect(page.get_by_role("link", name="How tides work")).to_be_visible()
    for hidden in (".rail", ".filters", ".pick", "main button"):
        assert not any(each.is_visible() for each in page.locator(hidden).all()), hidden


def test_a_printed_form_shows_what_is_in_it(site, visit):
    page = visit("owner")
    page.goto("/console/productions/new")
    notes = page.get_by_label("Notes")
    notes.fill("\n".join(f"Line {number}" for number in range(60)))
    page.emulate_media(media="print")
    expect(notes).to_be_visible()
    assert notes.evaluate("(each) => each.scrollHeight - each.clientHeight") <= 0


def test_what_is_wrong_with_rows_of_a_table_is_headed_by_a_line_and_not_by_letters(site, visit):
    page = visit("owner")
    page.goto("/console/templates/new")
    page.get_by_label("Name", exact=True).first.fill("City guide")
    page.get_by_label("Topic").fill("A day in {{city}}")
    page.get_by_label("Name", exact=True).last.fill("city")
    page.get_by_role("button", name="Save template").click()
    page.get_by_label("Or paste the table").fill("city\nLisbon,1\n")
    page.get_by_role("button", name="Preview the rows").click()
    assert page.locator("#wrong-rows caption").evaluate(LINES) <= 2


def test_what_is_wrong_with_a_group_looks_like_what_is_wrong_with_a_field(site, visit):
    page = visit("owner")
    page.goto("/console/webhooks/new")
    colours = []
    for address, boxes in (("http://example.com", True), ("https://93.184.215.14/", False)):
        page.get_by_label("Endpoint").fill(address)
        for box in page.get_by_role("checkbox").all():
            box.set_checked(boxes)
        page.get_by_role("button", name="Create webhook").click()
        error = page.locator(".error").first
        colours.append(error.evaluate("(each) => getComputedStyle(each).color"))
    assert colours[0] == colours[1]


def open_new_webhook(page):
    """Create a webhook, and open its page from the list."""
    page.goto("/console/webhooks/new")
    page.get_by_label("Endpoint").fill("https://93.184.215.14/hooks")
    page.get_by_role("button", name="Create webhook").click()
    page.goto("/console/webhooks/")
    page.locator("main tbody th a").click()


@pytest.mark.parametrize("width", [375, 1280])
def test_an_event_type_breaks_at_a_dot(site, visit, width):
    page = visit("owner", viewport={"width": width, "height": 800})
    open_new_webhook(page)
    page.locator("summary", has_text="Send test event").click()
    page.get_by_label("Event type").first.select_option("production.awaiting_approval")
    page.locator("details[open] button").first.click()
    page.goto("/console/webhooks/deliveries")
    link = page.locator("tbody th a").first
    parts = link.evaluate(
        """(each) => [...each.childNodes].filter((part) => part.nodeType === 3).map((part) => {
            const range = document.createRange();
            range.selectNodeContents(part);
            return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
        })"""
    )
    assert len(parts) > 1 and set(parts) == {1}


def test_everything_of_a_key_is_one_word(site, visit):
    page = visit("owner", viewport={"width": 1280, "height": 800})
    page.goto("/console/settings/keys")
    cell = page.get_by_role("cell", name="Everything", exact=True).first
    assert cell.evaluate(LINES) == 1


def test_how_long_a_step_has_run_is_said_with_for_and_goes_on(site, visit):
    page = visit("owner")
    open_new_webhook(page)
    page.locator("summary", has_text="Pause").click()
    page.locator("details[open] button", has_text="Pause").click()
    paused = page.locator(".note time[data-shows=lasting]")
    site.clock.leapt += 5 * 60_000
    page.reload()
    expect(paused).to_have_text("for 5 min")
    assert paused.get_attribute("title").startswith("since ")


@pytest.mark.parametrize("width", [920, 1280])
def test_what_a_button_of_a_heading_asks_is_not_covered(site, visit, width):
    page = visit("owner", viewport={"width": width, "height": 900})
    open_new_webhook(page)
    main = page.locator("main").bounding_box()
    buttons = page.locator(".head .confirm > summary")
    assert buttons.count() >= 4
    for button in buttons.all():
        button.click()
        asks = page.locator(".head .confirm[open] > .asks").bounding_box()
        assert main["x"] <= asks["x"] and asks["x"] + asks["width"] <= width
        page.keyboard.press("Escape")
