"""The timekeeper: notices that the clock was set, which a machine that slept is not."""

import time
from collections.abc import Callable
from pathlib import Path

_TOLERANCE = 5_000  # ms; less is no jump: clocks are nudged
# Goes on while the machine sleeps, where the system has it.
_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def steady() -> int:
    """Milliseconds that pass however the clock is set."""
    return time.clock_gettime_ns(_STEADY) // 1_000_000


def boot() -> str:
    """Which start of the machine this is: steady time begins with it. Empty where the system does not say."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""


class Timekeeper:
    """Compares the clock with time that cannot be set. ``difference``: milliseconds by which the clock is ahead of that, with
    every jump that was followed."""

    def __init__(self, clock: Callable[[], int], steady: Callable[[], int] = steady):
        self._clock, self._steady = clock, steady
        self.boot = boot()
        self.difference = clock() - steady()

    def resume(self, known: int | None) -> None:
        """Go on from the difference that another process left, which may have died before the clock was set, or have followed
        jumps that this one saw too. None: there was none."""
        self.difference = self._clock() - self._steady() if known is None else known

    def notice_jump(self) -> int:
        """By how many milliseconds the clock was set, and nobody has :meth:`followed`; 0: it was not."""
        moved = self._clock() - self._steady() - self.difference
        if abs(moved) > _TOLERANCE:
            return moved
        self.difference += moved
        return 0

    def followed(self, jump: int) -> None:
        """What waits for a time was moved by ``jump``."""
        self.difference += jump
