"""The OpenAPI document: valid, complete, and true to the code."""

import json
import re
from dataclasses import replace

import pytest

from svc.api.document import errors, guide
from svc.domain import tiers
from svc.domain.webhooks import event_types
from tests.support.documents import read, require_names

OPERATIONS = ("get", "post", "put", "patch", "delete")
NAME = re.compile(r"[a-z]+(_[a-z]+)+|download|redeliver")


@pytest.fixture
def document(app):
    # without the envelope of errors, so that a failure says what broke the document
    return json.loads(app.extensions["document"]())


@pytest.fixture
def operations(document):
    """Every operation with its path and method, those of webhooks too."""
    paths = [*document["paths"].items(), *document["webhooks"].items()]
    return [
        (path, method, item[method])
        for path, item in paths
        for method in OPERATIONS
        if method in item
    ]


def at(document: dict, part: dict) -> dict:
    """What a reference refers to."""
    while "$ref" in part:
        found = document
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name.replace("~1", "/")]
        part = found
    return part


@pytest.mark.contract
def test_the_document_is_valid(document):
    validator = pytest.importorskip("openapi_spec_validator")
    assert document["openapi"] == "3.1.0"
    validator.validate(document)


def camel(text: str) -> str:
    return re.sub(r"_(\w)", lambda found: found[1].upper(), text)


def test_every_route_is_documented(app, document):
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith(("/v1/", "/files/")):
            path = re.sub(r"<(?:\w+:)?(\w+)>", lambda found: "{" + camel(found[1]) + "}", rule.rule)
            assert {each.lower() for each in rule.methods - {"HEAD", "OPTIONS"}} <= set(
                document["paths"][path]
            )


def test_every_operation_reads_as_documentation(operations):
    names = [operation["operationId"] for _, _, operation in operations]
    assert len(names) == len(set(names))
    for path, method, operation in operations:
        where = f"{method} {path}"
        assert NAME.fullmatch(operation["operationId"]), where
        assert operation["summary"] and operation["description"] and len(operation["tags"]) == 1, (
            where
        )


def test_every_tag_is_described(document, operations):
    described = {each["name"] for each in document["tags"] if each["description"]}
    assert {operation["tags"][0] for _, _, operation in operations} == described


def test_every_answer_has_a_description_its_headers_and_examples(document, operations):
    for path, method, operation in operations:
        for status, response in operation["responses"].items():
            where, response = f"{method} {path} {status}", at(document, response)
            assert response["description"], where
            if path.startswith("/"):
                assert {"X-Correlation-Id", "X-API-Version"} <= response["headers"].keys(), where
                has_rates = (status < "400" or status == "429") and not path.startswith("/files/")
                assert ("X-RateLimit-Remaining" in response["headers"]) == has_rates, where
                assert ("Retry-After" in response["headers"]) == (status in ("429", "503")), where
            for kind, content in response.get("content", {}).items():
                assert kind != "application/json" or content["examples"], where


@pytest.mark.contract
def test_every_example_is_what_its_schema_says(document, operations):
    jsonschema = pytest.importorskip("jsonschema")
    checked = 0
    for _, _, operation in operations:
        for part in [*operation["responses"].values(), operation.get("requestBody", {})]:
            for content in at(document, part).get("content", {}).values():
                for example in content.get("examples", {}).values():
                    schema = {
                        "$ref": content["schema"]["$ref"],
                        "components": document["components"],
                    }
                    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
                    jsonschema.validate(
                        at(document, example)["value"],
                        schema,
                        jsonschema.Draft202012Validator,
                        format_checker=checker,
                    )
                    checked += 1
    assert checked > 200


def test_every_field_is_described(document):
    for name, schema in document["components"]["schemas"].items():
        for field, its in schema.get("properties", {}).items():
            assert "$ref" in its or its.get("description") or name.endswith("Event"), (
                f"{name}.{field}"
            )


REQUESTS = {
    "Approval", "BatchOrder", "NewPortalLink", "NewTemplate", "NewTranslation", "PreviewValues",
    "SceneChange", "SceneChoice", "ScriptChange", "TableOrder", "TemplateBrief",
    "TranslatedSegment", "Values", "Variable", "Brief", "LexiconEntry", "NewLexicon", "Rejection",
    "Registration", "Roll", "SampleEvent", "WebhookChange", "Window", "Nothing",
}  # fmt: skip


def test_answers_name_every_field_as_always_there_and_requests_take_no_others(document):
    schemas = document["components"]["schemas"]
    assert {
        name for name, schema in schemas.items() if "additionalProperties" in schema
    } == REQUESTS
    for name, schema in schemas.items():
        if name not in REQUESTS:
            missing = set(schema["properties"]) - set(schema["required"])
            assert missing == ({"fields"} if name == "Error" else set()), name


def test_every_path_identifier_is_a_described_uuid(document, operations):
    for path, _, operation in operations:
        found = {
            each["name"]: each
            for each in (at(document, part) for part in operation.get("parameters", ()))
            if each["in"] == "path"
        }
        assert set(found) == set(re.findall(r"{(\w+)}", path))
        for each in found.values():
            assert each["required"] and each["description"] and each["schema"]["format"] == "uuid"


