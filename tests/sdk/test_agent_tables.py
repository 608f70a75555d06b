"""A table as large as the API takes reaches it from agents over HTTP, too."""

import pytest
from starlette.testclient import TestClient

from svc.cli.agents import server

NOWHERE = "http://127.0.0.1:9"  # nothing answers there
ACCEPTED = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
    "X-API-Key": "svc_test_x",
}


@pytest.fixture
def over_http(monkeypatch):
    """A client of the application that ``--http`` serves."""
    served = []
    monkeypatch.setattr(server.uvicorn, "run", lambda app, **_: served.append(app))
    server.serve_http(NOWHERE, "127.0.0.1", 8000, ())
    with TestClient(served[0], base_url="http://127.0.0.1:8000", headers=ACCEPTED) as client:
        yield client


def sent(client: TestClient, size: int):
    """The answer to a table of so many bytes."""
    identifier = "01a207da-0000-7000-8000-000000000000"
    arguments = {"templateId": identifier, "accountId": identifier, "csv": "x" * size}
    call = {"name": "trigger_table", "arguments": arguments}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    return client.post("/mcp", json=asked)


def test_a_table_of_four_mebibytes_is_passed_on_and_a_larger_request_is_not_read(over_http):
    passed_on = sent(over_http, 4 * 2**20)
    assert passed_on.status_code == 200
    assert f"{NOWHERE} cannot be reached" in passed_on.json()["result"]["content"][0]["text"]
    assert sent(over_http, 5 * 2**20).status_code == 413
