"""Every kind of place against a real counterpart: what was published is there once, and whole,
whatever happens on the way.
"""

import contextlib
import hashlib
import ipaddress
import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import paramiko
import pytest
from support import places
from support.places import NOON, Crash, MemoryUploadState, post_of, tools
from support.receivers import (
    LOOPBACK,
    Authority,
    answering,
    closing,
    dripping,
    hasty,
    receiving,
    standing,
)
from support.sampling import sampled

from svc.adapters import addresses
from svc.adapters.transfers import Transfers
from svc.base.errors import Conflict
from svc.domain.people.identity import OPERATOR
from svc.domain.people.users import Viewer
from svc.domain.publishing import connections
from svc.platforms import PLACES, PublishError
from svc.platforms.connected import Tools
from svc.work.publishing.connections import Connections

FOLDER = "tee-ol-wie-geht-s-0193-id"
OVER_HTTP = ("Hook", "S3", "WebDAV", "Mastodon", "PeerTube", "WordPress")
ROOT = Path(__file__).parents[2]


@pytest.fixture(
    params=[
        "S3",
        pytest.param("WebDAV", marks=pytest.mark.judges),
        pytest.param("SFTP", marks=pytest.mark.judges),
    ]
)
def there(request, tmp_path):
    """A running place that keeps folders of files."""
    folder = tmp_path / "place"
    folder.mkdir()
    made = {
        "S3": places.bucket,
        "WebDAV": lambda: places.webdav(folder),
        "SFTP": lambda: places.sftp(folder),
    }
    with made[request.param]() as counterpart:
        yield counterpart


@pytest.fixture
def post(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    return post_of(folder)


def publish(there, post, upload_state=None, **changes):
    return PLACES[there.connector].publish(
        post, there.connection(**changes), upload_state or MemoryUploadState(), tools()
    )


def assert_whole(there, post):
    for file in post.files:
        with file.fetch() as path:
            assert there.fetch(f"{FOLDER}/{file.name}") == path.read_bytes(), file.name


def test_a_try_leaves_nothing_behind(there):
    PLACES[there.connector].test(there.connection(), tools())
    assert there.fetch(".connection-test") is None


def test_what_was_published_can_be_downloaded_with_the_same_hash(there, post):
    posted = publish(there, post, public_url="https://films.example.com/videos/")
    assert posted.post_id == FOLDER
    assert posted.url == f"https://films.example.com/videos/{FOLDER}/video.mp4"
    assert hashlib.sha256(there.fetch(f"{FOLDER}/video.mp4")).hexdigest() == post.video.sha256
    assert_whole(there, post)
    note = there.fetch(f"{FOLDER}/publication.json").decode()
    assert (
        '"madeBySoftware": true' in note and '"key": "key-1"' in note and "Alles über Tee." in note
    )


def test_publishing_again_sends_nothing_once_the_note_is_there(there, post):
    publish(there, post)
    again = MemoryUploadState()
    assert publish(there, post, again).post_id == FOLDER
    assert (again.sent, again.saves) == (0, 0)


@pytest.mark.parametrize("fails_at", [0, 1_000_000, 2_999_000, 2_999_815])
def test_after_a_crash_at_any_byte_the_next_attempt_completes_the_post(there, post, fails_at):
    upload_state = MemoryUploadState(fails_at=fails_at)
    with contextlib.suppress(Crash):
        publish(there, post, upload_state)
        pytest.fail("it should have crashed")
    assert there.fetch(f"{FOLDER}/publication.json") is None
    publish(there, post, MemoryUploadState(session=upload_state.session))
    assert_whole(there, post)


def test_a_killed_process_leaves_nothing_that_the_next_one_does_not_complete(there, post):
    """The process is killed between two blocks: no handler of ours runs."""
    program = f"""
        import os, signal, sys
        from pathlib import Path
        sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "tests")!r}]
        from support.places import *
        class Killed(MemoryUploadState):
            def count_sent(self, number):
                super().count_sent(number)
                if self.sent > 1_500_000:
                    os.kill(os.getpid(), signal.SIGKILL)
        there = Counterpart({there.connector!r}, {there.values!r}, None)
        PLACES[there.connector].publish(
            post_of(Path(sys.argv[1])), there.connection(), Killed(), tools())
    """
    folder = post.video.fetch().__enter__().parent
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), str(folder)],
        timeout=60,
        env=os.environ,
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL
    publish(there, post)
    assert_whole(there, post)


