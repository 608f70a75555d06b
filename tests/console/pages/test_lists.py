"""What the lists of the console find: by filters in the URL, of one's own partner alone,
page by page, each by an index.
"""

import html
import itertools
import re
from dataclasses import replace

import pytest
from support import plain_sql
from support.cast import NOON, body, text
from support.outbox import exhaust
from support.plans import Recorder, scans
from support.sampling import sampled
from support.stage import complete_steps, make
from test_pages import EMPTY, paths

from svc.base import clock as times
from svc.base import ids, states
from svc.console import query_args
from svc.domain.lifecycle import stages
from svc.domain.overview import state_counts
from svc.domain.paging import Page, decode, encode
from svc.domain.productions import search as production_search
from svc.domain.productions.search import Search
from svc.domain.usage import search as request_search
from svc.store import meta
from svc.store.database import db

SMALL = {"meta", "countries", "workers"}  # a handful of rows
FOR_OPERATORS = {"partners"}  # a search by a part of a name, which only operators have


def found(search: Search, page: Page | None = None) -> list[str]:
    return [each["id"] for each in production_search.list_page(search, page or Page(100))["data"]]


@pytest.fixture
def several(partner, stranger, clock) -> dict[str, list[str]]:
    """Productions in several states, a second apart, of the partner and of a
    stranger; newest first.
    """
    made: dict[str, list[str]] = {"mine": [], "theirs": []}
    for number in range(6):
        clock.tick(1)
        who, name = ((partner, "mine"), (stranger, "theirs"))[number % 2]
        made[name].insert(0, body(who.trigger(topic=f"Tides, part {number}"))["productionId"])
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET status = 'Failed', finished_at = ? WHERE id = ?",
            (clock(), made["mine"][0]),
        )
        plain_sql.execute(
            "UPDATE productions SET status = 'Failed', finished_at = ? WHERE id = ?",
            (clock(), made["theirs"][0]),
        )
    return made


def test_a_list_is_newest_first_and_of_one_partner(partner, several):
    mine = partner.seeded["partnerId"]
    assert found(Search(mine)) == several["mine"]
    assert len(found(Search(None))) == 6
    assert found(Search(mine, status="Failed")) == several["mine"][:1]
    assert found(Search(mine, account_id=partner.account)) == several["mine"]
    assert found(Search(mine, account_id=partner.account, status="Queued")) == several["mine"][1:]


@pytest.mark.parametrize("status", states.PRODUCTION_STATES)
def test_every_state_is_found_among_all_partners(partner, several, status):
    with db.transaction():
        plain_sql.execute("UPDATE productions SET status = ?", (status,))
    both = sorted(several["mine"] + several["theirs"], reverse=True)
    assert sorted(found(Search(None, status=status)), reverse=True) == both
    assert found(Search(partner.seeded["partnerId"], status=status)) == several["mine"]


@pytest.mark.parametrize("mine", [True, False])
@pytest.mark.parametrize("status", [None, "Queued", "Failed"])
def test_pages_follow_each_other_without_a_gap(partner, several, mine, status):
    search = Search(partner.seeded["partnerId"] if mine else None, status=status)
    whole, page, seen = found(search), Page(2), []
    while True:
        listed = production_search.list_page(search, page)
        seen += [each["id"] for each in listed["data"]]
        if not listed["hasMore"]:
            break
        page = Page(2, decode(listed["nextCursor"]))
    assert seen == whole


def test_words_find_a_title_however_it_is_written(partner, several):
    mine = partner.seeded["partnerId"]
    assert found(Search(mine, words="tides, PART")) == several["mine"]
    assert found(Search(mine, words="art")) == []
    assert found(Search(mine, words="tides, part 4")) == several["mine"][:1]
    assert len(found(Search(None, words="Tides"))) == 6


