"""``python app.py mcp``: agents reach the API by tools, driven by the client of the
protocol's own SDK.
"""

import json
import os
import re
import socket
import subprocess
import sys
import time
from contextlib import asynccontextmanager, contextmanager

import anyio
import httpx2
import jsonschema
import pytest
import requests
from click.testing import CliRunner
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from support.tables import each_of

from svc.base import clock, settings
from svc.base.errors import CommandError
from svc.cli import agents
from svc.cli.agents import server, tools
from svc.cli.agents.mcp import mcp
from svc.cli.agents.tool import tidy_arguments
from svc.cli.demo.client import Client as ApiClient
from svc.cli.demo.demo_server import find_free_port
from svc.domain import scopes
from svc.domain.access import keys
from svc.store import database
from svc.store.database import db
from tests.support.documents import ROOT, read
from tests.support.own_server import served
from tests.support.patience import PATIENCE

COMMAND = [sys.executable, str(ROOT / "app.py"), "mcp"]
ALL = {each.name for each in tools.TOOLS}


def stdio(running, key: str | None = None) -> StdioServerParameters:
    environment = {"PATH": os.environ["PATH"], "KEY": key or running.key, "BASE": running.address}
    return StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=environment)


@contextmanager
def http_server(running, *options: str):
    """The command with ``--http``, and its address."""
    port = find_free_port(0)
    command = [*COMMAND, "--url", running.address, "--http", str(port), *options]
    environment = {name: value for name, value in os.environ.items() if name not in ("KEY", "BASE")}
    with subprocess.Popen(command, env=environment) as process:
        address = f"http://127.0.0.1:{port}/mcp"
        try:
            until = time.monotonic() + PATIENCE
            while not answers(address):
                assert process.poll() is None and time.monotonic() < until
                time.sleep(0.1)
            yield address
        finally:
            process.terminate()


def answers(address: str) -> bool:
    try:
        requests.post(address, json={}, timeout=30)
    except requests.ConnectionError:
        return False
    return True


@asynccontextmanager
async def over_http(address: str, **headers: str):
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http_client:
        async with Client(streamable_http_client(address, http_client=http_client)) as client:
            yield client


async def called(client: Client, tool: str, **arguments) -> dict:
    while True:
        answer = await client.call_tool(tool, arguments)
        later = re.search(r"(?:allows it|can be sent again) in (\d+) s", str(answer.content))
        if not (answer.is_error and later):
            break
        await anyio.sleep(int(later[1]))  # as it asks
    assert not answer.is_error, answer.content
    return answer.structured_content


async def refused(client: Client, tool: str, **arguments) -> str:
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    return answer.content[0].text


def key_with(running, *held: str) -> str:
    """A live key of the partner with these scopes alone."""
    database.open_database(settings.read({}, data_dir=running.server.log.parent).database)
    try:
        with db.transaction():
            return keys.create(
                running.seeded["partnerId"], "live", "Agent", clock.now(), scope_list=list(held)
            )[1]
    finally:
        db.close()


