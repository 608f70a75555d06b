"""The torture of machines in short: ``python -m tests.torture.machines --kills 10``
finds nothing wrong.
"""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.judges]


def test_servers_and_workers_that_are_killed_lose_nothing_and_do_nothing_twice():
    # Asked are 15 s until a step goes on, and one until a cancel reaches it; a machine that runs
    # other tests may stall.
    short = [
        "--takeovers",
        "1",
        "--kills",
        "10",
        "--crashes",
        "1",
        "--silence",
        "5",
        "--every",
        "2",
        "--within",
        "40",
        "--cancelled",
        "5",
    ]
    command = [sys.executable, "-m", "tests.torture.machines", *short]
    ended = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=590
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
