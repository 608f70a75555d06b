"""The events of productions: each gets the next sequence number and is queued for every matching
subscription. They are read by production, and in the feed of a partner: all events that a key may
see, oldest first, in commit order.
"""

import json
import logging
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from svc.base import clock
from svc.base.text import json_text
from svc.domain.caller import Caller
from svc.domain.monitoring import metrics
from svc.domain.tables.productions import EventSource
from svc.domain.tables.webhooks import Event
from svc.domain.webhooks import event_types, long_polls, outbox, subscriptions
from svc.domain.webhooks.event_types import Data, EventType
from svc.store import wake
from svc.store.database import db
from svc.store.expressions import JOIN, elements, fn, greatest, is_same
from svc.store.models import webhooks as models
from svc.store.models.partners import Account
from svc.store.models.productions import Production
from svc.store.queries import Prepared, slot, slots

log = logging.getLogger("svc.events")

LONGEST_WAIT = 30  # seconds that a request may wait for events of the feed
LATEST = "latest"  # in place of a cursor: after the newest event
_POSITIONS_PER_MILLISECOND = 1024  # of the feed
_LOOKED_AT = 1000  # events read in one call; the key may not address the accounts of most of them

_NEXT_SEQUENCE = Prepared(
    Production.update(last_sequence=Production.last_sequence + 1)
    .where(Production.id == slot("id"))
    .returning(Production.last_sequence)
)
_NEXT_FURTHER = Prepared(
    models.Event.select(
        fn.coalesce(fn.max(models.Event.sequence), event_types.FURTHER_NUMBERS) + 1
    ).where(
        models.Event.production_id == slot("id"),
        models.Event.sequence > event_types.FURTHER_NUMBERS,
    )
)
# Positions in the feed increase in commit order, even if the clock is set back, and with the time,
# so that the positions of pruned events are not used again.
_EARLIER = models.Event.alias("earlier")
_LAST_POSITION = _EARLIER.select(fn.max(_EARLIER.position))
_OF_PARTNER = _LAST_POSITION.where(_EARLIER.partner_id == slot("partner_id"))
_INSERT = Prepared(
    models.Event.insert(
        **slots(
            "production_id",
            "sequence",
            "partner_id",
            "account_id",
            "event_type",
            "at",
            "correlation_id",
            "truncated",
            "data",
        ),
        position=greatest(slot("at") * _POSITIONS_PER_MILLISECOND, fn.coalesce(_OF_PARTNER, 0) + 1),
    )
)
# After the event with a number, in the order in which they happened; where there is none, after the
# last one before it.
_NUMBERED = _LAST_POSITION.where(
    _EARLIER.production_id == slot("production_id"),
    _EARLIER.sequence <= slot("number"),
    (_EARLIER.sequence > event_types.FURTHER_NUMBERS)
    == (slot("number") > event_types.FURTHER_NUMBERS),
)
_AFTER = Prepared(
    models.Event.select()
    .where(
        models.Event.production_id == slot("production_id"),
        models.Event.position > fn.coalesce(_NUMBERED, -1),
    )
    .order_by(models.Event.position)
    .limit(slot("limit")),
    Event,
)
_AFTER_POSITION = (models.Event.partner_id == slot("partner_id")) & (
    models.Event.position > slot("after")
)
_FOLLOWING = (
    models.Event.select(models.Event.position)
    .where(_AFTER_POSITION)
    .order_by(models.Event.position)
    .limit(slot("looked_at"))
    .alias("next")
)
_BOUND = Prepared(
    models.Event.select(fn.max(_FOLLOWING.c.position), fn.count(_FOLLOWING.c.position)).from_(
        _FOLLOWING
    )
)
_FEED = Prepared(
    models.Event.select()
    .join(Account, JOIN.CROSS)
    .where(
        _AFTER_POSITION,
        models.Event.position <= slot("bound"),
        Account.id == models.Event.account_id,
        Account.environment == slot("environment"),
        is_same(Account.creator, slot("creator")),
        slot("permitted").cast("text").is_null()
        | models.Event.account_id.in_(elements(slot("permitted"))),
    )
    .order_by(models.Event.position)
    .limit(slot("limit")),
    Event,
)
_NEWEST = Prepared(
    models.Event.select(fn.max(models.Event.position)).where(
        models.Event.partner_id == slot("partner_id")
    )
)


