"""The torture in short: ``python -m tests.torture.webhooks --kills 5`` finds nothing wrong."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


def test_a_server_that_is_killed_under_load_loses_no_event():
    command = [sys.executable, "-m", "tests.torture.webhooks", "--kills", "5"]
    ended = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
