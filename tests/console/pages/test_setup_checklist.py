"""The checklist on Home: from an empty service to the first webhook, each step on its page, ticked off by what exists."""

import re

from support.cast import text

URL = "https://93.184.215.14/hooks"
STEPS = ["Add a partner", "Add a customer", "Add an account", "Add an avatar"]
STEPS += ["Create an API key", "Trigger the first production", "Create a webhook"]


def to_do(browser) -> dict[str, str]:
    """Return the steps that are still to be done, with the pages on which they are."""
    card = re.search(r'aria-labelledby="setup".*?</section>', text(browser.get("/console/")), re.DOTALL)
    return {label: place for place, label in re.findall(r'<a href="([^"]+)">([^<]+)</a>', card[0])} if card else {}


def test_an_operator_of_an_empty_service_is_led_from_page_to_page_and_nothing_leads_into_the_void(operator):
    assert list(to_do(operator)) == STEPS
    assert "New production" not in text(operator.get("/console/"))
    assert all(operator.get(place).status_code == 200 for place in to_do(operator).values())
    partner = operator.post(to_do(operator)["Add a partner"], {"name": "Kettle & Co", "tier": "Standard"}).headers["Location"]
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
