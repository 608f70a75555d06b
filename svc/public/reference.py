"""The OpenAPI document as pages show it: groups of operations, with parameters, properties,
examples and answers.
"""

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

EVENTS = "events"  # the group of what webhook subscriptions are sent
_DEEPEST = 6  # levels of properties; nothing that is documented is deeper
_LONG = 60  # characters, from which on a pattern tells a reader nothing
_LIMITS = (  # of a schema: the lower one, the upper one, and what they count
    ("minLength", "maxLength", " characters"),
    ("minimum", "maximum", ""),
    ("minItems", "maxItems", " items"),
)

Json = dict[str, Any]


@dataclass(frozen=True)
class Property:
    """A parameter, or a property of a body."""

    name: str
    kind: str
    description: str
    is_required: bool
    limits: list[str] = field(default_factory=list)
    pattern: str = ""
    is_deprecated: bool = False
    values: list[Any] = field(default_factory=list)
    example: str | None = None
    within: list["Property"] = field(default_factory=list)


@dataclass(frozen=True)
class Answer:
    """An answer. ``properties`` are those of its body, ``examples`` bodies as JSON."""

    status: str
    description: str
    properties: list[Property]
    examples: list[str]


@dataclass(frozen=True)
class Operation:
    """An operation, or an event that is sent.

    ``method`` is empty for an event, whose ``path`` is its type.
    """

    id: str
    method: str
    path: str
    summary: str
    description: str
    is_deprecated: bool
    other_paths: list[str]
    parameters: dict[str, list[Property]]  # by where they are: path, query, header
    body: Answer | None
    successes: list[Answer]
    refusals: list[Answer]
    call: str
    samples: list[Json]


@dataclass(frozen=True)
class Group:
    name: str
    description: str
    operations: list[Operation]


