"""No statement of the API or of the engine reads a whole table that grows."""

import re

import pytest
from support import plain_sql
from support.cast import body
from support.outbox import answer, claim
from support.plans import Recorder, scans
from support.stage import DRIVER, complete_steps, make, publish_all

from svc.base import clock as times
from svc.base import settings
from svc.domain.briefing import batches
from svc.domain.lifecycle import batch_endings, batch_rows, endings, losses, render_queue
from svc.domain.monitoring import backlog
from svc.domain.productions import expiry_events, publications, release_reminders
from svc.domain.webhooks import claiming, deliveries, outbox
from svc.store import claims
from svc.store.database import db
from svc.store.queries import Prepared
from svc.work import daily_jobs

pytestmark = pytest.mark.sqlite("reads SQLite's query plans")

URL = "https://93.184.215.14/hooks"
SMALL = {
    "meta": "a handful of rows",
    "step_paces": "a row a step",
    "master_keys": "a row a rotation",
    "auth_failures": "at most ten rows an address, of the last minute alone",
    "auth_bursts": "addresses of the last minute alone",
    "files_to_remove": "read a hundred at a time, in the order of the table, and removed",
}
EVERYTHING_GOES = settings.read(
    {"SVC_HISTORY_DAYS": "30", "SVC_MEDIA_DAYS": "30", "SVC_PRODUCTION_DAYS": "30"}
)
# statements of the midnight chores, which read what they are about to prune; nobody waits for them
BY_THE_DAY = {
    "request_days": "two days of counters",
    "usage_days": "a row a partner and day: 800,000 for 2,000 partners, once a day",
    "production_days": "as usage_days",
    "sandbox_days": "as usage_days",
    "accounts": "those of sandboxes, whose productions are pruned sooner",
    "requests": "the history is pruned by its age",
    "api_keys": "some a partner, at most two hundred a day",
    "activation_keys": "as api_keys",
    "invitations": "some a partner, two hundred of them open",
    "plays": "added up by viewer, along an index",
}


def read_everything(partner, production: str, subscription: str) -> None:
    account = partner.account
    paths = (
        f"/v1/productions/{production}",
        f"/v1/accounts/{account}/productions/{production}",
        f"/v1/accounts/{account}/productions",
        f"/v1/accounts/{account}/productions?status=Failed&status=Queued&limit=5",
        f"/v1/accounts/{account}/productions?from=2026-11-01T00:00:00Z&to=2026-11-30T00:00:00Z",
        f"/v1/productions/{production}/events",
        f"/v1/productions/{production}/deliverables",
        f"/v1/productions/{production}/performance",
        "/v1/partner/accounts",
        f"/v1/accounts/{account}",
        "/v1/languages",
        "/v1/countries",
        "/v1/partners/verify",
        "/v1/partner/usage?months=12",
        "/v1/partner/requests",
        "/v1/partner/requests?status=4",
        "/v1/webhooks",
        f"/v1/webhooks/{subscription}",
        f"/v1/webhooks/{subscription}/deliveries",
        f"/v1/webhooks/{subscription}/deliveries?status=Succeeded",
        f"/v1/productions/{production}/deliveries",
        "/v1/events",
        "/v1/events?cursor=latest",
        "/v1/partner/requests?status=2",
        "/v1/partner/requests?correlationId=x&status=5",
        f"/v1/accounts/{account}/productions?externalId=x",
        f"/v1/accounts/{account}/productions?externalId=x&status=Failed",
    )
    for path in paths:
        assert partner.get(path).status_code == 200, path


@pytest.fixture
def recorded(app, partner, clock):
    """Every statement of a partner's and the engine's whole repertoire."""
    with Recorder() as recorder:
        types = [
            "production.queued",
            "production.published",
            "production.failed",
            "production.cancelled",
        ]
        subscription = body(
            partner.post("/v1/webhooks", json={"endpointUrl": URL, "eventTypes": types})
        )["subscriptionId"]
        production = body(partner.trigger(headers={"Idempotency-Key": "one"}))["productionId"]
        partner.trigger(headers={"Idempotency-Key": "one"})
        complete_steps(clock, made=[make(), make("Watch", "Video", "mp4")])
        publish_all(clock)
        drive(partner, clock)
        deliver(partner, subscription, clock)
        app.extensions["svc"].recorder.flush()
        read_everything(partner, production, subscription)
        partner.get("/v1/webhooks", key="svc_live_unknown")
        partner.post("/v1/partners/keys/rotate")
        assert partner.delete(f"/v1/webhooks/{subscription}").status_code == 204
    return recorder


