"""Aggregates old plays to sums, so that anonymous viewing does not grow the database without bound.

A viewer is identified by a cookie that expires 30 days after their last play. So after a longer
time without a play of a production the same viewer cannot return, and their plays can be replaced
by sums without changing any figure.
"""

from svc.base import clock
from svc.store.database import db
from svc.store.expressions import EXCLUDED, SQL, Value, fn
from svc.store.models.watch import Play, PlayDay, PlayViewer
from svc.store.queries import Prepared, slot

VIEWER_KNOWN = 30 * clock.DAY  # how long a viewer's cookie is kept after a play
_MARGIN = clock.DAY
_BATCH = 500  # viewers in one transaction

_GONE = Prepared(
    Play.select(Play.production_id, Play.viewer)
    .group_by(Play.production_id, Play.viewer)
    .having(fn.max(Play.started_at) < slot("before"))
    .limit(_BATCH)
)
_THEIRS = (Play.production_id == slot("production_id")) & (Play.viewer == slot("viewer"))
_WATCHED = _THEIRS & (Play.watched_seconds > 0)
_DAY = (Play.production_id, Play.platform, Play.day)
_DAYS = Prepared(
    PlayDay.insert_from(
        Play.select(*_DAY, fn.count(SQL("1")), fn.sum(Play.watched_seconds))
        .where(_WATCHED)
        .group_by(*_DAY),
        [
            PlayDay.production_id,
            PlayDay.platform,
            PlayDay.day,
            PlayDay.views,
            PlayDay.watched_seconds,
        ],
    ).on_conflict(
        conflict_target=[PlayDay.production_id, PlayDay.platform, PlayDay.day],
        update={
            PlayDay.views: PlayDay.views + EXCLUDED.views,
            PlayDay.watched_seconds: PlayDay.watched_seconds + EXCLUDED.watched_seconds,
        },
    )
)
# The platform '' counts viewers over all platforms, each once.
_VIEWERS = Prepared(
    PlayViewer.insert_from(
        Play.select(Play.production_id, Play.platform, SQL("1"))
        .where(_WATCHED)
        .group_by(Play.production_id, Play.platform)
        .union_all(
            Play.select(Play.production_id, Value(""), SQL("1"))
            .where(_WATCHED)
            .group_by(Play.production_id)
        ),
        [PlayViewer.production_id, PlayViewer.platform, PlayViewer.viewers],
    ).on_conflict(
        conflict_target=[PlayViewer.production_id, PlayViewer.platform],
        update={PlayViewer.viewers: PlayViewer.viewers + 1},
    )
)
_FORGET = Prepared(Play.delete().where(_THEIRS))


def sum_plays(now: int) -> int:
    """Replace the plays of viewers who cannot return by sums, and return the number of viewers."""
    number = 0
    while True:
        with db.transaction():
            viewers = _GONE.rows(before=now - VIEWER_KNOWN - _MARGIN)
            for viewer in viewers:
                for query in (_DAYS, _VIEWERS, _FORGET):
                    query.execute(production_id=viewer["production_id"], viewer=viewer["viewer"])
        number += len(viewers)
        if len(viewers) < _BATCH:
            return number
