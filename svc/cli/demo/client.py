"""An API client as a partner would write it: it keeps to the rate limit and turns refusals into readable errors."""

import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import requests

from svc.base.errors import CommandError

_SECONDS = 60  # without a byte, until the request is given up
_FEW = 2  # requests left in the window: wait for the next one (specification, "Rate tiers" 5)
_LONGEST_WAIT = 120  # seconds; a longer Retry-After is an error here


class Unreachable(CommandError):
    """The server did not answer or had an internal error; the request may be retried."""


class Client:
    """Sends requests with one API key."""

    def __init__(self, base_url: str, key: str):
        self.base_url = base_url.rstrip("/")
        self._session = requests.Session()
        # No proxy for a server on this machine; for another one the environment decides.
        self._session.trust_env = urlsplit(self.base_url).hostname not in ("127.0.0.1", "localhost", "::1")
        self._session.headers["X-API-Key"] = key
        self._ready_at = 0.0  # Unix time before which the rate limit allows no request

    def get(self, path: str, **parameters) -> dict:
        return self._request("GET", path, params=parameters)

    def post(self, path: str, body: dict, headers: dict[str, str] | None = None) -> dict:
        return self._request("POST", path, json=body, headers=headers)

    def put(self, path: str, body: dict) -> dict:
        return self._request("PUT", path, json=body)

    def delete(self, path: str) -> dict:
        return self._request("DELETE", path)

    def every(self, path: str) -> Iterator[dict]:
        """Yield the entries of a list, page by page."""
        page: dict[str, Any] = {"nextCursor": None, "hasMore": True}
        while page["hasMore"]:
            page = self.get(path, limit=100, **({"cursor": page["nextCursor"]} if page["nextCursor"] else {}))
            yield from page["data"]

    def _request(self, method: str, path: str, **kwargs) -> dict:
        time.sleep(max(0.0, self._ready_at - time.time()))
        try:
            response = self._session.request(method, self.base_url + path, timeout=_SECONDS, **kwargs)
        except requests.RequestException as failed:
            raise Unreachable(f"{method} {path}: {self.base_url} cannot be reached: {failed}") from failed
        self._mind_rate_limit(response.headers)
        if response.ok:
            return response.json() if response.content else {}
        return self._refused(response, method, path, kwargs)

    def _mind_rate_limit(self, headers) -> None:
        if int(headers.get("X-RateLimit-Remaining", _FEW + 1)) <= _FEW:
            self._ready_at = float(headers["X-RateLimit-Reset"])

    def _refused(self, response: requests.Response, method: str, path: str, kwargs: dict) -> dict:
        try:
            envelope = response.json()
            why = f"{envelope['error']}: {envelope['message']}"
        except (ValueError, KeyError, TypeError):
            kind = Unreachable if response.status_code >= 500 else CommandError  # an error page of a proxy
            raise kind(f"{method} {path}: {response.status_code} without an error envelope") from None
        wait = envelope.get("retryAfterSeconds")
        if response.status_code == 429 and wait and wait <= _LONGEST_WAIT:
            self._ready_at = time.time() + wait
            return self._request(method, path, **kwargs)
        kind = Unreachable if response.status_code >= 500 else CommandError
        raise kind(f"{method} {path}: {response.status_code} {why} (X-Correlation-Id {envelope.get('correlationId')})")
