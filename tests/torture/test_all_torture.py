"""The whole torture in short: two minutes of everything at once find nothing wrong."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.judges]


def test_everything_at_once_for_two_minutes_loses_nothing():
    command = [sys.executable, "-m", "tests.torture.all", "--minutes", "2"]
    ended = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=900
    )
    print(ended.stdout)
    assert ended.returncode == 0, ended.stdout + ended.stderr
