"""PeerTube: a video with captions, chapters and poster, once,
against its upload engine and against other answers.
"""

import base64
import hashlib
import json
from dataclasses import replace

import pytest
from support.peertube import peertube
from support.places import NOON, Counterpart, Crash, MemoryUploadState, post_of, tools, with_spanish
from support.receivers import answering, read_request, receiving

from svc.platforms import PLACES, PublishError
from svc.platforms.connected import Figures
from tests.support.npm import npm_folder as npm_folder

PEERTUBE = PLACES["PeerTube"]
CHAPTERS = ((0, "Start"), (12, "Middle"), (30, "End"))
_keys = (f"key-{number}" for number in range(1000))


@pytest.fixture
def post(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    return replace(post_of(folder), chapters=CHAPTERS)


@pytest.fixture(scope="module")
def there(tmp_path_factory, npm_folder):
    with peertube(tmp_path_factory.mktemp("peertube"), npm_folder) as counterpart:
        yield counterpart


@pytest.fixture
def upload_state():
    return MemoryUploadState(key=next(_keys))


def publish(there, post, upload_state, **changes):
    return PEERTUBE.publish(post, there.connection(**changes), upload_state, tools())


def videos_of(there, upload_state) -> list[dict]:
    listed = json.loads(there.fetch("users/me/videos?count=1000"))["data"]
    sources = [
        json.loads(there.fetch(f"videos/{each['uuid']}/source"))["inputFilename"] for each in listed
    ]
    return [
        each
        for each, source in zip(listed, sources, strict=True)
        if source == f"{upload_state.key}.mp4"
    ]


def hash_of(there, uuid: str) -> str:
    return hashlib.sha256(there.fetch(f"/static/{uuid}.mp4")).hexdigest()


def forgotten(there, post) -> str:
    """The identifier of an upload that the place does not know any more."""
    begun = MemoryUploadState(key=next(_keys), fails_at=0)
    with pytest.raises(Crash):
        publish(there, post, begun)
    return f"{begun.session['upload'][:-4]}0000"


@pytest.mark.judges
def test_a_video_is_whole_and_has_captions_chapters_poster_and_texts(there, post, upload_state):
    assert PEERTUBE.test(there.connection(), tools()) == {}
    posted = publish(there, post, upload_state, privacy="unlisted")
    video = json.loads(there.fetch(f"videos/{posted.post_id}"))
    assert hash_of(there, posted.post_id) == post.video.sha256
    assert (video["name"], video["description"], video["privacy"], video["channelId"]) == (
        post.title,
        post.text,
        2,
        4,
    )
    assert (video["language"], video["tags"], video["waitTranscoding"]) == ("de", ["tee"], True)
    assert [(each["timecode"], each["title"]) for each in video["chapters"]] == list(CHAPTERS)
    files = {file.name: file for file in post.files}
    with files["captions.vtt"].fetch() as captions, files["poster.jpg"].fetch() as poster:
        assert there.fetch(f"videos/{posted.post_id}/captions/de") == captions.read_bytes()
        assert base64.b64decode(video["thumbnail"]) == poster.read_bytes()
    assert posted.url == f"{there.values['url']}/w/{video['shortUUID']}"


@pytest.mark.judges
def test_captions_in_further_languages_go_with_the_video(there, post, upload_state):
    posted = publish(there, with_spanish(post), upload_state)
    for code, expected in (("de", b"WEBVTT\n\n"), ("es", b"WEBVTT\n\nHola\n")):
        assert there.fetch(f"videos/{posted.post_id}/captions/{code}") == expected


@pytest.mark.judges
@pytest.mark.parametrize("fails_at", [0, 1_500_000, 2_900_000])
def test_an_upload_goes_on_where_it_broke_off(there, post, upload_state, fails_at):
    upload_state.fails_at = fails_at
    with pytest.raises(Crash):
        publish(there, post, upload_state)
    again = MemoryUploadState(key=upload_state.key, session=upload_state.session)
    posted = publish(there, post, again)
    assert (
        hash_of(there, posted.post_id) == post.video.sha256
        and len(videos_of(there, upload_state)) == 1
    )
    assert again.sent < post.video.size_bytes or fails_at == 0


@pytest.mark.judges
def test_a_video_is_found_by_its_file_when_the_answer_or_the_session_was_lost(
    there, post, upload_state
):
    posted = publish(there, post, upload_state)
    for session in ({"upload": forgotten(there, post)}, {}):
        again = MemoryUploadState(key=upload_state.key, session=session)
        assert publish(there, post, again) == posted
        assert again.sent < 100_000 and len(videos_of(there, upload_state)) == 1


@pytest.mark.judges
def test_an_upload_that_the_place_has_forgotten_begins_anew(there, post, upload_state):
    upload_state.session = {"upload": forgotten(there, post)}
    posted = publish(there, post, upload_state)
    assert (
        hash_of(there, posted.post_id) == post.video.sha256
        and len(videos_of(there, upload_state)) == 1
    )


@pytest.mark.judges
def test_views_and_likes_are_read_until_the_video_is_gone(there, post, upload_state):
    posted, connection = publish(there, post, upload_state), there.connection()
    assert PEERTUBE.read_figures(posted.post_id, connection, tools()) == Figures(12, 3, None)
    PEERTUBE.withdraw(posted.post_id, connection, tools())
    assert PEERTUBE.read_figures(posted.post_id, connection, tools()) is None


@pytest.mark.judges
def test_withdrawing_deletes_the_video_and_may_be_repeated(there, post, upload_state):
    posted = publish(there, post, upload_state)
    for _ in range(2):
        PEERTUBE.withdraw(posted.post_id, there.connection(), tools())
    assert videos_of(there, upload_state) == []


@pytest.mark.judges
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"password": "wrong"}, "does not accept the credentials"),
        ({"channel": "none"}, "those it has are: ada_channel, films"),
    ],
)
def test_wrong_credentials_and_channels_are_refused_for_good(there, changes, message):
    with pytest.raises(PublishError, match=message) as refused:
        PEERTUBE.test(there.connection(**changes), tools())
    assert not refused.value.retryable


