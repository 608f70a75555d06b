"""Search in the request history for the console: newest first, by status class or correlation id;
one request's effects.
"""

import functools
import math
import re
from collections.abc import Iterable
from typing import Any

from svc.base import clock
from svc.base.errors import NotFound
from svc.domain.paging import Page, page_by_key
from svc.domain.tables.usage import CausedProduction, NamedRequest
from svc.store.expressions import JOIN, SQL, Tuple, fn, indexed, position_of
from svc.store.models import usage, webhooks
from svc.store.models.partners import Account, Partner
from svc.store.models.productions import Production
from svc.store.queries import Prepared, slot

MOST_OF_ONE = 100  # requests that share a correlation id
RECENT = 20_000  # how many requests an operator's search for a status class over all partners reads

_REQUEST = usage.Request
_PRODUCTION = Production
_EVENT = webhooks.Event
_DELIVERY = webhooks.Delivery
_SHOWN = _REQUEST.select(_REQUEST, Partner.name.alias("partner_name")).join(
    Partner, on=Partner.id == _REQUEST.partner_id
)
# The order is not by the primary key: few rows have the id, and the index of that finds them.
_LATEST = _SHOWN.order_by((_REQUEST.id + 0).desc()).limit(MOST_OF_ONE)
_BY_CORRELATION = _LATEST.where(_REQUEST.correlation_id == slot("correlation"))
_OF_ALL_BY_CORRELATION = Prepared(_BY_CORRELATION, NamedRequest)
_OF_PARTNER_BY_CORRELATION = Prepared(
    _BY_CORRELATION.where(_REQUEST.partner_id == slot("partner_id")), NamedRequest
)
_ONE = Prepared(_SHOWN.where(_REQUEST.id == slot("id")), NamedRequest)
_NEWEST = Prepared(_REQUEST.select(fn.max(_REQUEST.id)))
_WANTED = {
    "method": _REQUEST.method == slot("method"),
    "path": position_of(slot("path"), _REQUEST.path) > 0,
    "key_prefix": position_of(slot("key_prefix"), _REQUEST.key_prefix) == 1,
    "error_code": _REQUEST.error_code == slot("error_code"),
}
_NAMES = (_PRODUCTION.id, _PRODUCTION.title, _PRODUCTION.status, _PRODUCTION.created_at)
# The productions that were triggered while the request was being answered.
_CAUSED = Prepared(
    Account.select(*_NAMES)
    .join(_PRODUCTION, JOIN.CROSS)
    .where(
        _PRODUCTION.account_id == Account.id,
        _PRODUCTION.created_at >= slot("since"),
        _PRODUCTION.created_at <= slot("until"),
        _PRODUCTION.correlation_id == slot("correlation"),
        Account.partner_id == slot("partner_id"),
    )
    .order_by(_PRODUCTION.created_at.desc())
    .limit(20),
    CausedProduction,
)
_LONGEST = clock.MINUTE  # the assumed duration of a request whose answer is not known
_NAMED = Prepared(
    _PRODUCTION.select(*_NAMES).where(
        _PRODUCTION.id == slot("id"), _PRODUCTION.partner_id == slot("partner_id")
    ),
    CausedProduction,
)
_IS_OF_EVENT = (_DELIVERY.production_id == _EVENT.production_id) & (
    _DELIVERY.sequence == _EVENT.sequence
)
_IS_EFFECT = _EVENT.correlation_id == slot("correlation")
_EVENTS = Prepared(
    _EVENT.select(_EVENT, _DELIVERY.select(fn.count(SQL("1"))).where(_IS_OF_EVENT).alias("told"))
    .where(_EVENT.production_id == slot("production_id"), _IS_EFFECT)
    .order_by(_EVENT.position)
    .limit(50)
)
_DELIVERIES = Prepared(
    _DELIVERY.select(
        _DELIVERY.id,
        _DELIVERY.subscription_id,
        _DELIVERY.event_type,
        _DELIVERY.sequence,
        _DELIVERY.status,
        _DELIVERY.production_id,
        webhooks.Subscription.endpoint_url,
        webhooks.Subscription.deleted_at,
    )
    .from_(indexed(_DELIVERY, "deliveries_by_production"))
    .join_from(
        _DELIVERY, webhooks.Subscription, on=webhooks.Subscription.id == _DELIVERY.subscription_id
    )
    .join_from(_DELIVERY, _EVENT, on=_IS_OF_EVENT)
    .where(_DELIVERY.production_id == slot("production_id"), _IS_EFFECT)
    .order_by(_DELIVERY.sequence, _DELIVERY.subscription_id)
    .limit(100)
)
_PATH = re.compile(r"/productions/([0-9a-f]{8}-[0-9a-f-]{27})(?:/|\?|$)", re.ASCII)


