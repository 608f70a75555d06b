"""The request history: what was asked, with which answer. Rows are begun by the budget and finished here in batches."""

import json
import threading
from collections import deque

from svc.base import clock
from svc.base.errors import DateRangeTooWide, InvalidDateFormat
from svc.domain import usage
from svc.domain.callers import Caller
from svc.domain.paging import Page
from svc.store import database

WINDOW = 30 * clock.DAY
# One statement for a batch, not one for each of its rows: between statements Python changes threads.
_FINISH = """
    UPDATE requests SET status_code = each.value ->> 0, error_code = each.value ->> 1, duration_ms = each.value ->> 2
    FROM json_each(?) AS each WHERE requests.id = each.value ->> 3
"""
_BATCH_SECONDS = 0.05

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


class Finisher:
    """Writes down how requests were answered, many at a time, from one thread of its own.

    The row is there before the request is answered; a process that dies in the next 50 ms leaves it without its status.
    """

    def __init__(self):
        self._finished: deque[tuple] = deque()
        self._some = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._starting, self._writing = threading.Lock(), threading.Lock()

    def finish(
        self, request: int, partner_id: str, at: int, status_code: int, error_code: str | None, duration_ms: float
    ) -> None:
        """Enter the answer of a request, which came ``at``; returns at once."""
        self._finished.append((status_code, error_code, round(duration_ms, 2), request, partner_id, clock.day(at)))
        if not self._some.is_set():
            self._some.set()
        if self._thread is None:
            self._start()

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="history", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._some.wait()
            self._stopping.wait(_BATCH_SECONDS)  # lets a batch gather
            self.flush()

    def flush(self) -> None:
        """Write what has been finished so far; when it returns, all of that is there."""
        with self._writing:
            self._some.clear()
            batch = [self._finished.popleft() for _ in range(len(self._finished))]
            if batch:
                with database.write(durable=False):
                    answered = json.dumps(batch)
                    database.execute(_FINISH, (answered,))
                    usage.count_requests(answered)

    def stop(self) -> None:
        """Write everything and end the thread."""
        self._stopping.set()
        self._some.set()
        if self._thread is not None:
            self._thread.join()
        self.flush()


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
