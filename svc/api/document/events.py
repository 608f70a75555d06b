"""The webhooks of the document: the event types with their payloads,
and the headers of deliveries.
"""

from typing import Any

from svc.api.document import examples
from svc.base import ids, states
from svc.domain import retry_schedule
from svc.domain.usage import thresholds
from svc.domain.webhooks import event_types

_TEXT, _NUMBER = {"type": "string"}, {"type": "integer", "minimum": 0}
_NULLABLE = {"type": ["string", "null"]}


def _status(value: str) -> dict[str, Any]:
    return {
        "const": value,
        "type": "string",
        "description": f"Always `{value}`.",
        "examples": [value],
    }


def _describe_schema(schema: dict[str, Any], description: str, example: Any) -> dict[str, Any]:
    return {**schema, "description": description, "examples": [example]}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


def _array(description: str, **properties: Any) -> dict[str, Any]:
    return {"type": "array", "description": description, "items": _object(**properties)}


_PLATFORM = _describe_schema(_TEXT, "The place.", "Watch")
_EXTERNAL_ID = _describe_schema(
    _TEXT, "Your own reference, where the production was triggered with one.", "order-4711"
)
_STEPS = _describe_schema(_NUMBER, "Pipeline steps completed.", 3)

# By event type: the properties of its data (specification, "Event types (9)").
_TYPES = {
    "production.queued": {
        "status": _status("Queued"),
        "expiresAt": _describe_schema(
            _NULLABLE | {"format": "date-time"},
            "Null unless of the API.",
            "2026-11-23T09:30:00.000Z",
        ),
    },
    "production.step.complete": {
        "status": _status("Producing"),
        "stepsComplete": _STEPS,
        "currentStep": _describe_schema(_TEXT, "Label of the step.", "Video rendered"),
    },
    "production.awaiting_approval": {
        "status": _status("AwaitingApproval"),
        "stepsComplete": _STEPS,
    },
    "production.distributing": {
        "status": _status("Distributing"),
        "platforms": _array(
            "One each.",
            platform=_PLATFORM,
            status=_describe_schema(_TEXT, "Its status.", "Publishing"),
        ),
    },
    "production.published": {
        "status": _status("Published"),
        "platforms": _array(
            "One entry for each place.",
            platform=_PLATFORM,
            status=_describe_schema(_TEXT, "Its status.", "Published"),
            platformPostId=_describe_schema(
                _NULLABLE, "The post there; null if the place gives none.", "m3Kq81xZ"
            ),
        ),
    },
    "production.failed": {
        "status": _status("Failed"),
        "errorCode": _describe_schema(_TEXT, "Why, for programs.", "EXPIRED"),
        "errorMessage": _describe_schema(
            _TEXT, "Why, for people.", "The production was not released in time."
        ),
    },
    "production.cancelled": {"status": _status("Cancelled")},
    "deliverable.ready": {
        "status": _describe_schema(_TEXT, "Typically `AwaitingApproval`.", "AwaitingApproval"),
        "deliverables": _array(
            "The first 100; `truncated` says whether there are more.",
            deliverableId=_describe_schema(
                _TEXT | {"format": "uuid"},
                "The deliverable.",
                examples.make_example_id("deliverableId"),
            ),
            type=_describe_schema(_TEXT, "What it is.", "Video"),
            platform=_describe_schema(_NULLABLE, "Its place; null: the production.", "Watch"),
            format=_describe_schema(_TEXT, "Its file format.", "mp4"),
        ),
    },
    "webhook.ping": {
        "type": _describe_schema(_TEXT, "As `eventType`.", event_types.PING_EVENT),
        "message": _describe_schema(_TEXT, "For people.", "This is a test delivery."),
    },
    event_types.BATCH_EVENT: {
        "batchId": _describe_schema(
            _TEXT | {"format": "uuid"}, "The batch.", examples.make_example_id("batchId")
        ),
        "counts": {
            "type": "object",
            "description": "Its briefs by state.",
            "additionalProperties": _NUMBER,
            "examples": [event_types.SAMPLES[event_types.BATCH_EVENT]["counts"]],
        },
    },
    event_types.SCRIPT_EVENT: {
        "status": _status("Producing"),
        "holdReason": _describe_schema(
            _TEXT, f"Always `{states.SCRIPT_REVIEW}`.", states.SCRIPT_REVIEW
        ),
        "version": _describe_schema(_NUMBER, "Of the script.", 1),
        "scenes": _describe_schema(_NUMBER, "How many it has.", 5),
    },
    event_types.USAGE_EVENT: {
        "limit": _describe_schema(
            _TEXT | {"enum": list(thresholds.LIMITS)}, "What is used.", thresholds.ACCOUNT_BUDGET
        ),
        "ownerId": _describe_schema(
            _TEXT | {"format": "uuid"}, "Whose limit it is.", examples.make_example_id("accountId")
        ),
        "percent": _describe_schema(_NUMBER, "80 or 100.", 80),
        "used": _describe_schema(
            {"type": "number"}, "Of a budget in the operator's currency, else a number.", 80.5
        ),
        "most": _describe_schema({"type": "number"}, "How much there is.", 100.0),
        "period": _describe_schema(
            _TEXT, "The month of a budget, the day of a limit; UTC.", "2026-11"
        ),
    },
}
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
    return {name: {"post": _operation(name, event_types.DESCRIPTIONS[name])} for name in _TYPES}


