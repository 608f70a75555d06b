"""Refusals that no budget bounds are counted in the history, and not entered one by one;
usage and headers stay exact.
"""

import pytest
from support import plain_sql
from support.cast import body, refused

from svc.base import threads
from svc.domain.usage import recorder as recording
from svc.store.database import db


@pytest.fixture(autouse=True)
def recorder(app, monkeypatch):
    """The recorder, which writes only what these tests tell it to: its thread does not start."""
    recorder = app.extensions["svc"].recorder
    monkeypatch.setattr(recorder, "_start_thread", lambda: None)
    return recorder


@pytest.fixture
def free(recorder, person):
    """A partner of the tier Free whose budget of this minute is spent."""
    poor = person("Free")
    for _ in range(10):
        assert poor.get("/v1/languages").status_code == 200
    return poor


def kept(recorder, status: int = 429) -> list[tuple]:
    recorder.flush()
    sql = "SELECT path, times FROM requests WHERE status_code = ? ORDER BY id"
    return [tuple(row) for row in plain_sql.rows(sql, (status,))]


def usage() -> tuple:
    return tuple(
        plain_sql.one(
            "SELECT sum(requests), sum(status4xx), sum(rate_limited), sum(counted) FROM usage_days"
        )
    )


@pytest.mark.parametrize("number", [40, 80])
def test_refusals_of_the_budget_take_one_row_a_minute_however_many_they_are(free, recorder, number):
    for _ in range(number):
        refused(free.get("/v1/languages"), 429, "RATE_LIMIT_EXCEEDED")
        recorder.flush()
    assert kept(recorder) == [("/v1/languages", number)]
    assert usage() == (10 + number, number, number, 10)


def test_each_refusal_of_the_budget_and_no_other_is_noted_for_the_turns_of_threads(
    free, partner, monkeypatch
):
    noted = []
    monkeypatch.setattr(threads.thread_shares, "record_refusal", noted.append)
    refused(partner.get("/v1/productions/x"), 404, "NOT_FOUND")
    refused(partner.get("/v1/partner/accounts", key="svc_live_x"), 401, "UNAUTHORIZED")
    assert noted == []
    for _ in range(3):
        refused(free.get("/v1/languages"), 429, "RATE_LIMIT_EXCEEDED")
    assert noted == [free.seeded["partnerId"]] * 3


def test_refusals_in_one_batch_and_across_batches_are_counted_alike(free, recorder):
    for batch in (1, 5, 2):
        for _ in range(batch):
            free.get("/v1/languages")
        recorder.flush()
    assert kept(recorder) == [("/v1/languages", 8)]


def test_each_route_method_key_and_minute_has_an_entry_of_its_own_and_paths_have_not(
    free, recorder, clock
):
    for _ in range(3):
        free.get("/v1/languages")
        free.get("/v1/countries")
    for number in range(30):  # whoever is over the budget cannot make rows by inventing paths
        free.get(f"/v1/productions/{number}")
    assert sorted(kept(recorder)) == [
        ("/v1/countries", 3),
        ("/v1/languages", 3),
        ("/v1/productions/0", 30),
    ]
    clock.tick(59)
    for _ in range(10):
        free.get("/v1/languages")
    clock.tick(30)
    for _ in range(20):
        free.get("/v1/languages")
    assert sum(times for path, times in kept(recorder) if path == "/v1/languages") > 3
    assert len(kept(recorder)) <= 5


def test_refusals_of_an_inactive_partner_and_of_a_foreign_address_are_counted(partner, recorder):
    with db.transaction():
        plain_sql.execute("UPDATE api_keys SET allowed_ranges = '[\"192.0.2.0/24\"]'")
    for _ in range(7):
        refused(partner.get("/v1/languages"), 403, "PERMISSION_DENIED")
    assert kept(recorder, 403) == [("/v1/languages", 7)]
    # of the first, which the history shows
    assert plain_sql.one("SELECT count(*) FROM refusals")[0] == 1
    with db.transaction():
        plain_sql.execute("UPDATE api_keys SET allowed_ranges = NULL")
        plain_sql.execute("UPDATE partners SET status = 'Suspended'")
    for _ in range(5):
        refused(partner.get("/v1/languages"), 403, "PARTNER_NOT_ACTIVE")
    assert kept(recorder, 403) == [("/v1/languages", 7), ("/v1/languages", 5)]


def test_refused_pings_which_no_budget_counts_are_counted(partner, recorder):
    hook = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}
    subscription = body(partner.post("/v1/webhooks", json=hook))["subscriptionId"]
    assert partner.post(f"/v1/webhooks/{subscription}/ping").status_code == 202
    for number in range(6):
        partner.post(f"/v1/webhooks/{subscription}/ping")
        partner.post(f"/v1/webhooks/018f0000-0000-7000-8000-00000000000{number}/ping")
    assert [times for _, times in kept(recorder)] == [6] and [
        times for _, times in kept(recorder, 404)
    ] == [6]


def test_unknown_keys_leave_no_row_of_the_history_and_few_of_the_failures(app, partner, recorder):
    stranger = app.test_client()
    for number in range(50):
        assert (
            stranger.get("/v1/languages", headers={"X-API-Key": f"svc_live_{number}"}).status_code
            == 401
        )
    recorder.flush()
    assert plain_sql.one("SELECT count(*) FROM requests")[0] == 0
    assert plain_sql.one("SELECT count(*) FROM auth_failures")[0] <= 10


def test_requests_within_the_budget_are_entered_each_by_itself_refused_or_not(partner, recorder):
    for number in range(4):
        partner.get("/v1/languages")
        partner.get(f"/v1/productions/{number}")
    assert len(kept(recorder, 200)) == len(kept(recorder, 404)) == 4


def test_the_history_says_how_many_an_entry_stands_for(free, clock):
    for _ in range(12):
        free.get("/v1/languages")
    clock.tick(61)
    listed = body(free.get("/v1/partner/requests?status=4"))["data"]
    assert [(each["path"], each["statusCode"], each["count"]) for each in listed] == [
        ("/v1/languages", 429, 12)
    ]
    assert {each["count"] for each in body(free.get("/v1/partner/requests?status=2"))["data"]} == {
        1
    }


def test_a_refusal_that_is_answered_after_its_batch_is_counted_with_the_first(
    free, recorder, monkeypatch
):
    free.get("/v1/languages")
    recorder.flush()
    finish = recorder.finish

    def late(entry, *given, **more):
        recorder.flush()  # the batch takes it before its answer is known
        finish(entry, *given, **more)

    monkeypatch.setattr(recorder, "finish", late)
    for _ in range(5):
        free.get("/v1/languages")
    assert kept(recorder) == [("/v1/languages", 6)]
    assert plain_sql.one("SELECT count(*) FROM requests WHERE counted = 0")[0] == 1 and usage() == (
        16,
        6,
        6,
        10,
    )


def test_a_transaction_that_fails_counts_nothing_twice(free, recorder, monkeypatch):
    free.get("/v1/languages")
    write, failures = recording._write_batch, [db.Error("full"), db.Error("full")]

    def fail(*given):
        if failures:
            raise failures.pop()
        write(*given)

    monkeypatch.setattr(recording, "_write_batch", fail)
    for _ in range(2):
        free.get("/v1/languages")
        with pytest.raises(db.Error):
            recorder.flush()
    free.get("/v1/languages")
    assert kept(recorder) == [("/v1/languages", 4)] and usage() == (14, 4, 4, 10)
