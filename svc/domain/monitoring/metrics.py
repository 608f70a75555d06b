"""Counters and histograms for monitoring: kept in memory, and added to sums in the database once a
second.

The sums survive restarts and are the same in all processes. A process that is killed loses the
counts of its last second.
"""

import contextlib
import json
import threading
from bisect import bisect_left
from collections import defaultdict
from typing import Any

from svc.store.database import db
from svc.store.expressions import EXCLUDED, SQL, JsonLists
from svc.store.models.usage import Counter
from svc.store.queries import Prepared, slot

# The upper bounds of the buckets of each histogram: seconds, and for estimate_error ratios.
BOUNDS = {
    "request_seconds": (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0),
    "step_seconds": (0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 900.0, 1800.0),
    "estimate_error": (0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0),
    "delivery_seconds": (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0),
    "delivery_delay_seconds": (0.05, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 120.0, 360.0, 3600.0),
}

_FLUSH_SECONDS = 1.0
_ADDED = JsonLists(slot("sums"), "added")
_ADD = Prepared(
    Counter.insert_from(
        # Without a condition, SQLite would read ON CONFLICT as that of a join.
        _ADDED.select(_ADDED.text(0), _ADDED.text(1), _ADDED.number(2)).where(SQL("TRUE")),
        [Counter.name, Counter.labels, Counter.value],
    ).on_conflict(
        conflict_target=[Counter.name, Counter.labels],
        update={Counter.value: Counter.value + EXCLUDED.value},
    )
)
_ALL = Prepared(Counter.select().order_by(Counter.name, Counter.labels))
_REQUEST_BOUNDS = BOUNDS["request_seconds"]

_lock = threading.Lock()
# By route, method, status and bucket: the number of requests and their seconds.
_requests: dict[tuple[Any, ...], list[Any]] = {}
# By name and labels: the value to add.
_sums: defaultdict[tuple[str, tuple[str, ...]], float] = defaultdict(int)
_stopping: threading.Event | None = None
_thread: threading.Thread | None = None


def count_request(route: str, method: str, status: int, seconds: float) -> None:
    """Count an answered request. This runs for every request, so it has its own fast path."""
    key = (route, method, status, bisect_left(_REQUEST_BOUNDS, seconds))
    with _lock:
        counted = _requests.get(key)
        if counted is None:
            _requests[key] = [1, seconds]
        else:
            counted[0] += 1
            counted[1] += seconds


def increment(name: str, *labels: str, number: float = 1) -> None:
    """Add ``number`` to a counter."""
    with _lock:
        _sums[name, labels] += number


def observe(name: str, seconds: float, *labels: str) -> None:
    """Record a duration in a histogram."""
    bound = _format_bound(BOUNDS[name], bisect_left(BOUNDS[name], seconds))
    with _lock:
        _sums[f"{name}_bucket", (*labels, bound)] += 1
        _sums[f"{name}_sum", labels] += seconds


def count_attempts(attempts: list[tuple[bool, float | None, int | None]]) -> None:
    """Count delivery attempts: (whether it succeeded, its duration in ms, the age of its event in
    ms or None for a ping).
    """
    for succeeded, took, delay in attempts:
        outcome = "succeeded" if succeeded else "failed"
        increment("deliveries", outcome)
        if took is not None:
            observe("delivery_seconds", took / 1000, outcome)
        if succeeded and delay is not None:
            observe("delivery_delay_seconds", max(0, delay) / 1000)


def _format_bound(bounds: tuple[float, ...], index: int) -> str:
    return str(bounds[index]) if index < len(bounds) else "+Inf"


def flush() -> None:
    """Add the counts of this process to the sums in the database."""
    with _lock:
        requests = dict(_requests)
        sums: defaultdict[tuple[str, tuple[str, ...]], float] = defaultdict(int, _sums)
        _requests.clear()
        _sums.clear()
    for (route, method, status, index), (number, seconds) in requests.items():
        sums["requests", (route, method, str(status))] += number
        sums["request_seconds_bucket", (route, _format_bound(_REQUEST_BOUNDS, index))] += number
        sums["request_seconds_sum", (route,)] += seconds
    if not sums:
        return
    # The sums are added in one order, so that no two processes wait for each other.
    added = sorted((name, json.dumps(labels), value) for (name, labels), value in sums.items())
    try:
        with db.transaction(durable=False, in_turn=False):
            _ADD.execute(sums=json.dumps(added))
    except BaseException:
        with _lock:
            for key, value in sums.items():  # for example, the disk is full: try again next time
                _sums[key] += value
        raise


def start() -> None:
    """Start a thread that flushes once a second. Call it after any fork."""
    global _stopping, _thread
    _stopping = threading.Event()
    _thread = threading.Thread(
        target=_flush_until_stopped, args=(_stopping,), name="metrics", daemon=True
    )
    _thread.start()


def _flush_until_stopped(stopping: threading.Event) -> None:
    while not stopping.wait(_FLUSH_SECONDS):
        try:
            flush()
        except db.Error:
            pass  # other code reports why the database is not writable


def stop() -> None:
    """End the thread, after a last flush."""
    global _thread
    if _thread is None or _stopping is None:
        return
    _stopping.set()
    _thread.join()
    _thread = None
    flush()


def read_totals() -> list[tuple[str, tuple[str, ...], float]]:
    """Return all sums (name, labels, value), including the counts of this process if they can
    be written now.
    """
    with contextlib.suppress(db.Error):
        flush()
    return [(row["name"], tuple(json.loads(row["labels"])), row["value"]) for row in _ALL.rows()]
