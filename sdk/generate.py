"""Writes what the SDKs take from the OpenAPI document, and the synchronous half of the Python SDK.

``curl http://127.0.0.1:8080/openapi.json | python sdk/generate.py`` takes the document of a running
server.
"""

import json
import keyword
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PYTHON = HERE / "python" / "src" / "partner_production"
MODELS = PYTHON / "models.py"
PYTHON_VERSION = PYTHON / "api_version.py"
TYPESCRIPT_VERSION = HERE / "typescript" / "src" / "version.js"
TYPES = HERE / "typescript" / "types" / "models.d.ts"
_WIDTH = 120
_MADE = "Written by sdk/generate.py; do not edit."
# What the synchronous half has in place of what the asynchronous one has; applied in this order, to
# whole words.
_PLAIN = (
    ("async def", "def"),
    ("async with", "with"),
    ("async for", "for"),
    ("await ", ""),
    ("AsyncIterator", "Iterator"),
    ("AsyncClient", "Client"),
    ("AsyncTransport", "Transport"),
    ("_async", "_sync"),
    ("__aenter__", "__enter__"),
    ("__aexit__", "__exit__"),
    ("aclose", "close"),
    ("aiter_bytes", "iter_bytes"),
    ("aread", "read"),
    ("async_sleep", "sleep"),
    ("async_tell", "tell"),
    ("AsyncOnEvent", "OnEvent"),
    ("asynccontextmanager", "contextmanager"),
    ("asynchronous", "synchronous"),
    ("async_unless", "unless"),
    ("async_longest_hold", "longest_hold"),
    ("async_next_piece", "next_piece"),
    ("AsyncOnHold", "OnHold"),
    ("AsyncOnBatch", "OnBatch"),
    ("AsyncCancel", "Cancel"),
    ("AsyncRequestOptions", "RequestOptions"),
    ("AsyncPostOptions", "PostOptions"),
)

Schema = dict[str, Any]
# The literals that have a name of their own in both clients, and the field of a schema that has
# their values.
_LITERALS = {
    "ProductionStatus": ("Production", "status"),
    "HoldReason": ("Production", "holdReason"),
    "StepStatus": ("Step", "status"),
    "PublicationStatus": ("Publication", "status"),
    "BatchStatus": ("Batch", "status"),
    "DeliveryStatus": ("Delivery", "status"),
    "SubscriptionStatus": ("Subscription", "status"),
    "AccountStatus": ("Account", "status"),
    "DeliverableType": ("Deliverable", "type"),
    "EventType": ("Registration", "eventTypes"),
}
# What holds an event type. The document leaves it open, as types are added: a client made earlier
# must not refuse them.
_EVENT_TYPE_FIELDS = ("eventType", "eventTypes")


def generated(openapi: Schema) -> dict[Path, str]:
    """Return every generated file with its text."""
    files = {MODELS: python_models(openapi), TYPES: typescript_models(openapi)}
    version = openapi["info"]["x-apiVersion"]
    files[PYTHON_VERSION] = (
        f'"""The dated version of the API that this client was made for.\n\n{_MADE}\n"""\n\n'
        f'API_VERSION = "{version}"\n'
    )
    files[TYPESCRIPT_VERSION] = (
        f"// The dated version of the API that this client was made for. {_MADE}\n\n"
        f'export const API_VERSION = "{version}";\n'
    )
    files[TYPES.with_name("version.d.ts")] = f'export const API_VERSION: "{version}";\n'
    for path in sorted((PYTHON / "_async").glob("*.py")):
        files[PYTHON / "_sync" / path.name] = plain(path.read_text("utf-8"))
    return files


def plain(source: str) -> str:
    """Return a module of the asynchronous half as one of the synchronous half."""
    for name, other in _PLAIN:
        source = re.sub(
            rf"(?<!\w){re.escape(name)}(?!\w)" if name[-1].isalpha() else re.escape(name),
            other,
            source,
        )
    first, _, rest = source.partition("\n")
    return f"{first}\n\n# {_MADE} Change its namesake in _async.\n{rest}".replace(
        "\n\n\n\n", "\n\n\n"
    )


