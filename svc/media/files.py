"""Writing files atomically: a file appears under its name only when it is complete."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``, and rename it to ``path`` on leaving without an error."""
    partial = path.with_name(path.name + ".part")
    yield partial
    partial.replace(path)


def sync(path: Path) -> None:
    """Flush the contents of ``path`` to the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def write_text(path: Path, text: str) -> None:
    """Write ``text`` to ``path`` as UTF-8, with line feeds on every system."""
    with atomic_write(path) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")
