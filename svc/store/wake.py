"""The wake-up after a commit: a FIFO in the data directory, with which any process wakes the
engine.

Where several machines share the database, a job that is committed with it tells another one.
"""

import functools
import os
import select
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from svc.store.database import db


def find_fifo_path() -> Path:
    """Return the path of the FIFO of the open database."""
    return Path(_fifo(db.path()))


@functools.lru_cache(maxsize=1)
def _fifo(of_database: Path) -> str:
    return str(of_database.with_name("wake"))


def wake_on_commit(queue: Callable[[], str | None] | None = None) -> None:
    """Wake the engine when the present transaction has been committed.

    ``queue``: returns the queue of a job that tells other machines; None: there is nothing to tell.
    """
    db.after_commit(wake_engine)
    if queue is not None:
        db.announce(queue)


def wake_engine() -> None:
    """Wake the engine now.

    If no engine is listening, do nothing: its periodic ticks find the work too.
    """
    try:
        descriptor = os.open(_fifo(db.path()), os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.write(descriptor, b"w")
    except (BlockingIOError, BrokenPipeError):
        # the FIFO is full, or the engine has just ended and the next one looks for work when it
        # starts
        pass
    finally:
        os.close(descriptor)


class Alarm:
    """The engine's end of the FIFO."""

    def __init__(self) -> None:
        path = find_fifo_path()
        if not path.exists():
            os.mkfifo(path, 0o600)
        self._descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)

    def wait(self, seconds: float) -> bool:
        """Sleep until a wake-up or for ``seconds``; return whether there was one.

        Queued wake-ups count as one.
        """
        ready, _, _ = select.select([self._descriptor], [], [], seconds)
        if ready:
            with suppress(BlockingIOError):  # another reader of this process was faster
                os.read(self._descriptor, 65536)
        return bool(ready)

    def close(self) -> None:
        os.close(self._descriptor)
