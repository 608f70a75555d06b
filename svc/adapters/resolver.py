"""Host names that a request asks about: looked up in few threads, of which one partner gets a part, and within a deadline.

getaddrinfo cannot be called off: a thread that is late goes on until it ends by itself. So two things are counted: the requests
that wait, each of which holds a thread that answers, and the lookups that go on, also those that nobody waits for any more.
"""

import functools
import threading
from collections import Counter
from collections.abc import Callable

from svc.adapters import addresses
from svc.adapters.addresses import Allowed
from svc.base.errors import ServiceUnavailable

WAITING = 4  # requests of all partners: half of the threads that a serving process has (svc.serving.gunicorn_config)
OF_ONE = 2  # lookups of one partner, also those that nobody waits for any more
RUNNING = 32  # lookups of all partners, likewise
AGAIN_SECONDS = 5

Lookup = Callable[..., list[str]]  # as addresses.look_up


class Resolver:
    """Looks names up for partners; whoever comes when it is full is refused at once. Safe to use from many threads."""

    def __init__(self, look_up: Lookup = addresses.look_up):
        self._look_up = look_up
        self._waiting = 0
        self._running: Counter[str] = Counter()  # by partner
        self._lock = threading.Lock()

    def look_up(self, partner_id: str, host: str, seconds: float) -> list[str]:
        """As addresses.look_up. ServiceUnavailable: as many are being looked up as may be, of this partner or of all."""
        with self._lock:
            if self._running[partner_id] >= OF_ONE:
                raise ServiceUnavailable(
                    f"{OF_ONE} host names of yours are being looked up already, and slowly. Try again in {AGAIN_SECONDS} s.",
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
    """As addresses.check_url, for requests of partners: ``check(url, partner_id=…)``."""

    def __init__(self, allowed: Allowed, resolver: Resolver | None = None):
        self._allowed, self._resolver = allowed, resolver or Resolver()

    def __call__(self, url: str, partner_id: str) -> None:
        addresses.check_url(url, self._allowed, functools.partial(self._resolver.look_up, partner_id))