@pytest.mark.slow
def test_an_agent_makes_a_video_by_tools_alone(running):
    async def work():
        async with Client(stdio(running)) as client:
            offered = await client.list_tools()
            assert {each.name for each in offered.tools} == ALL
            assert "deliverables" in client.instructions
            [account] = (await called(client, "list_accounts"))["accounts"]
            assert "de" in (await called(client, "list_languages"))["languages"]
            notes = "## The moon pulls\n\nThe sea rises towards the moon."
            wanted = {
                "topic": "How tides work",
                "notes": notes,
                "externalId": "agent-1",
                "idempotencyKey": "agent-1",
            }
            estimated = await called(client, "estimate", topic="How tides work", notes=notes)
            assert estimated["isAccepted"] and estimated["estimatedDurationSeconds"] > 0
            triggered = await called(client, "trigger", **wanted)
            again = await called(client, "trigger", **wanted)
            assert triggered["productionId"] == again["productionId"]
            assert (triggered["accountId"], triggered["metadataMD"]) == (
                account["accountId"],
                notes,
            )
            told, status, production = [], "", {"productionId": triggered["productionId"]}
            while status not in ("Published", "Failed", "Cancelled"):
                last = told[-1] if told else 0
                found = await called(
                    client, "follow", **production, afterSequence=last, waitSeconds=20
                )
                told += [event["sequenceNumber"] for event in found["events"]]
                status = found["production"]["status"]
            assert (status, told) == ("Published", list(range(1, len(told) + 1)))
            files = (await called(client, "deliverables", **production))["deliverables"]
            assert {"Video", "ComplianceCertificate"} <= {each["type"] for each in files}
            assert (
                "rises towards the moon"
                in (await called(client, "transcript", **production))["transcript"]
            )
            listed = await called(
                client, "list_productions", status=["Published"], externalId="agent-1"
            )
            assert [each["productionId"] for each in listed["productions"]] == [
                production["productionId"]
            ]
            link = await called(client, "portal_link", expiresInMinutes=5)
            assert "Video, landscape" in requests.get(link["url"], timeout=30).text
            assert "ALREADY_TERMINAL" in await refused(client, "cancel", **production)

    anyio.run(work)


@pytest.mark.slow
def test_agents_over_http_have_the_tools_of_their_own_keys(running):
    reader = key_with(running, scopes.READ, scopes.ACCOUNTS)

    async def work(address):
        async with over_http(address, **{"X-API-Key": running.key}) as client:
            assert {each.name for each in (await client.list_tools()).tools} == ALL
            cancelled = await called(client, "trigger", topic="How tides work")
            production = {"productionId": cancelled["productionId"]}
            await called(client, "cancel", **production)
            waited = await called(client, "follow", **production, waitSeconds=5)
            assert waited["production"]["status"] in ("Cancelled", "Queued", "Producing")
            assert "no transcript yet" in await refused(client, "transcript", **production)
        async with over_http(address, Authorization=f"Bearer {reader}") as client:
            offered = {each.name for each in (await client.list_tools()).tools}
            reading = {
                "follow",
                "list_productions",
                "script",
                "list_templates",
                "batch",
                "translation",
                "portal_link",
            }
            reading |= {
                "list_accounts",
                "list_languages",
                "list_batches",
                "template",
                "preview_template",
            }
            assert offered == reading
            assert "PERMISSION_DENIED" in await refused(client, "trigger", topic="How tides work")
            # of a sandbox; this key is live
            assert "NOT_FOUND" in await refused(client, "follow", **production)

    def listed(address: str, **headers: str) -> requests.Response:
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        accepted = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-06-18",
        }
        return requests.post(address, json=asked, headers=accepted | headers, timeout=30)

    with http_server(running) as address:
        anyio.run(work, address)
        for headers, why in (
            ({}, "Send your API key"),
            ({"X-API-Key": "svc_test_wrong"}, "UNAUTHORIZED"),
            ({"Authorization": "Bearer svc_activate_" + "a" * 48}, "activation key"),
        ):
            answer = listed(address, **headers)
            assert answer.status_code == 401 and answer.headers["WWW-Authenticate"].startswith(
                "Bearer "
            )
            assert why in answer.json()["error"]["message"]
        for path in (address, f"{address}/"):
            answer = listed(path, **{"X-API-Key": running.key})
            assert (
                answer.status_code == 200
                and answer.url == path
                and len(answer.json()["result"]["tools"]) == len(ALL)
            )
        hostile = requests.post(
            address, json={}, headers={"Host": "evil.example", "X-API-Key": running.key}, timeout=30
        )
        assert hostile.status_code in (403, 421)
        page = {"Origin": "https://evil.example", "X-API-Key": running.key}
        assert requests.post(address, json={}, headers=page, timeout=30).status_code == 403


