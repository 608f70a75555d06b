"""The form of a new production says what would come of it before it is triggered."""

import pytest
from support import plain_sql
from support.cast import text

from svc.base import ids
from svc.base.errors import InvalidRequest, RateLimitExceeded, ServiceUnavailable
from svc.cli.installation import seed
from svc.console import brief_form
from svc.domain.audit.audit import Actor
from svc.domain.partners import sensitivity_rules
from svc.store.database import db

NEW, CALL = "/console/productions/new", "/console/productions/new/call"


def brief(partner, **more) -> dict:
    return {"account": partner.seeded["sandboxAccountId"], **partner.brief(**more)}


def test_the_preview_has_title_cost_length_and_warnings_and_triggers_nothing(owner, partner):
    with db.transaction():
        plain_sql.execute("UPDATE project_types SET price = 1500000")
    page = text(owner.post(CALL, brief(partner, topic="Tides", metadataMD="The sea rises.")))
    assert '<dd dir="auto">Tides' in page and "USD 1.50" in page and "Estimated length" in page
    assert "A trigger would be accepted now." in page
    assert "The notes say nothing but the topic" in text(
        owner.post(CALL, brief(partner, topic="Tides", metadataMD="# Tides"))
    )
    assert plain_sql.one("SELECT count(*) FROM productions")[0] == 0


def test_each_further_language_is_in_the_cost(owner, partner):
    with db.transaction():
        plain_sql.execute("UPDATE project_types SET price = 1500000")
    two = [ids.derive_id("language", "es"), ids.derive_id("language", "fr")]
    assert "USD 4.50" in text(
        owner.post(CALL, brief(partner, metadataMD="The sea rises.", languageIds=two))
    )


def test_the_preview_says_what_would_refuse_the_brief(owner, partner, clock):
    sensitivity_rules.add(Actor(None, "the tests"), {"phrase": "Tides"}, clock())
    page = text(owner.post(CALL, brief(partner, topic="Tides")))
    assert "A trigger would be refused now:" in page and "SENSITIVITY_RULE_SUPPRESSED" in page


@pytest.mark.parametrize(
    "wrong", [{"topic": ""}, {"metadataMD": "x" * 5000}, {"languageId": ids.NIL}]
)
def test_a_brief_that_is_not_complete_has_no_estimate_yet(owner, partner, wrong):
    page = text(owner.post(CALL, brief(partner, **wrong)))
    assert "Estimated cost" not in page and "Before you trigger" in page


def test_a_strangers_account_is_not_estimated(owner, partner, clock):
    with db.transaction():
        other = seed.make_partner("Standard", clock())
    page = text(owner.post(CALL, {**brief(partner), "account": other["sandboxAccountId"]}))
    assert "Estimated cost" not in page


def test_a_sample_brief_can_be_triggered_as_it_is(owner, partner):
    page = text(owner.get(f"{NEW}?sample=yes"))
    assert (
        "Why there are two tides a day</textarea>" in page
        and "A trigger would be accepted now." in page
    )
    assert "The moon pulls" in page and "sample=yes" not in page


def test_languages_are_boxes_that_stay_checked(owner, partner):
    spanish = ids.derive_id("language", "es")
    page = text(owner.post(NEW, brief(partner, topic="", languageIds=[spanish])))
    assert (
        f'type="checkbox" name="languageIds" value="{spanish}" checked' in page
        and "Further languages (1)" in page
    )


OUTLINE = {
    "scene": 1,
    "heading": "The moon pulls",
    "narration": "The sea rises.",
    "points": ["Two a day"],
    "key_phrase": "",
    "picture": "",
    "visual": {"kind": "list", "text": "", "columns": [], "rows": []},
}
SCENES = f"{NEW}/scenes"


def test_the_scenes_are_asked_for_until_they_are_made_and_no_request_waits(
    owner, partner, outlines
):
    asked = brief(partner, metadataMD="The sea rises.")
    assert "Show the scenes" in text(owner.post(CALL, asked)) and outlines["asked"] == []
    assert f'hx-post="{SCENES}"' in text(owner.post(CALL, {**asked, "scenes": "now"}))
    for busy in (None, RateLimitExceeded(), ServiceUnavailable()):
        outlines["answer"] = busy
        line = text(owner.post(SCENES, asked))
        assert "being made" in line and 'hx-trigger="every 1s"' in line
    outlines["answer"] = [OUTLINE]
    page = text(owner.post(SCENES, asked))
    assert (
        ">The moon pulls</h4>" in page and ">The sea rises.</p>" in page and "<li>Two a day" in page
    )
    assert "every 1s" not in page
    outlines["answer"] = InvalidRequest("It says nothing.")
    assert "It says nothing." in text(owner.post(SCENES, asked))
    [(account, notes, _, seconds)] = set(outlines["asked"])
    assert (account, notes, seconds) == (asked["account"], "The sea rises.", 0)


def test_without_script_the_page_itself_has_the_scenes(owner, partner, outlines):
    outlines["answer"] = [OUTLINE]
    asked = brief(partner, metadataMD="The sea rises.")
    assert ">The moon pulls</h4>" in text(owner.post(NEW, {**asked, "preview": "scenes"}))
    assert ">The moon pulls</h4>" not in text(owner.post(NEW, {**asked, "preview": "1"}))


@pytest.mark.parametrize("wrong", [{"topic": ""}, {"avatarId": ids.NIL}, {"account": ids.NIL}])
def test_a_brief_that_is_not_complete_has_no_scenes(owner, partner, outlines, wrong):
    assert "once the brief is complete" in text(owner.post(SCENES, {**brief(partner), **wrong}))
    assert outlines["asked"] == []


def test_a_strangers_avatar_and_account_have_no_scenes(owner, partner, stranger, outlines):
    for name, other in (("account", stranger.account), ("avatarId", stranger.brief()["avatarId"])):
        assert "once the brief is complete" in text(
            owner.post(SCENES, {**brief(partner), name: other})
        )
    assert outlines["asked"] == []


def test_a_model_that_writes_scripts_is_not_asked_for_a_preview(
    owner, partner, outlines, monkeypatch
):
    monkeypatch.setattr(brief_form, "has_model", lambda: True)
    assert "A model writes the script after the trigger." in text(
        owner.post(SCENES, brief(partner))
    )
    assert outlines["asked"] == []
