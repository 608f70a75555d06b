"""What places count of posts: read by and by, shown with source and time, and never invented."""

import pytest
import requests
from support import places, plain_sql
from support.cast import body
from support.connected import US, add, publication, publish, status_of, wait_until
from support.places import post_of
from support.receivers import LOOPBACK
from support.youtube import youtube

from svc.adapters import addresses
from svc.adapters.transfers import Transfers
from svc.domain.publishing import actions
from svc.platforms import PLACES, values
from svc.platforms.connected import Figures, Posted, Tools
from svc.store.database import db
from svc.work.publishing import counting

pytest_plugins = ("tests.support.connected",)

HOUR, DAY = 3600, 86_400


@pytest.fixture
def tools(clock):
    return Tools(Transfers(LOOPBACK), LOOPBACK, addresses.look_up, clock)


@pytest.fixture
def tube(monkeypatch):
    with youtube() as there:
        monkeypatch.setitem(PLACES, "YouTube", there.place)
        yield there


@pytest.fixture
def production(connected, partner, publisher, released, clock, tube) -> str:
    """A production that was published on YouTube."""
    connected.add(US, partner.account, "YouTube", {**tube.counterpart.values, "name": "Tube"})
    made = released()
    assert publish(publisher, clock, made, "Tube", "Watch", "WatchVertical") == ["Published"] * 3
    wait_until(lambda: status_of(made) == "Published")
    return made


def shown(partner, production: str) -> dict:
    listed = body(partner.get(f"/v1/productions/{production}/performance"))["platforms"]
    return {each["platform"]: each for each in listed}


def count(tube, production: str, **statistics: str) -> None:
    tube.videos[publication(production, "Tube")["platform_post_id"]]["statistics"] = statistics


def test_views_and_likes_are_read_and_shown_with_source_and_time(
    partner, production, tube, service, tools, clock
):
    count(tube, production, viewCount="120", likeCount="4")
    before = shown(partner, production)["Tube"]
    assert (before["dataSource"], before["views"], before["asOf"]) == (None, None, None)
    assert counting.read_due(service.ring, tools) == 0  # not in the first hour
    clock.tick(HOUR)
    assert counting.read_due(service.ring, tools) == 1
    after = shown(partner, production)
    tubes = after["Tube"]
    assert (tubes["dataSource"], tubes["views"], tubes["likes"], tubes["shares"]) == (
        "imported",
        120,
        4,
        None,
    )
    assert tubes["asOf"] and tubes["uniqueViewers"] is None and tubes["watchTimeSeconds"] is None
    assert (after["Watch"]["dataSource"], after["Watch"]["asOf"]) == ("measured", None)
    assert body(partner.get(f"/v1/productions/{production}/performance"))["totals"]["views"] == 0


