"""Performance: what is counted, and what is not believed."""

import pytest

from svc.base import clock, ids
from svc.base.errors import NotFound, PerformanceDataNotReady, RateLimitExceeded
from svc.domain.watch import performance, play_sums
from svc.domain.watch.flood_limit import FloodLimit
from svc.store.database import db, open_database
from tests.support import plain_sql
from tests.support.published import START, change, make_account, publish

ADA, BOB = b"ada" * 8, b"bob" * 8
SECOND = 1000


@pytest.fixture
def published(tmp_path):
    open_database(tmp_path / "service.db")
    make_account()
    yield publish(tmp_path / "media", duration=20.0)
    db.close()


def production(published):
    return plain_sql.row("SELECT * FROM productions WHERE id = ?", (published.production_id,))


def view(published, now=START):
    return performance.represent(production(published), now)


def watch(post_id, viewer, seconds, at=START):
    play = performance.start_play(post_id, viewer, at)
    return performance.record_progress(play, viewer, seconds, at + int(seconds * SECOND))


def test_a_production_that_nobody_watched_has_noughts_and_no_percentage(published):
    nothing = {"views": 0, "uniqueViewers": 0, "watchTimeSeconds": 0, "averagePercentViewed": None}
    measured = {"dataSource": "measured", "likes": None, "shares": None, "asOf": None, **nothing}
    assert view(published) == {
        "productionId": published.production_id,
        "asOf": clock.format_time(START),
        "totals": nothing,
        "platforms": [
            {"platform": "Watch", "platformPostId": published.wide, **measured},
            {"platform": "WatchVertical", "platformPostId": published.tall, **measured},
        ],
        "daily": [],
    }


def test_plays_are_added_up_by_platform_and_in_total(published):
    watch(published.wide, ADA, 20)
    watch(published.wide, BOB, 5)
    watch(published.tall, ADA, 10)
    found = view(published)
    assert found["totals"] == {
        "views": 3,
        "uniqueViewers": 2,
        "watchTimeSeconds": 35.0,
        "averagePercentViewed": 58.3,
    }
    wide, tall = found["platforms"]
    assert (
        wide["views"],
        wide["uniqueViewers"],
        wide["watchTimeSeconds"],
        wide["averagePercentViewed"],
    ) == (2, 2, 25.0, 62.5)
    assert (
        tall["views"],
        tall["uniqueViewers"],
        tall["watchTimeSeconds"],
        tall["averagePercentViewed"],
    ) == (1, 1, 10.0, 50.0)


def test_a_play_belongs_to_the_utc_day_on_which_it_began(published):
    midnight = clock.find_next_midnight(START)
    watch(published.wide, ADA, 4, midnight - SECOND)
    watch(published.tall, BOB, 6, midnight)
    assert view(published)["daily"] == [
        {"date": "2026-11-18", "views": 1, "watchTimeSeconds": 4.0},
        {"date": "2026-11-19", "views": 1, "watchTimeSeconds": 6.0},
    ]


def test_a_page_that_is_loaded_anew_is_no_second_view(published):
    first = performance.start_play(published.wide, ADA, START)
    assert performance.start_play(published.wide, ADA, START + 19 * SECOND) == first
    assert performance.start_play(published.wide, BOB, START + 19 * SECOND) != first


def test_who_watches_again_later_is_one_viewer_with_two_views(published):
    watch(published.wide, ADA, 10)
    watch(published.wide, ADA, 10, START + 60 * SECOND)
    totals = view(published)["totals"]
    assert (totals["views"], totals["uniqueViewers"]) == (2, 1)


def test_a_play_of_which_nothing_was_watched_is_not_a_view(published):
    performance.start_play(published.wide, ADA, START)
    assert view(published)["totals"]["views"] == 0


def test_watched_seconds_never_fall(published):
    play = performance.start_play(published.wide, ADA, START)
    assert performance.record_progress(play, ADA, 8, START + 10 * SECOND) == 8
    assert performance.record_progress(play, ADA, 3, START + 12 * SECOND) == 8
    assert view(published)["totals"]["watchTimeSeconds"] == 8


def test_nobody_watches_more_than_there_is(published):
    play = performance.start_play(published.wide, ADA, START)
    assert performance.record_progress(play, ADA, 4000, START + 3_600 * SECOND) == 20
    assert view(published)["totals"]["averagePercentViewed"] == 100


def test_nobody_watches_longer_than_time_has_passed(published):
    play = performance.start_play(published.wide, ADA, START)
    assert (
        performance.record_progress(play, ADA, 20, START + 3 * SECOND)
        == 3 + performance.ALLOWANCE_SECONDS
    )


def test_a_clock_that_was_set_back_takes_nothing_away(published):
    play = performance.start_play(published.wide, ADA, START)
    performance.record_progress(play, ADA, 5, START + 5 * SECOND)
    assert performance.record_progress(play, ADA, 9, START - 3_600 * SECOND) == 5


def test_after_the_clock_was_set_back_a_viewer_begins_a_view_anew(published):
    of_the_future = performance.start_play(published.wide, ADA, START + 40 * clock.DAY)
    assert performance.record_progress(of_the_future, ADA, 9, START) > 0  # it goes on
    play = performance.start_play(published.wide, ADA, START)
    assert play != of_the_future


