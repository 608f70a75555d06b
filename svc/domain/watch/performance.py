"""How much of a published production was watched: plays of its watch pages, measured and never taken on trust."""

from collections import defaultdict
from typing import Any

from svc.base import clock, ids, states
from svc.base.errors import NotFound, PerformanceDataNotReady
from svc.domain.access.flood_limit import FloodLimit
from svc.domain.tables import ProductionState
from svc.domain.watch import posts
from svc.store.database import Row, execute, row, rows, write

ALLOWANCE_SECONDS = 2.0  # between a play's beginning here and in the browser, whose messages take time
MEASURED = "measured"

STARTS = 600  # new plays an hour from one network: more than a school begins, and a bound to what one machine can write
_starts = FloodLimit(STARTS, clock.HOUR)

_RUNNING = "SELECT id FROM plays WHERE viewer = ? AND platform_post_id = ? AND started_at > ? ORDER BY started_at DESC"
_START = """
    INSERT INTO plays (id, platform_post_id, production_id, platform, viewer, day, started_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_PLAY = """
    SELECT plays.started_at, plays.watched_seconds, video.duration_seconds
    FROM plays LEFT JOIN deliverables AS video ON video.production_id = plays.production_id
         AND video.type = 'Video' AND video.platform = plays.platform
    WHERE plays.id = ? AND plays.viewer = ?
"""
_PROGRESS = "UPDATE plays SET watched_seconds = ?, updated_at = ? WHERE id = ? AND watched_seconds < ?"
_PUBLISHED = """
    SELECT publications.platform, publications.platform_post_id, video.duration_seconds
    FROM publications LEFT JOIN deliverables AS video ON video.production_id = publications.production_id
         AND video.type = 'Video' AND video.platform = publications.platform
    WHERE publications.production_id = ? AND publications.status = 'Published' ORDER BY publications.platform
"""
# A play of which nothing was watched is not a view: pressing the button costs nothing.
_VIEWS = """
    SELECT platform, day, SUM(views) AS views, SUM(watched) AS watched FROM (
        SELECT platform, day, COUNT(*) AS views, SUM(watched_seconds) AS watched FROM plays
        WHERE production_id = ?1 AND watched_seconds > 0 GROUP BY platform, day
        UNION ALL SELECT platform, day, views, watched_seconds FROM play_days WHERE production_id = ?1
    ) GROUP BY platform, day ORDER BY day
"""
_VIEWERS = """
    SELECT platform, SUM(viewers) AS viewers FROM (
        SELECT platform, COUNT(DISTINCT viewer) AS viewers FROM plays
        WHERE production_id = ?1 AND watched_seconds > 0 GROUP BY platform
        UNION ALL SELECT '', COUNT(DISTINCT viewer) FROM plays WHERE production_id = ?1 AND watched_seconds > 0
        UNION ALL SELECT platform, viewers FROM play_viewers WHERE production_id = ?1
    ) GROUP BY platform
"""


def start_play(platform_post_id: str, viewer_hash: bytes, now: int, address: str = "") -> str:
    """The id of a new play of a watch page. NotFound: no such page. RateLimitExceeded: the network of ``address``
    has begun more than people do.

    While a viewer's last play could still be running, it is that one again: a page that is loaded anew, or a message that is
    sent twice, is no second view.
    """
    shown = posts.post(platform_post_id)
    still_running = now - int((shown.duration_seconds or 0) * clock.SECOND)
    with write(durable=False):
        running = row(_RUNNING, (viewer_hash, platform_post_id, still_running))
        if running:
            return str(running["id"])
        if address:
            _starts.count(address, now)
        play_id = ids.new(now)
        place = (platform_post_id, shown.production_id, shown.platform)
        execute(_START, (play_id, *place, viewer_hash, clock.day(now), now, now))
    return play_id


def progress(play_id: str, viewer_hash: bytes, watched_seconds: float, now: int) -> float:
    """Record how much of a play was watched so far, and return what is believed of it. NotFound: no such play of this viewer.

    It never falls, and never exceeds the video's duration or the time that has really passed since the play began.
    """
    with write(durable=False):
        play = row(_PLAY, (play_id, viewer_hash))
        if play is None:
            raise NotFound()
        passed = (now - play["started_at"]) / clock.SECOND + ALLOWANCE_SECONDS
        believed: float = min(watched_seconds, passed, play["duration_seconds"] or 0.0)
        if believed <= play["watched_seconds"]:
            return float(play["watched_seconds"])
        execute(_PROGRESS, (believed, now, play_id, believed))
    return believed


def remove_unwatched(before: int) -> int:
    """Forget plays that began before ``before`` and of which nothing was watched; the number of them."""
    with write():
        return execute("DELETE FROM plays WHERE watched_seconds = 0 AND started_at < ?", (before,))


def view(production: ProductionState, now: int) -> dict[str, Any]:
    """The performance object of a production (DECISIONS.md §6). PerformanceDataNotReady: it is not Published."""
    if production["status"] != states.PUBLISHED:
        raise PerformanceDataNotReady()
    views = rows(_VIEWS, (production["id"],))
    viewers = {each["platform"]: each["viewers"] for each in rows(_VIEWERS, (production["id"],))}
    published = rows(_PUBLISHED, (production["id"],))
    return {
        "productionId": production["id"],
        "asOf": clock.text(now),
        "totals": _figures(views, viewers.get("", 0), {each["platform"]: each["duration_seconds"] for each in published}),
        "platforms": [_platform(each, views, viewers) for each in published],
        "daily": _daily(views),
    }


def _platform(published: Row, views: list[Row], viewers: dict[str, Any]) -> dict[str, Any]:
    name = published["platform"]
    own = [each for each in views if each["platform"] == name]
    figures = _figures(own, viewers.get(name, 0), {name: published["duration_seconds"]})
    is_ours = name in posts.SHAPES
    return {
        "platform": name,
        "platformPostId": published["platform_post_id"],
        "dataSource": MEASURED if is_ours else None,
        **(figures if is_ours else dict.fromkeys(figures)),  # elsewhere nobody measured: null, not nought
    }


def _figures(views: list[Row], viewers: int, durations: dict[str, float | None]) -> dict[str, Any]:
    """Sums of ``views``; the percentage is over the plays of videos whose duration is known, None where there are none."""
    timed = [each for each in views if durations.get(each["platform"])]
    plays = sum(each["views"] for each in timed)
    whole = sum(each["watched"] / durations[each["platform"]] for each in timed)  # how many times the video was watched
    return {
        "views": sum(each["views"] for each in views),
        "uniqueViewers": viewers,
        "watchTimeSeconds": round(sum(each["watched"] for each in views), 1),
        "averagePercentViewed": round(100 * whole / plays, 1) if plays else None,
    }


def _daily(views: list[Row]) -> list[dict[str, Any]]:
    """One entry for each UTC day on which something was watched, oldest first."""
    days: dict[str, list[Any]] = defaultdict(lambda: [0, 0.0])
    for each in views:
        days[each["day"]][0] += each["views"]
        days[each["day"]][1] += each["watched"]
    return [{"date": day, "views": count, "watchTimeSeconds": round(watched, 1)} for day, (count, watched) in days.items()]
