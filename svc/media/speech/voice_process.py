"""Runs a voice in a process of its own, which reads a job as JSON and writes, for each text, a line
of JSON followed by its samples.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from svc.base.processes import pipes


@contextmanager
def run_voice(
    command: list[str],
    environment: dict[str, str],
    job: dict[str, Any],
    errors: int = subprocess.PIPE,
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a voice's process with a job, and kill it when the block ends.

    ``errors``: where its standard error goes, as in :class:`subprocess.Popen`.
    """
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env=environment,
        cwd=os.sep,
    ) as process:
        try:
            # a process that has ended is noticed when its output is read
            with suppress(BrokenPipeError):
                pipes.end_of_pipe(process.stdin).write(json.dumps(job).encode())
                pipes.end_of_pipe(process.stdin).close()
            yield process
        finally:
            process.kill()


def read_reason(process: subprocess.Popen[bytes]) -> str:
    """Return why a process ended: the last line of its standard error."""
    errors = pipes.end_of_pipe(process.stderr).read().decode(errors="replace")
    lines = errors.strip().splitlines()
    return lines[-1] if lines else "it gave no reason"
