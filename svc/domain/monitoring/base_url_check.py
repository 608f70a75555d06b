"""Whether partners reach the service under the address that its links name: what differs is noted, for the doctor to tell.

Only requests with a valid key count: anybody may send any Host.
"""

import json
import logging
import threading
from typing import Any
from urllib.parse import urlsplit

from svc.base import clock
from svc.store import database, meta

_log = logging.getLogger("svc.address")

_AT_MOST_EVERY = clock.MINUTE
_LOCAL = ("127.0.0.1", "localhost", "[::1]")


class Watcher:
    """Compares each request's address with the base URL; a mismatch is written down at most once a minute."""

    def __init__(self, base_url: str, trusted_proxies: int):
        parts = urlsplit(base_url)
        self._scheme, self._host = parts.scheme, parts.netloc.lower()
        self._proxies = trusted_proxies
        self._noted_at = 0
        self._lock = threading.Lock()

    def see(self, scheme: str, host: str, forwarded: bool, now: int) -> None:
        """A request with a valid key came. ``forwarded``: by a proxy, as its headers say."""
        hidden = forwarded and not self._proxies
        if (host == self._host and scheme == self._scheme and not hidden) or now - self._noted_at < _AT_MOST_EVERY:
            return
        host = host.lower()
        # Whoever asks from this machine itself knows another address, and is nobody's client.
        if not hidden and ((host == self._host and scheme == self._scheme) or host.rsplit(":", 1)[0] in _LOCAL):
            return
        with self._lock:
            self._noted_at = now
        how = "through a proxy that SVC_TRUSTED_PROXIES does not count, to" if hidden else "to"
        ours = f"{self._scheme}://{self._host}"
        _log.warning("a request came %s %s://%s; SVC_BASE_URL is %s; see `app.py doctor`", how, scheme, host[:200], ours)
        seen = json.dumps({"scheme": scheme, "host": host[:200], "forwarded": hidden, "at": now})
        with database.write(durable=False):
            meta.put("address_seen", seen)


def mismatch(base_url: str, since: int) -> dict[str, Any] | None:
    """The last mismatch noted after an instant that is one still: scheme, host, forwarded, at."""
    return judge(meta.text("address_seen"), base_url, since)


def judge(noted: str | None, base_url: str, since: int) -> dict[str, Any] | None:
    """As :func:`mismatch`, of the value ``address_seen`` of :mod:`svc.store.meta`."""
    seen: dict[str, Any] | None = json.loads(noted) if noted else None
    if seen is None or seen["at"] < since or (f"{seen['scheme']}://{seen['host']}" == base_url and not seen["forwarded"]):
        return None
    return seen
