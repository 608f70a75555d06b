"""Aggregates old plays to sums, so that anonymous viewing does not grow the database without bound.

A viewer is identified by a cookie that expires 30 days after their last play. So after a longer time without a play of a
production the same viewer cannot return, and their plays can be replaced by sums without changing any figure.
"""

from svc.base import clock
from svc.store import database

VIEWER_KNOWN = 30 * clock.DAY  # how long a viewer's cookie is kept after a play
_MARGIN = clock.DAY
_BATCH = 500  # viewers in one transaction

_GONE = """
    SELECT production_id, viewer FROM plays GROUP BY production_id, viewer
    HAVING max(started_at) < ? LIMIT ?
"""
_THEIRS = "(production_id, viewer) = (:production, :viewer) AND watched_seconds > 0"
_DAYS = f"""
    INSERT INTO play_days (production_id, platform, day, views, watched_seconds)
    SELECT production_id, platform, day, count(*), sum(watched_seconds) FROM plays WHERE {_THEIRS}
    GROUP BY production_id, platform, day
    ON CONFLICT (production_id, platform, day) DO UPDATE SET views = play_days.views + excluded.views,
        watched_seconds = play_days.watched_seconds + excluded.watched_seconds
"""
# The platform '' counts viewers over all platforms, each once.
_VIEWERS = f"""
    INSERT INTO play_viewers (production_id, platform, viewers)
    SELECT production_id, platform, 1 FROM plays WHERE {_THEIRS} GROUP BY production_id, platform
    UNION ALL SELECT production_id, '', 1 FROM plays WHERE {_THEIRS} GROUP BY production_id
    ON CONFLICT (production_id, platform) DO UPDATE SET viewers = play_viewers.viewers + 1
"""
_FORGET = "DELETE FROM plays WHERE production_id = :production AND viewer = :viewer"


def add_up(now: int) -> int:
    """Replace the plays of viewers who cannot return by sums, and return the number of viewers."""
    number = 0
    while True:
        with database.write():
            viewers = database.rows(_GONE, (now - VIEWER_KNOWN - _MARGIN, _BATCH))
            for viewer in viewers:
                params = {"production": viewer["production_id"], "viewer": viewer["viewer"]}
                for statement in (_DAYS, _VIEWERS, _FORGET):
                    database.execute(statement, params)
        number += len(viewers)
        if len(viewers) < _BATCH:
            return number
