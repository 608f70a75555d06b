"""Calling programs that did not make what they judge."""

import shutil
import subprocess
from pathlib import Path

import pytest

# ffprobe decodes no track of chapters, which is text
CHAPTERS = ("Unsupported codec with id 98314",)


def judge(*command: str | Path, bears: tuple[str, ...] = ()) -> str:
    """What a judge prints on standard output, with nothing to complain of on standard error but
    lines that begin like one of ``bears``: quirks of the judge itself."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    complaints = [
        line for line in done.stderr.splitlines() if not (bears and line.startswith(bears))
    ]
    assert (done.returncode, complaints) == (0, [])
    return done.stdout


def one_line(text: str) -> str:
    return " ".join(text.split())


def seconds(timestamp: str) -> float:
    """``00:01:02.500`` as seconds; webvtt-py's own figure is cut to whole ones."""
    hours, minutes, rest = timestamp.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)
