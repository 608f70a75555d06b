"""A runner of the operator's commands."""

import json

import pytest
from click.testing import CliRunner

from svc.cli import commands


@pytest.fixture
def run(app, monkeypatch):
    """Run a command on the data directory of ``app``: return what it prints, parsed where ``--json`` is among the words."""
    monkeypatch.setenv("SVC_DATA_DIR", str(app.extensions["svc"].settings.data_dir))

    def invoke(*words: str, typed: str | None = None):
        app.extensions["svc"].recorder.flush()  # the command opens the database anew, under its thread
        result = CliRunner().invoke(commands.main, words, input=typed, standalone_mode=False)
        if result.exception:
            raise result.exception
        return json.loads(result.stdout) if "--json" in words else result.stdout

    return invoke