def drive(partner, clock) -> None:
    """Cancel, failure, expiry and recovery, as the engine carries them out."""
    cancelled = body(partner.trigger())["productionId"]
    plain_sql.row(
        "SELECT id FROM productions WHERE cancel_token IS NOT NULL ORDER BY cancel_requested_at "
        "LIMIT 100"
    )
    with db.transaction():
        plain_sql.execute("UPDATE productions SET cancel_token = 'x' WHERE id = ?", (cancelled,))
    endings.finish_cancel(cancelled, clock())
    for _ in range(2):
        partner.trigger()
    publications.claim_next(DRIVER, clock())
    held = render_queue.claim_next(DRIVER, clock())
    losses.release_expired(held.production_id, held.token, clock.tick(31))
    losses.record_failure(render_queue.claim_next(DRIVER, clock()), "why", clock())
    losses.release_claims_of(DRIVER.boot, clock())
    losses.release_earlier_boots(claims.Driver("another"), clock())
    with db.transaction():
        publications.release_earlier_boots(claims.Driver("another"))
        outbox.recover(claims.Driver("another"), clock())
    render_queue.list_unfinished_of([cancelled])
    deliveries.prune(clock())
    clock.tick(80 * 3600)
    release_reminders.remind(clock(), 72)
    expiry_events.record_events(clock(), 72)
    assert endings.expire_unreleased(clock())


def deliver(partner, subscription: str, clock) -> None:
    """Deliveries that succeed and fail, a suspension, a reinstatement,
    and both ways to send again.
    """
    assert claiming.find_ready_lanes()
    answer(claim(clock()), clock())
    partner.trigger()
    answer(claim(clock()), clock(), 500)
    with db.transaction():
        plain_sql.execute(
            "UPDATE subscriptions SET failure_count = 9 WHERE id = ?", (subscription,)
        )
    while claimed := claim(clock.tick(300)):
        answer(claimed, clock(), 500)
    partner.post(f"/v1/webhooks/{subscription}/reinstate")
    assert partner.post(f"/v1/webhooks/{subscription}/ping").status_code == 202
    [delivery, *_] = body(partner.get(f"/v1/webhooks/{subscription}/deliveries?status=Failed"))[
        "data"
    ]
    assert (
        partner.post(
            f"/v1/webhooks/{subscription}/deliveries/{delivery['deliveryId']}/redeliver"
        ).status_code
        == 202
    )
    assert (
        partner.post(
            f"/v1/webhooks/{subscription}/replay", json={"from": "2026-11-01T00:00:00Z"}
        ).status_code
        == 202
    )


def test_no_statement_reads_a_whole_table_that_grows(recorded):
    assert len(recorded.statements) > 80
    found = {sql: scans(sql, parameters) for sql, parameters in recorded.statements.items()}
    assert {sql: tables for sql, tables in found.items() if set(tables) - set(SMALL)} == {}


def test_no_statement_asks_for_all_columns(recorded):
    """An earlier program that runs on would get others after a migration, or an error."""
    asks = re.compile(r"(\b(SELECT|DISTINCT|RETURNING)\s+|,\s*|\.)\*")
    assert [sql for sql in recorded.statements if asks.search(sql)] == []


def test_the_midnight_chores_read_only_what_they_prune(app, partner, clock):
    with Recorder() as recorder:
        daily_jobs.close_day(clock.tick(times.DAY / 1000), EVERYTHING_GOES, lambda _: None)
    for sql, parameters in recorder.statements.items():
        assert set(scans(sql, parameters)) <= {*SMALL, *BY_THE_DAY}, sql


def test_a_scan_is_seen(app):
    assert scans("SELECT * FROM productions p WHERE p.topic = 'x'", ()) == ["productions"]
    assert scans("SELECT count(*) FROM requests", ()) == ["requests"]
    assert scans("SELECT * FROM productions WHERE id = 'x'", ()) == []


def test_what_waits_is_counted_without_what_has_ended(app):
    """Asked beside everybody else, on a connection that is not recorded."""
    queries = [each for each in vars(backlog).values() if isinstance(each, Prepared)]
    queries += backlog._READY.values()
    assert len(queries) > 6
    for query in queries:
        assert not scans(query.sql(None), {"now": 0}), query.sql(None)


@pytest.mark.parametrize(
    "query",
    [
        batch_rows._WAITING,
        batch_rows._NEXT_WAITING,
        batch_endings._ENDED_OF_ALL,
        batch_endings._ENDED_ONE,
        batch_endings._ENDED_WITH,
        batches._UNDER_WAY,
    ],
)
def test_what_the_engine_asks_of_batches_in_each_round_reads_none_that_have_ended(app, query):
    assert scans(query.sql(None), {"batch_id": "x", "id": "x", "production_id": "x"}) == []


def test_the_end_of_a_production_looks_for_its_batch_alone(app):
    query = "EXPLAIN QUERY PLAN " + batch_endings._ENDED_WITH.sql(None)
    plan = [row["detail"] for row in plain_sql.rows(query, {"production_id": "x"})]
    assert plan[0].startswith("SEARCH") and "(id=?)" in plan[0]
    assert any("batch_items_by_production (production_id=?)" in detail for detail in plan)


@pytest.mark.parametrize("query", [batch_endings._ENDED_OF_ALL, batch_endings._ENDED_WITH])
def test_the_end_of_a_production_reads_no_brief_that_waits_for_a_place(app, query):
    plan = plain_sql.rows("EXPLAIN QUERY PLAN " + query.sql(None), {"production_id": "x"})
    of_items = [
        row["detail"] for row in plan if "(batch_id=?)" in row["detail"]
    ]  # in the order in which they are asked
    assert "batch_items_waiting" in of_items[0], of_items
