"""Podcasts: a feed with an episode for each production, read by two readers of podcasts and by
a strict parser.
"""

import hashlib
import io
import json

import av
import feedparser
import numpy as np
import pytest
from flask.testing import FlaskClient
from lxml import etree
from support import plain_sql
from support.connected import US, publication, publish

from svc.base.errors import InvalidRequest
from svc.domain.publishing import connections
from svc.platforms.podcast import CATEGORIES
from svc.store.database import db

pytest_plugins = ("tests.support.connected",)

SECONDS = 20
GIVEN = {
    "show": "Tea & <Time>",
    "email": "ada@example.com",
    "image": "https://example.com/cover.jpg",
    "category": "Leisure",
}
SPACES = {
    "podcast": "https://podcastindex.org/namespace/1.0",
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
}
CAPTIONS = b"WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nTea.\n"


@pytest.fixture(scope="module")
def film() -> bytes:
    """A video with a tone, as the engine writes it."""
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as container:
        video = container.add_stream("h264", rate=5)
        video.width, video.height, video.pix_fmt = 64, 36, "yuv420p"
        sound = container.add_stream("aac", rate=48_000, layout="mono")
        picture = av.VideoFrame.from_ndarray(np.zeros((36, 64, 3), np.uint8), format="rgb24")
        for number in range(SECONDS * 5):
            picture.pts = number
            container.mux(video.encode(picture))
        tone = (np.sin(np.arange(SECONDS * 48_000) / 20) * 8000).astype(np.int16)
        for start in range(0, len(tone), 1024):
            frame = av.AudioFrame.from_ndarray(
                tone[None, start : start + 1024], format="s16", layout="mono"
            )
            frame.sample_rate, frame.pts = 48_000, start
            container.mux(sound.encode(frame))
        container.mux([*video.encode(None), *sound.encode(None)])
    return file.getvalue()


@pytest.fixture
def client(app):
    """A client that reads each answer to its end and closes it."""

    class Client(app.test_client_class or FlaskClient):
        def get(self, *arguments, **given):
            with super().get(*arguments, **given) as answer:
                answer.get_data()
                return answer

    return Client(app, app.response_class)


@pytest.fixture
def show(connected, partner) -> str:
    """The podcast of the account: the id of its connection."""
    return connected.add(US, partner.account, "Podcast", GIVEN)[0]


@pytest.fixture
def episode(show, publisher, released, clock, service, film) -> str:
    """A production that is published in it."""
    production = released(content=film)
    files = {"srt": b"1\n00:00:00,000 --> 00:00:02,000\nTea.\n", "vtt": CAPTIONS}
    for form, content in files.items():
        (service.settings.data_dir / "media" / production / f"captions.{form}").write_bytes(content)
        record(production, form, content)
    assert publish(publisher, clock, production, "Podcast") == ["Published"]
    return production


def record(production: str, form: str, content: bytes) -> None:
    digest, file = hashlib.sha256(content).hexdigest(), f"{production}/captions.{form}"
    with db.transaction():
        plain_sql.execute(
            "INSERT INTO deliverables (id, production_id, type, format, language, file, "
            "size_bytes, sha256, position, "
            "created_at) "
            "VALUES (?, ?, 'ClosedCaptions', ?, 'en', ?, ?, ?, 9, 0)",
            (f"{production}-{form}", production, form, file, len(content), digest),
        )


def read(client, show: str):
    answer = client.get(f"/podcasts/{show}.xml")
    assert (answer.status_code, answer.content_type) == (200, "application/rss+xml; charset=utf-8")
    found = feedparser.parse(answer.data)
    assert not found.bozo
    return found, etree.fromstring(answer.data, etree.XMLParser(recover=False))


def path_of(address: str, service) -> str:
    assert address.startswith(service.settings.base_url + "/")
    return address.removeprefix(service.settings.base_url)


def test_a_podcast_without_episodes_is_a_valid_feed(client, show):
    found, _ = read(client, show)
    assert (found.feed.title, found.feed.author_detail.get("email", "ada@example.com")) == (
        "Tea & <Time>",
        "ada@example.com",
    )
    assert found.entries == [] and found.feed.image.href == "https://example.com/cover.jpg"


def test_an_episode_has_the_sound_of_the_video_as_it_was_encoded(
    client, show, episode, service, film
):
    [entry] = read(client, show)[0].entries
    [enclosure] = entry.enclosures
    sound = client.get(path_of(enclosure.href, service))
    assert (enclosure.type, sound.content_type) == ("audio/x-m4a", "audio/x-m4a")
    assert int(enclosure.length) == len(sound.data) < len(film)
    assert entry.title == body_title(episode) and entry.id == f"urn:uuid:{episode}"
    assert "The sea rises." in entry.summary and "Made by software." in entry.summary
    assert packets(sound.data) == packets(film)
    part = client.get(path_of(enclosure.href, service), headers={"Range": "bytes=0-9"})
    assert (part.status_code, part.data) == (206, sound.data[:10])


def body_title(production: str) -> str:
    return plain_sql.one("SELECT title FROM productions WHERE id = ?", (production,))["title"]


def packets(content: bytes) -> list[bytes]:
    with av.open(io.BytesIO(content)) as opened:
        return [bytes(packet) for packet in opened.demux(audio=0) if packet.size]


