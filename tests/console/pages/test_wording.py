"""Words of the console that depend on a number, a time or a name: how long something has lasted,
one of a kind, names that are too wide for their column.
"""

import re
from itertools import pairwise

import pytest
from support import plain_sql
from support.cast import NOON, OPENS_PAGE, body, text
from support.scripts import scene, write_script
from support.tables import each_of

from svc.base import clock as wall_clock
from svc.base.errors import RateLimitExceeded
from svc.console import filters, markdown, page_blueprint
from svc.domain.webhooks import event_types
from svc.store.database import db

HOOK = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.published"]}


@pytest.fixture
def hook(partner) -> str:
    return body(partner.post("/v1/webhooks", json=HOOK))["subscriptionId"]


@each_of(
    ("age", "words"),
    [
        (0, "just now"),
        (wall_clock.SECOND, "for 1 s"),
        (5 * wall_clock.MINUTE + 9, "for 5 min"),
        (3 * wall_clock.DAY, "for 3 d"),
        (40 * wall_clock.DAY, "since 12 Oct 2026"),
    ],
)
def test_how_long_a_state_has_lasted_is_said_with_for(app, clock, age, words):
    with app.app_context():
        assert filters.lasting(clock() - age) == words


def test_a_paused_and_a_failing_webhook_say_for_how_long(owner, hook, clock):
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET paused_at = ?", (NOON - 5 * wall_clock.MINUTE,))
    for path in ("/console/webhooks/", f"/console/webhooks/{hook}"):
        page = text(owner.get(path))
        assert ">for 5 min</time>" in page and "since <time" not in page


@pytest.mark.parametrize("failures", [1, 2])
def test_one_delivery_that_failed_is_one(owner, hook, failures):
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET failure_count = ?", (failures,))
    words = {1: "The last delivery failed", 2: "The last 2 deliveries failed"}[failures]
    assert words in text(owner.get(f"/console/webhooks/{hook}"))


def test_an_event_type_and_an_address_break_where_they_have_joints():
    assert filters.breakable("production.step.complete") == "production.<wbr>step.<wbr>complete"
    assert (
        filters.breakable("https://hooks.example.com/a_b?c=<d>")
        == "https://hooks.<wbr>example.<wbr>com/<wbr>a_<wbr>b?c=&lt;d&gt;"
    )
    assert filters.breakable(None) == ""


def test_a_picture_in_notes_is_named_and_leaves_no_stray_mark():
    notes = "![A <boat>](https://example.com/boat.png) and ![](pier.png)"
    html = markdown.render_html(notes, below=2)
    assert html == "<p>[Picture: A &lt;boat&gt;] and [Picture: pier.png]</p>\n"


def test_headings_of_notes_follow_those_of_the_page_whatever_they_begin_with():
    for notes, ranks in (
        ("## Moon\n\n### Tides\n\n## Sun", [3, 4, 3]),
        ("# Moon\n\n### Tides\n\n## Sun", [3, 4, 4]),
        ("###### Moon\n\n# Sun\n\n## Tides", [3, 3, 4]),
    ):
        html = markdown.render_html(notes, below=2)
        assert [int(each) for each in re.findall(r"<h(\d)>.*</h\1>", html)] == ranks, notes


def test_no_page_with_nothing_on_it_leaves_out_a_rank_of_headings(operator, partner):
    for path in (
        "alerts",
        "batches/",
        f"connections/{partner.account}",
        "productions/",
        "productions/?status=Failed",
        "requests/",
        "templates/",
        "webhooks/",
        "webhooks/deliveries",
    ):
        main = text(operator.get(f"/console/{path}")).partition("<main")[2].partition("</main>")[0]
        ranks = [int(each) for each in re.findall(r"<h(\d)", main)]
        assert 'class="empty"' in main and ranks[0] == 1, path
        assert all(after <= before + 1 for before, after in pairwise(ranks)), path


def test_the_title_of_a_page_says_of_what_it_is(operator, owner, partner, clock):
    """In tabs and histories, several pages of one kind are told apart."""
    script = body(partner.trigger(topic="Tides", review="script"))["productionId"]
    write_script(clock, scene(1))
    asked = {"items": [partner.brief()]}
    batch = body(partner.post(f"/v1/accounts/{partner.account}/batches", json=asked))["batchId"]
    whose = partner.seeded["partnerId"]
    with db.transaction():
        plain_sql.execute("UPDATE partners SET name = 'Kettle & Co'")
    for browser, path, title in (
        (owner, f"productions/{script}/script", "Script · Tides · "),
        (owner, f"batches/{batch}", "Batch of 1, Demo sandbox · "),
        (operator, f"settings/keys?partner={whose}", "API keys · Kettle &amp; Co · "),
    ):
        page = text(browser.get(f"/console/{path}"))
        assert f"<title>{title}" in page, path


def test_an_event_of_further_numbers_is_shown_without_its_number(owner, partner):
    made = body(partner.trigger())["productionId"]
    with db.transaction():
        plain_sql.execute(
            "UPDATE events SET sequence = ?, event_type = ? WHERE production_id = ?",
            (event_types.FURTHER_NUMBERS + 1, event_types.SCRIPT_READY.name, made),
        )
        plain_sql.execute("UPDATE productions SET last_sequence = 0")
    page = text(owner.get(f"/console/productions/{made}"))
    assert "production.script.ready" in page and "#1000000001" not in page
    assert "1 so far, the newest first" in page and "Earlier ones" not in page


@each_of(
    ("message", "seconds", "count"),
    [
        ("Try again in 1 s.", 1, 1),
        ("Send fewer at a time; try again in 90 s.", 90, 1),
        ("The service is in maintenance.", 90, 1),
    ],
)
def test_an_error_says_only_once_when_to_try_again(app, message, seconds, count):
    with app.test_request_context("/console/", headers={"Accept": OPENS_PAGE}):
        page = text(page_blueprint.refuse(RateLimitExceeded(message, retry_after=seconds)))
    assert page.lower().count("try again in") == count
    assert "maintenance" not in message or "Try again in 1 min." in page
