"""Connections to partners' endpoints: to an address that was checked, with one deadline over everything they do."""

import errno
import ipaddress
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from http import client
from typing import TYPE_CHECKING, Any, cast

from urllib3 import HTTPConnectionPool, HTTPResponse, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection

from svc.adapters import addresses, certificates
from svc.adapters.addresses import Allowed, Endpoint, Lookup

MOST_BODY = 16 * 1024  # of an answer is read; more is no concern of ours
MOST_BYTES = MOST_BODY + 64 * 1024  # with its headers, also where there is no end of them
_GONE = (errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN)


class Stop(Exception):
    """The exchange ends here; the text is for the partner."""


@dataclass(slots=True)
class Exchange:
    """What the exchange of this thread has left, and how far it has come."""

    ends_at: float
    seconds: float
    connect_seconds: float
    received: int = 0
    ended: bool = False  # the endpoint has closed its side
    fresh: bool = False  # the connection was made for this exchange
    status_code: int | None = None
    answer: dict[str, Any] | None = None  # what is kept of it
    examines: bool = False  # the certificate is to be looked at, believed or not
    found: dict[str, Any] = field(default_factory=dict)  # what it has learned of the endpoint, as Outcome.findings has it
    stage_at: float = field(default_factory=time.monotonic)  # when the present phase began

    def left(self) -> float:
        """Seconds to the deadline. Stop: it has passed."""
        left = self.ends_at - time.monotonic()
        if left <= 0:
            raise self.late()
        return left

    def late(self) -> Stop:
        return Stop(f"timed out after {self.seconds:g} s")

    def passed(self, phase: str) -> None:
        """A phase has ended, and the next begins."""
        now = time.monotonic()
        self.found[phase], self.stage_at = round((now - self.stage_at) * 1000, 2), now


class _Thread(threading.local):
    exchange: Exchange  # which this thread is in


_thread = _Thread()

if TYPE_CHECKING:  # what the classes below are mixed into
    _Socket = socket.socket
    _Connection = HTTPConnection
else:
    _Socket = _Connection = object


def begin(seconds: float, connect_seconds: float) -> Exchange:
    """Begin an exchange in this thread: everything that its connections do until the next one counts against it."""
    exchange = _thread.exchange = Exchange(time.monotonic() + seconds, seconds, connect_seconds)
    return exchange


def current() -> Exchange:
    """The exchange that this thread is in."""
    return _thread.exchange


class _Wire(_Socket):
    """A socket whose every operation has what is left of the whole exchange, so that dripping gains nothing."""

    def recv_into(self, *given: Any) -> int:
        exchange = current()
        self.settimeout(exchange.left())
        try:
            count: int = super().recv_into(*given)
        except TimeoutError:
            raise exchange.late() from None
        if count and not exchange.received:
            exchange.passed("first_byte_ms")
        exchange.received += count
        exchange.ended = count == 0
        if exchange.received > MOST_BYTES:
            raise Stop("the answer has too many headers or chunks")
        return count

    def sendall(self, *given: Any) -> None:
        exchange = current()
        self.settimeout(exchange.left())
        try:
            super().sendall(*given)
        except TimeoutError:
            raise exchange.late() from None
        exchange.stage_at = time.monotonic()


class _PlainWire(_Wire, socket.socket):
    pass


class TlsWire(_Wire, ssl.SSLSocket):
    def send(self, *given: Any) -> int:  # sendall calls it until all is sent, each time with the timeout of then
        self.settimeout(current().left())
        return super().send(*given)


