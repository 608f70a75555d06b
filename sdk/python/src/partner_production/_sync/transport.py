"""Sends calls, again where that helps, and reads their answers."""

# Written by sdk/generate.py; do not edit. Change its namesake in _async.

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import httpx

from partner_production import errors, responses
from partner_production.calls import Call, checked_address, checked_api_key, checked_headers
from partner_production.responses import Response
from partner_production.retries import Retries
from partner_production.waits import sleep, unless

T = TypeVar("T")
LOST = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError)  # what httpx raises
_PAGE = 100  # entries
_log = logging.getLogger("partner_production")


class Transport:
    """The connection to one API with one key."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        timeout: float,
        retries: Retries,
        http_client: httpx.Client | None,
        api_version: str | None,
    ):
        self.retries = retries
        self._base_url, self._api_key = checked_address(base_url), checked_api_key(api_key)
        self._timeout, self._api_version = timeout, api_version
        self._http = http_client or _opened()
        self._is_own = http_client is None

    def send(self, call: Call, kind: type[T]) -> T:
        """Return the body of the answer. ApiError, ConnectionFailed, CallCancelled."""
        return cast(T, (self.respond(call, kind)).body)

    def respond(self, call: Call, kind: object = object) -> Response:
        """Return the answer, whose body is a ``kind``.

        ApiError, ConnectionFailed, CallCancelled.
        """
        tries = 0
        while True:
            tries += 1
            try:
                response = unless(call.cancel, lambda: self._once(call, kind))
            except errors.ApiError as failure:
                if tries > 1 and call.is_done_if_gone and failure.status == 404:
                    # an earlier try did it, whose answer was lost
                    return Response(404, failure.headers)
                pause = self.retries.after_answer(failure, call, tries)
                if pause is None:
                    raise
                self.pause(call, f"{call.method} {call.path}", pause, failure)
            except LOST as error:
                pause = self.retries.after_error(error, call, tries)
                if pause is None:
                    raise lost(f"{call.method} {call.path}", error) from error
                self.pause(call, f"{call.method} {call.path}", pause, error)
            else:
                if call.on_response is not None:
                    call.on_response(response)
                return response

    def pause(self, call: Call, name: str, seconds: float, error: Exception) -> None:
        """Wait before a call is sent again. CallCancelled."""
        why = (
            f"{error.status} {error.code}"
            if isinstance(error, errors.ApiError)
            else type(error).__name__
        )
        _log.info("%s is sent again in %g s: %s", name, seconds, why)
        sleep(seconds, call.cancel)

    def entries(self, call: Call, kind: type[T]) -> Iterator[T]:
        """Yield the entries of a list, page after page."""
        query: dict[str, Any] = {"limit": _PAGE, **call.query}
        while True:
            answer = self.respond(call.with_query(query), dict[str, Any])
            responses.require_page(answer, kind)
            for entry in answer.body["data"]:
                yield cast(T, entry)
            if not answer.body.get("hasMore"):
                return
            query = query | {"cursor": answer.body["nextCursor"]}

    @contextmanager
    def streaming(
        self, url: str, call: Call, headers: dict[str, str]
    ) -> Iterator[httpx.Response]:
        """Give the answer of a download address, which needs no key, while it arrives.

        ApiError, one of LOST.
        """
        self._require_open(url)
        seconds = self._timeout if call.timeout is None else call.timeout
        given = checked_headers(call.headers) | headers
        with self._http.stream(
            "GET", url, headers=given, follow_redirects=True, timeout=seconds
        ) as answer:
            _log.debug("download of %s: %d", call.path, answer.status_code)
            if not answer.is_success:
                raise errors.of_answer(answer.status_code, answer.headers, _content(answer))
            yield answer

    def close(self) -> None:
        """Close the connections, unless they are the caller's."""
        if self._is_own:
            self._http.close()

    def _once(self, call: Call, kind: object) -> Response:
        """Send a call once and return its answer. ApiError, one of LOST."""
        self._require_open(call.path)
        arguments = call.arguments(self._base_url, self._api_key, self._api_version, self._timeout)
        # Redirects are not followed: the key goes to this address and no other.
        answer = self._http.send(
            self._http.build_request(**arguments), stream=True, follow_redirects=False
        )
        try:
            content = _content(answer)
        finally:
            answer.close()
        correlation = answer.headers.get("x-correlation-id")
        _log.debug(
            "%s %s: %d, correlation id %s", call.method, call.path, answer.status_code, correlation
        )
        if not answer.is_success:
            raise errors.of_answer(answer.status_code, answer.headers, content)
        return responses.read(answer.status_code, answer.headers, content, kind)

    def _require_open(self, name: str) -> None:
        if self._http.is_closed:
            raise errors.ConnectionFailed(f"{name}: this client has been closed")


def _content(answer: httpx.Response) -> bytes:
    """Return the body of an answer; of a refusal whatever is legible.

    InvalidResponse, one of LOST.
    """
    try:
        return answer.read()
    except LOST as error:
        if not answer.is_success:
            return b""  # its status says enough
        if isinstance(error, httpx.DecodingError):
            reason = (
                "The answer is not compressed as it says: "
                f"{answer.headers.get('content-encoding')}."
            )
            raise errors.InvalidResponse(
                answer.status_code, answer.headers, reason, is_damaged=True
            ) from error
        raise


def _opened() -> httpx.Client:
    """Return a client of httpx.

    ConnectionFailed: what the environment names of proxies and certificates cannot be used.
    """
    try:
        return httpx.Client()
    except ImportError as missing:
        raise errors.ConnectionFailed(
            "a proxy that the environment names (ALL_PROXY, HTTPS_PROXY, HTTP_PROXY) needs a "
            "package: pip install 'httpx[socks]'"
        ) from missing
    except (ValueError, OSError, httpx.InvalidURL) as wrong:
        raise errors.ConnectionFailed(
            "a proxy or a certificate that the environment names cannot be used "
            "(ALL_PROXY, HTTPS_PROXY, HTTP_PROXY, SSL_CERT_FILE, SSL_CERT_DIR)"
        ) from wrong


def lost(name: str, error: Exception) -> errors.ConnectionFailed:
    """Return the error of a call that never got an answer."""
    return errors.ConnectionFailed(
        f"{name}: {errors.excerpt(str(error).encode()) or type(error).__name__}"
    )
