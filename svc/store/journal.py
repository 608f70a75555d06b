"""A journal: lines that outlive the death of their process until they are in the database, without a call of the system.

The lines are in a file mapped into memory, in two halves that take turns: while what is in one is being written to the
database, new lines go into the other. A failing power supply may lose them, as it may the last transactions that nobody
was told of.
"""

import fcntl
import mmap
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_HALF = 256 * 1024  # bytes


class Journal:
    """The journal of this process, in a folder where those of others are. Callers take turns."""

    def __init__(self, folder: Path):
        folder.mkdir(mode=0o700, exist_ok=True)
        self._path = folder / f"{uuid.uuid4().hex}.journal"
        with _recovering(folder):  # nobody else takes it for a leftover before it is locked
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.pwrite(self._file, bytes(2 * _HALF), 0)  # written, not a hole: a full disk is met here
        self._memory = mmap.mmap(self._file, 2 * _HALF)
        self._begin = self._end = 0

    def append(self, line: bytes) -> bool:
        """Enter a line without its end of line; False: there is no room before the halves change."""
        end = self._end + len(line) + 1
        if end >= self._begin + _HALF:
            return False
        self._memory[self._end : end + 1] = line + b"\n\0"
        self._end = end
        return True

    def change_halves(self) -> None:
        """Enter what follows into the other half: :meth:`clear` has emptied it, or it holds what could not be written."""
        self._begin = self._end = _HALF - self._begin
        while self._memory[self._end]:
            self._end = self._memory.find(b"\0", self._end)

    def clear(self) -> None:
        """Everything that was entered before the halves changed is in the database."""
        self._memory[_HALF - self._begin] = 0

    def close(self, *, remove: bool = True) -> None:
        """End the journal. ``remove``: everything is in the database; otherwise it is a leftover for the next start."""
        self._memory.close()
        if remove:
            self._path.unlink(missing_ok=True)
        os.close(self._file)


@contextmanager
def leftovers(folder: Path) -> Iterator[list[bytes]]:
    """The lines of journals whose processes have died, which are removed when the block ends well. Others wait meanwhile."""
    folder.mkdir(mode=0o700, exist_ok=True)
    with _recovering(folder):
        dead = [path for path in sorted(folder.glob("*.journal")) if _is_dead(path)]
        yield [line for path in dead for line in _lines(path.read_bytes())]
        for path in dead:
            path.unlink()


@contextmanager
def _recovering(folder: Path) -> Iterator[None]:
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _is_dead(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _lines(memory: bytes) -> Iterator[bytes]:
    for begin in (0, _HALF):
        yield from memory[begin : begin + _HALF].partition(b"\0")[0].splitlines()
