"""The counting of plays, as the player and those who would rather invent figures use it."""

import re

import pytest

from tests.support import plain_sql
from tests.support.published import START, publish, watch_app


@pytest.fixture
def published(media):
    return publish(media)


def start(client, post_id, **given):
    return client.post(f"/watch/{post_id}/plays", json={}, **given)


def report(client, post_id, play_id, body):
    return client.post(f"/watch/{post_id}/plays/{play_id}", json=body)


def watched():
    found = plain_sql.row("SELECT COUNT(*) AS plays, SUM(watched_seconds) AS seconds FROM plays")
    return found["plays"], found["seconds"]


def test_a_play_is_started_and_its_watched_seconds_recorded(client, clock, published):
    started = start(client, published.wide)
    assert started.status_code == 201
    clock.pass_seconds(5)
    assert (
        report(client, published.wide, started.json["playId"], {"watchedSeconds": 4.5}).status_code
        == 204
    )
    assert watched() == (1, 4.5)


def test_the_viewers_cookie_is_random_kept_from_scripts_and_not_stored(client, media, published):
    cookie = start(client, published.wide).headers["Set-Cookie"]
    other = start(watch_app(media.parent).test_client(), published.wide).headers["Set-Cookie"]
    value = re.match(r"viewer=([A-Za-z0-9_-]{22});", cookie)[1]
    assert value not in other
    for attribute in ("HttpOnly", "Secure", "SameSite=Lax", "Path=/watch/", "Max-Age=2592000"):
        assert attribute in cookie
    assert (
        value.encode()
        not in plain_sql.row("SELECT viewer FROM plays ORDER BY id LIMIT 1")["viewer"]
    )


def test_without_https_the_cookie_is_not_marked_secure(media, published):
    client = watch_app(media.parent, base_url="http://127.0.0.1:8080").test_client()
    assert "Secure" not in start(client, published.wide).headers["Set-Cookie"]


def test_a_viewer_is_the_same_on_both_shapes_and_another_on_another_production(
    client, media, published
):
    second = publish(media, at=START + 1)
    for post_id in (published.wide, published.tall, second.wide):
        start(client, post_id, base_url="https://localhost")
    found = plain_sql.row("SELECT COUNT(*) AS plays, COUNT(DISTINCT viewer) AS viewers FROM plays")
    assert tuple(found) == (3, 2)


def test_a_cookie_that_is_not_ours_is_replaced(client, published):
    client.set_cookie("viewer", "x" * 500, path="/watch/")
    assert (
        len(re.match(r"viewer=([^;]+)", start(client, published.wide).headers["Set-Cookie"])[1])
        == 22
    )


def test_somebody_else_cannot_report_a_play(client, media, clock, published):
    play_id = start(client, published.wide).json["playId"]
    clock.pass_seconds(5)
    stranger = watch_app(media.parent, clock).test_client()
    assert report(stranger, published.wide, play_id, {"watchedSeconds": 4}).status_code == 404
    start(stranger, published.wide)
    assert report(stranger, published.wide, play_id, {"watchedSeconds": 4}).status_code == 404
    assert watched()[1] == 0


BAD_REPORTS = [
    b"",
    b"{",
    b"[]",
    b"5",
    b"null",
    b'"x"',
    b"{}",
    b'{"watchedSeconds": "5"}',
    b'{"watchedSeconds": true}',
    b'{"watchedSeconds": null}',
    b'{"watchedSeconds": -1}',
    b'{"watchedSeconds": NaN}',
    b'{"watchedSeconds": Infinity}',
    b'{"watchedSeconds": 1e999}',
    b'{"watchedSeconds": 86401}',
    b'{"watchedSeconds": 5, "views": 9}',
    b'{"watchedSeconds": ' + b"9" * 400 + b"}",
    b"[" * 500,
    b"\xff\xfe",
]


@pytest.mark.parametrize("body", BAD_REPORTS)
def test_a_report_that_is_not_exactly_one_is_refused(client, clock, published, body):
    play_id = start(client, published.wide).json["playId"]
    clock.pass_seconds(10)
    response = client.post(
        f"/watch/{published.wide}/plays/{play_id}", data=body, content_type="application/json"
    )
    assert response.status_code == 400
    assert response.json["error"] == "INVALID_REQUEST"
    assert watched()[1] == 0


def test_a_play_starts_with_an_empty_message_alone(client, published):
    assert client.post(f"/watch/{published.wide}/plays", json={"viewer": "me"}).status_code == 400
    assert watched()[0] == 0


def test_a_long_message_is_refused(client, published):
    response = client.post(
        f"/watch/{published.wide}/plays", data=b" " * 513, content_type="application/json"
    )
    assert response.status_code == 413


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", None])
def test_what_another_sites_page_could_send_is_refused(client, published, content_type):
    response = client.post(f"/watch/{published.wide}/plays", data=b"{}", content_type=content_type)
    assert response.status_code == 415
