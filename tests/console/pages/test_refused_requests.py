"""The page of a refused request explains the refusal: the answer, its fields, and what was sent,
with secrets masked.
"""

import json

import pytest
from support import plain_sql
from support.cast import body, text

from svc.domain.usage import refusals
from svc.work import daily_jobs

PATH = "/console/requests/"


def latest(app) -> int:
    app.extensions["svc"].recorder.flush()
    return plain_sql.one("SELECT max(id) FROM requests")[0]


def page(owner, app) -> str:
    return text(owner.get(f"{PATH}{latest(app)}"))


def test_a_refused_brief_is_understood_from_its_page_alone(app, owner, partner):
    partner.trigger(languageId="xx", title="Tea & milk")
    shown = page(owner, app)
    assert "Why it was refused" in shown and "languageId" in shown and "Tea &amp; milk" in shown
    assert (
        "application/json" in shown
        and "correlationId" in shown
        and "Bodies are kept for 7 days." in shown
    )


def test_a_refused_body_of_many_values_is_not_read_again_and_shows_no_secret(monkeypatch):
    def kept(number: int) -> str:
        sent = {"entries": [{}] * number, "secret": "hush"}
        return refusals.make_refusal(
            1, "p", 0, b"{}", "application/json", json.dumps(sent).encode()
        ).body

    assert '"secret": "•••"' in kept(100) and "\n  " in kept(100)
    assert '"secret": "•••"' in kept(400) and "\n" not in kept(400)
    read = []
    monkeypatch.setattr(refusals.json, "loads", lambda sent: read.append(len(sent)) or {})
    kept(400)
    assert read == [2]  # the answer


def test_an_answered_request_keeps_nothing(app, owner, partner):
    partner.get("/v1/languages")
    assert "Why it was refused" not in page(owner, app)
    assert plain_sql.one("SELECT count(*) FROM refusals")[0] == 0


@pytest.mark.parametrize(
    "sent",
    [
        {"endpointUrl": "https://me:hunter2@10.0.0.1/x", "eventTypes": ["production.queued"]},
        {"note": "svc_live_abcdhunter2hunter2", "whsec": "whsec_hunter2=="},
        {"signingSecret": "hunter2", "deep": [{"accessToken": {"value": "hunter2"}}]},
        "svc_test_abcdhunter2hunter2 is no JSON",
        {"long": "x" * 40_000 + "hunter2"},
    ],
)
def test_secrets_are_masked_before_they_are_stored(app, owner, partner, sent):
    data = sent if isinstance(sent, str) else json.dumps(sent)
    assert (
        partner.post("/v1/webhooks", data=data, content_type="application/json").status_code >= 400
    )
    latest(app)
    kept = tuple(plain_sql.row("SELECT body, answer FROM refusals"))
    assert "hunter2" not in str(kept) and len(kept[0]) < 9000
    assert "hunter2" not in page(owner, app)


@pytest.mark.parametrize(
    "sent",
    [b"\xff\xfe\x00", b"[" * 5000, b'"\\ud800"', b"{}", b"null", b"<script>alert(1)</script>"],
)
def test_hostile_bodies_are_stored_as_text_and_shown_as_text(app, owner, partner, sent):
    assert (
        partner.post("/v1/webhooks", data=sent, content_type="application/json").status_code == 400
    )
    shown = page(owner, app)
    assert "Why it was refused" in shown and "<script>alert" not in shown


def test_a_type_that_is_not_taken_is_shown(app, owner, partner):
    partner.post("/v1/webhooks", data=b"<x/>", content_type="text/xml")
    assert "text/xml" in page(owner, app) and "&lt;x/&gt;" in page(owner, app)


def test_a_stranger_sees_nothing_of_it(app, somebody, stranger, partner):
    partner.trigger(languageId="xx")
    number = latest(app)
    assert somebody("owner", stranger.seeded["partnerId"]).get(f"{PATH}{number}").status_code == 404
    assert refusals.find(stranger.seeded["partnerId"], number) is None


def test_of_a_partner_the_latest_thousand_are_kept_and_those_of_others_stay(
    app, partner, stranger, monkeypatch
):
    monkeypatch.setattr(refusals, "MOST", 3)
    stranger.trigger(languageId="xx")
    for _ in range(5):
        partner.trigger(languageId="xx")
        latest(app)
    counts = dict(
        map(tuple, plain_sql.rows("SELECT partner_id, count(*) FROM refusals GROUP BY partner_id"))
    )
    assert counts == {partner.seeded["partnerId"]: 3, stranger.seeded["partnerId"]: 1}


def test_they_are_removed_after_the_days_of_the_setting(app, owner, partner, clock):
    partner.trigger(languageId="xx")
    number = latest(app)
    clock.tick(7 * 86_400)
    daily_jobs.close_day(clock(), app.extensions["svc"].settings, lambda name: None)
    assert plain_sql.one("SELECT count(*) FROM refusals")[0] == 1
    clock.tick(1)
    daily_jobs.close_day(clock(), app.extensions["svc"].settings, lambda name: None)
    assert plain_sql.one("SELECT count(*) FROM refusals")[0] == 0
    assert "no longer kept" in text(owner.get(f"{PATH}{number}"))


def test_with_no_days_nothing_is_kept(app, owner, partner, monkeypatch):
    settings = app.extensions["svc"].settings
    object.__setattr__(settings, "refusal_days", 0)
    partner.trigger(languageId="xx")
    latest(app)
    assert plain_sql.one("SELECT count(*) FROM refusals")[0] == 0


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("method=POST", ["POST /v1/webhooks"]),
        ("path=langua", ["GET /v1/languages"]),
        ("code=invalid_request", ["POST /v1/webhooks"]),
        ("key=svc_test", ["GET /v1/languages", "POST /v1/webhooks"]),
        ("key=svc_live", []),
        ("method=POST&path=langua", []),
    ],
)
def test_requests_are_filtered_by_method_path_key_and_code(
    app, owner, operator, partner, query, found
):
    partner.get("/v1/languages")
    partner.post("/v1/webhooks", json={})
    for person in (owner, operator):
        shown = text(person.get(f"{PATH}?{query}"))
        assert [
            each for each in ("GET /v1/languages", "POST /v1/webhooks") if f"<code>{each}" in shown
        ] == found
        assert found or "The latest 20,000 requests were searched." in shown


def test_a_refusal_is_written_though_the_database_was_away(app, partner, monkeypatch):
    recorder = app.extensions["svc"].recorder
    partner.trigger(languageId="xx")
    assert body(partner.trigger(languageId="xx"))["error"] == "INVALID_REQUEST"

    def away(refused):
        raise OSError("away")

    monkeypatch.setattr(refusals, "insert", away)
    with pytest.raises(OSError, match="away"):
        recorder.flush()
    monkeypatch.undo()
    recorder.flush()
    assert (
        plain_sql.one("SELECT count(*) FROM refusals")[0]
        == plain_sql.one("SELECT count(*) FROM requests")[0]
        == 2
    )
