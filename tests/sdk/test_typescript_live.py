"""The TypeScript SDK against a server that really renders: its README, a restart in the middle,
and webhooks that arrive.
"""

import json
import os
import queue
import re
import subprocess
from pathlib import Path

import pytest
import requests
from partner_production import Client

from svc.cli.demo.receiver import Receiver
from tests.sdk.agency_ways import camel
from tests.sdk.test_typescript_sdk import SOURCE
from tests.sdk.test_typescript_sdk import tarball as tarball
from tests.support.documents import blocks
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.slow

EVERY_CALL = Path(__file__).with_name("every_call.mjs")
README = (SOURCE / "README.md").read_text("utf-8")
KINDS = {"Video", "ClosedCaptions", "AudioDescription", "Transcript", "ComplianceCertificate"}
WAIT = """
import { Client } from "partner-production";
import { downloadAll } from "partner-production/node";

const { BASE, KEY, ACCOUNT, BRIEF } = process.env;
const client = new Client(BASE, KEY);
const { productionId } = await client.productions.trigger(ACCOUNT, JSON.parse(BRIEF));
const published = await client.productions.waitUntilPublished(productionId, {
  onEvent: (event) => console.log(JSON.stringify(event)),
  timeoutSeconds: Number(process.env.PATIENCE),
});
console.log(JSON.stringify({ status: published.status,
  files: await downloadAll(client, productionId, "files") }));
"""
VERIFY = """
import { readFileSync } from "node:fs";
import { verifyWebhook } from "partner-production";

for (const { body, headers, secret, scheme } of JSON.parse(readFileSync(0, "utf8"))) {
  console.log((await verifyWebhook(body, headers, secret, { scheme })).eventId);
}
"""


@pytest.fixture
def project(tarball, tmp_path):
    """A folder in which the package is installed, as a partner has it."""
    (tmp_path / "package.json").write_text('{"name": "agency", "type": "module", "private": true}')
    command = [
        "npm",
        "install",
        "--offline",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
        str(tarball),
    ]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=PATIENCE, capture_output=True)
    return tmp_path


def node(folder, program: str, environment: dict[str, str] | None = None, told: str = "") -> str:
    (folder / "program.mjs").write_text(program)
    run = subprocess.run(
        ["node", "program.mjs"],
        cwd=folder,
        env=os.environ | (environment or {}),
        input=told,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_the_examples_of_the_typescript_readme_run_as_they_stand(running, project):
    examples = "\n".join(text for language, text in blocks(README) if language == "js")
    printed = node(project, examples, running.environment)
    for told in (
        "production.queued",
        "production.published",
        "files/Video-Watch.mp4",
        "How tides work",
        "INVALID_REQUEST",
    ):
        assert told in printed
    assert {
        each.name.split("-")[0].split(".")[0] for each in (project / "files").iterdir()
    } == KINDS


def test_a_wait_of_the_typescript_sdk_outlives_the_death_of_the_server(running, project):
    environment = (
        os.environ
        | running.environment
        | {
            "ACCOUNT": running.seeded["sandboxAccountId"],
            "BRIEF": json.dumps(running.brief()),
            "PATIENCE": str(PATIENCE),
        }
    )
    (project / "program.mjs").write_text(WAIT)
    with subprocess.Popen(
        ["node", "program.mjs"], cwd=project, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        events = []
        for line in process.stdout:
            events.append(json.loads(line))
            if len(events) == 2:
                running.server.kill()
                running.server.start()
        assert process.wait(PATIENCE) == 0
    *events, result = events
    assert result["status"] == "Published" and len(result["files"]) >= len(KINDS)
    assert [each["sequenceNumber"] for each in events] == list(range(1, len(events) + 1))


def test_webhooks_of_a_server_are_verified_by_the_typescript_sdk(running, project):
    arrived, headers = queue.Queue(), {"X-API-Key": running.key}
    with Receiver(lambda received: arrived.put(received) or 204) as receiver:
        wanted = {"endpointUrl": receiver.url, "eventTypes": ["production.queued"]}
        hook = requests.post(
            f"{running.address}/v1/webhooks", json=wanted, headers=headers, timeout=30
        ).json()
        receiver.trust(hook["signingSecret"])
        address = f"{running.address}/v1/webhooks/{hook['subscriptionId']}"
        requests.post(f"{address}/ping", headers=headers, timeout=30).raise_for_status()
        received = arrived.get(timeout=PATIENCE)
        requests.delete(address, headers=headers, timeout=30).raise_for_status()
    asked = [
        {
            "body": received.body.decode(),
            "headers": received.headers,
            "secret": hook[form],
            "scheme": scheme,
        }
        for form in ("signingSecret", "standardWebhooksSecret")
        for scheme in ("standard", "service")
    ]
    assert node(project, VERIFY, told=json.dumps(asked)).split() == [received.event["eventId"]] * 4


def test_the_readme_of_the_typescript_sdk_names_every_method_and_no_other(project):
    table = README.partition("| of the client |")[2].partition("##")[0]
    told = set(re.findall(r"`(\w+)(?:\(|`)", table))
    program = """
        import { Client } from "partner-production";
        const client = new Client("https://media.example.com", "key");
        const methods = (prototype) => Object.getOwnPropertyNames(prototype)
            .filter((name) => name !== "constructor");
        const parts = Object.keys(client);
        const all = [...parts, ...methods(Client.prototype)].concat(
            parts.flatMap((name) => methods(Object.getPrototypeOf(client[name]))));
        console.log(JSON.stringify([...all, ...methods(Object.getPrototypeOf(Client.prototype))]));
    """
    assert told == set(json.loads(node(project, program)))


# What one client has and the other has not: files are saved by functions of ``/node``, which edge
# runtimes have not, and a client of fetch has nothing to close.
IN_PYTHON_ALONE = {"deliverables.download", "deliverables.downloadAll", "client.close"}
IN_TYPESCRIPT_ALONE = {"deliverables.content"}


def list_methods_of_python() -> set[str]:
    """Return the methods of the Python SDK, by the names that they have in TypeScript."""
    with Client("https://media.example.com", "svc_test_x") as client:
        parts = {"client": client, **vars(client)}
        return {
            f"{name}.{camel(method)}"
            for name, part in parts.items()
            if not name.startswith("_")
            for method in dir(type(part))
            if not method.startswith("_")
        }


def test_each_call_of_the_typescript_sdk_is_answered_by_a_server(running, project):
    brief = running.brief(metadataMD="The sea rises.")
    environment = running.environment | {
        "LIVE_KEY": running.seeded["liveKey"],
        "ACCOUNT": running.seeded["sandboxAccountId"],
        "BRIEF": json.dumps(brief),
        "PATIENCE": str(PATIENCE),
    }
    told = json.loads(node(project, EVERY_CALL.read_text("utf-8"), environment))
    assert told["missing"] == [] and len(told["every"]) > 60
    python = list_methods_of_python()
    assert python - set(told["every"]) == IN_PYTHON_ALONE
    assert set(told["every"]) - python == IN_TYPESCRIPT_ALONE
