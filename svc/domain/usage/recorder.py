"""The recorder: writes requests and their answers to the request history, in batches, and counts
what no budget bounds.

A refusal that no budget bounds (of the budget itself, of an address, of an inactive partner, of a
ping) may come a thousand times a second. The first of its kind in a minute is entered, and the
others are counted there: of the same key, method, route, status and error code, by each process.

Requests that are not in the database yet are in a journal, which the next start of a process
imports: a process that is killed loses the answers of its last 20 ms, but no request.
"""

import logging
import threading
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from svc.base import clock, ids
from svc.base.crypto.signing import TEST_PREFIX
from svc.domain.access.rate_limit import Budget
from svc.domain.caller import Caller
from svc.domain.usage import refusals
from svc.domain.usage.refusals import Refusal
from svc.store.database import db
from svc.store.expressions import EXCLUDED, fn, greatest
from svc.store.journal import Journal, read_leftovers
from svc.store.models.access import ApiKey
from svc.store.models.usage import Request, SandboxDay, UsageDay
from svc.store.queries import Insertion, Prepared, slot, slots

log = logging.getLogger("svc.history")


def _make_additions(model: Any, *columns: str) -> dict[Any, Any]:
    """Return what ON CONFLICT does to counters."""
    fields = [getattr(model, name) for name in columns]
    return {field: field + getattr(EXCLUDED, field.name) for field in fields}


# How many seconds a batch gathers requests. Of triggers at one connection, the p99 is 3 ms, and was
# 19 ms at 0.05.
_BATCH_SECONDS = 0.02
_AGAIN_SECONDS = 1.0
_COLUMNS = (
    Request.id,
    Request.request_id,
    Request.partner_id,
    Request.at,
    Request.counted,
    Request.method,
    Request.path,
    Request.key_prefix,
    Request.correlation_id,
    Request.status_code,
    Request.error_code,
    Request.duration_ms,
)
_NAMES = tuple(column.name for column in _COLUMNS)
_ENTER = Insertion(_COLUMNS)
_IMPORT = Prepared(Request.insert(slots(*_NAMES)).on_conflict("nothing"))
_IS_IT = Request.id == slot("id")
_WITHDRAW = Prepared(Request.delete().where(_IS_IT))
_AGAIN = Prepared(Request.update(times=Request.times + slot("times")).where(_IS_IT))
_ANSWER = ("status_code", "error_code", "duration_ms")
_FINISH = Prepared(Request.update(slots(*_ANSWER)).where(_IS_IT))
_LAST = Prepared(Request.select(fn.max(Request.id)))
_SUMS = ("requests", "status2xx", "status4xx", "status5xx", "rate_limited")
_COUNT = Insertion(
    [getattr(UsageDay, name) for name in ("partner_id", "day", "counted", *_SUMS)],
    conflict_target=[UsageDay.partner_id, UsageDay.day],
    update=_make_additions(UsageDay, "counted", *_SUMS),
)
_COUNT_SANDBOX = Prepared(
    SandboxDay.insert_from(
        ApiKey.select(ApiKey.partner_id, ApiKey.creator, slot("day"), *map(slot, _SUMS))
        .where(
            ApiKey.partner_id == slot("partner_id"),
            ApiKey.prefix == slot("prefix"),
            ApiKey.creator.is_null(False),
        )
        .limit(1),
        [getattr(SandboxDay, name) for name in ("partner_id", "creator", "day", *_SUMS)],
    ).on_conflict(
        conflict_target=[SandboxDay.partner_id, SandboxDay.creator, SandboxDay.day],
        update=_make_additions(SandboxDay, *_SUMS),
    )
)
_KIND = (2, 7, 5, 9, 10)  # of a refusal, in _COLUMNS: partner, key, method, status and error code
_USED = Prepared(
    ApiKey.update(last_used_at=greatest(slot("at"), fn.coalesce(ApiKey.last_used_at, 0))).where(
        ApiKey.id == slot("id")
    )
)


class Entry:
    """A request in the history; the columns of the answer are None until it is known."""

    __slots__ = ("route", "row", "taken")

    def __init__(self, row: list[Any], route: str):
        self.row = row  # as _COLUMNS
        self.route = route
        self.taken = False  # by a transaction, possibly before its answer was known


