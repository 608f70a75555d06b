"""WordPress: a post with video, captions and poster, once, against Debian's WordPress
and other answers.
"""

import html
import json
import re
import time
from dataclasses import replace

import pytest
import requests
from support.places import PATIENCE, Counterpart, Crash, MemoryUploadState, post_of, tools
from support.receivers import answering, read_request, receiving
from support.wordpress import wordpress

from svc.base import clock
from svc.platforms import PLACES, PublishError

WORDPRESS = PLACES["WordPress"]
_keys = (f"{number:08x}aaaaaaaabbbbbbbb" for number in range(1000))


@pytest.fixture
def post(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    return post_of(folder)


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    with wordpress(tmp_path_factory.mktemp("wp")) as counterpart:
        yield counterpart


@pytest.fixture
def upload_state():
    return MemoryUploadState(key=next(_keys))


def publish(there, post, upload_state, **changes):
    return WORDPRESS.publish(post, there.connection(**changes), upload_state, tools())


def posts_of(there, upload_state) -> list[dict]:
    listed = json.loads(there.fetch("posts&status=any&context=edit&per_page=100"))
    return [each for each in listed if upload_state.key[:16] in each["slug"]]


def media_of(there, upload_state) -> list[dict]:
    listed = json.loads(there.fetch("media&context=edit&per_page=100"))
    return [each for each in listed if upload_state.key[:16] in each["slug"]]


@pytest.mark.judges
def test_a_post_shows_the_whole_video_with_captions_poster_text_and_tags(there, post, upload_state):
    assert WORDPRESS.test(there.connection(), tools()) == {}
    posted = publish(
        there,
        replace(post, text="Tea <b>& [gallery]</b>\nand oil.\n\nMade by software."),
        upload_state,
    )
    [made] = posts_of(there, upload_state)
    assert (str(made["id"]), made["link"], made["status"]) == (
        posted.post_id,
        posted.url,
        "publish",
    )
    assert html.unescape(made["title"]["raw"]) == post.title
    shown = made["content"]["rendered"]
    assert "[gallery]" in html.unescape(shown) and "<b>" not in shown
    assert re.search(r"and oil\.</p>\s*<p>Made by software\.</p>", shown)
    for name, attribute in (
        ("video.mp4", "src"),
        ("captions.vtt", "src"),
        ("poster.jpg", "poster"),
    ):
        [address] = re.findall(rf'{attribute}="([^"]*{name.replace(".", r"[^.]*[.]")})"', shown)
        [file] = [each for each in post.files if each.name == name]
        with file.fetch() as path:
            assert there.fetch(address) == path.read_bytes(), name
    assert 'srclang="de"' in shown and made["featured_media"]
    [tag] = made["tags"]
    assert json.loads(there.fetch(f"tags/{tag}"))["name"] == "tee"


@pytest.mark.judges
def test_publishing_again_finds_the_post_also_without_a_session(there, post, upload_state):
    posted = publish(there, post, upload_state)
    again = MemoryUploadState(key=upload_state.key)
    assert (publish(there, post, again), again.sent) == (posted, 0)
    assert (len(posts_of(there, upload_state)), len(media_of(there, upload_state))) == (1, 3)


@pytest.mark.judges
@pytest.mark.parametrize("fails_at", [0, 1_500_000, 2_999_900])
def test_after_a_crash_there_is_one_post_and_each_file_once(there, post, upload_state, fails_at):
    upload_state.fails_at = fails_at
    with pytest.raises(Crash):
        publish(there, post, upload_state)
    assert posts_of(there, upload_state) == []
    renamed = replace(post, title="Another title, since the template was renewed")
    publish(there, renamed, MemoryUploadState(key=upload_state.key, session=upload_state.session))
    assert (len(posts_of(there, upload_state)), len(media_of(there, upload_state))) == (1, 3)


@pytest.mark.judges
def test_files_that_are_there_are_not_sent_again(there, post, upload_state, monkeypatch):
    site = type(WORDPRESS).__dict__["publish"].__globals__["_Site"]
    with monkeypatch.context() as broken:
        broken.setattr(site, "make_post", lambda *_: (_ for _ in ()).throw(Crash))
        with pytest.raises(Crash):
            publish(there, post, upload_state)
    again = MemoryUploadState(key=upload_state.key, session=upload_state.session)
    publish(there, post, again)
    assert (again.sent, len(media_of(there, upload_state))) == (0, 3)


@pytest.mark.judges
def test_of_two_attempts_at_once_one_post_stays(there, post, upload_state, monkeypatch):
    """The second has asked before the first had made its post."""
    site = type(WORDPRESS).__dict__["publish"].__globals__["_Site"]
    posted = publish(there, post, upload_state)
    genuine, asked = site.find_post, []

    def late(self, slug):
        asked.append(slug)
        return None if len(asked) == 1 else genuine(self, slug)

    monkeypatch.setattr(site, "find_post", late)
    assert publish(there, post, MemoryUploadState(key=upload_state.key)) == posted
    assert len(posts_of(there, upload_state)) == 1


@pytest.mark.judges
@pytest.mark.parametrize("status", ["draft", "private", "pending"])
def test_the_status_is_what_the_connection_says_and_such_posts_are_found_again(
    there, post, upload_state, status
):
    posted = publish(there, post, upload_state, status=status)
    assert (
        publish(there, post, MemoryUploadState(key=upload_state.key), status=status).post_id
        == posted.post_id
    )
    [made] = posts_of(there, upload_state)
    assert made["status"] == status


@pytest.mark.judges
def test_withdrawing_deletes_post_and_files_and_may_be_repeated(there, post, upload_state):
    posted = publish(there, post, upload_state)
    for _ in range(2):
        WORDPRESS.withdraw(posted.post_id, there.connection(), tools())
    assert (posts_of(there, upload_state), media_of(there, upload_state)) == ([], [])
    WORDPRESS.withdraw("../users/1", there.connection(), tools())
    WORDPRESS.withdraw(None, there.connection(), tools())


@pytest.mark.judges
def test_a_wrong_password_is_refused_for_good(there):
    with pytest.raises(PublishError, match="401") as refused:
        WORDPRESS.test(there.connection(password="wrong"), tools())
    assert not refused.value.retryable


@pytest.mark.judges
def test_a_user_without_rights_is_told_what_is_lacking(there):
    with pytest.raises(
        PublishError, match=r"may not upload files or write posts or publish posts.*Author"
    ):
        WORDPRESS.test(there.connection(user="bob", password=there.values["subscriber"]), tools())


@pytest.mark.judges
@pytest.mark.parametrize("size", [5_000_000, 9_000_000])
def test_a_video_beyond_the_limits_of_php_is_a_refusal_that_names_them(
    there, tmp_path, upload_state, size
):
    with pytest.raises(PublishError, match=r"upload_max_filesize and post_max_size") as refused:
        publish(there, post_of(tmp_path, size), upload_state)
    assert not refused.value.retryable
    assert posts_of(there, upload_state) == []


def to(receiver) -> Counterpart:
    return Counterpart(
        "WordPress",
        {"url": receiver.url(""), "user": "ada", "password": "kettle"},
        lambda name: None,
    )


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"capabilities": 1}', b"[" * 100_000])
def test_a_server_that_is_no_wordpress_is_refused(body):
    reply = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (
        len(body),
        body,
    )
    with (
        receiving(answering(reply)) as receiver,
        pytest.raises(PublishError, match="does not answer as WordPress"),
    ):
        WORDPRESS.test(to(receiver).connection(), tools())


