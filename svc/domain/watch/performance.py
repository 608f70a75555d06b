"""Viewing statistics of published productions: plays of their watch pages,
with limits on what browsers report.
"""

import json
from collections import defaultdict
from typing import Any

from svc.base import clock, ids, states
from svc.base.errors import NotFound, PerformanceDataNotReady
from svc.domain.lifecycle import lifecycle
from svc.domain.tables.productions import ProductionState
from svc.domain.watch import posts
from svc.domain.watch.flood_limit import FloodLimit
from svc.store.database import Row, db
from svc.store.expressions import JOIN, SQL, Value, fn
from svc.store.models.productions import Deliverable, Production
from svc.store.models.publishing import Publication
from svc.store.models.watch import Play, PlayDay, PlayViewer
from svc.store.queries import Prepared, slot, slots

ALLOWANCE_SECONDS = 2.0  # tolerance for the latency between the browser and this server
MEASURED, IMPORTED = "measured", "imported"

# The most new plays per hour from one network: more than a school starts, and a bound on what one
# machine can write.
STARTS = 600
_starts = FloodLimit(STARTS, clock.HOUR)

_RUNNING = Prepared(
    Play.select(Play.id)
    .where(
        Play.viewer == slot("viewer"),
        Play.platform_post_id == slot("post_id"),
        Play.started_at > slot("since"),
        Play.started_at <= slot("latest"),
    )
    .order_by(Play.started_at.desc())
    .limit(1)
)
_START = Prepared(
    Play.insert(
        slots("id", "platform_post_id", "production_id", "platform", "viewer", "day"),
        started_at=slot("now"),
        updated_at=slot("now"),
    )
)
_PLAY = Prepared(
    Play.select(Play.started_at, Play.watched_seconds, Deliverable.duration_seconds)
    .join(Deliverable, JOIN.LEFT_OUTER, on=posts.is_video_of(Play))
    .where(Play.id == slot("id"), Play.viewer == slot("viewer"))
)
_PARTNER = Prepared(
    Production.select(Production.partner_id)
    .join(Play, on=Play.production_id == Production.id)
    .where(Play.id == slot("id"))
)
_PROGRESS = Prepared(
    Play.update(watched_seconds=slot("watched"), updated_at=slot("now")).where(
        Play.id == slot("id"), Play.watched_seconds < slot("watched")
    )
)
_REMOVE_UNWATCHED = Prepared(
    Play.delete().where(Play.watched_seconds == 0, Play.started_at < slot("before"))
)
_PUBLISHED = Prepared(
    Publication.select(
        Publication.platform,
        Publication.platform_post_id,
        Publication.figures,
        Publication.figures_at,
        Deliverable.duration_seconds,
    )
    .join(Deliverable, JOIN.LEFT_OUTER, on=posts.is_video_of(Publication))
    .where(Publication.production_id == slot("production_id"), Publication.status == "Published")
    .order_by(Publication.platform)
)
# A play without watched seconds is not counted as a view.
_WATCHED = (Play.production_id == slot("production_id")) & (Play.watched_seconds > 0)
_VIEWS_BY_DAY = (
    Play.select(
        Play.platform,
        Play.day,
        fn.count(SQL("1")).alias("views"),
        fn.sum(Play.watched_seconds).alias("watched"),
    )
    .where(_WATCHED)
    .group_by(Play.platform, Play.day)
    .union_all(
        PlayDay.select(PlayDay.platform, PlayDay.day, PlayDay.views, PlayDay.watched_seconds).where(
            PlayDay.production_id == slot("production_id")
        )
    )
    .alias("both_kinds")
)
_VIEWS = Prepared(
    Play.select(
        _VIEWS_BY_DAY.c.platform,
        _VIEWS_BY_DAY.c.day,
        fn.sum(_VIEWS_BY_DAY.c.views).alias("views"),
        fn.sum(_VIEWS_BY_DAY.c.watched).alias("watched"),
    )
    .from_(_VIEWS_BY_DAY)
    .group_by(_VIEWS_BY_DAY.c.platform, _VIEWS_BY_DAY.c.day)
    .order_by(_VIEWS_BY_DAY.c.day)
)
_DIFFERENT = fn.count(Play.viewer.distinct())
_ALL_VIEWERS = (
    Play.select(Play.platform, _DIFFERENT.alias("viewers"))
    .where(_WATCHED)
    .group_by(Play.platform)
    .union_all(Play.select(Value(""), _DIFFERENT).where(_WATCHED))
    .union_all(
        PlayViewer.select(PlayViewer.platform, PlayViewer.viewers).where(
            PlayViewer.production_id == slot("production_id")
        )
    )
    .alias("both_kinds")
)
_VIEWERS = Prepared(
    Play.select(_ALL_VIEWERS.c.platform, fn.sum(_ALL_VIEWERS.c.viewers).alias("viewers"))
    .from_(_ALL_VIEWERS)
    .group_by(_ALL_VIEWERS.c.platform)
)


