"""nginx and Caddy in front of gunicorn, each with the file that ``deploy`` prints: TLS,
downloads, limits, forwarding.
"""

import contextlib
import hashlib
import http.client
import json
import os
import shutil
import ssl
import subprocess
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests
from support.front import Caddy, Gunicorn, Nginx, running, use_group

from svc.cli.demo.client import Client
from svc.store.engine.sqlite_driver import sqlite3
from tests.deploy.conftest import brief

pytestmark = [pytest.mark.slow, pytest.mark.judges]

PATIENCE = 120.0
PAST = "Thu, 01 Jan 1998 00:00:00 GMT"
NOTES = "## One\n\nOne sentence, and no more."


@pytest.fixture(scope="module")
def folder():
    """A folder that a proxy's own user may enter, unlike those of pytest."""
    made = Path(tempfile.mkdtemp(prefix="deploy."))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def service(folder):
    gunicorn = Gunicorn(
        folder / "data",
        "https://media.example.test",
        SVC_TRUSTED_PROXIES="1",
        SVC_MEDIA_REDIRECT="/_media/",
    )
    use_group(gunicorn)
    with running(gunicorn):
        yield gunicorn


@pytest.fixture(scope="module")
def seeded(service, enrol):
    return enrol(service.data_dir)


@pytest.fixture(scope="module")
def published(service, seeded) -> list[dict]:
    """The deliverables of a production that the service has really made,
    under its own user and umask.
    """
    client = Client(service.address, seeded["testKey"])
    path = f"/v1/accounts/{seeded['sandboxAccountId']}/productions"
    production = client.post(path, brief(seeded, metadataMD=NOTES))["productionId"]
    deadline = time.monotonic() + PATIENCE
    while (found := client.get(f"/v1/productions/{production}"))["status"] != "Published":
        assert found["status"] not in ("Failed", "Cancelled") and time.monotonic() < deadline, found
        time.sleep(0.2)
    return client.get(f"/v1/productions/{production}/deliverables")["data"]


@pytest.fixture(scope="module", params=[Nginx, Caddy], ids=["nginx", "caddy"])
def front(request, folder, service):
    if shutil.which(request.param.__name__.lower()) is None:
        pytest.skip(f"no {request.param.__name__.lower()} here")
    with request.param(
        folder / request.param.__name__, f"127.0.0.1:{service.port}", service.data_dir
    ) as running:
        yield running


def path_of(link: str) -> str:
    return link.removeprefix("https://media.example.test")


def test_the_api_is_reached_and_links_name_the_base_url(front, seeded, published):
    answer = front.get(
        "/v1/partner/accounts", headers={"X-API-Key": seeded["testKey"], "X-Correlation-Id": "mine"}
    )
    assert (answer.status_code, answer.headers["X-Correlation-Id"]) == (200, "mine")
    assert all(each["sasUrl"].startswith("https://media.example.test/files/") for each in published)


def test_a_download_is_sent_by_the_proxy_whole(front, published):
    for each in published:
        answer = front.get(path_of(each["sasUrl"]))
        assert answer.status_code == 200, answer.text
        assert hashlib.sha256(answer.content).hexdigest() == each["sha256"]
        assert int(answer.headers["Content-Length"]) == each["sizeBytes"]
        assert answer.headers["Content-Disposition"].startswith("attachment; filename=A-small-one-")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["X-Correlation-Id"]
        assert answer.headers["Cache-Control"] == "private, max-age=3600"
        assert "X-Accel-Redirect" not in answer.headers


def test_a_download_can_be_resumed(front, published):
    [video] = [
        each for each in published if each["format"] == "mp4" and each["platform"] == "Watch"
    ]
    whole = front.get(path_of(video["sasUrl"]))
    part = front.get(
        path_of(video["sasUrl"]),
        headers={"Range": "bytes=1000-1999", "If-Range": whole.headers["ETag"]},
    )
    assert (part.status_code, part.content) == (206, whole.content[1000:2000])
    assert part.headers["Content-Range"] == f"bytes 1000-1999/{video['sizeBytes']}"
    assert part.headers["Content-Type"] == whole.headers["Content-Type"] == "video/mp4"
    assert (
        front.get(path_of(video["sasUrl"]), headers={"Range": "bytes=99999999-"}).status_code == 416
    )
    assert (
        front.get(
            path_of(video["sasUrl"]), headers={"If-None-Match": whole.headers["ETag"]}
        ).status_code
        == 304
    )
    head = front.session.head(front.address + path_of(video["sasUrl"]), timeout=60)
    assert (head.status_code, int(head.headers["Content-Length"]), head.content) == (
        200,
        video["sizeBytes"],
        b"",
    )


