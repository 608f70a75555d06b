"""schemathesis against a real server: every operation, valid and invalid requests, links followed,
and every check on.

``CONTRACT_EXAMPLES=3`` makes two short runs of the five: three examples per operation, and the same
ones each time.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from contract.servers import spacious_server

HERE = Path(__file__).parent
ALONE = ("--phases", "examples,coverage,fuzzing")
TOGETHER = ("--mode", "all", "--phases", "stateful", "--seed")
# Following links ends when the server, which remembers, answers a repetition differently: so it is
# begun several times.
RUNS = [
    ("--mode", "positive", *ALONE),
    ("--mode", "negative", *ALONE),
    *((*TOGETHER, str(seed)) for seed in (1, 2, 3)),
]
EXAMPLES = os.environ.get("CONTRACT_EXAMPLES", "")
# without coverage, which has as many cases as the document; links on a server of their own, as it
# remembers
if EXAMPLES:
    RUNS = [
        ("--mode", "all", "--phases", each, "--generation-deterministic")
        for each in ("examples,fuzzing", "stateful")
    ]
SECONDS = 900  # until a run that hangs is given up
pytestmark = [pytest.mark.contract, pytest.mark.slow, pytest.mark.timeout(SECONDS + 60)]


def config() -> str:
    """The settings of schemathesis; with ``CONTRACT_EXAMPLES`` every phase has that many."""
    text = (HERE / "schemathesis.toml").read_text("utf-8")
    return (
        re.sub(r"max-examples = \d+", f"max-examples = {int(EXAMPLES)}", text) if EXAMPLES else text
    )


@pytest.mark.parametrize("asked", RUNS, ids=" ".join)
def test_schemathesis_finds_nothing(tmp_path, asked):
    with spacious_server(tmp_path) as server:
        auth = {
            "auth": [
                {"name": name, "fixedHeaders": [{"name": "X-API-Key", "value": key}]}
                for name, key in server.keys.items()
            ]
        }
        (tmp_path / "auth.json").write_text(json.dumps(auth))
        (tmp_path / "known.json").write_text(json.dumps(server.known))
        (tmp_path / "schemathesis.toml").write_text(config())
        command = [
            str(Path(sys.executable).with_name("schemathesis")),
            "--config-file",
            str(tmp_path / "schemathesis.toml"),
            "run",
            f"{server.address}/openapi.json",
            "--no-color",
            *asked,
            "--report",
            "junit",
            "--report-dir",
            str(tmp_path),
            # its own ten seconds are few for a large batch on a busy machine
            "--request-timeout",
            str(SECONDS),
        ]
        made = {
            "PYTHONHASHSEED": "0",  # the order of sets decides what is asked
            "PYTHONPATH": str(HERE.parents[1]),
            "CONTRACT_HOOKS": str(HERE / "hooks.py"),
            "CONTRACT_AUTH": str(tmp_path / "auth.json"),
            "CONTRACT_KNOWN": str(tmp_path / "known.json"),
        }
        run = subprocess.run(
            command,
            env=os.environ | made,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    (tmp_path / "schemathesis.txt").write_text(run.stdout + run.stderr)
    assert run.returncode == 0, run.stdout[-20000:] + run.stderr[-2000:]
