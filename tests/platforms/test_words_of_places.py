"""What places say of a refusal is said here: another region, credentials that did not arrive,
renames that are not allowed.
"""

import contextlib
import json
import threading
import time

import paramiko
import pytest
from paramiko import (
    SFTP_FAILURE,
    SFTP_NO_SUCH_FILE,
    SFTP_OK,
    SFTP_OP_UNSUPPORTED,
    SFTP_PERMISSION_DENIED,
    SFTPAttributes,
    SFTPHandle,
    SFTPServer,
    SFTPServerInterface,
)
from support.places import NOON, Counterpart, MemoryUploadState, post_of, tools
from support.receivers import answering, receiving

from svc.adapters.transfers import MOST_ANSWER, Answer
from svc.platforms import PLACES, PublishError, answers


def answer(status: int, body: object = b"", **headers: str) -> Answer:
    return Answer(status, headers, body if isinstance(body, bytes) else json.dumps(body).encode())


def raw(status: int, body: bytes = b"", headers: str = "") -> bytes:
    return (
        f"HTTP/1.1 {status} It\r\n{headers}Connection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body


XML = (
    b"<?xml version='1.0'?><d:error xmlns:d='DAV:' xmlns:s='x'><s:message>Out of "
    b"&lt;room&gt;</s:message></d:error>"
)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": "The access token is invalid"}, "The access token is invalid"),
        ({"error": "invalid_grant", "error_description": "Bad\npassword"}, "Bad password"),
        ({"code": "rest_forbidden", "message": "Sorry"}, "Sorry"),
        (
            {"title": "Forbidden", "detail": "No right to upload", "status": 403},
            "No right to upload",
        ),
        ({"error": {"code": 403, "message": "Not for you"}}, "Not for you"),
        (
            b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>",
            "Access Denied",
        ),
        (XML, "Out of <room>"),
        ({"error": "a\u202eb\x00c"}, "abc"),
        ({"error": "x" * 1000}, "x" * 299 + "…"),
    ],
)
def test_the_words_of_a_place_are_shown_on_one_line_without_signs_that_mislead(body, said):
    message = answers.make_error(answer(403, body), NOON).message
    assert message.startswith(
        f"The place answered 403 and says: “{said}”. The credentials do not allow this"
    )
    assert answers.make_error(answer(503, body), NOON).message.endswith(
        f"“{said}”. It will be tried again."
    )


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>Forbidden</html>", b"[]", b'{"error": 7}', {"error": " "}, {"message": None}],
)
def test_a_place_that_says_nothing_readable_is_told_by_its_status(body):
    assert answers.make_error(answer(403, body), NOON).message.startswith(
        "The place answered 403. The credentials"
    )