@pytest.mark.parametrize(
    ("status", "code", "asked"),
    [
        (416, "RANGE_NOT_SATISFIABLE", {"Range": "bytes=99999999-"}),
        (416, "RANGE_NOT_SATISFIABLE", {"Range": "bytes=-0"}),
        (416, "RANGE_NOT_SATISFIABLE", {"Range": "bytes=99999999-", "If-None-Match": '"another"'}),
        (416, "RANGE_NOT_SATISFIABLE", {"Range": "bytes=99999999-", "If-Match": "*"}),
        (416, "RANGE_NOT_SATISFIABLE", {"Range": "bytes=99999999-", "If-Modified-Since": PAST}),
        (412, "PRECONDITION_FAILED", {"If-Unmodified-Since": PAST}),
    ],
)
def test_what_is_not_sent_of_a_file_is_refused_in_the_envelope(
    front, published, status, code, asked
):
    for each in published:
        answer = front.get(path_of(each["sasUrl"]), headers=asked)
        envelope = answer.json()
        assert (answer.status_code, envelope["error"]) == (status, code)
        assert answer.headers["Content-Type"] == "application/json"
        assert answer.headers["X-Correlation-Id"] == envelope["correlationId"]
        assert answer.headers.get("Content-Range") == (
            f"bytes */{each['sizeBytes']}" if status == 416 else None
        )


def test_what_a_proxy_refuses_by_its_tag_has_the_id_of_the_request(front, published):
    for each in published:
        answer = front.get(path_of(each["sasUrl"]), headers={"If-Match": '"of-another-time"'})
        assert answer.status_code == 412 and answer.headers["X-Correlation-Id"]
        if isinstance(front, Nginx):  # Caddy says nothing more
            envelope = answer.json()
            assert envelope["error"] == "PRECONDITION_FAILED"
            assert answer.headers["Content-Type"] == "application/json"
            assert answer.headers["X-Correlation-Id"] == envelope["correlationId"]


def test_a_file_that_has_not_changed_since_a_later_date_is_not_sent_again(front, published):
    """The rule of HTTP: nginx by itself compares for equality."""
    for each in published:
        now = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 60))
        for asked in ({}, {"Range": "bytes=0-1"}, {"Range": "lines=1-2"}):
            answer = front.get(path_of(each["sasUrl"]), headers={"If-Modified-Since": now, **asked})
            assert answer.status_code == 304


def test_a_tag_counts_beside_a_date_as_the_documentation_says_of_each_proxy(front, published):
    """HTTP lets the tag alone decide; nginx has both agree, which no setting changes."""
    for each in published:
        tag = front.get(path_of(each["sasUrl"])).headers["ETag"]
        answer = front.get(
            path_of(each["sasUrl"]), headers={"If-None-Match": tag, "If-Modified-Since": PAST}
        )
        assert answer.status_code == (200 if isinstance(front, Nginx) else 304)


def test_a_connection_that_a_proxy_promises_to_keep_is_kept(front, published):
    """After an answer of its own too: nginx ends the connection after a 412, and the next request
    would meet its end.
    """
    path = path_of(published[0]["sasUrl"])
    trust = ssl.create_default_context(cafile=front.authority.file)
    for asked, status in (
        ('If-Match: "of-another-time"', 412),
        ("Range: bytes=99999999-", 416),
        (f"If-Unmodified-Since: {PAST}", 412),
        ("If-None-Match: *", 304),
    ):
        connection = http.client.HTTPSConnection("localhost", front.https_port, context=trust)
        with contextlib.closing(connection):
            name, _, value = asked.partition(": ")
            connection.request("GET", path, headers={name: value})
            answer = connection.getresponse()
            answer.read()
            assert answer.status == status, asked
            kept = connection.sock  # None: the answer said that it ends
            if kept is not None:
                connection.request("HEAD", path)
                assert connection.getresponse().status == 200, asked
                assert connection.sock is kept


