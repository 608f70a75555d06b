"""The search finds pages, productions, webhooks, requests, accounts and partners,
and of others nothing.
"""

import re

import pytest
from support import plain_sql
from support.cast import body, text

from svc.store.database import db

URL = "https://93.184.215.14/hooks"


def results(person, words: str) -> str:
    return text(
        person.get("/console/find/", query_string={"q": words}, headers={"HX-Request": "true"})
    )


@pytest.fixture
def things(partner) -> dict[str, str]:
    production = partner.trigger(topic="How tides work", headers={"X-Correlation-Id": "order-4711"})
    hook = body(
        partner.post("/v1/webhooks", json={"endpointUrl": URL, "eventTypes": ["production.queued"]})
    )
    with db.transaction():
        plain_sql.execute(
            "UPDATE partners SET name = 'Kettle & Co' WHERE id = ?", (partner.seeded["partnerId"],)
        )
    return {"production": body(production)["productionId"], "hook": hook["subscriptionId"]}


def test_each_kind_of_thing_is_found_by_its_name_or_id(owner, operator, partner, things):
    for person in (owner, operator):
        assert f"/console/productions/{things['production']}" in results(
            person, things["production"]
        )
        assert f"/console/productions/{things['production']}" in results(
            person, things["production"][:13]
        )
        assert f"/console/webhooks/{things['hook']}" in results(person, things["hook"].upper())
        assert "POST /v1/" in results(person, "order-4711")
        assert "/console/usage/" in results(person, "uSAg")
    account = partner.seeded["liveAccountId"]
    assert f"/console/accounts/{account}" in results(operator, account)
    assert f"/console/productions/?account={account}" in results(owner, account)
    assert "Kettle &amp; Co" in results(operator, "kettle")


def test_nothing_of_others_is_found(somebody, stranger, things):
    other = somebody("owner", stranger.seeded["partnerId"])
    for words in (*things.values(), "order-4711", "kettle"):
        assert "Nothing found." in results(other, words)


@pytest.mark.parametrize("words", ["", " ", "<b>", "%", "'", "x" * 300, "\u0000", "日本"])
def test_words_that_find_nothing_are_answered_calmly(owner, words):
    found = owner.get("/console/find/", query_string={"q": words})
    assert found.status_code == 200 and "<b>" not in text(found)


def test_without_script_the_search_is_a_page(owner, things):
    page = text(owner.get(f"/console/find/?q={things['production']}"))
    assert "<main" in page and f"/console/productions/{things['production']}" in page


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("new production", "/console/productions/new"),
        ("production NEW", "/console/productions/new"),
        ("rotate key", "/console/settings/keys"),
        ("rot", "/console/settings/keys"),
        ("invite", "/console/settings/people#h-invite"),
    ],
)
def test_an_action_is_found_by_any_of_its_words(owner, words, place):
    assert f'href="{place}"' in results(owner, words)


def test_before_anything_is_typed_the_actions_of_the_viewer_are_shown(owner, member, operator):
    page = results(operator, "")
    assert "Add a partner" in page and "Rotate a key" in page and "Nothing found" not in page
    assert "Rotate a key" in results(owner, "") and "Add a partner" not in results(owner, "")
    assert "Rotate a key" not in results(member, "") and "Look through deliveries" in results(
        member, ""
    )


def test_each_action_leads_to_a_part_that_its_page_has(owner, operator, partner, app):
    for person in (owner, operator):
        for place in re.findall(r'href="(/console/[^"]+)"', results(person, "")):
            path, _, part = place.partition("#")
            answer = person.get(path, query_string={"partner": partner.seeded["partnerId"]})
            assert answer.status_code == 200 and (not part or f'id="{part}"' in text(answer)), place
