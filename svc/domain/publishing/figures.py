"""The figures that places count of posts, such as views: when each is read next,
and what was read.
"""

import json
from typing import Any, TypedDict

from svc.base import clock
from svc.store.database import db
from svc.store.expressions import fn
from svc.store.models.publishing import Publication
from svc.store.queries import Prepared, slot

_FASTEST = clock.HOUR
# The longest pause between two readings, and the age at which nothing is read any more.
_SLOWEST, _END = clock.DAY, 365 * clock.DAY
_AGAIN = 6 * clock.HOUR  # after a failure
_THIS_ONE = (
    (Publication.production_id == slot("production_id"))
    & (Publication.platform == slot("platform"))
    & (Publication.figures_due == slot("due"))
)
_RECORD = Prepared(
    Publication.update(
        figures=slot("figures"),
        figures_at=slot("now"),
        figures_due=slot("next"),
        platform_post_id=fn.coalesce(slot("post_id"), Publication.platform_post_id),
        post_url=fn.coalesce(slot("post_url"), Publication.post_url),
    ).where(_THIS_ONE, Publication.status == "Published")
)
_POSTPONE = Prepared(Publication.update(figures_due=slot("next")).where(_THIS_ONE))


class Due(TypedDict):
    """A publication whose figures are to be read."""

    production_id: str
    platform: str
    connection_id: str
    platform_post_id: str | None
    published_at: int
    figures_due: int


def _query_due(*conditions: Any) -> Prepared[Due]:
    return Prepared(
        Publication.select(
            Publication.production_id,
            Publication.platform,
            Publication.connection_id,
            Publication.platform_post_id,
            Publication.published_at,
            Publication.figures_due,
        )
        .where(Publication.figures_due.is_null(False), *conditions)
        .order_by(Publication.figures_due)
        .limit(slot("most")),
        Due,
    )


_DUE = _query_due(Publication.figures_due <= slot("now"))
# Due after more than the longest pause, but for a post that appears later: that was reckoned before
# the clock was set back.
_STRANDED = _query_due(
    Publication.figures_due > slot("latest"),
    Publication.publish_at.is_null() | (Publication.publish_at <= slot("now")),
)


def list_due(now: int, most: int) -> list[Due]:
    """Return the publications whose figures are due, the longest due first."""
    due = _DUE.rows(now=now, most=most)
    latest = now + _SLOWEST + clock.SKEW
    return due + _STRANDED.rows(now=now, latest=latest, most=most - len(due))


def record_figures(
    of: Due,
    figures: dict[str, int | None],
    now: int,
    post_id: str | None = None,
    post_url: str | None = None,
) -> None:
    """Store figures that were read, unless the publication was withdrawn in the meantime.

    ``post_id``, ``post_url``: of the post, if it has others by now.
    """
    with db.transaction(in_turn=False):
        _RECORD.execute(
            **_make_key(of),
            figures=json.dumps(figures),
            now=now,
            next=_compute_next_reading(of, now),
            post_id=post_id,
            post_url=post_url,
        )


def postpone(of: Due, now: int) -> None:
    """Read the figures later, as the place did not tell them."""
    _set_due(of, now + _AGAIN)


def give_up(of: Due) -> None:
    """Read the figures no more, as there are none; those that were read stay."""
    _set_due(of, None)


def _compute_next_reading(of: Due, now: int) -> int | None:
    """Return when to read again: the older the post, the longer the pause."""
    age = now - of["published_at"]
    return None if age > _END else now + min(max(_FASTEST, age // 10), _SLOWEST)


def _set_due(of: Due, at: int | None) -> None:
    with db.transaction(in_turn=False):
        _POSTPONE.execute(**_make_key(of), next=at)


def _make_key(of: Due) -> dict[str, str | int]:
    return {
        "production_id": of["production_id"],
        "platform": of["platform"],
        "due": of["figures_due"],
    }
