"""Tools of agents take what the OpenAPI document says of an operation, and send it as it says."""

import pytest

from svc.base.errors import CommandError
from svc.cli.agents import server
from svc.cli.agents.operations import make_argument_schema
from svc.cli.agents.tool import ACCOUNT, ONCE, operation_tool
from svc.domain import scopes
from tests.support.tables import each_of

ACCOUNT_ID = "0190b6a5-7c1e-7d3a-9f7e-3c5b8a1d2e4f"
WEBHOOK_ID = "0190b6a5-7c1e-7d3a-9f7e-3c5b8a1d2e50"


class Recorder:
    """Keeps the calls of a client, and answers each with what was sent."""

    def __init__(self):
        self.calls = []

    def list_all(self, path):
        return iter([{"accountId": ACCOUNT_ID}])

    def __getattr__(self, method):
        def call(path, *sent, **query):
            self.calls.append((method, path, *sent, query))
            return {"path": path}

        return call


@each_of(
    "given, words, expected",
    [
        (
            {"type": ["string", "null"], "maxLength": 9, "description": "Of the API."},
            "Ours.",
            {"type": "string", "minLength": 1, "maxLength": 9, "description": "Ours."},
        ),
        (
            {"type": "string", "minLength": 0, "description": "Of the API."},
            "",
            {"type": "string", "minLength": 1, "description": "Of the API."},
        ),
        (
            {"type": ["string", "null"], "enum": ["a", None]},
            "Ours.",
            {"type": "string", "enum": ["a"], "minLength": 1, "description": "Ours."},
        ),
        (
            {"type": "integer", "maximum": 2**31},
            "Ours.",
            {"type": "integer", "description": "Ours."},
        ),
        (
            {"type": "array", "maxItems": 3, "items": {"type": "string"}},
            ("Ours.", "Each."),
            {
                "type": "array",
                "maxItems": 3,
                "items": {"type": "string", "minLength": 1, "description": "Each."},
                "description": "Ours.",
            },
        ),
        (
            {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            },
            ("Ours.", {"b": "Only this."}),
            {
                "type": "object",
                "properties": {"b": {"type": "integer", "description": "Only this."}},
                "additionalProperties": False,
                "description": "Ours.",
            },
        ),
    ],
)
def test_an_argument_is_as_the_api_takes_it(given, words, expected):
    assert make_argument_schema("topic", given, words) == expected


def test_a_text_that_an_empty_one_removes_may_be_empty():
    given = {"type": "string", "minLength": 0}
    assert make_argument_schema("heading", given, "Its heading.")["minLength"] == 0


def test_a_new_tool_needs_a_name_and_sentences():
    tool = operation_tool("pause_webhook", "Pause a webhook.", {"subscriptionId": "", **ONCE})
    assert (tool.name, tool.scope, tool.required) == (
        "pause_webhook",
        scopes.WEBHOOKS,
        ("subscriptionId",),
    )
    assert not tool.is_reading
    shown = server.describe_tool(tool).input_schema["properties"]
    assert shown["subscriptionId"]["description"] == "The webhook."
    api = Recorder()
    tool.call(api, {"subscriptionId": WEBHOOK_ID, "idempotencyKey": "k"})
    address = f"/v1/webhooks/{WEBHOOK_ID}/pause"
    assert api.calls == [("post", address, {}, {"Idempotency-Key": "k"}, {})]


def test_arguments_go_where_the_document_puts_them():
    api = Recorder()
    listing = operation_tool("list_productions", "List.", {**ACCOUNT, "words": "", "limit": ""})
    listing.call(api, {"words": "tides", "limit": 5})
    change = operation_tool("change_script", "Change.", {"productionId": "", "version": ""})
    change.call(api, {"productionId": WEBHOOK_ID, "version": 2})
    edit = operation_tool("change_webhook", "Change.", {"subscriptionId": "", "endpointUrl": ""})
    edit.call(api, {"subscriptionId": WEBHOOK_ID, "endpointUrl": "https://example.com"})
    removal = operation_tool("delete_webhook", "Delete.", {"subscriptionId": ""})
    removal.call(api, {"subscriptionId": WEBHOOK_ID})
    assert api.calls == [
        ("get", f"/v1/accounts/{ACCOUNT_ID}/productions", {"q": "tides", "limit": 5}),
        ("put", f"/v1/productions/{WEBHOOK_ID}/script", {"version": 2}, {}),
        ("patch", f"/v1/webhooks/{WEBHOOK_ID}", {"endpointUrl": "https://example.com"}, {}),
        ("delete", f"/v1/webhooks/{WEBHOOK_ID}", {}),
    ]


def test_what_is_no_identifier_is_refused_before_it_is_sent():
    api = Recorder()
    with pytest.raises(CommandError, match="'../keys' is no identifier"):
        operation_tool("get_webhook", "Show.", {"subscriptionId": ""}).call(
            api, {"subscriptionId": "../keys"}
        )
    assert api.calls == []


@each_of("operation, arguments", [("no_such", {}), ("get_webhook", {"topic": "What it is about."})])
def test_a_tool_of_what_the_document_has_not_is_an_error(operation, arguments):
    with pytest.raises(KeyError):
        operation_tool(operation, "None.", arguments)
