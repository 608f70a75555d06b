"""No page of the console is wider than its window, and nothing on it sticks out of its place."""

import io

import pytest
from PIL import Image
from pypdf import PdfReader
from support import long_names, plain_sql
from support.cast import body
from support.stage import complete_steps, make
from support.ways import something_known, ways

from svc.domain.access import key_admin
from svc.domain.people import users
from svc.store.database import db
from tests.browser.test_axe import NO_PAGES

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

WIDTHS = (360, 768, 1024, 1240, 1280, 1440)
HEIGHT = 900
MEDIA = (
    {"color_scheme": "light", "forced_colors": "none"},
    {"color_scheme": "dark", "forced_colors": "none"},
    {"color_scheme": "light", "forced_colors": "active"},
)
# What is wider than its place: the page; a part that scrolls sideways, other than code; or what
# sticks out of its box.
MEASURE = """() => {
    const own = new Set(["INPUT", "TEXTAREA", "SELECT", "PRE", "CODE", "svg", "VIDEO", "IFRAME"]);
    const found = [];
    const measure = (state) => {
        const root = document.documentElement;
        if (root.scrollWidth > root.clientWidth)
            found.push(`${state}: page of ${root.scrollWidth}`);
        const wide = [...document.body.querySelectorAll("*")].filter((each) =>
            !own.has(each.tagName) &&
            !each.closest(".unseen, pre, svg, thead") && each.checkVisibility() &&
            each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1 &&
            getComputedStyle(each).display !== "inline" &&
            getComputedStyle(each).overflowX !== "hidden");
        const inner = wide.filter((each) =>
            !wide.some((other) => other !== each && each.contains(other)));
        for (const each of inner) {
            const text = each.textContent.trim().slice(0, 40);
            const name = `${each.tagName.toLowerCase()}.${each.className} "${text}"`;
            found.push(`${state}: ${name} ${each.scrollWidth} in ${each.clientWidth}`);
        }
    };
    measure("closed");
    const closed = [...document.querySelectorAll("main details:not([open])")];
    for (const each of closed) { each.name = ""; each.open = true; }
    measure("open");
    for (const each of closed) each.open = false;
    return found;
}"""


def something_long(site) -> dict:
    """Something for each address, with names that are hard to lay out,
    and lists of several rows.
    """
    owner, member = site.somebody("owner"), site.somebody("member")
    known = something_known(site.app, site.partner, owner, member, site.clock)
    known["token"] = users.invite(
        users.make_viewer(users.get(owner)).actor, "member", known["partner_id"], site.clock()
    )
    for topic in ("One more", "Another"):
        body(site.partner.trigger(topic=topic))
    long_names.give()
    return {**known, "owner": owner}


@pytest.mark.parametrize("role", ["operator", "owner", None])
def test_no_page_is_wider_than_its_window(site, visit, role):
    known = something_long(site)
    person = {"operator": site.somebody("operator"), "owner": known["owner"], None: None}[role]
    page = visit(user_id=person, bypass_csp=True, reduced_motion="reduce")
    wide, seen = [], 0
    for method, path, endpoint, _ in ways(site.app, known):
        if (
            method != "GET"
            or endpoint in NO_PAGES
            or (role is None) != endpoint.startswith("people.")
        ):
            continue
        answered = page.goto(path)
        if (answered.status == 403 and seen) or answered.request.redirected_from:
            continue  # the same page of refusal, or a page that is seen by its own address
        seen += 1
        for media in MEDIA:
            page.emulate_media(**media)
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": HEIGHT})
                scheme = "forced" if media["forced_colors"] == "active" else media["color_scheme"]
                wide += [
                    f"{endpoint} at {width}, {scheme}, {each}" for each in page.evaluate(MEASURE)
                ]
    assert seen >= (2 if role is None else 9)
    assert not wide, "\n".join(dict.fromkeys(wide))


def test_the_block_of_the_person_is_within_a_low_window(site, visit):
    page = visit("operator", viewport={"width": 1240, "height": HEIGHT})
    page.goto("/console/")
    block = page.locator(".person").bounding_box()
    assert block["y"] + block["height"] <= HEIGHT


def test_the_actions_of_a_key_are_within_the_window(site, visit):
    owner = site.somebody("owner")
    key_admin.create_test_key(
        users.make_viewer(users.get(owner)), "laptop", [], ["Watch"], site.clock()
    )
    page = visit(user_id=owner)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.goto("/console/settings/keys")
        for name in ("Rotate", "Revoke"):
            button = page.locator("summary", has_text=name).last.bounding_box()
            assert button["x"] >= 0 and button["x"] + button["width"] <= width, (name, width)


