"""What a ping finds out about an endpoint, and what is kept of its answers: enough for the partner,
nothing about us.
"""

import gzip
import ipaddress
import itertools

import pytest
from support.receivers import (
    HEAD,
    LOOPBACK,
    OK,
    PATIENCE,
    Authority,
    answering,
    at,
    closing,
    nothing_left_over,
    receiving,
    silent,
    standing,
)

from svc.adapters import connection as wire
from svc.adapters import response_excerpt
from svc.adapters.http import Sender

HOST = "hooks.example.com"
PUBLIC = "93.184.215.14"
PHASES = ("resolve_ms", "connect_ms", "tls_ms", "first_byte_ms")


@pytest.fixture
def to_loopback(monkeypatch):
    """Whatever public address is to be connected to, this machine answers."""
    connect, here = wire.connect_to_first, [ipaddress.ip_address("127.0.0.1")]
    monkeypatch.setattr(
        wire, "connect_to_first", lambda found, port, exchange: connect(here, port, exchange)
    )


def examine(receiver, authority: Authority | None = None, lookup=at(PUBLIC), allowed=(), **more):
    sender = Sender(
        allowed, lookup=lookup, trusted=authority and authority.file, **{"seconds": PATIENCE} | more
    )
    outcome = sender.examine(receiver.url(host=HOST), b"{}", {})
    sender.close()
    return outcome


def test_a_ping_learns_addresses_tls_certificate_phases_and_the_answer(authority, to_loopback):
    hello = HEAD + b"Content-Type: text/plain\r\nSet-Cookie: a=b\r\nContent-Length: 5\r\n\r\nhello"
    with (
        nothing_left_over(),
        receiving(answering(hello), authority.context(HOST, days=30)) as receiver,
    ):
        looks = itertools.count(0.0)  # each look at the clock finds it a second later
        outcome = examine(receiver, authority, seconds=10 * PATIENCE, monotonic=lambda: next(looks))
    found = outcome.findings
    assert (outcome.status_code, outcome.error) == (200, None)
    assert outcome.answer == {
        "headers": {"Content-Type": "text/plain", "Content-Length": "5"},
        "body": "hello",
    }
    assert (found["addresses"], found["tls_version"]) == ([PUBLIC], "TLSv1.3")
    certificate = found["certificate"]
    assert (certificate["subject"], certificate["issuer"], certificate["names"]) == (
        HOST,
        "test authority",
        [HOST],
    )
    assert certificate["expires_at"] == authority.expires_at
    took = [found[each] for each in PHASES]
    assert all(each >= 1000 for each in took) and sum(took) <= outcome.duration_ms


def test_what_is_no_ping_learns_nothing_and_keeps_the_answer(sender):
    with receiving(answering(HEAD + b"Content-Length: 2\r\n\r\nok")) as receiver:
        outcome = sender.post(receiver.url(), b"{}", {})
    assert (outcome.findings, outcome.answer["body"]) == (None, "ok")


def test_a_ping_uses_no_connection_that_is_kept(sender):
    with receiving(answering()) as receiver:
        for _ in range(2):
            sender.post(receiver.url(), b"{}", {})
            assert sender.examine(receiver.url(), b"{}", {}).findings["connect_ms"] >= 0
        assert receiver.connections == 3


@pytest.mark.parametrize(
    ("host", "days", "trusted", "error"),
    [
        (HOST, -3, True, "the certificate has expired"),
        ("other.example.com", 9, True, "the certificate is for another host name"),
        (HOST, 9, False, "the certificate's issuer is unknown; is the chain complete?"),
    ],
)
def test_a_certificate_that_is_not_believed_is_shown_and_sent_nothing(
    authority, to_loopback, host, days, trusted, error
):
    got = []
    with (
        nothing_left_over(),
        receiving(answering(got=got), authority.context(host, days)) as receiver,
    ):
        outcome = examine(receiver, authority if trusted else None)
    assert (outcome.error, got) == (error, [])
    certificate = outcome.findings["certificate"]
    assert (certificate["subject"], certificate["names"]) == (host, [host])
    assert certificate["expires_at"] == authority.expires_at
    assert (
        outcome.findings.keys() >= {"addresses", "resolve_ms", "connect_ms"}
        and "tls_ms" not in outcome.findings
    )


