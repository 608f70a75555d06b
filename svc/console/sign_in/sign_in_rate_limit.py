"""Limits the rate of requests for the sign-in pages by network, before the application runs.

It counts in the memory of each process; svc.domain.people.throttle counts exactly for all
processes, at a hundred times the cost. A network has a burst of :data:`BURST` requests, refilled by
one each second.
"""

import threading
import time
from collections.abc import Callable
from http import HTTPStatus

from svc.base import client_addresses

PATHS = ("/console/sign-in", "/console/welcome/")
BURST = 60  # requests
PER_SECOND = 1.0  # refilled each second
_MOST = 10_000  # networks that are tracked
_PAGE = (
    b"<!doctype html><meta charset=utf-8><title>Too many attempts</title><h1>Too many attempts</h1>"
    b"<p>Too many attempts to sign in came from your network. Wait a minute before you try "
    b"again.</p>"
)
_RETRY_SECONDS = 60
_STATUS = f"{HTTPStatus.TOO_MANY_REQUESTS.value} {HTTPStatus.TOO_MANY_REQUESTS.phrase}"
_HEADERS = [
    ("Content-Type", "text/html; charset=utf-8"),
    ("Content-Length", str(len(_PAGE))),
    ("Retry-After", str(_RETRY_SECONDS)),
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("Content-Security-Policy", "default-src 'none'"),
    ("Referrer-Policy", "no-referrer"),
]


class SignInRateLimit:
    """WSGI middleware. ``clock``: monotonic seconds."""

    def __init__(self, application: Callable, clock: Callable[[], float] = time.monotonic):
        self._application, self._clock = application, clock
        self._lock = threading.Lock()
        # network to its remaining requests, and the time of that count
        self._left: dict[str, tuple[float, float]] = {}

    def __call__(self, environ: dict, start_response: Callable):
        if environ["PATH_INFO"].startswith(PATHS) and not self._admit(
            environ.get("REMOTE_ADDR", "")
        ):
            start_response(_STATUS, _HEADERS)
            return [_PAGE]
        return self._application(environ, start_response)

    def _admit(self, address: str) -> bool:
        network, now = client_addresses.find_network(address), self._clock()
        with self._lock:
            left, at = self._left.get(network, (float(BURST), now))
            left = min(float(BURST), left + (now - at) * PER_SECOND)
            if network not in self._left and len(self._left) >= _MOST:
                self._left = {
                    name: each
                    for name, each in self._left.items()
                    if now - each[1] < BURST / PER_SECOND
                }
                if len(self._left) >= _MOST:
                    # too many networks to track: svc.domain.people.throttle still counts them
                    self._left = {}
            self._left[network] = (left - 1 if left >= 1 else left, now)
            return left >= 1