def test_a_redirection_tells_nothing_of_where_it_leads():
    message = answers.make_error(answer(307, {"message": "to http://10.0.0.1/"}), NOON).message
    assert "10.0.0.1" not in message


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo"])
@pytest.mark.parametrize(
    ("wanted", "seconds"),
    [
        ("Sat, 21 Nov 2026 12:02:00 GMT", 120),
        ("Saturday, 21-Nov-26 12:02:00 GMT", 120),
        ("Sat Nov 21 12:02:00 2026", 120),
        ("Sat, 21 Nov 2026 12:02:00 -0000", 120),
        ("Sat, 21 Nov 2026 11:59:00 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 6 * 3600),
        ("in a minute", None),
        ("-5", None),
    ],
)
def test_a_time_to_try_again_at_is_in_utc_in_every_form(wanted, seconds, zone, monkeypatch):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert answers.read_retry_after({"retry-after": wanted}, NOON) == seconds
    finally:
        monkeypatch.undo()
        time.tzset()


def tried(connector: str, reply: bytes, **values: str) -> PublishError:
    with receiving(answering(reply)) as receiver:
        given = {"url": receiver.url(""), "endpoint": receiver.url(""), **values}
        there = Counterpart(connector, given, lambda name: None)
        with pytest.raises(PublishError) as refused:
            PLACES[connector].test(there.connection(), tools())
    return refused.value


S3 = {"bucket": "films", "access_key_id": "id", "secret_access_key": "key", "region": "us-east-1"}
MALFORMED = (
    b"<Error><Code>AuthorizationHeaderMalformed</Code><Message>wrong</Message>"
    b"<Region>eu-west-1</Region></Error>"
)
MOVED = (
    b"<Error><Code>PermanentRedirect</Code><Message>The bucket must be addressed "
    b"elsewhere.</Message></Error>"
)


@pytest.mark.parametrize(
    "reply",
    [
        raw(301, MOVED, "x-amz-bucket-region: eu-west-1\r\n"),
        raw(400, MALFORMED),
        raw(400, b"", "x-amz-bucket-region: eu-west-1\r\n"),
    ],
)
def test_a_bucket_in_another_region_is_told_with_its_region(reply):
    error = tried("S3", reply, **S3)
    assert "renew the connection with region=eu-west-1" in error.message and not error.retryable


@pytest.mark.parametrize("region", ["us-east-1", "<b>", "", "x" * 50])
def test_a_region_that_is_no_other_one_is_not_told(region):
    error = tried("S3", raw(301, MOVED, f"x-amz-bucket-region: {region}\r\n"), **S3)
    assert "redirection" in error.message and "renew the connection with" not in error.message


def test_a_bucket_that_is_not_known_everywhere_yet_is_asked_again():
    reply = raw(
        307, b"<Error><Code>TemporaryRedirect</Code><Message>Please re-send.</Message></Error>"
    )
    assert tried("S3", reply, **S3).retryable


def test_a_bucket_that_does_not_exist_and_a_clock_that_is_wrong_are_told():
    for code, said in (("NoSuchBucket", "no such bucket"), ("RequestTimeTooSkewed", "clock")):
        reply = raw(400, f"<Error><Code>{code}</Code><Message>No.</Message></Error>".encode())
        assert said in tried("S3", reply, **S3).message


def test_a_web_server_that_drops_the_credentials_is_told():
    body = json.dumps(
        {"code": "rest_not_logged_in", "message": "You are not currently logged in."}
    ).encode()
    error = tried("WordPress", raw(401, body), user="ada", password="kettle")
    assert "does not pass the Authorization header on" in error.message and not error.retryable
    body = body.replace(b"rest_not_logged_in", b"incorrect_password")
    assert (
        "does not accept the credentials"
        in tried("WordPress", raw(401, body), user="ada", password="kettle").message
    )


JSON = {"content-type": "application/json; charset=utf-8"}


@pytest.mark.parametrize(
    ("reply", "is_early"),
    [
        (Answer(200, {}, b'{"id": 12, "slug": "fil'), True),
        (Answer(201, {}, b' [{"id"'), True),
        (Answer(200, {}, b"{"), True),
        (Answer(200, {}, b'{"id": 12,'), True),
        (Answer(200, JSON, b""), True),
        (Answer(200, {}, b""), False),
        (Answer(204, JSON, b""), False),
        (Answer(400, JSON, b'{"code": "rest_'), False),
        (Answer(200, JSON, b"<html><body>"), False),
        (Answer(200, JSON, b'{"id": 12}<!-- cached -->'), False),
        (Answer(200, JSON, b"[" * MOST_ANSWER), False),
        (Answer(200, JSON, b"[" * 9_000), False),
    ],
)
def test_an_answer_that_ends_before_its_json_does_is_asked_for_again(reply, is_early):
    """Nested too deeply, or longer than is read, it is none."""
    if is_early:
        with pytest.raises(PublishError, match="ended early") as failed:
            answers.read_json(reply)
        assert failed.value.retryable
    else:
        assert not isinstance(answers.read_json(reply), dict | list)
        assert answers.read_json_object(reply) == {}


@pytest.mark.parametrize(
    ("connector", "values"),
    [("WordPress", {"user": "ada", "password": "kettle"}), ("Mastodon", {"token": "t"})],
)
def test_a_place_that_is_stopped_while_it_answers_and_a_page_are_told_apart(connector, values):
    error = tried(connector, raw(200, b'{"capabilities": {"upload_fi'), **values)
    assert "ended early" in error.message and error.retryable
    error = tried(connector, raw(200, b"<html>A shop</html>"), **values)
    assert "check its address" in error.message and error.retryable


class Disk(SFTPServerInterface):
    """Files in memory.

    ``renames``: what it answers to each rename; ``full``: whether it takes no content.
    """

    def __init__(
        self, server, files: dict[str, bytearray], renames: int = SFTP_OK, full: bool = False
    ):
        super().__init__(server)
        self._files, self._renames, self._full = files, renames, full

    def stat(self, path):
        if path not in self._files:
            return SFTP_NO_SUCH_FILE
        made = SFTPAttributes()
        made.st_size, made.st_mode = len(self._files[path]), 0o100644
        return made

    def mkdir(self, path, attr):
        return SFTP_OK

    def open(self, path, flags, attr):
        writes = flags & 3
        if not writes and path not in self._files:
            return SFTP_NO_SUCH_FILE
        content = self._files.setdefault(path, bytearray())
        handle = SFTPHandle(flags)
        handle.stat = lambda: self.stat(path)
        handle.read = lambda offset, length: bytes(content[offset : offset + length])
        handle.write = lambda offset, data: self._write(content, data)
        return handle

    def _write(self, content, data):
        if self._full:
            return SFTP_FAILURE
        content.extend(data)
        return SFTP_OK

    def remove(self, path):
        return SFTP_NO_SUCH_FILE if self._files.pop(path, None) is None else SFTP_OK

    def rename(self, old, new):
        if self._renames == SFTP_OK:
            self._files[new] = self._files.pop(old)
        return self._renames

    def posix_rename(self, old, new):
        return SFTP_OP_UNSUPPORTED if self._renames == SFTP_OK else self._renames


class Door(paramiko.ServerInterface):
    def check_auth_password(self, username, password):
        return (
            paramiko.AUTH_SUCCESSFUL
            if (username, password) == ("ada", "kettle")
            else paramiko.AUTH_FAILED
        )

    def check_channel_request(self, kind, chanid):
        return paramiko.OPEN_SUCCEEDED


ECDSA, RSA = paramiko.ECDSAKey.generate(), paramiko.RSAKey.generate(2048)


@contextlib.contextmanager
def sftp(*keys: paramiko.PKey, **disk):
    """A server with these host keys; gives the place, its files,
    and the number of connections as a call.
    """
    files: dict[str, bytearray] = {}

    def handle(connection, stopping):
        transport = paramiko.Transport(connection)
        for key in keys:
            transport.add_server_key(key)
        transport.set_subsystem_handler("sftp", SFTPServer, Disk, files, **disk)
        with contextlib.suppress(paramiko.SSHException, EOFError):
            transport.start_server(event=threading.Event(), server=Door())
            while transport.is_active() and not stopping.wait(0.005):
                pass
        transport.close()

    with receiving(handle) as receiver:
        values = {
            "host": "127.0.0.1",
            "port": str(receiver.port),
            "user": "ada",
            "password": "kettle",
        }
        yield (
            Counterpart("SFTP", values, lambda name: bytes(files[name]) if name in files else None),
            files,
            receiver,
        )


def pinned_at(there, **changes) -> str:
    return PLACES["SFTP"].test(there.connection(**changes), tools())["host_key"]


def test_a_server_that_has_a_further_host_key_is_asked_for_the_pinned_one():
    with sftp(RSA) as (there, _, _):
        pinned = pinned_at(there)
    assert pinned.startswith("SHA256:") and pinned.endswith(" ssh-rsa")
    with sftp(RSA, ECDSA) as (there, _, receiver):
        assert pinned_at(there) != pinned  # of its own accord it gives the other one
        before = receiver.connections
        assert pinned_at(there, host_key=pinned) == pinned
        assert receiver.connections == before + 1


def test_a_host_key_that_was_pinned_without_its_type_is_looked_for_and_its_type_learned():
    with sftp(RSA, ECDSA) as (there, _, _):
        bare = f"SHA256:{RSA.fingerprint.removeprefix('SHA256:')}"
        assert pinned_at(there, host_key=bare) == f"{bare} ssh-rsa"


@pytest.mark.parametrize("kind", ["", " ecdsa-sha2-nistp256", " ssh-rsa", " unknown"])
def test_a_server_that_does_not_have_the_pinned_host_key_is_refused_before_the_password_is_sent(
    kind,
):
    asked = []
    with sftp(ECDSA) as (there, _, _), pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            Door, "check_auth_password", lambda *given: asked.append(given) or paramiko.AUTH_FAILED
        )
        with pytest.raises(PublishError, match="its host key is SHA256:") as refused:
            pinned_at(there, host_key=f"{RSA.fingerprint}{kind}")
    assert asked == [] and not refused.value.retryable


