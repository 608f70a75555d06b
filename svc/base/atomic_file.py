"""Atomic writes of files: the content is written to ``NAME.part`` in the same folder,
which is then renamed.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

ENDING = ".part"


@contextmanager
def reserve_part(path: Path, *, unique: bool = False) -> Iterator[Path]:
    """Yield the path of a part file beside ``path``, and remove that file afterwards, unless it was
    renamed.

    Args:
        unique: Give the part file a unique name, because several processes may write ``path`` at
            once.
    """
    infix = f".{os.getpid()}-{os.urandom(4).hex()}" if unique else ""
    partial = path.with_name(f"{path.name}{infix}{ENDING}")
    try:
        yield partial
    finally:
        with suppress(OSError):  # if removing fails too, the earlier error is the one to report
            partial.unlink(missing_ok=True)


@contextmanager
def replace(path: Path, *, unique: bool = False) -> Iterator[Path]:
    """Yield the path of a part file to write, which is renamed to ``path`` if the block ends
    without an error.
    """
    with reserve_part(path, unique=unique) as partial:
        yield partial
        partial.replace(path)


@contextmanager
def open_durably(path: Path, mode: int = 0o600) -> Iterator[IO[bytes]]:
    """Open a file for writing and fsync it afterwards.

    ``mode``: of a new file, before the umask.
    """
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def write_durably(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Write a file atomically, and fsync its content before the rename;
    :func:`sync_folder` makes the name durable.
    """
    with replace(path) as partial, open_durably(partial, mode) as file:
        file.write(content)


def write_text(path: Path, text: str) -> None:
    """Write a file atomically in UTF-8, with line feeds on every system."""
    with replace(path) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")


def rename_durably(source: Path, path: Path) -> None:
    """Rename ``source``, a finished file in the folder of ``path``, to ``path``.

    The content is fsynced before the rename, and the folder after it, so that a power failure
    leaves the earlier file or the whole new one.
    """
    sync(source)
    source.replace(path)
    sync_folder(path.parent)


def sync(path: Path) -> None:
    """Fsync a file that another program or function has written."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Fsync a folder, so that the names in it are durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
