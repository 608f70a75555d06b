"""The webhooks of the document: the event types with their payloads,
and the headers of deliveries.
"""

from typing import Any

from svc.api.document import examples
from svc.base import ids, limits
from svc.domain import retry_schedule
from svc.domain.lifecycle.deliverables import MOST_IN_ONE_EVENT
from svc.domain.webhooks import event_types

_TEXT, _NUMBER = {"type": "string"}, {"type": "integer", "minimum": 0}
_NULLABLE = {"type": ["string", "null"]}


def _describe_status(value: str) -> dict[str, Any]:
    return {
        "const": value,
        "type": "string",
        "description": f"Always `{value}`.",
        "examples": [value],
    }


def _describe_schema(schema: dict[str, Any], description: str, example: Any) -> dict[str, Any]:
    return {**schema, "description": description, "examples": [example]}


def _describe_object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


def _describe_array(description: str, **properties: Any) -> dict[str, Any]:
    return {"type": "array", "description": description, "items": _describe_object(**properties)}


_BY_TYPE: dict[Any, dict[str, Any]] = {
    str: _TEXT,
    str | None: _NULLABLE,
    int: _NUMBER,
    float: {"type": "number"},
    dict[str, int]: {"type": "object", "additionalProperties": _NUMBER},
}


def _describe_data(data: type) -> dict[str, Any]:
    """Return the schemas of the fields of an event's data, or of an object in it."""
    fields = event_types.list_fields(data)
    return {
        name: _describe_field(type_, description) for name, (type_, description) in fields.items()
    }


def _describe_field(type_: Any, declared: event_types.FieldDescription) -> dict[str, Any]:
    entry = event_types.find_entry(type_)
    if entry is not None:
        return _describe_array(declared.description, **_describe_data(entry))
    if declared.is_constant:
        return _describe_status(declared.example)
    constraints: dict[str, Any] = {"format": declared.format} if declared.format else {}
    constraints |= {"enum": list(declared.one_of)} if declared.one_of else {}
    is_identifier = declared.format == "uuid"
    example = examples.make_example_id(declared.example) if is_identifier else declared.example
    return _describe_schema(_BY_TYPE[type_] | constraints, declared.description, example)


_HEADERS = {
    "X-SERVICE-Signature": (
        "`sha256=` and the HMAC-SHA256 of the raw body by the decoded secret, in hex.",
        "sha256=5d41…",
    ),
    "webhook-id": ("The `eventId` (Standard Webhooks).", examples.make_example_id("eventId")),
    "webhook-timestamp": (
        "Unix time in seconds of this attempt (Standard Webhooks).",
        "1795253400",
    ),
    "webhook-signature": (
        "`v1,` and the base64 HMAC-SHA256 of `{id}.{timestamp}.{body}` (Standard Webhooks).",
        "v1,K5oZ…",
    ),
    "X-SERVICE-Signature-Previous": (
        (
            "While an older signing secret overlaps: as `X-SERVICE-Signature`, with that one; "
            "several are separated by a space."
        ),
        "sha256=3f5e9c…",
    ),
}
_SOMETIMES = {"X-SERVICE-Signature-Previous"}


def describe_webhooks() -> dict[str, Any]:
    """Return the ``webhooks`` object."""
    return {
        each.name: {"post": _describe_operation(each.name, each.description)}
        for each in event_types.ALL
    }


def describe_schemas() -> dict[str, Any]:
    """Return the schema of the envelope of each event type."""
    return {name_schema(each.name): _describe_envelope(each) for each in event_types.ALL}


def name_schema(event_type: str) -> str:
    """Return ``ProductionStepCompleteEvent`` for ``production.step.complete``."""
    return "".join(word.capitalize() for word in event_type.replace("_", ".").split(".")) + "Event"


def _describe_operation(name: str, description: str) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{name_schema(name)}"}
    return {
        "operationId": f"on_{name.replace('.', '_')}",
        "summary": name,
        "description": (
            f"{description} Verify the signature over the raw body before you believe it, and "
            f"answer 2xx in {limits.ANSWER_SECONDS} s."
        ),
        "tags": ["events"],
        "security": [],
        "parameters": [
            {
                "name": header,
                "in": "header",
                "required": header not in _SOMETIMES,
                "description": text,
                "schema": _TEXT,
                "example": example,
            }
            for header, (text, example) in _HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": schema,
                    "examples": examples.make_named_example(schema, describe_schemas()),
                }
            },
        },
        "responses": {
            "2XX": {"description": "Taken; any body is ignored."},
            "4XX": {
                "description": (
                    "The signature is wrong. Any answer but 2xx is retried: "
                    f"{retry_schedule.describe_delivery_retries()}."
                )
            },
        },
    }


def _describe_envelope(event_type: event_types.EventType[Any]) -> dict[str, Any]:
    is_test = event_type.name == event_types.PING
    payload = _describe_object(**_describe_data(event_type.data))
    if not is_test:
        payload["properties"] |= _describe_data(event_types.Reference)  # optional
    nil = {"examples": [ids.NIL]} if is_test else {}
    identifier = {"type": "string", "format": "uuid"}
    return _describe_object(
        eventId={
            **identifier,
            "description": (
                "One per event and webhook: the same on every retry, redelivery and replay."
            ),
        },
        eventType=_describe_status(event_type.sent_as),
        productionId={
            **identifier,
            **nil,
            "description": "The production; the nil UUID on test events.",
        },
        accountId={**identifier, **nil, "description": "Its account; the nil UUID on test events."},
        timestamp=_describe_schema(
            _TEXT | {"format": "date-time"}, "When it happened.", "2026-11-20T09:30:00.000Z"
        ),
        sequenceNumber=_describe_schema(_NUMBER, *event_type.number),
        correlationId=_describe_schema(
            _TEXT, "Of the request that caused it.", "9f0c6b1e6f8f4b6c8c1d2f7a5e3b4a10"
        ),
        truncated=_describe_schema(
            {"type": "boolean"},
            f"Whether there are more than {MOST_IN_ONE_EVENT} deliverables.",
            False,
        ),
        data=payload,
    )
