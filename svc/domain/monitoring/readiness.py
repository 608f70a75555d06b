"""Readiness: whether database, engine, disk, master keys and finished files are usable."""

import shutil
import threading
import time
from collections.abc import Callable
from typing import Any

from svc.base import clock, disk, outage
from svc.base.outage import Outage
from svc.domain.access import master_keys
from svc.domain.monitoring import engine_heartbeat
from svc.store import meta, newer_schema
from svc.store.database import db

_KNOWN_SECONDS = 1.0
_FILES_KNOWN_SECONDS = 10.0  # a remote store is asked over the network
_WRITE_SECONDS = 1.0  # how long a probe waits for another writer
_FAILING_FOR = clock.MINUTE  # since the last failure


def report_outage(trouble: Outage | None, now: int) -> None:
    """Report an outage to all processes: if the database or its disk is affected,
    none of them is ready from now on.
    """
    memory = db.shared_if_open()
    if memory is not None and trouble is outage.DAMAGED:
        memory.note_damage(now)
    elif memory is not None and trouble is outage.FAILING:
        memory.note_failing(now)


def find_reported_outage(now: int) -> Outage | None:
    """Return the outage of the database or its disk that any process reported;
    None: there is none.
    """
    memory = db.shared_if_open()
    if memory is None:
        return None
    if memory.damaged_at:
        return outage.DAMAGED
    return outage.FAILING if memory.failing_at and now - memory.failing_at < _FAILING_FOR else None


class Probe:
    """Checks readiness at most once a second, because anybody may send any number of requests."""

    def __init__(
        self, floor_megabytes: int, files_problem: Callable[[], str | None] = lambda: None
    ):
        """``files_problem``: returns a sentence if the store of the finished files
        does not answer.
        """
        self._floor, self._files_problem = floor_megabytes, files_problem
        # until when the store's problem is known, and that problem
        self._files: tuple[float, str | None] = 0.0, None
        self._turn = threading.Lock()
        self._known_until = 0.0
        self._problems: dict[str, str] | None = None  # None: nothing was checked yet

    def problems(self, now: int) -> dict[str, str]:
        """Return the problems by part: "database", "engine", "disk", "directory", "secret",
        "files"; empty: it is ready.

        While another request checks, which may take long where a disk or a bucket is slow, the last
        result is returned.
        """
        last = self._problems
        if not self._turn.acquire(blocking=last is None):
            return last or {}
        try:
            if self._problems is None or time.monotonic() >= self._known_until:
                results = {
                    "database": _database(now),
                    "engine": _check(_engine, now),
                    "disk": _check(_disk, self._floor),
                    "directory": _check(_directory),
                    "secret": _check(_secret),
                    "files": self._problem_of_files(),
                }
                self._problems = {part: problem for part, problem in results.items() if problem}
                self._known_until = time.monotonic() + _KNOWN_SECONDS
            return self._problems
        finally:
            self._turn.release()

    def _problem_of_files(self) -> str | None:
        until, problem = self._files
        if time.monotonic() >= until:
            problem = self._files_problem()
            self._files = time.monotonic() + _FILES_KNOWN_SECONDS, problem
        return problem


def _check(check: Callable[..., str | None], *args: Any) -> str | None:
    """Return the result of a check; a check that fails to run is a problem too."""
    try:
        return check(*args)
    except (db.Error, OSError) as failed:
        return f"cannot be determined: {failed}"


def _database(now: int) -> str | None:
    trouble = find_reported_outage(now)
    if trouble is not None:
        return trouble.mend
    try:
        # a separate connection would open what was put in their place
        db.require_same_files()
        if problem := newer_schema.find_problem():
            return problem
        with db.separate_connection(_WRITE_SECONDS) as connection:
            meta.put_by(connection, "probe", now)
    except db.Error as failed:
        report_outage(outage.recognise(failed), now)
        return f"cannot be written: {failed}"
    return None


def _engine(now: int) -> str | None:
    heartbeat = engine_heartbeat.last_heartbeat()
    if heartbeat is None:
        return "no engine is running"
    age = now - heartbeat
    if abs(age) <= engine_heartbeat.LATE_AFTER:
        return None
    return f"the engine's last heartbeat is {age // clock.SECOND} s old"


def _disk(floor_megabytes: int) -> str | None:
    folder = db.path().parent
    free, files = shutil.disk_usage(folder).free // 1_000_000, disk.free_files(folder)
    if files is not None and files < disk.LEAST_FILES:
        return (
            f"there is room for {files} more files (inodes); at least {disk.LEAST_FILES} are needed"
        )
    return (
        None
        if free >= floor_megabytes
        else f"{free} MB are free; at least {floor_megabytes} MB are needed"
    )


def _directory() -> str | None:
    """Check the folders in the data directory, such as those that root made by mistake."""
    problem = disk.unusable_folder(db.path().parent)
    return problem.rstrip(".") if problem else None


def _secret() -> str | None:
    """Check the file of the master keys: a running service keeps its keys,
    but the next start would be refused.
    """
    return master_keys.describe_mismatch(db.path().with_name("secret"), master_keys.list_recorded())
