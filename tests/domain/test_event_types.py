"""What the events of every type hold is what is declared of them: what is recorded, what a test
event sends, and what the API's document says.
"""

import json
from typing import Any, get_args

import pytest
from support import plain_sql
from support.cast import body
from support.scripts import scene, write_script
from support.stage import complete_cancels, complete_steps, make, publish_all

from svc.api.document import events as document
from svc.base import ids
from svc.domain.lifecycle import batch_endings, endings
from svc.domain.lifecycle.lifecycle import Cause
from svc.domain.productions import expiry_events
from svc.domain.webhooks import event_types, usage_thresholds
from svc.store.database import db
from tests.support.documents import require_names

URL = "https://93.184.215.14/hooks"
BY_SENT_NAME = {each.sent_as: each for each in event_types.ALL}


def fits(kind: Any, value: object) -> bool:
    """Whether a value is one of a declared type."""
    entry = event_types.find_entry(kind)
    if entry is not None:
        return isinstance(value, list) and all(matches(entry, each) for each in value)
    if kind == dict[str, int]:
        return isinstance(value, dict) and {type(each) for each in value.values()} == {int}
    return type(value) in (get_args(kind) or (kind,))


def matches(declared: type, data: dict) -> bool:
    """Whether data has the declared fields, and no others, in their order."""
    fields = event_types.list_fields(declared)
    return list(fields) == list(data) and all(
        fits(kind, data[name]) and (not said.is_constant or data[name] == said.example)
        for name, (kind, said) in fields.items()
    )


@pytest.fixture
def sent(app, partner, clock) -> list[dict]:
    """The events of everything that happens, as they are sent."""
    everybody = {"endpointUrl": URL, "eventTypes": [*event_types.NAMES]}
    live = partner.live()
    for person in (partner, live):
        assert person.post("/v1/webhooks", json=everybody).status_code == 201
    with db.transaction():
        plain_sql.execute(
            "UPDATE accounts SET monthly_ceiling = 600000 WHERE id = ?", (live.account,)
        )
    reviewed = body(partner.trigger(review="script"))["productionId"]
    write_script(clock, scene(1))
    expires_at = plain_sql.one("SELECT expires_at FROM productions")["expires_at"]
    assert expiry_events.record_events(expires_at - 1, 72) == 1
    partner.delete(f"/v1/productions/{reviewed}")
    complete_cancels(clock)
    items = {"items": [partner.brief()]}
    partner.post(f"/v1/accounts/{partner.account}/batches", json=items)
    complete_steps(clock, made=[make(), make(platform="Watch")])
    publish_all(clock)
    batch_endings.finish_ended(clock())
    failed = body(live.trigger())["productionId"]
    with db.transaction():
        endings.fail_production(failed, Cause.EXPIRED, "X", "x", clock())
    assert live.trigger().status_code == 202
    assert usage_thresholds.record_events(clock())
    hook = body(partner.get("/v1/webhooks"))["data"][0]["subscriptionId"]
    assert partner.post(f"/v1/webhooks/{hook}/ping").status_code == 202
    return [json.loads(bytes(row["body"])) for row in plain_sql.rows("SELECT body FROM deliveries")]


def test_what_is_sent_of_each_type_is_what_is_declared(sent):
    for event in sent:
        assert matches(BY_SENT_NAME[event["eventType"]].data, event["data"]), event
    require_names(
        "tests/domain/test_event_types.py, what `sent` makes happen",
        [event["eventType"] for event in sent],
        BY_SENT_NAME,
    )


def test_the_data_of_test_events_is_what_is_declared():
    for name, data in event_types.SAMPLES.items():
        ordered = {field: data[field] for field in event_types.list_fields(BY_SENT_NAME[name].data)}
        if name == "deliverable.ready":  # whose files have another order since release 1.0.0
            files = ("deliverableId", "type", "platform", "format")
            ordered["deliverables"] = [
                {field: each[field] for field in files} for each in data["deliverables"]
            ]
        assert matches(BY_SENT_NAME[name].data, ordered) and list(ordered) == list(data), name
    assert event_types.SAMPLES["batch.completed"]["batchId"] == ids.NIL


def test_the_document_has_the_declared_fields_and_no_others():
    schemas = document.describe_schemas()
    for each in event_types.ALL:
        data = schemas[document.name_schema(each.name)]["properties"]["data"]
        declared = list(event_types.list_fields(each.data))
        assert data["required"] == declared
        assert [*data["properties"]][: len(declared)] == declared
