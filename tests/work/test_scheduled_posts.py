"""Connections that show posts at a time of day: the time is settled once, survives every crash,
and is kept by the place.
"""

import json
import re
import threading
from email.utils import parsedate_to_datetime

import pytest
from support import places, plain_sql
from support.cast import text
from support.connected import US, add, claim_until, publication, publish, status_of, wait_until
from support.places import Counterpart
from support.receivers import LOOPBACK, answering, receiving
from support.stage import DRIVER

from svc.adapters import addresses
from svc.adapters.transfers import Transfers
from svc.base import clock as clocks
from svc.base.errors import InvalidRequest
from svc.domain.productions import publications
from svc.domain.publishing import actions, connections
from svc.platforms import PLACES
from svc.platforms.connected import Tools
from svc.store import claims
from svc.store.database import db
from svc.work.publishing import posting

pytest_plugins = ("tests.support.connected",)
MINUTE, HOUR, DAY = clocks.MINUTE, clocks.HOUR, clocks.DAY
OUT = b"HTTP/1.1 503 Later\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def in_hours(clock, hours: float) -> tuple[str, int]:
    """A time of day that many hours from now, to the minute, and the moment at which it is next."""
    at = (clock() + round(hours * HOUR)) // MINUTE * MINUTE
    return clocks.format_time(at)[11:16], at


@pytest.mark.parametrize(
    ("given", "now", "at"),
    [
        ("18:00", 17 * HOUR, 18 * HOUR),
        # it is settled before anything is sent, so it must be later
        ("18:00", 18 * HOUR, DAY + 18 * HOUR),
        ("18:00", 18 * HOUR - 1, 18 * HOUR),
        ("00:00", 23 * HOUR, DAY),
        ("00:05", 5 * MINUTE + 1, DAY + 5 * MINUTE),
        ("", 17 * HOUR, None),
    ],
)
def test_a_time_of_day_is_the_next_one_in_utc(given, now, at):
    connection = Counterpart("Hook", {"publish_time": given}, lambda name: None).connection()
    day = 20_000 * DAY
    assert connection.find_next_time(day + now) == (None if at is None else day + at)


def test_a_place_is_told_the_time_and_the_console_shows_it(
    connected, partner, publisher, released, clock, owner
):
    given, at = in_hours(clock, 3)
    with places.relay() as relay:
        add(connected, partner, relay.counterpart, publish_time=given)
        production = released()
        assert (
            publish(publisher, clock, production, "Hook", "Watch", "WatchVertical")
            == ["Published"] * 3
        )
    (message,) = relay.posts.values()
    assert message["publishAt"] == clocks.format_time(at)
    wait_until(lambda: status_of(production) == "Published")
    assert publication(production, "Hook")["publish_at"] == at
    page = f"/console/productions/{production}"
    assert "Scheduled for" in text(owner.get(page))
    clock.tick(3 * 3600)
    assert "Scheduled for" not in text(owner.get(page))


def test_without_a_time_nothing_is_scheduled(connected, partner, publisher, released, clock):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
        production = released()
        publish(publisher, clock, production, "Hook")
    (message,) = relay.posts.values()
    assert (message["publishAt"], publication(production, "Hook")["publish_at"]) == (None, None)


def lead_to(url: str) -> None:
    """Let the connection lead to another address, as when a place changes after it was tried."""
    with db.transaction():
        settings = json.loads(plain_sql.one("SELECT settings FROM connections")["settings"])
        plain_sql.execute(
            "UPDATE connections SET settings = ?", (json.dumps({**settings, "url": url}),)
        )


def test_the_time_stays_over_outages_and_renewals_and_is_no_more_once_it_has_passed(
    connected, partner, publisher, released, clock
):
    given, at = in_hours(clock, 0.2)
    with places.relay() as relay, receiving(answering(OUT)) as out:
        url = relay.counterpart.values["url"]
        connection = add(connected, partner, relay.counterpart, publish_time=given)
        lead_to(out.url())
        production = released()
        claim_until(publisher, lambda: publication(production, "Hook")["attempts"] == 1)
        assert publication(production, "Hook")["publish_at"] == at  # stored before the first byte
        lead_to(url)
        connected.renew(US, connection, {"publish_time": in_hours(clock, 5)[0]})
        lead_to(out.url())
        clock.tick(10)
        claim_until(publisher, lambda: publication(production, "Hook")["attempts"] == 2)
        assert publication(production, "Hook")["publish_at"] == at
        lead_to(url)
        clock.tick(3600)
        assert publish(publisher, clock, production, "Hook") == ["Published"]
    (message,) = relay.posts.values()
    assert message["publishAt"] is None  # at once
    assert publication(production, "Hook")["publish_at"] == at


