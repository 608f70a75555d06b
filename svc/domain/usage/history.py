"""The request history: requests with their status, as the API returns it. ``recorder`` writes it."""

import json
from typing import Any

from svc.base import clock
from svc.base.errors import DateRangeTooWide, InvalidDateFormat
from svc.domain import rows
from svc.domain.caller import Caller
from svc.domain.paging import Page
from svc.domain.tables.usage import Request
from svc.store import database
from svc.store.sql import by_index

WINDOW = 30 * clock.DAY
# A key sees the requests of another key only if it may address all accounts that the other key may address.
_KEYS = """
    SELECT prefix FROM api_keys
    WHERE partner_id = :partner AND environment = :environment AND creator IS NOT DISTINCT FROM :creator AND {within}
    UNION SELECT prefix FROM activation_keys WHERE partner_id = :partner AND :environment = 'live' AND {within}
""".format(
    within="""(:permitted IS NULL OR (permitted_account_ids IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM json_each(permitted_account_ids) WHERE value NOT IN (SELECT value FROM json_each(:permitted)))))"""
)
_WINDOW = "partner_id = :partner AND at >= :since AND at <= :until AND (at, id) < (:created, :id) AND id <> :own"
_NEWEST = "ORDER BY at DESC, id DESC LIMIT :limit"
_OF_KEYS = "key_prefix IN (SELECT value FROM json_each(:keys))"
# Merges one keyset query by index for each key: none reads more than a page.
_BY_KEY = f"""
    SELECT r.* FROM json_each(:keys) k CROSS JOIN requests r ON r.id IN (
        SELECT id FROM requests WHERE {_WINDOW} AND key_prefix = k.value AND {{which}} {_NEWEST})
    ORDER BY r.at DESC, r.id DESC LIMIT :limit
"""
_BY_INDEX = f"SELECT * FROM requests {{how}} WHERE {_WINDOW} AND {_OF_KEYS} AND {{which}} {_NEWEST}"
# The same text as the conditions of the indexes requests_refused and requests_failed, so that SQLite uses them.
_CLASSES = {None: "TRUE"} | {first: f"status_code BETWEEN {first}00 AND {first}99" for first in (2, 4, 5)}
_PAGES = {
    None: _BY_KEY.format(which=_CLASSES[None]),
    2: _BY_KEY.format(which=_CLASSES[2]),
    4: _BY_INDEX.format(how=by_index("requests_refused"), which=_CLASSES[4]),
    5: _BY_INDEX.format(how=by_index("requests_failed"), which=_CLASSES[5]),
}
_BY_CORRELATION = {
    status_class: _BY_INDEX.format(
        how=by_index("requests_by_correlation"), which=f"correlation_id = :correlation AND {condition}"
    )
    for status_class, condition in _CLASSES.items()
}


def newest_by(connection: database.Connection) -> int | None:
    """Return the time (ms) of the newest request in the database of ``connection``; None: there is none."""
    row = connection.execute("SELECT at FROM requests ORDER BY id DESC LIMIT 1").fetchone()
    return row["at"] if row else None


def window(since: int | None, until: int | None, now: int) -> tuple[int, int]:
    """Return the requested window; ``until`` defaults to now, and ``since`` to 24 hours before ``until``.

    InvalidDateFormat: it ends before it begins. DateRangeTooWide: it is longer than 30 days.
    """
    until = now if until is None else until
    since = until - clock.DAY if since is None else since
    if since > until:
        raise InvalidDateFormat("`from` must not be after `to`.")
    if until - since > WINDOW:
        raise DateRangeTooWide()
    return since, until


def page(
    caller: Caller,
    since: int,
    until: int,
    status_class: int | None,
    page: Page,
    correlation_id: str | None = None,
    own: int = 0,
) -> dict[str, Any]:
    """Return a page of the requests in a window that the key may see, newest first: those of its partner in the same
    environment, except those of keys that may address other accounts. ``status_class``: 2, 4 or 5; None: all. ``own``: the
    number of the request that asks, which has not happened yet."""
    reach = {
        "partner": caller.partner_id,
        "environment": caller.environment,
        "creator": caller.sandbox_owner,
        "permitted": caller.permitted_text,
    }
    keys = [row["prefix"] for row in database.rows(_KEYS, reach)]
    requests = rows.every(Request, (_BY_CORRELATION if correlation_id else _PAGES)[status_class], {
        "partner": caller.partner_id, "since": since, "until": until, **page.params,
        "id": page.row_number, "own": own,
        "keys": json.dumps(keys), "correlation": correlation_id,
    })  # fmt: skip
    return page.envelope(requests, view, key=lambda row: (row["at"], row["id"]))


def view(row: Request) -> dict[str, Any]:
    """Return a request as the API represents it."""
    return {
        "requestId": row["request_id"],
        "timestamp": clock.text(row["at"]),
        "method": row["method"],
        "path": row["path"],
        "statusCode": row["status_code"],
        "errorCode": row["error_code"],
        "durationMs": row["duration_ms"],
        "keyPrefix": row["key_prefix"],
        "correlationId": row["correlation_id"],
        "count": row["times"],
    }


def prune(before: int, most: int) -> int:
    """Delete at most ``most`` rows from before ``before`` (ms), and return their number."""
    with database.write(durable=False):
        return database.execute(
            "DELETE FROM requests WHERE id IN (SELECT id FROM requests WHERE at < ? ORDER BY id LIMIT ?)", (before, most)
        )
