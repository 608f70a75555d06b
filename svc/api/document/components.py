"""The components of the document: schemas, headers, parameters, shared errors and examples."""

from collections.abc import Iterator
from typing import Any

from svc.api import versions
from svc.api.document import errors, events, examples, headers

_PATH = {
    "accountId": "An account that the key may address.",
    "productionId": "The production.",
    "subscriptionId": "The webhook.",
    "batchId": "The batch.",
    "templateId": "The template.",
    "deliveryId": "The delivery, as the list of deliveries names it.",
    "deliverableId": "The deliverable.",
}
_REQUEST_HEADERS = {
    "X-Correlation-Id": (
        "Your own trace identifier; kept where it is 1 to 64 of `A-Z a-z 0-9 . _ -`. It is in our "
        "logs, your history, and the events that the request causes.",
        None,  # the form for trial calls would always send the same example
    ),
    versions.HEADER: (
        (
            "The dated version that your program was written for; an unknown one is refused with "
            "400. So far all answer alike."
        ),
        versions.NEWEST,
    ),
    "If-None-Match": (
        "The `ETag` that you have: 304 if it still holds.",
        'W/"9f86d081884c7d659a2feaa0c55ad015"',
    ),
}


def complete_components(document: dict[str, Any]) -> None:
    """Complete the components of ``document``, in place."""
    parts = document["components"]
    schemas = parts["schemas"]
    request_schemas = _collect_schemas(
        {_name(body) for body in _list_request_schemas(document)}, schemas
    )
    for name, schema in schemas.items():
        _finish_schema(schema, name in request_schemas)
    schemas.pop("PaginationMetadata", None)  # from flask-smorest, not used
    schemas |= events.describe_schemas()
    parts["responses"] = {
        name: errors.describe_response(status, text)
        for status, (name, text) in errors.OF_EVERY_OPERATION.items()
    }
    parts["headers"] = headers.describe_headers()
    parts["parameters"] = list_path_parameters() | {
        name: _describe_request_header(name) for name in _REQUEST_HEADERS
    }
    parts["examples"] = {
        code: errors.make_example(error) for code, error in errors.list_codes().items()
    }


def list_path_parameters() -> dict[str, Any]:
    """Return the path parameters by name."""
    return {
        name: {
            "name": name,
            "in": "path",
            "required": True,
            "description": text,
            "schema": {"type": "string", "format": "uuid"},
            "example": examples.make_example_id(name),
        }
        for name, text in _PATH.items()
    }


def drop_unused(document: dict[str, Any]) -> None:
    """Remove components without references, in place."""
    text = repr(document)
    for kind in ("headers", "parameters", "examples", "responses"):
        parts = document["components"][kind]
        for name in [name for name in parts if f"'#/components/{kind}/{name}'" not in text]:
            del parts[name]


def _describe_request_header(name: str) -> dict[str, Any]:
    description, example = _REQUEST_HEADERS[name]
    example_entry = {} if example is None else {"example": example}
    schema: dict[str, Any] = {"type": "string"}
    if name == versions.HEADER:
        schema["enum"] = list(versions.VERSIONS)
    return {
        "name": name,
        "in": "header",
        "description": description,
        "schema": schema,
        **example_entry,
    }


def _list_request_schemas(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in document["paths"].values():
        for operation in path.values():
            if isinstance(operation, dict) and "requestBody" in operation:
                yield operation["requestBody"]["content"]["application/json"]["schema"]


def _collect_schemas(names: set[str], schemas: dict[str, Any]) -> set[str]:
    """Return the names of schemas, with those of the objects within them."""
    inner = {
        name
        for outer in names
        for name in schemas
        if f"'#/components/schemas/{name}'" in repr(schemas[outer])
    }
    return names if inner <= names else _collect_schemas(names | inner, schemas)


def _name(reference: dict[str, Any]) -> str:
    return str(reference["$ref"].rpartition("/")[2])


def _finish_schema(schema: dict[str, Any], is_request: bool) -> None:
    """Allow additional properties in responses only, and require all of
    their documented properties.
    """
    properties = schema.setdefault("properties", {})
    if is_request:
        schema["additionalProperties"] = False
    else:
        # apispec sets it because marshmallow rejects unknown fields
        schema.pop("additionalProperties", None)
        schema["required"] = [
            name for name, field in properties.items() if not field.pop("x-optional", False)
        ]
    for definition in properties.values():
        _finish_property(definition)


def _finish_property(schema: dict[str, Any]) -> None:
    if "example" in schema:  # JSON Schema 2020-12 has only ``examples``
        schema["examples"] = [schema.pop("example")]
    if isinstance(schema.get("items"), dict):
        _finish_property(schema["items"])
    if None in schema.get("enum", ()) and "null" not in schema["type"]:
        schema["enum"].remove(None)
    if schema.get("default", 0) is None:  # redundant
        del schema["default"]
