"""The speed of an upload: how long to hold the next bytes back,
so that a connection keeps its limit.
"""

import time
from collections.abc import Callable


class Pace:
    """Counts the bytes of one attempt.

    Nothing is saved up while a place is slow, so that no burst follows.
    """

    def __init__(self, bytes_per_second: int | None, steady: Callable[[], float] = time.monotonic):
        """``bytes_per_second``: None: there is no limit.

        ``steady``: a clock that cannot be set, in seconds.
        """
        self._rate, self._steady, self._free_at = bytes_per_second, steady, 0.0

    def next_time_after(self, number: int) -> float:
        """Count bytes that were sent, and return the time of ``steady`` at which more may be."""
        if self._rate:
            self._free_at = max(self._free_at, self._steady()) + number / self._rate
        return self._free_at