def test_a_download_that_is_resumed_at_its_end_is_refused_in_the_envelope(front, published):
    for each in published:
        tag = front.get(path_of(each["sasUrl"])).headers["ETag"]
        asked = {"Range": f"bytes={each['sizeBytes']}-", "If-Range": tag}
        answer = front.get(path_of(each["sasUrl"]), headers=asked)
        assert (answer.status_code, answer.json()["error"]) == (416, "RANGE_NOT_SATISFIABLE")
        assert answer.headers["X-Correlation-Id"] == answer.json()["correlationId"]
        assert answer.headers["Content-Range"] == f"bytes */{each['sizeBytes']}"


@pytest.mark.parametrize(
    "asked",
    [
        *("bytes=0-1,4-5", "lines=1-2", "bytes=5-2", "bytes=x", "bytes=", "bytes=0-1-2"),
        *("bytes=--5", "bytes 0-1", f"bytes=0-{'9' * 20}", "Bytes=0-1"),
    ],
)
def test_what_is_no_single_range_gets_the_whole_file_from_a_proxy(front, published, asked):
    for each in published:
        answer = front.get(path_of(each["sasUrl"]), headers={"Range": asked})
        assert (answer.status_code, len(answer.content)) == (200, each["sizeBytes"])
        assert "X-Accel-Whole" not in answer.headers


def test_a_watch_page_plays_from_the_proxy_and_stays_hidden(front, service):
    connection = sqlite3.connect(f"file:{service.data_dir / 'service.db'}?mode=ro", uri=True)
    [(post,)] = connection.execute(
        "SELECT platform_post_id FROM publications WHERE platform = 'Watch'"
    ).fetchall()
    connection.close()
    answer = front.get(f"/watch/{post}/video.mp4", headers={"Range": "bytes=0-99"})
    assert (answer.status_code, len(answer.content)) == (206, 100)
    assert answer.headers["X-Robots-Tag"] == "noindex"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


def test_a_link_with_one_letter_changed_is_refused_through_the_proxy(front, published):
    link = path_of(published[0]["sasUrl"])
    answer = front.get(link[:-1] + ("A" if link[-1] != "A" else "B"))
    assert (answer.status_code, answer.json()["error"]) == (403, "LINK_INVALID")


@pytest.mark.parametrize(
    "path",
    [
        "/_media/",
        "/_media/{}",
        "//_media/{}",
        "/x/../_media/{}",
        "/%5fmedia/{}",
        "/_media/../secret",
    ],
)
def test_nobody_gets_at_the_media_directory_itself(front, service, published, path):
    some = next((service.data_dir / "media").rglob("*.mp4")).relative_to(service.data_dir / "media")
    request = requests.Request("GET", front.address).prepare()
    request.url = front.address + path.format(some)  # as it stands: requests would tidy it up
    answer = front.session.send(
        request, verify=str(front.authority.file), timeout=60, allow_redirects=False
    )
    assert answer.status_code in (301, 308, 400, 404)
    assert b"ftyp" not in answer.content


def test_only_the_service_and_the_proxys_group_can_read_what_it_keeps(service, published):
    if os.geteuid():
        pytest.skip("only root can put them into one group")
    assert service.data_dir.stat().st_mode & 0o777 == 0o710
    for each in service.data_dir.rglob("*"):
        shared = each.is_relative_to(service.data_dir / "media")
        wanted = (
            (0o750 if each.is_dir() else 0o640) if shared else (0o700 if each.is_dir() else 0o600)
        )
        assert each.stat().st_mode & 0o777 == wanted, each


