"""The speed of an upload: how long to hold the next bytes back, so that a connection keeps its limit."""

import time


class Pace:
    """Counts the bytes of one attempt. Nothing is saved up while a place is slow, so that no burst follows."""

    def __init__(self, bytes_per_second: int | None):
        """``bytes_per_second``: None: there is no limit."""
        self._rate, self._free_at = bytes_per_second, 0.0

    def after(self, number: int) -> float:
        """Count bytes that were sent, and return the time of ``time.monotonic`` at which more may be."""
        if self._rate:
            self._free_at = max(self._free_at, time.monotonic()) + number / self._rate
        return self._free_at