class _Counted:
    """The refusals of one minute that are entered, by kind.

    A copy is used up by a transaction, which may fail.
    """

    def __init__(self, minute: int = 0, firsts: dict[tuple[Any, ...], int] | None = None):
        self._minute, self._firsts = minute, firsts or {}  # the numbers of the requests
        self.again: dict[int, int] = defaultdict(int)  # how often they came again, by number

    def copy(self) -> "_Counted":
        return _Counted(self._minute, dict(self._firsts))

    def count(self, entry: Entry) -> bool:
        """Count a refusal with the first of its kind; return False if the entry is
        to be entered.
        """
        if not _may_repeat(entry):
            return False
        minute = entry.row[3] // clock.MINUTE
        if minute != self._minute:
            self._minute, self._firsts = minute, {}
        kind = (*(entry.row[place] for place in _KIND), entry.route)
        first = self._firsts.setdefault(kind, entry.row[0])
        if first == entry.row[0]:
            return False
        self.again[first] += 1
        return True


def _may_repeat(entry: Entry) -> bool:
    """Return whether a request is a refusal that no budget bounds."""
    counted, status = entry.row[4], entry.row[9]
    return not counted and status is not None and 400 <= status <= 499


class Recorder:
    """Writes the history from its own thread.

    ``folder``: the folder of the journals of all processes.
    """

    def __init__(self, folder: Path):
        recover(folder)
        self._journal = Journal(folder)
        self._begun: list[Entry] = []
        self._late: list[Entry] = []  # answered after a transaction took them
        self._refusals: list[Refusal] = []
        self._counted = _Counted()
        self._used: dict[str, int] = {}  # key id to its last use, as far as that has to be written
        self._used_written: dict[str, int] = {}
        self._turn = threading.Lock()  # protects the fields above
        self._writing = threading.Lock()
        self._some = threading.Event()
        self._stopping = threading.Event()
        self._stopped = False
        self._thread: threading.Thread | None = None

    def begin(
        self,
        caller: Caller,
        spent: Budget,
        method: str,
        path: str,
        correlation_id: str,
        now: int,
        route: str = "",
    ) -> Entry:
        """Record a request. ServiceUnavailable and the like: it cannot be recorded, and should not
        be answered.

        ``route``: the pattern of its path, by which refusals are counted.
        """
        number = spent.request
        partner_id = caller.partner_id
        counted = int(spent.counted)
        prefix = caller.key_prefix
        entry = Entry(
            [
                number,
                None,
                partner_id,
                now,
                counted,
                method,
                path,
                prefix,
                correlation_id,
                None,
                None,
                None,
            ],
            route,
        )
        shown = path if path.isprintable() else ascii(path)
        line = (
            f"{number}\t{partner_id}\t{now}\t{counted}\t{method}\t{shown}\t{prefix}"
            f"\t{correlation_id}"
        )
        while not self._enter_request(entry, line.encode()):
            self.flush()
        # at most once a minute, and at once after the clock was set back
        if abs(now - self._used_written.get(caller.key_id, 0)) >= clock.MINUTE:
            self._used[caller.key_id] = self._used_written[caller.key_id] = now
        return entry

    def _enter_request(self, entry: Entry, line: bytes) -> bool:
        with self._turn:
            if not self._journal.append(line):
                return False
            self._begun.append(entry)
            return True

    def finish(
        self,
        entry: Entry,
        status_code: int,
        error_code: str | None,
        duration_ms: float,
        refusal: Refusal | None = None,
    ) -> None:
        """Record the answer of a request, without waiting for the database.

        ``refusal``: what it says, if it was refused.
        """
        with self._turn:
            entry.row[9:] = status_code, error_code, round(duration_ms, 2)
            if refusal is not None and len(self._refusals) < refusals.MOST:
                self._refusals.append(refusal)
            if entry.taken:
                self._late.append(entry)
        if not self._some.is_set():
            self._some.set()
            if self._thread is None:
                self._start_thread()

    def _start_thread(self) -> None:
        with self._writing:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._write_until_stopped, name="history", daemon=True
                )
                self._thread.start()

    def _write_until_stopped(self) -> None:
        while not self._stopping.is_set():
            self._some.wait()
            self._stopping.wait(_BATCH_SECONDS)  # collects a batch
            try:
                self.flush()
            except (db.Error, OSError) as failure:
                log.warning("the request history cannot be written at present: %s", failure)
                self._some.set()
                self._stopping.wait(_AGAIN_SECONDS)

    def flush(self) -> None:
        """Write to the database everything that was recorded before this call."""
        with self._writing:
            with self._turn:
                self._some.clear()
                begun, late, used, refused = self._begun, self._late, self._used, self._refusals
                self._begun, self._late, self._used, self._refusals = [], [], {}, []
                for entry in begun:
                    entry.taken = True
                counted = self._counted.copy()
                entered = [entry for entry in begun if not counted.count(entry)]
                again = {entry.row[0] for entry in late if counted.count(entry)}
                for entry in entered:
                    entry.row[1] = entry.row[1] or ids.make_id(entry.row[3])
                rows = [tuple(entry.row) for entry in entered]
                answers = [tuple(entry.row) for entry in begun]
                self._journal.change_halves()
            try:
                if begun or late or used:
                    _write_batch(
                        _Batch(rows, answers, [entry.row for entry in late], again, counted.again),
                        used,
                        refused,
                    )
                self._counted = counted.copy()
            except BaseException:
                # everything is still in the journal, and the next transaction writes it
                with self._turn:
                    for entry in begun:
                        entry.taken = False
                    self._begun, self._late, self._used = (
                        begun + self._begun,
                        late + self._late,
                        used | self._used,
                    )
                    self._refusals = refused + self._refusals
                raise
            with self._turn:
                self._journal.clear()

    def stop(self) -> None:
        """Write everything and end the thread.

        What cannot be written stays in the journal for the next start.
        """
        if self._stopped:
            return
        self._stopped = True
        self._stopping.set()
        self._some.set()
        if self._thread is not None:
            self._thread.join()
        written = False
        try:
            self.flush()
            written = True
        finally:
            self._journal.close(remove=written)


