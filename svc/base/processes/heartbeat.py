"""Signs of life of a step's work: called from the loops that do the work, and never by a timer of their own."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_EVERY = 1.0  # seconds: more often says nothing new
_tell: Callable[[float], None] | None = None
_told = 0.0


def tell(call: Callable[[float], None]) -> None:
    """From now on ``call`` hears of each sign of life, with the seconds for which there may be none."""
    global _tell
    _tell = call


def beat() -> None:
    """The work goes on. Costs next to nothing where it is called often, or where nobody listens."""
    global _told
    if _tell is not None and time.monotonic() - _told >= _EVERY:
        _told = time.monotonic()
        _tell(0.0)


@contextmanager
def waiting(seconds: float) -> Iterator[None]:
    """Inside, an answer is waited for that may take so long, and has a deadline of its own."""
    if _tell is not None:
        _tell(seconds)
    try:
        yield
    finally:
        if _tell is not None:
            _tell(0.0)