def start_play(platform_post_id: str, viewer_hash: bytes, now: int, address: str = "") -> str:
    """Start a play of a watch page, and return its id. ``address``: of the viewer; empty: do not
    limit.

    While the viewer's previous play could still be running, its id is returned: reloading the page,
    or sending the request again, is not a second view. NotFound: no such page. RateLimitExceeded:
    too many plays from the network.
    """
    shown = posts.find_post(platform_post_id)
    still_running = now - int((shown.duration_seconds or 0) * clock.SECOND)
    partner_id = lifecycle.find_partner(shown.production_id)
    with db.transaction(durable=False, partner=partner_id):
        running = _RUNNING.row(
            viewer=viewer_hash,
            post_id=platform_post_id,
            since=still_running,
            latest=now + clock.SKEW,
        )
        if running:
            return str(running["id"])
        if address:
            _starts.count(address, now)
        play_id = ids.make_id(now)
        _START.execute(
            id=play_id,
            platform_post_id=platform_post_id,
            production_id=shown.production_id,
            platform=shown.platform,
            viewer=viewer_hash,
            day=clock.format_day(now),
            now=now,
        )
    return play_id


def record_progress(play_id: str, viewer_hash: bytes, watched_seconds: float, now: int) -> float:
    """Record the watched seconds of a play, and return the accepted value. NotFound: the viewer has
    no such play.

    The value never decreases, and never exceeds the video's duration or the time since the play
    started.
    """
    partner_id = _PARTNER.value(id=play_id)
    with db.transaction(durable=False, partner=partner_id):
        play = _PLAY.row(id=play_id, viewer=viewer_hash)
        if play is None:
            raise NotFound()
        elapsed = max(0, now - play["started_at"]) / clock.SECOND + ALLOWANCE_SECONDS
        accepted: float = min(watched_seconds, elapsed, play["duration_seconds"] or 0.0)
        if accepted <= play["watched_seconds"]:
            return float(play["watched_seconds"])
        _PROGRESS.execute(id=play_id, watched=accepted, now=now)
    return accepted


def remove_unwatched(before: int) -> int:
    """Delete plays from before ``before`` (ms) without watched seconds, and return their number."""
    with db.transaction():
        return _REMOVE_UNWATCHED.execute(before=before)


def represent(production: ProductionState, now: int) -> dict[str, Any]:
    """Return the performance object of a production (DECISIONS.md §6).

    PerformanceDataNotReady: it is not Published.
    """
    if production["status"] != states.PUBLISHED:
        raise PerformanceDataNotReady(
            "Performance data exists once the production is Published; it is "
            f"{production['status']}."
        )
    views = _VIEWS.rows(production_id=production["id"])
    counts = _VIEWERS.rows(production_id=production["id"])
    viewers = {count["platform"]: count["viewers"] for count in counts}
    published = _PUBLISHED.rows(production_id=production["id"])
    return {
        "productionId": production["id"],
        "asOf": clock.format_time(now),
        "totals": _sum_figures(
            views,
            viewers.get("", 0),
            {post["platform"]: post["duration_seconds"] for post in published},
        ),
        "platforms": [_represent_platform(post, views, viewers) for post in published],
        "daily": _represent_days(views),
    }


def _represent_platform(
    published: Row, views: list[Row], viewers: dict[str, Any]
) -> dict[str, Any]:
    name = published["platform"]
    own = [day for day in views if day["platform"] == name]
    figures = _sum_figures(own, viewers.get(name, 0), {name: published["duration_seconds"]})
    is_measured = name in posts.SHAPES
    imported = json.loads(published["figures"]) if published["figures"] else {}
    # null, not zero
    counted = figures if is_measured else {**dict.fromkeys(figures), "views": imported.get("views")}
    return {
        "platform": name,
        "platformPostId": published["platform_post_id"],
        "dataSource": MEASURED if is_measured else IMPORTED if imported else None,
        **counted,
        "likes": imported.get("likes"),
        "shares": imported.get("shares"),
        "asOf": clock.format_time(published["figures_at"]) if imported else None,
    }


def _sum_figures(
    views: list[Row], viewers: int, durations: dict[str, float | None]
) -> dict[str, Any]:
    """Return the sums of ``views``; the percentage covers videos of known duration,
    and is None without plays of those.
    """
    timed = [day for day in views if durations.get(day["platform"])]
    plays = sum(day["views"] for day in timed)
    # watched seconds in multiples of the video
    full_views = sum(day["watched"] / durations[day["platform"]] for day in timed)
    return {
        "views": sum(day["views"] for day in views),
        "uniqueViewers": viewers,
        "watchTimeSeconds": round(sum(day["watched"] for day in views), 1),
        "averagePercentViewed": round(100 * full_views / plays, 1) if plays else None,
    }


def _represent_days(views: list[Row]) -> list[dict[str, Any]]:
    """Return one entry for each UTC day with views, oldest first."""
    days: dict[str, list[Any]] = defaultdict(lambda: [0, 0.0])
    for entry in views:
        days[entry["day"]][0] += entry["views"]
        days[entry["day"]][1] += entry["watched"]
    return [
        {"date": day, "views": count, "watchTimeSeconds": round(watched, 1)}
        for day, (count, watched) in days.items()
    ]
