"""Writing a file so that it appears under its name only when it is whole."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Give a name beside ``path`` to write to; on leaving without an error it becomes ``path``."""
    partial = path.with_name(path.name + ".part")
    yield partial
    partial.replace(path)


def sync(path: Path) -> None:
    """See to it that what was written is on the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def write_text(path: Path, text: str) -> None:
    """UTF-8, with line feeds on every system."""
    with atomic_write(path) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")
