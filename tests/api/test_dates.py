"""Times in queries and bodies: one code for what is none, in
every operation (specification, "By operation").
"""

import json

import pytest
from support.cast import body, refused

URL = "https://93.184.215.14/hooks"
NONE = ["yesterday", "2026-11-21", "2026-13-01T00:00:00Z", "2026-11-21T25:00:00Z", "NaN", "x" * 300]


@pytest.fixture
def ways(partner):
    """Send a value as each date that an operation takes: its path, the method,
    and the name of the field.
    """
    subscription = body(
        partner.post("/v1/webhooks", json={"endpointUrl": URL, "eventTypes": ["production.queued"]})
    )
    replay = f"/v1/webhooks/{subscription['subscriptionId']}/replay"
    lists = {
        f"/v1/accounts/{partner.account}/productions": ("from", "to"),
        "/v1/partner/requests": ("from", "to"),
        "/v1/events": ("from",),
    }

    def send(value):
        for path, names in lists.items():
            for name in names:
                yield name, partner.get(path, query_string={name: value})
        for name in ("from", "to"):
            yield name, partner.post(replay, json={"from": "2026-11-20T09:30:00Z", name: value})

    return send


@pytest.mark.parametrize("value", NONE)
def test_what_is_no_time_has_one_code_in_every_list(ways, value):
    for name, answer in ways(value):
        refusal = refused(answer, 422, "INVALID_DATE_FORMAT")
        assert list(refusal["fields"]) == [name]
        message, known = refusal["message"], "2026-11-20T09:30:00Z"
        assert message.startswith(f"{name}: '"), message
        # what is right is said once, and of a day that there is not, only that
        assert message.count(known) == ("is no day" not in message), message


@pytest.mark.parametrize("offset", ["01:00", "0100", "01"])
def test_a_plus_sign_that_is_not_encoded_is_told_from_other_mistakes(partner, ways, offset):
    for name, answer in ways(f"2026-11-20T09:30:00 {offset}"):  # as it arrives
        refusal = refused(answer, 422, "INVALID_DATE_FORMAT")
        assert (
            list(refusal["fields"]) == [name] and "needs as %2B; or give it" in (refusal["message"])
        )
    path = f"/v1/accounts/{partner.account}/productions?from=2026-11-20T09:30:00"
    assert "%2B" in refused(partner.get(f"{path}+{offset}"), 422, "INVALID_DATE_FORMAT")["message"]
    assert partner.get(f"{path}%2B{offset}").status_code == 200
    assert "%2B" not in refused(partner.get(f"{path}+x"), 422, "INVALID_DATE_FORMAT")["message"]


def test_every_date_of_the_document_is_tried_here(app, ways):
    """A new operation with a date belongs into ``ways``."""
    document = json.loads(app.extensions["document"]())
    found = []
    for operations in document["paths"].values():
        for operation in operations.values():
            if isinstance(operation, dict):
                found += [
                    (operation["operationId"], each["name"])
                    for each in operation.get("parameters", ())
                    if each.get("schema", {}).get("format") == "date-time"
                ]
    assert len(found) == len([name for name, answer in ways("x") if answer.request.method == "GET"])


@pytest.mark.parametrize("value", [5, True, ["2026-11-20T09:30:00Z"], {}])
def test_what_is_no_string_is_no_time(partner, value):
    subscription = body(
        partner.post("/v1/webhooks", json={"endpointUrl": URL, "eventTypes": ["production.queued"]})
    )
    path = f"/v1/webhooks/{subscription['subscriptionId']}/replay"
    message = refused(partner.post(path, json={"from": value}), 422, "INVALID_DATE_FORMAT")[
        "message"
    ]
    assert message.count("2026-11-20T09:30:00Z") == 1
    # one that is missing is another mistake
    refused(partner.post(path, json={}), 400, "INVALID_REQUEST")
