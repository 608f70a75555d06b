"""The address of a client, in every form in which sockets and proxies tell it."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.tables import each_of

from svc.base import client_addresses


@each_of(
    ("told", "address"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("203.0.113.9:51008", "203.0.113.9"),
        (" 203.0.113.9:51008 ", "203.0.113.9"),
        ("203.0.113.9:_port", "203.0.113.9"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ('"[2001:db8::1]:443"', "2001:db8::1"),
        ("2001:DB8:0::1", "2001:db8::1"),
        ("2001:db8::1:443", "2001:db8::1:443"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("[::ffff:203.0.113.9]:51008", "203.0.113.9"),
        ("::ffff:cb00:7109", "203.0.113.9"),
        ("fe80::1%eth0", "fe80::1"),
        ("[fe80::1%25eth0]:80", "fe80::1"),
        ("", ""),
        *(
            (text, "unknown")
            for text in (
                "unknown",
                "_hidden",
                "_hidden:80",
                "unknown:80",
                "203.0.113",
                "203.0.113.9.",
                "203.0.113.009",
                "203.0.113.9:",
                "203.0.113.9:x",
                "203.0.113.9:123456",
                "[203.0.113.9]",
                "[2001:db8::1",
                "2001:db8::1]:443",
                "[2001:db8::1]443",
                "example.com",
                "1, 2",
                "\x00",
                "２03.0.113.9",
                "for=203.0.113.9",
            )
        ),
    ],
)
def test_every_form_of_an_address_becomes_one(told, address):
    assert client_addresses.normalise(told) == address


@given(st.text(alphabet='0123456789abcf:.[]%_" ,x', max_size=40))
@example("[%]:1")
@example("%")
def test_what_is_read_is_an_address_that_reads_as_itself(text):
    once = client_addresses.normalise(text)
    assert client_addresses.normalise(once) == once


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("192.0.2.7:80", "192.0.2.7"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8::ffff:1", "2001:db8::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        ("", ""),
        ("no address", "no address"),
    ],
)
def test_an_address_counts_as_its_network(address, network):
    assert client_addresses.find_network(address) == network


def test_a_range_of_mapped_addresses_is_one_of_ipv4():
    assert str(client_addresses.parse_network("::ffff:192.0.2.0/120")) == "192.0.2.0/24"
    assert str(client_addresses.parse_network("::ffff:0:0/96")) == "0.0.0.0/0"
    assert str(client_addresses.parse_network("2001:db8::/32")) == "2001:db8::/32"
    ranges = (
        client_addresses.parse_network("192.0.2.0/24"),
        client_addresses.parse_network("2001:db8::/32"),
    )
    assert [
        client_addresses.is_within(each, ranges)
        for each in ("192.0.2.1:9", "[2001:db8::1]:9", "::ffff:192.0.2.1")
    ] == [True] * 3
    assert not any(
        client_addresses.is_within(each, ranges)
        for each in ("192.0.3.1", "2001:db9::1", "unknown", "_x", "")
    )
