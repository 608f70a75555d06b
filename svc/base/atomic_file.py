"""Files that appear under their name only when they are whole: written as ``NAME.part`` beside it, then renamed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

ENDING = ".part"


@contextmanager
def part_of(path: Path, *, unique: bool = False) -> Iterator[Path]:
    """Give the path of a part file beside ``path``, and remove that file afterwards, unless it was renamed.

    Args:
        unique: Whether several processes may write ``path`` at once, so that each needs a part file of its own.
    """
    own = f".{os.getpid()}-{os.urandom(4).hex()}" if unique else ""
    partial = path.with_name(f"{path.name}{own}{ENDING}")
    try:
        yield partial
    finally:
        with suppress(OSError):  # where it may not be removed either, what went wrong before is the error to be seen
            partial.unlink(missing_ok=True)


@contextmanager
def replacing(path: Path, *, unique: bool = False) -> Iterator[Path]:
    """Give the path of a part file to write to, which becomes ``path`` on leaving without an error."""
    with part_of(path, unique=unique) as partial:
        yield partial
        partial.replace(path)


@contextmanager
def durable(path: Path, mode: int = 0o600) -> Iterator[IO[bytes]]:
    """Open a file to be written, which is on the disk afterwards. ``mode``: of a new file, less the umask."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def write_durably(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Write a whole file, whose content is on the disk before it has its name; see :func:`sync_folder` for the name."""
    with replacing(path) as partial, durable(partial, mode) as file:
        file.write(content)


def write_text(path: Path, text: str) -> None:
    """Write a whole file in UTF-8, with line feeds on every system."""
    with replacing(path) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
