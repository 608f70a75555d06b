"""What a place no longer has, though an earlier attempt remembers it, is forgotten,
and the post begins anew: once.
"""

import hashlib
from dataclasses import replace

import pytest
from support.places import Crash, MemoryUploadState, post_of, tools
from support.stand_ins import Dav, Fediverse, Locked, Tube
from support.youtube import youtube

from svc.platforms import PLACES, PublishError

FOLDER = "tee-ol-wie-geht-s-0193-id"


@pytest.fixture
def post(tmp_path):
    return post_of(tmp_path)


def publish(there, post, upload_state):
    return PLACES[there.connector].publish(post, there.connection(), upload_state, tools())


def by_hand(upload_state: MemoryUploadState) -> MemoryUploadState:
    return MemoryUploadState(key=upload_state.key, session=upload_state.session, begun_anew=True)


def again(upload_state: MemoryUploadState) -> MemoryUploadState:
    return MemoryUploadState(key=upload_state.key, session=upload_state.session)


def test_an_upload_that_mastodon_has_removed_is_uploaded_anew_at_once(post):
    server, upload_state = Fediverse(slow=1), MemoryUploadState()
    with server.running() as there:
        with pytest.raises(PublishError, match="still processing"):
            publish(there, post, upload_state)
        server.uploads.clear()  # a day has passed
        posted = publish(there, post, again(upload_state))
    assert (
        server.statuses == {posted.post_id: "2"} and server.calls.count("POST /api/v2/media") == 2
    )


def test_an_upload_that_mastodon_cannot_process_is_forgotten_and_a_retry_by_hand_uploads_it_anew(
    post,
):
    server, upload_state = Fediverse(broken={"1"}), MemoryUploadState()
    with server.running() as there:
        with pytest.raises(
            PublishError, match="“Error processing thumbnail.*uploads it anew"
        ) as failed:
            publish(there, post, upload_state)
        assert (failed.value.retryable, upload_state.session) == (False, {})
        posted = publish(there, post, by_hand(upload_state))
    assert server.statuses == {posted.post_id: "2"}


@pytest.mark.parametrize("forgets", [False, True])
def test_a_status_whose_answer_was_lost_is_not_posted_again_though_its_upload_is_hidden(
    post, forgets
):
    """An upload in a status is 404, as one that was removed is: list and key tell them apart."""
    server, upload_state = Fediverse(loses_answers=True, forgets=forgets), MemoryUploadState()
    with server.running() as there:
        with pytest.raises(PublishError, match="503"):
            publish(there, post, upload_state)
        posted = publish(there, post, again(upload_state))
        assert posted == publish(there, post, by_hand(upload_state))
    assert list(server.statuses) == [posted.post_id]


def test_a_status_that_was_removed_is_posted_again_under_another_key(post):
    server, upload_state = Fediverse(), MemoryUploadState()
    with server.running() as there:
        server.remove(publish(there, post, upload_state).post_id)
        anew = by_hand(upload_state)
        posted = publish(there, post, anew)
        assert publish(there, post, again(anew)) == posted
    assert list(server.statuses) == [posted.post_id]


@pytest.mark.parametrize("status", [400, 403, 404, 410, 422])
def test_an_upload_that_peertube_does_not_know_begins_anew_on_a_retry_by_hand(post, status):
    server, upload_state = Tube(unknown=status), MemoryUploadState(session={"upload": "7-gone"})
    with server.running() as there:
        if status not in (404, 410):
            with pytest.raises(PublishError, match=str(status)):
                publish(there, post, again(upload_state))
        posted = publish(there, post, by_hand(upload_state))
        assert (
            publish(there, post, by_hand(upload_state)) == posted
        )  # found by the name of its file
    assert list(server.videos) == [posted.post_id]