def test_the_older_a_post_the_longer_the_pause_and_after_a_year_there_is_an_end(
    production, tube, service, tools, clock
):
    count(tube, production, viewCount="1")
    pauses = []
    for age in (HOUR, DAY, 30 * DAY, 366 * DAY):
        with db.transaction():
            row = publication(production, "Tube")
            plain_sql.execute(
                "UPDATE publications SET published_at = ?, figures_due = ? WHERE platform = 'Tube'",
                (clock() - age * 1000, clock()),
            )
        assert row and counting.read_due(service.ring, tools) == 1
        due = publication(production, "Tube")["figures_due"]
        pauses.append(due and (due - clock()) // 1000)
    assert pauses == [HOUR, DAY // 10, DAY, None]


def test_after_the_clock_was_set_back_nobody_waits_for_the_day_that_it_was(
    production, tube, service, tools, clock
):
    count(tube, production, viewCount="1")
    clock.tick(40 * DAY)
    assert counting.read_due(service.ring, tools) == 1
    clock.tick(-40 * DAY)
    assert counting.read_due(service.ring, tools) == 1
    assert publication(production, "Tube")["figures_due"] == clock() + HOUR * 1000
    with db.transaction():  # of a post that appears in two months
        plain_sql.execute(
            "UPDATE publications SET publish_at = ?, figures_due = ? WHERE platform = 'Tube'",
            (clock() + 60 * DAY * 1000, clock() + 60 * DAY * 1000),
        )
    assert counting.read_due(service.ring, tools) == 0


def test_an_outage_keeps_what_was_read_and_is_asked_again_later(
    partner, production, tube, service, tools, clock
):
    count(tube, production, viewCount="7")
    clock.tick(HOUR)
    counting.read_due(service.ring, tools)
    tube.errors["GET /youtube/v3/videos"] = (503, "backendError")
    clock.tick(HOUR)
    counting.read_due(service.ring, tools)
    assert shown(partner, production)["Tube"]["views"] == 7
    assert publication(production, "Tube")["figures_due"] == clock() + 6 * HOUR * 1000


def test_a_post_that_is_gone_or_was_withdrawn_is_asked_for_no_more(
    connected, production, tube, service, tools, clock
):
    kept = dict(tube.videos)
    tube.videos.clear()
    clock.tick(HOUR)
    counting.read_due(service.ring, tools)
    assert publication(production, "Tube")["figures_due"] is None
    with db.transaction():
        plain_sql.execute("UPDATE publications SET figures_due = 1 WHERE platform = 'Tube'")
    tube.videos.update(kept)
    connected.withdraw(US, production, "Tube")
    assert counting.read_due(service.ring, tools) == 0
    assert publication(production, "Tube")["error"] == actions.WITHDRAWN


def test_a_place_that_counts_nothing_is_asked_nothing(
    connected, partner, publisher, released, clock, service, tools
):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
        made = released()
        publish(publisher, clock, made, "Hook")
        clock.tick(HOUR)
        assert counting.read_due(service.ring, tools) == 1
    assert (publication(made, "Hook")["figures_due"], relay.calls) == (None, ["test", "publish"])


def test_a_post_that_has_another_identifier_once_it_is_shown_is_recorded_with_it(
    partner, production, tube, service, tools, clock, monkeypatch
):
    """As a status of Mastodon that waited for its time."""
    became = Posted("status-9", "https://social.example.com/9")
    monkeypatch.setattr(type(tube.place), "read_figures", lambda *_: Figures(None, 1, 2, became))
    clock.tick(HOUR)
    assert counting.read_due(service.ring, tools) == 1
    row, figures = publication(production, "Tube"), shown(partner, production)["Tube"]
    assert (row["platform_post_id"], row["post_url"]) == (
        "status-9",
        "https://social.example.com/9",
    )
    assert (figures["platformPostId"], figures["likes"], figures["shares"]) == ("status-9", 1, 2)
    monkeypatch.setattr(type(tube.place), "read_figures", lambda *_: Figures(None, 3, 4))
    clock.tick(HOUR)
    assert counting.read_due(service.ring, tools) == 1
    assert publication(production, "Tube")["platform_post_id"] == "status-9"


@pytest.mark.judges
def test_favourites_and_boosts_of_mastodon_are_read(tmp_path):
    with places.mastodon(tmp_path) as there:
        (tmp_path / "files").mkdir()
        mastodon, connection = PLACES["Mastodon"], there.connection()
        posted = mastodon.publish(
            post_of(tmp_path / "files"), connection, places.MemoryUploadState(), places.tools()
        )
        assert mastodon.read_figures(posted.post_id, connection, places.tools()) == Figures(
            None, 0, 0
        )
        requests.post(
            f"{there.values['url']}/api/v1/statuses/{posted.post_id}/favourite",
            headers=places._MOCK_TOKEN,
            timeout=60,
        )
        assert mastodon.read_figures(posted.post_id, connection, places.tools()) == Figures(
            None, 1, 0
        )
        mastodon.withdraw(posted.post_id, connection, places.tools())
        assert mastodon.read_figures(posted.post_id, connection, places.tools()) is None


@pytest.mark.parametrize(
    ("told", "expected"), [(-1, None), ("x", None), (True, None), (1.5, None), ("7", 7), (7, 7)]
)
def test_what_is_no_number_is_not_counted(told, expected):
    assert values.parse_count(told) == expected
