"""Looks up host names for partners' requests, within a deadline and with limits per partner and in total.

getaddrinfo cannot be cancelled: a late thread continues until it ends by itself. So two numbers are limited: the requests that
wait, each of which occupies a thread of the server, and the running lookups, including abandoned ones.
"""

import functools
import threading
from collections import Counter
from collections.abc import Callable

from svc.adapters import addresses
from svc.adapters.addresses import Allowed
from svc.base.errors import ServiceUnavailable

WAITING = 4  # requests of all partners: half of a server process's threads (svc.serving.gunicorn_config)
OF_ONE = 2  # lookups of one partner, including abandoned ones
RUNNING = 32  # lookups of all partners, including abandoned ones
AGAIN_SECONDS = 5

Lookup = Callable[..., list[str]]  # like addresses.look_up


class Resolver:
    """Looks up names for partners, and refuses immediately when a limit is reached. Thread-safe."""

    def __init__(self, look_up: Lookup = addresses.look_up):
        self._look_up = look_up
        self._waiting = 0
        self._running: Counter[str] = Counter()  # by partner
        self._lock = threading.Lock()

    def look_up(self, partner_id: str, host: str, seconds: float) -> list[str]:
        """Do the same as addresses.look_up. ServiceUnavailable: the limit of this partner or of all partners is reached."""
        with self._lock:
            if self._running[partner_id] >= OF_ONE:
                raise ServiceUnavailable(
                    f"{OF_ONE} of your host names are already being looked up slowly. Try again in {AGAIN_SECONDS} s.",
                    retry_after=AGAIN_SECONDS,
                )
            if self._waiting >= WAITING or self._running.total() >= RUNNING:
                raise ServiceUnavailable(
                    f"Too many host names are being looked up just now. Try again in {AGAIN_SECONDS} s.",
                    retry_after=AGAIN_SECONDS,
                )
            self._waiting += 1
            self._running[partner_id] += 1
        try:
            return self._look_up(host, seconds, functools.partial(self._ended, partner_id))
        finally:
            with self._lock:
                self._waiting -= 1

    def _ended(self, partner_id: str) -> None:
        with self._lock:
            self._running[partner_id] -= 1
            if not self._running[partner_id]:
                del self._running[partner_id]


class UrlCheck:
    """addresses.check_url for requests of partners: ``check(url, partner_id=…)``."""

    def __init__(self, allowed: Allowed, resolver: Resolver | None = None):
        self._allowed, self._resolver = allowed, resolver or Resolver()

    def __call__(self, url: str, partner_id: str) -> None:
        addresses.check_url(url, self._allowed, functools.partial(self._resolver.look_up, partner_id))
