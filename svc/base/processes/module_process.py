"""Runs a module of this service in a process of its own, with JSON in and out, so that this process
does not load what it imports.

A module that reads what strangers wrote must be confined, too:
``svc.work.step_process.runner`` and ``svc.work.avatar_previews`` start such modules.
"""

import json
import os
import subprocess
import sys

from svc.base.processes import entry_points
from svc.base.processes.entry_points import ROOT, Process


def make_command(process: Process, *arguments: str) -> list[str]:
    """Return the command line that runs a module with :func:`make_environment`."""
    # -P: no module of the working directory takes the place of another one
    return [sys.executable, "-P", *entry_points.list_arguments(process), *arguments]


def make_environment() -> dict[str, str]:
    """Return the environment of a process that may read the settings, and that finds ``svc``
    wherever it runs.
    """
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def run_module(
    process: Process,
    *arguments: str,
    given: object = None,
    seconds: float | None = None,
    shows_errors: bool = False,
) -> subprocess.CompletedProcess[bytes]:
    """Run a module to its end.

    Args:
        given: What it reads from its standard input, as JSON.
        seconds: When it is ended; None: never.
        shows_errors: Let its errors appear where this process writes its own, rather than in the
            result.

    Raises:
        subprocess.TimeoutExpired: It was ended after ``seconds``.
    """
    return subprocess.run(
        make_command(process, *arguments),
        input=json.dumps(given).encode(),
        stdout=subprocess.PIPE,
        stderr=None if shows_errors else subprocess.PIPE,
        timeout=seconds,
        env=make_environment(),
        check=False,
    )


def find_last_line(errors: str, otherwise: str) -> str:
    """Return the last line of a process's standard error, which names the exception; ``otherwise``
    if it has no line.
    """
    lines = errors.strip().splitlines()
    return lines[-1] if lines else otherwise
