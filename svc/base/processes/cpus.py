"""Chooses the processors of threads: those of requests share one, as only one of them holds the
interpreter's lock at a time.

Where each could wake on another processor, handing the lock on costs more than most requests
compute: 20 to 120 µs on a virtual machine of two processors, 3 µs on one
(``python -m tests.bench.machinery``).

Linux only; elsewhere nothing here has an effect.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

# The processors of this process, once one of its threads is kept on one; None: no thread is.
_all: set[int] | None = None


def keep_on_one(number: int, siblings: Sequence[int] = ()) -> None:
    """Keep the calling thread, and the threads that it starts from now on, on one processor.

    Args:
        number: Begin with this one of the processors that the process may use, counted around.
        siblings: Processes that do the same; the processor with the fewest of them is taken.
    """
    global _all
    if not hasattr(os, "sched_setaffinity"):
        return
    allowed = os.sched_getaffinity(0)
    pinned = [cpu for pid in siblings for cpu in _read_pinned_cpu(pid)]
    first = number % len(allowed)
    cpus = sorted(allowed)
    chosen_cpu = min(cpus[first:] + cpus[:first], key=pinned.count)
    with suppress(OSError):  # a filter of system calls may refuse it
        os.sched_setaffinity(0, {chosen_cpu})
        _all = allowed


def list_siblings() -> list[int]:
    """Return the other processes of this one's parent; none where the kernel does not list them."""
    parent = os.getppid()
    try:
        pids = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    except OSError:
        return []
    return [int(pid) for pid in pids if int(pid) != os.getpid()]


def use_all(thread: int = 0) -> None:
    """Let a thread that was started from one that is kept on one processor run on all that this
    process may use: one that computes without the interpreter's lock.

    ``thread``: its identifier in the kernel, or that of a process with one thread; 0: the calling
    thread.
    """
    if _all is not None:
        os.sched_setaffinity(thread, _all)


def _read_pinned_cpu(pid: int) -> set[int]:
    """Return the one processor that a process is kept on; none if it has several, or has ended."""
    try:
        allowed = os.sched_getaffinity(pid)
    except OSError:
        return set()
    return allowed if len(allowed) == 1 else set()
