"""The request history, usage and performance."""

import json

import pytest
from support import plain_sql
from support.cast import body, refused
from support.stage import DRIVER, complete_steps, publish_all

from svc.domain.watch import performance
from svc.domain.webhooks import claiming, outbox
from svc.domain.webhooks.claiming import Limits
from svc.store.database import db


def test_the_history_is_filtered_by_time_and_status(partner, clock):
    partner.get("/v1/languages")
    clock.tick(60)
    partner.get("/v1/nowhere")  # not authenticated: it is nobody's
    partner.get("/v1/accounts?limit=0")
    clock.tick(60)

    def paths(query):
        return [each["path"] for each in body(partner.get(f"/v1/partner/requests?{query}"))["data"]]

    assert paths("status=2&to=2026-11-21T12:01:00Z") == ["/v1/languages"]
    assert paths("status=4") == ["/v1/accounts"]
    assert paths("status=5") == []
    assert paths("from=2026-11-21T12:00:30Z&to=2026-11-21T12:01:30Z") == ["/v1/accounts"]


def test_the_history_pages_without_losing_any(partner):
    for _ in range(7):
        partner.get("/v1/languages")
    seen, query = [], "limit=3&to=2026-11-21T12:00:00Z"
    while query:
        page = body(partner.get(f"/v1/partner/requests?{query}"))
        seen += [each["requestId"] for each in page["data"] if each["path"] == "/v1/languages"]
        query = page["hasMore"] and f"limit=3&to=2026-11-21T12:00:00Z&cursor={page['nextCursor']}"
    assert len(seen) == len(set(seen)) == 7


def test_the_history_of_another_partner_is_not_shown(partner, stranger):
    partner.get("/v1/languages")
    assert body(stranger.get("/v1/partner/requests"))["data"] == []


def test_the_request_that_asks_is_in_the_history_of_the_next_one_alone(partner):
    partner.get("/v1/languages")

    def listed(query: str = "") -> list[tuple]:
        found = body(partner.get(f"/v1/partner/requests{query}"))["data"]
        return [(each["path"], each["statusCode"]) for each in found]

    assert listed() == [("/v1/languages", 200)]
    assert listed("?limit=1") == [("/v1/partner/requests", 200)]  # the earlier one
    assert listed("?status=2") == [("/v1/partner/requests", 200)] * 2 + [("/v1/languages", 200)]
    one = {"X-Correlation-Id": "one"}
    assert body(partner.get("/v1/partner/requests?correlationId=one", headers=one))["data"] == []
    assert [status for _, status in listed("?correlationId=one")] == [200]


@pytest.mark.parametrize("limit", ["0", "101", "x", "", "1e1", "-1"])
def test_a_limit_outside_one_to_a_hundred_is_refused(partner, limit):
    refused(partner.get(f"/v1/partner/requests?limit={limit}"), 400, "INVALID_LIMIT")


@pytest.mark.parametrize(
    "query",
    [
        "from=x",
        "to=2026-11-21",
        "from=2026-11-20T00:00:00",
        "from=2026-11-21T13:00:00Z&to=2026-11-21T12:00:00Z",
    ],
)
def test_a_time_that_is_none_is_refused(partner, query):
    if query == "from=2026-11-20T00:00:00":
        assert partner.get(f"/v1/partner/requests?{query}").status_code == 200
    else:
        refused(partner.get(f"/v1/partner/requests?{query}"), 422, "INVALID_DATE_FORMAT")


def test_a_window_of_thirty_days_is_the_widest(partner):
    path = "/v1/partner/requests?to=2026-11-21T00:00:00Z&from=2026-10-22T00:00:00"
    assert partner.get(path + "Z").status_code == 200
    refused(
        partner.get(path.replace("22T00:00:00", "21T23:59:59.999Z")), 422, "DATE_RANGE_TOO_WIDE"
    )


@pytest.mark.parametrize("status", ["3", "200", "", "x"])
def test_a_status_class_that_is_none_is_refused(partner, status):
    refused(partner.get(f"/v1/partner/requests?status={status}"), 422, "INVALID_STATUS_CLASS")


@pytest.mark.parametrize("months", ["0", "13", "x", "1.5", ""])
def test_a_number_of_months_outside_one_to_twelve_is_refused(partner, months):
    refused(partner.get(f"/v1/partner/usage?months={months}"), 422, "INVALID_MONTHS_PARAM")