def record(
    production: EventSource,
    event_type: EventType[Data],
    data: Data,
    now: int,
    *,
    truncated: bool = False,
    correlation_id: str | None = None,
    sequence: int | None = None,
) -> int:
    """Record an event of ``production``, queue it for its partner's webhooks, and return its
    sequence number.

    Call it inside a transaction, together with the change that it reports, so that both are
    committed or neither is.

    Args:
        production: Its ``external_id``, if set, is added to the data.
        correlation_id: Of the causing request; None: that of the production.
        sequence: The number, if the production was already written with it as its last.
    """
    name = event_type.name
    if sequence is None:
        sequence = _find_next_sequence(production["id"], name)
    partner_id, account_id = production["partner_id"], production["account_id"]
    correlation_id = correlation_id or production["correlation_id"]
    shown: Mapping[str, object] = data
    if production["external_id"] is not None:
        reference: event_types.Reference = {"externalId": production["external_id"]}
        shown = {**data, **reference}
    text = json_text.text(shown)
    _INSERT.execute(
        production_id=production["id"],
        sequence=sequence,
        partner_id=partner_id,
        account_id=account_id,
        event_type=name,
        at=now,
        correlation_id=correlation_id,
        truncated=truncated,
        data=text,
    )
    matches = subscriptions.find_matching(partner_id, account_id, name)
    if matches:
        entry = _represent_event(
            name, production["id"], account_id, now, sequence, correlation_id, truncated, shown
        )
        outbox.enqueue(matches, entry, now)
    wake.wake_on_commit()
    db.after_commit(long_polls.wake)
    db.after_commit(
        partial(_report_event, name, production["id"], sequence, partner_id, correlation_id)
    )
    return sequence


def _report_event(
    event_type: str, production_id: str, sequence: int, partner_id: str, correlation_id: str
) -> None:
    metrics.increment("events", event_type)
    fields = {"correlation": correlation_id, "partner": partner_id, "production": production_id}
    log.info("%s is event %d", event_type, sequence, extra=fields)


def _find_next_sequence(production_id: str, event_type: str) -> int:
    """Return the number of a production's next event: those that only some hear have numbers
    of their own.
    """
    if event_type in event_types.FURTHER:
        return int(_NEXT_FURTHER.value(id=production_id))
    [(number,)] = _NEXT_SEQUENCE.rows(id=production_id)
    return int(number)


def list_after(production_id: str, after_sequence: int, limit: int) -> tuple[list[Event], bool]:
    """Return at most ``limit`` events of a production after a sequence number, oldest first,
    and whether there are more.
    """
    events = _AFTER.rows(production_id=production_id, number=after_sequence, limit=limit + 1)
    return events[:limit], len(events) > limit


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
    return 0 if since is None else since * _POSITIONS_PER_MILLISECOND - 1


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
    result, waited = long_polls.room.wait(caller.partner_id, seconds, look)
    return result or Part([], False, position), waited


def read_part(caller: Caller, after: int, limit: int) -> Part:
    """Return at most ``limit`` events after a position.

    Events that the key may not see are skipped.
    """
    bound, number = _BOUND.one(partner_id=caller.partner_id, after=after, looked_at=_LOOKED_AT)
    if bound is None:
        return Part([], False, after)
    rows = _FEED.rows(
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


def represent(event: Event) -> dict[str, Any]:
    """Return an event as in ``GET /v1/productions/{productionId}/events``:
    the envelope without an eventId.
    """
    return _represent_event(
        event["event_type"],
        event["production_id"],
        event["account_id"],
        event["at"],
        event["sequence"],
        event["correlation_id"],
        bool(event["truncated"]),
        json.loads(event["data"]),
    )


def _represent_event(
    event_type: str,
    production_id: str,
    account_id: str,
    at: int,
    sequence: int,
    correlation_id: str,
    truncated: bool,
    data: Mapping[str, object],
) -> dict[str, Any]:
    return {
        "eventType": event_type,
        "productionId": production_id,
        "accountId": account_id,
        "timestamp": clock.format_time(at),
        "sequenceNumber": sequence,
        "correlationId": correlation_id,
        "truncated": bool(truncated),
        "data": data,
    }