def test_withdrawing_removes_the_post_and_may_be_repeated(there, post):
    publish(there, post)
    place, connection = PLACES[there.connector], there.connection()
    for _ in range(2):
        place.withdraw(FOLDER, connection, tools())
    assert [there.fetch(f"{FOLDER}/{name}") for name in ("video.mp4", "publication.json")] == [
        None,
        None,
    ]
    place.withdraw(None, connection, tools())


def test_a_file_that_is_not_the_recorded_one_is_not_sent(there, post):
    with post.video.fetch() as path:
        path.write_bytes(b"x" * path.stat().st_size)
    with pytest.raises(PublishError, match="not the one that was recorded") as refused:
        publish(there, post)
    assert not refused.value.retryable
    assert there.fetch(f"{FOLDER}/video.mp4") is None


@pytest.mark.judges
def test_an_sftp_upload_goes_on_where_it_broke_off(tmp_path, post):
    with places.sftp(tmp_path) as there:
        upload_state = MemoryUploadState(fails_at=2_000_000)
        with pytest.raises(Crash):
            publish(there, post, upload_state)
        again = MemoryUploadState(session=upload_state.session)
        publish(there, post, again)
        assert again.sent < 1_500_000 < post.video.size_bytes
        assert_whole(there, post)


@pytest.mark.judges
def test_a_changed_host_key_is_refused_before_anything_is_sent(tmp_path, post):
    with places.sftp(tmp_path) as there:
        pinned = PLACES["SFTP"].test(there.connection(), tools())["host_key"]
        port = int(there.values["port"])
    assert pinned.startswith("SHA256:")
    with places.sftp(tmp_path, port, "another_key") as impostor:
        upload_state = MemoryUploadState()
        with pytest.raises(PublishError, match="its host key is SHA256:") as refused:
            publish(impostor, post, upload_state, host_key=pinned)
        assert (refused.value.retryable, upload_state.sent) == (False, 0)
        assert impostor.fetch(f"{FOLDER}/video.mp4") is None


@pytest.mark.judges
def test_a_user_whom_the_server_does_not_know_is_refused_for_good(tmp_path, post):
    with (
        places.sftp(tmp_path) as there,
        pytest.raises(PublishError, match="does not accept the user") as refused,
    ):
        publish(there, post, user="nobody-here")
    assert not refused.value.retryable


@pytest.mark.parametrize("folder", ["missing", "/proc"])
@pytest.mark.judges
def test_a_folder_of_sftp_that_is_not_there_or_not_writable_is_said_to_be(tmp_path, post, folder):
    with (
        places.sftp(tmp_path) as there,
        pytest.raises(PublishError, match="no such folder|may not write|did not|broke off"),
    ):
        publish(there, post, folder=folder)


def connection_to(connector: str, receiver):
    values = {
        "Hook": {"url": receiver.url(), "signing_secret": places.SECRET},
        "S3": {
            "bucket": "films",
            "endpoint": receiver.url(""),
            "access_key_id": "id",
            "secret_access_key": "key",
        },
        "WebDAV": {"url": receiver.url("/dav"), "user": "ada", "password": "kettle"},
        "Mastodon": {"url": receiver.url(""), "token": "token"},
        "PeerTube": {"url": receiver.url(""), "user": "ada", "password": "kettle"},
        "WordPress": {"url": receiver.url(""), "user": "ada", "password": "kettle"},
    }
    return places.Counterpart(connector, values[connector], lambda name: None).connection()


def refused_by(connector: str, receiver, post, **given) -> PublishError:
    with pytest.raises(PublishError) as refused:
        PLACES[connector].publish(
            post, connection_to(connector, receiver), MemoryUploadState(), tools(**given)
        )
    return refused.value


