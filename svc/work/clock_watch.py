"""The timekeeper: detects that the system clock was set, as opposed to a machine that slept."""

import time
from collections.abc import Callable
from pathlib import Path

_TOLERANCE = 5_000  # milliseconds; smaller differences come from time synchronisation
# A clock that also runs while the machine sleeps, if the system has one.
_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def read_steady_clock() -> int:
    """Return milliseconds of a clock that cannot be set."""
    return time.clock_gettime_ns(_STEADY) // 1_000_000


def read_boot_id() -> str:
    """Return an identifier of the present boot, with which steady time begins;
    empty if the system has none.
    """
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""


class ClockWatch:
    """Compares the system clock with steady time.

    ``difference``: milliseconds by which the clock is ahead of steady time, including every jump
    that was handled.
    """

    def __init__(self, clock: Callable[[], int], steady: Callable[[], int] = read_steady_clock):
        self._clock, self._steady = clock, steady
        self.boot = read_boot_id()
        self.difference = clock() - steady()

    def resume(self, known: int | None) -> None:
        """Continue from the difference that an earlier process stored; None: it stored none.

        The clock may have been set after that process died, or it may already have handled a jump
        that this one saw as well.
        """
        self.difference = self._clock() - self._steady() if known is None else known

    def notice_jump(self) -> int:
        """Return by how many milliseconds the clock was set since the last jump passed to
        :meth:`record_move`; 0: it was not.
        """
        moved = self.measure()
        if abs(moved) > _TOLERANCE:
            return moved
        self.difference += moved
        return 0

    def measure(self) -> int:
        """Return by how many milliseconds the clock moved against steady time since then."""
        return self._clock() - self._steady() - self.difference

    def record_move(self, jump: int) -> None:
        """Record that all due times were moved by ``jump`` milliseconds."""
        self.difference += jump