def test_progress_is_seen_in_forced_colours(site, visit):
    production_id = body(site.partner.trigger())["productionId"]
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET status = 'Producing', steps_complete = steps_total / 2"
        )
    page = visit("owner", forced_colors="active")
    page.goto(f"/console/productions/{production_id}")
    bar = Image.open(io.BytesIO(page.locator("progress").first.screenshot())).convert("RGB")
    row = [bar.getpixel((x, bar.height // 2)) for x in range(bar.width)]
    assert row[bar.width // 8] != row[-bar.width // 8]


def test_the_logo_of_an_account_leaves_the_brand_of_the_console_as_it_is(site, visit):
    picture = io.BytesIO()
    Image.new("RGB", (900, 300), "#ff00aa").save(picture, "PNG")
    page = visit("operator", viewport={"width": 1240, "height": HEIGHT})
    page.goto(f"/console/accounts/{site.partner.account}")
    brand = page.locator("a.brand")
    before, place = brand.screenshot(), brand.bounding_box()
    card = page.locator("section[aria-labelledby=h-logo]")
    logo = {"name": "logo.png", "mimeType": "image/png", "buffer": picture.getvalue()}
    card.locator("input[type=file]").set_input_files(logo)
    card.locator("form button").first.click()
    card.get_by_role("img").wait_for()
    assert brand.bounding_box() == place and brand.screenshot() == before


def test_rows_of_lists_are_as_high_as_two_lines(site, visit):
    """In a window of a common size: the partner of an operator's lists, what was spent, and the
    files of a production, each of which stays in one row of its table.
    """
    production_id = body(site.partner.trigger(topic="Tides"))["productionId"]
    complete_steps(site.clock, made=[make("Watch", "Video", "mp4"), make()])
    with db.transaction():
        plain_sql.execute("UPDATE partners SET name = 'Demo partner 5340'")
    page = visit("operator", viewport={"width": 1280, "height": HEIGHT})
    for path, row in (
        ("productions/", "tbody tr"),
        (f"usage/?partner={site.partner.seeded['partnerId']}", "[aria-labelledby=months] tbody tr"),
        (f"productions/{production_id}", "[aria-labelledby=files] tbody tr"),
    ):
        page.goto(f"/console/{path}")
        height = page.locator(row).first.bounding_box()["height"]
        assert height < 80, (path, height)


def list_tops(page, selector: str) -> set[float]:
    return {each.bounding_box()["y"] for each in page.locator(selector).all()}


def test_what_belongs_side_by_side_is_on_one_line(site, visit):
    site.somebody("member")
    page = visit("operator", viewport={"width": 1280, "height": HEIGHT})
    page.goto("/console/productions/")
    assert len(list_tops(page, ".filters label")) == 1
    page.goto(f"/console/settings/people?partner={site.partner.seeded['partnerId']}")
    assert len(list_tops(page, "tbody td.end summary")) == 1
    page.goto(f"/console/accounts/{site.partner.account}")
    places = page.locator("[aria-labelledby=h-platforms] li")
    one, other = (places.nth(number).bounding_box()["height"] for number in (0, 1))
    assert abs(one - other) < 2  # a line between them
    documentation = page.locator(".side a", has_text="Documentation").bounding_box()
    above = documentation["y"] + documentation["height"]
    assert above <= page.locator(".person").bounding_box()["y"]


def test_every_file_of_a_production_is_printed(site, visit):
    """Also where a sheet ends within their table."""
    production_id = body(site.partner.trigger(topic="Tides"))["productionId"]
    sizes = range(101, 141)
    complete_steps(site.clock, made=[make(size_bytes=each) for each in sizes])
    page = visit("owner")
    page.goto(f"/console/productions/{production_id}")
    printed = PdfReader(io.BytesIO(page.pdf(format="A4"))).pages
    text = "".join(each.extract_text() for each in printed)
    assert [each for each in sizes if f"{each} bytes" not in text] == []
    # What follows the table lies over none of its rows.
    page.emulate_media(media="print")
    files = page.locator("section[aria-labelledby=files]")
    assert files.evaluate("each => getComputedStyle(each).containerType") == "normal"
