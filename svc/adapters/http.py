"""The HTTP client for partners' endpoints: posts a webhook to a checked address, with one deadline.

It uses urllib3 instead of requests: its pools accept a connection class, which checks the address
and the deadline; it uses no proxy and no netrc; and a post costs half as much.
"""

import errno
import logging
import ssl
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from http import client
from pathlib import Path
from typing import Any

import certifi
from urllib3 import BaseHTTPResponse, HTTPConnectionPool
from urllib3 import exceptions as broken

from svc.adapters import addresses, connection, response_excerpt
from svc.adapters.addresses import Allowed, Endpoint, Lookup, check_url
from svc.adapters.connection import Exchange
from svc.adapters.deadline import Stop
from svc.base import limits, outage
from svc.base.errors import ServiceError

__all__ = ["Outcome", "Sender", "check_url", "describe_failure"]

# for the exchange, from the lookup of the host to the last byte that is read
SECONDS = float(limits.ANSWER_SECONDS)
CONNECT_SECONDS = 5.0

_POOLS = 256  # endpoints with open connections
_KEPT = 16  # open connections per endpoint

# Failures of endpoints are shown to partners in their deliveries; they are no warnings for the
# operator.
logging.getLogger("urllib3").setLevel(logging.ERROR)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an exchange. ``error``: a sentence for the partner; None if a complete 2xx
    response arrived in time.

    ``answer``: ``headers`` and ``body``, from :func:`svc.adapters.response_excerpt.take_excerpt`.
    ``findings``: only from :meth:`Sender.examine`, and only as far as the exchange got:
    ``addresses``, ``tls_version``, ``certificate`` (from :mod:`svc.adapters.certificates`), and the
    durations of the phases: ``resolve_ms``, ``connect_ms``, ``tls_ms``, ``first_byte_ms`` (from the
    last byte of the request).
    """

    status_code: int | None
    error: str | None
    duration_ms: float
    answer: dict[str, Any] | None = None
    findings: dict[str, Any] | None = None


class Sender:
    """Posts to partners' endpoints over pooled connections. Thread-safe.

    ``allowed``: private address ranges that may be reached; ``trusted``: a file with additional
    certificate authorities. ``monotonic``: the clock of the deadlines and the durations.
    """

    def __init__(
        self,
        allowed: Allowed,
        *,
        seconds: float = SECONDS,
        connect_seconds: float = CONNECT_SECONDS,
        lookup: Lookup = addresses.look_up,
        trusted: Path | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._allowed, self._lookup = tuple(allowed), lookup
        self._seconds, self._connect_seconds, self._monotonic = seconds, connect_seconds, monotonic
        self._tls = _tls(trusted)
        self._pools: OrderedDict[tuple[str, str, int], HTTPConnectionPool] = OrderedDict()
        self._lock = threading.Lock()

    def post(self, url: str, body: bytes, headers: dict[str, str]) -> Outcome:
        """Send ``body`` and return the outcome; failures of the endpoint raise nothing.

        OSError, or the library's error around it: no connection was made, as this process may open
        no more files, or has no memory.
        """
        return self._exchange(url, body, headers, self._begin())

    def examine(self, url: str, body: bytes, headers: dict[str, str]) -> Outcome:
        """Send a request over a new connection for a partner who tests an endpoint.

        The outcome has findings.
        """
        exchange = self._begin()
        exchange.examines = True
        return self._exchange(url, body, headers, exchange)

    def close(self) -> None:
        """Close the pooled connections."""
        with self._lock:
            self._pools.clear()  # a pool closes its connections when it is no longer referenced

    def _begin(self) -> Exchange:
        return connection.begin_exchange(self._seconds, self._connect_seconds, self._monotonic)

    def _exchange(
        self, url: str, body: bytes, headers: dict[str, str], exchange: Exchange
    ) -> Outcome:
        began = self._monotonic()
        try:
            self._post(addresses.parse(url), body, headers, exchange)
            error = _judge_status(exchange.status_code)
        except (Stop, ServiceError) as refused:
            error = str(refused)
        except (
            OSError,
            broken.HTTPError,
            client.HTTPException,
            UnicodeError,
            ValueError,
        ) as failure:
            if outage.is_resource_exhaustion(failure):
                raise  # nothing was sent, and the endpoint is not to blame
            error = describe_failure(failure, exchange)
        duration = round((self._monotonic() - began) * 1000, 2)
        return Outcome(
            exchange.status_code,
            error,
            duration,
            exchange.answer,
            exchange.found if exchange.examines else None,
        )

    def _post(
        self, endpoint: Endpoint, body: bytes, headers: dict[str, str], exchange: Exchange
    ) -> None:
        if not exchange.examines:
            return self._post_by(self._find_pool(endpoint), endpoint, body, headers, exchange)
        with self._make_pool(endpoint) as pool:
            return self._post_by(pool, endpoint, body, headers, exchange)

    def _post_by(
        self,
        pool: HTTPConnectionPool,
        endpoint: Endpoint,
        body: bytes,
        headers: dict[str, str],
        exchange: Exchange,
    ) -> None:
        exchange.target = endpoint.target
        while True:
            exchange.fresh = False
            try:
                response = pool.urlopen(
                    "POST",
                    endpoint.path,
                    body,
                    headers,
                    retries=False,
                    redirect=False,
                    preload_content=False,
                    decode_content=False,
                    timeout=self._seconds,
                )
                return _read_answer(response, exchange)
            except (OSError, broken.ProtocolError):
                if exchange.fresh or exchange.received:
                    raise
                # The endpoint has closed a pooled connection, which is no failure: try again until
                # the connection is fresh.

    def _find_pool(self, endpoint: Endpoint) -> HTTPConnectionPool:
        key = (endpoint.scheme, endpoint.host, endpoint.port)
        with self._lock:
            pool = self._pools.get(key)
            if pool is None:
                pool = self._pools[key] = self._make_pool(endpoint)
                if len(self._pools) > _POOLS:
                    self._pools.popitem(last=False)
            self._pools.move_to_end(key)
            return pool

    def _make_pool(self, endpoint: Endpoint) -> HTTPConnectionPool:
        kwargs: dict[str, Any] = {
            "endpoint": endpoint,
            "allowed": self._allowed,
            "lookup": self._lookup,
        }
        if endpoint.scheme == "http":
            return connection.PlainPool(endpoint.host, endpoint.port, maxsize=_KEPT, **kwargs)
        return connection.TlsPool(
            endpoint.host, endpoint.port, maxsize=_KEPT, ssl_context=self._tls, **kwargs
        )


@lru_cache(maxsize=4)
def _tls(trusted: Path | None) -> ssl.SSLContext:
    """Return what all senders of this process verify certificates with;
    to read the authorities takes 20 ms.
    """
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    if trusted:
        context.load_verify_locations(trusted)
    context.sslsocket_class = connection.TlsWire
    return context


def _read_answer(response: BaseHTTPResponse, exchange: Exchange) -> None:
    """Read the response body up to the limit, without decompressing it, and store an excerpt."""
    remaining, beginning = connection.MOST_BODY, b""
    try:
        # a short read is not the end
        while remaining and (piece := response.read(remaining, decode_content=False)):
            remaining -= len(piece)
            beginning = (
                beginning if len(beginning) >= response_excerpt.MOST_SHOWN else beginning + piece
            )
    finally:
        exchange.answer = response_excerpt.take_excerpt(response.headers, beginning)
        if not response.closed:  # unread data remains, so the connection cannot be reused
            response.close()
        response.release_conn()


def _judge_status(status: int | None) -> str | None:
    if status is None:
        return "connection closed without an answer"
    if 200 <= status < 300:
        return None
    return (
        f"redirect ({status}) not followed"
        if 300 <= status < 400
        else f"answered with status {status}"
    )


_CERTIFICATE = {  # X509_V_ERR_…
    9: "the certificate is not valid yet",
    10: "the certificate has expired",
    18: "the certificate is self-signed",
    19: "the certificate chain ends in an unknown root certificate",
    20: "the certificate's issuer is unknown; is the chain complete?",
    21: "the certificate's issuer is unknown; is the chain complete?",
    62: "the certificate is for another host name",
    64: "the certificate is for another address",
}


def describe_failure(failure: Exception, exchange: Exchange) -> str:
    """Return a sentence for the partner that describes the failure,
    without details of the internal network.
    """
    if (
        isinstance(failure, broken.HTTPError)
        and failure.args
        and isinstance(failure.args[-1], Exception)
    ):
        return describe_failure(failure.args[-1], exchange)
    match failure:
        case TimeoutError() | broken.TimeoutError():
            return str(exchange.make_timeout_error())
        case ssl.SSLCertVerificationError():
            return _CERTIFICATE.get(failure.verify_code, "the certificate cannot be verified")
        case ssl.SSLError():
            return "the TLS connection failed; does the port speak TLS?"
        case ConnectionRefusedError():
            return "connection refused"
        case client.RemoteDisconnected():
            return "connection closed without an answer"
        case ConnectionError():
            return "connection reset"
        case OSError(errno=errno.EHOSTUNREACH | errno.ENETUNREACH):
            return "the host cannot be reached"
        case client.IncompleteRead() | broken.IncompleteRead():
            return "connection closed before the answer was complete"
        case client.HTTPException() | broken.HTTPError() | ValueError():
            # http.client accepts negative chunk sizes
            return "the answer is not well-formed HTTP"
    return "the connection failed"