@pytest.mark.parametrize("connector", OVER_HTTP)
@pytest.mark.parametrize(
    ("status", "retryable"),
    sampled(
        [
            *((400, False), (401, False), (402, False), (409, True), (413, False)),
            *((429, True), (500, True), (503, True), (507, False)),
        ],
        2,
    ),
)
def test_a_refusal_is_told_apart_from_an_outage(connector, status, retryable, post):
    answer = (
        f"HTTP/1.1 {status} No\r\nRetry-After: 120\r\nContent-Length: 0\r\nConnection: "
        "close\r\n\r\n"
    ).encode()
    with receiving(answering(answer)) as receiver:
        error = refused_by(connector, receiver, post)
    assert (error.retryable, str(status) in error.message) == (retryable, True)
    assert error.retry_after == (120 if retryable else None)


def test_a_place_that_forbids_is_a_refusal(post):
    answer = b"HTTP/1.1 403 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    with receiving(answering(answer)) as receiver:
        errors = [refused_by(connector, receiver, post) for connector in OVER_HTTP]
    assert [(error.retryable, "403" in error.message) for error in errors] == [(False, True)] * len(
        OVER_HTTP
    )


@pytest.mark.parametrize("connector", OVER_HTTP)
def test_a_redirection_inward_is_not_followed(connector, post):
    inner = []
    with receiving(answering(got=inner)) as inside:
        answer = (
            f"HTTP/1.1 307 Go\r\nLocation: {inside.url()}\r\nContent-Length: 0\r\n"
            "Connection: close\r\n\r\n"
        ).encode()
        with receiving(answering(answer)) as receiver:
            error = refused_by(connector, receiver, post)
    assert (error.retryable, inner) == (False, [])
    assert "redirection" in error.message and inside.url() not in error.message


CUTS = {
    "nothing": closing(b""),
    "half a head": closing(b"HTTP/1.1 200 OK\r\nContent-Le"),
    "half a body": closing(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal"),
    "reset": closing(b"", reset=True),
}


@pytest.mark.parametrize("connector", OVER_HTTP)
@pytest.mark.parametrize("handler", CUTS.values(), ids=CUTS)
def test_a_cut_connection_is_an_outage(connector, handler, post):
    with receiving(handler) as receiver:
        error = refused_by(connector, receiver, post)
    assert error.retryable and "could not be reached" in error.message


@pytest.mark.parametrize("connector", OVER_HTTP)
def test_endless_headers_end_the_exchange(connector, post):
    with receiving(
        dripping(b"HTTP/1.1 200 OK\r\n", b"X-More: " + b"x" * 60_000 + b"\r\n")
    ) as receiver:
        assert refused_by(connector, receiver, post).retryable


@pytest.mark.parametrize("connector", ["S3", "WebDAV"])
def test_of_an_endless_body_only_the_beginning_is_read(connector, post):
    """It counts as a note that is none of ours, and nothing as stored; each request ends, though
    time stands still.
    """
    with receiving(dripping(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65_536)) as receiver:
        told = tools(within=60.0, monotonic=standing)
        with pytest.raises(PublishError, match="after taking it|did not return them") as failed:
            PLACES[connector].publish(
                post, connection_to(connector, receiver), MemoryUploadState(), told
            )
        assert failed.value.retryable and receiver.connections > 1


@pytest.mark.parametrize("connector", ["S3", "WebDAV"])
def test_the_requests_of_an_attempt_have_their_time_together(connector, post):
    """Each request takes twenty seconds, and is in time by itself; all of them have fifty."""
    with receiving(dripping(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65_536)) as receiver:
        told = tools(within=50.0, monotonic=lambda: 20.0 * receiver.connections)
        with pytest.raises(PublishError, match="timed out"):
            PLACES[connector].publish(
                post, connection_to(connector, receiver), MemoryUploadState(), told
            )
        assert receiver.connections == 3


def test_no_place_reaches_an_address_that_is_not_allowed(post):
    elsewhere = Tools(Transfers([]), [], addresses.look_up, lambda: NOON)
    got = []
    with receiving(answering(got=got)) as receiver:
        for connector in OVER_HTTP:
            with pytest.raises(PublishError, match="public addresses only"):
                PLACES[connector].publish(
                    post, connection_to(connector, receiver), MemoryUploadState(), elsewhere
                )
        values = {
            "host": "127.0.0.1",
            "port": str(receiver.port),
            "user": "ada",
            "password": "kettle",
        }
        connection = places.Counterpart("SFTP", values, lambda name: None).connection()
        with pytest.raises(PublishError, match="public addresses only"):
            PLACES["SFTP"].publish(post, connection, MemoryUploadState(), elsewhere)
    assert (got, receiver.connections) == ([], 0)


def test_a_name_that_resolves_inward_is_not_reached(post):
    allowed = [ipaddress.ip_network("192.0.2.0/24")]
    inward = Tools(
        Transfers(allowed, lookup=lambda host, seconds: ["127.0.0.1"]),
        allowed,
        lambda *_: ["127.0.0.1"],
        lambda: NOON,
    )
    values = {"host": "films.example.com", "user": "ada", "password": "kettle"}
    for connector, given in (
        ("SFTP", values),
        ("WebDAV", {"url": "https://films.example.com/dav"}),
    ):
        connection = places.Counterpart(connector, given, lambda name: None).connection()
        with pytest.raises(PublishError, match="public addresses only"):
            PLACES[connector].publish(post, connection, MemoryUploadState(), inward)


def test_a_server_that_is_no_sftp_server_is_an_outage(post):
    with receiving(hasty(b"HTTP/1.1 400 Bad\r\n\r\n")) as receiver:
        values = {
            "host": "127.0.0.1",
            "port": str(receiver.port),
            "user": "ada",
            "password": "kettle",
        }
        connection = places.Counterpart("SFTP", values, lambda name: None).connection()
        with pytest.raises(PublishError, match="could not be reached") as failed:
            PLACES["SFTP"].publish(post, connection, MemoryUploadState(), tools())
    assert failed.value.retryable


def test_credentials_of_the_operator_never_sign_for_a_partner(monkeypatch, post):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "operators-own")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    got = []
    answer = b"HTTP/1.1 500 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    with receiving(answering(answer, got)) as receiver:
        refused_by("S3", receiver, post)
    assert "id%2F" in got[0][0]["request"] and "operators-own" not in repr(got)