def describe_schemas() -> dict[str, Any]:
    """Return the schema of the envelope of each event type."""
    return {name_schema(name): _envelope(name, data) for name, data in _TYPES.items()}


def name_schema(event_type: str) -> str:
    """Return ``ProductionStepCompleteEvent`` for ``production.step.complete``."""
    return "".join(word.capitalize() for word in event_type.replace("_", ".").split(".")) + "Event"


def _operation(name: str, when: str) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{name_schema(name)}"}
    return {
        "operationId": f"on_{name.replace('.', '_')}",
        "summary": name,
        "description": (
            f"{when} Verify the signature over the raw body before you believe it, and answer 2xx "
            "in 15 s."
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
                "example": shown,
            }
            for header, (text, shown) in _HEADERS.items()
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


# By event type: what sequenceNumber is, with an example, where it is not that of a production's
# event.
_NUMBERS = {
    "webhook.ping": ("0 on test events.", 0),
    event_types.BATCH_EVENT: ("From 1 within a batch, which ends again after it was resumed.", 1),
    event_types.SCRIPT_EVENT: (
        (
            f"From {event_types.FURTHER_NUMBERS + 1:,} within a production: apart from those of "
            "the other events, which have no gaps."
        ),
        event_types.FURTHER_NUMBERS + 1,
    ),
    event_types.USAGE_EVENT: ("1 at 80 %, 2 at 100 %.", 1),
}


def _envelope(name: str, data: dict[str, Any]) -> dict[str, Any]:
    is_test = name == "webhook.ping"
    payload = _object(**data)
    if not is_test:
        payload["properties"] = {**data, "externalId": _EXTERNAL_ID}  # optional
    sent_as = event_types.PING_EVENT if is_test else name
    nil = {"examples": [ids.NIL]} if is_test else {}
    identifier = {"type": "string", "format": "uuid"}
    return _object(
        eventId={
            **identifier,
            "description": (
                "One per event and webhook: the same on every retry, redelivery and replay."
            ),
        },
        eventType=_status(sent_as),
        productionId={
            **identifier,
            **nil,
            "description": "The production; the nil UUID on test events.",
        },
        accountId={**identifier, **nil, "description": "Its account; the nil UUID on test events."},
        timestamp=_describe_schema(
            _TEXT | {"format": "date-time"}, "When it happened.", "2026-11-20T09:30:00.000Z"
        ),
        sequenceNumber=_describe_schema(
            _NUMBER, *_NUMBERS.get(name, ("From 1 within a production, without gaps.", 4))
        ),
        correlationId=_describe_schema(
            _TEXT, "Of the request that caused it.", "9f0c6b1e6f8f4b6c8c1d2f7a5e3b4a10"
        ),
        truncated=_describe_schema(
            {"type": "boolean"}, "Whether there are more than 100 deliverables.", False
        ),
        data=payload,
    )