@pytest.mark.parametrize("source", ["javascript:alert(1)", 'https://x/"onload="', 7])
def test_an_address_from_the_site_is_escaped_or_refused(post, source):
    sent = []

    def handle(connection, stopping):
        while request := read_request(connection):
            is_post = request[0]["request"].startswith("POST")
            sent.append(request[1] if "posts" in request[0]["request"] and is_post else b"")
            answer = json.dumps({"id": 7, "source_url": source}) if is_post else "[]"
            connection.sendall(
                (
                    f"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {len(answer)}\r\n"
                    f"\r\n{answer}"
                ).encode()
            )
            return

    with (
        receiving(handle) as receiver,
        pytest.raises(PublishError, match="does not answer as WordPress"),
    ):
        publish(to(receiver), post, MemoryUploadState())
    assert b'onload=\\"' not in b"".join(sent)


@pytest.mark.parametrize(("name", "value"), [("user", "a:b"), ("status", "loud"), ("url", "blog")])
def test_values_that_cannot_work_are_named(name, value):
    given = {"url": "https://blog.example.com", "user": "ada", "password": "p", "status": "publish"}
    assert WORDPRESS.check(given) == {}
    assert set(WORDPRESS.check({**given, name: value})) == {name}


@pytest.mark.judges
def test_a_post_for_later_is_shown_at_its_time_and_found_again_before(there, post, upload_state):
    at = clock.now() // 1000 * 1000 + clock.HOUR
    posted = publish(there, replace(post, publish_at=at), upload_state)
    [made] = posts_of(there, upload_state)
    assert (made["status"], clock.parse(f"{made['date_gmt']}Z")) == ("future", at)
    assert requests.get(posted.url, timeout=60).status_code == 404  # strangers do not see it
    again = MemoryUploadState(key=upload_state.key, session=upload_state.session)
    assert (
        publish(there, replace(post, publish_at=at), again) == posted
        and len(posts_of(there, upload_state)) == 1
    )
    WORDPRESS.withdraw(posted.post_id, there.connection(), tools())
    assert posts_of(there, upload_state) == media_of(there, upload_state) == []


@pytest.mark.judges
def test_a_post_whose_time_comes_is_shown(there, post, upload_state):
    posted = publish(there, replace(post, publish_at=clock.now() + 3000), upload_state)
    ends_at = time.monotonic() + PATIENCE
    while posts_of(there, upload_state)[0]["status"] != "publish":
        assert time.monotonic() < ends_at
        time.sleep(0.5)
        requests.get(f"{there.values['url']}/wp-cron.php?doing_wp_cron", timeout=30)
    assert requests.get(posted.url, timeout=60).ok