def test_a_relay_gets_signed_links_and_answers_with_an_id(post):
    with places.relay() as relay:
        there = relay.counterpart
        PLACES["Hook"].test(there.connection(), tools())
        posted = publish(there, post)
        again = publish(there, post)
    assert (posted.post_id, posted.url) == ("relay-1", "https://relay.example.com/1")
    assert again == posted and relay.calls == ["test", "publish", "publish"]
    (message,) = relay.posts.values()
    assert message["idempotencyKey"] == "key-1" and message["madeBySoftware"] is True
    assert message["description"] == "Alles über Tee." and message["title"] == post.title
    video = message["files"][0]
    assert (video["sha256"], video["url"]) == (
        post.video.sha256,
        "http://localhost/files/video.mp4",
    )
    assert "poster.jpg" not in [file["name"] for file in message["files"]]


def test_a_relay_refuses_another_secret(post):
    other = places.SECRET.replace("A", "B")
    with places.relay() as relay, pytest.raises(PublishError, match="401"):
        publish(relay.counterpart, post, signing_secret=other)
    assert relay.posts == {}


@pytest.mark.parametrize(
    "answer",
    [b"", b"[]", b'"x"', b'{"id": {"a": 1}}', b'{"id": "' + b"x" * 300 + b'"}', b'{"id": "a\\nb"}'],
)
def test_an_answer_of_a_relay_without_a_plain_id_is_a_success_without_one(answer, post):
    reply = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (
        len(answer),
        answer,
    )
    with receiving(answering(reply)) as receiver:
        posted = PLACES["Hook"].publish(
            post, connection_to("Hook", receiver), MemoryUploadState(), tools()
        )
    assert posted.post_id is None


class Door(paramiko.ServerInterface):
    """A server that knows one password, and has no SFTP."""

    def check_auth_password(self, username, password):
        return (
            paramiko.AUTH_SUCCESSFUL
            if (username, password) == ("ada", "kettle")
            else paramiko.AUTH_FAILED
        )

    def check_channel_request(self, kind, chanid):
        return paramiko.OPEN_FAILED_ADMINISTRATIVELY_PROHIBITED


