"""Connections to partners' endpoints: only to checked addresses,
with one deadline for the whole exchange.
"""

import errno
import ipaddress
import math
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from http import client
from typing import TYPE_CHECKING, Any, cast

from urllib3 import HTTPConnectionPool, HTTPResponse, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection

from svc.adapters import addresses, certificates
from svc.adapters.addresses import Allowed, Endpoint, Lookup
from svc.adapters.deadline import Deadline, Stop

MOST_BODY = 16 * 1024  # bytes of a response body that are read; the rest is ignored
MOST_BYTES = MOST_BODY + 64 * 1024  # including headers and interim responses
_GONE = (errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN)


@dataclass(slots=True)
class Exchange:
    """The state of this thread's exchange: its deadline, progress and results."""

    ends_at: float
    seconds: float
    connect_seconds: float
    monotonic: Callable[[], float]  # the clock of all its times
    stage_at: float  # when the current phase began
    # The target of the request, as it was given: the library would write its percent-encoding anew.
    target: str = ""
    received: int = 0
    ended: bool = False  # the endpoint has closed the connection
    fresh: bool = False  # the connection was opened for this exchange
    status_code: int | None = None
    answer: dict[str, Any] | None = None  # the excerpt that is stored
    examines: bool = False  # describe the certificate, trusted or not
    found: dict[str, Any] = field(default_factory=dict)  # the value of Outcome.findings
    most_bytes: int = MOST_BYTES  # that may be received
    patience: float = math.inf  # seconds in which nothing moves
    whole: Deadline | None = None  # of the exchanges to which this one belongs
    guards: ExitStack = field(default_factory=ExitStack)

    def remaining_seconds(self) -> float:
        """Return the seconds to the deadline.

        Stop: it has passed; or the reason why the whole was aborted.
        """
        seconds = self.ends_at - self.monotonic()
        if seconds <= 0:
            raise self.make_timeout_error()
        return seconds if self.whole is None else min(seconds, self.whole.remaining_seconds())

    def find_operation_timeout(self) -> float:
        """Return the seconds that one operation may take. Stop: the deadline has passed."""
        return min(self.remaining_seconds(), self.patience)

    def make_timeout_error(self) -> Stop:
        """Return the error of an exchange that is late.

        Stop: the whole has ended, for its own reason.
        """
        if self.whole is not None:
            self.whole.check()
        return Stop(f"timed out after {min(self.seconds, self.patience):g} s")

    def guard(self, wire: socket.socket) -> None:
        """Let a connection end with the whole, until ``guards`` is closed."""
        if self.whole is not None:
            self.guards.enter_context(self.whole.guard(wire))

    def record_phase(self, phase: str) -> None:
        """Record the duration of the phase that has just ended."""
        now = self.monotonic()
        self.found[phase], self.stage_at = round((now - self.stage_at) * 1000, 2), now


class _Thread(threading.local):
    exchange: Exchange  # of this thread


_thread = _Thread()

if TYPE_CHECKING:  # the base classes of the mixins below
    _Socket = socket.socket
    _Connection = HTTPConnection
else:
    _Socket = _Connection = object


def begin_exchange(
    seconds: float, connect_seconds: float, monotonic: Callable[[], float] = time.monotonic
) -> Exchange:
    """Begin an exchange in this thread; its limits apply to the thread's connections until the
    next exchange begins.
    """
    now = monotonic()
    exchange = _thread.exchange = Exchange(
        now + seconds, seconds, connect_seconds, monotonic, stage_at=now
    )
    return exchange


def get_current_exchange() -> Exchange:
    """Return the exchange of this thread."""
    return _thread.exchange


class _Wire(_Socket):
    """A socket whose operations have the remaining time of the exchange as their timeout,
    so slow answers cannot extend it.
    """

    def recv_into(self, *args: Any) -> int:
        exchange = get_current_exchange()
        self.settimeout(exchange.find_operation_timeout())
        try:
            count: int = super().recv_into(*args)
        except TimeoutError:
            raise exchange.make_timeout_error() from None
        if count and not exchange.received:
            exchange.record_phase("first_byte_ms")
        exchange.received += count
        exchange.ended = count == 0
        if exchange.received > exchange.most_bytes:
            raise Stop("the answer has too many headers or chunks")
        return count

    def sendall(self, *args: Any) -> None:
        exchange = get_current_exchange()
        self.settimeout(exchange.find_operation_timeout())
        try:
            super().sendall(*args)
        except TimeoutError:
            raise exchange.make_timeout_error() from None
        exchange.stage_at = exchange.monotonic()


class _PlainWire(_Wire, socket.socket):
    pass


class TlsWire(_Wire, ssl.SSLSocket):
    # sendall calls it repeatedly, each time with the remaining timeout
    def send(self, *args: Any) -> int:
        self.settimeout(get_current_exchange().find_operation_timeout())
        return super().send(*args)


