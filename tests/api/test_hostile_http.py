"""What no well-behaved client sends, over real sockets to the real server: a documented 4xx each,
never a 500, never a hang.
"""

import json
import re
import socket

import pytest

from svc.base import clock, settings, version
from svc.cli.demo.demo_server import Server
from svc.cli.installation import seed
from svc.store import database
from svc.store.database import db

pytestmark = pytest.mark.slow

PATIENCE = 60  # seconds until an answer is given up
LENGTH = re.compile(rb"(?i)content-length: (\d+)")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    with Server(folder, 0, SVC_ENGINE="off") as running:
        database.open_database(settings.read({}, data_dir=folder).database)
        running.seeded = seed.make_partner("Enterprise", clock.now())
        db.close()
        yield running


def exchange(server, raw: bytes, *, end: bool = False) -> tuple[int, dict, dict]:
    """Send bytes and read one answer: status, headers, JSON.

    ``end``: say that nothing more will come.
    """
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
        connection.sendall(raw)
        if end:
            connection.shutdown(socket.SHUT_WR)
        received = b""
        while not is_whole(received):
            more = connection.recv(65536)
            assert more, f"the connection was closed after {received!r}"
            received += more
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return int(first.split()[1]), headers, json.loads(body) if body else {}


def is_whole(received: bytes) -> bool:
    head, separator, body = received.partition(b"\r\n\r\n")
    return bool(separator) and len(body) >= int(LENGTH.search(head)[1])


def key(server) -> bytes:
    return b"Host: x\r\nX-API-Key: " + server.seeded["testKey"].encode() + b"\r\n"


def trigger(server, more: bytes, kind: bytes = b"application/json") -> bytes:
    path = b"/v1/accounts/" + server.seeded["sandboxAccountId"].encode() + b"/productions"
    return (
        b"POST " + path + b" HTTP/1.1\r\n" + key(server) + b"Content-Type: " + kind + b"\r\n" + more
    )


def body(content: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n" % len(content) + content


def chunks(*contents: bytes, last: bytes = b"0\r\n\r\n") -> bytes:
    return (
        b"Transfer-Encoding: chunked\r\n\r\n"
        + b"".join(b"%x\r\n%s\r\n" % (len(each), each) for each in contents)
        + last
    )


def refused(answer: tuple, status: int, code: str, *, of_api: bool = True) -> dict:
    found, headers, envelope = answer
    assert (found, envelope.get("error")) == (status, code), envelope
    assert set(envelope) >= {"error", "message", "retryAfterSeconds", "correlationId"}
    assert headers["x-correlation-id"] == envelope["correlationId"]
    assert headers["content-type"] == "application/json"
    assert headers.get("x-api-version") == (version.API_VERSIONS[0] if of_api else None)
    return envelope


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"topic": NaN}',
        b'{"topic": -Infinity}',
        b'{"topic": 1' + b"0" * 400 + b"}",
        b'{"topic": 1e999}',
        b"[" * 60_000,
        b'{"a":' * 10_000,
        b'{"topic":"a","topic":"b"}',
        b"\xff\xfe{\x00}\x00",
        b'{"topic":"\xed\xa0\x80"}',
        b'{"topic":"\\ud800"}',
        b'{"topic":"a\\u0000b"}',
        b'{"topic":"a\x00b"}',
        b"\xef\xbb\xbf{}",
        b'{"topic":"a"}{"topic":"b"}',
        b'{"topic":"a",}',
        b"{'topic':'a'}",
        b'{"\\ud800":1}',
        b'{"' + b"x" * 60_000 + b'":1}',
    ],
    ids=lambda content: repr(content[:16]),
)
def test_a_body_that_breaks_parsers_is_refused(server, content):
    refused(exchange(server, trigger(server, body(content))), 400, "INVALID_REQUEST")


@pytest.mark.parametrize(
    "value",
    ["urn:uuid:{}", "{{{}}}", "{} ", "\u0660{}"],
    ids=["urn", "braces", "space", "arabic digit"],
)
def test_a_uuid_in_another_spelling_is_refused(server, value):
    brief = {"topic": "x", "languageId": value.format(server.seeded["languageId"])}
    brief |= {name: server.seeded[name] for name in ("countryId", "avatarId")}
    envelope = refused(
        exchange(server, trigger(server, body(json.dumps(brief).encode()))), 400, "INVALID_REQUEST"
    )
    assert list(envelope["fields"]) == ["languageId"]