class Reference:
    """The document, read once."""

    def __init__(self, document: Json):
        self._document = document
        self._aliases: dict[str, list[str]] = {}
        for path, _, operation in self._list_operations():
            if "x-aliasOf" in operation:
                self._aliases.setdefault(operation["x-aliasOf"], []).append(path)
        self.guide: str = document["info"]["description"]
        self.title: str = document["info"]["title"]
        self.groups = [self._group(tag) for tag in document["tags"]]

    def find_group(self, name: str) -> Group | None:
        return next((each for each in self.groups if each.name == name), None)

    def _list_operations(self) -> Iterator[tuple[str, str, Json]]:
        for path, item in self._document["paths"].items():
            for method, operation in item.items():
                yield path, method, operation

    def _group(self, tag: Json) -> Group:
        if tag["name"] == EVENTS:
            operations = [
                (name, "", item["post"]) for name, item in self._document["webhooks"].items()
            ]
        else:
            operations = [
                each
                for each in self._list_operations()
                if tag["name"] in each[2]["tags"] and "x-aliasOf" not in each[2]
            ]
        return Group(
            tag["name"], tag["description"], [self._read_operation(*each) for each in operations]
        )

    def _read_operation(self, path: str, method: str, operation: Json) -> Operation:
        answers = [
            (status, self._resolve_part(answer))
            for status, answer in operation["responses"].items()
        ]
        bodies = [self._answer(status, answer) for status, answer in answers]
        body = self._find_body(operation)
        parameters: dict[str, list[Property]] = {}
        for parameter in map(self._resolve_part, operation.get("parameters", ())):
            parameters.setdefault(parameter["in"], []).append(self._read_parameter(parameter))
        return Operation(
            id=operation["operationId"],
            method=method.upper(),
            path=path,
            summary=operation["summary"],
            description=operation.get("description", ""),
            is_deprecated=bool(operation.get("deprecated")),
            other_paths=self._aliases.get(operation["operationId"], []),
            parameters=parameters,
            body=self._answer("", body) if body else None,
            successes=[each for each in bodies if each.status[0] in "23"],
            refusals=[each for each in bodies if each.status[0] not in "23"],
            call=self._call(path, method, operation) if method else "",
            samples=operation.get("x-codeSamples", []),
        )

    def _find_body(self, operation: Json) -> Json | None:
        """Return the body of an operation; None: it has none, or one without any field."""
        body: Json | None = operation.get("requestBody")
        if body is None:
            return None
        schema = self._resolve_part(body["content"]["application/json"]["schema"])
        return None if schema.get("properties") == {} else body

    def _resolve_part(self, part: Json) -> Json:
        """Return a part of the document, or what it refers to."""
        while "$ref" in part:
            at: Any = self._document
            for name in part["$ref"].removeprefix("#/").split("/"):
                at = at[name]
            part = at
        return part

    def _answer(self, status: str, answer: Json) -> Answer:
        content: Json = next(iter(answer.get("content", {}).values()), {})
        examples = [
            self._resolve_part(each)["value"] for each in content.get("examples", {}).values()
        ]
        properties = (
            [] if status[:1] in ("4", "5") else self._list_properties(content.get("schema", {}), 0)
        )
        return Answer(
            status,
            answer.get("description", ""),
            properties,
            [_format_json(each) for each in examples],
        )

    def _read_parameter(self, parameter: Json) -> Property:
        schema = self._resolve_part(parameter.get("schema", {}))
        with_description = {**schema, "description": parameter.get("description", "")}
        if "example" in parameter:
            with_description["examples"] = [parameter["example"]]
        return self._read_property(
            parameter["name"], with_description, bool(parameter.get("required")), 0
        )

    def _list_properties(self, schema: Json, depth: int) -> list[Property]:
        """Return the properties of an object, or of the objects of a list;
        none of anything else.
        """
        schema = self._find_object(schema)
        required = schema.get("required", ())
        if depth > _DEEPEST:
            return []
        return [
            self._read_property(name, each, name in required, depth)
            for name, each in schema.get("properties", {}).items()
        ]

    def _find_object(self, schema: Json) -> Json:
        schema = self._resolve_part(schema)
        for alternative in schema.get("anyOf", ()):
            if alternative.get("type") != "null":
                return self._find_object(alternative)
        return self._find_object(schema["items"]) if "items" in schema else schema

    def _read_property(self, name: str, schema: Json, is_required: bool, depth: int) -> Property:
        part = self._resolve_part(schema)
        example = next(iter(part.get("examples", ())), None)
        return Property(
            name=name,
            kind=self._describe_type(schema),
            description=schema.get("description") or part.get("description", ""),
            is_required=is_required,
            limits=_describe_limits(part),
            pattern=_choose_pattern(part.get("pattern", "")),
            is_deprecated=bool(schema.get("deprecated")),
            values=part.get("enum", [part["const"]] if "const" in part else []),
            example=None if example is None or isinstance(example, dict | list) else str(example),
            within=self._list_properties(schema, depth + 1),
        )

    def _describe_type(self, schema: Json) -> str:
        """Return the type in words, such as "array of objects" or "string (uuid) or null"."""
        schema = self._resolve_part(schema)
        if "anyOf" in schema:
            return " or ".join(self._describe_type(alternative) for alternative in schema["anyOf"])
        types = schema.get("type", "any")
        types = [types] if isinstance(types, str) else types
        words = [
            f"{type_} ({schema['format']})" if "format" in schema and type_ != "null" else type_
            for type_ in types
        ]
        if "items" in schema:
            words[0] = f"array of {self._describe_type(schema['items'])}"
        return " or ".join(words)

    def _call(self, path: str, method: str, operation: Json) -> str:
        """Return the call as a command of curl, with the values of the examples."""
        lines = [f'curl "$BASE{self._fill_path(path, operation)}"']
        request_body = self._find_body(operation)
        # curl posts what it has --data of
        if method != "get" and (method != "post" or request_body is None):
            lines.append(f"--request {method.upper()}")
        lines += ['--header "X-API-Key: $KEY"'] if operation.get("security", True) else []
        if any(
            self._resolve_part(each)["name"] == "Idempotency-Key"
            for each in operation.get("parameters", ())
        ):
            lines.append('--header "Idempotency-Key: $(uuidgen)"')
        if request_body is not None:
            body = self._answer("", request_body).examples[0]
            lines += ['--header "Content-Type: application/json"', f"--data {shlex.quote(body)}"]
        return " \\\n  ".join(lines)

    def _fill_path(self, path: str, operation: Json) -> str:
        for parameter in map(self._resolve_part, operation.get("parameters", ())):
            if parameter["in"] == "path":
                path = path.replace(f"{{{parameter['name']}}}", str(parameter.get("example", "…")))
        return path


def _describe_limits(schema: Json) -> list[str]:
    """Return the limits of a value in words: "1 to 500 characters", "default true"."""
    words = [
        _describe_range(schema.get(low), schema.get(high)) + unit
        for low, high, unit in _LIMITS
        if schema.get(low) or high in schema
    ]
    words += [f"default {json.dumps(schema['default'])}"] if "default" in schema else []
    return words


def _describe_range(low: int | None, high: int | None) -> str:
    if high is None:
        return f"{low:,} or more"
    return f"{low:,} to {high:,}" if low else f"at most {high:,}"


def _choose_pattern(pattern: str) -> str:
    """Return a pattern that tells a reader something; none that only
    excludes control characters.
    """
    return pattern if len(pattern) < _LONG and "\\u00" not in pattern else ""


def _format_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
