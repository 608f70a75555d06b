"""The request history: requests with their status, as the API returns it.

``recorder`` writes it.
"""

import json
from collections.abc import Callable
from typing import Any

from svc.base import clock
from svc.base.errors import DateRangeTooWide, InvalidDateFormat
from svc.domain import dates_ahead
from svc.domain.caller import Caller
from svc.domain.paging import Page
from svc.domain.tables.usage import Request
from svc.store.database import Connection, Row, db
from svc.store.expressions import JOIN, SQL, JsonTexts, Tuple, elements, indexed, is_same, is_subset
from svc.store.models import access as models
from svc.store.models import usage
from svc.store.queries import Prepared, slot

WINDOW = 30 * clock.DAY
_HELD_BY = (
    (models.ApiKey.partner_id == slot("partner_id"))
    & (models.ApiKey.environment == slot("environment"))
    & is_same(models.ApiKey.creator, slot("creator"))
)
_ACTIVATED_BY = (models.ActivationKey.partner_id == slot("partner_id")) & (
    slot("environment") == "live"
)


def _prefix_query(is_permitted: Callable[[Any], Any]) -> Prepared[Row]:
    """Return the query of the keys of a partner that a key may see.

    ``is_permitted``: the condition on a column.
    """
    own, activated = models.ApiKey, models.ActivationKey
    return Prepared(
        own.select(own.prefix).where(_HELD_BY, is_permitted(own.permitted_account_ids))
        | activated.select(activated.prefix).where(
            _ACTIVATED_BY, is_permitted(activated.permitted_account_ids)
        )
    )


# A key sees the requests of another key only if it may address all accounts that the other key may
# address.
_PREFIXES = _prefix_query(lambda column: SQL("TRUE"))
_PERMITTED_PREFIXES = _prefix_query(
    lambda column: column.is_null(False) & is_subset(column, slot("permitted"))
)
# The same as the conditions of the indexes requests_refused and requests_failed, so that SQLite
# uses them.
_INDEXES = {4: "requests_refused", 5: "requests_failed"}


def _window_query(request: Any, status_class: int | None) -> Any:
    """Return the query of a page of requests, without their columns and the condition which keys
    they are of.
    """
    conditions: list[Any] = [
        request.partner_id == slot("partner_id"),
        request.at >= slot("since"),
        request.at <= slot("until"),
        Tuple(request.at, request.id) < Tuple(slot("created"), slot("id")),
        request.id != slot("own"),
    ]
    if status_class is not None:
        conditions.append(request.status_code.between(status_class * 100, status_class * 100 + 99))
    return (
        request.select()
        .where(*conditions)
        .order_by(request.at.desc(), request.id.desc())
        .limit(slot("limit"))
    )


def _keys_query(status_class: int | None) -> Prepared[Request]:
    """Return a query that merges one keyset query by index for each key:
    none reads more than a page.
    """
    keys, own = JsonTexts(slot("keys"), "keys"), usage.Request.alias("own")
    of_key = _window_query(own, status_class).select(own.id).where(own.key_prefix == keys.c.value)
    request = usage.Request
    return Prepared(
        request.select()
        .from_(keys)
        .join(request, JOIN.CROSS)
        .where(request.id.in_(of_key))
        .order_by(request.at.desc(), request.id.desc())
        .limit(slot("limit")),
        Request,
    )


def _index_query(status_class: int | None, index: str, *conditions: Any) -> Prepared[Request]:
    request = usage.Request
    query = _window_query(request, status_class).from_(indexed(request, index))
    return Prepared(
        query.where(request.key_prefix.in_(elements(slot("keys"))), *conditions), Request
    )


_PAGES = {
    status_class: _index_query(status_class, _INDEXES[status_class])
    if status_class in _INDEXES
    else _keys_query(status_class)
    for status_class in (None, 2, 4, 5)
}
_BY_CORRELATION = {
    status_class: _index_query(
        status_class, "requests_by_correlation", usage.Request.correlation_id == slot("correlation")
    )
    for status_class in (None, 2, 4, 5)
}
_NEWEST = Prepared(
    usage.Request.select(usage.Request.at).order_by(usage.Request.id.desc()).limit(1)
)
_OLD = usage.Request.alias("old")
_PRUNE = Prepared(
    usage.Request.delete().where(
        usage.Request.id.in_(
            _OLD.select(_OLD.id)
            .where((_OLD.at < slot("before")) | (_OLD.at > slot("latest")))
            .order_by(_OLD.id)
            .limit(slot("most"))
        )
    )
)


def find_newest_by(connection: Connection) -> int | None:
    """Return the time (ms) of the newest request in the database of ``connection``;
    None: there is none.
    """
    newest = _NEWEST.rows_by(connection)
    return newest[0]["at"] if newest else None


def choose_window(since: int | None, until: int | None, now: int) -> tuple[int, int]:
    """Return the requested window; ``until`` defaults to now, and ``since`` to 24 hours before
    ``until``.

    InvalidDateFormat: it ends before it begins. DateRangeTooWide: it is longer than 30 days.
    """
    until = now if until is None else until
    since = until - clock.DAY if since is None else since
    if since > until:
        raise InvalidDateFormat("`from` must not be after `to`.")
    if until - since > WINDOW:
        raise DateRangeTooWide()
    return since, until


def list_page(
    caller: Caller,
    since: int,
    until: int,
    status_class: int | None,
    page: Page,
    correlation_id: str | None,
    own: int,
) -> dict[str, Any]:
    """Return a page of the requests in a window that the key may see, newest first: those of its
    partner in the same environment, except those of keys that may address other accounts.
    ``status_class``: 2, 4 or 5; None: all. ``own``: the number of the request that asks, which has
    not happened yet."""
    of = {"partner_id": caller.partner_id}
    reach = {**of, "environment": caller.environment, "creator": caller.sandbox_owner}
    limits = {} if caller.permitted is None else {"permitted": caller.permitted_text}
    prefixes = (_PERMITTED_PREFIXES if limits else _PREFIXES).rows(**reach, **limits)
    values = {
        **of,
        **page.params,
        "since": since,
        "until": until,
        "id": page.row_number,
        "own": own,
        "keys": json.dumps([row["prefix"] for row in prefixes]),
    }
    if correlation_id:
        requests = _BY_CORRELATION[status_class].rows(**values, correlation=correlation_id)
    else:
        requests = _PAGES[status_class].rows(**values)
    return page.make_envelope(requests, represent, key=lambda row: (row["at"], row["id"]))


def represent(row: Request) -> dict[str, Any]:
    """Return a request as the API represents it."""
    return {
        "requestId": row["request_id"],
        "timestamp": clock.format_time(row["at"]),
        "method": row["method"],
        "path": row["path"],
        "statusCode": row["status_code"],
        "errorCode": row["error_code"],
        "durationMs": row["duration_ms"],
        "keyPrefix": row["key_prefix"],
        "correlationId": row["correlation_id"],
        "count": row["times"],
    }


def prune(before: int, most: int, latest: int = dates_ahead.NEVER) -> int:
    """Delete at most ``most`` rows from before ``before`` or after ``latest`` (ms),
    and return their number.
    """
    with db.transaction(durable=False):
        return _PRUNE.execute(before=before, latest=latest, most=most)