def test_words_find_an_id_or_its_beginning(partner, several):
    mine, theirs = several["mine"][0], several["theirs"][0]
    assert found(Search(partner.seeded["partnerId"], words=mine.upper())) == [mine]
    assert mine in found(Search(None, words=mine[:13]))
    assert found(Search(partner.seeded["partnerId"], words=theirs)) == []


def test_a_time_is_kept_to(partner, several):
    mine = partner.seeded["partnerId"]
    assert found(Search(mine, since=NOON + 4000)) == several["mine"][:1]
    assert found(Search(mine, until=NOON + 1500)) == several["mine"][2:]
    assert len(found(Search(None, since=NOON + 2000, until=NOON + 5000))) == 4


def test_the_filters_live_in_the_url(owner, several):
    page = text(
        owner.get("/console/productions/?status=Failed&q=Tides&from=2026-11-21&to=2026-11-21")
    )
    assert several["mine"][0] in page and several["mine"][1] not in page
    assert '<option value="Failed" selected>' in page and 'value="Tides"' in page


@pytest.mark.parametrize(
    "query", ["cursor=x", "cursor=MTox", "before=x", "before=%00", "sort=oldest&cursor=-1"]
)
def test_a_cursor_that_makes_no_sense_is_said_beside_the_form_and_the_first_page_is_shown(
    owner, several, query
):
    answer = owner.get(f"/console/productions/?{query}")
    page = text(answer)
    assert answer.status_code == 200 and all(each in page for each in several["mine"])
    assert "The address of this page is not complete" in page and 'id="f-cursor-error"' in page


def test_an_unknown_order_is_said_below_the_form(owner, several):
    answer = owner.get("/console/productions/?sort=%3Csize%3E&status=Queued")
    page = text(answer)
    assert answer.status_code == 200 and "no order of this list; these are: newest, oldest." in page
    assert "&lt;size&gt;" in page and "<size>" not in page
    assert re.search(r'<div class="field" role="alert"><p class="error" id="f-sort-error">', page)
    assert '<option value="Queued" selected>' in page


@pytest.mark.parametrize(
    "status, mine, words",
    sampled(
        itertools.product(
            [None, "Queued", "Failed", "Published"], [True, False], ["", "Tides", "tides part"]
        ),
        3,
    ),
)
def test_the_oldest_are_first_where_that_is_asked_for(partner, several, mine, status, words):
    if status == "Published":
        with db.transaction():
            plain_sql.execute("UPDATE productions SET status = 'Published'")
    search = Search(partner.seeded["partnerId"] if mine else None, status=status, words=words)
    newest = found(search)
    assert newest and found(replace(search, oldest_first=True)) == newest[::-1]


@pytest.mark.parametrize("oldest_first", [True, False])
@pytest.mark.parametrize("mine", [True, False])
@pytest.mark.parametrize("status", [None, "Queued", "Published"])
def test_pages_lead_back_the_way_they_came(partner, several, mine, status, oldest_first):
    if status == "Published":
        with db.transaction():
            plain_sql.execute("UPDATE productions SET status = 'Published'")
    search = Search(
        partner.seeded["partnerId"] if mine else None, status=status, oldest_first=oldest_first
    )
    whole = found(search)
    key = {
        each["id"]: (each["created_at"], each["id"])
        for each in production_search.list_page(search, Page(100))["data"]
    }
    for place in range(2, len(whole)):
        back = production_search.list_page_before(search, Page(1, key[whole[place]]))
        assert [each["id"] for each in back["data"]] == [whole[place - 1]] and not back["isFirst"]
        assert decode(back["nextCursor"]) == key[whole[place - 1]]
    first = production_search.list_page_before(search, Page(len(whole), key[whole[-1]]))
    assert (
        [each["id"] for each in first["data"]] == whole
        and first["isFirst"]
        and not first["hasMore"]
    )


def _links(page: str) -> dict[str, str]:
    nav = re.search(r'<nav class="pager".*?</nav>', page, re.S)
    return (
        {
            name: html.unescape(url)
            for url, name in re.findall(r'<a href="([^"]+)"[^>]*>(\w+)</a>', nav[0])
        }
        if nav
        else {}
    )


