"""One deadline for a whole exchange, however many requests and answers it consists of: at that
moment its connections are shut down.

The timeout of a socket begins anew with each byte that arrives, so a server that drips bytes keeps
a reader for ever. Code that cannot look at the clock before each read, such as a library's own
threads, has its sockets guarded by a deadline instead.
"""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Self

SLOWEST = 128 * 1024  # bytes a second that an upload has to reach


class Stop(Exception):
    """The exchange is aborted; the text is for the partner."""


class Deadline:
    """The end of an exchange, and the reason if it was aborted before. Thread-safe.

    As a context, it shuts the guarded connections down once its time is up; otherwise it only says
    how much time is left.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic):
        """``seconds``: from now on; may be infinite."""
        self._clock, self._seconds, self._ends_at = clock, seconds, clock() + seconds
        self._reason: Exception | None = None
        self._wires: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._ended = False

    def remaining_seconds(self) -> float:
        """Return the seconds until the end. It raises what :meth:`check` does."""
        self.check()
        return self._ends_at - self._clock()

    def check(self) -> None:
        """Raise the reason of the abort, or Stop if the time is up."""
        if self._reason is None and self._clock() >= self._ends_at:
            self.abort(self._make_timeout_error())
        if self._reason is not None:
            raise self._reason

    def extend(self, seconds: float) -> None:
        """Move the end, for a file to be sent, or for time in which this side held bytes back."""
        with self._lock:
            self._ends_at += seconds
            self._seconds += seconds

    def abort(self, reason: Exception) -> None:
        """End the exchange now: its connections are shut down,
        and the waiting thread gets ``reason``. The first one counts.
        """
        with self._lock:
            self._reason = self._reason or reason
            for wire in self._wires:
                _shut(wire)

    @contextmanager
    def guard(self, wire: socket.socket) -> Iterator[None]:
        """Shut down the connection of ``wire`` when the exchange ends before the block does.

        A duplicate of the descriptor is kept: it stays that of this connection when a library
        wraps, detaches or closes its own.
        """
        duplicate = socket.socket(fileno=os.dup(wire.fileno()))
        with self._lock:
            self._wires.add(duplicate)
            if self._reason is not None:
                _shut(duplicate)
        try:
            yield
        finally:
            with self._lock:
                self._wires.discard(duplicate)
            duplicate.close()

    def __enter__(self) -> Self:
        with self._lock:
            self._watch()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._ended = True
            if self._timer is not None:
                self._timer.cancel()

    def _watch(self) -> None:
        """Look again at the present end, unless the context has ended. The lock is held."""
        seconds = self._ends_at - self._clock()
        if not self._ended and self._reason is None and seconds < threading.TIMEOUT_MAX:
            self._timer = threading.Timer(max(0.0, seconds), self._check_expiry)
            self._timer.daemon = True
            self._timer.start()

    def _check_expiry(self) -> None:
        with self._lock:
            if self._clock() < self._ends_at:  # it was moved
                return self._watch()
        return self.abort(self._make_timeout_error())

    def _make_timeout_error(self) -> Stop:
        return Stop(f"timed out after {round(self._seconds, 1):g} s")


def _shut(wire: socket.socket) -> None:
    with suppress(OSError):  # the other side has closed it
        wire.shutdown(socket.SHUT_RDWR)
