"""The programs of the quickstart, taken from the page, lead to a verified webhook."""

import io
import os
import re
import subprocess
import sys
import zipfile

import pytest

from svc.cli.demo.demo_server import find_free_port
from svc.public import client_packages, documents
from tests.sdk.test_typescript_live import project as project
from tests.sdk.test_typescript_sdk import SETTINGS
from tests.sdk.test_typescript_sdk import tarball as tarball
from tests.support.documents import blocks, read, shell
from tests.support.patience import PATIENCE

PAGE = read("docs/quickstart.md")
[PYTHON] = [text for language, text in blocks(PAGE) if language == "python"]
[TYPESCRIPT] = [text for language, text in blocks(PAGE) if language == "ts"]


def test_the_page_begins_as_the_readme_does():
    assert shell("docs/quickstart.md").splitlines()[0] == shell("README.md").splitlines()[0]


def ran(command: list[str], running, folder) -> str:
    """What a program prints that was started with the names of ``demo.env`` as the page says."""
    (folder / "demo-data").mkdir()
    names = running.environment | {"ACCOUNT": running.seeded["sandboxAccountId"]}
    (folder / "demo-data" / "demo.env").write_text(
        "".join(f"{name}={value}\n" for name, value in names.items())
    )
    [names] = [line for line in shell("docs/quickstart.md").splitlines() if "demo.env" in line]
    wheel = client_packages.build_package("python", running.address, documents.read_text).content
    zipfile.ZipFile(io.BytesIO(wheel)).extractall(folder / "site")  # as pip installs it
    environment = os.environ | {"PORT": str(find_free_port(0)), "PYTHONPATH": str(folder / "site")}
    run = subprocess.run(
        ["sh", "-c", f'{names} && exec "$@"', "sh", *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def is_of_a_production(printed: str, client) -> bool:
    [production_id] = re.findall(r"^verified production\.queued (\S+)$", printed, re.MULTILINE)
    return client.productions.get(production_id)["topic"] == "How tides work"


@pytest.mark.slow
def test_the_python_program_verifies_a_webhook(running, client, tmp_path):
    (tmp_path / "quickstart.py").write_text(PYTHON)
    assert is_of_a_production(ran([sys.executable, "quickstart.py"], running, tmp_path), client)


@pytest.mark.slow
def test_the_typescript_program_verifies_a_webhook(running, client, project):
    (project / "quickstart.mjs").write_text(TYPESCRIPT)
    assert is_of_a_production(ran(["node", "quickstart.mjs"], running, project), client)


@pytest.mark.slow
@pytest.mark.contract
def test_the_typescript_program_is_typescript(npm, npm_folder, project):
    (project / "quickstart.mts").write_text(TYPESCRIPT)
    types = str(npm_folder / "node_modules" / "@types")
    checked = npm("tsc", *SETTINGS, "--typeRoots", types, str(project / "quickstart.mts"))
    assert checked.returncode == 0, checked.stdout
