"""The doctor's findings, each with a verdict and the command that fixes the problem,
and helpers to inspect locks.
"""

import fcntl
import os
import shlex
from dataclasses import dataclass
from pathlib import Path

OK, WARNING, PROBLEM = "ok", "warning", "problem"

_LOCKS = Path("/proc/locks")  # Linux only; elsewhere no holder is reported


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    ``verdict``: ok, warning or problem. ``mend``: the command or setting that fixes it.
    """

    name: str
    verdict: str
    text: str
    mend: str | None = None


def quote(path: Path) -> str:
    """Return a path quoted for the shell."""
    return shlex.quote(str(path))


def is_locked(path: Path) -> bool:
    """Return whether some process holds a flock on ``path``, shared or exclusive.

    A missing file is not created.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)  # a folder, too
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)


def find_holders(path: Path, kind: str, byte: int | None = None) -> list[int]:
    """Return the ids of the processes that hold a write lock on ``path``, as far as the system
    reports them.

    ``kind``: "FLOCK" or "POSIX"; ``byte``: a position in the file that the lock must cover, or
    None.
    """
    try:
        inode, lines = path.stat().st_ino, _LOCKS.read_text("ascii").splitlines()
    except OSError:
        return []
    processes = []
    for line in lines:
        words = line.split()
        if "->" in words or len(words) < 8 or words[1] != kind or words[3] != "WRITE":
            continue
        first, last = int(words[6]), float("inf") if words[7] == "EOF" else int(words[7])
        if (
            int(words[5].split(":")[2]) == inode
            and (byte is None or first <= byte <= last)
            and int(words[4]) > 0
        ):
            processes.append(int(words[4]))
    return processes


def name_program(process: int) -> str:
    """Return the name of a process for display."""
    try:
        return Path(f"/proc/{process}/comm").read_text("utf-8", "replace").strip()
    except OSError:
        return "which has ended"


def is_driven(data_dir: Path) -> bool:
    """Return whether some process holds the lock of the engine."""
    # an earlier release locks the file alone
    return is_locked(data_dir) or is_locked(data_dir / "driver.lock")
