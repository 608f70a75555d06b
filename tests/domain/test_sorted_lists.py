"""The lists of the console in every order: page by page nothing is missed or repeated,
among ties too.
"""

import itertools

import pytest
from support import plain_sql
from support.cast import NOON, body
from support.plans import scans

from svc.base import ids
from svc.base.errors import InvalidRequest
from svc.domain import paging
from svc.domain.paging import Page
from svc.domain.partners import search as partner_search
from svc.domain.usage import search as request_search
from svc.domain.webhooks import admin as webhook_admin
from svc.domain.webhooks import deliveries
from svc.domain.webhooks.deliveries import Search
from svc.store.database import db

NAMES = ("beta", "Alpha", "alpha", "beta", "Gamma", "alpha", "Éclair")
REQUEST = """
    INSERT INTO requests
        (request_id, partner_id, at, method, path, status_code, duration_ms, correlation_id,
         key_prefix, counted)
    VALUES ('r', ?, ?, 'GET', ?, ?, 1, 'c', 'svc_live_', 0)
"""


def pages(read, of: str, ascending: bool, limit: int = 1) -> list[dict]:
    """All rows of a list, read in pages of one, so that each tie is one between two pages.

    ``read``: returns a page.
    """
    rows, page = [], Page(limit, of=of, ascending=ascending)
    while True:
        listed = read(page)
        assert len(listed["data"]) <= limit
        rows += listed["data"]
        if not listed["hasMore"]:
            return rows
        page = paging.make_page(listed["nextCursor"], limit, of, ascending)


def keys(rows, key) -> list[tuple]:
    return [(key(row), row["id"]) for row in rows]


@pytest.fixture
def named(app, partner):
    """Accounts and partners with these names, all of one moment."""
    seeded = partner.seeded
    customer = plain_sql.one("SELECT customer_id FROM accounts WHERE id = ?", (partner.account,))[0]
    with db.transaction():
        for name in NAMES:
            account = (ids.make_id(NOON), seeded["partnerId"], customer, name, NOON)
            plain_sql.execute(
                "INSERT INTO accounts (id, partner_id, customer_id, name, environment, "
                "default_project_type, created_at) "
                "VALUES (?, ?, ?, ?, 'live', 'explainer', ?)",
                account,
            )
            plain_sql.execute(
                "INSERT INTO partners (id, name, created_at) VALUES (?, ?, ?)",
                (ids.make_id(NOON), name, NOON),
            )
    return seeded["partnerId"]


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("of", ["", partner_search.BY_NAME])
@pytest.mark.parametrize("kind", ["account", "partner"])
def test_accounts_and_partners_are_sorted_by_time_and_by_name_whatever_its_case(
    named, kind, of, ascending
):
    filters = [{}, {"status": "Active"}, {"search": "a"}]
    for given in [*filters, {"partner_id": named}] if kind == "account" else filters:
        rows = pages(
            lambda page, given=given: partner_search.list_page(kind, page, **given), of, ascending
        )
        found = keys(rows, lambda row: row["name"].lower() if of else row["created_at"])
        wanted = sorted(
            set(found),
            key=lambda each: (each[0].encode(), each[1]) if of else each,
            reverse=not ascending,
        )
        assert found == wanted and len(found) >= len(NAMES) - 2


def test_a_page_by_name_begins_after_where_its_row_is_now(named):
    first = partner_search.list_page("partner", Page(2, of="name", ascending=True))
    after = paging.make_page(first["nextCursor"], 50, "name", True)
    with db.transaction():
        plain_sql.execute(
            "UPDATE partners SET name = 'alpha zero' WHERE id = ?", (first["data"][-1]["id"],)
        )
    names = [row["name"].lower() for row in partner_search.list_page("partner", after)["data"]]
    assert names[:2] == ["beta", "beta"]


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize(
    "of", ["", webhook_admin.BY_ENDPOINT, webhook_admin.BY_FAILURES, webhook_admin.BY_SUCCESS]
)
def test_webhooks_are_sorted_by_each_of_their_columns(app, partner, stranger, clock, of, ascending):
    for number, path in enumerate(("b", "a", "c", "a", "b")):
        hook = {"endpointUrl": f"https://93.184.215.14/{path}", "eventTypes": ["production.queued"]}
        made = body(partner.post("/v1/webhooks", json=hook))
        clock.tick(number % 2)
        with db.transaction():
            plain_sql.execute(
                "UPDATE subscriptions SET failure_count = ?, last_delivery_at = ? WHERE id = ?",
                (number % 3, (None, 5, 5, 9, None)[number], made["subscriptionId"]),
            )
    body(stranger.post("/v1/webhooks", json=hook))
    partner_id = partner.seeded["partnerId"]
    by = {
        "": lambda row: row["created_at"],
        webhook_admin.BY_ENDPOINT: lambda row: row["endpoint_url"],
        webhook_admin.BY_FAILURES: lambda row: row["failure_count"],
        webhook_admin.BY_SUCCESS: lambda row: row["last_delivery_at"] or 0,
    }
    for standing in (None, "Active"):
        rows = pages(
            lambda page, how=standing: webhook_admin.list_page(partner_id, page, how), of, ascending
        )
        found = keys(rows, by[of])
        assert len(found) == 5 and found == sorted(found, reverse=not ascending)
    everybody = pages(lambda page: webhook_admin.list_page(None, page), "", ascending)
    assert len(everybody) == 6
    assert keys(everybody, by[""]) == sorted(keys(everybody, by[""]), reverse=not ascending)


