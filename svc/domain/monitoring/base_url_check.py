"""Checks that partners use the base URL which the links of the service contain; ``doctor`` reports
mismatches.

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

    def check_request(self, scheme: str, host: str, forwarded: bool, now: int) -> None:
        """Check a request with a valid key.

        ``forwarded``: its headers say that it came through a proxy.
        """
        unknown_proxy = forwarded and not self._proxies
        if (host == self._host and scheme == self._scheme and not unknown_proxy) or abs(
            now - self._noted_at
        ) < _AT_MOST_EVERY:
            return
        # The base URL names no default port, but some clients and proxies do.
        host = host.lower().removesuffix(_DEFAULT_PORTS.get(scheme, ""))
        # Requests from this machine itself may use a local address; they are not from partners.
        if not unknown_proxy and (
            (host == self._host and scheme == self._scheme) or host.rsplit(":", 1)[0] in _LOCAL
        ):
            return
        with self._lock:
            self._noted_at = now
        how = (
            "through a proxy that SVC_TRUSTED_PROXIES does not count, to" if unknown_proxy else "to"
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
            {"scheme": scheme, "host": host[:200], "forwarded": unknown_proxy, "at": now}
        )
        with db.transaction(durable=False):
            meta.put("address_seen", seen)


def find_mismatch(noted: str | None, base_url: str, since: int) -> dict[str, Any] | None:
    """Return the last mismatch since ``since`` (ms) that still exists: scheme, host, forwarded, at;
    None: there is none. ``noted``: ``address_seen`` of :mod:`svc.store.meta`.
    """
    seen: dict[str, Any] | None = json.loads(noted) if noted else None
    ours = urlsplit(base_url)
    is_ours = (
        seen is not None
        and (seen["scheme"], seen["host"]) == (ours.scheme, ours.netloc)
        and not seen["forwarded"]
    )
    if seen is None or seen["at"] < since or is_ours:
        return None
    return seen