def test_a_crash_keeps_the_time_also_over_midnight(
    connected, partner, publisher, released, clock, service
):
    given, at = in_hours(clock, 20)
    tools = Tools(Transfers(LOOPBACK), LOOPBACK, addresses.look_up, clock)
    with places.relay() as relay:
        add(connected, partner, relay.counterpart, publish_time=given)
        production = released()
        claim = publications.claim_next(DRIVER, clock(), at_places=True)
        posting.publish(claim, service.storage, service.ring, tools, threading.Event())
        with db.transaction():
            publications.release_earlier_boots(claims.Driver("next"))
        clock.tick(19 * 3600)
        assert publish(publisher, clock, production, "Hook") == ["Published"]
    assert relay.calls.count("publish") == 2 and len(relay.posts) == 1
    assert publication(production, "Hook")["publish_at"] == at


def test_a_withdrawal_ends_the_time_and_a_retry_takes_the_next_one(
    connected, partner, publisher, released, clock
):
    given, at = in_hours(clock, 3)
    with places.relay() as relay:
        add(connected, partner, relay.counterpart, publish_time=given)
        production = released()
        publish(publisher, clock, production, "Hook", "Watch", "WatchVertical")
        wait_until(lambda: status_of(production) == "Published")
        connected.withdraw(US, production, "Hook")
        assert publication(production, "Hook")["publish_at"] is None
        clock.tick(4 * 3600)
        actions.retry(US, production, "Hook", clock())
        assert publish(publisher, clock, production, "Hook") == ["Published"]
    assert publication(production, "Hook")["publish_at"] == at + DAY


def test_one_that_was_skipped_is_shown_at_its_time_when_it_is_retried(
    connected, partner, publisher, released, clock
):
    given, at = in_hours(clock, 3)
    with places.relay() as relay, receiving(answering(OUT)) as out:
        add(connected, partner, relay.counterpart, publish_time=given)
        url = relay.counterpart.values["url"]
        lead_to(out.url())
        production = released()
        publish(publisher, clock, production, "Watch", "WatchVertical")
        claim_until(publisher, lambda: publication(production, "Hook")["attempts"] == 1)
        actions.skip(US, production, "Hook", clock())
        assert status_of(production) == "Published"
        lead_to(url)
        actions.retry(US, production, "Hook", clock())
        assert publish(publisher, clock, production, "Hook") == ["Published"]
    (message,) = relay.posts.values()
    assert message["publishAt"] == clocks.format_time(at)


def test_figures_are_read_an_hour_after_the_post_is_shown(
    connected, partner, publisher, released, clock
):
    given, at = in_hours(clock, 3)
    with places.relay() as relay:
        add(connected, partner, relay.counterpart, "Later", publish_time=given)
        add(connected, partner, relay.counterpart, "Now")
        production = released()
        publish(publisher, clock, production, "Later", "Now")
    assert publication(production, "Later")["figures_due"] == at + HOUR
    now = publication(production, "Now")
    assert now["figures_due"] == now["published_at"] + HOUR


@pytest.mark.parametrize("kind", ["S3", "WebDAV", "SFTP"])
def test_a_kind_without_a_schedule_refuses_a_time(connected, partner, kind):
    with pytest.raises(
        InvalidRequest, match=f"{kind} shows what it is sent at once, as it knows no schedule"
    ) as refused:
        connected.add(US, partner.account, kind, {"publish_time": "18:00"})
    assert list(refused.value.fields) == ["publish_time"]


@pytest.mark.parametrize("given", ["24:00", "18", "6:00", "18:60", "18:00:00", "6 pm", "１８:00"])
def test_a_time_that_is_none_is_named_with_its_field(connected, partner, given):
    with (
        places.relay() as relay,
        pytest.raises(InvalidRequest, match="a time of day from 00:00 to 23:59 in UTC") as refused,
    ):
        add(connected, partner, relay.counterpart, publish_time=given)
    assert list(refused.value.fields) == ["publish_time"]


@pytest.mark.parametrize(
    ("kind", "hidden"),
    [
        (
            "YouTube",
            {"privacy": "unlisted", "category": "27", "made_for_kids": "no", "refresh_token": "r"},
        ),
        ("PeerTube", {"url": "https://tube.example.com", "privacy": "private"}),
        ("WordPress", {"url": "https://blog.example.com", "user": "ada", "status": "draft"}),
    ],
)
def test_what_is_hidden_is_not_shown_at_a_time(kind, hidden):
    assert PLACES[kind].check(hidden) == {}
    assert list(PLACES[kind].check({**hidden, "publish_time": "18:00"})) == ["publish_time"]


