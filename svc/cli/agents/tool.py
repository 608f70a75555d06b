"""Defines a tool of agents, and what tools share: schemas, checks of arguments, calls of
operations.
"""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from svc.base.api_fields import TextRule
from svc.base.errors import CommandError
from svc.cli.agents.operations import (
    Operation,
    Schema,
    Words,
    find_operation,
    make_argument_schema,
)
from svc.cli.demo.client import Client
from svc.domain.lifecycle.briefs import OPTIONS

Answer = dict[str, Any]
Call = Callable[[Client, Answer], Answer]

# What every vendor's function calling takes, strict or not: some refuse `format`, `pattern` and
# `additionalProperties`, some lengths and bounds, some types in alternatives. What they would say
# is checked when the tool is called.
LISTED_KEYWORDS = ("type", "description", "enum", "properties", "required", "items")
_SIZES = {"string": ("minLength", "maxLength"), "array": ("minItems", "maxItems")}
_UNITS = {"string": " characters", "array": " entries"}


@dataclass(frozen=True)
class Tool:
    """A tool. ``scope``: what the key needs; None: nothing. ``returns``: the fields of its answer,
    by what they are.

    ``is_reading``: whether it changes nothing. ``is_destructive``: whether what it does cannot be
    taken back. ``is_public``: whether others than the partner may see what it leads to.
    """

    name: str
    description: str
    scope: str | None
    properties: dict[str, Schema]
    required: tuple[str, ...]
    call: Call
    is_reading: bool = True
    is_destructive: bool = False
    is_public: bool = False
    returns: dict[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return self.name.replace("_", " ").capitalize()

    @property
    def schema(self) -> Schema:
        """The JSON Schema of the arguments, by which they are checked."""
        required = {"required": list(self.required)} if self.required else {}
        return {
            "type": "object",
            "properties": self.properties,
            **required,
            "additionalProperties": False,
        }

    @property
    def listed_schema(self) -> Schema:
        """The JSON Schema of the arguments as clients are shown it."""
        return simplify_schema(self.schema)

    @property
    def output_schema(self) -> Schema:
        """The JSON Schema of the answer, which may have more fields."""
        return {
            "type": "object",
            "properties": {name: {"description": text} for name, text in self.returns.items()},
        }


def simplify_schema(schema: Schema) -> Schema:
    """Return a schema as all clients take it: of several types the first, bounds in words."""
    simplified = {name: value for name, value in schema.items() if name in LISTED_KEYWORDS}
    if isinstance(simplified.get("type"), list):
        simplified["type"] = simplified["type"][0]
    if bounds := _describe_bounds(schema, simplified["type"]):
        simplified["description"] = f"{simplified.get('description', '')} {bounds}".lstrip()
    if "properties" in simplified:
        simplified["properties"] = {
            name: simplify_schema(each) for name, each in simplified["properties"].items()
        }
    if "items" in simplified:
        simplified["items"] = simplify_schema(simplified["items"])
    return simplified


def _describe_bounds(schema: Schema, type_: str) -> str:
    """Return in words how long, how many or how large a value may be; "": nothing is to be said."""
    least, most = _SIZES.get(type_, ("minimum", "maximum"))
    low, high, unit = schema.get(least), schema.get(most), _UNITS.get(type_, "")
    if unit:
        low = None  # only ever that it is not empty
    if high is None:
        return "" if low is None else f"At least {low}."
    return f"At most {high}{unit}." if low is None else f"{low} to {high}."


def tidy_arguments(value: Any, schema: Schema) -> Any:
    """Return arguments as their schema has them: whole floats as integers, and without what may be
    left out and is null or an empty text, as strict function calling wants a value for each.
    """
    if isinstance(value, dict):
        properties, required = schema.get("properties", {}), schema.get("required", ())
        return {
            name: tidy_arguments(each, properties.get(name, {}))
            for name, each in value.items()
            if each is not None
            and (name in required or not _is_none(each, properties.get(name, {})))
        }
    if isinstance(value, list):
        return [tidy_arguments(each, schema.get("items", {})) for each in value]
    if schema.get("type") == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _is_none(value: Any, schema: Schema) -> bool:
    return value == "" and schema.get("minLength", 0) > 0


def omit_nulls(row: Answer, names: tuple[str, ...] | None = None) -> Answer:
    """Return the fields of a row of a list that have a value. ``names``: only these."""
    return {
        name: value
        for name, value in row.items()
        if value not in (None, []) and (names is None or name in names)
    }


def make_text_schema(description: str, **keywords: Any) -> Schema:
    """Return the schema of a text among the arguments, which is not empty unless
    ``minLength`` is 0.
    """
    return {"type": "string", "description": description, "minLength": 1, **keywords}


def make_option_arguments(**descriptions: str) -> dict[str, Schema]:
    """Return the arguments for the options of a brief, which have the names of its fields.

    ``descriptions``: by name, where agents read another one than the API's.
    """
    return {
        each.name: make_text_schema(
            descriptions.get(each.name, each.description),
            **({"maxLength": each.rule.longest} if isinstance(each.rule, TextRule) else {}),
            **({"enum": list(each.words)} if each.words else {}),
        )
        for each in OPTIONS.values()
    }


# What several tools say of the same arguments.
ACCOUNT = {"accountId": "By default the only one that the key reaches."}
PRODUCTION = {"productionId": "The production, as trigger or list_productions gave it."}
ONCE = {"idempotencyKey": "One for each intention: with it nothing happens twice in 24 hours."}

# What tools call otherwise than the API.
_API_NAMES = {
    "idempotencyKey": "Idempotency-Key",
    "notes": "metadataMD",
    "projectType": "projectTypeSlug",
    "subject": "subjectOverride",
    "words": "q",
}


def operation_tool(
    operation_id: str,
    description: str,
    arguments: Mapping[str, Words | Schema],
    *,
    name: str = "",
    within: str = "",
    required: tuple[str, ...] | None = None,
    prepare: Callable[[Answer], Answer] = dict,
    show: Callable[[Answer], Answer] = dict,
    call: Call | None = None,
    is_reading: bool | None = None,
    is_destructive: bool = False,
    is_public: bool = False,
    returns: Mapping[str, str] | None = None,
) -> Tool:
    """Return a tool for an operation of the API, whose document has the schemas of the arguments,
    the permission, the method and the path.

    Args:
        operation_id: Of the document; also the tool's name, unless ``name`` gives another one.
        arguments: Those that the tool has, with what it says of each; a schema for what the
            operation does not have, or has otherwise.
        within: A field of the body whose own fields are arguments, too.
        required: The arguments that are needed, if not those that the operation needs.
        prepare: Returns the arguments as the operation takes them.
        show: Returns what the tool answers with, of the operation's answer.
        call: What performs it, where that takes more than this operation.
        is_reading: By default, whether the method is GET.
    """
    operation = find_operation(operation_id)
    known = operation.schemas | operation.schemas.get(within, {}).get("properties", {})
    fields = {argument: _API_NAMES.get(argument, argument) for argument in arguments}
    schemas = {
        argument: words
        if isinstance(words, dict)
        else make_argument_schema(fields[argument], known[fields[argument]], words)
        for argument, words in arguments.items()
    }
    if required is None:
        required = tuple(each for each in operation.required if each not in ACCOUNT)
    return Tool(
        name or operation_id,
        description,
        operation.scope,
        schemas,
        required,
        call or _make_sender(operation, prepare, show),
        operation.method == "get" if is_reading is None else is_reading,
        is_destructive,
        is_public,
        dict(returns or {}),
    )


def _make_sender(
    operation: Operation, prepare: Callable[[Answer], Answer], show: Callable[[Answer], Answer]
) -> Call:
    """Return the call of a tool that sends its arguments."""

    def send(client: Client, arguments: Answer) -> Answer:
        path = operation.path
        for name in operation.list_arguments_in("path"):
            value = find_account(client, arguments) if name in ACCOUNT else arguments[name]
            path = path.replace(f"{{{name}}}", check_identifier(value))
        fields = to_api_fields(prepare(arguments))
        body = {
            name: fields[name] for name in operation.list_arguments_in("body") if name in fields
        }
        match operation.method:
            case "get":
                query = {
                    name: fields[name]
                    for name in operation.list_arguments_in("query")
                    if name in fields
                }
                answer = client.get(path, **query)
            case "put":
                answer = client.put(path, body)
            case "patch":
                answer = client.patch(path, body)
            case "delete":
                answer = client.delete(path)
            case _:
                answer = client.post(path, body, make_idempotency_header(arguments))
        return show(answer)

    return send


def to_api_fields(arguments: Answer) -> Answer:
    """Return arguments under the names of the API."""
    return {_API_NAMES.get(name, name): value for name, value in arguments.items()}


def make_idempotency_header(arguments: Answer) -> dict[str, str]:
    """Return the header with the agent's own Idempotency-Key; without one the client makes one."""
    key = arguments.get("idempotencyKey")
    return {"Idempotency-Key": key} if key else {}


def find_account(client: Client, arguments: Answer) -> str:
    """Return the account that a tool is asked for.

    CommandError: none is, and the key reaches several.
    """
    if "accountId" in arguments:
        return check_identifier(arguments["accountId"])
    account_ids = [each["accountId"] for each in client.list_all("/v1/accounts")]
    if len(account_ids) != 1:
        raise CommandError(
            f"accountId is needed: the key reaches {len(account_ids)} accounts. list_accounts "
            "shows them."
        )
    return str(account_ids[0])


def check_identifier(identifier: str) -> str:
    """Return an identifier for a path. CommandError: it is not a UUID."""
    try:
        return str(uuid.UUID(identifier))
    except ValueError as bad:
        raise CommandError(
            f"{identifier!r} is no identifier: they are UUIDs, as the other tools give them."
        ) from bad
