"""From a server's address alone to the first verified webhook, as the server's documents say."""

import os
import re
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
import requests
from packaging.requirements import Requirement

from svc.cli.demo.demo_server import find_free_port
from tests.support.documents import blocks
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.slow

NOWHERE = "http://127.0.0.1:9"  # nothing answers there
SAVED = re.compile(r"Save this as `(\S+)` and run it with `([^`]+)`")


def read(address: str) -> str:
    answer = requests.get(address, timeout=60)
    assert answer.status_code == 200, address
    return answer.text


def led_to(text: str, title: str) -> str:
    """Return the address to which a page links by this title."""
    [address] = set(re.findall(rf"\[{title}\]\((\S+?)\)", text))
    return address


def section(page: str, heading: str) -> str:
    return page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


@pytest.fixture(scope="module")
def mirror(tmp_path_factory) -> Path:
    """A folder with the wheels that the client needs, as PyPI has them: what is installed here."""
    folder, needed, done = tmp_path_factory.mktemp("mirror"), ["httpx", "anyio"], set()
    while needed:
        name = needed.pop()
        if name in done:
            continue
        done.add(name)
        distribution = metadata.distribution(name)
        for each in map(Requirement, distribution.requires or ()):
            if each.marker is None or each.marker.evaluate({"extra": ""}):
                needed.append(each.name)
        wheel = f"{name.replace('-', '_')}-{distribution.version}-py3-none-any.whl"
        with zipfile.ZipFile(folder / wheel, "w") as packed:
            for file in distribution.files:
                if ".." not in file.parts and file.suffix != ".pyc":
                    packed.write(file.locate(), file.as_posix())
    return folder


@pytest.fixture
def stranger(tmp_path, running, mirror):
    """Run a line of a document in an empty folder, with nothing but the interpreters of the system.

    Only this machine can be reached; ``mirror`` stands in for PyPI.
    """
    home = tmp_path / "home"
    home.mkdir()
    interpreter = Path(sys.base_prefix) / "bin"
    environment = {
        "PATH": f"{interpreter}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "BASE": running.address,
        "KEY": running.key,
        "PORT": str(find_free_port(0)),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(mirror),
        "npm_config_registry": NOWHERE,
        "http_proxy": NOWHERE,
        "https_proxy": NOWHERE,
        "no_proxy": "127.0.0.1",
        "LANG": os.environ.get("LANG", "C.UTF-8"),
    }

    def run(line: str) -> str:
        done = subprocess.run(
            ["sh", "-ec", line],
            cwd=home,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run.folder = home
    return run


@pytest.mark.parametrize(("heading", "code"), [("Python", "python"), ("TypeScript", "ts")])
def test_a_stranger_verifies_a_webhook(running, client, stranger, heading, code):
    overview = read(f"{running.address}/llms.txt")
    readme = read(led_to(overview, "Partner Production API"))
    address = led_to(overview, "Quickstart")
    assert led_to(readme, "quickstart") == address
    part = section(read(address), heading)
    [install] = [text for language, text in blocks(part) if language == "sh"]
    [program] = [text for language, text in blocks(part) if language == code]
    [(name, command)] = SAVED.findall(part)
    package = install.split("$BASE")[1].strip()
    assert f"{running.address}{package}" in overview and f" install $BASE{package}\n" in readme

    stranger(install)
    (stranger.folder / name).write_text(program)
    printed = stranger(command)

    [production] = re.findall(r"^verified production\.queued (\S+)$", printed, re.MULTILINE)
    assert client.productions.get(production)["topic"] == "How tides work"