def connect_to_first(
    candidates: list[addresses.Address], port: int, exchange: Exchange
) -> socket.socket:
    """Connect to the first checked address that accepts; the remaining time is divided
    between the addresses.
    """
    ends_at = exchange.monotonic() + min(exchange.connect_seconds, exchange.remaining_seconds())
    for position, address in enumerate(candidates):
        share = (ends_at - exchange.monotonic()) / (len(candidates) - position)
        wire = _PlainWire(
            socket.AF_INET if address.version == 4 else socket.AF_INET6, socket.SOCK_STREAM
        )
        try:
            wire.settimeout(max(share, 0.001))
            wire.connect((str(address), port))
            if wire.getpeername()[0] != str(address):
                raise Stop("connected to an address other than the one that was checked")
            wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return wire
        except BaseException as error:
            wire.close()
            if not isinstance(error, OSError):
                raise
            last_error = error
    if isinstance(last_error, TimeoutError):
        raise Stop(f"timed out after {exchange.connect_seconds:g} s while connecting") from None
    if last_error.errno in _GONE:  # urllib3 would ignore it and continue without a connection
        raise Stop("connection reset") from None
    raise last_error


class _Answer(client.HTTPResponse):
    """A response that skips all interim responses (RFC 9110, 15.2);
    http.client itself skips only 100.
    """

    def _read_status(self) -> tuple[str, int, str]:
        answer: tuple[str, int, str]
        # http.client's, not in its stubs
        while 102 <= (answer := super()._read_status())[1] < 200:  # type: ignore[misc]
            client.parse_headers(self.fp)
        return answer


class _CheckedConnection(_Connection):
    """A connection to a checked address; Host, SNI and the name in the certificate are those
    of the URL.
    """

    response_class = _Answer

    def __init__(
        self, *args: Any, endpoint: Endpoint, allowed: Allowed, lookup: Lookup, **kwargs: Any
    ):
        super().__init__(*args, **kwargs)
        self._endpoint, self._allowed, self._lookup = endpoint, allowed, lookup

    def putrequest(self, method: str, url: str, *args: Any, **kwargs: Any) -> None:
        super().putrequest(method, get_current_exchange().target or url, *args, **kwargs)

    def _new_conn(self) -> socket.socket:
        exchange = get_current_exchange()
        exchange.fresh = True
        try:
            candidates = addresses.find_addresses(
                self._endpoint, exchange.remaining_seconds(), self._lookup
            )
        except addresses.NotResolved:
            candidates = []
        exchange.remaining_seconds()
        if not candidates or not all(
            addresses.may_reach(self._endpoint, ip, self._allowed) for ip in candidates
        ):
            raise Stop("the host does not resolve, or not to public addresses only")
        exchange.record_phase("resolve_ms")
        # Only addresses that the partner can look up too; private addresses that the operator
        # allows are not shown.
        exchange.found["addresses"] = [
            str(ip) for ip in candidates if self._endpoint.literal or addresses.is_public(ip)
        ]
        wire = self._connect(candidates, exchange)
        self._reached = [ipaddress.ip_address(wire.getpeername()[0])]
        exchange.record_phase("connect_ms")
        return wire

    def _connect(self, candidates: list[addresses.Address], exchange: Exchange) -> socket.socket:
        wire = connect_to_first(candidates, self._endpoint.port, exchange)
        try:
            exchange.guard(wire)
            wire.settimeout(exchange.remaining_seconds())  # for the handshake
        except BaseException:
            wire.close()
            raise
        return wire

    # urllib3 overrides http.client's in the same way
    def getresponse(self) -> HTTPResponse:  # type: ignore[override]
        response = super().getresponse()
        exchange = get_current_exchange()
        # http.client treats a connection that closes inside the headers as their end
        if exchange.ended:
            response.close()
            raise Stop("connection closed inside the answer's headers")
        exchange.status_code = response.status
        return response


class _PlainConnection(_CheckedConnection, HTTPConnection):
    pass


class _TlsConnection(_CheckedConnection, HTTPSConnection):
    def connect(self) -> None:
        exchange = get_current_exchange()
        try:
            super().connect()
        except ssl.SSLCertVerificationError:
            if exchange.examines:
                exchange.found["certificate"] = self._fetch_certificate(exchange)
            raise
        exchange.record_phase("tls_ms")
        if exchange.examines:
            wire = cast(TlsWire, self.sock)
            exchange.found["tls_version"] = wire.version()
            exchange.found["certificate"] = certificates.describe_certificate(
                wire.getpeercert() or {}
            )

    def _fetch_certificate(self, exchange: Exchange) -> dict[str, Any] | None:
        """Return the untrusted certificate, fetched from the same checked address;
        None if that fails.
        """
        try:
            return certificates.fetch_certificate(
                lambda: self._connect(self._reached, exchange), self._endpoint.host
            )
        except (OSError, ValueError, Stop):
            return None


class PlainPool(HTTPConnectionPool):
    ConnectionCls = _PlainConnection


class TlsPool(HTTPSConnectionPool):
    ConnectionCls = _TlsConnection