def test_operations_need_the_key_except_downloads(document, operations):
    assert document["security"] == [{"apiKey": []}]
    assert document["components"]["securitySchemes"]["apiKey"]["name"] == "X-API-Key"
    for path, _, operation in operations:
        assert operation.get("security") == (None if path.startswith("/v1/") else [])


def test_every_documented_error_code_is_in_the_document_with_an_example(document, operations):
    codes = errors.list_codes()
    shown = {
        name
        for _, _, operation in operations
        for part in operation["responses"].values()
        for content in at(document, part).get("content", {}).values()
        for name in content.get("examples", {})
    }
    # no documented operation answers METHOD_NOT_ALLOWED; the guide has it
    require_names(
        "@document_answers of the operations that answer with an error",
        shown & codes.keys(),
        codes.keys() - {"METHOD_NOT_ALLOWED"},
    )
    for code, kind in codes.items():
        assert f"| {kind.status} | `{code}` |" in document["info"]["description"]


@pytest.mark.parametrize("name", ["docs/specification.md", "docs/decisions.md"])
def test_every_error_that_a_document_gives_with_its_status_has_that_status(name):
    agreed = re.findall(r"\b(\d{3}) `([A-Z][A-Z_0-9]+)`", read(name))
    codes = errors.list_codes()
    assert len(agreed) > 10
    assert [
        (code, status)
        for status, code in agreed
        if code not in codes or codes[code].status != int(status)
    ] == []


def test_every_error_is_documented_under_its_own_status(document, operations):
    codes = errors.list_codes()
    for path, method, operation in operations:
        for status, part in operation["responses"].items():
            if status.isdigit() and int(status) >= 400:
                named = at(document, part)["content"]["application/json"]["examples"]
                assert named and {codes[name].status for name in named} == {int(status)}, (
                    f"{method} {path}"
                )


def test_the_event_types_are_described_with_their_signatures(document):
    assert tuple(document["webhooks"]) == event_types.NAMES
    for name, item in document["webhooks"].items():
        headers = {each["name"]: each["required"] for each in item["post"]["parameters"]}
        assert {header for header, required in headers.items() if required} == {
            "X-SERVICE-Signature",
            "webhook-id",
            "webhook-timestamp",
            "webhook-signature",
        }
        assert [header for header, required in headers.items() if not required] == [
            "X-SERVICE-Signature-Previous"
        ]
        schema = at(document, item["post"]["requestBody"]["content"]["application/json"]["schema"])
        sent_as = event_types.PING_EVENT if name == "webhook.ping" else name
        assert schema["properties"]["eventType"]["const"] == sent_as
        assert len(schema["required"]) == 9


@pytest.mark.contract
def test_the_sample_of_each_event_type_is_valid_by_its_schema(document):
    jsonschema = pytest.importorskip("jsonschema")
    assert set(event_types.SAMPLES) == {
        *event_types.SPECIFIED_OF_PRODUCTIONS,
        *event_types.FURTHER,
        event_types.PING_EVENT,
    }
    for name, item in document["webhooks"].items():
        schema = at(document, item["post"]["requestBody"]["content"]["application/json"]["schema"])
        data = event_types.SAMPLES[event_types.PING_EVENT if name == "webhook.ping" else name]
        jsonschema.validate(
            data, {**schema["properties"]["data"], "components": document["components"]}
        )


def test_links_lead_to_operations_that_exist(operations):
    named = {operation["operationId"] for _, _, operation in operations}
    followed = [
        link["operationId"]
        for _, _, operation in operations
        for part in operation["responses"].values()
        for link in part.get("links", {}).values()
    ]
    assert len(followed) > 15 and set(followed) <= named


def test_the_code_samples_are_there_in_three_languages(operations):
    samples = {
        operation["operationId"]: [each["label"] for each in operation.get("x-codeSamples", ())]
        for _, _, operation in operations
    }
    assert {name for name, labels in samples.items() if labels} == {
        "trigger_production",
        "create_webhook",
    }
    assert samples["trigger_production"] == ["curl", "Python", "Node.js"]


def test_the_document_needs_no_key_and_is_cheap_to_ask_for_again(app):
    client = app.test_client()
    first = client.get("/openapi.json")
    assert first.status_code == 200 and first.headers["X-Correlation-Id"]
    assert (
        client.get("/openapi.json", headers={"If-None-Match": first.headers["ETag"]}).status_code
        == 304
    )


def test_no_view_is_wrapped_for_the_documentation(app):
    depth, view = 0, app.view_functions["productions.get_production"]
    while hasattr(view, "__wrapped__"):
        depth, view = depth + 1, view.__wrapped__
    assert depth == 1  # the guard


def test_a_new_limit_of_the_tiers_is_in_the_guide(monkeypatch):
    [first, *_] = tiers.SHOWN.values()
    wide = (replace(first[0], name="filmsPerWeek"), True)
    monkeypatch.setattr(tiers, "SHOWN", {**tiers.SHOWN, "films_per_week": wide})
    monkeypatch.setattr(
        tiers, "TIERS", {name: (*limits, 1234) for name, limits in tiers.TIERS.items()}
    )
    text = guide.write_guide()
    assert "| Daily productions per account | Films per week |" in text
    assert "| Free | 10 | 100 | 3 | 1,234 |" in text
