"""schemathesis against a real server: every operation, valid and invalid requests, links followed, and every check on."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from contract.servers import spacious_server

HERE = Path(__file__).parent
ALONE = ("--phases", "examples,coverage,fuzzing")
TOGETHER = ("--mode", "all", "--phases", "stateful", "--seed")
# Following links ends when the server, which remembers, answers a repetition differently: so it is begun several times.
RUNS = [("--mode", "positive", *ALONE), ("--mode", "negative", *ALONE), *((*TOGETHER, str(seed)) for seed in (1, 2, 3))]
pytestmark = [pytest.mark.contract, pytest.mark.slow]


@pytest.mark.parametrize("asked", RUNS, ids=" ".join)
def test_schemathesis_finds_nothing(tmp_path, asked):
    with spacious_server(tmp_path) as server:
        auth = {
            "auth": [{"name": name, "fixedHeaders": [{"name": "X-API-Key", "value": key}]} for name, key in server.keys.items()]
        }
        (tmp_path / "auth.json").write_text(json.dumps(auth))
        (tmp_path / "known.json").write_text(json.dumps(server.known))
        command = [
            str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(HERE / "schemathesis.toml"),
            "run", f"{server.address}/openapi.json", "--no-color", *asked, "--report", "junit", "--report-dir", str(tmp_path),
        ]  # fmt: skip
        made = {
            "PYTHONPATH": str(HERE.parents[1]),
            "CONTRACT_HOOKS": str(HERE / "hooks.py"),
            "CONTRACT_AUTH": str(tmp_path / "auth.json"),
            "CONTRACT_KNOWN": str(tmp_path / "known.json"),
        }
        run = subprocess.run(command, env=os.environ | made, cwd=tmp_path, capture_output=True, text=True, timeout=900)
    (tmp_path / "schemathesis.txt").write_text(run.stdout + run.stderr)
    assert run.returncode == 0, run.stdout[-20000:] + run.stderr[-2000:]
