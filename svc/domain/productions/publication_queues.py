"""Which publication is next, and the queues of jobs that tell of publications which are due.

A job names no publication. Who does it takes the one whose turn it is.
"""

import json
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, Protocol, TypedDict

from svc.store import claims
from svc.store.database import db
from svc.store.expressions import JOIN, SQL, JsonTexts, Select, elements, fn
from svc.store.models.productions import Production
from svc.store.models.publishing import Publication
from svc.store.queries import Prepared, slot

HERE = "publishing"  # on this server's own platforms, which never wait for a place
AT_PLACES = "publishing.places"  # at places to which accounts are connected
# The most running publications of a partner at places, so that slow places do not hold up others.
_MOST_OF_PARTNER = 2


class DuePublication(TypedDict):
    """A publication that may be begun, and its partner."""

    production_id: str
    platform: str
    connection_id: str | None
    partner_id: str
    correlation_id: str


IS_OPEN = Publication.status.in_(("Pending", "Publishing"))
IS_DUE = IS_OPEN & (Publication.next_attempt_at <= slot("now")) & claims.is_free(Publication)
_COLUMNS = (
    Publication.production_id,
    Publication.platform,
    Publication.connection_id,
    Production.partner_id,
    Production.correlation_id,
)
_OF_PUBLICATION = Production.id == Publication.production_id
_IS_DUE_HERE = IS_DUE & Publication.connection_id.is_null()
_NEXT = Prepared(
    Publication.select(*_COLUMNS)
    .join(Production, on=_OF_PUBLICATION)
    .where(_IS_DUE_HERE, Production.partner_id.not_in(elements(slot("but"))))
    .order_by(Publication.next_attempt_at)
    .limit(1),
    DuePublication,
)
_NUMBER = Prepared(Publication.select(fn.count(SQL("1"))).where(_IS_DUE_HERE))
# One at a time for each connection, and few for each partner; who has fewest comes first. What this
# process carries out counts until it has ended, even when its lease was lost before; what others
# carry out ends with its lease.
_HELD, _OF_HELD = Publication.alias("held"), Production.alias("of_held")
_RUNNING = (
    _HELD.select(_HELD.connection_id, _OF_HELD.partner_id)
    .join(_OF_HELD, on=_OF_HELD.id == _HELD.production_id)
    .where(
        _HELD.claim_token.is_null(False),
        _HELD.connection_id.is_null(False),
        _HELD.claim_until > slot("now"),
        _HELD.claim_token.not_in(elements(slot("tokens"))),
    )
    .cte("running", columns=("connection_id", "partner_id"))
)
_HERE = JsonTexts(slot("partners"), "here")
_EACH = (Select((_RUNNING,), (_RUNNING.c.partner_id,)) + Select((_HERE,), (_HERE.c.value,))).alias(
    "each_one"
)
_TAKEN = (
    Select((_EACH,), (_EACH.c.partner_id, fn.count(SQL("1"))))
    .group_by(_EACH.c.partner_id)
    .cte("taken", columns=("partner_id", "workers"))
)
_WORKERS = fn.coalesce(_TAKEN.c.workers, 0)


def _connected_query(*columns: Any) -> Select:
    return (
        Publication.select(*columns)
        .join(Production, on=_OF_PUBLICATION)
        .join(_TAKEN, JOIN.LEFT_OUTER, on=_TAKEN.c.partner_id == Production.partner_id)
        .where(
            IS_DUE,
            Publication.connection_id.is_null(False),
            Publication.connection_id.not_in(Select((_RUNNING,), (_RUNNING.c.connection_id,))),
            Publication.connection_id.not_in(elements(slot("connections"))),
            Production.partner_id.not_in(elements(slot("but"))),
            _WORKERS < _MOST_OF_PARTNER,
        )
        .with_cte(_RUNNING, _TAKEN)
    )


_NEXT_AT_PLACES = Prepared(
    _connected_query(*_COLUMNS).order_by(_WORKERS, Publication.next_attempt_at).limit(1),
    DuePublication,
)
_FREE_CONNECTIONS = Prepared(
    _connected_query(
        Production.partner_id,
        fn.max(_WORKERS).alias("workers"),
        fn.count(Publication.connection_id.distinct()).alias("connections"),
    ).group_by(Production.partner_id)
)


class Carried(Protocol):
    """A publication that this process carries out at a place."""

    @property
    def token(self) -> str: ...
    @property
    def partner_id(self) -> str: ...
    @property
    def connection_id(self) -> str | None: ...


def find_next(
    now: int,
    at_places: bool = False,
    running: Sequence[Carried] = (),
    but: Collection[str] = (),
) -> DuePublication | None:
    """Return the publication that has been due longest; at places, of a partner with the fewest
    under way. None: none may be begun.

    ``running``: what this process carries out at places. ``but``: partners that are left out.
    """
    left_out = json.dumps([*but])
    if at_places:
        return _NEXT_AT_PLACES.row(now=now, but=left_out, **_make_running_values(running))
    return _NEXT.row(now=now, but=left_out)


def _make_running_values(running: Sequence[Carried] = ()) -> dict[str, str]:
    return {
        "tokens": json.dumps([each.token for each in running]),
        "partners": json.dumps([each.partner_id for each in running]),
        "connections": json.dumps([each.connection_id for each in running]),
    }


def count_ready(now: int) -> Counter[str]:
    """Return how many publications may be begun, by queue."""
    rows = _FREE_CONNECTIONS.rows(now=now, but="[]", **_make_running_values())
    at_places = sum(min(row["connections"], _MOST_OF_PARTNER - row["workers"]) for row in rows)
    return Counter({HERE: _NUMBER.value(now=now), AT_PLACES: at_places})


def call_for_next(now: int) -> None:
    """Defer a job, with the present transaction, for each of the two kinds if a publication of that
    kind may be begun. Code that begins one calls this again for the next.
    """
    db.announce(lambda: HERE if find_next(now) else None)
    db.announce(lambda: AT_PLACES if find_next(now, at_places=True) else None)
