"""Captions in further languages: refused without a model, priced, kept with the production,
and brought to its files.
"""

from decimal import Decimal

import pytest
from support import plain_sql
from support.cast import body, refused

from svc.base import ids
from svc.domain.people import identity
from svc.domain.people.users import Viewer
from svc.domain.productions import admin as production_admin
from svc.domain.usage.model_costs import Prices
from svc.media import deliverables, records
from svc.media.model import Timeline
from svc.store.database import db
from svc.work import brief_builder

EN, ES, FR, AR = (ids.derive_id("language", code) for code in ("en", "es", "fr", "ar"))
PRICES = Prices(Decimal(2), Decimal(10), has_script_model=True)


@pytest.fixture
def priced(monkeypatch):
    monkeypatch.setattr(Prices, "from_settings", lambda settings: PRICES)


def estimate(partner, **more):
    url = f"/v1/accounts/{partner.seeded['sandboxAccountId']}/productions/estimate"
    return partner.post(url, json=partner.brief(**more))


def test_without_a_model_they_are_refused_by_name(partner):
    for answer in (
        partner.trigger(captionLanguageIds=[ES]),
        estimate(partner, captionLanguageIds=[ES]),
    ):
        wrong = refused(answer, 400, "INVALID_REQUEST")
        assert "No model" in wrong["fields"]["captionLanguageIds"][0]
    assert plain_sql.one("SELECT count(*) AS n FROM productions")["n"] == 0


@pytest.mark.parametrize(
    "wrong", [[ids.NIL], [ES, ES], ["es"], "es", [ids.derive_id("language", "en")] * 11]
)
def test_what_is_no_list_of_languages_is_refused(partner, priced, wrong):
    assert "captionLanguageIds" in str(
        refused(partner.trigger(captionLanguageIds=wrong), 400, "INVALID_REQUEST")
    )


def test_a_production_keeps_them_and_its_brief_has_those_that_are_not_spoken(partner, priced):
    made = body(partner.trigger(captionLanguageIds=[ES, EN, AR]))
    assert made["captionLanguageIds"] == [ES, EN, AR]
    assert body(partner.get(f"/v1/productions/{made['productionId']}"))["captionLanguageIds"] == [
        ES,
        EN,
        AR,
    ]
    assert brief_builder.build_brief(made["productionId"]).caption_languages == ("es", "ar")
    assert body(partner.trigger())["captionLanguageIds"] == []


def test_in_a_group_each_production_has_those_that_it_does_not_speak(partner, priced):
    first = body(partner.trigger(languageIds=[ES], captionLanguageIds=[EN, ES, FR]))
    url = f"/v1/accounts/{first['accountId']}/productions?groupId={first['groupId']}"
    made = {each["languageId"]: each["productionId"] for each in body(partner.get(url))["data"]}
    assert brief_builder.build_brief(made[EN]).caption_languages == ("es", "fr")
    assert brief_builder.build_brief(made[ES]).caption_languages == ("en", "fr")


def test_each_language_is_priced_and_reserved(partner, priced):
    costs = [
        body(estimate(partner, captionLanguageIds=each))["estimatedCost"]
        for each in ([], [ES], [ES, FR])
    ]
    assert costs[0] < costs[1] < costs[2] and costs[2] - costs[1] == pytest.approx(
        costs[1] - costs[0]
    )
    partner.trigger(captionLanguageIds=[ES, FR])
    assert plain_sql.one("SELECT reserved FROM ledger")["reserved"] == round(costs[2] * 1_000_000)


def test_other_languages_are_another_request(partner, priced):
    partner.trigger(captionLanguageIds=[ES], headers={"Idempotency-Key": "k-1"})
    again = partner.trigger(captionLanguageIds=[ES], headers={"Idempotency-Key": "k-1"})
    assert again.headers["Idempotent-Replayed"] == "true"
    refused(
        partner.trigger(captionLanguageIds=[FR], headers={"Idempotency-Key": "k-1"}),
        422,
        "IDEMPOTENCY_KEY_REUSED",
    )


def test_a_retried_production_has_them_again(partner, priced, clock):
    made = body(partner.trigger(captionLanguageIds=[ES]))["productionId"]
    with db.transaction():
        plain_sql.execute("UPDATE productions SET status = 'Failed' WHERE id = ?", (made,))
    viewer = Viewer(None, "us", "us", identity.OPERATOR, None)
    again = production_admin.retry(viewer, made, clock(), "c-1", PRICES)
    assert body(partner.get(f"/v1/productions/{again}"))["captionLanguageIds"] == [ES]


def test_a_template_and_the_rows_of_a_table_have_them(partner, priced):
    account = partner.seeded["sandboxAccountId"]
    brief = partner.brief(topic="A day in {{city}}", captionLanguageIds=[ES])
    variable = {"name": "city", "type": "text", "required": True}
    made = body(
        partner.post(
            f"/v1/accounts/{account}/templates",
            json={"name": "City", "brief": brief, "variables": [variable]},
        )
    )
    assert made["brief"]["captionLanguageIds"] == [ES]
    url = f"/v1/accounts/{account}/templates/{made['templateId']}/batches"
    batch = body(
        partner.post(url, json={"csv": "city\nLisbon"}, headers={"Idempotency-Key": "t-1"})
    )
    [item] = body(partner.get(f"/v1/batches/{batch['batchId']}/items"))["data"]
    assert body(partner.get(f"/v1/productions/{item['productionId']}"))["captionLanguageIds"] == [
        ES
    ]


def test_the_files_follow_those_of_the_spoken_language(partner, priced, tmp_path):
    brief = brief_builder.build_brief(
        body(partner.trigger(captionLanguageIds=[ES, AR]))["productionId"]
    )
    records.save_record(Timeline(1.0, 1, ()), tmp_path / "timeline.json")
    (tmp_path / "descriptions.json").write_text('{"cues": []}')
    listed = [
        (each.path, each.type, each.language)
        for each in deliverables.list_deliverables(brief, tmp_path)
    ]
    captions = [each for each in listed if each[1] == "ClosedCaptions"]
    assert captions[:2] == [
        ("captions.srt", "ClosedCaptions", "en"),
        ("captions.vtt", "ClosedCaptions", "en"),
    ]
    assert [(path, code) for path, _, code in captions[2:]] == [
        ("captions.es.srt", "es"),
        ("captions.es.vtt", "es"),
        ("captions.ar.srt", "ar"),
        ("captions.ar.vtt", "ar"),
    ]
