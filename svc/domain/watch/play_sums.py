"""Plays of long ago as sums, so that what strangers watch, or pretend to, does not grow the database for ever.

A viewer is known by a cookie that ends 30 days after their last play: whoever has not played anything of a production for
longer can never come back as the same viewer. So they and their plays are counted once and for all, and no figure changes.
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
    ON CONFLICT DO UPDATE SET views = views + excluded.views, watched_seconds = watched_seconds + excluded.watched_seconds
"""
# '' is the viewer of any platform, who is one however many there are.
_VIEWERS = f"""
    INSERT INTO play_viewers (production_id, platform, viewers)
    SELECT production_id, platform, 1 FROM plays WHERE {_THEIRS} GROUP BY production_id, platform
    UNION ALL SELECT production_id, '', 1 FROM plays WHERE {_THEIRS} GROUP BY production_id
    ON CONFLICT DO UPDATE SET viewers = viewers + 1
"""
_FORGET = "DELETE FROM plays WHERE production_id = :production AND viewer = :viewer"


def add_up(now: int) -> int:
    """Add up the plays of viewers who cannot come back; of how many viewers."""
    number = 0
    while True:
        with database.write():
            gone = database.rows(_GONE, (now - VIEWER_KNOWN - _MARGIN, _BATCH))
            for row in gone:
                whose = {"production": row["production_id"], "viewer": row["viewer"]}
                for statement in (_DAYS, _VIEWERS, _FORGET):
                    database.execute(statement, whose)
        number += len(gone)
        if len(gone) < _BATCH:
            return number