@pytest.mark.parametrize(
    ("password", "answer"),
    [("kettle", "could not be reached"), ("teapot", "does not accept the user")],
)
def test_a_password_is_what_sftp_signs_in_with_where_there_is_no_key(password, answer, post):
    key = paramiko.ECDSAKey.generate()

    def handle(connection, stopping):
        transport = paramiko.Transport(connection)
        transport.add_server_key(key)
        # the client may have gone before this thread goes on
        with contextlib.suppress(paramiko.SSHException, EOFError):
            # With an event it is not an error of the server that the client left as soon as it was
            # refused.
            transport.start_server(event=threading.Event(), server=Door())
        while transport.is_active() and not stopping.wait(0.05):
            pass
        transport.close()

    with receiving(handle) as receiver:
        values = {
            "host": "127.0.0.1",
            "port": str(receiver.port),
            "user": "ada",
            "password": password,
        }
        connection = places.Counterpart("SFTP", values, lambda name: None).connection()
        with pytest.raises(PublishError, match=answer):
            PLACES["SFTP"].publish(post, connection, MemoryUploadState(), tools())


@pytest.mark.judges
def test_a_host_key_that_was_renewed_on_purpose_is_pinned_anew(tmp_path, app, partner, clock):
    service = app.extensions["svc"]
    connected = Connections(LOOPBACK, service.ring, clock)
    us = Viewer(None, "us", "us", OPERATOR, None)
    with places.sftp(tmp_path) as there:
        made, _ = connected.add(us, partner.account, "SFTP", there.values)
        first = connections.unseal_connection(made, service.ring).values["host_key"]
        port = int(there.values["port"])
    with places.sftp(tmp_path, port, "another_key"):
        with pytest.raises(Conflict, match="its host key is"):
            connected.try_connection(us, made)
        connected.renew(us, made, {}, forget_host_key=True)
        connected.try_connection(us, made)
    assert connections.unseal_connection(made, service.ring).values["host_key"] not in ("", first)


@pytest.mark.parametrize("connector", OVER_HTTP)
def test_a_place_with_a_wrong_certificate_learns_nothing(connector, post, tmp_path):
    got = []
    with receiving(answering(got=got), Authority(tmp_path).context("127.0.0.1")) as receiver:
        error = refused_by(connector, receiver, post)
    assert "certificate" in error.message and got == []


@pytest.mark.parametrize(
    ("connector", "changes", "wrong"),
    [
        ("SFTP", {}, set()),
        ("SFTP", {"password": ""}, {"password"}),
        ("SFTP", {"private_key": "none"}, {"private_key"}),
        ("SFTP", {"host": "a b"}, {"host"}),
        ("SFTP", {"port": "70000"}, {"port"}),
        ("SFTP", {"port": "²"}, {"port"}),
        ("SFTP", {"folder": "a/../b"}, {"folder"}),
        ("S3", {}, set()),
        ("S3", {"bucket": "evil.com/"}, {"bucket"}),
        ("S3", {"region": "eu.evil.com/"}, {"region"}),
        ("S3", {"endpoint": "ftp://x"}, {"endpoint"}),
        ("S3", {"public_url": "here"}, {"public_url"}),
        ("S3", {"folder": "a//b"}, {"folder"}),
        ("WebDAV", {"url": "https://example.com/dav?x=1"}, {"url"}),
        ("WebDAV", {"url": "https://ada:secret@example.com/dav"}, {"url"}),
        ("WebDAV", {"user": "a:b"}, {"user"}),
        ("Hook", {"signing_secret": "whsec_AAAA"}, {"signing_secret"}),
    ],
)
def test_a_value_that_cannot_be_right_is_named_before_the_network_is_asked(
    connector, changes, wrong
):
    given = {
        "SFTP": {"host": "files.example.com", "user": "ada", "password": "kettle"},
        "S3": {"bucket": "films", "access_key_id": "id", "secret_access_key": "key"},
        "WebDAV": {"url": "https://example.com/dav"},
        "Hook": {"url": "https://example.com/in", "signing_secret": places.SECRET},
    }[connector]
    connection = places.Counterpart(connector, given, lambda name: None).connection(**changes)
    assert set(PLACES[connector].check(connection.values)) == wrong
