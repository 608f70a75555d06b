"""A runner of the operator's commands."""

import json

import pytest
from support.commands import invoke


@pytest.fixture
def run(app, monkeypatch):
    """Run a command on the data directory of ``app``: return what it prints,
    parsed where ``--json`` is among the words.
    """
    monkeypatch.setenv("SVC_DATA_DIR", str(app.extensions["svc"].settings.data_dir))

    def call(*words: str, typed: str | None = None):
        result = invoke(app, *words, typed=typed)
        if result.exception:
            raise result.exception
        return json.loads(result.stdout) if "--json" in words else result.stdout

    return call
