"""What the doctor says: findings, each with a verdict and the command that mends it."""

import fcntl
import shlex
from dataclasses import dataclass
from pathlib import Path

from svc.base.settings import Settings

OK, WARNING, PROBLEM = "ok", "warning", "problem"

_LOCKS = Path("/proc/locks")  # Linux; elsewhere nobody is named


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. ``verdict``: ok, warning or problem. ``mend``: the command or setting that helps."""

    name: str
    verdict: str
    text: str
    mend: str | None = None


def quoted(path: Path) -> str:
    """A path as a shell takes it."""
    return shlex.quote(str(path))


def is_locked(path: Path) -> bool:
    """Whether some process holds ``path`` by flock, in whatever way; nothing is made where it is not there."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return False
    except BlockingIOError:
        return True
    except OSError:
        return False


def holders(path: Path, kind: str, byte: int | None = None) -> list[int]:
    """The processes that hold a write lock on ``path``, as far as the machine says. ``kind``: "FLOCK" or "POSIX"; ``byte``: of
    the file, which has to be within what is locked."""
    try:
        inode, lines = path.stat().st_ino, _LOCKS.read_text("ascii").splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        words = line.split()
        if "->" in words or len(words) < 8 or words[1] != kind or words[3] != "WRITE":
            continue
        first, last = int(words[6]), float("inf") if words[7] == "EOF" else int(words[7])
        if int(words[5].split(":")[2]) == inode and (byte is None or first <= byte <= last) and int(words[4]) > 0:
            found.append(int(words[4]))
    return found


def program(process: int) -> str:
    """The name of a process, for people."""
    try:
        return Path(f"/proc/{process}/comm").read_text("utf-8", "replace").strip()
    except OSError:
        return "which has ended"


def is_driven(settings: Settings) -> bool:
    """Whether some process holds the lock of the engine."""
    return is_locked(settings.data_dir / "driver.lock")