def test_deliveries_begin_with_the_oldest_where_that_is_asked_for(app, partner, stranger, clock):
    for who, path in ((partner, "a"), (partner, "b"), (stranger, "c")):
        hook = {"endpointUrl": f"https://93.184.215.14/{path}", "eventTypes": ["production.queued"]}
        mine = body(who.post("/v1/webhooks", json=hook))["subscriptionId"]
        for _ in range(2):
            who.trigger()  # two deliveries of one moment
        clock.tick(1)
        who.trigger()
    partner_id = partner.seeded["partnerId"]
    searches = [
        {"partner_id": partner_id},
        {},
        {"subscription_id": mine},
        {"status": "Pending"},
        {"endpoint": "/a"},
    ]
    searches += [
        {"since": NOON, "until": clock() - 1},
        {"partner_id": partner_id, "event_type": "production.queued"},
    ]
    for given in searches:
        read = lambda page, given=given: deliveries.search(Search(**given), page)  # noqa: E731
        newest, oldest = pages(read, "", False, 4), pages(read, "", True, 3)
        assert oldest == newest[::-1] and len(newest) > 2, given
        found = keys(oldest, lambda row: row["created_at"])
        assert found == sorted(set(found)), given


@pytest.mark.parametrize("of_one", [True, False])
def test_requests_begin_with_the_oldest_and_a_search_reads_the_latest_all_the_same(
    app, partner, of_one, monkeypatch
):
    monkeypatch.setattr(request_search, "RECENT", 6)
    app.extensions["svc"].recorder.flush()
    partner_id = partner.seeded["partnerId"]
    with db.transaction():
        plain_sql.execute("DELETE FROM requests")
        for number in range(10):  # in pairs of one moment
            status = 404 if number % 3 else 200
            plain_sql.execute(REQUEST, (partner_id, NOON + number // 2, f"/v1/{number}", status))
    request_search._partner_query.cache_clear()
    whose = partner_id if of_one else None
    try:
        for wanted, status in (
            ({}, None),
            ({}, 4),
            ({"path": "/v1/"}, None),
            ({"path": "/v1/"}, 4),
        ):

            def read(page, wanted=wanted, status=status):
                return request_search.list_page(whose, page, status_class=status, filters=wanted)

            oldest = [row["path"] for row in pages(read, "", True)]
            numbers = range(4 if wanted or (status and not of_one) else 0, 10)
            assert oldest == [f"/v1/{each}" for each in numbers if status is None or each % 3], (
                wanted,
                status,
            )
    finally:
        request_search._partner_query.cache_clear()


def test_a_place_in_a_list_by_name_is_none_in_a_list_by_time():
    cursor = paging.encode(0, ids.NIL, "name")
    assert paging.make_page(cursor, 2, "name", True).after == (0, ids.NIL)
    for of in ("", "failures"):
        with pytest.raises(InvalidRequest, match="same list"):
            paging.make_page(cursor, 2, of)


@pytest.mark.sqlite("reads SQLite's query plans")
def test_no_order_reads_a_whole_table_or_sorts_one(app):
    ways = itertools.product(
        ("partner", "account"), ((), ("status",), ("environment",)), (True, False), (True, False)
    )
    for kind, filters, ascending, is_first in ways:
        if kind == "partner" and filters == ("environment",):
            continue
        query = partner_search._page_query(
            kind, *filters, by_name=True, ascending=ascending, is_first=is_first
        )
        sql = query.sql(None)
        plan = [
            row[3]
            for row in plain_sql.rows(f"EXPLAIN QUERY PLAN {sql}", query.select_values(_ONES))
        ]
        assert any(f"{kind}s_by_name" in step for step in plan), (sql, plan)
        assert f"SCAN {kind}s" not in plan and "SCAN t1" not in plan, plan
    names = (webhook_admin.BY_ENDPOINT, webhook_admin.BY_FAILURES, webhook_admin.BY_SUCCESS)
    for of, ascending, is_first in itertools.product(names, (True, False), (True, False)):
        query = webhook_admin._page_query(True, None, of, ascending, is_first)
        assert scans(query.sql(None), query.select_values(_ONES)) == [], of


_ONES = dict.fromkeys(
    ("id", "created", "limit", "status", "environment", "partner_id", "search"), 1
)
