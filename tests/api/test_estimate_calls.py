"""Estimates: they answer with the cost of a brief and with every gate that would refuse it, and
store nothing.
"""

import pytest
from support import plain_sql
from support.cast import body, refused

from svc.domain.audit.audit import Actor
from svc.domain.partners.brand_files import intro_clips, outro_clips
from svc.store.database import db


def estimate(person, account="sandboxAccountId", **changes):
    given = {
        name: value for name, value in {**person.brief(), **changes}.items() if value is not None
    }
    return person.post(f"/v1/accounts/{person.seeded[account]}/productions/estimate", json=given)


def test_an_accepted_brief_has_a_cost_a_length_and_no_refusals(partner):
    found = body(estimate(partner, topic="How tides work", metadataMD="# Moon\n\n" + "word " * 300))
    assert (found["isAccepted"], found["refusals"], found["title"]) == (True, [], "How tides work")
    assert (
        found["estimatedCost"]
        == plain_sql.rows("SELECT price FROM project_types")[0][0] / 1_000_000
    )
    assert 90 < found["estimatedDurationSeconds"] < 130


def test_intro_and_outro_of_the_account_count_in_its_length(partner, stranger, clock, tmp_path):
    before, others = (
        body(estimate(each))["estimatedDurationSeconds"] for each in (partner, stranger)
    )
    head = b"mvhd" + bytes(12) + (1000).to_bytes(4) + (4000).to_bytes(4)
    for clips in (intro_clips, outro_clips):
        clips.replace(
            Actor(None, "olga"),
            partner.seeded["sandboxAccountId"],
            head,
            "CC0",
            tmp_path,
            clock.tick(),
        )
    assert body(estimate(partner))["estimatedDurationSeconds"] == before + 8
    assert body(estimate(stranger))["estimatedDurationSeconds"] == others


def test_an_estimate_stores_nothing(partner):
    tables = (
        "productions",
        "events",
        "ledger",
        "deliveries",
        "production_days",
        "spend_months",
        "idempotency_keys",
    )
    before = [plain_sql.rows(f"SELECT count(*) FROM {table}")[0][0] for table in tables]
    for _ in range(3):
        assert estimate(partner).status_code == 200
    assert [plain_sql.rows(f"SELECT count(*) FROM {table}")[0][0] for table in tables] == before


def test_every_gate_that_would_refuse_is_named_and_a_trigger_names_the_first(partner):
    with db.transaction():
        plain_sql.execute(
            "UPDATE accounts SET status = 'Suspended', monthly_ceiling = 0, concurrency_ceiling = 0"
        )
        plain_sql.execute("UPDATE customers SET monthly_ceiling = 0")
        plain_sql.execute(
            "UPDATE project_types SET price = 5000000, title_template = '{topic} {subject}'"
        )
    found = body(estimate(partner))
    codes = [each["error"] for each in found["refusals"]]
    assert codes == [
        "ACCOUNT_NOT_ACTIVE",
        "SUBJECT_OVERRIDE_MISSING",
        "BUDGET_GATE_1_FAILED",
        "CONCURRENCY_LIMIT_REACHED",
    ]
    assert not found["isAccepted"]
    assert body(partner.trigger())["error"] == codes[0]


def test_the_warnings_of_the_trigger_are_those_of_the_estimate(partner):
    notes = "# One\n\n![A tide](tides.png) and ~~struck~~ words."
    warned = body(estimate(partner, metadataMD=notes))["warnings"]
    assert [each["code"] for each in warned] == ["PICTURE_NOT_FOUND", "CONTENT_SIMPLIFIED"]
    assert body(partner.trigger(metadataMD=notes))["warnings"] == warned


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"topic": ""}, "topic"), ({"avatarId": "0190b6a5-7c1e-7d3a-9f7e-3c5b8a1d2e4f"}, "avatarId")],
)
def test_an_invalid_brief_is_refused_as_by_the_trigger(partner, changes, field):
    found = refused(estimate(partner, **changes), 400, "INVALID_REQUEST")
    assert (
        field in found["fields"] and found["fields"] == body(partner.trigger(**changes))["fields"]
    )


def test_another_partners_account_is_not_estimated(partner, stranger):
    answer = partner.post(
        f"/v1/accounts/{stranger.seeded['sandboxAccountId']}/productions/estimate",
        json=partner.brief(),
    )
    refused(answer, 403, "INSUFFICIENT_SCOPE")