def test_usage_counts_what_happened_in_each_month(person, clock):
    free = person("Free")
    free.trigger()
    complete_steps(clock)
    publish_all(clock)
    free.get("/v1/accounts?limit=0")
    for _ in range(9):
        free.get("/v1/languages")
    clock.tick(15 * 86400)
    free.trigger()
    found = body(free.get("/v1/partner/usage?months=12"))
    assert (found["from"], found["tier"], len(found["months"])) == (
        "2026-01-01T00:00:00.000Z",
        "Free",
        12,
    )
    december, november, october = found["months"][:3]
    assert (december["month"], november["month"]) == ("2026-12", "2026-11")
    assert november["requests"] == {
        "total": 11,
        "status2xx": 9,
        "status4xx": 2,
        "status5xx": 0,
        "rateLimited": 1,
    }
    assert november["productions"] == {"triggered": 1, "published": 1, "failed": 0, "cancelled": 0}
    assert november["spend"] == 0.5 and november["byAccount"][0]["accountId"] == free.account
    assert december["productions"]["triggered"] == 1 and october["requests"]["total"] == 0
    assert found["totals"]["productions"]["triggered"] == 2
    assert body(free.get("/v1/partner/usage"))["months"][0]["month"] == "2026-12"


def test_usage_shows_ceilings_with_what_is_used_and_left(person):
    free = person("Free")
    with db.transaction():
        plain_sql.execute("UPDATE accounts SET monthly_ceiling = 2000000, concurrency_ceiling = 5")
        plain_sql.execute("UPDATE customers SET monthly_ceiling = 1000000")
    free.trigger()
    free.trigger()
    [shown] = body(free.get("/v1/partner/usage"))["ceilings"]
    assert shown["accountId"] == free.account
    assert shown["monthlySpend"] == {"ceiling": 2.0, "used": 1.0, "left": 1.0}
    assert shown["concurrentProductions"] == {"ceiling": 5, "used": 2, "left": 3}
    assert shown["dailyProductions"] == {"ceiling": 3, "used": 2, "left": 1}
    assert shown["customer"]["monthlySpend"] == {"ceiling": 1.0, "used": 1.0, "left": 0.0}
    assert shown["customer"]["concurrentProductions"] == {"ceiling": None, "used": 2, "left": None}
    refused(free.trigger(), 409, "BUDGET_GATE_2_FAILED")  # nothing is left, as it says


def test_the_ceilings_of_a_live_customer_are_not_those_of_its_sandboxes(partner):
    partner.trigger()
    live = {"X-API-Key": partner.seeded["liveKey"]}
    [shown] = body(partner.get("/v1/partner/usage", headers=live))["ceilings"]
    assert shown["accountId"] == partner.seeded["liveAccountId"]
    assert shown["customer"]["concurrentProductions"]["used"] == shown["monthlySpend"]["used"] == 0


def test_a_key_of_some_accounts_does_not_see_what_their_customer_uses(partner):
    partner.trigger()
    with db.transaction():
        plain_sql.execute(
            "UPDATE api_keys SET permitted_account_ids = ?", (json.dumps([partner.account]),)
        )
    [shown] = body(partner.get("/v1/partner/usage"))["ceilings"]
    assert shown["customer"] is None and shown["concurrentProductions"]["used"] == 1


def test_usage_of_another_partner_is_not_shown(partner, stranger):
    partner.trigger()
    assert (
        body(stranger.get("/v1/partner/usage?months=12"))["totals"]["productions"]["triggered"] == 0
    )


def test_performance_is_there_once_published(partner, stranger, clock):
    production = body(partner.trigger())["productionId"]
    path = f"/v1/productions/{production}/performance"
    refusal = refused(partner.get(path), 409, "PERFORMANCE_DATA_NOT_READY")
    assert refusal["message"].endswith("; it is Queued.")
    complete_steps(clock)
    publish_all(clock)
    refused(stranger.get(path), 404, "NOT_FOUND")
    found = body(partner.get(path))
    assert found["totals"] == {
        "views": 0,
        "uniqueViewers": 0,
        "watchTimeSeconds": 0,
        "averagePercentViewed": None,
    }
    assert [each["dataSource"] for each in found["platforms"]] == ["measured", "measured"]
    assert performance.MEASURED == "measured"


def test_usage_counts_deliveries_that_ended(partner, clock):
    address = "https://93.184.215.14/hooks"
    partner.post("/v1/webhooks", json={"endpointUrl": address, "eventTypes": ["production.queued"]})
    for error in (
        None,
        "connection refused",
        "connection refused",
        "connection refused",
        "connection refused",
    ):
        if plain_sql.row("SELECT count(*) FROM deliveries WHERE status = 'Pending'")[0] == 0:
            partner.trigger()
        clock.tick(400)
        [held] = claiming.claim(DRIVER, clock(), 0, 1, Limits(1)) or claiming.claim(
            DRIVER, clock(), 1, 1, Limits(1)
        )
        outbox.record_outcomes(
            [outbox.Attempt(held.id, held.token, clock(), clock(), None, error, 1.0)]
        )
    found = body(partner.get("/v1/partner/usage"))["months"][0]["webhookDeliveries"]
    assert found == {"succeeded": 1, "failed": 1}
