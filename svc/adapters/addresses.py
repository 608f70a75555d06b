"""Checks of network addresses: a partner's URL is parsed once, strictly,
and its host is resolved.
"""

import errno
import ipaddress
import re
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

import idna

from svc.base import outage
from svc.base.errors import HttpsRequired, InvalidEndpointUrl, ServiceUnavailable

Address = IPv4Address | IPv6Address
Allowed = Sequence[IPv4Network | IPv6Network]
Lookup = Callable[[str, float], list[str]]  # host name, seconds at most → addresses as text

LOOKUP_SECONDS = 5.0  # at registration; a delivery has the deadline of its exchange
MOST_CHARACTERS = 2048
_PARSED = 1_024  # parsed URLs in the cache

# All entries of the IANA special-purpose registries, and multicast: is_global accepts some of them.
_NOT_PUBLIC_V4 = [
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
]
# The addresses that are allocated to hosts: no mapped, NAT64, local or multicast ones.
_UNICAST_V6 = IPv6Network("2000::/3")
_NOT_PUBLIC_V6 = [
    IPv6Network(network)
    for network in (
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "2620:4f:8000::/48",
        "3ffe::/16",
        "3fff::/20",
    )
]

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_URL = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<path>[^#]*)", re.IGNORECASE
)
_AUTHORITY = re.compile(
    r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[^:\[\]@%]+))(?::(?P<port>[0-9]{1,5}))?", re.IGNORECASE
)
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_NOT_IN_URLS = re.compile(r"[\"<>\[\]^`{|}]")
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\]")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A parsed URL. Checks and connections use these same fields."""

    scheme: str  # "https" or "http"
    host: str  # lower-case ASCII, no brackets
    port: int
    path: str  # includes the query

    @property
    def target(self) -> str:
        """The path with its query as they were given.

        Only what no URL may have (RFC 3986) is percent-encoded.
        """
        return _NOT_IN_URLS.sub(lambda sign: f"%{ord(sign[0]):02X}", self.path)

    @property
    def literal(self) -> Address | None:
        """The address if the host is one; None if it is a name."""
        try:
            return ipaddress.ip_address(self.host)
        except ValueError:
            return None


class NotResolved(Exception):
    """A host name has no address. ``temporary``: the lookup failed and can be repeated."""

    def __init__(self, temporary: bool):
        super().__init__(
            "the name could not be looked up" if temporary else "the name does not resolve"
        )
        self.temporary = temporary


@lru_cache(maxsize=_PARSED)
def parse(url: str) -> Endpoint:
    """Parse ``url``.

    HttpsRequired: a scheme other than http and https. InvalidEndpointUrl: malformed; the message
    says how.
    """
    if len(url) > MOST_CHARACTERS:
        raise InvalidEndpointUrl(f"endpointUrl is over {MOST_CHARACTERS} characters.")
    scheme_match = _SCHEME.match(url)
    if scheme_match and scheme_match[1].lower() not in ("http", "https"):
        raise HttpsRequired()
    if _FORBIDDEN.search(url):
        raise InvalidEndpointUrl(
            "endpointUrl holds a space, a backslash or a control character; percent-encode it."
        )
    parts = _URL.fullmatch(url)
    if not parts:
        raise InvalidEndpointUrl(
            "endpointUrl must be a whole URL without a #fragment, such as "
            "https://example.com/hooks."
        )
    scheme = parts["scheme"].lower()
    if not parts["path"].isascii():
        raise InvalidEndpointUrl(
            "The path of endpointUrl must be ASCII; percent-encode other characters."
        )
    authority = _AUTHORITY.fullmatch(parts["authority"])
    if not authority:
        raise InvalidEndpointUrl(
            "endpointUrl needs a plain host, with a port if need be, and no user name or password."
        )
    port = int(authority["port"] or {"http": 80, "https": 443}[scheme])
    if not 1 <= port <= 65535:
        raise InvalidEndpointUrl("The port of endpointUrl must be from 1 to 65535.")
    host = _parse_v6(authority["v6"]) if authority["v6"] else _name(authority["name"])
    path = parts["path"] if parts["path"].startswith("/") else "/" + parts["path"]
    return Endpoint(scheme, host, port, path)


def _parse_v6(text: str) -> str:
    try:
        return str(IPv6Address(text))
    except ValueError:
        raise InvalidEndpointUrl(
            "The host of endpointUrl is not a well-formed IPv6 address."
        ) from None