def test_an_sftp_server_that_lets_nothing_be_renamed_is_said_to_and_keeps_no_partial_file(tmp_path):
    with sftp(ECDSA, renames=SFTP_PERMISSION_DENIED) as (there, files, _):
        for act in (
            lambda: pinned_at(there),
            lambda: PLACES["SFTP"].publish(
                post_of(tmp_path), there.connection(), MemoryUploadState(), tools()
            ),
        ):
            with pytest.raises(PublishError, match="may not rename files") as refused:
                act()
            assert not refused.value.retryable
        assert files == {}


def test_an_sftp_server_without_openssh_s_rename_is_published_to(tmp_path):
    post = post_of(tmp_path)
    with sftp(ECDSA) as (there, files, _):
        for upload_state in (MemoryUploadState(), MemoryUploadState(key="another")):
            PLACES["SFTP"].publish(post, there.connection(), upload_state, tools())
        assert {name.rpartition("/")[2] for name in files} == {
            *(file.name for file in post.files),
            "publication.json",
        }


def test_what_an_sftp_server_says_of_a_failure_is_said():
    with (
        sftp(ECDSA, full=True) as (there, _, _),
        pytest.raises(PublishError, match="says: “Failure”") as failed,
    ):
        pinned_at(there)
    assert failed.value.retryable