class _Batch(NamedTuple):
    """What one transaction writes."""

    entered: list[tuple[Any, ...]]  # rows
    begun: list[tuple[Any, ...]]  # these, and refusals that are counted
    late: list[list[Any]]  # answered after an earlier transaction had entered them
    again: set[int]  # those of them that are counted with an earlier one
    times: dict[int, int]  # how often requests came again, by number


def _write_batch(batch: _Batch, used: dict[str, int], refused: list[Refusal]) -> None:
    numbers = {row[0] for row in (*batch.entered, *batch.late)} - batch.again
    # In no turn: requests, and refusals, are changed by this process alone, and sums by addition.
    with db.transaction(durable=False, in_turn=False):
        _ENTER.execute(batch.entered)
        _FINISH.execute_many(
            {"id": row[0], **dict(zip(_ANSWER, row[9:], strict=True))}
            for row in batch.late
            if row[0] in numbers
        )
        _WITHDRAW.execute_many({"id": number} for number in batch.again)
        _AGAIN.execute_many({"id": number, "times": times} for number, times in batch.times.items())
        refusals.insert([refusal for refusal in refused if refusal.number in numbers])
        with db.at_commit():
            _count_requests(batch.begun, [*batch.begun, *batch.late])
            _USED.execute_many({"id": key_id, "at": at} for key_id, at in sorted(used.items()))


def _count_requests(begun: list[Any], answered: list[Any]) -> None:
    """Count requests for the daily limit, and answers for the usage report:
    those of test keys a second time, by key.
    """
    days: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * 6)
    tests: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0] * 5)
    for row in begun:
        days[row[2], clock.format_day(row[3])][0] += row[4]
    for row in answered:
        status = row[9]
        if status is not None:
            partner_id, day = row[2], clock.format_day(row[3])
            answer = (1, 200 <= status <= 299, 400 <= status <= 499, status >= 500, status == 429)
            _add_counts(days[partner_id, day], (0, *answer))
            if row[7].startswith(TEST_PREFIX):
                _add_counts(tests[day, partner_id, row[7]], answer)
    # The days are counted in one order, so that no two processes wait for each other.
    _COUNT.execute([(*key, *count) for key, count in sorted(days.items())])
    _COUNT_SANDBOX.execute_many(
        {
            "day": day,
            "partner_id": partner_id,
            "prefix": prefix,
            **dict(zip(_SUMS, count, strict=True)),
        }
        for (day, partner_id, prefix), count in sorted(tests.items())
    )


def _add_counts(counts: list[int], more: tuple[int, ...]) -> None:
    for place, number in enumerate(more):
        counts[place] += number


def recover(folder: Path) -> int:
    """Import the requests from the journals of dead processes into the history, and return their
    number.

    Request numbers continue after the last of them.
    """
    with read_leftovers(folder) as lines, db.transaction(durable=False):
        rows = filter(None, map(_parse_line, lines))
        imported = [row for row in rows if _IMPORT.execute(**dict(zip(_NAMES, row, strict=True)))]
        _count_requests(imported, [])
        last = _LAST.value() or 0
        with db.shared().lock():
            db.shared().number_requests_after(last)
    return len(imported)


def _parse_line(line: bytes) -> list[Any] | None:
    """Return the row of a line of the journal; None: the line is incomplete,
    because the process died while writing it.
    """
    fields = line.decode("utf-8", "replace").split("\t")
    if len(fields) != 8 or not all(fields[number].isdigit() for number in (0, 2, 3)):
        return None
    number, partner_id, at, counted, *request = fields
    return [
        int(number),
        ids.make_id(int(at)),
        partner_id,
        int(at),
        int(counted),
        *request,
        None,
        None,
        None,
    ]
