"""The event feed of a partner: all events that a key may see, oldest first, in commit order."""

from typing import NamedTuple

from svc.domain.caller import Caller
from svc.domain.rows import every
from svc.domain.tables.webhooks import Event
from svc.domain.webhooks.long_polls import room
from svc.store import database

LONGEST_WAIT = 30  # seconds
LATEST = "latest"  # in place of a cursor: after the newest event
_MILLISECOND = 1024  # positions in the feed for each millisecond (svc.domain.webhooks.events)
_LOOKED_AT = 1000  # events read in one call; the key may not address the accounts of most of them

_BOUND = """
    SELECT max(position), count(*) FROM (
        SELECT position FROM events WHERE partner_id = :partner AND position > :after ORDER BY position LIMIT :looked_at
    ) AS next
"""
_PAGE = """
    SELECT e.* FROM events e CROSS JOIN accounts a ON a.id = e.account_id
    WHERE e.partner_id = :partner AND e.position > :after AND e.position <= :bound
      AND a.environment = :environment AND a.creator IS NOT DISTINCT FROM :creator
      AND (:permitted IS NULL OR e.account_id IN (SELECT value FROM json_each(:permitted)))
    ORDER BY e.position LIMIT :limit
"""
_NEWEST = "SELECT max(position) FROM events WHERE partner_id = ?"


class Part(NamedTuple):
    """Events, whether there are more, and the position in the feed after them."""

    rows: list[Event]
    has_more: bool
    position: int


def start(caller: Caller, since: int | None, latest: bool) -> int:
    """Return the position before the events from ``since`` (milliseconds; None: all) on, or after the newest event."""
    if latest:
        return database.one(_NEWEST, (caller.partner_id,))[0] or 0
    return 0 if since is None else since * _MILLISECOND - 1


def follow(caller: Caller, after: int, limit: int, seconds: float) -> tuple[Part, bool]:
    """Return the next events after a position, waiting at most ``seconds`` for the first, and whether waiting was possible.

    Waiting is not possible if ``seconds`` is 0 or too many requests wait already.
    """
    position = after

    def look() -> Part | None:
        nonlocal position
        part = read(caller, position, limit)
        position = part.position
        return part if part.rows or part.has_more else None

    if not seconds:
        return look() or Part([], False, position), False
    result, waited = room.wait(caller.partner_id, seconds, look)
    return result or Part([], False, position), waited


def read(caller: Caller, after: int, limit: int) -> Part:
    """Return at most ``limit`` events after a position. Events that the key may not see are skipped."""
    params = {
        "partner": caller.partner_id,
        "after": after,
        "looked_at": _LOOKED_AT,
        "limit": limit + 1,
        "environment": caller.account_environment,
        "creator": caller.sandbox_owner,
        "permitted": caller.permitted_text,
    }
    bound, number = database.one(_BOUND, params)
    if bound is None:
        return Part([], False, after)
    rows = every(Event, _PAGE, params | {"bound": bound})
    if len(rows) > limit:
        return Part(rows[:limit], True, rows[limit - 1]["position"])
    return Part(rows, number == _LOOKED_AT, bound)
