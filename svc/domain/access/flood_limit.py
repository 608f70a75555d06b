"""How much one network may have written down without being signed in; counted in the memory of this process."""

import ipaddress
import threading
from collections import OrderedDict

from svc.base import clock
from svc.base.errors import RateLimitExceeded

_MOST_NETWORKS = 10_000  # remembered; beyond that those that have been quiet longest are forgotten
_IPV6_PREFIX = 64  # what one customer of a provider has at least


def network_of(address: str) -> str:
    """The network that stands for an address: of IPv6 its /64, of which somebody has all addresses; else the address itself."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if parsed.version == 4:
        return address
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, _IPV6_PREFIX), strict=False))


class FloodLimit:
    """At most ``limit`` in any ``window`` (milliseconds) that begins with the first of them, for each network."""

    def __init__(self, limit: int, window: int):
        self._limit, self._window = limit, window
        self._seen: OrderedDict[str, tuple[int, int]] = OrderedDict()  # network to when its window began, and how many
        self._turn = threading.Lock()

    def count(self, address: str, now: int) -> None:
        """Count one more. RateLimitExceeded: the network has had its share of this window."""
        network = network_of(address)
        with self._turn:
            since, number = self._seen.pop(network, (now, 0))
            if not since <= now < since + self._window:
                since, number = now, 0
            self._seen[network] = since, min(number + 1, self._limit + 1)
            while len(self._seen) > _MOST_NETWORKS:
                self._seen.popitem(last=False)
        if number >= self._limit:
            wait = clock.seconds_until(since + self._window, now)
            raise RateLimitExceeded(f"Too many plays were begun from your network. Try again in {wait} s.", retry_after=wait)