def list_page(
    partner_id: str | None,
    page: Page,
    *,
    status_class: int | None,
    since: int | None = None,
    until: int | None = None,
    filters: dict[str, str | None] | None = None,
) -> dict[str, Any]:
    """Return a page of requests, by time; ``partner_id`` None: of all partners, only for operators.

    ``filters``: values of ``method``, ``key_prefix`` and ``error_code``, and a part of ``path``;
    None: any. The search reads the :data:`RECENT` requests before the page; where the list begins
    with the oldest, the latest ones.
    """
    filters = {name: value for name, value in (filters or {}).items() if value is not None}
    values = {
        **filters,
        "since": 0 if since is None else since,
        "until": 2**47 if until is None else until,
        "id": page.row_number,
        "limit": page.limit + 1,
    }
    if partner_id:
        query = _partner_query(status_class, *filters, oldest_first=page.ascending)
        requests = query.rows(**values, partner_id=partner_id, created=page.params["created"])
    else:
        newest = _NEWEST.value() or 0
        before = newest if page.ascending else min(newest, page.row_number)
        floor = before - RECENT if status_class or filters else 0
        requests = _all_partners_query(status_class, *filters, oldest_first=page.ascending).rows(
            **values, floor=floor
        )
    return page.make_envelope(requests, lambda row: row, key=lambda row: (row["at"], row["id"]))


def _time_conditions(request: Any) -> list[Any]:
    return [request.at >= slot("since"), request.at <= slot("until")]


def _value_conditions(status_class: int | None, columns: Iterable[str]) -> list[Any]:
    """Return the conditions of the requests of a class that have these values.

    The class is the same as the conditions of the indexes requests_refused and requests_failed, so
    that SQLite uses them.
    """
    conditions = [_WANTED[name] for name in columns]
    if status_class:
        conditions.insert(
            0, _REQUEST.status_code.between(status_class * 100, status_class * 100 + 99)
        )
    return conditions


@functools.cache
def _partner_query(
    status_class: int | None, *columns: str, oldest_first: bool = False
) -> Prepared[NamedRequest]:
    """Return the query of a page of a partner's requests.

    With ``columns`` values, it reads RECENT ones.
    """
    request = _REQUEST.alias("recent") if columns else _REQUEST
    whose: list[Any] = [request.partner_id == slot("partner_id"), *_time_conditions(request)]
    if columns:
        recent = (
            request.select(request.id).where(*whose).order_by(request.at.desc(), request.id.desc())
        )
        if not oldest_first:
            recent = recent.where(
                Tuple(request.at, request.id) < Tuple(slot("created"), slot("id"))
            )
        whose = [_REQUEST.id.in_(recent.limit(RECENT))]
    query = _SHOWN.where(*whose, *_value_conditions(status_class, columns))
    return Prepared(page_by_key(query, _REQUEST.at, _REQUEST.id, oldest_first), NamedRequest)


@functools.cache
def _all_partners_query(
    status_class: int | None, *columns: str, oldest_first: bool = False
) -> Prepared[NamedRequest]:
    """Return the query of a page of all partners' requests."""
    is_next = _REQUEST.id > slot("id") if oldest_first else _REQUEST.id < slot("id")
    place = [is_next, _REQUEST.id > slot("floor")]
    query = _SHOWN.where(
        *place, *_time_conditions(_REQUEST), *_value_conditions(status_class, columns)
    )
    order = _REQUEST.id.asc() if oldest_first else _REQUEST.id.desc()
    return Prepared(query.order_by(order).limit(slot("limit")), NamedRequest)


def find_by_correlation(partner_id: str | None, correlation_id: str) -> list[NamedRequest]:
    """Return the requests with a correlation id, newest first."""
    correlation = correlation_id.strip()
    if partner_id is None:
        return _OF_ALL_BY_CORRELATION.rows(correlation=correlation)
    return _OF_PARTNER_BY_CORRELATION.rows(correlation=correlation, partner_id=partner_id)


def find(partner_id: str | None, number: int) -> NamedRequest:
    """Return a request by its number. NotFound: unknown, pruned, or of another partner."""
    row = _ONE.row(id=number)
    if row is None or partner_id not in (None, row["partner_id"]):
        raise NotFound("There is no such request; requests are kept for a limited time.")
    return row


def find_caused(request: NamedRequest) -> list[dict[str, Any]]:
    """Return the productions that a request triggered or named,
    each with the ``events`` and ``deliveries`` it caused.
    """
    took = _LONGEST if request["duration_ms"] is None else math.ceil(request["duration_ms"])
    partner_id = request["partner_id"]
    triggered = _CAUSED.rows(
        correlation=request["correlation_id"],
        partner_id=partner_id,
        since=request["at"] - clock.SECOND,
        until=request["at"] + took + clock.SECOND,
    )
    productions = {row["id"]: row for row in triggered}
    named = _PATH.search(request["path"])
    if named:
        productions |= {row["id"]: row for row in _NAMED.rows(id=named[1], partner_id=partner_id)}
    return [
        _find_effects(production, request["correlation_id"]) for production in productions.values()
    ]


def _find_effects(production: CausedProduction, correlation_id: str) -> dict[str, Any]:
    of = {"production_id": production["id"], "correlation": correlation_id}
    return {
        "production": production,
        "events": _EVENTS.rows(**of),
        "deliveries": _DELIVERIES.rows(**of),
    }