def test_a_video_that_was_removed_from_peertube_is_uploaded_anew_by_hand(post):
    server, upload_state = Tube(captions=503), MemoryUploadState()
    with server.running() as there:
        with pytest.raises(PublishError, match="503"):
            publish(there, post, upload_state)
        server.captions, kept = 200, dict(server.videos)
        server.videos.clear()
        with pytest.raises(PublishError, match="does not have the video any more.*anew") as failed:
            publish(there, post, again(upload_state))
        assert not failed.value.retryable
        posted = publish(there, post, by_hand(upload_state))
    assert list(server.videos) == [posted.post_id] and list(server.videos.values()) == list(
        kept.values()
    )


def test_a_video_that_is_still_there_is_not_uploaded_again_by_hand(post):
    server, upload_state = Tube(captions=503), MemoryUploadState()
    with server.running() as there:
        with pytest.raises(PublishError):
            publish(there, post, upload_state)
        server.captions = 200
        publish(there, post, by_hand(upload_state))
    assert len(server.videos) == 1 and server.parts == [post.video.size_bytes]


def test_a_video_that_was_removed_from_youtube_is_uploaded_anew_by_hand(post):
    with youtube() as tube:
        tube.errors["POST /upload/youtube/v3/captions"] = (404, "videoNotFound")
        upload_state, given = MemoryUploadState(), tube.counterpart.connection()
        with pytest.raises(PublishError, match="not know the video") as failed:
            tube.place.publish(post, given, upload_state, tools())
        assert failed.value.retryable  # a new one is not known everywhere at once
        tube.place.publish(post, given, again(upload_state), tools())
        assert len(tube.videos) == 1
        tube.videos.clear()
        posted = tube.place.publish(post, given, by_hand(upload_state), tools())
        assert list(tube.videos) == [posted.post_id]
        assert hashlib.sha256(tube.contents[posted.post_id]).hexdigest() == post.video.sha256


@pytest.mark.parametrize(("status", "reason"), [(403, "forbidden"), (400, "badRequest")])
def test_an_upload_that_youtube_refuses_to_go_on_with_begins_anew_by_hand(post, status, reason):
    upload, upload_state = (
        "/upload/youtube/v3/videos",
        MemoryUploadState(session={"upload": "/upload/youtube/v3/videos?upload_id=up0"}),
    )
    with youtube() as tube:
        tube.errors[f"PUT {upload}"] = (status, reason)
        with pytest.raises(PublishError, match=f"answered {status}"):
            tube.place.publish(post, tube.counterpart.connection(), again(upload_state), tools())
        tube.errors[f"PUT {upload}"] = (status, reason)
        posted = tube.place.publish(
            post, tube.counterpart.connection(), by_hand(upload_state), tools()
        )
        assert list(tube.videos) == [posted.post_id]


def stop_before_the_note(there, post) -> MemoryUploadState:
    upload_state = MemoryUploadState(fails_at=sum(file.size_bytes for file in post.files) - 1)
    with pytest.raises(Crash):
        publish(there, post, upload_state)
    return upload_state


def test_a_file_that_was_removed_from_a_bucket_meanwhile_is_stored_again(post):
    server = Locked()
    with server.running() as there:
        upload_state = stop_before_the_note(there, post)
        # the connection was renewed
        elsewhere = replace(there, values={**there.values, "folder": "other"})
        publish(elsewhere, post, again(upload_state))
        with post.video.fetch() as path:
            assert there.fetch(f"other/{FOLDER}/video.mp4") == path.read_bytes()


def test_a_file_that_was_removed_from_a_webdav_folder_meanwhile_is_stored_again(post):
    server = Dav()
    with server.running() as there:
        upload_state = stop_before_the_note(there, post)
        assert upload_state.session["stored"] == ["video.mp4", "captions.vtt", "transcript.txt"]
        server.files.clear()
        server.folders.remove(f"/dav/{FOLDER}")
        publish(there, post, again(upload_state))
        names = {name.rpartition("/")[2] for name in server.files}
        assert names == {*(file.name for file in post.files), "publication.json"}
        sent = MemoryUploadState()
        publish(there, post, sent)
        assert sent.sent == 0  # what is there is not sent again