@pytest.mark.parametrize(
    ("sort", "on", "back", "first"),
    [("", "Older", "Newer", "Newest"), ("oldest", "Newer", "Older", "Oldest")],
)
def test_the_links_lead_through_all_pages_and_back_and_keep_filter_and_order(
    owner, several, monkeypatch, sort, on, back, first
):
    monkeypatch.setattr(query_args, "ROWS_ON_A_PAGE", 1)
    order = several["mine"][::-1] if sort else several["mine"]
    at, pages, shown = f"/console/productions/?from=2026-11-21&sort={sort}", [], []
    while at:
        page = text(owner.get(at))
        pages.append(at)
        shown += [each for each in several["mine"] if each in page]
        at = _links(page).get(on)
    assert shown == order and all("from=2026-11-21" in each for each in pages)
    assert all(("sort=oldest" in each) == bool(sort) for each in pages)
    links = _links(page)
    for wanted in order[-2::-1]:
        page = text(owner.get(links[back]))
        links = _links(page)
        assert wanted in page and f'name="sort" value="{sort}"' in page or not sort
    assert set(links) == {on} and first not in links


def test_rows_that_came_meanwhile_change_no_page_that_follows(partner, several):
    """The key of a page holds its place among rows that are added and removed."""
    search = Search(partner.seeded["partnerId"])
    before = production_search.list_page(search, Page(2))
    partner.trigger(topic="Tides, later")
    after = production_search.list_page(search, Page(2, decode(before["nextCursor"])))
    assert [each["id"] for each in after["data"]] == several["mine"][2:]
    row = after["data"][0]
    back = production_search.list_page_before(search, Page(2, (row["created_at"], row["id"])))
    assert [each["id"] for each in back["data"]] == several["mine"][:2] and not back["isFirst"]


@pytest.mark.parametrize(("mine", "account"), [(True, True), (True, False), (False, False)])
def test_states_are_counted_as_the_lists_have_them(partner, several, mine, account, monkeypatch):
    base = Search(
        partner.seeded["partnerId"] if mine else None, partner.account if account else None
    )
    for search in (base, replace(base, since=NOON + 2000, until=NOON + 5000)):
        counted = state_counts.count_stages(search)
        assert counted == {each: len(found(replace(search, stage=each))) for each in stages.STAGES}
    monkeypatch.setattr(state_counts, "MOST", 1)
    assert state_counts.count_stages(base)["Queued"] == 2  # one more than is counted


def test_the_list_shows_how_many_are_in_each_state_of_ones_own(owner, several, monkeypatch):
    page = text(owner.get("/console/productions/?status=Failed&sort=oldest"))
    counts = re.search(r'<ul class="counts".*?</ul>', page, re.S)[0]
    assert re.findall(r">([\w ]+) <span class=\"number\">([\d,+]+)<", counts) == [
        ("Queued", "2"),
        ("Failed", "1"),
    ]
    assert (
        re.search(r'status=Queued[^"]*"', counts)[0].count("sort=oldest") == 1
        and 'aria-current="true">Failed' in counts
    )
    monkeypatch.setattr(state_counts, "MOST", 1)
    assert '<span class="number">1+</span>' in text(owner.get("/console/productions/"))
    assert 'class="counts"' not in text(owner.get("/console/productions/?q=Tides"))


def test_a_page_after_the_last_production_leads_back_to_the_first(owner, several, partner):
    cursor = encode(NOON - 1, several["mine"][-1])
    page = text(owner.get(f"/console/productions/?cursor={cursor}"))
    assert "Nothing further" in page and ">Newest</a>" in page


