"""Looks up host names for partners' requests, within a deadline and within the partner's share of
the server's threads.

getaddrinfo cannot be cancelled: a late thread continues until it ends by itself, and counts until
then (svc.base.threads).
"""

import functools
from collections.abc import Callable

from svc.adapters import addresses
from svc.adapters.addresses import Allowed
from svc.base import threads

Lookup = Callable[..., list[str]]  # like addresses.look_up


class Resolver:
    """Looks up names for partners, and refuses immediately when a limit is reached. Thread-safe."""

    def __init__(self, look_up: Lookup = addresses.look_up):
        self._look_up = look_up

    def look_up(self, partner_id: str, host: str, seconds: float) -> list[str]:
        """Look up a host name, as addresses.look_up does.

        RateLimitExceeded: this partner has reached its limit. ServiceUnavailable: all partners
        together have reached theirs.
        """
        shares = threads.thread_shares
        with shares.require_wait(partner_id):
            lookup = shares.begin_background_work(partner_id)
            try:
                return self._look_up(host, seconds, lookup.end)
            finally:
                lookup.detach()


class UrlCheck:
    """addresses.check_url for requests of partners: ``check(url, partner_id=…)``."""

    def __init__(self, allowed: Allowed, resolver: Resolver | None = None):
        self._allowed, self._resolver = allowed, resolver or Resolver()

    def __call__(self, url: str, partner_id: str) -> None:
        addresses.check_url(
            url, self._allowed, functools.partial(self._resolver.look_up, partner_id)
        )
