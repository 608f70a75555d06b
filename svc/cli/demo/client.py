"""An API client as a partner would write it: it keeps to the rate limit and turns refusals
into readable errors.
"""

import math
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import requests

from svc.base.errors import CommandError, RequestInProgress

_SECONDS = 60  # without a byte, until the request is given up
_FEW = 2  # requests left in the window: wait for the next one (specification, "Rate tiers" 5)
_LONGEST_WAIT = 120  # seconds; a longer Retry-After is an error here
_IN_PROGRESS_SECONDS = 1
_MOST_WAITS = 60  # for one request
_REPEATABLE = ("GET", "POST", "PUT")  # what is sent again does nothing twice, and is answered alike


class Unreachable(CommandError):
    """The server did not answer or had an internal error; the request may be retried."""


class Client:
    """Sends requests with one API key.

    ``patience``: seconds from now on in which it may wait for the rate limit; a request that would
    have to wait longer is a CommandError. ``now``, ``sleep``: Unix time, and what waits.

    CommandError: the address or the key is none.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        patience: float = math.inf,
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], object] = time.sleep,
    ):
        check_key(key)
        self.base_url = base_url.rstrip("/")
        self._now, self._sleep = now, sleep
        self._until = now() + patience
        self._session = requests.Session()
        # No proxy for a server on this machine; for another one the environment decides.
        self._session.trust_env = _parse_host(base_url) not in ("127.0.0.1", "localhost", "::1")
        self._session.headers["X-API-Key"] = key
        self._ready_at = 0.0  # Unix time before which the rate limit allows no request

    def extend_patience(self, seconds: float) -> None:
        """Let it wait for the rate limit for so many seconds more."""
        self._until += seconds

    def get(self, path: str, **parameters) -> dict:
        return self._send_request("GET", path, params=parameters)

    def post(self, path: str, body: dict, headers: dict[str, str] | None = None) -> dict:
        """Send a request that is done once, however often it has to be sent."""
        once = {"Idempotency-Key": str(uuid.uuid4())} | (headers or {})
        return self._send_request("POST", path, json=body, headers=once)

    def put(self, path: str, body: dict) -> dict:
        return self._send_request("PUT", path, json=body)

    def patch(self, path: str, body: dict) -> dict:
        return self._send_request("PATCH", path, json=body)

    def delete(self, path: str) -> dict:
        return self._send_request("DELETE", path)

    def list_all(self, path: str) -> Iterator[dict]:
        """Yield the entries of a list, page by page."""
        page: dict[str, Any] = {"nextCursor": None, "hasMore": True}
        while page["hasMore"]:
            page = self.get(
                path, limit=100, **({"cursor": page["nextCursor"]} if page["nextCursor"] else {})
            )
            yield from page["data"]

    def _send_request(self, method: str, path: str, **kwargs) -> dict:
        waits = 0
        while True:
            if (seconds := self._ready_at - self._now()) > 0:
                self._wait(seconds, f"{method} {path}")
            response = self._answer(method, path, kwargs)
            self._mind_rate_limit(response.headers)
            if response.ok:
                return response.json() if response.content else {}
            refusal, wait = _make_refusal(response, f"{method} {path}")
            longest = min(_LONGEST_WAIT, self._until - self._now())
            if wait is None or wait > longest or waits == _MOST_WAITS:
                raise refusal
            self._ready_at = self._now() + wait
            waits += 1

    def _answer(self, method: str, path: str, kwargs: dict) -> requests.Response:
        """Return the answer; what may be sent twice is sent again if its answer was lost."""
        tries = 2 if method in _REPEATABLE else 1
        while True:
            tries -= 1
            try:
                return self._session.request(
                    method, self.base_url + path, timeout=_SECONDS, **kwargs
                )
            except requests.RequestException as failed:
                if not tries or not _is_lost(failed):
                    raise Unreachable(
                        f"{method} {path}: {self.base_url} cannot be reached: "
                        f"{_describe_failure(failed)}"
                    ) from failed

    def _mind_rate_limit(self, headers) -> None:
        if int(headers.get("X-RateLimit-Remaining", _FEW + 1)) <= _FEW:
            self._ready_at = float(headers["X-RateLimit-Reset"])

    def _wait(self, seconds: float, name: str) -> None:
        """Wait for the rate limit. CommandError: there is no patience left for it."""
        if self._now() + seconds > self._until:
            moment = f"in {math.ceil(seconds)} s"
            raise CommandError(
                f"{name} was not sent: the rate limit allows it {moment}. Call then."
            )
        self._sleep(seconds)


def check_key(key: str) -> None:
    """Check that a key can be sent. CommandError: it is no API key."""
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise CommandError("This is no API key: they begin with svc_live_ or svc_test_.")


def _parse_host(base_url: str) -> str:
    """Return the host of an address. CommandError: it is not an address."""
    try:
        parts = urlsplit(base_url)
        host = parts.hostname if parts.scheme in ("http", "https") and parts.port != 0 else None
    except ValueError:  # of brackets, and of a port
        host = None
    if not host:
        raise CommandError(
            f"{base_url!r} is no address of a service, such as http://127.0.0.1:8080."
        )
    return host


def _make_refusal(response: requests.Response, name: str) -> tuple[CommandError, float | None]:
    """Return what an answer refuses, and the seconds after which to ask again; None: not at all."""
    error_class = Unreachable if response.status_code >= 500 else CommandError
    try:
        envelope = response.json()
        code, message = envelope["error"], envelope["message"]
    except (ValueError, KeyError, TypeError):  # an error page of a proxy
        return error_class(f"{name}: {response.status_code} without an error envelope"), None
    cited = f"(X-Correlation-Id {envelope.get('correlationId')})"
    seconds = envelope.get("retryAfterSeconds") if response.status_code == 429 else None
    if seconds is not None:
        message += f" It can be sent again in {seconds} s."
    if code == RequestInProgress.code:  # the one whose answer was lost is still being answered
        seconds = _IN_PROGRESS_SECONDS
    return error_class(f"{name}: {response.status_code} {code}: {message} {cited}"), seconds


def _is_lost(failure: requests.RequestException) -> bool:
    """Return whether a connection broke off. One that takes too long would take as long again."""
    return isinstance(failure, requests.ConnectionError) and not isinstance(
        failure, requests.Timeout
    )


def _describe_failure(failure: BaseException) -> str:
    """Return why a server cannot be reached, as the system says it: the libraries put objects of
    theirs around it.
    """
    inner: BaseException | None = failure
    while inner is not None:
        if isinstance(inner, TimeoutError | requests.Timeout):
            return "it did not answer in time"
        if isinstance(inner, OSError) and inner.errno is not None and inner.strerror:
            return inner.strerror
        inner = inner.__cause__ or inner.__context__
    return str(failure)
