"""What tools answer is short enough for a model, in its terms, and leads on."""

import json

import pytest
from support import plain_sql
from support.cast import body

from svc.cli.agents import tools
from svc.store.database import db
from tests.sdk.test_agents import Api
from tests.sdk.test_agents import agent as agent


def size(answer: dict) -> int:
    return len(json.dumps(answer, ensure_ascii=False, separators=(",", ":")))


def new_template(agent, **changes) -> str:
    [account] = agent("list_accounts")["accounts"]
    wanted = {"name": "Guide", "topic": "A day", "avatarId": account["avatars"][0]["avatarId"]}
    return agent("create_template", **(wanted | changes))["templateId"]


def test_templates_are_listed_in_short_and_one_is_read_whole(agent, partner):
    notes = "The sea rises towards the moon.\n\n" * 120
    variables = [{"name": "city", "example": "Lisbon", "default": "Porto"}]
    brief = partner.brief(topic="{{city}}", metadataMD=notes)
    for number in range(4):
        template = {"name": f"Guide {number}", "variables": variables, "brief": brief}
        partner.post(f"/v1/accounts/{partner.account}/templates", json=template)
    listed = agent("list_templates")
    assert len(listed["templates"]) == 4 and size(listed) < 4 * 250
    shown = listed["templates"][0]
    assert (shown["topic"], shown["variables"]) == ("{{city}}", ["city"])
    whole = agent("template", templateId=shown["templateId"])
    assert whole["brief"]["metadataMD"] == notes
    assert whole["variables"][0]["example"] == "Lisbon" and None not in whole["brief"].values()


def test_a_template_is_made_once_with_one_key_and_can_be_deleted(agent):
    made = new_template(agent, idempotencyKey="guide-1")
    assert new_template(agent, idempotencyKey="guide-1") == made
    assert new_template(agent, idempotencyKey="guide-2") != made
    assert agent("delete_template", templateId=made) == {"templateId": made}
    assert made not in [each["templateId"] for each in agent("list_templates")["templates"]]


def test_a_batch_whose_identifier_is_lost_is_found(agent):
    template = new_template(agent, topic="A day in {{city}}", variables=[{"name": "city"}])
    tables = ("city\nLisbon\n", "city\nPorto\nFaro\n")
    made = [agent("trigger_table", templateId=template, csv=csv)["batchId"] for csv in tables]
    listed = agent("list_batches")["batches"]
    queued = {each["batchId"]: each["counts"]["queued"] for each in listed}
    assert queued == {made[0]: 1, made[1]: 2}
    assert all("cancelRequestedAt" not in each for each in listed)


def test_avatars_name_their_languages_by_code(agent, partner):
    found = body(partner.get("/v1/languages?limit=100"))["data"]
    languages = {each["code"]: each["languageId"] for each in found}
    first, *_ = agent("list_accounts")["accounts"][0]["avatars"]
    assert first["languages"] is None  # all
    with db.transaction():
        spoken = json.dumps([languages["de"], languages["en"]])
        plain_sql.execute("UPDATE avatars SET language_ids = ?", (spoken,))
    first, *_ = agent("list_accounts")["accounts"][0]["avatars"]
    assert first["languages"] == ["de", "en"] and "languageIds" not in first


def usage(accounts: int) -> dict:
    """What the API answers to a partner of so many accounts, of which the last one spends most."""
    ids = [f"00000000-0000-0000-0000-{number:012}" for number in range(accounts)]
    left = {"ceiling": 10.0, "used": 1.0, "left": 9.0}
    sums = {"productions": {"triggered": 1, "published": 1}, "renderedSeconds": 1.0}
    spent = [{"accountId": each, **sums, "spend": float(each[-4:])} for each in ids]
    more = {"customer": {"monthlySpend": left}}
    used = {each: {"monthlySpend": left | {"used": float(each[-4:])}} for each in reversed(ids)}
    ceilings = [{"accountId": each, **sums, **more} for each, sums in used.items()]
    months = [{"month": f"2026-{month:02}", "byAccount": spent} for month in range(1, 13)]
    return {"months": months, "ceilings": ceilings, "limits": {}}


@pytest.mark.parametrize("named", [None, 3])
def test_usage_shows_the_accounts_that_spend_most_or_the_one_that_is_named(named):
    given = usage(100)
    account = given["months"][0]["byAccount"][named or 0]["accountId"]
    arguments = {"months": 12} if named is None else {"months": 12, "accountId": account}
    answer = tools.find_tool("usage").call(Api(**{"partner/usage": given}), arguments)
    shown = [each["byAccount"] for each in answer["months"]] + [answer["ceilings"]]
    if named is None:
        assert size(answer) < 25_000 < size(given)
        most = [each["accountId"] for each in given["ceilings"][:10]]
        assert [[each["accountId"] for each in part] for part in shown] == [most] * 13
    else:
        assert [[each["accountId"] for each in part] for part in shown] == [[account]] * 13


class Following(Api):
    """An API with a production that is published, which notes how much longer it may wait."""

    def __init__(self, production: str):
        super().__init__(
            **{
                "events": {"nextCursor": "1"},
                f"productions/{production}": {"status": "Published"},
                f"productions/{production}/events": {"data": []},
            }
        )
        self.longer = 0

    def extend_patience(self, seconds: float) -> None:
        self.longer += seconds


@pytest.mark.parametrize("asked", [{}, {"waitSeconds": 50}])
def test_following_may_wait_for_the_rate_limit_as_long_as_for_an_event(asked):
    production = "01a207da-0000-7000-8000-000000000000"
    api = Following(production)
    found = tools.find_tool("follow").call(api, {"productionId": production, **asked})
    assert found["production"]["status"] == "Published"
    assert api.longer == asked.get("waitSeconds", 0)
