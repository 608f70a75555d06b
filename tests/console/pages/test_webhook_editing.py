"""The console edits, pauses and resumes a webhook, and sends a sample of any event type."""

import json
import re

import pytest
from support import plain_sql
from support.cast import body, text

from svc.domain.audit import audit
from svc.domain.paging import Page

URL, OTHER = "https://93.184.215.14/hooks", "https://93.184.215.14/others"


@pytest.fixture
def hook(partner) -> str:
    return body(
        partner.post("/v1/webhooks", json={"endpointUrl": URL, "eventTypes": ["production.queued"]})
    )["subscriptionId"]


def latest() -> str:
    return audit.list_page(Page())["data"][0]["action"]


def test_endpoint_and_event_types_are_edited(owner, partner, hook):
    form = text(owner.get(f"/console/webhooks/{hook}/edit"))
    checked = re.findall(r'value="(production\.\w+)"[^>]* checked', form)
    assert URL in form and checked == ["production.queued"]
    owner.post(
        f"/console/webhooks/{hook}/edit",
        {"endpointUrl": f" {OTHER} ", "eventTypes": ["production.failed"]},
    )
    found = body(partner.get(f"/v1/webhooks/{hook}"))
    assert (found["endpointUrl"], found["eventTypes"], latest()) == (
        OTHER,
        ["production.failed"],
        "webhook.edit",
    )


@pytest.mark.parametrize(
    ("given", "where"),
    [
        (
            {"endpointUrl": "http://10.0.0.1/", "eventTypes": ["production.queued"]},
            'id="f-endpointUrl-error"',
        ),
        ({"endpointUrl": OTHER, "eventTypes": []}, 'id="types-error"'),
        (
            {"endpointUrl": OTHER, "eventTypes": ["production.eaten"]},
            "unknown event types: production.eaten",
        ),
    ],
)
def test_what_is_wrong_stands_on_the_form_and_nothing_is_changed(
    owner, partner, hook, given, where
):
    page = text(owner.post(f"/console/webhooks/{hook}/edit", given))
    assert where in page and given["endpointUrl"] in page
    assert body(partner.get(f"/v1/webhooks/{hook}"))["endpointUrl"] == URL


def test_a_paused_webhook_says_so_until_it_is_resumed(owner, partner, hook):
    owner.post(f"/console/webhooks/{hook}/pause")
    partner.trigger()
    page = text(owner.get(f"/console/webhooks/{hook}"))
    assert (
        "Paused <time" in page
        and "1 more parked" in page
        and "Replay" not in page
        and latest() == "webhook.pause"
    )
    listed = text(owner.get("/console/webhooks/"))
    assert ">Paused<" in listed and "1 parked" in listed
    [delivery] = body(partner.get(f"/v1/webhooks/{hook}/deliveries"))["data"]
    assert "The webhook is paused." in text(
        owner.get(f"/console/webhooks/{hook}/deliveries/{delivery['deliveryId']}")
    )
    owner.post(f"/console/webhooks/{hook}/resume")
    assert (
        "Paused <time" not in text(owner.get(f"/console/webhooks/{hook}"))
        and latest() == "webhook.resume"
    )
    assert body(partner.get(f"/v1/webhooks/{hook}/deliveries"))["data"][0]["status"] == "Pending"


def test_a_sample_of_an_event_type_is_sent(owner, hook):
    sent = owner.post(f"/console/webhooks/{hook}/ping", {"eventType": "production.published"})
    assert "/deliveries/" in sent.headers["Location"]
    assert (
        json.loads(plain_sql.row("SELECT body FROM deliveries")["body"])["eventType"]
        == "production.published"
    )
    owner.post(f"/console/webhooks/{hook}/ping", {"eventType": "production.eaten"})
    assert "There is no event type production.eaten." in text(
        owner.get(f"/console/webhooks/{hook}")
    )


@pytest.mark.parametrize("action", ["edit", "pause", "resume"])
def test_a_member_and_a_stranger_change_nothing(somebody, stranger, member, hook, action):
    form = {"endpointUrl": OTHER, "eventTypes": ["production.failed"]}
    assert member.post(f"/console/webhooks/{hook}/{action}", form).status_code == 403
    assert (
        somebody("owner", stranger.seeded["partnerId"])
        .post(f"/console/webhooks/{hook}/{action}", form)
        .status_code
        == 404
    )
    row = plain_sql.row("SELECT endpoint_url, paused_at FROM subscriptions WHERE id = ?", (hook,))
    assert tuple(row) == (URL, None)
