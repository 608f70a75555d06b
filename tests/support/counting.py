"""How much work a call is, counted in steps of Python and not in seconds,
so that it is the same on every machine.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def lines_run(call: Callable[[], object]) -> int:
    """Return how many lines of Python ``call`` runs in this thread.

    A call of C, such as a search by a pattern, is no line.
    """
    lines = 0

    def trace(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return lines


def functions_called(call: Callable[[], object]) -> list[str]:
    """Return the names of the functions that ``call`` calls in this thread, in their order:
    those of Python and of C.
    """
    names: list[str] = []

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            names.append(frame.f_code.co_name)
        elif event == "c_call":
            names.append(argument.__name__)

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(before)
    return names[1:-1]  # without the call itself, and without the end of the profile
