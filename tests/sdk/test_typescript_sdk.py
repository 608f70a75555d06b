"""The TypeScript SDK: its own tests, its types, its tarball, and the operations that it reaches."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from sdk import generate
from svc.public import client_packages, documents
from tests.sdk.test_generated_files import require_operations, shape
from tests.support.documents import ROOT
from tests.support.patience import PATIENCE

SOURCE = ROOT / "sdk" / "typescript"
USE = """
import { Client, verifyWebhook } from "partner-production";
import { download } from "partner-production/node";
import type { Brief, Deliverable } from "partner-production/models";

const client = new Client("https://media.example.com", "svc_test_x");
const brief: Brief = { topic: "Tides", languageId: "l", countryId: "c", avatarId: "a" };
const status: string = (await client.productions.trigger("a", brief, { waitForPlace: 1 })).status;
for await (const event of client.productions.events("p"))
  console.log(event.sequenceNumber.toFixed(), status);
const files: Deliverable[] = await client.deliverables.list("p");
const saved: string = await download(client, files[0]!, "x");
const event = await verifyWebhook("", new Headers(), saved);
if (event.eventType === "production.published")
  console.log(event.data.platforms[0]?.platformPostId);
"""
WRONG = [
    'client.productions.trigger("a", { topic: "Tides" });',
    'console.log((await client.productions.get("p")).statuss);',
    'client.productions.trigger("a", brief, { key: "x" });',
    "console.log(event.data.platforms);",
]
SETTINGS = [
    "--strict",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--noEmit",
    "--skipLibCheck",
    "false",
    "--types",
    "node",
]


def reached() -> set[tuple[str, str]]:
    """The method and path of every call in the sources."""
    found = set()
    for text in (path.read_text("utf-8") for path in (SOURCE / "src").glob("*.js")):
        to = re.findall(r"const to = path`([^`]+)`;\s*(?:return|\n)[^;]*?method: \"(\w+)\"", text)
        found |= {(method, address) for address, method in to}
        found |= set(re.findall(r'method: "(\w+)",\s*path: (?:path`|")(/v1[^`"]+)', text))
        found |= {
            ("GET", address) for address in re.findall(r'entries\((?:path`|")(/v1[^`"]+)', text)
        }
    return {(method, shape(address.replace("${", "{"))) for method, address in found}


def test_the_typescript_sdk_reaches_every_operation(document):
    require_operations("sdk/typescript/src", reached(), document)


def test_the_typescript_sdk_needs_nothing_and_imports_only_what_edge_runtimes_have():
    package = json.loads((SOURCE / "package.json").read_text("utf-8"))
    assert not {"dependencies", "peerDependencies", "optionalDependencies"} & package.keys()
    pinned = json.loads((ROOT / ".ci" / "package.json").read_text("utf-8"))["dependencies"]
    assert package["devDependencies"].items() <= pinned.items()  # what checks and makes the types
    for path in (SOURCE / "src").glob("*.js"):
        imported = re.findall(
            r'^(?:import|export) [^;]*?from "([^"]+)";',
            path.read_text("utf-8"),
            re.MULTILINE | re.DOTALL,
        )
        foreign = {each for each in imported if not each.startswith("./")}
        assert (
            all(each.startswith("node:") for each in foreign)
            if path.name == "node.js"
            else not foreign
        ), path.name
        assert not re.search(r"\bprocess\.|\bBuffer\b|\brequire\(", path.read_text("utf-8")), (
            path.name
        )


def test_the_versions_of_both_sdks_are_one():
    package = json.loads((SOURCE / "package.json").read_text("utf-8"))
    [version] = re.findall(
        r'VERSION = "([^"]+)"', (SOURCE / "src" / "transport.js").read_text("utf-8")
    )
    assert {package["version"], version} == set(
        re.findall(r'^VERSION = "([^"]+)"', (generate.PYTHON / "calls.py").read_text(), re.M)
    )


@pytest.mark.slow
def test_its_own_tests_pass():
    run = subprocess.run(
        ["node", "--test", "test"],
        cwd=SOURCE,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-5000:] + run.stderr
    assert int(re.search(r"^# pass (\d+)", run.stdout, re.MULTILINE)[1]) > 40


@pytest.fixture(scope="session")
def tarball(tmp_path_factory) -> Path:
    """The package as a server serves it."""
    package = client_packages.build_package(
        "typescript", "https://media.example.com", documents.read_text
    )
    written = tmp_path_factory.mktemp("tarball") / package.filename
    written.write_bytes(package.content)
    return written


@pytest.mark.slow
@pytest.mark.contract
def test_the_types_are_those_of_the_modules(npm, npm_folder, tmp_path):
    made = npm(
        "tsc",
        "--project",
        str(SOURCE),
        "--outDir",
        str(tmp_path),
        "--typeRoots",
        str(npm_folder / "node_modules" / "@types"),
    )
    assert made.returncode == 0, made.stdout
    types = {
        path.name: path.read_text("utf-8")
        for path in (SOURCE / "types").glob("*.d.ts")
        if path.name != "models.d.ts"
    }
    emitted = {
        path.name: path.read_text("utf-8").replace(str(tmp_path), "")
        for path in tmp_path.glob("*.d.ts")
    }
    assert emitted == types, "run: tsc --project sdk/typescript"


@pytest.mark.slow
@pytest.mark.contract
def test_the_types_of_programs_that_use_it_are_checked_by_typescript(
    npm, npm_folder, tarball, tmp_path
):
    install = [
        "npm",
        "install",
        "--offline",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
        str(tarball),
    ]
    (tmp_path / "package.json").write_text('{"name": "use", "type": "module", "private": true}')
    subprocess.run(install, cwd=tmp_path, check=True, timeout=PATIENCE, capture_output=True)
    roots = ["--typeRoots", str(npm_folder / "node_modules" / "@types")]
    program = tmp_path / "use.ts"
    program.write_text(USE)
    good = npm("tsc", *SETTINGS, *roots, str(program))
    assert good.returncode == 0, good.stdout
    program.write_text(USE + "\n".join(WRONG) + "\n")
    told = npm("tsc", *SETTINGS, *roots, str(program)).stdout
    lines = len(USE.splitlines())
    assert [
        line for line in range(lines + 1, lines + len(WRONG) + 1) if f"use.ts({line}," not in told
    ] == [], told
