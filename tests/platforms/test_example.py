"""The kind of place that docs/platforms.md shows: it works as it stands there,
and survives a crash.
"""

import hashlib

import pytest
from support.places import Counterpart, Crash, MemoryUploadState, post_of, tools
from support.receivers import OK, read_request, receiving

from svc.platforms import PLACES, PublishError
from tests.support.documents import blocks, read


@pytest.fixture
def place(monkeypatch):
    [program] = [
        lines for language, lines in blocks(read("docs/platforms.md")) if language == "python"
    ]
    scope = {"__name__": "example"}
    exec(program, scope)
    made = scope["PlainPut"]()
    monkeypatch.setitem(PLACES, made.description.name, made)
    return made


def keeping(kept: dict, status: int = 200):
    """A server that keeps what is put, by its address."""

    def handle(connection, stopping):
        while request := read_request(connection):
            method, path, _ = request[0]["request"].split()
            kept.update({path: request[1]} if method == "PUT" else {})
            connection.sendall(OK.replace(b"200 OK", f"{status} It".encode()))

    return handle


def test_the_example_publishes_whole_files_and_resumes(place, tmp_path):
    post, kept = post_of(tmp_path), {}
    with receiving(keeping(kept)) as receiver:
        connection = Counterpart(
            "PlainPut", {"url": receiver.url("/in"), "token": "t"}, kept.get
        ).connection()
        assert place.check(connection.values) == {} == place.test(connection, tools())
        upload_state = MemoryUploadState(fails_at=post.video.size_bytes + 1)
        with pytest.raises(Crash):
            place.publish(post, connection, upload_state, tools())
        again = MemoryUploadState(session=upload_state.session)
        assert place.publish(post, connection, again, tools()).post_id == post.production_id
        place.withdraw(post.production_id, connection, tools())
    assert again.sent < 10_000  # the video was there
    assert hashlib.sha256(kept["/in/0193-id/video.mp4"]).hexdigest() == post.video.sha256


def test_the_example_tells_a_refusal_from_an_outage(place, tmp_path):
    for status, retryable in ((401, False), (503, True)):
        with receiving(keeping({}, status)) as receiver:
            connection = Counterpart(
                "PlainPut", {"url": receiver.url("/in"), "token": "t"}, {}.get
            ).connection()
            with pytest.raises(PublishError) as refused:
                place.publish(post_of(tmp_path), connection, MemoryUploadState(), tools())
        assert refused.value.retryable is retryable