def test_a_time_is_taken_away(connected, partner, service):
    with places.relay() as relay:
        made = add(connected, partner, relay.counterpart, publish_time="18:00")
        connected.renew(US, made, {"publish_time": ""})
    assert connections.unseal_connection(made, service.ring).find_next_time(0) is None


def test_an_episode_appears_in_the_feed_at_its_time(
    connected, partner, publisher, released, clock, app, monkeypatch
):
    monkeypatch.setattr(posting, "_make_sound_store", lambda *_: lambda alive: 5)
    given, at = in_hours(clock, 3)
    made, _ = connected.add(US, partner.account, "Podcast", {"show": "Tea", "publish_time": given})
    production = released()
    assert publish(publisher, clock, production, "Podcast") == ["Published"]
    post, client = publication(production, "Podcast")["platform_post_id"], app.test_client()
    feed, file = f"/podcasts/{made}.xml", f"/podcasts/{made}/{post}/video.mp4"
    assert production not in client.get(feed).text and client.get(file).status_code == 404
    clock.tick(3 * 3600)
    shown = client.get(feed).text
    assert production in shown
    with client.get(file) as sent:
        assert sent.status_code == 200
    [date] = re.findall("<pubDate>(.*?)</pubDate>", shown)
    assert parsedate_to_datetime(date).timestamp() * 1000 == at


def test_a_worker_that_lost_its_claim_settles_no_time(connected, partner, released, clock, service):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
    production = released()
    claim = publications.claim_next(DRIVER, clock(), at_places=True)
    publications.release_claim(claim)
    with pytest.raises(claims.LostClaim):
        posting.StoredUploadState(
            claim, service.ring, clock, threading.Event(), publish_at=clock() + HOUR
        )
    assert publication(production, "Hook")["publish_at"] is None


def test_one_that_is_retried_after_its_time_is_shown_at_once(
    connected, partner, publisher, released, clock
):
    given, at = in_hours(clock, 1)
    with places.relay() as relay, receiving(answering(OUT)) as out:
        add(connected, partner, relay.counterpart, publish_time=given)
        url = relay.counterpart.values["url"]
        lead_to(out.url())
        production = released()
        publish(publisher, clock, production, "Watch", "WatchVertical")
        claim_until(publisher, lambda: publication(production, "Hook")["attempts"] == 1)
        actions.skip(US, production, "Hook", clock())
        lead_to(url)
        clock.tick(2 * 3600)
        actions.retry(US, production, "Hook", clock())
        assert publish(publisher, clock, production, "Hook") == ["Published"]
    (message,) = relay.posts.values()
    assert (message["publishAt"], publication(production, "Hook")["publish_at"]) == (None, at)


def test_a_time_that_is_set_after_the_first_attempt_is_none_of_that_post(
    connected, partner, publisher, released, clock
):
    with places.relay() as relay, receiving(answering(OUT)) as out:
        url, connection = (
            relay.counterpart.values["url"],
            add(connected, partner, relay.counterpart),
        )
        lead_to(out.url())
        production = released()
        # which may have posted it
        claim_until(publisher, lambda: publication(production, "Hook")["attempts"] == 1)
        lead_to(url)
        connected.renew(US, connection, {"publish_time": in_hours(clock, 5)[0]})
        clock.tick(10)
        assert publish(publisher, clock, production, "Hook") == ["Published"]
    (message,) = relay.posts.values()
    assert (message["publishAt"], publication(production, "Hook")["publish_at"]) == (None, None)


def test_an_episode_that_waited_stands_before_those_that_were_shown_meanwhile(
    connected, partner, publisher, released, clock, app, monkeypatch
):
    monkeypatch.setattr(posting, "_make_sound_store", lambda *_: lambda alive: 5)
    made, _ = connected.add(
        US, partner.account, "Podcast", {"show": "Tea", "publish_time": in_hours(clock, 3)[0]}
    )
    waited = released()
    assert publish(publisher, clock, waited, "Podcast") == ["Published"]
    connected.renew(US, made, {"publish_time": ""})
    clock.tick(3600)
    at_once = released()
    assert publish(publisher, clock, at_once, "Podcast") == ["Published"]
    feed = f"/podcasts/{made}.xml"
    assert re.findall("urn:uuid:([^<]*)", app.test_client().get(feed).text) == [at_once]
    clock.tick(2 * 3600)
    assert re.findall("urn:uuid:([^<]*)", app.test_client().get(feed).text) == [waited, at_once]
