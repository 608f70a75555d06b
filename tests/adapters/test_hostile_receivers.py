"""Receivers that mean no good: each exchange ends, with the right record and nothing left over."""

import gzip
import ssl

import pytest
from support.receivers import (
    HEAD,
    LOOPBACK,
    OK,
    PATIENCE,
    answering,
    at,
    closing,
    deaf,
    dripping,
    half_closing,
    hasty,
    nothing_left_over,
    post,
    receiving,
    reset_at_close,
    silent,
    standing,
)

from svc.adapters.http import Sender, check_url

pytestmark = pytest.mark.slow

LATE = "timed out after 60 s"
SOON = 0.4  # seconds, for receivers that never answer
LATE_SOON = "timed out after 0.4 s"
CUT = "connection closed before the answer was complete"
HEADLESS = "connection closed inside the answer's headers"
SILENT = "connection closed without an answer"
RESET = "connection reset"
ODD = "the answer is not well-formed HTTP"
CROWDED = "the answer has too many headers or chunks"
NO_TLS = "the TLS connection failed; does the port speak TLS?"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
NINE = HEAD + b"Content-Length: 9\r\n\r\n"
METADATA = b"Location: http://169.254.169.254/latest/\r\nContent-Length: 0\r\n\r\n"

HOSTILE = {
    "endless body": (dripping(HEAD + b"\r\n", b"x" * 65536), 200, None),
    "a body said to be huge": (
        closing(HEAD + b"Content-Length: 99999999999\r\n\r\n" + b"x" * 32768),
        200,
        None,
    ),
    "endless chunks": (dripping(CHUNKED, b"4000\r\n" + b"x" * 0x4000 + b"\r\n"), 200, None),
    "gzip bomb": (
        closing(HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"\0" * 50_000_000)),
        200,
        None,
    ),
    "endless headers": (dripping(HEAD, b"X: " + b"y" * 9000 + b"\r\n"), None, CROWDED),
    "a header line without end": (dripping(HEAD + b"X: ", b"y" * 65536), None, ODD),
    "flood of 100 Continue": (
        dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 3000),
        None,
        CROWDED,
    ),
    "103 only": (closing(b"HTTP/1.1 103 Early Hints\r\n\r\n"), None, SILENT),
    "closed without an answer": (closing(b""), None, SILENT),
    "reset without an answer": (closing(b"", reset=True), None, RESET),
    "reset inside the headers": (closing(HEAD + b"X: y", reset=True), None, {RESET, HEADLESS}),
    "end inside the status line": (closing(b"HTTP/1.1 2"), None, ODD),
    "end inside the headers": (closing(HEAD + b"X: y\r\n"), None, HEADLESS),
    "end inside the body": (
        closing(HEAD + b"Content-Length: 9\r\n\r\nx"),
        200,
        CUT,
    ),
    "end inside a chunk": (closing(CHUNKED + b"9\r\nx"), 200, CUT),
    "not HTTP": (closing(b"220 mail ready\r\n"), None, ODD),
    "bad chunk": (closing(CHUNKED + b"zz\r\n\r\n"), 200, CUT),
    "204 with a body": (
        answering(b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello"),
        204,
        None,
    ),
    "404": (
        answering(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
        404,
        "answered with status 404",
    ),
    "flood of 103 Early Hints": (
        dripping(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 3000),
        None,
        CROWDED,
    ),
    "101 Switching Protocols": (
        dripping(b"HTTP/1.1 101 Other\r\nUpgrade: x\r\n\r\n", b"x"),
        101,
        "answered with status 101",
    ),
    "204 with an endless body": (
        dripping(b"HTTP/1.1 204 No Content\r\n\r\n", b"x" * 65536),
        204,
        None,
    ),
    "304 with a body": (
        closing(b"HTTP/1.1 304 Not Modified\r\n\r\nhello"),
        304,
        "redirect (304) not followed",
    ),
    "status 999": (
        closing(b"HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n"),
        999,
        "answered with status 999",
    ),
    "status 0200": (closing(b"HTTP/1.1 0200 OK\r\n\r\n"), 200, None),
    "status -200": (closing(b"HTTP/1.1 -200 OK\r\n\r\n"), None, ODD),
    "HTTP/9.9": (closing(b"HTTP/9.9 200 OK\r\n\r\n"), None, ODD),
    "HTTP/2 frames": (closing(b"\0\0\x12\x04\0\0\0\0\0" + b"\0" * 18), None, ODD),
    "a length below zero": (closing(HEAD + b"Content-Length: -1\r\n\r\nx"), 200, None),
    "a length that is no number": (closing(HEAD + b"Content-Length: x\r\n\r\nx"), 200, None),
    "two lengths": (closing(HEAD + b"Content-Length: 1\r\nContent-Length: 9\r\n\r\nx"), None, ODD),
    "NUL in a header": (closing(HEAD + b"X: a\0b\r\nContent-Length: 0\r\n\r\n"), 200, None),
    "answer without end of the connection": (
        half_closing(HEAD + b"Connection: close\r\n\r\n"),
        200,
        None,
    ),
    "half-closed without an answer": (half_closing(b""), None, SILENT),
    "half-closed inside the headers": (half_closing(HEAD + b"X: y\r\n"), None, HEADLESS),
    "half-closed inside the body": (half_closing(NINE + b"x"), 200, CUT),
    "reset before the request is read": (hasty(b"", reset=True), None, {RESET, SILENT}),
    "reset inside the status line": (closing(b"HTTP/1.1 2", reset=True), None, {RESET, ODD}),
    "reset inside the body": (closing(NINE + b"x", reset=True), 200, {RESET, CUT}),
    "reset inside a chunk": (closing(CHUNKED + b"9\r\nx", reset=True), 200, {RESET, CUT}),
    "reset after the answer": (closing(OK, reset=True), 200, None),
    "chunk of less than nothing": (closing(CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n"), 200, ODD),
    "chunk until the end": (dripping(CHUNKED + b"-1\r\n", b"x" * 65536), 200, CROWDED),
    "chunk said to be huge": (dripping(CHUNKED + b"f" * 15 + b"\r\n", b"x" * 65536), 200, None),
    "chunk size without end": (dripping(CHUNKED, b"0" * 65536), 200, {ODD, CROWDED}),
    "endless trailers": (dripping(CHUNKED + b"0\r\n", b"X: y\r\n" * 9000), 200, CROWDED),
    "brotli and nonsense": (
        closing(HEAD + b"Content-Encoding: br\r\nContent-Length: 3\r\n\r\nxyz"),
        200,
        None,
    ),
    "plain port that speaks TLS": (closing(b"\x15\x03\x03\0\x02\x02\x16"), None, ODD),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_answer_ends_in_time_with_the_right_record_and_nothing_left_over(name):
    handle, status, error = HOSTILE[name]
    with nothing_left_over():
        sender = Sender(LOOPBACK, seconds=PATIENCE)
        with receiving(handle) as receiver:
            outcome = post(sender, receiver)
        sender.close()
    if isinstance(error, set):
        assert (outcome.status_code, True) == (status, outcome.error in error)
    else:
        assert (outcome.status_code, outcome.error) == (status, error)


DRIPPING = {  # what is sent at once, what follows piece by piece, and the status that is recorded
    "dripping status line": (b"", b"H", None),
    "dripping headers": (HEAD, b"X: y\r\n", None),
    "dripping one endless header": (HEAD + b"X: ", b"y", None),
    "dripping body": (HEAD + b"Content-Length: 9999\r\n\r\n", b"x", 200),
    "dripping chunks": (CHUNKED, b"1\r\nx\r\n", 200),
    "dripping 100 Continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n", None),
    "dripping trailers": (CHUNKED + b"0\r\n", b"X: y\r\n", 200),
}


@pytest.mark.parametrize("name", DRIPPING)
def test_an_answer_that_arrives_piece_by_piece_ends_at_the_deadline(name, pieces):
    before, drop, status = DRIPPING[name]
    with nothing_left_over():
        sender = Sender(LOOPBACK, seconds=PATIENCE, monotonic=pieces)
        with receiving(pieces.dripping(before, drop)) as receiver:
            outcome = post(sender, receiver)
        sender.close()
    assert (outcome.status_code, outcome.error) == (status, LATE)
    assert (pieces.taken, outcome.duration_ms) == (PATIENCE / pieces.EACH, PATIENCE * 1000)


@pytest.mark.parametrize(
    ("handle", "size"), [(silent, 7), (deaf, 50_000_000)], ids=["silence", "nothing of it is read"]
)
def test_a_delivery_that_is_not_answered_ends_at_the_deadline(handle, size):
    with nothing_left_over():
        sender = Sender(LOOPBACK, seconds=SOON, monotonic=standing)
        with receiving(handle) as receiver:
            outcome = sender.post(receiver.url(), b"x" * size, {})
        sender.close()
    assert (outcome.status_code, outcome.error) == (None, LATE_SOON)


@pytest.mark.parametrize("status", [301, 302, 303, 305, 307, 308])
def test_a_redirect_to_the_metadata_service_is_not_followed(status):
    asked = []

    def lookup(host, seconds):
        asked.append(host)
        return ["127.0.0.1"]

    with nothing_left_over():
        sender = Sender(LOOPBACK, seconds=PATIENCE, lookup=lookup)
        with receiving(answering(b"HTTP/1.1 %d Moved\r\n" % status + METADATA)) as receiver:
            outcome = post(sender, receiver, host="hooks.example.com")
            assert receiver.connections == 1
        sender.close()
    assert (outcome.status_code, outcome.error) == (status, f"redirect ({status}) not followed")
    assert asked == ["hooks.example.com"]


@pytest.mark.parametrize(
    "answers",
    [
        [["93.184.216.34"], ["127.0.0.1"]],
        [["93.184.216.34"], ["169.254.169.254"]],
        [["93.184.216.34"], ["93.184.216.34", "::1"]],
    ],
)
def test_a_name_that_is_public_first_and_private_next_is_never_connected_to(answers):
    coming = iter(answers)

    def lookup(host, seconds):
        return next(coming)

    with nothing_left_over():
        sender = Sender((), seconds=PATIENCE, lookup=lookup)
        with receiving(answering()) as receiver:
            url = f"https://hooks.example.com:{receiver.port}/"
            check_url(url, (), lookup)
            outcome = sender.post(url, b"{}", {})
            assert receiver.connections == 0
        sender.close()
    assert outcome.error == "the host does not resolve, or not to public addresses only"


def raw(before: bytes, drop: bytes | None = None, reset: bool = False):
    """Speaks no TLS: reads once, sends ``before``, then drips ``drop``, or closes or resets."""

    def handle(connection, stopping):
        connection.recv(65536)
        connection.sendall(before)
        for _ in range(6000 if drop is not None else 0):
            if stopping.wait(0.01):
                return
            connection.sendall(drop)
        if reset:
            reset_at_close(connection)

    return handle


NOT_TLS = {
    "an HTTP answer": (raw(b"HTTP/1.1 400 Bad Request\r\n\r\n"), PATIENCE, {NO_TLS}),
    "an alert": (raw(b"\x15\x03\x03\0\x02\x02\x28"), PATIENCE, {NO_TLS}),
    "silence": (raw(b"", b""), SOON, {LATE_SOON}),
    "a dripping record": (raw(b"\x16\x03\x03\x40\0", b"x"), SOON, {LATE_SOON, NO_TLS}),
    "the end of the connection": (raw(b""), PATIENCE, {NO_TLS, RESET, SILENT}),
    "a reset": (raw(b"", reset=True), PATIENCE, {RESET}),
    "half of a record": (raw(b"\x16\x03\x03\0\x7a\x02"), PATIENCE, {NO_TLS, RESET}),
}


@pytest.mark.parametrize("name", NOT_TLS)
def test_an_endpoint_that_answers_the_handshake_wrongly_is_told_so(authority, name):
    handle, seconds, errors = NOT_TLS[name]
    with nothing_left_over():
        sender = Sender(
            LOOPBACK,
            seconds=seconds,
            lookup=at("127.0.0.1"),
            trusted=authority.file,
            monotonic=standing,
        )
        with receiving(handle) as receiver:
            outcome = sender.post(f"https://hooks.example.com:{receiver.port}/", b"{}", {})
        sender.close()
    assert (outcome.status_code, True) == (None, outcome.error in errors), outcome


def clients_certificate(context: ssl.SSLContext) -> None:
    context.verify_mode = ssl.CERT_REQUIRED


def old(context: ssl.SSLContext) -> None:
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("AES128-SHA:@SECLEVEL=0")


CERTIFICATES = {
    "expired": ("hooks.example.com", -1, None, answering(), None, {"the certificate has expired"}),
    "another name": (
        "other.example.com",
        1,
        None,
        answering(),
        None,
        {"the certificate is for another host name"},
    ),
    "the parent's name": (
        "example.com",
        1,
        None,
        answering(),
        None,
        {"the certificate is for another host name"},
    ),
    "a wildcard too high": (
        "*.com",
        1,
        None,
        answering(),
        None,
        {"the certificate is for another host name"},
    ),
    "a client's certificate": (
        "hooks.example.com",
        1,
        clients_certificate,
        answering(),
        None,
        {NO_TLS, RESET, SILENT},
    ),
    "only ciphers that are broken": ("hooks.example.com", 1, old, answering(), None, {NO_TLS}),
    "cut inside the body": ("hooks.example.com", 1, None, closing(NINE + b"x"), 200, {CUT}),
    "reset without an answer": (
        "hooks.example.com",
        1,
        None,
        closing(b"", reset=True),
        None,
        {RESET, SILENT},
    ),
    "endless body": (
        "hooks.example.com",
        1,
        None,
        dripping(HEAD + b"\r\n", b"x" * 65536),
        200,
        {None},
    ),
}


@pytest.mark.parametrize("how", ["post", "examine"])
@pytest.mark.parametrize("name", CERTIFICATES)
def test_a_hostile_tls_endpoint_ends_with_the_right_record_and_nothing_left_over(
    authority, name, how
):
    host, days, change, handle, status, errors = CERTIFICATES[name]
    context = authority.context(host, days)
    if change:
        change(context)
    with nothing_left_over():
        sender = Sender(LOOPBACK, seconds=PATIENCE, lookup=at("127.0.0.1"), trusted=authority.file)
        with receiving(handle, context) as receiver:
            outcome = getattr(sender, how)(receiver.url(host="hooks.example.com"), b'{"n":1}', {})
        sender.close()
    assert (outcome.status_code, True) == (status, outcome.error in errors), outcome


@pytest.mark.parametrize("how", ["post", "examine"])
@pytest.mark.parametrize("name", ["dripping headers", "dripping body"])
def test_an_answer_over_tls_that_arrives_piece_by_piece_ends_at_the_deadline(
    authority, name, how, pieces
):
    before, drop, status = DRIPPING[name]
    with nothing_left_over():
        sender = Sender(
            LOOPBACK,
            seconds=PATIENCE,
            lookup=at("127.0.0.1"),
            trusted=authority.file,
            monotonic=pieces,
        )
        with receiving(
            pieces.dripping(before, drop), authority.context("hooks.example.com")
        ) as receiver:
            outcome = getattr(sender, how)(receiver.url(host="hooks.example.com"), b'{"n":1}', {})
        sender.close()
    assert (outcome.status_code, outcome.error) == (status, LATE)
    assert (pieces.taken, outcome.duration_ms) == (PATIENCE / pieces.EACH, PATIENCE * 1000)


def test_a_certificate_of_an_unknown_authority_is_refused(authority, sender):
    got = []
    with receiving(answering(got=got), authority.context("hooks.example.com")) as receiver:
        assert "issuer is unknown" in post(sender, receiver, host="hooks.example.com").error
    assert got == []
