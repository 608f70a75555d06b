"""A hostile partner beside another: the attacks on the queue, in short."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.judges]


def test_another_partner_hardly_notices_a_flood_of_productions():
    command = [sys.executable, "-m", "tests.torture.hostile", "--seconds", "30", "--attacks", "slow,jobs,hanging"]
    ended = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=600)
    print(ended.stdout)
    assert ended.returncode == 0, ended.stdout + ended.stderr
