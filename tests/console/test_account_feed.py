"""The feed of an account, read by a feed reader and by a strict XML parser."""

import re
from xml.etree import ElementTree

import feedparser
import pytest
from lxml import etree

from svc.base import ids
from tests.support.published import ACCOUNT, START, make_account, publish

HOSTILE = '\x00<script>alert(1)</script>\u202e\x1b[31m "quoted" & ]]> \ufffe\U0001f375'
CLEANED = '<script>alert(1)</script>[31m "quoted" & ]]> \U0001f375'
PATH = f"/feeds/{ACCOUNT}.xml"
MINUTE = 60_000


def read(client, path=PATH):
    response = client.get(path)
    assert response.status_code == 200
    assert response.content_type == "application/rss+xml; charset=utf-8"
    # strict: libxml2, which did not write it
    etree.fromstring(response.data, etree.XMLParser(recover=False))
    found = feedparser.parse(response.data)
    assert not found.bozo
    return found


def test_the_feed_of_an_account_that_published_nothing_is_empty_and_valid(client):
    found = read(client)
    assert found.feed.title == "Kettle & Co"
    assert found.entries == []


def test_an_entry_has_page_date_and_an_enclosure_with_length_and_type(client, media):
    published = publish(media, videos={"Watch": b"x" * 1234})
    entry = read(client).entries[0]
    page = f"https://media.example.com/watch/{published.wide}"
    assert (entry.title, entry.link, entry.id) == (
        "How to make tea",
        page,
        f"urn:uuid:{published.production_id}",
    )
    assert entry.published == "Wed, 18 Nov 2026 11:06:40 GMT"
    enclosure = entry.enclosures[0]
    assert (enclosure.href, enclosure.length, enclosure.type) == (
        f"{page}/video.mp4",
        "1234",
        "video/mp4",
    )


def test_a_production_is_one_entry_with_every_shape_in_it(client, media):
    published = publish(media)
    entries = read(client).entries
    assert len(entries) == 1
    content = entries[0].media_content
    assert [each["url"].split("/")[-2] for each in content] == [published.wide, published.tall]
    shapes = [(each["width"], each["height"], each["isdefault"]) for each in content]
    assert shapes == [("1920", "1080", "true"), ("1080", "1920", "false")]


def test_a_production_in_portrait_alone_is_in_the_feed(client, media):
    published = publish(media, platforms=["WatchVertical"])
    assert read(client).entries[0].link.endswith(published.tall)


def test_the_newest_fifty_come_first(client, media):
    for number in range(52):
        publish(media, title=f"Number {number}", at=START + number * MINUTE)
    assert [each.title for each in read(client).entries] == [
        f"Number {number}" for number in range(51, 1, -1)
    ]


def test_the_feed_names_its_own_address(client):
    root = ElementTree.fromstring(client.get(PATH).data)
    link = root.find("channel/{http://www.w3.org/2005/Atom}link")
    assert link.attrib == {
        "href": f"https://media.example.com{PATH}",
        "rel": "self",
        "type": "application/rss+xml",
    }


def test_a_poster_becomes_the_thumbnail(client, media):
    published = publish(media)
    (media / published.production_id / "poster-landscape.jpg").write_bytes(b"\xff\xd8")
    assert (
        read(client).entries[0].media_thumbnail[0]["url"].endswith(f"{published.wide}/poster.jpg")
    )


def test_hostile_names_and_titles_leave_the_feed_valid(client, media):
    account = make_account(name=HOSTILE, account_id=ids.derive_id("test", "hostile"))
    publish(media, title=HOSTILE, account_id=account)
    data = client.get(f"/feeds/{account}.xml").data
    root = ElementTree.fromstring(data)
    assert root.findtext("channel/title") == root.findtext("channel/item/title") == CLEANED
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e\ufffe]", data.decode())
    read(client, f"/feeds/{account}.xml")


def test_a_feed_that_has_not_changed_is_not_sent_again(client, media):
    publish(media)
    first = client.get(PATH)
    assert first.cache_control.max_age == 300
    assert client.get(PATH, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304


def test_other_accounts_are_not_in_it(client, media):
    publish(media, account_id=make_account(account_id=ids.derive_id("test", "other")))
    assert read(client).entries == []


@pytest.mark.parametrize("account", [ids.NIL, "unknown", "%00"])
def test_there_is_no_feed_of_an_unknown_account(client, account):
    assert client.get(f"/feeds/{account}.xml").status_code == 404
