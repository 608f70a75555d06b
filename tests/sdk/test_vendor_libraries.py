"""The libraries of vendors that npm has load every tool and call one, without their vendor."""

import json
import subprocess
from pathlib import Path

import pytest

from svc.cli.agents import tools
from tests.sdk.test_agents import stdio
from tests.sdk.test_table_agency import clock as clock
from tests.sdk.test_table_agency import workshop as workshop
from tests.support.npm import install_each
from tests.support.patience import PATIENCE

PROGRAM = Path(__file__).with_name("vendors.mjs")
LIBRARIES = ["@anthropic-ai/sdk", "@google/genai", "@modelcontextprotocol/sdk", "ai", "openai"]
CALL = {"name": "list_languages", "arguments": {"search": "german"}}


@pytest.mark.slow
@pytest.mark.timeout(2100)
def test_the_libraries_of_vendors_load_every_tool_and_call_one(workshop, tmp_path):
    install_each(tmp_path, LIBRARIES)
    (tmp_path / PROGRAM.name).write_bytes(PROGRAM.read_bytes())
    server = stdio(workshop, workshop.key)
    told = {"command": server.command, "args": server.args, "env": server.env, "call": CALL}
    run = subprocess.run(
        ["node", PROGRAM.name],
        cwd=tmp_path,
        input=json.dumps(told),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    offered, every = json.loads(run.stdout), {tool.name for tool in tools.TOOLS}
    assert offered.keys() == {"mcp", "openai", "anthropic", "gemini", "vercel"}
    for library, seen in offered.items():
        assert (set(seen["tools"]), len(seen["tools"])) == (every, len(every)), library
        assert json.loads(seen["result"]) == {"languages": {"de": "German"}}, library
