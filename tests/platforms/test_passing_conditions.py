"""Refusals that a later or a smaller request does not meet: of videos that a place still processes,
by proxies that limit requests, and by servers of WebDAV.
"""

import gzip
import hashlib
import json
import zlib

import pytest
from support import places
from support.places import Crash, MemoryUploadState, post_of, tools
from support.receivers import answering, read_request, receiving
from support.stand_ins import Dav, Fediverse, Locked, Tube

from svc.platforms import PLACES, PublishError

FOLDER = "tee-ol-wie-geht-s-0193-id"


@pytest.fixture
def post(tmp_path):
    return post_of(tmp_path)


def publish(there, post, upload_state=None):
    return PLACES[there.connector].publish(
        post, there.connection(), upload_state or MemoryUploadState(), tools()
    )


def refused(there, post, match: str) -> PublishError:
    with pytest.raises(PublishError, match=match) as failed:
        publish(there, post)
    return failed.value


def test_a_status_that_is_refused_while_its_video_is_processed_is_posted_later(post):
    server, upload_state = Fediverse(late=1), MemoryUploadState()
    with server.running() as there:
        with pytest.raises(PublishError, match="still processing") as waits:
            publish(there, post, upload_state)
        assert waits.value.retryable and upload_state.session == {"media": "1", "posting": True}
        posted = publish(there, post, MemoryUploadState(session=upload_state.session))
    assert (
        server.statuses == {posted.post_id: "1"} and server.calls.count("POST /api/v2/media") == 1
    )


def test_a_video_that_became_ready_between_refusal_and_question_is_posted_at_once(post):
    server = Fediverse(late=1)
    answer = server.answer

    def ready_by_now(request):
        reply = answer(request)
        server.slow = 0
        return reply

    server.answer = ready_by_now
    with server.running() as there:
        publish(there, post)
    assert server.calls.count("POST /api/v1/statuses") == 2


def test_a_status_that_is_wrong_is_refused_for_good_with_the_words_of_the_place(post):
    server = Fediverse(wrong="Validation failed: Text character limit of 500 exceeded")
    with server.running() as there:
        error = refused(
            there,
            post,
            "answered 422 and says: “Validation failed: Text character limit of 500 exceeded”",
        )
    assert not error.retryable and server.statuses == {}


LIMIT = 100_000  # bytes of a request: what some proxies let through


def test_a_video_goes_through_a_proxy_that_limits_requests(post):
    server, upload_state = Tube(limit=LIMIT), MemoryUploadState()
    with server.running() as there:
        publish(there, post, upload_state)
    [content] = server.videos.values()
    assert hashlib.sha256(content).hexdigest() == post.video.sha256
    assert max(server.parts) <= LIMIT and server.refused == 3  # 3 MB, 750 kB and 187 kB
    whole = sum(
        file.size_bytes
        for file in post.files
        if file.name in ("video.mp4", "captions.vtt", "poster.jpg")
    )
    assert (
        upload_state.sent + upload_state.there == whole
    )  # what was refused does not count as sent


@pytest.mark.parametrize("fails_at", [4_500_000, 6_000_000])
def test_after_a_crash_behind_a_limit_the_rest_goes_on_in_small_parts(post, fails_at):
    server, upload_state = Tube(limit=LIMIT), MemoryUploadState(fails_at=fails_at)
    with server.running() as there:
        with pytest.raises(Crash):
            publish(there, post, upload_state)
        [got] = server.uploads.values()
        before, refusals = len(got), server.refused
        publish(there, post, MemoryUploadState(session=upload_state.session))
    [content] = server.videos.values()
    assert before > 0 and server.refused == refusals and sum(server.parts) == post.video.size_bytes
    assert hashlib.sha256(content).hexdigest() == post.video.sha256


def test_a_retry_by_hand_tries_the_whole_video_again_as_the_limit_may_be_gone(post):
    server = Tube()
    with server.running() as there:
        publish(
            there,
            post,
            MemoryUploadState(session={"upload": "7-gone", "part": 50_000}, begun_anew=True),
        )
    assert server.parts == [post.video.size_bytes]


