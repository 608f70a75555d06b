"""Opens files that a step has written, which are untrusted: its input may be an attack on it."""

import os
import stat
from pathlib import Path


def open_untrusted(path: str, flags: int) -> int:
    """Open a file without following a symbolic link and without waiting for a pipe."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)


def require_file(descriptor: int, source: Path) -> None:
    """Raise ValueError unless an open descriptor is a regular file."""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise ValueError(f"{source.name} is not a file")
