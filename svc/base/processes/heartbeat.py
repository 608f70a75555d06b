"""Heartbeats of a step: sent from the loops that do the work, never from a timer."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_EVERY = 1.0  # seconds: more heartbeats would carry no information
_receive: Callable[[float], None] | None = None
_sent_at = 0.0


def set_receiver(call: Callable[[float], None]) -> None:
    """Set the function that receives each heartbeat, with the seconds until which no
    other need follow.
    """
    global _receive
    _receive = call


def send_heartbeat() -> None:
    """Send a heartbeat. The call is cheap, so it can be made often."""
    global _sent_at
    if _receive is not None and time.monotonic() - _sent_at >= _EVERY:
        _sent_at = time.monotonic()
        _receive(0.0)


@contextmanager
def expect_silence(seconds: float) -> Iterator[None]:
    """Wait inside for an answer that may take ``seconds`` and has its own timeout."""
    if _receive is not None:
        _receive(seconds)
    try:
        yield
    finally:
        if _receive is not None:
            _receive(0.0)
