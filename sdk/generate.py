"""Writes what the SDKs and the tools of agents take from the OpenAPI document,
and the synchronous half of the Python SDK.

``curl http://127.0.0.1:8080/openapi.json | python sdk/generate.py`` takes the document of a running
server. Its tools, which nothing else needs, are named in docs/contributing.md ("Change the
clients").
"""

import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PYTHON = HERE / "python" / "src" / "partner_production"
MODELS = PYTHON / "models.py"
PYTHON_VERSION = PYTHON / "api_version.py"
TYPESCRIPT_VERSION = HERE / "typescript" / "src" / "version.js"
TYPES = HERE / "typescript" / "types" / "models.d.ts"
# What the generated files were made of, and what they are, each by its SHA-256: whether they are up
# to date is seen without the tools.
DIGESTS = HERE / "generated.sha256"
OPERATIONS = HERE.parent / "svc" / "cli" / "agents" / "operations.json"
NPM_PINS = HERE.parent / ".ci" / "package.json"
_MADE = "Written by sdk/generate.py; do not edit."
# What the synchronous half calls what has a name of its own in the asynchronous one, besides
# ``unasync``'s own list.
_PLAIN_NAMES = {
    "_async": "_sync",
    "aclose": "close",
    "aiter_bytes": "iter_bytes",
    "aread": "read",
    "async_longest_hold": "longest_hold",
    "async_next_piece": "next_piece",
    "async_sleep": "sleep",
    "async_tell": "tell",
    "async_unless": "unless",
    **{
        f"Async{name}": name
        for name in (
            "Cancel",
            "Client",
            "OnBatch",
            "OnEvent",
            "OnHold",
            "PostOptions",
            "RequestOptions",
            "Transport",
        )
    },
}
# PEP 728's closed dictionaries need Python 3.15.
_PYTHON_OPTIONS = (
    *("--input-file-type", "openapi", "--output-model-type", "typing.TypedDict"),
    *("--target-python-version", "3.11", "--enum-field-as-literal", "all"),
    *("--use-inline-field-description", "--use-single-line-docstring"),
    *("--no-use-closed-typed-dict", "--disable-timestamp", "--formatters", "ruff-format"),
    "--custom-file-header",
    f'"""What the API takes and gives, as typed dictionaries. {_MADE}"""',
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
# What makes a type; bounds and examples do not.
_KEYWORDS = ("$ref", "type", "enum", "const", "items", "anyOf", "additionalProperties")
# What a tool of an agent says and checks of an argument: a pattern says nothing to a model.
_ARGUMENT_KEYWORDS = (
    *("type", "enum", "format", "description", "items", "properties", "required"),
    *("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"),
)
_METHODS = ("get", "post", "put", "patch", "delete")
_SCOPE = re.compile(r"Needs the permission `([^`]+)`")


def generated(openapi: Schema, types_program: Sequence[str]) -> dict[Path, str]:
    """Return every generated file with its text. ``types_program``: runs openapi-typescript."""
    schemas = named_schemas(openapi)
    version = openapi["info"]["x-apiVersion"]
    return {
        MODELS: python_models(schemas),
        TYPES: typescript_models(schemas, types_program),
        PYTHON_VERSION: (
            f'"""The dated version of the API that this client was made for.\n\n{_MADE}\n"""\n\n'
            f'API_VERSION = "{version}"\n'
        ),
        TYPESCRIPT_VERSION: (
            f"// The dated version of the API that this client was made for. {_MADE}\n\n"
            f'export const API_VERSION = "{version}";\n'
        ),
        TYPES.with_name("version.d.ts"): f'export const API_VERSION: "{version}";\n',
        **synchronous_half(),
    }


def digests(openapi: Schema) -> str:
    """Return the text of ``DIGESTS`` for a document and the files as they are now."""
    made_of = {"schemas": named_schemas(openapi), "version": openapi["info"]["x-apiVersion"]}
    lines = [f"{_digest(json.dumps(made_of, sort_keys=True).encode())}  the OpenAPI document"]
    written = [
        *(MODELS, TYPES, PYTHON_VERSION, TYPESCRIPT_VERSION, TYPES.with_name("version.d.ts")),
        *(path for half in ("_async", "_sync") for path in sorted((PYTHON / half).glob("*.py"))),
    ]
    lines += [f"{_digest(path.read_bytes())}  {path.relative_to(HERE)}" for path in written]
    return "\n".join(lines) + "\n"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def synchronous_half() -> dict[Path, str]:
    """Return the modules of the synchronous half, made of those of the asynchronous one."""
    import unasync  # type: ignore[import-not-found, import-untyped, unused-ignore]

    sources = sorted((PYTHON / "_async").glob("*.py"))
    with tempfile.TemporaryDirectory() as folder:
        rule = unasync.Rule(f"{PYTHON}/_async/", f"{folder}/", _PLAIN_NAMES)
        unasync.unasync_files([str(path) for path in sources], [rule])
        plain = {path.name: (Path(folder) / path.name).read_text("utf-8") for path in sources}
    return {PYTHON / "_sync" / name: _with_note(source) for name, source in plain.items()}


def _with_note(source: str) -> str:
    first, _, rest = source.partition("\n")
    note = f"# {_MADE} Change its namesake in _async.\n"
    return f"{first}\n\n{note}{rest}" if rest else f"{first}\n\n{note}"


def named_schemas(openapi: Schema) -> dict[str, Schema]:
    """Return the schemas of a document, in which literals and inner objects have names.

    Types that are made of these have the names by which programs import them.
    """
    literals = _literals(openapi)
    objects = {name: _object(name, its, literals) for name, its in _objects(openapi)}
    events = {"anyOf": [_reference(name) for name in _event_names(openapi)]}
    named = {name: {"type": "string", "enum": values} for name, values in literals.items()}
    return {**named, **objects, "WebhookEvent": events}


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


def _literals(openapi: Schema) -> dict[str, list[str]]:
    """Return the values of each literal that has a name."""
    schemas = openapi["components"]["schemas"]
    fields = {
        name: schemas[schema]["properties"][field] for name, (schema, field) in _LITERALS.items()
    }
    return {name: _values(its.get("items", its)) for name, its in fields.items()}


def _values(schema: Schema) -> list[Any]:
    """Return the values of an enumeration, but for null."""
    return [each for each in schema.get("enum", [schema.get("const")]) if each is not None]


def _event_names(openapi: Schema) -> list[str]:
    operations = [
        each["post"]["requestBody"]["content"]["application/json"]["schema"]
        for each in openapi["webhooks"].values()
    ]
    return [_target(schema) for schema in operations]


def _target(schema: Schema) -> str:
    return str(schema["$ref"].rpartition("/")[2])


def _reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(name: str, schema: Schema, literals: dict[str, list[str]]) -> Schema:
    properties = {}
    for field, its in schema.get("properties", {}).items():
        described = {"description": its["description"]} if its.get("description") else {}
        properties[field] = described | _field(name, field, its, literals)
    return {"type": "object", "properties": properties, "required": schema.get("required", [])}


def _field(name: str, field: str, schema: Schema, literals: dict[str, list[str]]) -> Schema:
    """Return the schema of a field, with a reference to the literal or object that it holds,
    or holds a list of.
    """
    named = _literal_of(field, schema, literals)
    if "properties" in schema.get("items", schema):
        named = _inner_name(name, field)
    if named is None:
        return _bare(schema)
    kinds = schema.get("type", [])
    one = _reference(named)
    held = {"type": "array", "items": one} if "array" in kinds else one
    return {"anyOf": [held, {"type": "null"}]} if "null" in kinds else held


def _literal_of(field: str, schema: Schema, literals: dict[str, list[str]]) -> str | None:
    """Return the name of the literal that a field holds, or holds a list of; None: it has none."""
    inner = schema.get("items", schema)
    if field in _EVENT_TYPE_FIELDS and inner.keys().isdisjoint({"enum", "const"}):
        return "EventType"
    values = set(_values(inner))
    return next((name for name, its in literals.items() if set(its) == values), None)


def _bare(schema: Schema) -> Schema:
    """Return what of a schema makes its type."""
    bare = {name: value for name, value in schema.items() if name in _KEYWORDS}
    for name in ("items", "additionalProperties"):
        if isinstance(bare.get(name), dict):
            bare[name] = _bare(bare[name])
    if "anyOf" in bare:
        bare["anyOf"] = [_bare(each) for each in bare["anyOf"]]
    return bare


def python_models(schemas: dict[str, Schema]) -> str:
    """Return ``models.py``: a TypedDict for each schema, and the union of the webhooks' events."""
    return _converted(
        schemas, [sys.executable, "-m", "datamodel_code_generator", *_PYTHON_OPTIONS, "--input"]
    )


def typescript_models(schemas: dict[str, Schema], program: Sequence[str]) -> str:
    """Return ``models.d.ts``: an interface for each schema,
    and the union of the webhooks' events.
    """
    text = _converted(schemas, program)
    # All are in one interface there: an editor or an error would show their fields in place of
    # their names.
    inner = text.partition("    schemas: {\n")[2].partition("\n    };\n")[0]
    inner = re.sub(r'components\["schemas"\]\["(\w+)"\]', r"\1", inner)
    inner = re.sub(r"^        (\w+): \{$", r"export interface \1 {", inner, flags=re.MULTILINE)
    inner = re.sub(r"^        (\w+): ", r"export type \1 = ", inner, flags=re.MULTILINE)
    inner = re.sub(r"^        \};$", "}\n", inner, flags=re.MULTILINE)
    inner = re.sub(r"^ {8}", "", inner, flags=re.MULTILINE).replace("@description ", "")
    return f"// What the API takes and gives. {_MADE}\n\n{inner.rstrip()}\n"


def _converted(schemas: dict[str, Schema], command: Sequence[str]) -> str:
    """Return what a program makes of a document that has only these schemas."""
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "openapi.json", Path(folder) / "made"
        head = {"openapi": "3.1.0", "info": {"title": "Models", "version": "1"}, "paths": {}}
        given.write_text(json.dumps({**head, "components": {"schemas": schemas}}), "utf-8")
        subprocess.run([*command, given, "--output", made], check=True, stdout=subprocess.DEVNULL)
        return made.read_text("utf-8")


def operations(openapi: Schema) -> str:
    """Return ``operations.json``: of each operation method, path, permission and arguments,
    whose schemas have no references.
    """
    found = {
        operation["operationId"]: {
            "method": method,
            "path": path,
            "scope": next(iter(_SCOPE.findall(operation["description"])), None),
            "arguments": dict(_arguments(openapi["components"], operation)),
        }
        for path, methods in openapi["paths"].items()
        for method, operation in methods.items()
        if method in _METHODS
    }
    return json.dumps(dict(sorted(found.items())), ensure_ascii=False, indent=1) + "\n"


def _arguments(components: Schema, operation: Schema) -> Iterator[tuple[str, Schema]]:
    for given in operation.get("parameters", ()):
        its = components["parameters"][_target(given)] if "$ref" in given else given
        if its["name"] not in ("X-Correlation-Id", "X-API-Version", "If-None-Match"):
            schema = {"description": its.get("description", ""), **its["schema"]}
            where = {"in": its["in"], "required": its.get("required", False)}
            yield its["name"], {**where, "schema": _argument(components, schema)}
    if "requestBody" in operation:
        content = operation["requestBody"]["content"]["application/json"]["schema"]
        body = _argument(components, content)
        for name, schema in body["properties"].items():
            required = name in body.get("required", ())
            yield name, {"in": "body", "required": required, "schema": schema}


def _argument(components: Schema, schema: Schema) -> Schema:
    """Return what of a schema a tool says and checks, without references."""
    if "$ref" in schema:
        schema = {**components["schemas"][_target(schema)], **schema}
    kept = {name: value for name, value in schema.items() if name in _ARGUMENT_KEYWORDS}
    if "items" in kept:
        kept["items"] = _argument(components, kept["items"])
    if "properties" in kept:
        kept["properties"] = {
            name: _argument(components, each) for name, each in kept["properties"].items()
        }
    return kept


def main() -> None:
    """Write every generated file that has changed."""
    openapi = json.load(sys.stdin)
    _write_changed(OPERATIONS, operations(openapi))
    version = json.loads(NPM_PINS.read_text("utf-8"))["dependencies"]["openapi-typescript"]
    files = generated(openapi, ["npx", "--yes", f"openapi-typescript@{version}"])
    for path, text in files.items():
        _write_changed(path, text)
    _write_changed(DIGESTS, digests(openapi))


def _write_changed(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")
        print(path.relative_to(HERE.parent))


if __name__ == "__main__":
    main()