def test_an_endpoint_that_shows_its_certificate_only_once_is_no_mystery(authority, to_loopback):
    """The second look finds nobody: the finding is missing, and the sentence is as ever."""
    context = authority.context(HOST, -1)
    with nothing_left_over(), receiving(answering(), context) as receiver:
        first = []
        # internal_error
        context.sni_callback = lambda *_: first.append(1) or (None if len(first) == 1 else 80)
        outcome = examine(receiver, authority)
    assert (outcome.error, outcome.findings["certificate"]) == ("the certificate has expired", None)


def test_an_address_of_ours_is_named_to_nobody(authority):
    refused = Sender((), lookup=at(PUBLIC, "10.0.0.1")).examine(f"https://{HOST}/", b"{}", {})
    assert (refused.findings, "10.0" in refused.error) == ({}, False)
    with receiving(answering(OK)) as receiver:
        allowed = examine(receiver, lookup=at("127.0.0.1"), allowed=LOOPBACK)
    assert (allowed.error, allowed.findings["addresses"]) == (None, [])


def test_an_address_that_the_partner_wrote_is_named(sender):
    with receiving(answering()) as receiver:
        assert sender.examine(receiver.url(), b"{}", {}).findings["addresses"] == ["127.0.0.1"]


def test_a_silent_endpoint_was_resolved_and_connected_to():
    with receiving(silent) as receiver:
        outcome = examine(
            receiver, lookup=at("127.0.0.1"), allowed=LOOPBACK, seconds=0.4, monotonic=standing
        )
    assert outcome.error == "timed out after 0.4 s"
    assert {
        "resolve_ms",
        "connect_ms",
    } <= outcome.findings.keys() and "first_byte_ms" not in outcome.findings


def test_a_slow_answer_shows_in_its_first_byte_and_in_the_whole(pieces):
    with receiving(answering()) as receiver:
        outcome = examine(receiver, lookup=at("127.0.0.1"), allowed=LOOPBACK, monotonic=pieces)
    found = outcome.findings
    assert (found["first_byte_ms"], found["connect_ms"], outcome.duration_ms) == (
        pieces.EACH * 1000,
        0,
        pieces.EACH * 1000,
    )


HOSTILE = {
    "more than is kept": (b"x" * 50_000, "x" * 1024),
    "a letter cut in two": (b"x" * 1023 + "ü".encode(), "x" * 1023),
    "no UTF-8": (b"\xff\xfeA", "��A"),
    "escape sequences": (b"\x1b[2Jgone\x00\x7f", "�[2Jgone��"),
    "right to left": ("a\u202egnp.exe\u2066".encode(), "a�gnp.exe�"),
    "lines and tabs": (b"a\r\nb\n\tc\rd", "a\nb\n\tc�d"),
    "compressed": (gzip.compress(b"")[:4], "����"),
    "markup": (b"<script>alert(1)</script>", "<script>alert(1)</script>"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_the_beginning_of_a_body_is_kept_as_text_that_is_safe_to_show(sender, name):
    sent, kept = HOSTILE[name]
    with receiving(closing(HEAD + b"\r\n" + sent)) as receiver:
        assert sender.post(receiver.url(), b"{}", {}).answer["body"] == kept


def test_a_failed_attempt_keeps_what_says_why(sender):
    busy = (
        b"HTTP/1.1 503 Busy\r\nRetry-After: 30\r\nServer: "
        + b"s" * 900
        + b"\r\nContent-Length: 4\r\n\r\nbusy"
    )
    with receiving(answering(busy)) as receiver:
        outcome = sender.post(receiver.url(), b"{}", {})
    assert outcome.answer["headers"] == {
        "Content-Length": "4",
        "Retry-After": "30",
        "Server": "s" * 200,
    }
    assert (outcome.error, outcome.answer["body"]) == ("answered with status 503", "busy")


def test_an_answer_with_nothing_to_keep_is_none(sender):
    assert response_excerpt.take_excerpt({}, b"") is None
    with receiving(answering(b"HTTP/1.1 204 No Content\r\n\r\n")) as receiver:
        assert sender.post(receiver.url(), b"{}", {}).answer is None
