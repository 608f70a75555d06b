"""Every tool that is listed for agents is one that each vendor's function calling takes."""

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass

import jsonschema
import pytest
from support.sampling import sampled

from svc.cli.agents import server, tools
from svc.cli.agents.tool import tidy_arguments

PREFIX = "prefix-of-24-letters-xxx_"  # the longest
BASIC = frozenset({"type", "description", "enum", "properties", "required", "items"})
BOUNDS = frozenset({"minimum", "maximum", "minItems", "maxItems"})


@dataclass(frozen=True)
class Vendor:
    """What a vendor's function calling takes, as it documents it.

    ``keywords``: of schemas; None: all of JSON Schema. ``is_strict``: whether every object must
    name all of its properties as required and refuse others, as the vendor's libraries make them.
    ``depth``: objects within each other. ``most``: tools in one request.
    """

    names: str = r"[a-zA-Z0-9_-]{1,64}"
    arguments: str = r".{1,64}"
    keywords: frozenset[str] | None = None
    is_strict: bool = False
    needs_properties: bool = False
    description: int = 1024
    depth: int = 10
    most: int = 128


VENDORS = {
    "OpenAI": Vendor(),
    "OpenAI, strict": Vendor(
        keywords=BASIC | BOUNDS | {"additionalProperties", "anyOf", "const", "format", "pattern"},
        is_strict=True,
        depth=5,
    ),
    "Anthropic": Vendor(arguments=r"[a-zA-Z0-9_.-]{1,64}"),
    "Anthropic, strict": Vendor(
        arguments=r"[a-zA-Z0-9_.-]{1,64}",
        keywords=BASIC | {"additionalProperties", "anyOf", "const", "default", "format", "pattern"},
        is_strict=True,
    ),
    "Gemini": Vendor(
        names=r"[a-zA-Z_][a-zA-Z0-9_-]{0,62}",
        arguments=r"[a-zA-Z_][a-zA-Z0-9_]{0,63}",
        keywords=BASIC | BOUNDS | {"nullable"},
        needs_properties=True,
    ),
    "Bedrock": Vendor(),
    "Bedrock, agents": Vendor(names=r"[a-zA-Z][a-zA-Z0-9_]{0,63}"),
    "Mistral": Vendor(),
}
DASHLESS = "Bedrock, agents"  # whose users choose a prefix without a dash


def within(schema: dict, way: str = "", depth: int = 1) -> Iterator[tuple[str, dict, int]]:
    """Each schema within a schema, with the way to it and the number of objects around it."""
    yield way, schema, depth
    for name, each in schema.get("properties", {}).items():
        yield from within(each, f"{way}.{name}", depth + (each["type"] == "object"))
    if "items" in schema:
        each = schema["items"]
        yield from within(each, f"{way}[]", depth + (each["type"] == "object"))


def strict(schema: dict) -> dict:
    """A schema as the libraries of vendors make it for strict function calling."""
    made = copy.deepcopy(schema)
    for _, each, _ in within(made):
        if each["type"] == "object":
            each |= {"additionalProperties": False, "required": list(each["properties"])}
    return made


@pytest.mark.parametrize("name", sampled(VENDORS, 2))
def test_every_tool_is_one_that_a_vendor_takes(name):
    """The restrictions are those that vendors document, or by which their services refuse.

    - OpenAI: platform.openai.com/docs/guides/function-calling and …/guides/structured-outputs,
      "Supported schemas"; strict functions refuse lengths of texts
      (github.com/openai/openai-node/pull/1988), and older models depths over 5.
    - Anthropic: platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools and
      …/build-with-claude/structured-outputs, "JSON Schema limitations": no lengths and bounds.
    - Gemini: ai.google.dev/api/caching, FunctionDeclaration and Schema, a subset of OpenAPI 3.0,
      where earlier versions take names of at most 63 letters; an object needs properties
      (github.com/CherryHQ/cherry-studio/issues/3270), and enum takes texts.
    - Bedrock: docs.aws.amazon.com/bedrock/latest/APIReference, API_runtime_ToolSpecification; its
      agents: API_agent_ToolSpecification.
    - Mistral: docs.mistral.ai/capabilities/function_calling, which takes what OpenAI's takes.
    """
    vendor = VENDORS[name]
    prefix = PREFIX.replace("-", "_") if name == DASHLESS else PREFIX
    assert len(tools.TOOLS) <= vendor.most
    for tool in tools.TOOLS:
        shown = server.describe_tool(tool, prefix)
        schema = strict(shown.input_schema) if vendor.is_strict else shown.input_schema
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator.check_schema(shown.output_schema)
        assert re.fullmatch(vendor.names, shown.name)
        assert 0 < len(shown.description) <= vendor.description, shown.name
        assert schema["type"] == "object"
        for way, each, depth in within(schema):
            told = shown.name + way
            assert vendor.keywords is None or each.keys() <= vendor.keywords, told
            assert isinstance(each["type"], str) and depth <= vendor.depth, told
            if each["type"] == "object":
                assert each["properties"] or not vendor.needs_properties, told
                assert set(each.get("required", ())) <= each["properties"].keys(), told
            else:
                assert not {"properties", "required", "additionalProperties"} & each.keys(), told
            assert (each["type"] == "array") == ("items" in each), told
            named = each.get("properties", ())
            assert all(re.fullmatch(vendor.arguments, argument) for argument in named), told
            assert all(isinstance(choice, str) and choice for choice in each.get("enum", ())), told


def example(schema: dict) -> object:
    """Return a value that a schema takes; of an object what it requires."""
    if "enum" in schema:
        return schema["enum"][0]
    kinds = schema["type"]
    kind = kinds if isinstance(kinds, str) else kinds[0]
    if kind == "object":
        return {name: example(schema["properties"][name]) for name in schema.get("required", ())}
    if kind == "array":
        return [example(schema["items"])]
    return {"string": "x", "integer": schema.get("minimum", 1), "number": 1, "boolean": True}[kind]


@pytest.mark.parametrize("nothing", [None, ""])
@pytest.mark.parametrize("tool", tools.TOOLS, ids=lambda each: each.name)
def test_a_strict_call_says_null_or_an_empty_text_for_what_is_left_out(tool, nothing):
    """Strict function calling wants a value for every argument."""
    given = example(tool.schema)
    optional = {
        name: nothing
        for name, each in tool.properties.items()
        if name not in tool.required and (nothing is None or each["type"] == "string")
    }
    arguments = tidy_arguments({**optional, **given}, tool.schema)
    assert arguments == given
    server._validate(arguments, tool)


def test_an_empty_text_that_says_something_is_kept():
    tool = tools.find_tool("change_script")
    scene = {"sceneId": 1, "heading": "", "narration": "It rises.", "picture": ""}
    given = {"productionId": "p", "version": 1, "scenes": [scene]}
    assert tidy_arguments(given, tool.schema) == given
    server._validate(given, tool)


def test_bounds_are_said_in_words_and_checked_when_a_tool_is_called():
    shown = server.describe_tool(tools.find_tool("follow")).input_schema["properties"]
    assert shown["waitSeconds"]["description"] == "Default 0. 0 to 50."
    assert shown["afterSequence"]["description"].endswith("At least 0.")
    shown = server.describe_tool(tools.find_tool("trigger")).input_schema["properties"]
    assert shown["topic"]["description"] == "What the video is about. At most 500 characters."
    assert shown["languages"]["description"].endswith("At most 50 entries.")
