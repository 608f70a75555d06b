"""An event that is set when this process is told to end; a signal handler may set it."""

import os
import select
import time

# How often a wait looks for a signal: one that comes just before the system call runs its handler
# only after it.
_LOOK_SECONDS = 0.25


class Ending:
    """An event with the methods of :class:`threading.Event`, whose ``set`` takes no lock.

    A handler runs in the main thread, between any two of its instructions; ``threading.Event.set``
    would wait for the lock of a ``wait`` that it has interrupted, without end.
    """

    def __init__(self) -> None:
        self._set = False
        self._reader, self._writer = os.pipe()

    def __del__(self) -> None:
        os.close(self._reader)
        os.close(self._writer)

    def is_set(self) -> bool:
        """Return whether it is set."""
        return self._set

    def set(self) -> None:
        """Set it, and end every ``wait``. It stays set."""
        if not self._set:
            self._set = True
            # never read, so that the pipe stays readable for all who wait
            os.write(self._writer, b"x")

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it is set, for ``seconds`` at most; return whether it is set."""
        ends_at = None if seconds is None else time.monotonic() + seconds
        poll = select.poll()
        poll.register(self._reader, select.POLLIN)
        while not self._set:
            patience = (
                _LOOK_SECONDS if ends_at is None else min(_LOOK_SECONDS, ends_at - time.monotonic())
            )
            poll.poll(max(0.0, patience) * 1000)
            if ends_at is not None and time.monotonic() >= ends_at:
                break
        return self._set
