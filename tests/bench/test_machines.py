"""The benchmark of machines in short: it says its figures, and work begins soon
after the commit.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.judges]


def test_the_command_says_what_workers_carry():
    command = [
        sys.executable,
        "-m",
        "tests.bench.machines",
        "--seconds",
        "8",
        "--most",
        "2",
        "--rounds",
        "0",
    ]
    ended = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=300
    )
    # 1: others use this machine too
    assert ended.returncode in (0, 1) and not ended.stderr, ended.stderr
    figures = dict(
        re.findall(
            r"^ *([\d.]+) (steps of one second a second by 2|ms from commit|claims)",
            ended.stdout,
            re.MULTILINE,
        )
    )
    by_name = {name: float(figure) for figure, name in figures.items()}
    assert (
        by_name["steps of one second a second by 2"] > 0.5
        and by_name["ms from commit"] < 1000
        and by_name["claims"] > 1
    )