def test_captions_chapters_and_the_video_are_found_by_podcasting_2_0(
    client, show, episode, service, film
):
    _, tree = read(client, show)
    [item] = tree.findall("channel/item")
    transcripts = {each.get("type"): each for each in item.findall("podcast:transcript", SPACES)}
    assert set(transcripts) == {"text/vtt", "application/x-subrip"}
    assert client.get(path_of(transcripts["text/vtt"].get("url"), service)).data == CAPTIONS
    assert (transcripts["text/vtt"].get("rel"), transcripts["text/vtt"].get("language")) == (
        "captions",
        "en",
    )
    answer = client.get(path_of(item.find("podcast:chapters", SPACES).get("url"), service))
    assert answer.content_type == "application/json+chapters"
    expected = [
        {"startTime": at, "title": name} for at, name in ((0, "Start"), (12, "Middle"), (30, "End"))
    ]
    assert json.loads(answer.data) == {"version": "1.2.0", "chapters": expected}
    source = item.find("podcast:alternateEnclosure/podcast:source", SPACES).get("uri")
    assert client.get(path_of(source, service)).data == film
    assert tree.find("channel/itunes:category", SPACES).get("text") == "Leisure"
    assert (
        tree.find("channel/podcast:guid", SPACES).text
        and tree.find("channel/itunes:owner/itunes:email", SPACES) is not None
    )


@pytest.mark.judges
def test_another_reader_of_podcasts_understands_it(client, show, episode, service):
    import podcastparser

    parsed = podcastparser.parse(
        "https://example.com/feed", io.BytesIO(client.get(f"/podcasts/{show}.xml").data)
    )
    [entry] = parsed["episodes"]
    assert parsed["title"] == "Tea & <Time>" and parsed["itunes_author"]
    assert (entry["guid"], entry["enclosures"][0]["mime_type"]) == (
        f"urn:uuid:{episode}",
        "audio/x-m4a",
    )
    assert [(each["start"], each["title"]) for each in entry["chapters"]] == [
        (0, "Start"),
        (12, "Middle"),
        (30, "End"),
    ]
    assert entry["total_time"] in (0, SECONDS)
    assert parsed["cover_url"] == "https://example.com/cover.jpg"


def test_publishing_again_after_a_crash_gives_one_episode(client, show, episode, publisher, clock):
    """The process was killed before the outcome was recorded: the same key is published again."""
    key = publication(episode, "Podcast")["platform_post_id"]
    with db.transaction():
        plain_sql.execute(
            "UPDATE publications SET status = 'Publishing', published_at = NULL, next_attempt_at "
            "= ? "
            "WHERE production_id = ? AND platform = 'Podcast'",
            (clock(), episode),
        )
    assert read(client, show)[0].entries == []
    assert publish(publisher, clock, episode, "Podcast") == ["Published"]
    assert [entry.id for entry in read(client, show)[0].entries] == [f"urn:uuid:{episode}"]
    assert publication(episode, "Podcast")["platform_post_id"] == key


def test_a_withdrawn_episode_is_gone_with_its_files(client, connected, show, episode, service):
    sound = path_of(read(client, show)[0].entries[0].enclosures[0].href, service)
    assert client.get(sound).status_code == 200
    connected.withdraw(US, episode, "Podcast")
    assert read(client, show)[0].entries == []
    assert [
        client.get(path).status_code
        for path in (sound, sound.replace("sound.m4a", "chapters.json"))
    ] == [404, 404]


def test_renewing_keeps_the_address_and_removing_ends_it(client, connected, show, episode, clock):
    connected.renew(US, show, {"show": "Coffee"})
    assert read(client, show)[0].feed.title == "Coffee"
    connections.remove(US, show, clock())
    assert client.get(f"/podcasts/{show}.xml").status_code == 404


def test_no_other_connection_and_no_other_podcast_shows_an_episode(
    client, connected, partner, show, episode, service
):
    other = connected.add(US, partner.account, "Podcast", {**GIVEN, "name": "Second"})[0]
    sound = path_of(read(client, show)[0].entries[0].enclosures[0].href, service)
    assert client.get(sound.replace(show, other)).status_code == 404
    assert read(client, other)[0].entries == []
    assert client.get("/podcasts/nothing.xml").status_code == 404


def test_a_video_without_sound_is_a_refusal(show, publisher, released, clock):
    production = released()
    assert publish(publisher, clock, production, "Podcast") == ["Failed"]
    assert "The sound of the video cannot be stored" in publication(production, "Podcast")["error"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("category", "Tea"), ("image", "javascript:1"), ("website", "x"), ("email", "ada")],
)
def test_values_that_directories_refuse_are_named(connected, partner, name, value):
    with pytest.raises(InvalidRequest) as refused:
        connected.add(US, partner.account, "Podcast", {**GIVEN, name: value})
    assert set(refused.value.fields) == {name}
    assert len(CATEGORIES) == 19


def test_a_feed_and_its_files_may_be_kept_and_are_not_sent_again(client, show, episode):
    answer = client.get(f"/podcasts/{show}.xml")
    again = client.get(f"/podcasts/{show}.xml", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, answer.headers["Cache-Control"]) == (304, "public, max-age=300")
