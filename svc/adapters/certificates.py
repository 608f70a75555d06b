"""Describes the certificate of an endpoint, trusted or not: subject, issuer, names, expiry."""

import ssl
from collections.abc import Callable
from socket import socket
from typing import Any

from svc.adapters.response_excerpt import replace_unsafe
from svc.base.clock import SECOND

_MOST_NAMES = 20
_MOST_CHARACTERS = 200
_AT_ANY_TIME = 0x200000  # X509_V_FLAG_NO_CHECK_TIME, which ssl does not define


def describe_certificate(certificate: dict[str, Any]) -> dict[str, Any]:
    """Return ``subject``, ``issuer``, ``names`` and ``expires_at`` (ms since 1970) of a
    result of ``SSLSocket.getpeercert``.
    """
    names = [
        value
        for kind, value in certificate.get("subjectAltName", ())
        if kind in ("DNS", "IP Address")
    ]
    return {
        "subject": _name(certificate["subject"]),
        "issuer": _name(certificate["issuer"]),
        "names": [replace_unsafe(name)[:_MOST_CHARACTERS] for name in names[:_MOST_NAMES]],
        "expires_at": ssl.cert_time_to_seconds(certificate["notAfter"]) * SECOND,
    }


def fetch_certificate(connect: Callable[[], socket], host: str) -> dict[str, Any]:
    """Return the untrusted certificate that an endpoint presents, in the form of
    :func:`describe_certificate`.

    ssl parses only certificates that it has verified. So a first handshake fetches the certificate
    as bytes, and a second trusts exactly that one and ignores its validity period. No data is sent
    over either connection. OSError, ValueError: the certificate cannot be fetched.
    """
    unverified_context = _make_context()
    unverified_context.verify_mode = ssl.CERT_NONE
    verifying_context = _make_context()
    verifying_context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN | _AT_ANY_TIME
    verifying_context.load_verify_locations(
        cadata=_fetch_peer_certificate(unverified_context, connect(), host, binary_form=True)
    )
    return describe_certificate(_fetch_peer_certificate(verifying_context, connect(), host))


def _make_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    return context


def _fetch_peer_certificate(
    context: ssl.SSLContext, connection: socket, host: str, *, binary_form: bool = False
) -> Any:
    with connection, context.wrap_socket(connection, server_hostname=host) as wire:
        return wire.getpeercert(binary_form)


def _name(parts: tuple[tuple[tuple[str, str], ...], ...]) -> str:
    """Return the common name and the organisation of a distinguished name; if it has neither,
    its other parts.
    """
    values: dict[str, str] = {}
    for [(kind, value), *_] in parts:
        values.setdefault(kind, value)
    names = [values[kind] for kind in ("commonName", "organizationName") if kind in values]
    return replace_unsafe(", ".join(names or values.values()))[:_MOST_CHARACTERS]
