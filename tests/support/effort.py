"""How much work a call does, as a number that is the same on every machine: steps of Python, or of SQLite's virtual machine."""

import sys
from collections.abc import Callable

from svc.store.sqlite import engine


def steps_of(call: Callable[[], object]) -> int:
    """Call it, and return how many lines and calls this thread ran meanwhile: one of a loop counts each time.

    Calls of C count as one, however long they take.
    """
    steps = 0

    def count(_frame, event, _argument):
        nonlocal steps
        steps += event in ("line", "call")
        return count

    def count_of_c(_frame, event, _argument):
        nonlocal steps
        steps += event == "c_call"

    traced, profiled = sys.gettrace(), sys.getprofile()
    sys.settrace(count)
    sys.setprofile(count_of_c)
    try:
        call()
    finally:
        sys.setprofile(profiled)
        sys.settrace(traced)
    return steps


def sqlite_steps_of(call: Callable[[], object]) -> int:
    """Call it, and return how many instructions SQLite ran meanwhile on the connection of this process."""
    steps = 0

    def count():
        nonlocal steps
        steps += 1

    connection = engine.database.connection()
    connection.set_progress_handler(count, 1)
    try:
        call()
    finally:
        connection.set_progress_handler(None, 1)
    return steps
