"""``python app.py mcp``: agents reach the API by tools, driven by the client of the protocol's own SDK."""

import os
import subprocess
import sys
import time
from contextlib import asynccontextmanager, contextmanager

import anyio
import httpx2
import pytest
import requests
from click.testing import CliRunner
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from svc.base import clock, settings
from svc.base.errors import CommandError
from svc.base.processes import entry_points
from svc.cli.agents import server, tools
from svc.cli.agents.mcp import mcp
from svc.cli.demo.client import Client as ApiClient
from svc.cli.demo.demo_server import free_port
from svc.domain.access import keys, scopes
from svc.store import database
from tests.support.documents import ROOT, read

PATIENCE = 240  # seconds
COMMAND = [sys.executable, str(ROOT / "app.py"), "mcp"]
ALL = {each.name for each in tools.TOOLS}


def stdio(running, key: str | None = None) -> StdioServerParameters:
    environment = {"PATH": os.environ["PATH"], "KEY": key or running.key, "BASE": running.address}
    return StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=environment)


@contextmanager
def http_server(running, *options: str):
    """The command with ``--http``, and its address."""
    port = free_port(0)
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
    answer = await client.call_tool(tool, arguments)
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
        with database.write():
            return keys.create(running.seeded["partnerId"], "live", "Agent", clock.now(), scope_list=list(held))[1]
    finally:
        database.close_database()


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
            wanted = {"topic": "How tides work", "notes": notes, "externalId": "agent-1", "idempotencyKey": "agent-1"}
            estimated = await called(client, "estimate", topic="How tides work", notes=notes)
            assert estimated["isAccepted"] and estimated["estimatedDurationSeconds"] > 0
            triggered = await called(client, "trigger", **wanted)
            again = await called(client, "trigger", **wanted)
            assert triggered["productionId"] == again["productionId"]
            assert (triggered["accountId"], triggered["metadataMD"]) == (account["accountId"], notes)
            told, status, production = [], "", {"productionId": triggered["productionId"]}
            while status not in ("Published", "Failed", "Cancelled"):
                last = told[-1] if told else 0
                found = await called(client, "follow", **production, afterSequence=last, waitSeconds=20)
                told += [event["sequenceNumber"] for event in found["events"]]
                status = found["production"]["status"]
            assert (status, told) == ("Published", list(range(1, len(told) + 1)))
            files = (await called(client, "deliverables", **production))["deliverables"]
            assert {"Video", "ComplianceCertificate"} <= {each["type"] for each in files}
            assert "rises towards the moon" in (await called(client, "transcript", **production))["transcript"]
            listed = await called(client, "list_productions", status=["Published"], externalId="agent-1")
            assert [each["productionId"] for each in listed["productions"]] == [production["productionId"]]
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
            reading = {"follow", "list_productions", "script", "list_templates", "batch", "translation", "portal_link"}
            assert offered == {"list_accounts", "list_languages", *reading}
            assert "PERMISSION_DENIED" in await refused(client, "trigger", topic="How tides work")
            assert "NOT_FOUND" in await refused(client, "follow", **production)  # of a sandbox; this key is live
        for headers in ({}, {"X-API-Key": "svc_test_wrong"}, {"X-API-Key": "svc_activate_" + "a" * 48}):
            with pytest.raises(BaseException) as raised:  # noqa: PT011
                async with over_http(address, **headers) as client:
                    await client.list_tools()
            assert any(word in told(raised.value) for word in ("Send your API key", "UNAUTHORIZED", "activation key"))

    with http_server(running) as address:
        anyio.run(work, address)
        hostile = requests.post(address, json={}, headers={"Host": "evil.example", "X-API-Key": running.key}, timeout=30)
        assert hostile.status_code in (403, 421)
        page = {"Origin": "https://evil.example", "X-API-Key": running.key}
        assert requests.post(address, json={}, headers=page, timeout=30).status_code == 403


def told(error: BaseException) -> str:
    """What an error says, and those that it is a group of."""
    return str(error) + "".join(told(each) for each in getattr(error, "exceptions", ()))


@pytest.mark.slow
def test_a_wrong_key_is_said_at_the_start(running):
    for key, why in {"svc_test_wrong": "UNAUTHORIZED", "svc_activate_x": "activation key"}.items():
        environment = os.environ | {"KEY": key, "BASE": running.address}
        run = subprocess.run(COMMAND, env=environment, input="", capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert run.returncode and not run.stdout and run.stderr.startswith("error: ") and why in run.stderr
    assert requests.get(f"{running.address}/v1/partners/verify", headers={"X-API-Key": running.key}, timeout=30).ok


def test_without_a_key_the_command_says_what_it_needs():
    run = CliRunner().invoke(mcp, [], env={"KEY": ""})
    assert isinstance(run.exception, CommandError) and "Set the variable KEY" in str(run.exception)


def test_without_the_package_the_command_says_what_to_install(monkeypatch):
    def missing(part):
        raise ModuleNotFoundError("No module named 'mcp'", name="mcp")

    monkeypatch.setattr(entry_points, "load", missing)
    run = CliRunner().invoke(mcp, ["--key", "svc_test_x"])
    assert str(run.exception) == "This command needs the package mcp: pip install -r requirements-mcp.txt"
    assert "mcp==" in read("requirements-mcp.txt")


@pytest.mark.parametrize(
    "tool, arguments, why",
    [
        ("trigger", {}, "'topic' is a required property"),
        ("trigger", {"topic": "Tides", "color": "red"}, "'color' was unexpected"),
        ("follow", {"productionId": "p", "waitSeconds": 3600}, "waitSeconds: 3600 is greater than the maximum of 50"),
        ("list_productions", {"status": ["Done"]}, "status[0]: 'Done' is not one of"),
    ],
)
def test_arguments_are_checked_by_the_schema(tool, arguments, why):
    with pytest.raises(CommandError) as raised:
        server._validate(arguments, tools.named(tool))
    assert why in str(raised.value)


@pytest.mark.parametrize("production", ["", "..", "a/b", "01a207da"])
def test_an_identifier_that_is_none_reaches_no_path(production):
    api = ApiClient("http://127.0.0.1:9", "svc_test_x")
    for name in ("deliverables", "follow", "cancel", "transcript", "script"):
        with pytest.raises(CommandError, match="is no identifier"):
            tools.named(name).call(api, {"productionId": production})


def test_a_tool_that_does_not_exist_is_said_with_those_that_do():
    with pytest.raises(CommandError, match="no tool 'render'; there are list_accounts"):
        tools.named("render")


class Api:
    """An API whose answers are given by path."""

    def __init__(self, **answers):
        self.answers = {f"/v1/{name}": answer for name, answer in answers.items()}

    def get(self, path, **_):
        return self.answers[path]

    def every(self, path):
        return iter(self.answers[path])


@pytest.mark.parametrize(
    "held, offered",
    [(None, ALL), ([], {"list_languages"}), ([scopes.CANCEL], {"list_languages", "cancel", "cancel_batch"})],
)
def test_the_tools_are_those_of_the_scopes(held, offered):
    assert {each.name for each in tools.permitted(Api(**{"partners/verify": {"scopes": held}}))} == offered


def test_an_account_must_be_named_where_there_are_several():
    with pytest.raises(CommandError, match="accountId is needed: the key reaches 2 accounts"):
        tools.named("trigger").call(Api(accounts=[{"accountId": "1"}, {"accountId": "2"}]), {"topic": "Tides"})


def test_the_documents_name_every_tool():
    page = read("docs/api.md").partition("## For agents")[2].partition("\n## ")[0]
    assert [name for name in ALL if f"`{name}`" not in page] == []