def _objects(openapi: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield the name and schema of every object, those within others first and under names
    of their own.
    """
    for name, schema in openapi["components"]["schemas"].items():
        yield from _with_inner(name, schema)


def _with_inner(name: str, schema: Schema) -> Iterator[tuple[str, Schema]]:
    for field, its in schema.get("properties", {}).items():
        inner = its.get("items", its)
        if "properties" in inner:
            yield from _with_inner(_inner_name(name, field), inner)
    yield name, schema


def _inner_name(name: str, field: str) -> str:
    return name + field[0].upper() + field[1:]


def _literals(openapi: Schema) -> dict[str, tuple[str, ...]]:
    """Return the values of each literal that has a name."""
    schemas = openapi["components"]["schemas"]
    fields = {
        name: schemas[schema]["properties"][field] for name, (schema, field) in _LITERALS.items()
    }
    return {name: tuple(_values(its.get("items", its))) for name, its in fields.items()}


def _values(schema: Schema) -> list[Any]:
    """Return the values of an enumeration, but for null."""
    return [each for each in schema.get("enum", [schema.get("const")]) if each is not None]


def _name_of(field: str, schema: Schema, literals: dict[str, tuple[str, ...]]) -> str | None:
    """Return the name of the literal that a field holds, or holds a list of; None: it has none."""
    inner = schema.get("items", schema)
    if field in _EVENT_TYPE_FIELDS and inner.keys().isdisjoint({"enum", "const"}):
        return "EventType"
    values = set(_values(inner))
    return next((name for name, its in literals.items() if set(its) == values), None)


def _event_names(openapi: Schema) -> list[str]:
    operations = [
        each["post"]["requestBody"]["content"]["application/json"]["schema"]
        for each in openapi["webhooks"].values()
    ]
    return [_target(schema) for schema in operations]


def _target(schema: Schema) -> str:
    return str(schema["$ref"].rpartition("/")[2])


def _kinds(schema: Schema) -> list[str]:
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else list(kinds)


# Python


def python_models(openapi: Schema) -> str:
    """Return ``models.py``: a TypedDict for each schema, and the union of the webhooks' events."""
    parts = [
        f'"""What the API takes and gives, as typed dictionaries. {_MADE}"""\n',
        "from __future__ import annotations\n",
        "from typing import Any, Literal, NotRequired, TypedDict\n",
    ]
    literals = _literals(openapi)
    parts += [_python_literal(name, values) for name, values in literals.items()]
    parts += [_python_object(name, schema, literals) for name, schema in _objects(openapi)]
    events = "\n    | ".join(_event_names(openapi))
    parts.append(f"WebhookEvent = (\n    {events}\n)\n")
    return "\n".join(parts).rstrip("\n") + "\n"


def _python_literal(name: str, values: tuple[str, ...]) -> str:
    return f"{name} = Literal[\n" + "".join(f"    {json.dumps(each)},\n" for each in values) + "]\n"


def _python_object(name: str, schema: Schema, literals: dict[str, tuple[str, ...]]) -> str:
    fields = schema.get("properties", {})
    required = set(schema.get("required", ()))
    lines = []
    if any(keyword.iskeyword(field) for field in fields):
        for field, its in fields.items():
            lines += [
                *_comment(its),
                (
                    f"        {json.dumps(field)}: "
                    f"{json.dumps(_python_field(name, field, its, required, literals))},"
                ),
            ]
        return "\n".join([f'\n{name} = TypedDict(\n    "{name}",\n    {{', *lines, "    },\n)\n"])
    for field, its in fields.items():
        lines += [
            f"    {field}: {_python_field(name, field, its, required, literals)}",
            *_docstring(its),
        ]
    return "\n".join([f"\nclass {name}(TypedDict):", *(lines or ["    pass"])]) + "\n"


def _python_field(
    name: str, field: str, schema: Schema, required: set[str], literals: dict[str, tuple[str, ...]]
) -> str:
    literal = _name_of(field, schema, literals)
    kind = literal or _python_type(_inner_name(name, field), schema)
    if literal:
        kind = f"list[{kind}]" if "array" in _kinds(schema) else kind
        kind = f"{kind} | None" if "null" in _kinds(schema) else kind
    return kind if field in required else f"NotRequired[{kind}]"


def _docstring(schema: Schema) -> list[str]:
    text = schema.get("description", "").replace("\\", "\\\\")
    return (
        textwrap.wrap(f'"""{text}"""', _WIDTH, initial_indent="    ", subsequent_indent="    ")
        if text
        else []
    )


def _comment(schema: Schema) -> list[str]:
    return textwrap.wrap(
        schema.get("description", ""),
        _WIDTH,
        initial_indent="        # ",
        subsequent_indent="        # ",
    )


def _python_type(name: str, schema: Schema) -> str:
    if "$ref" in schema:
        return _target(schema)
    if "anyOf" in schema:
        return " | ".join(_python_type(name, each) for each in schema["anyOf"])
    if "const" in schema or "enum" in schema:
        literal = f"Literal[{', '.join(json.dumps(each) for each in _values(schema))}]"
        return f"{literal} | None" if "null" in _kinds(schema) else literal
    return " | ".join(_python_simple(kind, name, schema) for kind in _kinds(schema)) or "Any"


def _python_simple(kind: str, name: str, schema: Schema) -> str:
    if kind == "array":
        return f"list[{_python_type(name, schema['items'])}]"
    if kind == "object":
        values = schema.get("additionalProperties") or {}
        return (
            name
            if "properties" in schema
            else f"dict[str, {_python_type(name, values) if values else 'Any'}]"
        )
    return {
        "string": "str",
        "integer": "int",
        "number": "float",
        "boolean": "bool",
        "null": "None",
    }[kind]


# TypeScript


def typescript_models(openapi: Schema) -> str:
    """Return ``models.d.ts``: an interface for each schema,
    and the union of the webhooks' events.
    """
    parts = [f"// What the API takes and gives. {_MADE}\n"]
    literals = _literals(openapi)
    for name, values in literals.items():
        parts.append(f"export type {name} =\n  | " + "\n  | ".join(map(json.dumps, values)) + ";\n")
    parts += [_typescript_object(name, schema, literals) for name, schema in _objects(openapi)]
    events = "\n  | ".join(_event_names(openapi))
    parts.append(f"export type WebhookEvent =\n  | {events};\n")
    return "\n".join(parts)


def _typescript_object(name: str, schema: Schema, literals: dict[str, tuple[str, ...]]) -> str:
    required, lines = set(schema.get("required", ())), []
    for field, its in schema.get("properties", {}).items():
        if its.get("description"):
            lines += _typescript_comment(its["description"])
        literal = _name_of(field, its, literals)
        kind = literal or _typescript_type(_inner_name(name, field), its)
        if literal:
            kind = f"{kind}[]" if "array" in _kinds(its) else kind
            kind = f"{kind} | null" if "null" in _kinds(its) else kind
        lines.append(f"  {field}{'' if field in required else '?'}: {kind};")
    if not lines:
        return f"export type {name} = Record<string, never>;\n"
    return "\n".join([f"export interface {name} {{", *lines, "}"]) + "\n"


def _typescript_comment(text: str) -> list[str]:
    text = text.replace("*/", "*\\/")
    if len(text) <= _WIDTH - 10:
        return [f"  /** {text} */"]
    return [
        "  /**",
        *textwrap.wrap(text, _WIDTH, initial_indent="   * ", subsequent_indent="   * "),
        "   */",
    ]


def _typescript_type(name: str, schema: Schema) -> str:
    if "$ref" in schema:
        return _target(schema)
    if "anyOf" in schema:
        return " | ".join(_typescript_type(name, each) for each in schema["anyOf"])
    if "const" in schema or "enum" in schema:
        values = [json.dumps(each) for each in _values(schema)]
        return " | ".join([*values, *(["null"] if "null" in _kinds(schema) else [])])
    return (
        " | ".join(_typescript_simple(kind, name, schema) for kind in _kinds(schema)) or "unknown"
    )


def _typescript_simple(kind: str, name: str, schema: Schema) -> str:
    if kind == "array":
        item = _typescript_type(name, schema["items"])
        return f"({item})[]" if "|" in item else f"{item}[]"
    if kind == "object":
        values = schema.get("additionalProperties") or {}
        return (
            name
            if "properties" in schema
            else f"Record<string, {_typescript_type(name, values) if values else 'unknown'}>"
        )
    return {
        "string": "string",
        "integer": "number",
        "number": "number",
        "boolean": "boolean",
        "null": "null",
    }[kind]


def main() -> None:
    """Write every generated file that has changed."""
    for path, text in generated(json.load(sys.stdin)).items():
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            print(path.relative_to(HERE))


if __name__ == "__main__":
    main()
