"""The search in deliveries: whose are found, by what, in which order,
and that it reads no more than a page needs.
"""

import itertools

import pytest
from support import plain_sql
from support.cast import body
from support.plans import instructions, scans
from support.sampling import sampled

from svc.base import states
from svc.domain.paging import Page, decode
from svc.domain.webhooks import deliveries, subscriptions
from svc.domain.webhooks.deliveries import Search
from svc.store.database import db

URL = "https://93.184.215.14/"
FURTHER = """
    INSERT INTO deliveries (id, subscription_id, partner_id, event_id, event_type, production_id,
                            sequence, body, status, created_at)
    SELECT ?, subscription_id, partner_id, event_id, ?, production_id, sequence, body, ?, created_at
    FROM deliveries WHERE subscription_id = ? ORDER BY id LIMIT 1
"""


def hook(partner, path: str, *types: str) -> str:
    asked = {"endpointUrl": URL + path, "eventTypes": list(types or ("production.queued",))}
    return body(partner.post("/v1/webhooks", json=asked))["subscriptionId"]


def listed(search: Search, limit: int = 20, cursor: str = "") -> dict:
    return deliveries.search(search, Page(limit, decode(cursor)) if cursor else Page(limit))


def endpoints(search: Search) -> list[str]:
    return [row["endpoint_url"].removeprefix(URL) for row in listed(search)["data"]]


def change(hook_id: str, assignments: str) -> None:
    with db.transaction():
        plain_sql.execute(f"UPDATE subscriptions SET {assignments} WHERE id = ?", (hook_id,))


def add_deliveries(hook_id: str, number: int, event_type: str, status: str = "Succeeded") -> None:
    ids = (f"00000000-0000-7000-8000-{each:012}" for each in itertools.count(_next()))
    with db.transaction():
        for _ in range(number):
            plain_sql.execute(FURTHER, (next(ids), event_type, status, hook_id))


def _next() -> int:
    return int(plain_sql.one("SELECT count(*) FROM deliveries")[0])


def test_the_newest_of_all_webhooks_come_first_page_by_page(app, partner, clock):
    for name in ("a", "b", "c"):
        hook(partner, name)
    for _ in range(3):
        partner.trigger()
        clock.tick(1)
    partner_id, seen, cursor = partner.seeded["partnerId"], [], ""
    for limit in (2, 3, 4):
        part = listed(Search(partner_id), limit, cursor)
        seen += part["data"]
        cursor = part["nextCursor"] or ""
    assert len(seen) == 9 and not cursor
    keys = [(row["created_at"], row["id"]) for row in seen]
    assert keys == sorted(keys, reverse=True) and len(set(keys)) == 9
    everybody = listed(Search(), 9)["data"]
    assert [row["id"] for row in everybody] == [row["id"] for row in seen]


def test_nobody_finds_the_deliveries_of_another_partner(app, partner, stranger):
    hook(partner, "mine")
    hook(stranger, "theirs")
    partner.trigger()
    stranger.trigger()
    mine, theirs = (each.seeded["partnerId"] for each in (partner, stranger))
    assert endpoints(Search(mine)) == ["mine"] and endpoints(Search(theirs)) == ["theirs"]
    assert sorted(endpoints(Search())) == ["mine", "theirs"]
    production_id = listed(Search(theirs))["data"][0]["production_id"]
    for more in ({"production_id": production_id}, {"endpoint": "theirs"}):
        assert endpoints(Search(mine, **more)) == []
        assert endpoints(Search(**more)) == ["theirs"]


