"""What an endpoint's certificate says of itself: whose it is, who issued it, when it ends, believed or not."""

import ssl
from collections.abc import Callable
from socket import socket
from typing import Any

from svc.adapters.response_excerpt import safe
from svc.base.clock import SECOND

_MOST_NAMES = 20
_MOST_CHARACTERS = 200
_AT_ANY_TIME = 0x200000  # X509_V_FLAG_NO_CHECK_TIME, which ssl has no name for


def described(certificate: dict[str, Any]) -> dict[str, Any]:
    """``subject``, ``issuer``, ``names``, ``expires_at`` (ms since 1970) of what ``SSLSocket.getpeercert`` returns."""
    names = [value for kind, value in certificate.get("subjectAltName", ()) if kind in ("DNS", "IP Address")]
    return {
        "subject": _name(certificate["subject"]),
        "issuer": _name(certificate["issuer"]),
        "names": [safe(each)[:_MOST_CHARACTERS] for each in names[:_MOST_NAMES]],
        "expires_at": ssl.cert_time_to_seconds(certificate["notAfter"]) * SECOND,
    }


def presented(connect: Callable[[], socket], host: str) -> dict[str, Any]:
    """The certificate that an endpoint shows although nobody vouches for it, as :func:`described`.

    ssl reads out only what it has verified. So a first handshake fetches the certificate as bytes, and a second believes
    that one alone, whatever its time. Nothing is sent over either. OSError, ValueError: it cannot be had.
    """
    asking = _context()
    asking.verify_mode = ssl.CERT_NONE
    believing = _context()
    believing.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN | _AT_ANY_TIME
    believing.load_verify_locations(cadata=_handshake(asking, connect(), host, binary_form=True))
    return described(_handshake(believing, connect(), host))


def _context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    return context


def _handshake(context: ssl.SSLContext, connection: socket, host: str, *, binary_form: bool = False) -> Any:
    with connection, context.wrap_socket(connection, server_hostname=host) as wire:
        return wire.getpeercert(binary_form)


def _name(parts: tuple[tuple[tuple[str, str], ...], ...]) -> str:
    """``CN=…, O=…``: of each kind of part the first, those that people look for first."""
    said: dict[str, str] = {}
    for [(kind, value), *_] in parts:
        said.setdefault(kind, value)
    wanted = [said[kind] for kind in ("commonName", "organizationName") if kind in said]
    return safe(", ".join(wanted or said.values()))[:_MOST_CHARACTERS]
