"""Search in the request history for the console: newest first, by status class or correlation id; one request's effects."""

import math
import re
from typing import Any

from svc.base import clock
from svc.base.errors import NotFound
from svc.domain import rows
from svc.domain.paging import Page
from svc.domain.tables.usage import CausedProduction, NamedRequest
from svc.store import database
from svc.store.sql import by_index

MOST_OF_ONE = 100  # requests that share a correlation id
RECENT = 20_000  # how many requests an operator's search for a status class over all partners reads

_SHOWN = "SELECT r.*, w.name AS partner_name FROM requests r JOIN partners w ON w.id = r.partner_id"
_OF_PARTNER = f"""
    {_SHOWN} WHERE r.partner_id = :partner AND r.at >= :since AND r.at <= :until AND (r.at, r.id) < (:created, :id) {{which}}
    ORDER BY r.at DESC, r.id DESC LIMIT :limit
"""
# The same text as the conditions of the indexes requests_refused and requests_failed, so that SQLite uses them.
_CLASSES = {first: f"AND r.status_code BETWEEN {first}00 AND {first}99" for first in (2, 4, 5)}
_AMONG_RECENT = f"""
    {_SHOWN} WHERE r.id IN (
        SELECT id FROM requests WHERE partner_id = :partner AND at >= :since AND at <= :until AND (at, id) < (:created, :id)
        ORDER BY at DESC, id DESC LIMIT {RECENT}
    ) {{which}} ORDER BY r.at DESC, r.id DESC LIMIT :limit
"""
_WANTED = {
    "method": "r.method = :method",
    "path": "instr(r.path, :path) > 0",
    "key_prefix": "instr(r.key_prefix, :key_prefix) = 1",
    "error_code": "r.error_code = :error_code",
}
_OF_ALL = f"""
    {_SHOWN} WHERE r.id < :id AND r.id > :floor AND r.at >= :since AND r.at <= :until {{which}} ORDER BY r.id DESC LIMIT :limit
"""
_BY_CORRELATION = f"""
    {_SHOWN} WHERE r.correlation_id = :correlation AND (:partner IS NULL OR r.partner_id = :partner)
    ORDER BY +r.id DESC LIMIT {MOST_OF_ONE}
"""
_ONE = f"{_SHOWN} WHERE r.id = ?"
# The productions that were triggered while the request was being answered.
_CAUSED = """
    SELECT p.id, p.title, p.status, p.created_at FROM accounts a CROSS JOIN productions p ON p.account_id = a.id
     AND p.created_at >= :since AND p.created_at <= :until AND p.correlation_id = :correlation
    WHERE a.partner_id = :partner ORDER BY p.created_at DESC LIMIT 20
"""
_LONGEST = clock.MINUTE  # the assumed duration of a request whose answer is not known
_NAMED = "SELECT id, title, status, created_at FROM productions WHERE id = :id AND partner_id = :partner"
_EVENTS = """
    SELECT e.*, (SELECT count(*) FROM deliveries d WHERE d.production_id = e.production_id AND d.sequence = e.sequence) AS told
    FROM events e WHERE e.production_id = ? AND e.correlation_id = ? ORDER BY e.position LIMIT 50
"""
_DELIVERIES = f"""
    SELECT d.id, d.subscription_id, d.event_type, d.sequence, d.status, d.production_id, s.endpoint_url, s.deleted_at
    FROM deliveries d {by_index("deliveries_by_production")} JOIN subscriptions s ON s.id = d.subscription_id
    JOIN events e ON e.production_id = d.production_id AND e.sequence = d.sequence
    WHERE d.production_id = ? AND e.correlation_id = ? ORDER BY d.sequence, d.subscription_id LIMIT 100
"""
_PATH = re.compile(r"/productions/([0-9a-f]{8}-[0-9a-f-]{27})(?:/|\?|$)", re.ASCII)


def page(
    partner_id: str | None,
    page: Page,
    *,
    status_class: int | None = None,
    since: int | None = None,
    until: int | None = None,
    wanted: dict[str, str | None] | None = None,
) -> dict[str, Any]:
    """Return a page of requests, newest first; ``partner_id`` None: of all partners, only for operators.

    ``wanted``: values of ``method``, ``key_prefix`` and ``error_code``, and a part of ``path``; None: any. The search reads
    the :data:`RECENT` requests before the page.
    """
    which = _CLASSES[status_class] if status_class else ""
    wanted = {name: value for name, value in (wanted or {}).items() if value is not None}
    which += "".join(f" AND {_WANTED[name]}" for name in wanted)
    values = {
        **wanted,
        "partner": partner_id,
        "since": 0 if since is None else since,
        "until": 2**47 if until is None else until,
        **page.params,
        "id": page.row_number,
    }
    if partner_id:
        statement = (_AMONG_RECENT if wanted else _OF_PARTNER).format(which=which)
        requests = rows.every(NamedRequest, statement, values)
    else:
        newest = database.one("SELECT max(id) FROM requests")[0] or 0
        floor = min(newest, page.row_number) - RECENT if status_class or wanted else 0
        requests = rows.every(NamedRequest, _OF_ALL.format(which=which), {**values, "floor": floor})
    return page.envelope(requests, lambda row: row, key=lambda row: (row["at"], row["id"]))


def by_correlation(partner_id: str | None, correlation_id: str) -> list[NamedRequest]:
    """Return the requests with a correlation id, newest first."""
    return rows.every(NamedRequest, _BY_CORRELATION, {"correlation": correlation_id.strip(), "partner": partner_id})


def find(partner_id: str | None, number: int) -> NamedRequest:
    """Return a request by its number. NotFound: unknown, pruned, or of another partner."""
    row = rows.first(NamedRequest, _ONE, (number,))
    if row is None or partner_id not in (None, row["partner_id"]):
        raise NotFound("There is no such request; requests are kept for a limited time.")
    return row


def caused(request: NamedRequest) -> list[dict[str, Any]]:
    """Return the productions that a request triggered or named, each with the ``events`` and ``deliveries`` it caused."""
    took = _LONGEST if request["duration_ms"] is None else math.ceil(request["duration_ms"])
    params = {
        "correlation": request["correlation_id"],
        "partner": request["partner_id"],
        "since": request["at"] - clock.SECOND,
        "until": request["at"] + took + clock.SECOND,
    }
    productions = {row["id"]: row for row in rows.every(CausedProduction, _CAUSED, params)}
    named = _PATH.search(request["path"])
    if named:
        params["id"] = named[1]
        productions |= {row["id"]: row for row in rows.every(CausedProduction, _NAMED, params)}
    return [_effects(production, request["correlation_id"]) for production in productions.values()]


def _effects(production: CausedProduction, correlation_id: str) -> dict[str, Any]:
    params = (production["id"], correlation_id)
    return {
        "production": production,
        "events": database.rows(_EVENTS, params),
        "deliveries": database.rows(_DELIVERIES, params),
    }