def test_a_limit_below_the_smallest_part_ends_the_upload(post):
    server = Tube(limit=1000)
    with server.running() as there:
        assert not refused(there, post, "413.*raise the limit there").retryable
    assert server.refused < 10


def test_a_quota_that_is_used_up_at_the_end_of_an_upload_is_no_limit_of_requests(post):
    server = Tube(
        limit=LIMIT,
        refusal=(413, {"code": "quota_reached", "detail": "The user video quota is exceeded"}),
    )
    with server.running() as there:
        assert not refused(there, post, "“The user video quota is exceeded”").retryable
    assert server.refused == 1


def test_a_proxy_that_cuts_a_request_off_gets_smaller_ones_at_the_next_attempt(post):
    server, upload_state = Tube(), MemoryUploadState()
    answer = server.answer

    def cutting(request):
        if len(request.body) > LIMIT:
            raise ConnectionResetError
        return answer(request)

    server.answer, attempts = cutting, 0
    with server.running() as there:
        while not server.videos and attempts < 9:
            attempts += 1
            try:
                publish(there, post, upload_state)
            except PublishError as failed:
                assert failed.retryable
                upload_state = MemoryUploadState(session=upload_state.session)
    assert attempts == 4 and sum(server.parts) == post.video.size_bytes


def test_a_place_that_keeps_nothing_of_a_part_is_left(post):
    server = Tube()
    answer = server.answer
    server.answer = lambda request: (308, b"", {}) if request.method == "PUT" else answer(request)
    with server.running() as there:
        assert refused(there, post, "not got the whole video").retryable
    assert server.calls.count("PUT /api/v1/videos/upload-resumable") == 1


def test_a_bucket_that_wants_a_checksum_of_every_object_is_tried_and_published_to(post):
    server = Locked()
    with server.running() as there:
        PLACES["S3"].test(there.connection(), tools())
        publish(there, post)
        assert set(server.objects) == {f"/films/{FOLDER}/{file.name}" for file in post.files} | {
            f"/films/{FOLDER}/publication.json"
        }


@pytest.mark.parametrize("status", [400, 403, 502])
def test_a_webdav_server_behind_a_proxy_that_ends_tls_moves_files(post, status):
    server = Dav(wrong_address=status)
    with server.running() as there:
        PLACES["WebDAV"].test(there.connection(), tools())
        assert server.files == {}
        publish(there, post)
    assert f"/dav/{FOLDER}/video.mp4" in server.files and not [
        name for name in server.files if name.endswith(".part")
    ]
    moves = [call for call in server.calls if call.startswith("MOVE") and FOLDER in call]
    # the other form of address is remembered for the rest of the attempt
    assert len(moves) == len(post.files) + 2


@pytest.mark.parametrize("status", [403, 405, 501])
def test_a_webdav_server_that_lets_nothing_be_renamed_is_said_to_and_keeps_no_partial_files(
    post, status
):
    server = Dav(no_moves=status)
    with server.running() as there:
        assert not refused(
            there, post, f"answered {status}.*does not let files be renamed"
        ).retryable
        with pytest.raises(PublishError, match="does not let files be renamed"):
            PLACES["WebDAV"].test(there.connection(), tools())
    assert server.files == {}


def test_a_webdav_server_that_moves_nothing_for_a_while_keeps_no_partial_file_and_is_tried_again(
    post,
):
    server = Dav(no_moves=503)
    with server.running() as there:
        assert refused(there, post, "answered 503").retryable
        assert server.files == {}
        server.no_moves = 0
        publish(there, post)


def test_a_webdav_folder_that_is_missing_is_a_refusal_that_says_so(post):
    server = Dav(folders=set())
    with server.running() as there:
        assert not refused(
            there, post, "409.*“Parent node does not exist”.*does not exist, or none can be made"
        ).retryable
        with pytest.raises(PublishError, match="folder of the connection does not exist"):
            PLACES["WebDAV"].test(there.connection(), tools())


