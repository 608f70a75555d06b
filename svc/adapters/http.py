"""The one place that talks to a partner's network: posts a webhook to a checked address, within one deadline.

urllib3 rather than requests, which is built on it: its pools take a connection class of our own, which is where the address
is checked and the clock is watched; it consults no proxy and no netrc; and a post costs half as much.
"""

import errno
import logging
import ssl
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from http import client
from pathlib import Path
from typing import Any

import certifi
from urllib3 import BaseHTTPResponse, HTTPConnectionPool
from urllib3 import exceptions as broken

from svc.adapters import addresses, connection, response_excerpt
from svc.adapters.addresses import Allowed, Endpoint, Lookup, check_url
from svc.adapters.connection import Exchange, Stop
from svc.base.errors import ServiceError

__all__ = ["Outcome", "Sender", "check_url"]

SECONDS = 15.0  # for the whole exchange, from the lookup of the name to the last byte that is read
CONNECT_SECONDS = 5.0

_POOLS = 256  # endpoints whose connections are kept
_KEPT = 16  # connections of one endpoint

# What partners answer is shown to them in their deliveries; it is nothing to warn the operator of.
logging.getLogger("urllib3").setLevel(logging.ERROR)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an exchange ended. ``error``: a sentence for the partner; None when a whole 2xx answer came in time.

    ``answer``: ``headers`` and ``body``, of :func:`svc.adapters.response_excerpt.kept`.
    ``findings``, of :meth:`Sender.examine` alone and each only if it came so far: ``addresses``, ``tls_version``,
    ``certificate`` (of :mod:`svc.adapters.certificates`), and how long the phases took: ``resolve_ms``, ``connect_ms``,
    ``tls_ms``, ``first_byte_ms`` (from the last byte of the request).
    """

    status_code: int | None
    error: str | None
    duration_ms: float
    answer: dict[str, Any] | None = None
    findings: dict[str, Any] | None = None


class Sender:
    """Posts to partners' endpoints over connections that are kept. Safe to use from many threads.

    ``allowed``: ranges that may be reached although they are private; ``trusted``: a file of further certificate authorities.
    """

    def __init__(
        self,
        allowed: Allowed,
        *,
        seconds: float = SECONDS,
        connect_seconds: float = CONNECT_SECONDS,
        lookup: Lookup = addresses.look_up,
        trusted: Path | None = None,
    ):
        self._allowed, self._lookup = tuple(allowed), lookup
        self._seconds, self._connect_seconds = seconds, connect_seconds
        self._tls = ssl.create_default_context()
        self._tls.load_verify_locations(certifi.where())
        if trusted:
            self._tls.load_verify_locations(trusted)
        self._tls.sslsocket_class = connection.TlsWire
        self._pools: OrderedDict[tuple[str, str, int], HTTPConnectionPool] = OrderedDict()
        self._lock = threading.Lock()

    def post(self, url: str, body: bytes, headers: dict[str, str]) -> Outcome:
        """Send ``body`` and say how it went; nothing is raised that has to do with the endpoint."""
        return self._exchange(url, body, headers, connection.begin(self._seconds, self._connect_seconds))

    def examine(self, url: str, body: bytes, headers: dict[str, str]) -> Outcome:
        """The same over a connection of its own, with findings: what a partner wants to know who tries an endpoint out."""
        exchange = connection.begin(self._seconds, self._connect_seconds)
        exchange.examines = True
        return self._exchange(url, body, headers, exchange)

    def close(self) -> None:
        """Close the connections that are kept."""
        with self._lock:
            self._pools.clear()  # a pool closes its connections when nobody holds it any more

    def _exchange(self, url: str, body: bytes, headers: dict[str, str], exchange: Exchange) -> Outcome:
        began = time.monotonic()
        try:
            self._post(addresses.parse(url), body, headers, exchange)
            error = _verdict(exchange.status_code)
        except (Stop, ServiceError) as refused:
            error = str(refused)
        except (OSError, broken.HTTPError, client.HTTPException, UnicodeError, ValueError) as failed:
            error = _sentence(failed, exchange)
        took = round((time.monotonic() - began) * 1000, 2)
        return Outcome(exchange.status_code, error, took, exchange.answer, exchange.found if exchange.examines else None)

    def _post(self, endpoint: Endpoint, body: bytes, headers: dict[str, str], exchange: Exchange) -> None:
        if not exchange.examines:
            return self._post_by(self._pool(endpoint), endpoint, body, headers, exchange)
        with self._new_pool(endpoint) as pool:
            return self._post_by(pool, endpoint, body, headers, exchange)

    def _post_by(
        self, pool: HTTPConnectionPool, endpoint: Endpoint, body: bytes, headers: dict[str, str], exchange: Exchange
    ) -> None:
        while True:
            exchange.fresh = False
            try:
                response = pool.urlopen(
                    "POST", endpoint.path, body, headers, retries=False, redirect=False, preload_content=False,
                    decode_content=False, timeout=self._seconds,
                )  # fmt: skip
                return _read(response, exchange)
            except (OSError, broken.ProtocolError):
                if exchange.fresh or exchange.received:
                    raise
                # A kept connection that the endpoint had given up meanwhile: not its failure. A new one will be fresh.

    def _pool(self, endpoint: Endpoint) -> HTTPConnectionPool:
        key = (endpoint.scheme, endpoint.host, endpoint.port)
        with self._lock:
            pool = self._pools.get(key)
            if pool is None:
                pool = self._pools[key] = self._new_pool(endpoint)
                if len(self._pools) > _POOLS:
                    self._pools.popitem(last=False)
            self._pools.move_to_end(key)
            return pool

    def _new_pool(self, endpoint: Endpoint) -> HTTPConnectionPool:
        ours: dict[str, Any] = {"endpoint": endpoint, "allowed": self._allowed, "lookup": self._lookup}
        if endpoint.scheme == "http":
            return connection.PlainPool(endpoint.host, endpoint.port, maxsize=_KEPT, **ours)
        return connection.TlsPool(endpoint.host, endpoint.port, maxsize=_KEPT, ssl_context=self._tls, **ours)


def _read(response: BaseHTTPResponse, exchange: Exchange) -> None:
    """Read what the answer's body has, up to its limit and as it came: nothing is decompressed. Its beginning is kept."""
    left, begins = connection.MOST_BODY, b""
    try:
        while left and (piece := response.read(left, decode_content=False)):  # a short one is not yet the end
            left -= len(piece)
            begins = begins if len(begins) >= response_excerpt.MOST_SHOWN else begins + piece
    finally:
        exchange.answer = response_excerpt.kept(response.headers, begins)
        if not response.closed:  # more would follow: this connection is of no more use
            response.close()
        response.release_conn()


