"""Addresses: which URLs a webhook may have, spelt in however hostile a way,
against the IANA special-purpose registries.
"""

import errno
import os
from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.receivers import LOOPBACK, at
from support.tables import each_of
from urllib3.exceptions import ProtocolError

from svc.adapters import addresses
from svc.adapters.addresses import check_url
from svc.adapters.http import Sender
from svc.adapters.transfers import Transfers
from svc.base import outage
from svc.base.errors import HttpsRequired, InvalidEndpointUrl, ServiceError, ServiceUnavailable


def nowhere(host, seconds):
    raise addresses.NotResolved(temporary=False)


PUBLIC = at("93.184.216.34")
REFUSED_HOSTS = """
    127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.0.0.1 0177.0.0.1 017700000001 127.0.0.1. 0
    0.0.0.0 00.0.0.0 10.0.0.1 10.255.255.255 100.64.0.1 169.254.169.254 169.254.0.1 172.16.0.1
    172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.51.100.1 203.0.113.1
    224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 256.1.1.1 1.1.1.1.1 0x08080808 8.8.2056
    08.8.8.8 [::] [::1] [::ffff:127.0.0.1] [::ffff:8.8.8.8] [::ffff:7f00:1] [::127.0.0.1]
    [64:ff9b::7f00:1] [64:ff9b:1::1] [100::1] [2001::1] [2001:db8::1] [2001:10::1] [2002:7f00:1::]
    [2002:808:808::] [3fff::1] [3ffe::1] [5f00::1] [fc00::1] [fd12:3456::1] [fe80::1]
    [fe80::1%25eth0] [fec0::1] [ff02::1] [::1]evil [] [1] [:::1] [2620:4f:8000::1] １２７.0.0.1
    127。0。0。1 ①②⑦.0.0.1 user@example.com user:pass@example.com example.com@127.0.0.1 a..b
    .example.com 127.0.0.1%00 0x7f.1 0xA9FEA9FE 2852039166 0251.0376.0251.0376 169.254.43518
    [::127.1] [0:0:0:0:0:ffff:127.0.0.1] [::ffff:a9fe:a9fe] [::ffff:0:127.0.0.1]
    [64:ff9b::169.254.169.254] [2001:0:7f00:1::] [fe80::1%eth0] 127.0.0.1:443@example.com
    192.31.196.1 192.52.193.1 192.175.48.1 [2001:1::1] [2001:20::1] [100:0:0:1::1] [4000::1]
    [1fff::1] [::ffff:0:0] -a.com a-.com exa%6dple.com example.com:0 example.com:65536
    example.com:abc example.com:-1 example.com: [::1]:443 a:b:c
""".split()  # noqa: SIM905


@each_of("host", REFUSED_HOSTS)
def test_a_hostile_host_is_refused(host):
    with pytest.raises(InvalidEndpointUrl):
        check_url(f"https://{host}/hook", (), PUBLIC)


@each_of(
    "url",
    [
        "",
        "https",
        "https:",
        "https:/",
        "https://",
        "https:///hook",
        "https:example.com",
        "https:/example.com",
        "//example.com",
        "example.com/hook",
        " https://example.com",
        "https://example.com ",
        "https://exa mple.com/",
        "https://example.com/a b",
        "https://example.com\\@127.0.0.1/",
        "https://example.com/\n",
        "https://example.com/\tx",
        "https://exam\x00ple.com/",
        "https://example.com/#fragment",
        "https://example.com/é",
        "https://" + "a" * 64 + ".com/",
        "https://example.com/" + "a" * 2048,
        "https://" + "a." * 127 + "com/",
        "https://?x",
        "https://#x",
        "https://exa\x7fmple.com/",
        "https://example.com\r\nX: y/",
    ],
)
def test_a_malformed_url_is_refused(url):
    with pytest.raises(InvalidEndpointUrl):
        check_url(url, (), PUBLIC)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/",
        "HTTP://example.com/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "gopher://example.com/",
        "javascript://x",
        "http://127.0.0.1/",
        "javascript:alert(1)",
        "JavaScript:alert('a b')",
        "data:text/html,x",
        "example.com:8443/x",
    ],
)
def test_another_scheme_than_https_is_refused(url):
    with pytest.raises(HttpsRequired):
        check_url(url, (), PUBLIC)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com",
        "HTTPS://Example.COM/x?y=z",
        "https://example.com:8443/",
        "https://8.8.8.8/",
        "https://[2606:4700::1111]/",
        "https://bücher.example/",
        "https://example.com./",
    ],
)
def test_an_ordinary_url_is_accepted(url):
    check_url(url, (), PUBLIC)


