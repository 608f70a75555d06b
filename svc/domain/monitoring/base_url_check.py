"""Checks that partners use the base URL which the links of the service contain, and come through as
many proxies as are counted; ``doctor`` reports mismatches.

Only requests with a valid key are checked, because anybody may send any Host header.
"""

import json
import logging
import threading
from typing import Any
from urllib.parse import urlsplit

from svc.base import clock
from svc.store import meta
from svc.store.database import db

_log = logging.getLogger("svc.address")

_AT_MOST_EVERY = clock.MINUTE
_LOCAL = ("127.0.0.1", "localhost", "[::1]")
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


class Watcher:
    """Compares the URL of requests with the base URL, and stores a mismatch at most
    once a minute.
    """

    def __init__(self, base_url: str, trusted_proxies: int):
        parts = urlsplit(base_url)
        self._scheme, self._host = parts.scheme, parts.netloc.lower()
        self._proxies = trusted_proxies
        self._noted_at = 0
        self._lock = threading.Lock()

    def check_request(self, scheme: str, host: str, forwarded: str | None, now: int) -> None:
        """Check a request with a valid key.

        ``forwarded``: its X-Forwarded-For, to which each proxy adds an address; None: it has none.
        """
        if forwarded is None:
            is_miscounted = self._proxies > 0
        else:
            is_miscounted = not self._proxies or forwarded.count(",") + 1 < self._proxies
        if (host == self._host and scheme == self._scheme and not is_miscounted) or abs(
            now - self._noted_at
        ) < _AT_MOST_EVERY:
            return
        hops = 0 if forwarded is None else forwarded.count(",") + 1
        unknown_proxy = hops > 0 and not self._proxies
        # The base URL names no default port, but some clients and proxies do.
        host = host.lower().removesuffix(_DEFAULT_PORTS.get(scheme, ""))
        is_ours = host == self._host and scheme == self._scheme
        # Requests from this machine itself may use a local address; they are not from partners.
        if not unknown_proxy and (
            (is_ours and not is_miscounted) or host.rsplit(":", 1)[0] in _LOCAL
        ):
            return
        with self._lock:
            self._noted_at = now
        how = (
            "through a proxy that SVC_TRUSTED_PROXIES does not count, to"
            if unknown_proxy
            else "through fewer proxies than SVC_TRUSTED_PROXIES counts, to"
            if is_miscounted
            else "to"
        )
        expected = f"{self._scheme}://{self._host}"
        _log.warning(
            "a request came %s %s://%s; SVC_BASE_URL is %s; see `app.py doctor`",
            how,
            scheme,
            host[:200],
            expected,
        )
        seen = json.dumps(
            {
                "scheme": scheme,
                "host": host[:200],
                "forwarded": unknown_proxy,
                "hops": hops,
                "at": now,
            }
        )
        with db.transaction(durable=False):
            meta.put("address_seen", seen)


def find_mismatch(
    noted: str | None, base_url: str, since: int, proxies: int = 0
) -> dict[str, Any] | None:
    """Return the last mismatch since ``since`` (ms) that still exists: scheme, host, forwarded,
    hops (addresses in X-Forwarded-For), at; None: there is none.

    ``noted``: ``address_seen`` of :mod:`svc.store.meta`. ``proxies``: how many are counted.
    """
    seen: dict[str, Any] | None = json.loads(noted) if noted else None
    if seen is None or seen["at"] < since:
        return None
    seen.setdefault("hops", proxies)  # it was noted by an earlier release
    ours = urlsplit(base_url)
    is_ours = (seen["scheme"], seen["host"]) == (ours.scheme, ours.netloc)
    if is_ours and not seen["forwarded"] and seen["hops"] >= proxies:
        return None
    return seen
