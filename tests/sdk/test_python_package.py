"""The Python SDK in programs that use it: their types are checked."""

import os
import subprocess
import sys
from importlib import util
from pathlib import Path

import pytest

from tests.support.documents import ROOT

pytestmark = pytest.mark.slow

SOURCE = ROOT / "sdk" / "python"
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


def checked(folder: Path, program: str) -> str:
    """What mypy says about a program that uses the SDK."""
    (folder / "use.py").write_text(program)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--config-file=",
        "use.py",
    ]
    environment = os.environ | {"MYPYPATH": str(SOURCE / "src")}
    run = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return run.stdout + run.stderr


def test_the_types_of_programs_that_use_it_are_checked(tmp_path):
    assert util.find_spec("mypy"), "the checker is installed by .ci/full"
    assert checked(tmp_path, USE) == ""
    told = checked(tmp_path, USE + "\n".join(WRONG) + "\n")
    assert [line for line in range(9, 12) if f"use.py:{line}: error" not in told] == [], told