@pytest.mark.parametrize("page", ["productions", "requests"])
@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("from=2026-13-45", "is not a valid date; write it as 2026-11-20."),
        ("to=x", "is not a valid date; write it as 2026-11-20."),
        ("from=2026-11-21&to=2026-11-20", "The last day is before the first."),
        ("from=%3Cb%3E", "&lt;b&gt;"),
    ],
)
def test_a_bad_day_is_an_error_beside_its_field_and_the_form_stays(
    owner, several, page, query, said
):
    shown = text(owner.get(f"/console/{page}/?{query}&status=4"))
    field = "to" if "to=" in query else "from"
    assert (
        said in shown.partition(f'id="f-{field}-error"')[2][:200]
        and f'aria-describedby="f-{field}-error"' in shown
    )


def test_an_id_that_is_none_matches_nothing_and_is_said_to_be_none(owner, several):
    page = text(owner.get("/console/productions/?account=x"))
    assert "is not an ID" in page and "Nothing matches" in page


def test_an_owner_cannot_ask_for_another_partners_list(owner, stranger, several):
    page = text(owner.get(f"/console/productions/?partner={stranger.seeded['partnerId']}"))
    assert several["mine"][0] in page and several["theirs"][0] not in page
    page = text(owner.get(f"/console/productions/?account={stranger.seeded['sandboxAccountId']}"))
    assert "Nothing matches" in page


def test_an_operator_finds_a_partner_by_a_part_of_its_name(operator, partner, stranger, several):
    with db.transaction():
        for name, each in (("Alpha films", partner), ("Alpha sounds", stranger)):
            plain_sql.execute(
                "UPDATE partners SET name = ? WHERE id = ?", (name, each.seeded["partnerId"])
            )
    page = text(operator.get("/console/productions/?partner=films"))
    assert several["mine"][0] in page and several["theirs"][0] not in page
    page = text(operator.get("/console/productions/?partner=alpha"))
    assert "Which partner?" in page and f"partner={stranger.seeded['partnerId']}" in page
    for place in ("productions", "requests", "webhooks"):
        page = text(operator.get(f"/console/{place}/?partner=omega"))
        assert (
            "No partner has the id or the name" in page
            and 'value="omega"' in page
            and "Nothing matches" in page
        )
    for place in ("usage/", "accounts", "audit"):
        assert "No partner has the id or the name" in text(
            operator.get(f"/console/{place}?partner=omega")
        )


def test_a_correlation_id_leads_to_its_request_and_what_that_caused(app, owner, partner, stranger):
    production = body(partner.trigger(headers={"X-Correlation-Id": "order-77"}))["productionId"]
    stranger.trigger(headers={"X-Correlation-Id": "order-77"})
    app.extensions["svc"].recorder.flush()
    place = owner.get("/console/requests/?q=order-77").headers["Location"]
    page = text(owner.get(place))
    assert f"/console/productions/{production}" in page
    assert "production.queued" in page
    assert "No request has this correlation ID" in text(owner.get("/console/requests/?q=order-78"))


def test_a_correlation_id_that_is_used_again_leads_from_each_request_to_its_own(
    app, owner, partner, clock
):
    made = []
    for _ in range(2):
        made.append(body(partner.trigger(headers={"X-Correlation-Id": "nightly"}))["productionId"])
        app.extensions["svc"].recorder.flush()
        clock.tick(3600)
    # the newest first
    for request in request_search.find_by_correlation(partner.seeded["partnerId"], "nightly"):
        [caused] = request_search.find_caused(request)
        assert caused["production"]["id"] == made.pop()


def test_a_request_that_named_a_production_leads_to_it(app, owner, partner):
    production = body(partner.trigger())["productionId"]
    partner.get(f"/v1/productions/{production}/events")
    app.extensions["svc"].recorder.flush()
    page = text(owner.get("/console/requests/"))
    number = re.search(r'/console/requests/(\d+)"><code>GET', page)[1]
    assert f"/console/productions/{production}" in text(owner.get(f"/console/requests/{number}"))