def test_another_viewer_cannot_move_a_play(published):
    play = performance.start_play(published.wide, ADA, START)
    with pytest.raises(NotFound):
        performance.record_progress(play, BOB, 5, START + 5 * SECOND)
    with pytest.raises(NotFound):
        performance.record_progress(ids.NIL, ADA, 5, START + 5 * SECOND)


def test_a_play_needs_a_post_that_is_published(published):
    change("UPDATE publications SET status = 'Withdrawn' WHERE platform = 'Watch'")
    for post_id in (published.wide, "unknown", ""):
        with pytest.raises(NotFound):
            performance.start_play(post_id, ADA, START)


@pytest.mark.parametrize(
    "status", ["Queued", "Producing", "AwaitingApproval", "Distributing", "Failed", "Cancelled"]
)
def test_a_production_that_is_not_published_has_no_performance(published, status):
    change("UPDATE productions SET status = ?", (status,))
    with pytest.raises(PerformanceDataNotReady):
        view(published)


def test_a_platform_that_nobody_measures_shows_no_figures(published):
    change("UPDATE publications SET platform = 'Elsewhere' WHERE platform = 'WatchVertical'")
    elsewhere = view(published)["platforms"][0]
    assert elsewhere == {
        "platform": "Elsewhere",
        "platformPostId": published.tall,
        "dataSource": None,
        "views": None,
        "uniqueViewers": None,
        "watchTimeSeconds": None,
        "averagePercentViewed": None,
        "likes": None,
        "shares": None,
        "asOf": None,
    }


def test_a_publication_that_failed_is_not_listed(published):
    change("UPDATE publications SET status = 'Failed' WHERE platform = 'WatchVertical'")
    assert [each["platform"] for each in view(published)["platforms"]] == ["Watch"]


def test_plays_of_which_nothing_was_watched_can_be_forgotten(published):
    watch(published.wide, ADA, 5)
    performance.start_play(published.wide, BOB, START)
    performance.start_play(published.tall, BOB, START + SECOND)
    assert performance.remove_unwatched(START + SECOND) == 1
    assert view(published)["totals"]["views"] == 1


MONTHS = 40 * clock.DAY


def figures(published, now):
    found = view(published, now)
    return {name: found[name] for name in ("totals", "platforms", "daily")}


def test_no_figure_changes_when_plays_of_long_ago_are_added_up_and_their_rows_go(published):
    watch(published.wide, ADA, 20)
    watch(published.wide, ADA, 5, START + clock.DAY)
    watch(published.tall, ADA, 10)
    watch(published.tall, BOB, 3)
    before = figures(published, START + MONTHS)
    assert play_sums.sum_plays(START + MONTHS) == 2
    assert figures(published, START + MONTHS) == before
    assert plain_sql.row("SELECT count(*) FROM plays")[0] == 0
    watch(published.wide, b"eve" * 8, 4, START + MONTHS)
    assert view(published)["totals"]["uniqueViewers"] == 3
    assert play_sums.sum_plays(START + 2 * MONTHS) == 1 and view(published)["totals"]["views"] == 5


def test_a_viewer_who_may_come_back_is_never_added_up(published):
    watch(published.wide, ADA, 20)
    watch(published.tall, ADA, 5, START + 29 * clock.DAY)  # the cookie is kept for another 30 days
    assert play_sums.sum_plays(START + 45 * clock.DAY) == 0
    watch(published.wide, ADA, 5, START + 58 * clock.DAY)
    assert view(published)["totals"]["uniqueViewers"] == 1
    assert play_sums.sum_plays(START + 90 * clock.DAY) == 1
    assert view(published)["totals"]["uniqueViewers"] == 1


def test_a_network_begins_so_many_plays_an_hour_and_its_viewers_go_on_with_theirs(
    published, monkeypatch
):
    monkeypatch.setattr(performance, "_starts", FloodLimit(3, clock.HOUR))
    plays = [
        performance.start_play(published.wide, bytes([each]) * 8, START, f"2001:db8::{each}")
        for each in range(1, 4)
    ]
    with pytest.raises(RateLimitExceeded) as refusal:
        performance.start_play(published.wide, BOB, START, "2001:db8::ffff")
    assert 0 < refusal.value.retry_after <= 3600
    assert performance.record_progress(plays[0], bytes([1]) * 8, 5, START + 5 * SECOND) == 5
    assert (
        performance.start_play(published.wide, bytes([1]) * 8, START + SECOND, "2001:db8::1")
        == plays[0]
    )
    performance.start_play(published.wide, BOB, START, "2001:db8:0:1::1")  # another network
    performance.start_play(published.wide, BOB, START + clock.HOUR, "2001:db8::1")


def test_a_limit_remembers_a_bounded_number_of_networks():
    limit = FloodLimit(1, clock.HOUR)
    for number in range(10_500):
        limit.count(f"10.{number // 65536}.{number // 256 % 256}.{number % 256}", START)
    assert len(limit._seen) == 10_000