def test_an_unresolved_name_is_refused_and_a_failed_look_up_is_not_the_urls_fault():
    def unavailable(host, seconds):
        raise addresses.NotResolved(temporary=True)

    with pytest.raises(InvalidEndpointUrl):
        check_url("https://hooks.example.com/", (), nowhere)
    with pytest.raises(ServiceUnavailable):
        check_url("https://hooks.example.com/", (), unavailable)


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENFILE, errno.ENOMEM])
def test_a_look_up_without_means_of_our_own_says_nothing_of_the_name(monkeypatch, code):
    """As glibc has it: the file of its settings, or the socket, cannot be opened."""

    def out_of_them(*_, **__):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(addresses.socket, "getaddrinfo", out_of_them)
    with pytest.raises(OSError, match=os.strerror(code)):
        check_url("https://hooks.example.com/", ())
    for exchange in (
        lambda: Sender(()).post("https://hooks.example.com/", b"{}", {}),
        lambda: Transfers(()).request("GET", "https://place.example.com/", {}),
    ):
        with pytest.raises((OSError, ProtocolError)) as failed:  # the library's around ours
            exchange()
        assert outage.is_resource_exhaustion(failed.value)


def test_nor_does_one_without_a_thread(monkeypatch):
    def none_left(_):
        raise RuntimeError("can't start new thread")

    ended = []
    monkeypatch.setattr(addresses.threading.Thread, "start", none_left)
    with pytest.raises(OSError, match="no more threads") as failed:
        addresses.look_up("hooks.example.com", 5.0, lambda: ended.append(1))
    assert outage.recognise(failed.value) is outage.NO_MEMORY and ended == [1]


def test_allowed_ranges_may_be_reached_by_http_and_only_they():
    check_url("http://127.0.0.1:9000/", LOOPBACK)
    check_url("https://127.0.0.1:9000/", LOOPBACK)
    with pytest.raises(HttpsRequired):
        check_url("http://8.8.8.8/", LOOPBACK)
    with pytest.raises(InvalidEndpointUrl):
        check_url("https://10.0.0.1/", LOOPBACK)


def test_a_refusal_says_nothing_about_our_network():
    with pytest.raises(InvalidEndpointUrl) as private:
        check_url("https://database.internal/", (), at("10.1.2.3"))
    with pytest.raises(InvalidEndpointUrl) as absent:
        check_url("https://database.internal/", (), nowhere)
    assert str(private.value) == str(absent.value)
    assert "10.1.2.3" not in str(private.value)


# The registries as of 2025-10-09: prefix and "Globally Reachable"; None where that column says N/A
# or nothing. https://www.iana.org/assignments/iana-ipv4-special-registry and
# …/iana-ipv6-special-registry
REGISTRIES = {
    "0.0.0.0/8": False, "0.0.0.0/32": False, "10.0.0.0/8": False, "100.64.0.0/10": False,
    "127.0.0.0/8": False, "169.254.0.0/16": False, "172.16.0.0/12": False, "192.0.0.0/24": False,
    "192.0.0.0/29": False, "192.0.0.8/32": False, "192.0.0.9/32": True, "192.0.0.10/32": True,
    "192.0.0.170/32": False, "192.0.0.171/32": False, "192.0.2.0/24": False,
    "192.31.196.0/24": True, "192.52.193.0/24": True, "192.88.99.0/24": None,
    "192.88.99.2/32": False, "192.168.0.0/16": False, "192.175.48.0/24": True,
    "198.18.0.0/15": False, "198.51.100.0/24": False, "203.0.113.0/24": False, "240.0.0.0/4": False,
    "255.255.255.255/32": False, "::1/128": False, "::/128": False, "::ffff:0:0/96": False,
    "64:ff9b::/96": True, "64:ff9b:1::/48": False, "100::/64": False, "100:0:0:1::/64": False,
    "2001::/23": False, "2001::/32": None, "2001:1::1/128": True, "2001:1::2/128": True,
    "2001:1::3/128": True, "2001:2::/48": False, "2001:3::/32": True, "2001:4:112::/48": True,
    "2001:10::/28": None, "2001:20::/28": True, "2001:30::/28": True, "2001:db8::/32": False,
    "2002::/16": None, "2620:4f:8000::/48": True, "3fff::/20": False, "5f00::/16": False,
    "fc00::/7": False, "fe80::/10": False,
}  # fmt: skip
SPECIAL = [ip_network(each) for each in REGISTRIES]
MULTICAST = [ip_network("224.0.0.0/4"), ip_network("ff00::/8")]
# Beyond the registries: all that IANA has not handed out as unicast, and the 6bone's old range.
NOT_HANDED_OUT = [ip_network("3ffe::/16")]
UNICAST_V6 = ip_network("2000::/3")
PRIVATE_V4 = [
    ip_network(each)
    for each in ("10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16")
]
SPECIAL_ADDRESSES = st.sampled_from(SPECIAL + MULTICAST + NOT_HANDED_OUT).flatmap(
    lambda each: st.ip_addresses(network=each)
)


