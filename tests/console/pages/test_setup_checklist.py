"""The checklist on Home: from an empty service to the first webhook, each step on its page,
ticked off by what exists.
"""

import re

import pytest
from support import plain_sql
from support.cast import text

from svc.base import ids

URL = "https://93.184.215.14/hooks"
STEPS = ["Add a partner", "Add a customer", "Add an account", "Add an avatar"]
STEPS += ["Create an API key", "Trigger the first production", "Create a webhook"]


def to_do(browser) -> dict[str, str]:
    """Return the steps that are still to be done, with the pages on which they are."""
    card = re.search(
        r'aria-labelledby="setup".*?</section>', text(browser.get("/console/")), re.DOTALL
    )
    return (
        {label: place for place, label in re.findall(r'<a href="([^"]+)">([^<]+)</a>', card[0])}
        if card
        else {}
    )


def test_an_operator_of_an_empty_service_is_led_from_page_to_page_and_nothing_leads_into_the_void(
    operator,
):
    assert list(to_do(operator)) == STEPS
    assert "New production" not in text(operator.get("/console/"))
    assert all(operator.get(place).status_code == 200 for place in to_do(operator).values())
    partner = operator.post(
        to_do(operator)["Add a partner"], {"name": "Kettle & Co", "tier": "Standard"}
    ).headers["Location"]
    assert to_do(operator)["Add a customer"] == partner and "Kettle" in text(operator.get(partner))
    customer = operator.post(f"{partner}/customers", {"name": "Tea"}).headers["Location"]
    assert to_do(operator)["Add an account"] == customer
    account = operator.post(f"{customer}/accounts", {"name": "Tea channel"}).headers["Location"]
    assert "Tea channel" in text(operator.get(account))
    assert list(to_do(operator)) == STEPS[4:]  # a customer comes with avatars
    assert "New production" in text(operator.get("/console/"))


def test_an_owners_checklist_goes_away_when_all_is_there(owner, partner):
    assert list(to_do(owner)) == STEPS[5:]  # the cast has keys
    partner.trigger()
    assert list(to_do(owner)) == ["Create a webhook"]
    partner.post("/v1/webhooks", json={"endpointUrl": URL, "eventTypes": ["production.queued"]})
    assert to_do(owner) == {} and "Get started" not in text(owner.get("/console/"))


def test_what_another_partner_has_ticks_off_nothing(owner, stranger):
    stranger.trigger()
    assert "Trigger the first production" in to_do(owner)


def test_a_member_who_may_change_nothing_has_no_checklist(member):
    assert to_do(member) == {}


WHOLE = {
    "name": "Kettle & Co",
    "tier": "Standard",
    "environment": "sandbox",
    "account": "",
    "customer": "",
}


def test_an_operator_alone_does_all_seven_steps_in_a_sandbox(operator):
    assert "A company that triggers productions" in text(operator.get("/console/"))
    partner = operator.post("/console/partners", WHOLE).headers["Location"].rpartition("/")[2]
    assert list(to_do(operator)) == STEPS[4:]
    account = plain_sql.row("SELECT id, name, environment, auto_release FROM accounts")
    assert tuple(account)[1:] == ("Kettle & Co", "sandbox", 1)
    operator.post(
        "/console/settings/keys/activations",
        {"partner": partner, "name": "live", "scopes": ["productions:read"]},
    )
    home = text(operator.get("/console/"))
    assert "Waiting for the partner" in home and "5 of 7 done" in home
    avatar = plain_sql.one("SELECT id FROM avatars ORDER BY created_at, id LIMIT 1")[0]
    brief = {
        "account": account["id"],
        "topic": "Tides",
        "languageId": ids.derive_id("language", "en"),
        "avatarId": avatar,
        "countryId": ids.derive_id("country", "US"),
        "projectTypeSlug": "explainer",
    }
    assert operator.post("/console/productions/new", brief).status_code == 303
    creator = plain_sql.one("SELECT creator FROM accounts")[0]
    hook = {
        "partner": partner,
        "endpointUrl": URL,
        "eventTypes": ["production.queued"],
        "creator": creator,
    }
    assert operator.post("/console/webhooks/new", hook).status_code == 303
    assert "Get started" not in text(operator.get("/console/"))


def test_a_live_account_and_a_partner_alone_are_added_by_the_same_form(operator):
    operator.post(
        "/console/partners",
        {**WHOLE, "environment": "live", "account": "Tea channel", "customer": "Tea"},
    )
    account = plain_sql.row("SELECT name, environment, creator FROM accounts")
    assert tuple(account) == ("Tea channel", "live", None)
    assert plain_sql.one("SELECT name FROM customers")[0] == "Tea"
    operator.post("/console/partners", {**WHOLE, "name": "Alone", "environment": ""})
    assert [
        plain_sql.one(f"SELECT count(*) FROM {each}")[0]
        for each in ("partners", "customers", "accounts")
    ] == [2, 1, 1]


@pytest.mark.parametrize(
    "wrong",
    [{"name": ""}, {"account": "x" * 101}, {"customer": "x" * 101}, {"environment": "moon"}],
)
def test_a_wrong_name_adds_nothing_and_stays_in_the_form(operator, wrong):
    answer = operator.post("/console/partners", {**WHOLE, **wrong})
    assert answer.status_code == 400 and 'aria-invalid="true"' in text(answer)
    assert [
        plain_sql.one(f"SELECT count(*) FROM {each}")[0]
        for each in ("partners", "customers", "accounts")
    ] == [0, 0, 0]
