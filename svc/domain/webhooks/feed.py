"""The event feed of a partner: all events that a key may see, oldest first, in commit order."""

from typing import NamedTuple

from svc.domain.caller import Caller
from svc.domain.tables.webhooks import Event
from svc.domain.webhooks.long_polls import room
from svc.store.expressions import JOIN, elements, fn, is_same
from svc.store.models import webhooks as models
from svc.store.models.partners import Account
from svc.store.queries import Prepared, slot

LONGEST_WAIT = 30  # seconds
LATEST = "latest"  # in place of a cursor: after the newest event
_MILLISECOND = 1024  # positions in the feed for each millisecond (svc.domain.webhooks.events)
_LOOKED_AT = 1000  # events read in one call; the key may not address the accounts of most of them

_EVENT = models.Event
_AFTER = (_EVENT.partner_id == slot("partner_id")) & (_EVENT.position > slot("after"))
_NEXT = (
    _EVENT.select(_EVENT.position)
    .where(_AFTER)
    .order_by(_EVENT.position)
    .limit(slot("looked_at"))
    .alias("next")
)
_BOUND = Prepared(_EVENT.select(fn.max(_NEXT.c.position), fn.count(_NEXT.c.position)).from_(_NEXT))
_PAGE = Prepared(
    _EVENT.select()
    .join(Account, JOIN.CROSS)
    .where(
        _AFTER,
        _EVENT.position <= slot("bound"),
        Account.id == _EVENT.account_id,
        Account.environment == slot("environment"),
        is_same(Account.creator, slot("creator")),
        slot("permitted").cast("text").is_null()
        | _EVENT.account_id.in_(elements(slot("permitted"))),
    )
    .order_by(_EVENT.position)
    .limit(slot("limit")),
    Event,
)
_NEWEST = Prepared(
    _EVENT.select(fn.max(_EVENT.position)).where(_EVENT.partner_id == slot("partner_id"))
)


class Part(NamedTuple):
    """Events, whether there are more, and the position in the feed after them."""

    rows: list[Event]
    has_more: bool
    position: int


def find_position(caller: Caller, since: int | None, latest: bool) -> int:
    """Return the position before the events from ``since`` (milliseconds; None: all) on,
    or after the newest event.
    """
    if latest:
        return int(_NEWEST.value(partner_id=caller.partner_id) or 0)
    return 0 if since is None else since * _MILLISECOND - 1


def wait_for_events(caller: Caller, after: int, limit: int, seconds: float) -> tuple[Part, bool]:
    """Return the next events after a position, waiting at most ``seconds`` for the first, and
    whether waiting was possible.

    Waiting is not possible if ``seconds`` is 0 or too many requests wait already.
    """
    position = after

    def look() -> Part | None:
        nonlocal position
        part = read_part(caller, position, limit)
        position = part.position
        return part if part.rows or part.has_more else None

    if not seconds:
        return look() or Part([], False, position), False
    result, waited = room.wait(caller.partner_id, seconds, look)
    return result or Part([], False, position), waited


def read_part(caller: Caller, after: int, limit: int) -> Part:
    """Return at most ``limit`` events after a position.

    Events that the key may not see are skipped.
    """
    bound, number = _BOUND.one(partner_id=caller.partner_id, after=after, looked_at=_LOOKED_AT)
    if bound is None:
        return Part([], False, after)
    rows = _PAGE.rows(
        partner_id=caller.partner_id,
        after=after,
        bound=bound,
        limit=limit + 1,
        environment=caller.account_environment,
        creator=caller.sandbox_owner,
        permitted=caller.permitted_text,
    )
    if len(rows) > limit:
        return Part(rows[:limit], True, rows[limit - 1]["position"])
    return Part(rows, number == _LOOKED_AT, bound)