def _verdict(status: int | None) -> str | None:
    if status is None:
        return "connection closed without an answer"
    if 200 <= status < 300:
        return None
    return f"redirect ({status}) not followed" if 300 <= status < 400 else f"answered with status {status}"


_CERTIFICATE = {  # X509_V_ERR_…
    9: "the certificate is not valid yet",
    10: "the certificate has expired",
    18: "the certificate is self-signed",
    19: "the certificate's chain ends in one that nobody knows",
    20: "the certificate's issuer is unknown; is the chain complete?",
    21: "the certificate's issuer is unknown; is the chain complete?",
    62: "the certificate is for another host name",
    64: "the certificate is for another address",
}


def _sentence(failed: Exception, exchange: Exchange) -> str:
    """What went wrong, in words for the partner: about the endpoint, and nothing about our network."""
    if isinstance(failed, broken.HTTPError) and failed.args and isinstance(failed.args[-1], Exception):
        return _sentence(failed.args[-1], exchange)
    match failed:
        case TimeoutError() | broken.TimeoutError():
            return str(exchange.late())
        case ssl.SSLCertVerificationError():
            return _CERTIFICATE.get(failed.verify_code, "the certificate cannot be verified")
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
        case client.HTTPException() | broken.HTTPError() | ValueError():  # http.client reads a chunk of size -5
            return "the answer is not well-formed HTTP"
    return "the connection failed"
