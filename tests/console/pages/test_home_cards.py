"""A card of the first page leads to a list that has as many rows as the card says."""

import html
import itertools
import re

import pytest
from support import plain_sql
from support.cast import NOON, body, text
from support.sampling import sampled

from svc.base import clock as times
from svc.base import states
from svc.domain.lifecycle import stages
from svc.store.database import db

DAY = times.DAY
LIST = "/console/productions/"
STAT = re.compile(r'<a class="stat" href="([^"]+)">.*?<span class="value[^"]*">([\d,+]+)<', re.S)
LINK = re.compile(r'<a href="(/console/productions/\?[^"]+)">(\D*)([\d,]+)\+?( [\w ]+)?</a>')
HEADING = re.compile(
    r'<a class="small" href="(/console/productions/\?[^"]+)">View all ([\d,]+)</a>'
)


def mark(production_id: str, **columns) -> None:
    with db.transaction():
        names = ", ".join(f"{name} = :{name}" for name in columns)
        plain_sql.execute(
            f"UPDATE productions SET {names} WHERE id = :id", {**columns, "id": production_id}
        )


def make_some(person, clock) -> None:
    """Productions in every stage; some were triggered, and some ended, on another day."""
    for number, (turn, stage) in enumerate(itertools.product((0, 1), stages.STAGES)):
        clock.at = NOON + number - (0 if (stages.STAGES.index(stage) + turn) % 2 else 2 * DAY)
        production_id = body(person.trigger(topic=f"Tides {number}"))["productionId"]
        status = stages.CONDITIONS_OF_STAGES[stage][0]
        waits = {
            stages.AWAITING_TRANSLATION: {"translation": "Awaited"},
            stages.AWAITING_SCRIPT: {"review": "Awaited"},
            stages.RELEASING: {"released_at": clock.at},
        }.get(stage, {})
        is_earlier = (turn, stage) in ((0, states.PUBLISHED), (1, states.FAILED))
        ended = (
            {"finished_at": NOON - (DAY if is_earlier else 0)}
            if status in states.TERMINAL_STATES
            else {}
        )
        mark(production_id, status=status, **waits, **ended)
    clock.at = NOON


def rows(browser, address: str) -> int:
    page = text(browser.get(html.unescape(address)))
    assert 'rel="next"' not in page, "the test has fewer than a page"
    return len(set(re.findall(rf'href="{LIST}([0-9a-f-]{{36}})"', page)))


def links(page: str) -> list[tuple[str, int]]:
    found = [
        (address, number) for address, number in STAT.findall(page) if address.startswith(LIST)
    ]
    found += [(address, number) for address, _, number, _ in LINK.findall(page)] + HEADING.findall(
        page
    )
    return [(address, int(number.replace(",", ""))) for address, number in found]


@pytest.mark.parametrize(
    "role, zone",
    sampled(
        itertools.product(["operator", "owner"], ["", "Pacific/Kiritimati", "America/Los_Angeles"]),
        4,
    ),
)
def test_the_number_of_each_card_is_that_of_the_rows_it_leads_to(
    clock, partner, stranger, operator, owner, role, zone
):
    make_some(partner, clock)
    make_some(partner.live(), clock)
    make_some(stranger, clock)
    browser = {"operator": operator, "owner": owner}[role]
    if zone:
        browser.client.set_cookie("zone", zone, path="/console")
    found = links(text(browser.get("/console/")))
    assert len({address for address, _ in found}) == 6
    assert [(address, rows(browser, address)) for address, _ in found] == found
    assert all(number for _, number in found)


DAYS = (
    "",
    "&from=2026-11-21",
    "&to=2026-11-20",
    "&by=end&from=2026-11-21&to=2026-11-21",
    "&by=end",
)
WHOSE = ("", "partner={partner}", "account={sandbox}", "account={live}", "partner={stranger}")


@pytest.mark.parametrize("whose, days", sampled(itertools.product(WHOSE, DAYS), 12))
def test_the_number_of_each_stage_is_that_of_the_rows_it_leads_to(
    clock, partner, stranger, operator, whose, days
):
    make_some(partner, clock)
    make_some(partner.live(), clock)
    make_some(stranger, clock)
    named = {"partner": partner.seeded["partnerId"], "stranger": stranger.seeded["partnerId"]}
    query = whose.format(**named, sandbox=partner.account, live=partner.live().account)
    address = f"{LIST}?{query}{days}"
    counts = re.search(r'<ul class="counts".*?</ul>', text(operator.get(address)), re.S)[0]
    found = re.findall(r'<a href="([^"]+)">[^<]+<span class="number">(\d+)<', counts)
    assert len(found) == (3 if "by=end" in days else len(stages.STAGES))
    assert [(each, str(rows(operator, each))) for each, _ in found] == found


@pytest.mark.parametrize("zone", ["", "Pacific/Kiritimati"])
def test_a_day_is_one_of_the_viewer_and_the_page_says_of_which_zone(owner, partner, clock, zone):
    if zone:
        owner.client.set_cookie("zone", zone, path="/console")
    # 15:00 on Kiritimati
    mark(
        body(partner.trigger())["productionId"], status="Failed", finished_at=NOON - 11 * times.HOUR
    )
    address = f"{LIST}?status=Failed&by=end&from=2026-11-21&to=2026-11-21"
    page = text(owner.get(address))
    assert (rows(owner, address), zone or "UTC") == (
        1,
        zone or "UTC",
    ) and f"({zone or 'UTC'})" in page
    mark(re.search(rf'href="{LIST}([0-9a-f-]{{36}})"', page)[1], finished_at=NOON + 5 * times.HOUR)
    assert rows(owner, address) == (0 if zone else 1)  # the 22nd, on Kiritimati


@pytest.mark.parametrize(
    "zone", ["Europe", "../../etc/passwd", "Europe/Nowhere", "x" * 200, "%00", "Europe%2FBerlin"]
)
def test_a_zone_that_is_none_is_utc(owner, zone):
    owner.client.set_cookie("zone", zone, path="/console")
    page = text(owner.get(LIST))
    assert ("(Europe/Berlin)" if zone.endswith("Berlin") else "(UTC)") in page


def test_deliveries_that_are_queued_are_those_of_the_webhooks_in_the_list(owner, operator, busy):
    for each in (owner, operator):  # of a partner that was at work
        home = text(each.get("/console/"))
        address, number = next((a, n) for a, n in STAT.findall(home) if "webhooks" in a)
        listed = text(each.get(html.unescape(address)))
        assert int(number) == sum(int(n) for n in re.findall(r"(\d+) queued", listed)) > 0
