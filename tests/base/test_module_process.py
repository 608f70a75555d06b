"""Modules of the service that are run with JSON in and out."""

import json
import os
import subprocess
import sys

import pytest

from svc.base.processes import module_process
from svc.base.processes.entry_points import ROOT, Process


@pytest.fixture
def ran(monkeypatch):
    """What was to be run, in place of a process that takes half a second to start."""
    calls = []

    def run(command, **how):
        calls.append((command, how))
        return subprocess.CompletedProcess(command, 0, b"{}", b"")

    monkeypatch.setattr(module_process.subprocess, "run", run)
    return calls


def test_a_module_gets_json_and_finds_the_service_wherever_it_runs(ran, monkeypatch):
    monkeypatch.setenv("SVC_VOICE", "x")
    module_process.run_module(Process.NOTIFY, "one", given={"a": "ä"}, seconds=5)
    ((command, how),) = ran
    assert command == [sys.executable, "-P", "-m", str(Process.NOTIFY), "one"]
    assert json.loads(how["input"]) == {"a": "ä"} and how["timeout"] == 5
    assert how["env"]["PYTHONPATH"] == str(ROOT) and how["env"]["SVC_VOICE"] == "x"
    assert how["stderr"] == subprocess.PIPE and os.environ.get("PYTHONPATH") != str(ROOT)


def test_errors_are_kept_or_shown(ran):
    module_process.run_module(Process.VERIFICATION, shows_errors=True)
    assert ran[0][1]["stderr"] is None and ran[0][1]["check"] is False


@pytest.mark.parametrize(
    ("errors", "line"), [("Traceback\nValueError: no\n\n", "ValueError: no"), (" \n", "nothing")]
)
def test_the_last_line_of_the_errors_says_what_happened(errors, line):
    assert module_process.find_last_line(errors, "nothing") == line