@pytest.mark.parametrize(
    ("code", "retryable"),
    [
        ("RequestTimeout", True),
        ("BadDigest", True),
        ("IncompleteBody", True),
        ("InvalidDigest", False),
    ],
)
def test_what_passes_under_a_400_of_s3_is_tried_again(post, code, retryable):
    body = f"<Error><Code>{code}</Code><Message>Because.</Message></Error>".encode()
    answer = b"HTTP/1.1 400 Bad\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (
        len(body),
        body,
    )
    with receiving(answering(answer)) as receiver:
        values = {
            "bucket": "films",
            "endpoint": receiver.url(""),
            "access_key_id": "id",
            "secret_access_key": "key",
        }
        error = refused(
            places.Counterpart("S3", values, lambda name: None), post, "400 and says: “Because.”"
        )
    assert error.retryable is retryable


def packed(pack, **headers: str):
    """Return what changes every reply of a stand-in that has a body."""

    def change(reply):
        status, body, more = reply
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return (status, pack(content), {**more, **headers}) if content else reply

    return change


PACKED = {
    "gzip": packed(gzip.compress, **{"Content-Encoding": "gzip"}),
    "deflate": packed(zlib.compress, **{"Content-Encoding": "Deflate"}),
    "byte order mark": packed(b"\xef\xbb\xbf".__add__),
    "UTF-16": packed(lambda content: content.decode().encode("utf-16")),
}


@pytest.mark.parametrize("server", [Fediverse, Tube])
@pytest.mark.parametrize("change", PACKED.values(), ids=PACKED)
def test_answers_are_read_that_are_compressed_or_begin_with_a_mark(server, change, post):
    """Caches compress what nobody asked them to, and plugins of WordPress begin with a mark."""
    server = server()
    answer = server.answer
    server.answer = lambda request: change(answer(request))
    with server.running() as there:
        posted = publish(there, post)
    assert posted.post_id in (getattr(server, "statuses", None) or server.videos)


def test_what_a_compressed_answer_becomes_is_bounded_and_what_cannot_be_unpacked_is_no_answer(post):
    for content in (gzip.compress(b" " * 50_000_000), b"\x1f\x8b\x08nothing"):
        head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n"
        reply = head + b"Content-Length: %d\r\n\r\n" % len(content) + content
        with receiving(answering(reply)) as receiver:
            there = places.Counterpart("Mastodon", {"url": receiver.url(""), "token": "t"}, str)
            assert refused(there, post, "not answer as Mastodon does").retryable


PAGE = b"<!doctype html><title>Back in a minute</title>"


CHALLENGE = b"<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>"


def paged(server, asked: str, status: int = 200, page: bytes = PAGE, headers=()):
    """Let a stand-in answer the first request of a kind with a page, as what is before it does."""
    answer, left = server.answer, [asked]

    def with_page(request):
        if left and f"{request.method} {request.path}".startswith(left[0]):
            left.clear()
            return status, page, {"Content-Type": "text/html", **dict(headers)}
        return answer(request)

    server.answer = with_page
    return server


@pytest.mark.parametrize(
    ("server", "asked"),
    [
        (Fediverse, "POST /api/v2/media"),
        (Fediverse, "POST /api/v1/statuses"),
        (Tube, "POST /api/v1/users/token"),
        (Tube, "GET /api/v1/users/me"),
        (Tube, "POST /api/v1/videos/upload-resumable"),
        (Tube, "PUT /api/v1/videos/upload-resumable"),
        (Locked, f"PUT /films/{FOLDER}/video.mp4"),
        (Locked, f"PUT /films/{FOLDER}/publication.json"),
        (Tube, "PUT /api/v1/videos/video0/captions"),
        (Dav, f"MKCOL /dav/{FOLDER}"),
        (Dav, f"PUT /dav/{FOLDER}/video.mp4"),
        (Dav, f"MOVE /dav/{FOLDER}/video.mp4"),
    ],
)
@pytest.mark.parametrize(
    ("status", "page", "headers"),
    [(200, PAGE, {}), (403, CHALLENGE, {}), (302, b"", {"Location": "https://login.example/"})],
    ids=["page", "challenge", "sign-in"],
)
def test_a_page_in_place_of_an_answer_passes_and_nothing_is_lost_or_there_twice(
    server, asked, status, page, headers, post
):
    server, upload_state = paged(server(), asked, status, page, headers), MemoryUploadState()
    with server.running() as there:
        with pytest.raises(PublishError) as failed:
            publish(there, post, upload_state)
        assert failed.value.retryable
        posted = publish(there, post, MemoryUploadState(session=upload_state.session))
    if isinstance(server, Fediverse | Tube):
        [only] = server.statuses if isinstance(server, Fediverse) else server.videos
        assert only == posted.post_id
    else:
        assert hashlib.sha256(there.fetch(f"{FOLDER}/video.mp4")).hexdigest() == post.video.sha256
        assert there.fetch(f"{FOLDER}/publication.json")


