"""The document of before templates, batches and scripts: what was generated from it still works,
as everything was added.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

EARLIER = Path(__file__).with_name("openapi-before.json")  # without descriptions and examples
METHODS = ("get", "post", "put", "patch", "delete")


@pytest.fixture
def document(app) -> dict:
    # without the envelope of errors, so that a failure says what broke the document
    return json.loads(app.extensions["document"]())


@pytest.fixture(scope="module")
def earlier() -> dict:
    return json.loads(EARLIER.read_text("utf-8"))


def operations(document: dict) -> Iterator[tuple[str, dict]]:
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                yield f"{method.upper()} {path}", methods[method]


def test_every_operation_is_there_with_its_name_and_its_answers(earlier, document):
    now = dict(operations(document))
    for name, operation in operations(earlier):
        assert now[name]["operationId"] == operation["operationId"]
        successes = {status for status in operation["responses"] if status.startswith("2")}
        assert successes <= set(now[name]["responses"]), name


def test_no_request_needs_more_than_before(earlier, document):
    now = dict(operations(document))
    for name, operation in operations(earlier):
        known = {
            (each.get("name"), each.get("in"))
            for each in map(resolved(earlier), operation.get("parameters", ()))
        }
        for each in map(resolved(document), now[name].get("parameters", ())):
            assert not each.get("required") or (each["name"], each["in"]) in known, (
                name,
                each["name"],
            )
    for name, schema in earlier["components"]["schemas"].items():
        if "additionalProperties" in schema:  # of a request
            new = document["components"]["schemas"][name]
            assert set(new.get("required", ())) <= set(schema.get("required", ())), name
            assert set(schema["properties"]) <= set(new["properties"]), name


def test_every_answer_has_the_fields_that_it_had_with_their_types(earlier, document):
    schemas = document["components"]["schemas"]
    for name, schema in earlier["components"]["schemas"].items():
        for field, its in schema.get("properties", {}).items():
            new = schemas[name]["properties"][field]
            if "type" in its and "additionalProperties" not in schema:
                assert new.get("type") == its["type"], (name, field)
        assert (
            set(schema.get("required", ())) <= set(schemas[name].get("required", ()))
            or "additionalProperties" in schema
        )


def resolved(document: dict):
    def find(part: dict) -> dict:
        if "$ref" not in part:
            return part
        found = document
        for step in part["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        return found

    return find