@pytest.mark.parametrize(("status", "answered"), [(2, 202), (4, 404)])
def test_requests_are_filtered_by_how_they_were_answered(
    app, owner, operator, partner, status, answered
):
    partner.trigger()
    partner.get(f"/v1/productions/{ids.NIL}")
    app.extensions["svc"].recorder.flush()
    for whose in (partner.seeded["partnerId"], None):
        rows = request_search.list_page(whose, Page(), status_class=status)["data"]
        assert [each["status_code"] for each in rows] == [answered]
    assert str(answered) in text(operator.get(f"/console/requests/?status={status}"))


def test_the_log_of_a_webhook_is_filtered(owner, partner, clock):
    asked = {
        "endpointUrl": "https://93.184.215.14/hooks",
        "eventTypes": ["production.queued", "production.step.complete"],
    }
    hook = body(partner.post("/v1/webhooks", json=asked))["subscriptionId"]
    first, _ = (body(partner.trigger())["productionId"] for _ in range(2))
    clock.at = exhaust(clock())
    assert text(owner.get(f"/console/webhooks/{hook}?status=Failed")).count("/deliveries/") == 2
    assert text(owner.get(f"/console/webhooks/{hook}?status=Pending")).count("/deliveries/") == 0
    assert (
        text(owner.get(f"/console/webhooks/{hook}?production={first}")).count("/deliveries/") == 1
    )
    assert (
        text(owner.get(f"/console/webhooks/{hook}?production={first}&status=Succeeded")).count(
            "/deliveries/"
        )
        == 0
    )
    assert text(owner.get(f"/console/webhooks/{hook}?to=2026-11-20")).count("/deliveries/") == 0


def test_the_first_page_counts_what_is_open_and_what_ended_today(
    owner, operator, partner, stranger, clock
):
    partner.trigger()
    complete_steps(clock, made=[make()])
    with db.transaction():
        plain_sql.execute("UPDATE productions SET auto_release = 0, released_at = NULL")
    for somebody in (owner, operator):
        page = text(somebody.get("/console/"))
        assert "Awaiting release" in page and "How tides work" in page
    with db.transaction():
        meta.put("heartbeat", clock() - times.HOUR)
    assert "There has been no sign of the engine for 1 h" in text(operator.get("/console/"))


@pytest.mark.sqlite("reads query plans")
def test_no_page_reads_a_whole_table_that_grows(app, operator, owner, partner, busy):
    production = busy["done"]
    searches = (
        *(f"/console/productions/?status={each}" for each in states.PRODUCTION_STATES),
        "/console/productions/?q=tides",
        f"/console/productions/?q={production}",
        f"/console/productions/?account={partner.account}&status=Failed",
        "/console/productions/?from=2026-11-01&to=2026-11-30",
        "/console/requests/?status=2",
        "/console/requests/?status=4",
        "/console/requests/?status=5",
        "/console/requests/?q=x",
        f"/console/usage/?partner={partner.seeded['partnerId']}",
        *(
            f"/console/webhooks/{busy['subscription']}?status={each}"
            for each in states.DELIVERY_STATES
        ),
        f"/console/webhooks/{busy['subscription']}?production={production}",
        "/console/webhooks/?status=Failed",
        "/console/templates/",
        f"/console/templates/?partner={partner.seeded['partnerId']}",
        "/console/batches/",
        f"/console/batches/?partner={partner.seeded['partnerId']}",
        "/console/productions/new",
        f"/console/productions/new?partner={partner.seeded['partnerId']}",
    )
    everything = (*EMPTY, *paths(partner, busy), *searches)
    with Recorder() as recorder:
        for path in everything:
            for somebody in (operator, owner):
                assert somebody.get(path).status_code == 200, path
    assert len(recorder.statements) > 60
    read = {
        sql: set(scans(sql, parameters)) - SMALL for sql, parameters in recorder.statements.items()
    }
    assert {sql: tables for sql, tables in read.items() if tables - FOR_OPERATORS} == {}