resolved: list[str] = []


def resolve(host, seconds):
    return list(resolved)


sender = Sender((), lookup=resolve)  # one for all: it takes long to make


def special(address) -> bool:
    """Whether a registry has an entry for an address, reachable or not:
    none of them is where a partner's server is.
    """
    ranges = SPECIAL + MULTICAST + NOT_HANDED_OUT
    return any(address.version == each.version and address in each for each in ranges)


def literal(address) -> str:
    return f"https://{address}/" if address.version == 4 else f"https://[{address}]/"


@each_of("network", SPECIAL + MULTICAST)
def test_the_first_and_the_last_address_of_every_registered_range_are_refused(network):
    for each in (network[0], network[-1]):
        assert not addresses.is_public(each)
        with pytest.raises(InvalidEndpointUrl):
            check_url(literal(each), (), PUBLIC)


@pytest.mark.parametrize(
    "prefix", [prefix for prefix, reachable in REGISTRIES.items() if reachable is not False]
)
def test_a_special_range_that_can_be_reached_is_no_place_for_an_endpoint_either(prefix):
    """Anycast services, sinkholes, identifiers, and ranges that translate into another address,
    which may be a private one.
    """
    with pytest.raises(InvalidEndpointUrl):
        check_url("https://hooks.example.com/", (), at(str(ip_network(prefix)[0])))


@each_of("network", SPECIAL + MULTICAST)
def test_the_neighbours_of_a_registered_range_are_refused_only_if_they_are_special_too(network):
    kind, top = (IPv4Address, 2**32) if network.version == 4 else (IPv6Address, 2**128)
    for number in (int(network[0]) - 1, int(network[-1]) + 1):
        if 0 <= number < top:
            neighbour = kind(number)
            assert addresses.is_public(neighbour) == expected(neighbour)


def expected(address) -> bool:
    return not special(address) and (address.version == 4 or address in UNICAST_V6)


@given(st.ip_addresses() | st.ip_addresses(network="2000::/3"))
def test_an_address_is_public_exactly_if_no_registry_has_it_and_it_is_handed_out_as_unicast(
    address,
):
    assert addresses.is_public(address) == expected(address)


@given(SPECIAL_ADDRESSES)
def test_a_special_address_is_refused_as_a_literal_as_what_a_name_resolves_to_and_at_the_connection(
    address,
):
    resolved[:] = ["93.184.216.34", str(address)]
    for url in (literal(address), "https://hooks.example.com/"):
        with pytest.raises(InvalidEndpointUrl):
            check_url(url, (), resolve)
        outcome = sender.post(url, b"{}", {})
        assert (outcome.status_code, outcome.error) == (
            None,
            "the host does not resolve, or not to public addresses only",
        )


@given(st.sampled_from(PRIVATE_V4).flatmap(lambda each: st.ip_addresses(network=each)))
def test_a_private_address_inside_an_ipv6_one_is_refused(address):
    number = int(address)
    mapped, compatible, translated = 0xFFFF << 32 | number, number, 0x64FF9B << 96 | number
    six_to_four, teredo, isatap = (
        0x2002 << 112 | number << 80,
        0x2001 << 112 | (number ^ 0xFFFFFFFF),
        0xFE80 << 112 | number,
    )
    for each in (mapped, compatible, translated, six_to_four, teredo, isatap):
        assert not addresses.is_public(IPv6Address(each))


@given(st.ip_addresses())
def test_whatever_is_public_here_is_global_unicast_to_the_standard_library_too(address):
    if addresses.is_public(address):
        assert address.is_global and not address.is_multicast and not address.is_reserved


@given(st.text(max_size=40))
def test_no_text_at_all_makes_the_check_stumble(text):
    for url in (text, "https://" + text, "https://example.com" + text):
        try:
            check_url(url, (), PUBLIC)
        except ServiceError:
            pass
