"""The feed: every event of a partner that a key may see, oldest first, in the order in which they were committed."""

from typing import NamedTuple

from svc.domain.caller import Caller
from svc.domain.rows import every
from svc.domain.tables import Event
from svc.domain.webhooks.long_polls import room
from svc.store import database

LONGEST_WAIT = 30  # seconds
LATEST = "latest"  # instead of a cursor: after the newest event
_MILLISECOND = 1024  # places in the feed that belong to one (svc.domain.webhooks.events)
_LOOKED_AT = 1000  # events in one call; most of them may be of accounts that the key does not reach

_BOUND = """
    SELECT max(position), count(*) FROM (
        SELECT position FROM events WHERE partner_id = :partner AND position > :after ORDER BY position LIMIT :looked_at)
"""
_PAGE = """
    SELECT e.* FROM events e CROSS JOIN accounts a ON a.id = e.account_id
    WHERE e.partner_id = :partner AND e.position > :after AND e.position <= :bound
      AND a.environment = :environment AND a.creator IS :creator
      AND (:permitted IS NULL OR e.account_id IN (SELECT value FROM json_each(:permitted)))
    ORDER BY e.position LIMIT :limit
"""
_NEWEST = "SELECT max(position) FROM events WHERE partner_id = ?"


class Part(NamedTuple):
    """Events, whether there are more, and the place in the feed after them."""

    rows: list[Event]
    has_more: bool
    position: int


def start(caller: Caller, since: int | None, latest: bool) -> int:
    """The place in the feed before the events from ``since`` on; before all of them, or after the newest."""
    if latest:
        return database.one(_NEWEST, (caller.partner_id,))[0] or 0
    return 0 if since is None else since * _MILLISECOND - 1


def follow(caller: Caller, after: int, limit: int, seconds: float) -> tuple[Part, bool]:
    """The next events after a place in the feed, waiting for one for at most ``seconds``; whether the caller did wait, or
    could have: False where too many wait already."""
    place = after

    def look() -> Part | None:
        nonlocal place
        part = read(caller, place, limit)
        place = part.position
        return part if part.rows or part.has_more else None

    if not seconds:
        return look() or Part([], False, place), False
    found, waited = room.wait(caller.partner_id, seconds, look)
    return found or Part([], False, place), waited


def read(caller: Caller, after: int, limit: int) -> Part:
    """The next events after a place in the feed, at most ``limit``. What others may see is passed over."""
    query = {
        "partner": caller.partner_id, "after": after, "looked_at": _LOOKED_AT, "limit": limit + 1,
        "environment": caller.account_environment, "creator": caller.sandbox_owner, "permitted": caller.permitted_text,
    }  # fmt: skip
    bound, number = database.one(_BOUND, query)
    if bound is None:
        return Part([], False, after)
    rows = every(Event, _PAGE, query | {"bound": bound})
    if len(rows) > limit:
        return Part(rows[:limit], True, rows[limit - 1]["position"])
    return Part(rows, number == _LOOKED_AT, bound)
