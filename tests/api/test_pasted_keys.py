"""An API key that is pasted where it does not belong is refused, and stored nowhere."""

import pytest
from support import plain_sql
from support.cast import body, refused
from support.scripts import scene, write_script

from svc.base import key_texts
from svc.store.database import db

HOOK = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}
CITY = {"name": "city", "type": "text", "example": "Lisbon"}


@pytest.fixture
def key(partner) -> str:
    return partner.seeded["liveKey"]


def stored() -> str:
    """Everything that the database has."""
    return "\n".join(
        str(tuple(row))
        for table in db.rows(db.TABLES)
        for row in plain_sql.rows(f'SELECT * FROM "{table["name"]}"')
    )


def require_stored_nowhere(app, key: str) -> None:
    app.extensions["svc"].recorder.flush()
    assert key[9:] not in stored()


def template(partner, **changes) -> dict:
    return {
        "name": "City guide",
        "brief": {**partner.brief(), "topic": "A day in {{city}}"},
        "variables": [CITY],
        **changes,
    }


def test_a_key_as_idempotency_key_is_refused_on_every_kind_of_operation(app, partner, key):
    once = {"Idempotency-Key": f"order:{key}"}
    account = f"/v1/accounts/{partner.account}"
    for answer in (
        partner.trigger(headers=once),
        partner.post("/v1/webhooks", json=HOOK, headers=once),
        partner.post(f"{account}/batches", json={"items": [partner.brief()]}, headers=once),
        partner.post(f"{account}/templates", json=template(partner), headers=once),
        partner.post("/v1/partners/keys/rotate", headers=once),
    ):
        error = refused(answer, 400, "INVALID_REQUEST")
        assert error["fields"] == {"Idempotency-Key": [key_texts.REFUSAL]}
    assert plain_sql.one("SELECT count(*) FROM productions")[0] == 0
    require_stored_nowhere(app, key)


def test_a_key_in_a_text_of_a_body_is_refused_with_the_name_of_the_field(app, partner, key, clock):
    account = f"/v1/accounts/{partner.account}"
    for name in ("topic", "metadataMD", "externalId", "subjectOverride"):
        error = refused(partner.trigger(**{name: f"Tides {key}."}), 400, "INVALID_REQUEST")
        assert error["fields"] == {name: [key_texts.REFUSAL]}
    url = f"https://93.184.215.14/hooks?key={key}"
    subscription = body(partner.post("/v1/webhooks", json=HOOK))["subscriptionId"]
    made = body(partner.post(f"{account}/templates", json=template(partner)))["templateId"]
    scripted = body(partner.trigger(review="script"))["productionId"]
    write_script(clock, scene(1))
    answers = [
        partner.post("/v1/webhooks", json={**HOOK, "endpointUrl": url}),
        partner.request("PATCH", f"/v1/webhooks/{subscription}", json={"endpointUrl": url}),
        partner.post(f"{account}/templates", json=template(partner, name=key)),
        partner.post(f"{account}/templates/{made}/productions", json={"values": {"city": key}}),
        partner.put(
            f"{account}/lexicon", json={"entries": [{"written": "SQL", "spoken": f"a {key}"}]}
        ),
        partner.put(f"{account}/lexicon", json={"entries": [{"written": key, "spoken": "a"}]}),
        partner.post(
            f"/v1/productions/{scripted}/script/reject", json={"version": 1, "reason": key}
        ),
        partner.trigger(**{key: "as the name of a field"}),
    ]
    for answer in answers:
        refused(answer, 400, "INVALID_REQUEST")
    require_stored_nowhere(app, key)


def test_a_key_in_a_brief_of_a_batch_is_refused_with_its_place(app, partner, key):
    items = [partner.brief(), partner.brief(externalId=key)]
    answer = partner.post(f"/v1/accounts/{partner.account}/batches", json={"items": items})
    error = refused(answer, 400, "INVALID_REQUEST")
    assert error["fields"] == {"items[1].externalId": [key_texts.REFUSAL]}
    require_stored_nowhere(app, key)


def test_a_key_in_a_form_of_the_console_is_refused(app, partner, owner, operator, key):
    account = partner.seeded["sandboxAccountId"]
    sent = {
        "/console/webhooks/new": (
            owner,
            {**HOOK, "endpointUrl": f"https://93.184.215.14/?k={key}"},
        ),
        "/console/productions/new": (owner, {"account": account, **partner.brief(topic=key)}),
        "/console/settings/keys": (owner, {"name": key, "environment": "test"}),
        "/console/settings/people/invite": (
            owner,
            {"email": "a@example.com", "name": key, "role": "member"},
        ),
        "/console/filters/": (
            owner,
            {"list": "productions", "name": key, "query": "status=Failed"},
        ),
        "/console/partners": (operator, {"name": key, "tier": "Standard"}),
    }
    for place, (browser, form) in sent.items():
        answer = browser.post(place, form)
        assert answer.status_code in (303, 400), (place, answer.status_code)
    require_stored_nowhere(app, key)


def test_headers_that_are_kept_of_requests_have_no_key(app, partner, key):
    partner.post(
        f"/v1/accounts/{partner.account}/productions", data=b"x", headers={"Content-Type": key}
    )
    require_stored_nowhere(app, key)
    assert plain_sql.one("SELECT content_type FROM refusals")[0] == f"{key[:13]}…"


@pytest.mark.parametrize(
    "text",
    [
        "svc_live_",
        "svc_live_h3Xk0q",
        "svc_test_<your key>",
        "The column svc_live_since",
        "svc_other",
    ],
)
def test_what_is_no_key_is_accepted(partner, text):
    assert partner.trigger(topic=text).status_code == 202