@pytest.mark.judges
def test_without_a_channel_the_first_one_is_taken(there, post, upload_state):
    posted = publish(there, post, upload_state, channel="")
    assert json.loads(there.fetch(f"videos/{posted.post_id}"))["channelId"] == 3


def server(answers: dict[str, tuple[int, str, dict]]):
    """A server that answers by method and path; ``calls``: what it was asked."""
    calls = []
    known = {
        "GET oauth-clients/local": (200, '{"client_id": "c", "client_secret": "s"}', {}),
        "POST users/token": (200, '{"access_token": "t"}', {}),
        "GET users/me": (200, '{"videoChannels": [{"id": 3, "name": "a"}]}', {}),
        "GET users/me/videos": (200, '{"data": []}', {}),
        **answers,
    }

    def handle(connection, stopping):
        while request := read_request(connection):
            method, address, _ = request[0]["request"].split()
            path = address.partition("?")[0].removeprefix("/api/v1/")
            ranged = " *" if request[0].get("content-range", "").startswith("bytes *") else ""
            calls.append((f"{method} {path}{ranged}", request[0]))
            status, text, headers = known[calls[-1][0]]
            lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            head = (
                f"HTTP/1.1 {status} It\r\n{lines}Connection: close\r\n"
                f"Content-Length: {len(text)}\r\n\r\n"
            )
            connection.sendall(head.encode() + text.encode())
            return

    return handle, calls


def to(receiver) -> Counterpart:
    return Counterpart(
        "PeerTube",
        {"url": receiver.url(""), "user": "ada", "password": "kettle"},
        lambda name: None,
    )


def test_a_video_that_is_still_processed_is_waited_for_and_not_uploaded_again(post):
    busy = {"PUT videos/upload-resumable *": (503, "{}", {"Retry-After": "300"})}
    handle, calls = server(busy)
    with receiving(handle) as receiver, pytest.raises(PublishError) as failed:
        publish(to(receiver), post, MemoryUploadState(session={"upload": "7-x"}))
    assert (failed.value.retryable, failed.value.retry_after) == (True, 300)
    assert calls[-1][0] == "PUT videos/upload-resumable *"


