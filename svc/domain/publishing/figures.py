"""The figures that places count of posts, such as views: when each is read next, and what was read."""

import json
from typing import TypedDict

from svc.base import clock
from svc.domain import rows
from svc.store import database

_FASTEST = clock.HOUR
_SLOWEST, _END = clock.DAY, 365 * clock.DAY  # the longest pause; after a year nothing is read any more
_AGAIN = 6 * clock.HOUR  # after a failure
_DUE = """
    SELECT production_id, platform, connection_id, platform_post_id, published_at, figures_due FROM publications
    WHERE figures_due IS NOT NULL AND figures_due <= ? ORDER BY figures_due LIMIT ?
"""
_RECORD = """
    UPDATE publications SET figures = ?, figures_at = ?, figures_due = ?, platform_post_id = coalesce(?, platform_post_id),
        post_url = coalesce(?, post_url)
    WHERE production_id = ? AND platform = ? AND status = 'Published' AND figures_due = ?
"""
_POSTPONE = "UPDATE publications SET figures_due = ? WHERE production_id = ? AND platform = ? AND figures_due = ?"


class Due(TypedDict):
    """A publication whose figures are to be read."""

    production_id: str
    platform: str
    connection_id: str
    platform_post_id: str | None
    published_at: int
    figures_due: int


def due(now: int, most: int) -> list[Due]:
    """Return the publications whose figures are due, the longest due first."""
    return rows.every(Due, _DUE, (now, most))


def record(of: Due, figures: dict[str, int | None], now: int, post_id: str | None = None, post_url: str | None = None) -> None:
    """Store figures that were read, unless the publication was withdrawn in the meantime.

    ``post_id``, ``post_url``: of the post, if it has others by now.
    """
    where = of["production_id"], of["platform"], of["figures_due"]
    values = (json.dumps(figures), now, _next(of, now), post_id, post_url, *where)
    with database.write():
        database.execute(_RECORD, values)


def postpone(of: Due, now: int) -> None:
    """Read the figures later, as the place did not tell them."""
    _set_due(of, now + _AGAIN)


def give_up(of: Due) -> None:
    """Read the figures no more, as there are none; those that were read stay."""
    _set_due(of, None)


def _next(of: Due, now: int) -> int | None:
    """Return when to read again: the older the post, the longer the pause."""
    age = now - of["published_at"]
    return None if age > _END else now + min(max(_FASTEST, age // 10), _SLOWEST)


def _set_due(of: Due, at: int | None) -> None:
    with database.write():
        database.execute(_POSTPONE, (at, of["production_id"], of["platform"], of["figures_due"]))