def _connect(found: list[addresses.Address], port: int, exchange: Exchange) -> socket.socket:
    """A connection to one of the addresses, all of them checked; each is given its share of the time."""
    ends_at = time.monotonic() + min(exchange.connect_seconds, exchange.left())
    for position, address in enumerate(found):
        share = (ends_at - time.monotonic()) / (len(found) - position)
        wire = _PlainWire(socket.AF_INET if address.version == 4 else socket.AF_INET6, socket.SOCK_STREAM)
        try:
            wire.settimeout(max(share, 0.001))
            wire.connect((str(address), port))
            if wire.getpeername()[0] != str(address):
                raise Stop("connected to another address than the one that was checked")
            wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return wire
        except BaseException as failed:
            wire.close()
            if not isinstance(failed, OSError):
                raise
            last = failed
    if isinstance(last, TimeoutError):
        raise Stop(f"timed out after {exchange.connect_seconds:g} s while connecting") from None
    if last.errno in _GONE:  # urllib3 would overlook it and go on without a connection
        raise Stop("connection reset") from None
    raise last


class _Answer(client.HTTPResponse):
    """An answer after all interim ones (RFC 9110, 15.2): http.client itself passes over 100 alone."""

    def _read_status(self) -> tuple[str, int, str]:
        answer: tuple[str, int, str]
        while 102 <= (answer := super()._read_status())[1] < 200:  # type: ignore[misc] # http.client's, not in its stubs
            client.parse_headers(self.fp)
        return answer


class _Checked(_Connection):
    """A connection to an address that was checked; Host, SNI and the certificate's name are those of the URL."""

    response_class = _Answer

    def __init__(self, *given: Any, endpoint: Endpoint, allowed: Allowed, lookup: Lookup, **named: Any):
        super().__init__(*given, **named)
        self._endpoint, self._allowed, self._lookup = endpoint, allowed, lookup

    def _new_conn(self) -> socket.socket:
        exchange = current()
        exchange.fresh = True
        try:
            found = addresses.addresses_of(self._endpoint, exchange.left(), self._lookup)
        except addresses.NotResolved:
            found = []
        exchange.left()
        if not found or not all(addresses.may_reach(self._endpoint, each, self._allowed) for each in found):
            raise Stop("the host does not resolve, or not to public addresses only")
        exchange.passed("resolve_ms")
        # What the partner can look up as well as we can; an address of ours that the operator allows is none of that.
        exchange.found["addresses"] = [str(each) for each in found if self._endpoint.literal or addresses.is_public(each)]
        wire = self._connect(found, exchange)
        self._reached = [ipaddress.ip_address(wire.getpeername()[0])]
        exchange.passed("connect_ms")
        return wire

    def _connect(self, found: list[addresses.Address], exchange: Exchange) -> socket.socket:
        wire = _connect(found, self._endpoint.port, exchange)
        wire.settimeout(exchange.left())  # for the handshake
        return wire

    def getresponse(self) -> HTTPResponse:  # type: ignore[override] # as urllib3 itself overrides http.client's
        response = super().getresponse()
        exchange = current()
        if exchange.ended:  # http.client takes an end inside the headers for the end of the headers
            response.close()
            raise Stop("connection closed inside the answer's headers")
        exchange.status_code = response.status
        return response


class _PlainConnection(_Checked, HTTPConnection):
    pass


class _TlsConnection(_Checked, HTTPSConnection):
    def connect(self) -> None:
        exchange = current()
        try:
            super().connect()
        except ssl.SSLCertVerificationError:
            if exchange.examines:
                exchange.found["certificate"] = self._presented(exchange)
            raise
        exchange.passed("tls_ms")
        if exchange.examines:
            wire = cast(TlsWire, self.sock)
            exchange.found["tls_version"] = wire.version()
            exchange.found["certificate"] = certificates.described(wire.getpeercert() or {})

    def _presented(self, exchange: Exchange) -> dict[str, Any] | None:
        """The certificate that was not believed, from an address that has been checked."""
        try:
            return certificates.presented(lambda: self._connect(self._reached, exchange), self._endpoint.host)
        except (OSError, ValueError, Stop):
            return None


class PlainPool(HTTPConnectionPool):
    ConnectionCls = _PlainConnection


class TlsPool(HTTPSConnectionPool):
    ConnectionCls = _TlsConnection
