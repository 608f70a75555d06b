"""The processes of a group, and how long they wait for a processor,
as Linux tells it below ``/proc``.
"""

import os
from contextlib import suppress


def list_members(group: int) -> list[int]:
    """Return the ids of a group's processes; empty on a system without ``/proc``."""
    try:
        return [
            int(entry.name)
            for entry in os.scandir("/proc")
            if entry.name.isdigit() and _group(entry.path) == group
        ]
    except OSError:
        return []


def read_thread_waits(group: int) -> dict[int, float]:
    """Return for each thread of a group's processes the seconds for which it was ready to run and
    had no processor.

    Empty where the system does not count that. Source: Linux,
    Documentation/scheduler/sched-stats.rst, "/proc/<pid>/schedstat".
    """
    waits: dict[int, float] = {}
    for process in list_members(group):
        with suppress(OSError):  # it has ended
            for thread in os.scandir(f"/proc/{process}/task"):
                with suppress(OSError, IndexError), open(f"{thread.path}/schedstat", "rb") as file:
                    waits[int(thread.name)] = int(file.read().split()[1]) / 1e9
    return waits


def _group(process: str) -> int:
    try:
        with open(f"{process}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[2])
    except (OSError, IndexError):
        return 0  # the process has ended
