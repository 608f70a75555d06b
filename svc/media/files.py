"""Writing a file so that it appears under its name only when it is whole."""

import os
from pathlib import Path

from svc.base import atomic_file

whole = atomic_file.replacing
write_text = atomic_file.write_text


def flush(path: Path) -> None:
    """See to it that what was written is on the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
