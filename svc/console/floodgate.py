"""Refuses a network that asks for the sign-in pages faster than people do, before a session or a template costs anything.

In front of the application, in the memory of each process: what svc.domain.throttle counts is exact and shared, and costs a
hundred times as much. A network has :data:`BURST` requests at once, and one more each second.
"""

import threading
import time
from collections.abc import Callable
from http import HTTPStatus

from svc.domain import throttle

PATHS = ("/console/sign-in", "/console/welcome/")
BURST = 60  # requests
PER_SECOND = 1.0  # of them that come back
_MOST = 10_000  # networks that are remembered
_PAGE = (
    b"<!doctype html><meta charset=utf-8><title>Too many attempts</title><h1>Too many attempts</h1>"
    b"<p>Too many attempts to sign in came from your network. Wait a minute before you try again.</p>"
)
_RETRY_SECONDS = 60
_STATUS = f"{HTTPStatus.TOO_MANY_REQUESTS.value} {HTTPStatus.TOO_MANY_REQUESTS.phrase}"
_HEADERS = [
    ("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(_PAGE))), ("Retry-After", str(_RETRY_SECONDS)),
    ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("Content-Security-Policy", "default-src 'none'"),
]  # fmt: skip


class Floodgate:
    """WSGI middleware. ``clock``: seconds that only grow."""

    def __init__(self, application: Callable, clock: Callable[[], float] = time.monotonic):
        self._application, self._clock = application, clock
        self._lock = threading.Lock()
        self._left: dict[str, tuple[float, float]] = {}  # by network: how many requests are left, and as of when

    def __call__(self, environ: dict, start_response: Callable):
        if environ["PATH_INFO"].startswith(PATHS) and not self._admit(environ.get("REMOTE_ADDR", "")):
            start_response(_STATUS, _HEADERS)
            return [_PAGE]
        return self._application(environ, start_response)

    def _admit(self, address: str) -> bool:
        network, now = throttle.network(address), self._clock()
        with self._lock:
            left, at = self._left.get(network, (float(BURST), now))
            left = min(float(BURST), left + (now - at) * PER_SECOND)
            if network not in self._left and len(self._left) >= _MOST:
                self._left = {name: each for name, each in self._left.items() if now - each[1] < BURST / PER_SECOND}
                if len(self._left) >= _MOST:
                    self._left = {}  # so many networks at once: svc.domain.throttle still counts them
            self._left[network] = (left - 1 if left >= 1 else left, now)
            return left >= 1
