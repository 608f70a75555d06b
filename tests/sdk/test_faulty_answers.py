"""A server that answers wrongly on purpose makes both clients raise only their own errors."""

import asyncio
import inspect
import json
import os
import subprocess

import httpx
import pytest
from partner_production import AsyncClient, Client, InvalidResponse, PartnerProductionError, Retries

from tests.sdk.test_typescript_sdk import SOURCE
from tests.support.faulty_server import FAULTS, OBJECTS, SLOW, FaultyServer
from tests.support.patience import PATIENCE

QUICK = Retries(after_no_answer=(0,), after_server_error=(0,), when_told_to_wait=1, longest_wait=0)
BRIEF = {"topic": "Tides", "languageId": "l", "countryId": "c", "avatarId": "a"}
SOON = 0.05  # seconds without a byte, where none will come
STATUSES = [f"status-{status}" for status in (*range(100, 104), *range(200, 600), 600, 799, 999)]
# calls that meet every status: each has rules of its own
ENOUGH = ("object", "trigger", "secret", "deletion", "file")
LIKELY = ("html-200", "cut-json", "wrong-gzip", "cut-body", "list", "refusal-of-numbers", "reset")


def calls(client, address, folder):
    """What is asked of a faulty server: something of every kind."""
    entry = {
        "deliverableId": "d1",
        "type": "Video",
        "platform": None,
        "format": "mp4",
        "sha256": "x",
        "sizeBytes": 9,
    }
    return {
        "object": lambda: client.partner.verify(),
        "trigger": lambda: client.productions.trigger("a1", BRIEF),
        "secret": lambda: client.webhooks.roll_secret("s1"),
        "deletion": lambda: client.webhooks.delete("s1"),
        "list": lambda: client.accounts.list(),
        "code": lambda: client.language_id("en"),
        "preview": lambda: client.productions.preview_scene("p1", 1),
        "feed": lambda: client.events.page(),
        "production": lambda: client.productions.wait_until_published("p1", timeout=0),
        "batch": lambda: client.batches.wait("b1", timeout=0),
        "files": lambda: client.deliverables.download_all("p1", folder),
        "file": lambda: client.deliverables.download(
            {**entry, "sasUrl": f"{address}/x"}, folder / "file"
        ),
        "request": lambda: client.request("POST", "/v1/x", body={}, idempotency_key="k"),
    }


def asked(fault, calls):
    """The calls that meet a fault."""
    return [(name, call) for name, call in calls.items() if fault in FAULTS or name in ENOUGH]


def ours(error: BaseException) -> bool:
    """Whether an error is the client's own, with a message that is not empty."""
    return bool(isinstance(error, PartnerProductionError) and 0 < len(str(error)) <= 1000)


def outcomes(server, faults, folder, http_client) -> dict[tuple[str, str], BaseException]:
    """What each call raised, by fault and call."""
    raised = {}
    for fault in faults:
        timeout = SOON if fault in SLOW else 30
        client = Client(
            server.address(fault),
            "svc_test_x",
            retries=QUICK,
            http_client=http_client,
            timeout=timeout,
        )
        for name, call in asked(fault, calls(client, server.address(fault), folder)):
            try:
                result = call()
                list(result) if inspect.isgenerator(result) else None
            except LookupError as missing:  # there is no language en
                raised[fault, name] = (
                    PartnerProductionError(str(missing)) if name == "code" else missing
                )
            except Exception as error:
                raised[fault, name] = error
    return raised


async def outcomes_of_async(server, faults, folder) -> dict[tuple[str, str], BaseException]:
    raised = {}
    async with httpx.AsyncClient() as http_client:
        for fault in faults:
            timeout = SOON if fault in SLOW else 30
            client = AsyncClient(
                server.address(fault),
                "svc_test_x",
                retries=QUICK,
                http_client=http_client,
                timeout=timeout,
            )
            for name, call in asked(fault, calls(client, server.address(fault), folder)):
                try:
                    result = call()
                    if inspect.isasyncgen(result):
                        [_ async for _ in result]
                    else:
                        await result
                except LookupError as missing:
                    raised[fault, name] = (
                        PartnerProductionError(str(missing)) if name == "code" else missing
                    )
                except Exception as error:
                    raised[fault, name] = error
    return raised


@pytest.fixture(scope="module")
def server():
    with FaultyServer() as server:
        yield server


@pytest.fixture(scope="module")
def http_client():
    with httpx.Client() as client:
        yield client


@pytest.mark.parametrize("fault", LIKELY)
def test_a_likely_fault_raises_an_error_of_the_python_client(server, http_client, fault, tmp_path):
    raised = outcomes(server, [fault], tmp_path, http_client)
    assert {each: type(error) for each, error in raised.items() if not ours(error)} == {}
    assert (fault, "object") in raised and (fault, "trigger") in raised
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_faulty_server_makes_the_python_client_raise_only_its_own_errors(
    server, http_client, tmp_path
):
    for raised in (
        outcomes(server, [*FAULTS, *STATUSES], tmp_path, http_client),
        asyncio.run(outcomes_of_async(server, [*FAULTS, *STATUSES], tmp_path)),
    ):
        assert {each: repr(error) for each, error in raised.items() if not ours(error)} == {}
        refused = {fault for fault, name in raised if name == "object"}
        assert {*FAULTS, *STATUSES} - refused <= {*OBJECTS}


