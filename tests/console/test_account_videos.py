"""The page with an account's published videos, as strangers see it."""

import re

import pytest

from svc.base import ids
from svc.domain.watch import posts
from svc.public import watch as watch_pages
from tests.support.published import ACCOUNT, START, change, make_account, publish

HOSTILE = '\x00<script>alert(1)</script>\u202e "quoted" & \U0001f375'
PAGE = f"/watch/accounts/{ACCOUNT}"


def titles(client, path=PAGE) -> list[str]:
    response = client.get(path)
    assert response.status_code == 200
    return re.findall(r'<a href="/watch/[^"]+">([^<]*)</a></h2>', response.text)


def test_an_account_that_published_nothing_says_so(client):
    shown = client.get(PAGE).text
    assert "No video has been published here yet." in shown and "Kettle &amp; Co" in shown


def test_the_watch_page_leads_to_the_account_and_that_to_its_feed(client, media):
    published = publish(media)
    watched = client.get(f"/watch/{published.wide}").text
    assert f'<a class="more" href="{PAGE}">All videos' in watched
    assert not re.search(r"<a [^>]*/feeds/", watched)
    shown = client.get(PAGE).text
    assert f'<a class="more" href="/feeds/{ACCOUNT}.xml">Feed' in shown
    assert (
        f"<link>https://media.example.com{PAGE}</link>" in client.get(f"/feeds/{ACCOUNT}.xml").text
    )


def test_a_video_has_its_picture_title_date_and_length(client, media):
    published = publish(media)
    without = client.get(PAGE).text
    assert "<img" not in without and "18 November 2026" in without and "0:20" in without
    (media / published.production_id / "poster-landscape.jpg").write_bytes(b"\xff\xd8")
    shown = client.get(PAGE).text
    assert f'<img src="/watch/{published.wide}/poster.jpg"' in shown and 'alt=""' in shown
    assert (
        f'property="og:image" content="https://media.example.com/watch/{published.wide}/poster.jpg"'
        in shown
    )


def test_a_production_is_listed_once_in_its_first_shape(client, media):
    both, tall = (
        publish(media, "Both"),
        publish(media, "Tall", at=START + 1, platforms=["WatchVertical"]),
    )
    shown = client.get(PAGE).text
    assert titles(client) == ["Tall", "Both"]
    assert both.wide in shown and both.tall not in shown and tall.tall in shown


def test_a_production_whose_first_shape_was_withdrawn_is_listed_in_the_other(client, media):
    published = publish(media)
    change("UPDATE publications SET status = 'Withdrawn' WHERE platform = 'Watch'")
    assert published.tall in client.get(PAGE).text
    change("UPDATE publications SET status = 'Withdrawn'")
    assert titles(client) == []


def test_pages_miss_and_repeat_nothing_even_among_those_of_one_moment(client, media, monkeypatch):
    monkeypatch.setattr(watch_pages, "_ON_A_PAGE", 2)
    made = []
    for number in range(5):
        shapes = ["Watch"] if number % 2 else ["WatchVertical"]
        made.append(
            (publish(media, f"Number {number}", platforms=shapes).production_id, f"Number {number}")
        )
    found, path = [], PAGE
    while path:
        on_page = client.get(path)
        found += titles(client, path)
        older = re.search(r'<a href="([^"]+)" rel="next">Older', on_page.text)
        assert (on_page.headers.get("X-Robots-Tag") == "noindex") == (path != PAGE)
        path = older and older[1]
    assert found == [title for _, title in sorted(made, reverse=True)]


def test_a_place_in_the_list_of_another_account_or_none_is_refused(client, media, monkeypatch):
    monkeypatch.setattr(watch_pages, "_ON_A_PAGE", 1)
    for number in range(2):
        publish(media, at=START + number)
    cursor = re.search(r"\?cursor=([^\"]+)", client.get(PAGE).text)[1]
    other = make_account(account_id=ids.derive_id("test", "other"))
    assert client.get(f"{PAGE}?cursor={cursor}").status_code == 200
    assert client.get(f"/watch/accounts/{other}?cursor={cursor}").status_code == 400
    assert client.get(f"{PAGE}?cursor=nonsense").status_code == 400


def test_other_accounts_and_failed_productions_are_not_in_it(client, media):
    publish(media, account_id=make_account(account_id=ids.derive_id("test", "other")))
    publish(media, "Failed")
    change("UPDATE productions SET status = 'Failed' WHERE title = 'Failed'")
    assert titles(client) == []


def test_hostile_names_and_titles_are_text(client, media):
    account = make_account(name=HOSTILE, account_id=ids.derive_id("test", "hostile"))
    publish(media, title=HOSTILE, account_id=account)
    shown = client.get(f"/watch/accounts/{account}").text
    assert "<script>alert" not in shown and not re.search("[\x00\u202e]", shown)
    assert shown.count("&lt;script&gt;alert(1)") >= 3


def test_a_sandbox_is_not_for_search_engines(client, media):
    account = make_account(environment="sandbox", account_id=ids.derive_id("test", "sandbox"))
    assert client.get(f"/watch/accounts/{account}").headers["X-Robots-Tag"] == "noindex"
    assert "X-Robots-Tag" not in client.get(PAGE).headers


@pytest.mark.parametrize("account", [ids.NIL, "unknown", "%00"])
def test_there_is_no_page_of_an_unknown_account(client, account):
    assert client.get(f"/watch/accounts/{account}").status_code == 404


def test_a_page_that_has_not_changed_is_not_sent_again_and_has_no_script(client, media):
    publish(media)
    first = client.get(PAGE)
    assert "<script" not in first.text
    assert client.get(PAGE, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    publish(media, at=START + 1)
    assert client.get(PAGE, headers={"If-None-Match": first.headers["ETag"]}).status_code == 200


def test_a_page_reads_as_many_rows_of_each_shape_as_it_shows(client, media, monkeypatch):
    """One query for each shape, whatever the number of videos."""
    asked = []
    monkeypatch.setattr(posts, "_PAGES", [Counting(query, asked) for query in posts._PAGES])
    for number in range(4):
        publish(media, at=START + number)
    client.get(PAGE)
    assert asked == [watch_pages._ON_A_PAGE + 1] * len(posts.SHAPES)


class Counting:
    def __init__(self, query, asked):
        self.query, self.asked = query, asked

    def rows(self, **values):
        self.asked.append(values["limit"])
        return self.query.rows(**values)
