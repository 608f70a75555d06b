"""A service with a user of its own, on a machine where root runs the tests: who it is, and that it
can run this program.

Where Python lies in root's own folder, which nobody else may enter, the programs are started in a
mount namespace of their own (``unshare --mount``) in which that folder shows Python alone.
"""

import os
import stat
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SERVICE = 65534  # a user that every machine has, and that nothing here belongs to
_SHOW = """
set -e
mount --bind "$2" "$3"; mount -t tmpfs -o mode=755 tmpfs "$1"
mkdir -p "$2"; mount --bind "$3" "$2"
shift 3; exec "$@"
"""


def reach() -> list[str]:
    """What a command line begins with, so that the service's user may run it.

    Skips the test where that cannot be.
    """
    if os.geteuid():
        pytest.skip("only root can be somebody else")
    hidden = _hidden(Path(sys.base_prefix))
    if any(_hidden(each) for each in (ROOT, Path(sys.prefix))):
        pytest.skip("another user may not read this program")
    if hidden is None:
        return []
    between = tempfile.mkdtemp(prefix="python.")
    return ["unshare", "--mount", "sh", "-c", _SHOW, "sh", str(hidden), sys.base_prefix, between]


def _hidden(path: Path) -> Path | None:
    """The topmost folder on the way to ``path`` that others may not pass through."""
    way = [*reversed(path.resolve().parents), path.resolve()]
    return next((each for each in way if not stat.S_IMODE(each.stat().st_mode) & 0o001), None)


def as_service(command: list[str]) -> list[str]:
    """The command, run by the service's user."""
    return [
        *reach(),
        "setpriv",
        f"--reuid={SERVICE}",
        f"--regid={SERVICE}",
        "--clear-groups",
        "--",
        *command,
    ]
