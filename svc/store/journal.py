"""A journal: lines that survive a crash of their process until they are in the database, written
without a system call.

The lines are in a memory-mapped file with two halves that alternate: while the content of one is
written to the database, new lines go to the other. A power failure may lose them, like the last
transactions that were not durable.
"""

import fcntl
import mmap
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from svc.base import disk

_HALF = 256 * 1024  # bytes


class Journal:
    """The journal of this process, in a folder with those of other processes.

    Calls must not overlap.
    """

    def __init__(self, folder: Path):
        folder.mkdir(mode=0o700, exist_ok=True)
        self._path = folder / f"{uuid.uuid4().hex}.journal"
        with _lock_recovery(folder):  # no other process treats it as a leftover before it is locked
            self._file = os.open(
                self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600
            )
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            disk.reserve(self._file, 0, 2 * _HALF)
        except OSError:
            self._path.unlink(missing_ok=True)
            os.close(self._file)
            raise
        self._memory = mmap.mmap(self._file, 2 * _HALF)
        self._begin = self._end = 0

    def append(self, line: bytes) -> bool:
        """Append a line, given without its line end. Return False if the current half is full."""
        end = self._end + len(line) + 1
        if end >= self._begin + _HALF:
            return False
        self._memory[self._end : end + 1] = line + b"\n\0"
        self._end = end
        return True

    def change_halves(self) -> None:
        """Switch to the other half. :meth:`clear` has emptied it,
        or it still has lines that could not be written.
        """
        self._begin = self._end = _HALF - self._begin
        while self._memory[self._end]:
            self._end = self._memory.find(b"\0", self._end)

    def clear(self) -> None:
        """Empty the other half, because its lines are in the database."""
        self._memory[_HALF - self._begin] = 0

    def close(self, *, remove: bool = True) -> None:
        """Close the journal.

        ``remove``: all lines are in the database; otherwise the file is a leftover for the next
        start.
        """
        self._memory.close()
        if remove:
            self._path.unlink(missing_ok=True)
        os.close(self._file)


def is_in_use(folder: Path) -> bool:
    """Return whether a living process has a journal in the folder. Nothing is created there."""
    try:
        lock = os.open(folder / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # no process is about to lock its own
        return any(map(_is_alive, folder.glob("*.journal")))
    except BlockingIOError:
        return True  # one is starting
    except OSError:
        return False
    finally:
        os.close(lock)


@contextmanager
def read_leftovers(folder: Path) -> Iterator[list[bytes]]:
    """Yield the lines of journals whose processes have died.

    They are removed if the block succeeds; other processes wait.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    with _lock_recovery(folder):
        dead = [path for path in sorted(folder.glob("*.journal")) if _is_dead(path)]
        yield [line for path in dead for line in _split_lines(path.read_bytes())]
        for path in dead:
            path.unlink()


@contextmanager
def _lock_recovery(folder: Path) -> Iterator[None]:
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _is_alive(path: Path) -> bool:
    try:
        return not _is_dead(path)
    except OSError:  # it is closed at this moment, or another user's
        return False


def _is_dead(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _split_lines(memory: bytes) -> Iterator[bytes]:
    for begin in (0, _HALF):
        yield from memory[begin : begin + _HALF].partition(b"\0")[0].splitlines()
