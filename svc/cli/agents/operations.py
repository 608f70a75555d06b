"""Describes the arguments of the API's operations to agents' tools, from the OpenAPI document."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Schema = dict[str, Any]
# What a tool says of an argument: a sentence, and for what has parts what it says of these: of each
# entry of a list, or of the fields that it has. An empty sentence: that of the API.
Words = str | tuple[str, "str | Mapping[str, Words]"]

# Written by sdk/generate.py, and a file: the document is made by the web framework, which is not
# installed where agents run.
_OPERATIONS: dict[str, Any] = json.loads(
    Path(__file__).with_name("operations.json").read_text("utf-8")
)
_LARGE = 2**20  # a bound from here on is not worth a word to a model: the API says what is too much
# Texts that an empty one removes. In others it is none, as strict function calling wants a value
# for each argument.
_REMOVABLE = ("heading", "narration", "keyPhrase", "picture", "default")


@dataclass(frozen=True)
class Operation:
    """An operation of the API. ``scope``: what the key needs; None: nothing.

    ``places``: path, query, header or body, by argument.
    """

    method: str
    path: str
    scope: str | None
    places: dict[str, str]
    required: tuple[str, ...]
    schemas: dict[str, Schema]

    def list_arguments_in(self, place: str) -> list[str]:
        """Return the names of the arguments that stand in ``place``."""
        return [
            name for name, place_of_argument in self.places.items() if place_of_argument == place
        ]


def find_operation(operation_id: str) -> Operation:
    """Return an operation of the document. KeyError: there is none."""
    operation = _OPERATIONS[operation_id]
    arguments = operation["arguments"].items()
    return Operation(
        operation["method"],
        operation["path"],
        operation["scope"],
        {name: argument["in"] for name, argument in arguments},
        tuple(name for name, argument in arguments if argument["required"]),
        {name: argument["schema"] for name, argument in arguments},
    )


def make_argument_schema(name: str, schema: Schema, words: Words) -> Schema:
    """Return the schema of an argument: as the API takes it, but for null, in these words.

    ``name``: of the field. KeyError: ``words`` name a field that there is not.
    """
    sentence, parts = words if isinstance(words, tuple) else (words, "")
    types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    argument = dict(schema) | {"type": next(type_ for type_ in types if type_ != "null")}
    if sentence:
        argument["description"] = sentence
    if "enum" in schema:
        argument["enum"] = [each for each in schema["enum"] if each is not None]
    if argument["type"] == "string" and name not in _REMOVABLE:
        argument["minLength"] = max(1, schema.get("minLength", 1))
    for keyword in ("maximum", "maxLength"):
        if schema.get(keyword, 0) >= _LARGE:
            del argument[keyword]
    if "items" in schema:
        of_item = parts if isinstance(parts, str) else ("", parts)
        argument["items"] = make_argument_schema("", schema["items"], of_item)
    if "properties" in schema:
        fields = dict.fromkeys(schema["properties"], "") if isinstance(parts, str) else parts
        argument["properties"] = {
            own: make_argument_schema(own, schema["properties"][own], each)
            for own, each in fields.items()
        }
        argument["additionalProperties"] = False
    return argument
