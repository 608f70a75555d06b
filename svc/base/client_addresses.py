"""The address of a client, in whatever form a socket or a proxy gives it."""

import functools
import ipaddress
import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

UNKNOWN = "unknown"  # by RFC 7239, too; clients of which nothing is known count as one
_IPV6_PREFIX = 64  # the smallest prefix that providers assign to a customer
# An address as in X-Forwarded-For and in RFC 7239 ("Node"): Azure adds the port, and IPv6 may have
# brackets and a zone.
_FORM = re.compile(
    r"\[(?P<v6>[^\[\]]+)\](?P<port>:.*)?|(?P<v4>[0-9]+\.[0-9.]+)(?P<port_v4>:.*)?|"
    r"(?P<bare>[0-9A-Fa-f:.]+(?:%.*)?)"
)
_PORT = re.compile(r":(?:[0-9]{1,5}|_[A-Za-z0-9._-]+)")


def parse(text: str) -> IPv4Address | IPv6Address | None:
    """Return an address without its port, zone, quotes and brackets; IPv4 that is mapped to IPv6 as
    IPv4. None: it is not an address.
    """
    form = _FORM.fullmatch(text.strip().strip('"').strip())
    if form is None:
        return None
    port = form["port"] or form["port_v4"]
    if port and not _PORT.fullmatch(port):
        return None
    try:
        parsed = ipaddress.ip_address((form["v6"] or form["v4"] or form["bare"]).partition("%")[0])
    except ValueError:
        return None
    if form["v6"] and parsed.version == 4:
        return None
    return getattr(parsed, "ipv4_mapped", None) or parsed


@functools.lru_cache(maxsize=1024)  # most requests come from the same proxies and clients
def normalise(text: str) -> str:
    """Return an address in the form in which it is compared and stored; empty: a Unix socket's;
    UNKNOWN: any other text.
    """
    return str(parse(text) or UNKNOWN) if text else ""


def find_network(address: str) -> str:
    """Return the network that an address counts as: an IPv4 address itself, or an IPv6 /64,
    which one host usually controls.
    """
    parsed = parse(address)
    if parsed is None:
        return address
    return (
        str(parsed)
        if parsed.version == 4
        else str(ipaddress.ip_network((parsed, _IPV6_PREFIX), strict=False))
    )


def is_within(address: str, networks: tuple[IPv4Network | IPv6Network, ...]) -> bool:
    """Return whether an address is in one of the networks."""
    parsed = parse(address)
    return parsed is not None and any(
        parsed.version == each.version and parsed in each for each in networks
    )


def parse_network(text: str) -> IPv4Network | IPv6Network:
    """Return a range such as 192.0.2.0/24; one of IPv4 that is mapped to IPv6 as one of IPv4.

    ValueError: it is none.
    """
    network = ipaddress.ip_network(text)
    if (
        network.version == 6
        and network.prefixlen >= 96
        and (mapped_address := network.network_address.ipv4_mapped)
    ):
        return IPv4Network((mapped_address, network.prefixlen - 96))
    return network
