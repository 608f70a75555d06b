"""The guarded sender: what it sends and keeps, whom it connects to,
and what it says of those that do not answer.
"""

import errno
import os
import socket
import threading

import pytest
from support.receivers import (
    LOOPBACK,
    OK,
    PATIENCE,
    answering,
    at,
    nothing_left_over,
    post,
    read_request,
    receiving,
)

from svc.adapters import connection as wire
from svc.adapters.http import Sender, check_url
from svc.adapters.transfers import Transfers
from svc.base.errors import InvalidEndpointUrl


def test_a_2xx_answer_is_a_success(sender):
    got = []
    with receiving(answering(got=got)) as receiver:
        outcome = post(sender, receiver, path="/a%20b?c=d")
    assert (outcome.status_code, outcome.error) == (200, None)
    [(headers, body)] = got
    assert (headers["request"], body) == ("POST /a%20b?c=d HTTP/1.1", b'{"n":1}')
    assert (headers["host"], headers["content-type"]) == (
        f"127.0.0.1:{receiver.port}",
        "application/json",
    )


@pytest.mark.parametrize("status", [100, 102, 103, 199])
def test_interim_answers_are_passed_over(sender, status):
    interim = b"HTTP/1.1 %d Wait\r\nLink: </x>\r\n\r\n" % status
    with receiving(answering(2 * interim + OK)) as receiver:
        outcomes = [post(sender, receiver) for _ in range(2)]
        assert receiver.connections == 1
    assert [(each.status_code, each.error) for each in outcomes] == [(200, None)] * 2


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


def test_a_body_left_over_from_one_answer_is_never_taken_for_the_next(sender):
    odd = b"HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 500 Error\r\nContent-Length: 0\r\n\r\n"
    with receiving(answering(odd)) as receiver:
        assert [post(sender, receiver).status_code for _ in range(3)] == [204] * 3


def test_a_port_where_nobody_listens_refuses(sender):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    outcome = sender.post(f"http://127.0.0.1:{port}/", b"{}", {})
    assert (outcome.status_code, outcome.error) == (None, "connection refused")


@pytest.mark.parametrize("how", [errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN])
@pytest.mark.parametrize("where", ["connect", "getpeername"])
def test_an_endpoint_that_resets_while_we_connect_is_told_so(sender, monkeypatch, where, how):
    def gone(*_):
        raise OSError(how, os.strerror(how))

    monkeypatch.setattr(wire._PlainWire, where, gone)
    with nothing_left_over(), receiving(answering()) as receiver:
        outcome = post(sender, receiver)
    assert (outcome.status_code, outcome.error) == (None, "connection reset")


def test_a_full_backlog_times_out_while_connecting():
    sender = Sender(LOOPBACK, seconds=PATIENCE, connect_seconds=0.2)
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


def test_one_bad_address_among_good_ones_is_enough_to_refuse():
    with pytest.raises(InvalidEndpointUrl):
        check_url("https://hooks.example.com/", (), at("93.184.216.34", "10.0.0.1"))
    outcome = Sender((), lookup=at("93.184.216.34", "10.0.0.1")).post(
        "https://hooks.example.com/", b"{}", {}
    )
    assert "public" in outcome.error


def test_a_resolver_that_hangs_is_left_behind(monkeypatch):
    may_answer, answered = threading.Event(), threading.Event()

    def getaddrinfo(*given, **named):
        may_answer.wait(PATIENCE)
        answered.set()
        return []

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    before = threading.enumerate()
    outcome = Sender((), seconds=0.2).post("https://hooks.example.com/", b"{}", {})
    assert (outcome.error, answered.is_set()) == ("timed out after 0.2 s", False)
    may_answer.set()
    for lookup in set(threading.enumerate()) - set(before):
        lookup.join(PATIENCE)  # so that the next test does not see it end


TARGETS = [
    ("/hook?a=%2f&b=%7e&c=d+e", "/hook?a=%2f&b=%7e&c=d+e"),
    ("/hook?share=100%&a=%2F", "/hook?share=100%&a=%2F"),
    ("/%e2%82%ac/%2E?sig=ab%3d%3D", "/%e2%82%ac/%2E?sig=ab%3d%3D"),
    ("/hook?a[]=1&b={c}|d", "/hook?a%5B%5D=1&b=%7Bc%7D%7Cd"),
    ("?a=1", "/?a=1"),
    ("/hook?", "/hook?"),
]


@pytest.mark.parametrize(("given", "sent"), TARGETS)
def test_the_query_of_an_endpoint_is_sent_as_it_was_registered(sender, given, sent):
    got = []
    with receiving(answering(got=got)) as receiver:
        for _ in range(2):  # also over a connection that is kept
            assert post(sender, receiver, path=given).error is None
        answer = Transfers(LOOPBACK).request("GET", receiver.url(given), {})
    assert answer.status == 200
    assert [each[0]["request"] for each in got] == [
        *[f"POST {sent} HTTP/1.1"] * 2,
        f"GET {sent} HTTP/1.1",
    ]