def test_each_filter_finds_what_it_names_alone_and_with_each_other(app, partner, clock):
    fine, failing, paused = (hook(partner, name) for name in ("fine", "failing", "paused"))
    partner.trigger()
    change(failing, "failing_since = 1")
    change(paused, "failing_since = 1, paused_at = 1")
    add_deliveries(fine, 1, "production.failed", "Failed")
    add_deliveries(failing, 1, "production.failed", "Parked")
    of = {
        ("endpoint", "AIL"): {"failing"},
        ("standing", subscriptions.FAILING): {"failing"},
        ("standing", subscriptions.PAUSED): {"paused"},
        ("standing", subscriptions.ACTIVE): {"fine", "failing", "paused"},
        ("standing", subscriptions.SUSPENDED): set(),
        ("status", "Pending"): {"fine", "failing", "paused"},
        ("status", "Failed"): {"fine"},
        ("status", "Parked"): {"failing"},
        ("event_type", "production.failed"): {"fine", "failing"},
        ("event_type", "production.queued"): {"fine", "failing", "paused"},
        ("subscription_id", fine): {"fine"},
        ("subscription_id", paused): {"paused"},
    }
    both = {
        ("production.failed", "Pending"),
        ("production.queued", "Failed"),
        ("production.queued", "Parked"),
    }
    partner_id = partner.seeded["partnerId"]
    for (one, first), (other, second) in itertools.product(of, of):
        if one == other and first != second:
            continue
        expected = of[one, first] & of[other, second]
        if both & {(first, second), (second, first)}:
            expected = set()
        for whose in (partner_id, None):
            found = endpoints(Search(whose, **{one: first, other: second}))
            assert set(found) == expected, (one, first, other, second)


def test_a_deleted_webhook_has_no_page_and_so_none_of_its_deliveries_is_listed(app, partner):
    gone = hook(partner, "gone")
    partner.trigger()
    partner.delete(f"/v1/webhooks/{gone}")
    for whose in (partner.seeded["partnerId"], None):
        assert endpoints(Search(whose)) == [] == endpoints(Search(whose, status="Pending"))


def test_days_limit_the_deliveries_of_one_of_a_partner_and_of_all(app, partner, clock):
    mine = hook(partner, "mine")
    first = clock()
    partner.trigger()
    second = clock.tick(60)
    partner.trigger()
    for whose in ({"partner_id": partner.seeded["partnerId"]}, {}, {"subscription_id": mine}):
        assert len(endpoints(Search(**whose))) == 2
        assert len(endpoints(Search(**whose, since=second))) == 1
        assert len(endpoints(Search(**whose, until=second - 1))) == 1
        assert endpoints(Search(**whose, until=first - 1)) == []


SHAPES = [
    ("partner_id",),
    ("subscription_id",),
    (),
    ("partner_id", "production_id"),
    ("production_id",),
    ("partner_id", "event_type"),
    ("subscription_id", "event_type"),
    ("partner_id", "endpoint"),
]


@pytest.mark.sqlite("reads SQLite's query plans")
@pytest.mark.parametrize("names", sampled(map(list, SHAPES), 6))
def test_no_search_reads_a_whole_table(app, names):
    asked = itertools.product(
        (None, *states.DELIVERY_STATES), (None, *subscriptions.STANDING_CONDITIONS), (False, True)
    )
    for status, how, oldest_first in asked:
        query = deliveries._search_query(
            *names, standing=how, status=status, oldest_first=oldest_first
        )
        sql = query.sql(None)
        values = dict.fromkeys(
            (*names, "since", "until", "created", "id", "limit", "low", "high"), 1
        )
        read = set(scans(sql, values))
        # An operator's search looks at every webhook, which are a few for each partner.
        assert read <= (
            {"subscriptions"} if {"partner_id", "subscription_id"}.isdisjoint(names) else set()
        ), sql


@pytest.mark.sqlite("counts the instructions of SQLite")
@pytest.mark.parametrize(
    "wanted", [{"event_type": "production.failed"}, {"status": "Failed"}, {"status": "Pending"}, {}]
)
def test_a_search_in_a_long_log_costs_no_more_than_in_a_short_one(app, partner, wanted):
    mine = hook(partner, "mine")
    partner.trigger()
    add_deliveries(mine, 5, "production.failed", "Failed")
    costs = []
    for _ in range(2):
        add_deliveries(mine, 100, "production.step.complete")
        search = Search(partner.seeded["partnerId"], **wanted)
        listed(search, 3)
        costs.append(instructions(lambda search=search: listed(search, 3)))
    assert costs[1] <= costs[0] * 1.1