def _name(text: str) -> str:
    """Return a host name, or an IPv4 address in its canonical form;
    127.1 and 0x7f000001 are rejected.
    """
    malformed = InvalidEndpointUrl(
        "The host of endpointUrl is not a well-formed host name or address."
    )
    try:
        host = text.lower() if text.isascii() else idna.encode(text, uts46=True).decode("ascii")
    except UnicodeError:
        raise malformed from None
    host = host.removesuffix(".")
    labels = host.split(".")
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise malformed
    if _NUMBER.fullmatch(labels[-1]):
        try:
            return str(IPv4Address(host))
        except ValueError:
            raise malformed from None
    return host


def is_public(address: Address) -> bool:
    """Return whether an address is public unicast: globally reachable and not part of
    a private network.
    """
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_V4)
    return address in _UNICAST_V6 and not any(address in network for network in _NOT_PUBLIC_V6)


def is_allowed(address: Address, allowed: Allowed) -> bool:
    """Return whether the operator allows an address explicitly (SVC_WEBHOOK_ALLOW_CIDRS)."""
    return any(address.version == network.version and address in network for network in allowed)


def may_reach(endpoint: Endpoint, address: Address, allowed: Allowed) -> bool:
    """Return whether ``endpoint`` may be connected to at ``address``: https at public addresses,
    anything at allowed ones.
    """
    return is_allowed(address, allowed) or (endpoint.scheme == "https" and is_public(address))


def find_addresses(endpoint: Endpoint, seconds: float, lookup: Lookup) -> list[Address]:
    """Return all addresses of an endpoint.

    NotResolved: it has none, or the lookup took longer than ``seconds``.
    """
    if endpoint.literal:
        return [endpoint.literal]
    return [ipaddress.ip_address(text) for text in dict.fromkeys(lookup(endpoint.host, seconds))]


def look_up(host: str, seconds: float, on_end: Callable[[], None] = lambda: None) -> list[str]:
    """Return the addresses of a host name. getaddrinfo has no timeout, so it runs in a thread that
    is abandoned if it is late.

    ``on_end``: called by that thread when it ends, even if it was abandoned.

    Raises:
        NotResolved: It has none, or the lookup took longer than ``seconds``.
        OSError: This process can open no more files, or start no more threads.
    """
    answer: list[list[str] | NotResolved | OSError] = []

    def look_up_in_thread() -> None:
        try:
            answer.append(
                [
                    str(entry[4][0])
                    for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
                ]
            )
        except UnicodeError:
            answer.append(NotResolved(temporary=False))
        except OSError as error:
            is_ours = outage.is_resource_exhaustion(error)
            answer.append(
                error if is_ours else NotResolved(temporary=error.errno == socket.EAI_AGAIN)
            )
        finally:
            on_end()

    thread = threading.Thread(target=look_up_in_thread, name="lookup", daemon=True)
    try:
        thread.start()
    except RuntimeError as failure:
        on_end()
        raise OSError(errno.ENOMEM, "no more threads can be started") from failure
    thread.join(seconds)
    if not answer:
        raise NotResolved(temporary=True)
    if isinstance(answer[0], Exception):
        raise answer[0]
    return answer[0]


def check_url(url: str, allowed: Allowed, lookup: Lookup = look_up) -> None:
    """Raise HttpsRequired or InvalidEndpointUrl if webhooks may not be sent to a URL; the message
    says why.

    ServiceUnavailable: the host name could not be looked up; the URL may be valid.
    """
    endpoint = parse(url)
    if endpoint.scheme == "http" and not allowed:
        raise HttpsRequired()
    try:
        candidates = find_addresses(endpoint, LOOKUP_SECONDS, lookup)
    except NotResolved as error:
        if error.temporary:
            raise ServiceUnavailable(
                "The host of endpointUrl could not be looked up just now.", retry_after=5
            ) from None
        candidates = []
    if endpoint.scheme == "http" and not (
        candidates and all(is_allowed(address, allowed) for address in candidates)
    ):
        raise HttpsRequired()
    if not (candidates and all(may_reach(endpoint, address, allowed) for address in candidates)):
        # One sentence for both cases, so that clients cannot probe which names exist in the
        # internal network.
        raise InvalidEndpointUrl(
            "The host of endpointUrl must resolve, and to public addresses only; this one does not."
        )