@pytest.mark.parametrize(
    ("server", "page", "passes"),
    [
        (Dav, b"<html><head><title>403 Forbidden</title></head></html>", False),
        (Dav, b"<html>No</html>", False),
        (Dav, CHALLENGE, True),
        (Fediverse, b"<html><head><title>403 Forbidden</title></head></html>", True),
        (Fediverse, b'{"error": "This action is not allowed"}', False),
    ],
)
def test_a_refusal_of_the_place_itself_is_told_from_one_before_it(server, page, passes, post):
    asked = {Dav: "MKCOL", Fediverse: "POST /api/v2/media"}[server]
    with paged(server(), asked, 403, page).running() as there:
        assert refused(there, post, "403").retryable == passes


def test_a_page_in_place_of_a_removal_removes_nothing(post):
    server = paged(Dav(), "DELETE")
    with server.running() as there:
        posted = publish(there, post)
        with pytest.raises(PublishError, match="not answer as WebDAV does"):
            PLACES["WebDAV"].withdraw(posted.post_id, there.connection(), tools())
        assert there.fetch(f"{FOLDER}/video.mp4")
        PLACES["WebDAV"].withdraw(posted.post_id, there.connection(), tools())
    assert not [name for name in server.files if FOLDER in name]


def refusing(server, at: str) -> set[str]:
    """Let a stand-in refuse the access token at a kind of request, until what is returned is
    cleared.
    """
    answer, refuses = server.answer, {at}
    server.answer = lambda request: (
        (401, {"error": "Token expired"}, {})
        if f"{request.method} {request.path}".startswith(tuple(refuses))
        else answer(request)
    )
    return refuses


@pytest.mark.parametrize(
    "at", ["PUT /api/v1/videos/upload-resumable", "PUT /api/v1/videos/video0/captions"]
)
def test_a_sign_in_that_ends_in_the_middle_of_an_upload_is_done_again(at, post):
    server, upload_state = Tube(), MemoryUploadState()
    refuses = refusing(server, at)
    with server.running() as there:
        with pytest.raises(PublishError, match="has ended. It will be tried again") as failed:
            publish(there, post, upload_state)
        refuses.clear()
        publish(there, post, MemoryUploadState(session=upload_state.session))
    assert failed.value.retryable and len(server.videos) == 1


def test_a_sign_in_that_was_never_accepted_is_refused_for_good(post):
    server = Tube()
    refusing(server, "GET /api/v1/users/me")
    with server.running() as there:
        assert not refused(there, post, "does not accept the credentials").retryable


def test_a_bucket_whose_proxy_leaves_lengths_out_is_published_to(post):
    stored = {}

    def handle(connection, stopping):
        headers, content = read_request(connection)
        method, address, _ = headers["request"].split()
        name = address.partition("?")[0]
        if method == "PUT":
            stored[name] = content
        status = 200 if name in stored else 404
        body = stored.get(name, b"") if method == "GET" else b""
        connection.sendall(b"HTTP/1.1 %d It\r\nConnection: close\r\n\r\n%s" % (status, body))

    with receiving(handle) as receiver:
        values = {"bucket": "films", "access_key_id": "id", "secret_access_key": "key"}
        there = places.Counterpart("S3", {**values, "endpoint": receiver.url("")}, str)
        publish(there, post)
    assert hashlib.sha256(stored[f"/films/{FOLDER}/video.mp4"]).hexdigest() == post.video.sha256
