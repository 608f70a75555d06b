"""A form that is refused says each error once, in its own words, and leads to its field."""

import re

import pytest
from support.cast import text
from support.scripts import scene, write_script

from svc.base import ids
from svc.console import form_errors

NEW = "/console/productions/new"


def brief(partner, **more) -> dict:
    return {"account": partner.seeded["sandboxAccountId"], **partner.brief(**more)}


def errors(page: str) -> str:
    """Return the summary at the top."""
    return re.search(r'id="errors">(.*?)</div>', page, re.DOTALL)[1]


def test_the_summary_leads_to_the_fields_the_first_has_the_focus_and_each_error_is_said_once(
    owner, partner
):
    page = text(owner.post(NEW, brief(partner, topic="", metadataMD="x" * 5000)))
    assert "<title>Error: New production" in page
    assert re.findall('href="#([^"]+)" dir="auto">([^<]+)<', errors(page)) == [
        ("f-topic", "Topic"),
        ("f-metadataMD", "Notes"),
    ]
    assert page.count("Give 1 to 500 characters; this text has 0.") == 1
    assert page.count("autofocus") == 1
    assert re.search('<textarea id="f-topic"[^>]* autofocus', page)


def test_an_error_without_a_field_of_the_form_is_in_the_summary(owner, partner):
    page = text(owner.post(NEW, brief(partner, languageId=ids.NIL)))
    assert "Language" in errors(page)
    page = text(
        owner.post(
            "/console/webhooks/new",
            {"endpointUrl": "http://example.com", "eventTypes": ["production.queued"]},
        )
    )
    assert (
        'href="#f-endpointUrl"' in errors(page)
        and page.count("Endpoint must begin with https://.") == 1
    )


def test_no_name_of_the_api_is_in_a_message(owner, partner, clock):
    page = text(owner.post("/console/webhooks/new", {"endpointUrl": "https://93.184.215.14/hooks"}))
    assert 'href="#types"' in errors(page) and "eventTypes" not in re.sub("<[^>]*>", "", page)
    production_id = partner.trigger(review="script").get_json()["productionId"]
    write_script(clock, scene(1), scene(2))
    sent = {
        "version": "1",
        "sceneId": ["1", "2"],
        "position": ["1", "2"],
        "heading": ["A", "B"],
        "narration": ["a", "x" * 9000],
        "points": ["", ""],
        "keyPhrase": ["", ""],
        "picture": ["", ""],
    }
    page = text(owner.post(f"/console/productions/{production_id}/script", sent))
    assert (
        '<a href="#s1" dir="auto">Scene 2</a>' in errors(page)
        and page.count("Narration: Give 0 to") == 1
    )


def test_what_was_typed_before_a_session_ended_is_no_error(owner, partner):
    page = text(owner.get(NEW))
    assert "Error:" not in page and 'id="errors"' not in page and "autofocus" not in page


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            "The title names {subject}: send subjectOverride.",
            "The title names {subject}: send Subject.",
        ),
        ("endpointUrl must begin with https://.", "Endpoint must begin with https://."),
        ("scenes[1]: too long", "Scene 2: too long"),
        ("items[4]", "Row 5"),
        ("variables[0]", "Variable 1"),
        ("values.city: This value is required.", "city: This value is required."),
        ("GET /v1/accounts/{accountId}/languageIds", "GET /v1/accounts/{accountId}/languageIds"),
        ("Give `languageIds` once.", "Give Further languages once."),
    ],
)
def test_messages_are_in_the_words_of_the_form(said, expected):
    assert form_errors.reword(said) == expected
