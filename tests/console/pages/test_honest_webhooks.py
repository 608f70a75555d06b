"""What the pages about webhooks say of deliveries is so: rates, words, addresses,
and numbers that go on by themselves.
"""

import re

import pytest
from support import plain_sql
from support.cast import body, text
from support.outbox import answer, claim

from svc.domain.webhooks import admin as webhook_admin
from svc.store.database import db

URL, OTHER = "https://93.184.215.14/hooks", "https://93.184.215.14/other"
LISTS = ("/console/productions/", "/console/webhooks/", "/console/requests/", "/console/batches/")


@pytest.fixture
def hook(partner) -> str:
    made = body(
        partner.post("/v1/webhooks", json={"endpointUrl": URL, "eventTypes": ["production.queued"]})
    )
    return made["subscriptionId"]


def test_a_success_rate_counts_no_test_events_and_nothing_that_was_not_sent(
    owner, partner, hook, clock
):
    partner.trigger()
    answer(claim(clock()), clock(), 200)
    for _ in range(3):
        owner.post(f"/console/webhooks/{hook}/ping")
        answer(claim(clock()), clock.tick(60), 500)
    partner.trigger()
    health = webhook_admin.measure_delivery_health(hook)
    assert (health.latest, health.ended, health.rate) == (("Succeeded", "Pending"), 1, 1.0)
    page = text(owner.get(f"/console/webhooks/{hook}"))
    assert "100 %</span>" in page and "of the latest 1 that were sent" in page


def test_what_is_skipped_or_parked_is_not_said_to_be_sent_yet(owner, partner, hook, clock):
    for status, words in (
        ("Skipped", "not sent"),
        ("Parked", "waits"),
        ("Pending", "not sent yet"),
    ):
        partner.trigger()
        with db.transaction():
            plain_sql.execute(
                "UPDATE deliveries SET status = ? WHERE id = (SELECT max(id) FROM deliveries)",
                (status,),
            )
        assert f'<span class="quiet">{words}</span>' in text(
            owner.get(f"/console/webhooks/{hook}?status={status}")
        )


def test_whose_sandbox_accounts_a_webhook_hears_is_said(owner, partner, hook):
    page = text(owner.get(f"/console/webhooks/{hook}"))
    assert "every sandbox account" not in page and "the sandbox accounts of" in page
    live = body(
        partner.live().post(
            "/v1/webhooks", json={"endpointUrl": URL, "eventTypes": ["production.queued"]}
        )
    )
    assert "every live account" in text(owner.get(f"/console/webhooks/{live['subscriptionId']}"))


def test_a_changed_endpoint_does_not_rewrite_where_earlier_deliveries_went(
    owner, partner, hook, clock
):
    production_id = body(partner.trigger())["productionId"]
    answer(claim(clock()), clock(), 200)
    owner.post(
        f"/console/webhooks/{hook}/edit",
        {"endpointUrl": OTHER, "eventTypes": ["production.queued"]},
    )
    delivery = plain_sql.one("SELECT id FROM deliveries")[0]
    page = text(owner.get(f"/console/webhooks/{hook}/deliveries/{delivery}"))
    assert (
        f"POST {URL}\n" in page
        and f"POST {OTHER}" not in page
        and f"It has been changed since to {OTHER}" in page
    )
    timeline = text(owner.get(f"/console/productions/{production_id}"))
    assert URL in timeline and OTHER not in timeline


@pytest.mark.parametrize("place", LISTS)
def test_the_first_page_of_a_list_goes_on_by_itself_and_keeps_its_filters(owner, busy, place):
    found = re.search(
        r'id="list" hx-get="([^"]+)" hx-trigger="every 5s"',
        text(owner.get(f"{place}?from=2026-11-20")),
    )
    assert found[1] == f"{place}?from=2026-11-20"


def test_a_further_page_of_a_list_stays_as_it_is(owner, busy, monkeypatch):
    assert 'hx-trigger="every 5s"' not in text(
        owner.get("/console/requests/?cursor=" + "MTc5NTI2MjQwMDAwMDox")
    )


def test_an_endpoint_that_fails_for_the_first_time_has_no_row_of_failures(owner, partner):
    asked = {"endpointUrl": "https://93.184.215.14/x", "eventTypes": ["production.queued"]}
    hook = body(partner.post("/v1/webhooks", json=asked))["subscriptionId"]
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET failing_since = 1")
    assert "a delivery is being retried" in text(owner.get("/console/"))
    assert '<span class="quiet">being retried</span>' in text(owner.get("/console/webhooks/"))
    assert "one is being retried" in text(owner.get(f"/console/webhooks/{hook}"))
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET failure_count = 2")
    assert "2 failed in a row" in text(owner.get("/console/"))
    assert "being retried" not in text(owner.get("/console/webhooks/"))
    assert "warned at 3, suspended at 10" in text(owner.get(f"/console/webhooks/{hook}"))
