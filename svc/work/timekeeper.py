"""The timekeeper: notices that the clock was set, which a machine that slept is not."""

import time
from collections.abc import Callable

_TOLERANCE = 5_000  # ms; less is no jump: clocks are nudged
# Goes on while the machine sleeps, where the system has it.
_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def steady() -> int:
    """Milliseconds that pass however the clock is set."""
    return time.clock_gettime_ns(_STEADY) // 1_000_000


class Timekeeper:
    """Compares the clock with time that cannot be set."""

    def __init__(self, clock: Callable[[], int], steady: Callable[[], int] = steady):
        self._clock, self._steady = clock, steady
        self._difference = clock() - steady()

    def jump(self) -> int:
        """By how many milliseconds the clock was set since the last call; 0: it was not."""
        difference = self._clock() - self._steady()
        jumped = difference - self._difference
        self._difference = difference
        return jumped if abs(jumped) > _TOLERANCE else 0
