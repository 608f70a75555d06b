"""The request history: what was asked, with which answer. ``recorder`` writes it."""

from svc.base import clock
from svc.base.errors import DateRangeTooWide, InvalidDateFormat
from svc.domain.callers import Caller
from svc.domain.paging import Page
from svc.store import database

WINDOW = 30 * clock.DAY
_PAGE = """
    SELECT * FROM requests
    WHERE partner_id = :partner AND at >= :since AND at <= :until AND (at, id) < (:created, :id) AND {which}
    ORDER BY at DESC, id DESC LIMIT :limit
"""
# By status class, with the conditions of the indexes requests_refused and requests_failed word for word.
_PAGES = {
    each: _PAGE.format(which="TRUE" if each is None else f"status_code BETWEEN {each}00 AND {each}99")
    for each in (None, 2, 4, 5)
}


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


def page(caller: Caller, since: int, until: int, status_class: int | None, page: Page) -> dict:
    """The partner's requests in a window, newest first. ``status_class``: 2, 4 or 5."""
    rows = database.rows(_PAGES[status_class], {
        "partner": caller.partner_id, "since": since, "until": until, "created": page.after[0],
        "id": int(page.after[1]) if page.after[1].isdigit() else 2**62, "limit": page.limit + 1,
    })  # fmt: skip
    return page.envelope(rows, view, key=lambda row: (row["at"], row["id"]))


def view(row: database.Row) -> dict:
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
