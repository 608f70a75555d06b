"""The lock of a data directory, held by the process that drives its work: only one can, whatever
becomes of the lock's file.

Earlier releases lock ``driver.lock`` alone. That file can be replaced below the process that holds
it, and then be locked once more: so the directory itself is locked, too, which nobody can replace
while its database is in use.
"""

import fcntl
import os
from pathlib import Path

NAME = "driver.lock"


class DriverLock:
    """A context manager that opens the lock, and releases it at its end.

    OSError: it cannot be opened.
    """

    def __init__(self, data_dir: Path):
        self._data_dir = data_dir
        self._descriptors: list[int] = []

    def __enter__(self) -> "DriverLock":
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def take(self) -> bool:
        """Try to take the lock, and return whether this process has it.

        OSError: it cannot be opened.
        """
        if self._descriptors:
            return True
        try:
            for path, flags in (
                (self._data_dir, os.O_DIRECTORY),
                (self._data_dir / NAME, os.O_RDWR | os.O_CREAT),
            ):
                self._descriptors.append(os.open(path, flags | os.O_CLOEXEC, 0o666))
                fcntl.flock(self._descriptors[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._close()
            return False
        except BaseException:
            self._close()
            raise
        return True

    def _close(self) -> None:
        while self._descriptors:
            os.close(self._descriptors.pop())
