"""A limit per network on anonymous requests that write to the database,
counted in the memory of this process.
"""

import threading
from collections import OrderedDict

from svc.base import client_addresses, clock
from svc.base.errors import RateLimitExceeded

_MOST_NETWORKS = 10_000  # beyond that the least recently seen are evicted


class FloodLimit:
    """Allows each network ``limit`` requests per ``window`` (milliseconds);
    a window starts with its first request.
    """

    def __init__(self, limit: int, window: int):
        self._limit, self._window = limit, window
        # By network: the start of its window, and its number of requests.
        self._seen: OrderedDict[str, tuple[int, int]] = OrderedDict()
        self._turn = threading.Lock()

    def count(self, address: str, now: int) -> None:
        """Count a request of the network of ``address``.

        RateLimitExceeded: it has reached the limit.
        """
        network = client_addresses.find_network(address)
        with self._turn:
            since, number = self._seen.pop(network, (now, 0))
            if not since <= now < since + self._window:
                since, number = now, 0
            self._seen[network] = since, min(number + 1, self._limit + 1)
            while len(self._seen) > _MOST_NETWORKS:
                self._seen.popitem(last=False)
        if number >= self._limit:
            wait = clock.count_seconds_until(since + self._window, now)
            raise RateLimitExceeded(
                f"Too many plays were begun from your network. Try again in {wait} s.",
                retry_after=wait,
            )