def test_a_location_elsewhere_gets_neither_token_nor_video(post):
    done = '{"video": {"uuid": "u", "shortUUID": "s"}}'
    with receiving(answering()) as elsewhere:
        location = {"Location": f"{elsewhere.url('/steal')}?upload_id=7-x"}
        given = {
            "POST videos/upload-resumable": (201, "{}", location),
            "PUT videos/upload-resumable": (200, done, {}),
        }
        for path in ("captions/de", "chapters"):
            given[f"PUT videos/u/{path}"] = (204, "", {})
        handle, calls = server({**given, "PUT videos/u": (204, "", {})})
        with receiving(handle) as receiver:
            assert publish(to(receiver), post, MemoryUploadState(begun_anew=True)).post_id == "u"
        assert elsewhere.connections == 0


@pytest.mark.parametrize("title", ["of the post", "short", "another"])
def test_before_the_first_attempt_only_videos_of_the_title_are_looked_at(post, title):
    """A database that was restored knows nothing of what its post became."""
    upload_state = MemoryUploadState(begun_anew=True)
    post = replace(post, title="It") if title == "short" else post
    name = {"short": "It…", "another": "Another"}.get(title, post.title)
    listed = {"data": [{"uuid": "old", "shortUUID": "o", "name": name}]}
    source = {"inputFilename": f"{upload_state.key}.mp4"}
    given = {
        "GET users/me/videos": (200, json.dumps(listed), {}),
        "GET videos/old/source": (200, json.dumps(source), {}),
        "POST videos/upload-resumable": (413, '{"code": "quota_reached"}', {}),
    }
    for path in ("", "/captions/de", "/chapters"):
        given[f"PUT videos/old{path}"] = (204, "", {})
    handle, calls = server(given)
    with receiving(handle) as receiver:
        if title != "another":
            assert publish(to(receiver), post, upload_state).post_id == "old"
        else:
            with pytest.raises(PublishError, match="413"):
                publish(to(receiver), post, upload_state)
    asked = [call for call, _ in calls]
    assert ("GET videos/old/source" in asked) == (title != "another")
    assert ("POST videos/upload-resumable" in asked) == (title == "another")


def test_a_quota_is_a_refusal(post):
    handle, _ = server({"POST videos/upload-resumable": (413, '{"code": "quota_reached"}', {})})
    with receiving(handle) as receiver, pytest.raises(PublishError, match="413") as refused:
        publish(to(receiver), post, MemoryUploadState())
    assert not refused.value.retryable


def test_an_older_server_without_chapters_is_published_to(post):
    done, location = (
        '{"video": {"uuid": "u", "shortUUID": "s"}}',
        {"Location": "//x/?upload_id=7-x"},
    )
    handle, _ = server(
        {
            "POST videos/upload-resumable": (201, "{}", location),
            "PUT videos/upload-resumable": (200, done, {}),
            "PUT videos/u/captions/de": (204, "", {}),
            "PUT videos/u/chapters": (404, "", {}),
            "PUT videos/u": (204, "", {}),
        }
    )
    with receiving(handle) as receiver:
        assert publish(to(receiver), post, MemoryUploadState()).post_id == "u"


@pytest.mark.parametrize("text", ["", "[]", '{"videoChannels": 7}'])
def test_a_server_that_is_no_peertube_is_refused(text):
    handle, _ = server({"GET users/me": (200, text, {})})
    with (
        receiving(handle) as receiver,
        pytest.raises(PublishError, match="does not answer as PeerTube"),
    ):
        PEERTUBE.test(to(receiver).connection(), tools())


@pytest.mark.parametrize(("name", "value"), [("privacy", "loud"), ("url", "tube")])
def test_values_that_cannot_work_are_named(name, value):
    given = {
        "url": "https://tube.example.com",
        "user": "ada",
        "password": "p",
        "channel": "",
        "privacy": "public",
    }
    assert PEERTUBE.check(given) == {}
    assert set(PEERTUBE.check({**given, name: value})) == {name}


@pytest.mark.judges
def test_a_video_for_later_is_private_until_its_time(there, post, upload_state):
    at = NOON + 3_600_000
    posted = publish(there, replace(post, publish_at=at), upload_state, privacy="unlisted")
    video = json.loads(there.fetch(f"videos/{posted.post_id}"))
    assert (video["privacy"], video["scheduleUpdate"]) == (
        3,
        {"updateAt": "2026-11-21T13:00:00.000Z", "privacy": 2},
    )
    again = MemoryUploadState(key=upload_state.key, session=upload_state.session)
    assert publish(there, post, again, privacy="unlisted") == posted
    assert len(videos_of(there, upload_state)) == 1
