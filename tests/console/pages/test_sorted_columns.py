"""The heads of columns, by which the lists of the console are sorted: links that keep the filters,
and are kept themselves.
"""

import csv
import html
import io
import re

import pytest
from support import plain_sql
from support.cast import body, text

from svc.console import query_args, sorting
from svc.console.pages import usage as usage_page

HOOK = {"endpointUrl": "https://93.184.215.14/", "eventTypes": ["production.queued"]}


def heads(page: str) -> dict[str, tuple[str | None, str]]:
    """Each head that sorts: its ``aria-sort``, and where it leads."""
    found = re.findall(
        (
            r'<th scope="col"(?: class="number")?(?: aria-sort="(\w+)")?><a class="sort" '
            r'href="([^"]+)">([^<]+)<'
        ),
        page,
    )
    return {label: (order or None, html.unescape(place)) for order, place, label in found}


def names(page: str) -> list[str]:
    return re.findall(r'<th scope="row"[^>]*><a href="[^"]+"[^>]*>([^<]+)</a>', page)


@pytest.mark.parametrize(
    ("path", "labels"),
    [
        ("productions/", ["Triggered"]),
        ("webhooks/", ["Endpoint", "Failed in a row", "Last success"]),
        ("webhooks/deliveries", ["Queued"]),
        ("requests/", ["When"]),
        ("own/accounts", ["Name"]),
    ],
)
def test_each_list_has_its_columns_and_says_by_which_it_is_sorted(owner, busy, path, labels):
    at = f"/console/{path}"
    for label in labels:
        seen = []
        for _ in range(3):
            found = heads(text(owner.get(at)))
            assert list(found) == labels
            assert [each for each in found if found[each][0]] in ([], [label], labels[:1])
            seen.append(found[label][0])
            at = found[label][1]
        assert {"ascending", "descending"} <= set(seen), (label, seen)
        at = f"/console/{path}"


def test_time_columns_go_both_ways_and_the_default_has_a_plain_address(owner, busy):
    first = heads(text(owner.get("/console/requests/?method=POST&cursor=")))["When"]
    assert first == ("descending", "/console/requests/?method=POST&sort=oldest")
    assert heads(text(owner.get(first[1])))["When"] == (
        "ascending",
        "/console/requests/?method=POST",
    )


def test_operators_sort_partners_and_accounts_by_name_page_by_page(
    operator, partner, stranger, monkeypatch
):
    monkeypatch.setattr(sorting, "read_page", _one_on_a_page(sorting.read_page))
    for path, kind in (("partners", "partners"), ("accounts", "accounts")):
        wanted = sorted(row[0].lower() for row in plain_sql.rows(f"SELECT name FROM {kind}"))
        at, found = f"/console/{path}?sort=name&status=Active", []
        while at:
            page = text(operator.get(at))
            found += names(page)
            assert heads(page)["Name"][0] == "ascending"
            older = re.search(r'<a href="([^"]+)" rel="next">Next</a>', page)
            at = older and html.unescape(older[1])
            assert not at or "sort=name" in at and "status=Active" in at
        assert [html.unescape(each).lower() for each in found] == wanted
        assert ">First</a>" in page and ">Newest</a>" not in page


def _one_on_a_page(page):
    return lambda orders, limit=1: page(orders, 1)


def test_webhooks_of_all_partners_are_sorted_by_time_alone(operator, partner):
    body(partner.post("/v1/webhooks", json=HOOK))
    page = text(operator.get("/console/webhooks/?sort=failures"))
    assert heads(page) == {} and "is no order of this list; these are: newest, oldest." in page
    mine = text(
        operator.get(f"/console/webhooks/?sort=-failures&partner={partner.seeded['partnerId']}")
    )
    assert heads(mine)["Failed in a row"][0] == "descending" and "no order of this list" not in mine


def test_filters_keep_the_order_and_a_new_order_begins_at_the_first_page(owner, busy, monkeypatch):
    monkeypatch.setattr(query_args, "ROWS_ON_A_PAGE", 1)
    page = text(owner.get("/console/productions/?sort=oldest"))
    assert '<input type="hidden" name="sort" value="oldest">' in page
    on = re.search(r'<a href="([^"]+)" rel="next">Newer</a>', page)
    second = text(owner.get(html.unescape(on[1])))
    assert "cursor=" in on[1] and heads(second)["Triggered"] == (
        "ascending",
        "/console/productions/",
    )


def test_the_export_is_in_the_order_of_the_list(owner, busy):
    page = text(owner.get("/console/productions/?sort=oldest"))
    place = html.unescape(re.search(r'href="([^"]+export\.csv[^"]*)"', page)[1])
    assert "sort=oldest" in place
    for at, order in (
        (place, ["done", "running"]),
        ("/console/productions/export.csv", ["running", "done"]),
    ):
        rows = list(
            csv.DictReader(io.StringIO(owner.get(at).get_data(as_text=True).lstrip("\ufeff")))
        )
        assert [row["Production id"] for row in rows] == [busy[each] for each in order]


@pytest.mark.parametrize("path", ["webhooks/", "requests/", "own/accounts"])
def test_a_place_in_another_order_is_refused_and_a_wrong_order_is_not(owner, busy, path):
    cursor = sorting.paging.encode(0, "x", "name")
    assert owner.get(f"/console/{path}?cursor={cursor}").status_code == 400
    assert owner.get(f"/console/{path}?sort=size").status_code == 200


def test_usage_is_sorted_by_each_column_and_what_is_alike_stays_as_it_was(app, owner, operator):
    rows = [
        {
            "accountId": name,
            "productions": {"triggered": number, "published": 0, "failed": 0},
            "renderedSeconds": 0.0,
            "spend": 1.0,
        }
        for name, number in (("b", 2), ("a", 1), ("c", 2))
    ]
    columns = usage_page._account_columns({"c": "Aaa"})
    wanted = {
        "": "bac",
        "name": "acb",
        "-name": "bca",
        "triggered": "abc",
        "-triggered": "bca",
        "spend": "bac",
        "size": "bac",
    }
    for order, accounts in wanted.items():
        with app.test_request_context(f"/console/usage/?sort={order}"):
            assert (
                "".join(row["accountId"] for row in sorting.sort_rows(rows, columns)) == accounts
            ), order


def test_the_usage_of_a_partner_and_of_all_has_heads_that_sort(owner, operator, busy):
    page = text(owner.get("/console/usage/?sort=-spend&months=6"))
    found = heads(page)
    assert list(found) == ["Account", "Triggered", "Published", "Failed", "Rendered", "Spend"]
    assert found["Spend"] == ("descending", "/console/usage/?sort=spend&months=6")
    assert found["Account"] == (None, "/console/usage/?sort=name&months=6")
    every = heads(text(operator.get("/console/usage/?sort=name")))
    assert list(every) == [
        "Partner",
        "Tier",
        "Requests",
        "Refused",
        "Rate limited",
        "Failed",
        "Deliveries failed",
    ]
    assert every["Partner"][0] == "ascending"