ALONE = """
import re, runpy, sys
from importlib import metadata
from pathlib import Path

lock = Path("requirements-agents.lock").read_text("utf-8")
named = set(re.findall(r"^([a-z0-9-]+)==", lock, re.MULTILINE))
owners = metadata.packages_distributions()


class Missing:
    def find_spec(self, name, path=None, target=None):
        whose = owners.get(name.partition(".")[0])
        if whose and not {each.lower().replace("_", "-") for each in whose} & named:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Missing())
sys.argv = ["app.py", "mcp", "--key", "svc_activate_x"]
runpy.run_path("app.py", run_name="__main__")
"""


@pytest.mark.slow
def test_the_command_needs_no_media_libraries():
    """As on a machine where requirements-agents.txt alone is installed: it starts,
    and refuses a key that is none.
    """
    run = subprocess.run(
        [sys.executable, "-c", ALONE],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert "This is an activation key." in run.stderr, run.stderr
    named = read("requirements-agents.lock")
    assert not re.search(
        r"^(av|numpy|pillow|onnxruntime|flask|espeakng-loader|typst)==", named, re.MULTILINE
    )


@pytest.mark.slow
def test_a_wrong_key_is_said_at_the_start(running):
    for key, why in {"svc_test_wrong": "UNAUTHORIZED", "svc_activate_x": "activation key"}.items():
        environment = os.environ | {"KEY": key, "BASE": running.address}
        run = subprocess.run(
            COMMAND,
            env=environment,
            input="",
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert (
            run.returncode
            and not run.stdout
            and run.stderr.startswith("error: ")
            and why in run.stderr
        )
    assert requests.get(
        f"{running.address}/v1/partners/verify", headers={"X-API-Key": running.key}, timeout=30
    ).ok


def test_without_a_key_the_command_says_what_it_needs():
    run = CliRunner().invoke(mcp, [], env={"KEY": ""})
    assert isinstance(run.exception, CommandError) and "Set the variable KEY" in str(run.exception)


def test_a_port_that_is_taken_is_said():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        run = CliRunner().invoke(mcp, ["--http", str(port)])
    assert isinstance(run.exception, CommandError)
    assert f"Nothing can listen at 127.0.0.1:{port}" in str(run.exception)


def test_without_the_package_the_command_says_what_to_install(monkeypatch):
    monkeypatch.delitem(sys.modules, "svc.cli.agents.server", raising=False)
    monkeypatch.delattr(agents, "server", raising=False)
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    run = CliRunner().invoke(mcp, ["--key", "svc_test_x"])
    assert (
        str(run.exception)
        == "This command needs the package mcp_types: pip install -r requirements-mcp.txt"
    )
    assert "mcp==" in read("requirements-mcp.txt")


@pytest.mark.parametrize(
    "tool, arguments, why",
    [
        ("trigger", {}, "'topic' is a required property"),
        ("trigger", {"topic": "Tides", "color": "red"}, "'color' was unexpected"),
        (
            "trigger_template",
            {"templateId": "t", "values": "x"},
            "values: 'x' is not of type 'array', 'object'",
        ),
        (
            "follow",
            {"productionId": "p", "waitSeconds": 3600},
            "waitSeconds: 3600 is greater than the maximum of 50",
        ),
        ("list_productions", {"status": ["Done"]}, "status[0]: 'Done' is not one of"),
    ],
)
def test_arguments_are_checked_by_the_schema(tool, arguments, why):
    with pytest.raises(CommandError) as raised:
        server._validate(arguments, tools.find_tool(tool))
    assert why in str(raised.value)


@pytest.mark.parametrize("production", ["", "..", "a/b", "01a207da"])
def test_an_identifier_that_is_none_reaches_no_path(production):
    api = ApiClient("http://127.0.0.1:9", "svc_test_x")
    for name in ("deliverables", "follow", "cancel", "transcript", "script"):
        with pytest.raises(CommandError, match="is no identifier"):
            tools.find_tool(name).call(api, {"productionId": production})


def test_a_tool_that_does_not_exist_is_said_with_those_that_do():
    with pytest.raises(CommandError, match="no tool 'render'; there are list_accounts"):
        tools.find_tool("render")


class Api:
    """An API whose answers are given by path."""

    def __init__(self, **answers):
        self.answers = {f"/v1/{name}": answer for name, answer in answers.items()}

    def get(self, path, **_):
        return self.answers[path]

    def list_all(self, path):
        return iter(self.answers[path])


def test_the_listing_of_all_tools_is_short_enough_to_be_read_by_a_model():
    shown = [
        server.describe_tool(each).model_dump(by_alias=True, exclude_none=True)
        for each in tools.TOOLS
    ]
    assert len(json.dumps(shown)) < 33_000


@each_of("tool", tools.TOOLS)
def test_hints_and_titles_agree_with_what_a_tool_does(tool):
    shown = server.describe_tool(tool)
    hints = shown.annotations
    assert shown.title == hints.title and shown.title[0].isupper()
    assert not (hints.read_only_hint and (hints.destructive_hint or hints.open_world_hint))
    assert hints.read_only_hint == (
        tool.scope in (None, scopes.READ, scopes.ACCOUNTS, scopes.DELIVERABLES, scopes.PERFORMANCE)
        and tool.name != "portal_link"
        or tool.name == "estimate"
    )
    assert hints.destructive_hint == bool(
        re.match(r"cancel|reject|reopen|change|delete", tool.name)
    )


def test_nulls_of_optional_arguments_and_whole_floats_are_taken():
    tool = tools.find_tool("change_script")
    scene = {"sceneId": 2.0, "heading": None, "points": ["a"], "narration": "It rises."}
    given = {"productionId": "p", "version": 3.0, "scenes": [scene]}
    arguments = tidy_arguments(given, tool.schema)
    assert arguments == {
        "productionId": "p",
        "version": 3,
        "scenes": [{"sceneId": 2, "points": ["a"], "narration": "It rises."}],
    }
    assert isinstance(arguments["version"], int)
    server._validate(arguments, tool)
    with pytest.raises(CommandError, match="version: 2.5 is not of type 'integer'"):
        server._validate(tidy_arguments({**given, "version": 2.5}, tool.schema), tool)
    with pytest.raises(CommandError, match="'topic' is a required property"):
        server._validate(
            tidy_arguments({"topic": None}, tools.find_tool("trigger").schema),
            tools.find_tool("trigger"),
        )


@pytest.mark.parametrize("prefix", ["acme ", "a" * 25, "ä", "a.b", "1st_"])
def test_a_prefix_that_names_of_tools_cannot_have_is_refused(prefix):
    run = CliRunner().invoke(mcp, ["--key", "svc_test_x", "--prefix", prefix])
    assert run.exit_code == 2 and "at most 24 letters, digits, - and _" in run.output


def test_two_servers_have_tools_of_different_names():
    own, other = (
        {server.describe_tool(each, prefix).name for each in tools.TOOLS}
        for prefix in ("acme_", "globex_")
    )
    assert (
        not own & other and "acme_trigger" in own and "acme_" in server._write_instructions("acme_")
    )


@pytest.fixture
def agent(app, partner):
    """Call tools as a server of the protocol does, at the API itself."""
    with served(app) as port:
        api = ApiClient(f"http://127.0.0.1:{port}", partner.key)

        def call(name: str, /, **arguments):
            tool = tools.find_tool(name)
            arguments = tidy_arguments(arguments, tool.schema)
            server._validate(arguments, tool)
            answer = tool.call(api, arguments)
            jsonschema.validate(answer, tool.output_schema)
            assert tool.returns.keys() <= answer.keys()
            return answer

        yield call


@pytest.mark.slow
def test_the_day_of_an_agency_goes_by_tools_alone(agent, partner):
    [account] = agent("list_accounts")["accounts"]
    assert agent("list_languages", search="german")["languages"] == {"de": "German"}
    variables = [{"name": "city"}, {"name": "price", "type": "number", "required": False}]
    made = agent(
        "create_template",
        name="Guide",
        topic="A day in {{city}}",
        notes="It costs {{price}} euros.",
        variables=variables,
        avatarId=account["avatars"][0]["avatarId"],
        look="news",
        theme="light",
        translation="people",
        review=None,
    )
    assert (made["brief"]["look"], made["brief"]["theme"], made["brief"]["translation"]) == (
        "news",
        "light",
        "people",
    )
    template = {"templateId": made["templateId"]}
    values = [{"name": "city", "value": "Lisbon"}, {"name": "price", "value": 12.5}]
    shown = agent("preview_template", **template, values=values, language="de")
    assert (
        shown["brief"]["metadataMD"] == "It costs 12\\.5 euros." and shown["estimate"]["isAccepted"]
    )
    assert [each["templateId"] for each in agent("list_templates")["templates"]] == [
        made["templateId"]
    ]
    wrong = "city,language,price\n" + "".join(f"Town {number},xx,much\n" for number in range(3))
    with pytest.raises(CommandError) as refusal:
        agent("trigger_table", **template, csv=wrong)
    assert all(f"row {number}" in str(refusal.value) for number in (1, 2, 3))
    batch = agent("trigger_table", **template, csv="city,language\nLisbon,en\nBonn,de\n")
    items = agent("batch", batchId=batch["batchId"])["items"]
    assert [each["status"] for each in items] == ["Queued", "Queued"] and "refusal" not in items[0]
    agent("trigger_template", **template, values={"city": "Faro", "price": 9}, externalId="order-1")
    [found] = agent("list_productions", externalId="order-1")["productions"]
    assert found["title"] == "A day in Faro" and "metadataMD" not in found
    assert agent("usage", months=1.0)["ceilings"][0]["concurrentProductions"]["used"] == 3
    agent("cancel_batch", batchId=batch["batchId"])
    assert agent("estimate", topic="Tides", language="de", country="at", look="scenes", theme=None)[
        "isAccepted"
    ]
    with pytest.raises(CommandError, match="no language 'xx'; list_languages"):
        agent("trigger", topic="Tides", language="xx")


def test_a_list_of_a_hundred_is_short_enough_for_a_model(agent, partner):
    notes = "The sea rises towards the moon. " * 100
    items = [
        {**partner.brief(), "metadataMD": notes, "externalId": f"order-{number}"}
        for number in range(100)
    ]
    partner.post(f"/v1/accounts/{partner.account}/batches", json={"items": items})
    answer = json.dumps(agent("list_productions", limit=100), separators=(",", ":"))
    assert answer.count("productionId") == 100 and len(answer) < 30_000


@pytest.mark.parametrize(
    "held, offered",
    [
        (None, ALL),
        ([], {"list_languages"}),
        ([scopes.CANCEL], {"list_languages", "cancel", "cancel_batch"}),
    ],
)
def test_the_tools_are_those_of_the_scopes(held, offered):
    assert {
        each.name for each in tools.list_permitted(Api(**{"partners/verify": {"scopes": held}}))
    } == offered


def test_an_account_must_be_named_where_there_are_several():
    with pytest.raises(CommandError, match="accountId is needed: the key reaches 2 accounts"):
        tools.find_tool("trigger").call(
            Api(accounts=[{"accountId": "1"}, {"accountId": "2"}]), {"topic": "Tides"}
        )


def test_the_documents_name_every_tool():
    page = read("docs/api.md").partition("## For agents")[2].partition("\n## ")[0]
    assert [name for name in ALL if f"`{name}`" not in page] == []
