"""The guarded sender against receivers that mean no good; each ends in time, with the right sentence and nothing left over."""

import gc
import gzip
import ipaddress
import socket
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from receivers import OK, Authority, answering, closing, dripping, read_request, receiving

from svc.adapters import addresses
from svc.adapters.http import Sender, check_url
from svc.base.errors import HttpsRequired, InvalidEndpointUrl, ServiceError, ServiceUnavailable

LOOPBACK = [ipaddress.ip_network("127.0.0.0/8")]
HEAD = b"HTTP/1.1 200 OK\r\n"


def at(*found):
    """A resolver that always answers with these addresses."""
    return lambda host, seconds: list(found)


def nowhere(host, seconds):
    raise addresses.NotResolved(temporary=False)


@pytest.fixture
def sender():
    made = Sender(LOOPBACK, seconds=0.4, connect_seconds=0.2, lookup=at("127.0.0.1"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def tls_sender(authority):
    made = Sender(LOOPBACK, seconds=1.0, lookup=at("127.0.0.1"), trusted=authority.file)
    yield made
    made.close()


def post(sender, receiver, **url):
    return sender.post(receiver.url(**url), b'{"n":1}', {"Content-Type": "application/json"})


def descriptors():
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0


def test_a_2xx_answer_is_a_success(sender):
    got = []
    with receiving(answering(got=got)) as receiver:
        outcome = post(sender, receiver, path="/a%20b?c=d")
    assert (outcome.status_code, outcome.error) == (200, None)
    assert outcome.duration_ms > 0
    [(headers, body)] = got
    assert (headers["request"], body) == ("POST /a%20b?c=d HTTP/1.1", b'{"n":1}')
    assert (headers["host"], headers["content-type"]) == (f"127.0.0.1:{receiver.port}", "application/json")


def test_connections_are_kept_and_used_again(sender):
    with receiving(answering()) as receiver:
        assert [post(sender, receiver).error for _ in range(5)] == [None] * 5
        assert receiver.connections == 1


def test_a_kept_connection_that_the_endpoint_has_given_up_is_replaced(sender):
    def once(connection, stopping):
        read_request(connection)
        connection.sendall(OK)
        read_request(connection)  # of the second, nothing is answered

    with receiving(once) as receiver:
        assert post(sender, receiver).error is None
        assert post(sender, receiver).error is None
        assert receiver.connections == 2


CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
HOSTILE = {
    "dripping status line": (dripping(b"", b"H"), None, "timed out after 0.4 s"),
    "dripping headers": (dripping(HEAD, b"X: y\r\n"), None, "timed out after 0.4 s"),
    "dripping one endless header": (dripping(HEAD + b"X: ", b"y"), None, "timed out after 0.4 s"),
    "silence": (dripping(b"", b""), None, "timed out after 0.4 s"),
    "dripping body": (dripping(HEAD + b"Content-Length: 9999\r\n\r\n", b"x"), 200, "timed out after 0.4 s"),
    "dripping chunks": (dripping(CHUNKED, b"1\r\nx\r\n"), 200, "timed out after 0.4 s"),
    "endless body": (dripping(HEAD + b"\r\n", b"x" * 65536), 200, None),
    "a body said to be huge": (closing(HEAD + b"Content-Length: 99999999999\r\n\r\n" + b"x" * 32768), 200, None),
    "endless chunks": (dripping(CHUNKED, b"4000\r\n" + b"x" * 0x4000 + b"\r\n"), 200, None),
    "gzip bomb": (closing(HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"\0" * 50_000_000)), 200, None),
    "endless headers": (dripping(HEAD, b"X: " + b"y" * 9000 + b"\r\n"), None, "the answer has too many headers or chunks"),
    "a header line without end": (dripping(HEAD + b"X: ", b"y" * 65536), None, "the answer is not well-formed HTTP"),
    "flood of 100 Continue": (
        dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 3000), None, "the answer has too many headers or chunks",
    ),
    "103 only": (closing(b"HTTP/1.1 103 Early Hints\r\n\r\n"), 103, "answered with status 103"),
    "closed without an answer": (closing(b""), None, "connection closed without an answer"),
    "reset without an answer": (closing(b"", reset=True), None, "connection reset"),
    "reset inside the headers": (closing(HEAD + b"X: y", reset=True), None, None),
    "end inside the status line": (closing(b"HTTP/1.1 2"), None, "the answer is not well-formed HTTP"),
    "end inside the headers": (closing(HEAD + b"X: y\r\n"), None, "connection closed inside the answer's headers"),
    "end inside the body": (
        closing(HEAD + b"Content-Length: 9\r\n\r\nx"), 200, "connection closed before the answer was complete",
    ),
    "end inside a chunk": (closing(CHUNKED + b"9\r\nx"), 200, "connection closed before the answer was complete"),
    "not HTTP": (closing(b"220 mail ready\r\n"), None, "the answer is not well-formed HTTP"),
    "bad chunk": (closing(CHUNKED + b"zz\r\n\r\n"), 200, None),
    "204 with a body": (answering(b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello"), 204, None),
    "redirect to the metadata service": (
        answering(b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n"), 302,
        "redirect (302) not followed",
    ),
    "404": (answering(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), 404, "answered with status 404"),
}  # fmt: skip
FAILS_IN_ITS_OWN_WAY = {"reset inside the headers", "bad chunk"}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_answer_ends_in_time_with_the_right_record_and_nothing_left_over(name):
    handle, status, error = HOSTILE[name]
    gc.collect()  # what other tests have left
    threads, files = threading.active_count(), descriptors()
    sender = Sender(LOOPBACK, seconds=0.4)
    with receiving(handle) as receiver:
        began = time.monotonic()
        outcome = post(sender, receiver)
        assert time.monotonic() - began < 1.5
    sender.close()
    if name in FAILS_IN_ITS_OWN_WAY:
        assert outcome.error
    else:
        assert (outcome.status_code, outcome.error) == (status, error)
    assert (threading.active_count(), descriptors()) == (threads, files)


def test_a_body_left_over_from_one_answer_is_never_taken_for_the_next(sender):
    odd = b"HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 500 Error\r\nContent-Length: 0\r\n\r\n"
    with receiving(answering(odd)) as receiver:
        assert [post(sender, receiver).status_code for _ in range(3)] == [204] * 3


def test_a_port_where_nobody_listens_refuses(sender):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    outcome = sender.post(f"http://127.0.0.1:{port}/", b"{}", {})
    assert (outcome.status_code, outcome.error) == (None, "connection refused")


def test_a_full_backlog_times_out_while_connecting(sender):
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(listening.getsockname())
        outcome = sender.post(f"http://127.0.0.1:{listening.getsockname()[1]}/", b"{}", {})
        for each in waiting:
            each.close()
    assert outcome.error == "timed out after 0.2 s while connecting"


def test_proxies_of_the_environment_are_not_used(sender, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with receiving(answering()) as receiver:
        assert post(sender, receiver).error is None


def test_a_verified_certificate_is_fine_and_named_by_sni(authority, tls_sender):
    seen, got = [], []
    context = authority.context("hooks.example.com")
    context.sni_callback = lambda connection, name, _: seen.append(name)
    with receiving(answering(got=got), context) as receiver:
        outcomes = [post(tls_sender, receiver, host="hooks.example.com").error for _ in range(2)]
        assert receiver.connections == 1
    assert (outcomes, seen) == ([None, None], ["hooks.example.com"])
    assert got[0][0]["host"] == f"hooks.example.com:{receiver.port}"


@pytest.mark.parametrize(("host", "days", "error"), [
    ("hooks.example.com", -1, "the certificate has expired"),
    ("other.example.com", 1, "the certificate is for another host name"),
])  # fmt: skip
def test_a_certificate_that_is_wrong_is_refused_by_name(authority, tls_sender, host, days, error):
    got = []
    with receiving(answering(got=got), authority.context(host, days)) as receiver:
        assert post(tls_sender, receiver, host="hooks.example.com").error == error
    assert got == []


def test_a_certificate_of_an_unknown_authority_is_refused(authority, sender):
    with receiving(answering(), authority.context("hooks.example.com")) as receiver:
        assert "issuer is unknown" in post(sender, receiver, host="hooks.example.com").error


def test_tls_to_a_plain_port_is_named(tls_sender):
    def plain(connection, stopping):
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with receiving(plain) as receiver:
        outcome = tls_sender.post(f"https://hooks.example.com:{receiver.port}/", b"{}", {})
    assert outcome.error == "the TLS connection failed; does the port speak TLS?"


@pytest.mark.parametrize("drop", [b"", b"\x16"])
def test_a_handshake_that_never_ends_times_out(authority, drop):
    def handle(connection, stopping):
        while not stopping.wait(0.01):
            connection.sendall(drop)

    sender = Sender(LOOPBACK, seconds=0.4, lookup=at("127.0.0.1"), trusted=authority.file)
    with receiving(handle) as receiver:
        began = time.monotonic()
        outcome = sender.post(f"https://hooks.example.com:{receiver.port}/", b"{}", {})
    assert time.monotonic() - began < 1.5
    assert outcome.error == "timed out after 0.4 s" or "TLS" in outcome.error


def test_a_dripping_answer_over_tls_times_out(authority):
    sender = Sender(LOOPBACK, seconds=0.4, lookup=at("127.0.0.1"), trusted=authority.file)
    with receiving(dripping(HEAD, b"X: y\r\n"), authority.context("hooks.example.com")) as receiver:
        assert post(sender, receiver, host="hooks.example.com").error == "timed out after 0.4 s"
    sender.close()


def test_a_name_that_is_public_first_and_private_next_is_never_connected_to():
    answers = iter([["93.184.216.34"], ["127.0.0.1"]])

    def lookup(host, seconds):
        return next(answers)

    with receiving(answering()) as receiver:
        url = f"https://hooks.example.com:{receiver.port}/"
        check_url(url, (), lookup)
        outcome = Sender((), lookup=lookup).post(url, b"{}", {})
        assert outcome.error == "the host does not resolve, or not to public addresses only"
        assert receiver.connections == 0


def test_one_bad_address_among_good_ones_is_enough_to_refuse():
    with pytest.raises(InvalidEndpointUrl):
        check_url("https://hooks.example.com/", (), at("93.184.216.34", "10.0.0.1"))
    outcome = Sender((), lookup=at("93.184.216.34", "10.0.0.1")).post("https://hooks.example.com/", b"{}", {})
    assert "public" in outcome.error


def test_a_resolver_that_hangs_is_left_behind(monkeypatch):
    hanging = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *given, **named: hanging.wait(10) and [])
    sender = Sender((), seconds=0.2)
    outcome = sender.post("https://hooks.example.com/", b"{}", {})
    hanging.set()
    assert outcome.error == "timed out after 0.2 s"
    assert outcome.duration_ms < 1500


PUBLIC = at("93.184.216.34")
REFUSED_HOSTS = """
    127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.0.0.1 0177.0.0.1 017700000001 127.0.0.1. 0 0.0.0.0 00.0.0.0 10.0.0.1
    10.255.255.255 100.64.0.1 169.254.169.254 169.254.0.1 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.0.1
    198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 256.1.1.1 1.1.1.1.1 0x08080808
    8.8.2056 08.8.8.8 [::] [::1] [::ffff:127.0.0.1] [::ffff:8.8.8.8] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::7f00:1]
    [64:ff9b:1::1] [100::1] [2001::1] [2001:db8::1] [2001:10::1] [2002:7f00:1::] [2002:808:808::] [3fff::1] [3ffe::1] [5f00::1]
    [fc00::1] [fd12:3456::1] [fe80::1] [fe80::1%25eth0] [fec0::1] [ff02::1] [::1]evil [] [1] [:::1] [2620:4f:8000::1]
    １２７.0.0.1 127。0。0。1 ①②⑦.0.0.1 user@example.com user:pass@example.com example.com@127.0.0.1 a..b .example.com
    -a.com a-.com exa%6dple.com example.com:0 example.com:65536 example.com:abc example.com:-1 example.com: [::1]:443 a:b:c
""".split()  # noqa: SIM905


@pytest.mark.parametrize("host", REFUSED_HOSTS)
def test_a_hostile_host_is_refused(host):
    with pytest.raises(InvalidEndpointUrl):
        check_url(f"https://{host}/hook", (), PUBLIC)


@pytest.mark.parametrize("url", [
    "", "https", "https:", "https:/", "https://", "https:///hook", "https:example.com", "https:/example.com", "//example.com",
    "example.com/hook", " https://example.com", "https://example.com ", "https://exa mple.com/", "https://example.com/a b",
    "https://example.com\\@127.0.0.1/", "https://example.com/\n", "https://example.com/\tx", "https://exam\x00ple.com/",
    "https://example.com/#fragment", "https://example.com/é", "https://" + "a" * 64 + ".com/",
    "https://example.com/" + "a" * 2048,
    "https://" + "a." * 127 + "com/", "https://?x", "https://#x", "https://exa\x7fmple.com/", "https://example.com\r\nX: y/",
])  # fmt: skip
def test_a_malformed_url_is_refused(url):
    with pytest.raises(InvalidEndpointUrl):
        check_url(url, (), PUBLIC)


@pytest.mark.parametrize("url", ["http://example.com/", "HTTP://example.com/", "ftp://example.com/", "file:///etc/passwd",
                                 "gopher://example.com/", "javascript://x", "http://127.0.0.1/"])  # fmt: skip
def test_another_scheme_than_https_is_refused(url):
    with pytest.raises(HttpsRequired):
        check_url(url, (), PUBLIC)


@pytest.mark.parametrize("url", ["https://example.com", "HTTPS://Example.COM/x?y=z", "https://example.com:8443/", "https://8.8.8.8/",
                                 "https://[2606:4700::1111]/", "https://bücher.example/", "https://example.com./"])  # fmt: skip
def test_an_ordinary_url_is_accepted(url):
    check_url(url, (), PUBLIC)


def test_a_name_that_does_not_resolve_is_refused_and_one_that_cannot_be_looked_up_is_not_the_urls_fault():
    def unavailable(host, seconds):
        raise addresses.NotResolved(temporary=True)

    with pytest.raises(InvalidEndpointUrl):
        check_url("https://hooks.example.com/", (), nowhere)
    with pytest.raises(ServiceUnavailable):
        check_url("https://hooks.example.com/", (), unavailable)


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


@given(st.ip_addresses())
def test_whatever_is_public_here_is_global_unicast_to_the_registries_too(address):
    if addresses.is_public(address):
        assert address.is_global and not address.is_multicast and not address.is_reserved


@given(st.text(max_size=40))
def test_no_text_at_all_makes_the_check_stumble(text):
    for url in (text, "https://" + text, "https://example.com" + text):
        try:
            check_url(url, (), PUBLIC)
        except ServiceError:
            pass
