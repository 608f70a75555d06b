"""Sends calls, again where that helps, and reads their answers."""

# Written by sdk/generate.py; do not edit. Change its namesake in _async.

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import httpx

from partner_production import errors
from partner_production.calls import Call
from partner_production.retries import Retries
from partner_production.waits import sleep

T = TypeVar("T")
_PAGE = 100  # entries


class Transport:
    """The connection to one API with one key."""

    def __init__(self, base_url: str, api_key: str, timeout: float, retries: Retries, http_client: httpx.Client | None):
        self.retries = retries
        self._base_url, self._api_key, self._timeout = base_url, api_key, timeout
        self._http = http_client or httpx.Client()
        self._is_own = http_client is None

    def send(self, call: Call, kind: type[T]) -> T:
        """Return the body of the answer. ApiError, ConnectionFailed."""
        tries = 0
        while True:
            tries += 1
            try:
                response = self._http.request(**call.arguments(self._base_url, self._api_key, self._timeout))
            except httpx.TransportError as error:
                pause = self.retries.after_error(error, call, tries)
                if pause is None:
                    raise errors.ConnectionFailed(f"{call.method} {call.path}: {error or type(error).__name__}") from error
            else:
                if response.is_success:
                    return cast(T, response.json() if response.content else None)
                failure = errors.of_answer(response.status_code, response.headers, response.content)
                if tries > 1 and call.is_done_if_gone and failure.status == 404:
                    return cast(T, None)  # an earlier try did it, whose answer was lost
                pause = self.retries.after_answer(failure, call, tries)
                if pause is None:
                    raise failure
            sleep(pause)

    def entries(self, call: Call, kind: type[T]) -> Iterator[T]:
        """Yield the entries of a list, page after page."""
        query: dict[str, Any] = {"limit": _PAGE, **call.query}
        while True:
            page = self.send(Call(call.method, call.path, query), dict[str, Any])
            for entry in page["data"]:
                yield cast(T, entry)
            if not page["hasMore"]:
                return
            query = query | {"cursor": page["nextCursor"]}

    @contextmanager
    def streaming(self, url: str) -> Iterator[httpx.Response]:
        """Give the answer of a download address, which needs no key, while it arrives. ApiError, httpx.TransportError."""
        with self._http.stream("GET", url, follow_redirects=True, timeout=self._timeout) as response:
            if not response.is_success:
                raise errors.of_answer(response.status_code, response.headers, response.read())
            yield response

    def close(self) -> None:
        """Close the connections, unless they are the caller's."""
        if self._is_own:
            self._http.close()
