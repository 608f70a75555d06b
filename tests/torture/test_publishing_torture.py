"""Places under torture: a few posts of what ``python -m tests.torture.publishing`` does
a hundred times.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from svc.platforms import PLACES
from tests.torture.publishing import DISTURBED

SCHEDULING = [name for name in DISTURBED if PLACES[name].description.schedules]
pytestmark = [pytest.mark.slow, pytest.mark.judges]


@pytest.mark.parametrize(("options", "kinds"), [((), DISTURBED), (("--later",), SCHEDULING)])
def test_nothing_is_there_twice_or_lost_after_kills_cuts_and_refusals(options, kinds):
    command = [sys.executable, "-m", "tests.torture.publishing", "--times", "5", *options]
    done = subprocess.run(
        command,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("wrong: nothing") == len(kinds)