@pytest.mark.parametrize(
    "kind",
    [b"text/plain", b"application/x-www-form-urlencoded", b"", b"application/jsonx", b'"\xff'],
)
def test_a_body_of_another_type_is_refused(server, kind):
    refused(exchange(server, trigger(server, body(b"{}"), kind)), 415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize(
    "more",
    [
        chunks(*[b"x" * 40_000] * 3),
        chunks(b"x" * 70_000),
        b"Content-Length: 70000\r\n\r\n" + b"x" * 70_000,
        b"Content-Length: 9999999999\r\n\r\n",
        b"Content-Length: " + b"9" * 400 + b"\r\n\r\n",
        chunks(*[b" "] * 66_000),
    ],
    ids=["chunks", "one chunk", "announced", "only announced", "absurd", "tiny chunks"],
)
def test_a_body_over_the_limit_is_refused(server, more):
    refused(exchange(server, trigger(server, more)), 413, "PAYLOAD_TOO_LARGE")


def test_a_body_in_chunks_is_read(server):
    envelope = refused(
        exchange(server, trigger(server, chunks(b'{"top', b'ic":"x"}'))), 400, "INVALID_REQUEST"
    )
    assert "topic" not in envelope["fields"] and "languageId" in envelope["fields"]


@pytest.mark.parametrize(
    "more",
    [
        b"Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n3\r\nabcXX0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
        b"Content-Length: abc\r\n\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: +3\r\n\r\nabc",
        b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        b"Expect: nonsense\r\n" + body(b"{}"),
        b"X-A: a\r\n\tb\r\n" + body(b"{}"),
        b"X-A: a\x00b\r\n" + body(b"{}"),
        b"X-A\xff: b\r\n" + body(b"{}"),
        b"no colon\r\n\r\n",
        b"".join(b"X-%d: y\r\n" % number for number in range(5_000)) + b"\r\n",
        b"X-A: " + b"y" * 100_000 + b"\r\n\r\n",
    ],
    ids=lambda more: repr(more[:44]),
)
def test_what_is_no_http_is_refused_in_the_envelope(server, more):
    refused(exchange(server, trigger(server, more)), 400, "INVALID_REQUEST")


@pytest.mark.parametrize(
    "line",
    [
        b"GET /v1/languages",
        b"GET /v1/languages HTTP/9.1",
        b"get /v1/languages HTTP/1.1",
        b"\x16\x03\x01\x02\x00\x01",
        b"GET /v1/\x00 HTTP/1.1",
        b"GET /v1/languages?" + b"a" * 9_000 + b" HTTP/1.1",
        b"PRI * HTTP/2.0",
    ],
    ids=lambda line: repr(line[:24]),
)
def test_a_request_line_that_is_none_is_refused_in_the_envelope(server, line):
    refused(exchange(server, line + b"\r\n" + key(server) + b"\r\n"), 400, "INVALID_REQUEST")


@pytest.mark.parametrize(
    "path",
    [
        b"%00",
        b"%ff%fe",
        b"%zz%",
        b"..%2f..%2fetc%2fpasswd",
        b"%2e%2e",
        b"a%0d%0ab",
        b"urn:uuid:",
        b"%F0%9F%98%80",
    ],
)
def test_a_path_that_names_nothing_is_not_found(server, path):
    for prefix in (b"/v1/accounts/", b"/v1/productions/", b"/v1/webhooks/", b"/v1/", b"/static/"):
        answer = exchange(
            server, b"GET " + prefix + path + b" HTTP/1.1\r\n" + key(server) + b"\r\n"
        )
        refused(answer, 404, "NOT_FOUND", of_api=prefix != b"/static/")


@pytest.mark.parametrize("path", [b"%00", b"%ff", b"x", b"00000000-0000-0000-0000-000000000000"])
@pytest.mark.parametrize(
    "query",
    [
        b"",
        b"?expires=1&signature=x",
        b"?expires=%00&signature=%ff",
        b"?expires=" + b"9" * 500 + b"&signature=",
        b"?%00",
    ],
)
def test_a_made_up_download_link_is_refused(server, path, query):
    refused(
        exchange(server, b"GET /files/" + path + query + b" HTTP/1.1\r\nHost: x\r\n\r\n"),
        403,
        "LINK_INVALID",
    )


@pytest.mark.parametrize(
    "query",
    [
        b"?limit=%ff",
        b"?limit=" + b"9" * 4_000,
        b"?limit=1e400",
        b"?limit=%D9%A1",
        b"?cursor=%00",
        b"?cursor=" + b"A" * 8_000,
        b"?" + b"&" * 2_000 + b"x=1",
        b"?" + b"&".join(b"a%d=1" % number for number in range(500)),
        b"?limit=1&limit=2",
        b"?%ED%A0%80=1",
        b"?limit[]=1",
    ],
    ids=lambda query: repr(query[:24]),
)
def test_a_query_that_breaks_parsers_is_refused(server, query):
    path = b"/v1/accounts/" + server.seeded["sandboxAccountId"].encode() + b"/productions" + query
    refused(
        exchange(server, b"GET " + path + b" HTTP/1.1\r\n" + key(server) + b"\r\n"),
        400,
        "INVALID_REQUEST",
    )


@pytest.mark.parametrize(
    "date",
    [
        b"2026-11-20",
        b"2026-11-20T25:00:00Z",
        b"0000-00-00T00:00:00Z",
        b"%2B99999-01-01T00:00:00Z",
        b"1e400",
        b"NaN",
        b"%00",
    ],
)
def test_a_date_that_breaks_parsers_is_refused(server, date):
    path = (
        b"/v1/accounts/" + server.seeded["sandboxAccountId"].encode() + b"/productions?from=" + date
    )
    refused(
        exchange(server, b"GET " + path + b" HTTP/1.1\r\n" + key(server) + b"\r\n"),
        422,
        "INVALID_DATE_FORMAT",
    )


@pytest.mark.parametrize(
    "header",
    [
        b'If-None-Match: \xff,,W/"""',
        b"Range: bytes=9-1",
        b"X-Correlation-Id: \xff",
        b"Accept: \x80/;q=x",
        b"Cookie: \xff=;;=",
    ],
)
def test_a_strange_header_does_no_harm(server, header):
    status, headers, _ = exchange(
        server, b"GET /v1/languages HTTP/1.1\r\n" + key(server) + header + b"\r\n\r\n"
    )
    assert status == 200 and re.fullmatch(r"[A-Za-z0-9._-]{1,64}", headers["x-correlation-id"])


@pytest.mark.parametrize(
    "secret",
    [
        b"\xff" * 50,
        b"svc_live_" + b"a" * 5_000,
        b"'; DROP TABLE api_keys; --",
        b"svc_live_\xc3\xa9",
    ],
)
def test_a_strange_key_is_unauthorized(server, secret):
    refused(
        exchange(
            server, b"GET /v1/languages HTTP/1.1\r\nHost: x\r\nX-API-Key: " + secret + b"\r\n\r\n"
        ),
        401,
        "UNAUTHORIZED",
    )


@pytest.mark.parametrize(
    "more",
    [b'Content-Length: 50\r\n\r\n{"topic":', chunks(b'{"topic":', last=b"")],
    ids=["length", "chunks"],
)
def test_a_body_that_ends_early_is_refused(server, more):
    refused(exchange(server, trigger(server, more), end=True), 400, "INVALID_REQUEST")


def test_clients_that_never_finish_do_not_stop_the_service(server):
    halves = [
        trigger(server, b"Content-Length: 50\r\n\r\n{"),
        trigger(server, chunks(b"{", last=b"5\r\na")),
        b"GET /v1/lang",
    ]
    waiting = []
    try:
        for half in halves * 8:  # three times as many as there are threads
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
            connection.sendall(half)
            waiting.append(connection)
        # Others are answered; the partner itself may hold half of the threads.
        assert exchange(server, b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n")[0] == 200
    finally:
        for connection in waiting:
            connection.close()


def test_the_server_logged_no_error(server):
    log = server.log.read_text("utf-8")
    assert "Traceback" not in log and "unexpected" not in log, log[-4000:]


@pytest.mark.parametrize("name", [b"SCRIPT_NAME", b"PATH_INFO", b"Script_Name"])
def test_a_header_that_would_rewrite_the_path_is_dropped(server, name):
    """gunicorn takes these from a proxy on this machine, which passes on whatever a client sent."""
    answer = exchange(
        server, b"GET /v1/languages HTTP/1.1\r\n" + key(server) + name + b": /elsewhere\r\n\r\n"
    )
    assert (answer[0], answer[2]["hasMore"]) == (200, False)
    assert "Traceback" not in server.log.read_text()
