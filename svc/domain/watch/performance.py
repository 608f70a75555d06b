"""Viewing statistics of published productions: plays of their watch pages, with limits on what browsers report."""

import json
from collections import defaultdict
from typing import Any

from svc.base import clock, ids, states
from svc.base.errors import NotFound, PerformanceDataNotReady
from svc.domain.access.flood_limit import FloodLimit
from svc.domain.tables.productions import ProductionState
from svc.domain.watch import posts
from svc.store.database import Row, execute, row, rows, write

ALLOWANCE_SECONDS = 2.0  # tolerance for the latency between the browser and this server
MEASURED, IMPORTED = "measured", "imported"

STARTS = 600  # new plays per hour from one network: more than a school starts, and a bound on what one machine can write
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
    SELECT publications.platform, publications.platform_post_id, publications.figures, publications.figures_at,
           video.duration_seconds
    FROM publications LEFT JOIN deliverables AS video ON video.production_id = publications.production_id
         AND video.type = 'Video' AND video.platform = publications.platform
    WHERE publications.production_id = ? AND publications.status = 'Published' ORDER BY publications.platform
"""
# A play without watched seconds is not counted as a view.
_VIEWS = """
    SELECT platform, day, SUM(views) AS views, SUM(watched) AS watched FROM (
        SELECT platform, day, COUNT(*) AS views, SUM(watched_seconds) AS watched FROM plays
        WHERE production_id = ?1 AND watched_seconds > 0 GROUP BY platform, day
        UNION ALL SELECT platform, day, views, watched_seconds FROM play_days WHERE production_id = ?1
    ) AS both_kinds GROUP BY platform, day ORDER BY day
"""
_VIEWERS = """
    SELECT platform, SUM(viewers) AS viewers FROM (
        SELECT platform, COUNT(DISTINCT viewer) AS viewers FROM plays
        WHERE production_id = ?1 AND watched_seconds > 0 GROUP BY platform
        UNION ALL SELECT '', COUNT(DISTINCT viewer) FROM plays WHERE production_id = ?1 AND watched_seconds > 0
        UNION ALL SELECT platform, viewers FROM play_viewers WHERE production_id = ?1
    ) AS both_kinds GROUP BY platform
"""


def start_play(platform_post_id: str, viewer_hash: bytes, now: int, address: str = "") -> str:
    """Start a play of a watch page, and return its id. ``address``: of the viewer; empty: do not limit.

    While the viewer's previous play could still be running, its id is returned: reloading the page, or sending the request
    again, is not a second view. NotFound: no such page. RateLimitExceeded: too many plays from the network.
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
        columns = (platform_post_id, shown.production_id, shown.platform)
        execute(_START, (play_id, *columns, viewer_hash, clock.day(now), now, now))
    return play_id


def progress(play_id: str, viewer_hash: bytes, watched_seconds: float, now: int) -> float:
    """Record the watched seconds of a play, and return the accepted value. NotFound: the viewer has no such play.

    The value never decreases, and never exceeds the video's duration or the time since the play started.
    """
    with write(durable=False):
        play = row(_PLAY, (play_id, viewer_hash))
        if play is None:
            raise NotFound()
        elapsed = (now - play["started_at"]) / clock.SECOND + ALLOWANCE_SECONDS
        accepted: float = min(watched_seconds, elapsed, play["duration_seconds"] or 0.0)
        if accepted <= play["watched_seconds"]:
            return float(play["watched_seconds"])
        execute(_PROGRESS, (accepted, now, play_id, accepted))
    return accepted


def remove_unwatched(before: int) -> int:
    """Delete plays from before ``before`` (ms) without watched seconds, and return their number."""
    with write():
        return execute("DELETE FROM plays WHERE watched_seconds = 0 AND started_at < ?", (before,))


def view(production: ProductionState, now: int) -> dict[str, Any]:
    """Return the performance object of a production (DECISIONS.md §6). PerformanceDataNotReady: it is not Published."""
    if production["status"] != states.PUBLISHED:
        raise PerformanceDataNotReady()
    views = rows(_VIEWS, (production["id"],))
    viewers = {count["platform"]: count["viewers"] for count in rows(_VIEWERS, (production["id"],))}
    published = rows(_PUBLISHED, (production["id"],))
    return {
        "productionId": production["id"],
        "asOf": clock.text(now),
        "totals": _figures(views, viewers.get("", 0), {post["platform"]: post["duration_seconds"] for post in published}),
        "platforms": [_platform(post, views, viewers) for post in published],
        "daily": _daily(views),
    }


def _platform(published: Row, views: list[Row], viewers: dict[str, Any]) -> dict[str, Any]:
    name = published["platform"]
    own = [day for day in views if day["platform"] == name]
    figures = _figures(own, viewers.get(name, 0), {name: published["duration_seconds"]})
    is_measured = name in posts.SHAPES
    imported = json.loads(published["figures"]) if published["figures"] else {}
    counted = figures if is_measured else {**dict.fromkeys(figures), "views": imported.get("views")}  # null, not zero
    return {
        "platform": name,
        "platformPostId": published["platform_post_id"],
        "dataSource": MEASURED if is_measured else IMPORTED if imported else None,
        **counted,
        "likes": imported.get("likes"),
        "shares": imported.get("shares"),
        "asOf": clock.text(published["figures_at"]) if imported else None,
    }


def _figures(views: list[Row], viewers: int, durations: dict[str, float | None]) -> dict[str, Any]:
    """Return the sums of ``views``; the percentage covers videos of known duration, and is None without plays of those."""
    timed = [day for day in views if durations.get(day["platform"])]
    plays = sum(day["views"] for day in timed)
    full_views = sum(day["watched"] / durations[day["platform"]] for day in timed)  # watched seconds in multiples of the video
    return {
        "views": sum(day["views"] for day in views),
        "uniqueViewers": viewers,
        "watchTimeSeconds": round(sum(day["watched"] for day in views), 1),
        "averagePercentViewed": round(100 * full_views / plays, 1) if plays else None,
    }


def _daily(views: list[Row]) -> list[dict[str, Any]]:
    """Return one entry for each UTC day with views, oldest first."""
    days: dict[str, list[Any]] = defaultdict(lambda: [0, 0.0])
    for entry in views:
        days[entry["day"]][0] += entry["views"]
        days[entry["day"]][1] += entry["watched"]
    return [{"date": day, "views": count, "watchTimeSeconds": round(watched, 1)} for day, (count, watched) in days.items()]
