"""The request history: what was asked, with which answer. ``recorder`` writes it."""

import json
from typing import Any

from svc.base import clock
from svc.base.errors import DateRangeTooWide, InvalidDateFormat
from svc.domain.caller import Caller
from svc.domain.paging import Page
from svc.store import database

WINDOW = 30 * clock.DAY
# What other keys were used for is shown to a key that reaches all that they reach, and to no other.
_KEYS = """
    SELECT prefix FROM api_keys
    WHERE partner_id = :partner AND environment = :environment AND creator IS :creator AND {within}
    UNION SELECT prefix FROM activation_keys WHERE partner_id = :partner AND :environment = 'live' AND {within}
""".format(
    within="""(:permitted IS NULL OR (permitted_account_ids IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM json_each(permitted_account_ids) WHERE value NOT IN (SELECT value FROM json_each(:permitted)))))"""
)
_WINDOW = "partner_id = :partner AND at >= :since AND at <= :until AND (at, id) < (:created, :id)"
_NEWEST = "ORDER BY at DESC, id DESC LIMIT :limit"
_OF_KEYS = "key_prefix IN (SELECT value FROM json_each(:keys))"
# One keyset read by index for each key, merged: none of them reads more than a page.
_BY_KEY = f"""
    SELECT r.* FROM json_each(:keys) k CROSS JOIN requests r ON r.id IN (
        SELECT id FROM requests WHERE {_WINDOW} AND key_prefix = k.value AND {{which}} {_NEWEST})
    ORDER BY r.at DESC, r.id DESC LIMIT :limit
"""
_BY_INDEX = f"SELECT * FROM requests INDEXED BY {{index}} WHERE {_WINDOW} AND {_OF_KEYS} AND {{which}} {_NEWEST}"
# With the conditions of the indexes requests_refused and requests_failed word for word.
_CLASSES = {None: "TRUE"} | {each: f"status_code BETWEEN {each}00 AND {each}99" for each in (2, 4, 5)}
_PAGES = {
    None: _BY_KEY.format(which=_CLASSES[None]),
    2: _BY_KEY.format(which=_CLASSES[2]),
    4: _BY_INDEX.format(index="requests_refused", which=_CLASSES[4]),
    5: _BY_INDEX.format(index="requests_failed", which=_CLASSES[5]),
}
_BY_CORRELATION = {
    each: _BY_INDEX.format(index="requests_by_correlation", which=f"correlation_id = :correlation AND {which}")
    for each, which in _CLASSES.items()
}


def newest_by(connection: database.Connection) -> int | None:
    """When the newest request came, in the database of another connection; None: there was none."""
    row = connection.execute("SELECT at FROM requests ORDER BY id DESC LIMIT 1").fetchone()
    return row["at"] if row else None


def window(since: int | None, until: int | None, now: int) -> tuple[int, int]:
    """The window that is asked for; by default the 24 hours before ``until``, which is now by default.

    InvalidDateFormat: it ends before it begins. DateRangeTooWide: over 30 days.
    """
    until = now if until is None else until
    since = until - clock.DAY if since is None else since
    if since > until:
        raise InvalidDateFormat("`from` must not be after `to`.")
    if until - since > WINDOW:
        raise DateRangeTooWide()
    return since, until


def page(
    caller: Caller, since: int, until: int, status_class: int | None, page: Page, correlation_id: str | None = None
) -> dict[str, Any]:
    """The requests in a window that the key may see, newest first: its partner's of the same environment, but none of a key
    that reaches an account which this one does not. ``status_class``: 2, 4 or 5."""
    reach = {
        "partner": caller.partner_id,
        "environment": caller.environment,
        "creator": caller.sandbox_owner,
        "permitted": caller.permitted_text,
    }
    keys = [row["prefix"] for row in database.rows(_KEYS, reach)]
    rows = database.rows((_BY_CORRELATION if correlation_id else _PAGES)[status_class], {
        "partner": caller.partner_id, "since": since, "until": until, **page.params,
        "id": page.row_number,
        "keys": json.dumps(keys), "correlation": correlation_id,
    })  # fmt: skip
    return page.envelope(rows, view, key=lambda row: (row["at"], row["id"]))


def view(row: database.Row) -> dict[str, Any]:
    """A request as the API shows it."""
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
    }


def prune(before: int, most: int) -> int:
    """Delete at most ``most`` rows from before an instant; how many there were."""
    with database.write(durable=False):
        return database.execute(
            "DELETE FROM requests WHERE id IN (SELECT id FROM requests WHERE at < ? ORDER BY id LIMIT ?)", (before, most)
        )
