"""The Python SDK as a package: a wheel with its types, built without a network, whose users' types are checked."""

import os
import subprocess
import sys
import tomllib
import zipfile
from importlib import util
from pathlib import Path

import partner_production
import pytest

from tests.support.documents import ROOT

pytestmark = pytest.mark.slow

SOURCE = ROOT / "sdk" / "python"
PROJECT = tomllib.loads((SOURCE / "pyproject.toml").read_text("utf-8"))["project"]
USE = """
from partner_production import Client, models

client = Client("https://media.example.com", "svc_test_x")
brief: models.Brief = {"topic": "Tides", "languageId": "l", "countryId": "c", "avatarId": "a"}
status: str = client.productions.trigger("a", brief)["status"]
for event in client.productions.events("p"):
    number: int = event["sequenceNumber"]
"""
WRONG = [
    'client.productions.trigger("a", {"topic": "Tides"})',
    'client.productions.get("p")["statuss"]',
    'client.productions.trigger("a", brief, key="x")',
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps", "--no-build-isolation", "--quiet"]
    subprocess.run([*command, "--wheel-dir", str(folder), str(SOURCE)], check=True, timeout=120)
    [made] = folder.glob("*.whl")
    return made


def test_the_wheel_has_the_modules_and_their_types(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {path.relative_to(SOURCE / "src").as_posix() for path in (SOURCE / "src").rglob("*.py")}
    assert modules | {"partner_production/py.typed"} <= names
    assert wheel.name == f"partner_production-{PROJECT['version']}-py3-none-any.whl"
    assert PROJECT["version"] == partner_production.__version__


def test_the_wheel_can_be_installed_and_used(wheel, tmp_path):
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--no-index",
        "--no-deps",
        "--quiet",
        "--target",
        str(tmp_path),
        str(wheel),
    ]
    subprocess.run(command, check=True, timeout=120)
    program = "import partner_production as p; print(p.__file__, p.Client, p.__version__)"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], env=os.environ | {"PYTHONPATH": str(tmp_path)}, cwd=tmp_path,
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert run.stdout.startswith(str(tmp_path)) and run.stdout.strip().endswith(PROJECT["version"])


def checked(folder: Path, program: str) -> str:
    """What mypy says about a program that uses the SDK."""
    (folder / "use.py").write_text(program)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file=", "use.py"]
    environment = os.environ | {"MYPYPATH": str(SOURCE / "src")}
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False)
    return run.stdout + run.stderr


def test_the_types_of_programs_that_use_it_are_checked(tmp_path):
    assert util.find_spec("mypy"), "the checker is installed by .ci/full"
    assert checked(tmp_path, USE) == ""
    told = checked(tmp_path, USE + "\n".join(WRONG) + "\n")
    assert [line for line in range(9, 12) if f"use.py:{line}: error" not in told] == [], told
