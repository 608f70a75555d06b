"""Writing files atomically: a file appears under its name only when it is complete."""

import os
from pathlib import Path

from svc.base import atomic_file

atomic_write = atomic_file.replacing
write_text = atomic_file.write_text


def sync(path: Path) -> None:
    """Flush the contents of ``path`` to the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