@pytest.mark.parametrize("size", [70_000, 17 << 20])
def test_a_body_that_is_too_large_is_refused_in_the_envelope(front, seeded, size, tmp_path):
    (tmp_path / "large").write_bytes(b" " * size)
    done = subprocess.run(
        [
            "curl",
            "--silent",
            "--show-error",
            "--max-time",
            "20",
            "--cacert",
            front.authority.file,
            "--include",
            "--http1.1",
            "--header",
            f"X-API-Key: {seeded['testKey']}",
            "--header",
            "Content-Type: application/json",
            "--data-binary",
            f"@{tmp_path / 'large'}",
            f"{front.address}/v1/accounts/{seeded['sandboxAccountId']}/productions",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if isinstance(front, Caddy) and done.returncode == 55:
        return  # it stops reading in the middle of the body, and curl stops at that
    head, _, envelope = done.stdout.rpartition("\n\n")
    assert " 413 " in head, done
    assert json.loads(envelope)["error"] == "PAYLOAD_TOO_LARGE"


def test_headers_that_are_too_long_are_refused(front):
    answer = front.get(
        "/openapi.json", headers={f"X-{number}": "x" * 7000 for number in range(400)}
    )
    assert answer.status_code in (400, 431)


def test_plain_http_is_sent_to_https(front):
    answer = requests.get(
        f"http://localhost:{front.http_port}/docs?a=1", allow_redirects=False, timeout=60
    )
    assert answer.status_code in (301, 308)
    assert answer.headers["Location"].startswith("https://localhost")


def test_browsers_are_told_to_stay_with_https_whatever_is_answered(front, published):
    for path in ("/docs", "/v1/partner/accounts", "/nothing", path_of(published[0]["sasUrl"])):
        assert front.get(path).headers["Strict-Transport-Security"] == "max-age=31536000", path


def test_an_address_that_a_client_claims_is_not_believed(front, service):
    for _ in range(10):
        headers = {"X-API-Key": "svc_live_" + "x" * 43, "X-Forwarded-For": "203.0.113.7"}
        assert front.get("/v1/partner/accounts", headers=headers).status_code == 401
    connection = sqlite3.connect(f"file:{service.data_dir / 'service.db'}?mode=ro", uri=True)
    addresses = {each for (each,) in connection.execute("SELECT address FROM auth_failures")}
    connection.close()
    assert addresses <= {"127.0.0.1", "::1"} and addresses


@pytest.mark.parametrize(
    "named",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:443"},
        {"Host": "localhost:1@evil.example"},
        {
            "X-Forwarded-Host": "evil.example",
            "X-Forwarded-Proto": "http",
            "X-Forwarded-Prefix": "/evil.example",
        },
        {
            "Forwarded": "host=evil.example;proto=http",
            "X-Host": "evil.example",
            "X-Original-URL": "//evil.example/",
        },
    ],
    ids=["host", "port", "user", "X-Forwarded", "forwarded"],
)
def test_no_answer_repeats_the_host_that_a_client_names(front, seeded, published, named):
    production = published[0]["sasUrl"]
    answers = [
        *(
            front.get(path, headers=named, allow_redirects=False)
            for path in ("/openapi.json", "/docs", "/", "/console/x")
        ),
        front.get("/v1/partner/accounts", headers=named | {"X-API-Key": seeded["testKey"]}),
    ]
    assert "evil" not in production
    for each in answers:
        assert "evil.example" not in each.text and "evil.example" not in str(each.headers)


@pytest.mark.parametrize("kind", [Nginx, Caddy], ids=["nginx", "caddy"])
def test_a_service_that_is_down_is_a_503_in_the_envelope(folder, kind):
    with kind(folder / f"down-{kind.__name__}", "127.0.0.1:9", folder) as front:
        answer = front.get("/v1/partner/accounts")
        assert (answer.status_code, answer.json()["error"]) == (503, "SERVICE_UNAVAILABLE")
        assert int(answer.headers["Retry-After"]) == answer.json()["retryAfterSeconds"]
        assert answer.headers["X-Correlation-Id"] == answer.json()["correlationId"]
        assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"


@pytest.mark.parametrize("kind", [Nginx, Caddy], ids=["nginx", "caddy"])
def test_one_connection_serves_many_requests(folder, kind):
    """To the service as to the client: HTTP/1.1 with keep-alive, counted by a server of ours."""
    connections = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            connections.append(self.client_address)

        def do_GET(self) -> None:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

        def log_message(self, *_) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            with kind(
                folder / f"kept-{kind.__name__}", f"127.0.0.1:{server.server_port}", folder
            ) as front:
                before = len(connections)
                assert [front.get("/").status_code for _ in range(50)] == [200] * 50
                assert len(connections) - before <= 2
        finally:
            server.shutdown()