PROGRAM = """
import { readFileSync } from "node:fs";
import { Client, PartnerProductionError } from "partner-production";
import { download, downloadAll } from "partner-production/node";

const { origin, faults, slow, folder, statuses, enough } = JSON.parse(readFileSync(0, "utf8"));
const retries = { afterNoAnswer: [0], afterServerError: [0], whenToldToWait: 1, longestWait: 0 };
const brief = { topic: "Tides", languageId: "l", countryId: "c", avatarId: "a" };
const entry = {
  deliverableId: "d1", type: "Video", platform: null, format: "mp4", sha256: "x", sizeBytes: 9,
};
const all = async (entries) => { for await (const _ of entries); };
const foreign = [];
const accepted = [];
for (const fault of faults) {
  const address = `${origin}/${fault}`;
  const timeoutSeconds = slow.includes(fault) ? 0.05 : 30;
  const client = new Client(address, "svc_test_x", { retries, timeoutSeconds });
  const calls = {
    object: () => client.partner.verify(),
    trigger: () => client.productions.trigger("a1", brief),
    secret: () => client.webhooks.rollSecret("s1"),
    deletion: () => client.webhooks.delete("s1"),
    list: () => all(client.accounts.list()),
    code: () => client.languageId("en"),
    preview: () => client.productions.previewScene("p1", 1),
    feed: () => client.events.page(),
    production: () => client.productions.waitUntilPublished("p1", { timeoutSeconds: 0 }),
    batch: () => client.batches.wait("b1", { timeoutSeconds: 0 }),
    files: () => downloadAll(client, "p1", folder),
    file: () => download(client, { ...entry, sasUrl: `${address}/x` }, `${folder}/file`),
    content: () => client.deliverables.content({ ...entry, sasUrl: `${address}/x` }),
    request: () => client.request("POST", "/v1/x", { body: {}, idempotencyKey: "k" }),
  };
  for (const [name, call] of Object.entries(calls)) {
    if (statuses.includes(fault) && !enough.includes(name)) continue;
    try {
      await call();
      if (name === "object") accepted.push(fault);
    } catch (error) {
      const isOwn =
        error instanceof PartnerProductionError && error.message && error.message.length <= 1000;
      const isArgument = name === "code" && error instanceof RangeError;
      if (!isOwn && !isArgument) foreign.push([fault, name, `${error}`]);
    }
  }
}
console.log(JSON.stringify({ foreign, accepted }));
"""


@pytest.mark.slow
def test_a_faulty_server_makes_the_typescript_client_throw_only_its_own_errors(server, tmp_path):
    packages = tmp_path / "node_modules"
    packages.mkdir()
    (packages / "partner-production").symlink_to(SOURCE)
    (tmp_path / "program.mjs").write_text(PROGRAM)
    (tmp_path / "files").mkdir()
    faults = [*FAULTS, *STATUSES]
    asked = {
        "origin": server.origin,
        "faults": faults,
        "slow": SLOW,
        "folder": str(tmp_path / "files"),
    }
    asked |= {"statuses": STATUSES, "enough": ENOUGH}
    run = subprocess.run(
        ["node", "program.mjs"],
        cwd=tmp_path,
        input=json.dumps(asked),
        env=os.environ | {"NODE_OPTIONS": ""},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    told = json.loads(run.stdout)
    assert told["foreign"] == []
    assert {*told["accepted"]} <= {*OBJECTS, "unknown-encoding"}, told["accepted"]
    assert list((tmp_path / "files").iterdir()) == []


def test_html_in_place_of_an_answer_is_told_with_the_address_in_doubt_and_not_asked_for_again(
    server, http_client
):
    client = Client(
        server.address("html-200"), "svc_test_x", retries=QUICK, http_client=http_client
    )
    before = server.requests.get("html-200", 0)
    with pytest.raises(
        InvalidResponse, match="text/html instead of JSON; is the address the service's"
    ):
        client.partner.verify()
    assert server.requests["html-200"] - before == 1


def test_a_damaged_answer_is_asked_for_again(server, http_client):
    client = Client(
        server.address("wrong-gzip"), "svc_test_x", retries=QUICK, http_client=http_client
    )
    for call in (lambda: client.partner.verify(), lambda: client.webhooks.roll_secret("s1")):
        before = server.requests.get("wrong-gzip", 0)
        with pytest.raises(InvalidResponse, match="not compressed as it says: gzip"):
            call()
        assert server.requests["wrong-gzip"] - before == 2
