"""For tests/bench/media.py: the steps of a whole production, each in a process of its own,
as the service runs them.
"""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from svc.base import steps
from svc.base.processes import confinement, entry_points
from svc.base.processes.entry_points import Process
from svc.work.step_process.config import StepConfig


@dataclass(frozen=True)
class Cost:
    wall: float  # seconds
    cpu: float  # seconds
    megabytes: float  # of the largest process


def of_each(folder: Path) -> dict[str, Cost]:
    """Make all files from ``brief.json`` in ``folder``, with nothing from a cache."""
    return {name: _step(name, folder) for name, _ in steps.STEPS}


def total(costs: dict[str, Cost]) -> Cost:
    """Return what the steps cost one after the other."""
    return Cost(
        sum(cost.wall for cost in costs.values()),
        sum(cost.cpu for cost in costs.values()),
        max(cost.megabytes for cost in costs.values()),
    )


def _step(name: str, folder: Path) -> Cost:
    began = time.monotonic()
    with (folder / "said.txt").open("wb") as said:
        child = subprocess.Popen(
            [sys.executable, "-P", *entry_points.list_arguments(Process.STEP), name, str(folder)],
            stdin=subprocess.PIPE,
            stdout=said,
            stderr=said,
            cwd=folder,
            start_new_session=True,
            env=confinement.make_environment(folder),
        )
        with child:
            child.stdin.write(StepConfig().to_json().encode() + b"\n")
            child.stdin.flush()
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = status
    if not (folder / "said.txt").read_bytes().rstrip().endswith(b'{"done": true}'):
        sys.exit(
            f"the step {name} failed:\n{(folder / 'said.txt').read_text(errors='replace')[-2000:]}"
        )
    return Cost(time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
