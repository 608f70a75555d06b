"""Mastodon: a video and a status, once, against mastodon-mock and against answers that it
does not give.
"""

import hashlib
import json
from dataclasses import replace

import pytest
import requests
from support import places
from support.places import Counterpart, Crash, MemoryUploadState, post_of, tools
from support.receivers import LOOPBACK, answering, read_request, receiving

from svc.adapters import addresses
from svc.adapters.transfers import Transfers
from svc.base import clock
from svc.platforms import PLACES, PublishError
from svc.platforms.connected import Tools

MASTODON = PLACES["Mastodon"]


@pytest.fixture
def post(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    return post_of(folder)


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    with places.mastodon(tmp_path_factory.mktemp("mastodon")) as counterpart:
        yield counterpart


def statuses(there) -> list[dict]:
    own = json.loads(there.fetch("/api/v1/accounts/verify_credentials"))["id"]
    return json.loads(there.fetch(f"/api/v1/accounts/{own}/statuses"))


def publish(there, post, upload_state=None, **changes):
    upload_state = upload_state or MemoryUploadState()
    if upload_state.key == "key-1":  # the server remembers the keys of other tests
        with post.video.fetch() as path:
            upload_state.key = hashlib.sha256(str(path).encode()).hexdigest()
    return MASTODON.publish(post, there.connection(**changes), upload_state, tools())


@pytest.mark.judges
def test_a_status_shows_the_whole_video_with_text_language_and_visibility(there, post):
    assert MASTODON.test(there.connection(), tools()) == {}
    before = len(statuses(there))
    posted = publish(there, post, visibility="unlisted")
    [status] = [each for each in statuses(there) if each["id"] == posted.post_id]
    assert len(statuses(there)) == before + 1
    assert "Alles über Tee." in status["content"] and (
        status["language"],
        status["visibility"],
    ) == ("de", "unlisted")
    assert posted.url == status["url"]
    [media] = status["media_attachments"]
    assert hashlib.sha256(there.fetch(media["url"])).hexdigest() == post.video.sha256
    assert (media["type"], media["description"]) == ("video", post.title)


@pytest.mark.judges
@pytest.mark.parametrize("fails_at", [0, 1_500_000])
def test_after_a_crash_in_the_upload_there_is_one_status(there, post, fails_at):
    before, upload_state = len(statuses(there)), MemoryUploadState(fails_at=fails_at)
    with pytest.raises(Crash):
        publish(there, post, upload_state)
    publish(there, post, MemoryUploadState(session=upload_state.session))
    assert len(statuses(there)) == before + 1


@pytest.mark.judges
def test_after_a_crash_behind_the_status_it_is_found_even_when_the_key_is_forgotten(there, post):
    before, upload_state = len(statuses(there)), MemoryUploadState()
    posted = publish(there, post, upload_state)
    again = MemoryUploadState(key="forgotten", session=upload_state.session)
    assert publish(there, post, again) == posted
    assert (len(statuses(there)), again.sent) == (before + 1, 0)


@pytest.mark.judges
def test_a_repeated_status_with_the_same_key_is_the_same(there, post):
    before, upload_state = len(statuses(there)), MemoryUploadState()
    posted = publish(there, post, upload_state)
    assert (
        publish(there, post, MemoryUploadState(session={"media": upload_state.session["media"]}))
        == posted
    )
    assert len(statuses(there)) == before + 1


@pytest.mark.judges
def test_withdrawing_removes_the_status_and_may_be_repeated(there, post):
    posted, before = publish(there, post), len(statuses(there))
    for _ in range(2):
        MASTODON.withdraw(posted.post_id, there.connection(), tools())
    assert len(statuses(there)) == before - 1


@pytest.mark.judges
def test_a_wrong_token_is_refused_for_good(there, post):
    with pytest.raises(PublishError, match="401") as refused:
        MASTODON.test(there.connection(token="wrong"), tools())
    assert not refused.value.retryable


def to(receiver) -> Counterpart:
    return Counterpart("Mastodon", {"url": receiver.url(""), "token": "t"}, lambda name: None)


def test_a_video_that_is_still_processed_is_asked_for_again_and_not_uploaded_twice(post):
    asked = []

    def handle(connection, stopping):
        while request := read_request(connection):
            method = request[0]["request"].split()[0]
            asked.append(method)
            answer = b'{"id": "7"}'
            head = b"HTTP/1.1 %d It\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
            connection.sendall(head % (202 if method == "POST" else 206, len(answer)) + answer)

    upload_state = MemoryUploadState()
    with receiving(handle) as receiver:
        for _ in range(2):
            with pytest.raises(PublishError, match="still processing") as waits:
                publish(to(receiver), post, upload_state)
    assert (
        waits.value.retryable
        and asked == ["POST", "GET", "GET"]
        and upload_state.session == {"media": "7"}
    )


@pytest.mark.parametrize(
    "answer", [b"", b"[]", b"{}", b'{"id": "../../etc"}', b'{"id": {"a": 1}}', b'{"id": "x?y"}']
)
def test_an_answer_without_a_plain_id_is_not_believed(answer, post):
    reply = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (
        len(answer),
        answer,
    )
    with (
        receiving(answering(reply)) as receiver,
        pytest.raises(PublishError, match="not answer as Mastodon does") as refused,
    ):
        publish(to(receiver), post)
    assert refused.value.retryable


@pytest.mark.parametrize(
    ("status", "retryable"),
    [(401, False), (403, False), (413, False), (422, False), (429, True), (503, True)],
)
def test_a_refusal_is_told_apart_from_an_outage(status, retryable, post):
    reply = (
        b"HTTP/1.1 %d No\r\nConnection: close\r\nRetry-After: 60\r\nContent-Length: 0\r\n\r\n"
        % status
    )
    with (
        receiving(answering(reply)) as receiver,
        pytest.raises(PublishError, match=str(status)) as refused,
    ):
        publish(to(receiver), post)
    assert refused.value.retryable is retryable


def test_wrong_values_are_named():
    assert set(MASTODON.check({"url": "nowhere", "token": "t", "visibility": "secret"})) == {
        "url",
        "visibility",
    }


def tools_at(now) -> Tools:
    return Tools(Transfers(LOOPBACK), LOOPBACK, addresses.look_up, now)


NOW = tools_at(clock.now)  # the server keeps times by the clock of the machine


def later(there, post, upload_state=None, ahead: int = clock.HOUR, tools: Tools = NOW):
    key = hashlib.sha256(str(id(post)).encode() + str(clock.now()).encode()).hexdigest()
    at = tools.clock() + ahead
    given = upload_state or MemoryUploadState(key=key)
    return MASTODON.publish(replace(post, publish_at=at), there.connection(), given, tools), at


def waiting(there) -> dict[str, dict]:
    return {each["id"]: each for each in json.loads(there.fetch("/api/v1/scheduled_statuses"))}


def let_it_be_shown(there, scheduled: str) -> None:
    """The time comes: the server shows what is due when it is asked for its list."""
    put = {"scheduled_at": clock.format_time(clock.now() - 1000)}
    headers = {"Authorization": "Bearer mock_token"}
    assert requests.put(
        f"{there.values['url']}/api/v1/scheduled_statuses/{scheduled}", json=put, headers=headers
    ).ok
    assert scheduled not in waiting(there)


@pytest.mark.judges
def test_a_status_for_later_waits_at_the_place_and_can_be_withdrawn_before_it_is_shown(there, post):
    shown, before = len(statuses(there)), set(waiting(there))
    posted, at = later(there, post)
    [scheduled] = set(waiting(there)) - before
    assert clock.parse(waiting(there)[scheduled]["scheduled_at"]) == at
    assert posted.url is None and posted.post_id.startswith(f"scheduled-{scheduled}-")
    with pytest.raises(PublishError, match="not shown the status yet") as early:
        MASTODON.read_figures(posted.post_id, there.connection(), NOW)
    assert early.value.retryable and len(statuses(there)) == shown
    for _ in range(2):
        MASTODON.withdraw(posted.post_id, there.connection(), NOW)
    assert (set(waiting(there)), len(statuses(there))) == (before, shown)
    assert MASTODON.read_figures(posted.post_id, there.connection(), NOW) is None


@pytest.mark.judges
def test_after_a_crash_behind_a_status_for_later_there_is_one_before_and_after_it_is_shown(
    there, post
):
    shown, before, upload_state = (
        len(statuses(there)),
        set(waiting(there)),
        MemoryUploadState(key=f"crash-{clock.now()}"),
    )
    posted, _ = later(there, post, upload_state)
    again = MemoryUploadState(key="forgotten", session=upload_state.session)
    assert later(there, post, again)[0] == posted
    assert (again.sent, len(set(waiting(there)) - before)) == (0, 1)
    let_it_be_shown(there, posted.post_id.split("-")[1])
    [status] = statuses(there)[: len(statuses(there)) - shown]
    last = MASTODON.publish(
        post, there.connection(), MemoryUploadState(key="gone", session=upload_state.session), NOW
    )
    assert (last.post_id, last.url, len(statuses(there))) == (
        status["id"],
        status["url"],
        shown + 1,
    )


@pytest.mark.judges
def test_a_status_that_was_shown_meanwhile_has_its_own_id_and_can_be_withdrawn_by_the_earlier_one(
    there, post
):
    shown = len(statuses(there))
    posted, _ = later(there, post)
    let_it_be_shown(there, posted.post_id.split("-")[1])
    [status] = statuses(there)[: len(statuses(there)) - shown]
    figures = MASTODON.read_figures(posted.post_id, there.connection(), NOW)
    assert (figures.likes, figures.shares) == (0, 0)
    assert (figures.became.post_id, figures.became.url) == (status["id"], status["url"])
    MASTODON.withdraw(posted.post_id, there.connection(), NOW)
    assert len(statuses(there)) == shown


@pytest.mark.judges
def test_a_time_that_is_too_near_for_the_place_is_waited_for_and_nothing_is_uploaded_twice(
    there, post
):
    shown, before, upload_state = (
        len(statuses(there)),
        set(waiting(there)),
        MemoryUploadState(key=f"near-{clock.now()}"),
    )
    moment = clock.now()
    with pytest.raises(PublishError, match="posted when it has come") as near:
        later(there, post, upload_state, ahead=3 * clock.MINUTE, tools=tools_at(lambda: moment))
    assert near.value.retryable and near.value.retry_after == 180
    assert (len(statuses(there)), set(waiting(there))) == (shown, before)
    sent = upload_state.sent
    posted = MASTODON.publish(post, there.connection(), upload_state, NOW)  # the time has passed
    assert (statuses(there)[0]["id"], upload_state.sent) == (posted.post_id, sent)
